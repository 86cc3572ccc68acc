"""From scores to ranks: the only code that sorts scores and handles ties.

Scores are never negated, shifted or cast down: each dtype is compared as it is. Queries of similar
length are ranked together, as padded rows of packed keys; where few items of long rankings are
relevant, the greater scores of each are counted instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.judged import (
    JudgedRankings,
    Positions,
    Unjudged,
    narrow_grades,
    segments,
    untied,
)
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.segments import (
    EMPTY,
    blocks,
    by_rising_length,
    gather_rows,
    offsets_of,
    segment_count,
    segment_index,
    similar_runs,
    sizes_of,
    take_segments,
)
from sklearn_rank.support.sorting import (
    by_narrow_keys,
    by_wide_keys,
    falling_codes,
    order_segments,
    sortable,
)
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, Ties

RANK_BLOCK = 1 << 17
"""Items ranked at once; the cost hardly changes between a quarter and twice this number."""
PAIRS = 256
"""Hits times items of a query up to which comparing all pairs costs less than calls of NumPy."""
FEW_PAIRS = 1 << 13
"""Such pairs, in queries of different lengths, up to which making rows does not pay."""
FEW_ITEMS = 1 << 11
"""Up to this many untied items, ordering them is faster than making their keys."""


class TieRule(NamedTuple):
    """Order of equally scored items."""

    name: Ties
    order: str
    """The order of tied items, in the words of the documentation."""
    by_position: bool = False
    """Whether tied items are in the order of the input, so that positions must be preserved."""
    by_id: bool = False
    """Whether they are first put in descending order of their ids, which requires ids."""


_DOCID = "descending item ids, as in trec_eval; not for arrays, which have no ids"
_RULES = (
    TieRule("average", "the exact expectation over all orders"),
    TieRule("stable", "the order of the input", by_position=True),
    TieRule("docid", _DOCID, by_position=True, by_id=True),
    TieRule("optimistic", "relevant items first, highest grades first"),
    TieRule("pessimistic", "relevant items last, highest grades last"),
)
TIE_RULES: Mapping[str, TieRule] = MappingProxyType({rule.name: rule for rule in _RULES})


def grade_order(ties: str) -> str:
    """The rule if it orders tied items by grade; else empty."""
    return ties if ties in ("optimistic", "pessimistic") else ""


def check_ties(value: Any, owner: str) -> Ties:
    """``value`` if it names a rule for tied items."""
    return TIE_RULES[check_option(value, "ties", TIE_RULES, owner)].name


# What was ranked ---------------------------------------------------------------------------------


class Items(NamedTuple):
    """The ranked items, query after query, with the grade of each.

    For ``ties="docid"`` tied items are in descending order of id.
    """

    offsets: IntArray
    """(Q+1,) items of query ``i`` are ``offsets[i]:offsets[i+1]``."""
    scores: Array | None
    """(n,) None: the items are in ranked order."""
    grades: Array
    """(n,) relevant above 0; NaN or below 0: unjudged, if ``n_judged`` is given."""
    judged: tuple[IntArray, Array] | None = None
    """Offsets and grades of all relevant items; None: all were retrieved."""
    missed: FloatArray | None = None
    """Grades of relevant items that belong to no query in particular."""
    n_judged: IntArray | None = None
    """(Q,) judged items, retrieved or not; None: nothing can be unjudged."""
    relevance: Array | None = None
    """(n,) scores of items in ranked order, for measures that read scores."""
    ties: Ties = "average"
    no_pool: str = ""
    """Why the items of several queries do not compare; empty: they do."""

    def take(self, queries: slice | IntArray) -> Items:
        """The items of some queries, without other items; unjudged ones are irrelevant."""
        rows, offsets = segments(self.offsets, queries)
        judged = self.judged
        if judged is not None:
            chosen, borders = segments(judged[0], queries)
            judged = borders, judged[1][chosen]
        scores, relevance = (None if v is None else v[rows] for v in (self.scores, self.relevance))
        return Items(
            offsets,
            scores,
            self.grades[rows],
            judged,
            relevance=relevance,
            ties=self.ties,
            no_pool=self.no_pool,
        )

    @property
    def is_unjudged(self) -> BoolArray:
        """(n,) whether nobody judged an item."""
        return ~(self.grades >= 0)

    def all_relevant(self) -> tuple[IntArray, Array]:
        """Offsets and grades of the relevant items of each query, retrieved or not."""
        if self.judged is not None:
            return self.judged
        hits = np.flatnonzero(self.grades > 0)
        return np.searchsorted(hits, self.offsets), self.grades[hits]

    def by_relevance(self) -> Items:
        """Items with relevance as scores; unchanged if there is none."""
        return (
            self if self.relevance is None else self._replace(scores=self.relevance, relevance=None)
        )

    def comparable(self) -> Array:
        """Relevance, scores, or numbers that fall with the ranks."""
        if self.relevance is not None:
            return self.relevance
        if self.scores is not None:
            return self.scores
        return np.repeat(self.offsets[1:], sizes_of(self.offsets)) - np.arange(self.offsets[-1])

    def ranked(
        self,
        query_ids: Sequence[Any] | Array,
        weights: FloatArray | None = None,
    ) -> JudgedRankings:
        """Judged rankings, made in blocks of queries that fit the processor's cache."""
        n_ranked, unjudged, items = sizes_of(self.offsets), None, self
        if self.n_judged is not None:
            flags = self.is_unjudged
            counts = segment_count(flags, self.offsets)
            rule = "" if self.scores is None else grade_order(self.ties)
            # Ranked when somebody asks for their ranks.
            unjudged = Unjudged(counts, self.positions_of_unjudged, rule, self.n_judged)
            items = self._replace(grades=np.where(flags, 0, self.grades))
        hits = _in_given_order(items) if self.scores is None else _by_score(items, n_ranked)
        offsets = offsets_of(hits.counts)
        relevant_offsets, relevant_grades = offsets, hits.grades
        if self.judged is not None:
            relevant_offsets, relevant_grades = self.judged[0], narrow_grades(self.judged[1])
        return JudgedRankings(
            query_ids=query_ids,
            offsets=offsets,
            above=hits.above,
            tied=hits.sizes(),
            grades=hits.grades,
            n_ranked=n_ranked,
            relevant_offsets=relevant_offsets,
            relevant_grades=relevant_grades,
            weights=weights,
            unjudged=unjudged,
        )

    def positions_of_unjudged(self) -> Positions:
        """Ranks of unjudged items.

        Rules that put relevant items first or last do not order the others, which stay tied.
        """
        ties: Ties = self.ties if TIE_RULES[self.ties].by_position else "average"
        flagged = Items(self.offsets, self.scores, self.is_unjudged.view(np.uint8), ties=ties)
        rankings = flagged.ranked(np.arange(len(self.offsets) - 1))
        return Positions(rankings.offsets, rankings.above, rankings.tied)

    def without_unjudged(self) -> Items:
        """The judged items, in the order of relevance."""
        assert self.relevance is not None
        left = np.flatnonzero(~self.is_unjudged)
        return self._replace(
            offsets=np.searchsorted(left, self.offsets),
            grades=self.grades[left],
            relevance=self.relevance[left],
            n_judged=None,
        )

    def pool(self, queries: IntArray | None = None) -> JudgedRankings:
        """One ranking of the items of all queries, or of the chosen ones, by their scores."""
        if self.no_pool:
            msg = f"a pooled measure ranks the items of all queries together, but {self.no_pool}"
            raise InvalidParameterError(msg)
        items, judged = self.by_relevance(), None
        if queries is not None:
            items = items.take(queries)
        if items.judged is not None or items.missed is not None:
            _, grades = items.all_relevant()
            if items.missed is not None:
                grades = np.concatenate((grades.astype(np.float64), items.missed))
            judged = np.array([0, len(grades)]), grades
        # Ids order the items of a query; those of several queries have no order among each other.
        ties: Ties = "average" if TIE_RULES[self.ties].by_id else self.ties
        offsets, grades = np.array([0, int(items.offsets[-1])]), np.fmax(items.grades, 0)
        return Items(offsets, items.scores, grades, judged, ties=ties).ranked(["all"])


