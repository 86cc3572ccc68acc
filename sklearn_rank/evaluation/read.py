"""The door to all inputs: frames of Spark go to their reader, and all else is read in memory."""

from __future__ import annotations

from typing import Any

from sklearn_rank.inputs.frames import is_spark
from sklearn_rank.inputs.layouts import read_in_memory
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.rankings.data import RankingData


def read(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings of any layout, or an error."""
    options.check()
    if is_spark(y_true) or is_spark(y_score):
        from sklearn_rank.engines.spark import read_spark

        return read_spark(y_true, y_score, options)
    return read_in_memory(y_true, y_score, options)
