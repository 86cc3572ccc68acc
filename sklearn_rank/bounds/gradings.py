"""Few gradings of the unjudged items of a query among which the extreme values are.

No measure of this module gets worse where a relevant and an irrelevant item change places so that
the relevant one rises, nor where a better grade rises above a lesser one. So of all gradings with
the same grades the best one gives the greatest grades to the earliest items, and the worst one to
the latest. What differs between measures is which grades are worth trying.

The change between two systems falls with one of them. There items that only the new one reads are
in a class of their own, and so are those that only the old one reads: in each of these classes the
same holds. Of those that both read every choice is tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any, NamedTuple, Protocol

import numpy as np

from sklearn_rank.bounds.unjudged import OpenItems, completed
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_max
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray

ALL = np.iinfo(np.int32).max
"""So many absent items as there are."""


class Gradings(NamedTuple):
    """Gradings of queries that have U unjudged items in reach."""

    grades: FloatArray
    """(C, U) grade of each item; 0 is irrelevant."""
    absent: IntArray
    """(C,) how many absent items are relevant at most."""
    absent_grades: FloatArray
    """(C,) their grade."""

    @classmethod
    def of(cls, grades: Array, absent: int = 0, absent_grade: float = 0.0) -> Gradings:
        """Gradings that agree about absent items."""
        n, given = len(grades), np.asarray(grades, dtype=np.float64)
        return cls(given, np.full(n, absent), np.full(n, absent_grade))

    @classmethod
    def join(cls, parts: list[Gradings]) -> Gradings:
        """All gradings of several."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def parts(self, limit: int) -> Iterator[Gradings]:
        """Runs of at most ``limit`` of them."""
        for first in range(0, len(self.grades), limit):
            part = slice(first, first + limit)
            yield Gradings(self.grades[part], self.absent[part], self.absent_grades[part])


class Maker(Protocol):
    """Makes the gradings of queries of one kind."""

    @property
    def counts_absent(self) -> bool:
        """Whether the number of absent items matters, and not only whether there are any."""

    def number(self, sizes: tuple[int, ...], absent: int) -> int:
        """How many gradings there are of so many items of each class, and absent ones."""

    def make(self, sizes: tuple[int, ...], absent: int) -> Gradings:
        """These gradings."""


def earliest(size: int) -> Array:
    """(size + 1, size) for each number of items which are the earliest ones."""
    return np.arange(size) < np.arange(size + 1)[:, None]


def latest(size: int) -> Array:
    """The same for the latest ones."""
    return earliest(size)[:, ::-1]


def all_or_none(size: int) -> Array:
    """(2, size)."""
    return np.repeat([[True], [False]], size, axis=1)


def subsets(size: int) -> Array:
    """(2^size, size) every choice of items."""
    return (np.arange(1 << size)[:, None] >> np.arange(size) & 1).astype(bool)


def combined(*parts: Array) -> Array:
    """Every row of each part beside every row of the others."""
    chosen = np.indices([len(part) for part in parts]).reshape(len(parts), -1)
    return np.concatenate([part[rows] for part, rows in zip(parts, chosen, strict=True)], axis=1)


@dataclass(frozen=True)
class ByCount:
    """For each number of relevant items the earliest and the latest."""

    top: float
    """The grade of relevant ones."""
    is_pair: bool = False
    falls_with_absent: bool = False
    """Whether relevant items that are out of reach can only do harm."""
    counts_absent: bool = False
    least: float | None = None
    """The least grade of a relevant item, if grades matter."""
    ends: bool = False
    """Whether each relevant item can only raise the value: then none and all are the extremes, and,
    since a query without a relevant item is undefined, one at the end of the list."""

    def number(self, sizes: tuple[int, ...], absent: int) -> int:
        """How many :meth:`make` makes."""
        if self.ends:
            return 5
        counts = [size + 1 for size in sizes]
        if self.is_pair:
            counts[-1] = 1 << sizes[-1]
        return 2 * int(np.prod(counts, dtype=object)) * len(self._absent(absent))

    def make(self, sizes: tuple[int, ...], absent: int) -> Gradings:
        """All of them."""
        if self.ends:
            return self._ends(sizes[0], absent)
        best, worst = self._orders(sizes)
        numbers = self._absent(absent)
        if self.falls_with_absent:
            parts = [Gradings.of(best * self.top), Gradings.of(worst * self.top)]
            if absent:
                parts.append(Gradings.of(worst * self.top, ALL, self.top))
            return Gradings.join(parts)
        parts = [
            Gradings.of(order * self.top, number, self.top)
            for order in (best, worst)
            for number in numbers
        ]
        if self.least is not None:
            # One of the least grade may be all that makes a query defined.
            parts.append(Gradings.of(np.eye(sum(sizes)) * self.least))
            parts.append(Gradings.of(np.zeros((1, sum(sizes))), 1, self.least))
        return Gradings.join(parts)

    def _ends(self, size: int, absent: int) -> Gradings:
        least = self.top if self.least is None else self.least
        best, worst = all_or_none(size)[:1] * self.top, latest(size)[:2] * least
        parts = [Gradings.of(best), Gradings.of(worst)]
        if absent:
            parts += [Gradings.of(best, ALL, self.top), Gradings.of(worst[:1], 1, least)]
        return Gradings.join(parts)

    def _absent(self, absent: int) -> list[int]:
        """Numbers of absent items that are tried."""
        if not absent:
            return [0]
        return list(range(absent + 1)) if self.counts_absent else [0, ALL]

    def _orders(self, sizes: tuple[int, ...]) -> tuple[Array, Array]:
        if not self.is_pair:
            return combined(*map(earliest, sizes)), combined(*map(latest, sizes))
        of_new, of_old, of_both = sizes
        both = subsets(of_both)
        return (
            combined(earliest(of_new), latest(of_old), both),
            combined(latest(of_new), earliest(of_old), both),
        )


