"""The caller of a scorer on the stack: a library's loop over folds, which is read, never written.

A scorer is handed the test rows of one fold and nothing else. Only its callers know its risks: a
split that cuts queries, a step that drops the query ids. Where a version names things differently,
nothing is found and nothing happens.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sklearn_rank.support.runtime import warn

_LIBRARIES = frozenset(
    {"sklearn", "dask_ml", "feature_engine", "imblearn", "mlxtend", "optuna_integration"}
)


class Fold(NamedTuple):
    """All rows of the data, some of which are scored."""

    X: Any
    y: Any
    groups: Any = None
    """Query ids of all rows, if they are passed as metadata."""
    train: Any = None
    """Rows of the split; None if a tool draws rows to score."""
    test: Any = None
    scored: Any = None
    """Scored rows, ``train`` or ``test``, if that can be determined."""
    permutes_y: bool = False
    shuffles_y: bool = False
    """Whether ``permutation_test_score`` moves y across queries."""


def _frames() -> Iterator[FrameType]:
    """Frames of the libraries' functions above us, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES:
            yield frame
        frame = frame.f_back


def is_running() -> bool:
    """Whether a library calls."""
    return any(True for _ in _frames())


def current_fold(passed_as: str, X: object, n_rows: int) -> Fold | None:
    """The innermost split that is scored, else the data from which the scored rows come."""
    for frame in _frames():
        local = frame.f_locals
        if not all(name in local for name in ("X", "y", "train", "test")):
            continue
        parts = [
            part for part in ("test", "train") if X is not None and X is local.get(f"X_{part}")
        ]
        if not parts and length(local["test"]) != n_rows:
            return None
        groups = None
        routed = (local.get("routed_params") or {}).get("scorer", {}).get("score")
        for metadata in filter(None, (local.get("score_params"), routed)):
            # A single scorer keeps its names, several get those that the user passed; a function
            # further down has cut them to the fold.
            given = metadata.get("groups", metadata.get(passed_as))
            if groups is None and given is not None and length(given) == length(local["X"]):
                groups = given
        permutes = frame.f_code.co_name == "_permutation_test_score"
        shuffles = permutes and (local.get("split_params") or {}).get("groups") is None
        split = (local["train"], local["test"], local[parts[0]] if parts else None)
        return Fold(local["X"], local["y"], groups, *split, permutes, shuffles)
    return drawn_from(n_rows)


def drawn_from(n_rows: int) -> Fold | None:
    """The innermost data with more rows than these, if any."""
    for frame in _frames():
        local = frame.f_locals
        if local.get("X") is not None and length(local["X"]) > n_rows:
            return Fold(local["X"], local.get("y"))
    return None


def values_above(name: str) -> Iterator[Any]:
    """Values of a local variable or keyword with this name in library frames, if not None."""
    for frame in _frames():
        local = frame.f_locals
        for values in (local, local.get("params"), local.get("fit_params")):
            value = values.get(name) if values is not None and hasattr(values, "get") else None
            if value is not None:
                yield value


def step_that_changes_x(estimator: object, name: str) -> str | None:
    """A step before this estimator in a running pipeline that changes X but not ``name``."""
    for frame in _frames():
        pipeline: Any = frame.f_locals.get("self")
        if hasattr(pipeline, "transform_input") and pipeline.steps[-1][1] is estimator:
            estimator = pipeline
            changing = [
                step for step in pipeline.steps[:-1] if step[1] not in (None, "passthrough")
            ]
            if changing and name not in (pipeline.transform_input or ()):
                return str(changing[-1][0])
    return None


def length(rows: Any) -> int:
    """Number of rows."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


# What a search remembers lives as long as an object that each call of it makes anew.
_NOTES: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
_MADE_ANEW = ("parallel", "cloned_estimator", "rfe", "objective")
_WARNED_BY_WORKER: set[Any] = set()
"""A worker process sees each task alone, and warns once of all."""


def notes_of_search() -> dict[Any, Any]:
    """Notes of the outermost call that differs from the next one; else new ones."""
    for frame in reversed(list(_frames())):
        local = frame.f_locals
        is_parallel = frame.f_globals.get("__name__") == "sklearn.utils.parallel"
        for name in (*_MADE_ANEW, *(("self",) if is_parallel else ())):
            if local.get(name) is not None:
                return _NOTES.setdefault(local[name], {})
    return {}


def warn_once(message: str, category: type[Warning], key: object = None) -> None:
    """Warn once in a search; scikit-learn resets Python's memory of warnings with every fold."""
    is_worker = multiprocessing.parent_process() is not None
    warned = _WARNED_BY_WORKER if is_worker else notes_of_search().setdefault("warned", set())
    if (category, key) not in warned:
        # Noted afterwards: a warning that a filter makes an error is one in each fold.
        warn(message, category)
        warned.add((category, key))