class Hits(NamedTuple):
    """Relevant items in rank order, query after query."""

    counts: IntArray
    above: IntArray
    tied: IntArray | None
    """(H,) size of the tie of each hit, 1 being no tie; None if no hit is tied."""
    grades: Array

    def sizes(self) -> IntArray:
        """(H,) size of the tie of each hit."""
        if self.tied is None:
            return untied(len(self.above), self.above.dtype)
        return self.tied


# The rank step -----------------------------------------------------------------------------------


def _in_given_order(items: Items) -> Hits:
    positions = np.flatnonzero(items.grades > 0)
    counts = sizes_of(np.searchsorted(positions, items.offsets))
    grades = narrow_grades(items.grades[positions])
    positions -= np.repeat(items.offsets[:-1], counts)
    if len(items.offsets) and int(items.offsets[-1]) < 1 << 31:
        positions = positions.astype(np.int32)
    return Hits(counts, positions, None, grades)


def _by_score(items: Items, n_ranked: IntArray) -> Hits:
    """The relevant items by their scores."""
    # Sums are computed in 64 bits, block by block; their results are smaller.
    n_items, grades = int(items.offsets[-1]), narrow_grades(items.grades)
    narrow: Any = np.int32 if FEW_ITEMS < n_items < 1 << 31 else np.int64
    if 0 < n_items <= FEW_ITEMS and not np.count_nonzero(n_ranked != n_ranked[0]):
        hits = _by_few_scores(items.scores, grades, n_items // len(n_ranked))
        if hits is not None:
            return hits
    by_position = TIE_RULES[items.ties].by_position
    items = items._replace(grades=grades)
    counts = not n_items or (not by_position and _are_few(items))
    work, order = _plan(items, n_ranked, counts=counts)
    parts = []
    for queries in work:
        if counts:
            hits = rank_by_counting(items if len(work) == 1 else items.take(queries))
        else:
            hits = _by_order(items, queries, order, by_position=by_position)
        if grade_order(items.ties):
            hits = _by_grade(hits, items.ties)
        tied = None if hits.tied is None else hits.tied.astype(narrow, copy=False)
        parts.append(hits._replace(above=hits.above.astype(narrow, copy=False), tied=tied))
    return _in_order(parts, order, len(n_ranked))


def _plan(items: Items, n_ranked: IntArray, *, counts: bool) -> tuple[list[slice], IntArray | None]:
    """The blocks of ranking, and their order of queries; None is the order of the input."""
    if counts:
        work = [slice(*borders) for borders in blocks(items.offsets, RANK_BLOCK)]
        return work or [slice(0, 0)], None
    order = None
    if (n_ranked != n_ranked[0]).any():
        # Queries without items are not among the others.
        order = by_rising_length(n_ranked)[np.count_nonzero(n_ranked == 0) :]
    return list(similar_runs(n_ranked if order is None else n_ranked[order], RANK_BLOCK)), order


def _are_few(items: Items) -> bool:
    """A look-up costs much for each query and hit, but less for each item than an order of all.

    A query of 300 items costs three times as much as its order with AVX-512, and one of 1,000 as
    much without AVX2; one hit in 25 costs the same either way with AVX-512, and half with AVX2.
    """
    spare = int(items.offsets[-1]) - 500 * (len(items.offsets) - 1)
    if spare <= 0 and items.offsets[-1] > FEW_PAIRS:
        return False
    n_hits, sizes = int(np.count_nonzero(items.grades)), sizes_of(items.offsets)
    if n_hits * int(sizes.max()) <= FEW_PAIRS:
        return bool((sizes != sizes[0]).any())
    return spare > 25 * n_hits


def _in_order(parts: Sequence[Hits], order: IntArray | None, n_queries: int) -> Hits:
    """The hits of all blocks in the order of the queries; ``order`` numbers those of the blocks."""
    if len(parts) == 1 and order is None:
        return parts[0]
    counted, above, grades = (
        np.concatenate(columns)
        for columns in zip(*((hits.counts, hits.above, hits.grades) for hits in parts), strict=True)
    )
    tied = None
    if any(hits.tied is not None for hits in parts):
        tied = np.concatenate(
            [np.ones_like(hits.above) if hits.tied is None else hits.tied for hits in parts]
        )
    if order is None:
        return Hits(counted, above, tied, grades)
    counts = np.zeros(n_queries, np.int64)
    counts[order] = counted
    # The position of each hit in the order of the blocks.
    starts = np.zeros(n_queries, np.int64)
    starts[order] = offsets_of(counted)[:-1]
    here = np.repeat(starts - offsets_of(counts)[:-1], counts)
    here += np.arange(len(here))
    above, grades = above[here], grades[here]
    return Hits(counts, above, None if tied is None else tied[here], grades)


def _by_grade(hits: Hits, ties: Ties) -> Hits:
    """Break ties for or against the relevant items, the better grades first or last."""
    tied = hits.tied
    if tied is None:
        return hits
    # The hits of a tie take its first ranks, in the order of their grades; or its last ones, and
    # then the least grade comes first: the grades of the tie are read backwards.
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


def _by_few_scores(scores: Any, grades: Array, width: int) -> Hits | None:
    """The relevant items of rows of one width, with the fewest NumPy calls; None if tied."""
    if scores.dtype.char not in "fd":
        return None
    order = (-scores).reshape(-1, width).argsort(axis=1)
    order += np.arange(0, len(scores), width)[:, None]
    falling = scores.take(order)  # strictly; ties are left to the others
    if np.count_nonzero(falling[:, 1:] >= falling[:, :-1]):
        return None
    grades = grades.take(order.ravel())
    positions = grades.nonzero()[0]
    rows, above = np.divmod(positions, width)
    return Hits(np.bincount(rows, minlength=len(order)), above, None, grades.take(positions))


# All items in order ------------------------------------------------------------------------------


def _by_order(rows: Items, queries: slice, order: IntArray | None, *, by_position: bool) -> Hits:
    """Many relevant items: order all items of queries of similar length, as rows of one width.

    Without an ``order`` of the queries, all are of one length. ``by_position`` breaks ties by the
    order of the items.
    """
    assert rows.scores is not None
    beyond = EMPTY
    if order is None:
        width = int(rows.offsets[1])
        cells = slice(queries.start * width, queries.stop * width)
        scores, grades = rows.scores[cells], rows.grades[cells]
    else:
        (scores, grades), width, beyond = gather_rows(
            rows.offsets, order[queries], rows.scores, rows.grades
        )
        grades[beyond] = 0
    # Integers that rise where the scores fall. Cells that only fill a row come last.
    codes, tagged = falling_codes(scores), None
    if len(beyond):
        codes[beyond] = codes.max()
    if not by_position and grades.dtype == np.uint8:
        # The better grades of a tie come first: one sort of keys made of score and inverted grade.
        tags = np.invert(grades)
        tagged = by_narrow_keys(codes, tags, width, beyond)
        if tagged is None:
            tagged = by_wide_keys(codes, tags, width, beyond)
    if tagged is not None:
        same, grades = tagged.same, np.invert(tagged.tags)
    else:
        sequence, same = order_segments(codes, np.arange(0, len(codes) + 1, width), beyond)
        grades = grades[sequence]
    if by_position:
        same = None
    positions = np.flatnonzero(grades > 0)
    counts, above = _columns(positions, len(codes) // width, width)
    grades = grades.take(positions)
    if same is None:
        return Hits(counts, above, None, grades)
    tie, tied = _join_ties(same, positions, above)
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


def _columns(positions: IntArray, n_rows: int, width: int) -> tuple[IntArray, IntArray]:
    """How many of some cells are in each row, and the columns of them all, narrow if they fit."""
    narrow: Any = np.int32 if n_rows * width < 1 << 31 else np.int64
    columns: Array = positions.astype(narrow)
    if len(positions) < 8 * n_rows:
        row = columns // narrow(width)
        columns -= row * narrow(width)
        return np.bincount(row, minlength=n_rows), columns
    # A division for each of many costs more than a search for each row.
    starts = np.arange(0, (n_rows + 1) * width, width)
    counts = sizes_of(np.searchsorted(positions, starts))
    columns -= np.repeat(starts[:-1].astype(narrow), counts)
    return counts, columns


def _join_ties(same: BoolArray, positions: IntArray, above: IntArray) -> tuple[IntArray, IntArray]:
    """Give the hits of a tie one rank, in place; the number of the tie of each, and its size."""
    equal = np.flatnonzero(same)  # each of them equals the next item
    # Runs of consecutive numbers are ties: n equal to the next one make a tie of n + 1.
    starts = np.flatnonzero(np.diff(equal, prepend=-2) > 1)
    firsts = equal.take(starts)
    sizes = (np.diff(starts, append=len(equal)) + 1).astype(above.dtype)
    is_first = np.zeros(len(same) + 1, dtype=bool)
    is_first[firsts] = True
    # The last tie that begins at or before a hit; the hit is in it unless it lies beyond its end.
    tie = np.cumsum(is_first, dtype=above.dtype).take(positions)
    tie -= 1
    inside = (positions - firsts.take(tie)).astype(above.dtype)
    tied = sizes.take(tie)
    alone = (tie < 0) | (inside >= tied)
    inside[alone], tied[alone] = 0, 1
    above -= inside
    return tie, tied


# Greater scores counted --------------------------------------------------------------------------


def rank_by_counting(items: Items) -> Hits:
    """For few relevant items: the number above each is the number of higher scores."""
    assert items.scores is not None
    hits = items.grades.nonzero()[0]
    borders = hits.searchsorted(items.offsets)
    counts, sizes = sizes_of(borders), sizes_of(items.offsets)
    grades, wanted, query = items.grades[hits], items.scores[hits], segment_index(borders)
    pairs = counts * sizes
    if int(pairs.sum()) <= FEW_PAIRS:
        smaller, not_greater = _compared(items, query, wanted)
    else:
        smaller, not_greater = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
        # Hits of short queries are compared with all scores of their queries at once.
        is_short = pairs <= PAIRS
        short = np.flatnonzero(np.repeat(is_short, counts))
        for first, last in blocks(offsets_of(sizes[query[short]]), RANK_BLOCK):
            some = short[first:last]
            smaller[some], not_greater[some] = _compared(items, query[some], wanted[some])
        for number in np.flatnonzero((counts > 0) & ~is_short).tolist():
            scores = items.scores[items.offsets[number] : items.offsets[number + 1]]
            part = slice(int(borders[number]), int(borders[number + 1]))
            is_cheap = _is_cheaper_to_count(len(scores), part.stop - part.start)
            count = _counted if is_cheap else _searched
            smaller[part], not_greater[part] = count(scores, wanted[part])
    above, tied = np.repeat(sizes, counts) - not_greater, not_greater - smaller
    # A number for each tie, rising with queries and ranks. Hits are put in its order, within a tie
    # by falling grade: where grades are bytes, both fit one key.
    groups = items.offsets[query] + above
    if grades.dtype == np.uint8:
        order = ((groups << 8) - grades).argsort()
    else:
        order = np.lexsort((-grades, groups))
    sizes_of_ties = tied[order] if (tied > 1).any() else None
    return Hits(counts, above[order], sizes_of_ties, grades[order])


def _compared(items: Items, query: IntArray, wanted: Array) -> tuple[IntArray, IntArray]:
    """Numbers of scores below each given score of a query, and of scores not above it."""
    assert items.scores is not None
    rows, ends = take_segments(items.offsets, query)
    # Each hit has a row of all scores of its query beside it; a row's sum is its count.
    scores, sought = items.scores[rows], np.repeat(wanted, sizes_of(ends))
    starts = ends[:-1]
    smaller = np.add.reduceat(scores < sought, starts, dtype=np.int64)
    return smaller, np.add.reduceat(scores <= sought, starts, dtype=np.int64)


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
    """The same numbers as ``_counted``, from sorted scores."""
    ordered, sought = np.sort(sortable(scores)), sortable(wanted)
    return ordered.searchsorted(sought, "left"), ordered.searchsorted(sought, "right")
