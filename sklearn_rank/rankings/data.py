"""Data read from an input: judged rankings, their scores, and counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import accumulate, chain
from typing import Any, NamedTuple, NoReturn, TypeAlias, cast

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.rankings.judged import (
    JudgedRankings,
    Places,
    Unjudged,
    merge_unjudged,
    segments,
)
from sklearn_rank.rankings.ranking import (
    TIE_RULES,
    GradedRows,
    KnownHits,
    ScoredItems,
    grade_order,
    ranked,
)
from sklearn_rank.rankings.reading import Judgements, Reading, merged_options
from sklearn_rank.support.segments import offsets_of, segment_index, segment_sum, sizes_of
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray, NegativeGrades, Ties

Pool: TypeAlias = Callable[..., JudgedRankings]
"""Makes one ranking of the items of all queries, or of some, by their scores."""


@dataclass(frozen=True, eq=False, repr=False)
class NoPool:
    """Stands in for a pool where scores do not compare across queries."""

    reason: str

    def __call__(self, queries: IntArray | None = None) -> NoReturn:  # noqa: ARG002
        """Raise InvalidParameterError."""
        msg = f"a pooled measure ranks the items of all queries together: {self.reason}"
        raise InvalidParameterError(msg)


@dataclass(frozen=True)
class InputCounts:
    """Counts of an input, and of everything left out of it."""

    missing: int = 0
    """Judged queries without a ranking."""
    unjudged: int = 0
    """Ranked queries without judgements, left out."""
    duplicates: int = 0
    """Repeated items, left out by ``duplicates="first"``."""
    identical_ids: int = 0
    """Items equal to the id of their query, left out by ``ignore_identical_ids``."""
    missed: int = 0
    """Items of the one shared ground truth that no query retrieved."""
    unjudged_grades: int = 0
    """Judgements of a negative grade, read as "not judged"."""


ASSUMED = ("", "complete", "partial")
"""Assumptions about items that the ground truth does not name: none where there are no such items
or the truth is a set, which is complete; irrelevant; or unjudged. Of several the last prevails."""


@dataclass(frozen=True, eq=False, repr=False)
class KeptItems:
    """Ids of the items that were read, by query; judged rankings know places alone."""

    rankings: Mapping[Any, tuple[Collection[Any], Array | None]]
    """Items of each ranking, and their scores; None: in ranked order."""
    truths: Mapping[Any, Mapping[Any, float]]
    """Judged items of each query with their grades."""
    shared: Mapping[Any, float] | None
    """The one ground truth of all queries, instead of ``truths``."""


def one_label_each(column: str, labels: Iterable[tuple[Any, Any]], fault: str) -> dict[Any, Any]:
    """{query: label}; InvalidParameterError, in the words of ``fault``, if a query has several."""
    label_of: dict[Any, Any] = {}
    for query, label in labels:
        known = label_of.setdefault(query, label)
        if known != label:
            msg = fault.format(*map(safe_repr, (column, query, known, label)))
            raise InvalidParameterError(msg)
    return label_of


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Data of all queries, as a layout reader returns them."""

    rankings: JudgedRankings
    pool: Pool
    by_relevance: JudgedRankings | None = None
    """The same queries ranked by the relevance scores of their items, where those were given."""
    counts: InputCounts = field(default_factory=InputCounts)
    missing: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Numbers of the judged queries without a ranking."""
    left_out: Collection[Any] = ()
    """Ids of queries that were given but not evaluated."""
    keyed: bool = False
    """Whether queries were joined by key, so that nothing of them goes by position."""
    positional: bool = False
    """Whether the queries have no ids but their positions."""
    query_columns: tuple[Any, ...] = ()
    """Further columns of the data frames that were read: ``name in columns`` and
    ``columns.labels(name)``, which is {query: label}."""
    masks_by_score: bool = False
    """Whether cells of a matrix are scored -inf, although nobody said which are candidates."""
    hint: str = ""
    """Why, probably, no relevant item of any query was retrieved."""
    assumed: str = ""
    """One of :data:`ASSUMED`."""
    ties: str = ""
    """The rule by which tied items were ranked; empty where there are no scores."""
    items: KeptItems | None = None
    """Ids of the items, where they were asked for and the layout has any."""
    clusters: Array | None = None
    """(Q,) label of what each query was drawn by; None: each query was drawn for itself."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the reader on which values depend, as far as they are known."""
    judgements: Judgements | None = None
    """Which items are relevant to each query; None where they have no ids."""

    @property
    def query_ids(self) -> Sequence[Any] | Array:
        """(Q,) in the caller's order."""
        return self.rankings.query_ids

    @property
    def weights(self) -> FloatArray | None:
        """(Q,) weight of each query; None weighs all alike."""
        return self.rankings.weights

    @property
    def reading(self) -> Reading:
        """How these data were read."""
        own = {"assumed": self.assumed, "relevance": self.by_relevance is not None}
        return Reading({"ties": self.ties, **own, **self.options}, self.judgements)

    @property
    def by_score(self) -> JudgedRankings:
        """Rankings by relevance score, or the same rankings without such scores."""
        return self.rankings if self.by_relevance is None else self.by_relevance

    def listed_ids(self) -> list[Any]:
        """Ids of the queries as Python's objects, but for dates, which have finer units here."""
        query_ids = self.query_ids
        if isinstance(query_ids, np.ndarray) and query_ids.dtype.kind not in "mM":
            return cast("list[Any]", query_ids.tolist())
        return list(query_ids)

    @cached_property
    def is_missing(self) -> BoolArray:
        """(Q,) whether a judged query has no ranking."""
        missing = np.zeros(len(self.query_ids), dtype=bool)
        missing[self.missing] = True
        return missing

    def labels(self, column: str) -> dict[Any, Any]:
        """{query: label} from a column of the data frames that were read."""
        tables = [table for table in self.query_columns if column in table]
        if not tables:
            msg = f"no data frame with a column {safe_repr(column)} was given; pass a mapping"
            raise InvalidParameterError(msg)
        labels = chain.from_iterable(table.labels(column).items() for table in tables)
        fault = "the frames do not agree on column {}: query {} has {} and {}"
        return one_label_each(column, labels, fault)


