"""Reports on one system, two, or many."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from inspect import signature
from itertools import repeat
from operator import itemgetter
from typing import Any

import numpy as np

from sklearn_rank.comparison.changes import lowest_queries, title_function
from sklearn_rank.comparison.differences import UNITS, Change, n_changed, unjudged_shares
from sklearn_rank.comparison.recorded import RecordedEvaluation
from sklearn_rank.comparison.result import Comparison, changes_table
from sklearn_rank.evaluation.base import BaseEvaluation, item_function, text_function
from sklearn_rank.evaluation.judge_next import next_to_judge
from sklearn_rank.evaluation.tables import remarks_of
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UndefinedMetricError
from sklearn_rank.gates.gate import verdict_on
from sklearn_rank.gates.limits import DEFAULT_DROP
from sklearn_rank.gates.verdict import REFUSED, GateResult, State
from sklearn_rank.measures.record import Measure
from sklearn_rank.statistics.paired import FEWEST
from sklearn_rank.support.disk import HTML_REPORT, check_target, readable, write_whole
from sklearn_rank.support.text import (
    as_text,
    count,
    listed,
    queries_text,
    refuse_keyword,
    safe_repr,
    safe_text,
)
from sklearn_rank.tables.table import p_text
from sklearn_rank.view.page import (
    MOST_NAMED,
    Direction,
    GridCell,
    Kind,
    Report,
    Row,
    Section,
    SignificantChange,
    Verdict,
    claims,
    claims_by_system,
    findings,
    page,
    provenance,
    short,
    slice_name,
    some,
)
from sklearn_rank.view.queries import Texts, numbers, queries_data
from sklearn_rank.view.words import would

_UNJUDGED = "unjudged items"  # start of the note in the verdict
MOST_CHECKED = 5000  # most queries for which items to judge next are looked for
_NAMED_WITHIN = 20  # ranks of either system to look for them


def write_report(
    result: Comparison | BaseEvaluation, path: str | os.PathLike[str], **options: Any
) -> Verdict:
    """Write the page of a result to a file; ``options`` are those of ``report_of``."""
    names = [*signature(report_of).parameters][1:]
    for name in set(options).difference(names):
        refuse_keyword("report", name, names, {})
    if not isinstance(path, (str, os.PathLike)) or os.path.isdir(path):
        msg = f"path must be the name of a file, got {safe_repr(path)}"
        raise TypeError(msg)
    check_target(path, HTML_REPORT)  # before the work is done
    report = report_of(result, **options)
    with readable(path, "path", "written"):
        write_whole(path, page(report).encode())
    return report.verdict


def report_of(
    result: Comparison | BaseEvaluation,
    *,
    title: str | None = None,
    measure: str | Measure | None = None,
    slices: Any = None,
    query_text: Any = None,
    item_text: Any = None,
    about: str | Sequence[str] = (),
    max_drop: Any = None,
    max_slice_drop: Any = None,
) -> Report:
    """Everything that a page shows; with limits, the verdict and colours of a gate."""
    texts = text_function(query_text), item_function(item_text)
    evaluations = [result] if isinstance(result, BaseEvaluation) else result.evaluations.values()
    if item_text is not None and all(one.ranking_data.ids is None for one in evaluations):
        msg = "report: item_text needs the ids of items: pass keep_items=True to evaluate"
        raise InvalidParameterError(msg)
    head = [count(len(result.query_ids), "query", "queries")]
    labelled: Mapping[Any, Any] = {} if slices is None else result.by_slice(slices)
    parts = {slice_name(label): part for label, part in labelled.items()}
    gate = None
    if isinstance(result, BaseEvaluation):
        section, verdict = single_section(result, parts), _single_verdict(result)
    else:
        limits = {"max_drop": max_drop, "max_slice_drop": max_slice_drop}
        limits = {name: limit for name, limit in limits.items() if limit is not None}
        if limits:
            if len(result.names) > 2:
                msg = f"{next(iter(limits))} compares two systems, got {len(result.names)}"
                raise InvalidParameterError(msg)
            if isinstance(max_drop, Mapping):
                limits["max_drop"] = {result._find(name): of for name, of in max_drop.items()}
            gate = verdict_on(result, slices=slices, **limits)
        section = compared_section(result, parts, gate)
        verdict = verdict_of(result, section, texts, gate, slices, parts)
        against = f"{some(result.names[1:])} against {result.baseline}"
        left_out = result.counts["left_out"].items()
        omitted = [f"{queries_text(n)} of {safe_text(name)} left out" for name, n in left_out if n]
        head = [against, *head, *omitted]
    section = with_queries(section, result, verdict, parts, texts, measure, gate)
    about = [about] if isinstance(about, str) else about
    return Report(
        title or head[0],
        verdict,
        sections=(section,),
        about=(*head, *about, *provenance()),
        heading=title or "",
    )


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
    """A grid of slices by measures; with several systems, also of systems by measures."""
    names, measures = comparison.names, comparison.measures
    several, by_gate = len(names) > 2, {} if gate is None else _judged_cells(gate)
    rows = []
    if several:
        first = tuple(GridCell(comparison.scores[name][names[0]]) for name in measures)
        rows.append(Row(names[0], comparison.counts["queries"], first, new=0))
    for system in comparison.others:
        of_system = list[Row]()
        for label, part in {"": comparison, **parts}.items():
            # Cells that a gate does not judge keep their significance, with a note.
            cells = tuple(
                _cell(
                    row,
                    by_gate.get((str(comparison.measure(row.measure)), label)),
                    unguarded=gate is not None,
                )
                for row in part.rows
                if row.system == system
            )
            text = label or (system if several else "all queries")
            new = names.index(system)
            of_system.append(Row(text, len(part.query_ids), cells, label, new=new))
        greater = [comparison.greater_is_better(name) for name in measures]
        rows += sorted(of_system, key=partial(_gravity, greater=greater))
    if several:  # by value in the first measure, slices below their system
        sign = -1 if comparison.greater_is_better(measures[0]) else 1
        value = {name: sign * score for name, score in comparison.scores[measures[0]].items()}
        rows.sort(key=lambda row: (math.isnan(value[names[row.new]]), value[names[row.new]]))
    return Section(
        names,
        tuple(comparison.measure(name).title for name in measures),
        tuple(map(comparison.greater_is_better, measures)),
        tuple(rows),
        notes=tuple(
            f"{note if note.startswith(measures) else note[:1].upper() + note[1:]}."
            for note in comparison.notes
            if not note.startswith(_UNJUDGED)
        ),
    )


_NO_LIMIT = "no limit"


def _gravity(row: Row, greater: Sequence[bool]) -> tuple[bool, bool, float]:
    """Sort key for the rows of a system: all queries, then slices, the largest loss first."""
    gains = [
        cell.change if up else -cell.change
        for cell, up in zip(row.cells, greater, strict=True)
        if cell is not None and cell.change is not None
    ]
    is_worse = any(cell is not None and cell.direction == "worse" for cell in row.cells)
    return bool(row.slice), not is_worse, min(gains, default=0.0)


def _cell(
    row: Change, by_gate: tuple[Direction, str] | None, *, unguarded: bool = False
) -> GridCell | None:
    """A change, in the colour of a gate's judgement or of its significance."""
    new, old, change, p, *ends = numbers(
        [row.new, row.baseline_value, row.change, row.p_holm, row.low, row.high]
    )
    if new is None and old is None:
        return None
    direction: Direction = ""
    if row.significant and row.better is not None:
        direction = "better" if row.better else "worse"
    is_loss = unguarded and direction == "worse"
    direction, note = by_gate or (direction, _NO_LIMIT if is_loss else "")
    counts = None if row.remark else (row.wins or 0, row.ties or 0, row.losses or 0)
    interval = None if None in ends else (ends[0], ends[1])
    return GridCell(new, old, change, interval, p, direction, counts, note=note)