@dataclass(frozen=True)
class ByLevel:
    """For measures that weigh a grade against the highest one, and rise with each grade otherwise.

    Given the highest grade, all items that have it are best, and one of them at the end of the list
    is worst. A change between two systems is linear in what each grade satisfies, so that items
    that both read are irrelevant or have the highest grade.
    """

    levels: FloatArray
    is_pair: bool = False
    counts_absent: bool = False

    def number(self, sizes: tuple[int, ...], absent: int) -> int:
        """How many :meth:`make` makes."""
        of_both = 2 << sizes[2] if self.is_pair else 2
        return len(self.levels) * 2 * of_both * (2 if absent else 1) + 1

    def make(self, sizes: tuple[int, ...], absent: int) -> Gradings:
        """All of them."""
        parts = [Gradings.of(np.zeros((1, sum(sizes))))]
        for level in self.levels.tolist():
            for order in self._orders(sizes):
                parts.append(Gradings.of(order * level))
                if absent:
                    parts.append(Gradings.of(order * level, ALL, level))
        return Gradings.join(parts)

    def _orders(self, sizes: tuple[int, ...]) -> Iterator[Array]:
        if not self.is_pair:
            yield all_or_none(sizes[0])[:1]
            yield latest(sizes[0])[:2]
            return
        of_new, of_old, both = sizes[0], sizes[1], subsets(sizes[2])
        yield combined(all_or_none(of_new)[:1], latest(of_old)[:2], both)
        yield combined(latest(of_new)[:2], all_or_none(of_old)[:1], both)


@dataclass(frozen=True)
class ByAllLevels:
    """For measures over their ideal, which grades raise as well.

    Greatest: every choice of grades, the better ones earlier. Least: each item is irrelevant or has
    the highest grade, for the value is linear in what an item satisfies, and the ideal convex.
    """

    levels: FloatArray
    is_pair: bool = False
    counts_absent: bool = False

    def number(self, sizes: tuple[int, ...], absent: int) -> int:
        """How many :meth:`make` makes."""
        n = len(self.levels)
        if not self.is_pair:
            return comb(sizes[0] + n, n) * (1 + (n if absent else 0)) + 2 * n * (sizes[0] + 1)
        choices = comb(sizes[0] + n, n) * comb(sizes[1] + n, n) * (n + 1) ** sizes[2]
        return 2 * int(choices) * (1 + (2 * n if absent else 0))

    def make(self, sizes: tuple[int, ...], absent: int) -> Gradings:
        """All of them."""
        # Absent items enter the ideal alone, which one of the highest grade raises least.
        levels = self.levels.tolist() if absent else []
        one, every = ([(number, level) for level in levels] for number in (1, ALL))
        if self.is_pair:
            of_new, of_old = map(self._falling, sizes[:2])
            both = self._every(sizes[2])
            orders = [
                combined(of_new, of_old[:, ::-1], both),
                combined(of_new[:, ::-1], of_old, both),
            ]
            return Gradings.join(
                [
                    Gradings.of(order, *number)
                    for order in orders
                    for number in [(0, 0.0), *one, *every]
                ]
            )
        falling = self._falling(sizes[0])
        parts = [Gradings.of(falling, *number) for number in [(0, 0.0), *one]]
        for level in self.levels.tolist():
            order = latest(sizes[0]) * level
            parts.append(Gradings.of(order))
            if absent:
                parts.append(Gradings.of(order, ALL, level))
        return Gradings.join(parts)

    def _falling(self, size: int) -> FloatArray:
        """Every choice of grades, whatever their order, the greatest first."""
        grades: Any = (*self.levels[::-1].tolist(), 0.0)
        choices = list(combinations_with_replacement(grades, size))
        return np.array(choices, dtype=np.float64).reshape(len(choices), size)

    def _every(self, size: int) -> FloatArray:
        """Every grading of so many items."""
        choices = list(product((0.0, *self.levels.tolist()), repeat=size))
        return np.array(choices, dtype=np.float64).reshape(len(choices), size)


# Values of gradings ------------------------------------------------------------------------------


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
    unjudged: OpenItems,
    gradings: Maker,
    value: Value,
    weigh: Value | None = None,
) -> Candidates:
    """Least and greatest value of each query, and whether it may be undefined.

    ``gradings`` are those among which the extremes are. With weights that depend on the grading
    every value counts, and all are returned.
    """
    parts = []
    for queries, chosen in _alike(systems, unjudged, gradings):
        n_gradings = len(chosen.grades)
        query, row = np.repeat(queries, n_gradings), np.repeat(np.arange(len(queries)), n_gradings)
        grades = np.tile(chosen.grades, (len(queries), 1))
        absent = (
            np.minimum(np.tile(chosen.absent, len(queries)), unjudged.absent[query]),
            np.tile(chosen.absent_grades, len(queries)),
        )
        filled = [
            completed(rankings, query, (above[row], tied[row]), grades, absent)
            for rankings, (above, tied) in zip(systems, unjudged.of(queries), strict=True)
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
    systems: Sequence[JudgedRankings], unjudged: OpenItems, gradings: Maker
) -> Iterator[tuple[IntArray, Gradings]]:
    """Queries with equally many items of each class, in blocks of bounded size."""
    absent = unjudged.absent if gradings.counts_absent else np.minimum(unjudged.absent, 1)
    kinds, which = np.unique(
        np.column_stack((unjudged.classes, absent)), axis=0, return_inverse=True
    )
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
