"""A measure over judged rankings: per-query values, their weights and their mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.evaluation.averaging import Average, average, warn_of_undefined
from sklearn_rank.evaluation.unfit import warn_of_rankings
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.recall_levels import refuse_ties
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.parameters import ByQuery
from sklearn_rank.rankings.data import NoPool, RankingData
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.remote import ARE_REMOTE, RemoteRankings
from sklearn_rank.support.runtime import in_threads
from sklearn_rank.support.segments import in_unit
from sklearn_rank.typing import FloatArray, IntArray

_ROUNDING = 1e-9
"""A value this far outside of its range is rounding; beyond it a kernel is wrong."""


@dataclass(frozen=True)
class Scored:
    """What one measure makes of an input."""

    measure: Measure
    values: FloatArray | None
    """(Q,) NaN where undefined; None for a pooled measure, which has no values per query."""
    weights: FloatArray | None
    average: Average
    zero_division: str | float
    """What a query counts for which the measure is undefined."""


def score_measures(
    measures: Sequence[Measure],
    judged: RankingData,
    zero_division: str | float | Sequence[str | float],
    n_jobs: int | None = None,
) -> list[Scored]:
    """Values of all queries and their means; all measures of a block while it is at hand.

    ``zero_division`` is that of all measures, or a sequence with that of each.
    Functions of the caller, such as a gain, are called in one thread.
    """
    warn_of_rankings(measures, judged)
    # What ties or cannot be pooled is refused before anything is computed.
    for measure in measures:
        for part in (measure, *measure.options.get("measures", ())):
            if not part.metric.takes_ties and judged.remote is None:
                refuse_ties(relevant_alone(part, judged.rankings))
    pooled = [
        _pooled_value(measure, judged.pool()) if measure.is_pooled else None for measure in measures
    ]
    per_query = iter(
        _values_of_queries(
            [measure for measure, value in zip(measures, pooled, strict=True) if value is None],
            judged,
            n_jobs,
        )
    )
    if isinstance(zero_division, (str, float)):
        zero_division = [zero_division] * len(measures)
    scored = [
        averaged(measure, judged, *next(per_query), settled)
        if value is None
        else _averaged_pool(measure, value, settled)
        for measure, value, settled in zip(measures, pooled, zero_division, strict=True)
    ]
    warned = [result for result in scored if result.zero_division == "warn"]
    if any(result.average.n_undefined for result in warned):
        warn_of_undefined({str(result.measure): result.average for result in warned})
    return scored


def _values_of_queries(
    measures: Sequence[Measure], judged: RankingData, n_jobs: int | None
) -> list[tuple[FloatArray, FloatArray | None]]:
    """Values of each measure, and the weights of the queries in its mean."""
    functions = [valuation(measure, judged) for measure in measures]
    if judged.remote is not None:
        return _remote_values(measures, judged, judged.remote)
    if any(measure.calls_back for measure in measures):
        n_jobs = None

    def values_of(queries: slice) -> list[FloatArray]:
        block = _cut(judged, queries)
        return [function(block) for function in functions]

    blocks = in_threads(values_of, judged.rankings.blocks(), n_jobs)
    per_query = map(np.concatenate, zip(*blocks, strict=True))
    weights = (_average_weights(measure, judged) for measure in measures)
    return list(zip(per_query, weights, strict=True))


def _remote_values(
    measures: Sequence[Measure], judged: RankingData, remote: RemoteRankings
) -> list[tuple[FloatArray, FloatArray | None]]:
    """The same by sending the measures to where the places are."""
    holes = [measure for measure in measures if measure.metric.of_judgements]
    if holes and judged.rankings.unjudged is not None:
        msg = f"{holes[0]} reads places of items that are not relevant, too; {ARE_REMOTE}"
        raise InvalidParameterError(msg)
    weighed = [measure for measure in measures if _weighs_queries(measure)]
    try:
        columns = remote.values(sent(measures), len(measures) + len(weighed))
    finally:
        remote.release()
    own = dict(zip(weighed, columns[len(measures) :], strict=True))
    return [
        (values, _with_weights(own.get(measure), judged.weights))
        for measure, values in zip(measures, columns, strict=False)
    ]


def sent(
    measures: Sequence[Measure], *, weighs: bool = True
) -> Callable[[JudgedRankings], list[FloatArray]]:
    """A function that can be pickled: values of each measure, then weights of those that weigh."""
    return partial(_columns_of, measures=tuple(measures), weighs=weighs)


def _columns_of(
    rankings: JudgedRankings, *, measures: Sequence[Measure], weighs: bool
) -> list[FloatArray]:
    judged = RankingData(rankings, _PARTS_HAVE_NONE, keyed=True)
    block = _cut(judged, slice(0, len(rankings)))
    columns = [valuation(measure, judged)(block) for measure in measures]
    weights = (own_weights(measure, rankings) for measure in measures if weighs)
    return columns + [column for column in weights if column is not None]


_PARTS_HAVE_NONE = NoPool("a part of the queries has none")


def score_values(
    measure: Measure, judged: RankingData, values: FloatArray | None, zero_division: str | float
) -> Scored:
    """Values per query that are known, with their mean; None: a pooled measure, computed now."""
    if values is None:
        return _averaged_pool(measure, _pooled_value(measure, judged.pool()), zero_division)
    return averaged(measure, judged, values, _average_weights(measure, judged), zero_division)


def score_slice(whole: Scored, queries: IntArray, judged: RankingData) -> Scored:
    """The same for ``judged``, some of the queries; only pooled measures are computed again."""
    measure, zero_division = whole.measure, whole.zero_division
    if whole.values is None:
        return _averaged_pool(measure, _pooled_value(measure, judged.pool()), zero_division)
    weights = None if whole.weights is None else whole.weights[queries]
    return averaged(measure, judged, whole.values[queries], weights, zero_division)


def averaged(
    measure: Measure,
    judged: RankingData,
    values: FloatArray,
    weights: FloatArray | None,
    zero_division: str | float,
) -> Scored:
    """Values with their mean, which is that of their logarithms where it is geometric."""
    least = measure.metric.geometric_from
    settled = zero_division
    if least is not None and not isinstance(settled, str):
        settled = float(logarithms(np.float64(settled), least))
    mean = average(
        values if least is None else logarithms(values, least),
        weights,
        present=None if judged.weights is None else judged.weights > 0,
        zero_division=settled,
        measure=measure,
        query_ids=judged.query_ids,
    )
    if least is not None:
        mean = mean._replace(value=math.exp(mean.value))
    return Scored(measure, values, weights, mean, zero_division)


def logarithms(values: Any, least: float) -> Any:
    """Natural logarithms of values, none of which counts less than ``least``; NaN stays."""
    return np.log(np.maximum(values, least))


def _averaged_pool(measure: Measure, value: FloatArray, zero_division: str | float) -> Scored:
    """The value of the one ranking of all items, which may be undefined too."""
    mean = average(
        value,
        None,
        zero_division=zero_division,
        measure=measure,
        query_ids=["all items together"],
    )
    return Scored(measure, None, None, mean, zero_division)


# One measure of one block ------------------------------------------------------------------------


class Block(NamedTuple):
    """Some queries that follow each other, read by one thread alone.

    What their measures share is kept in these rankings and forgotten with them, so that the next
    block finds its memory free.
    """

    queries: slice | IntArray
    rankings: JudgedRankings
    by_score: JudgedRankings
    """Ranked by the relevance scores where those were given; else the same object."""


def _cut(judged: RankingData, queries: slice) -> Block:
    """The only place where queries are cut into blocks, and made as wide as formulas read them."""
    rankings = by_score = judged.rankings.part(queries).widened(grades=False)
    if judged.by_relevance is not None:
        by_score = judged.by_relevance.part(queries).widened(grades=False)
    return Block(queries, rankings, by_score)


def valuation(measure: Measure, judged: RankingData) -> Callable[[Block], FloatArray]:
    """Function from a block of queries to their values, NaN where undefined."""
    metric, options = measure.metric, measure.options
    if metric.combines:
        first, second = (
            valuation(measure.with_own_cutoff(member), judged) for member in options["measures"]
        )
        return lambda block: metric.kernel(first(block), second(block), beta=options["beta"])
    negatives = _negatives(options.get("n_negatives"), judged)

    def values_of(block: Block) -> FloatArray:
        own = negatives[block.queries] if np.ndim(negatives) else negatives
        rankings = block.by_score if metric.by_score else block.rankings
        return _values(measure, rankings, own)

    return values_of


def _pooled_value(measure: Measure, pool: JudgedRankings) -> FloatArray:
    """(1,) value of the one ranking of all items."""
    negatives = measure.options["n_negatives"]
    if isinstance(negatives, ByQuery):
        msg = "n_negatives by query says nothing of all queries ranked together; pass one number"
        raise InvalidParameterError(msg)
    if isinstance(negatives, tuple) and len(negatives) != 1:
        msg = f"n_negatives has {len(negatives)} numbers for all queries ranked together as one"
        raise InvalidParameterError(msg)
    return _values(measure, pool.widened(grades=False), negatives)


def _average_weights(measure: Measure, judged: RankingData) -> FloatArray | None:
    """(Q,) weights of the queries in the mean, those of the data included; None: all alike."""
    rankings = judged.by_score if measure.metric.by_score else judged.rankings
    return _with_weights(own_weights(measure, rankings), judged.weights)


def _weighs_queries(measure: Measure) -> bool:
    """Whether some queries count more than others in the mean, by their relevant items."""
    is_macro = measure.options.get("average", "macro") == "macro"
    return measure.metric.weights is not None and not is_macro


def own_weights(measure: Measure, rankings: JudgedRankings) -> FloatArray | None:
    """(Q,) weights of the queries in the mean by what is relevant; None: all alike."""
    options, weigh = measure.options, measure.metric.weights
    if weigh is None or not _weighs_queries(measure):
        return None
    relevant = relevant_alone(measure, rankings)
    return weigh(relevant, average=options["average"], unretrieved=options["unretrieved"])


def _with_weights(own: FloatArray | None, given: FloatArray | None) -> FloatArray | None:
    """Weights that a measure gives to queries times those of the data."""
    if own is None or given is None:
        return given if own is None else own
    with np.errstate(over="ignore"):
        together = own * given
    # Only proportions count.
    return together if np.isfinite(together).all() else own * in_unit(given)[0]


def _values(measure: Measure, rankings: JudgedRankings, negatives: Any) -> FloatArray:
    """What the kernel makes of some rankings."""
    own = {
        name: value for name, value in measure.options.items() if name not in ("average", "min_rel")
    }
    if "n_negatives" in own:
        own["n_negatives"] = negatives
    rankings.check_depth(measure.depth)
    values = measure.metric.kernel(relevant_alone(measure, rankings), k=measure.k, **own)
    return _within_bounds(measure, values)


def relevant_alone(measure: Measure, rankings: JudgedRankings) -> JudgedRankings:
    """The rankings where only the grades that a measure calls relevant are so."""
    min_rel = measure.options.get("min_rel")
    return rankings if min_rel is None else rankings.at_least(min_rel)


def _negatives(negatives: Any, judged: RankingData) -> Any:
    """Irrelevant items: one number, one for each query, or None."""
    n_queries = len(judged.query_ids)
    if isinstance(negatives, ByQuery):
        return negatives.of(judged.query_ids, "n_negatives")
    if isinstance(negatives, tuple) and judged.keyed:
        msg = (
            "n_negatives by position is ambiguous for mappings, whose queries are joined by key; "
            "pass {query: number}"
        )
        raise InvalidParameterError(msg)
    if isinstance(negatives, tuple) and len(negatives) != n_queries:
        msg = f"n_negatives has {len(negatives)} numbers for {n_queries} queries"
        raise InvalidParameterError(msg)
    return negatives


def _within_bounds(measure: Measure, values: FloatArray) -> FloatArray:
    """The values, clipped where rounding took them out of the range; ArithmeticError beyond."""
    upper = measure.metric.upper
    # Of NaN and a number these are the number.
    if not len(values) or (np.fmin.reduce(values) >= 0.0 and np.fmax.reduce(values) <= upper):
        return values
    with np.errstate(invalid="ignore"):
        outside = (values < -_ROUNDING) | (values > upper + _ROUNDING)
    if outside.any():
        msg = f"{measure} came out as {values[outside][0]!r}, outside [0, {upper:g}]"
        raise ArithmeticError(msg)
    return np.clip(values, 0.0, upper)
