"""What was judged of several sets of queries, as if it had been read at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, chain
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.rankings.data import ASSUMED, InputCounts, NoPool, Pool, RankingData
from sklearn_rank.rankings.judged import Cutoff, JudgedRankings
from sklearn_rank.rankings.pool import ScorePool
from sklearn_rank.rankings.ranking import GradedRows, KnownHits, ScoredItems
from sklearn_rank.rankings.unjudged import merge_unjudged
from sklearn_rank.support.segments import offsets_of, sizes_of
from sklearn_rank.support.text import listed
from sklearn_rank.typing import Array, FloatArray, IntArray


def merge_judged(parts: Sequence[RankingData]) -> RankingData:
    """All queries of all parts, in their order; InvalidParameterError if they do not fit."""
    if len({part.weights is None for part in parts}) > 1:
        msg = "some of the evaluations have weights of queries (sample_weight) and some have none"
        raise InvalidParameterError(msg)
    if len({part.positional for part in parts}) > 1:
        msg = "some of the evaluations name their queries and some go by position"
        raise InvalidParameterError(msg)
    if any(part.counts.missed for part in parts):
        msg = (
            "evaluations of one ground truth shared by all queries cannot be merged: an item that "
            "one part missed may have been found in another; evaluate all lists in one call"
        )
        raise InvalidParameterError(msg)
    borders = list(accumulate((len(part.query_ids) for part in parts), initial=0))
    query_ids = np.arange(borders[-1]) if parts[0].positional else _distinct_ids(parts)
    by_relevance = None
    if any(part.by_relevance is not None for part in parts):
        by_relevance = _all_queries([part.by_score for part in parts], query_ids)
    evaluated = set() if parts[0].positional else set(query_ids)
    return RankingData(
        _all_queries([part.rankings for part in parts], query_ids),
        _merge_pools([part.pool for part in parts]),
        by_relevance,
        counts=_sum_counts([part.counts for part in parts]),
        missing=np.concatenate(
            [part.missing + first for part, first in zip(parts, borders, strict=False)]
        ),
        left_out=[query for part in parts for query in part.left_out if query not in evaluated],
        keyed=parts[0].keyed,
        assumed=max((part.assumed for part in parts), key=ASSUMED.index),
        ties=_only_rule(parts),
        positional=parts[0].positional,
        query_columns=tuple(chain.from_iterable(part.query_columns for part in parts)),
        rank_all=_MergedWhole(tuple(parts), query_ids) if any(map(_is_cut, parts)) else None,
    )


def _only_rule(parts: Sequence[RankingData]) -> str:
    """The tie rule of all parts; InvalidParameterError if they have several."""
    rules = list(dict.fromkeys(part.ties for part in parts if part.ties))
    if len(rules) > 1:
        msg = (
            f"the evaluations break ties by different rules, {listed(rules)}, and no one call "
            "would; pass the same ties= to evaluate"
        )
        raise InvalidParameterError(msg)
    return rules[0] if rules else ""


def _is_cut(part: RankingData) -> bool:
    return part.rankings.cutoff is not None


@dataclass(frozen=True)
class _MergedWhole:
    """Ranks the queries of all parts with all hits."""

    parts: tuple[RankingData, ...]
    query_ids: Sequence[Any] | Array

    def __call__(self) -> JudgedRankings:
        return _all_queries([part.whole for part in self.parts], self.query_ids)


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
            f"{len(twice):,} queries are in more than one of the evaluations: {listed(twice)}. "
            "Parts must have queries of their own; where each was given all judgements, pass "
            "missing='skip' to evaluate"
        )
        raise QueryMismatchError(msg)
    return list(query_ids)


def _all_queries(
    parts: Sequence[JudgedRankings], query_ids: Sequence[Any] | Array
) -> JudgedRankings:
    """The queries of all parts under these ids; either all parts have weights or none has."""
    weights = [part.weights for part in parts if part.weights is not None]
    return JudgedRankings(
        query_ids=query_ids,
        offsets=offsets_of(np.concatenate([part.n_hits for part in parts])),
        above=np.concatenate([part.above for part in parts]),
        tied=np.concatenate([part.tied for part in parts]),
        grades=np.concatenate([part.grades for part in parts]),
        n_ranked=np.concatenate([part.n_ranked for part in parts]),
        judged_offsets=offsets_of(np.concatenate([part.n_relevant for part in parts])),
        judged_grades=np.concatenate([part.judged_grades for part in parts]),
        weights=np.concatenate(weights) if weights else None,
        cutoff=_merge_cutoffs(parts),
        unjudged=merge_unjudged([part.unjudged for part in parts], list(map(len, parts))),
    )


def _merge_cutoffs(parts: Sequence[JudgedRankings]) -> Cutoff | None:
    """What was counted where some part is not stored whole."""
    depths = [part.cutoff.depth for part in parts if part.cutoff is not None]
    if not depths:
        return None
    return Cutoff(
        min(depths),
        np.concatenate([part.n_retrieved for part in parts]),
        np.concatenate([part.in_ties for part in parts]),
    )


def _sum_counts(counts: Sequence[InputCounts]) -> InputCounts:
    names = [field.name for field in fields(InputCounts)]
    return InputCounts(**{name: sum(getattr(part, name) for part in counts) for name in names})


def _merge_pools(pools: Sequence[Pool]) -> Pool:
    """One pool of all items; none where one of the parts has none."""
    scored = [pool for pool in pools if isinstance(pool, ScorePool)]
    if len(scored) < len(pools):
        return next(
            (pool for pool in pools if isinstance(pool, NoPool)),
            NoPool("slices and merged evaluations of ranked lists have none"),
        )
    if len({pool.items.scores.dtype.kind for pool in scored}) > 1:
        return NoPool("the evaluations have scores of different types")
    items = _concatenate([pool.items for pool in scored])
    judged = None
    if any(pool.judged is not None for pool in scored):
        relevant = [_relevant(pool) for pool in scored]
        sizes = np.concatenate([sizes_of(offsets) for offsets, _ in relevant])
        judged = offsets_of(sizes), np.concatenate([grades for _, grades in relevant])
    return ScorePool(items, scored[0].ties, judged, weighted=scored[0].weighted)


def _relevant(pool: ScorePool) -> tuple[IntArray, FloatArray]:
    """Offsets and grades of all relevant items."""
    if pool.judged is not None:
        return pool.judged
    hits = _known(pool.items)
    return hits.hit_offsets, hits.hit_grades


def _concatenate(items: Sequence[ScoredItems]) -> ScoredItems:
    offsets = offsets_of(np.concatenate([sizes_of(part.offsets) for part in items]))
    scores = np.concatenate([part.scores for part in items])
    rows = [part for part in items if isinstance(part, GradedRows)]
    if len(rows) == len(items):
        return GradedRows(scores, offsets, np.concatenate([part.grades for part in rows]))
    hits = [_known(part) for part in items]
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


def _known(items: ScoredItems) -> KnownHits:
    """The relevant items of graded rows."""
    if isinstance(items, KnownHits):
        return items
    positions = np.flatnonzero(items.grades > 0)
    return KnownHits(
        items.scores,
        items.offsets,
        np.searchsorted(positions, items.offsets),
        items.scores[positions],
        items.grades[positions].astype(np.float64),
        positions,
    )
