"""Verdict on a gate, as plain frozen data: states, findings with their sentences, numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sklearn_rank.support.constants import LEAST, SLACK
from sklearn_rank.support.text import WithFields
from sklearn_rank.tables.table import FrameBackend, native_frame

if TYPE_CHECKING:
    from sklearn_rank.comparison.changes import QueryChange
    from sklearn_rank.comparison.join import Joined
    from sklearn_rank.evaluation.base import BaseEvaluation
    from sklearn_rank.gates.rule import Drop

__all__ = ["Finding", "GateResult", "MeasureResult", "RankGateFailure", "RankGateWarning", "State"]


class RankGateFailure(AssertionError):
    """A quality gate failed or could not measure; ``result`` holds the measurements.

    An ``AssertionError``, so that every test runner counts it as a failure, not as an error.
    """

    def __init__(self, message: str, result: GateResult | None = None) -> None:
        super().__init__(message)
        self.result = result

    @property
    def headline(self) -> str:
        """The first line of the message."""
        return str(self).partition("\n")[0]


class RankGateWarning(UserWarning):
    """A gate passed with a problem to look at, such as an unconfirmed drop."""


# Test runners print the qualified name of an exception: the one that users import.
RankGateFailure.__module__ = RankGateWarning.__module__ = "pytest_rankmetrics"


class State(StrEnum):
    """State of a gate, a measure or a slice, in rising order of severity."""

    PASS = "pass"
    IMPROVED = "improved"
    NEW = "new"
    """A baseline was written."""
    NOT_CONFIRMED = "not confirmed"
    """A drop beyond ``max_drop`` that may be chance."""
    STALE = "stale"
    """The baseline does not fit the data."""
    FAIL = "fail"


_SEVERITY = list(State)
BROKEN = (State.FAIL, State.STALE)
REFUSED = "refused"
"""The rule of findings on data that a gate refuses to measure."""
UNREMARKABLE = (State.PASS, State.IMPROVED, State.NEW)
"""One line is enough for gates in these states."""


def gravest(states: list[State | None]) -> State:
    """The most severe of some states; PASS if there is none."""
    return max(filter(None, states), key=_SEVERITY.index, default=State.PASS)


@dataclass(frozen=True)
class Finding:
    """The text of one broken rule or one remark."""

    rule: str
    state: State | None
    """None: a remark, which decides nothing."""
    text: str
    short: str = ""
    """Text after another finding; empty: ``text``."""
    warns: bool = False
    """Whether users are warned of it."""


@dataclass(frozen=True)
class MeasureResult:
    """One measure over all queries, or over a slice."""

    name: str
    """Canonical spelling, as in ``"ndcg@10"``."""
    title: str
    """Printed name, as in ``"nDCG@10"``."""
    value: float
    """Value over all measured queries."""
    queries: int
    """Number of queries that were averaged, or ranked together."""
    greater_is_better: bool
    state: State | None = None
    """None: shown, not judged."""
    label: str | None = None
    """Label of the slice; None: all queries."""
    at_least: float | None = None
    at_most: float | None = None
    baseline_value: float | None = None
    """Value of the baseline over the compared queries."""
    new: float | None = None
    """Value over the compared queries."""
    allowed: float | None = None
    """The allowed drop, ``max_drop``."""
    hard_drop: float | None = None
    drop: Drop | None = None
    """The rule's decision on the change; None if nothing was compared."""
    too_small: bool = False
    """Whether a slice has too few queries to be judged."""

    @property
    def ends(self) -> tuple[float, float]:
        """Values of the baseline and now over the compared queries; 0 if there is none."""
        return self.baseline_value or 0.0, self.new or 0.0

    @property
    def change(self) -> float | None:
        """``new - baseline_value``."""
        old = self.baseline_value
        return None if self.new is None or old is None else self.new - old

    @property
    def fall(self) -> float:
        """How much worse the value is; negative if it is better."""
        change = self.change or 0.0
        return -change if self.greater_is_better else change

    @property
    def compared(self) -> int:
        """Number of queries that were compared."""
        return 0 if self.drop is None else self.drop.queries

    @property
    def is_contract(self) -> bool:
        """Whether every drop beyond the allowed one fails, without a test."""
        return self.hard_drop is not None and self.hard_drop <= (self.allowed or 0.0) + SLACK

    @property
    def is_gain(self) -> bool:
        """Whether the value raises the baseline: by a significant gain or, untested, a large one.

        Untested values and contracts must gain more than they may drop, because latencies, for
        example, are slightly lower in half of all runs.
        """
        drop = self.drop
        if drop is None or self.fall >= -LEAST:
            return False
        untested = self.is_contract or not drop.queries
        return drop.recorded or (untested and -self.fall > (self.allowed or 0.0) + SLACK)

    @property
    def is_limited(self) -> bool:
        """Whether the value has a limit."""
        return self.at_least is not None or self.at_most is not None

    @property
    def is_met(self) -> bool:
        """Whether the value meets its limits; only finite values do."""
        low = self.at_least is None or self.value >= self.at_least - SLACK
        high = self.at_most is None or self.value <= self.at_most + SLACK
        return math.isfinite(self.value) and low and high


