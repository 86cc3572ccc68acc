"""Words of gates: numbers and ids in sentences, the headline, the message and its tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sklearn_rank.gates.rule import Clause
from sklearn_rank.gates.verdict import (
    UNREMARKABLE,
    GateResult,
    MetricResult,
    QueryRow,
    State,
)
from sklearn_rank.statistics.paired import SLACK
from sklearn_rank.support.text import for_log, safe_repr, safe_text
from sklearn_rank.tables.formats import to_text
from sklearn_rank.tables.table import (
    Cell,
    Column,
    Table,
    count_cell,
    interval_cell,
    number_cell,
    p_cell,
    text_cell,
)

WIDTH = 100
"""Width of a message that terminals and reviews show without wrapping."""
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
MOST_ITEMS = 6
MOST_MOVES = 4
MOST_MISSING = 2
"""A row of the table of queries has to fit a line."""
_TOLD = 0.005
"""Less would read as 0.00, which says that an item does not matter."""

# Words and numbers -------------------------------------------------------------------------------


def apart(value: float, limit: float, decimals: int = 4) -> tuple[str, str, int]:
    """Two numbers with as many decimals as it takes to tell them apart, and how many those are."""
    while True:
        texts = f"{value:.{decimals}f}", f"{limit:.{decimals}f}"
        if texts[0] != texts[1] or decimals >= MOST_DECIMALS:
            return *texts, decimals
        decimals += 1


def signed(value: float | None, decimals: int = 4) -> str:
    """A change with its sign; empty for none."""
    return number_cell(value, digits=decimals, signed=True).text


def p_phrase(p: float | None) -> str:
    """``p = 0.012``, or ``p < 0.0001``."""
    text = p_cell(p).text
    if not text or p is None:
        return ""
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {p:.2g}"


def shown(value: Any, limit: int = LONGEST_NAME) -> str:
    """A query or item id: escaped, cut, and in quotes only where it needs them."""
    text = safe_repr(value, limit=limit)
    plain = isinstance(value, str) and value.strip() and not set(" \\'") & set(text[1:-1])
    return text[1:-1] if plain else text


def line(text: str, limit: int = 300) -> str:
    """Text on one line, cut to size, with nothing that a terminal would act on."""
    return safe_text(text, limit=limit)


def several(values: Sequence[Any], limit: int = 5) -> str:
    """Some ids, with the number of the others."""
    text = " ".join(shown(value) for value in values[:limit])
    return f"{text} +{len(values) - limit:,}" if len(values) > limit else text


def first_of(texts: Sequence[str], separator: str = "; ", most: int = 3) -> str:
    """The first few texts, and how many more there are: ``a; b; c and 2 more``."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return separator.join(texts[:most]) + more


def count(n: int, single: str, plural: str | None = None) -> str:
    """``1 query``, ``2 queries``."""
    return f"{n:,} {single if n == 1 else plural or single + 's'}"


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


def _limit_of(row: MetricResult, decimals: int | None = None) -> tuple[str, str, bool, bool]:
    """A value and its limit with as many decimals as it takes, from below or above, and met."""
    below = row.at_least is not None
    limit = (row.at_least if below else row.at_most) or 0.0
    value, bound, _ = apart(row.value, limit, _decimals(limit) if decimals is None else decimals)
    met = row.value >= limit - SLACK if below else row.value <= limit + SLACK
    return value, bound, below, met


def value_sentence(row: MetricResult) -> str:
    """``MAP is 0.394, below the 0.450 required``; at most: ``above the 2.000 allowed``."""
    if not row.is_limited:
        return f"{row.title} is {number_cell(row.value, digits=DECIMALS).text}"
    value, bound, below, met = _limit_of(row)
    word = ("at least" if met else "below the") if below else "at most" if met else "above the"
    return f"{row.title} is {value}, {word} {bound} {'required' if below else 'allowed'}"


def moved_to(row: MetricResult) -> str:
    """``nDCG@10 fell from 0.554 to 0.515``."""
    was, now, change = row.baseline or 0.0, row.now or 0.0, row.change or 0.0
    if abs(change) <= SLACK:
        return f"{row.title} is unchanged at {now:.{DECIMALS}f}"
    old, new, _ = apart(was, now, DECIMALS)
    return f"{row.title} {'fell' if change < 0 else 'rose'} from {old} to {new}"


