"""Intervals and tests for means over queries. Imports `support` alone."""

from sklearn_rank.statistics.planning import detectable_drop, queries_needed

__all__ = ["detectable_drop", "queries_needed"]
