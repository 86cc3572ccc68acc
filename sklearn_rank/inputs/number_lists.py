"""Nested lists of numbers: ids of items, or grades and scores as other libraries take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import safe_repr

_LISTED_NUMBERS = (int, float, np.integer, np.floating)
_LARGEST_GRADE = 10
"""Grades are small; the ids of a collection are seldom all small."""
READ_AS_IDS = "numbers were read as lists of item ids"
_ARRAYS = "as two arrays of shape (n_queries, n_items), or as rows with groups= if lengths differ"


class _Pair(NamedTuple):
    query: int
    truth: list[Any]
    ranking: list[Any]


def check_number_lists(truths: list[Any], rankings: Any, query_ids: Any) -> str:
    """How numbers were read, if they could be grades and scores; TypeError for fractions.

    Empty if the ids of most truths are found in their rankings.
    """
    if not isinstance(rankings, list):
        return ""  # a table, whose columns have names
    first = next(_pairs(truths, rankings), None)
    if first is None:
        return ""
    if any(isinstance(side[0], (float, np.floating)) for side in (first.truth, first.ranking)):
        _refuse_fractions(truths, rankings, query_ids)
        return ""
    if len(first.truth) != len(first.ranking):
        return ""
    pairs = list(_pairs(truths, rankings))
    if any(len(truth) != len(ranking) for _, truth, ranking in pairs):
        return ""
    sides = [side for _, *both in pairs for side in both]
    if not all(isinstance(item, _LISTED_NUMBERS) for side in sides for item in side):
        return ""
    if max(abs(item) for _, truth, _ in pairs for item in truth) > _LARGEST_GRADE:
        return ""
    n_found = sum(2 * len({*truth} & {*ranking}) > len(truth) for _, truth, ranking in pairs)
    if 2 * n_found >= len(pairs):
        return ""
    if max(len(truth) for _, truth, _ in pairs) > 1:
        warn(
            "y_true and y_score hold equally many small whole numbers for each query and are read "
            "as lists of item ids, but few ids are on both sides; if they are grades and scores, "
            f"pass them {_ARRAYS}",
            RankingDataWarning,
        )
    return READ_AS_IDS


def _pairs(truths: list[Any], rankings: list[Any]) -> Iterator[_Pair]:
    """Truths and rankings that are sequences of numbers, none of them empty."""
    for query, (truth, ranking) in enumerate(zip(truths, rankings, strict=False)):
        if _may_be_grades(truth) and _may_be_grades(ranking):
            yield _Pair(query, list(truth), list(ranking))


def _may_be_grades(side: Any) -> bool:
    if not (isinstance(side, (list, tuple)) or (isinstance(side, np.ndarray) and side.ndim == 1)):
        return False
    return len(side) > 0 and isinstance(side[0], _LISTED_NUMBERS) and not isinstance(side[0], bool)


def _refuse_fractions(truths: list[Any], rankings: list[Any], query_ids: Any) -> None:
    for query, truth, ranking in _pairs(truths, rankings):
        for name, side in (("y_true", truth), ("y_score", ranking)):
            floats = (x for x in side if isinstance(x, (float, np.floating)))
            fraction = next((x for x in floats if 0 < x % 1 < 1), None)
            if fraction is not None:
                msg = (
                    f"{name}[{safe_repr(query_ids[query])}] contains {safe_repr(fraction)}, but "
                    f"fractions are not item ids; pass grades and scores {_ARRAYS}"
                )
                raise TypeError(msg)
