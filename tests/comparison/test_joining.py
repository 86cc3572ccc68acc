"""Systems are joined on the ids of their queries: never by position, and never in silence."""

import pickle
import warnings
from hashlib import blake2b
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_rank import Evaluation, compare, evaluate
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UnknownMeasureError

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
OLD = {"q1": ["x", "a"], "q2": ["b"], "q3": ["x", "y", "c"]}
NEW = {"q1": ["a"], "q2": ["x", "b"], "q3": ["c"]}
NONE = {"old": 0, "new": 0}
# MRR: (1/2 + 1 + 1/3) / 3 and (1 + 1/2 + 1) / 3.
DIFFERENCE = (1 / 2 - 1 / 2 + 2 / 3) / 3


def turned(run: dict[str, Any]) -> dict[str, Any]:
    return dict(reversed(run.items()))


def test_another_order_of_queries_changes_nothing() -> None:
    rows = [
        compare(evaluate(truth, OLD, "mrr"), evaluate(turned(TRUTH), new, "mrr"))["mrr"]
        for truth in (TRUTH, turned(TRUTH))
        for new in (NEW, turned(NEW))
    ]
    assert rows[0].change == pytest.approx(DIFFERENCE)
    # As text: from Python 3.13 on a field that is NaN makes equal records differ.
    assert {repr(row) for row in rows} == {repr(rows[0])}
    assert (rows[0].wins, rows[0].ties, rows[0].losses) == (2, 0, 1)
    compared = compare(evaluate(TRUTH, NEW, "mrr"), evaluate(turned(TRUTH), OLD, "mrr"))
    assert compared.query_ids == ["q1", "q2", "q3"]
    assert compared.values("mrr")["new"].tolist() == [1 / 2, 1, 1 / 3]


def test_only_common_queries_are_compared_and_the_others_counted() -> None:
    more = {**TRUTH, "q4": {"d"}}
    old = evaluate(more, {**OLD, "q4": ["d"]}, "mrr")
    new = evaluate(TRUTH, NEW, "mrr")
    compared = compare({"old": old, "new": new})
    assert compared["mrr"].change == pytest.approx(DIFFERENCE)
    assert compared["mrr"].baseline_value == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert compared.counts == {"queries": 3, "left_out": {"old": 1, "new": 0}, "missing": NONE}
    assert compared.notes[0] == (
        "only queries common to all systems are compared; left out: 1 of 'old' ('q4')"
    )


def test_a_query_without_a_ranking_counts_as_an_empty_one_and_is_named() -> None:
    runs = {"old": OLD, "new": {"q1": ["a"]}}
    compared = compare(TRUTH, runs, measures="mrr")
    assert compared["mrr"].new == 1 / 3
    assert compared.counts == {"queries": 3, "left_out": NONE, "missing": {"old": 0, "new": 2}}
    assert compared.notes[0] == (
        "queries without a ranking count as empty rankings: 2 of 'new' ('q2', 'q3')"
    )
    parts = compared.by_slice({"head": {"q1"}, "tail": {"q2", "q3"}})
    assert [part.counts["missing"]["new"] for part in parts.values()] == [0, 2]
    skipped = compare(TRUTH, runs, measures="mrr", missing="skip")
    assert skipped["mrr"].queries == 1
    assert skipped.counts["left_out"] == {"old": 2, "new": 0}


@pytest.mark.parametrize(
    ("sides", "complaint"),
    [
        (({"q1": ["a"]}, {1: ["a"]}), "no query was evaluated for all systems: 'base"),
        (
            ({1: ["a"], 2: ["b"]}, {"1": ["a"], "2": ["b"]}),
            "2 of them differ only in type, case",
        ),
        (([["a"], ["b"]], [["a"]]), "by position, but their numbers differ"),
    ],
)
def test_queries_that_cannot_be_joined(sides: Any, complaint: str) -> None:
    old, new = (
        evaluate(
            {query: {"a", "b"} for query in run} if isinstance(run, dict) else [{"a"}] * len(run),
            run,
            "mrr",
        )
        for run in sides
    )
    with pytest.raises(QueryMismatchError, match=complaint):
        compare(old, new)


def test_queries_by_position_are_joined_by_position() -> None:
    first, second = ([["a"], ["b"]], [["x", "a"], ["b"]])
    old, new = (evaluate([{"a"}, {"b"}], run, "mrr") for run in (first, second))
    assert compare(old, new)["mrr"].losses == 1


