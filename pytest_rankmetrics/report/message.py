"""The message of a gate: one line that says everything, then the tables behind it."""

from __future__ import annotations

import math
from dataclasses import asdict

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.phrases import (
    allowed_change,
    facts,
    interval_of,
    moved_to,
    threshold_phrase,
    threshold_sentence,
    worth_texts,
)
from pytest_rankmetrics.assessment.result import MetricResult
from pytest_rankmetrics.policy.verdicts import Verdict
from pytest_rankmetrics.report.queries import Worst, worst_table
from sklearn_rank.support.text import for_log
from sklearn_rank.tables.formats import aligned, display_width, to_text
from sklearn_rank.tables.table import Column, Table, interval_cell, number_cell, p_cell, text_cell

MOST_FINDINGS = 6
"""Violations in a headline, which test runners print on one line."""
MOST_SLICES = 20
"""Rows that fit a screen; those that fail come first."""

_SAID = {
    Verdict.FAIL: "FAIL",
    Verdict.STALE: "FAIL",
    Verdict.WARN: "warn",
    Verdict.CANNOT_TELL: "CANNOT TELL",
    Verdict.IMPROVED: "improved",
    Verdict.PASS: "ok",
    Verdict.NEW: "new",
}
_PERFECT_IS_ONE = ("map", "mrr", "ndcg", "nerr", "hit_rate")
_CORRECTIONS = {"holm": "Holm", "bh": "BH", "none": "raw"}


def headline(assessment: Assessment) -> str:
    """The first line: the first violation in full, the others in short; else values."""
    stale, failed, undecided, warned = (
        [own for own in assessment.findings if own.verdict is verdict]
        for verdict in (Verdict.STALE, Verdict.FAIL, Verdict.CANNOT_TELL, Verdict.WARN)
    )
    if stale or failed:
        first, *others = [*stale, *failed, *undecided]
        texts = [first.full, *(own.short for own in others[: MOST_FINDINGS - 1])]
        more = len(others) + 1 - MOST_FINDINGS
        text = "; ".join(texts) + (f" and {more:,} more" if more > 0 else "")
    elif undecided:
        text = f"Cannot tell: {undecided[0].full}"
    else:
        text = warned[0].full if warned else _values(assessment)
    return f"{text}; {assessment.new_unjudged}" if assessment.new_unjudged else text


def _values(assessment: Assessment) -> str:
    """The measures that have a limit, or else all."""
    titles = {name: used.title for name, used in assessment.measured.used.items()}
    parts = [
        threshold_sentence(titles[name], own.value, own.at_least, own.at_most)
        if _is_limited(own)
        else moved_to(titles[name], assessment.changes[name])
        for name, own in assessment.metric_results.items()
        if _is_limited(own) or own.change is not None
    ]
    parts = parts or [
        threshold_sentence(titles[name], own.value, None, None)
        for name, own in assessment.metric_results.items()
    ]
    return f"{'; '.join(parts[:MOST_FINDINGS])} ({formatting.queries(len(assessment.measured))})"


def _is_limited(result: MetricResult) -> bool:
    return result.at_least is not None or result.at_most is not None


def _threshold(result: MetricResult) -> str:
    return threshold_phrase(result.name, result.value, result.at_least, result.at_most)


def message(assessment: Assessment, worst: Worst | None, footer: list[str]) -> str:
    """Headline, tables, notes and what to do; at most 100 columns wide where data allows."""
    tables = (_metrics(assessment), _slices(assessment), _queries(assessment, worst))
    blocks = [
        [headline(assessment)],
        *([f"  {line}".rstrip() for line in lines] for lines in tables),
        [*facts(assessment), *assessment.notes, *_about_threshold(assessment, worst)],
        footer,
        [*_about_test(assessment), *filter(None, worth_texts(assessment))],
    ]
    if assessment.verdict is Verdict.CANNOT_TELL and assessment.is_red:
        blocks[-1] += [
            "a gate that cannot tell fails in CI and where --rank-strict or rank_cannot_tell = "
            "fail says so;",
            'pass allow={"cannot_tell"} if the change is to go through all the same',
        ]
    return for_log("\n\n".join("\n".join(block) for block in blocks if block))


