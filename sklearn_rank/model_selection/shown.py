"""Which queries a ranker was fitted on, for as long as it lives in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

# Beside the ranker and not in it: query ids may be what users typed, which a stored model must not
# hold. A ranker that came from another process has no entry and is not checked.
_SHOWN: WeakKeyDictionary[Any, Mapping[Any, int]] = WeakKeyDictionary()


def remember_sizes(ranker: Any, sizes: Mapping[Any, int]) -> None:
    """Note the number of rows of each query that a ranker was fitted on."""
    _SHOWN[ranker] = sizes


def sizes_shown(estimator: Any) -> Mapping[Any, int] | None:
    """The noted numbers of a ranker, also inside a search or at the end of a pipeline."""
    for _ in range(5):  # a search of a pipeline of a search: nobody nests deeper
        if estimator is None:
            return None
        try:
            if estimator in _SHOWN:
                return _SHOWN[estimator]
        except TypeError:  # without a hash or weak references
            return None
        steps = getattr(estimator, "steps", None)
        estimator = getattr(estimator, "best_estimator_", steps[-1][1] if steps else None)
    return None