_COLOURS: dict[str, Direction] = {"improved": "better", "fail": "worse", "stale": "worse"}


def _judged_cells(gate: GateResult) -> dict[tuple[str, str], tuple[Direction, str]]:
    """Colour and limits of the cells that a gate judges, by measure and slice."""
    cells: dict[tuple[str, str], tuple[Direction, str]] = {}
    for row in (*gate.measures.values(), *gate.slices):
        if row.state is None:
            continue
        ends = {"at least": row.at_least, "at most": row.at_most, "allowed": row.allowed}
        notes = [f"{word} {limit:g}" for word, limit in ends.items() if limit is not None]
        notes += [row.state] if row.state not in ("pass", "improved") else []
        label = "" if row.label is None else slice_name(row.label)
        cells[row.name, label] = _COLOURS.get(row.state, ""), ", ".join(notes)
    return cells


def _findings(section: Section, unknown: Collection[str] = ()) -> list[SignificantChange]:
    """Significant changes of systems with judged results."""
    return [one for one in findings(section) if section.systems[one.row.new] not in unknown]


def _lead(
    section: Section, gate: GateResult | None, unknown: Collection[str] = ()
) -> SignificantChange | None:
    """The cell that a page opens with: that of a gate's verdict, else that of the first claim."""
    ordered = _findings(section, unknown)
    if gate is None or (gate.worst is None and ordered):
        return next(iter(ordered), None)
    limited = (name for name, row in gate.measures.items() if row.allowed is not None)
    measure, label = next(limited, next(iter(gate.measures))), ""
    if gate.worst is not None:
        measure, label = gate.worst.measure, "".join(map(slice_name, gate.worst.labels[:1]))
    number = section.measures.index(gate.measures[measure].title)
    row = next((row for row in section.rows if row.slice == label), section.rows[0])
    cell = row.cells[number]
    if cell is None:
        return None
    return SignificantChange(row, cell, section.measures[number], section.greater[number])


