"""From data to judged rankings, and from these to values per query, their weights and mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sklearn_rank.evaluation.averaging import Average, average, warn_of_undefined
from sklearn_rank.evaluation.data_warnings import warn_of_rankings
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError
from sklearn_rank.inputs.frames import is_spark
from sklearn_rank.inputs.layouts import read_in_memory
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.kernels.recall_levels import refuse_ties
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import in_unit
from sklearn_rank.support.text import WithHints, closest, count, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

_ROUNDING = 1e-9
"""A value this far outside its range is a rounding error; beyond that a kernel is wrong."""


def read(y_true: Any, y_score: Any, options: ReadOptions) -> RankingData:
    """Judged rankings from any layout; Spark frames have a separate reader."""
    options.check()
    if is_spark(y_true) or is_spark(y_score):
        from sklearn_rank.engines.spark import read_spark

        return read_spark(y_true, y_score, options)
    return read_in_memory(y_true, y_score, options)


class Scored(NamedTuple):
    """Values, weights and mean of one measure."""

    measure: Measure
    values: FloatArray | None
    """(Q,) NaN if undefined; None for a pooled measure, which has no values per query."""
    weights: FloatArray | None
    average: Average
    zero_division: str | float
    """Value of queries for which the measure is undefined, or "warn" or "raise"."""

    @property
    def undefined(self) -> float:
        """Value of an undefined query; NaN leaves it out."""
        return math.nan if isinstance(self.zero_division, str) else self.zero_division

    @property
    def counted(self) -> FloatArray | None:
        """(Q,) values that the mean averages, NaN for queries left out."""
        if self.values is None or math.isnan(self.undefined):
            return self.values
        return np.where(np.isnan(self.values), self.undefined, self.values)


class QueryBlock(NamedTuple):
    """A block of consecutive queries.

    Intermediate values of their measures are cached in these rankings and dropped with them, which
    frees memory for the next block.
    """

    queries: slice | IntArray
    rankings: JudgedRankings
    by_score: JudgedRankings
    """Ranked by the relevance scores if they were given; else the same object."""


def score_measures(
    measures: Sequence[Measure],
    data: RankingData,
    zero_division: str | float | Sequence[str | float],
    given: Mapping[Measure, FloatArray] | None = None,
) -> list[Scored]:
    """Values of all queries and their means, one ``zero_division`` for all measures or for each.

    All measures read a block of queries while it is in the cache. Measures whose values are
    ``given`` are only averaged.
    """
    warn_of_rankings(measures, data)
    # What ties or cannot be pooled is refused before anything is computed.
    for measure in measures:
        for part in measure.parts:
            if not part.metric.takes_ties:
                refuse_ties(relevant_alone(part, data.rankings), part.metric.name)
    if isinstance(zero_division, (str, float)):
        zero_division = [zero_division] * len(measures)
    zero_division = [
        math.nan if measure.metric.of_results else policy
        for measure, policy in zip(measures, zero_division, strict=True)
    ]
    scored: dict[int, Scored] = {}
    for position, (measure, policy) in enumerate(zip(measures, zero_division, strict=True)):
        if measure.is_pooled:
            scored[position] = averaged(measure, data, None, None, policy)
        elif given and measure in given:
            scored[position] = averaged(measure, data, given[measure], data.weights, policy)
    others = [position for position in range(len(measures)) if position not in scored]
    columns = _score_queries([measures[position] for position in others], data)
    for position, (values, weights) in zip(others, columns, strict=True):
        scored[position] = averaged(
            measures[position], data, values, weights, zero_division[position]
        )
    in_order = [scored[position] for position in range(len(measures))]
    if any(one.average.undefined for one in in_order):
        warn_of_undefined(
            {str(one.measure): one.average for one in in_order if one.zero_division == "warn"}
        )
    return in_order


def _score_queries(
    measures: Sequence[Measure], data: RankingData
) -> list[tuple[FloatArray, FloatArray | None]]:
    """Values of each measure, and the weights of the queries in its mean."""
    functions = [valuation(measure, data) for measure in measures]
    # The deepest cutoff first: rankings within it are what the next is cut from.
    depths = [math.inf if measure.k is None else measure.k for measure in measures]
    deepest_first = sorted(range(len(measures)), key=depths.__getitem__, reverse=True)
    blocks = data.rankings.blocks()
    reads_scores = any(part.metric.by_score for measure in measures for part in measure.parts)
    by_score = data.by_score if reads_scores else data.rankings

    def values_of(queries: slice) -> list[FloatArray]:
        block = cut_block(data.rankings, by_score, queries)
        values = {position: functions[position](block) for position in deepest_first}
        return [values[position] for position in range(len(functions))]

    done = list(map(values_of, blocks))
    columns = done[0] if len(blocks) == 1 else map(np.concatenate, zip(*done, strict=True))
    return [
        (values, query_weights(measure, data))
        for measure, values in zip(measures, columns, strict=True)
    ]


def cut_block(rankings: JudgedRankings, by_score: JudgedRankings, queries: slice) -> QueryBlock:
    """A block of queries, in the widths that formulas read; rankings are widened nowhere else."""
    is_one = by_score is rankings
    if queries.stop - queries.start < len(rankings):
        rankings = rankings.take(queries)
        by_score = rankings if is_one else by_score.take(queries)
    rankings = rankings.widened(grades=False)
    return QueryBlock(queries, rankings, rankings if is_one else by_score.widened(grades=False))


def averaged(
    measure: Measure,
    data: RankingData,
    values: FloatArray | None,
    weights: FloatArray | None,
    zero_division: str | float,
) -> Scored:
    """Values with their mean.

    Without values the measure is pooled: its value belongs to one ranking of all items.
    """
    if values is None:
        if measure.metric.is_total:
            value = np.array([measure.metric.kernel.total])  # type: ignore[attr-defined]
        else:
            value = _values(measure, data.pool().widened(grades=False))
        together: dict[str, Any] = {"measure": measure, "query_ids": ["all items together"]}
        mean = average(value, None, zero_division=zero_division, **together)
        return Scored(measure, None, None, mean, zero_division)
    mean = average(
        values,
        weights,
        present=None if data.weights is None else data.weights > 0,
        zero_division=zero_division,
        measure=measure,
        query_ids=data.query_ids,
    )
    return Scored(measure, values, weights, mean, zero_division)


# One measure of one block ------------------------------------------------------------------------


def valuation(measure: Measure, data: RankingData) -> Callable[[QueryBlock], FloatArray]:
    """Function from a block of queries to their values, NaN if undefined."""
    metric = measure.metric
    if metric.combines:
        first, second = (valuation(member, data) for member in measure.members)
        beta = measure.options["beta"]
        return lambda block: metric.kernel(first(block), second(block), beta=beta)
    numbers, n_queries = measure.options.get("n_negatives"), len(data.query_ids)
    if isinstance(numbers, tuple) and (data.keyed or len(numbers) != n_queries):
        reason = f"there are {n_queries:,} queries; pass one number for each"
        if data.keyed:
            reason = "queries are joined by key; pass one number for all"
        msg = f"n_negatives has {count(len(numbers), 'number')} by position, but {reason}"
        raise InvalidParameterError(msg)

    def values_of(block: QueryBlock) -> FloatArray:
        rankings = block.by_score if metric.by_score else block.rankings
        if isinstance(numbers, tuple):
            return _values(measure, rankings, n_negatives=numbers[block.queries])
        return _values(measure, rankings)

    return values_of


def _values(measure: Measure, rankings: JudgedRankings, **by_query: Any) -> FloatArray:
    """Values of the kernel, clipped if rounding took them outside the metric's range."""
    relevant = relevant_alone(measure, rankings)
    values = measure.metric.kernel(relevant, k=measure.k, **{**measure.kernel_options, **by_query})
    lower, upper = measure.metric.lower, measure.metric.upper
    # Of NaN and a number these are the number.
    if not len(values) or (np.fmin.reduce(values) >= lower and np.fmax.reduce(values) <= upper):
        return values
    with np.errstate(invalid="ignore"):
        outside = (values < lower - _ROUNDING) | (values > upper + _ROUNDING)
    if outside.any():
        msg = f"{measure} came out as {values[outside][0]!r}, outside [{lower:g}, {upper:g}]"
        raise ArithmeticError(msg)
    return np.clip(values, lower, upper)


