"""From scores to places: the only code that sorts scores and knows about ties.

Scores are never negated, shifted or cast down: each dtype is compared as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sklearn_rank.rankings.as_ranked import AsRanked, HitBlocks
from sklearn_rank.rankings.grade_counts import narrow_grades
from sklearn_rank.rankings.hits import Hits, resolved, within
from sklearn_rank.rankings.judged import Cutoff, JudgedRankings
from sklearn_rank.rankings.look_up import look_up
from sklearn_rank.rankings.scored import ItemRows, ScoredItems
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.support.runtime import in_threads
from sklearn_rank.support.segments import (
    blocks,
    by_rising_length,
    offsets_of,
    similar_runs,
)
from sklearn_rank.support.sorting import (
    falling_codes,
    order_segments,
    runs_of,
    sort_tagged,
)
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, Ties

RANK_BLOCK = 1 << 17
"""Items ranked at once; cost hardly changes between a quarter and twice of it."""

FEW_TIES = 16
"""Where fewer than one item in so many equals the one before it, ties are looked at one by one."""

SHORT = 32
"""In shorter rows, a division for each hit costs less than a search for each row."""


def ranked(
    items: ScoredItems,
    ties: Ties,
    *,
    query_ids: Sequence[Any] | Array,
    weights: FloatArray | None = None,
    judged: tuple[IntArray, FloatArray] | None = None,
    depth: int | None = None,
    n_jobs: int | None = None,
) -> JudgedRankings:
    """The waist of scored items, made in blocks of queries that fit the processor's cache.

    ``judged`` (offsets, grades) tells all relevant items if some were not retrieved. Hits that
    cannot stand within the first ``depth`` ranks are counted and not stored; None stores all.
    """
    items, n_ranked = items.narrowed(), np.diff(items.offsets)
    longest = int(n_ranked.max(initial=0))
    if depth is not None and depth >= longest:
        depth = None
    # Sums are computed in 64 bits, block by block; what is kept of them is smaller.
    kept: Any = np.int32 if longest < 1 << 31 else np.int64
    rank, work, order = _way(items, n_ranked, depth, by_place=TIE_RULES[ties].by_place)

    def rank_block(queries: slice) -> Hits:
        hits = resolved(rank(queries), ties)
        if depth is not None:
            hits = within(hits, depth)
        tied = None if hits.tied is None else hits.tied.astype(kept, copy=False)
        return hits._replace(above=hits.above.astype(kept, copy=False), tied=tied)

    n_queries = len(n_ranked)
    hits = HitBlocks(in_threads(rank_block, work, n_jobs), order, n_queries, n_jobs)
    if order is not None and depth is None and judged is None:
        return AsRanked.of(hits, query_ids=query_ids, n_ranked=n_ranked, weights=weights)
    ordered = hits.in_order()
    offsets = offsets_of(ordered.counts)
    judged_offsets, judged_grades, cutoff = offsets, ordered.grades, None
    if depth is not None:
        judged_offsets, judged_grades = items.relevant()
        cutoff = Cutoff(depth, np.diff(judged_offsets), hits.in_ties())
    if judged is not None:
        judged_offsets, judged_grades = judged[0], narrow_grades(judged[1])
    return JudgedRankings(
        query_ids=query_ids,
        offsets=offsets,
        above=ordered.above,
        tied=ordered.sizes(),
        grades=ordered.grades,
        n_ranked=n_ranked,
        judged_offsets=judged_offsets,
        judged_grades=judged_grades,
        weights=weights,
        cutoff=cutoff,
    )


def _way(
    items: ScoredItems, n_ranked: IntArray, depth: int | None, *, by_place: bool
) -> tuple[Callable[[slice], Hits], list[slice], IntArray | None]:
    """What ranks queries, in which blocks, and of which order of the queries they are."""
    are_few = not by_place and _is_cheaper_to_look_up(items.offsets, items.n_hits)
    rows = None if are_few or not len(items.scores) else items.graded()
    if rows is None:
        known = items.known()
        work = [slice(*borders) for borders in blocks(items.offsets, RANK_BLOCK)] or [slice(0, 0)]
        return lambda queries: look_up(known.block(queries)), work, None
    order = None
    if (n_ranked != n_ranked[0]).any():
        # Queries without items have no place among the others.
        order = by_rising_length(n_ranked)[np.count_nonzero(n_ranked == 0) :]
    work = list(similar_runs(n_ranked if order is None else n_ranked[order], RANK_BLOCK))

    def rank(queries: slice) -> Hits:
        return _by_order(rows.rows(queries, order), depth, by_place=by_place)

    return rank, work, order


# All items in order ------------------------------------------------------------------------------


def _is_cheaper_to_look_up(offsets: IntArray, n_hits: int) -> bool:
    """A look-up costs much for each query and hit, but less for each item than an order of all.

    A query of 300 items costs three times as much as its order with AVX-512, and one of 1,000 as
    much without AVX2; one hit in 25 costs the same either way with AVX-512, and half with AVX2.
    """
    return bool(offsets[-1] > 500 * (len(offsets) - 1) + 25 * n_hits)


def _by_order(rows: ItemRows, depth: int | None, *, by_place: bool) -> Hits:
    """Many relevant items: order all items; ``by_place`` breaks ties by the order of the rows.

    What stands below ``depth`` ranks, and is not tied with an item above, is left out.
    """
    width = rows.width
    codes, tagged = falling_codes(rows.scores), None
    if len(rows.beyond):
        codes[rows.beyond] = codes.max()
    if not by_place and rows.grades.dtype == np.uint8:
        # The better grades of a tie come first.
        tagged = sort_tagged(codes, np.invert(rows.grades), width, rows.beyond)
    if tagged is not None:
        same, grades = tagged.same, np.invert(tagged.tags)
    else:
        offsets = np.arange(0, len(codes) + 1, width)
        order, same = order_segments(codes, offsets, rows.beyond)
        grades = rows.grades[order]
    if by_place:
        same = None
    in_ties = None
    if depth is not None and depth < width:
        if same is not None:
            in_ties = _queries_in_ties(same, grades, width)
        grades, same, width = _first_columns(grades, same, width, depth)
    relevant = grades > 0
    places = np.flatnonzero(relevant)
    grades = grades.take(places)
    counts, above = _by_row(places, len(relevant) // width, width)
    if same is None:
        return Hits(counts, above, None, grades, in_ties)
    join = _join_few_ties if np.count_nonzero(same) * FEW_TIES < len(same) else _join_ties
    tie, tied = join(same, places, above)
    is_tied = tied > 1
    if not is_tied.any():
        return Hits(counts, above, None, grades, in_ties)
    if tagged is None:
        _order_ties(np.flatnonzero(is_tied), tie, grades)
    return Hits(counts, above, tied, grades, in_ties)


def _by_row(places: IntArray, n_rows: int, width: int) -> tuple[IntArray, IntArray]:
    """How many of some places are in each row, and the columns of them all, narrow if they fit."""
    narrow: Any = np.int32 if n_rows * width < 1 << 31 else np.int64
    columns: Array = places.astype(narrow)
    if width < SHORT:
        row = columns // narrow(width)
        columns -= row * narrow(width)
        return np.bincount(row, minlength=n_rows), columns
    starts = np.arange(0, (n_rows + 1) * width, width)
    counts = np.diff(np.searchsorted(places, starts))
    columns -= np.repeat(starts[:-1].astype(narrow), counts)
    return counts, columns


def _queries_in_ties(same: BoolArray, grades: Array, width: int) -> BoolArray:
    """Rows in which a relevant item equals a neighbour."""
    later = np.flatnonzero(same) + 1
    tied = np.concatenate((later - 1, later))
    in_ties = np.zeros(len(grades) // width, dtype=bool)
    in_ties[tied[grades[tied] > 0] // width] = True
    return in_ties


def _first_columns(
    grades: Array, same: BoolArray | None, width: int, depth: int
) -> tuple[Array, BoolArray | None, int]:
    """The first ``depth`` columns of sorted rows, and the next ones until no tie goes on in any."""
    n_columns = depth
    if same is not None:
        matrix = np.concatenate(([False], same)).reshape(-1, width)
        goes_on = np.append(matrix[:, depth:].any(axis=0), False)
        n_columns += int(np.argmin(goes_on))
        same = matrix[:, :n_columns].ravel()[1:]
    top = np.ascontiguousarray(grades.reshape(-1, width)[:, :n_columns]).ravel()
    return top, same if same is not None and same.any() else None, n_columns


def _join_ties(same: BoolArray, places: IntArray, above: IntArray) -> tuple[IntArray, IntArray]:
    """Give the hits of a tie one place, in place; the number of the tie of each, and its size."""
    is_first = np.ones(len(same) + 1, dtype=bool)
    np.logical_not(same, out=is_first[1:])
    firsts = np.flatnonzero(is_first).astype(above.dtype)
    sizes = np.diff(firsts, append=firsts.dtype.type(len(is_first)))
    tie = np.repeat(np.arange(len(firsts), dtype=above.dtype), sizes).take(places)
    above -= places.astype(above.dtype)
    above += firsts.take(tie)
    return tie, sizes.take(tie)


def _join_few_ties(same: BoolArray, places: IntArray, above: IntArray) -> tuple[IntArray, IntArray]:
    """The same where most items are in no tie, whose number then is 0."""
    runs = runs_of(same)
    sizes = np.diff(runs.borders)
    run = np.repeat(np.arange(len(sizes)), sizes)
    hits = np.searchsorted(places, runs.members)
    # A member that is no hit would stand where another cell is, or beyond the last.
    relevant = np.flatnonzero(np.append(places, -1)[hits] == runs.members)
    hits, run, members = hits[relevant], run[relevant], runs.members[relevant]
    above[hits] -= members - runs.members[runs.borders[:-1]][run]
    tie, tied = np.zeros_like(above), np.ones_like(above)
    tie[hits], tied[hits] = run, sizes[run]
    return tie, tied


def _order_ties(hits: IntArray, tie: IntArray, grades: Array) -> None:
    """Put the better grades of each tie first; in place."""
    new = np.flatnonzero(np.diff(tie.take(hits))) + 1
    borders = np.concatenate(([0], new, [len(hits)]))
    tied_grades = grades[hits]
    grades[hits] = tied_grades[order_segments(falling_codes(tied_grades), borders).order]
