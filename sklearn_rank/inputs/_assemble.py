"""From the items of each query to judged rankings; what lists and mappings have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from sklearn_rank._judged import InputCounts, Judged, JudgedRankings, NoPool
from sklearn_rank._ranks import ScoredItems, ranked_parts
from sklearn_rank._segments import offsets_of
from sklearn_rank._validation import EXACT_INTEGER
from sklearn_rank.inputs._items import Ranking, hits_of, relevant_grades
from sklearn_rank.inputs._scored import ScorePool
from sklearn_rank.typing import Array, FloatArray, Ties

_NO_SCORES = NoPool(
    "ranked lists carry no scores that compare across queries; "
    "pass relevance=, {item: score} rankings, or arrays"
)


def assemble(
    rankings: Sequence[Ranking],
    truths: Sequence[Mapping[Any, float]],
    *,
    query_ids: Array | list[Any],
    relevance: list[Array] | None,
    ties: Ties,
    weights: FloatArray | None,
    counts: InputCounts,
    missed: FloatArray | None = None,
    shared_truth: bool = False,
    n_jobs: int | None = None,
) -> Judged:
    """Judged rankings of one ranking and one ground truth per query, in the same order."""
    if ties == "docid":
        rankings = [_by_falling_id(ranking) for ranking in rankings]
    found = [hits_of(ranking.keys, truth) for ranking, truth in zip(rankings, truths, strict=True)]
    sizes = np.array([len(ranking.keys) for ranking in rankings], dtype=np.int64)
    offsets = offsets_of(sizes)
    hit_offsets = offsets_of(np.array([len(places) for places, _ in found], dtype=np.int64))
    places = _joined([places for places, _ in found], np.int64)
    grades = _joined([grades for _, grades in found], np.float64)
    if shared_truth:
        judged = (hit_offsets, grades)
    else:
        lists = [relevant_grades(truth) for truth in truths]
        judged = (
            offsets_of(np.array([len(one) for one in lists], dtype=np.int64)),
            _joined(lists, np.float64),
        )
    positions = places + np.repeat(offsets[:-1], np.diff(hit_offsets))

    def scored(scores: Sequence[Array]) -> tuple[Parts, ScorePool]:
        items = ScoredItems(_one_dtype(scores), offsets, grades, positions)
        parts = ranked_parts(
            items, ties, query_ids=query_ids, weights=weights, judged=judged, n_jobs=n_jobs
        )
        return parts, ScorePool(items, ties, judged, missed, weighted=weights is not None)

    own_scores = [ranking.scores for ranking in rankings if ranking.scores is not None]
    if own_scores and len(own_scores) == len(rankings):
        parts, pool = scored(own_scores)
        return Judged(query_ids, parts, parts, pool, counts)
    if own_scores:
        # Some queries came as lists, some with scores: places are scores for the former.
        parts, _ = scored(
            [
                np.arange(len(ranking.keys), 0.0, -1.0)
                if ranking.scores is None
                else ranking.scores
                for ranking in rankings
            ]
        )
        return Judged(query_ids, parts, parts, _NO_SCORES, counts)
    view = JudgedRankings(
        query_ids=query_ids,
        offsets=hit_offsets,
        above=places,
        tied=np.ones(len(places), dtype=np.int64),
        grades=grades,
        n_ranked=sizes,
        judged_offsets=judged[0],
        judged_grades=judged[1],
        weights=weights,
    )
    if relevance is None:
        return Judged(query_ids, (view,), (view,), _NO_SCORES, counts)
    score_parts, relevance_pool = scored(relevance)
    return Judged(query_ids, (view,), score_parts, relevance_pool, counts)


Parts: TypeAlias = tuple[JudgedRankings, ...]


def _joined(lists: Sequence[list[Any]], dtype: type) -> Any:
    return np.fromiter(chain.from_iterable(lists), dtype)


def _one_dtype(scores: Sequence[Array]) -> Array:
    """All scores in one array, none rounded on the way."""
    if len({one.dtype for one in scores if len(one)}) > 1:
        for one in scores:
            if (
                one.dtype.kind in "iu"
                and np.abs(one.astype(np.float64)).max(initial=0) >= EXACT_INTEGER
            ):
                msg = "scores mix floats with integers that float64 cannot hold; pass one dtype"
                raise ValueError(msg)
    filled = [one for one in scores if len(one)]
    return np.concatenate(filled) if filled else np.zeros(0)


def _by_falling_id(ranking: Ranking) -> Ranking:
    """The items of a scored ranking in falling order of their ids; a list stands as it is."""
    if ranking.scores is None:
        return ranking
    try:
        order = sorted(range(len(ranking.keys)), key=ranking.keys.__getitem__, reverse=True)
    except TypeError as error:
        msg = "ties='docid' compares item ids, and these do not compare; pass string_provider"
        raise TypeError(msg) from error
    scores = ranking.scores[np.array(order, dtype=np.int64)]
    return ranking._replace(keys=[ranking.keys[place] for place in order], scores=scores)
