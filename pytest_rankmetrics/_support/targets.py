"""Where a report may be written: over nothing that is not a report of the same kind."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_rankmetrics._support.naming import EXTENSION

HEAD = 1000
"""Bytes from the start of a file in which the marks of a report stand."""

JSON_MARKS = (b'"format": "rank-report/',)
HTML_MARKS = (b'<meta name="generator" content="sklearn-rank report">',)
JUNIT_MARKS = (b"<testsuite", b'name="sklearn-rank gate"')

_TEXTS = ("", ".md", ".markdown", ".txt")
"""Endings of files to which Markdown is added; the step summaries of CI hosts have none."""


def objection(path: Path, marks: tuple[bytes, ...] = ()) -> str:
    """What speaks against a report at ``path``, as the end of a sentence; "" if nothing does.

    A whole report replaces a file that has its ``marks``; one without marks is added to a text.
    What is new, empty, a pipe or a device takes any report.
    """
    if path.name.lower().endswith(EXTENSION):
        return "names a baseline"
    if is_stream(path) or not path.exists() or not path.stat().st_size:
        return ""
    if not marks:
        return "" if path.suffix.lower() in _TEXTS else "names a file that is no Markdown"
    with path.open("rb") as file:
        head = file.read(HEAD)
    return "" if all(mark in head for mark in marks) else "names a file that is no such report"


def is_stream(path: Path) -> bool:
    """Whether a report goes to a pipe or device: ``/dev/stdout`` may be a file, but is not ours."""
    return path.is_relative_to("/dev") or (path.exists() and not path.is_file())


_OWN = {"/dev/stdout": 1, "/dev/stderr": 2}


def write_stream(path: Path, text: str) -> None:
    """Write to a pipe or device.

    Our own output is not opened again: redirected to a file, it would have two places to write at,
    and what pytest prints next would stand over the report.
    """
    number = _OWN.get(path.as_posix())
    with open(path if number is None else os.dup(number), "a", encoding="utf-8") as stream:
        stream.write(text)


def refuse_target(path: Path, marks: tuple[bytes, ...] = ()) -> None:
    """OSError if anything speaks against a report at ``path``."""
    what = objection(path, marks)
    if what:
        msg = f"it {what}"
        raise OSError(msg)
