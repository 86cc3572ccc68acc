"""Imports point one way: from the ground up, each module imports only from lines above its own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import sklearn_rank

ROOT = Path(sklearn_rank.__file__).parent

# Modules of one line may not import each other.
LAYERS = (
    ("exceptions", "typing"),
    ("_text", "_warn", "_threads"),
    ("_validation", "_segments"),
    ("_order",),
    ("_levels",),
    ("_judged",),
    ("_ranks",),
    ("inputs._items", "inputs._scored", "_placements"),
    ("inputs.relevance", "inputs._assemble", "inputs._kept", "inputs.rows"),
    ("inputs._plain",),
    ("inputs.lists", "inputs.matrix"),
    ("inputs.mappings",),
    ("inputs.dispatch",),
    ("kernels._called", "kernels._expectation"),
    ("kernels.binary", "kernels.graded", "kernels.pairwise", "kernels.combined"),
    ("_averaging", "_parameters"),
    ("_measure",),
    ("measures",),
    ("grammar", "conventions", "_scoring"),
    ("metrics._door", "metrics.curves"),
    ("metrics.binary", "metrics.graded", "metrics.pairwise", "metrics.combined"),
    ("metrics",),
    ("statistics", "_tables", "_slices"),
    ("evaluation",),
    ("_callers", "_splits", "_responses", "_boosters"),
    ("_scorer_options",),
    ("_query_ids", "_readings"),
    ("_scorer", "model_selection", "rankers", "display"),
    ("scorers",),
    ("_demo",),
    ("cli",),
    ("__main__",),
)
LEVEL = {module: level for level, modules in enumerate(LAYERS) for module in modules}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def level_of(module: str) -> int | None:
    """Level of a module; the demo's modules are one room."""
    return LEVEL.get("_demo" if module.startswith("_demo") else module)


def imported_modules(path: Path) -> set[str]:
    """Modules of the package that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found |= {name for name in names if name.startswith("sklearn_rank.")}
        if isinstance(node, ast.ImportFrom) and node.module == "sklearn_rank":
            found |= {f"sklearn_rank.{alias.name}" for alias in node.names}
    known = {f"sklearn_rank.{module_name(path)}" for path in ROOT.rglob("*.py")}
    return {name.removeprefix("sklearn_rank.") for name in found & known}


FILES = sorted(
    path for path in ROOT.rglob("*.py") if module_name(path) not in ("", "inputs", "kernels")
)


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_every_module_imports_from_below(path: Path) -> None:
    module = module_name(path)
    own = level_of(module)
    assert own is not None, f"{module} has no place in LAYERS"
    upward = sorted(
        other
        for other in imported_modules(path)
        if other != module
        and not (module.startswith("_demo") and other.startswith("_demo"))
        and (level_of(other) or 0) >= own
    )
    assert not upward, f"{module} imports from its own level or above: {upward}"


def test_every_layer_exists() -> None:
    existing = {module_name(path) for path in ROOT.rglob("*.py")}
    assert set(LEVEL) <= existing


def test_the_reader_of_imports_sees_arrows() -> None:
    assert "measures" in imported_modules(ROOT / "grammar.py")
    assert "grammar" in imported_modules(ROOT / "evaluation.py")


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_nothing_imports_the_facade(path: Path) -> None:
    """Inside the package names come from their homes, never from ``sklearn_rank`` itself."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "sklearn_rank":
            names = {alias.name for alias in node.names}
            modules = {module_name(other) for other in FILES}
            assert names <= modules | {"__version__"}, f"{names - modules} come through the facade"
