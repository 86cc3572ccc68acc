"""The message of a gate: one line that says everything, then the tables behind it."""

from __future__ import annotations

import math

from pytest_rankmetrics._support import words
from pytest_rankmetrics.judging.findings import Judgement
from pytest_rankmetrics.judging.phrases import allowed_change, interval_of, threshold_phrase
from pytest_rankmetrics.judging.remarks import facts
from pytest_rankmetrics.judging.result import MetricResult, SliceResult
from pytest_rankmetrics.policy.verdicts import Verdict
from pytest_rankmetrics.report.worst import Worst

MOST_FINDINGS = 6
MOST_SLICES = 20

_SAID = {
    Verdict.FAIL: "FAIL",
    Verdict.STALE: "FAIL",
    Verdict.WARN: "warn",
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


def headline(found: Judgement) -> str:
    """The first line: the first violation in full, the others in short."""
    grave = [one for one in found.findings if one.verdict in (Verdict.FAIL, Verdict.STALE)]
    grave.sort(key=lambda one: one.verdict is not Verdict.STALE)
    if grave:
        texts = [grave[0].full, *(one.short for one in grave[1:MOST_FINDINGS])]
        more = len(grave) - MOST_FINDINGS
        return "; ".join(texts) + (f" and {more:,} more" if more > 0 else "")
    warned = [one.full for one in found.findings if one.verdict is Verdict.WARN]
    if warned:
        return warned[0]
    return _passed(found)


def _passed(found: Judgement) -> str:
    parts = []
    for one in found.metric_results.values():
        if one.at_least is not None or one.at_most is not None:
            parts.append(threshold_phrase(one.name, one.value, one.at_least, one.at_most))
        elif one.change is not None and one.baseline is not None:
            was = f"{one.baseline:.4f} -> {one.baseline + one.change:.4f}"
            parts.append(f"{one.name} {was} ({words.signed(one.change)})")
    if not parts:
        parts = [f"{one.name} {one.value:.4f}" for one in found.metric_results.values()]
    return f"{'; '.join(parts[:MOST_FINDINGS])} ({words.queries(len(found.measured))})"


def message(found: Judgement, worst: Worst | None, footer: list[str]) -> str:
    """Headline, tables, notes and what to do; at most 100 columns wide where data allows."""
    blocks = [
        [headline(found)],
        _indent(_metric_table(found)),
        _indent(_slice_table(found)),
        _indent(_worst_table(found, worst)),
        [*facts(found), *found.notes, *_about_threshold(found, worst)],
        footer,
        _about_test(found),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _indent(lines: list[str]) -> list[str]:
    return [f"  {line}".rstrip() for line in lines]


# Measures ----------------------------------------------------------------------------------------


def _metric_table(found: Judgement) -> list[str]:
    compared = [one for one in found.metric_results.values() if one.change is not None]
    lines = []
    if compared:
        titles = ["metric", "baseline", "now", "change", "95% CI of the change", "allowed"]
        titles += [f"p ({_correction(found)})", "worse/better/same", "verdict"]
        rows = [titles, *(_metric_row(found, one) for one in compared)]
        lines = words.table(rows, right=(1, 2, 3, 5, 6))
    limited = [
        one
        for one in found.metric_results.values()
        if one.at_least is not None or one.at_most is not None
    ]
    if compared or len(found.metric_results) > 1:
        lines += [_threshold_row(one) for one in limited]
    return lines


def _correction(found: Judgement) -> str:
    names = {"holm": "Holm", "bh": "BH", "none": "raw"}
    return names[found.policy.settings.correction]


def _metric_row(found: Judgement, one: MetricResult) -> list[str]:
    low, high = one.change_ci or (math.nan, math.nan)
    known = not math.isnan(low)
    was = one.baseline or 0.0
    return [
        one.name,
        words.number(was),
        words.number(was + (one.change or 0.0)),
        words.signed(one.change),
        f"{words.signed(low)}..{words.signed(high)}" if known else "",
        allowed_change(found, one.name, one.allowed or 0.0),
        words.p_value(one.p),
        "" if one.worse is None else f"{one.worse}/{one.better}/{one.same}",
        said(found.changes[one.name].decision.verdict),
    ]


def _threshold_row(one: MetricResult) -> str:
    phrase = threshold_phrase(one.name, one.value, one.at_least, one.at_most)
    limit = one.at_least if one.at_least is not None else one.at_most
    met = limit is not None and (" >= " in phrase or " <= " in phrase)
    return f"{phrase}  {'ok' if met else 'FAIL'}"


# Slices ------------------------------------------------------------------------------------------


def _slice_table(found: Judgement) -> list[str]:
    if not found.slice_results:
        return []
    order = [Verdict.FAIL, Verdict.WARN]
    rows = sorted(
        found.slice_results,
        key=lambda one: order.index(one.verdict) if one.verdict in order else len(order),
    )
    metrics = list(dict.fromkeys(one.metric for one in rows))
    title = f"slice ({metrics[0]})" if len(metrics) == 1 else "slice"
    own = [] if len(metrics) == 1 else ["metric"]
    compared = any(one.change is not None for one in rows)
    titles = [title, *own, "queries"]
    titles += ["baseline", "now", "change", "allowed", f"p ({_correction(found)})"] * compared
    titles += ["now"] * (not compared) + ["verdict"]
    shown = rows[:MOST_SLICES]
    table = [titles]
    table += [_slice_row(found, one, own=bool(own), compared=compared) for one in shown]
    lines = words.table(table, right=tuple(range(1 + len(own), len(titles) - 1)))
    left = len(rows) - MOST_SLICES
    return [*lines, f"and {left:,} more"] if left > 0 else lines


def _slice_row(found: Judgement, one: SliceResult, *, own: bool, compared: bool) -> list[str]:
    cells = [one.label, *([one.metric] if own else []), str(one.queries)]
    now = one.value if one.change is None else (one.baseline or 0.0) + one.change
    if compared:
        allowed = "" if one.allowed is None else allowed_change(found, one.metric, one.allowed)
        change = words.signed(one.change)
        cells += [words.number(one.baseline), words.number(now), change, allowed]
        cells.append(words.p_value(one.p))
    else:
        cells.append(words.number(now))
    limit = "" if one.at_least is None and one.at_most is None else _slice_limit(one)
    verdict = one.reason if one.verdict is Verdict.WARN else said(one.verdict, one.reason)
    return [*cells, f"{verdict}{limit}"]


def _slice_limit(one: SliceResult) -> str:
    phrase = threshold_phrase(one.metric, one.value, one.at_least, one.at_most)
    return f"  {phrase}"


# Queries -----------------------------------------------------------------------------------------


def _worst_table(found: Judgement, worst: Worst | None) -> list[str]:
    if worst is None or not worst.rows:
        return []
    n, total = len(worst.rows), len(found.measured)
    if math.isnan(worst.share) and worst.rows[0].was is None:
        titles = ["query", worst.metric, "relevant found at", "missing"]
        title = "top of the list (* relevant, ? unjudged)"
        rows = [[row.query, words.number(row.now), row.places, row.missing] for row in worst.rows]
        lines = words.table([titles, *rows], right=(1,))
        width = max(map(len, lines)) + 2
        tops = [title, *(row.top for row in worst.rows)]
        lines = [
            f"{line.ljust(width)}{_cut(top, words.WIDTH - 4 - width)}"
            for line, top in zip(lines, tops, strict=True)
        ]
        lines = _with_texts(lines, [row.text for row in worst.rows])
        about = f"worst queries by {worst.metric} ({n} of {total})"
        return [about, *(f"  {line}" for line in lines)]
    return _loss_table(found, worst)


def _loss_table(found: Judgement, worst: Worst) -> list[str]:
    with_slices = any(row.slice for row in worst.rows)
    titles = ["query", *(["slice"] if with_slices else []), "was", "now", "change"]
    rows = [
        [
            row.query,
            *([row.slice] if with_slices else []),
            words.number(row.was),
            words.number(row.now),
            words.signed(row.now - (row.was or 0.0)),
        ]
        for row in worst.rows
    ]
    first = 2 if with_slices else 1
    lines = words.table([titles, *rows], right=(first, first + 1, first + 2))
    width = max(map(len, lines)) + 2
    other = "baseline" if found.alignment is not None else "reference"
    title = f"relevant items: rank in the {other} -> rank now"
    lines = [
        f"{line.ljust(width)}{text}"
        for line, text in zip(lines, [title, *(row.places for row in worst.rows)], strict=True)
    ]
    tops = [f"now on top: {row.top}" if row.top else "" for row in worst.rows]
    texts = [row.text for row in worst.rows]
    lines = _with_texts(
        lines, ["  ".join(filter(None, one)) for one in zip(texts, tops, strict=True)]
    )
    share = f"; these {len(worst.rows)} are {worst.share:.0%} of the loss"
    about = f"biggest losses ({worst.metric}{share if len(worst.rows) > 1 else ''})"
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


def _about_threshold(found: Judgement, worst: Worst | None) -> list[str]:
    """What a failed threshold can and cannot tell."""
    lines = []
    for one in found.metric_results.values():
        limit = one.at_least if one.at_least is not None else one.at_most
        if one.verdict is not Verdict.FAIL or limit is None:
            continue
        if one.threshold is Verdict.PASS:
            continue
        perfect = _perfect(found, worst, one)
        if perfect is not None:
            lines.append(
                f"{_lists(len(worst.rows) if worst else 0)} alone would give "
                f"{one.name} {perfect:.4f}"
            )
        low, high = interval_of(found.measured, one.name)
        if low <= limit <= high:
            lines.append(
                f"the interval contains the threshold: {words.queries(one.queries)} cannot tell "
                f"{one.value:.4f} from {limit:.4f} reliably"
            )
    return lines


def _lists(n: int) -> str:
    return "a perfect list for this query" if n == 1 else f"perfect lists for these {n} queries"


def _perfect(found: Judgement, worst: Worst | None, one: MetricResult) -> float | None:
    """Value if the queries of the table had perfect lists; None where that is not 1 for each."""
    used = found.measured.used[one.name]
    if worst is None or worst.metric != one.name or not worst.rows or worst.rows[0].was is not None:
        return None
    if used.metric.name not in _PERFECT_IS_ONE or found.measured.weights(one.name) is not None:
        return None
    if used.metric.name == "map" and used.options["denominator"] != "min":
        return None
    missing = math.fsum(1 - row.now for row in worst.rows)
    return one.value + missing / one.queries


def _about_test(found: Judgement) -> list[str]:
    """Which test was used, and which drops it can see."""
    changes = [change for change in found.changes.values() if change.paired is not None]
    settings = found.policy.settings
    if not changes or not settings.confirm:
        return []
    n = min(change.n for change in changes)
    if n < settings.min_queries:
        return [
            f"significance is not used below {settings.min_queries} queries: "
            "the margin alone decides"
        ]
    name = "paired t" if settings.test == "t" else "sign-flip permutation"
    over = [f"{_correction(found)} over {words.count(len(found.changes), 'metric')}"]
    gated = [
        one
        for one in found.slice_results
        if one.allowed is not None and one.verdict is not Verdict.SHOWN
    ]
    if gated:
        labels = words.count(len({one.label for one in gated}), "slice")
        tests = words.count(len(gated), "test")
        over.append(f"over {tests} of {labels} (alpha {settings.slice_alpha:g})")
    # NaN where all queries changed alike, or not at all.
    detectable = max((one.detectable for one in changes if one.detectable > 0), default=0.0)
    lines = [f"test: {name}, one-sided, alpha {settings.alpha:g}, {' and '.join(over)}"]
    if detectable > 0:
        lines.append(
            f"with these data drops of {detectable:.4f} or more are found with 80 % probability"
        )
    return lines
