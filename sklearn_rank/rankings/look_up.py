"""Where few relevant items stand among many others: looked up, without an order of all."""

from __future__ import annotations

import numpy as np

from sklearn_rank.rankings.hits import Hits
from sklearn_rank.rankings.scored import KnownHits
from sklearn_rank.support.segments import blocks, offsets_of, segment_index, take_segments
from sklearn_rank.support.sorting import falling_codes, order_segments, sortable
from sklearn_rank.typing import Array, IntArray

PAIRS = 256
"""Hits times items of a query that cost, compared with each other, what calls for it alone do."""

RUN_PER_HIT = 32
"""Items in a sorted run for each hit: so few runs cost less to search than to sort."""

LONG = 1 << 15
"""Fewer scores are sorted all at once: the search of runs makes some fifty calls."""

_BLOCK = 1 << 17
"""Pairs compared at once: they fit the processor's cache."""


def look_up(items: KnownHits) -> Hits:
    """Few relevant items: above each stand as many as have greater scores."""
    wanted, borders = items.hit_scores, items.hit_offsets
    smaller, not_greater = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    starts, cuts = items.offsets.tolist(), borders.tolist()
    counts, sizes = np.diff(borders), np.diff(items.offsets)
    is_short = counts * sizes <= PAIRS
    _count_pairs(items, np.flatnonzero(np.repeat(is_short, counts)), smaller, not_greater)
    for query in np.flatnonzero((counts > 0) & ~is_short).tolist():
        scores = items.scores[starts[query] : starts[query + 1]]
        hits = slice(cuts[query], cuts[query + 1])
        count = _counted if _is_cheaper_to_count(len(scores), hits.stop - hits.start) else _searched
        smaller[hits], not_greater[hits] = count(scores, wanted[hits])
    above = np.repeat(sizes, counts) - not_greater
    order = order_segments(falling_codes(items.hit_grades), borders).order
    order = order[order_segments(above[order].view(np.uint64), borders).order]
    tied = (not_greater - smaller)[order]
    return Hits(counts, above[order], tied if (tied > 1).any() else None, items.hit_grades[order])


def _is_cheaper_to_count(n_items: int, n_hits: int) -> bool:
    """To count is to read all items for each hit; to search is to sort them once, in short runs.

    Processors agree about the cost of a reading, but a sort takes from 5 ns an item, with AVX-512,
    to 70 without AVX2. 22 lies between them: neither pays much more than twice the better way.
    """
    return n_hits * (5000 + 0.6 * n_items) < 3000 + 22.0 * n_items


def _count_pairs(
    items: KnownHits, hits: IntArray, smaller: IntArray, not_greater: IntArray
) -> None:
    """Compare some hits with all scores of their queries at once; in place."""
    query = segment_index(items.hit_offsets)[hits]
    for first, last in blocks(offsets_of(np.diff(items.offsets)[query]), _BLOCK):
        rows, borders = take_segments(items.offsets, query[first:last])
        chosen, scores = hits[first:last], items.scores[rows]
        wanted = np.repeat(items.hit_scores[chosen], np.diff(borders))
        smaller[chosen] = np.add.reduceat(scores < wanted, borders[:-1], dtype=np.int64)
        not_greater[chosen] = np.add.reduceat(scores <= wanted, borders[:-1], dtype=np.int64)


def _counted(scores: Array, wanted: Array) -> tuple[IntArray, IntArray]:
    """How many scores are smaller than each wanted one, and how many are not greater."""
    smaller = [np.count_nonzero(scores < score) for score in wanted]
    not_greater = [np.count_nonzero(scores <= score) for score in wanted]
    return np.array(smaller), np.array(not_greater)


def _searched(scores: Array, wanted: Array) -> tuple[IntArray, IntArray]:
    """The same numbers from sorted scores.

    Short runs are sorted fast by every processor, long ones are not by some with AVX-512.
    """
    scores, wanted = sortable(scores), sortable(wanted)
    length = 1 << (RUN_PER_HIT * len(wanted) - 1).bit_length()
    n_runs = len(scores) // length if len(scores) >= LONG else 0
    n_sorted = n_runs * length
    rest = np.sort(scores[n_sorted:])
    smaller, not_greater = rest.searchsorted(wanted, "left"), rest.searchsorted(wanted, "right")
    if n_sorted:
        runs = np.sort(scores[:n_sorted].reshape(n_runs, length), axis=1)
        smaller += _search_runs(runs, wanted, np.less)
        not_greater += _search_runs(runs, wanted, np.less_equal)
    return smaller, not_greater


def _search_runs(runs: Array, wanted: Array, is_before: np.ufunc) -> IntArray:
    """How many scores stand before each wanted one: a binary search in all runs at once."""
    n_runs, length = runs.shape
    flat, starts, sought = runs.ravel(), np.arange(n_runs) * length, wanted[:, None]
    places = np.tile(starts, (len(wanted), 1))
    step = length // 2
    while step:
        places += step * is_before(flat.take(places + (step - 1)), sought)
        step //= 2
    places += is_before(flat.take(places), sought)
    total: IntArray = (places - starts).sum(axis=1)
    return total
