"""What was measured, as the baseline that it would be."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Literal

import numpy as np

from pytest_rankmetrics.baseline.file import (
    DECIMALS,
    Baseline,
    StoredMetric,
    StoredQuery,
    write_rank,
)
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.strict import Measured
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import FloatArray


def key_of(value: Any) -> str:
    """A query or item id as a key of JSON."""
    return value if isinstance(value, str) else str(value)


def keys_of(values: Sequence[Any], what: str) -> list[str]:
    """Ids as keys; RankGateFailure if two of them would be one."""
    keys = [key_of(value) for value in values]
    seen: dict[str, Any] = {}
    for key, value in zip(keys, values, strict=True):
        if key in seen:
            both = f"{safe_repr(seen[key])} and {safe_repr(value)}"
            msg = f"{what} {both} would be one in a baseline; name them apart"
            raise RankGateFailure(msg)
        seen[key] = value
    return keys


def digest(placement: Placement) -> str:
    """Fingerprint of the judgements of a query: ids and grades, in any order."""
    judged: Any
    if placement.judged is None:
        judged = [placement.grades, placement.n_ranked]
    else:
        pairs = placement.judged.items()
        judged = sorted([key_of(item), float(grade)] for item, grade in pairs)
    return sha256(json.dumps(judged).encode()).hexdigest()[:12]


def definition_of(measure: Measure, measured: Measured) -> dict[str, Any]:
    """Everything that the values of a measure depend on besides the data."""
    definition: dict[str, Any] = {"v": measure.metric.version}
    if measure.k is not None:
        definition["k"] = measure.k
    for name, value in measure.options.items():
        if value is not None:
            definition[name] = _plain_option(value)
    ties = measured.ties or find_convention(measured.convention).ties
    if ties != "average":
        definition["ties"] = ties
    if not isinstance(measured.zero_division, str) and not math.isnan(measured.zero_division):
        definition["zero_division"] = float(measured.zero_division)
    if measured.by_relevance and measure.metric.by_score:
        definition["relevance"] = True
    return definition


def _plain_option(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain_option(one) for one in value]
    if callable(value):
        return f"<{getattr(value, '__name__', type(value).__name__)}>"
    return str(value) if isinstance(value, Measure) else value


def recorded(
    measured: Measured,
    gate: str,
    store: Literal["ranks", "scores"],
    slices: Mapping[str, Mapping[str, float]],
    accepted: Sequence[Mapping[str, Any]] = (),
) -> Baseline:
    """The baseline that what was measured would be."""
    keys = keys_of(measured.query_ids, "queries")
    columns = {name: measured.per_query(name) for name in measured.names}
    weights = recorded_weights(measured)
    queries = {
        key: replace(_stored_query(placement, number, columns, store), weight=weights[number])
        for number, (key, placement) in enumerate(zip(keys, measured.placements, strict=True))
    }
    metrics = {name: _stored_metric(name, measured, columns[name]) for name in measured.names}
    return Baseline(gate, metrics, queries, slices, tuple(accepted))


def recorded_weights(measured: Measured) -> list[float | None]:
    """Weights as they are recorded, one for each query."""
    if measured.sample_weights is None:
        return [None] * len(measured)
    return [float(f"{weight:.6g}") for weight in measured.sample_weights]


def _stored_metric(name: str, measured: Measured, values: FloatArray | None) -> StoredMetric:
    n = len(measured) if values is None else int((~np.isnan(values)).sum())
    return StoredMetric(
        value=round(measured.value(name), DECIMALS),
        queries=n,
        definition=definition_of(measured.used[name], measured),
        weighted=measured.weights(name) is not None,
    )


def _stored_query(
    placement: Placement,
    number: int,
    columns: Mapping[str, FloatArray | None],
    store: Literal["ranks", "scores"],
) -> StoredQuery:
    values = {
        name: None if math.isnan(column[number]) else round(float(column[number]), DECIMALS)
        for name, column in columns.items()
        if column is not None
    }
    truth = digest(placement)
    if store == "scores":
        return StoredQuery(truth, values)
    grades = None
    if placement.judged is None:
        keys = [f"#{place}" for place in range(1, len(placement.hits) + 1)]
        grades = tuple(hit.grade for hit in placement.hits)
    else:
        keys = keys_of([hit.item for hit in placement.hits], "items")
    pairs = zip(keys, placement.hits, strict=True)
    ranks = {key: write_rank(hit.above, hit.tied) for key, hit in pairs}
    return StoredQuery(truth, values, ranks, placement.n_ranked, grades)
