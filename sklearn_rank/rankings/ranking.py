"""From scores to places: the rank step, the only code that sorts scores and knows about ties.

Scores are never negated, shifted or cast down: each dtype is compared as it is. Queries of similar
length are ranked together, as padded rows of packed keys; where few items of long rankings are
relevant, the greater scores of each are counted instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.rankings.judged import JudgedRankings, narrow_grades, segments, untied
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.runtime import in_threads
from sklearn_rank.support.segments import (
    EMPTY,
    blocks,
    by_rising_length,
    gather_rows,
    offsets_of,
    segment_index,
    similar_runs,
    sizes_of,
    take_segments,
)
from sklearn_rank.support.sorting import falling_codes, order_segments, sort_tagged, sortable
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, Ties

RANK_BLOCK = 1 << 17
"""Items ranked at once; cost hardly changes between a quarter and twice of it."""
PAIRS = 256
"""Hits times items of a query that cost, compared with each other, what calls for it alone do."""


class TieRule(NamedTuple):
    """Order of equally scored items."""

    name: Ties
    order: str
    """The order of tied items, as the documentation has it."""
    by_place: bool = False
    """Whether tied items stand in the order in which they came, so that places must be kept."""
    by_id: bool = False
    """Whether they are put in falling order of their ids first, which takes ids."""


_DOCID = "falling item ids, as trec_eval does; not for arrays, which have no ids"
_RULES = (
    TieRule("average", "the exact expectation over all orders"),
    TieRule("stable", "the order of the input", by_place=True),
    TieRule("docid", _DOCID, by_place=True, by_id=True),
    TieRule("optimistic", "relevant items first, the better grades before the others"),
    TieRule("pessimistic", "relevant items last, the better grades after the others"),
)
TIE_RULES: Mapping[str, TieRule] = MappingProxyType({rule.name: rule for rule in _RULES})


def grade_order(ties: str) -> str:
    """The rule if it puts tied items in the order of their grades; else empty."""
    return ties if ties in ("optimistic", "pessimistic") else ""


def check_ties(value: Any, owner: str) -> Ties:
    """``value`` if it names a rule for tied items."""
    return TIE_RULES[check_option(value, "ties", TIE_RULES, owner)].name


# Scored items ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class GradedRows:
    """A score and a grade for every item; those of query ``i`` are ``offsets[i]:offsets[i+1]``.

    A grade above 0 is relevant. For ``ties="docid"`` items come in descending order of their ids.
    """

    scores: Array
    offsets: IntArray
    grades: Array

    def take(self, queries: slice | IntArray) -> GradedRows:
        """The items of some queries."""
        rows, offsets = segments(self.offsets, queries)
        return GradedRows(self.scores[rows], offsets, self.grades[rows])

    def as_one(self) -> GradedRows:
        """The items of all queries as those of one."""
        return replace(self, offsets=np.array([0, len(self.scores)]))

    def narrowed(self) -> GradedRows:
        """The same with grades as narrow as can be."""
        return replace(self, grades=narrow_grades(self.grades))

    def relevant(self) -> tuple[IntArray, Array]:
        """Offsets and grades of the relevant items of each query."""
        places = np.flatnonzero(self.grades > 0)
        return np.searchsorted(places, self.offsets), self.grades[places]

    def graded(self) -> GradedRows:
        """Itself."""
        return self

    def known(self) -> KnownHits:
        """The same with the relevant items apart."""
        positions = np.flatnonzero(self.grades > 0)
        hit_offsets = np.searchsorted(positions, self.offsets)
        scores, grades = self.scores[positions], self.grades[positions]
        return KnownHits(self.scores, self.offsets, hit_offsets, scores, grades, positions)


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

    def take(self, queries: slice | IntArray) -> KnownHits:
        """The items of some queries."""
        rows, offsets = segments(self.offsets, queries)
        hits, hit_offsets = segments(self.hit_offsets, queries)
        positions = None
        if self.positions is not None:
            shift = offsets[:-1] - self.offsets[:-1][queries]
            positions = self.positions[hits] + np.repeat(shift, sizes_of(hit_offsets))
        scores, grades = self.hit_scores[hits], self.hit_grades[hits]
        return KnownHits(self.scores[rows], offsets, hit_offsets, scores, grades, positions)

    def as_one(self) -> KnownHits:
        """The items of all queries as those of one."""
        ends = np.array([0, len(self.scores)]), np.array([0, len(self.hit_scores)])
        return replace(self, offsets=ends[0], hit_offsets=ends[1])

    def narrowed(self) -> KnownHits:
        """The same with grades as narrow as can be."""
        return replace(self, hit_grades=narrow_grades(self.hit_grades))

    def relevant(self) -> tuple[IntArray, Array]:
        """Offsets and grades of the relevant items of each query."""
        return self.hit_offsets, self.hit_grades

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


class Hits(NamedTuple):
    """Relevant items in rank order, query after query."""

    counts: IntArray
    above: IntArray
    tied: IntArray | None
    """(H,) size of the tie of each hit, 1 being no tie; None where no hit is tied."""
    grades: Array

    def sizes(self) -> IntArray:
        """(H,) size of the tie of each hit."""
        if self.tied is None:
            return untied(len(self.above), self.above.dtype)
        return self.tied


# The rank step -----------------------------------------------------------------------------------


def ranked(
    items: ScoredItems,
    ties: Ties,
    *,
    query_ids: Sequence[Any] | Array,
    weights: FloatArray | None = None,
    judged: tuple[IntArray, FloatArray] | None = None,
    n_jobs: int | None = None,
) -> JudgedRankings:
    """Judged rankings of scored items, made in blocks of queries that fit the processor's cache.

    ``judged`` (offsets, grades) are all relevant items if some were not retrieved.
    """
    items, n_ranked = items.narrowed(), sizes_of(items.offsets)
    longest = int(n_ranked.max(initial=0))
    # Sums are computed in 64 bits, block by block; what is kept of them is smaller.
    kept: Any = np.int32 if longest < 1 << 31 else np.int64
    by_place = TIE_RULES[ties].by_place
    source, work, order = _plan(items, n_ranked, by_place=by_place)

    def rank(queries: slice) -> Hits:
        if isinstance(source, KnownHits):
            hits = rank_by_counting(source.take(queries))
        else:
            hits = _by_order(source, queries, order, by_place=by_place)
        if grade_order(ties):
            hits = _by_grade(hits, ties)
        tied = None if hits.tied is None else hits.tied.astype(kept, copy=False)
        return hits._replace(above=hits.above.astype(kept, copy=False), tied=tied)

    hits = _in_order(in_threads(rank, work, n_jobs), order, len(n_ranked))
    offsets = offsets_of(hits.counts)
    judged_offsets, judged_grades = offsets, hits.grades
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
    )


def _plan(
    items: ScoredItems, n_ranked: IntArray, *, by_place: bool
) -> tuple[ScoredItems, list[slice], IntArray | None]:
    """The items as they are to be ranked, the blocks, and of which order of the queries they are.

    None is the order of the input. Hits known apart are counted, rows are put in order.
    """
    rows = items.graded() if len(items.scores) and (by_place or not _are_few(items)) else None
    if rows is None:
        work = [slice(*borders) for borders in blocks(items.offsets, RANK_BLOCK)]
        return items.known(), work or [slice(0, 0)], None
    order = None
    if (n_ranked != n_ranked[0]).any():
        # Queries without items have no place among the others.
        order = by_rising_length(n_ranked)[np.count_nonzero(n_ranked == 0) :]
    lengths = n_ranked if order is None else n_ranked[order]
    return rows, list(similar_runs(lengths, RANK_BLOCK)), order


def _are_few(items: ScoredItems) -> bool:
    """A look-up costs much for each query and hit, but less for each item than an order of all.

    A query of 300 items costs three times as much as its order with AVX-512, and one of 1,000 as
    much without AVX2; one hit in 25 costs the same either way with AVX-512, and half with AVX2.
    """
    spare = len(items.scores) - 500 * (len(items.offsets) - 1)
    if spare <= 0:
        return False
    if isinstance(items, GradedRows):
        return spare > 25 * int(np.count_nonzero(items.grades > 0))
    return spare > 25 * len(items.hit_scores)


def _in_order(parts: Sequence[Hits], order: IntArray | None, n_queries: int) -> Hits:
    """The hits of all blocks, whose queries ``order`` numbers, in the order of the queries."""
    if len(parts) == 1 and order is None:
        return parts[0]
    if order is None:
        order = np.arange(n_queries)
    counts = np.zeros(n_queries, np.int64)
    counts[order] = np.concatenate([hits.counts for hits in parts])
    offsets = offsets_of(counts)
    above = np.empty(offsets[-1], parts[0].above.dtype)
    grades = np.empty(offsets[-1], parts[0].grades.dtype)
    tied = None if all(hits.tied is None for hits in parts) else np.ones_like(above)
    first = 0
    for hits in parts:
        queries = order[first : first + len(hits.counts)]
        first += len(hits.counts)
        here = np.repeat(offsets[queries] - offsets_of(hits.counts)[:-1], hits.counts)
        here += np.arange(len(here))
        above[here], grades[here] = hits.above, hits.grades
        if tied is not None and hits.tied is not None:
            tied[here] = hits.tied
    return Hits(counts, above, tied, grades)


def _by_grade(hits: Hits, ties: Ties) -> Hits:
    """Break ties for or against the relevant items, the better grades first or last."""
    tied = hits.tied
    if tied is None:
        return hits
    query = segment_index(offsets_of(hits.counts))
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


# All items in order ------------------------------------------------------------------------------


def _by_order(rows: GradedRows, queries: slice, order: IntArray | None, *, by_place: bool) -> Hits:
    """Many relevant items: order all items of queries of similar length, as rows of one width.

    Without an ``order`` of the queries, all are of one length. ``by_place`` breaks ties by the
    order of the items.
    """
    beyond = EMPTY
    if order is None:
        own = rows.take(queries)
        scores, grades, width = own.scores, own.grades, int(own.offsets[1])
    else:
        (scores, grades), width, beyond = gather_rows(
            rows.offsets, order[queries], rows.scores, rows.grades
        )
        grades[beyond] = 0
    codes, tagged = falling_codes(scores), None
    if len(beyond):
        codes[beyond] = codes.max()
    if not by_place and grades.dtype == np.uint8:
        # The better grades of a tie come first.
        tagged = sort_tagged(codes, np.invert(grades), width, beyond)
    if tagged is not None:
        same, grades = tagged.same, np.invert(tagged.tags)
    else:
        sequence, same = order_segments(codes, np.arange(0, len(codes) + 1, width), beyond)
        grades = grades[sequence]
    if by_place:
        same = None
    places = np.flatnonzero(grades > 0)
    counts, above = _columns(places, len(codes) // width, width)
    grades = grades.take(places)
    if same is None:
        return Hits(counts, above, None, grades)
    tie, tied = _join_ties(same, places, above)
    is_tied = tied > 1
    if not is_tied.any():
        return Hits(counts, above, None, grades)
    if tagged is None:
        # The better grades of each tie first.
        hits = np.flatnonzero(is_tied)
        new = np.flatnonzero(np.diff(tie.take(hits))) + 1
        codes = falling_codes(grades[hits])
        borders = np.concatenate(([0], new, [len(hits)]))
        grades[hits] = grades[hits][order_segments(codes, borders).order]
    return Hits(counts, above, tied, grades)


def _columns(places: IntArray, n_rows: int, width: int) -> tuple[IntArray, IntArray]:
    """How many of some cells are in each row, and the columns of them all, narrow if they fit."""
    narrow: Any = np.int32 if n_rows * width < 1 << 31 else np.int64
    columns: Array = places.astype(narrow)
    if len(places) < 8 * n_rows:
        row = columns // narrow(width)
        columns -= row * narrow(width)
        return np.bincount(row, minlength=n_rows), columns
    # A division for each of many costs more than a search for each row.
    starts = np.arange(0, (n_rows + 1) * width, width)
    counts = sizes_of(np.searchsorted(places, starts))
    columns -= np.repeat(starts[:-1].astype(narrow), counts)
    return counts, columns


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


# Greater scores counted --------------------------------------------------------------------------


def rank_by_counting(items: KnownHits) -> Hits:
    """Few relevant items: above each stand as many as have greater scores."""
    wanted, borders = items.hit_scores, items.hit_offsets
    smaller, not_greater = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
    starts, cuts = items.offsets.tolist(), borders.tolist()
    counts, sizes = sizes_of(borders), sizes_of(items.offsets)
    is_short = counts * sizes <= PAIRS
    # Hits of short queries are compared with all scores of their queries at once.
    short = np.flatnonzero(np.repeat(is_short, counts))
    query = segment_index(borders)[short]
    for first, last in blocks(offsets_of(sizes[query]), RANK_BLOCK):
        rows, ends = take_segments(items.offsets, query[first:last])
        hits, scores = short[first:last], items.scores[rows]
        sought = np.repeat(wanted[hits], sizes_of(ends))
        smaller[hits] = np.add.reduceat(scores < sought, ends[:-1], dtype=np.int64)
        not_greater[hits] = np.add.reduceat(scores <= sought, ends[:-1], dtype=np.int64)
    for number in np.flatnonzero((counts > 0) & ~is_short).tolist():
        scores = items.scores[starts[number] : starts[number + 1]]
        own = slice(cuts[number], cuts[number + 1])
        count = _counted if _is_cheaper_to_count(len(scores), own.stop - own.start) else _searched
        smaller[own], not_greater[own] = count(scores, wanted[own])
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


def _counted(scores: Array, wanted: Array) -> tuple[IntArray, IntArray]:
    """Numbers of scores below each given score, and of scores not above it."""
    smaller = [np.count_nonzero(scores < score) for score in wanted]
    not_greater = [np.count_nonzero(scores <= score) for score in wanted]
    return np.array(smaller), np.array(not_greater)


def _searched(scores: Array, wanted: Array) -> tuple[IntArray, IntArray]:
    """The same numbers from sorted scores."""
    ordered, sought = np.sort(sortable(scores)), sortable(wanted)
    return ordered.searchsorted(sought, "left"), ordered.searchsorted(sought, "right")
