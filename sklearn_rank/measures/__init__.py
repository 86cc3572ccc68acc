"""Values that name a measure, and their text forms; they see no data. Imports `kernels`."""

from sklearn_rank.measures.catalogue import METRICS, Metric

__all__ = ["METRICS", "Metric"]
