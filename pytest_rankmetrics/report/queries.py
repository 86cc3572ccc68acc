"""The queries behind a verdict: the worst, those that lost most, and all of the HTML report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.result import QueryRow
from pytest_rankmetrics.baseline.content import write_rank
from pytest_rankmetrics.baseline.record import key_of
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from pytest_rankmetrics.policy.verdicts import Verdict
from sklearn_rank.comparison.changes import explain
from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.evaluation.result import worst_of
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.report.content import Item, Queries, as_data, numbers
from sklearn_rank.support.text import as_text
from sklearn_rank.tables.table import Cell, Column, Kind, Table, number_cell, text_cell
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
    name = explained_metric(assessment)
    if name is None:
        return None
    slices = _failing_slices(assessment, name)
    if name in assessment.changes and assessment.reference is not None:
        return _losses(assessment, name, slices)
    values = assessment.measured.per_query(name)
    if values is None:
        return None
    values = np.where(_members(assessment, slices), values, math.nan)
    metric = assessment.measured.used[name].metric
    worst = worst_of(values, metric, assessment.policy.settings.worst_queries)
    if not worst:
        return None
    rows = tuple(_row(assessment, name, number, None, float(values[number])) for number in worst)
    return Worst(name, rows, math.nan, slices=slices)


def _failing_slices(assessment: Assessment, name: str) -> tuple[str, ...]:
    """Labels of the slices of a measure that fail where the measure over all queries does not."""
    if assessment.metric_results[name].verdict in _REMARKABLE:
        return ()
    verdicts = {
        result.label: result.verdict for result in assessment.slice_results if result.name == name
    }
    gravest = next((own for own in _REMARKABLE if own in verdicts.values()), None)
    return tuple(
        label
        for label in assessment.slices
        if gravest is not None and verdicts.get(formatting.shown(label)) is gravest
    )


def _members(assessment: Assessment, slices: tuple[str, ...]) -> BoolArray:
    """Which queries are in any of some slices; all of them without slices."""
    chosen = np.full(len(assessment.measured), not slices)
    for label in slices:
        chosen[assessment.slices[label].members] = True
    return chosen


def worst_table(
    rows: Sequence[Mapping[str, Any]], metric: str, other: str, *, says_more: bool = False
) -> Table:
    """The queries of a failure, each a ``QueryRow`` as a mapping.

    ``says_more`` names the measure, and has a column of what queries ask, where any says so.
    """
    compared = rows[0]["was"] is not None
    title = f"relevant items: rank in the {other} -> rank now"
    was = f"{metric} was" if says_more else "was"
    kinds: list[tuple[str, Kind, Callable[[Mapping[str, Any]], Cell]]] = [
        ("query", "text", lambda row: text_cell(row["query"])),
        ("slice", "text", lambda row: text_cell(row["slice"])),
        (was, "number", lambda row: number_cell(row["was"])),
        ("now" if compared else metric, "number", lambda row: number_cell(row["now"])),
        ("change", "number", lambda row: number_cell(row["now"] - row["was"], signed=True)),
        (title if compared else "relevant found at", "text", lambda row: text_cell(row["places"])),
        ("missing", "text", lambda row: text_cell(row["missing"])),
        ("asks", "text", lambda row: text_cell(row["text"])),
    ]
    left_out = {"missing"} if compared else {"slice", was, "change"}
    left_out |= set() if any(row["slice"] for row in rows) else {"slice"}
    left_out |= set() if says_more and any(row["text"] for row in rows) else {"asks"}
    kinds = [kind for kind in kinds if kind[0] not in left_out]
    columns = tuple(Column(name, kind, longest=None) for name, kind, _ in kinds)
    return Table(columns, tuple(tuple(cell(row) for _, _, cell in kinds) for row in rows))


def explained_metric(assessment: Assessment) -> str | None:
    """The first measure that fails, or else the first of all; None without values per query."""
    failing = [
        name
        for name, result in assessment.metric_results.items()
        if result.verdict in _REMARKABLE and not assessment.measured.used[name].is_pooled
    ]
    slices = [result.name for result in assessment.slice_results if result.verdict in _REMARKABLE]
    others = [
        name for name in assessment.measured.names if not assessment.measured.used[name].is_pooled
    ]
    compared = [name for name in failing if name in assessment.changes]
    return next(iter([*compared, *failing, *slices, *others]), None)


def _losses(assessment: Assessment, name: str, slices: tuple[str, ...]) -> Worst | None:
    reference, values = assessment.reference, assessment.measured.per_query(name)
    if reference is None or values is None or name not in reference.per_query:
        return None
    old, new = reference.per_query[name], values[reference.queries]
    if reference.decimals is not None:
        new = np.round(new, reference.decimals)
    metric = assessment.measured.used[name].metric
    sign = 1.0 if metric.greater_is_better else -1.0
    moved = on_scale(new, metric.geometric_from) - on_scale(old, metric.geometric_from)
    counted = _members(assessment, slices)[reference.queries] & ~np.isnan(moved)
    gain = np.where(counted, sign * moved, 0.0)
    order = np.argsort(gain, kind="stable").tolist()
    most = assessment.policy.settings.worst_queries
    lost = [place for place in order if gain[place] < 0][:most]
    rows = tuple(
        _row(assessment, name, int(reference.queries[place]), float(old[place]), float(new[place]))
        for place in lost
    )
    loss = -math.fsum(gain[gain < 0].tolist())
    share = -math.fsum(gain[lost].tolist()) / loss if loss else math.nan
    best = [place for place in reversed(order) if gain[place] > 0][:most]
    ids, numbers = assessment.measured.query_ids, reference.queries.tolist()
    gains = [(formatting.shown(ids[numbers[place]]), float((new - old)[place])) for place in best]
    return Worst(name, rows, share, tuple(gains), slices)


def _row(assessment: Assessment, name: str, number: int, was: float | None, now: float) -> QueryRow:
    (placement,) = assessment.measured.placements([number])
    before = None
    if was is not None and assessment.reference is not None:
        before = assessment.reference.placement(number)
    absent, shown = placement.not_retrieved, formatting.shown
    more = f" +{len(absent) - MOST_MISSING:,}" if len(absent) > MOST_MISSING else ""
    return QueryRow(
        query=shown(assessment.measured.query_ids[number]),
        slice=" ".join(
            shown(label) for label, part in assessment.slices.items() if number in part.members
        ),
        was=was,
        now=now,
        places=(
            _places(placement)
            if before is None
            else _moves(assessment.measured, name, before, placement)
        ),
        missing=", ".join(map(shown, absent[:MOST_MISSING])) + more or "-",
        top=_top(placement),
        text=text_of(assessment.measured, number),
    )


def text_of(measured: StrictEvaluation, number: int) -> str:
    """The text of a query on one line; what the caller's function raises hides no failure."""
    try:
        text = measured.query_text(measured.query_ids[number])
    except Exception as error:
        text = f"(query_text: {type(error).__name__})"
    return formatting.line(str(text), LONGEST_TEXT) if text else ""


