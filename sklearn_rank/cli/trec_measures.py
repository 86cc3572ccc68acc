"""The measures of trec_eval 10 by its names, for output that equals its own line by line.

Most are measures of the catalogue under the convention "trec_eval"; the others count. A query
without a relevant item counts 0, and what trec_eval makes of 0/0 is 0 as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank.exceptions import UnknownMeasureError
from sklearn_rank.kernels.binary import unjudged
from sklearn_rank.kernels.expectation import ratio
from sklearn_rank.kernels.recall_levels import ELEVEN, LEAST_AP
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_max
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@dataclass(frozen=True)
class TrecData:
    """Judged rankings of the queries, in trec_eval's order."""

    graded: JudgedRankings
    level: int
    run_tag: str

    @cached_property
    def relevant(self) -> JudgedRankings:
        """The rankings where grades from ``level`` on are relevant."""
        return self.graded.at_least(self.level) if self.level > 1 else self.graded

    def values(self, measure: Measure) -> FloatArray:
        """Values of the queries, 0 where a query was not retrieved or has nothing relevant."""
        options = {name: value for name, value in measure.options.items() if name != "min_rel"}
        rankings = self.graded if measure.metric.graded else self.relevant
        return np.nan_to_num(measure.metric.kernel(rankings, k=measure.k, **options), nan=0.0)


class TrecMeasure(NamedTuple):
    """One of trec_eval's measures: a spelling of this package, or a formula."""

    name: str
    source: str | Callable[[TrecData, Any], Any]
    """In a spelling, ``{}`` stands for the parameter."""
    parameters: tuple[Any, ...] = (None,)
    """Cutoffs or recall levels that it prints unless told otherwise; None: it takes none."""
    summary: Literal["mean", "sum", "geometric"] = "mean"
    per_query: bool = True
    label: str = "_{}"
    """Format of a parameter behind the name."""
    takes: int = 0
    """Numbers that are one parameter, printed as they were given; -1: any number of them."""
    in_order: Callable[[TrecData, Any], FloatArray] | None = None
    """A spelling's values added in trec_eval's order: the last bit decides about half a digit."""

    def values(self, data: TrecData, parameter: Any) -> FloatArray:
        """Values of the queries."""
        if self.in_order is not None:
            return self.in_order(data, parameter)
        if isinstance(self.source, str):
            return data.values(find_convention("trec_eval").apply(self.measure(parameter)))
        return np.asarray(self.source(data, parameter), dtype=np.float64)

    def measure(self, parameter: Any) -> Measure:
        """The measure of this package."""
        assert isinstance(self.source, str)
        return parse_measures(self.source.format(parameter))[0]

    def total(self, values: list[float]) -> float:
        """One after the other, as trec_eval adds: the last bit decides about half a digit."""
        if self.summary == "geometric":
            values = [math.log(max(value, LEAST_AP)) for value in values]
        total = 0.0
        for value in values:
            total += value
        if self.summary == "sum":
            return total
        return math.exp(total / len(values)) if self.summary == "geometric" else total / len(values)

    def line(self, parameter: Any, query: str, value: float) -> str:
        """A line of trec_eval's output."""
        label = self.name + ("" if parameter is None else self.label.format(parameter))
        number = f"{int(value)}" if self.summary == "sum" else f"{value:6.4f}"
        return f"{label:<22}\t{query}\t{number}"


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split(",")))


def _set_f(data: TrecData, weight: str | None) -> FloatArray:
    """In trec_eval's own order, as the last bit decides about half a digit; x is beta squared."""
    (x,) = _numbers(weight or "1")
    precision, recall = (data.values(parse_measures(name)[0]) for name in ("precision", "recall"))
    return np.nan_to_num(ratio((x + 1.0) * precision * recall, x * precision + recall), nan=0.0)


def _set_relative_precision(data: TrecData, _: Any) -> FloatArray:
    whole = data.relevant
    values = ratio(whole.n_hits.astype(np.float64), np.minimum(whole.n_ranked, whole.n_relevant))
    return np.nan_to_num(values, nan=0.0)


def _utility(data: TrecData, _: Any) -> Any:
    """Relevant less irrelevant items that were retrieved."""
    return 2.0 * data.relevant.n_hits - data.relevant.n_ranked


def _added(terms: FloatArray, offsets: IntArray) -> FloatArray:
    """(Q,) sums of segments, one term after the other, as trec_eval adds."""
    parts = np.split(terms, offsets[1:-1])
    return np.array([np.cumsum(part)[-1] if len(part) else 0.0 for part in parts])


