"""Insides of other code: frames on the stack and private names, each with its reason.

All of it is here, and only read. Where another version names things differently, nothing is found:
a warning, a hint or a speed-up is missing, and every value is the same.
tests/house/test_insides.py changes each inside.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from importlib.util import find_spec
from types import FrameType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

# Frames -------------------------------------------------------------------------------------------


def level_of_caller() -> int:
    """``stacklevel`` of the first frame outside of the package, seen from the caller of this.

    The line that a warning names has to be the user's. Python 3.12 can skip the files of a package
    (``skip_file_prefixes``); 3.11 cannot.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None:
        module = frame.f_globals.get("__name__", "")
        if module != "sklearn_rank" and not module.startswith("sklearn_rank."):
            break
        level, frame = level + 1, frame.f_back
    return level


def no_attribute(module: str, name: str, hint: Callable[[str], str]) -> Exception:
    """The error of a package, called by its ``__getattr__``, for a name that it does not have.

    ``from module import name`` replaces the message of an AttributeError, so that a hint has to be
    in an ImportError; ``module.name`` needs the AttributeError. Nothing public tells them apart.
    """
    told = "" if name.startswith("_") or find_spec(f"{module}.{name}") else hint(name)
    msg = f"module {module!r} has no attribute {name!r}{told}"
    is_from_import = told and sys._getframe(2).f_code.co_name == "_handle_fromlist"
    return ImportError(msg) if is_from_import else AttributeError(msg)


def _frames(libraries: Collection[str]) -> Iterator[FrameType]:
    """Frames of some libraries' functions above us, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in libraries:
            yield frame
        frame = frame.f_back


# scikit-learn -------------------------------------------------------------------------------------


def scorer_class() -> Any:
    """The class of scikit-learn's scorers; ``object`` if it is unavailable.

    It shares predictions between the scorers of a multimetric search only if they are instances of
    this class, which has no public name.
    """
    from sklearn.metrics import make_scorer

    try:
        found = type(make_scorer(max))
        found(max, 1, {}, "predict")
    except Exception:
        return object
    return found


# Searches: loops over folds -----------------------------------------------------------------------
# A scorer is handed the test rows of one fold and nothing else. Only its callers know its risks: a
# split that cuts queries, a step that drops the query ids.

_SEARCHES = frozenset(
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


def is_running() -> bool:
    """Whether one of these libraries is calling."""
    return any(True for _ in _frames(_SEARCHES))


def current_fold(passed_as: str, X: object, n_rows: int) -> Fold | None:
    """The innermost split that is scored, else the data from which the scored rows come."""
    for frame in _frames(_SEARCHES):
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
    for frame in _frames(_SEARCHES):
        local = frame.f_locals
        if local.get("X") is not None and length(local["X"]) > n_rows:
            return Fold(local["X"], local.get("y"))
    return None


def values_above(name: str) -> Iterator[Any]:
    """Values of a local variable or keyword with this name in library frames, if not None.

    Query ids and the eval_set of a fitting search reach an estimator cut to a fold, or not at all;
    frames above hold them whole.
    """
    for frame in _frames(_SEARCHES):
        local = frame.f_locals
        for values in (local, local.get("params"), local.get("fit_params")):
            value = values.get(name) if values is not None and hasattr(values, "get") else None
            if value is not None:
                yield value


def step_that_changes_x(estimator: object, name: str) -> str | None:
    """A step before this estimator in a running pipeline that changes X but not ``name``.

    An estimator does not know the pipeline that it is in, nor does a public hook tell it.
    """
    for frame in _frames(_SEARCHES):
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
_SEARCH_NOTES: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()
_MADE_ANEW = ("parallel", "cloned_estimator", "rfe", "objective")


def notes_of_search() -> dict[Any, Any]:
    """Notes of the outermost call that differs from the next one; else new ones.

    A search scores each candidate in each fold, and no object that it passes on is the search.
    """
    for frame in reversed(list(_frames(_SEARCHES))):
        local = frame.f_locals
        is_parallel = frame.f_globals.get("__name__") == "sklearn.utils.parallel"
        for name in (*_MADE_ANEW, *(("self",) if is_parallel else ())):
            if local.get(name) is not None:
                return _SEARCH_NOTES.setdefault(local[name], {})
    return {}


# XGBoost ------------------------------------------------------------------------------------------


def callbacks_of_xgboost() -> Any:
    """The callbacks of the training that asks for a metric; nothing if there is none.

    Its early stopping guesses from a metric's name whether higher is better, and tells a metric
    nothing of itself. Only the frame of CallbackContainer leads to it.
    """
    for frame in _frames({"xgboost"}):
        callbacks = getattr(frame.f_locals.get("self"), "callbacks", ())
        if frame.f_globals.get("__name__") == "xgboost.callback" and callbacks:
            return callbacks
    return ()