# Tables ------------------------------------------------------------------------------------------


def _metrics(assessment: Assessment) -> list[str]:
    """The measures that are compared, then the thresholds."""
    results, rows, lines = list(assessment.metric_results.values()), [], []
    for own in results:
        if own.change is None:
            continue
        was = own.baseline or 0.0
        numbers = None if own.worse is None else f"{own.worse}/{own.better}/{own.same}"
        row = (
            text_cell(own.name),
            number_cell(was),
            number_cell(was + own.change),
            number_cell(own.change, signed=True),
            interval_cell(*(own.change_ci or (None, None)), signed=True),
            text_cell(allowed_change(assessment, own.name, own.allowed or 0.0)),
            p_cell(own.p),
            text_cell(numbers),
            text_cell(_SAID.get(assessment.changes[own.name].decision.verdict)),
        )
        rows.append(row)
    if rows:
        columns = (
            Column("metric", longest=None),
            *(Column(title, "number") for title in ("baseline", "now", "change")),
            Column("95% CI of the change", "interval"),
            *(Column(title, "number") for title in ("allowed", _p_title(assessment))),
            *(Column("worse/better/same"), Column("verdict")),
        )
        lines = to_text(Table(columns, tuple(rows))).split("\n")
    if rows or len(results) > 1:
        for phrase in map(_threshold, filter(_is_limited, results)):
            met = " >= " in phrase or " <= " in phrase
            lines.append(f"{phrase}  {'ok' if met else 'FAIL'}")
    return lines


def _p_title(assessment: Assessment) -> str:
    return f"p ({_CORRECTIONS[assessment.policy.settings.correction]})"


def _slices(assessment: Assessment) -> list[str]:
    """The slices, those that fail first."""
    order = [Verdict.FAIL, Verdict.CANNOT_TELL, Verdict.WARN]
    results = sorted(
        assessment.slice_results,
        key=lambda own: order.index(own.verdict) if own.verdict in order else len(order),
    )
    if not results:
        return []
    metrics = list(dict.fromkeys(own.name for own in results))
    one, compared = len(metrics) == 1, any(own.change is not None for own in results)
    titles = ["queries", *(["baseline"] * compared), "now"]
    titles += ["change", "allowed", _p_title(assessment)] * compared
    columns = (
        Column(f"slice ({metrics[0]})" if one else "slice", longest=None),
        *([] if one else [Column("metric", longest=None)]),
        *(Column(title, "number") for title in titles),
        Column("verdict", longest=None),
    )
    rows = []
    for own in results[:MOST_SLICES]:
        now = own.value if own.change is None else (own.baseline or 0.0) + own.change
        says_why = own.verdict in (Verdict.WARN, Verdict.SHOWN)
        verdict = own.reason if says_why else _SAID[own.verdict]
        limit = f"  {_threshold(own)}" if _is_limited(own) else ""
        cells = [text_cell(own.label), *([] if one else [text_cell(own.name)])]
        cells += [text_cell(str(own.queries)), *([number_cell(own.baseline)] if compared else [])]
        cells.append(number_cell(now))
        if compared:
            margin = own.allowed
            allowed = None if margin is None else allowed_change(assessment, own.name, margin)
            cells += [number_cell(own.change, signed=True), text_cell(allowed), p_cell(own.p)]
        rows.append((*cells, text_cell(f"{verdict}{limit}")))
    lines, left = to_text(Table(columns, tuple(rows))).split("\n"), len(results) - MOST_SLICES
    return [*lines, f"and {left:,} more"] if left > 0 else lines


