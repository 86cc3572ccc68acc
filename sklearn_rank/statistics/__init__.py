"""Intervals and paired tests for means over queries. Imports `support`; SciPy when asked."""

from sklearn_rank.statistics.intervals import IntervalMethod, mean_confidence_interval
from sklearn_rank.statistics.paired import PairedComparison, compare_paired, holm

__all__ = [
    "IntervalMethod",
    "PairedComparison",
    "compare_paired",
    "holm",
    "mean_confidence_interval",
]
