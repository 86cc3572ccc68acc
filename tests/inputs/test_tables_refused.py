"""What is said of files, runs and frames that stand where something else belongs."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from sklearn_rank import Qrels, Run, evaluate, mean_average_precision_score

QRELS = Qrels.from_columns(["q"], ["a"], grades=[1])
RUN = Run.from_columns(["q"], ["a"], scores=[0.5])


@pytest.mark.parametrize("measure", [evaluate, mean_average_precision_score])
def test_a_run_is_no_ground_truth(measure) -> None:
    for second in (QRELS, RUN, {"q": ["a"]}):
        with pytest.raises(
            TypeError, match=r"y_true is a Run, which holds rankings; .* evaluate\(qrels, run\)$"
        ):
            measure(RUN, second)
    assert evaluate(QRELS, QRELS, "map")["map"] == 1.0  # the best of all rankings


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        ("dev.qrels", "bm25.run", r"y_true is a str; files are read first: evaluate\(read_qrels"),
        (Path("dev.qrels"), Path("bm25.run"), "y_true is a PosixPath; files are read first"),
        (QRELS, "bm25.run", "y_score is a str; files are read first"),
        ("dev.qrels", RUN, "y_true is a str; files are read first"),
    ],
)
def test_names_of_files_are_no_files(y_true, y_score, message) -> None:
    with pytest.raises(TypeError, match=message.replace("PosixPath", type(Path()).__name__)):
        evaluate(y_true, y_score, "map")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("side", ["y_true", "y_score"])
def test_floats_among_ids_come_of_missing_values(frame, side) -> None:
    columns = {"query": [1], "item": [7]}
    floats = {**columns, "item": [7.0]}
    truth, ranked = (floats, columns) if side == "y_true" else (columns, floats)
    with pytest.raises(TypeError, match=f"items of {side} are float.*astype"):
        evaluate(frame(truth), frame(ranked), "map")
    assert evaluate(frame(floats), frame(floats), "map")["map"] == 1.0


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"scores": [1.0]}, r"scores has the shape \(1,\), and there are 2 rows of queries"),
        ({"ranks": [1, 2, 3]}, r"ranks has the shape \(3,\), and there are 2 rows"),
        ({"scores": [[1.0], [2.0]]}, r"scores has the shape \(2, 1\)"),
    ],
)
def test_columns_of_other_lengths(numbers, message) -> None:
    with pytest.raises(ValueError, match=message):
        Run.from_columns(["q", "q"], ["a", "b"], **numbers)


def test_columns_that_hold_no_numbers() -> None:
    with pytest.raises(TypeError, match="scores holds strings; pass numbers"):
        Run.from_columns(["q", "q"], ["a", "b"], scores=["1", "2"])
    with pytest.raises(ValueError, match=r"grades has the shape \(1,\)"):
        Qrels.from_columns(["q", "q"], ["a", "b"], grades=[1])
