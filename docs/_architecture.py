"""The parts of architecture.md that are made: the packages, and the walk of one call."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import fill
from types import FrameType

import numpy as np
from _markdown import table

from sklearn_rank import ndcg_at_k_score

ROOT = Path(__file__).parent.parent
PACKAGES = ("sklearn_rank", "pytest_rankmetrics")
UNDRAWN = {"__init__", "__main__"}
"""The package itself, which names everything and which nothing inside imports, and its command."""


def picture() -> str:
    """Both packages from the top down: a row for each level, and what each of its rooms holds."""
    return "\n\n".join(_levels(package) for package in PACKAGES)


def _levels(package: str) -> str:
    below = imports_of_rooms(package)
    levels: dict[int, list[str]] = {}
    for room in sorted(below):
        holds = f"**`{room}`**: {_holds(ROOT / package, room)}"
        levels.setdefault(_height(room, below), []).append(holds)
    rows = [[str(level), "<br>".join(levels[level])] for level in sorted(levels, reverse=True)]
    return table(["level", f"rooms of `{package}`"], rows)


def imports_of_rooms(package: str) -> dict[str, set[str]]:
    """For each room, a module or a package of the package, the other rooms that it stands on.

    What functions import counts, too, but for the upper rooms that methods such as ``plot`` open.
    """
    rooms: dict[str, set[str]] = {}
    lazy: set[tuple[str, str]] = set()
    for path in sorted((ROOT / package).rglob("*.py")):
        room = path.relative_to(ROOT / package).parts[0].removesuffix(".py")
        if room not in UNDRAWN:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            rooms.setdefault(room, set()).update(_imported(outside_of_functions(tree), package))
            lazy |= {(room, other) for other in _imported(ast.walk(tree), package)}
    rooms = {room: (names & rooms.keys()) - {room} for room, names in rooms.items()}
    opened = {(room, other) for room, other in lazy if other in rooms and other != room}
    for room, other in sorted(opened):
        if room not in _reached(other, rooms):
            rooms[room].add(other)
    return rooms


def outside_of_functions(node: ast.AST) -> Iterator[ast.AST]:
    """Statements that run when a module is imported, or that type checkers read then."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from outside_of_functions(child)


def _imported(nodes: Iterable[ast.AST], package: str) -> set[str]:
    """Rooms that statements import."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith(f"{package}.")}


def walk() -> str:
    """Files that one call of a metric function enters, in their order, as a profiler sees them."""
    rng = np.random.default_rng(0)
    y_true, y_score, groups = rng.integers(0, 3, 100), rng.normal(size=100), np.arange(100) // 10
    entered: dict[str, dict[str, None]] = {}
    root = str(ROOT / "sklearn_rank") + "/"

    def enter(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(root):
            file = frame.f_code.co_filename.removeprefix(root)
            entered.setdefault(file.partition("/")[0], {})[f"`{file}`"] = None

    for _ in range(2):  # the first call imports
        entered.clear()
        sys.setprofile(enter)
        try:
            ndcg_at_k_score(y_true, y_score, groups=groups, k=10)
        finally:
            sys.setprofile(None)
    steps = [f"{number}. {', '.join(files)}" for number, files in enumerate(entered.values(), 1)]
    return "\n".join(fill(step, 100, subsequent_indent="   ") for step in steps)


def _height(room: str, below: dict[str, set[str]]) -> int:
    return max((_height(name, below) + 1 for name in below[room]), default=0)


def _reached(room: str, below: dict[str, set[str]]) -> set[str]:
    return below[room].union(*(_reached(name, below) for name in below[room]))


def _holds(package: Path, room: str) -> str:
    """First sentence of the room's docstring."""
    path = package / room / "__init__.py"
    path = path if path.exists() else package / f"{room}.py"
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence = " ".join(doc.split("\n\n")[0].split()).split(". ")[0].rstrip(".")
    return sentence.replace("``", "`")