def relevant_alone(measure: Measure, rankings: JudgedRankings) -> JudgedRankings:
    """The rankings with only the grades that are relevant to a measure."""
    min_rel = measure.options.get("min_rel")
    return rankings if min_rel is None else rankings.at_least(min_rel)


# Weights of queries ------------------------------------------------------------------------------


def query_weights(measure: Measure, data: RankingData) -> FloatArray | None:
    """(Q,) weights of the queries in the mean, including those in the data; None: equal weights."""
    rankings = data.by_score if measure.metric.by_score else data.rankings
    return _times(query_factors(measure, rankings), data.weights)


def query_factors(measure: Measure, rankings: JudgedRankings) -> FloatArray | None:
    """(Q,) weights that depend only on the relevant items; None: equal weights."""
    if measure.weigh is None:
        return None
    relevant = relevant_alone(measure, rankings)
    options = measure.options
    return measure.weigh(relevant, average=options["average"], unretrieved=options["unretrieved"])


def _times(factors: FloatArray | None, given: FloatArray | None) -> FloatArray | None:
    """Weights that a measure gives to queries times weights of the data; only proportions count."""
    if factors is None or given is None:
        return given if factors is None else factors
    with np.errstate(over="ignore"):
        together = factors * given
    return together if np.isfinite(together).all() else factors * in_unit(given)[0]