def moved_by(row: MetricResult) -> str:
    """``nDCG@10 fell by 0.040``, with enough decimals to tell the drop from the allowed one."""
    change, allowed = row.change or 0.0, row.allowed or 0.0
    if abs(change) <= SLACK:
        return f"{row.title} is unchanged"
    _, _, decimals = apart(0.0, change, _decimals(allowed))
    _, _, decimals = apart(abs(change), allowed, decimals)
    return f"{row.title} {'fell' if change < 0 else 'rose'} by {abs(change):.{decimals}f}"


def _allowed(row: MetricResult, limit: float, decimals: int = 4) -> str:
    """A limit with the sign that a drop of this measure has."""
    return signed(-limit if row.greater_is_better else limit, decimals)


def counts_of(row: MetricResult) -> str:
    """``17 of 60 queries got worse, 3 better``."""
    drop = row.drop
    if drop is None or not drop.n:
        return "all items ranked together"
    better = f"{drop.won:,} better" if drop.won else "none better"
    return f"{drop.lost:,} of {queries_text(drop.n)} got worse, {better}"


def drop_sentence(row: MetricResult, n: int | None) -> str:
    """``nDCG@10 fell from 0.554 to 0.515 (-0.040, allowed -0.020): 17 of 60 queries got ...``."""
    clauses = () if row.drop is None else row.drop.clauses
    is_hard = Clause.HARD_DROP in clauses and row.hard_drop != row.allowed
    limit = (row.hard_drop if is_hard else row.allowed) or 0.0
    drop = 0.0 if row.drop is None else row.drop.drop
    _, _, decimals = apart(drop, limit, _decimals(limit))
    word = f"{'hard limit' if is_hard else 'allowed'} {_allowed(row, limit, decimals)}"
    word = word if limit else "no drop allowed"
    p = p_phrase(None if row.drop is None else row.drop.p_holm)
    moved = f"{moved_to(row)}{of_slice(row.label, n)} ({signed(row.change, decimals)}, {word})"
    return f"{moved}: {', '.join(filter(None, [counts_of(row), p]))}"


def over_all(row: MetricResult) -> str:
    """The value over all queries where it is another."""
    if row.now is None or abs(row.now - row.value) <= 2e-6:
        return ""
    return f" ({row.value:.{DECIMALS}f} over all)"


# The headline ------------------------------------------------------------------------------------


def headline(result: GateResult) -> str:
    """The first line: the first rule that fired in full, the others in short; else values."""
    order = (State.STALE, State.FAIL, State.NOT_CONFIRMED)
    fired = [own for state in order for own in result.findings if own.state is state]
    if not fired:
        text = _values(result)
    else:
        first, *others = fired
        text = first.text
        if first.state is State.STALE and not result.updating:
            text += f"; refresh with: {result.update}"
        if first.state is not State.NOT_CONFIRMED:
            others = [own for own in others if own.state is not State.NOT_CONFIRMED]
        told = [own.short or own.text for own in others[: MOST_FINDINGS - 1]]
        more = len(others) + 1 - MOST_FINDINGS
        text = "; ".join([text, *told]) + (f" and {more:,} more" if more > 0 else "")
    unjudged = [own.text for own in result.findings if own.rule == "new_unjudged"]
    return "; ".join([text, *unjudged])


def _values(result: GateResult) -> str:
    """The measures that have a limit, or else all."""
    rows = list(result.metrics.values())
    limited = [row for row in rows if row.is_limited or row.change is not None]
    parts = [
        value_sentence(row)
        if row.is_limited or row.change is None
        else f"{moved_to(row)}{over_all(row)}"
        for row in limited or rows
    ]
    if result.state is State.NEW or result.written == "lowered":
        parts = [value_sentence(row) for row in rows]
    return f"{'; '.join(parts[:MOST_FINDINGS])} ({queries_text(result.queries)})"


def said(result: GateResult) -> dict[str, Any]:
    """The texts of reports."""
    return {
        "headline": result.headline,
        "message": result.message if result.state not in UNREMARKABLE else result.headline,
        "warnings": warnings_of(result),
        "notes": notes_of(result),
        "outlook": outlook_of(result),
        "table": as_texts(changes_table(result)),
        "losers": as_texts(losers_table(result)),
    }


