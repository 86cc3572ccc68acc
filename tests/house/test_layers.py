"""Imports point one way: from the ground up, each package imports only from those below its own.

Imports in function bodies and for types count as those at the top do. Only the methods that
``OPENS`` of docs/_architecture.py lists, such as ``Evaluation.plot``, import from above.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import pytest_rankmetrics
import sklearn_rank
from tests.house.test_docs import load

LAYERS, OPENS = load("_architecture").LAYERS, load("_architecture").OPENS
SHOWS_GATES = {"sklearn_rank._demo"}
"""The room that stands on the plugin, too: it shows an assertion."""

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


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def statements(node: ast.AST, inside: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Everything in a file, with the class and the function that it is in."""
    for child in ast.iter_child_nodes(node):
        yield child, inside
        is_named = isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        yield from statements(child, f"{inside}.{child.name}".strip(".") if is_named else inside)


@cache
def imports(path: Path) -> frozenset[tuple[str, str]]:
    """Modules of either package that a file imports, and the functions that it does so in."""
    found: set[tuple[str, str]] = set()
    for node, inside in statements(tree_of(path)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in FILES else node.module or "" for name in inner]
        found |= {(name, inside) for name in names if name in FILES}
    return frozenset(found)


def imported_modules(path: Path) -> frozenset[str]:
    """Modules of either package that a file imports at any time."""
    return frozenset(name for name, _ in imports(path))


def opened_by(module: str) -> set[tuple[str, str]]:
    """What methods of a module may open, as ``imports`` has it."""
    methods = OPENS.get(module, {}).items()
    return {(other, method) for method, others in methods for other in others.split()}


def level_of(module: str) -> int:
    """Number of the line of LAYERS on which a module's room stands."""
    package, _, inner = module.partition(".")
    room = inner.partition(".")[0]
    levels = [number for number, rooms in enumerate(LAYERS[package]) if room in rooms]
    assert levels, f"{module} has no place in LAYERS"
    return levels[0]


def room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def test_every_module_imports_from_below() -> None:
    upward = {
        f"{module} imports {other} {inside}"
        for module in MODULES
        for other, inside in imports(FILES[module]) - opened_by(module)
        if other.partition(".")[0] == module.partition(".")[0]
        and other not in ROOTS
        and room_of(other) != room_of(module)
        and level_of(other) >= level_of(module)
    }
    assert not upward


def test_a_measure_sees_no_data() -> None:
    """It names a kernel; what is computed of which rankings is the affair of ``evaluation``."""
    data = {"sklearn_rank.rankings", "sklearn_rank.inputs"}
    for module in MODULES:
        if room_of(module) == "sklearn_rank.measures":
            assert not data & set(map(room_of, imported_modules(FILES[module])))


def test_a_kernel_reads_judged_rankings_alone() -> None:
    for module in MODULES:
        if room_of(module) == "sklearn_rank.kernels":
            imported = imported_modules(FILES[module])
            data = {other for other in imported if other.startswith("sklearn_rank.rankings")}
            assert data <= {"sklearn_rank.rankings.judged"}, module


def test_the_core_never_imports_the_plugin() -> None:
    """But for the demo."""
    reaching = {
        room_of(module)
        for module in MODULES
        if module.startswith("sklearn_rank.")
        for other in imported_modules(FILES[module])
        if other.startswith("pytest_rankmetrics")
    }
    assert reaching == SHOWS_GATES


@pytest.mark.parametrize("package", LAYERS)
def test_no_module_is_part_of_a_circle(package: str) -> None:
    graph = {
        module: {other for other, _ in imports(FILES[module]) - opened_by(module)} - {*ROOTS}
        for module in MODULES
        if module.startswith(f"{package}.")
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_layer_exists() -> None:
    rooms = {f"{package}.{room}" for package in LAYERS for line in LAYERS[package] for room in line}
    assert rooms == set(map(room_of, MODULES))


def test_the_reader_of_imports_sees_arrows() -> None:
    grammar = imported_modules(FILES["sklearn_rank.measures.grammar"])
    assert "sklearn_rank.measures.catalogue" in grammar
    facade = imported_modules(FILES["sklearn_rank"])
    assert "sklearn_rank.evaluation.evaluate" in facade, "imports under TYPE_CHECKING count"
    result = imports(FILES["sklearn_rank.evaluation.base"])
    assert ("sklearn_rank.view.plot", "BaseEvaluation.plot") in result


def test_what_methods_open_is_listed_and_true() -> None:
    for module in OPENS:
        assert opened_by(module) <= imports(FILES[module])


def names_imported(module: str) -> list[tuple[str, str]]:
    """Pairs of a module of either package and a name that is taken from it."""
    return [
        (node.module or "", alias.name)
        for node in ast.walk(tree_of(FILES[module]))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ROOTS
        for alias in node.names
    ]


def test_nothing_imports_the_facade() -> None:
    """Names come from their homes, never from ``sklearn_rank`` itself; the demo is a user."""
    facade = {
        f"{module} imports {name}"
        for module in MODULES
        if room_of(module) != "sklearn_rank._demo"
        for home, name in names_imported(module)
        if home in ROOTS and f"{home}.{name}" not in FILES and name != "__version__"
    }
    assert not facade


def test_nothing_reaches_for_a_private_name() -> None:
    """What begins with an underscore stays in its module; packages do not enter each other's."""
    private = {
        f"{module} imports {home}.{name}"
        for module in MODULES
        for home, name in names_imported(module)
        if (name.startswith("_") and name != "__version__" and f"{home}.{name}" not in FILES)
        or (home.partition(".")[0] != module.partition(".")[0] and "._" in f"{home}.{name}")
    }
    assert not private
