"""Gates read data frames and candidates, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pytest_rankmetrics import (
    RankGate,
    RankGateFailure,
    assert_metric,
    assert_mrr_at_least,
    expected_failure,
)
from sklearn_rank import ColumnRoleError, QueryMismatchError

TRUTH = {"user": ["u", "v"], "item": ["a", "b"], "land": ["de", "fr"]}
RUN = {"user": ["u", "u", "v", "v"], "item": ["a", "x", "y", "b"], "score": [2.0, 1.0, 2.0, 1.0]}
LIBRARIES = {"pandas": pd.DataFrame, "Polars": pl.DataFrame}
every_library = pytest.mark.parametrize("library", LIBRARIES)


@every_library
def test_frames_are_measured_as_mappings_are(library: str) -> None:
    make = LIBRARIES[library]
    assert assert_mrr_at_least(make(TRUTH), make(RUN), 0.75).metrics["mrr"].value == 0.75
    with expected_failure(match=r"mrr 0\.7500 < 0\.8000 required"):
        assert_mrr_at_least(make(TRUTH), make(RUN), 0.8)


@every_library
def test_what_frames_leave_out_is_refused(library: str) -> None:
    make = LIBRARIES[library]
    with expected_failure(match=r"1 ranked queries have no judgements|no judgement"):
        assert_mrr_at_least(make({**TRUTH, "user": ["u", "u"]}), make(RUN), 0.1)
    with expected_failure(QueryMismatchError, match=r"1 of 2 judged queries have no ranking"):
        short = {name: values[:2] for name, values in RUN.items()}
        assert_mrr_at_least(make(TRUTH), make(short), 0.1)
    with expected_failure(match=r"0 queries \(y_score is empty\)"):
        assert_mrr_at_least(make(TRUTH), make({name: [] for name in RUN}), 0.1)


def test_columns_are_named(rank_gate: RankGate) -> None:
    truth = pd.DataFrame({"kunde": ["u"], "film": ["a"]})
    run = pd.DataFrame({"kunde": ["u", "u"], "film": ["x", "a"]})
    columns = {"query": "kunde", "item": "film"}
    result = rank_gate.check(truth, run, at_least={"mrr": 0.5}, columns=columns)
    assert result.metrics["mrr"].value == 0.5
    with expected_failure(ColumnRoleError, match="no column for the role 'query'"):
        assert_mrr_at_least(truth, run, 0.5)


def test_a_column_makes_slices(rank_gate: RankGate) -> None:
    result = rank_gate.check(
        pd.DataFrame(TRUTH),
        pd.DataFrame(RUN),
        at_least={"mrr": 0.5},
        slices="land",
        slice_at_least={"de": {"mrr": 1.0}},
    )
    assert {part.label: part.value for part in result.slices} == {"de": 1.0, "fr": 0.5}


def test_candidates_are_passed_on() -> None:
    grades, scores = np.array([[1, 0, 0]]), np.array([[0.5, 0.9, 0.8]])
    cells = np.array([[True, False, True]])
    assert assert_metric(grades, scores, "mrr", at_least=0.5, candidates=cells).passed
    with expected_failure(RankGateFailure):
        assert_mrr_at_least(grades, scores, 0.5)


def test_nothing_retrieved_is_one_failure_and_no_warning() -> None:
    truth: dict[str, Any] = {f"q{n}": {"D1"} for n in range(12)}
    with expected_failure(match="no relevant item was retrieved"):
        assert_mrr_at_least(truth, {query: ["d1"] for query in truth}, 0.1)
