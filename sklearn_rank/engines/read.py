"""The door to all inputs: lazy frames go to their engine, all else to the readers of memory."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Unpack

from sklearn_rank.engines.problem import EngineOptions, Problem, engine_of, without_wrapper
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.layouts import ReaderOptions, check_told, read_rankings
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.text import safe_repr


def read_any(
    y_true: Any,
    y_score: Any,
    *,
    columns: Mapping[str, str | None] | None = None,
    known_items: Any = None,
    owner: str = "evaluate",
    engine: EngineOptions | None = None,
    **told: Unpack[ReaderOptions],
) -> RankingData:
    """Read any layout, lazy or not, into judged rankings, or say what is wrong with it."""
    if engine is not None and not isinstance(engine, EngineOptions):
        msg = f"engine must be EngineOptions or None, got {safe_repr(engine)}"
        raise TypeError(msg)
    y_true, y_score = without_wrapper(y_true), without_wrapper(y_score)
    truth_engine, run_engine = engine_of(y_true), engine_of(y_score)
    used = run_engine or truth_engine
    pairs = all(isinstance(values, Mapping) or is_frame(values) for values in (y_true, y_score))
    if used is None or not pairs:
        return read_rankings(
            y_true, y_score, columns=columns, known_items=known_items, owner=owner, **told
        )
    if truth_engine is not None and run_engine is not None and truth_engine is not run_engine:
        msg = (
            f"y_true is a lazy frame of {truth_engine.title}, y_score one of {run_engine.title}; "
            "pass both to one engine, or collect the smaller one"
        )
        raise TypeError(msg)
    check_told(owner, **told)
    problem = Problem(y_true, y_score, columns, told, known_items, engine or EngineOptions())
    judged: RankingData = import_module(used.module).read(problem)
    return judged