def _queries(assessment: Assessment, worst: Worst | None) -> list[str]:
    """The queries that explain a failure, with what they ask and what is now on top."""
    if worst is None or not worst.rows:
        return []
    other = "baseline" if assessment.alignment is not None else "reference"
    table = worst_table([asdict(row) for row in worst.rows], worst.metric, other)
    title, *lines = to_text(table).split("\n")
    n, below, of = len(worst.rows), [row.text for row in worst.rows], ""
    if worst.slices:
        kind = "slice" if len(worst.slices) == 1 else "slices"
        of = f" in {kind} {formatting.several(worst.slices)}"
    alone = worst.rows[0].was is None
    if alone:
        total = sum(len(assessment.slices[label].members) for label in worst.slices)
        about = f"worst queries by {worst.metric}{of} ({n} of {total or len(assessment.measured)})"
        room = max(formatting.WIDTH - 6 - max(map(display_width, (title, *lines))), 20)
        tops = [row.top for row in worst.rows]
        tops = [top if len(top) <= room else f"{top[: room - 3]}..." for top in tops]
        head = (title, "top of the list (* relevant, ? unjudged)")
        title, *lines = aligned([head, *zip(lines, tops, strict=True)], "<")
    else:
        share = f"; these {n} are {worst.share:.0%} of the loss" if n > 1 else ""
        signs = "* relevant, ? unjudged, - not retrieved"
        about = f"biggest losses{of} ({worst.metric}{share}; {signs})"
        tops = [f"now on top: {row.top}" if row.top else "" for row in worst.rows]
        below = ["  ".join(filter(None, pair)) for pair in zip(below, tops, strict=True)]
    shown = [title]
    for line, text in zip(lines, below, strict=True):
        shown += [line, f"    {text}"] if text else [line]
    gains = ", ".join(f"{query} {gain:+.4f}" for query, gain in worst.gains)
    shown = [f"  {line}" for line in shown] if alone else shown
    return [about, *shown, *([f"biggest gains: {gains}"] if gains else [])]


# Advice ------------------------------------------------------------------------------------------


def _about_threshold(assessment: Assessment, worst: Worst | None) -> list[str]:
    """Advice on failed thresholds."""
    lines, measured = [], assessment.measured
    for own in assessment.metric_results.values():
        limit = own.at_least if own.at_least is not None else own.at_most
        if limit is None or own.threshold is Verdict.PASS or own.verdict is not Verdict.FAIL:
            continue
        used = measured.used[own.name]
        if (
            worst is not None  # the table is about the measure, and a perfect list has 1
            and worst.metric == own.name
            and worst.rows
            and worst.rows[0].was is None
            and used.metric.name in _PERFECT_IS_ONE
            and measured.weights(own.name) is None
            and (used.metric.name != "map" or used.options["denominator"] == "min")
        ):
            n, lacking = len(worst.rows), math.fsum(1 - row.now for row in worst.rows)
            lists = f"perfect lists for these {n} queries"
            lists = "a perfect list for this query" if n == 1 else lists
            perfect = own.value + lacking / own.queries
            lines.append(f"{lists} alone would give {own.name} {perfect:.4f}")
        low, high = interval_of(measured, own.name)
        if low <= limit <= high:
            lines.append(
                f"the interval contains the threshold: {formatting.queries(own.queries)} cannot "
                f"tell {own.value:.4f} from {limit:.4f} reliably"
            )
    return lines


def _about_test(assessment: Assessment) -> list[str]:
    """The test."""
    changes = [change for change in assessment.changes.values() if change.paired is not None]
    settings = assessment.policy.settings
    if not changes or not settings.confirm:
        return []
    if min(change.n for change in changes) < settings.min_queries:
        below = f"significance is not used below {settings.min_queries} queries"
        return [f"{below}: the margin alone decides"]
    name = "paired t" if settings.test == "t" else "sign-flip permutation"
    n, corrected = len(assessment.changes), _CORRECTIONS[settings.correction]
    over = f", {corrected} over {n:,} metrics" if n > 1 else ""
    gated = [
        own.label
        for own in assessment.slice_results
        if own.allowed is not None and own.verdict is not Verdict.SHOWN
    ]
    if gated:
        tests = formatting.count(len(gated), "test")
        labels = formatting.count(len(set(gated)), "slice")
        over += f"; {corrected} over {tests} of {labels} (alpha {settings.slice_alpha:g})"
    return [f"test: {name}, one-sided, alpha {settings.alpha:g}{over}"]
