"""Files on disk: errors of the system, and the one rule of writing.

Nothing replaces an input of its call, a baseline or a file of another kind; a file is there whole
or not at all, and a full disk is an error. Both packages write by `write_whole` and `append`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from sklearn_rank.support.text import closest, safe_repr, safe_text

PathLike: TypeAlias = "str | os.PathLike[str]"
BASELINE_FILE = ".rank.json"
"""The ending of baselines, which only gates write."""
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_DEVICES = ("/dev", "/dev/fd", "/proc/self/fd")

# What may be replaced ---------------------------------------------------------------------------


class FileKind(NamedTuple):
    """Kind of file, with the mark by which a writer recognizes it."""

    noun: str
    holds: Callable[[Path], bool]


def _marked(mark: str) -> FileKind:
    """Reports with this mark near their start."""

    def holds(path: Path) -> bool:
        with path.open("rb") as file:
            return mark.encode() in file.read(1000)

    return FileKind("a report", holds)


GENERATOR = '<meta name="generator" content="sklearn-rank report">'
HTML_REPORT, JSON_REPORT = _marked(GENERATOR), _marked('"format": "rank-report/')
# Reports are added to such files; the step summaries of CI hosts have no suffix.
MARKDOWN = FileKind("Markdown", lambda path: path.suffix.lower() in ("", ".md", ".markdown"))


def check_target(path: PathLike, kind: FileKind, inputs: Iterable[Any] = ()) -> None:
    """FileExistsError if ``path`` must not be written.

    Files of the kind, and empty ones, may be replaced; pipes and devices are always allowed.
    """
    read = [Path(other) for other in inputs if isinstance(other, (str, os.PathLike))]
    path, what = Path(path), ""
    if path.exists() and any(other.exists() and path.samefile(other) for other in read):
        what = "is an input of this call"
    elif path.name.lower().endswith(BASELINE_FILE):
        what = "names a baseline"
    elif path.is_symlink() and path.resolve().parent != path.parent.resolve():
        what = "is a link that leads to another folder" * (not _is_stream(path))
    elif path.is_file() and path.stat().st_size and not (_is_stream(path) or kind.holds(path)):
        what = f"exists and is not {kind.noun}"
    if what:
        msg = f"{safe_text(str(path), limit=200)} {what}; write to another file"
        raise FileExistsError(msg)


def _is_stream(path: Path) -> bool:
    """Whether a path is a pipe or device: ``/dev/stdout`` may be a file, but is not ours."""
    return str(path.parent) in _DEVICES or (path.exists() and not (path.is_file() or path.is_dir()))


# Writing ----------------------------------------------------------------------------------------


def write_whole(path: PathLike, data: bytes) -> None:
    """Write a whole file, which `check_target` has allowed."""
    path = Path(path)
    if _is_stream(path):
        append(path, data)
    else:
        replace_file(path.resolve() if path.is_symlink() else path.absolute(), data)


def append(path: PathLike, data: bytes) -> None:
    """Add data to the end of a file, or write it to a pipe or device.

    Our own output is not opened again: redirected to a file, it would be written at two positions,
    and later output would overwrite the data.
    """
    number = _STREAMS.get(Path(path).as_posix())
    if number is not None:
        (sys.stdout, sys.stderr)[number - 1].flush()
    with open(path if number is None else os.dup(number), "ab") as file:
        file.write(data)


_TEMPORARY = ".rank-tmp"
_AN_HOUR = 3600.0


def _remove_left_behind(folder: Path) -> None:
    """Remove what a killed writer left: nobody writes a file for an hour."""
    for left in folder.glob(f".*{_TEMPORARY}"):
        with contextlib.suppress(OSError):
            if time.time() - left.lstat().st_mtime > _AN_HOUR:
                left.unlink()


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that a crash or a full disk leaves the old one as it was."""
    _remove_left_behind(path.parent)
    # The end is no baseline's, so that a file left behind by a crash is never read.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_TEMPORARY}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


# Errors of the system ---------------------------------------------------------------------------


@contextlib.contextmanager
def readable(path: PathLike, what: str, done: str = "read") -> Iterator[None]:
    """Name argument and remedy in the system's errors for a file that is read; classes stay."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # gzip and others that tell what is wrong with the content
            raise
        shown = safe_repr(os.fsdecode(os.fspath(path)), limit=200)
        reason = _REASONS.get(error.errno) or safe_text(str(error.strerror))
        if error.errno == errno.ENOENT:
            reason = _reason_of_absence(os.fsdecode(path), done)
        explained = type(error)(f"{what} {shown} cannot be {done}: {reason}")
        explained.errno = error.errno
        raise explained from error


_REASONS = {
    errno.EISDIR: "it is a folder; name a file",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.EACCES: "permission denied; check who may access it",
    errno.EPERM: "permission denied; check who may access it",
}


def _reason_of_absence(name: str, done: str) -> str:
    if re.match(r"[A-Za-z][\w+.-]+://", name):
        return "it is a URL; " + ("download it first" if done == "read" else "name a file")
    path = Path(name)
    folder = path.parent
    if not folder.is_dir():
        remedy = "; create it first" if done == "written" else ""
        return f"there is no folder {safe_repr(str(folder), limit=200)}{remedy}"
    if path.is_symlink():
        return "it is a link to a file that does not exist"
    hint = ""
    with contextlib.suppress(OSError):
        hint = closest(path.name, os.listdir(folder))
    where = safe_repr(os.fspath(folder.absolute()), limit=200)
    return f"there is no such file in {where}{hint or '; check the path'}"
