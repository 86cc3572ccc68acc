"""Mappings: ground truth and ranking of each query under its id, joined by that id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sklearn_rank.inputs.items import ItemReader
from sklearn_rank.inputs.join import join_queries, query_weights, read_items
from sklearn_rank.inputs.tables import columns_about_queries
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.typing import Missing


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
        msg = (
            f"y_true is a {type(y_true).__name__} keyed by query, y_score a "
            f"{type(y_score).__name__}; pass both as mappings or both in the order of the queries"
        )
        raise TypeError(msg)
    queries = join_queries(y_true, y_score, missing)
    truths = [y_true[query] for query in queries]
    # Not get(): dict subclasses may not override it.
    rankings = [y_score[query] if query in y_score else None for query in queries]  # noqa: SIM401
    absent = [place for place, query in enumerate(queries) if query not in y_score]
    if absent:
        present = (ranking for place, ranking in enumerate(rankings) if place not in set(absent))
        empty: Any = {} if any(isinstance(ranking, Mapping) for ranking in present) else []
        for place in absent:
            rankings[place] = empty
    evaluated = set(queries)
    return read_items(
        rankings,
        truths,
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
