"""Scorers and splitters for scikit-learn's searches that keep queries whole. Imports `metrics`."""
