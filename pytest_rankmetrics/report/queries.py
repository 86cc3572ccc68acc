"""The queries behind a verdict: the worst, those that lost most, and all of the HTML report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.assess import labels_of
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.result import QueryRow
from pytest_rankmetrics.baseline.content import write_rank
from pytest_rankmetrics.baseline.record import key_of
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from pytest_rankmetrics.policy.verdicts import Verdict
from sklearn_rank.comparison.changes import explain_all
from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.evaluation.result import worst_of
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.report.content import Items, Queries, as_data, merged_items, numbers
from sklearn_rank.support.text import as_text
from sklearn_rank.tables.table import Cell, Column, Table, number_cell, text_cell
from sklearn_rank.typing import BoolArray

# A row of the table has to fit a line of 100 characters.
MOST_ITEMS = 6
MOST_MOVES = 4
MOST_MISSING = 2
TOP = 5
LONGEST_TEXT = 80
"""The text of a query has a line of its own."""
_TOLD = 0.005
"""Less would read as 0.00, which says that an item does not matter."""
_REMARKABLE = (Verdict.FAIL, Verdict.CANNOT_TELL, Verdict.WARN)


class Worst(NamedTuple):
    """Rows of a table, and what it is about."""

    metric: str
    rows: tuple[QueryRow, ...]
    share: float
    """Share of the whole loss that the rows make up; NaN without a comparison."""
    gains: tuple[tuple[str, float], ...] = ()
    """Queries that gained most, with their gain."""
    slices: tuple[str, ...] = ()
    """Labels of the slices that the rows are of, where nothing else fails."""


def worst_queries(assessment: Assessment) -> Worst | None:
    """Rows for the first measure that fails, or else the first of all; None without values."""
    name, measured = explained_metric(assessment), assessment.measured
    if name is None:
        return None
    slices = _failing_slices(assessment, name)
    chosen = np.full(len(measured), not slices)
    for label in slices:
        chosen[assessment.slices[label].members] = True
    if name in assessment.changes and assessment.reference is not None:
        return _losses(assessment, name, slices, chosen)
    values = measured.per_query(name)
    if values is None:
        return None
    values, metric = np.where(chosen, values, math.nan), measured.used[name].metric
    worst = worst_of(values, metric, assessment.policy.settings.worst_queries)
    rows = tuple(_row(assessment, name, number, None, float(values[number])) for number in worst)
    return Worst(name, rows, math.nan, slices=slices) if rows else None


def explained_metric(assessment: Assessment) -> str | None:
    """The measure with the gravest verdict; else the first; None without values per query."""
    measured = assessment.measured
    names = [name for name in measured.names if not measured.used[name].is_pooled]
    for verdict in _REMARKABLE:
        own = [name for name in names if assessment.metric_results[name].verdict is verdict]
        compared = [name for name in own if name in assessment.changes]
        slices = [part.name for part in assessment.slice_results if part.verdict is verdict]
        for name in (*compared, *own, *slices):
            return name
    return next(iter(names), None)


def _failing_slices(assessment: Assessment, name: str) -> tuple[str, ...]:
    """Labels of the slices of a measure that fail where it does not over all queries."""
    verdicts = {own.label: own.verdict for own in assessment.slice_results if own.name == name}
    for verdict in _REMARKABLE:
        if assessment.metric_results[name].verdict is verdict:
            return ()
        if verdict in verdicts.values():
            return tuple(
                label
                for label in assessment.slices
                if verdicts.get(formatting.shown(label)) is verdict
            )
    return ()


def worst_table(
    rows: Sequence[Mapping[str, Any]], metric: str, other: str, *, says_more: bool = False
) -> Table:
    """The queries of a failure, each a ``QueryRow`` as a mapping.

    ``says_more`` adds the name of the measure, and a column of the texts of queries, if any.
    """
    compared = rows[0]["was"] is not None
    items = f"relevant items: rank in the {other} -> rank now"
    titles = {
        "query": "query",
        "slice": "slice" if compared and any(row["slice"] for row in rows) else "",
        "was": (f"{metric} was" if says_more else "was") if compared else "",
        "now": "now" if compared else metric,
        "change": "change" if compared else "",
        "places": items if compared else "relevant found at",
        "missing": "" if compared else "missing",
        "text": "asks" if says_more and any(row["text"] for row in rows) else "",
    }

    def cell(row: Mapping[str, Any], key: str) -> Cell:
        if key == "change":
            return number_cell(row["now"] - row["was"], signed=True)
        return number_cell(row[key]) if key in ("was", "now") else text_cell(row[key])

    keys = [key for key, title in titles.items() if title]
    numbers = {"was", "now", "change"}
    columns = tuple(
        Column(titles[key], "number" if key in numbers else "text", longest=None) for key in keys
    )
    return Table(columns, tuple(tuple(cell(row, key) for key in keys) for row in rows))


def _losses(
    assessment: Assessment, name: str, slices: tuple[str, ...], chosen: BoolArray
) -> Worst | None:
    """The queries that lost most against the reference, and those that gained most."""
    measured, reference = assessment.measured, assessment.reference
    values = measured.per_query(name)
    if reference is None or values is None or name not in reference.per_query:
        return None
    old, new = reference.per_query[name], values[reference.queries]
    if reference.decimals is not None:
        new = np.round(new, reference.decimals)
    metric = measured.used[name].metric
    moved = on_scale(new, metric.geometric_from) - on_scale(old, metric.geometric_from)
    counted = chosen[reference.queries] & ~np.isnan(moved)
    gain = np.where(counted, moved if metric.greater_is_better else -moved, 0.0)
    order = np.argsort(gain, kind="stable").tolist()
    most, numbers = assessment.policy.settings.worst_queries, reference.queries.tolist()
    lost = [place for place in order if gain[place] < 0][:most]
    best = [place for place in reversed(order) if gain[place] > 0][:most]
    rows = tuple(
        _row(assessment, name, numbers[place], float(old[place]), float(new[place]))
        for place in lost
    )
    gains = tuple(
        (formatting.shown(measured.query_ids[numbers[place]]), float((new - old)[place]))
        for place in best
    )
    loss = -math.fsum(gain[gain < 0].tolist())
    share = -math.fsum(gain[lost].tolist()) / loss if loss else math.nan
    return Worst(name, rows, share, gains, slices)


def _row(assessment: Assessment, name: str, number: int, was: float | None, now: float) -> QueryRow:
    measured, reference, shown = assessment.measured, assessment.reference, formatting.shown
    (placement,) = measured.placements([number])
    before = None if was is None or reference is None else reference.placement(number)
    if measured.used[name].metric.is_given:
        places = "-"
    elif before is not None:
        places = _moves(measured, name, before, placement)
    else:
        more = _more(placement.hits, MOST_ITEMS)
        ranks = _ranks(placement.hits) or "nowhere"
        places = f"{ranks}{more} of {placement.n_ranked:,}"
    absent, slices = placement.not_retrieved, assessment.slices.items()
    return QueryRow(
        query=shown(measured.query_ids[number]),
        slice=" ".join(shown(label) for label, part in slices if number in part.members),
        was=was,
        now=now,
        places=places,
        missing=", ".join(map(shown, absent[:MOST_MISSING])) + _more(absent, MOST_MISSING) or "-",
        top=_top(placement),
        text=text_of(measured, number),
    )


def _more(values: Sequence[Any], limit: int) -> str:
    return f" +{len(values) - limit:,}" if len(values) > limit else ""


def text_of(measured: StrictEvaluation, number: int) -> str:
    """The text of a query on one line; what the caller's function raises hides no failure."""
    try:
        text = measured.query_text(measured.query_ids[number])
    except Exception as error:
        text = f"(query_text: {type(error).__name__})"
    return formatting.line(str(text), LONGEST_TEXT) if text else ""


