"""The message of a gate: one line that says everything, then the tables behind it."""

from __future__ import annotations

import math

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.phrases import allowed_change, interval_of, threshold_phrase
from pytest_rankmetrics.assessment.remarks import facts
from pytest_rankmetrics.assessment.result import MetricResult, SliceResult
from pytest_rankmetrics.policy.verdicts import Verdict
from pytest_rankmetrics.report.worst import Worst
from sklearn_rank.support.text import for_log
from sklearn_rank.tables.text import aligned, display_width

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
    Verdict.SHOWN: "",
    Verdict.PASS: "ok",
    Verdict.NEW: "new",
}
_PERFECT_IS_ONE = ("map", "mrr", "ndcg", "nerr", "hit_rate")


def said(verdict: Verdict, reason: str = "") -> str:
    """A verdict in a table."""
    if verdict is Verdict.SHOWN:
        return reason
    return _SAID[verdict]


def headline(assessment: Assessment) -> str:
    """The first line: what was found, and whether more of the top is unjudged than before."""
    text = _found(assessment)
    return f"{text}; {assessment.new_unjudged}" if assessment.new_unjudged else text


def _found(assessment: Assessment) -> str:
    """The first violation in full, the others in short."""
    failures = [
        finding
        for finding in assessment.findings
        if finding.verdict in (Verdict.FAIL, Verdict.STALE)
    ]
    failures.sort(key=lambda finding: finding.verdict is not Verdict.STALE)
    if failures:
        failures += [
            finding for finding in assessment.findings if finding.verdict is Verdict.CANNOT_TELL
        ]
        texts = [failures[0].full, *(finding.short for finding in failures[1:MOST_FINDINGS])]
        more = len(failures) - MOST_FINDINGS
        return "; ".join(texts) + (f" and {more:,} more" if more > 0 else "")
    for verdict in (Verdict.CANNOT_TELL, Verdict.WARN):
        texts = [finding.full for finding in assessment.findings if finding.verdict is verdict]
        if texts:
            return f"cannot tell: {texts[0]}" if verdict is Verdict.CANNOT_TELL else texts[0]
    return _passed(assessment)


def _passed(assessment: Assessment) -> str:
    parts = []
    for result in assessment.metric_results.values():
        if result.at_least is not None or result.at_most is not None:
            parts.append(
                threshold_phrase(result.name, result.value, result.at_least, result.at_most)
            )
        elif result.change is not None and result.baseline is not None:
            was = f"{result.baseline:.4f} -> {result.baseline + result.change:.4f}"
            parts.append(f"{result.name} {was} ({formatting.signed(result.change)})")
    if not parts:
        parts = [
            f"{result.name} {result.value:.4f}" for result in assessment.metric_results.values()
        ]
    return f"{'; '.join(parts[:MOST_FINDINGS])} ({formatting.queries(len(assessment.measured))})"


def message(assessment: Assessment, worst: Worst | None, footer: list[str]) -> str:
    """Headline, tables, notes and what to do; at most 100 columns wide where data allows."""
    blocks = [
        [headline(assessment)],
        _indent(_metric_table(assessment)),
        _indent(_slice_table(assessment)),
        _indent(_worst_table(assessment, worst)),
        [*facts(assessment), *assessment.notes, *_about_threshold(assessment, worst)],
        footer,
        [*_about_test(assessment), *_about_undecided(assessment)],
    ]
    return for_log("\n\n".join("\n".join(block) for block in blocks if block))


def _indent(lines: list[str]) -> list[str]:
    return [f"  {line}".rstrip() for line in lines]


# Measures ----------------------------------------------------------------------------------------


def _metric_table(assessment: Assessment) -> list[str]:
    compared = [
        result for result in assessment.metric_results.values() if result.change is not None
    ]
    lines = []
    if compared:
        titles = ["metric", "baseline", "now", "change", "95% CI of the change", "allowed"]
        titles += [f"p ({_correction(assessment)})", "worse/better/same", "verdict"]
        rows = [titles, *(_metric_row(assessment, result) for result in compared)]
        lines = aligned(rows, "<>>><>><<")
    limited = [
        result
        for result in assessment.metric_results.values()
        if result.at_least is not None or result.at_most is not None
    ]
    if compared or len(assessment.metric_results) > 1:
        lines += [_threshold_row(result) for result in limited]
    return lines


def _correction(assessment: Assessment) -> str:
    names = {"holm": "Holm", "bh": "BH", "none": "raw"}
    return names[assessment.policy.settings.correction]


