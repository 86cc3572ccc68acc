"""Whether the failure of a gate is what the test wants to see.

A failure that ``except Exception: pass`` swallows must not pass, and one that ``pytest.raises``
expects must not fail. Nothing but the source of the callers tells one from the other.
"""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache
from types import FrameType

_RAISES = {"raises", "assertRaises", "assertRaisesRegex", "RaisesExc", "RaisesGroup"}
_OURS = ("pytest_rankmetrics", "sklearn_rank")
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
        if module.partition(".")[0] not in _OURS and _within_raises(frame):
            return True
        frame = frame.f_back
    return False


def _within_raises(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    source = "".join(linecache.getlines(name, frame.f_globals))
    return any(
        first <= frame.f_lineno <= last and _is_known(name, frame)
        for first, last, name in _raising_blocks(source)
    )


def _is_known(name: str, frame: FrameType) -> bool:
    """Whether a dotted name means a context of pytest or unittest, whatever it is called."""
    first, *others = name.split(".")
    found = frame.f_locals.get(first, frame.f_globals.get(first))
    for other in others:
        found = getattr(found, other, None)
    module = getattr(found, "__module__", None) or ""
    return module.partition(".")[0] in ("_pytest", "pytest", "unittest")


@lru_cache(maxsize=32)
def _raising_blocks(source: str) -> tuple[tuple[int, int, str], ...]:
    """First and last lines of the bodies of ``with ...raises(...)``, and the dotted names."""
    if not any(name in source for name in _RAISES):
        return ()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        (node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno, name)
        for node in ast.walk(tree)
        if isinstance(node, (ast.With, ast.AsyncWith))
        for name in (_name_of_call(item.context_expr) for item in node.items)
        if name.rpartition(".")[2] in _RAISES
    )


def _name_of_call(expression: ast.expr) -> str:
    if not isinstance(expression, ast.Call):
        return ""
    return ast.unparse(expression.func)
