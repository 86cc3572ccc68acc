"""Measures over rankings to numbers. Imports `inputs`, `measures` and `statistics`."""

from sklearn_rank.evaluation.evaluate import Evaluation, evaluate, evaluate_placements

__all__ = ["Evaluation", "evaluate", "evaluate_placements"]
