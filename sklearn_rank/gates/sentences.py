"""Sentences on one measure: its value, its change and its limit, for findings and reports."""

from __future__ import annotations

from collections.abc import Sequence

from sklearn_rank.gates.rule import Clause
from sklearn_rank.gates.verdict import MeasureResult
from sklearn_rank.support.constants import LEAST, RECORDED_DECIMALS, SLACK
from sklearn_rank.support.text import LONGEST_NAME, line, listed, queries_text
from sklearn_rank.tables.table import number_cell, p_text

HEADLINE_DECIMALS = 3
"""Decimals in a headline; tables have more."""
RED_BY_COUNTS = "which is red without a test"
"""If two or more queries lost, none won, and p is not the reason."""


def apart(value: float, limit: float, decimals: int = 4) -> tuple[str, str, int]:
    """Two numbers with enough decimals to tell them apart, and the number of decimals."""
    while True:
        texts = f"{value:.{decimals}f}", f"{limit:.{decimals}f}"
        if texts[0] != texts[1] or decimals >= RECORDED_DECIMALS:
            return *texts, decimals
        decimals += 1


def signed(value: float | None, decimals: int = 4) -> str:
    """A change with its sign; empty for none."""
    return number_cell(value, digits=decimals, signed=True).text


def of_slice(label: str | None, n: int | None = None) -> str:
    """`` for the 86 "brand" queries``, `` for "brand"``, or nothing for all queries."""
    if label is None:
        return ""
    name = f'"{line(label, LONGEST_NAME)}"'
    return (
        f" for {name}" if n is None else f" for the {n:,} {name} {'query' if n == 1 else 'queries'}"
    )


def _decimals(limit: float) -> int:
    """Decimals in a headline: three, or up to five if the limit has more."""
    given = len(f"{limit:.6f}".rstrip("0").partition(".")[2])
    return given if HEADLINE_DECIMALS < given < RECORDED_DECIMALS else HEADLINE_DECIMALS


def limit_of(row: MeasureResult, decimals: int | None = None) -> tuple[str, str, bool]:
    """A value and its limit with enough decimals, and whether the limit is a lower one."""
    below = row.at_least is not None
    limit = (row.at_least if below else row.at_most) or 0.0
    value, bound, _ = apart(row.value, limit, _decimals(limit) if decimals is None else decimals)
    return value, bound, below


def value_sentence(row: MeasureResult) -> str:
    """``MAP is 0.394, below the 0.450 required``; at most: ``above the 2.000 allowed``."""
    if not row.is_limited:
        return f"{row.title} is {number_cell(row.value, digits=HEADLINE_DECIMALS).text}"
    value, bound, below = limit_of(row)
    met, missed = ("at least", "below the") if below else ("at most", "above the")
    word = met if row.is_met else missed
    return f"{row.title} is {value}, {word} {bound} {'required' if below else 'allowed'}"


def moved_to(row: MeasureResult) -> str:
    """``nDCG@10 fell from 0.554 to 0.515``."""
    (was, now), change = row.ends, row.change or 0.0
    if abs(change) <= SLACK:
        return f"{row.title} is unchanged at {now:.{HEADLINE_DECIMALS}f}"
    old, new, _ = apart(was, now, HEADLINE_DECIMALS)
    return f"{row.title} {'fell' if change < 0 else 'rose'} from {old} to {new}"


def moved_by(row: MeasureResult) -> str:
    """``nDCG@10 fell by 0.040``, with enough decimals to tell the drop from the allowed one."""
    change, allowed = row.change or 0.0, row.allowed or 0.0
    if abs(change) <= SLACK:
        return f"{row.title} is unchanged"
    _, _, decimals = apart(0.0, change, _decimals(allowed))
    _, _, decimals = apart(abs(change), allowed, decimals)
    return f"{row.title} {'fell' if change < 0 else 'rose'} by {abs(change):.{decimals}f}"


def allowed_text(row: MeasureResult, limit: float, decimals: int = 4) -> str:
    """A limit with the sign of a drop in this measure."""
    if not limit:
        return f"{limit:.{decimals}f}"
    return signed(-limit if row.greater_is_better else limit, decimals)


def counts_of(row: MeasureResult) -> str:
    """``17 of 60 queries got worse, 3 better``."""
    drop = row.drop
    if drop is None or not drop.queries:
        return "one value for the whole run, not tested"
    better = f"{drop.wins:,} better" if drop.wins else "none better"
    return f"{drop.losses:,} of {queries_text(drop.queries)} got worse, {better}"


def is_untested(row: MeasureResult) -> bool:
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
    word = f"{'hard limit' if is_hard else 'allowed'} {allowed_text(row, limit, decimals)}"
    word = word if limit else f"no {fall_of(row.greater_is_better)} allowed"
    p = p_text(None if drop is None or is_untested(row) else drop.p_holm)
    if clauses and Clause.SIGNIFICANT not in clauses and p:
        p = f"{RED_BY_COUNTS} ({p})"
    moved = f"{moved_to(row)}{of_slice(row.label, row.queries)}"
    change = f"({signed(row.change, decimals)}, {word})"
    return f"{moved} {change}: {', '.join(filter(None, [counts_of(row), p]))}"


def over_all(row: MeasureResult) -> str:
    """The value over all queries, if it differs."""
    if row.new is None or abs(row.new - row.value) <= 2 * LEAST:
        return ""
    return f" ({row.value:.{HEADLINE_DECIMALS}f} over all)"


def fall_of(greater_is_better: bool) -> str:
    """How a measure gets worse: a drop, or a rise if lower is better."""
    return "drop" if greater_is_better else "rise"


def power_sentence(n: int, falls: Sequence[str]) -> str:
    """``With 250 queries this gate detects MAP drops of 0.028 or more (80% power)``."""
    return f"With {queries_text(n)} this gate detects {listed(falls)} or more (80% power)"
