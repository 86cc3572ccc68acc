"""Metric functions: explicit names, ``f(y_true, y_score, ...) -> float``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sklearn_rank.measures.catalogue import METRICS, Metric
from sklearn_rank.metrics import binary, combined, graded, judgements, pairwise, recall_levels

_DOCUMENTED: dict[str, Callable[..., float]] = {
    name: getattr(module, name)
    for module in (binary, combined, graded, judgements, pairwise, recall_levels)
    for name in module.__all__
}

FUNCTIONS: Mapping[Metric, Callable[..., float]] = MappingProxyType(
    {metric: _DOCUMENTED[metric.function] for metric in METRICS if metric.function in _DOCUMENTED}
)
"""The documented function of each metric's record."""