# The answer --------------------------------------------------------------------------------------


def titles_of(texts: Mapping[str, Any]) -> Texts:
    """Functions from a query to its text, and from an item to its title."""
    return text_function(texts.get("query_text")), item_function(texts.get("item_text"))


def verdict_of(
    comparison: Comparison,
    section: Section,
    texts: Texts = (as_text, as_text),
    gate: GateResult | None = None,
    slices: Any = None,
    parts: Mapping[str, Comparison] | None = None,
) -> Verdict:
    """The verdict of the gate if there is one, else the significant changes, with the numbers.

    If nothing could be learned, that is the verdict.
    """
    unknown = unjudged_systems(comparison)
    ordered, lead = _findings(section, unknown), _lead(section, gate, unknown)
    changed = (row for row in comparison.rows if row.change != 0 or row.wins or row.losses)
    is_same, more = next(changed, None) is None, list[str]()
    sentence, to_judge = _unjudged(comparison, lead, texts)
    about = [sentence] if sentence else []
    if gate is not None:
        green: Kind = "better" if gate.state == "improved" else "same"
        answer = f"Gate {'passed' if gate.passed else 'failed'}: {gate.headline}"
        kind: Kind = green if gate.passed else "worse"
        is_refused = any(finding.rule == REFUSED for finding in gate.findings)
        said = [] if gate.passed else _losses(comparison, lead, section)
        said += _unmatched(comparison) + _unlimited(section)
        limited = [name for name, row in gate.measures.items() if row.state is not None]
        untested = _untested(comparison, limited)
        said += [f"Neither limited nor tested: {untested}."] * bool(untested)
        return Verdict(answer, kind, () if is_refused else tuple(said), tuple(about), to_judge)
    nothing = nothing_learned(comparison)
    details = _unmatched(comparison)
    if lead is not None:
        details += [_numbers(comparison, lead, section), *_losses(comparison, lead, section)]
        more.append(_family(comparison, section, ordered, parts or {}))
    elif not is_same:
        more += _detectable(comparison)
    untested = _untested(comparison)
    details += [f"Not tested: {untested}."] * bool(untested and not nothing)
    details += filter(None, [_usual_gate(comparison, slices)])
    if nothing:
        text = nothing
    elif is_same:
        text = "No value changed"
    elif lead is None:
        text = "No significant change"
    elif len(section.systems) > 2:
        text = f"{claims_by_system(ordered, section.systems)}; {_highest(comparison)}"
    else:
        text = claims(ordered)
    if unknown and not nothing:
        text += f"; no results of {some(unknown)} are judged"
    direction = "" if lead is None or nothing else lead.cell.direction
    return Verdict(text, direction or "same", tuple(details), tuple(more + about), to_judge)


