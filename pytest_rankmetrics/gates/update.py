"""Judges a gate against its baseline, and records it where that is asked for and right.

Nothing that regenerates lowers a baseline: updates write what is missing, raise and refresh. Only
``--rank-accept`` lowers, with a reason that is stored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics._support.naming import is_called
from pytest_rankmetrics.assessment.assess import assess, assess_limits, labels_of, vacuous
from pytest_rankmetrics.assessment.findings import Assessment, Finding
from pytest_rankmetrics.assessment.result import GateResult
from pytest_rankmetrics.baseline.align import align
from pytest_rankmetrics.baseline.content import Baseline
from pytest_rankmetrics.baseline.file import baseline_text, read_baseline, write_baseline
from pytest_rankmetrics.baseline.record import Recording, Store
from pytest_rankmetrics.gates.recorded import RecordedGate
from pytest_rankmetrics.gates.run import result_of
from pytest_rankmetrics.measuring.evaluation import refuse, refuse_unbounded
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.settings import Writing
from pytest_rankmetrics.policy.verdicts import IMPROVEMENT, Verdict
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.support.disk import write_whole
from sklearn_rank.support.text import safe_repr

BROKEN = (Verdict.FAIL, Verdict.STALE)
NOT_WRITTEN = "the baseline was not written, because the gate fails; mend that first"

Moves = Mapping[str, tuple[float, float]]
"""Recorded and present value of each measure."""


@dataclass(frozen=True)
class BaselineUpdater:
    """Judges one gate against its baseline, and writes the baseline if asked to."""

    gate: RecordedGate
    options: Writing
    policy: Policy
    recording: Recording
    store: Store = "ranks"

    @property
    def compares_only(self) -> bool:
        """Whether there is a baseline, and nothing will be written."""
        return self.gate.path.is_file() and not self.options.writes

    def dump(self, path: Path) -> None:
        """Write the present values beside the baseline's, for inspection."""
        content = self.recording.baseline(self.gate.owner, self.store, {})
        write_whole(path, baseline_text(content).encode())

    def result(self) -> GateResult:
        """The outcome; the baseline is written if that is asked for and right."""
        self._refuse_unbounded()
        if not os.path.lexists(self.gate.path):
            return self._without_baseline()
        baseline, read = read_baseline(self.gate.path, self.gate.file)
        alignment = align(self.recording, baseline, self.gate.file)
        assessment = assess(self.policy, self.recording.measured, alignment.reference, alignment)
        if self.gate.elsewhere:  # no option alone: it is to be typed somewhere else
            command = f"with: {self.gate.commands.update}"
            assessment.findings = [
                replace(own, full=own.full.replace("with: --rank-update", command))
                for own in assessment.findings
            ]
        self._require_ratchet(assessment)
        if self._accepts:
            return self._rewritten(baseline, read, assessment)
        if self._updates:
            lower = self._lower(assessment, baseline)
            if lower and assessment.verdict not in BROKEN:
                assessment.notes.append(f"not recorded: {', '.join(lower)}")
            elif not lower and self._is_step_up(assessment, baseline):
                return self._rewritten(baseline, read, assessment)
        self._refuse_foreign(assessment, baseline)
        self._note_unwritten(assessment)
        return self._result(assessment)

    def _note_unwritten(self, assessment: Assessment) -> None:
        """Say that nothing was recorded, where that was asked for and the gate fails."""
        if (self._accepts or self._updates) and assessment.verdict in BROKEN:
            assessment.notes.append(NOT_WRITTEN)

    def _refuse_foreign(self, assessment: Assessment, baseline: Baseline) -> None:
        """Another gate's baseline, which may have been copied here because it asks for less."""
        if baseline.owner.matches(self.gate.owner):
            return
        text = f"baseline {self.gate.file} was recorded by the gate {baseline.owner}"
        remedy = (
            "if that is this gate's old name, accept the new one with: "
            f"{self.gate.commands.update}; if not, restore the file"
        )
        if self.gate.elsewhere:
            remedy = "a gate that was renamed is red until the file there says so"
        assessment.findings.insert(0, Finding(Verdict.FAIL, f"{text}: {remedy}", text, True))

    def _refuse_unbounded(self) -> None:
        """RankGateFailure where a baseline could never say what unjudged items may change."""
        measured = self.recording.measured
        if not measured.is_bounded:
            return
        if self.store == "values":
            refuse("unjudged='bounds' needs to know where unjudged items stood: pass store='ranks'")
        for name in self.policy.max_drop:
            refuse_unbounded(measured.used[name], change=True)
        if measured.ties_follow_grades:
            refuse(
                "unjudged='bounds' has no bounds with ties='optimistic' or 'pessimistic', which go "
                "by the grades of items; pass ties='average', 'stable' or 'docid'"
            )

    # No baseline ---------------------------------------------------------------------------------

    def _without_baseline(self) -> GateResult:
        measured = self.recording.measured
        assessment = assess(replace(self.policy, max_drop={}), measured)
        self._refuse_vacuous(assessment)
        drops = self.policy.max_drop.keys() - set(assessment.policy.limited)
        assess_limits(assessment, sorted(drops))
        if assessment.verdict in BROKEN:
            self._note_unwritten(assessment)
            return self._result(assessment)
        if not (self._accepts or self._updates):
            values = ", ".join(
                f"{name} is {measured.value(name):.4f}" for name in self.policy.max_drop
            )
            gate = f"no baseline for gate {safe_repr(self.gate.name)} ({self.gate.file})"
            assessment.fail(f"{gate}; {values} now - {self.gate.remedy()}")
            return self._result(assessment)
        self._put(self._content((), {}, assessment), None)
        return self._result(assessment, written="new", verdict=Verdict.NEW)

    # Writing -------------------------------------------------------------------------------------

    @property
    def _accepts(self) -> bool:
        return any(
            is_called(glob, self.gate.name, self.gate.nodeid) for glob in self.options.accept
        )

    @property
    def _updates(self) -> bool:
        """Regeneration, whatever the switch is called, is an update."""
        return self.options.update or self.options.force_regen or self.options.regen_all

    def _lower(self, assessment: Assessment, baseline: Baseline) -> list[str]:
        """What an update would lower: measures, gated or not, and slices that have a limit."""
        moves = self._moves(assessment, baseline)
        lower = [
            f"{name} {was:.4f} -> {now:.4f}"
            for name, (was, now) in moves.items()
            if self._is_lower(name, was, now)
        ]
        return lower + [
            f"slice {formatting.shown(label)} {name} {formatting.signed(change.change)}"
            for (label, name), change in assessment.slice_changes.items()
            if change.drop > IMPROVEMENT and change.decision.verdict is not Verdict.SHOWN
        ]

    def _is_step_up(self, assessment: Assessment, baseline: Baseline) -> bool:
        """Whether there is something to record, no limit is violated, and no measure is gone."""
        alignment, reference = assessment.alignment, assessment.reference
        if alignment is None or reference is None or not assessment.changes:
            return False
        if alignment.not_comparable:
            return False
        if any(
            name in reference.values for name in self.policy.max_drop.keys() - assessment.changes
        ):
            return False
        verdicts = [finding.verdict for finding in assessment.findings]
        if Verdict.FAIL in verdicts:
            return False
        better = bool(self._moves(assessment, baseline))
        renamed = not baseline.owner.matches(self.gate.owner)
        lacks = bool(alignment.notes) or alignment.lacks_unjudged
        lacks |= bool(assessment.slices) and not alignment.labels
        return better or Verdict.STALE in verdicts or lacks or renamed

    def _rewritten(self, baseline: Baseline, read: bytes, assessment: Assessment) -> GateResult:
        """Write, unless something fails that a new baseline would not resolve."""
        moves = self._moves(assessment, baseline)
        lowered = {name: move for name, move in moves.items() if self._is_lower(name, *move)}
        settled = assessment.settled()
        self._refuse_vacuous(settled)
        if settled.verdict in BROKEN:
            self._note_unwritten(settled)
            return self._result(settled)
        renewed = self._content(baseline.accepted, lowered, assessment)
        same_owner = baseline.owner.matches(self.gate.owner)
        if same_owner and renewed == replace(baseline, owner=renewed.owner):
            return self._result(settled)
        self._put(renewed, read)
        gone = [name for name in baseline.metrics if name not in self.recording.measured.names]
        if lowered or gone:
            return self._result(settled, written="LOWERED", moves=moves)
        if not moves:
            return self._result(settled, written="refreshed")
        return self._result(settled, written="raised", verdict=Verdict.IMPROVED, moves=moves)

    def _refuse_vacuous(self, assessment: Assessment) -> None:
        """Write no baseline against which the allowed drop would mean nothing."""
        complete = replace(assessment, policy=self.policy)
        for name in self.policy.max_drop:
            text = vacuous(complete, name, self.recording.measured.value(name))
            if text:
                assessment.fail(text)

    def _is_lower(self, name: str, was: float, now: float) -> bool:
        greater_is_better = self.recording.measured.used[name].metric.greater_is_better
        return (was - now if greater_is_better else now - was) > IMPROVEMENT

    def _moves(self, assessment: Assessment, baseline: Baseline) -> dict[str, tuple[float, float]]:
        """The measures that move, over the common queries."""
        measured, moves = self.recording.measured, {}
        for name in measured.names:
            stored, change = baseline.metrics.get(name), assessment.changes.get(name)
            if change is not None:
                pair = (change.was, change.now)
            elif stored is not None:
                pair = self._level(assessment, name) or (stored.value, measured.value(name))
            else:
                continue
            if abs(pair[0] - pair[1]) > IMPROVEMENT:
                moves[name] = pair
        return moves

    def _level(self, assessment: Assessment, name: str) -> tuple[float, float] | None:
        """Means of a measure that has no limit, over the common queries; None if those are all."""
        measured = self.recording.measured
        reference, values = assessment.reference, measured.per_query(name)
        if reference is None or reference.complete or values is None:
            return None
        was = reference.per_query.get(name)
        if was is None or not len(was):
            return None
        now = values[reference.queries]
        left_out = np.isnan(was) | np.isnan(now)
        least, weights = measured.used[name].metric.geometric_from, measured.weights(name)
        shares = None if weights is None else weights[reference.queries]
        old, new = (
            mean_over(np.where(left_out, np.nan, side), shares, least) for side in (was, now)
        )
        return None if np.isnan(old) or np.isnan(new) else (old, new)

    def _content(
        self, accepted: Sequence[Mapping[str, Any]], lowered: Moves, assessment: Assessment
    ) -> Baseline:
        accepted = list(accepted)
        if lowered:
            moves = {name: [round(old, 6), round(new, 6)] for name, (old, new) in lowered.items()}
            accepted.append({"reason": self.options.reason, **moves})
        slices = self._slices(assessment)
        labels = labels_of(assessment) if slices else None
        return self.recording.baseline(self.gate.owner, self.store, slices, accepted, labels)

    def _slices(self, assessment: Assessment) -> dict[str, dict[str, float]]:
        names = self.recording.measured.names
        return {
            label: {
                "queries": len(part.members),
                **{name: round(float(part.evaluation[name]), 6) for name in names},
            }
            for label, part in assessment.slices.items()
        }

    def _put(self, content: Baseline, read: bytes | None) -> None:
        write_baseline(self.gate.path, content, self.gate.root, self.gate.file, read)

    # Saying --------------------------------------------------------------------------------------

    def _require_ratchet(self, assessment: Assessment) -> None:
        """``rank_ratchet = require``: an improvement that nobody recorded fails."""
        if self.policy.settings.ratchet != "require" or self.options.writes:
            return
        for name, change in assessment.changes.items():
            if change.decision.verdict is Verdict.IMPROVED:
                assessment.fail(
                    f"{name} {change.was:.4f} -> {change.now:.4f} ({change.change:+.4f}) is better "
                    f"than the baseline: record it with: {self.gate.commands.update}",
                    f"{name} {change.change:+.4f}",
                )

    def _result(
        self,
        assessment: Assessment,
        *,
        written: str = "",
        verdict: Verdict | None = None,
        moves: Moves | None = None,
    ) -> GateResult:
        result = result_of(
            assessment,
            self.gate.name,
            footer=self.gate.footer(broken=assessment.is_red) if assessment.alignment else (),
            baseline=self.gate.shown,
            verdict=verdict,
        )
        reason = self.options.reason if written == "LOWERED" else ""
        return replace(result, written=written, moves=dict(moves or {}), reason=reason)