def test_what_is_true_of_all_systems_is_warned_of_once_and_else_with_their_names() -> None:
    truth = {f"q{n}": {"a": int(n > 0)} for n in range(20)}
    falling, rising = {"a": 0.9, "b": 0.2, "c": 0.1}, {"a": 0.1, "b": 0.2, "c": 0.3}
    runs = {"old": dict.fromkeys(truth, falling), "new": dict.fromkeys(truth, rising)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare(truth, runs, measures="map")
    texts = [str(one.message) for one in caught]
    assert [text.partition(" ")[0] for text in texts] == ["map", "'new':", "'new':"], texts
    assert {one.filename for one in caught} == {__file__}


def test_one_truth_for_all_queries_compares_what_retrieves_the_same() -> None:
    runs = {"old": [["a", "b"], ["c"]], "new": [["b", "x", "a"], ["c"]]}
    assert compare({*"abc"}, runs, measures="map")["map"].losses == 1
    runs["new"] = [["a"], ["b", "c"]]  # b belongs to another query now
    with pytest.raises(QueryMismatchError, match=r"query 0 .* a ground truth for each query"):
        compare({*"abc"}, runs, measures="map")


GRADED = {"q1": {"a": 2, "b": 1, "z": 0}, "q2": {"c": 1}}
FOUND = {"q1": ["a", "b"], "q2": ["c"]}
DOORS = {
    "compare": compare,
    "to_judge": lambda *systems: systems[0].to_judge(baseline=systems[1]),
}


def kept(truth: Any, run: Any = FOUND, **options: Any) -> Evaluation:
    return evaluate(truth, run, "map", keep_items=True, **options)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "other",
    [
        {"a": 2, "b": 1, "c": 1, "z": 0},
        {"a": 1, "b": 1, "z": 0},
        {"a": 2, "w": 1, "z": 0},
        {"a": 1, "b": 2, "z": 0},
        {"a": 2, "b": 1, "w": 0},
    ],
    ids=["one more", "another grade", "another item", "grades exchanged", "another item judged"],
)
def test_other_judgements_are_no_comparison(door: str, other: dict[str, Any]) -> None:
    first, second = kept(GRADED), kept({**GRADED, "q1": other})
    for copied in (second, pickle.loads(pickle.dumps(second))):
        with pytest.raises(QueryMismatchError, match="relevant items of query 'q1' are not the"):
            DOORS[door](first, copied)


def test_judgements_are_the_same_in_any_order_form_and_process() -> None:
    numbers = {7: {1: 2.0, 2: 1, 3: 0}, 8: {4: 1}}
    run = {7: [1, 3, 2], 8: [5, 4]}
    columns = {
        "query": [7, 7, 8, 7],
        "item": np.array([2, 3, 4, 1]),
        "grade": np.array([1.0, 0, 1, 2]),
    }
    rows = {"query": [7, 7, 7, 8, 8], "item": [1, 3, 2, 5, 4], "rank": [1, 2, 3, 1, 2]}
    frames = [
        evaluate(frame(columns), frame(rows), "map") for frame in (pd.DataFrame, pl.DataFrame)
    ]
    more = evaluate({**numbers, 9: {4: 1}}, {**run, 9: [4]}, "map")
    by_text = {q: {str(item): grade for item, grade in own.items()} for q, own in numbers.items()}
    base = evaluate(numbers, run, "map")
    others = [
        evaluate(numbers, run, "map"),
        evaluate({q: turned(own) for q, own in turned(numbers).items()}, run, "map"),
        evaluate(by_text, {q: list(map(str, own)) for q, own in run.items()}, "map"),
        *frames,
        more,
        more.by_slice({"s": [8, 7]})["s"],
        pickle.loads(pickle.dumps(base)),
    ]
    for other in others:
        assert compare(base, other)["map"].ties == 2
        assert compare(other, base)["map"].ties == 2
    # Baselines store them: no version of Python or NumPy and no seed of hashes changes them.
    numbers = ((2.0, 1, 1.0, 1, 0.0, 1), b"123"), ((1.0, 1), b"4")
    assert [f"{digest:016x}" for digest in base.reading.judgements.digests.tolist()] == [
        blake2b(np.array(pairs, "<f8").tobytes() + ids, digest_size=8).hexdigest()
        for pairs, ids in numbers
    ]


