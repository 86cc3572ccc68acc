"""Imports point one way: from the ground up, each package imports only from those below its own."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import pytest_rankmetrics
import sklearn_rank

# From the ground up. Rooms of one line may not import each other; modules of one room may, in any
# order that has no circle.
LAYERS = {
    "sklearn_rank": (
        ("exceptions", "typing"),
        ("support",),
        ("tables",),
        ("rankings", "statistics"),
        ("inputs", "kernels"),
        ("files", "measures"),
        ("bounds", "engines"),
        ("evaluation",),
        ("comparison", "metrics"),
        ("model_selection",),
        ("displays", "scorers"),
        ("rankers", "report"),
        ("_demo",),
        ("cli",),
        ("__main__",),
    ),
    "pytest_rankmetrics": (
        ("failures",),
        ("_support",),
        ("policy",),
        ("measuring",),
        ("baseline",),
        ("assessment",),
        ("report",),
        ("session",),
        ("gates",),
        ("assertions",),
        ("plugin",),
    ),
}
# Methods of lower rooms that open an upper one. They import it in their body, so that whoever does
# not call them loads nothing of it: (module, module of the upper room).
DOORS = {
    ("sklearn_rank.comparison.result", "sklearn_rank.displays.plotting"),
    ("sklearn_rank.comparison.result", "sklearn_rank.report.doors"),
    ("sklearn_rank.evaluation.result", "sklearn_rank.displays.plotting"),
}
ROOTS = {
    package.__name__: Path(package.__file__ or "").parent
    for package in (sklearn_rank, pytest_rankmetrics)
}


def module_name(path: Path) -> str:
    """Dotted name of a file of either package."""
    package = next(name for name, root in ROOTS.items() if path.is_relative_to(root))
    parts = (package, *path.relative_to(ROOTS[package]).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for root in ROOTS.values() for path in sorted(root.rglob("*.py"))}
MODULES = sorted(set(FILES) - set(ROOTS))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def imported_modules(path: Path) -> set[str]:
    """Modules of either package that a file imports, wherever in the file, for types too.

    Without those behind its doors.
    """
    name = module_name(path)
    return {other for other in all_imported(path) if (name, other) not in DOORS}


@cache
def all_imported(path: Path) -> frozenset[str]:
    """The same with those behind doors."""
    names: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                names.add(inner if inner in FILES else module)
    return frozenset(names & set(FILES))


def level_of(module: str) -> int:
    """Number of the line of LAYERS on which a module's room stands."""
    package, _, inner = module.partition(".")
    room = inner.partition(".")[0]
    levels = [number for number, rooms in enumerate(LAYERS[package]) if room in rooms]
    assert levels, f"{module} has no place in LAYERS"
    return levels[0]


def room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("module", MODULES)
def test_every_module_imports_from_below(module: str) -> None:
    package = module.partition(".")[0]
    upward = [
        other
        for other in imported_modules(FILES[module]) - set(ROOTS)
        if other.startswith(f"{package}.")
        and room_of(other) != room_of(module)
        and level_of(other) >= level_of(module)
    ]
    assert not upward, f"{module} imports from its own level or above: {sorted(upward)}"


@pytest.mark.parametrize(("module", "upper"), sorted(DOORS))
def test_a_door_opens_when_it_is_called(module: str, upper: str) -> None:
    tree = tree_of(FILES[module])
    inner = {
        node.module
        for method in ast.walk(tree)
        if isinstance(method, ast.FunctionDef)
        for node in ast.walk(method)
        if isinstance(node, ast.ImportFrom)
    }
    outer = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert upper in inner
    assert upper not in outer


@pytest.mark.parametrize(
    "module", [module for module in MODULES if room_of(module) == "sklearn_rank.measures"]
)
def test_a_measure_sees_no_data(module: str) -> None:
    """It names a kernel; what is computed of which rankings is the affair of ``evaluation``."""
    data = {"sklearn_rank.rankings", "sklearn_rank.inputs"}
    assert not data & set(map(room_of, imported_modules(FILES[module])))


def test_the_core_never_imports_the_plugin() -> None:
    """But the demo, which shows a gate, and the command line, which has gates for files."""
    reaching = [
        module
        for module in MODULES
        if module.startswith("sklearn_rank.")
        and room_of(module) not in {"sklearn_rank._demo", "sklearn_rank.cli"}
        and any(other.startswith("pytest_rankmetrics") for other in imported_modules(FILES[module]))
    ]
    assert not reaching


@pytest.mark.parametrize("package", LAYERS)
def test_no_module_is_part_of_a_circle(package: str) -> None:
    graph = {
        module: imported_modules(FILES[module]) - {module, *ROOTS}
        for module in MODULES
        if module.startswith(f"{package}.")
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_layer_exists() -> None:
    rooms = {
        room_of(f"{package}.{room}")
        for package in LAYERS
        for line in LAYERS[package]
        for room in line
    }
    assert rooms == {room_of(module) for module in MODULES}


def test_the_reader_of_imports_sees_arrows() -> None:
    grammar = imported_modules(FILES["sklearn_rank.measures.grammar"])
    assert "sklearn_rank.measures.catalogue" in grammar
    facade = imported_modules(FILES["sklearn_rank"])
    assert "sklearn_rank.evaluation.evaluate" in facade, "imports under TYPE_CHECKING count"


def names_imported(module: str) -> list[tuple[str, str]]:
    """Pairs of a module of either package and a name that is taken from it."""
    return [
        (node.module or "", alias.name)
        for node in ast.walk(tree_of(FILES[module]))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ROOTS
        for alias in node.names
    ]


@pytest.mark.parametrize("module", MODULES)
def test_nothing_imports_the_facade(module: str) -> None:
    """Names come from their homes, never from ``sklearn_rank`` itself; the demo is a user."""
    if room_of(module) == "sklearn_rank._demo":
        return
    facade = [
        name
        for home, name in names_imported(module)
        if home in ROOTS and f"{home}.{name}" not in FILES and name != "__version__"
    ]
    assert not facade


@pytest.mark.parametrize("module", MODULES)
def test_nothing_reaches_for_a_private_name(module: str) -> None:
    """What begins with an underscore stays in its module; packages do not enter each other's."""
    own = module.partition(".")[0]
    private = [
        f"{home}.{name}"
        for home, name in names_imported(module)
        if (name.startswith("_") and name != "__version__" and f"{home}.{name}" not in FILES)
        or (home.partition(".")[0] != own and "._" in f"{home}.{name}")
    ]
    assert not private
