"""The picture of the packages on architecture.md, made from their import statements."""

from __future__ import annotations

import ast
from pathlib import Path

from _markdown import table

ROOT = Path(__file__).parent.parent
PACKAGES = ("sklearn_rank", "pytest_rankmetrics")
UNDRAWN = {"__init__", "__main__"}
"""The package itself, which names everything and which nothing inside imports, and its command."""


def picture() -> str:
    """Both packages from the top down: what each room holds, and which rooms it stands on."""
    return "\n\n".join(f"**`{package}`**\n\n{_rooms(package)}" for package in PACKAGES)


def _rooms(package: str) -> str:
    below = imports_of_rooms(package)
    levels = {room: _height(room, below) for room in below}
    rows = []
    for room in sorted(below, key=lambda room: (-levels[room], room)):
        stands_on = ", ".join(sorted(_direct(room, below), key=lambda name: (-levels[name], name)))
        rows.append(
            [str(levels[room]), f"`{room}`", _holds(ROOT / package, room), stands_on or "-"]
        )
    return table(["level", "room", "holds", "stands on"], rows)


def imports_of_rooms(package: str) -> dict[str, set[str]]:
    """For each room, a module or a package of the package, the other rooms that it imports."""
    rooms: dict[str, set[str]] = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        room = path.relative_to(ROOT / package).parts[0].removesuffix(".py")
        if room not in UNDRAWN:
            rooms.setdefault(room, set()).update(_imported(path, package) - {room})
    return {room: names & rooms.keys() for room, names in rooms.items()}


def _imported(path: Path, package: str) -> set[str]:
    """Rooms that a file imports when it is imported, for types too."""
    names: set[str] = set()
    nodes = list(ast.parse(path.read_text(encoding="utf-8")).body)
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names |= {name.split(".")[1] for name in inner if name.startswith(f"{package}.")}
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            nodes += ast.iter_child_nodes(node)  # type: ignore[arg-type]
    return names


def _height(room: str, below: dict[str, set[str]]) -> int:
    return max((_height(name, below) + 1 for name in below[room]), default=0)


def _direct(room: str, below: dict[str, set[str]]) -> set[str]:
    """What a room imports and does not reach by another room that it imports."""
    through = {name for inner in below[room] for name in _reached(inner, below)}
    return below[room] - through


def _reached(room: str, below: dict[str, set[str]]) -> set[str]:
    return below[room].union(*(_reached(name, below) for name in below[room]))


def _holds(package: Path, room: str) -> str:
    """First sentence of the room's docstring."""
    path = package / room / "__init__.py"
    path = path if path.exists() else package / f"{room}.py"
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence = " ".join(doc.split("\n\n")[0].split()).split(". ")[0].rstrip(".")
    return sentence.replace("``", "`")
