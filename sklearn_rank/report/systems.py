"""Reports of systems: one by itself, two, or many."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np

from sklearn_rank.comparison.changes import explain_all
from sklearn_rank.comparison.differences import Change
from sklearn_rank.comparison.notes import unjudged_shares
from sklearn_rank.comparison.result import Comparison, changes_table
from sklearn_rank.evaluation.result import Evaluation, item_function, text_function
from sklearn_rank.evaluation.tables import remarks
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.measures.record import Measure
from sklearn_rank.report.content import (
    MOST_NAMED,
    Cell,
    Direction,
    Finding,
    Items,
    Queries,
    Report,
    Row,
    Section,
    Verdict,
    as_data,
    by_change,
    claims,
    claims_by_system,
    count,
    findings,
    merged_items,
    numbers,
    p_text,
    short,
    slice_name,
    some,
)
from sklearn_rank.report.page import provenance, write_page
from sklearn_rank.support.disk import HTML_REPORT, check_target
from sklearn_rank.support.text import as_text, safe_repr, safe_text
from sklearn_rank.tables.table import Table
from sklearn_rank.typing import FloatArray, IntArray

MOST_CHANGES = 10
"""Queries that are named where no script runs."""
MOST_TO_JUDGE = 20
MOST_EXPLAINED = 256
"""Number of queries, with the largest changes, whose change is divided among their items."""
MOST_CHECKED = 5000
"""Queries up to which the items to judge next are looked for."""
_CHUNK = 256
"""Queries that are looked up at once: there is room for the items of some thousands."""
_BINS = 10


def write_report(
    result: Comparison | Evaluation, path: str | os.PathLike[str], **options: Any
) -> Verdict:
    """Write the page of a result to a file."""
    if not isinstance(path, (str, os.PathLike)):
        msg = f"report: path must be the name of a file, got {safe_repr(path)}"
        raise TypeError(msg)
    check_target(path, HTML_REPORT)  # before the work is done
    report = report_of(result, **options)
    write_page(report, path)
    return report.verdict


def report_of(
    result: Comparison | Evaluation,
    *,
    title: str | None = None,
    measure: str | Measure | None = None,
    slices: Any = None,
    query_text: Any = None,
    item_text: Any = None,
    about: str | Sequence[str] = (),
) -> Report:
    """Everything that a page shows of a comparison or of one system."""
    text_of, item_text_of = text_function(query_text), item_function(item_text)
    parts: Mapping[Any, Any] = {}
    if slices is not None:
        parts = result.by_slice(slices)
    if isinstance(result, Comparison):
        with_values = [name for name in result.measures if not result.is_pooled(name)]
        main = next(iter(with_values), "")
        if measure is not None:
            main = result[measure, result.others[0]].measure
        section = compared_section(result, parts)
        verdict = verdict_of(result, section)
        names, at, ids = section.systems, result._joined.places, result.query_ids
        systems = {name: (one, at[name]) for name, one in result.evaluations.items()}
        values = {result.metric(name): [*result.values(name).values()] for name in with_values}
        lead = next(iter(findings([section])), None)
        changes = _changes(result, main, lead, query_text) if main else None
        notes = [note for note in result.notes if not note.startswith("unjudged items")]
        head = [f"{some(names[1:])} against {names[0]}"]
        if result.all_pairs:
            head = [f"{len(names)} systems, each with each other"]
        left_out = result.counts["left_out"].items()
        left = [f"{n:,} of {safe_text(name)} left out" for name, n in left_out if n]
        head += [count(len(ids), "query", "queries"), *left]
    else:
        with_values = [*result.per_query]
        main = next(iter(with_values), "")
        if measure is not None:
            main = str(result._kept(measure).measure)
        section, verdict = _single_section(result, parts), _single_verdict(result, main)
        ids = list(result.query_ids)
        systems = {"": (result, np.arange(len(ids)))}
        values = {
            one: [result.per_query[str(one)]]
            for one in result.measures
            if str(one) in result.per_query
        }
        changes, notes, head = None, [], [count(len(ids), "query", "queries")]
    texts = text_of, item_text_of
    queries = queries_of(systems, ids, values, _labels(ids, parts), texts, verdict.to_judge)
    show = {"measure": with_values.index(main) if main in with_values else 0}
    if isinstance(result, Comparison) and main:
        show |= _first_view(findings([section]), queries.measures, measure is not None)
    data = as_data(replace(queries, show=show)) if main else None
    notes = [f"{note[:1].upper()}{note[1:]}." for note in notes]
    about = [about] if isinstance(about, str) else about
    return Report(
        title or head[0],
        verdict,
        sections=(replace(section, notes=tuple(notes), changes=changes, queries=data),),
        about=(*head, *about, *provenance()),
        heading=title or "",
    )


def _first_view(
    found: Sequence[Finding], measures: Sequence[str], is_chosen: bool
) -> dict[str, Any]:
    """The cell of the first claim, losses first; of a chosen measure its losses."""
    lead = next((finding for finding in found if finding.measure in measures), None)
    if lead is None or is_chosen:
        return {"which": "worse"}
    which = "worse" if lead.cell.direction == "worse" else "all"
    place = measures.index(lead.measure)
    return {"measure": place, "slice": lead.row.slice, "system": lead.row.new, "which": which}


# The grid ----------------------------------------------------------------------------------------


def compared_section(comparison: Comparison, parts: Mapping[Any, Comparison]) -> Section:
    """Slices by measures; systems and slices by measures where there are several."""
    names = comparison.names
    several = len(names) > 2
    first = comparison.measures[0]
    rows = []
    scores = {(score.system, score.measure): score for score in comparison.scores}
    if several:
        first_cells = tuple(Cell(scores[names[0], name].value) for name in comparison.measures)
        rows.append(Row(names[0], comparison.counts["queries"], first_cells, new=0))
    for old, new in dict.fromkeys((row.baseline, row.system) for row in comparison.rows):
        system = f"{new} against {old}" if comparison.all_pairs else new
        for label, part in (("", comparison), *_named(parts)):
            cells = []
            for name in comparison.measures:
                (row,) = (
                    row
                    for row in part.rows
                    if (row.measure, row.baseline, row.system) == (name, old, new)
                )
                is_best = several and not label and scores[new, name].best
                cells.append(_cell(row, "best" if is_best else ""))
            text = label or (system if several else "all")
            places = names.index(old), names.index(new)
            rows.append(Row(text, len(part.query_ids), tuple(cells), label, *places))
    if several:  # by their values of the first measure, slices below their system
        sign = -1 if comparison.greater_is_better(first) else 1
        value = {name: sign * scores[name, first].value for name in names}
        rows.sort(key=lambda row: (math.isnan(value[names[row.new]]), value[names[row.new]]))
    return Section(
        names,
        tuple(comparison.metric(name).title for name in comparison.measures),
        tuple(map(comparison.greater_is_better, comparison.measures)),
        tuple(rows),
    )


def _named(parts: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    """Names of slices, each with its part of the result."""
    return [(slice_name(label), part) for label, part in parts.items()]


def _cell(row: Change, note: str) -> Cell | None:
    value, old, change, p, *ends = numbers(
        [row.new, row.old, row.change, row.p_holm, row.low, row.high]
    )
    if value is None and old is None:
        return None
    direction: Direction = ""
    if row.significant and row.better is not None:
        direction = "better" if row.better else "worse"
    counts = None
    if row.wins is not None and row.ties is not None and row.losses is not None:
        counts = row.wins, row.ties, row.losses
    interval = None if None in ends else (ends[0], ends[1])
    return Cell(value, old, change, interval, p, direction, counts, note=note)


# The answer --------------------------------------------------------------------------------------


def verdict_of(comparison: Comparison, section: Section) -> Verdict:
    """The change, its significance, and the share of unjudged items."""
    found = findings([section])
    lead = next(iter(found), None)
    details = []
    if lead is not None:
        rest = len(found) - 1
        more = "No other change is significant"
        if rest:
            more = f"{count(rest, 'other change is', 'other changes are')} significant"
        details += [_numbers(comparison, lead, section), f"{more} ({comparison.family_text})."]
    else:
        least: dict[str, float] = {}
        for row in comparison.rows:
            metric = comparison.metric(row.measure)
            if row.detectable < metric.metric.upper - metric.metric.lower:
                least[metric.title] = max(row.detectable, least.get(metric.title, 0.0))
        named = ", ".join(f"{short(least[name])} in {name}" for name in sorted(least)[:MOST_NAMED])
        if named:
            details.append(f"Detectable with 80% power: a change of {named}.")
    sentences, to_judge = _unjudged(comparison, lead)
    if comparison.all_pairs:
        total = sum(cell is not None for row in section.rows for cell in row.cells if row.new)
        text = f"{len(found):,} of {total:,} differences are significant; {_best(comparison)}"
    elif lead is None:
        text = "No significant change"
    elif len(section.systems) > 2:
        text = f"{claims_by_system(found, section.systems)}; {_best(comparison)}"
    else:
        text = claims(found)
    kind: Any = "same" if lead is None or comparison.all_pairs else lead.cell.direction
    return Verdict(text, kind, (*details, *sentences), to_judge)


def _best(comparison: Comparison) -> str:
    best: dict[str, list[str]] = {}
    for score in comparison.scores:
        if score.best:
            title = comparison.metric(score.measure).title
            best.setdefault(score.system, []).append(title)
    named = (f"{some([name])} ({some(sorted(best[name]))})" for name in sorted(best))
    return f"best: {', '.join([*named][:MOST_NAMED])}"


def _numbers(comparison: Comparison, lead: Finding, section: Section) -> str:
    """The numbers behind the first claim."""
    cell, row = lead.cell, lead.row
    low, high = cell.interval or (None, None)
    spread = ""
    if low is not None and high is not None:
        ends = f"{short(low, signed=True)} to {short(high, signed=True)}"
        spread = f"{100 - 100 * comparison.alpha:g}% CI {ends}, "
    which = f"{safe_text(row.slice)} " * bool(row.slice)
    text = f"{lead.measure} {short(cell.change, signed=True)} ({spread}{p_text(cell.p)})"
    if cell.counts:
        better, _, worse = cell.counts
        text += f": {worse:,} of {row.queries:,} {which}queries got worse, {better:,} better"
    if len(section.systems) > 2:
        text = f"{safe_text(section.systems[row.new])}: {text}"
    return f"{text}."


def _unjudged(comparison: Comparison, lead: Finding | None) -> tuple[list[str], tuple[Any, ...]]:
    """The share of unjudged items, and the queries whose items to judge next."""
    top, shares = unjudged_shares(comparison._joined)
    if not shares:
        return [], ()
    names, evaluations = comparison.names, comparison.evaluations
    titles = {comparison.metric(name).title: name for name in comparison.measures}
    new = max(comparison.others, key=lambda name: (shares[name], name))
    old, title = comparison.baseline, min(titles)
    if lead is not None:
        new, old, title = names[lead.row.new], names[lead.row.old], lead.measure
    text = (
        f"{shares[new]:.0%} of {safe_text(new)}'s top {top} has no judgement "
        f"({safe_text(old)}: {shares[old]:.0%}) and counts as irrelevant."
    )
    return [text], _to_judge(evaluations[new], titles[title], evaluations[old])


def _to_judge(
    evaluation: Evaluation, measure: str, other: Evaluation | None = None
) -> tuple[Any, ...]:
    """Ids of the queries of the items to judge next; empty where no item can be named."""
    if len(evaluation.query_ids) > MOST_CHECKED:
        return ()
    with suppress(InvalidParameterError, QueryMismatchError):
        columns = evaluation.to_judge(MOST_TO_JUDGE, other, measure=measure, backend=None)
        moves = zip(columns["query"], columns["move"], strict=True)
        return tuple(dict.fromkeys(query for query, move in moves if move))
    return ()


# Queries -----------------------------------------------------------------------------------------


def queries_of(
    systems: Mapping[str, tuple[Evaluation, IntArray]],
    ids: Sequence[Any],
    values: Mapping[Measure, Sequence[FloatArray]],
    labels: Sequence[Sequence[str]],
    texts: tuple[Callable[[Any], str], Callable[[Any], Any]],
    to_judge: Sequence[Any] = (),
) -> Queries:
    """All queries, whose items are looked up when there is room for them.

    ``systems`` have the numbers of the queries in each evaluation, ``values`` a column for each
    system; ``texts`` has texts of queries and of items.
    """
    text_of, item_text_of = texts
    (baseline, _), *others = systems.values()
    known: dict[int, Items | None] = {}

    def items(number: int) -> Items | None:
        if number not in known:
            known.clear()
            first = places[number]
            chunk = order[first : first + _CHUNK]
            old, *rest = (one.placements(at[chunk]) for one, at in systems.values())
            pairs = [
                (one, list(zip(old, new, strict=True)))
                for (one, _), new in zip(others, rest, strict=True)
            ]
            explained = [
                [explanations(measure, *pair) for pair in pairs]
                for measure in (values if first < MOST_EXPLAINED else ())
            ]
            for place, n in enumerate(chunk):
                shares = [[next(of) for of in row] for row in explained]
                sides = [old[place], *(new[place] for new in rest)]
                known[n] = merged_items(sides, shares, item_text_of)
        return known[number]

    def explanations(measure: Measure, system: Evaluation, pairs: Any) -> Iterator[Any]:
        """Changes by item; none where no kept rank explains the measure."""
        by_score = measure.metric.by_score and system._judged.has_relevance
        repeated = len(baseline.runs) + len(system.runs) > 2
        if by_score or repeated or measure.metric.is_given:
            return repeat(())
        return (explanation.items for explanation in explain_all(measure, pairs))

    known_texts = list(map(text_of, ids))
    number_of = {query: number for number, query in enumerate(ids)}
    queries = Queries(
        systems=tuple(systems),
        measures=tuple(measure.title for measure in values),
        greater=tuple(measure.metric.greater_is_better for measure in values),
        names=list(map(as_text, ids)),
        values=[[numbers(column.tolist()) for column in one] for one in values.values()],
        texts=known_texts if any(known_texts) else (),
        labels=labels,
        lengths=[one.rankings.n_ranked[at].tolist() for one, at in systems.values()],
        to_judge=[number_of[query] for query in to_judge if query in number_of],
        items=items,
        is_repeated=any(len(evaluation.runs) > 1 for evaluation, _ in systems.values()),
    )
    order = by_change(queries)
    places = {number: place for place, number in enumerate(order)}
    return queries


def _labels(ids: Sequence[Any], parts: Mapping[Any, Any]) -> Sequence[Sequence[str]]:
    """Names of the slices of each query."""
    labels: dict[Any, list[str]] = {query: [] for query in ids}
    for label, part in _named(parts):
        for query in part.query_ids:
            labels[query].append(label)
    return list(labels.values()) if parts else ()


def _changes(comparison: Comparison, main: str, lead: Finding | None, query_text: Any) -> Table:
    """The largest losses, or else gains, for browsers that run no scripts."""
    titles = {comparison.metric(name).title: name for name in comparison.measures}
    measure, system = main, comparison.others[0]
    if lead is not None and not comparison.is_pooled(titles[lead.measure]):
        measure = titles[lead.measure]
        system = system if comparison.all_pairs else comparison.names[lead.row.new]
    options: dict[str, Any] = {"measure": measure, "system": system, "query_text": query_text}
    changes = comparison.most_changed(MOST_CHANGES, direction="worse", **options)
    changes = changes or comparison.most_changed(MOST_CHANGES, **options)
    return changes_table(changes, comparison.baseline, system)


# One system --------------------------------------------------------------------------------------


def _single_section(evaluation: Evaluation, parts: Mapping[Any, Evaluation]) -> Section:
    """Slices by measures, each with its interval and distribution."""
    measures = evaluation.measures
    rows = []
    for label, part in (("", evaluation), *_named(parts)):
        cells = tuple(_single_cell(part, str(measure)) for measure in measures)
        rows.append(Row(label or "all", len(part.query_ids), cells, label, new=0))
    titles = tuple(measure.title for measure in measures)
    greater = tuple(measure.metric.greater_is_better for measure in measures)
    return Section(("",), titles, greater, tuple(rows))


def _single_cell(evaluation: Evaluation, measure: str) -> Cell | None:
    (value,), values = numbers([evaluation[measure]]), evaluation.per_query.get(measure)
    if value is None or values is None:
        return None if value is None else Cell(value)
    low, high = numbers(evaluation.confidence_interval(measure))
    interval = None if low is None or high is None else (low, high)
    defined = values[~np.isnan(values)]
    upper = max(1.0, float(defined.max()))
    bins = np.histogram(defined, _BINS, (0.0, upper))[0].tolist()
    note = f"undefined for {len(values) - len(defined):,}" * (len(defined) < len(values))
    return Cell(value, interval=interval, bins=tuple(bins), note=note)


def _single_verdict(evaluation: Evaluation, main: str) -> Verdict:
    n_queries = len(evaluation.query_ids)
    named = sorted((measure.title, evaluation[str(measure)]) for measure in evaluation.measures)
    shown = [f"{title} {short(*numbers([value]))}" for title, value in named]
    details = []
    for measure in sorted(evaluation.measures, key=lambda one: one.title):
        values = evaluation.per_query.get(str(measure))
        worst = measure.metric.lower if measure.metric.greater_is_better else math.nan
        n_worst = 0 if values is None else int((values == worst).sum())
        if n_worst:
            details.append(f"{count(n_worst, 'query has', 'queries have')} {measure.title} 0")
    details.append(remarks(evaluation.counts, evaluation.hint))
    text = f"{some(shown)} over {count(n_queries, 'query', 'queries')}"
    to_judge = _to_judge(evaluation, main) if evaluation.counts["unjudged_items"] else ()
    sentences = tuple(f"{detail[:1].upper()}{detail[1:]}." for detail in details)
    return Verdict(text, "same", sentences, to_judge)
