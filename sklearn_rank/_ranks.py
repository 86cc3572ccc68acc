"""From scores to places: the only code that sorts scores and knows about ties.

Scores are never negated, shifted or cast down: each dtype is compared as it is.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from sklearn_rank._judged import JudgedRankings
from sklearn_rank._segments import blocks, offsets_of, segment_index
from sklearn_rank.typing import Array, FloatArray, IntArray, Ties

RANK_BLOCK = 1 << 17
_LAST = np.uint32(0xFFFFFFFF)


class Hits(NamedTuple):
    """Relevant items in rank order, query after query."""

    counts: IntArray
    above: IntArray
    tied: IntArray
    grades: FloatArray


@dataclass(frozen=True)
class ScoredItems:
    """All items of all queries with their scores, and the grades of the relevant ones.

    Rows of a query are ``offsets[i]:offsets[i+1]``. ``positions`` (ascending) and ``grades`` say
    which rows are relevant. For ``ties="docid"`` rows come in descending order of their ids.
    """

    scores: Array
    offsets: IntArray
    positions: IntArray
    grades: FloatArray

    def block(self, first: int, last: int) -> ScoredItems:
        """The items of queries ``first:last``."""
        start, stop = self.offsets[first], self.offsets[last]
        low, high = np.searchsorted(self.positions, (start, stop))
        return ScoredItems(
            self.scores[start:stop],
            self.offsets[first : last + 1] - start,
            self.positions[low:high] - start,
            self.grades[low:high],
        )


def rank(items: ScoredItems, ties: Ties, *, n_jobs: int | None = None) -> Hits:
    """Places of the relevant items under a tie policy."""
    work = [items.block(first, last) for first, last in blocks(items.offsets, RANK_BLOCK)]

    def rank_one(block: ScoredItems) -> Hits:
        return _resolve(_rank_block(block, ties), ties)

    if n_jobs is None or n_jobs == 1 or len(work) < 2:
        parts = [rank_one(block) for block in work]
    else:
        with ThreadPoolExecutor(n_jobs if n_jobs > 0 else None) as pool:
            parts = list(pool.map(rank_one, work))
    if not parts:
        parts = [_nothing(0)]
    return Hits(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def judged_rankings(
    items: ScoredItems,
    ties: Ties,
    *,
    query_ids: Array | list[object],
    weights: FloatArray | None = None,
    judged: tuple[IntArray, FloatArray] | None = None,
    n_jobs: int | None = None,
) -> JudgedRankings:
    """The waist of scored items; ``judged`` (offsets, grades) adds what was not retrieved."""
    hits = rank(items, ties, n_jobs=n_jobs)
    offsets = offsets_of(hits.counts)
    judged_offsets, judged_grades = judged or (offsets, hits.grades)
    return JudgedRankings(
        query_ids=query_ids,
        offsets=offsets,
        above=hits.above,
        tied=hits.tied,
        grades=hits.grades,
        n_ranked=np.diff(items.offsets),
        judged_offsets=judged_offsets,
        judged_grades=judged_grades,
        weights=weights,
    )


# Three ways to the same places ------------------------------------------------------------------


def _rank_block(items: ScoredItems, ties: Ties) -> Hits:
    if not len(items.positions):
        return _nothing(len(items.offsets) - 1)
    if ties in ("stable", "docid"):
        return _by_argsort(items, stable=True)
    n_items, n_queries, n_hits = len(items.scores), len(items.offsets) - 1, len(items.positions)
    # A search costs some calls per query and a few steps per hit, a sort some steps per item.
    if n_items > 270 * n_queries + 7 * n_hits:
        return _by_search(items)
    if items.scores.dtype.type in (np.float32, np.float16):
        single = items.grades.astype(np.float32)
        if (single == items.grades).all():
            return _by_packed_sort(items, single)
    return _by_argsort(items, stable=False)


def _by_search(items: ScoredItems) -> Hits:
    """Few relevant items: sort the bare scores, then look the relevant ones up."""
    ordered = _sorted_segments(items.scores.copy(), items.offsets)
    wanted = items.scores[items.positions]
    borders = np.searchsorted(items.positions, items.offsets)
    above, tied = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    starts, cuts = items.offsets.tolist(), borders.tolist()
    for query in np.flatnonzero(np.diff(borders)).tolist():
        segment = ordered[starts[query] : starts[query + 1]]
        chosen = slice(cuts[query], cuts[query + 1])
        right = segment.searchsorted(wanted[chosen], "right")
        above[chosen] = len(segment) - right
        tied[chosen] = right - segment.searchsorted(wanted[chosen], "left")
    counts = np.diff(borders)
    order = np.lexsort((-items.grades, above, segment_index(borders)))
    return Hits(counts, above[order], tied[order], items.grades[order])


def _by_packed_sort(items: ScoredItems, grades: Array) -> Hits:
    """Score and grade packed into one integer, so that one fast sort orders both."""
    n_items = len(items.scores)
    # + 0.0 makes one zero of two; then the bits of a float, flipped, order as the floats do.
    bits = (items.scores.astype(np.float32) + np.float32(0.0)).view(np.int32)
    halves = np.empty((n_items, 2), dtype=np.uint32)
    low, high = (0, 1) if np.little_endian else (1, 0)
    np.bitwise_xor(bits, (~bits >> 31) & np.int32(0x7FFFFFFF), out=halves[:, high].view(np.int32))
    halves[:, low] = _LAST
    halves[items.positions, low] = ~grades.view(np.uint32)
    _sorted_segments(halves.view(np.uint64).ravel(), items.offsets)

    places = np.flatnonzero(halves[:, low] != _LAST)
    found = (~halves[places, low]).view(np.float32).astype(np.float64)
    return _places(halves[:, high], places, found, items.offsets)


def _by_argsort(items: ScoredItems, *, stable: bool) -> Hits:
    """Any dtype: order the rows; ``stable`` breaks ties by the order of the rows."""
    n_items = len(items.scores)
    # Sorting the reversed rows ascending and reversing back is descending and keeps row order.
    flipped = n_items - items.offsets[::-1]
    order = _argsorted_segments(items.scores[::-1], flipped, stable=stable)
    order = (n_items - 1) - order[::-1]
    graded = np.zeros(n_items)
    graded[items.positions] = items.grades
    graded = graded[order]
    places = np.flatnonzero(graded)
    if stable:
        counts = np.diff(np.searchsorted(places, items.offsets))
        above = places - np.repeat(items.offsets[:-1], counts)
        return Hits(counts, above, np.ones(len(places), np.int64), graded[places])
    return _places(items.scores[order], places, graded[places], items.offsets)


def _places(ordered: Array, places: IntArray, grades: FloatArray, offsets: IntArray) -> Hits:
    """Places of hits that stand at ``places`` of the ``ordered`` scores, with their ties."""
    borders = np.searchsorted(places, offsets)
    counts = np.diff(borders)
    start = np.repeat(offsets[:-1], counts)
    same = ordered[1:] == ordered[:-1]
    inner = offsets[1:-1]
    same[inner[(inner > 0) & (inner < len(ordered))] - 1] = False
    if not same.any():
        return Hits(counts, places - start, np.ones(len(places), np.int64), grades)
    group_starts = np.flatnonzero(np.concatenate(([True], ~same)))
    sizes = np.diff(group_starts, append=len(ordered))
    group = np.searchsorted(group_starts, places, side="right") - 1
    above, tied = group_starts[group] - start, sizes[group]
    inside = np.flatnonzero(tied > 1)
    order = np.lexsort((-grades[inside], group[inside]))
    grades[inside] = grades[inside[order]]
    return Hits(counts, above, tied, grades)


def _resolve(hits: Hits, ties: Ties) -> Hits:
    """Break ties for or against the relevant items, the better grades first or last."""
    if ties not in ("optimistic", "pessimistic") or not (hits.tied > 1).any():
        return hits
    offsets = offsets_of(hits.counts)
    query = segment_index(offsets)
    new = np.ones(len(query), dtype=bool)
    new[1:] = (hits.above[1:] != hits.above[:-1]) | (query[1:] != query[:-1])
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, len(query)))
    inside = np.arange(len(query)) - np.repeat(starts, counts)
    above, grades = hits.above + inside, hits.grades
    if ties == "pessimistic":
        above += hits.tied - np.repeat(counts, counts)
        grades = grades[np.repeat(starts + counts - 1, counts) - inside]
    return Hits(hits.counts, above, np.ones_like(above), grades)


def _nothing(n_queries: int) -> Hits:
    none = np.zeros(0, dtype=np.int64)
    return Hits(np.zeros(n_queries, dtype=np.int64), none, none, np.zeros(0))


def _equal_lengths(offsets: IntArray) -> int:
    """Length of all segments if they are equally long, else 0."""
    lengths = np.diff(offsets)
    return int(lengths[0]) if len(lengths) and (lengths == lengths[0]).all() else 0


def _sorted_segments(values: Array, offsets: IntArray) -> Array:
    if length := _equal_lengths(offsets):
        values.reshape(-1, length).sort(axis=1)
        return values
    borders = offsets.tolist()
    for start, stop in pairwise(borders):
        values[start:stop].sort()
    return values


def _argsorted_segments(values: Array, offsets: IntArray, *, stable: bool) -> IntArray:
    kind: Literal["stable", "quicksort"] = "stable" if stable else "quicksort"
    if length := _equal_lengths(offsets):
        order = values.reshape(-1, length).argsort(axis=1, kind=kind)
        order += offsets[:-1, None]
        return order.ravel()
    order = np.empty(len(values), dtype=np.int64)
    borders = offsets.tolist()
    for start, stop in pairwise(borders):
        np.add(values[start:stop].argsort(kind=kind), start, out=order[start:stop])
    return order