def nothing_learned(comparison: Comparison) -> str:
    """Why a comparison says nothing about its systems; empty if it does say something."""
    tested = [row for row in comparison.rows if not row.remark]
    if not tested:
        untested = _untested(comparison)
        return f"Nothing was tested: {untested}" if untested else ""
    if not any(row.queries for row in tested):
        baseline = comparison.evaluations[comparison.baseline]
        if not baseline.counts["relevant"]:
            return "Nothing could be compared: no query has a relevant item"
        return "Nothing could be compared: no query has a value in both systems"
    unknown = unjudged_systems(comparison)
    if len(unknown) == len(comparison.others):
        about = "it" if len(unknown) == 1 else "them"
        text = f"No results of {some(unknown)} are judged"
        return f"{text}: these numbers say nothing about {about}"
    joined = comparison._joined
    n, row = max(((n_changed(row, joined), row) for row in tested), key=itemgetter(0))
    if not n or any(row.significant for row in comparison.rows):
        return ""
    if n >= FEWEST or 0.5 ** (n - 1) <= comparison.alpha:
        return ""
    counts = f"{row.wins or 'none'} better, {row.losses or 'none'} worse"
    one, many = UNITS[joined.clusters is not None]
    few = f"{count(n, f'{one} is', f'{many} are')} too few to tell"
    if n < row.queries and joined.clusters is None:
        few = f"{n:,} changed {one if n == 1 else many} out of {row.queries:,} "
        few += f"{'is' if n == 1 else 'are'} too few to tell"
    title = comparison.measure(row.measure).title
    return f"{few}: {title} {short(row.change, signed=True)} ({counts})"


def unjudged_systems(comparison: Comparison) -> list[str]:
    """Systems whose first results are all unjudged: their numbers say nothing about them."""
    _, shares = unjudged_shares(comparison._joined)
    return [name for name in comparison.others if shares.get(name) == 1.0]


def _untested(comparison: Comparison, limited: Collection[str] = ()) -> str:
    """Changes that no test or limit covers, such as those of pooled measures."""
    several = len(comparison.others) > 1
    changes = [
        f"{f'{safe_text(row.system)}: ' * several}{comparison.measure(row.measure).title} "
        f"{short(row.change, signed=True)}"
        for row in comparison.rows
        if row.remark
        and abs(row.change) > 0
        and str(comparison.measure(row.measure)) not in limited
    ]
    return listed(changes, MOST_NAMED)


def _family(
    comparison: Comparison,
    section: Section,
    ordered: Sequence[SignificantChange],
    parts: Mapping[str, Comparison],
) -> str:
    """The test, and how many other changes are significant."""
    family = comparison.family_text
    for part in list(parts.values())[:1]:  # tests of slices form a separate family
        family += f"; slices: {part.family_text.partition('; ')[2]}"
    if sum(cell is not None for row in section.rows for cell in row.cells) == 1:
        return f"{family[:1].upper()}{family[1:]}."
    rest, in_slices = ordered[1:], sum(bool(finding.row.slice) for finding in ordered[1:])
    said = "No other change is significant"
    if rest:
        are = "One other change is" if len(rest) == 1 else f"{len(rest):,} other changes are"
        where = f"{in_slices:,} of them in slices"
        if in_slices == len(rest):
            where = "in a slice" if in_slices == 1 else "all of them in slices"
        said = f"{are} significant" + f", {where}" * bool(in_slices)
    return f"{said} ({family})."


def _unlimited(section: Section) -> list[str]:
    """Significant losses that no gate judges."""
    return [
        f"Worse, but without a limit: {finding.measure} {short(finding.cell.change, signed=True)} "
        f"{f'for {some([finding.row.slice])}' if finding.row.slice else 'overall'} "
        f"({p_text(finding.cell.p)})."
        for finding in findings(section)
        if finding.cell.note == _NO_LIMIT and finding.cell.direction == "worse"
    ][:MOST_NAMED]


