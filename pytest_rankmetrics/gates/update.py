"""A gate with a baseline: compares them, and records where that is asked for and right.

Nothing that regenerates lowers a baseline: updates write what is missing, raise and refresh. Only
``--rank-accept`` lowers, with a reason that is stored.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics._support.naming import is_called
from pytest_rankmetrics.assessment.assess import assess, assess_limits, labels_of, vacuous
from pytest_rankmetrics.assessment.findings import Assessment, Finding
from pytest_rankmetrics.assessment.phrases import moved_to
from pytest_rankmetrics.assessment.result import GateResult
from pytest_rankmetrics.baseline.align import align
from pytest_rankmetrics.baseline.content import Baseline, Owner
from pytest_rankmetrics.baseline.file import baseline_text, read_baseline, write_baseline
from pytest_rankmetrics.baseline.record import Recording, Store
from pytest_rankmetrics.gates.run import result_of
from pytest_rankmetrics.measuring.evaluation import Reference, refuse, refuse_unbounded
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.settings import Writing
from pytest_rankmetrics.policy.verdicts import GAIN_ALPHA, IMPROVEMENT, Verdict
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.support.disk import write_whole
from sklearn_rank.support.text import safe_repr, safe_text

BROKEN = (Verdict.FAIL, Verdict.STALE)

Moves = Mapping[str, tuple[float, float]]
"""Recorded and present value of each measure."""


@dataclass(frozen=True)
class RecordedGate:
    """Names of a gate and its baseline, and advice for a failure."""

    name: str
    nodeid: str
    path: Path
    """The baseline."""
    root: Path
    """Nothing is written outside of it."""
    shown: str
    """Name of the baseline in messages."""
    update: str
    """The command that writes the baseline, and raises it."""
    accept: str
    """The command that lowers it."""
    orphans: Callable[[], Sequence[str]]
    """Names of the baselines beside this one that belong to no test."""
    elsewhere: str = ""
    """Directory of the baseline in another checkout, that of the target branch."""
    obtained: str = ""
    """Name of the file of present values in messages, if one is written for inspection."""

    @property
    def owner(self) -> Owner:
        """The gate, as its baseline knows it."""
        return Owner(self.nodeid, self.name)

    @property
    def file(self) -> str:
        """The path of the baseline, safe to print."""
        return safe_text(self.shown, limit=300)

    def remedy(self) -> str:
        """Advice without a baseline: write it, or rename the old one."""
        if self.elsewhere:
            return (
                f"it is not below {self.elsewhere}: a gate that is new or renamed is red until it "
                f"is; write it in the working copy, commit it and merge: {self.update}"
            )
        orphans = [safe_text(name, limit=100) for name in self.orphans()]
        if not orphans:
            return f"write it with: {self.update}"
        names = formatting.first_of(orphans, ", ")
        verb = "belongs" if len(orphans) == 1 else "belong"
        old = self.file.removesuffix(self.path.name) + orphans[0]
        move = f"git mv {shlex.quote(old)} {shlex.quote(self.file)}"
        return (
            f"beside it {names} {verb} to no test: renamed? {move}; "
            f"then, or if it is new: {self.update}"
        )

    def footer(self, *, broken: bool) -> list[str]:
        """The files, and how a drop that is wanted is accepted."""
        lines = [f"baseline  {self.file}"]
        lines += [f"obtained  {self.obtained}"] if self.obtained else []
        lines += [f"accept    {self.accept}"] if broken else []
        if broken and self.elsewhere:
            lines.append(
                f"the baseline is that of {self.elsewhere}: run this in the working copy and "
                "commit the file; this run stays red until the change is merged"
            )
        return lines


@dataclass(frozen=True)
class BaselineUpdater:
    """Compares one gate with its baseline, and updates the baseline on request."""

    gate: RecordedGate
    options: Writing
    policy: Policy
    recording: Recording
    store: Store = "ranks"

    @property
    def compares_only(self) -> bool:
        """Whether there is a baseline, and nothing will be written."""
        return self.gate.path.is_file() and not self.options.writes

    @property
    def _accepts(self) -> bool:
        names = self.gate.name, self.gate.nodeid
        return any(is_called(glob, *names) for glob in self.options.accept)

    def dump(self, path: Path) -> None:
        """Write the present values, for inspection beside the baseline's."""
        content = self.recording.baseline(self.gate.owner, self.store, {})
        write_whole(path, baseline_text(content).encode())

    def result(self) -> GateResult:
        """The outcome; an update writes the baseline unless it would lower it."""
        self._refuse_unbounded()
        gate, measured = self.gate, self.recording.measured
        if not os.path.lexists(gate.path):
            return self._without_baseline()
        baseline, read = read_baseline(gate.path, gate.file)
        alignment = align(self.recording, baseline, gate.file)
        assessment = assess(self.policy, measured, alignment.reference, alignment)
        if gate.elsewhere:  # no option alone: it is to be typed somewhere else
            command = f"with: {gate.update}"
            assessment.findings = [
                replace(own, full=own.full.replace("with: --rank-update", command))
                for own in assessment.findings
            ]
        if self.policy.settings.ratchet == "require" and not self.options.writes:
            for name, change in assessment.changes.items():
                if change.decision.verdict is Verdict.IMPROVED and change.gained:
                    text = (
                        f"{moved_to(measured.used[name].title, change)}, better than the baseline"
                    )
                    assessment.fail(f"{text}: record it with: {gate.update}", text)
        moves = self._moves(assessment, baseline)
        lowered = {
            name: move
            for name, move in moves.items()
            if (move[1] < move[0]) is measured.used[name].metric.greater_is_better
        }
        lower = [f"{name} {was:.4f} -> {now:.4f}" for name, (was, now) in lowered.items()]
        lower += [
            f"slice {formatting.shown(label)} {name} {formatting.signed(change.change)}"
            for (label, name), change in assessment.slice_changes.items()
            if change.drop > IMPROVEMENT and change.decision.verdict is not Verdict.SHOWN
        ]
        renamed = not baseline.owner.matches(gate.owner)
        raises = self.options.update and not lower
        gained = any(change.gained for change in assessment.changes.values())
        if self._accepts or (raises and self._is_step_up(assessment, gained or renamed)):
            return self._rewritten(baseline, read, assessment, moves, lowered)
        if self.options.update and lower and assessment.verdict not in BROKEN:
            assessment.notes.append(f"not recorded: {', '.join(lower)}")
        if raises and moves and assessment.verdict not in BROKEN:
            assessment.notes += self._luck(assessment)
        if renamed:  # another gate's file may have been copied here because it asks for less
            text = f"baseline {gate.file} was recorded by the gate {baseline.owner}"
            remedy = (
                "a gate that was renamed is red until the file there says so"
                if gate.elsewhere
                else "if that is this gate's old name, accept the new one with: "
                f"{gate.update}; if not, restore the file"
            )
            assessment.findings.insert(0, Finding(Verdict.FAIL, f"{text}: {remedy}", text, True))
        return self._result(assessment)

    def _refuse_unbounded(self) -> None:
        """RankGateFailure where a baseline could never say what unjudged items may change."""
        measured = self.recording.measured
        if not measured.is_bounded:
            return
        if self.store == "values":
            refuse("unjudged='bounds' needs to know where unjudged items stood: pass store='ranks'")
        for name in self.policy.max_drop:
            refuse_unbounded(measured.used[name], change=True)
        unjudged = measured.evaluation.rankings.unjudged
        if unjudged is not None and unjudged.grade_order:
            refuse(
                "unjudged='bounds' has no bounds with ties='optimistic' or 'pessimistic', which go "
                "by the grades of items; pass ties='average', 'stable' or 'docid'"
            )

    def _luck(self, assessment: Assessment) -> list[str]:
        """Gains that an update leaves alone, as far as they were compared."""
        gains = [
            moved_to(assessment.measured.used[name].title, change)
            + (f" ({phrase})" if (phrase := formatting.p_phrase(change.gain_p)) else "")
            for name, change in assessment.changes.items()
            if change.drop < -IMPROVEMENT
        ]
        why = f"a baseline rises where p < {GAIN_ALPHA:g}"
        remedy = f"to record it all the same: {self.gate.accept}"
        return [f"improved, not recorded: {', '.join(gains)}: {why}; {remedy}"] if gains else []

    def _without_baseline(self) -> GateResult:
        """Assess everything but changes; the first baseline needs a pass."""
        measured = self.recording.measured
        assessment = assess(replace(self.policy, max_drop={}), measured)
        self._refuse_vacuous(assessment)
        assess_limits(
            assessment, sorted(self.policy.max_drop.keys() - set(assessment.policy.limited))
        )
        if assessment.verdict in BROKEN:
            return self._result(assessment)
        if not (self._accepts or self.options.update):
            names = self.policy.max_drop
            values = ", ".join(f"{name} is {measured.value(name):.4f}" for name in names)
            text = f"no baseline for gate {safe_repr(self.gate.name)} ({self.gate.file})"
            assessment.fail(f"{text}; {values} now - {self.gate.remedy()}")
            return self._result(assessment)
        gate = self.gate
        write_baseline(gate.path, self._content(assessment), gate.root, gate.file)
        return self._result(assessment, written="new", verdict=Verdict.NEW)

    # Writing -------------------------------------------------------------------------------------

    def _is_step_up(self, assessment: Assessment, differs: bool) -> bool:
        """Whether an update has something to record, and nothing forbids it."""
        alignment, reference = assessment.alignment, assessment.reference
        if alignment is None or reference is None or not assessment.changes:
            return False
        not_compared = self.policy.max_drop.keys() - assessment.changes
        verdicts = [finding.verdict for finding in assessment.findings]
        if (
            alignment.not_comparable
            or Verdict.FAIL in verdicts
            or not_compared & reference.values.keys()
        ):
            return False
        lacks = bool(alignment.notes) or alignment.lacks_unjudged
        lacks |= bool(assessment.slices) and not alignment.labels
        return differs or lacks or Verdict.STALE in verdicts

    def _rewritten(
        self, baseline: Baseline, read: bytes, assessment: Assessment, moves: Moves, lowered: Moves
    ) -> GateResult:
        """Write the baseline, unless the gate would still fail with it."""
        settled = assessment.settled()
        self._refuse_vacuous(settled)
        if settled.verdict in BROKEN:
            return self._result(settled)
        renewed = self._content(assessment, baseline, lowered)
        same_owner = baseline.owner.matches(self.gate.owner)
        if same_owner and renewed == replace(baseline, owner=renewed.owner):
            return self._result(settled)
        write_baseline(self.gate.path, renewed, self.gate.root, self.gate.file, read)
        if lowered or any(name not in self.recording.measured.names for name in baseline.metrics):
            result = self._result(settled, written="LOWERED", moves=moves)
            return replace(result, reason=self.options.reason)
        if not moves:
            return self._result(settled, written="refreshed")
        return self._result(settled, written="raised", verdict=Verdict.IMPROVED, moves=moves)

    def _refuse_vacuous(self, assessment: Assessment) -> None:
        """Fail for a baseline against which no drop could fail."""
        complete = replace(assessment, policy=self.policy)
        for name in self.policy.max_drop:
            text = vacuous(complete, name, self.recording.measured.value(name))
            if text:
                assessment.fail(text)

    def _moves(self, assessment: Assessment, baseline: Baseline) -> Moves:
        """The measures that move, over the common queries."""
        measured, moves = self.recording.measured, {}
        for name in measured.names:
            stored, change = baseline.metrics.get(name), assessment.changes.get(name)
            if change is not None:
                moves[name] = change.was, change.now
            elif stored is not None:
                both = self._common_means(name, assessment.reference)
                moves[name] = both or (stored["value"], measured.value(name))
        return {name: own for name, own in moves.items() if abs(own[0] - own[1]) > IMPROVEMENT}

    def _common_means(self, name: str, reference: Reference | None) -> tuple[float, float] | None:
        """Means of a measure without limit over the common queries; None if those are all."""
        measured = self.recording.measured
        values, weights = measured.per_query(name), measured.weights(name)
        if reference is None or reference.complete or values is None:
            return None
        was = reference.per_query.get(name)
        if was is None or not len(was):
            return None
        now, least = values[reference.queries], measured.used[name].metric.geometric_from
        left_out = np.isnan(was) | np.isnan(now)
        shares = None if weights is None else weights[reference.queries]
        old, new = (
            mean_over(np.where(left_out, np.nan, side), shares, least) for side in (was, now)
        )
        return None if np.isnan(old) or np.isnan(new) else (old, new)

    def _content(
        self, assessment: Assessment, baseline: Baseline | None = None, lowered: Moves | None = None
    ) -> Baseline:
        accepted = [] if baseline is None else list(baseline.accepted)
        if lowered:
            moves = {name: [round(old, 6), round(new, 6)] for name, (old, new) in lowered.items()}
            accepted.append({"reason": self.options.reason, **moves})
        names = self.recording.measured.names
        slices = {
            label: {
                "queries": len(part.members),
                **{name: round(float(part.evaluation[name]), 6) for name in names},
            }
            for label, part in assessment.slices.items()
        }
        labels = labels_of(assessment) if slices else None
        return self.recording.baseline(self.gate.owner, self.store, slices, accepted, labels)

    def _result(
        self,
        assessment: Assessment,
        *,
        written: str = "",
        verdict: Verdict | None = None,
        moves: Moves | None = None,
    ) -> GateResult:
        if (self._accepts or self.options.update) and assessment.verdict in BROKEN:
            text = "the baseline was not written, because the gate fails; mend that first"
            assessment.notes.append(text)
        result = result_of(
            assessment,
            self.gate.name,
            footer=self.gate.footer(broken=assessment.is_red) if assessment.alignment else (),
            baseline=self.gate.shown,
            verdict=verdict,
        )
        return replace(result, written=written, moves=dict(moves or {}))
