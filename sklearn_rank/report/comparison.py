"""The report of a comparison: its tables, its pictures, and every query with its items."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

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
from sklearn_rank.support.text import as_text, safe_repr
from sklearn_rank.tables.table import Column, Table, number_cell, text_cell

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
    if not isinstance(path, (str, os.PathLike)):
        msg = f"report: path must be the name of a file, got {safe_repr(path)}"
        raise TypeError(msg)
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
    if measure is None:  # the first with values per query
        with_values = (name for name in comparison.measures if not comparison.is_pooled(name))
        explained = next(with_values, "")
    else:
        explained = comparison[measure, comparison.others[0]].measure
    differences = differences_table(comparison)
    tables = [
        ("Systems", systems_table(comparison)),
        # The other notes stand below the first table already.
        ("Differences", replace(differences, notes=differences.notes[:1])),
    ]
    if slices is not None:
        tables.append(("Slices", slices_table(comparison.by_slice(slices))))
    drawn = pictures_of(comparison, explained) if pictures else ()
    queries = changes = None
    if explained:
        text_of = text_function(query_text)
        queries = as_data(_queries(comparison, explained, text_of))
        changes = _changes(comparison, explained, text_of)
    section = Section(tables=tuple(tables), pictures=drawn, changes=changes, queries=queries)
    names, others, counts = comparison.names, comparison.others, comparison.counts
    lead = [f"{counts['queries']:,} {'query' if counts['queries'] == 1 else 'queries'}"]
    for count, word in (("left_out", "left out"), ("missing", "without a ranking")):
        lead += [f"{n:,} of {name} {word}" for name, n in counts[count].items() if n]
    if title is None and comparison.all_pairs:
        title = f"{len(names)} systems, each with each other"
    elif title is None:
        named = ", ".join(others) if len(others) <= MOST_NAMED else f"{len(others)} systems"
        title = f"{named} against {comparison.baseline}"
    notes = (NO_PICTURES,) if pictures and not drawn else ()
    return Report(title, ("; ".join(lead), *notes), sections=(section,))


def _queries(comparison: Comparison, measure: str, text_of: Callable[[Any], str]) -> Queries:
    """All queries, whose items are looked up when there is room for them."""
    ids = comparison.query_ids
    names = [name for name in comparison.measures if not comparison.is_pooled(name)]
    lengths = []
    for system in comparison.names:
        evaluation = comparison.evaluations[system]
        ranked = evaluation.rankings.n_ranked.tolist()
        length_of = dict(zip(list(evaluation.query_ids), ranked, strict=True))
        lengths.append([length_of[query] for query in ids])
    known: dict[int, list[Item] | None] = {}

    def items(number: int) -> list[Item] | None:
        if number not in known:
            place = places[number]
            chunk = order[place : place + _CHUNK]
            columns = [
                comparison.query_changes([ids[n] for n in chunk], measure=measure, system=system)
                for system in comparison.others
            ]
            known.update(zip(chunk, map(_merged, zip(*columns, strict=True)), strict=True))
        return known.pop(number)

    texts = list(map(text_of, ids))
    queries = Queries(
        systems=comparison.names,
        measures=tuple(names),
        greater=tuple(map(comparison.greater_is_better, names)),
        names=list(map(as_text, ids)),
        values=[
            [numbers(column.tolist()) for column in comparison.values(name).values()]
            for name in names
        ],
        texts=texts if any(texts) else (),
        lengths=lengths,
        explained=measure,
        items=items,
    )
    order = by_change(queries)
    places = {number: place for place, number in enumerate(order)}
    return queries


def _merged(changes: Sequence[QueryChange]) -> list[Item] | None:
    """The items of a query with their ranks in every system; None where they have no ids."""
    rows: dict[Any, tuple[float, list[Number], list[Number]]] = {}
    n_others = len(changes)
    for place, change in enumerate(changes):
        for item in change.items:
            if item.item not in rows:
                rows[item.item] = (item.grade, [None] * (n_others + 1), [None] * n_others)
            _, ranks, shares = rows[item.item]
            ranks[0], ranks[place + 1] = item.old_rank, item.new_rank
            (shares[place],) = numbers([item.contribution])
    if not rows and any(change.remark for change in changes):
        return None
    items = [Item(as_text(name), *row) for name, row in rows.items()]
    return sorted(items, key=lambda item: -max(abs(share or 0) for share in item.shares))


def _changes(comparison: Comparison, measure: str, text_of: Callable[[Any], str]) -> Table:
    """The largest changes in either direction, for browsers that run no scripts."""
    columns = (
        *map(Column, ("query", "system")),
        *(Column(name, "number") for name in (comparison.baseline, "now", "change")),
        Column("relevant items: rank before -> now, share of the change"),
    )
    rows = []
    for direction in ("worse", "better"):
        for system in comparison.others[:MOST_NAMED]:
            for change in comparison.most_changed(
                MOST_CHANGES, measure=measure, system=system, direction=direction
            ):
                name, text = as_text(change.query), text_of(change.query)
                row = (
                    text_cell(f"{name}: {text}" if text else name),
                    text_cell(change.system),
                    number_cell(change.old),
                    number_cell(change.new),
                    number_cell(change.difference, signed=True),
                    text_cell(change.why()),
                )
                rows.append(row)
    return Table(columns, tuple(rows), notes=(f"{measure}; the largest changes",))


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
