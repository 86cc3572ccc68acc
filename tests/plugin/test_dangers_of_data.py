"""Dangers of data: missing queries, NaN, ids that do not match, duplicates, order, leaks."""

import math
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
from tests.plugin.one_gate import gate_of


def test_counts_of_what_was_left_out_are_told():
    judged = {"q001": {"good"}, "q002": set(), "q003": {"good"}}
    with expected_failure(match=r"MRR is 0\.250, below the 0\.900 required \(1 quer") as failure:
        assert_mrr_at_least(judged, results([4, 2]), 0.9, zero_division=math.nan, missing="skip")
    assert "1 query without a defined value" in " ".join(str(failure.value).split())
    assert "1 judged, but no results returned" in " ".join(str(failure.value).split())


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
    assert "20 queries had a value of gauc in the baseline but none now: q001" in text
    assert 'pass allow={"undefined"} if they may be left out' in text
    new = results([2] * 10) | {"q001": ["good"]}
    options: dict[str, Any] = {"zero_division": math.nan}
    pair = truth(10), new, results([2] * 10)
    with expected_failure(match="1 query had a value of gauc in the baseline but none now: q001"):
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
