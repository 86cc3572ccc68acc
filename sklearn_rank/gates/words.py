"""Words of gates: numbers and ids in sentences, the headline, the message and its tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sklearn_rank.comparison.result import changes_table as queries_table
from sklearn_rank.evaluation.tables import remarks
from sklearn_rank.gates.limits import SLACK
from sklearn_rank.gates.rule import Clause
from sklearn_rank.gates.verdict import UNREMARKABLE, GateResult, MeasureResult, State
from sklearn_rank.support.text import count, for_log, safe_repr, safe_text
from sklearn_rank.tables.formats import to_text
from sklearn_rank.tables.table import (
    Cell,
    Column,
    Table,
    count_cell,
    interval_cell,
    number_cell,
    p_cell,
    p_text,
    text_cell,
)

LONGEST_NAME = 24
"""Several ids have to fit a line."""
DECIMALS = 3
"""Of a headline; tables have more."""
MOST_DECIMALS = 6
"""As recorded: what differs by less is the same."""
MOST_FINDINGS = 6
"""Rules that fired in a headline, which test runners print on one line."""
MOST_ROWS = 24
"""Rows that fit a screen; failures come first."""
MOST_ITEMS = 4
"""Items of a row of queries, which has to fit a line."""

# Words and numbers -------------------------------------------------------------------------------


def apart(value: float, limit: float, decimals: int = 4) -> tuple[str, str, int]:
    """Two numbers with enough decimals to tell them apart, and the number of decimals."""
    while True:
        texts = f"{value:.{decimals}f}", f"{limit:.{decimals}f}"
        if texts[0] != texts[1] or decimals >= MOST_DECIMALS:
            return *texts, decimals
        decimals += 1


def signed(value: float | None, decimals: int = 4) -> str:
    """A change with its sign; empty for none."""
    return number_cell(value, digits=decimals, signed=True).text


def shown(value: Any, limit: int = LONGEST_NAME) -> str:
    """A query or item id: escaped, cut, and quoted only if necessary."""
    text = safe_repr(value, limit=limit)
    plain = isinstance(value, str) and value.strip() and not set(" \\'") & set(text[1:-1])
    return text[1:-1] if plain else text


def line(text: str, limit: int = 300) -> str:
    """Text on one line, cut to size, without terminal control characters."""
    return safe_text(text, limit=limit)


def several(values: Sequence[Any], limit: int = 5) -> str:
    """Some ids, with the number of the others."""
    text = " ".join(shown(value) for value in values[:limit])
    return f"{text} +{len(values) - limit:,}" if len(values) > limit else text


def queries_text(n: int) -> str:
    """``1 query``, ``60 queries``."""
    return count(n, "query", "queries")


def of_slice(label: str | None, n: int | None = None) -> str:
    """`` for the 86 "brand" queries``, `` for "brand"``, or nothing for all queries."""
    if label is None:
        return ""
    name = f'"{line(label, LONGEST_NAME)}"'
    return (
        f" for {name}" if n is None else f" for the {n:,} {name} {'query' if n == 1 else 'queries'}"
    )


def _decimals(limit: float) -> int:
    """Decimals of a headline: three, or four or five if a limit was given with as many."""
    given = len(f"{limit:.6f}".rstrip("0").partition(".")[2])
    return given if DECIMALS < given < 6 else DECIMALS


# Values and changes ------------------------------------------------------------------------------


def _limit_of(row: MeasureResult, decimals: int | None = None) -> tuple[str, str, bool]:
    """A value and its limit with as many decimals as it takes, and whether it is one from below."""
    below = row.at_least is not None
    limit = (row.at_least if below else row.at_most) or 0.0
    value, bound, _ = apart(row.value, limit, _decimals(limit) if decimals is None else decimals)
    return value, bound, below


def value_sentence(row: MeasureResult) -> str:
    """``MAP is 0.394, below the 0.450 required``; at most: ``above the 2.000 allowed``."""
    if not row.is_limited:
        return f"{row.title} is {number_cell(row.value, digits=DECIMALS).text}"
    value, bound, below = _limit_of(row)
    met, missed = ("at least", "below the") if below else ("at most", "above the")
    word = met if row.is_met else missed
    return f"{row.title} is {value}, {word} {bound} {'required' if below else 'allowed'}"


def moved_to(row: MeasureResult) -> str:
    """``nDCG@10 fell from 0.554 to 0.515``."""
    (was, now), change = row.ends, row.change or 0.0
    if abs(change) <= SLACK:
        return f"{row.title} is unchanged at {now:.{DECIMALS}f}"
    old, new, _ = apart(was, now, DECIMALS)
    return f"{row.title} {'fell' if change < 0 else 'rose'} from {old} to {new}"


def moved_by(row: MeasureResult) -> str:
    """``nDCG@10 fell by 0.040``, with enough decimals to tell the drop from the allowed one."""
    change, allowed = row.change or 0.0, row.allowed or 0.0
    if abs(change) <= SLACK:
        return f"{row.title} is unchanged"
    _, _, decimals = apart(0.0, change, _decimals(allowed))
    _, _, decimals = apart(abs(change), allowed, decimals)
    return f"{row.title} {'fell' if change < 0 else 'rose'} by {abs(change):.{decimals}f}"


def _allowed(row: MeasureResult, limit: float, decimals: int = 4) -> str:
    """A limit with the sign that a drop of this measure has."""
    if not limit:
        return f"{limit:.{decimals}f}"
    return signed(-limit if row.greater_is_better else limit, decimals)


def counts_of(row: MeasureResult) -> str:
    """``17 of 60 queries got worse, 3 better``."""
    drop = row.drop
    if drop is None or not drop.queries:
        return "all items ranked together"
    better = f"{drop.wins:,} better" if drop.wins else "none better"
    return f"{drop.losses:,} of {queries_text(drop.queries)} got worse, {better}"


def _is_untested(row: MeasureResult) -> bool:
    """Whether the hard limit decided, and no test."""
    clauses = () if row.drop is None else row.drop.clauses
    return row.is_contract or clauses == (Clause.HARD_DROP,)


def drop_sentence(row: MeasureResult) -> str:
    """``nDCG@10 fell from 0.554 to 0.515 (-0.040, allowed -0.020): 17 of 60 queries got ...``."""
    drop = row.drop
    clauses = () if drop is None else drop.clauses
    # The hard limit is named where it alone makes the drop red.
    is_hard = clauses == (Clause.HARD_DROP,) and row.hard_drop != row.allowed
    limit = (row.hard_drop if is_hard else row.allowed) or 0.0
    _, _, decimals = apart(row.fall, limit, _decimals(limit))
    word = f"{'hard limit' if is_hard else 'allowed'} {_allowed(row, limit, decimals)}"
    word = word if limit else "no drop allowed"
    p = p_text(None if drop is None or _is_untested(row) else drop.p_holm)
    moved = f"{moved_to(row)}{of_slice(row.label, row.queries)}"
    change = f"({signed(row.change, decimals)}, {word})"
    return f"{moved} {change}: {', '.join(filter(None, [counts_of(row), p]))}"


def over_all(row: MeasureResult) -> str:
    """The value over all queries, if it differs."""
    if row.new is None or abs(row.new - row.value) <= 2e-6:
        return ""
    return f" ({row.value:.{DECIMALS}f} over all)"


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
        text = "; ".join([text, *texts]) + (f" and {more:,} more" if more > 0 else "")
    unjudged = [finding.text for finding in result.findings if finding.rule == "new_unjudged"]
    return "; ".join([text, *unjudged])


def _values(result: GateResult) -> str:
    """The measures that have a limit, or else all."""
    rows = list(result.measures.values())
    limited = [row for row in rows if row.is_limited or row.allowed is not None] or rows
    if result.written == "raised":
        ends = (
            (result.measures[name].title, *move) for name, move in result.recorded_changes.items()
        )
        parts = [f"{title} rose from {was:.3f} to {now:.3f}" for title, was, now in ends]
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
    falls = [row.fall for row in rows if row.allowed is not None]
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
        "table": _as_texts(changes_table(result)),
        "losers": _as_texts(losers_table(result, most=1)),
    }


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


def power_sentence(n: int, title: str, detectable: float) -> str:
    """``With 250 queries this gate detects MAP drops of 0.028 or more (80% power)``."""
    drops = f"{title} drops of {detectable:.3f} or more (80% power)"
    return f"With {queries_text(n)} this gate detects {drops}"


def outlook_of(result: GateResult) -> str:
    """Power and false alarm rate of the gate, in a sentence; "" if not available."""
    rows = [row for row in result.measures.values() if row.compared and row.drop is not None]
    failing = [row for row in rows if row.state is State.FAIL]
    is_untested = all(_is_untested(row) for row in failing or rows)
    is_stale = any(finding.state is State.STALE for finding in result.findings)
    if result.false_alarm is None or is_untested or is_stale:
        return ""
    rate = result.false_alarm
    share = f"{rate:.0%}" if rate >= 0.005 else "fewer than 1%"
    row = next(row for row in failing or rows if not _is_untested(row))
    drop, fails = row.drop, f"an unchanged system fails it {share} of the time"
    if drop is None or math.isnan(drop.noise):
        fails += ", a retrained or random one more often (Repeats measures it)"
    if drop is None or math.isnan(drop.detectable):
        return f"Too few queries changed to estimate what this gate detects; {fails}.{_noise(row)}"
    text = power_sentence(drop.queries, row.title, drop.detectable)
    return f"{text}; {fails}.{_noise(row)}"


def _noise(row: MeasureResult) -> str:
    """How much the noise between runs matters."""
    noise = math.nan if row.drop is None else row.drop.noise
    if math.isnan(noise):
        return ""
    return f" {noise:.0%} of the variance of the change is noise between runs, which p allows for."


def would(result: GateResult) -> str:
    """``A gate with max_drop 0.02 would be red: 8 lost, none won (p = 0.0781, level 0.10)``."""
    rows = [row for row in (*result.measures.values(), *result.slices) if row.allowed is not None]
    allowed = sorted({row.allowed for row in rows if row.label is None and row.allowed is not None})
    gate = f"A gate with max_drop {', '.join(f'{drop:g}' for drop in allowed)} would"
    red = [row for row in rows if row.drop is not None and row.drop.clauses]
    if not red:
        return f"{gate} {'pass' if result.passed else 'be red: ' + result.headline}"
    row, drop, won = red[0], red[0].drop, ""
    if row.label is not None:
        gate = f"A gate with max_slice_drop {row.allowed:g} would"
    if drop is not None and drop.queries:
        level = result.alpha if row.label is None else result.slice_alpha
        won = f"{drop.losses:,} lost, {f'{drop.wins:,}' if drop.wins else 'none'} won"
        if not _is_untested(row):
            won += f" ({p_text(drop.p_holm)}, level {level:.2f})"
    return f"{gate} be red: {moved_by(row)}{of_slice(row.label)}{', ' * bool(won)}{won}"


# The message -------------------------------------------------------------------------------------


def message(result: GateResult) -> str:
    """Headline, tables, remarks and what to do; at most 100 columns wide where data allows."""
    changes = changes_table(result)
    rows, left = changes.rows[:MOST_ROWS], len(changes.rows) - MOST_ROWS
    lines = to_text(replace(changes, rows=rows)).split("\n") if rows else []
    lines += [f"and {left:,} more"] * (left > 0)
    blocks = [
        [result.headline],
        *([f"  {line}".rstrip() for line in lines] for lines in (lines, _queries(result))),
        [*facts(result), *notes_of(result)],
        _footer(result),
        [*_about_test(result), *filter(None, [outlook_of(result)])],
    ]
    return for_log("\n\n".join("\n".join(block) for block in blocks if block))


def brief(result: GateResult) -> str:
    """Headline, worst query and command."""
    rows = () if result.worst is None else losers_table(result).rows[:1]
    worst = [f"  worst query: {' '.join(cell.text for cell in row)}" for row in rows]
    accept = [f"  accept: {result.file.accept}"] if result.file and not result.passed else []
    return for_log("\n".join([result.headline, *worst, *accept]))


_STATES = {State.FAIL: "FAIL", State.STALE: "STALE", State.PASS: "ok", None: "shown"}
_ORDER = (State.STALE, State.FAIL, State.NOT_CONFIRMED)


def changes_table(result: GateResult) -> Table:
    """A row for each measure with a limit or a change, else each, and each slice, by severity."""

    def by_gravity(row: MeasureResult) -> tuple[int, bool, float]:
        grave = _ORDER.index(row.state) if row.state in _ORDER else len(_ORDER)
        return grave, row.label is not None, -row.fall

    listed = [row for row in result.measures.values() if row.is_limited or row.change is not None]
    listed = sorted([*(listed or result.measures.values()), *result.slices], key=by_gravity)
    numbers = ("queries", *(result.systems or ("", "value")), "over all", "change")
    numbers += (f"{1 - result.alpha:.0%} interval", "limit", "p (Holm)")
    columns = (
        Column("measure", longest=None),
        Column("slice"),
        *(Column(title, "number") for title in numbers),
        Column("worse/better/same"),
        Column("verdict", longest=None),
    )
    rows = tuple(_cells(row, result) for row in listed)
    table = Table(columns, rows if result.systems or len(rows) > 1 else ())
    for number in reversed(range(len(columns))):
        if not any(row[number].text for row in table.rows):
            table = table.without(number)
    return table


def _cells(row: MeasureResult, result: GateResult) -> tuple[Cell, ...]:
    """A row of the table; a measure has no interval or test where nothing is compared by query."""
    drop = row.drop if row.compared else None
    limits = [] if row.allowed is None else [_allowed(row, row.allowed)]
    if row.is_limited:
        _, bound, below = _limit_of(row, 4)
        limits.append(f"{'>=' if below else '<='} {bound}")
    state = _STATES.get(row.state, str(row.state))
    if row.state is State.PASS and result.state is State.STALE:
        state = _STATES[State.STALE]  # no value is fine where the baseline does not fit
    elif row.too_small and row.allowed is not None and row.state is None:
        state = f"too small ({row.queries})"
    interval, counts = text_cell(""), ""
    if drop is not None:
        counts = f"{drop.losses}/{drop.wins}/{drop.ties}"
        if not math.isnan(drop.low):
            interval = interval_cell(drop.low, drop.high, digits=DECIMALS, signed=True)
    return (
        text_cell(row.name),
        text_cell(row.label and shown(row.label)),
        count_cell(row.compared or row.queries),
        number_cell(row.baseline_value),
        number_cell(row.value if row.new is None else row.new),
        number_cell(row.value if over_all(row) else None),
        number_cell(row.change, signed=True),
        interval,
        text_cell(", ".join(limits)),
        p_cell(None if drop is None or row.is_contract else drop.p_holm),
        text_cell(counts),
        text_cell(state),
    )


# Queries -----------------------------------------------------------------------------------------


def losers_table(result: GateResult, *, most: int = MOST_ITEMS) -> Table:
    """The queries that explain a verdict, each with up to this many items."""
    rows = () if result.worst is None else result.worst.rows
    return replace(queries_table(rows, most=most), notes=())


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
        about = f"biggest losses{of} ({worst.measure}{share}; - unretrieved)"
    return [about, *to_text(losers_table(result)).split("\n")]


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
        f"{text}; {lost:,} of {counts['relevant']:,} relevant items unretrieved" if lost else text
    ]


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
    return [f"test: Fisher's randomization, level {result.alpha:g} for both sides{over}"]


def _footer(result: GateResult) -> list[str]:
    """The file, and how a drop that is wanted is accepted."""
    file = result.file
    if file is None or not result.systems:
        return []
    accept = "" if result.passed else f"accept    {file.accept}"
    return [f"baseline  {line(file.shown)}", *filter(None, [accept, _where_to_accept(result)])]


def _where_to_accept(result: GateResult) -> str:
    """For a baseline of another branch: where the command runs, and when it counts."""
    file = result.file
    if result.passed or file is None or not file.elsewhere:
        return ""
    return (
        f"the baseline is that of {line(file.elsewhere)}: run this in the working copy and commit "
        "the file; this run stays red until the change is merged"
    )
