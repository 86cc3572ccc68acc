"""Measures over rankings to numbers. Imports `inputs`, `measures` and `statistics`."""

from sklearn_rank.evaluation.evaluate import evaluate, evaluate_placements
from sklearn_rank.evaluation.result import Evaluation

__all__ = ["Evaluation", "evaluate", "evaluate_placements"]
