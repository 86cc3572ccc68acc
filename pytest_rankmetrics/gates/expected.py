"""Whether the failure of a gate is what the test wants to see.

A failure that ``except Exception: pass`` swallows must not pass, and one that ``pytest.raises``
expects must not fail. Nothing but the source of the callers tells one from the other.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

_RAISES = {"raises", "assertRaises", "assertRaisesRegex", "RaisesExc", "RaisesGroup"}
_CONTEXTS = {"RaisesExc", "RaisesGroup", "RaisesContext", "_AssertRaisesContext"}
_LIBRARIES = ("pytest", "_pytest", "unittest")
_NO_TESTS = ("pytest_rankmetrics", "sklearn_rank", "_pytest", "pluggy")
_RUNNERS = ("_pytest.runner", "_pytest.unittest")
_EXPECTING = ("_pytest.raises", "_pytest.python_api", "doctest")


def failure_is_expected() -> bool:
    """Whether a caller up to the test runner stands in ``with pytest.raises(...)`` or the like."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module in _RUNNERS:
            return False
        if module in _EXPECTING:
            return True
        if module == "unittest.case" and frame.f_code.co_name == "handle":
            return True
        if module.partition(".")[0] not in _NO_TESTS and _within_raises(frame):
            return True
        frame = frame.f_back
    return False


def _within_raises(frame: FrameType) -> bool:
    names = {**frame.f_globals, **frame.f_locals}
    return any(
        first <= frame.f_lineno <= last and _expects(expression, names)
        for first, last, expression in _blocks(frame.f_code.co_filename, frame.f_globals)
    )


def _expects(expression: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether ``with expression:`` is a context of pytest or unittest, whatever it is called."""
    if not isinstance(expression, ast.Call):
        context = type(_value(expression, names))
        return context.__name__ in _CONTEXTS and _is_of(context, _LIBRARIES)
    function = _value(expression.func, names)
    if getattr(function, "__name__", "") in _RAISES and _is_of(function, _LIBRARIES):
        return True
    helper = getattr(function, "__wrapped__", None)
    return hasattr(helper, "__code__") and _yields_within_raises(helper)


def _value(expression: ast.expr, names: Mapping[str, Any]) -> Any:
    """What a dotted name means; None for anything else."""
    first, *others = ast.unparse(expression).split(".")
    found = names.get(first)
    for other in others:
        found = getattr(found, other, None)
    return found


def _is_of(found: Any, libraries: tuple[str, ...]) -> bool:
    module = getattr(found, "__module__", None) or ""
    return module.partition(".")[0] in libraries


def _yields_within_raises(helper: Any) -> bool:
    """Whether a function under ``contextlib.contextmanager`` yields in ``with pytest.raises()``."""
    code: CodeType = helper.__code__
    lines = {line for *_, line in code.co_lines() if line is not None}
    return any(
        first in lines and _expects(expression, helper.__globals__)
        for first, _, expression in _blocks(code.co_filename, helper.__globals__)
    )


def _blocks(file: str, names: dict[str, Any]) -> Iterator[tuple[int, int, ast.expr]]:
    """First and last lines of the bodies of ``with`` in a file, with what follows that word."""
    for node in _withs("".join(linecache.getlines(file, names))):
        last = node.body[-1]
        for item in node.items:
            yield node.body[0].lineno, last.end_lineno or last.lineno, item.context_expr


@lru_cache(maxsize=32)
def _withs(source: str) -> tuple[ast.With | ast.AsyncWith, ...]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, (ast.With, ast.AsyncWith)))
