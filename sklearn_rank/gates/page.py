"""The HTML report of gates: what its page shows of each gate and of its queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.gates.fit import NEW, Slices, labels_of
from sklearn_rank.gates.words import line, shown
from sklearn_rank.report import queries as report_queries
from sklearn_rank.report.page import Cell, Direction, Report, Row, Section, Verdict, judged
from sklearn_rank.report.queries import MOST_BYTES, size_of, without_items

if TYPE_CHECKING:
    from sklearn_rank.gates.summary import Summary

MOST_OF_GATE = 1_000_000
"""Bytes of the items of one gate: a report has several, and workers send them to each other."""


def queries_data(
    new: Evaluation,
    joined: Joined | None,
    slices: Slices,
    measure: str,
    show: tuple[str, str],
    texts: tuple[Any, Any],
) -> dict[str, Any] | None:
    """Every (compared) query with its items, for the script of the page.

    None without values per query. The page opens with ``measure`` and ``show`` (a slice, and
    "worse" or "all").
    """
    now, used = new.per_query, dict(zip(new, new.measures, strict=True))
    if not now:
        return None
    numbers = np.arange(len(new.query_ids))
    systems = {NEW: (new, numbers)}
    values = {used[name]: [own] for name, own in now.items()}
    if joined is not None:
        old, _ = joined.systems
        numbers, nothing = joined.places[NEW], math.nan
        systems = {name: (own, joined.places[name]) for name, own in joined.systems.items()}
        for name in now:
            known = name in joined.measures
            was = joined.values_per_query(old, name) if known else np.full(len(numbers), nothing)
            values[used[name]] = [was, now[name][numbers]]
    labels = labels_of(slices, len(new.query_ids)) if slices else []
    chosen = numbers.tolist()
    place = list(now).index(measure) if measure in now else 0
    return report_queries.queries_data(
        systems,
        [new.query_ids[number] for number in chosen],
        values,
        [labels[number] for number in chosen] if slices else (),
        texts,
        show={"measure": place, "slice": show[0], "which": show[1]},
        room=MOST_OF_GATE,
    )


def html_text(summary: Summary, title: str, tally: str, answer: str) -> str:
    """Every gate with its queries, the ones that failed first.

    Items of queries stand there for as long as there is room.
    """
    from sklearn_rank.report.page import page, provenance

    room, sections = MOST_BYTES, []
    for run in sorted(summary.gates, key=lambda run: run.gravity):
        queries: Any = run.queries
        if queries is not None:
            room -= size_of(queries)
            queries = queries if room >= 0 else without_items(queries)
        sections.append(_section(run.record, queries, failed=run.failed))
    failed = sorted((run for run in summary.gates if run.failed), key=lambda run: run.gravity)
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
    names, sizes = list(record["measures"]), {"": record["queries"]}
    cells = {"": {name: _cell(metric) for name, metric in record["measures"].items()}}
    for part in record["slices"]:
        cells.setdefault(part["label"], {})[part["name"]] = _cell(part)
        sizes[part["label"]] = part["queries"]
    has_old = queries is not None and len(queries["systems"]) > 1
    rows = (
        Row(label or "all", sizes[label], tuple(map(own.get, names)), label, 0, int(has_old))
        for label, own in cells.items()
    )
    state, message = record["state"], record["message"]
    direction: Direction = "better" if state in ("pass", "improved", "new") else ""
    direction = "worse" if failed or state in ("fail", "stale") else direction
    notes = [*record["warnings"], *record["notes"], *filter(None, [record["outlook"]])]
    return Section(
        tuple(queries["systems"]) if queries else ("new",),
        tuple(record["measures"][name]["title"] for name in names),
        tuple(record["measures"][name]["greater_is_better"] for name in names),
        tuple(rows),
        shown(record["name"], limit=200),
        badge="FAIL" if failed else state.upper(),
        direction=direction,
        lead=record["headline"],
        notes=tuple(line(text, 1000) for text in notes),
        queries=queries,
        message=message if message != record["headline"] else "",
    )


def _cell(metric: Mapping[str, Any]) -> Cell:
    """A measure of a gate: its value, its change and its limits."""
    drop, counts = metric["drop"] or {}, None
    if drop.get("queries"):
        counts = drop["wins"], drop["ties"], drop["losses"]
    limits = [
        f"{word} {metric[key]:g}"
        for key, word in (("at_least", "at least"), ("at_most", "at most"), ("allowed", "allowed"))
        if metric[key] is not None
    ]
    direction, note = judged(metric["state"], limits)
    return Cell(
        metric["value"],
        metric["baseline_value"],
        metric["change"],
        None,
        drop.get("p_holm"),
        direction,
        counts,
        note=note,
    )
