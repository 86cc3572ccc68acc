"""Metric functions: explicit names, ``f(y_true, y_score, ...) -> float``."""

from sklearn_rank.metrics.curves import *  # noqa: F403
from sklearn_rank.metrics.overlap import *  # noqa: F403
from sklearn_rank.metrics.scores import *  # noqa: F403
from sklearn_rank.metrics.scores import FUNCTIONS as FUNCTIONS
