"""Baseline files of a project: where they are, and what they are called."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from pytest_rankmetrics._support.naming import EXTENSION


def shown_path(path: Path, config: pytest.Config) -> str:
    """A path as it is printed and recorded: relative to the root of the project if it is below.

    Links to directories are followed where the path is not below the root as it is written; a link
    to a file never is: the link is what lies in the project.
    """
    for own, root in (
        (Path(os.path.abspath(path)), config.rootpath),
        (path.parent.resolve() / path.name, config.rootpath.resolve()),
    ):
        if own.is_relative_to(root):
            return own.relative_to(root).as_posix()
    return path.as_posix()


def find_baselines(config: pytest.Config, root: Path) -> Iterator[tuple[Path, str]]:
    """Baselines below what this run collects, with their shown paths.

    ``root`` is the root of the project, or the directory that mirrors it.
    """
    left_out = config.getini("norecursedirs")
    for argument in dict.fromkeys(config.args):
        start = shown_path(Path(argument.partition("::")[0]), config)
        if Path(start).is_absolute():
            continue  # tests outside of the project
        if (config.rootpath / start).is_file():
            start = start.removesuffix(".py")  # where the baselines of a module are
        for directory, names, files in os.walk(root / start):
            names[:] = [
                name for name in names if not any(fnmatch(name, other) for other in left_out)
            ]
            for name in files:
                if name.endswith(EXTENSION) and not name.startswith("."):
                    path = Path(directory, name)
                    yield path, path.relative_to(root).as_posix()
