"""``--rank-unused=delete``: removes what git can bring back, and nothing else."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from pytest_rankmetrics._support.naming import EXTENSION

SECONDS = 30
"""A git that waits for a lock, or for a network disk, must not hang the run."""


def delete(root: Path, names: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Remove baselines below ``root``: those removed, and those kept with the reason."""
    deleted, kept = [], {}
    for name in names:
        reason = _reason_to_keep(root, root / name)
        if not reason:
            try:
                (root / name).unlink()
            except OSError as error:
                reason = str(error.strerror)
        if reason:
            kept[name] = reason
        else:
            deleted.append(name)
    return deleted, kept


def _reason_to_keep(root: Path, path: Path) -> str:
    """Why a file must stay; "" if the last commit holds it as it is."""
    link = _link_in(path, root)
    if link is not None:
        return f"{link} is a symbolic link"
    if not path.is_relative_to(root) or ".." in path.parts or not path.name.endswith(EXTENSION):
        return "it is no baseline of this project"
    committed = _git(path.parent, "rev-parse", "--verify", f"HEAD:./{path.name}")
    if committed is None:
        return "it is not in git's last commit"
    # With the filters of the repository, such as those of line ends; "--" ends the options.
    if _git(path.parent, "hash-object", "--", path.name) != committed:
        return "it has changed since git's last commit"
    return ""


def _git(directory: Path, *arguments: str) -> str | None:
    """What git says; None if it fails or is not there."""
    # A hook of git hands its own repository and index to everything that it starts.
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    try:
        done = subprocess.run(
            ["git", "-C", str(directory), *arguments],
            capture_output=True,
            check=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()


def _link_in(path: Path, root: Path) -> Path | None:
    """The first symbolic link on the way from ``root`` to a file, that included; None if none is.

    Outside of ``root`` the way starts where the two part.
    """
    try:
        prefix = Path(os.path.commonpath([root, path]))
    except ValueError:  # two drives of Windows
        prefix = Path(path.anchor)
    for part in path.parts[len(prefix.parts) :]:
        prefix /= part
        if prefix.is_symlink():
            return prefix
    return None
