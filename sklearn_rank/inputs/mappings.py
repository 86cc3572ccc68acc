"""Mappings: ground truth and ranking of each query under its id, joined by that id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank.inputs.items import (
    ItemReader,
    Ranking,
    Where,
    query_scores,
    read_hits,
    read_relevance,
    refuse_scored,
)
from sklearn_rank.inputs.join import (
    assemble,
    at_places,
    by_scores,
    find_items,
    join_queries,
    kept_plainly,
    may_be_partial,
    query_weights,
)
from sklearn_rank.inputs.plain_ids import find_plain
from sklearn_rank.inputs.plain_scores import find_scored
from sklearn_rank.inputs.tables import columns_about_queries
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.typing import Array, Assume, Missing, Ties


def from_mapping(
    y_true: Mapping[Any, Any],
    y_score: Any,
    *,
    reader: ItemReader,
    sample_weight: Any = None,
    relevance: Any = None,
    assume: Assume | None = None,
    ties: Ties = "average",
    missing: Missing = "zero",
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of {query: ground truth} and {query: ranking}."""
    if not isinstance(y_score, Mapping):
        msg = (
            f"y_true is a {type(y_true).__name__} keyed by query, y_score a "
            f"{type(y_score).__name__}; pass both as mappings or both in the order of the queries"
        )
        raise TypeError(msg)
    queries = join_queries(y_true, y_score, missing)
    truths = [y_true[query] for query in queries]
    # Not get(): dict subclasses may not override it.
    rankings = [
        y_score[query] if query in y_score else _ABSENT  # noqa: SIM401
        for query in queries
    ]
    rankings = read_hits(rankings, truths, reader)
    plain = scored = kept = None
    lists: list[Any] = []
    if relevance is None and reader.provider is None:
        lists = [() if ranking is _ABSENT else ranking for ranking in rankings]
        plain = find_plain(lists, truths, assume)
    if (
        plain is None
        and relevance is None
        and reader.reads_plainly
        and not TIE_RULES[ties].by_place
    ):
        dicts = [{} if ranking is _ABSENT else ranking for ranking in rankings]
        scored = find_scored(dicts, truths, assume)
    if plain is not None:
        judged = at_places(plain, queries, query_weights(sample_weight, queries))
        kept = kept_plainly(queries, lists, truths) if reader.keeps else None
    elif scored is not None:
        weights = query_weights(sample_weight, queries)
        judged = by_scores(scored, queries, weights, ties, depth=depth, n_jobs=n_jobs)
    else:
        read, partial = _read(queries, truths, rankings, reader), may_be_partial(truths, assume)
        items = find_items(read, ties, keeps=reader.keeps, partial=partial)
        items.has_zero |= reader.unjudged_grades > 0
        reader.check_types()
        judged = assemble(
            items,
            query_ids=queries,
            relevance=_relevance(relevance, queries, items.rankings),
            ties=ties,
            weights=query_weights(sample_weight, queries),
            depth=depth,
            assume=assume,
            partial=partial,
            n_jobs=n_jobs,
        )
        kept = items.kept(queries)
    absent = [place for place, ranking in enumerate(rankings) if ranking is _ABSENT]
    evaluated = set(queries)
    return replace(
        judged,
        counts=InputCounts(
            missing=len([query for query in y_true if query not in y_score]),
            unjudged=len([query for query in y_score if query not in y_true]),
            duplicates=reader.dropped,
            unjudged_grades=reader.unjudged_grades,
        ),
        missing=np.array(absent, dtype=np.int64),
        left_out=[query for query in (*y_true, *y_score) if query not in evaluated],
        keyed=True,
        query_columns=columns_about_queries(y_true, y_score),
        items=kept,
    )


def _read(
    queries: list[Any], truths: list[Any], rankings: list[Any], reader: ItemReader
) -> Iterator[tuple[Ranking, dict[Any, float]]]:
    """Ranking and ground truth of each query; nothing is ranked where there is no ranking."""
    scored = any(isinstance(ranking, Mapping) for ranking in rankings)
    empty = Ranking({}, np.zeros(0), _NOWHERE) if scored else Ranking([], None, _NOWHERE)
    for query, given, ranking in zip(queries, truths, rankings, strict=True):
        truth = reader.truth(given, Where("y_true", query))
        if ranking is _ABSENT:
            yield empty, truth
        else:
            yield reader.ranking(ranking, Where("y_score", query)), truth


_ABSENT = object()
_NOWHERE = Where("y_score", None)


def _relevance(relevance: Any, queries: list[Any], rankings: list[Ranking]) -> list[Array] | None:
    if relevance is None:
        return None
    scores = read_relevance(relevance)
    if not isinstance(scores, Mapping):
        msg = "relevance is a sequence; for mappings pass {query: scores}"
        raise TypeError(msg)
    refuse_scored(rankings, "y_score")
    return [
        query_scores(
            relevance, scores.get(query, ()), len(ranking.items), Where("relevance", query)
        )
        for query, ranking in zip(queries, rankings, strict=True)
    ]
