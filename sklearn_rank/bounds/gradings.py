"""Few gradings of the unjudged items of a query among which the extremes of a measure are.

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
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.bounds.unjudged import (
    OpenItems,
    completed,
    least_and_best_grade,
    possible_grades,
)
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
_FALL = frozenset({"map", "mar", "recall", "fbeta", "all_hit_rate", "iprec", "set_map", "gmap"})
"""Relevant items that are out of reach can only do harm."""
_PAIRWISE = frozenset({"lag", "auc", "gauc", "lauc"})
"""All retrieved items count, wherever they stand."""
_BY_ABSENT = frozenset({"rprec"})
"""Each relevant item moves the rank down to which they read."""
_BINARY = _RISE | _FALL | _PAIRWISE | _BY_ABSENT
_SUMS = frozenset({"dcg", "idcg", "rbp of gains"})
_KNOWN = _BINARY | _SUMS | {"ndcg", "err", "nerr", "hmean"}


# Which measures have bounds ----------------------------------------------------------------------


def cannot_bound(measure: Measure, *, change: bool = False) -> str:
    """Why a measure, or its ``change`` between two systems, has no exact bounds; "" if it has."""
    name = _kind(measure)
    if measure.metric.of_judgements:
        return "it says how much is judged, whatever the items are"
    if measure.is_pooled:
        return "it ranks the items of all queries together; choose an average over queries"
    if name not in _KNOWN:
        return "nothing is known of how it moves with the grade of an item"
    if name == "rbp of gains" and "query" in measure.options.values():
        return "the highest grade of a query scales its gains; pass max_grade=, a number"
    if name == "rbp of gains" and measure.options["min_rel"] is not None:
        return "it has both gains and min_rel; pass a table of gains that has 0 below that grade"
    graded = [str(member) for member in _members(measure) if _kind(member) not in _BINARY]
    if graded:
        return (
            f"it combines {' and '.join(graded)} with another measure, and what is best for one "
            "grade by grade is not for both"
        )
    if change and measure.metric.geometric_from is not None:
        return "a change of geometric means is no mean of changes; bound that of map"
    if change and measure.options.get("average") in ("positives", "pooled"):
        return "queries weigh by their relevant items, which differ by grading; use average='macro'"
    return ""


def _kind(measure: Measure) -> str:
    """Name of a measure's metric; with gains RBP is a sum of grades."""
    name = measure.metric.name
    return "rbp of gains" if name == "rbp" and measure.options["gain"] != "binary" else name


def reach(measure: Measure) -> int | None:
    """Ranks beyond which unjudged items only count as relevant or not; None: there are none."""
    members = _members(measure)
    if not members:
        return None if measure.metric.name in _PAIRWISE else measure.k
    ranks = [reach(member) for member in members]
    return None if None in ranks else max(rank for rank in ranks if rank is not None)


def needs_divided_ties_apart(measure: Measure) -> bool:
    """Whether the divisor is the number of relevant items found, which a divided tie leaves open.

    To have a relevant item above such a tie rather than within it may then do harm.
    """
    return measure.metric.name == "map" and measure.options["denominator"] == "retrieved"


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


def _members(measure: Measure) -> list[Measure]:
    """The measures that it combines, all the way down."""
    members = []
    for member in measure.members:
        members += _members(member) or [member]
    return members


# Which gradings are tried ------------------------------------------------------------------------


class Choice(NamedTuple):
    """Ways to grade the items of a class, counted before they are made."""

    number: int
    make: Callable[[], Array]
    """(number, size) grades, or whether an item is relevant."""


def _earliest(size: int) -> Choice:
    """For each number of items the earliest ones."""
    return Choice(size + 1, lambda: np.arange(size) < np.arange(size + 1)[:, None])


def _latest(size: int, most: int | None = None) -> Choice:
    """For each number of items, up to ``most``, the latest ones."""
    number = size + 1 if most is None else min(size, most) + 1
    return Choice(number, lambda: np.arange(size)[::-1] < np.arange(number)[:, None])


def _all(size: int) -> Choice:
    return Choice(1, lambda: np.ones((1, size)))


def _subsets(size: int) -> Choice:
    """Every choice of items."""
    return Choice(
        1 << size,
        lambda: (np.arange(1 << size)[:, None] >> np.arange(size) & 1).astype(bool),
    )


