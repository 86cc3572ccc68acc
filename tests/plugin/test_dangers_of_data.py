"""Dangers of data: missing queries, NaN, ids that do not match, duplicates, order, leaks."""

import math
import re
from typing import Any

import pandas as pd
import polars as pl
import pytest

from pytest_rankmetrics import (
    RankGateFailure,
    assert_lag_at_most,
    assert_metric,
    assert_mrr_at_least,
    assert_not_worse,
    expected_failure,
)
from sklearn_rank import ColumnRoleError, QueryMismatchError
from tests.plugin.cases import case, results, truth
from tests.plugin.conftest import Suite, failures
from tests.plugin.one_gate import gate_of


def attempt(suite: Suite, body: str) -> pytest.RunResult:
    """Run tests with the data and the assertions of this file at hand, each a try to pass."""
    suite.tests(body)
    return suite.run("--tb=short")


def refused(suite: Suite, calls: list[str], complaint: str) -> None:
    """Each call fails, and what is said of it matches."""
    tests = [f"def test_{n}(rank_gate):\n    {call}\n" for n, call in enumerate(calls)]
    found = failures(attempt(suite, "\n".join(tests)))
    assert len(found) == len(calls)
    for text in found.values():
        own = "\n".join(line for line in text.splitlines() if line.startswith("E "))
        assert re.search(complaint, own), f"{complaint!r} not in:\n{text}"


