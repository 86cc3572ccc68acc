"""Baseline files that belong to no test; only a run of the whole suite can tell.

Whatever a run leaves out looks like a test that is gone. So a run counts as complete where that is
positively known, and a file as unused where its module was collected in that run or is gone.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from pytest_rankmetrics.baseline.file import recorded_gate
from pytest_rankmetrics.session.paths import find_baselines

# Options that leave tests out, end the run before the last one, or read other settings.
_NARROWING = (
    "keyword",
    "markexpr",
    "lf",
    "maxfail",
    "deselect",
    "ignore",
    "ignore_glob",
    "stepwise",
    "inifilename",
)


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

    ``modules`` are the node ids of the test modules that were collected.
    """
    baselines = find_baselines(config, config.rootpath)
    return sorted(
        shown
        for path, shown in baselines
        if shown not in used and _is_judged(path, shown, config.rootpath, modules)
    )


def _is_judged(path: Path, shown: str, root: Path, modules: Collection[str]) -> bool:
    """Whether the module of a baseline was collected, or is gone.

    One that is there and was not collected (``collect_ignore``, another ``python_files``) may hold
    the test. The module is the one that is recorded, and the one beside whose tests the file lies.
    """
    owners = {recorded_gate(path).partition("::")[0], f"{shown.rpartition('/')[0]}.py"}
    return all(owner in modules or not (root / owner).is_file() for owner in owners)
