"""Result of a gate as plain values: the contract of reports and dashboards."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

from pytest_rankmetrics._support.records import plain
from pytest_rankmetrics.policy.verdicts import Verdict, assess_ends


@dataclass(frozen=True)
class MetricResult:
    """One measure over all queries, or over those of a slice."""

    name: str
    """Canonical spelling, as in ``"ndcg@10"``."""
    value: float
    queries: int
    """Queries that the value is the mean of."""
    greater_is_better: bool
    verdict: Verdict
    reason: str = ""
    at_least: float | None = None
    at_most: float | None = None
    baseline: float | None = None
    """Value of the baseline (or reference) over the compared queries."""
    change: float | None = None
    """Value over the compared queries, minus ``baseline``."""
    change_ci: tuple[float, float] | None = None
    compared: int | None = None
    """Queries that were compared."""
    allowed: float | None = None
    """The allowed drop, ``max_drop``."""
    p: float | None = None
    """One-sided p-value, corrected over the measures of the gate."""
    worse: int | None = None
    better: int | None = None
    same: int | None = None
    detectable: float | None = None
    """Least true drop that the gate finds with 80% probability, by its whole rule."""
    false_alarm: float | None = None
    """Probability that the gate is red for this measure though both systems are equally good."""
    queries_needed: float | None = None
    """Queries for which a true drop of ``allowed`` is significant with 80% probability."""
    upper: float | None = None
    """Upper end of the one-sided interval of the drop, at the level of the gate's test."""
    clusters: int | None = None
    """Clusters of the compared queries; None where every query is one."""
    design_effect: float | None = None
    """Variance of the change over that of independent queries."""
    gained: bool = False
    """Whether the gain is significant, so that an update of the baseline records it."""
    bounds: tuple[float, float] | None = None
    """Least and greatest value over all grades of unjudged items; None where that is not asked."""
    change_bounds: tuple[float, float] | None = None
    """Least and greatest change over all these grades."""
    label: str = ""
    """Of the slice; "" for all queries."""
    interval: Callable[[], tuple[float, float]] | None = field(
        default=None, repr=False, compare=False
    )
    """Computes ``ci`` on request: it needs SciPy."""

    @cached_property
    def ci(self) -> tuple[float, float]:
        """95% confidence interval of the value; NaN where there is none."""
        return (math.nan, math.nan) if self.interval is None else self.interval()

    def __getstate__(self) -> dict[str, Any]:
        """Plain values alone: another process has no data to compute an interval from."""
        return {**self.__dict__, "ci": self.ci, "interval": None}

    @property
    def threshold(self) -> Verdict:
        """Verdict on the value alone, whatever became of its change."""
        low, high = self.bounds or (self.value, self.value)
        return assess_ends(low, high, self.at_least, self.at_most).verdict


@dataclass(frozen=True)
class QueryRow:
    """One query in a table of the worst ones; all text is escaped."""

    query: str
    slice: str
    was: float | None
    now: float
    places: str
    """Ranks of the relevant items now, or "item rank in the baseline->rank now"."""
    missing: str
    """Relevant items that were not returned."""
    top: str
    """First items of the list; ``*`` relevant, ``?`` unjudged."""
    text: str = ""
    """Text of the query, from ``query_text``."""


class Explanation(NamedTuple):
    """The long form of a result; made when somebody reads it."""

    message: str
    worst: tuple[QueryRow, ...] = ()
    worst_metric: str = ""


