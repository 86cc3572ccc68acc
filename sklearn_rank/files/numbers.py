"""Numbers in text, strictly: what is not written as a decimal number is none."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from sklearn_rank.files.source import Source
from sklearn_rank.support.text import safe_repr

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
MAX_WHOLE = 10**15
"""Whole numbers below are exact as float64."""


_NAMED: Mapping[str, bool | float | None] = {
    **dict.fromkeys(("", "na", "n/a", "null", "none"), None),
    "true": True,
    "false": False,
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
}


def as_value(text: str | None) -> bool | float | str | None:
    """What a cell of a table of text seems to hold; of use only to guess what a column is."""
    if text is None:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    return _NAMED.get(text.lower(), text)


def read_number(source: Source, line: int | None, text: str, what: str) -> float:
    """A finite decimal number; FileFormatError otherwise."""
    if not text:
        source.fail(line, f"the {what} is empty")
    if not _NUMBER.fullmatch(text):
        source.fail(line, f"{what} {safe_repr(text)} is not a number")
    value = float(text)
    if not math.isfinite(value):
        source.fail(line, f"{what} {safe_repr(text)} is too large for a number")
    return value


def read_whole(source: Source, line: int | None, text: str, what: str) -> int:
    """A whole number; FileFormatError otherwise."""
    if not _WHOLE.fullmatch(text):
        source.fail(line, f"{what} {safe_repr(text)} is not a whole number")
    if len(text) > 16 or abs(int(text)) >= MAX_WHOLE:
        source.fail(line, f"{what} {safe_repr(text)} is too large for a grade")
    return int(text)
