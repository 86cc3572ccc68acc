"""Intervals and paired tests for means over queries. Imports `support`; SciPy when asked."""

from sklearn_rank.statistics.corrections import Correction, correct_p_values, holm
from sklearn_rank.statistics.intervals import IntervalMethod, mean_confidence_interval
from sklearn_rank.statistics.paired import PairedComparison, compare_paired

__all__ = [
    "Correction",
    "IntervalMethod",
    "PairedComparison",
    "compare_paired",
    "correct_p_values",
    "holm",
    "mean_confidence_interval",
]
