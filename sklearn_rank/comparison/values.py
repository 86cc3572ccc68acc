"""Plain values that a comparison consists of, for tables, pictures and reports."""

from __future__ import annotations

import math
from dataclasses import dataclass


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
