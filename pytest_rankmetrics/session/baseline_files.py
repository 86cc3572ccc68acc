"""Baseline files of a project: where they are, what they are called, and which no test owns.

Whatever a run leaves out looks like a test that is gone. So a run counts as complete where that is
positively known, and a file as unused where its module was collected in that run or is gone.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from pytest_rankmetrics._support.naming import EXTENSION
from pytest_rankmetrics.baseline.file import recorded_gate

# Options that leave tests out, end the run before the last one, or read other settings.
_NARROWING = (
    *("keyword", "markexpr", "lf", "maxfail", "deselect", "ignore", "ignore_glob", "stepwise"),
    "inifilename",
)
_MOST = 200
"""Files of one directory that are opened: enough for a hint, and soon done."""


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
            names[:] = [own for own in names if not any(fnmatch(own, out) for out in left_out)]
            for name in files:
                if name.endswith(EXTENSION) and not name.startswith("."):
                    path = Path(directory, name)
                    yield path, path.relative_to(root).as_posix()


def is_complete(config: pytest.Config) -> bool:
    """Whether nothing on the command line narrows the run."""
    if any(config.getoption(name, None) for name in _NARROWING):
        return False
    if any(not str(text).startswith("rank_") for text in config.getoption("override_ini") or ()):
        return False
    return config.args_source is not pytest.Config.ArgsSource.ARGS


def find_unused(
    config: pytest.Config, used: Collection[str], modules: Collection[str]
) -> list[str]:
    """Baselines that no gate has used, relative to the root of the project.

    ``modules`` are the node ids of the test modules that were collected. A module that is there and
    was not collected (``collect_ignore``, another ``python_files``) may hold the test: neither the
    one that is recorded nor the one beside whose tests the file lies may be such.
    """
    root, unused = config.rootpath, []
    for path, shown in find_baselines(config, root):
        owners = {recorded_gate(path).partition("::")[0], f"{shown.rpartition('/')[0]}.py"}
        known = all(owner in modules or not (root / owner).is_file() for owner in owners)
        if known and shown not in used:
            unused.append(shown)
    return sorted(unused)


def orphans_beside(path: Path, request: pytest.FixtureRequest) -> list[str]:
    """Names of the baselines next to ``path`` whose test no longer exists."""
    files = sorted(path.parent.glob(f"*{EXTENSION}"))[:_MOST] if path.parent.is_dir() else []
    collected = {item.nodeid for item in request.session.items}
    here, orphans = request.node.nodeid.partition("::")[0], []
    for file in files:
        nodeid = recorded_gate(file)
        module, _, inner = nodeid.partition("::")
        if not inner or module != here or nodeid in collected:
            continue
        owner: Any = request.module  # may still have the test, which is merely deselected
        for name in inner.partition("[")[0].split("::"):
            owner = getattr(owner, name, None)
        if owner is None:
            orphans.append(file.name)
    return orphans
