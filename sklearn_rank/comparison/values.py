"""Plain values that a comparison consists of, for tables, pictures and reports."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from sklearn_rank.rankings.placements import Placement
from sklearn_rank.support.text import as_text, safe_text


@dataclass(frozen=True)
class Difference:
    """One measure of a system against that of another.

    Attributes
    ----------
    measure, baseline, system : str
        What is compared.
    queries : int
        Pairs of values that were compared: queries for which both are defined, of a weight above
        0. Of a pooled measure, the queries that were ranked together.
    value, baseline_value : float
        Means over these queries.
    difference : float
        ``value - baseline_value``, whatever the direction of the measure.
    low, high : float
        Two-sided confidence interval of the difference; NaN without a spread.
    effect : float
        Standardised: mean over standard deviation of the differences per query.
    p, p_corrected : float
        Of this test alone, and in its family; NaN without a test.
    wins, ties, losses : int or None
        Queries by which side is better, the direction of the measure minded; None where there are
        no values per query.
    detectable : float
        Least true difference that would be found with the power asked for.
    significant : bool
        Whether ``p_corrected`` is at most alpha.
    better : bool or None
        Whether the system is the better one; None if the values are equal or undefined.
    remark : str
        Why there is no test.
    """

    measure: str
    baseline: str
    system: str
    queries: int
    value: float
    baseline_value: float
    difference: float
    low: float = math.nan
    high: float = math.nan
    effect: float = math.nan
    p: float = math.nan
    p_corrected: float = math.nan
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    detectable: float = math.nan
    significant: bool = False
    better: bool | None = None
    remark: str = ""


@dataclass(frozen=True)
class SystemScore:
    """One measure of one system, as a table of systems shows it.

    Attributes
    ----------
    system, letter, measure : str
        The letter stands for the system in ``better_than`` of others.
    queries : int
        Queries in the mean.
    value : float
        Mean over the common queries.
    best : bool
        Whether no other system has a better value.
    better_than, worse_than : tuple of str
        Letters of the systems from which it differs significantly.
    """

    system: str
    letter: str
    measure: str
    queries: int
    value: float
    best: bool
    better_than: tuple[str, ...] = ()
    worse_than: tuple[str, ...] = ()


class ItemChange(NamedTuple):
    """What a relevant item has to do with the change of its query."""

    item: Any
    grade: float
    old_rank: float | None
    """Counted from 1, in a tie the mean of its ranks; None where it was not retrieved."""
    new_rank: float | None
    contribution: float
    """Part of the change of the query's value; the sum over all items is the whole. NaN where
    there are no such parts."""


@dataclass(frozen=True)
class QueryChange:
    """One query, as two systems answer it.

    Attributes
    ----------
    query : object
        Its id.
    text : str
        What it asks, if that was told.
    measure, baseline, system : str
        What is compared.
    old, new, difference : float
        Values of the baseline and of the system, and new minus old.
    items : tuple of ItemChange
        Relevant items, those that matter most first; empty without ids of items.
    before, after : Placement
        Both rankings.
    remark : str
        Why the items have no contributions; empty if they have.
    """

    query: Any
    text: str
    measure: str
    baseline: str
    system: str
    old: float
    new: float
    difference: float
    items: tuple[ItemChange, ...]
    before: Placement
    after: Placement
    remark: str = ""

    @property
    def n_old(self) -> int:
        """Length of the baseline's ranking."""
        return self.before.n_ranked

    @property
    def n_new(self) -> int:
        """Length of the system's ranking."""
        return self.after.n_ranked

    def why(self, limit: int = 6) -> str:
        """The items that explain the change, on one line fit for a terminal.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["a", "b"]}, "new": {"q": ["x", "a"]}}
        >>> compared = compare({"q": {"a", "b"}}, runs, measures="dcg")
        >>> compared.most_changed(1)[0].why()
        'b 2->- -0.63; a 1->2 -0.37'
        """
        return told_items(self.items, limit)


def told_items(items: tuple[ItemChange, ...], limit: int) -> str:
    """Items that moved or matter: ``d969 1->9 -0.31; d642 3->7 -0.12``, and how many more."""
    told = [
        f"{safe_text(as_text(change.item))} {_shown(change.old_rank)}->{_shown(change.new_rank)}"
        + ("" if math.isnan(change.contribution) else f" {change.contribution:+.2g}")
        for change in items
        if change.old_rank != change.new_rank or abs(change.contribution) > 0
    ]
    more = len(told) - limit
    return "; ".join(told[:limit]) + (f"; {more:,} more" if more > 0 else "")


def _shown(rank: float | None) -> str:
    return "-" if rank is None else f"{rank:g}"