@dataclass(frozen=True)
class GateResult:
    """Result of one gate.

    Attributes
    ----------
    name, nodeid : str
        Of the gate, and of the test in which it ran ("" outside of pytest).
    verdict : Verdict
        ``pass``, ``improved``, ``new``, ``warn``, ``cannot tell``, ``stale`` or ``fail``.
    headline : str
        One line that says everything.
    message : str
        Headline, tables and notes, at most 100 characters wide.
    metrics : dict of str to MetricResult
        By canonical spelling, in the order of the call.
    slices : tuple of MetricResult
        Each with the label of its slice.
    queries : int
        Number of queries.
    counts : dict
        What was found in the data and left out of it, as ``Evaluation.counts``.
    query_ids : tuple
        In the order of ``per_query``.
    per_query : dict of str to tuple of float
        Value of each query, NaN where undefined; pooled measures have none.
    worst : tuple of QueryRow
        The worst queries, or those that lost most; of a gate that passes without a warning none.
    worst_metric : str
        The measure that ``worst`` is about.
    warnings : tuple of str
        What the gate warns of: unconfirmed drops, rankings that end before the cutoff.
    notes : tuple of str
        Remarks: what was re-scored, what is suspicious.
    written : str
        "new", "raised", "LOWERED" or "refreshed" if the baseline was written, else "".
    moves : dict of str to (float, float)
        Recorded values before and after that.
    reason : str
        Why a baseline was lowered.
    worth : str
        The drop that the gate finds, how often it is red for nothing, and how many queries would
        find ``max_drop``; "" where nothing was compared, or nothing varies.
    false_alarm : float or None
        Probability that a system as good as the baseline makes the gate red; where the gate has
        several measures or slices, at most that.
    too_tight : str
        Which limit makes that more than 10 %; "" if none does.
    baseline : str
        Path of the baseline file, "" without one.
    """

    name: str
    verdict: Verdict
    headline: str
    metrics: Mapping[str, MetricResult]
    slices: tuple[MetricResult, ...] = ()
    queries: int = 0
    counts: Mapping[str, Any] = field(default_factory=dict)
    query_ids: tuple[Any, ...] = ()
    per_query: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    worth: str = ""
    false_alarm: float | None = None
    too_tight: str = ""
    baseline: str = ""
    written: str = ""
    moves: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    reason: str = ""
    nodeid: str = ""
    undecided_fails: bool = False
    """Whether a gate fails if it cannot tell."""
    explain: Callable[[], Explanation] | None = field(default=None, repr=False, compare=False)
    """Makes ``message`` and ``worst`` on request: nobody reads those of a gate that passes."""
    look_up: Callable[[], Mapping[str, Any] | None] | None = field(
        default=None, repr=False, compare=False
    )
    """Makes ``by_query()``."""

    @cached_property
    def _explained(self) -> Explanation:
        return Explanation(self.headline) if self.explain is None else self.explain()

    def __getstate__(self) -> dict[str, Any]:
        """Plain values alone: another process has no data to explain them by."""
        said = {"_explained": self._explained, "explain": None, "look_up": None}
        return {**self.__dict__, **said}

    @property
    def message(self) -> str:
        """Headline, tables and notes."""
        return self._explained.message

    @property
    def worst(self) -> tuple[QueryRow, ...]:
        """The worst queries, or those that lost most."""
        return self._explained.worst

    @property
    def worst_metric(self) -> str:
        """The measure that ``worst`` is about."""
        return self._explained.worst_metric

    def by_query(self) -> Mapping[str, Any] | None:
        """Every query with its items for the HTML report; None without values per query."""
        return None if self.look_up is None else self.look_up()

    @property
    def passed(self) -> bool:
        """Whether the gate let the change through."""
        if self.verdict is Verdict.CANNOT_TELL:
            return not self.undecided_fails
        return self.verdict not in (Verdict.FAIL, Verdict.STALE)

    @property
    def value(self) -> float:
        """Value of the first measure."""
        return next(iter(self.metrics.values())).value

    @property
    def ci(self) -> tuple[float, float]:
        """95% confidence interval of the first measure."""
        return next(iter(self.metrics.values())).ci

    def as_dict(self, *, intervals: bool = True, explained: bool = True) -> dict[str, Any]:
        """Builtin types only; NaN and infinity are None. Values per query are left out.

        ``intervals=False`` leaves out the confidence intervals of the values, which need SciPy;
        ``explained=False`` has the headline for a message, and no worst queries.
        """
        left_out = {"query_ids", "per_query", "metrics", "slices", "explain", "look_up"}
        left_out |= {"undecided_fails"}
        own = {name: plain(getattr(self, name)) for name in _names(self) if name not in left_out}
        own["slices"] = [{**_row(part), "metric": part.name} for part in self.slices]
        own["passed"] = self.passed
        said = self._explained if explained else Explanation(self.headline)
        own |= {name: plain(value) for name, value in said._asdict().items()}
        metrics = {
            name: {**_row(metric), "ci": plain(metric.ci) if intervals else [None, None]}
            for name, metric in self.metrics.items()
        }
        return {**own, "metrics": metrics}


def _row(metric: MetricResult) -> dict[str, Any]:
    left_out = ("interval",) if metric.label else ("interval", "label")
    return {key: plain(getattr(metric, key)) for key in _names(metric) if key not in left_out}


def _names(result: Any) -> list[str]:
    return [own.name for own in fields(result)]