def _falling(size: int, levels: FloatArray, *, turned: bool = False) -> Choice:
    """Every choice of grades whatever their order, the greatest first; or last."""

    def make() -> Array:
        grades: Any = (*levels[::-1].tolist(), 0.0)
        choices = list(combinations_with_replacement(grades, size))
        rows = np.array(choices, dtype=np.float64).reshape(len(choices), size)
        return rows[:, ::-1] if turned else rows

    return Choice(comb(size + len(levels), len(levels)), make)


def _every(size: int, levels: FloatArray) -> Choice:
    """Every grading of so many items."""

    def make() -> Array:
        choices = list(product((0.0, *levels.tolist()), repeat=size))
        return np.array(choices, dtype=np.float64).reshape(len(choices), size)

    return Choice((len(levels) + 1) ** size, make)


class Gradings(NamedTuple):
    """Gradings of queries: every choice of each class beside every one of the others."""

    choices: tuple[Choice, ...]
    grade: float = 1.0
    """By which the choices are multiplied."""
    absent: int = 0
    """Largest possible number of relevant absent items."""
    absent_grade: float = 0.0

    @property
    def number(self) -> int:
        """Number of gradings."""
        return math.prod(choice.number for choice in self.choices)

    def make(self) -> FloatArray:
        """(number, U) grade of each item; 0 is irrelevant."""
        parts = [choice.make() for choice in self.choices]
        rows = np.indices([len(part) for part in parts]).reshape(len(parts), -1)
        chosen = [part[row] for part, row in zip(parts, rows, strict=True)]
        return np.concatenate(chosen, axis=1) * self.grade


@dataclass(frozen=True, eq=False)
class Maker:
    """Makes the gradings of queries of one kind.

    The kinds are: ``ends``, where each relevant item can only raise the value, so that none and all
    are the extremes, and, since a query without a relevant item is undefined, one at the end of the
    list; ``counts``, for each number of relevant items the earliest and the latest; ``level``, for
    measures that weigh a grade against the highest one, and rise with each grade otherwise: given
    the highest, all items that have it are best, and one of them at the end of the list is worst;
    ``levels``, for measures over their ideal, which grades raise as well.
    """

    kind: str
    levels: FloatArray
    """Grades that are tried, rising."""
    is_pair: bool = False
    counts_absent: bool = False
    """Whether the number of absent items matters, and not only whether there are any."""
    falls_with_absent: bool = False
    """Whether relevant items that are out of reach can only do harm."""
    least: float | None = None
    """The least grade of a relevant item, if grades matter."""

    def gradings(self, sizes: tuple[int, ...], absent: int) -> list[Gradings]:
        """Gradings of the given numbers of items of each class, and of absent items."""
        size, top = sum(sizes), float(self.levels.max(initial=0.0))
        nothing = (Choice(1, lambda: np.zeros((1, size))),)
        if self.kind == "ends":
            least = top if self.least is None else self.least
            parts = [Gradings((_all(size),), top), Gradings((_latest(size, 1),), least)]
            if absent:
                parts.append(Gradings((_all(size),), top, _ALL, top))
                parts.append(Gradings(nothing, 1.0, 1, least))
            return parts
        if self.kind == "levels":
            return self._of_all_levels(sizes, absent)
        if self.kind == "level":
            # A change is linear in what each grade satisfies, so that items that both systems read
            # are irrelevant or have the highest grade.
            ends = self._orders(sizes, _all, lambda size: _latest(size, 1))
            return [Gradings(nothing)] + [
                Gradings(order, level, number, level if number else 0.0)
                for level in self.levels.tolist()
                for order in ends
                for number in ([0, _ALL] if absent else [0])
            ]
        best, worst = self._orders(sizes, _earliest, _latest)
        if self.falls_with_absent:
            parts = [Gradings(best, top), Gradings(worst, top)]
            return [*parts, Gradings(worst, top, _ALL, top)] if absent else parts
        numbers: Sequence[int] = range(absent + 1) if self.counts_absent else (0, _ALL)
        parts = [
            Gradings(order, top, number, top)
            for order in (best, worst)
            for number in (numbers if absent else (0,))
        ]
        if self.least is not None:
            # One of the least grade may be all that makes a query defined.
            parts.append(Gradings((Choice(size, lambda: np.eye(size)),), self.least))
            parts.append(Gradings(nothing, 1.0, 1, self.least))
        return parts

    def _orders(
        self,
        sizes: tuple[int, ...],
        good: Callable[[int], Choice],
        bad: Callable[[int], Choice],
    ) -> tuple[tuple[Choice, ...], tuple[Choice, ...]]:
        """The best and the worst orders; what is good for one system of a pair is bad for it."""
        if not self.is_pair:
            return tuple(map(good, sizes)), tuple(map(bad, sizes))
        of_new, of_old, of_both = sizes
        both = _subsets(of_both)
        return (good(of_new), bad(of_old), both), (bad(of_new), good(of_old), both)

    def _of_all_levels(self, sizes: tuple[int, ...], absent: int) -> list[Gradings]:
        """Greatest: every choice of grades, the better ones earlier.

        Least: each item is irrelevant or has the highest grade, for the value is linear in what an
        item satisfies, and the ideal convex. Absent items enter the ideal alone, which one of the
        highest grade raises least.
        """
        levels = self.levels.tolist()
        one, every = ([(n, level) for level in levels if absent] for n in (1, _ALL))
        if self.is_pair:
            of_new, of_old = (
                [_falling(n, self.levels, turned=t) for t in (False, True)] for n in sizes[:2]
            )
            both = _every(sizes[2], self.levels)
            orders = (of_new[0], of_old[1], both), (of_new[1], of_old[0], both)
            numbers = [(0, 0.0), *one, *every]
            return [Gradings(order, 1.0, *number) for order in orders for number in numbers]
        falling, latest = (_falling(sizes[0], self.levels),), (_latest(sizes[0]),)
        parts = [Gradings(falling, 1.0, *number) for number in [(0, 0.0), *one]]
        for level in levels:
            parts.append(Gradings(latest, level))
            if absent:
                parts.append(Gradings(latest, level, _ALL, level))
        return parts


