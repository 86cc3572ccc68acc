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
    threshold_phrase,
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
    by_verdict = {
        verdict: [own for own in assessment.findings if own.verdict is verdict]
        for verdict in (Verdict.STALE, Verdict.FAIL, Verdict.CANNOT_TELL, Verdict.WARN)
    }
    stale, failed, undecided, warned = by_verdict.values()
    if stale or failed:
        first, *others = [*stale, *failed, *undecided]
        texts = [first.full, *(own.short for own in others[: MOST_FINDINGS - 1])]
        more = len(others) + 1 - MOST_FINDINGS
        text = "; ".join(texts) + (f" and {more:,} more" if more > 0 else "")
    elif undecided:
        text = f"cannot tell: {undecided[0].full}"
    else:
        text = warned[0].full if warned else _values(assessment)
    return f"{text}; {assessment.new_unjudged}" if assessment.new_unjudged else text


def _values(assessment: Assessment) -> str:
    """The measures that have a limit, or else all."""
    results, parts = assessment.metric_results.values(), []
    for result in results:
        if _is_limited(result):
            parts.append(_threshold(result.name, result))
        elif result.change is not None and result.baseline is not None:
            was = f"{result.baseline:.4f} -> {result.baseline + result.change:.4f}"
            parts.append(f"{result.name} {was} ({formatting.signed(result.change)})")
    parts = parts or [f"{result.name} {result.value:.4f}" for result in results]
    return f"{'; '.join(parts[:MOST_FINDINGS])} ({formatting.queries(len(assessment.measured))})"


def _is_limited(result: MetricResult) -> bool:
    return result.at_least is not None or result.at_most is not None


def _threshold(name: str, result: MetricResult) -> str:
    return threshold_phrase(name, result.value, result.at_least, result.at_most)


def message(assessment: Assessment, worst: Worst | None, footer: list[str]) -> str:
    """Headline, tables, notes and what to do; at most 100 columns wide where data allows."""
    tables = (_metrics(assessment), _slices(assessment), _queries(assessment, worst))
    blocks = [
        [headline(assessment)],
        *([f"  {line}".rstrip() for line in lines] for lines in tables),
        [*facts(assessment), *assessment.notes, *_about_threshold(assessment, worst)],
        footer,
        [*_about_test(assessment), *_about_undecided(assessment)],
    ]
    return for_log("\n\n".join("\n".join(block) for block in blocks if block))


def _lines(table: Table) -> list[str]:
    return to_text(table).split("\n")


# Tables ------------------------------------------------------------------------------------------


def _metrics(assessment: Assessment) -> list[str]:
    """The measures that are compared, then the thresholds."""
    results = list(assessment.metric_results.values())
    compared = [result for result in results if result.change is not None]
    lines = _lines(_changes(assessment, compared)) if compared else []
    if compared or len(results) > 1:
        for result in filter(_is_limited, results):
            phrase = _threshold(result.name, result)
            met = " >= " in phrase or " <= " in phrase
            lines.append(f"{phrase}  {'ok' if met else 'FAIL'}")
    return lines


def _changes(assessment: Assessment, results: list[MetricResult]) -> Table:
    columns = (
        Column("metric", longest=None),
        *(Column(title, "number") for title in ("baseline", "now", "change")),
        Column("95% CI of the change", "interval"),
        Column("allowed", "number"),
        Column(_p_title(assessment), "number"),
        Column("worse/better/same"),
        Column("verdict"),
    )
    rows = []
    for result in results:
        was, change = result.baseline or 0.0, result.change or 0.0
        row = (
            text_cell(result.name),
            number_cell(was),
            number_cell(was + change),
            number_cell(change, signed=True),
            interval_cell(*(result.change_ci or (None, None)), signed=True),
            text_cell(allowed_change(assessment, result.name, result.allowed or 0.0)),
            p_cell(result.p),
            text_cell(
                None if result.worse is None else f"{result.worse}/{result.better}/{result.same}"
            ),
            text_cell(_SAID.get(assessment.changes[result.name].decision.verdict)),
        )
        rows.append(row)
    return Table(columns, tuple(rows))


def _p_title(assessment: Assessment) -> str:
    return f"p ({_CORRECTIONS[assessment.policy.settings.correction]})"


def _slices(assessment: Assessment) -> list[str]:
    """The slices, those that fail first."""
    if not assessment.slice_results:
        return []
    order = [Verdict.FAIL, Verdict.CANNOT_TELL, Verdict.WARN]
    results = sorted(
        assessment.slice_results,
        key=lambda result: order.index(result.verdict) if result.verdict in order else len(order),
    )
    metrics = list(dict.fromkeys(result.name for result in results))
    one, compared = len(metrics) == 1, any(result.change is not None for result in results)
    titles = ["queries", *(["baseline"] * compared), "now"]
    titles += ["change", "allowed", _p_title(assessment)] * compared
    columns = (
        Column(f"slice ({metrics[0]})" if one else "slice", longest=None),
        *([] if one else [Column("metric", longest=None)]),
        *(Column(title, "number") for title in titles),
        Column("verdict", longest=None),
    )
    rows = []
    for result in results[:MOST_SLICES]:
        now = result.value if result.change is None else (result.baseline or 0.0) + result.change
        allowed = (
            None
            if result.allowed is None
            else allowed_change(assessment, result.name, result.allowed)
        )
        says_why = result.verdict in (Verdict.WARN, Verdict.SHOWN)
        verdict = result.reason if says_why else _SAID[result.verdict]
        limit = f"  {_threshold(result.name, result)}" if _is_limited(result) else ""
        change = [number_cell(result.change, signed=True), text_cell(allowed), p_cell(result.p)]
        row = (
            text_cell(result.label),
            *([] if one else [text_cell(result.name)]),
            text_cell(str(result.queries)),
            *([number_cell(result.baseline)] if compared else []),
            number_cell(now),
            *(change if compared else []),
            text_cell(f"{verdict}{limit}"),
        )
        rows.append(row)
    lines, left = _lines(Table(columns, tuple(rows))), len(results) - MOST_SLICES
    return [*lines, f"and {left:,} more"] if left > 0 else lines


