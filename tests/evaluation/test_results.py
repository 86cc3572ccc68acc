"""Queries with and without results: ``zero_results`` and ``false_answers``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pytest_rankmetrics import assert_metric, assert_not_worse, expected_failure
from sklearn_rank import CONVENTIONS, cli, compare, evaluate

TRUTH: dict[str, Any] = {"a": {"x": 1}, "b": {"y": 2}, "c": {}, "d": {"z": 0}, "e": {}}
OLD = {"a": ["x"], "b": [], "c": ["x"], "d": [], "e": []}
NEW = {"a": [], "b": [], "c": ["x"], "d": ["z"], "e": []}
NAMES = ("zero_results", "false_answers")


def test_values_by_hand() -> None:
    """b, d and e of five have no results; c of c, d, e has some."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # queries with relevant items are no undefined ones
        found = evaluate(TRUTH, OLD, NAMES)
    assert found.scores == {"zero_results": 3 / 5, "false_answers": 1 / 3}
    np.testing.assert_array_equal(found.per_query["zero_results"], [0, 1, 0, 1, 1])
    np.testing.assert_array_equal(found.per_query["false_answers"], [np.nan, np.nan, 1, 0, 0])


def test_a_missing_query_has_no_results() -> None:
    assert evaluate(TRUTH, {"a": ["x"]}, NAMES).scores == {
        "zero_results": 4 / 5,
        "false_answers": 0.0,
    }


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_has_them(convention: str) -> None:
    given: Any = {"missing": "zero", "zero_division": 0.0}
    found = evaluate(TRUTH, OLD, NAMES, convention=convention, **given)
    assert found.scores == {"zero_results": 3 / 5, "false_answers": 1 / 3}


def test_slices_and_comparison() -> None:
    labels = {"a": "s", "b": "s", "c": "t", "d": "t", "e": "t"}
    parts = evaluate(TRUTH, NEW, NAMES).by_slice(labels)
    assert parts["t"].scores == {"zero_results": 1 / 3, "false_answers": 2 / 3}
    assert parts["s"]["zero_results"] == 1.0
    pair = compare({"old": evaluate(TRUTH, OLD, NAMES), "new": evaluate(TRUTH, NEW, NAMES)})
    changes = [pair[name].change for name in NAMES]
    assert changes == pytest.approx([0.0, 1 / 3])


def test_gates() -> None:
    assert assert_metric(TRUTH, OLD, "zero_results", at_most=0.6).passed
    worse = {**NEW, "a": ["x"]}
    with expected_failure(match=r"^FalseAnswers is 0\.667, above the 0\.400"):
        assert_metric(TRUTH, worse, "false_answers", at_most=0.4)
    with expected_failure(match=r"^FalseAnswers "):
        assert_not_worse(TRUTH, worse, OLD, NAMES, max_drop=0.1, hard_drop=0.2)


def test_frames_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty ranking has no row there: the query is missing, which counts as no results."""
    qrels = pl.DataFrame(
        {"query_id": ["a", "b", "c"], "doc_id": ["x", "y", "z"], "grade": [1, 1, 0]}
    )
    run = pl.DataFrame({"query_id": ["a", "c"], "doc_id": ["x", "x"], "score": [1.0, 1.0]})
    assert evaluate(qrels, run, NAMES).scores == {"zero_results": 1 / 3, "false_answers": 1.0}
    qrels.write_csv(tmp_path / "qrels.csv")
    run.write_csv(tmp_path / "run.csv")
    files = [str(tmp_path / "qrels.csv"), str(tmp_path / "run.csv")]
    assert cli.main(["evaluate", *files, "-m", "zero_results", "--format", "csv"]) == 0
    assert "zero_results,0.3333333333333333" in capsys.readouterr().out