def checked_maker(
    measure: Measure,
    rankings: JudgedRankings,
    unjudged: OpenItems,
    max_grade: float,
    *,
    change: bool = False,
) -> Maker:
    """Makes the gradings that hold the extremes; UndefinedMetricError if they are too many."""
    maker = _maker(measure, rankings, max_grade, change=change)
    kinds, first = np.unique(
        np.column_stack((unjudged.classes, unjudged.absent)), axis=0, return_index=True
    )
    for kind, query in zip(kinds.tolist(), first.tolist(), strict=True):
        number = sum(part.number for part in maker.gradings(tuple(kind[:-1]), kind[-1]))
        n_unjudged = sum(kind[:-1])
        if number > MOST_GRADINGS or number * n_unjudged > _MOST_CELLS:
            msg = (
                f"{'the change of ' if change else ''}{measure} has no bounds that are found in "
                f"time: query {safe_repr(rankings.query_ids[query])} has {n_unjudged:,} unjudged "
                f"items, and {number:.1e} ways to grade them would have to be tried; a smaller "
                "cutoff leaves fewer"
            )
            raise UndefinedMetricError(msg)
    return maker


def _maker(measure: Measure, rankings: JudgedRankings, max_grade: float, *, change: bool) -> Maker:
    name, top = _kind(measure), np.array([max_grade])
    if name in ("err", "nerr"):
        kind = "level" if name == "err" else "levels"
        return Maker(kind, possible_grades(rankings, max_grade), change)
    if name in _SUMS:
        least, best = least_and_best_grade(rankings, max_grade, measure.options["gain"])
        return Maker("counts" if change else "ends", np.array([best]), change, least=least)
    if name in _RISE and not change:
        return Maker("ends", top)
    members = {member.metric.name for member in _members(measure)}
    names = members or {name}
    falls = names <= _RISE | _FALL
    by_absent = bool(names & _BY_ABSENT) or (bool(members) and (change or not falls))
    # Each relevant item moves the steps of iprec; two lengths of rankings are two divisors.
    moves = name == "iprec" or measure.options.get("denominator") == "listed"
    by_absent |= change and (moves or (name == "fbeta" and measure.k is None))
    return Maker("counts", top, change, by_absent, falls and not change)


