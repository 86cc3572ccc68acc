"""Baseline files that belong to no test; only a run of the whole suite can tell."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from pytest_rankmetrics._support.naming import EXTENSION

# Options that leave tests out, or end the run before the last one.
_NARROWING = (
    "keyword",
    "markexpr",
    "lf",
    "last_failed",
    "failedfirst",
    "maxfail",
    "deselect",
    "ignore",
    "ignore_glob",
    "stepwise",
    "newfirst",
    "sw",
)


def is_complete(config: pytest.Config) -> bool:
    """Whether nothing on the command line narrows the run."""
    if any(config.getoption(name, None) for name in _NARROWING):
        return False
    return config.args_source is not pytest.Config.ArgsSource.ARGS


def find_unused(config: pytest.Config, used: Collection[str]) -> list[str]:
    """Baselines below the collected directories that no gate has used, relative to the root."""
    found = set()
    for argument in config.args:
        for path in _baselines(Path(argument.partition("::")[0]), config):
            shown = shown_path(path, config)
            if shown not in used:
                found.add(shown)
    return sorted(found)


def shown_path(path: Path, config: pytest.Config) -> str:
    """A path as it is printed and recorded: relative to the root of the project if it is below."""
    try:
        return path.resolve().relative_to(config.rootpath.resolve()).as_posix()
    except ValueError:
        return path.as_posix()


def _baselines(start: Path, config: pytest.Config) -> Iterator[Path]:
    left_out = config.getini("norecursedirs")
    for directory, names, files in os.walk(start):
        names[:] = [name for name in names if not any(fnmatch(name, one) for one in left_out)]
        for name in files:
            if name.endswith(EXTENSION) and not name.startswith("."):
                yield Path(directory, name)


def delete(config: pytest.Config, paths: Collection[str]) -> None:
    """Remove baselines, and nothing else."""
    for shown in paths:
        path = config.rootpath / shown
        if path.name.endswith(EXTENSION) and path.is_file() and not path.is_symlink():
            path.unlink()
