"""Findings of the assessment of a gate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from pytest_rankmetrics.assessment.compare import Change, Slice
from pytest_rankmetrics.assessment.result import MetricResult
from pytest_rankmetrics.baseline.align import Alignment
from pytest_rankmetrics.measuring.evaluation import Reference, StrictEvaluation
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.settings import in_ci
from pytest_rankmetrics.policy.verdicts import Verdict, worst


@dataclass(frozen=True)
class Finding:
    """A failure or warning: in full as a headline, in short behind another one."""

    verdict: Verdict
    full: str
    short: str
    of_baseline: bool = False
    """Whether a new baseline would resolve it."""


@dataclass
class Assessment:
    """Everything known about one gate; its message is made from this."""

    policy: Policy
    measured: StrictEvaluation
    reference: Reference | None = None
    alignment: Alignment | None = None
    changes: dict[str, Change] = field(default_factory=dict)
    slice_changes: dict[tuple[str, str], Change] = field(default_factory=dict)
    slices: dict[str, Slice] = field(default_factory=dict)
    metric_results: dict[str, MetricResult] = field(default_factory=dict)
    slice_results: list[MetricResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Worth saying although the gate passes."""
    new_unjudged: str = ""
    """Remark on a larger unjudged share of the top, for the headline of any verdict."""

    def fail(self, full: str, short: str | None = None, *, of_baseline: bool = False) -> None:
        """A violation."""
        self.findings.append(Finding(Verdict.FAIL, full, short or full, of_baseline))

    def stale(self, full: str, short: str | None = None) -> None:
        """A baseline that does not fit."""
        self.findings.append(Finding(Verdict.STALE, full, short or full, of_baseline=True))

    def undecided(self, full: str, short: str | None = None, *, of_baseline: bool = False) -> None:
        """A question that the data cannot decide."""
        self.findings.append(Finding(Verdict.CANNOT_TELL, full, short or full, of_baseline))

    def warn(self, text: str, *, of_baseline: bool = False) -> None:
        """A remark of a passing gate, and a violation of a strict one."""
        severity = Verdict.FAIL if self.policy.settings.strict else Verdict.WARN
        self.findings.append(Finding(severity, text, text, of_baseline))

    @property
    def other(self) -> str:
        """Name of the reference, in a word."""
        return "reference" if self.alignment is None else "baseline"

    @property
    def undecided_is_allowed(self) -> bool:
        """Whether the test says that a gate that cannot tell passes."""
        return "cannot_tell" in self.measured.allow

    @property
    def undecided_fails(self) -> bool:
        """Whether a gate that cannot tell fails the run."""
        settings, where = self.policy.settings, self.policy.settings.cannot_tell
        fails = settings.strict or where == "fail" or (where == "ci" and in_ci())
        return fails and not self.undecided_is_allowed

    @property
    def is_red(self) -> bool:
        """Whether the gate fails."""
        return self.verdict in (Verdict.FAIL, Verdict.STALE) or (
            self.verdict is Verdict.CANNOT_TELL and self.undecided_fails
        )

    def settled(self) -> Assessment:
        """The assessment if the measured values were the baseline."""

        def by_value(result: MetricResult) -> MetricResult:
            return replace(result, verdict=result.threshold, reason="")

        metrics = {name: by_value(result) for name, result in self.metric_results.items()}
        slices = [own if own.change is None else by_value(own) for own in self.slice_results]
        findings = [finding for finding in self.findings if not finding.of_baseline]
        return replace(self, findings=findings, metric_results=metrics, slice_results=slices)

    @property
    def false_alarm(self) -> float | None:
        """Probability that a system as good as the other makes the gate red; None: nothing varies.

        Those of its measures and slices are added, which bounds the probability of any.
        """
        changes = [*self.changes.values(), *self.slice_changes.values()]
        rates = [change.worth.false_alarm for change in changes if change.worth is not None]
        return min(1.0, math.fsum(rates)) if rates else None

    @property
    def verdict(self) -> Verdict:
        """The gravest of all verdicts."""
        own = [finding.verdict for finding in self.findings]
        return worst([*own, *(result.verdict for result in self.metric_results.values())])
