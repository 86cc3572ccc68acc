"""A gate and its baseline: where it is, whether it may be written, and what is said of it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pytest_rankmetrics._support.naming import is_called
from pytest_rankmetrics.baseline.align import Alignment, align
from pytest_rankmetrics.baseline.file import Baseline, baseline_text, read_baseline, write_baseline
from pytest_rankmetrics.baseline.record import recorded
from pytest_rankmetrics.gates.run import result_of
from pytest_rankmetrics.judging.findings import Judgement
from pytest_rankmetrics.judging.judge import judge
from pytest_rankmetrics.judging.result import GateResult
from pytest_rankmetrics.measuring.strict import Measured
from pytest_rankmetrics.policy.policy import Policy
from pytest_rankmetrics.policy.verdicts import IMPROVEMENT, Verdict
from pytest_rankmetrics.report.message import headline
from pytest_rankmetrics.session.options import Options
from sklearn_rank.support.text import safe_repr, safe_text

_PLAIN = re.compile(r"[A-Za-z0-9_.\-]{1,80}")
BROKEN = (Verdict.FAIL, Verdict.STALE)


@dataclass(frozen=True)
class Place:
    """Where the baseline of a gate is."""

    path: Path
    root: Path
    """Nothing is written outside of it."""
    shown: str
    """How messages call the file."""


@dataclass(frozen=True)
class Keeper:
    """Judges one gate against its baseline, and writes that where it is asked to."""

    name: str
    nodeid: str
    place: Place
    options: Options
    policy: Policy
    measured: Measured
    store: Literal["ranks", "scores"] = "ranks"
    target: str = ""
    """What a command calls the test: its node id, seen from where pytest was started."""
    obtained: str = ""
    """What messages call the file of the present values, if one was written for inspection."""

    @property
    def compares_only(self) -> bool:
        """Whether there is a baseline, and nothing will be written."""
        return self.place.path.is_file() and not self.options.writes

    def dump(self, path: Path) -> None:
        """Write the present values beside the baseline's, for inspection."""
        path.write_text(baseline_text(self._content(None, {})), encoding="utf-8", newline="\n")

    def result(self) -> GateResult:
        """The outcome, the baseline written if that is asked for and right."""
        if not self.place.path.is_file():
            return self._without_baseline()
        baseline = read_baseline(self.place.path, self._file)
        alignment = align(self.measured, baseline)
        found = judge(self.policy, self.measured, alignment.reference, alignment, baseline.slices)
        self._require_ratchet(found)
        if self.options.force_regen and found.verdict in BROKEN:
            return self._regenerated(found, baseline)
        if self._accepts:
            return self._rewritten(baseline, found)
        if self.options.update and self._may_raise(found, alignment):
            return self._rewritten(baseline, found)
        return self._unwritten(found)

    # No baseline ---------------------------------------------------------------------------------

    def _without_baseline(self) -> GateResult:
        found = judge(replace(self.policy, max_drop={}), self.measured)
        if found.verdict in BROKEN or not (self._accepts or self.options.update):
            values = ", ".join(
                f"{name} is {self.measured.value(name):.4f}" for name in self.policy.max_drop
            )
            text = (
                f"no baseline for gate {safe_repr(self.name)} ({self._file}); {values} now - "
                f"{self._remedy}"
            )
            if found.verdict not in BROKEN:
                found.fail(text)
            return self._unwritten(found)
        self._put(self._content(None, {}))
        return self._result(found, written="new", verdict=Verdict.NEW)

    # Writing -------------------------------------------------------------------------------------

    @property
    def _accepts(self) -> bool:
        if self.options.regen_all:
            return True
        return any(is_called(glob, self.name, self.nodeid) for glob in self.options.accept)

    def _may_raise(self, found: Judgement, alignment: Alignment) -> bool:
        """Whether an update is no step down: nothing lower, nothing gone, no limit violated."""
        changes = list(found.changes.values())
        if any(change.drop > IMPROVEMENT for change in changes):
            return False
        if len(changes) < len(
            [name for name in self.policy.max_drop if name in self._known(found)]
        ):
            return False
        gone = alignment.not_computed or alignment.not_comparable or alignment.reweighed
        if gone or not changes:
            return False
        if any(one.verdict is Verdict.FAIL for one in found.findings):
            return False
        better = any(change.drop < -IMPROVEMENT for change in changes)
        return better or alignment.stale or bool(alignment.notes)

    def _known(self, found: Judgement) -> Mapping[str, float]:
        return {} if found.reference is None else found.reference.values

    def _rewritten(self, baseline: Baseline, found: Judgement) -> GateResult:
        """Write, unless something fails that a new baseline does not mend."""
        moves = self._moves(baseline, found)
        lowered = {name: move for name, move in moves.items() if self._is_lower(name, *move)}
        gone = [name for name in baseline.metrics if name not in self.measured.names]
        renewed = self._content(baseline, lowered)
        again = judge(
            self.policy,
            self.measured,
            (alignment := align(self.measured, renewed)).reference,
            alignment,
            renewed.slices,
        )
        if again.verdict in BROKEN:
            return self._unwritten(again)
        if renewed == replace(baseline, gate=renewed.gate):
            return self._unwritten(again)
        self._put(renewed)
        kind = self._kind(moves, lowered, gone)
        improved = kind == "raised"
        verdict = Verdict.IMPROVED if improved else again.verdict
        return self._result(again, written=kind, verdict=verdict, moves=moves, before=found)

    def _regenerated(self, found: Judgement, baseline: Baseline) -> GateResult:
        """``--force-regen``: write, and fail all the same."""
        moves = self._moves(baseline, found)
        lowered = {name: move for name, move in moves.items() if self._is_lower(name, *move)}
        self._put(self._content(baseline, lowered))
        gone = [name for name in baseline.metrics if name not in self.measured.names]
        kind = self._kind(moves, lowered, gone)
        return self._result(found, written=kind, moves=moves)

    def _kind(self, moves: Mapping[str, Any], lowered: Mapping[str, Any], gone: list[str]) -> str:
        if lowered or gone:
            return "LOWERED"
        return "raised" if moves else "refreshed"

    def _is_lower(self, name: str, old: float, new: float) -> bool:
        greater_is_better = self.measured.used[name].metric.greater_is_better
        return (old - new if greater_is_better else new - old) > IMPROVEMENT

    def _moves(self, baseline: Baseline, found: Judgement) -> dict[str, tuple[float, float]]:
        """Recorded and present values of the measures that move, over the queries of each."""
        moves = {}
        for name in self.measured.names:
            change = found.changes.get(name)
            stored = baseline.metrics.get(name)
            if stored is None:
                continue
            old = stored.value if change is None else change.was
            new = self.measured.value(name) if change is None else change.now
            if abs(old - new) > IMPROVEMENT:
                moves[name] = (old, new)
        return moves

    def _content(
        self, baseline: Baseline | None, lowered: Mapping[str, tuple[float, float]]
    ) -> Baseline:
        accepted = [] if baseline is None else list(baseline.accepted)
        if lowered:
            reason = self.options.reason or self._switch
            moves = {name: [round(old, 6), round(new, 6)] for name, (old, new) in lowered.items()}
            accepted.append({"reason": reason, **moves})
        return recorded(self.measured, self.nodeid, self.store, self._slices(), accepted)

    @property
    def _switch(self) -> str:
        return "--regen-all" if self.options.regen_all else "--force-regen"

    def _slices(self) -> dict[str, dict[str, float]]:
        policy = self.policy.slices
        if policy.slices is None:
            return {}
        result: dict[str, dict[str, float]] = {}
        for label, part in self.measured.slices(policy.slices).items():
            values = {name: round(float(part[name]), 6) for name in self.measured.names}
            result[label] = {"queries": len(part.query_ids), **values}
        return result

    def _put(self, content: Baseline) -> None:
        write_baseline(self.place.path, content, self.place.root, self._file)

    # Saying --------------------------------------------------------------------------------------

    def _require_ratchet(self, found: Judgement) -> None:
        """``rank_ratchet = require``: an improvement that nobody recorded fails."""
        if self.policy.settings.ratchet != "require" or self.options.writes:
            return
        for name, change in found.changes.items():
            if change.decision.verdict is Verdict.IMPROVED:
                found.fail(
                    f"{name} {change.was:.4f} -> {change.now:.4f} ({change.change:+.4f}) is better "
                    f"than the baseline: record it with: {self._command('--rank-update')}",
                    f"{name} {change.change:+.4f}",
                )

    def _command(self, option: str) -> str:
        return f"pytest {shlex.quote(safe_text(self.target, limit=300))} {option}"

    @property
    def _file(self) -> str:
        return safe_text(self.place.shown, limit=300)

    @property
    def _remedy(self) -> str:
        """What to do without a baseline."""
        if self.options.baseline_dir is None:
            return f"write it with: {self._command('--rank-update')}"
        directory = safe_text(str(self.options.baseline_dir), limit=300)
        return f"it is not below {directory}: a gate that is new or renamed is red until it is"

    def _footer(self, found: Judgement) -> list[str]:
        if found.alignment is None:
            return []
        lines = [f"baseline  {self._file}"]
        if self.obtained:
            lines.append(f"obtained  {self.obtained}")
        if found.verdict in BROKEN:
            accept = f'--rank-accept "*{self._glob()}*" --rank-reason "..."'
            lines.append(f"accept    {self._command(accept)}")
        return lines

    def _glob(self) -> str:
        """A pattern that a shell takes as it is: the gate's name, or else its test's."""
        name = self.name.partition("[")[0]
        return name if _PLAIN.fullmatch(name) else self.nodeid.rpartition("::")[2].partition("[")[0]

    def _unwritten(self, found: Judgement) -> GateResult:
        return self._result(found, written="")

    def _result(
        self,
        found: Judgement,
        *,
        written: str,
        verdict: Verdict | None = None,
        moves: Mapping[str, tuple[float, float]] | None = None,
        before: Judgement | None = None,
    ) -> GateResult:
        result = result_of(
            found,
            self.name,
            footer=self._footer(found),
            baseline=self.place.shown,
            verdict=verdict,
        )
        if before is not None:
            # What was judged before the baseline moved is what a reader wants to see.
            metrics = {
                name: replace(one, verdict=found.metric_results[name].verdict, reason="")
                for name, one in before.metric_results.items()
            }
            result = replace(result, metrics=metrics, headline=headline(found))
        reason = self.options.reason if written == "LOWERED" else ""
        return replace(result, written=written, moves=dict(moves or {}), reason=reason)
