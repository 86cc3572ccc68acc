"""Mappings: ground truth and ranking of each query under its id, joined by that id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank.exceptions import QueryMismatchError
from sklearn_rank.inputs.hints import spelling_hint
from sklearn_rank.inputs.holes import may_be_partial
from sklearn_rank.inputs.items import ItemReader, read_hits
from sklearn_rank.inputs.join import assemble, at_places, by_scores, find_items, kept_plainly
from sklearn_rank.inputs.long_tables import columns_about_queries
from sklearn_rank.inputs.plain_ids import find_plain
from sklearn_rank.inputs.plain_scores import find_scored
from sklearn_rank.inputs.ranking import Ranking, Where
from sklearn_rank.inputs.relevance import query_scores, read_relevance, refuse_scored
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.support.arrays import check_weights
from sklearn_rank.support.text import listed, safe_repr
from sklearn_rank.typing import Array, Assume, FloatArray, Missing, Ties


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


def join_queries(
    y_true: Mapping[Any, Any], y_score: Mapping[Any, Any], missing: Missing
) -> list[Any]:
    """Queries to evaluate, in the order of ``y_true``."""
    if not y_true:
        msg = "no queries to evaluate: y_true is empty"
        raise ValueError(msg)
    absent = [query for query in y_true if query not in y_score]
    if len(absent) == len(y_true):
        msg = (
            f"y_true and y_score have no query in common: {listed(y_true)} against "
            f"{listed(y_score) or 'none'}{spelling_hint(y_true, y_score)}"
        )
        raise QueryMismatchError(msg)
    if absent and missing != "skip":
        _refuse_other_type(absent, y_true, y_score)
    if absent and missing == "raise":
        msg = (
            f"{len(absent):,} of {len(y_true):,} judged queries have no ranking: {listed(absent)}. "
            "Pass missing='zero' to count them as empty rankings, or missing='skip'."
        )
        raise QueryMismatchError(msg)
    if missing == "skip":
        return [query for query in y_true if query in y_score]
    return list(y_true)


def _refuse_other_type(
    absent: list[Any], y_true: Mapping[Any, Any], y_score: Mapping[Any, Any]
) -> None:
    """QueryMismatchError if unmatched ids of both sides are the same text in other types."""
    spare = {str(query): query for query in y_score if query not in y_true}
    meeting = [query for query in absent if str(query) in spare]
    if meeting:
        query = meeting[0]
        other = spare[str(query)]
        msg = (
            f"{len(meeting):,} queries have other types in y_true and y_score, as "
            f"{safe_repr(query)} ({type(query).__name__}) and {safe_repr(other)} "
            f"({type(other).__name__}), and do not meet; use one type"
        )
        raise QueryMismatchError(msg)


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


def query_weights(sample_weight: Any, queries: list[Any]) -> FloatArray | None:
    """Weights of queries that were given by key."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Mapping):
        msg = "sample_weight for mappings must be {query: weight}: queries are joined by key"
        raise TypeError(msg)
    absent = [query for query in queries if query not in sample_weight]
    if absent:
        msg = f"sample_weight has no weight for {len(absent):,} queries: {listed(absent)}"
        raise ValueError(msg)
    weights = [sample_weight[query] for query in queries]
    return check_weights(
        weights, len(queries), where=lambda place: f"query {safe_repr(queries[place])}"
    )
