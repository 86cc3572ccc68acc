"""From scores to places: the rank step, the only code that sorts scores and knows about ties.

Scores are never negated, shifted or cast down: each dtype is compared as it is. Queries of similar
length are ranked together, as padded rows of packed keys; where few items of long rankings are
relevant, the greater scores of each are counted instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.rankings.judged import Cutoff, JudgedRankings, narrow_grades
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.runtime import in_threads
from sklearn_rank.support.segments import (
    EMPTY,
    blocks,
    by_rising_length,
    gather_rows,
    offsets_of,
    segment_index,
    segment_max,
    similar_runs,
    sizes_of,
    take_segments,
)
from sklearn_rank.support.sorting import falling_codes, order_segments, sort_tagged, sortable
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, Ties


@dataclass(frozen=True, eq=False, repr=False)
class TieRule:
    """What becomes of equally scored items."""

    name: Ties
    order: str
    """The order of tied items, as the documentation has it."""
    by_place: bool = False
    """Whether tied items stand in the order in which they came, so that places must be kept."""
    by_id: bool = False
    """Whether they are put in falling order of their ids first, which takes ids."""


TIE_RULES: Mapping[str, TieRule] = MappingProxyType(
    {
        rule.name: rule
        for rule in (
            TieRule("average", "the exact expectation over all orders"),
            TieRule("stable", "the order of the input", by_place=True),
            TieRule(
                "docid",
                "falling item ids, as trec_eval does; not for arrays, which have no ids",
                by_place=True,
                by_id=True,
            ),
            TieRule("optimistic", "relevant items first, the better grades before the others"),
            TieRule("pessimistic", "relevant items last, the better grades after the others"),
        )
    }
)


def grade_order(ties: str) -> str:
    """The rule if it puts tied items in the order of their grades; else empty."""
    return ties if ties in ("optimistic", "pessimistic") else ""


def check_ties(value: Any, owner: str) -> Ties:
    """``value`` if it names a rule for tied items."""
    return TIE_RULES[check_option(value, "ties", TIE_RULES, owner)].name


RANK_BLOCK = 1 << 17
"""Items ranked at once; cost hardly changes between a quarter and twice of it."""
SHORT = 32
"""In shorter rows, a division for each hit costs less than a search for each row."""
PAIRS = 256
"""Hits times items of a query that cost, compared with each other, what calls for it alone do."""


# Scored items, as their layout gives them --------------------------------------------------------


class ItemRows(NamedTuple):
    """Items of queries of similar length, as rows of one width."""

    scores: Array
    grades: Array
    width: int
    beyond: IntArray
    """Cells after the end of a query; what stands there is not relevant."""


@dataclass(frozen=True, eq=False, repr=False)
class GradedRows:
    """A score and a grade for every item; those of a query are ``offsets[i]:offsets[i+1]``.

    A grade above 0 is relevant. For ``ties="docid"`` items come in descending order of their ids.
    """

    scores: Array
    offsets: IntArray
    grades: Array

    def take(self, queries: IntArray) -> GradedRows:
        """The items of some queries alone."""
        rows, offsets = take_segments(self.offsets, queries)
        return GradedRows(self.scores[rows], offsets, self.grades[rows])

    def as_one(self) -> GradedRows:
        """The items of all queries as those of one."""
        return GradedRows(self.scores, np.array([0, len(self.scores)]), self.grades)

    def graded(self) -> GradedRows:
        """Itself."""
        return self

    def narrowed(self) -> GradedRows:
        """The same with grades as narrow as can be."""
        return replace(self, grades=narrow_grades(self.grades))

    def relevant_grades(self) -> FloatArray:
        """Grades of the relevant items."""
        return self.grades[self.grades > 0].astype(np.float64)

    def relevant(self) -> tuple[IntArray, Array]:
        """Grades of the relevant items of each query, and their offsets."""
        places = np.flatnonzero(self.grades > 0)
        return np.searchsorted(places, self.offsets), self.grades[places]

    @cached_property
    def n_hits(self) -> int:
        """Number of the relevant items."""
        return int(np.count_nonzero(self.grades > 0))

    def known(self) -> KnownHits:
        """The same with the relevant items apart."""
        positions = np.flatnonzero(self.grades > 0)
        hit_offsets = np.searchsorted(positions, self.offsets)
        wanted, grades = self.scores[positions], self.grades[positions]
        return KnownHits(self.scores, self.offsets, hit_offsets, wanted, grades, positions)

    def rows(self, queries: slice, order: IntArray | None) -> ItemRows:
        """Queries of similar length as rows; without an ``order``, all are of one length."""
        if order is None:
            start, stop = self.offsets[queries.start], self.offsets[queries.stop]
            width = int(self.offsets[queries.start + 1] - start)
            return ItemRows(self.scores[start:stop], self.grades[start:stop], width, EMPTY)
        (scores, grades), width, beyond = gather_rows(
            self.offsets, order[queries], self.scores, self.grades
        )
        grades[beyond] = 0
        return ItemRows(scores, grades, width, beyond)


@dataclass(frozen=True, eq=False, repr=False)
class KnownHits:
    """A score for every item, and which scores are those of relevant items.

    Relevant items of query ``i`` are ``hit_offsets[i]:hit_offsets[i+1]``. Where they stand among
    the scores (``positions``, ascending) is needed only where ties are broken by place.
    """

    scores: Array
    offsets: IntArray
    hit_offsets: IntArray
    hit_scores: Array
    hit_grades: Array
    positions: IntArray | None = None

    def block(self, queries: slice) -> KnownHits:
        """The items of queries that follow each other."""
        first, last = queries.start, queries.stop
        start, stop = self.offsets[first], self.offsets[last]
        low, high = self.hit_offsets[first], self.hit_offsets[last]
        return KnownHits(
            self.scores[start:stop],
            self.offsets[first : last + 1] - start,
            self.hit_offsets[first : last + 1] - low,
            self.hit_scores[low:high],
            self.hit_grades[low:high],
            None if self.positions is None else self.positions[low:high] - start,
        )

    def take(self, queries: IntArray) -> KnownHits:
        """The items of some queries alone."""
        rows, offsets = take_segments(self.offsets, queries)
        hits, hit_offsets = take_segments(self.hit_offsets, queries)
        positions = self.positions
        if positions is not None:
            shift = np.repeat(offsets[:-1] - self.offsets[:-1][queries], sizes_of(hit_offsets))
            positions = positions[hits] + shift
        return KnownHits(
            self.scores[rows],
            offsets,
            hit_offsets,
            self.hit_scores[hits],
            self.hit_grades[hits],
            positions,
        )

    def as_one(self) -> KnownHits:
        """The items of all queries as those of one."""
        return replace(
            self,
            offsets=np.array([0, len(self.scores)]),
            hit_offsets=np.array([0, len(self.hit_scores)]),
        )

    def narrowed(self) -> KnownHits:
        """The same with grades as narrow as can be."""
        return replace(self, hit_grades=narrow_grades(self.hit_grades))

    def relevant_grades(self) -> FloatArray:
        """Grades of the relevant items."""
        return self.hit_grades

    def relevant(self) -> tuple[IntArray, Array]:
        """Grades of the relevant items of each query, and their offsets."""
        return self.hit_offsets, self.hit_grades

    @property
    def n_hits(self) -> int:
        """Number of the relevant items."""
        return len(self.hit_scores)

    def graded(self) -> GradedRows | None:
        """The same with a grade for every item; None if places of the hits are not known."""
        if self.positions is None:
            return None
        grades = np.zeros(len(self.scores), self.hit_grades.dtype)
        grades[self.positions] = self.hit_grades
        return GradedRows(self.scores, self.offsets, grades)

    def known(self) -> KnownHits:
        """Itself."""
        return self


ScoredItems: TypeAlias = GradedRows | KnownHits


# Hits --------------------------------------------------------------------------------------------


class Hits(NamedTuple):
    """Relevant items in rank order, query after query; perhaps those above a cutoff alone."""

    counts: IntArray
    above: IntArray
    tied: IntArray | None
    """None where no hit is tied."""
    grades: Array
    in_ties: BoolArray | None = None
    """Queries of which a hit is tied, above the cutoff or below; None where none is."""

    def sizes(self) -> IntArray:
        """(H,) size of the tie of each hit; 1 is no tie."""
        if self.tied is None:
            return np.broadcast_to(self.above.dtype.type(1), len(self.above))
        return self.tied

    def are_in_ties(self) -> BoolArray:
        """(Q,) whether a hit of the query is tied."""
        if self.in_ties is not None:
            return self.in_ties
        if self.tied is None:
            return np.zeros(len(self.counts), dtype=bool)
        return segment_max(self.tied, offsets_of(self.counts)) > 1


def within(hits: Hits, depth: int) -> Hits:
    """The hits that may stand within the first ``depth`` ranks."""
    tied = hits.tied
    in_ties = None if hits.in_ties is None and tied is None else hits.are_in_ties()
    top = hits.above < depth
    if top.all():
        return hits._replace(in_ties=in_ties)
    kept = np.flatnonzero(top)
    return Hits(
        sizes_of(np.searchsorted(kept, offsets_of(hits.counts))),
        hits.above[kept],
        None if tied is None else tied[kept],
        hits.grades[kept],
        in_ties,
    )


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
    counts = sizes_of(np.append(starts, len(query)))
    inside = np.arange(len(query)) - np.repeat(starts, counts)
    above, grades = hits.above + inside, hits.grades
    if ties == "pessimistic":
        above += tied - np.repeat(counts, counts)
        grades = grades[np.repeat(starts + counts - 1, counts) - inside]
    return Hits(hits.counts, above, None, grades)


# The rank step ---------------------------------------------------------------------------------


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
    """Judged rankings of scored items, made in blocks of queries that fit the processor's cache.

    ``judged`` (offsets, grades) tells all relevant items if some were not retrieved. Hits that
    cannot stand within the first ``depth`` ranks are counted and not stored; None stores all.
    """
    items, n_ranked = items.narrowed(), sizes_of(items.offsets)
    longest = int(n_ranked.max(initial=0))
    if depth is not None and depth >= longest:
        depth = None
    # Sums are computed in 64 bits, block by block; what is kept of them is smaller.
    kept: Any = np.int32 if longest < 1 << 31 else np.int64
    rank, work, order = _plan(items, n_ranked, depth, by_place=TIE_RULES[ties].by_place)

    def rank_block(queries: slice) -> Hits:
        hits = resolved(rank(queries), ties)
        if depth is not None:
            hits = within(hits, depth)
        tied = None if hits.tied is None else hits.tied.astype(kept, copy=False)
        return hits._replace(above=hits.above.astype(kept, copy=False), tied=tied)

    hits = _in_order(in_threads(rank_block, work, n_jobs), order, len(n_ranked), n_jobs)
    offsets = offsets_of(hits.counts)
    judged_offsets, judged_grades, cutoff = offsets, hits.grades, None
    if depth is not None:
        judged_offsets, judged_grades = items.relevant()
        cutoff = Cutoff(depth, sizes_of(judged_offsets), hits.are_in_ties())
    if judged is not None:
        judged_offsets, judged_grades = judged[0], narrow_grades(judged[1])
    return JudgedRankings(
        query_ids=query_ids,
        offsets=offsets,
        above=hits.above,
        tied=hits.sizes(),
        grades=hits.grades,
        n_ranked=n_ranked,
        judged_offsets=judged_offsets,
        judged_grades=judged_grades,
        weights=weights,
        cutoff=cutoff,
    )


def _plan(
    items: ScoredItems, n_ranked: IntArray, depth: int | None, *, by_place: bool
) -> tuple[Callable[[slice], Hits], list[slice], IntArray | None]:
    """What ranks queries, in which blocks, and of which order of the queries they are."""
    are_few = not by_place and _are_few(items.offsets, items.n_hits)
    rows = None if are_few or not len(items.scores) else items.graded()
    if rows is None:
        known = items.known()
        work = [slice(*borders) for borders in blocks(items.offsets, RANK_BLOCK)] or [slice(0, 0)]
        return lambda queries: rank_by_counting(known.block(queries)), work, None
    order = None
    if (n_ranked != n_ranked[0]).any():
        # Queries without items have no place among the others.
        order = by_rising_length(n_ranked)[np.count_nonzero(n_ranked == 0) :]
    work = list(similar_runs(n_ranked if order is None else n_ranked[order], RANK_BLOCK))

    def rank(queries: slice) -> Hits:
        return _by_order(rows.rows(queries, order), depth, by_place=by_place)

    return rank, work, order


def _in_order(
    parts: Sequence[Hits], order: IntArray | None, n_queries: int, n_jobs: int | None
) -> Hits:
    """The hits of all blocks, whose queries ``order`` numbers, in the order of the queries."""
    counts = _by_query([hits.counts for hits in parts], order, n_queries)
    offsets = offsets_of(counts)
    above = np.empty(offsets[-1], parts[0].above.dtype)
    grades = np.empty(offsets[-1], parts[0].grades.dtype)
    tied = None if all(hits.tied is None for hits in parts) else np.ones_like(above)
    lasts = np.cumsum([len(hits.counts) for hits in parts])

    def place(number: int) -> None:
        hits, last = parts[number], int(lasts[number])
        first = last - len(hits.counts)
        here: Any = slice(offsets[first], offsets[last])
        if order is not None:
            shift = offsets[order[first:last]] - offsets_of(hits.counts)[:-1]
            here = np.repeat(shift, hits.counts) + np.arange(len(hits.above))
        above[here], grades[here] = hits.above, hits.grades
        if tied is not None and hits.tied is not None:
            tied[here] = hits.tied

    in_threads(place, range(len(parts)), n_jobs)
    in_ties = None
    if any(hits.in_ties is not None for hits in parts):
        in_ties = _by_query([hits.are_in_ties() for hits in parts], order, n_queries)
    return Hits(counts, above, tied, grades, in_ties)


def _by_query(values: Sequence[Array], order: IntArray | None, n_queries: int) -> Array:
    """A number for each query of each block, in the order of the queries."""
    together = np.concatenate(values)
    if order is None:
        return together
    ordered = np.zeros(n_queries, together.dtype)
    ordered[order] = together
    return ordered


# All items in order ------------------------------------------------------------------------------


def _are_few(offsets: IntArray, n_hits: int) -> bool:
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
    tie, tied = _join_ties(same, places, above)
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
    counts = sizes_of(np.searchsorted(places, starts))
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
    equal = np.flatnonzero(same)  # each of them equals the next item
    starts = np.flatnonzero(np.diff(equal, prepend=-2) > 1)
    firsts = equal.take(starts)
    sizes = (np.diff(starts, append=len(equal)) + 1).astype(above.dtype)
    is_first = np.zeros(len(same) + 1, dtype=bool)
    is_first[firsts] = True
    tie = np.cumsum(is_first, dtype=above.dtype).take(places)
    tie -= 1
    inside = (places - firsts.take(tie)).astype(above.dtype)
    tied = sizes.take(tie)
    alone = (tie < 0) | (inside >= tied)
    inside[alone], tied[alone] = 0, 1
    above -= inside
    return tie, tied


def _order_ties(hits: IntArray, tie: IntArray, grades: Array) -> None:
    """Put the better grades of each tie first; in place."""
    new = np.flatnonzero(np.diff(tie.take(hits))) + 1
    borders = np.concatenate(([0], new, [len(hits)]))
    tied_grades = grades[hits]
    grades[hits] = tied_grades[order_segments(falling_codes(tied_grades), borders).order]


# Greater scores counted --------------------------------------------------------------------------


def rank_by_counting(items: KnownHits) -> Hits:
    """Few relevant items: above each stand as many as have greater scores."""
    wanted, borders = items.hit_scores, items.hit_offsets
    smaller, not_greater = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    starts, cuts = items.offsets.tolist(), borders.tolist()
    counts, sizes = sizes_of(borders), sizes_of(items.offsets)
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
    for first, last in blocks(offsets_of(sizes_of(items.offsets)[query]), RANK_BLOCK):
        rows, borders = take_segments(items.offsets, query[first:last])
        chosen, scores = hits[first:last], items.scores[rows]
        wanted = np.repeat(items.hit_scores[chosen], sizes_of(borders))
        smaller[chosen] = np.add.reduceat(scores < wanted, borders[:-1], dtype=np.int64)
        not_greater[chosen] = np.add.reduceat(scores <= wanted, borders[:-1], dtype=np.int64)


def _counted(scores: Array, wanted: Array) -> tuple[IntArray, IntArray]:
    """How many scores are smaller than each wanted one, and how many are not greater."""
    smaller = [np.count_nonzero(scores < score) for score in wanted]
    not_greater = [np.count_nonzero(scores <= score) for score in wanted]
    return np.array(smaller), np.array(not_greater)


def _searched(scores: Array, wanted: Array) -> tuple[IntArray, IntArray]:
    """The same numbers from sorted scores."""
    ordered, sought = np.sort(sortable(scores)), sortable(wanted)
    return ordered.searchsorted(sought, "left"), ordered.searchsorted(sought, "right")