def _moves(measured: StrictEvaluation, name: str, before: Placement, now: Placement) -> str:
    """``d969 1->9 -0.31, d845 -->-``: ranks in the baseline and now, and what that changed."""
    if now.judged is None:
        return f"{_ranks(before.hits) or '-'} -> {_ranks(now.hits) or '-'}"
    was = {key_of(hit.item): hit for hit in before.hits}
    new = {key_of(hit.item): hit for hit in now.hits}
    used, parts = measured.used[name], []
    items = explain_all(used, [(before, now)], key=key_of)[0].items
    # By relevance scores the places are those of another ranking, and cost nothing.
    adds = not (used.metric.by_score and measured.by_relevance)
    for change in items[:MOST_MOVES]:
        key = key_of(change.item)
        ranks = f"{formatting.shown(change.item)} {_rank(was.get(key))}->{_rank(new.get(key))}"
        tells = adds and abs(change.contribution) >= _TOLD
        parts.append(f"{ranks} {change.contribution:+.2f}" if tells else ranks)
    empty = " (empty list)" if now.n_ranked == 0 else ""
    return f"{', '.join(parts)}{_more(items, MOST_MOVES)}{empty}"


def _ranks(hits: Sequence[Hit]) -> str:
    return ", ".join(map(_rank, hits[:MOST_ITEMS]))


