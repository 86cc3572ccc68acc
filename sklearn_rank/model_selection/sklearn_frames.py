"""What stands above a scorer on the stack: scikit-learn's loop over folds.

A scorer is handed the test rows of one fold and nothing else. Two things that it must not let pass
are only known to its callers: that an exception will be swallowed, and that the fold was cut
through queries. Both are read from the frames of scikit-learn's functions; where a version has
other names, nothing is found and nothing happens.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple

from sklearn_rank.exceptions import RankingConfigError


class Raises:
    """Stands for a score; raises the error where scikit-learn unwraps it.

    ``model_selection`` turns an exception of a scorer into NaN, with which a search succeeds and
    picks the first candidate. It calls ``.item()`` on a scorer's result outside of that net, in
    the place where it refuses results that are no numbers.
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
    shuffles_y: bool
    """Whether ``permutation_test_score`` moves y across queries."""


def is_swallowed() -> bool:
    """Whether an exception would end as NaN: model_selection's ``_score`` is among the callers."""
    return any(
        frame.f_code.co_name == "_score"
        and frame.f_globals.get("__name__") == "sklearn.model_selection._validation"
        for frame in _callers()
    )


def current_fold(passed_as: str) -> Fold | None:
    """The innermost loop over folds that is running, if any.

    ``passed_as`` is the name under which query ids are passed as metadata.
    """
    for frame in _callers():
        if not str(frame.f_globals.get("__name__")).startswith("sklearn."):
            continue
        known = frame.f_locals
        if {"X", "y", "train", "test"} <= known.keys():
            permutes = frame.f_code.co_name == "_permutation_test_score"
            within = (known.get("split_params") or {}).get("groups") is not None
            return Fold(
                known["X"],
                known["y"],
                _all_groups(known, passed_as),
                known["train"],
                known["test"],
                permutes and not within,
            )
    return None


def _all_groups(known: Mapping[str, Any], passed_as: str) -> Any:
    """Query ids of all rows, where the function has not yet cut them to the fold."""
    routed = known.get("routed_params") or {}
    for metadata in (known.get("score_params"), routed.get("scorer", {}).get("score")):
        if not isinstance(metadata, Mapping):
            continue
        # One scorer is handed its own names, several the names that the user passed.
        groups = metadata.get("groups", metadata.get(passed_as))
        if groups is not None and _length(groups) == _length(known["X"]):
            return groups
    return None


def _length(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def _callers() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back