def _queries(assessment: Assessment, worst: Worst | None) -> list[str]:
    """The queries that explain a failure, with what they ask and what is now on top."""
    if worst is None or not worst.rows:
        return []
    other = "baseline" if assessment.alignment is not None else "reference"
    table = worst_table([asdict(row) for row in worst.rows], worst.metric, other)
    title, *lines = _lines(table)
    n, below, of = len(worst.rows), [row.text for row in worst.rows], ""
    if worst.slices:
        kind = "slice" if len(worst.slices) == 1 else "slices"
        of = f" in {kind} {formatting.several(worst.slices)}"
    if worst.rows[0].was is None:
        total = sum(len(assessment.slices[label].members) for label in worst.slices)
        about = f"worst queries by {worst.metric}{of} ({n} of {total or len(assessment.measured)})"
        room = max(formatting.WIDTH - 6 - max(map(display_width, (title, *lines))), 20)
        tops = [row.top for row in worst.rows]
        tops = [top if len(top) <= room else f"{top[: room - 3]}..." for top in tops]
        head = (title, "top of the list (* relevant, ? unjudged)")
        title, *lines = aligned([head, *zip(lines, tops, strict=True)], "<")
    else:
        share = f"; these {n} are {worst.share:.0%} of the loss" if n > 1 else ""
        about = f"biggest losses{of} ({worst.metric}{share})"
        tops = [f"now on top: {row.top}" if row.top else "" for row in worst.rows]
        below = ["  ".join(filter(None, pair)) for pair in zip(below, tops, strict=True)]
    shown = [title]
    for line, text in zip(lines, below, strict=True):
        shown += [line, f"    {text}"] if text else [line]
    if worst.rows[0].was is None:
        shown = [f"  {line}" for line in shown]
    gains = ", ".join(f"{query} {gain:+.4f}" for query, gain in worst.gains)
    return [about, *shown, *([f"biggest gains: {gains}"] if gains else [])]


# Advice ------------------------------------------------------------------------------------------


def _about_threshold(assessment: Assessment, worst: Worst | None) -> list[str]:
    """What a failed threshold can and cannot tell."""
    lines = []
    for result in assessment.metric_results.values():
        limit = result.at_least if result.at_least is not None else result.at_most
        if limit is None or result.threshold is Verdict.PASS:
            continue
        if result.verdict is not Verdict.FAIL:
            continue
        if worst is not None and _can_be_perfect(assessment, worst, result):
            n, missing = len(worst.rows), math.fsum(1 - row.now for row in worst.rows)
            lists = "a perfect list for this query" if n == 1 else ""
            lists = lists or f"perfect lists for these {n} queries"
            perfect = result.value + missing / result.queries
            lines.append(f"{lists} alone would give {result.name} {perfect:.4f}")
        low, high = interval_of(assessment.measured, result.name)
        if low <= limit <= high:
            lines.append(
                f"the interval contains the threshold: {formatting.queries(result.queries)} cannot "
                f"tell {result.value:.4f} from {limit:.4f} reliably"
            )
    return lines


def _can_be_perfect(assessment: Assessment, worst: Worst, result: MetricResult) -> bool:
    """Whether the table is about the measure, and a perfect list has 1, as all have one weight."""
    used = assessment.measured.used[result.name]
    return (
        worst.metric == result.name
        and bool(worst.rows)
        and worst.rows[0].was is None
        and used.metric.name in _PERFECT_IS_ONE
        and assessment.measured.weights(result.name) is None
        and (used.metric.name != "map" or used.options["denominator"] == "min")
    )


def _about_undecided(assessment: Assessment) -> list[str]:
    """How a gate that cannot tell may pass."""
    if assessment.verdict is not Verdict.CANNOT_TELL or not assessment.is_red:
        return []
    return [
        "a gate that cannot tell fails in CI and where --rank-strict or rank_cannot_tell = fail "
        "says so;",
        'pass allow={"cannot_tell"} if the change is to go through all the same',
    ]


def _about_test(assessment: Assessment) -> list[str]:
    """Which test was used, and which drops it can see."""
    changes = [change for change in assessment.changes.values() if change.paired is not None]
    settings = assessment.policy.settings
    if not changes or not settings.confirm:
        return []
    if min(change.n for change in changes) < settings.min_queries:
        return [
            f"significance is not used below {settings.min_queries} queries: "
            "the margin alone decides"
        ]
    name = "paired t" if settings.test == "t" else "sign-flip permutation"
    metrics = formatting.count(len(assessment.changes), "metric")
    over = f"{_CORRECTIONS[settings.correction]} over {metrics}"
    gated = [
        result.label
        for result in assessment.slice_results
        if result.allowed is not None and result.verdict is not Verdict.SHOWN
    ]
    if gated:
        tests = formatting.count(len(gated), "test")
        labels = formatting.count(len(set(gated)), "slice")
        over += f" and over {tests} of {labels} (alpha {settings.slice_alpha:g})"
    lines = [f"test: {name}, one-sided, alpha {settings.alpha:g}, {over}"]
    # NaN where all queries changed alike, or not at all.
    seen = max((change.detectable for change in changes if change.detectable > 0), default=0.0)
    if seen > 0:
        lines.append(f"with these data drops of {seen:.4f} or more are found with 80 % probability")
    return lines
