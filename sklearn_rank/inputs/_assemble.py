"""From the items of each query to judged rankings; what lists and mappings have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from sklearn_rank._judged import InputCounts, Judged, JudgedRankings, NoPool
from sklearn_rank._ranks import KnownHits, ranked_parts
from sklearn_rank._segments import offsets_of
from sklearn_rank._validation import EXACT_INTEGER
from sklearn_rank.inputs._items import (
    Ranking,
    check_scores,
    hits_of,
    relevant_grades,
    scores_of_hits,
)
from sklearn_rank.inputs._scored import ScorePool
from sklearn_rank.typing import Array, FloatArray, IntArray, Ties

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
    n_jobs: int | None = None,
) -> Judged:
    """Judged rankings of one ranking and one ground truth per query, in the same order."""
    sizes = np.array([len(ranking.items) for ranking in rankings], dtype=np.int64)
    offsets = offsets_of(sizes)
    relevant = _Ragged.of([relevant_grades(truth) for truth in truths])
    n_scored = sum(ranking.scores is not None for ranking in rankings)

    def scored(scores: Array, hits: KnownHits) -> tuple[Parts, ScorePool]:
        check_scores(scores, rankings, offsets)
        parts = ranked_parts(
            hits, ties, query_ids=query_ids, weights=weights, judged=relevant, n_jobs=n_jobs
        )
        return parts, ScorePool(hits, ties, relevant, missed, weighted=weights is not None)

    if n_scored == len(rankings) and ties not in ("stable", "docid"):
        # Only the judged items are looked up; the others enter through their scores alone.
        scores = _one_dtype([_scores(ranking) for ranking in rankings])
        found = [
            scores_of_hits(cast("Mapping[Any, Any]", ranking.items), truth)
            for ranking, truth in zip(rankings, truths, strict=True)
        ]
        grades = _Ragged.of([grades for _, grades in found])
        hit_scores = np.fromiter(chain.from_iterable(own for own, _ in found), scores.dtype)
        hits = KnownHits(scores, offsets, grades.offsets, hit_scores, grades.values)
        parts, pool = scored(scores, hits)
        return Judged(query_ids, parts, parts, pool, counts)

    if ties == "docid":
        rankings = [_by_falling_id(ranking) for ranking in rankings]
    places_found = [
        hits_of(list(ranking.items), truth) for ranking, truth in zip(rankings, truths, strict=True)
    ]
    grades = _Ragged.of([grades for _, grades in places_found])
    places = np.fromiter(chain.from_iterable(own for own, _ in places_found), np.int64)

    def at_places(scores: Sequence[Array]) -> tuple[Parts, ScorePool]:
        flat = _one_dtype(scores)
        positions = places + np.repeat(offsets[:-1], np.diff(grades.offsets))
        hits = KnownHits(flat, offsets, grades.offsets, flat[positions], grades.values, positions)
        return scored(flat, hits)

    if n_scored:
        # Where some queries came as lists, places are scores for those.
        parts, pool = at_places([_scores(ranking) for ranking in rankings])
        comparable = n_scored == len(rankings)
        return Judged(query_ids, parts, parts, pool if comparable else _NO_SCORES, counts)
    view = JudgedRankings(
        query_ids=query_ids,
        offsets=grades.offsets,
        above=places,
        tied=np.ones(len(places), dtype=np.int64),
        grades=grades.values,
        n_ranked=sizes,
        judged_offsets=relevant.offsets,
        judged_grades=relevant.values,
        weights=weights,
    )
    if relevance is None:
        return Judged(query_ids, (view,), (view,), _NO_SCORES, counts)
    score_parts, relevance_pool = at_places(relevance)
    return Judged(query_ids, (view,), score_parts, relevance_pool, counts)


class _Ragged(NamedTuple):
    """Lists of numbers, one per query, as one array."""

    offsets: IntArray
    values: FloatArray

    @classmethod
    def of(cls, lists: Sequence[list[float]]) -> _Ragged:
        sizes = np.array([len(one) for one in lists], dtype=np.int64)
        return cls(offsets_of(sizes), np.fromiter(chain.from_iterable(lists), np.float64))


def _scores(ranking: Ranking) -> Array:
    """Scores of a ranking; for a list its places, counted from the end."""
    return np.arange(len(ranking.items), 0.0, -1.0) if ranking.scores is None else ranking.scores


Parts: TypeAlias = tuple[JudgedRankings, ...]


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
    keys = list(ranking.items)
    try:
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
    except TypeError as error:
        msg = "ties='docid' compares item ids, and these do not compare; pass string_provider"
        raise TypeError(msg) from error
    scores = ranking.scores[np.array(order, dtype=np.int64)]
    ordered = dict(zip([keys[place] for place in order], scores.tolist(), strict=True))
    return ranking._replace(items=ordered, scores=scores)