# Values of gradings ------------------------------------------------------------------------------


Value = Callable[[list[JudgedRankings], IntArray], FloatArray]
"""Values of the rankings of all systems, made of the queries of these numbers."""


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
        """Gradings of several queries, one after the other."""
        query, values, weights = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(query, kind="stable")
        return cls(query[order], values[order], weights[order])

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
    maker: Maker,
    value: Value,
    weigh: Value | None = None,
) -> Candidates:
    """Least and greatest value of each query, and NaN if it may be undefined.

    With weights that depend on the grading every value counts, and all are returned.
    """
    parts = []
    for queries, (grades, absent, absent_grades) in _alike(systems, unjudged, maker):
        n_gradings = len(grades)
        query, row = np.repeat(queries, n_gradings), np.repeat(np.arange(len(queries)), n_gradings)
        numbers = np.minimum(np.tile(absent, len(queries)), unjudged.absent[query])
        missing = numbers, np.tile(absent_grades, len(queries))
        filled = [
            completed(
                rankings,
                query,
                (above[row], tied[row]),
                np.tile(grades, (len(queries), 1)),
                missing,
            )
            for rankings, (above, tied) in zip(systems, unjudged.of(queries), strict=True)
        ]
        values = value(filled, query)
        if weigh is not None:
            parts.append(Candidates(query, values, weigh(filled, query)))
            continue
        values = values.reshape(len(queries), n_gradings)
        undefined = np.isnan(values)
        least = np.where(undefined, np.inf, values).min(axis=1)
        greatest = np.where(undefined, -np.inf, values).max(axis=1)
        nothing = undefined.all(axis=1)
        ends = np.column_stack((least, greatest, least))
        ends[np.column_stack((nothing, nothing, undefined.any(axis=1)))] = np.nan
        parts.append(Candidates.of(np.repeat(queries, 3), ends.ravel()))
    return Candidates.join(parts)


def _alike(
    systems: Sequence[JudgedRankings], unjudged: OpenItems, maker: Maker
) -> Iterator[tuple[IntArray, list[Array]]]:
    """Queries with equally many items of each class, and gradings, in blocks of bounded size.

    Of C gradings: (C, U) grades, and how many absent items are relevant at most, and their grade.
    """
    absent = unjudged.absent if maker.counts_absent else np.minimum(unjudged.absent, 1)
    kinds, which = np.unique(
        np.column_stack((unjudged.classes, absent)), axis=0, return_inverse=True
    )
    for number, kind in enumerate(kinds.tolist()):
        queries = np.flatnonzero(which.ravel() == number)
        gradings = maker.gradings(tuple(kind[:-1]), kind[-1])
        sizes = [part.number for part in gradings]
        columns = [
            np.concatenate([part.make() for part in gradings]),
            np.repeat([part.absent for part in gradings], sizes),
            np.repeat([part.absent_grade for part in gradings], sizes),
        ]
        n_known = max(int(rankings.n_relevant[queries].max()) for rankings in systems)
        width = sum(kind[:-1]) + n_known + int(unjudged.absent[queries].max()) + 1
        step, limit = max(_CELLS // (sum(sizes) * width), 1), max(_CELLS // width, 1)
        for start in range(0, len(queries), step):
            # Gradings of one query may be more than are measured at once.
            for first in range(0, sum(sizes), limit):
                part = [column[first : first + limit] for column in columns]
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

    def best(gains: FloatArray) -> IntArray:
        """Number of the candidate with the greatest gain, the first of several, of each query."""
        most = np.repeat(np.maximum.reduceat(gains, starts), np.diff(starts, append=len(gains)))
        first = np.where(gains == most, np.arange(len(gains)), len(gains))
        return np.minimum.reduceat(first, starts)

    def mean_of(chosen: IntArray) -> float:
        total = float(weights[chosen].sum())
        return float((weights * values)[chosen].sum()) / total if total > 0 else math.nan

    chosen = best((weights > 0).astype(np.float64))
    mean = mean_of(chosen)
    while not math.isnan(mean):
        better = best(sign * weights * (values - mean))
        next_mean = mean_of(better)
        if math.isnan(next_mean) or not sign * next_mean > sign * mean:
            break
        chosen, mean = better, next_mean
    return chosen
