"""What a measure loses: out of reach, not retrieved, or retrieved and ranked too low."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.evaluation.compute import QueryBlock, Scored, valuation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_index, sizes_of
from sklearn_rank.tables.formats import Tabular
from sklearn_rank.tables.table import Column, Table, id_column, number_cell, text_cell
from sklearn_rank.typing import Array, FloatArray, IntArray

__all__ = ["LossChange", "Losses"]

EXPLAINED = ("ndcg", "map", "mrr", "err", "precision", "recall", "hit_rate")
"""Metrics of values up to 1 that grow with every relevant item that is added or moved up."""


@dataclass(frozen=True, repr=False)
class Losses(Tabular):
    """Why a value is below 1: ``1 - value`` is the sum of three parts.

    Attributes
    ----------
    measure : str
        As it was evaluated.
    value, out_of_reach, not_retrieved, too_low : float
        The value; 1 minus the value of the ideal list of all relevant items; the loss from
        unretrieved relevant items; and the loss from the order of the others.
    per_query : dict of str to array of shape (n_queries,)
        The three parts of each query, NaN where the measure is undefined.
    """

    measure: str
    value: float
    out_of_reach: float
    not_retrieved: float
    too_low: float
    per_query: dict[str, FloatArray] = field(compare=False, default_factory=dict)
    _query_ids: Sequence[Any] = field(compare=False, default=())

    _ROWS = ("measures",)

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        return _row_of(self, "value", *self.per_query)

    def _columns(self) -> dict[str, list[Any]]:
        return {
            "query": id_column(self._query_ids),
            **{part: values.tolist() for part, values in self.per_query.items()},
        }


@dataclass(frozen=True, repr=False)
class LossChange(Tabular):
    """Why a value changed: ``change`` is the sum of two parts, negative where it fell.

    Attributes
    ----------
    measure, title : str
        Name as evaluated, and title for display.
    change, not_retrieved, order : float
        The change of the mean; the part from relevant items that were lost or found; and the part
        from the order of the others.
    """

    measure: str
    title: str
    change: float
    not_retrieved: float
    order: float

    def __str__(self) -> str:
        shown, retrieved = round(self.change, 3) + 0.0, round(self.not_retrieved, 3) + 0.0
        return (
            f"{self.title} {shown:+.3f}: {retrieved:+.3f} not retrieved, "
            f"{shown - retrieved + 0.0:+.3f} order"
        )

    _ROWS = ("measures",)

    def _table(self, rows: str) -> Table:  # noqa: ARG002
        return _row_of(self, "change", "not_retrieved", "order", signed=True)

    def _columns(self) -> dict[str, list[Any]]:
        return {name: [value] for name, value in asdict(self).items()}


def _row_of(losses: Losses | LossChange, *parts: str, signed: bool = False) -> Table:
    """A table of one row."""
    columns = (Column(part.replace("_", " "), "number") for part in parts)
    cells = (number_cell(getattr(losses, part), signed=signed) for part in parts)
    return Table((Column("measure"), *columns), ((text_cell(losses.measure), *cells),))


class LossParts(NamedTuple):
    """Values per query of the ideal list and of the ranking; NaN if not averaged."""

    ideal: FloatArray
    retrieved: FloatArray
    """Of the retrieved relevant items in ideal order."""
    value: FloatArray


def refuse_unexplained(measure: Measure) -> None:
    """InvalidParameterError for a measure whose losses have no such parts."""
    if not explains(measure):
        msg = f"losses explains {', '.join(EXPLAINED)}, not {measure}"
        raise InvalidParameterError(msg)


def explains(measure: Measure) -> bool:
    """Whether a measure has these parts."""
    return measure.metric.name in EXPLAINED and not measure.metric.is_custom


def parts_of(scored: Scored, data: RankingData, rankings: JudgedRankings) -> LossParts:
    """Values for one measure and one run; those of an undefined query are all the same."""
    value = scored.counted
    assert value is not None
    measure, rankings = scored.measure, replace(rankings, unjudged=None)
    ones = np.ones(len(rankings.relevant_grades), dtype=np.int64)
    offsets, judged = rankings.relevant_offsets, rankings.all_grades
    order, above = _ideal_order(judged, offsets, measure)
    ideal = replace(
        rankings,
        offsets=offsets,
        above=above,
        tied=ones,
        grades=judged[order],
        n_ranked=rankings.n_relevant,
    )
    order, above = _ideal_order(rankings.grades, rankings.offsets, measure)
    retrieved = replace(
        rankings, above=above, tied=ones[: len(above)], grades=rankings.grades[order]
    )
    compute, every = valuation(measure, data), slice(0, len(rankings))
    columns = [compute(QueryBlock(every, one, one)) for one in (ideal, retrieved)]
    settled = np.isnan(value) if scored.values is None else np.isnan(scored.values)
    best, found = (np.where(settled, value, column) for column in columns)
    return LossParts(best, found, value)


def _ideal_order(grades: Array, offsets: IntArray, measure: Measure) -> tuple[IntArray, IntArray]:
    """Items of each query by falling gain, and how many stand above each."""
    gain: Any = measure.options.get("gain")
    if gain is not None and not isinstance(gain, str):
        gains = dict(gain)
        grades = np.array([gains.get(grade, grade) for grade in grades.tolist()], dtype=np.float64)
    order = np.lexsort((-grades.astype(np.float64), segment_index(offsets)))
    return order, np.arange(len(grades)) - np.repeat(offsets[:-1], sizes_of(offsets))


def mean_parts(runs: Sequence[LossParts]) -> LossParts:
    """The mean over repeated runs."""
    return LossParts(*(np.mean(side, axis=0) for side in zip(*runs, strict=True)))


def losses_of(
    name: str, parts: LossParts, weights: FloatArray | None, query_ids: Sequence[Any]
) -> Losses:
    """The three parts, by query and in the mean."""
    ideal, retrieved, value = parts
    by_query = {
        "out_of_reach": 1 - ideal,
        "not_retrieved": ideal - retrieved,
        "too_low": retrieved - value,
    }
    means = {part: mean_over(column, weights) for part, column in by_query.items()}
    value_of_all = mean_over(value, weights)
    return Losses(name, value_of_all, **means, per_query=by_query, _query_ids=query_ids)


def change_of(
    name: str, title: str, pair: tuple[LossParts, LossParts], weights: FloatArray | None
) -> LossChange:
    """The two parts of a change, over queries that have a value on both sides."""
    old, new = pair
    change = new.value - old.value
    retrieved = (new.retrieved - new.ideal) - (old.retrieved - old.ideal)
    retrieved = np.where(np.isnan(change), np.nan, retrieved)
    means = mean_over(change, weights), mean_over(retrieved, weights)
    return LossChange(name, title, *means, means[0] - means[1])
