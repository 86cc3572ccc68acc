"""Spark: where relevant items stand is found inside it, and the waist alone comes back."""

from sklearn_rank.engines.spark.reading import read

__all__ = ["read"]
