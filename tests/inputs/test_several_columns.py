"""Several columns that may hold one role: the message says which frame has them."""

from __future__ import annotations

import polars as pl
import pytest

from sklearn_rank import ColumnRoleError, evaluate

TRUTH = {"query": ["a"], "item": ["x"], "grade": [1]}
RUN = {"query": ["a"], "item": ["x"], "score": [1.0]}


@pytest.mark.parametrize("frame", [pl.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize(("side", "column"), [("y_true", "Grade"), ("y_score", "Score")])
def test_the_frame_is_named(frame, side, column):
    sides = {"y_true": TRUTH, "y_score": RUN}
    sides[side] = {**sides[side], column: [2]}
    message = f"^{side} has several columns for the role '{column.lower()}'"
    with pytest.raises(ColumnRoleError, match=message):
        evaluate(frame(sides["y_true"]), frame(sides["y_score"]), "map")
