"""Metric functions: explicit names, ``f(y_true, y_score, ...) -> float``."""

from typing import Any

from sklearn_rank.metrics.curves import *  # noqa: F403
from sklearn_rank.metrics.overlap import *  # noqa: F403
from sklearn_rank.metrics.scores import *  # noqa: F403
from sklearn_rank.metrics.scores import FUNCTIONS as FUNCTIONS


def __getattr__(name: str) -> Any:
    from sklearn_rank.measures.grammar import hint_of_function
    from sklearn_rank.support.insides import no_attribute
    from sklearn_rank.support.text import closest

    def told(sought: str) -> str:
        return hint_of_function(sought) or closest(sought, globals())

    raise no_attribute(__name__, name, told)
