"""What stands above a scorer on the stack: a library's loop over folds.

A scorer is handed the test rows of one fold and nothing else. What it has to guard against only
its callers know: that an exception will be swallowed, that the split cuts queries, that a step
dropped the query ids. These are read from the frames of functions of scikit-learn and of libraries
around it; where a version names things differently, nothing is found and nothing happens.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple

from sklearn_rank.exceptions import RankingConfigError

_LIBRARIES = frozenset(
    {"sklearn", "dask_ml", "feature_engine", "imblearn", "mlxtend", "optuna_integration"}
)
"""Libraries whose loops call scorers and estimators."""

_SWALLOWING = {
    ("sklearn.model_selection._validation", "_score"),
    ("dask_ml.model_selection.methods", "score"),
}
"""Functions that turn an exception of a scorer into NaN, and use its result later on."""


class Raises:
    """Stands for a score; raises the error where a library unwraps it.

    ``model_selection`` turns an exception of a scorer into NaN, with which a search succeeds and
    picks the first candidate. It calls ``.item()`` on a scorer's result outside of that net, in
    the place where it refuses results that are no numbers; dask-ml makes a float array of them.
    """

    def __init__(self, error: RankingConfigError) -> None:
        self.error = error

    def item(self, *_: Any) -> Any:
        """Raise the error in place of the number."""
        raise self.error

    def _still(self, *_: Any) -> Raises:
        return self

    # A user's scorer may compute with the scores of ours: what comes out still raises. Where a
    # number is needed before that, the error is at least the one that is shown.
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _still
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = _still
    __float__ = __int__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __format__ = item


class Fold(NamedTuple):
    """The split that a score is computed for, with all rows of the data."""

    X: Any
    y: Any
    groups: Any
    """Query ids of all rows, if they are passed as metadata."""
    train: Any
    test: Any
    rows: Any
    """Those of ``train`` and ``test`` that are being scored, if that can be told."""
    permutes_y: bool
    """Whether ``permutation_test_score`` moves y."""
    shuffles_y: bool
    """Whether it moves y across queries."""


class Sample(NamedTuple):
    """Rows that a tool has drawn, and what it drew them from."""

    X: Any
    y: Any
    argument: str
    """What told it to, as the user wrote it."""


def is_swallowed() -> bool:
    """Whether an exception would end as NaN."""
    return any(
        (frame.f_globals.get("__name__"), frame.f_code.co_name) in _SWALLOWING
        for frame in _frames_of_libraries()
    )


def current_fold(passed_as: str, X: Any = None) -> Fold | None:
    """The innermost loop over folds that is running, if any.

    ``passed_as`` is the name under which query ids are passed as metadata, ``X`` the rows that are
    scored.
    """
    for frame in _frames_of_libraries():
        known = frame.f_locals
        if all(name in known for name in ("X", "y", "train", "test")):
            permutes = frame.f_code.co_name == "_permutation_test_score"
            within = (known.get("split_params") or {}).get("groups") is not None
            parts = [part for part in ("test", "train") if X is known.get(f"X_{part}", _NOTHING)]
            return Fold(
                known["X"],
                known["y"],
                _all_groups(known, passed_as),
                known["train"],
                known["test"],
                known[parts[0]] if parts else None,
                permutes,
                permutes and not within,
            )
    return None


_NOTHING = object()


def current_sample() -> Sample | None:
    """The innermost tool that scores only some of its rows, drawn one by one, if any."""
    for frame in _frames_of_libraries():
        known, name = frame.f_locals, frame.f_code.co_name
        drawn = known.get("max_samples")
        if name == "_calculate_permutation_scores" and drawn is not None:
            if drawn < length(known["X"]):
                return Sample(known["X"], None, f"max_samples={drawn!r}")
            return None
        if "X_res" in known and length(known["X_res"]) < length(known.get("X", ())):
            drawn = getattr(known.get("self"), "subsample", None)
            return Sample(known["X"], known.get("y"), f"subsample={drawn!r}")
    return None


def callers_with(name: str) -> Iterator[Any]:
    """Values of a local variable or keyword of that name in the libraries' frames, if not None."""
    for frame in _frames_of_libraries():
        known = frame.f_locals
        keywords = (known.get("params"), known.get("fit_params"))
        for values in (known, *(given for given in keywords if isinstance(given, Mapping))):
            if values.get(name) is not None:
                yield values[name]


def is_called_by(module: str) -> bool:
    """Whether a function of this module is among the callers."""
    return any(frame.f_globals.get("__name__") == module for frame in _frames_of_libraries())


# What a search remembers -------------------------------------------------------------------------

_NOTES = "__sklearn_rank_notes__"
_NOTES_OF_WORKER: dict[Any, Any] = {}


def notes_of_search() -> dict[Any, Any] | None:
    """Notes that live as long as the outermost call into a library; None outside of any.

    They hang on the frame of that call, so that they end with it: a second search, perhaps over
    the same data with other values in them, starts anew.
    """
    frames = _frames_of_libraries()
    if not frames:
        return None
    notes: dict[Any, Any] = frames[-1].f_locals.setdefault(_NOTES, {})
    return notes


def notes_of_warnings() -> dict[Any, Any] | None:
    """The same for warnings; a worker process keeps its notes, since it sees each task alone."""
    if multiprocessing.parent_process() is not None:
        return _NOTES_OF_WORKER
    return notes_of_search()


# Frames ------------------------------------------------------------------------------------------


def _all_groups(known: Mapping[str, Any], passed_as: str) -> Any:
    """Query ids of all rows, where the function has not yet cut them to the fold."""
    routed = known.get("routed_params") or {}
    for metadata in (known.get("score_params"), routed.get("scorer", {}).get("score")):
        if not isinstance(metadata, Mapping):
            continue
        # A single scorer gets its own names, several get those that the user passed.
        groups = metadata.get("groups", metadata.get(passed_as))
        if groups is not None and length(groups) == length(known["X"]):
            return groups
    return None


def length(rows: Any) -> int:
    """Number of rows."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def _frames_of_libraries() -> list[FrameType]:
    """Frames of the libraries' functions above us, the innermost first."""
    frames = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _LIBRARIES:
            frames.append(frame)
        frame = frame.f_back
    return frames
