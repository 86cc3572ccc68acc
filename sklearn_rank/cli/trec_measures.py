"""The measures of trec_eval 10 by its names, for output that is compared with its own line by line.

Each is a formula over two waists: of the whole rankings, and of the judged items alone, from which
the measures that skip what nobody judged are read. Ties are broken by falling id, so that none is
left. A query without a relevant item counts 0, and what trec_eval makes of 0/0 is 0 as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.exceptions import UnknownMeasureError
from sklearn_rank.kernels import binary, gain, recall_levels
from sklearn_rank.kernels.expectation import ratio
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import segment_sum
from sklearn_rank.support.text import closest, safe_repr
from sklearn_rank.typing import FloatArray

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@dataclass(frozen=True)
class TrecData:
    """Everything that the measures read, of the queries in trec_eval's order."""

    query_ids: list[str]
    graded: JudgedRankings
    judged_alone: JudgedRankings
    n_judged: FloatArray
    """(Q,) judged items, retrieved or not."""
    level: int
    run_tag: str

    @cached_property
    def whole(self) -> JudgedRankings:
        """The rankings where grades from ``level`` on are relevant."""
        return self.graded.at_least(self.level) if self.level > 1 else self.graded

    @cached_property
    def condensed(self) -> JudgedRankings:
        """The same of the judged items alone."""
        alone = self.judged_alone
        return alone.at_least(self.level) if self.level > 1 else alone


Formula: TypeAlias = Callable[[TrecData, Any], FloatArray]


class TrecMeasure(NamedTuple):
    """One of trec_eval's measures."""

    name: str
    formula: Formula
    parameters: tuple[Any, ...] = (None,)
    """Cutoffs, or other numbers, that it prints unless told otherwise; None: it takes none."""
    summary: Literal["mean", "sum", "geometric"] = "mean"
    as_integer: bool = False
    per_query: bool = True
    spelling: str = "_{}"
    """How a parameter is printed behind the name."""


def _cut(kernel: Callable[..., FloatArray], **own: Any) -> Formula:
    return lambda data, k: kernel(data.whole, k=k, **own)


def _set_relative_precision(data: TrecData, _: Any) -> FloatArray:
    hits, whole = data.whole.n_hits, data.whole
    return ratio(hits.astype(np.float64), np.minimum(whole.n_ranked, whole.n_relevant))


def _set_f(data: TrecData, x: float | None) -> FloatArray:
    """Weight x, 1 unless given, is where F-beta has beta squared."""
    return binary.f_measure(data.whole, k=None, beta=1.0 if x is None else math.sqrt(x))


def _bpref(data: TrecData, _: Any) -> FloatArray:
    """Share of the first R judged irrelevant items that stand below each relevant one."""
    alone = data.condensed
    relevant = np.repeat(alone.n_relevant, alone.n_hits)
    irrelevant = np.repeat(data.n_judged - alone.n_relevant, alone.n_hits)
    above = alone.above - alone.groups.before
    worse = ratio(np.minimum(above, relevant).astype(np.float64), np.minimum(irrelevant, relevant))
    return ratio(segment_sum(1.0 - worse, alone.offsets), alone.n_relevant)


def _judged_irrelevant(data: TrecData, _: Any) -> FloatArray:
    return (data.condensed.n_ranked - data.condensed.n_hits).astype(np.float64)


def _number(name: str) -> Formula:
    return lambda data, _: getattr(data.whole, name).astype(np.float64)


_AP = _cut(binary.average_precision, denominator="relevant")
OFFERED: tuple[TrecMeasure, ...] = (
    TrecMeasure("runid", lambda data, _: np.zeros(len(data.query_ids)), per_query=False),
    TrecMeasure(
        "num_q",
        lambda data, _: np.ones(len(data.query_ids)),
        summary="sum",
        as_integer=True,
        per_query=False,
    ),
    TrecMeasure("num_ret", _number("n_ranked"), summary="sum", as_integer=True),
    TrecMeasure("num_rel", _number("n_relevant"), summary="sum", as_integer=True),
    TrecMeasure("num_rel_ret", _number("n_hits"), summary="sum", as_integer=True),
    TrecMeasure("map", _AP),
    TrecMeasure("gm_map", _AP, summary="geometric", per_query=False),
    TrecMeasure("Rprec", lambda data, _: recall_levels.r_precision(data.whole, k=None)),
    TrecMeasure("bpref", _bpref),
    TrecMeasure("recip_rank", _cut(binary.reciprocal_rank)),
    TrecMeasure(
        "iprec_at_recall",
        lambda data, recall: recall_levels.interpolated_precision(
            data.whole, k=None, recall=recall
        ),
        recall_levels.ELEVEN,
        spelling="_{:.2f}",
    ),
    TrecMeasure("P", _cut(binary.precision), CUTOFFS),
    TrecMeasure("recall", _cut(binary.recall), CUTOFFS),
    TrecMeasure("gm_bpref", _bpref, summary="geometric", per_query=False),
    TrecMeasure(
        "11pt_avg", lambda data, _: recall_levels.interpolated_precision(data.whole, k=None)
    ),
    TrecMeasure("ndcg", lambda data, _: gain.ndcg(data.graded, k=None, gain="linear")),
    TrecMeasure("ndcg_cut", lambda data, k: gain.ndcg(data.graded, k=k, gain="linear"), CUTOFFS),
    TrecMeasure("map_cut", _AP, CUTOFFS),
    TrecMeasure("relative_P", _cut(binary.recall, denominator="min"), CUTOFFS),
    TrecMeasure("success", _cut(binary.hit_rate), (1, 5, 10)),
    TrecMeasure("set_P", _cut(binary.precision)),
    TrecMeasure("set_relative_P", _set_relative_precision),
    TrecMeasure("set_recall", _cut(binary.recall)),
    TrecMeasure("set_map", _cut(recall_levels.set_average_precision)),
    TrecMeasure("set_F", _set_f, spelling="_{:g}"),
    TrecMeasure("num_nonrel_judged_ret", _judged_irrelevant, summary="sum", as_integer=True),
)
"""In trec_eval's own order, which is that of its output."""
NICKNAMES: Mapping[str, tuple[str, ...]] = {
    "official": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec"),
        *("bpref", "recip_rank", "iprec_at_recall", "P"),
    ),
}
_BY_NAME = {measure.name: measure for measure in OFFERED}
_WITH_CUTOFF = {
    "map": "map_cut",
    "ndcg": "ndcg_cut",
    "precision": "P",
    "recall": "recall",
    "hit_rate": "success",
}
_WITHOUT_CUTOFF = {
    "map": "map",
    "ndcg": "ndcg",
    "precision": "set_P",
    "recall": "set_recall",
    "mrr": "recip_rank",
    "rprec": "Rprec",
    "iprec": "11pt_avg",
    "set_map": "set_map",
    "gmap": "gm_map",
}


