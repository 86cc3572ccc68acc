"""Values of gradings, and the extreme means over queries of which each may take one of several."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sklearn_rank.bounds.completed import completed
from sklearn_rank.bounds.gradings import Gradings, Maker
from sklearn_rank.bounds.holes import Holes
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_max
from sklearn_rank.typing import BoolArray, FloatArray, IntArray

Value = Callable[[list[JudgedRankings], IntArray], FloatArray]
"""Values of the rankings of all systems, made of the queries of these numbers."""
_CELLS = 1 << 19
"""Items of gradings that are measured at once: some 50 MB, whatever the number of gradings."""


class Candidates(NamedTuple):
    """Values that queries may take; NaN: the query may be left out of the mean."""

    query: IntArray
    """(C,) number of the query."""
    values: FloatArray
    weights: FloatArray
    """Of the query in a mean where it has that value."""

    @classmethod
    def of(
        cls, query: IntArray, values: FloatArray, weights: FloatArray | None = None
    ) -> Candidates:
        """Without weights all queries weigh alike."""
        return cls(query, values, np.ones(len(values)) if weights is None else weights)

    @classmethod
    def join(cls, parts: Sequence[Candidates]) -> Candidates:
        """Those of several, query after query."""
        query = np.concatenate([part.query for part in parts])
        order = np.argsort(query, kind="stable")
        return cls(
            query[order],
            np.concatenate([part.values for part in parts])[order],
            np.concatenate([part.weights for part in parts])[order],
        )

    def extremes(self, n_queries: int) -> tuple[FloatArray, FloatArray, BoolArray]:
        """(Q,) least and greatest value, NaN where there is none; whether one may be undefined."""
        offsets = np.searchsorted(self.query, np.arange(n_queries + 1))
        undefined = np.isnan(self.values)
        least = -segment_max(np.where(undefined, -np.inf, -self.values), offsets)
        greatest = segment_max(np.where(undefined, -np.inf, self.values), offsets)
        nothing = np.isinf(greatest)
        may_be_undefined = np.bincount(self.query[undefined], minlength=n_queries) > 0
        least, greatest = (np.where(nothing, np.nan, end) for end in (least, greatest))
        return least, greatest, may_be_undefined


def values_of_gradings(
    systems: Sequence[JudgedRankings],
    holes: Holes,
    gradings: Maker,
    value: Value,
    weigh: Value | None = None,
) -> Candidates:
    """Least and greatest value of each query, and whether it may be undefined.

    ``gradings`` are those among which the extremes are. With weights that depend on the grading
    every value counts, and all are returned.
    """
    parts = []
    for queries, chosen in _alike(systems, holes, gradings):
        n_gradings = len(chosen.grades)
        query, row = np.repeat(queries, n_gradings), np.repeat(np.arange(len(queries)), n_gradings)
        grades = np.tile(chosen.grades, (len(queries), 1))
        absent = (
            np.minimum(np.tile(chosen.absent, len(queries)), holes.absent[query]),
            np.tile(chosen.absent_grades, len(queries)),
        )
        filled = [
            completed(rankings, query, (above[row], tied[row]), grades, absent)
            for rankings, (above, tied) in zip(systems, holes.of(queries), strict=True)
        ]
        values = value(filled, query).reshape(len(queries), n_gradings)
        if weigh is not None:
            parts.append(Candidates(query, values.ravel(), weigh(filled, query)))
        else:
            parts.append(Candidates.of(np.repeat(queries, 3), _summary(values).ravel()))
    return Candidates.join(parts)


def _summary(values: FloatArray) -> FloatArray:
    """(B, 3) least, greatest, and NaN if a value is; else the least again."""
    undefined = np.isnan(values)
    least = np.where(undefined, np.inf, values).min(axis=1)
    greatest = np.where(undefined, -np.inf, values).max(axis=1)
    any_undefined, all_undefined = undefined.any(axis=1), undefined.all(axis=1)
    columns = [
        np.where(all_undefined, np.nan, least),
        np.where(all_undefined, np.nan, greatest),
        np.where(any_undefined, np.nan, least),
    ]
    return np.column_stack(columns)


def _alike(
    systems: Sequence[JudgedRankings], holes: Holes, gradings: Maker
) -> Iterator[tuple[IntArray, Gradings]]:
    """Queries with equally many items of each class, in blocks of bounded size."""
    absent = holes.absent if gradings.counts_absent else np.minimum(holes.absent, 1)
    kinds, which = np.unique(np.column_stack((holes.classes, absent)), axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    borders = np.searchsorted(which.ravel()[order], np.arange(len(kinds) + 1))
    for kind, first, last in zip(kinds.tolist(), borders, borders[1:], strict=False):
        chosen, queries = gradings.make(tuple(kind[:-1]), kind[-1]), order[first:last]
        n_known = max(int(rankings.n_relevant[queries].max()) for rankings in systems)
        width = sum(kind[:-1]) + n_known + 1
        step = max(_CELLS // (len(chosen.grades) * width), 1)
        for start in range(0, len(queries), step):
            # Gradings of one query may be more than are measured at once.
            for part in chosen.parts(max(_CELLS // width, 1)):
                yield queries[start : start + step], part


def extreme_choice(candidates: Candidates, *, greatest: bool) -> IntArray:
    """Number of the candidate that each query takes in the extreme mean.

    A query that may be left out enters only if it helps. The mean is a ratio, and Dinkelbach's
    iteration finds its extreme: given a mean, each query takes what changes it most; that cannot
    but improve the mean, and where it does not, the mean is the extreme.
    """
    undefined = np.isnan(candidates.values)
    weights = np.where(undefined, 0.0, candidates.weights)
    values, sign = np.where(undefined, 0.0, candidates.values), 1.0 if greatest else -1.0
    starts = np.flatnonzero(np.diff(candidates.query, prepend=-1))
    chosen = _best((weights > 0).astype(np.float64), starts)
    mean = _mean(values, weights, chosen)
    while not math.isnan(mean):
        better = _best(sign * weights * (values - mean), starts)
        next_mean = _mean(values, weights, better)
        if math.isnan(next_mean) or not sign * next_mean > sign * mean:
            break
        chosen, mean = better, next_mean
    return chosen


def _best(gains: FloatArray, starts: IntArray) -> IntArray:
    """Number of the candidate with the greatest gain, the first of several, of each query."""
    best = np.repeat(np.maximum.reduceat(gains, starts), np.diff(starts, append=len(gains)))
    first = np.where(gains == best, np.arange(len(gains)), len(gains))
    return np.minimum.reduceat(first, starts)


def _mean(values: FloatArray, weights: FloatArray, chosen: IntArray) -> float:
    total = float(weights[chosen].sum())
    return float((weights * values)[chosen].sum()) / total if total > 0 else math.nan
