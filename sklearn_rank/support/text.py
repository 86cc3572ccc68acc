"""Data on its way to a person: ids are escaped and cut before they reach a message."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeAlias

MAX_CHARACTERS = 80
"""Characters of an id in a message: it should fit a line of a terminal."""
MAX_LISTED = 5
"""Ids in a message: enough to see a common cause."""
LONGEST_NAME = 24
"""Several ids have to fit a line."""


def as_text(item: Any) -> str:
    """An id as text, which is how trec_eval breaks ties: "9" is greater than "10"."""
    return item if isinstance(item, str) else str(item)


def safe_repr(value: Any, *, limit: int | None = MAX_CHARACTERS) -> str:
    """Printable, single-line, quoted form of an id; None as ``limit`` cuts nothing.

    Control characters, bidirectional and zero-width marks, line separators, lone surrogates and
    unassigned code points are written as escapes; other Unicode stays readable. A longer id is
    cut in the middle, because addresses and paths often differ at their ends.
    """
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        value = value.item()  # told without importing NumPy, which a command may not need
    text = value if isinstance(value, str) else _repr(value)
    if limit is not None:
        text = middle_cut(text, limit)
    if isinstance(value, str):
        return "'" + _escape(text.replace("\\", "\\\\").replace("'", "\\'")) + "'"
    return _escape(text)


def middle_cut(text: str, limit: int) -> str:
    """Text without its middle where it is too long: addresses and names differ at their ends."""
    if len(text) <= limit:
        return text
    left = limit - len("...")
    return f"{text[: left - left // 2]}...{text[len(text) - left // 2 :]}"


def safe_text(text: str, *, limit: int | None = MAX_CHARACTERS) -> str:
    """Text without quotes, for messages, paths and reasons; ``...`` marks a cut."""
    shown = _escape(text[:limit])
    return f"{shown}..." if limit is not None and len(text) > limit else shown


_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\[)", re.MULTILINE)


def for_log(text: str) -> str:
    """Text for a terminal, no line of which is a command to the GitHub job whose log it is.

    The job reads lines that start with ``::``, and ``##[`` anywhere.
    """
    if not os.environ.get("GITHUB_ACTIONS"):
        return text
    return _COMMAND.sub(lambda mark: "\\x23" if mark[0] == "#" else f"{mark[1]}\\x3a", text)


def _repr(value: Any) -> str:
    """``repr``, or a substitute where it fails: integers of too many digits, broken classes."""
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__} without a representation>"


def format_list(values: Any, *, limit: int = MAX_LISTED, total: int | None = None) -> str:
    """The first few ids, and how many more of the ``total`` (None: of the values) there are."""
    values = list(values)
    text = ", ".join(safe_repr(value) for value in values[:limit])
    more = (len(values) if total is None else total) - limit
    return f"{text} and {more:,} more" if more > 0 else text


def listed(parts: Sequence[str], most: int = 6) -> str:
    """``a, b and c``, or ``a, b and 3 more``."""
    more = len(parts) - most
    first, last = (
        (parts[:most], f"{more:,} more") if more > 0 else (parts[:-1], "".join(parts[-1:]))
    )
    return " and ".join(filter(None, (", ".join(first), last)))


def count(number: int, one: str, several: str = "") -> str:
    """``1 query``, ``250 queries``."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def shown(value: Any, limit: int = LONGEST_NAME) -> str:
    """A query or item id: escaped, cut, and quoted only if necessary."""
    text = safe_repr(value, limit=limit)
    plain = isinstance(value, str) and value.strip() and not set(" \\'") & set(text[1:-1])
    return text[1:-1] if plain else text


def line(text: str, limit: int = 300) -> str:
    """Text on one line, cut to size, without terminal control characters."""
    return safe_text(text, limit=limit)