def _average_precision(data: TrecData, k: int | None) -> FloatArray:
    whole = data.relevant
    found = np.arange(len(whole.above)) - np.repeat(whole.offsets[:-1], whole.n_hits) + 1.0
    terms = np.where(whole.above < (k or np.inf), found / (whole.above + 1.0), 0.0)
    return np.nan_to_num(ratio(_added(terms, whole.offsets), whole.n_relevant), nan=0.0)


def _mean_precision(data: TrecData, levels: str | None) -> FloatArray:
    """Mean of the interpolated precision at 11 recall levels, or at those given."""
    recalls = ELEVEN if levels is None else _numbers(levels)
    total = np.zeros(len(data.graded))
    for recall in recalls:
        total += _BY_NAME["iprec_at_recall"].values(data, recall)
    return total / len(recalls)


def _judged_irrelevant(data: TrecData, _: Any) -> Any:
    assert data.graded.unjudged is not None
    return data.relevant.n_ranked - data.graded.unjudged.counts - data.relevant.n_hits


_PERSISTENCE = 0.9


def _persisted(data: TrecData) -> FloatArray:
    """Powers of the persistence, each from the one before, up to the longest ranking."""
    factors = np.full(int(data.graded.n_ranked.max(initial=0)) + 1, _PERSISTENCE)
    factors[0] = 1.0
    return np.cumprod(factors)


def _rbp(data: TrecData, _: Any) -> FloatArray:
    """Gains are grades over the highest grade of the query."""
    graded = data.graded
    top = segment_max(graded.judged_grades, graded.judged_offsets)
    gains = graded.hit_grades / np.repeat(top, graded.n_hits)
    total = _added(gains * _persisted(data)[graded.above], graded.offsets)
    return (1.0 - _PERSISTENCE) * total


def _rbp_residual(data: TrecData, _: Any) -> FloatArray:
    """Possible gain of unjudged items and, with any of them, of items below the ranking."""
    items, powers = data.graded.unjudged, _persisted(data)
    assert items is not None
    total = _added(powers[items.places.above], items.places.offsets)
    tail = powers[data.graded.n_ranked]
    return np.where(items.counts > 0, tail + (1.0 - _PERSISTENCE) * total, 0.0)


