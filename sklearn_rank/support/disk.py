"""Files on disk: errors of the system, and the one rule of writing.

Nothing replaces an input of its call, a baseline or a file of another kind; a file is there whole
or not at all, and a full disk is an error. Both packages write by `write_whole` and `append_text`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from sklearn_rank.support.text import argument, closest, safe_repr, safe_text

PathLike: TypeAlias = "str | os.PathLike[str]"
BASELINE = ".rank.json"
"""The ending of baselines, which gates alone write."""
_EXISTS = "exists already"
_HEAD = 1000
"""Bytes from the start of a file that contain the marks of a report."""
_OWN = {"/dev/stdout": 1, "/dev/stderr": 2}
_DEVICES = ("/dev", "/dev/fd", "/proc/self/fd")

# What may be replaced ---------------------------------------------------------------------------


class Kind(NamedTuple):
    """Kind of file, with the mark by which a writer recognizes it."""

    noun: str
    holds: Callable[[Path], bool]


def marked(noun: str, *marks: bytes) -> Kind:
    """Files with all these marks in their first bytes."""

    def holds(path: Path) -> bool:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        return all(mark in head for mark in marks)

    return Kind(noun, holds)


GENERATOR = '<meta name="generator" content="sklearn-rank report">'
HTML_REPORT = marked("a report", GENERATOR.encode())
JSON_REPORT = marked("a report", b'"format": "rank-report/')


def _takes_markdown(path: Path) -> bool:
    """Reports are added to such files; the step summaries of CI hosts have no suffix."""
    suffix = path.suffix.lower()
    if suffix == ".txt":
        return b"### Ranking quality" in path.read_bytes()
    return suffix in ("", ".md", ".markdown")


MARKDOWN = Kind("Markdown", _takes_markdown)


def objection(path: PathLike, kind: Kind | None = None) -> str:
    """Reason against writing to ``path``, as the end of a sentence; "" if there is none.

    A new or empty file, a pipe and a device take anything; ``kind`` None replaces no file.
    """
    path = Path(path)
    if path.name.lower().endswith(BASELINE):
        return "names a baseline"
    if is_stream(path):
        return ""
    if path.is_symlink() and path.resolve().parent != path.parent.resolve():
        return "is a link that leads to another folder"
    if not path.is_file() or not path.stat().st_size:
        return ""
    if kind is None:
        return _EXISTS
    return "" if kind.holds(path) else f"exists and is not {kind.noun}"


def check_target(path: PathLike, kind: Kind | None = None, inputs: Iterable[Any] = ()) -> None:
    """FileExistsError if anything speaks against writing at ``path``."""
    refuse_inputs(path, inputs)
    what = objection(path, kind)
    if what:
        can = f", or pass {argument('overwrite', True)}" if what == _EXISTS else ""
        msg = f"{safe_text(str(path), limit=200)} {what}; write to another file{can}"
        raise FileExistsError(msg)


def refuse_inputs(path: PathLike, inputs: Iterable[Any]) -> None:
    """FileExistsError if ``path`` is one of the files that the same call reads."""
    for other in inputs:
        if not isinstance(other, (str, os.PathLike)):
            continue
        try:
            is_same = Path(path).samefile(other)
        except OSError:
            is_same = os.path.abspath(path) == os.path.abspath(other)
        if is_same:
            shown = safe_text(str(path), limit=200)
            msg = f"{shown} is an input of this call; write to another file"
            raise FileExistsError(msg)


def is_stream(path: Path) -> bool:
    """Whether a path is a pipe or device: ``/dev/stdout`` may be a file, but is not ours."""
    return str(path.parent) in _DEVICES or (path.exists() and not (path.is_file() or path.is_dir()))


# Writing ----------------------------------------------------------------------------------------


def write_whole(path: PathLike, data: bytes) -> None:
    """Write a whole file, which `check_target` has allowed."""
    path = Path(path)
    if is_stream(path):
        _write_stream(path, data)
    else:
        replace_file(path.resolve() if path.is_symlink() else path.absolute(), data)


def append_text(path: PathLike, text: str) -> None:
    """Add text to the end of a file."""
    path = Path(path)
    if is_stream(path):
        _write_stream(path, text.encode())
    else:
        with path.open("ab") as file:
            file.write(text.encode())


def _write_stream(path: Path, data: bytes) -> None:
    """Write to a pipe or device.

    Our own output is not opened again: redirected to a file, it would have two places to write at,
    and later output would overwrite the data.
    """
    number = _OWN.get(path.as_posix())
    if number is not None:
        (sys.stdout, sys.stderr)[number - 1].flush()
    with open(path if number is None else os.dup(number), "ab", buffering=0) as stream:
        view = memoryview(data)
        while view:
            view = view[stream.write(view) :]


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


def writable(path: PathLike, what: str) -> contextlib.AbstractContextManager[None]:
    """Explain errors of a file that is written."""
    return readable(path, what, "written")


_DENIED = "permission denied; check who may access it"
_REASONS = {
    errno.EISDIR: "it is a folder; name a file",
    errno.ENOTDIR: "part of the path is a file, not a folder",
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
}


def _reason_of_absence(name: str, done: str) -> str:
    if re.match(r"[A-Za-z][\w+.-]+://", name):
        return "it is an address; " + ("download it first" if done == "read" else "name a file")
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