def test_items_of_one_shared_truth_are_the_same_for_all_queries() -> None:
    first = evaluate({"a", "b"}, [["a"], ["b", "x"]], "map")
    second = evaluate({"a", "b"}, [["b"], ["x", "a"]], "map")
    assert compare(first, second)["map"].change == pytest.approx(-1 / 4)
    with pytest.raises(QueryMismatchError, match="different ids"):
        compare(first, evaluate({"a", "d"}, [["d"], ["x", "a"]], "map"))


# Measures ------------------------------------------------------------------------------------


def test_measures_that_not_all_have_are_named() -> None:
    old, new = evaluate(TRUTH, OLD, ("mrr", "map")), evaluate(TRUTH, NEW, ("p@1", "mrr"))
    compared = compare(old, new)
    assert compared.measures == ("mrr",)
    assert "not evaluated for all systems: map, precision@1" in compared.notes
    with pytest.raises(UnknownMeasureError, match=r"map was not evaluated for 'new'; evaluated"):
        compare(old, new, measures="map")
    with pytest.raises(InvalidParameterError, match="the systems have no measure in common"):
        compare(evaluate(TRUTH, OLD, "map"), evaluate(TRUTH, NEW, "mrr"))


def test_one_measure_of_two_definitions_is_two_measures() -> None:
    trec = evaluate(TRUTH, OLD, "ndcg@10", convention="trec_eval")
    with pytest.raises(InvalidParameterError, match=r"ndcg@10 has ndcg\(gain=linear\)@10 for 'ba"):
        compare(trec, evaluate(TRUTH, NEW, "ndcg@10"))
    nothing = {**TRUTH, "q3": set()}
    zero, left_out = (
        evaluate(nothing, run, "map", zero_division=settled)
        for run, settled in ((OLD, 0.0), (NEW, np.nan))
    )
    with pytest.raises(InvalidParameterError, match=r"map has zero_division=0\.0 for 'baseline'"):
        compare(zero, left_out)


def test_spellings_are_read_as_elsewhere() -> None:
    runs = {"old": OLD, "new": NEW}
    compared = compare(TRUTH, runs, measures=("RR", "P@1", "ndcg_cut_10"))
    assert compared.measures == ("mrr", "precision@1", "ndcg@10")
    assert compared["recip_rank", "new"] is compared["mrr"]
    again = compare(
        {**compared.evaluations, "third": compared.evaluations["old"]}, None, "recip_rank"
    )
    assert (again.measures, again.baseline, again.others) == (("mrr",), "old", ("new", "third"))
    assert again["mrr", "third"].ties == 3
    assert compare(*compared.evaluations.values()).names == ("baseline", "new")


EVALUATED = evaluate(TRUTH, OLD, "mrr")


