"""Few gradings of the unjudged items of a query among which the extremes of a measure are.

No measure of this module gets worse where a relevant and an irrelevant item change places so that
the relevant one rises. So of all gradings with as many relevant items the best one has the earliest
items, and the worst one the latest.

The change between two systems falls with one of them. There items that only the new one reads are
in a class of their own, and so are those that only the old one reads: in each of these classes the
same holds. Of those that both read every choice is tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sklearn_rank.bounds.unjudged import OpenItems, completed, least_and_best_grade
from sklearn_rank.exceptions import UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_max
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray

MOST_GRADINGS = 1 << 18
"""More of one query are refused: so many take a second, and the next item may double it."""
_MOST_CELLS = 1 << 25
"""Items of the gradings of one query: a quarter of a gigabyte."""
_CELLS = 1 << 19
"""Items of gradings that are measured at once: some 50 MB, whatever the number of gradings."""
_ALL = np.iinfo(np.int32).max
"""So many absent items as there are."""
_RISE = frozenset({"precision", "mrr", "hit_rate", "rbp"})
"""Each relevant item raises them or leaves them alone."""
_FALL = frozenset({"map", "mar", "recall", "fbeta", "all_hit_rate", "set_map", "gmap"})
"""Relevant items that are out of reach can only do harm."""
_SUMS = frozenset({"dcg", "rbp of gains"})


def cannot_bound(measure: Measure, *, change: bool = False) -> str:
    """Why a measure, or its ``change`` between two systems, has no exact bounds; "" if it has."""
    name, divisor = _kind(measure), measure.options.get("denominator")
    if measure.metric.of_judgements:
        return "it says how much is judged, whatever the items are"
    if name not in {*_RISE, *_FALL, *_SUMS, "ndcg"}:
        names = ", ".join(sorted({*_RISE, *_FALL, "dcg", "ndcg"}))
        return f"nothing is known of how it moves with grades; there are bounds of {names}"
    if name == "rbp of gains" and "query" in measure.options.values():
        return "the highest grade of a query scales its gains; pass max_grade=, a number"
    if name == "rbp of gains" and measure.options["min_rel"] is not None:
        return "it has both gains and min_rel; pass a table of gains that has 0 below that grade"
    if name == "map" and (divisor == "retrieved" or (change and divisor == "listed")):
        return f"denominator={divisor!r} moves with the items that are found; take another one"
    if change and name == "fbeta" and measure.k is None:
        return "without a cutoff it moves with each relevant item; give it one"
    if change and measure.metric.geometric_from is not None:
        return "a change of geometric means is no mean of changes; bound that of map"
    return ""


def _kind(measure: Measure) -> str:
    """Name of a measure's metric; with gains RBP is a sum of grades."""
    name = measure.metric.name
    return "rbp of gains" if name == "rbp" and measure.options["gain"] != "binary" else name


def refuse_moving_ties(
    measure: Measure, systems: Sequence[JudgedRankings], unjudged: OpenItems
) -> None:
    """UndefinedMetricError if the place of an unjudged item hangs on its grade."""
    for rankings, above, tied in zip(systems, unjudged.above, unjudged.tied, strict=True):
        moves = rankings.unjudged is not None and rankings.unjudged.grade_order
        if moves and ((tied > 1) & (above >= 0)).any():
            msg = (
                f"{measure} has no bounds over all gradings: ties='optimistic' and 'pessimistic' "
                "put tied items in the order of their grades, which unjudged ones do not have; "
                "evaluate with ties='average', 'stable' or 'docid'"
            )
            raise UndefinedMetricError(msg)


# Which gradings are tried ------------------------------------------------------------------------


class Gradings(NamedTuple):
    """Gradings of queries that have equally many items of each class."""

    grades: FloatArray
    """(C, U) grade of each item; 0 is irrelevant."""
    absent: IntArray
    """(C,) largest possible number of relevant absent items."""
    absent_grades: FloatArray

    @classmethod
    def join(cls, *parts: tuple[Array, int, float]) -> Gradings:
        """Rows of grades, each part with a number of absent items and their grade."""
        rows, absent, grades = zip(*parts, strict=True)
        sizes = list(map(len, rows))
        return cls(np.concatenate(rows), np.repeat(absent, sizes), np.repeat(grades, sizes))


