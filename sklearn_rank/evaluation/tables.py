"""Evaluations as tables, plain objects and data frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import date, time
from numbers import Number
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.evaluation.collection import collection_remarks
from sklearn_rank.evaluation.data_warnings import FEW_IRRELEVANT, end_at_hits
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.statistics.means import cluster_codes
from sklearn_rank.statistics.paired import PairedDifferences
from sklearn_rank.support.text import count, safe_repr
from sklearn_rank.tables.table import (
    Cell,
    Column,
    Table,
    count_cell,
    fixed,
    id_column,
    interval_cell,
    number_cell,
    text_cell,
)

if TYPE_CHECKING:
    from sklearn_rank.evaluation.base import BaseEvaluation

ENOUGH = 25
"""Queries below which intervals of measures without an upper bound are too narrow."""
_COLUMNS = (
    Column("measure"),
    Column("score", "number"),
    Column("95% interval", "number"),
    Column("queries", "number"),
)


def table_of(evaluation: BaseEvaluation) -> Table:
    """A row per measure, then the counts."""
    rows, effects, open_ended = [], {}, []
    for (name, score), measure in zip(evaluation.scores.items(), evaluation.measures, strict=True):
        is_pooled = name not in evaluation.per_query
        interval = interval_cell(*_interval(evaluation, name))
        cell = Cell(fixed(score), plain_number(score))
        averaged = evaluation.counts["averaged"][name]
        rows.append((text_cell(name), cell, interval, count_cell(averaged)))
        if measure.metric.upper == math.inf and averaged < ENOUGH and interval.text:
            open_ended.append(name)
        if evaluation.clusters is not None and not is_pooled:
            values, weights = evaluation.per_query[name], evaluation.query_weights(name)
            codes = cluster_codes(evaluation.clusters)
            sample = PairedDifferences.of(values, weights=weights, clusters=codes)
            effects[name] = sample.design_effect, len(sample)
    notes = remarks_of(evaluation), *design_notes(effects), *doubts_of(evaluation.ranking_data)
    if open_ended:
        notes += (
            f"{', '.join(open_ended)}: no upper bound, so with fewer than {ENOUGH} queries 95% "
            "intervals contain the true mean in about 85 to 90% of samples",
        )
    if len(evaluation.runs) > 1:
        name = next(iter(evaluation))
        deviation = float(np.std([run[name] for run in evaluation.runs], ddof=1))
        repeated = f"means over {len(evaluation.runs)} runs; {name} varies by {deviation:.4f}"
        notes += (f"{repeated} (standard deviation) from run to run",)
    weighted = [name for name, one in evaluation.scored.items() if _is_weighted(one.measure)]
    if weighted and len(set(evaluation.ranking_data.rankings.n_relevant.tolist()) - {0}) > 1:
        notes += (
            f"{', '.join(weighted)}: queries are weighted by relevant items; 'gauc' weights them "
            "alike, 'auc(average=pooled)' ranks all items together",
        )
    gains = gain_notes(evaluation.measures, evaluation.ranking_data)
    return Table(_COLUMNS, tuple(rows), notes=(*notes, *gains))


def measure_columns(evaluation: BaseEvaluation) -> dict[str, list[Any]]:
    """Columns with a row per measure."""
    low, high = zip(*(_interval(evaluation, name) for name in evaluation), strict=True)
    averaged = evaluation.counts["averaged"]
    return {
        "measure": [*evaluation],
        "score": [*evaluation.scores.values()],
        "low": [*low],
        "high": [*high],
        "queries": [averaged[name] for name in evaluation],
    }


def _interval(evaluation: BaseEvaluation, name: str) -> tuple[float, float]:
    """The 95% interval of a score; NaN for a pooled measure."""
    is_pooled = name not in evaluation.per_query
    return (math.nan, math.nan) if is_pooled else evaluation.confidence_interval(name)


_GAINS = {"exp2": "2^grade - 1", "linear": "grade", "binary": "1", "exp2_next": "2^(grade + 1) - 1"}
_DISCOUNTS = {"log2": "log2(rank + 1)", "log2_rank": "log2(rank), at least 1"}


def _is_weighted(measure: Measure) -> bool:
    return measure.metric.name == "auc" and measure.options["average"] == "positives"


def gain_notes(measures: Iterable[Measure], data: RankingData) -> list[str]:
    """How measures read grades; empty if no grade is above 1.

    Gain and discount, and, for measures of binary relevance, which grades are relevant.
    """
    grades = data.rankings.relevant_grades
    if grades.max(initial=0.0) <= 1:
        return []
    named: dict[str, list[str]] = {}
    for measure in measures:
        if measure.options.get("min_rel", 0) is None:
            occur = f"{grades.min():g} to {grades.max():g} occur"
            named.setdefault(f"every grade above 0 is relevant ({occur})", []).append(str(measure))
        if "gain" in measure.options:
            gain, discount = measure.options["gain"], measure.options.get("discount")
            text = _GAINS.get(gain, "a table")
            if discount is not None:
                text += f", discount {_DISCOUNTS.get(discount, discount)}"
            named.setdefault(f"gain {text}", []).append(str(measure))
    return [f"{', '.join(names)}: {text}" for text, names in named.items()]


def queries_table(evaluation: BaseEvaluation) -> Table:
    """A row per query."""
    columns = evaluation.per_query
    titles = (Column("query"), *(Column(name, "number") for name in columns))
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    query_ids = evaluation.ranking_data.listed_ids()
    rows = zip(query_ids, values if columns else ((),) * len(query_ids), strict=True)
    return Table(titles, tuple((text_cell(id_), *map(number_cell, row)) for id_, row in rows))


def slices_table(parts: Mapping[Any, BaseEvaluation]) -> Table:
    """A row per slice of the queries."""
    measures = list(next(iter(parts.values())).scores) if parts else []
    columns = (Column("slice"), *(Column(name, "number") for name in ("queries", *measures)))
    rows = (
        (
            text_cell(label),
            count_cell(part.counts["queries"]),
            *map(number_cell, part.scores.values()),
        )
        for label, part in parts.items()
    )
    return Table(columns, tuple(rows))


def slice_columns(parts: Mapping[Any, BaseEvaluation]) -> dict[str, list[Any]]:
    """Columns with a row per slice of the queries."""
    measures: Iterable[str] = next(iter(parts.values())) if parts else ()
    return {
        "slice": id_column([*parts]),
        "queries": [part.counts["queries"] for part in parts.values()],
        **{name: [part[name] for part in parts.values()] for name in measures},
    }


def to_dict(evaluation: BaseEvaluation) -> dict[str, Any]:
    """Everything as plain Python objects, NaN as None."""
    clusters = evaluation.clusters
    return {
        "scores": {name: plain_number(value) for name, value in evaluation.scores.items()},
        "measures": dict(zip(evaluation, map(str, evaluation.measures), strict=True)),
        "counts": evaluation.counts,
        "query_ids": [plain_id(query) for query in evaluation.ranking_data.listed_ids()],
        **({} if len(evaluation.runs) == 1 else {"runs": len(evaluation.runs)}),
        **({} if clusters is None else {"clusters": [plain_id(label) for label in clusters]}),
        "per_query": {
            name: [plain_number(value) for value in values.tolist()]
            for name, values in evaluation.per_query.items()
        },
    }


def plain_number(value: float) -> float | None:
    """A number as JSON can hold it: NaN is None."""
    return None if math.isnan(value) else value


def plain_id(query: Any) -> Any:
    """A query id as JSON can hold it: dates as ISO text, tuples as lists, the rest by ``repr``."""
    if isinstance(query, np.generic):
        query = str(query) if query.dtype.kind in "mM" else query.item()
    if query is None or isinstance(query, (str, int, float)):
        return query
    if isinstance(query, (date, time)):
        return query.isoformat()
    if isinstance(query, tuple):
        return [plain_id(part) for part in query]
    return safe_repr(query, limit=None)


_REMARKS = {
    "missing": "judged, but no results returned",
    "unjudged": "ranked but without judgements, left out",
    "no_relevant": "without a relevant item",
    "tied": "with a relevant item tied with others",
    "duplicates": "repeated item{s} left out",
    "missed": "relevant item{s} that no query retrieved",
    "unjudged_grades": "negative grade{s} read as not judged",
}


def remarks_of(evaluation: BaseEvaluation) -> str:
    """Remarks on an evaluation, with an id of the queries that only one side has."""
    data = evaluation.ranking_data
    given, examples = list(data.left_out), dict[str, Any]()
    if len(data.missing):
        examples["missing"] = data.listed_ids()[data.missing[0]]
    elif data.counts.missing and given:
        examples["missing"] = given[0]
    if data.counts.unjudged and given:
        examples["unjudged"] = given[-1]
    return remarks(evaluation.counts, evaluation.hint, examples)


def example_of(query: Any) -> str:
    """A query as an example; a number could be a count."""
    return ("query " if isinstance(query, Number) else "") + safe_repr(query)


def remarks(
    counts: dict[str, Any], hint: str = "", examples: Mapping[str, Any] = MappingProxyType({})
) -> str:
    """Counts of the data in one line, with the reason if nothing was retrieved."""
    parts = [count(counts["queries"], "query", "queries")]
    for key, text in _REMARKS.items():
        n = counts.get(key, 0)
        shown = f" ({example_of(examples[key])})" if key in examples else ""
        parts += [f"{n:,} {text.format(s='' if n == 1 else 's')}{shown}"] * bool(n)
    parts += collection_remarks(counts)
    if counts.get("assumed") == "complete":
        parts.append("judgements treated as complete")
    elif counts.get("assumed") == "partial":
        unjudged, ranked = counts["unjudged_items"], counts["ranked"]
        parts.append(
            f"judgements treated as incomplete: {unjudged:,} of {ranked:,} ranked items are "
            "unjudged and count as irrelevant"
            if unjudged
            else f"judgements treated as incomplete: all {ranked:,} ranked items are judged"
        )
    if counts.get("relevant") and not counts["retrieved"]:
        parts.append(f"no relevant item was retrieved{f' ({hint})' if hint else ''}")
    return "; ".join(parts)


def doubts_of(data: RankingData) -> tuple[str, ...]:
    """What was probably not meant, although it may be right."""
    texts, n_queries = [data.read_as] * bool(data.read_as), len(data.rankings)
    n_ranked, n_hits = int(data.rankings.n_ranked.sum()), int(data.rankings.n_hits.sum())
    if n_ranked == n_hits >= 2 * n_queries >= 2 * FEW_IRRELEVANT:
        texts.append(
            "every ranked item is relevant: were others dropped, as by a join with the "
            "judgements, or are the arguments swapped?"
        )
    elif end_at_hits(data):
        texts.append(
            "most lists end at a relevant item: were they cut there, or is the best item last?"
        )
    return tuple(texts)


def design_notes(effects: Mapping[str, tuple[float, int]]) -> tuple[str, ...]:
    """A note on the largest of {name: (design effect, queries)}, if it is above 1.5."""
    alike = [(*numbers, name) for name, numbers in effects.items() if numbers[0] > 1.5]
    if not alike:
        return ()
    effect, n, name = max(alike, key=lambda effect: round(effect[0], 6))
    return (
        f"clusters: design effect {effect:.1f} ({name}): {n:,} queries count as {n / effect:.0f}",
    )
