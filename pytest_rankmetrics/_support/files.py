"""Files that are replaced whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from pathlib import Path

ABANDONED = 60
"""Seconds without a write after which a temporary file belongs to a process that was killed."""

_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{8}\.rank-tmp")


def link_in(path: Path, root: Path) -> Path | None:
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


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that a crash or a full disk leaves the old one as it was."""
    # The end is no baseline's, so that a file left behind by a crash is never read.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.rank-tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(temporary, flags | getattr(os, "O_BINARY", 0), 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sweep(path.parent)


def sweep(directory: Path) -> None:
    """Remove temporary files of processes that were killed."""
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            if not _TEMPORARY.fullmatch(path.name):
                continue
            with contextlib.suppress(OSError):
                if time.time() - path.lstat().st_mtime > ABANDONED:
                    path.unlink()