PAIR = "*case([1, 2]), results([1, 2]), 'mrr'"
SETS = "{'q001': {'good'}, 'q002': set()}, results([1, 2])"
FLIPPED = (
    "judged, ranked = case([2] * 10);"
    " grades = {q: dict.fromkeys(items, 1) for q, items in judged.items()};"
)
REFUSED: dict[str, tuple[str, list[str]]] = {
    "no queries": (
        "(?i)0 queries|no quer",
        [
            "assert_map_at_least({}, {}, 0.1)",
            "assert_map_at_least(np.zeros((0, 3)), np.zeros((0, 3)), 0.1)",
            "rank_gate.check({}, {}, max_drop={'map': 0.1})",
            "assert_not_worse({}, {}, {}, 'map')",
        ],
    ),
    "empty lists": (
        "nothing was retrieved, the rankings of all 2 queries are empty|lag is undefined for 2",
        [
            "assert_map_at_least(*case([None, None]), 0.1)",
            "assert_lag_at_most(*case([None, None]), 50.0)",
        ],
    ),
    "not a number": (
        "(?i)nan|finite|undefined|inf",
        [
            "assert_mrr_at_least([[0, 1]], [[float('nan'), 1.0]], 0.1)",
            f"assert_not_worse({PAIR}, max_drop=math.nan)",
            "assert_mrr_at_least(*case([1, 2]), 0.1, sample_weight={'q001': math.nan, 'q002': 1})",
            "assert_auc_at_least({'q': {'a'}}, {'q': ['a']}, 0.1, zero_division=math.nan)",
        ],
    ),
    # Without its worst query the system has a mean of 1 instead of 2/3.
    "a missing query": (
        "q003",
        [
            "assert_mrr_at_least(truth(3), {'q001': ['good'], 'q002': ['good']}, 0.5)",
            "rank_gate.check(truth(3), results([1, 1]), at_least={'mrr': 0.5})",
            "assert_not_worse(truth(3), results([1, 1]), results([1, 1, 2]), 'mrr')",
            "assert_mrr_at_least(truth(2), results([1, 2, 3]), 0.5)",
        ],
    ),
    "no relevant items": (
        "(?i)no relevant item|undefined",
        [
            f"assert_mrr_at_least({SETS}, 0.5)",
            "assert_mrr_at_least({'q001': set(), 'q002': set()}, results([1, 2]), 0.5)",
            "assert_ndcg_at_least({'q001': {'good': 1}, 'q002': {'good': 0}}, results([1, 2]), .5)",
        ],
    ),
    "ids that do not match": (
        "(?i)no (ranked )?query|no relevant item|share no|ids are|are int",
        [
            "assert_lag_at_most({1: {'a'}, 2: {'b'}}, {'1': ['a'], '2': ['b']}, 9.0)",
            "assert_lag_at_most({'q': {'Doc1'}}, {'q': ['doc1', 'doc2']}, 9.0)",
        ],
    ),
    "duplicates": (
        "(?i)twice|duplicate|positions? 1 and 2",
        [
            "assert_map_at_least({'q': {'1'}}, {'q': [1, '1', 'x']}, 0.9, string_provider=str)",
        ],
    ),
    # Distances given as relevance: the nearest item, at the top, has the smallest.
    "rising scores": (
        "(?i)relevance|order|higher_is_better",
        [
            "assert_auc_at_least({'q': {'a'}}, {'q': ['a', 'b', 'c']}, 0.5,"
            " relevance={'q': [0.1, 0.5, 0.9]})"
        ],
    ),
    "sides of another order": (
        "(?i)index|length|queries|2.*1",
        [
            "assert_mrr_at_least(pd.Series([1, 0, 0]),"
            " pd.Series([3.0, 2.0, 1.0], index=[2, 1, 0]), 0.1, groups=[1, 1, 1])",
            "assert_mrr_at_least([{'a'}, {'b'}], [['a', 'b']], 0.1)",
        ],
    ),
    # 119 queries are answered at once and the one that matters not at all: a mean of 0.99.
    "hidden by the mean": (
        "q120|money",
        [
            "rank_gate.check(*case([1] * 119 + [0]), at_least={'mrr': 0.9},"
            " slices={'q120': 'money'}, slice_at_least={'money': {'mrr': 0.2}})",
        ],
    ),
    "swapped arguments": (
        r"are they swapped\? Judgements come first.*allow=\{.swapped.\}",
        [
            f"{FLIPPED} assert_map_at_least(ranked, grades, 0.01)",
            f"{FLIPPED} points = {{q: {{i: 99.5 - n * 1.01 - len(q) / 7 - int(q[1:]) / 99 for n, i"
            " in enumerate(items)} for q, items in ranked.items()};"
            " rank_gate.check(points, grades, at_least={'map': 0.01})",
        ],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_data_that_would_lie_do_not_pass(name, suite):
    complaint, calls = REFUSED[name]
    refused(suite, calls, complaint)


def test_counts_of_what_was_left_out_are_told():
    judged = {"q001": {"good"}, "q002": set(), "q003": {"good"}}
    with expected_failure(match=r"MRR is 0\.250, below the 0\.900 required \(1 quer") as failure:
        assert_mrr_at_least(judged, results([4, 2]), 0.9, zero_division=math.nan, missing="skip")
    assert "1 query without a defined value" in str(failure.value)
    assert "1 judged, but no results returned" in str(failure.value)


def test_a_baseline_of_zero_is_not_met_by_ids_that_do_not_meet(suite):
    suite.write(test_it=gate_of(data='truth(30), results([2] * 30, item="Good")'))
    suite.fails(arguments=("--rank-update",))
    assert not suite.baselines()


# Queries that vanish from a mean -----------------------------------------------------------------

GATE = """
    import math
    from cases import system

    def test_it(rank_gate):
        rank_gate.check(*system(), measures="{measure}", max_drop=0.005, zero_division={settled},
            missing="zero")
"""


@pytest.mark.parametrize("settled", ["math.nan", "1.0", "0.0"])
@pytest.mark.parametrize("measure", ["auc", "lauc@5", "lag"])
def test_rankings_that_became_empty_do_not_leave_the_mean(measure, settled, suite):
    suite.write(test_it=GATE.format(measure=measure, settled=settled))
    suite.record([2] * 40)
    text = suite.fails(arguments=("--rank-strict",), now=[2] + [None] * 39)
    if settled == "0.0" and measure != "lag":  # the worst value
        assert f"{measure.upper()} fell from 0.889 to 0.022" in text
    else:
        assert "39 queries have relevant items, retrieved none of them and would" in text


def test_a_query_with_a_value_in_the_baseline_and_none_now_fails(suite):
    gate = GATE.format(measure="gauc", settled="math.nan")
    # Where a list ends behind its one relevant item, there is no pair for an AUC.
    suite.write(test_it=gate)
    suite.record([1] * 40)
    cut = "(data := system())[0], {q: r[:1] if q < 'q021' else r for q, r in data[1].items()}"
    suite.write(test_it=gate.replace("*system()", cut))
    text = suite.fails()
    assert "20 queries had a value of gauc in the baseline and none now: q001" in text
    assert 'pass allow={"undefined"} if they may be left out' in text
    new = results([2] * 10) | {"q001": ["good"]}
    options: dict[str, Any] = {"zero_division": math.nan}
    pair = truth(10), new, results([2] * 10)
    with expected_failure(match="1 query had a value of gauc in the baseline and none now: q001"):
        assert_not_worse(*pair, "gauc", **options)
    assert assert_not_worse(*pair, "gauc", allow={"undefined"}, **options).passed


@pytest.mark.parametrize("settled", [math.nan, 0.0, 1.0])
def test_missing_queries_do_not_improve_lag(settled):
    judged, ranked = case([2] * 10)
    del ranked["q003"]
    options: dict[str, Any] = {"missing": "zero", "zero_division": settled}
    with expected_failure(RankGateFailure, match="1 query has relevant items, retrieved none"):
        assert_lag_at_most(judged, ranked, 2, **options)
    allowed = assert_lag_at_most(judged, ranked, 2, allow={"undefined"}, **options)
    assert allowed.value == (1.0 if math.isnan(settled) else (9 + settled) / 10)


def test_queries_without_relevant_items_are_still_left_out():
    judged, ranked = case([2] * 10)
    judged["q003"] = set()
    assert assert_metric(judged, ranked, "gauc", at_least=0.5, zero_division=math.nan).passed
    graded = {query: {"good": 2} for query in judged} | {"q003": {"bad1": 1}}
    options: dict[str, Any] = {"zero_division": math.nan}
    assert assert_metric(graded, ranked, "lag(min_rel=2)", at_most=2, **options).passed


@pytest.mark.parametrize("measure", ["auc", "map"])
def test_a_baseline_of_queries_that_are_all_undefined_is_read_back(measure, suite):
    suite.write(
        test_it=f"""
            def test_it(rank_gate):
                truth = {{f"q{{n}}": {{"a": 0}} for n in range(12)}}
                lists = {{query: ["a", "b"] for query in truth}}
                rank_gate.check(truth, lists, max_drop={{"{measure}": 0.005}}, zero_division=1.0)
        """
    )
    suite.record()
    suite.passes()


# Data frames and candidates ----------------------------------------------------------------------

TRUTH = {"user": ["u", "v"], "item": ["a", "b"], "land": ["de", "fr"]}
NO_GRADE: Any = {"grade": None}
RUN = {"user": ["u", "u", "v", "v"], "item": ["a", "x", "y", "b"], "score": [2.0, 1.0, 2.0, 1.0]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "Polars"])
def test_frames_are_measured_and_refused_as_mappings_are(make):
    assert (
        assert_mrr_at_least(make(TRUTH), make(RUN), 0.75, columns=NO_GRADE).measures["mrr"].value
        == 0.75
    )
    with expected_failure(match=r"MRR is 0\.750, below the 0\.800 required"):
        assert_mrr_at_least(make(TRUTH), make(RUN), 0.8, columns=NO_GRADE)
    with expected_failure(match=r"1 ranked queries have no judgements|no judgement"):
        assert_mrr_at_least(make({**TRUTH, "user": ["u", "u"]}), make(RUN), 0.1, columns=NO_GRADE)
    with expected_failure(QueryMismatchError, match=r"1 of 2 judged queries have no ranking"):
        short = {name: values[:2] for name, values in RUN.items()}
        assert_mrr_at_least(make(TRUTH), make(short), 0.1, columns=NO_GRADE)
    with expected_failure(QueryMismatchError, match="have no query in common"):
        assert_mrr_at_least(make(TRUTH), make({name: [] for name in RUN}), 0.1, columns=NO_GRADE)


def test_columns_are_named_and_make_slices(rank_gate):
    judged = pd.DataFrame({"kunde": ["u"], "film": ["a"]})
    run = pd.DataFrame({"kunde": ["u", "u"], "film": ["x", "a"]})
    columns = {"query": "kunde", "item": "film"}
    result = rank_gate.check(judged, run, at_least={"mrr": 0.5}, columns=columns, name="columns")
    assert result.measures["mrr"].value == 0.5
    with expected_failure(ColumnRoleError, match="no column for the role 'query'"):
        assert_mrr_at_least(judged, run, 0.5)
    limits: dict[str, Any] = {"slices": "land", "slice_at_least": {"de": {"mrr": 1.0}}}
    frames = pd.DataFrame(TRUTH), pd.DataFrame(RUN)
    result = rank_gate.check(*frames, at_least={"mrr": 0.5}, **limits)
    assert {part.label: part.value for part in result.slices} == {"de": 1.0, "fr": 0.5}
