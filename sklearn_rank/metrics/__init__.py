"""Metric functions: explicit names, ``f(y_true, y_score, ...) -> float``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sklearn_rank.measures.catalogue import METRICS, Metric
from sklearn_rank.metrics import scores
from sklearn_rank.metrics.curves import *  # noqa: F403
from sklearn_rank.metrics.scores import *  # noqa: F403

FUNCTIONS: Mapping[Metric, Callable[..., float]] = MappingProxyType(
    {metric: getattr(scores, metric.function) for metric in METRICS if metric.function}
)
"""The documented function of each metric that has one."""
