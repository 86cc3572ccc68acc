"""Where a report may be written: over nothing that is not a report of the same kind."""

from __future__ import annotations

from pathlib import Path

from pytest_rankmetrics._support.naming import EXTENSION

HEAD = 1000
"""Bytes from the start of a file in which the marks of a report stand."""

JSON_MARKS = (b'"format": "rank-report/',)
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
    if not path.is_file() or not path.stat().st_size:
        return ""
    if not marks:
        return "" if path.suffix.lower() in _TEXTS else "names a file that is no Markdown"
    with path.open("rb") as file:
        head = file.read(HEAD)
    return "" if all(mark in head for mark in marks) else "names a file that is no such report"


def refuse_target(path: Path, marks: tuple[bytes, ...] = ()) -> None:
    """OSError if anything speaks against a report at ``path``."""
    what = objection(path, marks)
    if what:
        msg = f"it {what}"
        raise OSError(msg)
