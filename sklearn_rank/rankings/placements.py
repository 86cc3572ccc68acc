"""Which item stands where: judged rankings of a query with the ids of its items put back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, repeat
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import RankingData, no_items
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import offsets_of


def _mean_rank(above: int, tied: int) -> float:
    rank = above + (tied + 1) / 2
    return int(rank) if rank.is_integer() else rank


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
        return _mean_rank(self.above, self.tied)


@dataclass(frozen=True)
class Placement:
    """Ranks of the relevant items of one query.

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
    scores : list of float
        Scores of these items; empty where the ranking has none.
    """

    query: Any
    hits: list[Hit]
    n_ranked: int
    grades: list[float]
    judged: Mapping[Any, float] | None = None
    ranking: Sequence[Any] = ()
    scores: Sequence[float] = ()

    @property
    def not_retrieved(self) -> list[Any]:
        """Relevant items that are not in the ranking; empty without ids."""
        retrieved = {hit.item for hit in self.hits}
        judged = (self.judged or {}).items()
        return [item for item, grade in judged if grade > 0 and item not in retrieved]


def placements_of(judged: RankingData, queries: Iterable[int] | None = None) -> list[Placement]:
    """Placements of some queries by their numbers, or of all."""
    rankings, query_ids, ids = judged.rankings, judged.listed_ids(), judged.ids
    if queries is not None:
        numbers = list(queries)
        query_ids = [query_ids[number] for number in numbers]
        rankings = rankings.take(np.array(numbers, dtype=np.int64))
    all_grades, hits_of = rankings.all_grades.tolist(), _hits_by_number(rankings)
    borders, n_ranked = rankings.judged_offsets.tolist(), rankings.n_ranked.tolist()
    placements = []
    for number, query in enumerate(query_ids):
        hits, length = hits_of(number), n_ranked[number]
        grades = sorted(all_grades[borders[number] : borders[number + 1]], reverse=True)
        if ids is None:
            placements.append(Placement(query, hits, length, grades))
            continue
        items, scores = ids.rankings.get(query, ((), None))
        if ids.shared is None:
            truth = dict(ids.truths[query])
        else:
            truth = {item: ids.shared[item] for item in items if item in ids.shared}
        ranking, listed = list(items), [] if scores is None else scores.tolist()
        if len(set(listed)) == len(listed):
            pairs = sorted(zip(listed, ranking, strict=False), key=itemgetter(0), reverse=True)
            if pairs:
                listed, ranking = map(list, zip(*pairs, strict=True))
            relevant = [item for item in ranking if truth.get(item, 0) > 0]
            named = [hit._replace(item=item) for hit, item in zip(hits, relevant, strict=False)]
        else:
            tiers = _tiers(items, dict(zip(items, listed, strict=True)))
            ranking = [item for tier in tiers for item in tier]
            named = _named(hits, tiers, truth)
            listed.sort(reverse=True)
        placements.append(Placement(query, named, length, grades, truth, ranking, listed))
    return placements


def judged_from(placements: Sequence[Placement]) -> RankingData:
    """Judged rankings of some placements, as if their rankings had been read again."""
    hits = [sorted(each.hits, key=lambda hit: (hit.above, -hit.grade)) for each in placements]
    flat = [hit for hits_of_query in hits for hit in hits_of_query]
    rankings = JudgedRankings(
        query_ids=[each.query for each in placements],
        offsets=offsets_of(np.array(list(map(len, hits)), dtype=np.int64)),
        above=np.array([hit.above for hit in flat], dtype=np.int64),
        tied=np.array([hit.tied for hit in flat], dtype=np.int64),
        grades=np.array([hit.grade for hit in flat], dtype=np.float64),
        n_ranked=np.array([each.n_ranked for each in placements], dtype=np.int64),
        judged_offsets=offsets_of(np.array([len(each.grades) for each in placements])),
        judged_grades=np.array([grade for each in placements for grade in each.grades], float),
    )
    rankings.check()
    return RankingData(rankings, no_items("placements carry no scores"))


def _hits_by_number(rankings: JudgedRankings) -> Callable[[int], list[Hit]]:
    """Function from the number of a query to its hits, without their ids."""
    borders = rankings.offsets.tolist()
    columns = [column.tolist() for column in (rankings.hit_grades, rankings.above, rankings.tied)]

    def hits_of(number: int) -> list[Hit]:
        part = slice(*borders[number : number + 2])
        return list(map(Hit._make, zip(repeat(None), *(column[part] for column in columns))))

    return hits_of


def _tiers(items: Collection[Any], score_of: Mapping[Any, float] | None) -> list[list[Any]]:
    """Groups of equally scored items, the highest first; within one they stay as they came."""
    if score_of is None:
        return [[item] for item in items]
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
        tied_hits = hits[len(named) : len(named) + len(relevant)]
        named += [hit._replace(item=waiting[hit.grade].pop()) for hit in tied_hits]
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
        return _mean_rank(self.above, self.tied)


def unjudged_items(judged: RankingData, depth: int | None = None) -> list[list[UnjudgedItem]]:
    """Unjudged items of each query that may stand within the first ``depth`` ranks, or all.

    InvalidParameterError where ids were not kept.
    """
    unjudged = judged.rankings.unjudged
    if unjudged is None or not unjudged.counts.any():
        return [[] for _ in range(len(judged.query_ids))]
    ids = judged.ids
    if ids is None:
        msg = "ids of items were not kept; pass keep_items=True to evaluate"
        raise InvalidParameterError(msg)
    offsets, above, tied = unjudged.places
    places = list(zip(above.tolist(), tied.tolist(), strict=True))
    result = []
    for query, (first, last) in zip(judged.listed_ids(), pairwise(offsets.tolist()), strict=True):
        items: list[Any] = []
        if last > first:
            # Items of equal scores stand in the order by which the rule of ties took them.
            truth = ids.truths[query] if ids.shared is None else ids.shared
            ranked, scores = ids.rankings.get(query, ((), None))
            score_of = None if scores is None else dict(zip(ranked, scores.tolist(), strict=True))
            tiers = _tiers(ranked, score_of)
            items = [item for tier in tiers for item in tier if item not in truth]
        pairs = zip(items, places[first:last], strict=True)
        result.append(
            [
                UnjudgedItem(item, *place)
                for item, place in pairs
                if depth is None or place[0] < depth
            ]
        )
    return result