def as_texts(table: Table) -> dict[str, Any]:
    """Titles and cells of a table as texts, for reports."""
    rows = [[cell.text for cell in row] for row in table.rows]
    return {"titles": [column.title for column in table.columns], "rows": rows}


def warnings_of(result: GateResult) -> list[str]:
    """Warnings of a gate that passes."""
    if not result.passed:
        return []
    return [own.text for own in result.findings if own.warns]


def notes_of(result: GateResult) -> list[str]:
    """Remarks that decide nothing."""
    return [own.text for own in result.findings if own.state is None and not own.warns]


def outlook_of(result: GateResult) -> str:
    """Power and rate of false alarms of the gate, in a line; "" where that is not known."""
    drops = [(row.drop, row) for row in result.metrics.values() if row.drop is not None]
    seen = [(drop.detectable, row) for drop, row in drops if not math.isnan(drop.detectable)]
    is_contract = all(
        row.hard_drop is not None and row.hard_drop == row.allowed for _, row in drops
    )
    is_stale = any(own.state is State.STALE for own in result.findings)
    if result.false_alarm is None or is_contract or is_stale:  # also where nothing was compared
        return ""
    rate = result.false_alarm
    text = f"{rate:.1%} false alarms" if rate >= 0.0005 else "fewer than 0.1% false alarms"
    if not seen:
        return text + "".join(dict.fromkeys(_noise(row) for _, row in drops))
    detectable, row = max(seen, key=lambda own: own[0])
    n = queries_text(row.compared)
    return (
        f"{n}: {row.name} drops from {detectable:.3f} on are seen (80% power); {text}{_noise(row)}"
    )


def _noise(row: MetricResult) -> str:
    """How much the noise between runs matters, and which drops other numbers of runs detect."""
    drop = row.drop
    if drop is None or drop.noise is None:
        return ""
    if not drop.noise.share:
        return "; the runs are identical: repeats add nothing"
    seen = drop.detectable_with.items()
    others = ", ".join(f"{own:.3f} with {count(runs, 'run')}" for runs, own in seen)
    share = f"{drop.noise.share:.0%} of the variance of the change is noise between runs"
    return f"; {share}, which p allows for; detects {others}"


# The message -------------------------------------------------------------------------------------


def message(result: GateResult) -> str:
    """Headline, tables, remarks and what to do; at most 100 columns wide where data allows."""
    changes = changes_table(result)
    rows, left = changes.rows[:MOST_ROWS], len(changes.rows) - MOST_ROWS
    lines = to_text(replace(changes, rows=rows)).split("\n") if rows else []
    lines += [f"and {left:,} more"] * (left > 0)
    tables = (lines, _queries(result))
    last = [*_about_test(result), *filter(None, [outlook_of(result)])]
    blocks = [
        [result.headline],
        *([f"  {own}".rstrip() for own in lines] for lines in tables),
        [*facts(result), *notes_of(result)],
        _footer(result),
        last,
    ]
    return for_log("\n\n".join("\n".join(block) for block in blocks if block))


_SAID = {State.FAIL: "FAIL", State.STALE: "STALE", State.PASS: "ok", None: ""}


def word(state: State | None) -> str:
    """A state in a table."""
    return _SAID.get(state, str(state))


def changes_table(result: GateResult) -> Table:
    """A row for each measure with a limit (else each), and for the slices, the gravest first."""
    order = [State.STALE, State.FAIL, State.NOT_CONFIRMED]
    rows = [row for row in result.metrics.values() if row.is_limited or row.change is not None]
    rows = sorted(
        [*(rows or result.metrics.values()), *result.slices],
        key=lambda row: order.index(row.state) if row.state in order else len(order),
    )
    compared, parted = bool(result.other), any(over_all(row) for row in rows)
    columns: dict[Column, Callable[[MetricResult], Cell]] = {
        Column("measure", longest=None): lambda row: text_cell(row.name),
        Column("slice"): lambda row: text_cell(row.label and shown(row.label)),
        Column("queries", "number"): lambda row: count_cell(row.compared or row.queries),
        Column(result.other, "number"): lambda row: number_cell(row.baseline),
        Column("now", "number"): lambda row: number_cell(row.value if row.now is None else row.now),
        Column("now, all queries", "number"): lambda row: number_cell(row.value),
        Column("change", "number"): lambda row: number_cell(row.change, signed=True),
        Column(f"{1 - result.alpha:.0%} interval", "interval"): _interval,
        Column("limit", "number"): lambda row: text_cell(_limits_of(row)),
        Column("p (Holm)", "number"): lambda row: p_cell(
            row.drop.p_holm if row.drop is not None else None
        ),
        Column("worse/better/same"): lambda row: text_cell(_counted(row)),
        Column("verdict", longest=None): lambda row: text_cell(_verdict(row)),
    }
    if not parted:
        columns = {own: cell for own, cell in columns.items() if own.title != "now, all queries"}
    found = [tuple(cell(row) for cell in columns.values()) for row in rows]
    empty = [n for n, own in enumerate(columns) if not any(row[n].text for row in found)]
    table = Table(tuple(columns), tuple(found))
    for place in reversed(empty):
        table = table.without(place)
    return table if compared or len(rows) > 1 else replace(table, rows=())


