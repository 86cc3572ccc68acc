"""Write the names of the metric functions into the package's list of public names."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

FACADE = Path(__file__).parent.parent / "sklearn_rank" / "__init__.py"
MODULES = ("binary", "combined", "curves", "graded", "judgements", "pairwise", "recall_levels")
WIDTH = 100
"""Longest line; longer statements are broken as the formatter breaks them."""

_IMPORTS = re.compile(
    r"(?:    from sklearn_rank\.metrics\.\w+ import (?:\((?:[^)]*)\)|[^\n]*)\n)+",
)


def facade() -> str:
    """Text of the package's ``__init__.py`` with what the modules of ``metrics`` have."""
    text = FACADE.read_text(encoding="utf-8")
    names = {
        f"metrics.{module}": sorted(import_module(f"sklearn_rank.metrics.{module}").__all__)
        for module in MODULES
    }
    imports = "".join(_import(module, name) for module in names for name in names[module])
    text = _IMPORTS.sub(lambda _: imports, text, count=1)
    for module, members in names.items():
        text = re.sub(rf'    "{re.escape(module)}": \([^)]*\),\n', _home(module, members), text)
    return text


def _import(module: str, name: str) -> str:
    line = f"    from sklearn_rank.{module} import {name} as {name}\n"
    broken = f"    from sklearn_rank.{module} import (\n        {name} as {name},\n    )\n"
    return line if len(line) <= WIDTH + 1 else broken


def _home(module: str, names: list[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    line = f'    "{module}": ({", ".join(quoted)}{"," if len(names) == 1 else ""}),\n'
    broken = f'    "{module}": (\n' + "".join(f"        {name},\n" for name in quoted) + "    ),\n"
    return line if len(line) <= WIDTH + 1 else broken
