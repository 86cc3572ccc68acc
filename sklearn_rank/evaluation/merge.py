"""What measures made of several sets of queries, as if these had been evaluated at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sklearn_rank.evaluation.compute import Scored, score_values
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.source import Judged
from sklearn_rank.support.text import listed


def check_same_measures(measures: Sequence[Sequence[Measure]]) -> None:
    """InvalidParameterError unless all were computed for the same measures."""
    first, *others = measures
    for number, other in enumerate(others, start=2):
        if tuple(other) != tuple(first):
            msg = (
                f"evaluation {number} has other measures than the first: "
                f"{listed(map(str, other))} against {listed(map(str, first))}"
            )
            raise InvalidParameterError(msg)


def check_same_policy(policies: Sequence[str | float]) -> None:
    """InvalidParameterError unless undefined queries count the same in all."""
    first, *others = map(str, policies)
    for number, other in enumerate(others, start=2):
        if other != first:
            msg = f"evaluation {number} has zero_division={other} and the first {first}"
            raise InvalidParameterError(msg)


def merge_scored(
    parts: Sequence[Mapping[str, Scored]], judged: Judged, zero_division: str | float
) -> dict[str, Scored]:
    """The values of all parts with their means; only pooled measures are computed again."""
    # The parts have warned already.
    silent = math.nan if zero_division == "warn" else zero_division
    return {
        name: score_values(first.measure, judged, _values([part[name] for part in parts]), silent)
        for name, first in parts[0].items()
    }


def _values(scored: Sequence[Scored]) -> np.ndarray | None:
    values = [part.values for part in scored if part.values is not None]
    return np.concatenate(values) if values else None