class Chosen(NamedTuple):
    """A measure with one parameter, as one line of output has it."""

    measure: TrecMeasure
    parameter: Any
    label: str


def choose(spellings: Sequence[str]) -> list[Chosen]:
    """What is to be printed, in trec_eval's order."""
    wanted: dict[str, set[Any]] = {}
    for spelling in spellings:
        for name in NICKNAMES.get(spelling, ()):
            wanted.setdefault(name, set()).update(_BY_NAME[name].parameters)
        if spelling not in NICKNAMES:
            for name, parameter in _named(spelling):
                wanted.setdefault(name, set()).add(parameter)
    return [
        Chosen(measure, parameter, _label(measure, parameter))
        for measure in OFFERED
        for parameter in sorted(wanted.get(measure.name, ()), key=lambda value: value or 0)
    ]


def _label(measure: TrecMeasure, parameter: Any) -> str:
    if parameter is None:
        return measure.name
    return measure.name + measure.spelling.format(parameter)


def _named(spelling: str) -> list[tuple[str, Any]]:
    """Names and parameters of one spelling, trec_eval's or one of this package."""
    root, point, parameters = spelling.partition(".")
    measure = _BY_NAME.get(root)
    if measure is not None:
        if not point:
            return [(root, parameter) for parameter in measure.parameters]
        return [(root, _parameter(measure, part, spelling)) for part in parameters.split(",")]
    try:
        parsed = parse_measures(spelling)
    except UnknownMeasureError:
        hint = closest(spelling, [*_BY_NAME, *NICKNAMES])
        known = ", ".join([*NICKNAMES, *_BY_NAME])
        msg = f"trec_eval's measure {safe_repr(spelling)} is not offered{hint}; there is: {known}"
        raise UnknownMeasureError(msg) from None
    return [_translated(measure) for measure in parsed]


def _parameter(measure: TrecMeasure, text: str, spelling: str) -> Any:
    """A cutoff, a recall level, or the weight of set_F, as trec_eval would read it."""
    whole = measure.spelling == "_{}" and measure.parameters != (None,)
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = math.nan
    takes = measure.parameters != (None,) or measure.name == "set_F"
    if not takes or not (number > 0 or (number == 0 and not whole)) or math.isinf(number):
        msg = f"{safe_repr(text)} in {safe_repr(spelling)} is no parameter of {measure.name}"
        raise UnknownMeasureError(msg)
    return number


def _translated(measure: Measure) -> tuple[str, Any]:
    """trec_eval's name of a measure of this package, if it has one."""
    name = measure.metric.name
    table = _WITHOUT_CUTOFF if measure.k is None else _WITH_CUTOFF
    if name not in table or measure.parameters:
        msg = f"{measure} is no measure of trec_eval; drop --convention or --format trec"
        raise UnknownMeasureError(msg)
    return table[name], measure.k


def lines_of(data: TrecData, chosen: Sequence[Chosen], *, complete_relevant: int) -> TrecLines:
    """Values of each query and of all; ``complete_relevant`` is what num_rel counts, if not -1."""
    per_query: list[list[str]] = [[] for _ in data.query_ids]
    overall = []
    for measure, parameter, label in chosen:
        if measure.name == "runid":
            overall.append(f"{label:<22}\tall\t{data.run_tag}")
            continue
        # A query that was not retrieved, or has nothing relevant, counts 0.
        values = np.nan_to_num(measure.formula(data, parameter), nan=0.0).tolist()
        total = _summary(measure, values)
        if measure.name == "num_rel" and complete_relevant >= 0:
            total = complete_relevant
        overall.append(_line(label, "all", total, measure))
        if measure.per_query:
            for lines, query, value in zip(per_query, data.query_ids, values, strict=True):
                lines.append(_line(label, query, value, measure))
    return TrecLines([line for lines in per_query for line in lines], overall)


class TrecLines(NamedTuple):
    """Lines of output."""

    per_query: list[str]
    overall: list[str]


def _line(label: str, query: str, value: float, measure: TrecMeasure) -> str:
    number = f"{int(value)}" if measure.as_integer else f"{value:6.4f}"
    return f"{label:<22}\t{query}\t{number}"


def _summary(measure: TrecMeasure, values: list[float]) -> float:
    """One after the other, as trec_eval adds: the last bit decides about half a digit."""
    total = 0.0
    if measure.summary == "geometric":
        for value in values:
            total += math.log(max(value, recall_levels.LEAST_AP))
        return math.exp(total / len(values))
    for value in values:
        total += value
    return total / len(values) if measure.summary == "mean" else total