def _interval(row: MetricResult) -> Cell:
    """The interval of the change."""
    low, high = (math.nan, math.nan) if row.drop is None else (row.drop.low, row.drop.high)
    return interval_cell(low, high, signed=True)


def _limits_of(row: MetricResult) -> str:
    """``-0.0200``, the allowed change, or ``>= 0.4500``."""
    allowed = "" if row.allowed is None else _allowed(row, row.allowed)
    if not row.is_limited:
        return allowed
    _, bound, below, _ = _limit_of(row, 4)
    return f"{allowed} {'>=' if below else '<='} {bound}".strip()


def _counted(row: MetricResult) -> str:
    drop = row.drop
    return f"{drop.lost}/{drop.won}/{drop.n - drop.lost - drop.won}" if drop and drop.n else ""


def _verdict(row: MetricResult) -> str:
    """State of a row, or why it has none."""
    if row.state is not None:
        return word(row.state)
    return f"too small ({row.queries})" if row.too_small and row.allowed is not None else "shown"


# Queries -----------------------------------------------------------------------------------------


def places_of(row: QueryRow) -> str:
    """``d969 1->9 -0.31, d845 3->-``, or the ranks of the relevant items of one system."""
    if row.was is None:
        ranks = ", ".join(move.now for move in row.moves[:MOST_ITEMS]) or "nowhere"
        return f"{ranks}{_more(row.moves, MOST_ITEMS)} of {row.n_ranked:,}"
    parts = []
    for move in row.moves[:MOST_MOVES]:
        if move.item is None:
            return f"{move.was} -> {move.now}"
        cost = move.contribution or 0.0
        part = f" {cost:+.2f}" if abs(cost) >= _TOLD else ""
        parts.append(f"{shown(move.item)} {move.was}->{move.now}{part}")
    empty = " (empty list)" if row.n_ranked == 0 else ""
    return f"{', '.join(parts) or '-'}{_more(row.moves, MOST_MOVES)}{empty}"


def _more(values: Sequence[Any], limit: int) -> str:
    return f" +{len(values) - limit:,}" if len(values) > limit else ""


def missing_of(row: QueryRow) -> str:
    """Relevant items that were not retrieved."""
    return (
        ", ".join(map(shown, row.missing[:MOST_MISSING])) + _more(row.missing, MOST_MISSING) or "-"
    )


def top_of(row: QueryRow) -> str:
    """The first items of the list, with their marks."""
    if not row.n_ranked:
        return "(empty list)"
    return " ".join(f"{shown(item)}{mark}" for item, mark in row.top)


def losers_table(result: GateResult) -> Table:
    """The queries that explain a verdict."""
    rows = () if result.worst is None else result.worst.rows
    compared = any(row.was is not None for row in rows)
    title = f"relevant items: rank in the {result.other} -> rank now" if compared else "found at"
    columns: dict[Column, Callable[[QueryRow], Cell]] = {
        Column("query", longest=None): lambda row: text_cell(shown(row.query)),
        Column("slice"): lambda row: text_cell(" ".join(map(shown, row.slices))),
        Column("was", "number"): lambda row: number_cell(row.was),
        Column("now", "number"): lambda row: number_cell(row.now),
        Column("change", "number"): lambda row: number_cell(
            None if row.was is None else row.now - row.was, signed=True
        ),
        Column(title, longest=None): lambda row: text_cell(places_of(row)),
        Column("missing", longest=None): lambda row: text_cell("" if compared else missing_of(row)),
        Column("asks", longest=None): lambda row: text_cell(line(row.text, 80)),
    }
    found = tuple(tuple(cell(row) for cell in columns.values()) for row in rows)
    table = Table(tuple(columns), found)
    for place in reversed(range(len(columns))):
        if not any(row[place].text for row in found):
            table = table.without(place)
    return table


