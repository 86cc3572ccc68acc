"""What is said where the system does not give a file: which one, whose argument, what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sklearn_rank.support.text import closest, safe_repr, safe_text


@contextmanager
def readable(path: Any, what: str) -> Iterator[None]:
    """The system's errors for a file that is read, with the argument and a remedy in the text.

    Classes stay what they are (FileNotFoundError, PermissionError, ...).
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:  # gzip and others that tell what is wrong with the content
            raise
        raise _explained(error, path, what, "read") from error


@contextmanager
def writable(path: Any, what: str) -> Iterator[None]:
    """The same for a file that is written."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise _explained(error, path, what, "written") from error


def _explained(error: OSError, path: Any, what: str, done: str) -> OSError:
    shown = safe_repr(os.fsdecode(os.fspath(path)), limit=200)
    reason = _reason(error, Path(path), done)
    explained = type(error)(f"{what} {shown} cannot be {done}: {reason}")
    explained.errno = error.errno
    return explained


def _reason(error: OSError, path: Path, done: str) -> str:
    if error.errno == errno.ENOENT:
        return _missing(path, done)
    if error.errno == errno.EISDIR:
        return "it is a folder; name a file"
    if error.errno == errno.ENOTDIR:
        return "part of the path is a file, not a folder"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "permission denied; check who may access it"
    return safe_text(str(error.strerror))


def _missing(path: Path, done: str) -> str:
    """What is there instead."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {safe_repr(str(folder), limit=200)}" + (
            "; create it first" if done == "written" else ""
        )
    if path.is_symlink():
        return "it is a link to a file that does not exist"
    there = os.fspath(folder.absolute())
    hint = ""
    with suppress(OSError):
        hint = closest(path.name, os.listdir(folder))
    hint = hint or "; check the path"
    return f"there is no such file in {safe_repr(there, limit=200)}{hint}"
