"""From scores to places: the only code that sorts scores and knows about ties.

Scores are never negated, shifted or cast down: each dtype is compared as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.rankings.grade_counts import narrow_grades
from sklearn_rank.rankings.judged import Cutoff, JudgedRankings
from sklearn_rank.rankings.scored import ItemRows, KnownHits, ScoredItems
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.support.segments import (
    blocks,
    by_rising_length,
    offsets_of,
    segment_index,
    segment_max,
    similar_runs,
    take_segments,
)
from sklearn_rank.support.sorting import (
    Runs,
    falling_codes,
    order_segments,
    runs_of,
    sort_tagged,
    sortable,
)
from sklearn_rank.support.threads import in_threads
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, Ties

RANK_BLOCK = 1 << 17
"""Items ranked at once; cost hardly changes between a quarter and twice of it."""

PAIRS = 256
"""Hits times items of a query that cost, compared with each other, what calls for it alone do."""

RUN_PER_HIT = 32
"""Items in a sorted run for each hit: so few runs cost less to search than to sort."""

LONG = 1 << 15
"""Fewer scores are sorted all at once: the search of runs makes some fifty calls."""


class Hits(NamedTuple):
    """Relevant items in rank order, query after query; perhaps those above a cutoff alone."""

    counts: IntArray
    above: IntArray
    tied: IntArray | None
    """None where no hit is tied."""
    grades: Array
    in_ties: BoolArray | None = None
    """Queries of which a hit is tied, above the cutoff or below; None where none is."""


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
            hits = _within(hits, depth)
        tied = None if hits.tied is None else hits.tied.astype(kept)
        return hits._replace(above=hits.above.astype(kept), tied=tied)

    blocks_of_hits = in_threads(rank_block, work, n_jobs)
    hits = _in_order(blocks_of_hits, len(n_ranked), order, n_jobs)
    above, tied, offsets = hits.above, hits.tied, offsets_of(hits.counts)
    judged_offsets, judged_grades, cutoff = offsets, hits.grades, None
    if depth is not None:
        judged_offsets, judged_grades = items.relevant()
        in_ties = np.zeros(len(n_ranked), dtype=bool) if hits.in_ties is None else hits.in_ties
        cutoff = Cutoff(depth, np.diff(judged_offsets), in_ties)
    if judged is not None:
        judged_offsets, judged_grades = judged[0], narrow_grades(judged[1])
    return JudgedRankings(
        query_ids=query_ids,
        offsets=offsets,
        above=above,
        tied=np.broadcast_to(above.dtype.type(1), len(above)) if tied is None else tied,
        grades=hits.grades,
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
    look_up = not by_place and _is_cheaper_to_look_up(items.offsets, items.n_hits)
    rows = None if look_up or not len(items.scores) else items.graded()
    if rows is None:
        known = items.known()
        work = [slice(*borders) for borders in blocks(items.offsets, RANK_BLOCK)] or [slice(0, 0)]
        return lambda queries: _by_look_up(known.block(queries)), work, None
    order = None
    if (n_ranked != n_ranked[0]).any():
        # Queries without items have no place among the others.
        order = by_rising_length(n_ranked)[np.count_nonzero(n_ranked == 0) :]
    work = list(similar_runs(n_ranked if order is None else n_ranked[order], RANK_BLOCK))

    def rank(queries: slice) -> Hits:
        return _by_order(rows.rows(queries, order), depth, by_place=by_place)

    return rank, work, order


def _in_order(
    parts: list[Hits], n_queries: int, order: IntArray | None, n_jobs: int | None
) -> Hits:
    """The hits of all blocks, in the order of the queries."""
    counts = _by_query([part.counts for part in parts], n_queries, order)
    in_ties = None
    if any(part.in_ties is not None for part in parts):
        flags = [
            np.zeros(len(part.counts), bool) if part.in_ties is None else part.in_ties
            for part in parts
        ]
        in_ties = _by_query(flags, n_queries, order)
    offsets = offsets_of(counts)
    n_hits = int(offsets[-1])
    above, grades = np.empty(n_hits, parts[0].above.dtype), np.empty(n_hits, parts[0].grades.dtype)
    tied = None
    if any(part.tied is not None for part in parts):
        tied = np.ones_like(above)
    lasts = np.cumsum([len(part.counts) for part in parts])

    def place(number: int) -> None:
        part = parts[number]
        first, last = int(lasts[number]) - len(part.counts), int(lasts[number])
        here: Any = slice(offsets[first], offsets[last])
        if order is not None:
            shift = offsets[order[first:last]] - offsets_of(part.counts)[:-1]
            here = np.repeat(shift, part.counts) + np.arange(len(part.above))
        above[here], grades[here] = part.above, part.grades
        if tied is not None and part.tied is not None:
            tied[here] = part.tied

    in_threads(place, range(len(parts)), n_jobs)
    return Hits(counts, above, tied, grades, in_ties)


def _by_query(parts: list[Array], n_queries: int, order: IntArray | None) -> Array:
    """A number for each query, in the order of the queries."""
    values = np.concatenate(parts)
    if order is None:
        return values
    by_query = np.zeros(n_queries, values.dtype)
    by_query[order] = values
    return by_query


def _within(hits: Hits, depth: int) -> Hits:
    """The hits that may stand within the first ``depth`` ranks."""
    in_ties, tied = hits.in_ties, hits.tied
    if in_ties is None and tied is not None:
        in_ties = segment_max(tied, offsets_of(hits.counts)) > 1
    top = hits.above < depth
    if top.all():
        return hits._replace(in_ties=in_ties)
    kept = np.flatnonzero(top)
    return Hits(
        np.diff(np.searchsorted(kept, offsets_of(hits.counts))),
        hits.above[kept],
        None if tied is None else tied[kept],
        hits.grades[kept],
        in_ties,
    )


# Three ways to the same places ------------------------------------------------------------------


def _is_cheaper_to_look_up(offsets: IntArray, n_hits: int) -> bool:
    """A look-up costs much for each query and hit, but less for each item than an order of all."""
    return bool(offsets[-1] > 250 * (len(offsets) - 1) + 33 * n_hits)


def _is_cheaper_to_count(n_items: int, n_hits: int) -> bool:
    """To count is to read all items for each hit; to search is to sort them once, in short runs.

    Processors agree about the cost of a reading, but a sort takes from 3 to 40 ns an item; 6 lies
    between them.
    """
    return n_hits * (5000 + 0.25 * n_items) < 3000 + 6.0 * n_items


def _by_look_up(items: KnownHits) -> Hits:
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


def _count_pairs(
    items: KnownHits, hits: IntArray, smaller: IntArray, not_greater: IntArray
) -> None:
    """Compare some hits with all scores of their queries at once; in place."""
    query = segment_index(items.hit_offsets)[hits]
    for first, last in blocks(offsets_of(np.diff(items.offsets)[query]), RANK_BLOCK):
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


def _by_order(rows: ItemRows, depth: int | None, *, by_place: bool) -> Hits:
    """Many relevant items: order all items; ``by_place`` breaks ties by the order of the rows.

    What stands below ``depth`` ranks, and is not tied with an item above, is left out.
    """
    width = rows.width
    offsets = np.arange(0, len(rows.scores) + 1, width)
    codes, tagged = falling_codes(rows.scores), None
    if len(rows.beyond):
        codes[rows.beyond] = codes.max()
    if not by_place and rows.grades.dtype == np.uint8:
        # The better grades of a tie come first.
        tagged = sort_tagged(codes, np.invert(rows.grades), width, rows.beyond)
    if tagged is not None:
        same, grades = tagged.same, np.invert(tagged.tags)
    else:
        order, same = order_segments(codes, offsets, rows.beyond)
        grades = rows.grades[order]
    if by_place:
        same = None
    in_ties = None
    if depth is not None and depth < width:
        if same is not None:
            in_ties = _queries_in_ties(same, grades, width)
        grades, same, width = _first_columns(grades, same, width, depth)
        offsets = np.arange(0, len(grades) + 1, width)
    relevant = grades > 0
    places = np.flatnonzero(relevant)
    grades = grades[places]
    counts = np.diff(np.searchsorted(places, offsets))
    above = places - np.repeat(offsets[:-1], counts)
    if same is None:
        return Hits(counts, above, None, grades, in_ties)
    tied = np.ones_like(above)
    ties = _join_ties(runs_of(same), relevant, places, above, tied)
    if tagged is None:
        _order_ties(ties, grades)
    return Hits(counts, above, tied, grades, in_ties)


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


class _TiedHits(NamedTuple):
    """Hits that share their score with other items."""

    hits: IntArray
    borders: IntArray
    """Of the hits of each tie."""


def _join_ties(
    runs: Runs, relevant: BoolArray, places: IntArray, above: IntArray, tied: IntArray
) -> _TiedHits:
    """Give the hits of a tie one place; in place."""
    hits = np.flatnonzero(runs.is_member[places])
    sizes = np.diff(runs.borders)
    run = np.repeat(np.arange(len(sizes)), sizes)[np.flatnonzero(relevant[runs.members])]
    above[hits] -= places[hits] - runs.members[runs.borders[:-1]][run]
    tied[hits] = sizes[run]
    new = np.flatnonzero(run[1:] != run[:-1]) + 1
    return _TiedHits(hits, np.concatenate(([0], new, [len(run)])))


def _order_ties(ties: _TiedHits, grades: Array) -> None:
    """Put the better grades of each tie first; in place."""
    tied_grades = grades[ties.hits]
    grades[ties.hits] = tied_grades[order_segments(falling_codes(tied_grades), ties.borders).order]


def resolved(hits: Hits, ties: Ties) -> Hits:
    """Break ties for or against the relevant items, the better grades first or last."""
    tied = hits.tied
    if ties not in ("optimistic", "pessimistic"):
        return hits
    if tied is None or not (tied > 1).any():
        return hits._replace(in_ties=None)
    offsets = offsets_of(hits.counts)
    query = segment_index(offsets)
    new = np.ones(len(query), dtype=bool)
    new[1:] = (hits.above[1:] != hits.above[:-1]) | (query[1:] != query[:-1])
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, len(query)))
    inside = np.arange(len(query)) - np.repeat(starts, counts)
    above, grades = hits.above + inside, hits.grades
    if ties == "pessimistic":
        above += tied - np.repeat(counts, counts)
        grades = grades[np.repeat(starts + counts - 1, counts) - inside]
    return Hits(hits.counts, above, None, grades)