@pytest.mark.parametrize(
    ("given", "options", "error", "complaint"),
    [
        ((EVALUATED,), {}, TypeError, "got Evaluation"),
        (({"a": EVALUATED},), {}, InvalidParameterError, "needs at least two systems, got 1"),
        ((EVALUATED, OLD), {}, TypeError, "got Evaluation, dict"),
        ((TRUTH, [OLD, NEW]), {}, TypeError, r"y_true and \{name: y_score\}; got dict, list"),
        (({"a": EVALUATED, "b": OLD},), {}, TypeError, "system 'b' must be a result of evaluate"),
        (({1: EVALUATED, 2: EVALUATED},), {}, InvalidParameterError, "must be nonempty text"),
        ((EVALUATED, EVALUATED), {"alpha": 5}, InvalidParameterError, "'alpha' parameter of comp"),
        ((EVALUATED, EVALUATED), {"ties": "stable"}, TypeError, "'ties' sets how evaluate reads"),
    ],
)
def test_what_is_no_comparison_is_refused(
    given: Any, options: dict[str, Any], error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        compare(*given, **options)


def test_hostile_ids_and_names_are_escaped_in_messages() -> None:
    evil = "\x1b[31m\u202e"
    old = evaluate({evil: {"a"}, "q": {"a"}}, {evil: ["a"], "q": ["a"]}, "mrr")
    new = evaluate({"q": {"a"}}, {"q": ["a"]}, "mrr")
    systems = {evil: old, "new": new}
    compared = compare(systems)
    text = "\n".join([repr(compared), *compared.notes])
    assert "\x1b" not in text
    assert "\u202e" not in text


# Wrong calls -------------------------------------------------------------------------------------

RUN = {"q1": ["a"], "q2": ["x", "b"]}


def test_the_rankings_of_one_system_are_no_systems() -> None:
    with pytest.raises(TypeError, match=r"each system, but the keys of .* queries: 'q1'"):
        compare(TRUTH, RUN)
    with pytest.raises(TypeError, match="a name for each system"):
        compare(TRUTH, {"q1": {"a": 0.5}, "q2": {"b": 1.0}})


def test_systems_may_be_called_like_queries() -> None:
    assert compare(TRUTH, {"q1": RUN, "q2": RUN}).names == ("q1", "q2")


def test_what_is_wrong_with_a_system_is_told_with_its_name() -> None:
    y_true, groups = np.array([0, 1, 0, 1]), [1, 1, 2, 2]
    runs = {"good": [1.0, 2, 3, 4], "bad": [1.0, np.nan, 3, 4]}
    with pytest.raises(ValueError, match=r"^system 'bad': y_score contains NaN at row 1 of que"):
        compare(y_true, runs, groups=groups)
    with pytest.raises(QueryMismatchError, match=r"^system 'empty': y_true and y_score have no"):
        compare(TRUTH, {"good": RUN, "empty": {}})
    with pytest.raises(TypeError, match=r"^system '\\x1b\[31m': "):
        compare(TRUTH, {"good": RUN, "\x1b[31m": 1})


def test_unknown_keywords_are_refused_with_a_hint() -> None:
    evaluated = evaluate(TRUTH, RUN, "map")
    for given, option, hint in (
        ((TRUTH, {"A": RUN, "B": RUN}), "measure", "; did you mean 'measures'"),
        ((TRUTH, {"A": RUN, "B": RUN}), "tie", "; did you mean 'ties'"),
        ((TRUTH, {"A": RUN, "B": RUN}), "relevance", ""),
        ((evaluated, evaluated), "alfa", "; did you mean 'alpha'"),
    ):
        with pytest.raises(TypeError, match=rf"^compare\(\) got .* '{option}'{hint}"):
            compare(*given, **{option: "map"})  # type: ignore[arg-type]


def test_one_query_is_not_said_to_be_tested() -> None:
    compared = compare({"q1": {"a"}}, {"A": {"q1": ["a"]}, "B": {"q1": ["x", "a"]}}, measures="mrr")
    assert compared.family_text == "randomization test: nothing could be tested"


# Ties --------------------------------------------------------------------------------------------

TIED = {"q1": {"a": 1.0, "x": 1.0}, "q2": {"b": 1.0, "x": 1.0}}
ORDERED = {"q1": ["a", "x"], "q2": ["x", "b"]}
TWO = {"q1": {"a"}, "q2": {"b"}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "optimistic"}, "ties='average' .*and ties='optimistic'"),
    ],
)
def test_systems_that_were_read_in_two_ways(options: dict[str, Any], message: str) -> None:
    first = kept(TWO, TIED)
    for other in (kept(TWO, TIED, **options), kept(TWO, TIED, **options).by_slice({"s": TWO})["s"]):
        for door in DOORS.values():
            with pytest.raises(InvalidParameterError, match=f"{message}.*; evaluate all"):
                door(first, other)


def test_ranked_lists_have_no_ties_and_go_with_any_rule() -> None:
    lists = evaluate(TWO, ORDERED, "mrr", ties="average")
    lucky = evaluate(TWO, TIED, "mrr", ties="optimistic")
    assert compare(lists, lucky)["mrr"].change == 1.0 - (1 + 1 / 2) / 2


def test_what_a_caller_changes_is_a_copy() -> None:
    comparison = compare(
        {"q": {"a"}}, {"old": {"q": ["b", "a"]}, "new": {"q": ["a"]}}, measures="mrr"
    )
    comparison.query_ids.append("another")
    comparison.evaluations.pop("new")
    assert comparison.query_ids == ["q"]
    assert comparison.counts["queries"] == 1
    assert list(comparison.evaluations) == ["old", "new"]


@pytest.mark.parametrize("form", [{"new": {"ms": {"q": 1}}}, {"ms": {"new": {"q": 1}}}])
def test_values_by_system_are_told_where_they_go(form: Any) -> None:
    with pytest.raises(TypeError, match=r"compare \{name: evaluate\(\.\.\., values=\.\.\.\)\}"):
        compare({"q": {"a"}}, {"old": {"q": ["a"]}, "new": {"q": ["a"]}}, "mrr", values=form)
