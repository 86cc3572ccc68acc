"""A verdict in words: the headline, the message and its tables."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain
from textwrap import wrap
from typing import Any

from sklearn_rank.comparison.changes import QueryChange
from sklearn_rank.comparison.differences import UNITS
from sklearn_rank.comparison.result import changes_table as queries_table
from sklearn_rank.evaluation.tables import remarks
from sklearn_rank.gates.limits import DEFAULT_DROP
from sklearn_rank.gates.rule import Clause
from sklearn_rank.gates.sentences import (
    RED_BY_COUNTS,
    allowed_text,
    fall_of,
    is_untested,
    limit_of,
    moved_by,
    moved_to,
    of_slice,
    over_all,
    power_sentence,
    value_sentence,
)
from sklearn_rank.gates.verdict import REFUSED, UNREMARKABLE, GateResult, MeasureResult, State
from sklearn_rank.statistics.paired import FEWEST
from sklearn_rank.support.text import (
    as_text,
    count,
    for_log,
    line,
    middle_cut,
    queries_text,
    several,
    shown,
)
from sklearn_rank.tables.formats import display_width, to_text
from sklearn_rank.tables.table import (
    Cell,
    Column,
    Table,
    count_cell,
    number_cell,
    p_cell,
    p_text,
    text_cell,
)

MOST_FINDINGS = 6
"""Findings in a headline, which test runners print on one line."""
MOST_ROWS = 24
"""Rows that fit a screen; failures come first."""
ITEMS_IN_ROW = 2
"""Items in a row of queries, which must fit a line."""
MESSAGE_WIDTH = 96
"""Columns of a message, to which pytest adds four."""
_LONGEST_SLICE = 24
_LONGEST_QUERY, _LONGEST_ITEM = 30, 20

# The headline ------------------------------------------------------------------------------------


def headline(result: GateResult) -> str:
    """The first line: the first broken rule in full, the others in short; else values."""
    order = (State.STALE, State.FAIL, State.NOT_CONFIRMED)
    fired = [finding for state in order for finding in result.findings if finding.state is state]
    if not fired:
        text = _values(result)
    else:
        first, *others = fired
        text = first.text
        # An update writes nothing where the gate also fails.
        is_stale = first.state is State.STALE and all(one.state is not State.FAIL for one in others)
        if is_stale and result.file is not None and not result.file.writes:
            text += f"; refresh with: {result.file.update}"
        if first.state is not State.NOT_CONFIRMED:
            others = [finding for finding in others if finding.state is not State.NOT_CONFIRMED]
        texts = [finding.short or finding.text for finding in others[: MOST_FINDINGS - 1]]
        more = len(others) + 1 - MOST_FINDINGS
        text = "; ".join([text, *texts]) + f"; {count(more, 'more finding')}" * (more > 0)
        text = "; ".join(filter(None, [collection_text(result), text]))
    unjudged = [finding.text for finding in result.findings if finding.rule == "new_unjudged"]
    return "; ".join([text, *unjudged])


def collection_text(result: GateResult) -> str:
    """Losses from items that left the collection, in the first measure with any; else empty."""
    joined = result.joined
    for row in () if joined is None else result.measures.values():
        if joined is not None and row.drop is not None and row.fall > 0:
            old, new = joined.systems
            departures = joined.departures(row.name, (old, new))
            if departures is not None:
                return str(departures)
    return ""


def _values(result: GateResult) -> str:
    """The measures that have a limit, or else all."""
    rows = list(result.measures.values())
    limited = [row for row in rows if row.is_limited or row.allowed is not None] or rows
    if result.written == "raised":
        ends = (
            (result.measures[name].title, *move) for name, move in result.recorded_changes.items()
        )
        parts = [
            f"{title} {'rose' if now > was else 'fell'} from {was:.3f} to {now:.3f}"
            for title, was, now in ends
        ]
    elif result.state is State.NEW or result.written == "lowered":
        parts = [value_sentence(row) for row in rows]
    else:
        parts = [
            value_sentence(row)
            if row.is_limited or row.change is None
            else f"{moved_to(row)}{over_all(row)}"
            for row in limited
        ]
    return f"{'; '.join(parts[:MOST_FINDINGS])} ({queries_text(result.queries)})"


def said(result: GateResult) -> dict[str, Any]:
    """The texts of reports."""
    file = result.file
    names = ("", "", "") if file is None else (file.shown, file.update, file.accept)
    rows = [*result.measures.values(), *result.slices]
    others = _of_other_units(result)
    falls = [row.fall for row in rows if row.allowed is not None and row.name not in others]
    return {
        **dict(zip(("baseline", "update", "accept"), names, strict=True)),
        "headline": result.headline,
        "message": result.message if result.state not in UNREMARKABLE else result.headline,
        "brief": result.brief,
        "where_to_accept": _where_to_accept(result),
        "largest_fall": max(falls, default=0.0),
        "can_be_raised": result.passed and result.can_be_raised,
        "warnings": warnings_of(result),
        "notes": notes_of(result),
        "outlook": outlook_of(result),
        "table": _as_texts(changes_table(result, has_one=True)),
        "losers": _as_texts(losers_table(result, most=1)),
        "worse": _n_worse(result),
        "losses": losses_text(result),
        "collection": collection_text(result),
    }


def _n_worse(result: GateResult) -> int:
    """Queries that got worse in the measure and slices of the worst queries."""
    worst = result.worst
    if worst is None:
        return 0
    of_slices = [row for row in result.slices if row.label in worst.labels]
    rows = of_slices if worst.labels else list(result.measures.values())
    drops = [row.drop for row in rows if row.name == worst.measure and row.drop is not None]
    return sum(drop.losses or 0 for drop in drops)


def _as_texts(table: Table) -> dict[str, Any]:
    """Titles and cells of a table as texts, for reports."""
    rows = [[cell.text for cell in row] for row in table.rows]
    return {"titles": [column.title for column in table.columns], "rows": rows}


def warnings_of(result: GateResult) -> list[str]:
    """Warnings of a gate that passes."""
    return [finding.text for finding in result.findings if finding.warns] if result.passed else []


def notes_of(result: GateResult) -> list[str]:
    """Remarks without influence on the verdict."""
    return [
        finding.text for finding in result.findings if finding.state is None and not finding.warns
    ]


def outlook_of(result: GateResult) -> str:
    """Power and false alarm rate of the gate, in a sentence; "" if not available."""
    rows = [row for row in result.measures.values() if row.compared and row.drop is not None]
    failing = [row for row in rows if row.state is State.FAIL]
    none_tested = all(is_untested(row) for row in failing or rows)
    is_stale = any(finding.state is State.STALE for finding in result.findings)
    if result.false_alarm is None or none_tested or is_stale:
        return ""
    rate = result.false_alarm
    share = f"{rate:.0%}" if rate >= 0.005 else "less than 1%"
    row = next(row for row in failing or rows if not is_untested(row))
    drop, fails = row.drop, f"an unchanged system fails it {share} of the time"
    if drop is None or math.isnan(drop.noise):
        fails += ", a retrained or non-deterministic one more often (pass Repeats to measure it)"
    if drop is None or math.isnan(drop.detectable):
        joined, n_changed = result.joined, 0
        if joined is not None and drop is not None:
            old, new = joined.systems
            n_changed = joined.n_changed(row.name, (old, new))
        _, units = UNITS[joined is not None and joined.clusters is not None]
        why = f"Too few {units} changed in {row.title}"
        if n_changed >= FEWEST:
            why = f"All changes in {row.title} are equal, so there is no spread"
        return f"{why} to estimate what this gate detects; {fails}.{_noise(row)}"
    fall = f"{row.title} {fall_of(row.greater_is_better)}s of {drop.detectable:.3f}"
    return f"{power_sentence(drop.queries, [fall])}; {fails}.{_noise(row)}"


def _noise(row: MeasureResult) -> str:
    """How much the noise between runs matters."""
    noise = math.nan if row.drop is None else row.drop.noise
    if math.isnan(noise):
        return ""
    return f" {noise:.0%} of the change's variance is noise between runs, which p accounts for."


def would(result: GateResult) -> str:
    """``A gate with max_drop 0.02 would be red: MAP fell by 0.050, 8 queries got worse, ...``."""
    rows = [row for row in (*result.measures.values(), *result.slices) if row.allowed is not None]
    of_all = {row.allowed for row in rows if row.label is None and row.allowed is not None}
    allowed = sorted(of_all or {DEFAULT_DROP})
    gate = f"A gate with max_drop {', '.join(f'{drop:g}' for drop in allowed)} would"
    refused = [finding.text for finding in result.findings if finding.rule == REFUSED]
    if refused:
        return f"{gate} be red: {refused[0]}"
    red = [row for row in rows if row.drop is not None and row.drop.clauses]
    doubtful = [row for row in rows if row.state is State.NOT_CONFIRMED]
    if not red and not doubtful:
        return f"{gate} {'pass' if result.passed else 'be red: ' + result.headline}"
    row, decision = [*red, *doubtful][0], "be red" if red else "pass with an unconfirmed drop"
    drop, won = row.drop, ""
    if row.label is not None:
        gate = f"A gate with max_slice_drop {row.allowed:g} would"
    if drop is not None and drop.queries:
        level = result.alpha if row.label is None else result.slice_alpha
        better = f"{drop.wins:,} better" if drop.wins else "none better"
        won = f", {queries_text(drop.losses or 0)} got worse, {better}"
        if red and drop.clauses and Clause.SIGNIFICANT not in drop.clauses:
            won += f", {RED_BY_COUNTS}"
        elif not is_untested(row):
            won += f" ({p_text(drop.p_holm)}, level {level:.2f})"
    return f"{gate} {decision}: {moved_by(row)}{of_slice(row.label)}{won}"


# The message -------------------------------------------------------------------------------------


def message(result: GateResult) -> str:
    """Headline, tables, remarks and what to do; only the headline exceeds ``MESSAGE_WIDTH``."""
    remarks_on = [*filter(None, [losses_text(result)]), *facts(result), *notes_of(result)]
    about = [*_about_test(result), *filter(None, [outlook_of(result)])]
    blocks = [
        [result.headline],
        _indented(_changes(result)),
        _indented(_queries(result)),
        _wrapped(remarks_on),
        _footer(result),
        _wrapped(about),
    ]
    return for_log("\n\n".join("\n".join(block) for block in blocks if block))


def _indented(lines: list[str]) -> list[str]:
    """Rows of a table, cut where a terminal would wrap them."""
    rows = [f"  {line}".rstrip() for line in lines]
    return [
        row if display_width(row) <= MESSAGE_WIDTH else f"{row[: MESSAGE_WIDTH - 1]}\u2026"
        for row in rows
    ]


def _wrapped(sentences: list[str]) -> list[str]:
    rows = (wrap(sentence, MESSAGE_WIDTH, break_on_hyphens=False) for sentence in sentences)
    return [*chain.from_iterable(rows)]


def _changes(result: GateResult) -> list[str]:
    """Rows of what broke, and the number of other rows; all rows if nothing broke."""
    table = changes_table(result)
    titles = [column.title for column in table.columns]
    part = titles.index("slice") if "slice" in titles else 0
    fine = [
        row[0].text in _FINE or (row[0].text == _STATES[None] and part and row[part].text)
        for row in table.rows
    ]
    broken = [row for row, is_fine in zip(table.rows, fine, strict=True) if not is_fine]
    rows = broken or list(table.rows)
    if not rows:
        return []
    left, shown_rows = len(table.rows) - len(rows), rows[:MOST_ROWS]
    table = replace(table, rows=tuple(shown_rows))
    for number in reversed(range(len(table.columns))):
        if table.columns[number].title in _IN_REPORTS:
            table = table.without(number)
    lines = to_text(table).split("\n")
    more = len(rows) - len(shown_rows)
    lines += [f"and {count(more, 'more row')} like these"] * (more > 0)
    indent = " " * max(0, lines[0].find("measure") - 2)
    return lines + [f"ok{indent}{count(left, 'more row')}"] * (left > 0)


def brief(result: GateResult) -> str:
    """Headline, worst query and command."""
    rows = () if result.worst is None else losers_table(result).rows[:1]
    worst = [f"  worst query: {' '.join(cell.text for cell in row)}" for row in rows]
    accept = [f"  accept: {result.file.accept}"] if result.file and not result.passed else []
    return for_log("\n".join([result.headline, *worst, *accept]))


_STATES = {State.FAIL: "FAIL", State.STALE: "STALE", State.PASS: "ok", None: "shown"}
_FINE = ("ok", "improved", "new")
_IN_REPORTS = ("queries", "worse/better/same")
"""Columns for which a terminal has no room; the headline has their values in the first row."""
_ORDER = (State.STALE, State.FAIL, State.NOT_CONFIRMED)


def changes_table(result: GateResult, *, has_one: bool = False) -> Table:
    """A row for each measure with a limit or a change (else for all) and each slice, by severity.

    A single row, whose value the headline has, is left out without ``has_one``.
    """
    given = _of_other_units(result)

    def by_gravity(row: MeasureResult) -> tuple[int, bool, bool, float]:
        grave = _ORDER.index(row.state) if row.state in _ORDER else len(_ORDER)
        return grave, row.name in given, row.label is not None, -row.fall

    listed = [row for row in result.measures.values() if row.is_limited or row.change is not None]
    listed = sorted([*(listed or result.measures.values()), *result.slices], key=by_gravity)
    numbers = ("queries", *(result.systems or ("", "value")), "over all", "change")
    numbers += ("limit", "p (Holm)")
    columns = (
        Column("verdict", longest=None),
        Column("measure", longest=None),
        Column("slice", longest=_LONGEST_SLICE),
        *(Column(title, "number") for title in numbers),
        Column("worse/better/same"),
    )
    rows = tuple(_cells(row, result) for row in listed)
    table = Table(columns, rows if has_one or result.systems or len(rows) > 1 else ())
    for number in reversed(range(len(columns))):
        if not any(row[number].text for row in table.rows):
            table = table.without(number)
    return table


def _cells(row: MeasureResult, result: GateResult) -> tuple[Cell, ...]:
    """A row of the table; a measure has no test if nothing is compared by query."""
    drop = row.drop if row.compared else None
    limits = [] if row.allowed is None else [allowed_text(row, row.allowed)]
    if row.is_limited:
        _, bound, below = limit_of(row, 4)
        limits.append(f"{'>=' if below else '<='} {bound}")
    state = _STATES.get(row.state, str(row.state))
    if row.state is State.PASS and result.state is State.STALE:
        state = _STATES[State.STALE]  # no value is fine if the baseline does not fit
    elif row.too_small and row.allowed is not None and row.state is None:
        state = f"too small ({row.queries})"
    counts = "" if drop is None else f"{drop.losses}/{drop.wins}/{drop.ties}"
    return (
        text_cell(state),
        text_cell(row.name),
        text_cell(row.label and shown(row.label)),
        count_cell(row.compared or row.queries),
        number_cell(row.baseline_value),
        number_cell(row.value if row.new is None else row.new),
        number_cell(row.value if over_all(row) else None),
        number_cell(row.change, signed=True),
        text_cell(", ".join(limits)),
        p_cell(None if drop is None or row.is_contract else drop.p_holm),
        text_cell(counts),
    )


def _of_other_units(result: GateResult) -> set[str]:
    """Measures without a maximum of 1, such as a latency: their falls are larger."""
    measures = () if result.evaluation is None else result.evaluation.measures
    return {str(measure) for measure in measures if measure.metric.upper != 1}


# Queries -----------------------------------------------------------------------------------------


def losers_table(result: GateResult, *, most: int = ITEMS_IN_ROW) -> Table:
    """The queries that explain a verdict, each with up to this many items."""
    rows = () if result.worst is None else result.worst.rows
    return replace(queries_table(rows, most=most), notes=())


def _brief(change: QueryChange) -> QueryChange:
    """A change whose names leave room in a line for ranks and contributions."""
    name = middle_cut(as_text(change.query), 12 if change.text else _LONGEST_QUERY)
    room = _LONGEST_QUERY - len(name)
    items = tuple(
        item._replace(title=middle_cut(item.title or as_text(item.item), _LONGEST_ITEM))
        for item in change.items
    )
    return replace(change, query=name, text=middle_cut(change.text, room), items=items)


def _queries(result: GateResult) -> list[str]:
    """The queries that explain a failure."""
    worst = result.worst
    if worst is None or not worst.rows:
        return []
    n, of = len(worst.rows), ""
    if worst.labels:
        of = f" in {'slice' if len(worst.labels) == 1 else 'slices'} {several(worst.labels)}"
    about = f"worst queries by {worst.measure}{of} ({n} of {worst.of})"
    if not math.isnan(worst.rows[0].baseline_value):
        share = f"; these {n} are {worst.share:.0%} of the loss" if n > 1 and worst.share else ""
        about = f"largest losses{of} ({worst.measure}{share})"
    table = queries_table([*map(_brief, worst.rows)], most=ITEMS_IN_ROW)
    return [about, *to_text(replace(table, notes=())).split("\n")]


# Remarks that help to understand a failure; they fail nothing ------------------------------------


def facts(result: GateResult) -> list[str]:
    """Remarks on the data."""
    counts = result.counts
    if not counts:
        return []
    undefined = max(counts["undefined"].values(), default=0)
    lost = counts["relevant"] - counts["retrieved"]
    text = remarks(dict(counts))
    text += f"; {queries_text(undefined)} without a defined value" * bool(undefined)
    return [
        f"{text}; {lost:,} of {counts['relevant']:,} relevant items not retrieved" if lost else text
    ]


def losses_text(result: GateResult) -> str:
    """``nDCG@10 -0.054: -0.041 not retrieved, -0.013 order``, of the first measure that fell."""
    fallen = [row for row in result.measures.values() if row.drop is not None and row.drop.clauses]
    if not fallen or result.joined is None:
        return ""
    old, new = result.joined.systems
    losses = result.joined.losses(fallen[0].name, (old, new))
    return "" if losses is None else str(losses)


def _about_test(result: GateResult) -> list[str]:
    """The test."""
    tested = [row for row in result.measures.values() if row.compared]
    if all(row.is_contract for row in tested) and not any(part.drop for part in result.slices):
        return []
    over = f", Holm over {len(tested):,} measures" if len(tested) > 1 else ""
    gated = [part.label for part in result.slices if part.drop is not None]
    if gated:
        tests, labels = count(len(gated), "test"), count(len(set(gated)), "slice")
        over += f"; Holm over {tests} of {labels}, level {result.slice_alpha:g}"
    return [f"test: Fisher's randomization, two-sided level {result.alpha:g}{over}"]


def _footer(result: GateResult) -> list[str]:
    """The file, and how to accept an intended drop."""
    file = result.file
    if file is None or not result.systems:
        return []
    accept = "" if result.passed else f"accept    {file.accept}"
    return [f"baseline  {line(file.shown)}", *filter(None, [accept, _where_to_accept(result)])]


def _where_to_accept(result: GateResult) -> str:
    """For a baseline of another branch: where to run the command, and when it takes effect."""
    file = result.file
    if result.passed or file is None or not file.elsewhere:
        return ""
    return (
        f"the baseline comes from {line(file.elsewhere)}: run this in the working copy and commit "
        "the file; this run stays red until the change is merged"
    )