def _rank(hit: Hit | None) -> str:
    return "-" if hit is None else str(write_rank(hit.above, hit.tied))


def _top(placement: Placement) -> str:
    if placement.n_ranked == 0:
        return "(empty list)"
    judged = placement.judged or {}
    graded = any(grade == 0 for grade in judged.values())
    marks = []
    for item in placement.ranking[:TOP]:
        unjudged = "?" if graded and item not in judged else ""
        marks.append(formatting.shown(item) + ("*" if judged.get(item, 0) > 0 else unjudged))
    return " ".join(marks)


# The HTML report ---------------------------------------------------------------------------------

MOST_BYTES = 1_000_000
"""Of the items of one gate: a report has several, and workers send them to each other."""


def queries_data(assessment: Assessment) -> dict[str, Any] | None:
    """Data of the page's script; None without values per query."""
    measured, reference = assessment.measured, assessment.reference
    columns = {name: measured.per_query(name) for name in measured.names}
    now = {name: column for name, column in columns.items() if column is not None}
    if not now:
        return None
    main = explained_metric(assessment) or ""
    compared = frozenset() if reference is None else frozenset(reference.queries.tolist())

    def values(name: str) -> list[Sequence[float | None]]:
        own = numbers(now[name].tolist())
        if reference is None:
            return [own]
        before = np.full(len(measured), math.nan)  # also of queries that only one side has
        if name in reference.per_query:
            before[reference.queries] = reference.per_query[name]
        return [numbers(before.tolist()), own]

    def items(number: int) -> Items | None:
        (placement,) = measured.placements([number])
        if placement.judged is None or reference is None:
            return merged_items([placement])
        before = reference.placement(number) if number in compared else None
        if before is None:
            return None
        sides = before, placement
        found = (explain_all(measured.used[name], [sides], key=key_of)[0].items for name in now)
        return merged_items(sides, [[own] for own in found], key=key_of)

    other = "baseline" if assessment.alignment is not None else "reference"
    texts = [text_of(measured, number) for number in range(len(measured))]
    labels = labels_of(assessment) if assessment.slices else []
    slices = [as_text(label) for label in _failing_slices(assessment, main)] if main else []
    falls = reference is not None and any(
        own.verdict in _REMARKABLE
        for own in (*assessment.metric_results.values(), *assessment.slice_results)
    )
    queries = Queries(
        systems=("now",) if reference is None else (other, "now"),
        measures=tuple(measured.used[name].title for name in now),
        greater=tuple(measured.used[name].metric.greater_is_better for name in now),
        names=list(map(as_text, measured.query_ids)),
        values=list(map(values, now)),
        texts=texts if any(texts) else (),
        labels=labels,
        show={
            "measure": list(now).index(main) if main in now else 0,
            "slice": slices[0] if slices else "",
            "which": "worse" if falls else "all",
        },
        items=items,
    )
    return as_data(queries, MOST_BYTES)