def _places(placement: Placement) -> str:
    ranks = [str(write_rank(hit.above, hit.tied)) for hit in placement.hits]
    more = f" +{len(ranks) - MOST_ITEMS:,}" if len(ranks) > MOST_ITEMS else ""
    return f"{', '.join(ranks[:MOST_ITEMS]) or 'nowhere'}{more} of {placement.n_ranked:,}"


def _moves(measured: StrictEvaluation, name: str, before: Placement, now: Placement) -> str:
    """``d969 1->9 -0.31, d845 -->-``: ranks in the baseline and now, and what that changed."""
    if now.judged is None:
        return f"{_ranks(before.hits)} -> {_ranks(now.hits)}"
    was = {key_of(hit.item): hit for hit in before.hits}
    new = {key_of(hit.item): hit for hit in now.hits}
    used = measured.used[name]
    items = explain(used, before, now, key=key_of).items
    if used.metric.by_score and measured.by_relevance:  # these are places of another ranking
        items = tuple(change._replace(contribution=math.nan) for change in items)
    text = ", ".join(
        f"{formatting.shown(change.item)} {_rank(was.get(key))}->{_rank(new.get(key))}"
        + (f" {change.contribution:+.2f}" if abs(change.contribution) >= _TOLD else "")
        for change in items[:MOST_MOVES]
        for key in [key_of(change.item)]
    )
    more = f" +{len(items) - MOST_MOVES:,}" if len(items) > MOST_MOVES else ""
    empty = " (empty list)" if now.n_ranked == 0 else ""
    return f"{text}{more}{empty}"


def _ranks(hits: list[Hit]) -> str:
    return ", ".join(_rank(hit) for hit in hits[:MOST_ITEMS]) or "-"


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
    """What the page's script reads; None where no measure has values per query."""
    measured, reference = assessment.measured, assessment.reference
    columns = {name: measured.per_query(name) for name in measured.names}
    now = {name: column for name, column in columns.items() if column is not None}
    if not now:
        return None
    explained = explained_metric(assessment) if reference is not None else None
    compared = frozenset() if reference is None else frozenset(reference.queries.tolist())

    def values(name: str) -> list[Sequence[float | None]]:
        if reference is None:
            return [numbers(now[name].tolist())]
        before = np.full(len(measured), math.nan)  # also of queries that only one side has
        if name in reference.per_query:
            before[reference.queries] = reference.per_query[name]
        return [numbers(before.tolist()), numbers(now[name].tolist())]

    def own_items(number: int) -> list[Item] | None:
        (placement,) = measured.placements([number])
        judged = placement.judged
        if judged is None:
            return None
        hits = [Item(as_text(hit.item), hit.grade, [hit.rank]) for hit in placement.hits]
        absent = placement.not_retrieved
        return [*hits, *(Item(as_text(item), judged[item], [None]) for item in absent)]

    def compared_items(number: int) -> list[Item] | None:
        (placement,) = measured.placements([number])
        is_known = reference is not None and number in compared
        before = reference.placement(number) if reference is not None and is_known else None
        if placement.judged is None or before is None or not explained:
            return None
        return [
            Item(
                as_text(change.item),
                change.grade,
                [change.old_rank, change.new_rank],
                numbers([change.contribution]),
            )
            for change in explain(measured.used[explained], before, placement, key=key_of).items
        ]

    other = "baseline" if assessment.alignment is not None else "reference"
    texts = [text_of(measured, number) for number in range(len(measured))]
    queries = Queries(
        systems=("now",) if reference is None else (other, "now"),
        measures=tuple(now),
        greater=tuple(measured.used[name].metric.greater_is_better for name in now),
        names=list(map(as_text, measured.query_ids)),
        values=list(map(values, now)),
        texts=texts if any(texts) else (),
        explained=explained or "",
        items=own_items if reference is None else compared_items,
    )
    return as_data(queries, MOST_BYTES)
