"""A gate that has a baseline: what it and its file are called, and what to do when it fails."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_rankmetrics.baseline.content import Owner
from sklearn_rank.support.text import safe_text

_PLAIN = re.compile(r"[A-Za-z0-9_.\-]{1,80}")
_MOST_ORPHANS = 3
"""Names in a headline: more are counted."""


@dataclass(frozen=True)
class Commands:
    """What to type when a baseline is to be written."""

    update: str
    accept: str

    @classmethod
    def of_pytest(cls, target: str, name: str, nodeid: str) -> Commands:
        """Commands that run the test of a gate; ``target`` is its node id from where they start."""
        pytest = f"pytest {shlex.quote(safe_text(target, limit=300))}"
        accept = f'--rank-accept "*{_glob(name, nodeid)}*" --rank-reason "..."'
        return cls(f"{pytest} --rank-update", f"{pytest} {accept}")


def _glob(name: str, nodeid: str) -> str:
    """A pattern that needs no quoting: the gate's name, or else its test's."""
    name = name.partition("[")[0]
    return name if _PLAIN.fullmatch(name) else nodeid.rpartition("::")[2].partition("[")[0]


@dataclass(frozen=True)
class RecordedGate:
    """Names of one gate and of its baseline."""

    name: str
    nodeid: str
    path: Path
    """The baseline."""
    root: Path
    """Nothing is written outside of it."""
    shown: str
    """How messages call the baseline."""
    commands: Commands
    orphans: Callable[[], Sequence[str]]
    """Names of the baselines beside this one that belong to no test."""
    elsewhere: str = ""
    """Where the baseline is read from, if that is another checkout: that of the target branch."""
    obtained: str = ""
    """What messages call the file of present values, if one is written for inspection."""

    @property
    def owner(self) -> Owner:
        """The gate, as its baseline knows it."""
        return Owner(self.nodeid, self.name)

    @property
    def file(self) -> str:
        """The path of the baseline, safe to print."""
        return safe_text(self.shown, limit=300)

    def remedy(self) -> str:
        """What to do without a baseline; a gate that was renamed wants its old one back."""
        if self.elsewhere:
            return (
                f"it is not below {self.elsewhere}: a gate that is new or renamed is red until it "
                f"is; write it in the working copy, commit it and merge: {self.commands.update}"
            )
        write = self.commands.update
        orphans = self.orphans()
        if not orphans:
            return f"write it with: {write}"
        names = ", ".join(safe_text(name, limit=100) for name in orphans[:_MOST_ORPHANS])
        more = len(orphans) - _MOST_ORPHANS
        names += f" and {more:,} more" if more > 0 else ""
        verb = "belongs" if len(orphans) == 1 else "belong"
        old = self.file.removesuffix(self.path.name) + safe_text(orphans[0], limit=100)
        move = f"git mv {shlex.quote(old)} {shlex.quote(self.file)}"
        return (
            f"beside it {names} {verb} to no test: renamed? {move}; then, or if it is new: {write}"
        )

    def footer(self, *, broken: bool) -> list[str]:
        """The files, and how a drop that is wanted is accepted."""
        lines = [f"baseline  {self.file}"]
        if self.obtained:
            lines.append(f"obtained  {self.obtained}")
        if broken:
            lines.append(f"accept    {self.commands.accept}")
        if broken and self.elsewhere:
            lines.append(
                f"the baseline is that of {self.elsewhere}: run this in the working copy and "
                "commit the file; this run stays red until the change is merged"
            )
        return lines


def in_working_copy(directory: Path) -> str:
    """Where a directory of another checkout lies in the working copy; "" for one of its own."""
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
