"""Repeated runs of one system: means per query, and the noise between runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.evaluation.compute import Scored, averaged
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.support.text import argument, safe_repr

__all__ = ["Repeats"]


@dataclass(frozen=True, eq=False)
class Repeats:
    """Several runs of one system, which answers differently each time.

    Accepted in place of the rankings of a single run. The value of a query is the mean over the
    runs; :meth:`Evaluation.spread` and comparisons show how much of a change is noise between runs.
    Ranks of items, as in :meth:`Evaluation.placements`, are those of the first run.

    Parameters
    ----------
    runs : sequence of rankings
        Two or more, each as ``y_score`` of :func:`evaluate`, for the same queries.

    Raises
    ------
    InvalidParameterError
        If there are fewer than two runs.
    TypeError
        If ``runs`` is not a list or tuple of rankings.

    Examples
    --------
    >>> from sklearn_rank import Repeats, evaluate
    >>> truth = {"q1": {"a"}, "q2": {"b"}}
    >>> runs = [{"q1": ["a"], "q2": ["b"]}, {"q1": ["x", "a"], "q2": ["b"]}]
    >>> ev = evaluate(truth, Repeats(runs), "mrr")
    >>> ev.per_query["mrr"], ev.spread("mrr").round(3)
    (array([0.75, 1.  ]), array([0.354, 0.   ]))
    """

    runs: Sequence[Any]

    def __post_init__(self) -> None:
        if not isinstance(self.runs, (list, tuple)) or any(
            isinstance(run, (Repeats, str)) for run in self.runs
        ):
            msg = f"Repeats takes a list of runs, got {safe_repr(self.runs)}"
            raise TypeError(msg)
        if len(self.runs) < 2:
            msg = f"Repeats needs at least two runs, got {len(self.runs)}; pass a run by itself"
            raise InvalidParameterError(msg)


def mean_of_runs(runs: Sequence[Evaluation]) -> Evaluation:
    """The evaluation whose values per query are means over the runs."""
    first, *others = runs
    ids = first.ranking_data.listed_ids()
    for number, run in enumerate(others, start=2):
        if run.ranking_data.listed_ids() != ids:
            msg = (
                f"run {number} of Repeats has different queries from run 1; give each run a "
                f"ranking for every query, or pass {argument('missing', 'zero')}"
            )
            raise QueryMismatchError(msg)
    scored = {name: _mean([run.scored[name] for run in runs], first) for name in first.scored}
    return Evaluation(scored, first.ranking_data, tuple(runs))


def _mean(parts: Sequence[Scored], first: Evaluation) -> Scored:
    """One measure over several runs."""
    record = parts[0]
    if record.values is None:
        value = math.fsum(part.average.value for part in parts) / len(parts)
        return record._replace(average=record.average._replace(value=value))
    undefined = np.logical_and.reduce([np.isnan(np.asarray(part.values)) for part in parts])
    means = np.mean([np.asarray(part.counted) for part in parts], axis=0)
    values, weights = np.where(undefined, math.nan, means), None
    if record.weights is not None:
        weights = np.mean([np.asarray(part.weights) for part in parts], axis=0)
    # What raises or warns has done so for each run.
    mean = averaged(record.measure, first.ranking_data, values, weights, record.undefined)
    return mean._replace(zero_division=record.zero_division)
