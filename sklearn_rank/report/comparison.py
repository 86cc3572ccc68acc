"""The report of a comparison: its tables, its pictures, and every query with its items."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

from sklearn_rank.comparison.changes import QueryChange
from sklearn_rank.comparison.result import (
    Comparison,
    differences_table,
    slices_table,
    systems_table,
)
from sklearn_rank.evaluation.result import text_function
from sklearn_rank.measures.record import Measure
from sklearn_rank.report.content import (
    Item,
    Number,
    Picture,
    Queries,
    Report,
    Section,
    as_data,
    by_change,
    numbers,
)
from sklearn_rank.report.page import write_page
from sklearn_rank.support.disk import HTML_REPORT, check_target
from sklearn_rank.support.text import as_text
from sklearn_rank.tables.table import Cell, Column, Table, number_cell, text_cell

MOST_DRAWN = 3
"""Systems that have a picture of their own; a report is to be read."""
NO_PICTURES = "Pictures need Matplotlib, which is not installed."
MOST_NAMED = 3
"""Systems in a title."""
MOST_CHANGES = 10
"""Queries that are named in each direction where no script runs."""
_CHUNK = 256
"""Queries that are looked up at once: there is room for the items of some thousands."""


def report_comparison(comparison: Comparison, path: str | os.PathLike[str], **options: Any) -> None:
    """Write the page of a comparison to a file."""
    check_target(path, HTML_REPORT)  # before the work is done
    write_page(report_of(comparison, **options), path)


def report_of(
    comparison: Comparison,
    *,
    title: str | None = None,
    measure: str | Measure | None = None,
    slices: Any = None,
    query_text: Any = None,
    pictures: bool = True,
) -> Report:
    """Everything that a page shows of a comparison."""
    explained = _explained(comparison, measure)
    differences = differences_table(comparison)
    tables = [
        ("Systems", systems_table(comparison)),
        # The other notes stand below the first table already.
        ("Differences", replace(differences, notes=differences.notes[:1])),
    ]
    if slices is not None:
        tables.append(("Slices", slices_table(comparison.by_slice(slices))))
    drawn: tuple[Picture, ...] = pictures_of(comparison, explained) if pictures else ()
    queries = changes = None
    if explained:
        lookup = _Lookup(comparison, explained, text_function(query_text))
        queries, changes = as_data(lookup.queries), lookup.changes()
    section = Section(tables=tuple(tables), pictures=drawn, changes=changes, queries=queries)
    lead = tuple(_lead(comparison))
    if pictures and not drawn:
        lead = (*lead, NO_PICTURES)
    return Report(title or _title(comparison), lead, sections=(section,))


def _explained(comparison: Comparison, measure: str | Measure | None) -> str:
    """The measure whose changes are explained: the first with values per query."""
    if measure is not None:
        return comparison[measure, comparison.others[0]].measure
    with_values = (name for name in comparison.measures if not comparison.is_pooled(name))
    return next(with_values, "")


def _title(comparison: Comparison) -> str:
    if comparison.all_pairs:
        return f"{len(comparison.names)} systems, each with each other"
    others = comparison.others
    named = ", ".join(others) if len(others) <= MOST_NAMED else f"{len(others)} systems"
    return f"{named} against {comparison.baseline}"


def _lead(comparison: Comparison) -> list[str]:
    counts = comparison.counts
    lead = [f"{counts['queries']:,} {'query' if counts['queries'] == 1 else 'queries'}"]
    for count, word in (("left_out", "left out"), ("missing", "without a ranking")):
        lead += [f"{n:,} of {name} {word}" for name, n in counts[count].items() if n]
    return ["; ".join(lead)]


class _Lookup:
    """Queries of a comparison, whose items are looked up when there is room for them."""

    def __init__(self, comparison: Comparison, measure: str, text_of: Callable[[Any], str]) -> None:
        self._comparison = comparison
        self._measure = measure
        self._text_of = text_of
        self._ids = comparison.query_ids
        self._known: dict[int, list[Item] | None] = {}

    @cached_property
    def queries(self) -> Queries:
        """All of them."""
        comparison = self._comparison
        names = [name for name in comparison.measures if not comparison.is_pooled(name)]
        values = [
            [numbers(column.tolist()) for column in comparison.values(name).values()]
            for name in names
        ]
        texts = list(map(self._text_of, self._ids))
        queries = Queries(
            systems=comparison.names,
            measures=tuple(names),
            greater=tuple(map(comparison.greater_is_better, names)),
            names=list(map(as_text, self._ids)),
            values=values,
            texts=texts if any(texts) else (),
            lengths=[self._lengths(system) for system in comparison.names],
            explained=self._measure,
            items=self._items,
        )
        self._order = by_change(queries)
        self._place = {number: place for place, number in enumerate(self._order)}
        return queries

    def _lengths(self, system: str) -> list[int]:
        """Of the rankings of the queries that are compared."""
        evaluation = self._comparison.evaluations[system]
        lengths = evaluation.rankings.n_ranked.tolist()
        length_of = dict(zip(list(evaluation.query_ids), lengths, strict=True))
        return [length_of[query] for query in self._ids]

    def _items(self, number: int) -> list[Item] | None:
        if number not in self._known:
            place = self._place[number]
            self._look_up(self._order[place : place + _CHUNK])
        return self._known.pop(number)

    def _look_up(self, chunk: Sequence[int]) -> None:
        ids = [self._ids[number] for number in chunk]
        columns = [
            self._comparison.query_changes(ids, measure=self._measure, system=system)
            for system in self._comparison.others
        ]
        for number, changes in zip(chunk, zip(*columns, strict=True), strict=True):
            self._known[number] = merged(changes)

    def changes(self) -> Table:
        """Those that changed most in either direction, for browsers that run no scripts."""
        comparison, measure = self._comparison, self._measure
        columns = (
            Column("query"),
            Column("system"),
            Column(comparison.baseline, "number"),
            Column("now", "number"),
            Column("change", "number"),
            Column("relevant items: rank before -> now, share of the change"),
        )
        rows = [
            _change_cells(change, self._text_of(change.query))
            for direction in ("worse", "better")
            for system in comparison.others[:MOST_NAMED]
            for change in comparison.most_changed(
                MOST_CHANGES, measure=measure, system=system, direction=direction
            )
        ]
        return Table(columns, tuple(rows), notes=(f"{measure}; the largest changes",))


def _change_cells(change: QueryChange, text: str) -> tuple[Cell, ...]:
    name = as_text(change.query)
    return (
        text_cell(f"{name}: {text}" if text else name),
        text_cell(change.system),
        number_cell(change.old),
        number_cell(change.new),
        number_cell(change.difference, signed=True),
        text_cell(change.why()),
    )


def merged(changes: Sequence[QueryChange]) -> list[Item] | None:
    """The items of a query with their ranks in every system; None where they have no ids."""
    items: dict[Any, _Row] = {}
    for place, change in enumerate(changes):
        for item in change.items:
            row = items.setdefault(item.item, _Row.of(item.grade, len(changes)))
            row.ranks[0], row.ranks[place + 1] = item.old_rank, item.new_rank
            (row.shares[place],) = numbers([item.contribution])
    if not items and any(change.remark for change in changes):
        return None
    merged_items = [
        Item(as_text(name), row.grade, row.ranks, row.shares) for name, row in items.items()
    ]
    return sorted(merged_items, key=_weight)


class _Row(NamedTuple):
    """An item, of which one system after the other is known."""

    grade: float
    ranks: list[Number]
    shares: list[Number]

    @classmethod
    def of(cls, grade: float, others: int) -> _Row:
        return cls(grade, [None] * (others + 1), [None] * others)


def _weight(item: Item) -> float:
    return -max((abs(share) for share in item.shares if share is not None), default=0.0)


# Pictures ----------------------------------------------------------------------------------------


def pictures_of(comparison: Comparison, measure: str) -> tuple[Picture, ...]:
    """Mean differences with intervals, and differences per query; none without Matplotlib."""
    if find_spec("matplotlib") is None or not measure:
        return ()
    from sklearn_rank.displays.forest import ForestDisplay
    from sklearn_rank.displays.queries import QueryDifferencesDisplay

    baseline = comparison.baseline
    interval = f"{100 * comparison.level:g} % intervals"
    forest = ForestDisplay.from_comparison(comparison, measure)
    said = f"Mean difference in {measure} from {baseline}, with {interval}"
    pictures = [Picture(forest.to_svg(title=said, prefix="forest-"), said)]
    for place, system in enumerate(comparison.others[:MOST_DRAWN]):
        each = QueryDifferencesDisplay.from_comparison(comparison, measure, system=system)
        said = f"{measure} of {system} minus that of {baseline}, query by query, sorted"
        pictures.append(Picture(each.to_svg(title=said, prefix=f"queries-{place}-"), said))
    return tuple(pictures)