def _queries(result: GateResult) -> list[str]:
    """The queries that explain a failure, with their top items now."""
    worst = result.worst
    if worst is None or not worst.rows:
        return []
    n, alone = len(worst.rows), worst.rows[0].was is None
    of = ""
    if worst.labels:
        of = f" in {'slice' if len(worst.labels) == 1 else 'slices'} {several(worst.labels)}"
    about = f"worst queries by {worst.measure}{of} ({n} of {worst.of}; * relevant, ? unjudged)"
    if not alone:
        share = f"; these {n} are {worst.share:.0%} of the loss" if n > 1 and worst.share else ""
        signs = "* relevant, ? unjudged, - not retrieved"
        about = f"biggest losses{of} ({worst.measure}{share}; {signs})"
    title, *lines = to_text(losers_table(result)).split("\n")
    tops = [f"    now on top: {top_of(row)}" if row.top else "" for row in worst.rows]
    gains = ", ".join(f"{shown(query)} {gain:+.4f}" for query, gain in worst.gains)
    own = [text for pair in zip(lines, tops, strict=True) for text in pair if text]
    return [about, title, *own, *([f"biggest gains: {gains}"] if gains else [])]


# Remarks that help to understand a failure; they fail nothing ------------------------------------

_CHANCE = 0.45
"""An AUC below this is further from 1/2 than chance takes a useless system."""


def facts(result: GateResult) -> list[str]:
    """Remarks on the data, one per line."""
    counts = result.counts
    if not counts:
        return []
    found, lost = [], counts["relevant"] - counts["retrieved"]
    empty = [] if result.evaluation is None else (result.evaluation.n_ranked == 0).nonzero()[0]
    if len(empty):
        verb = "counts" if len(empty) == 1 else "count"
        found.append(f"{queries_text(len(empty))} returned nothing and {verb} as 0")
    if lost:
        were = "relevant item was" if lost == 1 else "relevant items were"
        found.append(f"{lost:,} {were} not retrieved")
    left_out = (
        (max(counts["undefined"].values(), default=0), "without a defined value"),
        (counts["missing"], "without a ranking"),
        (counts["unjudged"], "without judgements"),
        (counts["tied"] * (counts["tied"] >= result.queries / 10), "with a relevant item in a tie"),
    )
    upside_down = (
        f"{row.name} is below 0.5: are the scores distances, of which lower is better?"
        for row in result.metrics.values()
        if row.name.partition("(")[0] in ("auc", "gauc") and row.value < _CHANCE
    )
    remarks = [f"{queries_text(n)} {what}" for n, what in left_out if n]
    return [*(["; ".join(found)] if found else []), *remarks, *upside_down]


def _about_test(result: GateResult) -> list[str]:
    """The test."""
    tested = [row for row in result.metrics.values() if row.compared]
    if not tested:
        return []
    over = f", Holm over {len(tested):,} metrics" if len(tested) > 1 else ""
    gated = [own.label for own in result.slices if own.drop is not None]
    if gated:
        tests, labels = count(len(gated), "test"), count(len(set(gated)), "slice")
        over += f"; Holm over {tests} of {labels} (alpha {result.slice_alpha:g})"
    return [f"test: randomization of signs, two-sided, level {result.alpha:.2f}{over}"]


def _footer(result: GateResult) -> list[str]:
    """The files, and how a drop that is wanted is accepted."""
    if not result.baseline or result.other != "baseline":
        return []
    lines = [f"baseline  {line(result.baseline)}"]
    red = not result.passed
    lines += [f"accept    {result.accept}"] if red else []
    if red and result.elsewhere:
        lines.append(
            f"the baseline is that of {line(result.elsewhere)}: run this in the working copy and "
            "commit the file; this run stays red until the change is merged"
        )
    return lines