def _unmatched(comparison: Comparison) -> list[str]:
    """Systems that retrieved few relevant items, perhaps because ids are spelled differently."""
    said = []
    for name, one in comparison.evaluations.items():
        if isinstance(one, RecordedEvaluation):
            continue
        if one.counts["relevant"] and not one.counts["retrieved"]:
            why = f" ({one.hint})" if one.hint else ""
            said.append(f"{safe_text(name)} retrieved no relevant item{why}.")
        elif one.hint:
            said.append(f"{safe_text(name)}: {one.hint}.")
    return said


def _losses(comparison: Comparison, lead: SignificantChange | None, section: Section) -> list[str]:
    """Parts of a loss over all queries: items that left, items not retrieved, and order."""
    if lead is None or lead.row.slice or lead.cell.direction != "worse":
        return []
    name = comparison.measures[section.measures.index(lead.measure)]
    pair, joined = (comparison.baseline, section.systems[lead.row.new]), comparison._joined
    said = joined.departures(name, pair), joined.losses(name, pair)
    return [f"{text}." for text in said if text is not None]


def _usual_gate(comparison: Comparison, slices: Any) -> str:
    """The verdict of a gate with the usual limit, for a page without limits."""
    limits = {} if slices is None else {"max_slice_drop": DEFAULT_DROP, "slices": slices}
    # The usual limit only makes sense for measures up to 1.
    limits["max_drop"] = {
        name: DEFAULT_DROP
        for name in comparison.measures
        if comparison.measure(name).metric.upper == 1
        and not (comparison.measure(name).is_pooled and slices is not None)
    }
    if not limits["max_drop"]:
        return ""
    verdicts = {name: verdict_on(comparison, name, **limits) for name in comparison.others}
    if len(verdicts) == 1:
        return f"{would(*verdicts.values())}."
    red = [name for name, verdict in verdicts.items() if not verdict.passed]
    doubtful = [name for name, of in verdicts.items() if of.state is State.NOT_CONFIRMED]
    said = [f"be red for {some(red)}"] * bool(red)
    said += [f"pass with an unconfirmed drop for {some(doubtful)}"] * bool(doubtful)
    return f"A gate with max_drop {DEFAULT_DROP:g} would {listed(said) or 'pass for every system'}."


def _detectable(comparison: Comparison) -> list[str]:
    """The smallest detectable change in up to three measures."""
    least: dict[str, float] = {}
    for row in comparison.rows:
        metric = comparison.measure(row.measure)
        if row.detectable < metric.metric.upper - metric.metric.lower:
            least[metric.title] = max(row.detectable, least.get(metric.title, 0.0))
    named = [f"{short(least[name])} in {name}" for name in sorted(least)[:MOST_NAMED]]
    changes, are = ("A change", "is") if len(named) == 1 else ("Changes", "are")
    return [f"{changes} of {listed(named)} {are} detectable with 80% power."] * bool(named)


def _highest(comparison: Comparison) -> str:
    """The best system in one measure, and whether it is tested against the next one."""
    # Independent of the order of measures and systems.
    measure = min(comparison.measures, key=lambda name: comparison.measure(name).title)
    sign = 1 if comparison.greater_is_better(measure) else -1
    values = comparison.scores[measure]
    first, second, *_ = sorted(
        values, key=lambda name: (math.isnan(values[name]), -sign * values[name], name)
    )
    text = f"{'highest' if sign > 0 else 'lowest'} {comparison.measure(measure).title}: "
    text += some(sorted(name for name, value in values.items() if value == values[first]))
    if values[second] == values[first]:
        return text
    for row in comparison.rows:
        pair = {row.baseline, row.system}
        if row.measure == measure and pair == {first, second} and not math.isnan(row.p):
            how = f"{'not ' * (not row.significant)}significantly"
            return f"{text}, {how} {'above' if sign > 0 else 'below'} {safe_text(second)}"
    return f"{text}, not tested against {safe_text(second)}"


