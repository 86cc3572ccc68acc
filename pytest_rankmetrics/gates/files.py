"""Gates over files, without pytest: the same policy, words and baselines, for any language."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_rankmetrics._support.naming import EXTENSION, slug
from pytest_rankmetrics._support.typing import DataOptions
from pytest_rankmetrics.assessment.result import GateResult
from pytest_rankmetrics.baseline.file import recorded_gate
from pytest_rankmetrics.baseline.record import Recording
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.gates.run import check_gate, split_arguments
from pytest_rankmetrics.gates.update import BaselineUpdater, RecordedGate
from pytest_rankmetrics.policy.policy import GateLimits, read_policy
from pytest_rankmetrics.policy.settings import Settings, Writing, in_ci
from pytest_rankmetrics.policy.verdicts import Verdict
from pytest_rankmetrics.report.summary import GateRun, Summary
from sklearn_rank.support.text import safe_repr, safe_text

ARGUMENTS = (*GateLimits.__annotations__, *DataOptions.__annotations__)
"""Arguments of a gate besides its files."""


@dataclass(frozen=True)
class FileGate:
    """A gate over one pair of files."""

    name: str
    read: Callable[[], tuple[Any, Any]]
    """Judgements and rankings."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Limits, and how the data is read: arguments of ``rank_gate.check``."""
    files: tuple[str, ...] = ()
    """Input files of the gate, protected from reports."""


@dataclass(frozen=True)
class FileSession:
    """Directory of the baselines, and permission to write them."""

    directory: Path
    settings: Settings = field(default_factory=Settings)
    update: bool = False
    reason: str = ""
    """Reason for lowering baselines; empty: none is lowered."""
    command: tuple[str, ...] = ("sklearn-rank", "gate")
    """The command as typed, without the options that write."""

    def path_of(self, name: str) -> Path:
        """The baseline of a gate."""
        return self.directory / f"{slug(name)}{EXTENSION}"

    def unused(self, gates: Sequence[FileGate]) -> list[str]:
        """Baselines in the directory that belong to none of the gates."""
        used = {self.path_of(gate.name).name for gate in gates}
        names = (path.name for path in self.directory.glob(f"*{EXTENSION}"))
        return sorted(name for name in names if name not in used and not name.startswith("."))

    def typed(self) -> str:
        """The command for the working copy, where baselines are written."""
        words, here = list(self.command), in_working_copy(self.directory)
        if here:
            if "--baseline-dir" in words:
                place = words.index("--baseline-dir")
                del words[place : place + 2]
            words = [word for word in words if not word.startswith("--baseline-dir=")]
            words.append(f"--baseline-dir={here}")
        return shlex.join(safe_text(word, limit=300) for word in words)


def judge_files(gates: Sequence[FileGate], session: FileSession) -> Summary:
    """Assess all gates; one that could not be measured is a problem and stops no other."""
    if (session.update or session.reason) and in_ci():
        msg = (
            "--update and --accept are not for continuous integration (CI is set), where nothing "
            "that writes a baseline may end green: write it where you work, and commit it"
        )
        raise ValueError(msg)
    names = [gate.name for gate in gates]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"two gates have the name {safe_repr(twice)}, which names the baseline"
        raise ValueError(msg)
    runs, problems = [], []
    for gate in gates:
        try:
            result = _assessed(gate, session)
        except (ValueError, TypeError, OSError, ImportError) as error:
            text = safe_text(str(error), limit=2000)
            problems.append(f"gate {safe_repr(gate.name)} could not be measured: {text}")
            continue
        record = {**result.as_dict(intervals=not result.passed), "fixture": ""}
        runs.append(GateRun(record, gate.name, "passed" if result.passed else "failed"))
    return Summary(
        gates=tuple(runs),
        problems=tuple(problems),
        settings=asdict(session.settings),
        update=f"{session.typed()} --update",
    )


def _assessed(gate: FileGate, session: FileSession) -> GateResult:
    """The outcome of one gate; a refusal to measure is a failure, as it is in pytest."""
    limits, reading, store = split_arguments(gate.given, "gate")
    policy = read_policy(session.settings, limits, reading.get("values"))
    accept = ("*",) if session.reason else ()
    writing = Writing(update=session.update, accept=accept, reason=session.reason)

    def compare(recording: Recording) -> GateResult:
        recorded = _recorded(gate.name, session)
        return BaselineUpdater(recorded, writing, policy, recording, store).result()

    data = gate.read()
    try:
        result = check_gate(data, policy, reading, gate.name, compare)
    except RankGateFailure as failure:
        text = safe_text(str(failure), limit=2000)
        result = GateResult(gate.name, Verdict.FAIL, text, metrics={})
    return replace(result, nodeid=gate.name)


def _recorded(name: str, session: FileSession) -> RecordedGate:
    """The gate with its baseline."""
    path, root, typed = session.path_of(name), session.directory, session.typed()
    owner = recorded_gate(path) if session.update and path.is_file() else ""
    if owner not in ("", name) and session.path_of(owner).exists():
        msg = (
            f"baseline {safe_text(path.as_posix(), limit=300)} is a copy of that of the gate "
            f"{safe_repr(owner)}; delete it, and record this gate anew"
        )
        raise ValueError(msg)
    return RecordedGate(
        name,
        name,
        path,
        root,
        path.as_posix(),
        update=f"{typed} --update",
        accept=f'{typed} --accept --reason "..."',
        orphans=lambda: (),
        elsewhere=safe_text(str(root), limit=300) if in_working_copy(root) else "",
    )


def in_working_copy(directory: Path) -> str:
    """Path in the working copy of a directory of another checkout; "" if it has none."""
    own, other = _checkout_of(Path.cwd()), _checkout_of(directory.absolute())
    if other is None or other == own:
        return ""
    inner = directory.absolute().relative_to(other)
    return Path(os.path.relpath(inner if own is None else own / inner)).as_posix()


def _checkout_of(path: Path) -> Path | None:
    """The git checkout that holds a path: the next directory above with a ``.git`` of its own."""
    for place in (path, *path.parents):
        git = place / ".git"
        if git.is_dir() or (git.is_file() and b"/modules/" not in git.read_bytes()[:1000]):
            return place
    return None
