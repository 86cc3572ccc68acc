"""Ranks by item: judged rankings of a query with the ids of its items put back."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse, groupby, pairwise, repeat
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import ItemIds, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.sorting import falling_codes
from sklearn_rank.support.text import WithFields, safe_repr


class Hit(NamedTuple):
    """One relevant item that was retrieved, or one from a baseline file."""

    item: Any
    """Its id; None if the layout has none or ids were not stored."""
    grade: float
    """Above 0; NaN: not available."""
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
class Placement(WithFields):
    """Ranks of the relevant items of one query.

    Attributes
    ----------
    query : object
        Id of the query.
    hits : list of Hit
        Relevant items that were retrieved, highest first.
    n_ranked : int
        Length of the ranking.
    grades : list of float
        Grades of all relevant items, retrieved or not, in falling order.
    judged : mapping of item to grade, or None
        All judged items; None without ids.
    ranking : list
        Items in ranked order; empty without ids.
    scores : list of float
        Scores of these items; empty if the ranking has none.
    """

    query: Any
    hits: list[Hit]
    n_ranked: int
    grades: list[float]
    judged: Mapping[Any, float] | None = None
    ranking: Sequence[Any] = ()
    scores: Sequence[float] = ()

    _ELSEWHERE: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("rank", "ranks"), "use [hit.rank for hit in placement.hits]"),
        **dict.fromkeys(("missed", "missing"), "use not_retrieved"),
        **dict.fromkeys(("items", "retrieved"), "use ranking, or hits for relevant items"),
        **dict.fromkeys(("relevance", "relevant"), "use hits and not_retrieved, or judged"),
    }

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
        listed = [queries] if isinstance(queries, str) else list(queries)
        for number in listed:
            if not isinstance(number, (int, np.integer)):
                msg = f"queries must hold positions from 0, got {safe_repr(number)}"
                if number in query_ids:
                    msg += f"; pass [{query_ids.index(number)}], its position in query_ids"
                raise InvalidParameterError(msg)
        numbers = np.array(listed, dtype=np.int64)
        query_ids = [query_ids[number] for number in numbers.tolist()]
        rankings = rankings.take(numbers)
    columns = rankings.hit_grades, rankings.above, rankings.tied
    hits = list(map(Hit._make, zip(repeat(None), *(column.tolist() for column in columns))))
    grades, lengths = rankings.all_grades.tolist(), rankings.n_ranked.tolist()
    borders = zip(rankings.offsets.tolist(), rankings.relevant_offsets.tolist(), strict=True)
    placements = []
    for query, n_ranked, ends in zip(query_ids, lengths, pairwise(borders), strict=True):
        (first, first_grade), (last, last_grade) = ends
        in_order = sorted(grades[first_grade:last_grade], reverse=True)
        placement = Placement(query, hits[first:last], n_ranked, in_order)
        placements.append(placement if ids is None else _with_ids(placement, ids))
    return placements


def _with_ids(placement: Placement, ids: ItemIds) -> Placement:
    """The placement with the ids of its items."""
    ranking, scores, judged = _in_order(ids, placement.query)
    hits, named = placement.hits, []
    if len(set(scores)) == len(scores):
        relevant = (item for item in ranking if judged.get(item, 0) > 0)
        named = [Hit(item, *hit[1:]) for hit, item in zip(hits, relevant, strict=False)]
    else:
        # Whatever the rule of ties, hits of one score and grade go by the order of the input.
        for _, tie in groupby(zip(scores, ranking, strict=True), key=itemgetter(0)):
            waiting: defaultdict[float, deque[Any]] = defaultdict(deque)
            for _, item in tie:
                if judged.get(item, 0) > 0:
                    waiting[judged[item]].append(item)
            n_hits = sum(map(len, waiting.values()))
            for hit in hits[len(named) : len(named) + n_hits]:
                named.append(Hit(waiting[hit.grade].popleft(), *hit[1:]))
    return replace(placement, hits=named, judged=judged, ranking=ranking, scores=scores)


def _in_order(ids: ItemIds, query: Any) -> tuple[list[Any], list[float], Mapping[Any, float]]:
    """Items of a ranking by falling score, equal ones as they came, their scores, and judgements.

    Of one truth for all queries these are the judgements of the items of the ranking.
    """
    items, scores = ids.rankings.get(query, ((), None))
    if ids.shared is None:
        judged = dict(ids.truths[query])
    else:
        judged = {item: ids.shared[item] for item in items if item in ids.shared}
    if scores is None:
        return list(items), [], judged
    order, ranking = np.argsort(falling_codes(scores), kind="stable"), list(items)
    return [ranking[position] for position in order.tolist()], scores[order].tolist(), judged


def judged_from(placements: Sequence[Placement]) -> JudgedRankings:
    """Judged rankings of some placements, as if their rankings had been read again."""
    hits = [sorted(each.hits, key=lambda hit: (hit.above, -hit.grade)) for each in placements]
    flat = [hit for hits_of_query in hits for hit in hits_of_query]
    return JudgedRankings(
        query_ids=[each.query for each in placements],
        offsets=offsets_of(np.array(list(map(len, hits)), dtype=np.int64)),
        above=np.array([hit.above for hit in flat], dtype=np.int64),
        tied=np.array([hit.tied for hit in flat], dtype=np.int64),
        grades=np.array([hit.grade for hit in flat], dtype=np.float64),
        n_ranked=np.array([each.n_ranked for each in placements], dtype=np.int64),
        relevant_offsets=offsets_of(np.array([len(each.grades) for each in placements])),
        relevant_grades=np.array([grade for each in placements for grade in each.grades], float),
    )


def unjudged_items(
    judged: RankingData, queries: Iterable[int] | None = None
) -> Iterator[list[Any]]:
    """Unjudged items of some queries by their numbers, or of all, in the order of their positions.

    InvalidParameterError if ids were not stored.
    """
    unjudged, query_ids = judged.rankings.unjudged, judged.listed_ids()
    numbers = range(len(query_ids)) if queries is None else queries
    if unjudged is None or not unjudged.counts.any():
        return ([] for _ in numbers)
    if judged.ids is None:
        msg = "item ids were not stored; pass keep_items=True to evaluate"
        raise InvalidParameterError(msg)
    counts = unjudged.counts
    return (_unjudged(judged.ids, query_ids[one]) if counts[one] else [] for one in numbers)


def _unjudged(ids: ItemIds, query: Any) -> list[Any]:
    # Items of equal scores are in the order of the rule for ties.
    ranking, _, truth = _in_order(ids, query)
    return [*filterfalse(truth.__contains__, ranking)]
