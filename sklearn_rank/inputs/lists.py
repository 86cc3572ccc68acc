"""Lists: a ranked list per query, and per query a ground truth, or one for all queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.items import (
    ItemReader,
    Ranking,
    Where,
    query_scores,
    read_hits,
    read_relevance,
    refuse_scored,
    sequence,
)
from sklearn_rank.inputs.join import (
    assemble,
    at_places,
    by_scores,
    find_items,
    kept_plainly,
    may_be_partial,
)
from sklearn_rank.inputs.plain_ids import find_plain
from sklearn_rank.inputs.plain_scores import find_scored
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.support.checks import check_same_index, check_same_length, check_weights
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import listed
from sklearn_rank.typing import Array, Assume, FloatArray, Ties


def from_lists(
    y_true: Any,
    y_score: Any,
    *,
    reader: ItemReader,
    sample_weight: Any = None,
    relevance: Any = None,
    assume: Assume | None = None,
    ties: Ties = "average",
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of a sequence of ranked lists and their ground truth."""
    if isinstance(y_score, Set) and not isinstance(y_true, Set):
        msg = "y_score is a set, which has no order; are y_true and y_score swapped?"
        raise TypeError(msg)
    if isinstance(y_score, Mapping):
        msg = (
            f"y_score is a {type(y_score).__name__} keyed by query, y_true a "
            f"{type(y_true).__name__}; pass both as mappings or both in the order of the queries"
        )
        raise TypeError(msg)
    if is_frame(y_score):
        msg = (
            f"y_score is a data frame and y_true a {type(y_true).__name__}, which has no query "
            "ids to join them by; pass y_true as a frame or mapping, too"
        )
        raise TypeError(msg)
    lists = _rows_of_ids(y_score) if getattr(y_score, "ndim", 1) == 2 else None
    if lists is None:
        check_same_index(y_true=y_true, y_score=y_score)
        lists = sequence(y_score, "y_score")
    truths = None if isinstance(y_true, Set) else sequence(y_true, "y_true")
    if truths is not None:
        check_same_length("y_true", len(truths), "y_score", len(lists))
    if not lists:
        msg = "no queries to evaluate: y_score is empty"
        raise ValueError(msg)
    lists = read_hits(lists, [y_true] if truths is None else truths, reader)
    query_ids = np.arange(len(lists))
    if truths is not None and relevance is None and reader.provider is None:
        plain = find_plain(lists, truths, assume)
        if plain is not None:
            judged = at_places(plain, query_ids, _weights(sample_weight, lists))
            kept = kept_plainly(query_ids.tolist(), lists, truths) if reader.keeps else None
            counts = InputCounts(duplicates=reader.dropped)
            return replace(judged, positional=True, items=kept, counts=counts)
        scored = None
        if reader.reads_plainly and not TIE_RULES[ties].by_place:
            scored = find_scored(lists, truths, assume)
        if scored is not None:
            weights = _weights(sample_weight, lists)
            judged = by_scores(scored, query_ids, weights, ties, depth=depth, n_jobs=n_jobs)
            counts = InputCounts(duplicates=reader.dropped)
            return replace(judged, positional=True, counts=counts)
    truth = missed = None
    partial = [assume == "partial"] * len(lists)
    if truths is not None:
        partial = may_be_partial(truths, assume)
    if truths is None:
        rankings = [_ranking(reader, given, query) for query, given in enumerate(lists)]
        truth = reader.truth(y_true, "y_true")
        shared, missed = _share(truth, rankings)
        found = zip(rankings, shared, strict=True)
        items = find_items(found, ties, keeps=reader.keeps, partial=partial)
    else:
        queries = _read(lists, truths, reader)
        items = find_items(queries, ties, keeps=reader.keeps, partial=partial)
        items.has_zero |= reader.unjudged_grades > 0
    reader.check_types()
    judged = assemble(
        items,
        query_ids=query_ids,
        relevance=_relevance(relevance, items.rankings),
        ties=ties,
        weights=_weights(sample_weight, lists),
        assume=assume,
        partial=partial,
        missed=missed,
        depth=depth,
        n_jobs=n_jobs,
    )
    return replace(
        judged,
        counts=InputCounts(
            duplicates=reader.dropped,
            missed=0 if missed is None else len(missed),
            unjudged_grades=reader.unjudged_grades,
        ),
        positional=True,
        items=items.kept(query_ids.tolist(), truth),
    )


def _read(
    lists: list[Any], truths: Iterable[Any], reader: ItemReader
) -> Iterator[tuple[Ranking, dict[Any, float]]]:
    """Ranking and ground truth of each query."""
    for query, (ranking, truth) in enumerate(zip(lists, truths, strict=True)):
        yield _ranking(reader, ranking, query), _truth(reader, truth, query)


def _weights(sample_weight: Any, lists: list[Any]) -> FloatArray | None:
    return None if sample_weight is None else check_weights(sample_weight, len(lists))


def _rows_of_ids(y_score: Any) -> list[Any]:
    """Ranked lists of equal length that came as a 2-D array of item ids."""
    if y_score.dtype.kind == "f":
        msg = (
            f"y_true holds a ground truth per query, and y_score is a 2-D array of shape "
            f"{y_score.shape} of scores; pass ranked item ids, or y_true as a 2-D array of grades"
        )
        raise TypeError(msg)
    rows: list[Any] = y_score.tolist()
    return rows


def _ranking(reader: ItemReader, given: Any, query: int) -> Ranking:
    where = Where("y_score", query)
    if not hasattr(given, "__len__") and not hasattr(given, "__next__"):
        msg = f"{where} is {type(given).__name__}; the lists layout takes one ranked list per query"
        raise TypeError(msg)
    return reader.ranking(given, where)


def _truth(reader: ItemReader, given: Any, query: int) -> dict[Any, float]:
    where = Where("y_true", query)
    if not hasattr(given, "__len__") and not hasattr(given, "__next__"):
        msg = f"{where} is {type(given).__name__}; pass a set, a list or {{item: grade}} per query"
        raise TypeError(msg)
    return reader.truth(given, where)


def _share(
    truth: dict[Any, float], rankings: list[Ranking]
) -> tuple[list[dict[Any, float]], Array]:
    """For each query the shared truth that it retrieved, and the grades of what none did."""
    shared = [{key: truth[key] for key in ranking.items if key in truth} for ranking in rankings]
    times_found = Counter(key for truth_of in shared for key in truth_of)
    several = [key for key, times in times_found.items() if times > 1]
    if several:
        warn(
            f"{len(several):,} items of the one ground truth were found by several queries "
            f"({listed(several)}) and count as relevant for each; pass one ground truth per query, "
            "or items that identify the pair of query and item",
            RankingDataWarning,
        )
    return shared, np.array(
        [grade for key, grade in truth.items() if key not in times_found], dtype=np.float64
    )


def _relevance(relevance: Any, rankings: list[Ranking]) -> list[Array] | None:
    if relevance is None:
        return None
    scores = read_relevance(relevance)
    if isinstance(scores, Mapping):
        msg = (
            "relevance is a mapping; for a sequence of ranked lists pass a sequence parallel to it"
        )
        raise TypeError(msg)
    if len(scores) != len(rankings):
        msg = f"relevance has {len(scores)} lists for {len(rankings)} ranked lists"
        raise ValueError(msg)
    refuse_scored(rankings, "y_score")
    return [
        query_scores(
            relevance, given, len(ranking.items) + ranking.dropped, Where("relevance", query)
        )
        for query, (given, ranking) in enumerate(zip(scores, rankings, strict=True))
    ]
