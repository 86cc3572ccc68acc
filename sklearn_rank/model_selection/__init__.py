"""Scorers and splitters that know queries, in scikit-learn's searches. Imports `metrics`."""