def _metric_row(assessment: Assessment, result: MetricResult) -> list[str]:
    low, high = result.change_ci or (math.nan, math.nan)
    known = not math.isnan(low)
    was = result.baseline or 0.0
    return [
        result.name,
        formatting.number(was),
        formatting.number(was + (result.change or 0.0)),
        formatting.signed(result.change),
        f"{formatting.signed(low)}..{formatting.signed(high)}" if known else "",
        allowed_change(assessment, result.name, result.allowed or 0.0),
        formatting.p_value(result.p),
        "" if result.worse is None else f"{result.worse}/{result.better}/{result.same}",
        said(assessment.changes[result.name].decision.verdict),
    ]


def _threshold_row(result: MetricResult) -> str:
    phrase = threshold_phrase(result.name, result.value, result.at_least, result.at_most)
    limit = result.at_least if result.at_least is not None else result.at_most
    met = limit is not None and (" >= " in phrase or " <= " in phrase)
    return f"{phrase}  {'ok' if met else 'FAIL'}"


# Slices ------------------------------------------------------------------------------------------


def _slice_table(assessment: Assessment) -> list[str]:
    if not assessment.slice_results:
        return []
    order = [Verdict.FAIL, Verdict.CANNOT_TELL, Verdict.WARN]
    rows = sorted(
        assessment.slice_results,
        key=lambda result: order.index(result.verdict) if result.verdict in order else len(order),
    )
    metrics = list(dict.fromkeys(result.metric for result in rows))
    title = f"slice ({metrics[0]})" if len(metrics) == 1 else "slice"
    own = [] if len(metrics) == 1 else ["metric"]
    compared = any(result.change is not None for result in rows)
    titles = [title, *own, "queries"]
    titles += ["baseline", "now", "change", "allowed", f"p ({_correction(assessment)})"] * compared
    titles += ["now"] * (not compared) + ["verdict"]
    shown = rows[:MOST_SLICES]
    table = [titles]
    table += [_slice_row(assessment, result, own=bool(own), compared=compared) for result in shown]
    lines = aligned(table, "<" * (1 + len(own)) + ">" * (len(titles) - 2 - len(own)) + "<")
    left = len(rows) - MOST_SLICES
    return [*lines, f"and {left:,} more"] if left > 0 else lines


def _slice_row(
    assessment: Assessment, result: SliceResult, *, own: bool, compared: bool
) -> list[str]:
    cells = [result.label, *([result.metric] if own else []), str(result.queries)]
    now = result.value if result.change is None else (result.baseline or 0.0) + result.change
    if compared:
        allowed = (
            ""
            if result.allowed is None
            else allowed_change(assessment, result.metric, result.allowed)
        )
        change = formatting.signed(result.change)
        cells += [formatting.number(result.baseline), formatting.number(now), change, allowed]
        cells.append(formatting.p_value(result.p))
    else:
        cells.append(formatting.number(now))
    limit = "" if result.at_least is None and result.at_most is None else _slice_limit(result)
    verdict = (
        result.reason if result.verdict is Verdict.WARN else said(result.verdict, result.reason)
    )
    return [*cells, f"{verdict}{limit}"]


def _slice_limit(result: SliceResult) -> str:
    phrase = threshold_phrase(result.metric, result.value, result.at_least, result.at_most)
    return f"  {phrase}"


# Queries -----------------------------------------------------------------------------------------


def _worst_table(assessment: Assessment, worst: Worst | None) -> list[str]:
    if worst is None or not worst.rows:
        return []
    n, total = len(worst.rows), len(assessment.measured)
    if math.isnan(worst.share) and worst.rows[0].was is None:
        titles = ["query", worst.metric, "relevant found at", "missing"]
        title = "top of the list (* relevant, ? unjudged)"
        rows = [
            [row.query, formatting.number(row.now), row.places, row.missing] for row in worst.rows
        ]
        lines = aligned([titles, *rows], "<><<")
        room = formatting.WIDTH - 4 - max(map(display_width, lines)) - 2
        tops = [title, *(row.top for row in worst.rows)]
        beside = [(line, _cut(top, room)) for line, top in zip(lines, tops, strict=True)]
        lines = aligned(beside, "<")
        lines = _with_texts(lines, [row.text for row in worst.rows])
        total = sum(len(assessment.slices[label].members) for label in worst.slices) or total
        about = f"worst queries by {worst.metric}{_of_slices(worst)} ({n} of {total})"
        return [about, *(f"  {line}" for line in lines)]
    return _loss_table(assessment, worst)


def _of_slices(worst: Worst) -> str:
    """What the table is of, where slices alone fail."""
    if not worst.slices:
        return ""
    kind = "slice" if len(worst.slices) == 1 else "slices"
    return f" in {kind} {formatting.several(worst.slices)}"


