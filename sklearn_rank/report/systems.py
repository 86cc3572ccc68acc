"""Reports of systems: one by itself, two, or many."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_rank.comparison.changes import title_function
from sklearn_rank.comparison.differences import Change
from sklearn_rank.comparison.notes import unjudged_shares
from sklearn_rank.comparison.result import Comparison
from sklearn_rank.evaluation.result import Evaluation, item_function, text_function
from sklearn_rank.evaluation.tables import remarks
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.report.content import (
    MOST_NAMED,
    Cell,
    Direction,
    Finding,
    Kind,
    Report,
    Row,
    Section,
    Verdict,
    claims,
    claims_by_system,
    count,
    findings,
    p_text,
    short,
    slice_name,
    some,
)
from sklearn_rank.report.page import provenance, write_page
from sklearn_rank.report.queries import Texts, losers_table, numbers, queries_data
from sklearn_rank.support.disk import HTML_REPORT, check_target
from sklearn_rank.support.text import as_text, closest, safe_repr, safe_text

if TYPE_CHECKING:
    from sklearn_rank.gates.verdict import GateResult

MOST_CHANGES = 10
"""Queries that are named where no script runs."""
MOST_TO_JUDGE = 20
_BINS = 10
MOST_CHECKED = 5000
"""Queries up to which the items to judge next are looked for."""


def write_report(
    result: Comparison | Evaluation, path: str | os.PathLike[str], **options: Any
) -> Verdict:
    """Write the page of a result to a file; ``options`` are those of ``report_of``."""
    names = [*signature(report_of).parameters][1:]
    for name in set(options).difference(names):
        msg = f"report() got an unexpected keyword argument {safe_repr(name)}{closest(name, names)}"
        raise TypeError(msg)
    if not isinstance(path, (str, os.PathLike)) or os.path.isdir(path):
        what = "a directory" if isinstance(path, (str, os.PathLike)) else safe_repr(path)
        msg = f"report: path must be the name of a file, got {what}"
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
    max_drop: Any = None,
) -> Report:
    """Everything that a page shows of a comparison or of one system.

    With ``max_drop`` its verdict and colours are those of a gate with these limits.
    """
    texts = text_function(query_text), item_function(item_text)
    head = [count(len(result.query_ids), "query", "queries")]
    parts = {} if slices is None else _named(result.by_slice(slices))
    if isinstance(result, Evaluation):
        _check_items(item_text, [result])
        section, verdict = _single_section(result, parts), _single_verdict(result)
    else:
        _check_items(item_text, result.evaluations.values())
        gate = None if max_drop is None else _gate(result, slices, max_drop)
        section = compared_section(result, parts, gate)
        verdict = verdict_of(result, section, texts, gate, slices)
        against = f"{some(result.names[1:])} against {result.baseline}"
        if result.all_pairs:
            against = f"{len(result.names)} systems, each with each other"
        left_out = result.counts["left_out"].items()
        omitted = [f"{n:,} of {safe_text(name)} left out" for name, n in left_out if n]
        head = [against, *head, *omitted]
    section = _with_queries(section, result, verdict, parts, texts, measure)
    about = [about] if isinstance(about, str) else about
    return Report(
        title or head[0],
        verdict,
        sections=(section,),
        about=(*head, *about, *provenance()),
        heading=title or "",
    )


def _check_items(item_text: Any, evaluations: Iterable[Evaluation]) -> None:
    if item_text is not None and all(one._judged.ids is None for one in evaluations):
        msg = "report: item_text needs the ids of items: pass keep_items=True to evaluate"
        raise InvalidParameterError(msg)


def _named(parts: Mapping[Any, Any]) -> dict[str, Any]:
    """Parts of the result by the names of their slices."""
    return {slice_name(label): part for label, part in parts.items()}


def _labels(ids: Sequence[Any], parts: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    """Names of the slices of each query."""
    labels: dict[Any, list[str]] = {query: [] for query in ids}
    for label, part in parts.items():
        for query in part.query_ids:
            labels[query].append(label)
    return list(labels.values()) if parts else ()


# The grid ----------------------------------------------------------------------------------------


def compared_section(
    comparison: Comparison, parts: Mapping[str, Comparison], gate: GateResult | None = None
) -> Section:
    """Slices by measures; systems and slices by measures where there are several."""
    names, measures = comparison.names, comparison.measures
    several = len(names) > 2
    scores = {(score.system, score.measure): score for score in comparison.scores}
    rows = []
    if several:
        first: list[Cell | None] = [Cell(scores[names[0], name].value) for name in measures]
        rows.append(Row(names[0], comparison.counts["queries"], tuple(first), new=0))
    for old, new in dict.fromkeys((row.baseline, row.system) for row in comparison.rows):
        system = f"{new} against {old}" if comparison.all_pairs else new
        for label, part in {"": comparison, **parts}.items():
            cells = [_cell(row) for row in part.rows if (row.baseline, row.system) == (old, new)]
            if several and not label:
                notes = (
                    _extreme(comparison, name) if scores[new, name].best else ""
                    for name in measures
                )
                cells = [c and c._replace(note=note) for c, note in zip(cells, notes, strict=True)]
            text = label or (system if several else "all queries")
            numbered = names.index(old), names.index(new)
            rows.append(Row(text, len(part.query_ids), tuple(cells), label, *numbered))
    if gate is not None:
        rows = _judged_rows(rows, [str(comparison.metric(name)) for name in measures], gate)
    if several:  # by their values of the first measure, slices below their system
        sign = -1 if comparison.greater_is_better(measures[0]) else 1
        value = {name: sign * scores[name, measures[0]].value for name in names}
        rows.sort(key=lambda row: (math.isnan(value[names[row.new]]), value[names[row.new]]))
    # The verdict tells of unjudged items.
    notes_ = [note for note in comparison.notes if not note.startswith("unjudged items")]
    return Section(
        names,
        tuple(comparison.metric(name).title for name in measures),
        tuple(map(comparison.greater_is_better, measures)),
        tuple(rows),
        notes=tuple(f"{note[:1].upper()}{note[1:]}." for note in notes_),
    )


def _extreme(comparison: Comparison, measure: str) -> str:
    return "highest" if comparison.greater_is_better(measure) else "lowest"


def _cell(row: Change) -> Cell | None:
    new, old, change, p, *ends = numbers(
        [row.new, row.old, row.change, row.p_holm, row.low, row.high]
    )
    if new is None and old is None:
        return None
    direction: Direction = ""
    if row.significant and row.better is not None:
        direction = "better" if row.better else "worse"
    counts = None
    if row.wins is not None and row.ties is not None and row.losses is not None:
        counts = row.wins, row.ties, row.losses
    interval = None if None in ends else (ends[0], ends[1])
    return Cell(new, old, change, interval, p, direction, counts)


def _judged_rows(rows: Iterable[Row], measures: Sequence[str], gate: GateResult) -> list[Row]:
    """Rows with the colours of a gate, and what it allows."""
    verdicts: dict[tuple[str, str], tuple[Direction, str]] = {}
    for judged in (*gate.measures.values(), *gate.slices):
        direction: Direction = "better" if judged.state == "improved" else ""
        direction = "worse" if judged.state in ("fail", "stale") else direction
        note = "" if judged.allowed is None else f"allowed {judged.allowed:g}"
        label = "" if judged.label is None else slice_name(judged.label)
        verdicts[judged.name, label] = direction, note
    coloured = []
    for row in rows:
        found = [verdicts.get((name, row.slice), ("", "")) for name in measures]
        pairs = zip(row.cells, found, strict=True)
        cells = tuple(cell and cell._replace(direction=d, note=n) for cell, (d, n) in pairs)
        coloured.append(row._replace(cells=cells))
    return coloured


# The answer --------------------------------------------------------------------------------------


def verdict_of(
    comparison: Comparison,
    section: Section | None = None,
    texts: Texts = (as_text, as_text),
    gate: GateResult | None = None,
    slices: Any = None,
) -> Verdict:
    """The verdict of the gate, if one is given, else the significant changes; their numbers."""
    section = compared_section(comparison, {}) if section is None else section
    found = findings([section])
    lead = next(iter(found), None)
    details = []
    if gate is None and lead is not None:
        details.append(_numbers(comparison, lead, section))
        rest, in_slices = found[1:], sum(bool(finding.row.slice) for finding in found[1:])
        more = "No other change is significant"
        if rest:
            more = f"{count(len(rest), 'other change is', 'other changes are')} significant"
        more += f", {in_slices:,} of them in slices" * bool(in_slices)
        details.append(f"{more} ({comparison.family_text}).")
    elif gate is None and not _is_same(comparison):
        details += _detectable(comparison)
    sentence, to_judge = _unjudged(comparison, lead, texts)
    details += [sentence] * bool(sentence)
    if gate is not None:
        state: Kind = "better" if gate.state == "improved" else "same"
        state = state if gate.passed else "worse"
        answer = f"Gate {'passed' if gate.passed else 'failed'}: {gate.headline}"
        return Verdict(answer, state, tuple(details), to_judge)
    if not comparison.all_pairs:
        details.append(_usual_gate(comparison, slices))
    if _is_same(comparison):
        text = "No value changed"
    elif comparison.all_pairs:
        total = sum(cell is not None for row in section.rows for cell in row.cells if row.new)
        text = f"{len(found):,} of {total:,} changes are significant; {_highest(comparison)}"
    elif lead is None:
        text = "No significant change"
    elif len(section.systems) > 2:
        text = f"{claims_by_system(found, section.systems)}; {_highest(comparison)}"
    else:
        text = claims(found)
    kind: Kind = "same"
    if lead is not None and not comparison.all_pairs:
        kind = lead.cell.direction or "same"
    return Verdict(text, kind, tuple(details), to_judge)


def _gate(comparison: Comparison, slices: Any, max_drop: Any) -> GateResult:
    """The verdict of a gate with these limits."""
    from sklearn_rank.gates.gate import verdict_on

    if len(comparison.names) > 2:
        msg = f"max_drop compares one system with a baseline; these are {len(comparison.names)}"
        raise InvalidParameterError(msg)
    return verdict_on(comparison, slices=slices, max_drop=max_drop)


def _usual_gate(comparison: Comparison, slices: Any) -> str:
    """What a gate with the usual limit would say, for a page without limits."""
    from sklearn_rank.gates.gate import verdict_on
    from sklearn_rank.gates.limits import DEFAULT_DROP
    from sklearn_rank.gates.words import would

    verdicts = {name: verdict_on(comparison, name, slices=slices) for name in comparison.others}
    if len(verdicts) == 1:
        return f"{would(*verdicts.values())}."
    red = [name for name, verdict in verdicts.items() if not verdict.passed]
    said = f"be red for {some(red)}" if red else "pass for every system"
    return f"A gate with max_drop {DEFAULT_DROP:g} would {said}."


def _is_same(comparison: Comparison) -> bool:
    """Whether no query changed in any measure."""
    return all(row.change == 0 and not row.wins and not row.losses for row in comparison.rows)


def _detectable(comparison: Comparison) -> list[str]:
    """The least change that would be found, of up to three measures."""
    least: dict[str, float] = {}
    for row in comparison.rows:
        metric = comparison.metric(row.measure)
        if row.detectable < metric.metric.upper - metric.metric.lower:
            least[metric.title] = max(row.detectable, least.get(metric.title, 0.0))
    named = ", ".join(f"{short(least[name])} in {name}" for name in sorted(least)[:MOST_NAMED])
    return [f"Detectable with 80% power: a change of {named}."] if named else []


def _highest(comparison: Comparison) -> str:
    """The best system by measure, and whether it is tested against the next one."""
    named: dict[tuple[str, str, str], list[str]] = {}
    for measure in comparison.measures:
        sign = 1 if comparison.greater_is_better(measure) else -1
        scores = [score for score in comparison.scores if score.measure == measure]
        # Whatever the order of the systems.
        scores.sort(key=lambda score: (math.isnan(score.value), -sign * score.value, score.system))
        first, second = scores[:2]
        leaders = some(score.system for score in scores if score.best)
        tested = {
            frozenset((row.baseline, row.system)): row.significant
            for row in comparison.rows
            if row.measure == measure and not math.isnan(row.p)
        }
        is_clear = tested.get(frozenset((first.system, second.system)))
        how = ", not tested against"
        if is_clear is not None:
            how = f", {'' if is_clear else 'not '}significantly {'above' if sign > 0 else 'below'}"
        how = "" if second.best else f"{how} {safe_text(second.system)}"
        key = _extreme(comparison, measure), leaders, how
        named.setdefault(key, []).append(comparison.metric(measure).title)
    phrases = [
        f"{extreme} {some(sorted(titles))}: {leaders}{how}"
        for (extreme, leaders, how), titles in named.items()
    ]
    return "; ".join(sorted(phrases)[:MOST_NAMED])


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


def _unjudged(
    comparison: Comparison, lead: Finding | None, texts: Texts
) -> tuple[str, tuple[Any, ...]]:
    """The share of unjudged items on both sides, and the first ones to judge with their queries."""
    top, shares = unjudged_shares(comparison._joined)
    if not shares:
        return "", ()
    new = max(comparison.others, key=lambda name: (shares.get(name, 0.0), name))
    old = comparison.baseline
    titles = {comparison.metric(name).title: name for name in comparison.measures}
    measure = next(iter(titles.values()))
    if lead is not None:
        new, old = comparison.names[lead.row.new], comparison.names[lead.row.old]
        measure = titles[lead.measure]
    text = (
        f"{shares.get(new, 0.0):.0%} of {safe_text(new)}'s top {top} is unjudged and counts as "
        "irrelevant" + (f" ({safe_text(old)}: {shares[old]:.0%})." if old in shares else ".")
    )
    systems = comparison.evaluations
    pairs = _to_judge(systems[new], measure, systems[old])
    titles_of = texts[0], title_function(texts[1])
    named = [
        " for ".join(
            f"\u201c{safe_text(title_of(one) or as_text(one), limit=60)}\u201d"
            for title_of, one in zip(titles_of[::-1], (item, query), strict=True)
        )
        for query, item in pairs[:2]
    ]
    text += f" Judge first: {'; '.join(named)}." if named else ""
    return text, tuple(dict.fromkeys(query for query, _ in pairs))


def _to_judge(
    evaluation: Evaluation, measure: str, other: Evaluation | None = None
) -> list[tuple[Any, Any]]:
    """Queries and items to judge next; empty where no item can be named."""
    if len(evaluation.query_ids) > MOST_CHECKED:
        return []
    with suppress(InvalidParameterError, QueryMismatchError, UndefinedMetricError):
        columns = evaluation.to_judge(MOST_TO_JUDGE, other, measure=measure, backend=None)
        rows = zip(columns["query"], columns["item"], columns["move"], strict=True)
        return [(query, item) for query, item, move in rows if move]
    return []


# Queries -----------------------------------------------------------------------------------------


def _with_queries(
    section: Section,
    result: Comparison | Evaluation,
    verdict: Verdict,
    parts: Mapping[str, Any],
    texts: Texts,
    measure: str | Measure | None,
) -> Section:
    """The section with all its queries, and with some of them for pages without scripts."""
    ids = list(result.query_ids)
    if isinstance(result, Evaluation):
        systems = {"": (result, np.arange(len(ids)))}
        columns = {one: result.per_query.get(str(one)) for one in result.measures}
        values = {one: [column] for one, column in columns.items() if column is not None}
        chosen = None if measure is None else result._kept(measure).measure
    else:
        places = result._joined.places
        systems = {name: (one, places[name]) for name, one in result.evaluations.items()}
        by_query = [name for name in result.measures if not result.is_pooled(name)]
        values = {result.metric(name): [*result.values(name).values()] for name in by_query}
        chosen = None if measure is None else result.metric(measure)
    if not values:
        return section
    measures = list(values)
    show: dict[str, Any] = {"measure": measures.index(chosen) if chosen in measures else 0}
    changes = None
    if isinstance(result, Comparison):
        show |= _first_view(section, measures, None if chosen is None else show["measure"])
        wanted: dict[str, Any] = {"measure": measures[show["measure"]], "query_text": texts[0]}
        wanted["item_text"] = texts[1]
        wanted["system"] = result.names[show["system"]]
        found = result.most_changed(MOST_CHANGES, direction="worse", **wanted)
        found = found or result.most_changed(MOST_CHANGES, **wanted)
        changes = losers_table(found)
    labels = _labels(ids, parts)
    data = queries_data(systems, ids, values, labels, texts, to_judge=verdict.to_judge, show=show)
    return replace(section, queries=data, changes=changes)


def _first_view(
    section: Section, measures: Sequence[Measure], chosen: int | None
) -> dict[str, Any]:
    """The cell of the first claim, losses first, or of a measure, and its losses if it has some."""
    titles = [measure.title for measure in measures]
    lead = next((found for found in findings([section]) if found.measure in titles), None)
    name = titles[chosen or 0] if lead is None or chosen is not None else lead.measure
    number = section.measures.index(name)

    def losses(row: Row) -> int:
        cell = row.cells[number]
        return cell.counts[2] if cell and cell.counts and cell.direction != "better" else 0

    rows = [row for row in section.rows if row.new and not row.slice]
    row = next(filter(losses, rows), rows[0])
    if lead is not None and chosen is None:
        row = lead.row
    cell = row.cells[number]
    only_gains = (
        cell is not None and cell.counts is not None and cell.counts[0] > cell.counts[2] == 0
    )
    which = "worse" if losses(row) else "better" if only_gains else "all"
    return {"measure": titles.index(name), "slice": row.slice, "system": row.new, "which": which}


# One system --------------------------------------------------------------------------------------


def _single_section(evaluation: Evaluation, parts: Mapping[str, Evaluation]) -> Section:
    """Slices by measures, each with its interval and distribution."""
    measures = evaluation.measures
    rows = []
    for label, part in {"": evaluation, **parts}.items():
        cells = tuple(_single_cell(part, str(measure)) for measure in measures)
        rows.append(Row(label or "all queries", len(part.query_ids), cells, label, new=0))
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


def _single_verdict(evaluation: Evaluation) -> Verdict:
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
    sentences = tuple(f"{detail[:1].upper()}{detail[1:]}." for detail in details)
    main = next(iter(evaluation.per_query), None)
    pairs = _to_judge(evaluation, main) if main and evaluation.counts["unjudged_items"] else []
    return Verdict(text, "same", sentences, tuple(dict.fromkeys(query for query, _ in pairs)))
