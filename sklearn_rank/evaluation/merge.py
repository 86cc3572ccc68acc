"""What measures made of several sets of queries, as if these had been evaluated at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sklearn_rank.evaluation.compute import Scored, score_values
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.data import RankingData
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


def check_same_policy(parts: Sequence[Mapping[str, Scored]]) -> None:
    """InvalidParameterError unless undefined queries count the same in all."""
    for name in parts[0]:
        first, *others = (str(part[name].zero_division) for part in parts)
        for number, other in enumerate(others, start=2):
            if other != first:
                msg = f"evaluation {number} has zero_division={other} and the first {first}"
                raise InvalidParameterError(msg)


def merge_scored(parts: Sequence[Mapping[str, Scored]], judged: RankingData) -> dict[str, Scored]:
    """The values of all parts with their means; only pooled measures are computed again."""
    merged = {}
    for name, first in parts[0].items():
        policy = first.zero_division
        # The parts have warned already.
        silent = math.nan if policy == "warn" else policy
        values = _values([part[name] for part in parts])
        scored = score_values(first.measure, judged, values, silent)
        merged[name] = replace(scored, zero_division=policy)
    return merged


def _values(scored: Sequence[Scored]) -> np.ndarray | None:
    values = [part.values for part in scored if part.values is not None]
    return np.concatenate(values) if values else None
