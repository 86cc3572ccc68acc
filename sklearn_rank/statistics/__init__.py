"""Intervals and tests for means over queries. Imports `support` alone."""

from sklearn_rank.statistics.intervals import IntervalMethod, mean_confidence_interval
from sklearn_rank.statistics.planning import detectable_drop, holm, queries_needed

__all__ = [
    "IntervalMethod",
    "detectable_drop",
    "holm",
    "mean_confidence_interval",
    "queries_needed",
]
