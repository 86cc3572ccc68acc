"""The optional relevance input: a score for each ranked result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.inputs.ranking import Ranking, Where, sequence
from sklearn_rank.inputs.scores import refuse_rounded, score_array
from sklearn_rank.support.arrays import EXACT_INTEGER
from sklearn_rank.support.parameters import check_flag
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array

__all__ = ["RelevanceInput"]


@dataclass(frozen=True)
class RelevanceInput:
    """Relevance scores of ranked results, how to read them, and which way is better.

    Parameters
    ----------
    scores : sequence of sequences, or mapping of query to sequence
        For each query one score for each ranked result, in the same order.
    provider : callable, default=float
        Turns an element of ``scores`` into a number; ``float`` leaves numbers as they are.
    higher_is_better : bool, default=True
        False for distances. The order of the ranked results stands as given; scores that
        contradict it are an error.

    Raises
    ------
    TypeError
        If ``provider`` is not callable.
    InvalidParameterError
        If ``higher_is_better`` is not a bool.

    References
    ----------
    .. [1] ArDoCo, Rank Metrics, https://github.com/ArDoCo/Metrics

    Examples
    --------
    Ties between scores matter to the measures that read scores, such as AUC:

    >>> from sklearn_rank import RelevanceInput, group_auc_score
    >>> distances = RelevanceInput([["0.1", "0.4", "0.4"]], higher_is_better=False)
    >>> group_auc_score([{"b"}], [["a", "b", "c"]], relevance=distances)
    0.25
    """

    scores: Any
    provider: Callable[[Any], float] = float
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        if not callable(self.provider):
            msg = f"provider must be a function of a score, got {safe_repr(self.provider)}"
            raise TypeError(msg)
        check_flag(self.higher_is_better, "higher_is_better", "RelevanceInput")


def read_relevance(relevance: Any) -> Any:
    """The scores as given, wrapped or not; TypeError for what can be neither."""
    scores = relevance.scores if isinstance(relevance, RelevanceInput) else relevance
    return scores if isinstance(scores, Mapping) else sequence(scores, "relevance")


def refuse_scored(rankings: list[Ranking], name: str) -> None:
    """TypeError if rankings bring scores of their own besides a relevance input."""
    if any(ranking.scores is not None for ranking in rankings):
        msg = f"{name} holds {{item: score}} rankings, which need no relevance="
        raise TypeError(msg)
    if any(ranking.dropped for ranking in rankings):
        msg = "duplicates='first' cannot drop items of rankings that have relevance= scores"
        raise ValueError(msg)


def query_scores(relevance: Any, given: Any, n_ranked: int, name: Where) -> Array:
    """Scores of one query, greater for what stands higher, checked against the order."""
    values = sequence(given, name)
    if len(values) != n_ranked:
        msg = f"{name} has {len(values)} scores for {n_ranked} ranked results"
        raise ValueError(msg)
    falls = isinstance(relevance, RelevanceInput) and not relevance.higher_is_better
    if isinstance(relevance, RelevanceInput) and not _stay(relevance, values):
        values = [_provided(relevance, value, name, i) for i, value in enumerate(values)]
    scores = score_array(values, name, _at_position)
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        msg = f"{name} contains NaN at position {int(np.flatnonzero(np.isnan(scores))[0]) + 1}"
        raise ValueError(msg)
    if scores.dtype.kind == "f" and (np.abs(scores) >= EXACT_INTEGER).any():
        refuse_rounded(values, name, _at_position)
    wrong = np.flatnonzero(scores[1:] < scores[:-1] if falls else scores[1:] > scores[:-1])
    if len(wrong):
        place = int(wrong[0])
        sign = "<" if falls else ">"
        msg = (
            f"{name} contradicts the order of the ranked results at position {place + 2}: "
            f"{scores[place + 1]} {sign} {scores[place]}; sort the results, or say "
            f"RelevanceInput(..., higher_is_better={falls})"
        )
        raise ValueError(msg)
    if not falls:
        return scores
    # Python's own numbers, of which the negative is always exact.
    return score_array([-value for value in scores.tolist()], name, _at_position)


def _at_position(place: int) -> str:
    return f"at position {place + 1}"


def _stay(relevance: RelevanceInput, values: list[Any]) -> bool:
    """Whether the provider would leave all values as they are."""
    return relevance.provider is float and set(map(type, values)) <= {int, float}


def _provided(relevance: RelevanceInput, value: Any, name: Where, position: int) -> Any:
    if relevance.provider is float and isinstance(value, (int, np.integer, np.floating)):
        return value  # float() would round large integers
    try:
        return relevance.provider(value)
    except Exception as error:
        msg = (
            f"provider of RelevanceInput raised {type(error).__name__}({safe_repr(str(error))}) "
            f"on score {position} of {name}"
        )
        raise ValueError(msg) from error