OFFERED: tuple[TrecMeasure, ...] = (
    TrecMeasure("runid", lambda data, _: np.zeros(len(data.graded)), per_query=False),
    TrecMeasure("num_q", lambda data, _: np.ones(len(data.graded)), summary="sum", per_query=False),
    TrecMeasure("num_ret", lambda data, _: data.relevant.n_ranked, summary="sum"),
    TrecMeasure("num_rel", lambda data, _: data.relevant.n_relevant, summary="sum"),
    TrecMeasure("num_rel_ret", lambda data, _: data.relevant.n_hits, summary="sum"),
    TrecMeasure("map", "map", in_order=_average_precision),
    TrecMeasure("gm_map", "gmap", summary="geometric", per_query=False),
    TrecMeasure("Rprec", "rprec"),
    TrecMeasure("bpref", "bpref"),
    TrecMeasure("recip_rank", "mrr"),
    TrecMeasure("iprec_at_recall", "iprec(recall={})", ELEVEN, label="_{:.2f}"),
    TrecMeasure("P", "precision@{}", CUTOFFS),
    TrecMeasure("recall", "recall@{}", CUTOFFS),
    TrecMeasure("gm_bpref", "bpref", summary="geometric", per_query=False),
    TrecMeasure("utility", _utility),
    TrecMeasure("11pt_avg", _mean_precision, takes=-1),
    TrecMeasure("ndcg", "ndcg"),
    TrecMeasure("ndcg_cut", "ndcg@{}", CUTOFFS),
    TrecMeasure("map_cut", "map@{}", CUTOFFS, in_order=_average_precision),
    TrecMeasure("relative_P", "recall(denominator=min)@{}", CUTOFFS),
    TrecMeasure("success", "hit_rate@{}", (1, 5, 10)),
    TrecMeasure("set_P", "precision"),
    TrecMeasure("set_relative_P", _set_relative_precision),
    TrecMeasure("set_recall", "recall"),
    TrecMeasure("set_map", "set_map"),
    TrecMeasure("set_F", _set_f, takes=1),
    TrecMeasure("num_nonrel_judged_ret", _judged_irrelevant, summary="sum"),
    TrecMeasure("rbp", _rbp),
    TrecMeasure("rbp_resid", _rbp_residual),
    TrecMeasure("unj", lambda data, k: unjudged(data.graded, k=k) / k, (5, 10, 20)),
)
"""In the order of trec_eval's output."""
_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_SET = ("utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F")
_OFFICIAL = (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
NICKNAMES = {
    "official": _OFFICIAL,
    "set": (*_COUNTS, *_SET),
    "all_trec": (
        *(*_OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "11pt_avg"),
        *("binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P"),
        *("success", *_SET, "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj"),
    ),
}
"""trec_eval's names of several measures, not all of them offered."""
_BY_NAME = {measure.name: measure for measure in OFFERED}


def choose(spellings: Sequence[str]) -> list[tuple[TrecMeasure, Any]]:
    """Measures with their parameters, in trec_eval's order."""
    wanted: dict[str, set[Any]] = {}
    for spelling in spellings:
        several = NICKNAMES.get(spelling)
        for name in (spelling,) if several is None else _BY_NAME.keys() & several:
            for measure_name, parameter in _parsed(name):
                wanted.setdefault(measure_name, set()).add(parameter)
    return [
        (measure, parameter)
        for measure in OFFERED
        for parameter in sorted(wanted.get(measure.name, ()), key=lambda p: (p is not None, p))
    ]


def lacking(spellings: Sequence[str]) -> list[str]:
    """Measures of trec_eval that are asked for together with others, and not offered."""
    return [name for word in spellings for name in NICKNAMES.get(word, ()) if name not in _BY_NAME]


def _parsed(spelling: str) -> list[tuple[str, Any]]:
    """Names and parameters of one spelling, trec_eval's or one of this package."""
    root, point, text = spelling.partition(".")
    measure = _BY_NAME.get(root)
    if measure is not None:
        if not point:
            return [(root, parameter) for parameter in measure.parameters]
        parts = [text] if measure.takes else text.split(",")
        return [(root, _parameter(measure, part, spelling)) for part in parts]
    try:
        parsed = parse_measures(spelling)
    except UnknownMeasureError:
        known = [*NICKNAMES, *_BY_NAME]
        msg = (
            f"trec_eval's measure {safe_repr(spelling)} is not offered{closest(spelling, known)}; "
            f"there is: {', '.join(known)}"
        )
        raise UnknownMeasureError(msg) from None
    return list(map(_translated, parsed))


def _parameter(measure: TrecMeasure, text: str, spelling: str) -> Any:
    """A cutoff, a recall level or numbers as they were given, as trec_eval would read them."""
    is_cutoff = isinstance(measure.parameters[0], int)
    try:
        numbers = (int(text),) if is_cutoff else _numbers(text)
    except ValueError:
        numbers = ()
    fits = len(numbers) == (measure.takes or 1) or (numbers and measure.takes < 0)
    takes = measure.takes or measure.parameters != (None,)
    wrong = min(numbers, default=0) < 0 or (is_cutoff and 0 in numbers)
    if not fits or not takes or wrong or not all(map(math.isfinite, numbers)):
        msg = f"{safe_repr(text)} in {safe_repr(spelling)} is no parameter of {measure.name}"
        raise UnknownMeasureError(msg)
    return text if measure.takes else numbers[0]


def _translated(measure: Measure) -> tuple[str, Any]:
    """trec_eval's name of a measure of this package, if it has one."""
    name, level = measure.metric.name, measure.options.get("recall")
    if level == "11pt":
        return "11pt_avg", None
    parameter = level if name == "iprec" else measure.k
    for row in OFFERED:
        if isinstance(row.source, str) and re.split("[(@]", row.source)[0] == name:
            takes_it = ("{}" in row.source) == (parameter is not None)
            if takes_it and row.measure(parameter) == measure:
                return row.name, parameter
    msg = f"{measure} is no measure of trec_eval; drop --convention or --format trec"
    raise UnknownMeasureError(msg)


def lines_of(
    data: TrecData,
    chosen: Sequence[tuple[TrecMeasure, Any]],
    *,
    complete_relevant: int | None = None,
) -> tuple[list[str], list[str]]:
    """Lines of each query and of all; ``complete_relevant`` is what num_rel counts, if given."""
    query_ids = list(data.graded.query_ids)
    per_query: list[list[str]] = [[] for _ in query_ids]
    overall = []
    for measure, parameter in chosen:
        if measure.name == "runid":
            overall.append(f"{'runid':<22}\tall\t{data.run_tag}")
            continue
        values = measure.values(data, parameter).tolist()
        total = measure.total(values)
        if measure.name == "num_rel" and complete_relevant is not None:
            total = complete_relevant
        overall.append(measure.line(parameter, "all", total))
        if measure.per_query:
            for lines, query, value in zip(per_query, query_ids, values, strict=True):
                lines.append(measure.line(parameter, query, value))
    return [line for lines in per_query for line in lines], overall