# Items with a score each -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class ScorePool:
    """Ranks the items of all queries together by their scores."""

    items: ScoredItems
    ties: Ties
    judged: tuple[IntArray, FloatArray] | None = None
    """Offsets and grades of all relevant items, if some were not retrieved."""
    missed: FloatArray | None = None
    """Grades of relevant items that belong to no query in particular."""
    weighted: bool = False

    def __call__(self, queries: IntArray | None = None) -> JudgedRankings:
        """One ranking of the items of all queries, or of the chosen ones."""
        if self.weighted:
            msg = (
                "sample_weight weighs queries, and a pooled measure ranks the items of all queries "
                "together; leave one of the two out"
            )
            raise InvalidParameterError(msg)
        items, missed = self.items, self.missed
        grades = None if self.judged is None else self.judged[1]
        if queries is not None:
            items, missed = items.take(queries), None
            if self.judged is not None:
                grades = self.judged[1][segments(self.judged[0], queries)[0]]
        if missed is not None:
            grades = items.relevant()[1] if grades is None else grades
            grades = np.concatenate((grades.astype(np.float64), missed))
        judged = None if grades is None else (np.array([0, len(grades)]), grades)
        # Ids order the items of a query; those of several queries have no order among each other.
        ties: Ties = "average" if TIE_RULES[self.ties].by_id else self.ties
        return ranked(items.as_one(), ties, query_ids=["all"], judged=judged)


