"""The HTML report of gates: what its page shows of each gate and of its queries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sklearn_rank.comparison.changes import explain_all
from sklearn_rank.gates.baseline import key_of
from sklearn_rank.gates.measure import Measured
from sklearn_rank.gates.sentences import line, shown
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.report.content import (
    MOST_BYTES,
    Cell,
    Items,
    Queries,
    Report,
    Row,
    Section,
    Verdict,
    as_data,
    by_change,
    merged_items,
    numbers,
    size_of,
    without_items,
)
from sklearn_rank.support.text import as_text

if TYPE_CHECKING:
    from sklearn_rank.gates.compare import Other
    from sklearn_rank.gates.decide import Slices
    from sklearn_rank.gates.report import Summary

_CHUNK = 256
"""Queries that are explained at once."""
MOST_OF_GATE = 1_000_000
"""Bytes of the items of one gate: a report has several, and workers send them to each other."""


def queries_data(
    measured: Measured, other: Other | None, slices: Slices, measure: str, show: tuple[str, str]
) -> dict[str, Any] | None:
    """Every query with its items, for the script of the page; None without values per query.

    The page opens with ``measure`` and ``show`` (a slice, and "worse" or "all").
    """
    now = measured.per_query
    if not now:
        return None
    compared = frozenset() if other is None else frozenset(other.queries.tolist())

    def values(name: str) -> list[Sequence[float | None]]:
        own = numbers(now[name].tolist())
        if other is None:
            return [own]
        before = np.full(len(measured), math.nan)  # also of queries that only one side has
        if name in other.values:
            before[other.queries] = other.values[name]
        return [numbers(before.tolist()), own]

    known: dict[int, Items | None] = {}

    def items(number: int) -> Items | None:
        if number not in known:
            known.clear()
            chunk = order[places[number] : places[number] + _CHUNK]
            found = dict(zip(chunk, measured.evaluation.placements(chunk), strict=True))
            known.update({n: None if n in compared else alone(own) for n, own in found.items()})
            if other is not None:
                pairs = {n: (other.placement(n), found[n]) for n in chunk if n in compared}
                sides = {n: (old, new) for n, (old, new) in pairs.items() if old is not None}
                known.update(zip(sides, beside([*sides.values()]), strict=True))
        return known[number]

    def alone(placement: Placement) -> Items | None:
        """Items of a query that has no other side."""
        if other is None or placement.judged is None:
            return merged_items([placement], text_of=measured.item_text)
        return None

    def beside(sides: Sequence[tuple[Placement, Placement]]) -> Iterator[Items | None]:
        """Items of queries on both sides, with what each contributes to the change."""
        explained = [explain_all(measured.used[name], sides, key=key_of) for name in now]
        for number, pair in enumerate(sides):
            if pair[1].judged is None:
                yield merged_items([pair[1]], text_of=measured.item_text)
            else:
                parts = [[own[number].items] for own in explained]
                yield merged_items(pair, parts, measured.item_text, key_of)

    labels: list[list[str]] = [[] for _ in range(len(measured))] if slices else []
    for label in sorted(slices):
        for number in slices[label][0]:
            labels[number].append(label)
    texts = [str(measured.query_text(query) or "") for query in measured.query_ids]
    queries = Queries(
        systems=("now",) if other is None else (other.name, "now"),
        measures=tuple(measured.used[name].title for name in now),
        greater=tuple(measured.used[name].metric.greater_is_better for name in now),
        names=list(map(as_text, measured.query_ids)),
        values=list(map(values, now)),
        texts=texts if any(texts) else (),
        labels=labels,
        show={
            "measure": list(now).index(measure) if measure in now else 0,
            "slice": show[0],
            "which": show[1],
        },
        items=items,
    )
    order = by_change(queries)
    places = {number: place for place, number in enumerate(order)}
    return as_data(queries, MOST_OF_GATE)


def html_text(summary: Summary, title: str, tally: str, answer: str) -> str:
    """Every gate with its queries, the ones that failed first.

    Items of queries stand there for as long as there is room.
    """
    from sklearn_rank.report.page import page, provenance

    room, sections = MOST_BYTES, []
    for run in sorted(summary.gates, key=lambda run: not run.failed):
        queries: Any = run.queries
        if queries is not None:
            room -= size_of(queries)
            queries = queries if room >= 0 else without_items(queries)
        sections.append(_section(run.record, queries, failed=run.failed))
    failed = [run for run in summary.gates if run.failed]
    kind: Any = "worse" if failed or summary.problems else "better" if summary.gates else "same"
    told = [line(run.record["headline"]) for run in failed[1:3]]
    if len(sections) == 1:  # its headline is the answer
        sections = [replace(sections[0], lead="")]
    about = (title.capitalize(), tally, *provenance())
    problems = tuple(line(problem) for problem in summary.problems)
    verdict = Verdict(answer, kind, tuple(told))
    return page(Report(title.capitalize(), verdict, tuple(sections), about, problems))


def _section(record: Mapping[str, Any], queries: Any, *, failed: bool) -> Section:
    """The part of the page about one gate."""
    names, sizes = list(record["metrics"]), {"": record["queries"]}
    cells = {"": {name: _cell(metric) for name, metric in record["metrics"].items()}}
    for part in record["slices"]:
        cells.setdefault(part["label"], {})[part["name"]] = _cell(part)
        sizes[part["label"]] = part["queries"]
    has_old = queries is not None and len(queries["systems"]) > 1
    rows = (
        Row(label or "all", sizes[label], tuple(map(own.get, names)), label, 0, int(has_old))
        for label, own in cells.items()
    )
    state, message = record["state"], record["message"]
    notes = [*record["warnings"], *record["notes"], *filter(None, [record["outlook"]])]
    return Section(
        tuple(queries["systems"]) if queries else ("now",),
        tuple(record["metrics"][name]["title"] for name in names),
        tuple(record["metrics"][name]["greater_is_better"] for name in names),
        tuple(rows),
        shown(record["name"], limit=200),
        badge="FAIL" if failed else state.upper(),
        direction=_direction(state, ("pass", "improved", "new"), failed=failed),
        lead=record["headline"],
        notes=tuple(line(text, 1000) for text in notes),
        queries=queries,
        message=message if message != record["headline"] else "",
    )


def _direction(
    state: str | None, better: Sequence[str] = ("improved",), *, failed: bool = False
) -> Literal["better", "worse", ""]:
    """Direction of a row by its state; by default of a measure, which may pass unchanged."""
    worse = failed or state in ("fail", "stale")
    return "worse" if worse else "better" if state in better else ""


def _cell(metric: Mapping[str, Any]) -> Cell:
    """A measure of a gate: its value, its change and its limits."""
    drop, counts = metric["drop"] or {}, None
    if drop.get("n"):
        counts = drop["won"], drop["n"] - drop["won"] - drop["lost"], drop["lost"]
    limits = [
        f"{word} {metric[key]:g}"
        for key, word in (("at_least", "at least"), ("at_most", "at most"), ("allowed", "allowed"))
        if metric[key] is not None
    ]
    state = metric["state"] if metric["state"] not in (None, "pass", "improved") else ""
    return Cell(
        metric["value"],
        metric["baseline"],
        metric["change"],
        None,
        drop.get("p_adjusted"),
        _direction(metric["state"]),
        counts,
        note=", ".join([*limits, *filter(None, [state])]),
    )
