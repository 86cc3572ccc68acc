"""Scores of ranked items: one dtype for all, none rounded, none missing."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.inputs.ranking import Ranking, Where
from sklearn_rank.support.arrays import EXACT_INTEGER
from sklearn_rank.support.segments import segment_index
from sklearn_rank.support.sorting import falling_codes, order_segments
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, IntArray


def score_array(values: Collection[Any], where: Where, place_of: Callable[[int], str]) -> Array:
    """Scores in one dtype; NaN and rounding are checked later, for all queries at once."""
    try:
        # Floats alone add up to a float; packing them is the fastest way into an array.
        if type(sum(values)) is float:
            return np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (TypeError, ValueError, OverflowError, struct.error):
        pass
    values = list(values)
    try:
        scores = np.array(values)
    except (ValueError, OverflowError):
        scores = np.array(values, dtype=object)
    if scores.dtype.kind in "iuf" and scores.ndim == 1:
        return scores
    if not values:
        return np.zeros(0)
    return np.array([_score(v, where, place_of, i) for i, v in enumerate(values)])


def check_scores(scores: Array, rankings: Sequence[Ranking], offsets: IntArray) -> None:
    """ValueError if a score of {item: score} is NaN, or an integer that its dtype cannot hold."""
    if scores.dtype.kind != "f" or not len(scores):
        return
    low, high = scores.min(), scores.max()
    if low > -EXACT_INTEGER and high < EXACT_INTEGER:
        return
    wrong = np.flatnonzero(np.isnan(scores))
    if len(wrong):
        query = int(np.searchsorted(offsets, wrong[0], side="right")) - 1
        item = list(rankings[query].items)[int(wrong[0] - offsets[query])]
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        where = rankings[query].where
        msg = f"{where} contains NaN as the score of item {safe_repr(item)}{more}"
        raise ValueError(msg)
    for ranking in rankings:
        if isinstance(ranking.items, Mapping):
            refuse_rounded(ranking.items.values(), ranking.where, item_at(ranking.items))


def refuse_rounded(values: Iterable[Any], where: Where, place_of: Callable[[int], str]) -> None:
    """ValueError at the first integer that float64 cannot hold."""
    for place, value in enumerate(values):
        _score(value, where, place_of, place)


def item_at(items: Iterable[Any]) -> Callable[[int], str]:
    """Says in an error which item has the score at a place; reads the items only then."""
    return lambda place: f"for item {safe_repr(list(items)[place])}"


def _score(value: Any, where: Where, place_of: Callable[[int], str], place: int) -> float:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float, np.longdouble)):
        msg = f"{where} has score {safe_repr(value)} {place_of(place)}; pass a number"
        raise TypeError(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if isinstance(value, int) and number != value:
        msg = (
            f"{where} mixes floats with the integer {safe_repr(value)}, which float64 cannot hold, "
            f"as the score {place_of(place)}"
        )
        raise ValueError(msg)
    return number


@dataclass(frozen=True)
class TableScores:
    """Counts scores of a long table that conventions speak of."""

    scores: Array
    offsets: IntArray
    """Of the queries."""

    def __call__(self, case: str) -> int:
        """Scores of at most 0, or queries with scores that float32 does not tell apart."""
        if case == "at most 0":
            return int(np.count_nonzero(self.scores <= 0))
        return len(self.close)

    @property
    def close(self) -> IntArray:
        """Numbers of the queries in which two scores differ, and are equal as float32."""
        scores = self.scores[order_segments(falling_codes(self.scores), self.offsets).order]
        query = segment_index(self.offsets)
        narrow = scores.astype(np.float32)
        differ = (scores[1:] != scores[:-1]) & (narrow[1:] == narrow[:-1])
        return np.unique(query[1:][differ & (query[1:] == query[:-1])])
