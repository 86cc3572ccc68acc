"""Values per query as a frame of the engine whose frames were evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn_rank.evaluation.compute import Scored, sent
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import RankingData


def to_engine_frame(judged: RankingData, scored: Mapping[str, Scored]) -> Any:
    """A row for each query; computed where the places are, if they are not here."""
    measured = {name: kept for name, kept in scored.items() if kept.values is not None}
    if judged.remote is not None:
        measures = [kept.measure for kept in measured.values()]
        return judged.remote.frame(sent(measures, weighs=False), ["query", *measured])
    if judged.make_frame is None:
        msg = "to_frame('spark') makes a frame of Spark of what was evaluated as frames of Spark"
        raise InvalidParameterError(msg)
    columns = {name: kept.values for name, kept in measured.items()}
    return judged.make_frame({"query": judged.listed_ids(), **columns})