@dataclass(frozen=True)
class BaselineFile:
    """The baseline of a gate, and how it is written."""

    path: Path
    shown: str
    """Name of the baseline in messages."""
    update: str
    """The command that writes the baseline, and raises it."""
    accept: str
    """The command that lowers it."""
    elsewhere: str = ""
    """Directory of the baseline in another checkout, that of the target branch."""
    writes: Literal["", "update", "accept"] = ""
    """Whether this run writes the baseline: missing or raised, or also lowered."""


@dataclass(frozen=True)
class Worst:
    """The queries that explain a verdict, with raw data."""

    measure: str
    rows: tuple[QueryChange, ...]
    """Without a baseline, ``baseline_value`` is NaN."""
    share: float | None = None
    """Share of the whole loss that the rows make up; None without a comparison."""
    labels: tuple[str, ...] = ()
    """Slices of the rows, if nothing else fails."""
    of: int = 0
    """Number of queries that the rows were chosen from."""


@dataclass(frozen=True)
class GateResult(WithFields):
    """Verdict on one gate: ``state``, ``passed``, ``measures``, ``slices``, ``message``."""

    name: str
    state: State
    passed: bool
    """Whether the gate lets the change through."""
    findings: tuple[Finding, ...] = ()
    measures: Mapping[str, MeasureResult] = field(default_factory=dict)
    """By canonical spelling, in the order of the call."""
    slices: tuple[MeasureResult, ...] = ()
    queries: int = 0
    counts: Mapping[str, Any] = field(default_factory=dict)
    worst: Worst | None = field(default=None, compare=False)
    systems: tuple[str, ...] = ()
    """Names of the old and the new system; empty if nothing was compared."""
    false_alarm: float | None = None
    """Probability that the gate is red for an equally good system; None if not computed."""
    file: BaselineFile | None = None
    written: str = ""
    """"new", "raised", "lowered" or "refreshed" if the baseline was written, else ""."""
    recorded_changes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Values before and after that write."""
    alpha: float = 0.1
    slice_alpha: float = 0.05
    evaluation: BaseEvaluation | None = field(default=None, repr=False, compare=False)
    joined: Joined | None = field(default=None, repr=False, compare=False)
    """Both systems query by query; None if nothing was compared."""
    labels: Sequence[Sequence[str]] = field(default=(), repr=False, compare=False)
    """Slices of each query; empty without slices."""

    _ELSEWHERE: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("green", "is_ok", "ok", "success"), "use passed"),
        **dict.fromkeys(("status", "verdict"), "use state"),
        **dict.fromkeys(("report", "summary", "text"), "use message"),
        **dict.fromkeys(("score", "scores"), "use value, or measures[name].value"),
        **dict.fromkeys(("change", "delta", "drop", "p", "p_value"), "use measures[name].drop"),
    }

    @property
    def lower(self) -> list[MeasureResult]:
        """Measures and limited slices that got worse, which an update may not record."""
        slices = (row for row in self.slices if row.allowed is not None or row.is_limited)
        return [row for row in (*self.measures.values(), *slices) if row.fall > LEAST]

    @property
    def lucky(self) -> list[MeasureResult]:
        """Compared measures that are better, but not by enough to raise the baseline."""
        rows = [row for row in self.measures.values() if row.drop is not None]
        return [row for row in rows if row.fall < -LEAST and not row.is_gain]

    @property
    def can_be_raised(self) -> bool:
        """Whether an update would record a gain that this run did not."""
        gains = any(row.is_gain for row in self.measures.values())
        may_write = self.file is not None and not self.file.writes
        return may_write and gains and not (self.lower or self.lucky)

    @property
    def value(self) -> float:
        """Value of the first measure."""
        return next(iter(self.measures.values())).value

    @property
    def ci(self) -> tuple[float, float]:
        """95% confidence interval of the first measure; NaN if there is none."""
        name = next(iter(self.measures))
        if self.evaluation is None or name not in self.evaluation.per_query:
            return math.nan, math.nan
        return self.evaluation.confidence_interval(name)

    @cached_property
    def headline(self) -> str:
        """The verdict in one line."""
        from sklearn_rank.view.words import headline

        return headline(self)

    @cached_property
    def message(self) -> str:
        """Headline, tables and notes, at most 100 characters wide."""
        from sklearn_rank.view.words import message

        return message(self)

    @cached_property
    def brief(self) -> str:
        """Headline, worst query and command, for runs with many failures."""
        from sklearn_rank.view.words import brief

        return brief(self)

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """A data frame with a row per measure, then per slice; columns as in a comparison."""
        rows = [*self.measures.values(), *self.slices]
        names = ("queries", "value", "baseline_value", "new", "change", "allowed")
        columns: dict[str, list[Any]] = {
            "measure": [row.name for row in rows],
            "slice": [row.label for row in rows],
            "verdict": [None if row.state is None else row.state.value for row in rows],
            **{name: [getattr(row, name) for row in rows] for name in names},
            "p_holm": [None if row.drop is None else row.drop.p_holm for row in rows],
        }
        return native_frame(columns, backend)

    def as_dict(self) -> dict[str, Any]:
        """Builtin types only; NaN and infinity are None. Values per query are left out."""
        from sklearn_rank.view.words import said

        left_out = ("evaluation", "joined", "labels", "worst", "file")
        names = [each.name for each in fields(self) if each.name not in left_out]
        record: dict[str, Any] = plain({name: getattr(self, name) for name in names} | said(self))
        return record


def plain(value: Any) -> Any:
    """The value as None, bool, int, float, str, list and dict; non-finite numbers are None.

    Everything that enters a report passes through here: a NumPy scalar kills the pytest-xdist
    worker that sends it, and the failing gate with it; so does a lone surrogate.
    """
    text = json.dumps(value, default=_builtin, ensure_ascii=False)
    text = text.encode("utf-8", "xmlcharrefreplace").decode()
    return json.loads(text, parse_constant=lambda _: None)


def _builtin(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        content = {field.name: getattr(value, field.name) for field in fields(value)}
        more = ("change", "compared") if isinstance(value, MeasureResult) else ()
        return content | {name: getattr(value, name) for name in more}
    if isinstance(value, Mapping):
        return {str(key): part for key, part in value.items()}
    if isinstance(value, (set, frozenset)):
        return list(value)
    return value.tolist() if hasattr(value, "tolist") else f"<{type(value).__name__}>"
