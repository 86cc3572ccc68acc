"""No relevant item of any query retrieved: the likely cause is named, once a call."""

from __future__ import annotations

import warnings

import pytest

from sklearn_rank import evaluate, mean_average_precision_score
from sklearn_rank.exceptions import RankingDataWarning


@pytest.mark.parametrize(
    ("relevant", "ranked", "cause"),
    [
        ("D1", "d1", r"differ in case: 'D1' in y_true, 'd1' in y_score"),
        ("d 1", "d1 ", "differ in spaces"),
        ("7.0", "7", r"differ by a trailing '\.0': '7\.0' in y_true, '7' in y_score"),
        ("007", "7", "differ by leading zeros"),
        ("doc:7", "7", "differ by a prefix"),
        ("corpus/a.txt", "a.txt", "differ by a prefix"),
    ],
)
def test_the_likely_cause_is_named(relevant: str, ranked: str, cause: str) -> None:
    with pytest.warns(RankingDataWarning, match=cause) as caught:
        ev = evaluate({"q": {relevant}}, {"q": ["x", ranked]}, ["map", "mrr"])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "no relevant item was retrieved (ids seem to differ" in repr(ev)
    with pytest.warns(RankingDataWarning, match=cause):
        assert mean_average_precision_score([{relevant: 2}], [{"x": 2.0, ranked: 1.0}]) == 0.0


def test_types_that_differ_among_others_are_named() -> None:
    # Types that have nothing in common are an error; here a text is among the numbers.
    with (
        pytest.warns(RankingDataWarning, match=r"differ in type: '7' in y_true, 7 in y_sc"),
        pytest.warns(RankingDataWarning, match="no str of y_true can match"),
    ):
        evaluate([{"7", 1}], [[7, 8]], "map")


def test_a_tuple_and_its_part_are_named() -> None:
    with (
        pytest.warns(RankingDataWarning, match="as a tuple and one of its parts"),
        pytest.warns(RankingDataWarning, match="no tuple of y_true can match"),
    ):
        evaluate([{("q", "d1"), "x"}], [["d1", "y"]], "map")


def test_ids_that_have_nothing_in_common_are_shown_where_queries_are_many() -> None:
    truth = {f"q{number}": {f"alpha{number}"} for number in range(12)}
    run = {query: ["beta", "gamma"] for query in truth}
    with pytest.warns(RankingDataWarning, match="ids look like 'alpha0' in y_true, 'beta'"):
        evaluate(truth, run, "map")


@pytest.mark.parametrize(
    ("truth", "run"),
    [
        ([{"a"}], [["b"]]),
        ([{"a"}], [[]]),
        ([set()], [["a"]]),
        ([{"A"}, {"b"}], [["a"], ["b"]]),
        ([{"a": 0, "B": 1}], [["a", "c"]]),
    ],
    ids=["a plain miss", "nothing ranked", "nothing relevant", "one found", "judged 0"],
)
def test_what_may_be_honest_is_not_remarked(truth: list, run: list) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RankingDataWarning)
        evaluate(truth, run, "map", zero_division=0.0)