# Measures by any spelling -----------------------------------------------------------------------


def find_measure(spec: Any, scored: Mapping[str, Scored]) -> str:
    """Name of the measure with this spelling, with or without the convention's parameters."""
    if isinstance(spec, str) and spec in scored:
        return spec
    try:
        wanted = read_measure(spec)
    except UnknownMeasureError as error:
        told = str(error).partition("; known measures")[0]
        msg = f"{told}; a query's values are in to_frame(), evaluated: {', '.join(scored)}"
        raise UnknownMeasureError(msg) from None
    for name, record in scored.items():
        measure = record.measure
        is_alike = wanted.metric == measure.metric and wanted.agrees_with(measure)
        if measure == wanted or (name == str(wanted) and is_alike):
            return name
    full = wanted.in_full()
    msg = f"{safe_repr(full)} was not evaluated{closest(full, list(scored))}; evaluated: "
    raise UnknownMeasureError(msg + ", ".join(scored))


class ByMeasure(WithHints, dict[str, Any]):
    """A dict keyed by canonical spellings that reads any spelling.

    Pooled measures rank all queries together: they have no values per query.
    """

    _ELSEWHERE: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("describe", "head", "iloc", "loc", "mean", "plot", "sort_values", "to_csv", "to_frame"),
        "the evaluation's to_frame() makes a data frame, rows='measures' of scores",
    )

    def __init__(self, values: Mapping[str, Any], scored: Mapping[str, Scored]) -> None:
        super().__init__(values)
        self._scored = scored

    def __getitem__(self, spec: str | Measure) -> Any:
        name = find_measure(spec, self._scored)
        if not super().__contains__(name):
            msg = f"{name} ranks all queries together; it has no values per query"
            raise InvalidParameterError(msg)
        return super().__getitem__(name)

    def __contains__(self, spec: object) -> bool:
        try:
            return super().__contains__(find_measure(spec, self._scored))
        except (TypeError, ValueError):
            return False

    def get(self, spec: str | Measure, default: Any = None) -> Any:
        """The value for any spelling; ``default`` if there is none."""
        if spec not in self:
            return default
        return self[spec]