def _loss_table(assessment: Assessment, worst: Worst) -> list[str]:
    with_slices = any(row.slice for row in worst.rows)
    slice_of = ["slice"] if with_slices else []
    other = "baseline" if assessment.alignment is not None else "reference"
    title = f"relevant items: rank in the {other} -> rank now"
    rows = [
        [
            row.query,
            *([row.slice] if with_slices else []),
            formatting.number(row.was),
            formatting.number(row.now),
            formatting.signed(row.now - (row.was or 0.0)),
            row.places,
        ]
        for row in worst.rows
    ]
    titles = ["query", *slice_of, "was", "now", "change", title]
    lines = aligned([titles, *rows], "<" * len(["query", *slice_of]) + ">>><")
    tops = [f"now on top: {row.top}" if row.top else "" for row in worst.rows]
    texts = [row.text for row in worst.rows]
    lines = _with_texts(
        lines, ["  ".join(filter(None, parts)) for parts in zip(texts, tops, strict=True)]
    )
    share = f"; these {len(worst.rows)} are {worst.share:.0%} of the loss"
    share = share if len(worst.rows) > 1 else ""
    about = f"biggest losses{_of_slices(worst)} ({worst.metric}{share})"
    gains = ", ".join(f"{query} {gain:+.4f}" for query, gain in worst.gains)
    return [about, *lines, *([f"biggest gains: {gains}"] if gains else [])]


def _with_texts(lines: list[str], texts: list[str]) -> list[str]:
    """A table with a line more below each row that has something to say."""
    title, *rows = lines
    pairs = zip(rows, texts, strict=True)
    return [
        title,
        *(line for row, text in pairs for line in (row, *([f"    {text}"] * bool(text)))),
    ]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= max(width, 20) else text[: max(width, 20) - 3] + "..."


# Advice ------------------------------------------------------------------------------------------


def _about_threshold(assessment: Assessment, worst: Worst | None) -> list[str]:
    """What a failed threshold can and cannot tell."""
    lines = []
    for result in assessment.metric_results.values():
        limit = result.at_least if result.at_least is not None else result.at_most
        if result.verdict is not Verdict.FAIL or limit is None:
            continue
        if result.threshold is Verdict.PASS:
            continue
        perfect = _perfect(assessment, worst, result)
        if perfect is not None:
            lines.append(
                f"{_lists(len(worst.rows) if worst else 0)} alone would give "
                f"{result.name} {perfect:.4f}"
            )
        low, high = interval_of(assessment.measured, result.name)
        if low <= limit <= high:
            lines.append(
                f"the interval contains the threshold: {formatting.queries(result.queries)} cannot "
                f"tell {result.value:.4f} from {limit:.4f} reliably"
            )
    return lines


def _lists(n: int) -> str:
    return "a perfect list for this query" if n == 1 else f"perfect lists for these {n} queries"


def _perfect(assessment: Assessment, worst: Worst | None, result: MetricResult) -> float | None:
    """Value if the queries of the table had perfect lists; None where that is not 1 for each."""
    used = assessment.measured.used[result.name]
    if (
        worst is None
        or worst.metric != result.name
        or not worst.rows
        or worst.rows[0].was is not None
    ):
        return None
    if (
        used.metric.name not in _PERFECT_IS_ONE
        or assessment.measured.weights(result.name) is not None
    ):
        return None
    if used.metric.name == "map" and used.options["denominator"] != "min":
        return None
    missing = math.fsum(1 - row.now for row in worst.rows)
    return result.value + missing / result.queries


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
    n = min(change.n for change in changes)
    if n < settings.min_queries:
        return [
            f"significance is not used below {settings.min_queries} queries: "
            "the margin alone decides"
        ]
    name = "paired t" if settings.test == "t" else "sign-flip permutation"
    over = [f"{_correction(assessment)} over {formatting.count(len(assessment.changes), 'metric')}"]
    gated = [
        result
        for result in assessment.slice_results
        if result.allowed is not None and result.verdict is not Verdict.SHOWN
    ]
    if gated:
        labels = formatting.count(len({result.label for result in gated}), "slice")
        tests = formatting.count(len(gated), "test")
        over.append(f"over {tests} of {labels} (alpha {settings.slice_alpha:g})")
    # NaN where all queries changed alike, or not at all.
    detectable = max(
        (change.detectable for change in changes if change.detectable > 0), default=0.0
    )
    lines = [f"test: {name}, one-sided, alpha {settings.alpha:g}, {' and '.join(over)}"]
    if detectable > 0:
        lines.append(
            f"with these data drops of {detectable:.4f} or more are found with 80 % probability"
        )
    return lines