def _numbers(comparison: Comparison, lead: SignificantChange, section: Section) -> str:
    """The numbers of the first claim."""
    cell, row = lead.cell, lead.row
    spread = ""
    if cell.interval is not None:
        ends = " to ".join(short(end, signed=True) for end in cell.interval)
        spread = f"{100 - 100 * comparison.alpha:g}% CI {ends}, "
    which = f"{safe_text(row.slice)} " * bool(row.slice)
    spread += p_text(cell.p) or "not tested"
    text = f"{lead.measure} {short(cell.change, signed=True)} ({spread})"
    if cell.counts:
        better, _, worse = cell.counts
        queries = count(row.queries, f"{which}query", f"{which}queries")
        text += f": {worse:,} of {queries} got worse, {better:,} better"
    if len(section.systems) > 2:
        text = f"{safe_text(section.systems[row.new])}: {text}"
    return f"{text}."


def _unjudged(
    comparison: Comparison, lead: SignificantChange | None, texts: Texts
) -> tuple[str, tuple[Any, ...]]:
    """The shares of unjudged items and the first ones to judge; and the queries to judge."""
    text = next((note for note in comparison.notes if note.startswith(_UNJUDGED)), "")
    if not text:
        return "", ()
    new, measure = comparison.others[0], comparison.measures[0]
    if lead is not None:
        new = comparison.names[lead.row.new]
        titles = {comparison.measure(name).title: name for name in comparison.measures}
        measure = titles[lead.measure]
    systems = comparison.evaluations
    pairs = _to_judge(systems[new], measure, systems[comparison.baseline])
    named = [
        _quoted(item, title_function(texts[1])) + " for " + _quoted(query, texts[0])
        for query, item in pairs[:2]
    ]
    text = text.partition(";")[0].replace("u", "U", 1) + "."
    if len(systems[new].query_ids) > MOST_CHECKED:
        text += f" Items to judge first are only named for up to {MOST_CHECKED:,} queries."
    text += f" Judge first: {'; '.join(named)}." if named else ""
    return text, tuple(dict.fromkeys(query for query, _ in pairs))


def _quoted(one: Any, text_of: Callable[[Any], str]) -> str:
    """The title of an item or text of a query, else its id, in quotation marks."""
    return f"\u201c{safe_text(text_of(one) or as_text(one), limit=60)}\u201d"


def _to_judge(
    evaluation: BaseEvaluation, measure: str, other: BaseEvaluation | None = None
) -> list[tuple[Any, Any]]:
    """Queries and items to judge next; empty if no item can be named."""
    if len(evaluation.query_ids) > MOST_CHECKED:
        return []
    with suppress(InvalidParameterError, QueryMismatchError, UndefinedMetricError):
        systems = [evaluation] if other is None else [evaluation, other]
        columns = next_to_judge(systems, measure, 20, within=_NAMED_WITHIN)
        rows = zip(columns["query"], columns["item"], columns["change"], strict=True)
        return [(query, item) for query, item, move in rows if move]
    return []


# Queries -----------------------------------------------------------------------------------------


def with_queries(
    section: Section,
    result: Comparison | BaseEvaluation,
    verdict: Verdict,
    parts: Mapping[str, Any],
    texts: Texts,
    measure: str | Measure | None,
    gate: GateResult | None,
) -> Section:
    """The section with all queries, and with a selection for browsers without scripts."""
    ids = list(result.query_ids)
    if isinstance(result, BaseEvaluation):
        systems = {"": (result, np.arange(len(ids)))}
        columns = {one: result.per_query.get(str(one)) for one in result.measures}
        values = {one: [column] for one, column in columns.items() if column is not None}
        chosen = None if measure is None else result._record(measure).measure
    else:
        positions = result._joined.positions
        systems = {name: (one, positions[name]) for name, one in result.evaluations.items()}
        by_query = [name for name in result.measures if not result.measure(name).is_pooled]
        values = {result.measure(name): [*result.values(name).values()] for name in by_query}
        chosen = None if measure is None else result.measure(measure)
    if not values:
        return section
    titles = [one.title for one in values]
    view: dict[str, Any] = {"measure": 0 if chosen not in values else list(values).index(chosen)}
    leads = [] if gate is not None else findings(section)
    leads = [lead for lead in (_lead(section, gate), *leads) if lead and lead.measure in titles]
    for lead in leads[: chosen is None]:  # losses first
        view = {"measure": titles.index(lead.measure), "slice": lead.row.slice}
        view |= {"system": lead.row.new, "which": lead.cell.direction}
    changes, about = None, "Queries that changed most"
    if isinstance(result, BaseEvaluation):
        used = [*values][view["measure"]]
        column, lookups = result.per_query[str(used)], (texts[0], title_function(texts[1]))
        lowest = lowest_queries(result, str(used), column, 10, lookups)
        changes = replace(changes_table(lowest, most=1), notes=()) if lowest else None
        about = f"Queries with the {'low' if used.metric.greater_is_better else 'high'}est values"
    else:
        wanted: dict[str, Any] = {
            "query_text": texts[0],
            "item_text": texts[1],
            "measure": [*values][view["measure"]],
            "system": result.names[view.get("system", 1)],
        }
        part = parts.get(view.get("slice", ""), result)
        changed = part.most_changed(10, direction="worse", **wanted)
        changed = changed or part.most_changed(10, **wanted)
        changes = changes_table(changed, result.baseline, wanted["system"], most=1)
    about = ": ".join(filter(None, [about, titles[view["measure"]], view.get("slice", "")]))
    labels = _labels(ids, parts)
    data = queries_data(systems, ids, values, labels, texts, to_judge=verdict.to_judge, show=view)
    return replace(section, queries=data, changes=changes, shown=about)


