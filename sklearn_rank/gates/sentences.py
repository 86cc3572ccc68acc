"""Every sentence about a gate, written once, from data: headline, message, remarks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from sklearn_rank.gates.policy import SLACK
from sklearn_rank.gates.rule import Clause
from sklearn_rank.gates.verdict import (
    UNREMARKABLE,
    Finding,
    GateResult,
    MetricResult,
    QueryRow,
    State,
    Worst,
)
from sklearn_rank.support.text import for_log, safe_repr, safe_text
from sklearn_rank.tables.formats import aligned, display_width, to_text
from sklearn_rank.tables.table import Column, Table, number_cell, p_cell, text_cell

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
MOST_SLICES = 20
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


def reach(ends: Sequence[float] | None, decimals: int = 4) -> str:
    """``-0.0361..+0.3267``: the least and the greatest change."""
    return "..".join(signed(end, decimals) for end in ends or ())


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


def queries(n: int) -> str:
    """``1 query``, ``60 queries``."""
    return count(n, "query", "queries")


def _of_slice(label: str | None, n: int | None = None) -> str:
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


def _row_of(result: GateResult, finding: Finding) -> MetricResult:
    if finding.label is None:
        return result.metrics[finding.measure]
    key = finding.label, finding.measure
    return next(row for row in result.slices if (row.label, row.name) == key)


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
    if not _is_limited(row):
        return f"{row.title} is {number_cell(row.value, digits=DECIMALS).text}"
    value, bound, below, met = _limit_of(row)
    word = ("at least" if met else "below the") if below else "at most" if met else "above the"
    return f"{row.title} is {value}, {word} {bound} {'required' if below else 'allowed'}"


def limit_phrase(row: MetricResult) -> str:
    """``map 0.3938 < 0.4500 required``, or with ``>=`` where it is met."""
    value, bound, below, met = _limit_of(row, 4)
    sign = (">=" if met else "<") if below else "<=" if met else ">"
    return f"{row.name} {value} {sign} {bound} {'required' if below else 'allowed'}"


def moved_to(row: MetricResult) -> str:
    """``nDCG@10 fell from 0.554 to 0.515``."""
    was, now, change = row.baseline or 0.0, row.now or 0.0, row.change or 0.0
    if abs(change) <= SLACK:
        return f"{row.title} is unchanged at {now:.{DECIMALS}f}"
    old, new, _ = apart(was, now, DECIMALS)
    return f"{row.title} {'fell' if change < 0 else 'rose'} from {old} to {new}"


def _moved_by(row: MetricResult) -> str:
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


def _counts(row: MetricResult) -> str:
    """``17 of 60 queries got worse, 3 better``."""
    drop = row.drop
    if drop is None or not drop.n:
        return "all items ranked together"
    better = f"{drop.won:,} better" if drop.won else "none better"
    return f"{drop.lost:,} of {queries(drop.n)} got worse, {better}"


def _drop_sentence(row: MetricResult, n: int | None) -> str:
    """``nDCG@10 fell from 0.554 to 0.515 (-0.040, allowed -0.020): 17 of 60 queries got ...``."""
    clauses = () if row.drop is None else row.drop.clauses
    is_hard = Clause.HARD_DROP in clauses and row.hard_drop != row.allowed
    limit = (row.hard_drop if is_hard else row.allowed) or 0.0
    drop = 0.0 if row.drop is None else row.drop.drop
    _, _, decimals = apart(drop, limit, _decimals(limit))
    word = f"{'hard limit' if is_hard else 'allowed'} {_allowed(row, limit, decimals)}"
    word = word if limit else "no drop allowed"
    p = p_phrase(None if row.drop is None else row.drop.p_adjusted)
    moved = f"{moved_to(row)}{_of_slice(row.label, n)} ({signed(row.change, decimals)}, {word})"
    return f"{moved}: {', '.join(filter(None, [_counts(row), p]))}"


def _first_to_judge(finding: Finding) -> str:
    """``; judge first: q1 d7 (+0.050), q2 d3 (-0.020)``."""
    named = [
        f"{shown(row.query)} {shown(row.item)} ({signed(row.move, DECIMALS)})"
        for row in finding.data.get("to_judge", ())
        if abs(row.move) > SLACK
    ]
    return f"; judge first: {', '.join(named)}" if named else ""


# Findings: the whole sentence as a headline, and the short one behind another ---------------------

_UNJUDGED = "unjudged items decide"
_Said = tuple[str, str]
_OPTIONS = {"True": "yes", "False": "no"}


def _threshold(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    sentence = f"{value_sentence(row)}{_of_slice(row.label)}"
    if row.label is not None:
        return sentence, sentence
    low, high = result.interval(row.name)
    ci = "" if math.isnan(low) else f", 95% CI {low:.3f} to {high:.3f}"
    return f"{sentence} ({queries(row.queries)}{ci})", sentence


def _threshold_unjudged(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    sentence, ends = f"{value_sentence(row)}{_of_slice(row.label)}", row.bounds or (0.0, 0.0)
    possible = f"{sentence}, but {ends[0]:.3f}..{ends[1]:.3f} is possible: {_UNJUDGED}"
    return f"{possible}{_first_to_judge(finding)}", f"{sentence}: {_UNJUDGED}"


def _per_query(finding: Finding, result: GateResult) -> _Said:  # noqa: ARG001
    limit, found = finding.data["limit"], finding.data["queries"]
    texts = []
    for query, value in found:
        low, bound, _ = apart(value, limit)
        texts.append(f"{shown(query)} {finding.measure} {low} < {bound} required")
    may = "" if finding.state is State.FAIL else "may be "
    text = f"{queries(len(found))} {may}below the limit: {first_of(texts)}"
    return text, text


def _drop(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    n = None if row.label is None else row.queries
    return _drop_sentence(row, n), f"{_moved_by(row)}{_of_slice(row.label)}"


def _not_confirmed(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    where, allowed = _of_slice(row.label), f"(allowed {row.allowed:g})"
    if row.change_bounds is not None:
        may = f"{row.title} may have changed by {reach(row.change_bounds, DECIMALS)}{where}"
        text = f"{may} {allowed}: not significant for any grading of the unjudged items"
        return f"{text} ({_counts(row)})", text
    p = p_phrase(None if row.drop is None else row.drop.p_adjusted)
    losers = ""
    if row.label is None and result.worst is not None and result.worst.measure == row.name:
        losers = "; lost most: " + several([own.query for own in result.worst.rows])
    said = ", ".join(filter(None, [_counts(row), p]))
    text = f"{_moved_by(row)}{where} {allowed}, which may be chance: {said}{losers}"
    return text, f"{_moved_by(row)}{where}"


def _drop_unjudged(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    moved = f"{_moved_by(row)}{_of_slice(row.label)} (allowed {row.allowed:g})"
    text = f"{moved}, but {reach(row.change_bounds, DECIMALS)} is possible: {_UNJUDGED}"
    return f"{text}{_first_to_judge(finding)}", text


def _unknown_unjudged(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    text = (
        f"{_moved_by(row)}{_of_slice(row.label)}: the baseline does not say where unjudged items "
        "stood"
    )
    return f"{text}{_remedy(result)}", text


def _not_proven(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    moved, drop = _moved_by(row), row.drop
    if drop is None or math.isnan(drop.at_most):
        text = f"{moved}, and no spread over queries tells how large a drop is possible"
        return text, text
    allowed = row.allowed or 0.0
    upper, _, _ = apart(drop.at_most, allowed, _decimals(allowed))
    text = f"{moved}, but a drop of {upper} is not ruled out (allowed {allowed:g})"
    return text, text


def _no_fit(finding: Finding, result: GateResult) -> _Said:
    words = {"added": "added", "gone": "gone"}
    parts = [
        f"{queries(len(ids))} {words.get(kind, kind)} ({several(ids)})"
        for kind, ids in finding.data["queries"].items()
    ]
    parts += [
        f"read with {name}={_OPTIONS.get(now, now)}, recorded with {_OPTIONS.get(then, then)}"
        for name, then, now in finding.data["readings"]
    ]
    short = f"baseline does not fit: {', '.join(map(line, parts))}"
    compared = [row for row in result.metrics.values() if row.baseline is not None]
    full = short
    if compared:
        changes = ", ".join(f"{moved_to(row)}{_overall(row)}" for row in compared)
        full = f"{short} - on the {queries(result.common or 0)} in common {changes}"
    elif finding.data["no_comparison"]:
        full = f"{short} - too few queries in common to compare"
    return f"{full}{_remedy(result)}", short


def _overall(row: MetricResult) -> str:
    """The value over all queries where it is another."""
    if row.now is None or abs(row.now - row.value) <= 2e-6:
        return ""
    return f" ({row.value:.{DECIMALS}f} over all)"


def _redefined(finding: Finding, result: GateResult) -> _Said:
    changes = ", ".join(
        f"{key}={now}, recorded with {then}" for key, then, now in finding.data["changed"]
    )
    text = f"baseline does not fit: {finding.measure} is counted with {line(changes)}"
    return f"{text}{_remedy(result)}", text


def _allow(word: str, result: GateResult) -> str:
    """How a fault is allowed."""
    return f"pass --allow {word}" if result.is_command else f'pass allow={{"{word}"}}'


def _remedy(result: GateResult) -> str:
    """The command that refreshes a baseline, unless it is running."""
    return "" if result.updating else f"; refresh with: {result.update}"


def _slices_gone(finding: Finding, result: GateResult) -> _Said:  # noqa: ARG001
    labels = several(finding.data["labels"])
    what = "the baseline has" if finding.rule == "slice_gone" else "a limit is set for"
    text = f"{what} slice {labels}, which has no queries"
    return f"{text}; check that slices names all queries", text


def _moved(finding: Finding, result: GateResult) -> _Said:
    moved = [
        f"{shown(query)} {several(then) or 'none'} -> {several(now) or 'none'}"
        for query, then, now in finding.data["moved"]
    ]
    are = count(len(moved), "query is", "queries are")
    text = f"baseline does not fit: {are} in other slices: {first_of(moved)}"
    lost = any(not now for _, _, now in finding.data["moved"])
    ask = "; check that slices names all queries" * (lost and not result.updating)
    return f"{text}{ask}{_remedy(result)}", text


def _lost_values(finding: Finding, result: GateResult) -> _Said:
    ids = finding.data["queries"]
    had = f"had a value of {finding.measure} in the {result.other} and none now"
    text = f"{queries(len(ids))} {had}"
    return f'{text}: {several(ids)}; pass allow={{"undefined"}} if they may be left out', text


def _vacuous(finding: Finding, result: GateResult) -> _Said:  # noqa: ARG001
    own = finding.data
    of = f", {own['greatest']:g} the greatest value of such rankings" if own["greatest"] else ""
    values = f"max_drop of {finding.measure} is {own['allowed']:g} and the baseline"
    text = f"{values} {own['baseline']:.4f}{of}: no value could fail"
    return text, text


def _regressed(finding: Finding, result: GateResult) -> _Said:  # noqa: ARG001
    may = "" if finding.state is State.FAIL else "may be "
    text = (
        f"{queries(finding.data['n'])} {may}worse by {finding.measure}, allowed "
        f"{finding.data['allowed']:,}"
    )
    return text, text


def _no_baseline(finding: Finding, result: GateResult) -> _Said:
    own = finding.data
    values = ", ".join(f"{n} is {result.metrics[n].value:.4f}" for n in own["measures"])
    text = f"no baseline for gate {safe_repr(result.name)} ({line(result.baseline)})"
    if result.elsewhere:
        remedy = (
            f"it is not below {line(result.elsewhere)}: a gate that is new or renamed is red until "
            f"it is; write it in the working copy, commit it and merge: {result.update}"
        )
    else:
        remedy = f"write it with: {result.update}"
    return f"{text}; {values} now - {remedy}", text


def _renamed(finding: Finding, result: GateResult) -> _Said:
    own, gate = finding.data, line(finding.data["gate"])
    if own["name"] not in (own["gate"], own["own_name"]):
        gate = f"{safe_repr(own['name'])} ({gate})"
    text = f"baseline {line(result.baseline)} was recorded by the gate {gate}"
    if result.elsewhere:
        remedy = "a gate that was renamed is red until the file there says so"
    else:
        remedy = (
            f"if that is this gate's old name, accept the new one with: {result.update}; if not, "
            "restore the file"
        )
    return f"{text}: {remedy}", text


def _ratchet(finding: Finding, result: GateResult) -> _Said:
    row = _row_of(result, finding)
    text = f"{moved_to(row)}, better than the baseline"
    return f"{text}: record it with: {result.update}", text


def _looser(finding: Finding, result: GateResult) -> _Said:  # noqa: ARG001
    texts = [
        f"{line(name, 100)} was {then:g} and is {'gone' if now is None else f'{now:g}'}"
        for name, then, now in finding.data["limits"]
    ]
    text = f"limits are looser than recorded: {first_of(texts)}"
    return text, text


def _not_recorded(finding: Finding, result: GateResult) -> _Said:
    own = finding.data
    if own.get("lower"):
        text = f"not recorded: {', '.join(own['lower'])}; to record it: {result.accept}"
    elif own.get("gains"):
        gains = [f"{moved_to(row)} ({p_phrase(row.drop.p_of_gain)})" for row in own["gains"]]
        text = (
            f"improved, not recorded: {', '.join(gains)}: a baseline rises where p < "
            f"{own['alpha']:g}; to record it all the same: {result.accept}"
        )
    else:
        text = f"not recorded: {own['why']}; to record it: {result.accept}"
    return text, text


def _sample(finding: Finding, result: GateResult) -> _Said:
    own = finding.data
    needs = ""
    if own["needed"] is not None and own["seen"] > own["allowed"] + SLACK:
        needs = f"; {own['allowed']:g} (max_drop) takes about {own['needed']:,.0f}"
    text = (
        f"{queries(result.queries)}: drops from {own['seen']:.2g} on are seen (80% power), "
        f"{own['rate']:.0%} false alarms{needs}. If these queries are a contract and no sample, "
        "pass hard_drop equal to max_drop"
    )
    return text, text


def _plain(template: str) -> Callable[[Finding, GateResult], _Said]:
    """A sentence that needs nothing but the data of its finding."""

    def said(finding: Finding, result: GateResult) -> _Said:
        texts = {
            key: line(value) if isinstance(value, str) else value
            for key, value in finding.data.items()
        }
        texts |= {
            "measure": finding.measure,
            "label": "" if finding.label is None else shown(finding.label),
            "n": queries(result.queries),
            "allow": _allow(finding.rule, result),
        }
        full, short = (template.format(remedy=remedy, **texts) for remedy in (_remedy(result), ""))
        return full, short

    return said


_SENTENCES: dict[str, Callable[[Finding, GateResult], _Said]] = {
    "threshold": _threshold,
    "threshold_unjudged": _threshold_unjudged,
    "per_query": _per_query,
    "drop": _drop,
    "not_confirmed": _not_confirmed,
    "drop_unjudged": _drop_unjudged,
    "unknown_unjudged": _unknown_unjudged,
    "not_proven": _not_proven,
    "no_fit": _no_fit,
    "redefined": _redefined,
    "moved": _moved,
    "no_slice": _slices_gone,
    "slice_gone": _slices_gone,
    "lost_values": _lost_values,
    "vacuous": _vacuous,
    "regressed": _regressed,
    "no_baseline": _no_baseline,
    "renamed": _renamed,
    "ratchet": _ratchet,
    "looser": _looser,
    "not_recorded": _not_recorded,
    "failed": _plain("{text}"),
    "unchanged": _plain("the baseline says the same"),
    "contract": _plain("a contract: every drop of {measure} beyond {allowed:g} is red"),
    "sample": _sample,
    "one_run": _plain("items, ranks and parts of changes are those of the first of {runs} runs"),
    "first": _plain("new, recorded here: {directory} has no gate yet"),
    "gone": _plain("baseline has {measure!r} but the test did not compute it{remedy}"),
    "added": _plain("baseline does not fit: it does not have {measure!r}{remedy}"),
    "no_pooled_slice": _plain(
        "baseline does not fit: it has no {measure} of slice {label}{remedy}"
    ),
    "undefined": _plain("{measure} is undefined for all {n}"),
    "not_compared": _plain("no query has a value of {measure} on both sides"),
    "no_queries": _plain("{measure} ranks all queries together and has no values per query"),
    "regressed_nothing": _plain(
        "max_regressed_queries is {allowed:,}, and no more queries are compared by {measure}: it "
        "could not fail"
    ),
    "limits_judgements": _plain(
        "the limit of {measure} limits nothing: the judgements are taken as complete; give items "
        "that were judged irrelevant the grade 0"
    ),
    "limits_set": _plain(
        "the limit of {measure} limits nothing: every ranking holds all candidates, and no order "
        "of them could fail; give it a cutoff"
    ),
    "limits_nothing": _plain(
        "at_most of {measure} is {limit:g}, and {greatest:g} the greatest value of such rankings: "
        "no value could fail"
    ),
    "no_slice_judged": _plain(
        "max_slice_drop judges no slice: none of them has {least} queries to compare"
    ),
    "truncated": _plain(
        "{measure} reads deeper than the rankings, which end at {length} and lack relevant items; "
        "{allow} if that is right"
    ),
    "unretrieved": _plain(
        "{measure} gets better when less is retrieved; gate recall beside it, or {allow}"
    ),
    "perfect": _plain(
        "{measure} is exactly 1 over {n}: do the rankings know the judgements? If they do not, "
        "{allow}"
    ),
    "new_unjudged": _plain("{now:.0%} of the new top {top} are unjudged ({side} {was:.0%})"),
    "nothing_unjudged": _plain(
        "unjudged={unjudged!r} changes nothing: the judgements have no grade 0, and so are taken "
        "as complete"
    ),
    "design_effect": _plain(
        "design effect {effect:.1f}: {compared:,} queries in {clusters:,} clusters count as "
        "{worth:.0f} independent queries ({measure})"
    ),
    "not_written": _plain("baseline not written because the gate fails; fix that first"),
}


def sentence(finding: Finding, result: GateResult, *, short: bool = False) -> str:
    """The sentence of a finding."""
    return _SENTENCES[finding.rule](finding, result)[short]


# The headline ------------------------------------------------------------------------------------


def headline(result: GateResult) -> str:
    """The first line: the first rule that fired in full, the others in short; else values."""
    by_state = {
        state: [own for own in result.findings if own.state is state]
        for state in (State.STALE, State.FAIL, State.CANNOT_TELL, State.NOT_CONFIRMED)
    }
    broken = [*by_state[State.STALE], *by_state[State.FAIL]]
    undecided, doubtful = by_state[State.CANNOT_TELL], by_state[State.NOT_CONFIRMED]
    if broken:
        first, *others = [*broken, *undecided]
        texts = [sentence(first, result)]
        texts += [sentence(own, result, short=True) for own in others[: MOST_FINDINGS - 1]]
        more = len(others) + 1 - MOST_FINDINGS
        text = "; ".join(texts) + (f" and {more:,} more" if more > 0 else "")
    elif undecided:
        text = f"Cannot tell: {sentence(undecided[0], result)}"
    elif doubtful:
        text = "; ".join(sentence(own, result) for own in doubtful[:MOST_FINDINGS])
    else:
        text = _values(result)
    unjudged = [own for own in result.findings if own.rule == "new_unjudged"]
    return "; ".join([text, *(sentence(own, result) for own in unjudged)])


def _values(result: GateResult) -> str:
    """The measures that have a limit, or else all."""
    rows = list(result.metrics.values())
    limited = [row for row in rows if _is_limited(row) or row.change is not None]
    parts = [
        value_sentence(row)
        if _is_limited(row) or row.change is None
        else f"{moved_to(row)}{_overall(row)}"
        for row in limited or rows
    ]
    if result.state is State.NEW or result.written == "lowered":
        parts = [value_sentence(row) for row in rows]
    return f"{'; '.join(parts[:MOST_FINDINGS])} ({queries(result.queries)})"


def _is_limited(row: MetricResult) -> bool:
    return row.at_least is not None or row.at_most is not None


def said(result: GateResult) -> dict[str, Any]:
    """The texts of reports."""
    return {
        "headline": result.headline,
        "message": result.message if result.state not in UNREMARKABLE else result.headline,
        "warnings": warnings_of(result),
        "notes": notes_of(result),
        "outlook": outlook_of(result),
    }


def warnings_of(result: GateResult) -> list[str]:
    """Warnings of a gate that passes."""
    if not result.passed:
        return []
    return [sentence(own, result) for own in result.findings if own.warns]


def notes_of(result: GateResult) -> list[str]:
    """Remarks that decide nothing."""
    own = [own for own in result.findings if own.state is None and not own.warns]
    return [sentence(finding, result) for finding in own]


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
    n = queries(row.compared)
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
    tables = (_metrics(result), _slices(result), _queries(result))
    last = [*_about_test(result), *filter(None, [outlook_of(result)])]
    if result.state is State.CANNOT_TELL and not result.passed:
        strict = "--strict" if result.is_command else "--rank-strict"
        last.append(
            f"a gate that cannot tell fails in CI and with {strict}; "
            f"{_allow('cannot_tell', result)} if the change is to go through all the same"
        )
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


def _metrics(result: GateResult) -> list[str]:
    """The measures that are compared, then the thresholds."""
    results, rows, lines = list(result.metrics.values()), [], []
    compared = [row for row in results if row.drop is not None]
    apart_from_all = any(_overall(row) for row in compared)
    for row in compared:
        drop = row.drop
        assert drop is not None
        n = f"{drop.lost}/{drop.won}/{drop.n - drop.lost - drop.won}" if drop.n else ""
        cells = [text_cell(row.name), number_cell(row.baseline), number_cell(row.now)]
        cells += [number_cell(row.value)] * apart_from_all
        cells += [
            number_cell(row.change, signed=True),
            number_cell(_bound(row), signed=True),
            text_cell(_allowed(row, row.allowed or 0.0)),
            p_cell(drop.p_adjusted),
            text_cell(n),
            text_cell(word(row.state)),
        ]
        rows.append(tuple(cells))
    if rows:
        titles = [result.other, "now", *(["now, all queries"] * apart_from_all), "change"]
        titles += [f"at least ({1 - result.alpha:.0%})", "allowed", "p (Holm)"]
        columns = (
            Column("metric", longest=None),
            *(Column(title, "number") for title in titles),
            *(Column("worse/better/same"), Column("verdict")),
        )
        lines = to_text(Table(columns, tuple(rows))).split("\n")
    limited = [limit_phrase(row).rsplit(" ", 4) for row in filter(_is_limited, results)]
    if limited and (rows or len(results) > 1):
        judged = [[*own, "ok" if own[2] in (">=", "<=") else "FAIL"] for own in limited]
        lines += [*[""] * bool(lines), *aligned(judged, "<")]
    return lines


def _bound(row: MetricResult) -> float | None:
    """The least drop that the test shows, with the sign of a change."""
    if row.drop is None or not row.drop.at_least > 0:
        return None
    return -row.drop.at_least if row.greater_is_better else row.drop.at_least


def _slices(result: GateResult) -> list[str]:
    """The slices, failures first."""
    order = [State.FAIL, State.CANNOT_TELL, State.NOT_CONFIRMED]
    results = sorted(
        result.slices, key=lambda own: order.index(own.state) if own.state in order else len(order)
    )
    if not results:
        return []
    metrics = list(dict.fromkeys(own.name for own in results))
    one, compared = len(metrics) == 1, any(own.change is not None for own in results)
    titles = ["queries", *([result.other] * compared), "now"]
    titles += ["change", "allowed", "p (Holm)"] * compared
    columns = (
        Column(f"slice ({metrics[0]})" if one else "slice", longest=None),
        *([] if one else [Column("metric", longest=None)]),
        *(Column(title, "number") for title in titles),
        Column("verdict", longest=None),
    )
    rows = []
    for own in results[:MOST_SLICES]:
        limit = f"  {limit_phrase(own)}" if _is_limited(own) else ""
        cells = [text_cell(shown(own.label)), *([] if one else [text_cell(own.name)])]
        cells += [text_cell(str(own.queries)), *([number_cell(own.baseline)] if compared else [])]
        cells.append(number_cell(own.value if own.now is None else own.now))
        if compared:
            allowed = None if own.allowed is None else _allowed(own, own.allowed)
            p = None if own.drop is None else own.drop.p_adjusted
            cells += [number_cell(own.change, signed=True), text_cell(allowed), p_cell(p)]
        rows.append((*cells, text_cell(f"{slice_word(own)}{limit}")))
    lines, left = to_text(Table(columns, tuple(rows))).split("\n"), len(results) - MOST_SLICES
    return [*lines, f"and {left:,} more"] if left > 0 else lines


def slice_word(row: MetricResult) -> str:
    """State of a slice, or why it has none."""
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


def worst_table(worst: Worst, other: str, *, texts: bool = False) -> Table:
    """The queries that explain a verdict; ``texts`` adds a column with the texts of queries."""
    rows, measure = worst.rows, worst.measure
    compared = any(row.was is not None for row in rows)
    columns: list[tuple[Column, Callable[[QueryRow], Any]]] = [
        (Column("query", longest=None), lambda row: text_cell(shown(row.query)))
    ]
    if compared and any(row.slices for row in rows):
        columns.append((Column("slice"), lambda row: text_cell(" ".join(map(shown, row.slices)))))
    if compared:
        columns += [
            (
                Column(f"{measure} was" if texts else "was", "number"),
                lambda row: number_cell(row.was),
            ),
            (Column("now", "number"), lambda row: number_cell(row.now)),
            (
                Column("change", "number"),
                lambda row: number_cell(row.now - (row.was or 0.0), signed=True),
            ),
        ]
        title = f"relevant items: rank in the {other} -> rank now"
    else:
        columns.append((Column(measure, "number", longest=None), lambda row: number_cell(row.now)))
        title = "relevant found at"
    columns.append((Column(title, longest=None), lambda row: text_cell(places_of(row))))
    if not compared:
        columns.append((Column("missing", longest=None), lambda row: text_cell(missing_of(row))))
    if texts and any(row.text for row in rows):
        columns.append((Column("asks", longest=None), lambda row: text_cell(line(row.text, 80))))
    cells = tuple(tuple(cell(row) for _, cell in columns) for row in rows)
    return Table(tuple(column for column, _ in columns), cells)


def _queries(result: GateResult) -> list[str]:
    """The queries that explain a failure, with their texts and their top items now."""
    worst = result.worst
    if worst is None or not worst.rows:
        return []
    title, *lines = to_text(worst_table(worst, result.other)).split("\n")
    n, texts = len(worst.rows), [line(row.text, 80) for row in worst.rows]
    below, tops = texts, [top_of(row) for row in worst.rows]
    of = ""
    if worst.labels:
        of = f" in {'slice' if len(worst.labels) == 1 else 'slices'} {several(worst.labels)}"
    alone = worst.rows[0].was is None
    if alone:
        about = f"worst queries by {worst.measure}{of} ({n} of {worst.of})"
        room = max(WIDTH - 6 - max(map(display_width, (title, *lines))), 20)
        tops = [top if len(top) <= room else f"{top[: room - 3]}..." for top in tops]
        head = (title, "top of the list (* relevant, ? unjudged)")
        title, *lines = aligned([head, *zip(lines, tops, strict=True)], "<")
    else:
        share = f"; these {n} are {worst.share:.0%} of the loss" if n > 1 and worst.share else ""
        signs = "* relevant, ? unjudged, - not retrieved"
        about = f"biggest losses{of} ({worst.measure}{share}; {signs})"
        tops = [
            f"now on top: {top}" if row.top else ""
            for top, row in zip(tops, worst.rows, strict=True)
        ]
        below = ["  ".join(filter(None, pair)) for pair in zip(below, tops, strict=True)]
    printed = [title]
    for own, text in zip(lines, below, strict=True):
        printed += [own, f"    {text}"] if text else [own]
    gains = ", ".join(f"{shown(query)} {gain:+.4f}" for query, gain in worst.gains)
    printed = [f"  {own}" for own in printed] if alone else printed
    return [about, *printed, *([f"biggest gains: {gains}"] if gains else [])]


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
        found.append(f"{queries(len(empty))} returned nothing and {verb} as 0")
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
    remarks = [f"{queries(n)} {what}" for n, what in left_out if n]
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
    return [f"test: paired t, one-sided, alpha {result.alpha:g}{over}"]


def _footer(result: GateResult) -> list[str]:
    """The files, and how a drop that is wanted is accepted."""
    if not result.baseline or result.other != "baseline":
        return []
    lines = [f"baseline  {line(result.baseline)}"]
    lines += [f"obtained  {line(result.obtained)}"] if result.obtained else []
    red = not result.passed
    lines += [f"accept    {result.accept}"] if red else []
    if red and result.elsewhere:
        lines.append(
            f"the baseline is that of {line(result.elsewhere)}: run this in the working copy and "
            "commit the file; this run stays red until the change is merged"
        )
    return lines
