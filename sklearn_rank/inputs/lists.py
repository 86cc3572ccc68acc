"""Lists and mappings: a ranking and a ground truth per query, or one truth for all queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.frames import is_frame
from sklearn_rank.inputs.items import ItemReader, Where, sequence
from sklearn_rank.inputs.join import join_queries, query_weights, read_items
from sklearn_rank.inputs.tables import columns_about_queries
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.checks import check_same_index, check_same_length, check_weights
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list
from sklearn_rank.typing import Missing


def from_lists(
    y_true: Any, y_score: Any, *, reader: ItemReader, sample_weight: Any = None, **options: Any
) -> RankingData:
    """Judged rankings of a sequence of ranked lists and their ground truth."""
    kinds = type(y_true).__name__, type(y_score).__name__
    is_2d, msg = getattr(y_score, "ndim", 1) == 2, ""
    if isinstance(y_score, Set) and not isinstance(y_true, Set):
        msg = "y_score is a set, which has no order; are y_true and y_score swapped?"
    elif isinstance(y_score, Mapping):
        msg = _PAIRS.format(*kinds[::-1], "y_score", "y_true")
    elif is_frame(y_score):
        msg = (
            f"y_score is a data frame and y_true a {kinds[0]}, which has no query "
            "ids to join them by; pass y_true as a frame or mapping, too"
        )
    elif is_2d and y_score.dtype.kind == "f":
        msg = (
            f"y_true holds a ground truth per query, and y_score is a 2-D array of shape "
            f"{y_score.shape} of scores; pass ranked item ids, or y_true as a 2-D array of grades"
        )
    if msg:
        raise TypeError(msg)
    if is_2d:
        rankings = y_score.tolist()  # ranked lists of equal length
    else:
        check_same_index(y_true=y_true, y_score=y_score)
        rankings = sequence(y_score, "y_score")
    if not isinstance(y_true, Set):
        truths = sequence(y_true, "y_true")
        check_same_length("y_true", len(truths), "y_score", len(rankings))
    if not rankings:
        msg = "no queries to evaluate: y_score is empty"
        raise ValueError(msg)
    query_ids = np.arange(len(rankings))
    _check_collections(rankings, "y_score", "the lists layout takes one ranked list per query")
    if isinstance(y_true, Set):
        rankings = reader.rankings(rankings, query_ids, [y_true])
        options["shared"] = shared = reader.truth(y_true, "y_true")
        truths = [{key: shared[key] for key in ranking if key in shared} for ranking in rankings]
        options["missed"] = _missed(shared, truths)
    else:
        _check_collections(truths, "y_true", "pass a set, a list or {item: grade} per query")
    weights = None if sample_weight is None else check_weights(sample_weight, len(rankings))
    return read_items(
        rankings, truths, query_ids, reader, weights=weights, positional=True, **options
    )


_PAIRS = (
    "{2} is a {0} keyed by query, {3} a {1}; pass both as mappings or both in the order of the "
    "queries"
)


def _check_collections(given: list[Any], name: str, rule: str) -> None:
    for kind in set(map(type, given)):
        if not hasattr(kind, "__len__") and not hasattr(kind, "__next__"):
            query = next(query for query, one in enumerate(given) if type(one) is kind)
            msg = f"{Where(name, query)} is {kind.__name__}; {rule}"
            raise TypeError(msg)


def _missed(shared: dict[Any, float], retrieved: list[dict[Any, float]]) -> Any:
    """Grades of the items of the one truth that no query retrieved; warns of those of several."""
    times = Counter(key for items in retrieved for key in items)
    several = [key for key, n_times in times.items() if n_times > 1]
    if several:
        warn(
            f"{len(several):,} items of the one ground truth were found by several queries "
            f"({format_list(several)}) and count as relevant for each; pass one ground truth per "
            "query, or items that identify the pair of query and item",
            RankingDataWarning,
        )
    return np.array([grade for key, grade in shared.items() if key not in times], np.float64)


def from_mapping(
    y_true: Mapping[Any, Any],
    y_score: Any,
    *,
    reader: ItemReader,
    sample_weight: Any = None,
    missing: Missing = "zero",
    **options: Any,
) -> RankingData:
    """Judged rankings of {query: ground truth} and {query: ranking}."""
    if not isinstance(y_score, Mapping):
        kinds = type(y_true).__name__, type(y_score).__name__
        raise TypeError(_PAIRS.format(*kinds, "y_true", "y_score"))
    queries = join_queries(y_true, y_score, missing)
    absent = [place for place, query in enumerate(queries) if query not in y_score]
    rankings = [y_score[query] if query in y_score else None for query in queries]  # noqa: SIM401
    if absent:
        empty: Any = {} if any(isinstance(ranking, Mapping) for ranking in rankings) else []
        for place in absent:
            rankings[place] = empty
    evaluated = set(queries)
    return read_items(
        rankings,
        [y_true[query] for query in queries],
        queries,
        reader,
        weights=query_weights(sample_weight, queries),
        missing=np.array(absent, dtype=np.int64),
        skipped=len(y_true) - len(queries),
        unjudged=len([query for query in y_score if query not in y_true]),
        left_out=[query for query in (*y_true, *y_score) if query not in evaluated],
        keyed=True,
        query_columns=columns_about_queries(y_true, y_score),
        **options,
    )