# One system --------------------------------------------------------------------------------------


def single_section(
    evaluation: BaseEvaluation, parts: Mapping[str, BaseEvaluation], gate: GateResult | None = None
) -> Section:
    """A grid of slices by measures, with intervals and distributions."""
    measures, by_gate = evaluation.measures, {} if gate is None else _judged_cells(gate)
    rows = []
    for label, part in {"": evaluation, **parts}.items():
        judged = (by_gate.get((str(measure), label)) for measure in measures)
        cells = tuple(map(_single_cell, repeat(part), map(str, measures), judged))
        rows.append(Row(label or "all queries", len(part.query_ids), cells, label, new=0))
    titles = tuple(measure.title for measure in measures)
    greater = tuple(measure.metric.greater_is_better for measure in measures)
    return Section(("",), titles, greater, tuple(rows))


def _single_cell(
    evaluation: BaseEvaluation, measure: str, by_gate: tuple[Direction, str] | None
) -> GridCell | None:
    (value,), values = numbers([evaluation[measure]]), evaluation.per_query.get(measure)
    direction, note = by_gate or ("", "")
    if value is None or values is None:
        return None if value is None else GridCell(value, direction=direction, note=note)
    ends = numbers(evaluation.confidence_interval(measure))
    interval = None if None in ends else (ends[0], ends[1])
    defined = values[~np.isnan(values)]
    upper = max(1.0, float(defined.max()))
    bins = np.histogram(defined, 10, (0.0, upper))[0].tolist()
    if len(defined) < len(values):
        note = ", ".join(filter(None, [note, f"undefined for {len(values) - len(defined):,}"]))
    return GridCell(value, interval=interval, direction=direction, bins=tuple(bins), note=note)


def _single_verdict(evaluation: BaseEvaluation) -> Verdict:
    named = sorted((measure.title, evaluation[str(measure)]) for measure in evaluation.measures)
    shown = [f"{title} {short(*numbers([value]))}" for title, value in named]
    details = []
    for measure in sorted(evaluation.measures, key=lambda one: one.title):
        values = evaluation.per_query.get(str(measure))
        worst = measure.metric.lower if measure.metric.greater_is_better else math.nan
        n_worst = 0 if values is None else int((values == worst).sum())
        if n_worst:
            details.append(f"{count(n_worst, 'query has', 'queries have')} {measure.title} 0")
    details.append(remarks_of(evaluation))
    if evaluation.hint and evaluation.counts["retrieved"]:
        details.append(evaluation.hint)
    text = f"{some(shown)} over {count(len(evaluation.query_ids), 'query', 'queries')}"
    sentences = tuple(f"{detail[:1].upper()}{detail[1:]}." for detail in details)
    main = next(iter(evaluation.per_query), None)
    pairs = _to_judge(evaluation, main) if main and evaluation.counts.get("unjudged_items") else []
    to_judge = tuple(dict.fromkeys(query for query, _ in pairs))
    return Verdict(text, "same", sentences, to_judge=to_judge)