class Maker(NamedTuple):
    """Which gradings hold the extremes of a measure."""

    greatest: float
    """Grade that counts most."""
    least: float
    """Grade of a relevant item that counts least."""
    rises: bool
    """Whether each relevant item can only raise the value."""
    falls_with_absent: bool
    """Whether relevant items that are out of reach can only do harm."""
    is_pair: bool
    """Whether there are three classes of items: of the new system, of the old one, of both."""

    def number(self, sizes: Sequence[int]) -> int:
        """Number of gradings of so many items of each class, absent ones aside."""
        if self.rises:
            return 2
        alone, n_shared = (sizes[:-1], sizes[-1]) if self.is_pair else (sizes, 0)
        return 2 * math.prod(size + 1 for size in alone) << n_shared

    def gradings(self, sizes: Sequence[int], absent: int) -> Gradings:
        """Gradings of so many items of each class, and of absent items."""
        size, top = sum(sizes), self.greatest
        nothing, one_each = np.zeros((1, size)), np.eye(size)
        if self.rises:
            # A query without a relevant item may be undefined: one at the end has the least value.
            everything = nothing + top
            parts = [(everything, 0, 0.0), (one_each[-1:] * self.least, 0, 0.0)]
            if absent:
                parts += [(everything, _ALL, top), (nothing, 1, self.least)]
            return Gradings.join(*parts)
        best, worst = self._orders(sizes)
        if self.falls_with_absent:
            parts = [(best * top, 0, 0.0), (worst * top, 0, 0.0)]
            return Gradings.join(*parts, *([(worst * top, _ALL, top)] if absent else []))
        numbers = (0, _ALL) if absent else (0,)
        parts = [(order * top, number, top) for order in (best, worst) for number in numbers]
        if self.least != top:  # one of the least grade may be all that makes a query defined
            parts += [(one_each * self.least, 0, 0.0), (nothing, 1, self.least)]
        return Gradings.join(*parts)

    def _orders(self, sizes: Sequence[int]) -> tuple[Array, Array]:
        """(C, U) relevant items, at best and at worst: for each number the earliest or latest.

        A gain of one system of a pair is a loss of the other.
        """
        first = [np.arange(size) < np.arange(size + 1)[:, None] for size in sizes]
        if not self.is_pair:
            return first[0], first[0][:, ::-1]
        n_shared = sizes[2]
        shared = (np.arange(1 << n_shared)[:, None] >> np.arange(n_shared) & 1).astype(bool)
        new, old = first[:2]
        return _beside(new, old[:, ::-1], shared), _beside(new[:, ::-1], old, shared)


def _beside(*parts: Array) -> Array:
    """Every row of each part beside every one of the others."""
    rows = np.indices([len(part) for part in parts]).reshape(len(parts), -1)
    return np.concatenate([part[row] for part, row in zip(parts, rows, strict=True)], axis=1)


def checked_maker(
    measure: Measure,
    rankings: JudgedRankings,
    unjudged: OpenItems,
    max_grade: float,
    *,
    change: bool = False,
) -> Maker:
    """Makes the gradings that hold the extremes; UndefinedMetricError if they are too many."""
    name, least, best = _kind(measure), max_grade, max_grade
    if name in _SUMS:
        least, best = least_and_best_grade(rankings, max_grade, measure.options["gain"])
    rises = not change and name in _RISE | _SUMS
    maker = Maker(best, least, rises, not change and name in _FALL, change)
    kinds, first = np.unique(unjudged.classes, axis=0, return_index=True)
    for sizes, query in zip(kinds.tolist(), first.tolist(), strict=True):
        number, n_unjudged = maker.number(sizes), sum(sizes)
        if number > MOST_GRADINGS or number * n_unjudged > _MOST_CELLS:
            msg = (
                f"{'the change of ' if change else ''}{measure} has no bounds that are found in "
                f"time: query {safe_repr(rankings.query_ids[query])} has {n_unjudged:,} unjudged "
                f"items, and {number:.1e} ways to grade them would have to be tried; a smaller "
                "cutoff leaves fewer"
            )
            raise UndefinedMetricError(msg)
    return maker


# Values of gradings ------------------------------------------------------------------------------


Value = Callable[[list[JudgedRankings], IntArray], FloatArray]
"""Values of the rankings of all systems, made of the queries of these numbers."""