def several(values: Sequence[Any], limit: int = 5) -> str:
    """Some ids, with the number of the others."""
    text = " ".join(shown(value) for value in values[:limit])
    return f"{text} +{len(values) - limit:,}" if len(values) > limit else text


def queries_text(n: int) -> str:
    """``1 query``, ``60 queries``."""
    return count(n, "query", "queries")


def hint(name: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    """``; ...`` after a name that does not exist: where else it is, or a close one, or nothing.

    The one way to answer for attributes, keywords and options that other libraries have.
    """
    return f"; {elsewhere[name]}" if name in elsewhere else closest(name, known)


class WithHints:
    """An object whose errors say where what other libraries call by a name is."""

    _ELSEWHERE: ClassVar[Mapping[str, str]] = {}
    """Names that people expect of it, and what to use instead."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):  # a property failed: its own error is the cause
                return object.__getattribute__(self, name)
            told = "" if name.startswith("_") else self._told(name)
            msg = f"{type(self).__name__!r} object has no attribute {name!r}{told}"
            raise AttributeError(msg) if told else AttributeError(msg, name=name, obj=self)

    def _told(self, name: str) -> str:
        """A hint for a missing attribute: where else it is, or a close one, or nothing."""
        return hint(name, (one for one in dir(self) if not one.startswith("_")), self._ELSEWHERE)


class WithFields(WithHints):
    """A record of a result, whose fields are attributes."""

    def __getitem__(self, name: Any) -> NoReturn:
        told = f"; use .{name}" if name in dir(self) else self._told(str(name))
        msg = f"{type(self).__name__!r} object is not subscriptable{told}"
        raise TypeError(msg)


def refuse_keyword(
    function: str, name: str, known: Iterable[str], elsewhere: Mapping[str, str]
) -> NoReturn:
    """TypeError for an argument that a function does not have, as Python's own, with a hint."""
    told = hint(name, known, elsewhere)
    msg = f"{function}() got an unexpected keyword argument {safe_repr(name)}{told}"
    raise TypeError(msg)


def closest(word: str, words: Iterable[str]) -> str:
    """``; did you mean ...?`` if one of the words is close to this one, else nothing."""
    import difflib

    close = difflib.get_close_matches(word, list(words), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def _escape(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else _escape_character(character) for character in text
    )


def _escape_character(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# Arguments in messages --------------------------------------------------------------------------

Spelling: TypeAlias = Callable[[str, Any], str]
"""From name and value of an argument to text; empty if the caller cannot pass it."""


def _python(name: str, value: Any) -> str:
    if value is None:
        return f"{name}="
    if isinstance(value, dict):
        pairs = (
            f"{key!r}: {'...' if one is ... else safe_repr(one)}" for key, one in value.items()
        )
        return f"{name}={{{', '.join(pairs)}}}"
    return f'{name}={{"{value}"}}' if name == "allow" else f"{name}={value!r}"


_SPELLING: ContextVar[Spelling] = ContextVar("_SPELLING", default=_python)


def argument(name: str, value: Any = None) -> str:
    """An argument as the caller writes it, such as ``missing='zero'``, or a command's option."""
    return _SPELLING.get()(name, value) or _python(name, value)


_NAMES: ContextVar[Mapping[str, str] | None] = ContextVar("_NAMES", default=None)


def called(name: str) -> str:
    """What the caller calls data: the command's file RUN is ``y_score``. Only for messages."""
    return (_NAMES.get() or {}).get(name, name)


@contextmanager
def names_as(names: Mapping[str, str]) -> Iterator[None]:
    """Change what messages in this block call data."""
    token = _NAMES.set(names)
    try:
        yield
    finally:
        _NAMES.reset(token)


def takes(name: str) -> bool:
    """Whether the caller can pass an argument; a command lacks options for some."""
    return bool(_SPELLING.get()(name, None))


@contextmanager
def arguments_as(spelling: Spelling) -> Iterator[None]:
    """Change how messages in this block spell arguments."""
    token = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(token)
