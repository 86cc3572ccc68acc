"""Measures over rankings to numbers. Imports `inputs`, `measures` and `statistics`."""

from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation

__all__ = ["Evaluation", "evaluate"]
