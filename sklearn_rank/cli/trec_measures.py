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
from sklearn_rank.kernels import binary, graded, recall_levels
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
    takes: int = 0
    """Numbers that are one parameter, printed as they were given; -1: any number of them."""


def _cut(kernel: Callable[..., FloatArray], **own: Any) -> Formula:
    return lambda data, k: kernel(data.whole, k=k, **own)


def _set_relative_precision(data: TrecData, _: Any) -> FloatArray:
    hits, whole = data.whole.n_hits, data.whole
    return ratio(hits.astype(np.float64), np.minimum(whole.n_ranked, whole.n_relevant))


def _set_f(data: TrecData, weight: str | None) -> FloatArray:
    """In trec_eval's own order, as the last bit decides about half a digit; x is beta squared."""
    (x,) = _numbers(weight or "1")
    precision, recall = (kernel(data.whole, k=None) for kernel in (binary.precision, binary.recall))
    return ratio((x + 1.0) * precision * recall, x * precision + recall)


def _set_map(data: TrecData, _: Any) -> FloatArray:
    """In trec_eval's own order."""
    hits = data.whole.n_hits.astype(np.float64)
    return ratio(hits * hits, data.whole.n_ranked * data.whole.n_relevant)


def _utility(data: TrecData, weights: str | None) -> FloatArray:
    """Worth of what is relevant and retrieved, irrelevant and retrieved, relevant and not."""
    found, lost, missed, _ = _numbers(weights or "1,-1,0,0")
    whole, hits = data.whole, data.whole.n_hits
    return found * hits + lost * (whole.n_ranked - hits) + missed * (whole.n_relevant - hits)


def _mean_precision(data: TrecData, levels: str | None) -> FloatArray:
    """Mean of the interpolated precision at 11 recall levels, or at those given."""
    recalls = recall_levels.ELEVEN if levels is None else _numbers(levels)
    total = np.zeros(len(data.query_ids))
    for recall in recalls:
        values = recall_levels.interpolated_precision(data.whole, k=None, recall=recall)
        total += np.nan_to_num(values, nan=0.0)
    return total / len(recalls)


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split(",")))


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
    TrecMeasure("utility", _utility, takes=4),
    TrecMeasure("11pt_avg", _mean_precision, takes=-1),
    TrecMeasure("ndcg", lambda data, _: graded.ndcg(data.graded, k=None, gain="linear")),
    TrecMeasure("ndcg_cut", lambda data, k: graded.ndcg(data.graded, k=k, gain="linear"), CUTOFFS),
    TrecMeasure("map_cut", _AP, CUTOFFS),
    TrecMeasure("relative_P", _cut(binary.recall, denominator="min"), CUTOFFS),
    TrecMeasure("success", _cut(binary.hit_rate), (1, 5, 10)),
    TrecMeasure("set_P", _cut(binary.precision)),
    TrecMeasure("set_relative_P", _set_relative_precision),
    TrecMeasure("set_recall", _cut(binary.recall)),
    TrecMeasure("set_map", _set_map),
    TrecMeasure("set_F", _set_f, takes=1),
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
        for parameter in sorted(wanted.get(measure.name, ()), key=lambda p: (p is not None, p))
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
        if measure.takes:
            return [(root, _checked(measure, parameters, spelling))]
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
    """A cutoff or a recall level, as trec_eval would read it."""
    whole = measure.spelling == "_{}" and measure.parameters != (None,)
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = math.nan
    takes = measure.parameters != (None,)
    if not takes or not (number > 0 or (number == 0 and not whole)) or math.isinf(number):
        raise _no_parameter(measure, text, spelling)
    return number


def _checked(measure: TrecMeasure, text: str, spelling: str) -> str:
    """Numbers as they were given, if trec_eval would read them and no other file is needed."""
    try:
        numbers = _numbers(text)
    except ValueError:
        numbers = ()
    fits = len(numbers) == measure.takes or (numbers and measure.takes < 0)
    needs_collection = measure.name == "utility" and any(numbers[3:])
    negative = measure.name != "utility" and min(numbers, default=0) < 0
    if not fits or needs_collection or negative or not all(map(math.isfinite, numbers)):
        raise _no_parameter(measure, text, spelling)
    return text


def _no_parameter(measure: TrecMeasure, text: str, spelling: str) -> UnknownMeasureError:
    return UnknownMeasureError(
        f"{safe_repr(text)} in {safe_repr(spelling)} is no parameter of {measure.name}"
    )


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
