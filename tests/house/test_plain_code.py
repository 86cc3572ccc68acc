"""Code says what it does: no arguments by accident, no tricks of layout, no edited messages."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRODUCT = [*(ROOT / "sklearn_rank").rglob("*.py"), *(ROOT / "pytest_rankmetrics").rglob("*.py")]
ALL = [*PRODUCT, *(ROOT / "tests").rglob("*.py"), *(ROOT / "docs").rglob("*.py")]


def nodes_of(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@cache  # what is found alone: a million nodes would slow down every test that follows
def found() -> dict[str, list[str]]:
    places: dict[str, list[str]] = {kind: [] for kind in TRICKS}
    for path in ALL:
        for node in nodes_of(path):
            for kind, is_trick in TRICKS.items():
                if is_trick(node):
                    where = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
                    places[kind].append(where)
    return places


def calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def is_splat(node: ast.AST) -> bool:
    return isinstance(node, ast.Starred) and isinstance(node.value, (ast.Tuple, ast.List))


def rewrites_a_message(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "replace":
        return False
    names = ("y_true", "y_score", "sample_weight")
    return any(getattr(given, "value", None) in names for given in node.args)


def reads_frames(node: ast.AST) -> bool:
    names = {"_getframe", "currentframe", "f_back", "f_locals", "f_globals"}
    return isinstance(node, ast.Attribute) and node.attr in names


def test_frames_are_read_in_one_file() -> None:
    read = {path.name for path in PRODUCT for node in nodes_of(path) if reads_frames(node)}
    assert read == {"insides.py"}


TRICKS = {
    "locals": lambda node: calls(node, "locals"),
    "splat of a literal": is_splat,
    "edited message": rewrites_a_message,
}


@pytest.mark.parametrize("kind", TRICKS)
def test_code_is_plain(kind: str) -> None:
    assert found()[kind] == []


ALIKE = {"_HOMES", "_HOME_OF", "_OWNER", "_ODD", "FEWEST", "_FEWEST"}
"""Names that stand for the same thing in each of their modules."""


def test_a_constant_and_a_class_have_one_meaning() -> None:
    homes: dict[str, set[str]] = {}
    for path in PRODUCT:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            names = [name for name in names if name.lstrip("_").isupper()]
            names += [node.name] if isinstance(node, ast.ClassDef) else []
            for name in names:
                homes.setdefault(name, set()).add(path.name)
    twice = {name: files for name, files in homes.items() if len(files) > 1}
    assert {*twice} <= ALIKE, twice