def judged_by_scores(
    items: ScoredItems,
    ties: Ties = "average",
    *,
    query_ids: Sequence[Any] | Array,
    weights: FloatArray | None,
    counts: InputCounts | None = None,
    judged: tuple[IntArray, FloatArray] | None = None,
    missed: FloatArray | None = None,
    unjudged: UnjudgedItems | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Data of all layouts with a score for every item.

    ``judged`` (offsets, grades) tells all relevant items if some were not retrieved, ``missed`` the
    grades of those that belong to no query in particular, and ``unjudged`` which items nobody
    judged.
    """
    rankings = ranked(
        items, ties, query_ids=query_ids, weights=weights, judged=judged, n_jobs=n_jobs
    )
    if unjudged is not None:
        number = segment_sum(unjudged.flags.astype(np.int32), items.offsets).astype(np.int64)
        n_judged = rankings.n_ranked - number if unjudged.n_judged is None else unjudged.n_judged
        # Ranked when somebody asks for their places.
        source = partial(_places, GradedRows(items.scores, items.offsets, unjudged.flags), ties)
        own = Unjudged(number, source, unjudged.is_open, grade_order(ties), n_judged)
        rankings = replace(rankings, unjudged=own)
    pool = ScorePool(items, ties, judged, missed, weighted=weights is not None)
    return RankingData(
        rankings,
        pool,
        counts=InputCounts() if counts is None else counts,
        assumed="" if unjudged is None else "partial",
        ties=ties,
    )


def count_unjudged(grades: Array, negative: NegativeGrades) -> InputCounts:
    """The negative ones among grades that passed their check, where they mean "not judged"."""
    if negative == "raise" or grades.dtype.kind == "u":
        return InputCounts()
    return InputCounts(unjudged_grades=int(np.count_nonzero(grades < 0)))


# Unjudged items that are known by their scores ---------------------------------------------------


class UnjudgedItems(NamedTuple):
    """Which of the ranked items of all queries nobody judged."""

    flags: Array
    """1 for each of these, 0 for others, as uint8."""
    is_open: BoolArray | None = None
    """(Q,) whether items that were not retrieved may be unjudged, too; None: of every query."""
    n_judged: IntArray | None = None
    """(Q,) judged items, retrieved or not; None: all items were retrieved."""


def _places(flagged: GradedRows, ties: Ties) -> Places:
    """Places of the items of grade 1.

    Rules that put relevant items first or last say nothing of the others: these stay tied.
    """
    rule: Ties = ties if TIE_RULES[ties].by_place else "average"
    rankings = ranked(flagged, rule, query_ids=np.arange(len(flagged.offsets) - 1))
    return Places(rankings.offsets, rankings.above, rankings.tied)


def unjudged_by_place(offsets: IntArray, unjudged: UnjudgedItems) -> Unjudged:
    """The unjudged ones of items that stand in ranked order."""
    positions = np.flatnonzero(unjudged.flags)
    borders = np.searchsorted(positions, offsets)
    counts = sizes_of(borders)
    placed = Unjudged.at(borders, positions - np.repeat(offsets[:-1], counts))
    return replace(placed, is_open=unjudged.is_open, n_judged=unjudged.n_judged)


# Condensed lists: rankings without the items that nobody judged ----------------------------------


def condensed(judged: RankingData) -> RankingData:
    """Rankings without their unjudged items."""
    rankings, unjudged, kept = judged.rankings, judged.rankings.unjudged, judged.items
    if unjudged is None:
        return judged
    if kept is not None:
        left = dict(kept.rankings)
        for query, n_unjudged in zip(judged.listed_ids(), unjudged.counts.tolist(), strict=True):
            if not n_unjudged:
                continue  # one that counts as completely judged keeps all items
            items, scores = kept.rankings[query]
            truth = kept.truths[query] if kept.shared is None else kept.shared
            own = [(place, item) for place, item in enumerate(items) if item in truth]
            places = [place for place, _ in own]
            left[query] = [item for _, item in own], None if scores is None else scores[places]
        kept = replace(kept, rankings=left)
    by_relevance = judged.by_relevance
    return replace(
        judged,
        rankings=without_unjudged(rankings),
        by_relevance=None if by_relevance is None else without_unjudged(by_relevance),
        pool=NoPool("condensed lists have no scores that compare across queries"),
        items=kept,
    )


def without_unjudged(rankings: JudgedRankings) -> JudgedRankings:
    """Rankings from which the unjudged items are taken out, so that what stood below moves up."""
    unjudged = rankings.unjudged
    if unjudged is None:
        return rankings
    above, tied = rankings.above.astype(np.int64), rankings.tied.astype(np.int64)
    places, query = unjudged.places, segment_index(rankings.offsets)
    stride = int(rankings.n_ranked.max(initial=0)) + 1
    of_hits = query * stride + above
    of_unjudged = segment_index(places.offsets) * stride + places.above.astype(np.int64)
    # Unjudged items that stand above a hit, and those that are tied with it.
    first, last = (np.searchsorted(of_unjudged, of_hits, side=side) for side in ("left", "right"))
    before, beside = first - places.offsets[query], np.zeros_like(first)
    if (np.asarray(places.tied) > 1).any():
        # Where a rule puts relevant items first or last in a tie, its unjudged items stay tied.
        group = of_unjudged[np.maximum(last - 1, 0)]
        end = group + places.tied[np.maximum(last - 1, 0)].astype(np.int64)
        inside = (last > places.offsets[query]) & (of_hits < end) & (tied == 1)
        below_first = inside & (of_hits > group) & np.isin(group, of_hits[inside])
        size = last - np.searchsorted(of_unjudged, group, side="left")
        before = before - np.where(below_first, size, 0)
        beside = np.where(tied > 1, last - first, 0)
    nothing = Unjudged.nothing(len(rankings))
    return replace(
        rankings,
        above=above - before,
        tied=tied - beside,
        n_ranked=rankings.n_ranked - unjudged.counts,
        unjudged=replace(nothing, is_open=None, n_judged=unjudged.n_judged),
    )


# Several sets of queries, as if they had been read at once ---------------------------------------


def merge_judged(parts: Sequence[RankingData]) -> RankingData:
    """All queries of all parts, in their order; InvalidParameterError if they do not fit."""
    if len({part.weights is None for part in parts}) > 1:
        msg = "some of the evaluations have weights of queries (sample_weight) and some have none"
        raise InvalidParameterError(msg)
    clusters = [part.clusters for part in parts if part.clusters is not None]
    if 0 < len(clusters) < len(parts):
        msg = "some of the evaluations have clusters of queries and some have none"
        raise InvalidParameterError(msg)
    positional = parts[0].positional
    if any(part.positional != positional for part in parts):
        msg = "some of the evaluations name their queries and some go by position"
        raise InvalidParameterError(msg)
    if any(part.counts.missed for part in parts):
        msg = (
            "evaluations of one ground truth shared by all queries cannot be merged: an item that "
            "one part missed may have been found in another; evaluate all lists in one call"
        )
        raise InvalidParameterError(msg)
    options = merged_options([part.reading for part in parts])
    borders = list(accumulate((len(part.query_ids) for part in parts), initial=0))
    query_ids = np.arange(borders[-1]) if positional else _distinct_ids(parts)
    evaluated = set() if positional else set(query_ids)
    by_relevance = None
    if any(part.by_relevance is not None for part in parts):
        by_relevance = _all_queries([part.by_score for part in parts], query_ids)
    sums = {
        item.name: sum(getattr(part.counts, item.name) for part in parts)
        for item in fields(InputCounts)
    }
    return RankingData(
        _all_queries([part.rankings for part in parts], query_ids),
        _merge_pools([part.pool for part in parts]),
        by_relevance,
        counts=InputCounts(**sums),
        missing=np.concatenate(
            [part.missing + first for part, first in zip(parts, borders, strict=False)]
        ),
        left_out=[query for part in parts for query in part.left_out if query not in evaluated],
        keyed=parts[0].keyed,
        assumed=max((part.assumed for part in parts), key=ASSUMED.index),
        ties=options.pop("ties", ""),
        positional=positional,
        query_columns=tuple(chain.from_iterable(part.query_columns for part in parts)),
        clusters=np.concatenate(clusters) if clusters else None,
        options=options,
        judgements=_merge_judgements([part.judgements for part in parts]),
    )


def _merge_judgements(parts: Sequence[Judgements | None]) -> Judgements | None:
    """Those of all parts; None where one of them has none."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Judgements(lambda: np.concatenate([part.digests for part in known]))


def _distinct_ids(parts: Sequence[RankingData]) -> list[Any]:
    """The ids of all queries; QueryMismatchError if one was evaluated twice."""
    query_ids: dict[Any, None] = {}
    twice = []
    for part in parts:
        ids = part.query_ids
        for query in ids.tolist() if isinstance(ids, np.ndarray) else ids:
            if query in query_ids:
                twice.append(query)
            query_ids[query] = None
    if twice:
        msg = (
            f"{len(twice):,} queries are in more than one of the evaluations: "
            f"{format_list(twice)}. "
            "Parts must have queries of their own; where each was given all judgements, pass "
            "missing='skip' to evaluate"
        )
        raise QueryMismatchError(msg)
    return list(query_ids)


def _all_queries(
    parts: Sequence[JudgedRankings], query_ids: Sequence[Any] | Array
) -> JudgedRankings:
    """The queries of all parts under these ids; either all parts have weights or none has."""

    def joined(name: str) -> Array:
        return np.concatenate([getattr(part, name) for part in parts])

    return JudgedRankings(
        query_ids=query_ids,
        offsets=offsets_of(joined("n_hits")),
        above=joined("above"),
        tied=joined("tied"),
        grades=joined("grades"),
        n_ranked=joined("n_ranked"),
        judged_offsets=offsets_of(joined("n_relevant")),
        judged_grades=joined("judged_grades"),
        weights=None if parts[0].weights is None else joined("weights"),
        unjudged=merge_unjudged([part.unjudged for part in parts], list(map(len, parts))),
    )


def _merge_pools(pools: Sequence[Pool]) -> Pool:
    """One pool of all items; none where one of the parts has none."""
    scored = [pool for pool in pools if isinstance(pool, ScorePool)]
    if len(scored) < len(pools):
        none = NoPool("slices and merged evaluations of ranked lists have none")
        return next((pool for pool in pools if isinstance(pool, NoPool)), none)
    if len({pool.items.scores.dtype.kind for pool in scored}) > 1:
        return NoPool("the evaluations have scores of different types")
    judged = None
    if any(pool.judged is not None for pool in scored):
        relevant = [pool.judged or pool.items.relevant() for pool in scored]
        sizes = np.concatenate([sizes_of(offsets) for offsets, _ in relevant])
        judged = offsets_of(sizes), np.concatenate([grades for _, grades in relevant])
    items = _concatenate([pool.items for pool in scored])
    return ScorePool(items, scored[0].ties, judged, weighted=scored[0].weighted)


def _concatenate(items: Sequence[ScoredItems]) -> ScoredItems:
    offsets = offsets_of(np.concatenate([sizes_of(part.offsets) for part in items]))
    scores = np.concatenate([part.scores for part in items])
    rows = [part for part in items if isinstance(part, GradedRows)]
    if len(rows) == len(items):
        return GradedRows(scores, offsets, np.concatenate([part.grades for part in rows]))
    hits = [part.known() for part in items]
    firsts = accumulate((len(part.scores) for part in hits), initial=0)
    positions: list[Array] = [
        part.positions + first
        for part, first in zip(hits, firsts, strict=False)
        if part.positions is not None
    ]
    return KnownHits(
        scores,
        offsets,
        offsets_of(np.concatenate([sizes_of(part.hit_offsets) for part in hits])),
        np.concatenate([part.hit_scores for part in hits]),
        np.concatenate([part.hit_grades for part in hits]),
        np.concatenate(positions) if len(positions) == len(hits) else None,
    )
