"""Numbers beside the ids whose column has no known name are asked about, not passed over."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import evaluate, mean_reciprocal_rank_score
from sklearn_rank.exceptions import ColumnRoleError

TRUTH = {"user": ["u", "u"], "item": ["a", "b"], "grade": [0, 1]}
RANKED = {"user": ["u", "u"], "item": ["a", "b"], "predicted score": [0.1, 0.9]}

FRAMES = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])


@FRAMES
def test_scores_of_an_unknown_name_are_not_replaced_by_the_order_of_the_rows(frame) -> None:
    with pytest.raises(
        ColumnRoleError,
        match=r"y_score has no column for the role 'score' or 'rank', but 'predicted score' holds "
        r"numbers.*columns=\{'score': 'predicted score'\}.*leave .* out",
    ):
        evaluate(frame(TRUTH), frame(RANKED), "mrr")
    ev = evaluate(frame(TRUTH), frame(RANKED), "mrr", columns={"score": "predicted score"})
    assert ev["mrr"] == 1.0


@FRAMES
@pytest.mark.parametrize("clicked", [[0, 1], [0.0, 1.0], [False, True]])
def test_grades_of_an_unknown_name_do_not_make_every_row_relevant(frame, clicked) -> None:
    truth = {"user": ["u", "u"], "item": ["a", "b"], "clicked": clicked}
    with pytest.raises(ColumnRoleError, match=r"y_true has no .*'grade', but 'clicked' holds"):
        evaluate(frame(truth), {"u": ["a", "b"]}, "mrr")
    named = evaluate(frame(truth), {"u": ["a", "b"]}, "mrr", columns={"grade": "clicked"})
    assert named["mrr"] == 1 / 2


def test_a_number_of_each_query_alone_may_be_its_grade() -> None:
    truth = pd.DataFrame({"user": ["u", "v"], "item": ["a", "b"], "stars": [1, 4]})
    with pytest.raises(ColumnRoleError, match=r"y_true has no .*'grade', but 'stars' holds"):
        evaluate(truth, {"u": ["a"], "v": ["b"]}, "mrr")
    equal = truth.assign(stars=3)
    assert evaluate(equal, {"u": ["a"], "v": ["b"]}, "mrr")["mrr"] == 1.0


@FRAMES
def test_a_number_of_each_query_is_a_label_of_it(frame) -> None:
    truth = {"user": ["u", "u", "v"], "item": ["a", "b", "a"], "age": [30, 30, 41]}
    ranked = {"u": ["x", "a"], "v": ["a"]}
    ev = evaluate(frame(truth), ranked, "mrr")
    assert {age: part["mrr"] for age, part in ev.by_slice("age").items()} == {30: 0.5, 41: 1.0}


def test_text_and_times_are_no_numbers() -> None:
    times = pd.to_datetime(["2024-01-01", "2024-01-02"])
    truth = pd.DataFrame({"user": ["u", "u"], "item": ["a", "b"], "at": times, "why": ["x", "y"]})
    assert evaluate(truth, {"u": ["x", "a"]}, "mrr")["mrr"] == 1 / 2


def test_other_numbers_beside_scores_are_left_alone() -> None:
    ranked = pd.DataFrame({**RANKED, "rank": [2, 1]})
    assert evaluate(pd.DataFrame(TRUTH), ranked, "mrr")["mrr"] == 1.0


def test_metric_functions_are_told_to_rename() -> None:
    films = pd.DataFrame(TRUTH).rename(columns={"item": "film"})
    with pytest.raises(
        ColumnRoleError, match=r"metric functions take no columns=, there rename it"
    ):
        mean_reciprocal_rank_score(films, pd.DataFrame(TRUTH))


@pytest.mark.parametrize("frame", [pl.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize(("side", "column"), [("y_true", "Grade"), ("y_score", "Score")])
def test_the_frame_is_named(frame, side, column):
    sides = {"y_true": TRUTH, "y_score": {**TRUTH, "score": [1.0, 2.0]}}
    sides[side] = {**sides[side], column: [2, 2]}
    message = f"^{side} has several columns for the role '{column.lower()}'"
    with pytest.raises(ColumnRoleError, match=message):
        evaluate(frame(sides["y_true"]), frame(sides["y_score"]), "map")
