"""Which item stands where: judged rankings of a query with the ids of its items put back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, repeat
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import KeptItems, NoPool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Array, IntArray


class Hit(NamedTuple):
    """One relevant item that was retrieved."""

    item: Any
    """Its id; None where the layout has none or ids were not kept."""
    grade: float
    above: int
    """Items strictly above its tie group."""
    tied: int
    """Items in its tie group; 1 is no tie."""

    @property
    def rank(self) -> float:
        """Rank, counted from 1; within a tie the mean of the ranks of the group."""
        rank = self.above + (self.tied + 1) / 2
        return int(rank) if rank.is_integer() else rank


@dataclass(frozen=True)
class Placement:
    """Where the relevant items of one query stand.

    Attributes
    ----------
    query : object
        Id of the query.
    hits : list of Hit
        Relevant items that were retrieved, the highest first.
    n_ranked : int
        Length of the ranking.
    grades : list of float
        Grades of all relevant items, retrieved or not, in falling order.
    judged : mapping of item to grade, or None
        Everything that is judged; None without ids.
    ranking : list
        Items in ranked order; empty without ids.
    """

    query: Any
    hits: list[Hit]
    n_ranked: int
    grades: list[float]
    judged: Mapping[Any, float] | None = None
    ranking: Sequence[Any] = ()

    @property
    def not_retrieved(self) -> list[Any]:
        """Relevant items that are not in the ranking; empty without ids."""
        retrieved = {hit.item for hit in self.hits}
        judged = (self.judged or {}).items()
        return [item for item, grade in judged if grade > 0 and item not in retrieved]


def placements_of(judged: RankingData, queries: Iterable[int] | None = None) -> list[Placement]:
    """Placements of some queries by their numbers, or of all."""
    rankings, query_ids = judged.whole, judged.listed_ids()
    if queries is not None:
        numbers = list(queries)
        query_ids = [query_ids[number] for number in numbers]
        rankings = rankings.take(np.array(numbers, dtype=np.int64))
    grades, borders = rankings.judged_grades.astype(np.float64), rankings.judged_offsets.tolist()
    all_grades, n_ranked = grades.tolist(), rankings.n_ranked.tolist()
    hits_of = _Hits.of(rankings)
    return [
        _placement(
            query,
            hits_of(number),
            n_ranked[number],
            sorted(all_grades[borders[number] : borders[number + 1]], reverse=True),
            judged.items,
        )
        for number, query in enumerate(query_ids)
    ]


def hit_items(
    rankings: JudgedRankings, query_ids: Sequence[Any], kept: KeptItems
) -> Iterator[list[Any]]:
    """Ids of the relevant items that were retrieved, in rank order, query by query.

    The same ids as in the placements, which hold much more: a baseline of many queries takes only
    these.
    """
    hits_of = _Hits.of(rankings)
    borders, above = hits_of.borders, hits_of.above
    for number, query in enumerate(query_ids):
        items, scores = kept.rankings.get(query, ((), None))
        if scores is None:
            ranking = items if isinstance(items, Sequence) else list(items)
            yield [ranking[place] for place in above[borders[number] : borders[number + 1]]]
            continue
        score_of = dict(zip(items, scores.tolist(), strict=True))
        judged = kept.truths[query] if kept.shared is None else kept.shared
        # Over the shorter side: one ground truth of all queries may be long.
        wanted = items if kept.shared is not None else filter(score_of.__contains__, judged)
        hits = [item for item in wanted if judged.get(item, 0) > 0]
        if len(set(map(score_of.__getitem__, hits))) < len(hits):
            named = _named(hits_of(number), _tiers(items, scores), judged)
            yield [hit.item for hit in named]
        else:
            yield sorted(hits, key=score_of.__getitem__, reverse=True)


def judged_from(placements: Sequence[Placement]) -> RankingData:
    """Judged rankings of some placements, as if their rankings had been read again."""
    hits = [
        sorted(placement.hits, key=lambda hit: (hit.above, -hit.grade)) for placement in placements
    ]
    flat = [hit for placement in hits for hit in placement]
    return judged_alone(
        JudgedRankings(
            query_ids=[placement.query for placement in placements],
            offsets=offsets_of(np.array([len(placement) for placement in hits], dtype=np.int64)),
            above=np.array([hit.above for hit in flat], dtype=np.int64),
            tied=np.array([hit.tied for hit in flat], dtype=np.int64),
            grades=np.array([hit.grade for hit in flat], dtype=np.float64),
            n_ranked=np.array([placement.n_ranked for placement in placements], dtype=np.int64),
            judged_offsets=offsets_of(
                np.array([len(placement.grades) for placement in placements])
            ),
            judged_grades=np.array(
                [grade for placement in placements for grade in placement.grades], np.float64
            ),
        )
    )


def judged_alone(rankings: JudgedRankings) -> RankingData:
    """Rankings of which nothing else is known; ValueError if it contradicts itself."""
    rankings.check()
    return RankingData(rankings, NoPool("placements carry no scores"))


@dataclass(frozen=True)
class _Hits:
    """The hits of each query without their ids, from columns that are lists already."""

    borders: list[int]
    grades: list[float]
    above: list[int]
    tied: list[int]

    @classmethod
    def of(cls, rankings: JudgedRankings) -> _Hits:
        """Lists of the columns of some rankings."""
        grades = rankings.grades.astype(np.float64)
        columns = (rankings.offsets, grades, rankings.above, rankings.tied)
        return cls(*(column.tolist() for column in columns))

    def __call__(self, number: int) -> list[Hit]:
        """Those of the query of this number."""
        part = slice(*self.borders[number : number + 2])
        rows = zip(repeat(None), self.grades[part], self.above[part], self.tied[part])
        return list(map(Hit._make, rows))


def _placement(
    query: Any, hits: list[Hit], n_ranked: int, grades: list[float], kept: KeptItems | None
) -> Placement:
    if kept is None:
        return Placement(query, hits, n_ranked, grades)
    items, scores = kept.rankings.get(query, ((), None))
    tiers = _tiers(items, scores)
    if kept.shared is not None:
        judged = {item: kept.shared[item] for item in items if item in kept.shared}
    else:
        judged = dict(kept.truths[query])
    ranking = [item for tier in tiers for item in tier]
    return Placement(query, _named(hits, tiers, judged), n_ranked, grades, judged, ranking)


def _tiers(items: Collection[Any], scores: Array | None) -> list[list[Any]]:
    """Groups of equally scored items, the highest first; within one they stay as they came."""
    if scores is None:
        return [[item] for item in items]
    score_of = dict(zip(items, scores.tolist(), strict=True))
    ordered = sorted(score_of, key=score_of.__getitem__, reverse=True)
    return [list(tier) for _, tier in groupby(ordered, key=score_of.__getitem__)]


def _named(hits: list[Hit], tiers: list[list[Any]], judged: Mapping[Any, float]) -> list[Hit]:
    """Hits with their ids: within a tier, items of one grade go by the order of the input."""
    named: list[Hit] = []
    for tier in tiers:
        # By grade, last first: a pop instead of a search, for a tie may hold thousands.
        waiting: defaultdict[float, list[Any]] = defaultdict(list)
        relevant = [item for item in tier if judged.get(item, 0) > 0]
        for item in reversed(relevant):
            waiting[judged[item]].append(item)
        own = hits[len(named) : len(named) + len(relevant)]
        named += [hit._replace(item=waiting[hit.grade].pop()) for hit in own]
    return named


# Items that nobody judged ------------------------------------------------------------------------


class UnjudgedItem(NamedTuple):
    """One retrieved item that nobody judged."""

    item: Any
    """Its id."""
    above: int
    """Items strictly above its tie group."""
    tied: int
    """Items in its tie group; 1 is no tie."""

    @property
    def rank(self) -> float:
        """Rank, counted from 1; within a tie the mean of the ranks of the group."""
        rank = self.above + (self.tied + 1) / 2
        return int(rank) if rank.is_integer() else rank


def unjudged_items(judged: RankingData, depth: int | None = None) -> list[list[UnjudgedItem]]:
    """Unjudged items of each query that may stand within the first ``depth`` ranks, or all.

    InvalidParameterError where ids were not kept.
    """
    unjudged = judged.rankings.unjudged
    if unjudged is None or not unjudged.counts.any():
        return [[] for _ in range(len(judged.query_ids))]
    kept = judged.items
    if kept is None:
        msg = "ids of items were not kept; pass keep_items=True to evaluate"
        raise InvalidParameterError(msg)
    places = list(zip(unjudged.above.tolist(), unjudged.tied.tolist(), strict=True))
    result = []
    for query, (first, last) in zip(
        judged.listed_ids(), pairwise(unjudged.offsets.tolist()), strict=True
    ):
        items = _unjudged_of(kept, query) if last > first else []
        own = zip(items, places[first:last], strict=True)
        result.append(
            [UnjudgedItem(item, *place) for item, place in own if depth is None or place[0] < depth]
        )
    return result


def _unjudged_of(kept: KeptItems, query: Any) -> list[Any]:
    """Unjudged items of a query in ranked order; equal scores as they were read."""
    items, scores = kept.rankings.get(query, ((), None))
    truth = kept.truths[query] if kept.shared is None else kept.shared
    ordered = list(items)
    if scores is not None:
        # Stable: items of equal scores stand in the order by which the rule of ties took them.
        falling = np.argsort(-_ascending(scores), kind="stable").tolist()
        ordered = [ordered[place] for place in falling]
    return [item for item in ordered if item not in truth]


def _ascending(scores: Any) -> IntArray:
    """Scores as whole numbers in the same order: they are never negated, which can overflow."""
    return np.unique(scores, return_inverse=True)[1].reshape(-1)


def item_codes(
    new: Sequence[Sequence[Any]], old: Sequence[Sequence[Any]]
) -> tuple[IntArray, IntArray]:
    """Numbers for the items of two systems, query after query: one number is one item."""
    codes: tuple[list[int], list[int]] = [], []
    for pair in zip(new, old, strict=True):
        known: dict[Any, int] = {}
        for own, items in zip(codes, pair, strict=True):
            own += [known.setdefault(item, len(known)) for item in items]
    return np.array(codes[0], dtype=np.int64), np.array(codes[1], dtype=np.int64)