class Candidates(NamedTuple):
    """Values that queries may take; NaN: the query may be left out of the mean."""

    query: IntArray
    """(C,) number of the query."""
    values: FloatArray

    @classmethod
    def join(cls, parts: Sequence[Candidates]) -> Candidates:
        """Values of several queries, one query after the other."""
        query, values = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(query, kind="stable")
        return cls(query[order], values[order])

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
    systems: Sequence[JudgedRankings], unjudged: OpenItems, maker: Maker, value: Value
) -> Candidates:
    """Least and greatest value of each query, and NaN if it may be undefined."""
    parts = []
    for queries, (grades, absent, absent_grades) in _alike(systems, unjudged, maker):
        n_gradings = len(grades)
        query, row = np.repeat(queries, n_gradings), np.repeat(np.arange(len(queries)), n_gradings)
        numbers = np.minimum(np.tile(absent, len(queries)), unjudged.absent[query])
        missing = numbers, np.tile(absent_grades, len(queries))
        repeated = np.tile(grades, (len(queries), 1))
        filled = [
            completed(rankings, query, (above[row], tied[row]), repeated, missing)
            for rankings, (above, tied) in zip(systems, unjudged.of(queries), strict=True)
        ]
        values = value(filled, query).reshape(len(queries), n_gradings)
        undefined = np.isnan(values)
        least = np.where(undefined, np.inf, values).min(axis=1)
        greatest = np.where(undefined, -np.inf, values).max(axis=1)
        nothing = undefined.all(axis=1)
        ends = np.column_stack((least, greatest, least))
        ends[np.column_stack((nothing, nothing, undefined.any(axis=1)))] = np.nan
        parts.append(Candidates(np.repeat(queries, 3), ends.ravel()))
    return Candidates.join(parts)


def _alike(
    systems: Sequence[JudgedRankings], unjudged: OpenItems, maker: Maker
) -> Iterator[tuple[IntArray, Gradings]]:
    """Queries with equally many items of each class, and gradings, in blocks of bounded size."""
    kinds, which = np.unique(
        np.column_stack((unjudged.classes, unjudged.absent > 0)), axis=0, return_inverse=True
    )
    for number, (*sizes, absent) in enumerate(kinds.tolist()):
        queries = np.flatnonzero(which.ravel() == number)
        gradings = maker.gradings(sizes, absent)
        n_gradings = len(gradings.grades)
        n_known = max(int(rankings.n_relevant[queries].max()) for rankings in systems)
        width = sum(sizes) + n_known + int(unjudged.absent[queries].max()) + 1
        step, limit = max(_CELLS // (n_gradings * width), 1), max(_CELLS // width, 1)
        for start in range(0, len(queries), step):
            # Gradings of one query may be more than are measured at once.
            for first in range(0, n_gradings, limit):
                part = Gradings._make(column[first : first + limit] for column in gradings)
                yield queries[start : start + step], part


def extreme_choice(
    candidates: Candidates, weights: FloatArray | None, *, greatest: bool
) -> IntArray:
    """Number of the candidate that each query, of its weight, takes in the extreme mean.

    A query that may be left out enters only if it helps. The mean is a ratio, and Dinkelbach's
    iteration finds its extreme: given a mean, each query takes what changes it most; that cannot
    but improve the mean, and where it does not, the mean is the extreme.
    """
    undefined = np.isnan(candidates.values)
    weights_of_candidates = (
        np.ones(len(undefined)) if weights is None else weights[candidates.query]
    )
    shares = np.where(undefined, 0.0, weights_of_candidates)
    values, sign = np.where(undefined, 0.0, candidates.values), 1.0 if greatest else -1.0
    starts = np.flatnonzero(np.diff(candidates.query, prepend=-1))

    def best(gains: FloatArray) -> IntArray:
        """Number of the candidate with the greatest gain, the first of several, of each query."""
        most = np.repeat(np.maximum.reduceat(gains, starts), np.diff(starts, append=len(gains)))
        first = np.where(gains == most, np.arange(len(gains)), len(gains))
        return np.minimum.reduceat(first, starts)

    def mean_of(chosen: IntArray) -> float:
        total = float(shares[chosen].sum())
        return float((shares * values)[chosen].sum()) / total if total > 0 else math.nan

    chosen = best((shares > 0).astype(np.float64))
    mean = mean_of(chosen)
    while not math.isnan(mean):
        better = best(sign * shares * (values - mean))
        next_mean = mean_of(better)
        if math.isnan(next_mean) or not sign * next_mean > sign * mean:
            break
        chosen, mean = better, next_mean
    return chosen
