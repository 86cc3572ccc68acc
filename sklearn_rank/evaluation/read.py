"""The door to all inputs: frames, which may be lazy, go by way of the engines, and nothing else."""

from __future__ import annotations

from typing import Any

from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.layouts import read_in_memory
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.text import safe_repr


def read(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings of any layout, or an error that says what is wrong with it."""
    options.check()
    if options.engine is None and not is_frame(y_true) and not is_frame(y_score):
        return read_in_memory(y_true, y_score, options)
    from sklearn_rank.engines.read import EngineOptions, read_frames

    if not isinstance(options.engine, EngineOptions | None):
        msg = f"engine must be EngineOptions or None, got {safe_repr(options.engine)}"
        raise TypeError(msg)
    return read_frames(y_true, y_score, options)
