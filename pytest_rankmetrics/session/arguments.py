"""``--option VALUE``: pytest takes the value for a test path if a file of that name exists.

It looks for its settings before plugins declare their options, so to it the value is a free
argument: ``--rank-baseline-dir ../base`` moves the root of the project to ``../base``, and
``--rank-json ../rank.json`` may leave a run without any settings, ``rank_required`` among them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pytest


def refuse_moved_root(config: pytest.Config, options: Collection[str]) -> None:
    """UsageError if the value of one of our options made pytest look elsewhere for its settings."""
    for option, value in _separate_words(config, options):
        if not _exists(config.invocation_params.dir, value):
            continue
        if _root_and_settings(config) != (config.rootpath, config.inipath):
            settings = "no settings" if config.inipath is None else f"the settings {config.inipath}"
            msg = (
                f"pytest took {value!r} for a path of tests, as it does with values that follow "
                f"an option as a word of their own, and went to {config.rootpath} with {settings}: "
                f"write {option}={value}"
            )
            raise pytest.UsageError(msg)


def _separate_words(config: pytest.Config, options: Collection[str]) -> Iterator[tuple[str, str]]:
    """Our options whose value is the next word; ``addopts`` is read too late to matter."""
    words = [
        *shlex.split(os.environ.get("PYTEST_ADDOPTS", "")),
        *(str(word) for word in config.invocation_params.args),
    ]
    yield from ((word, words[n + 1]) for n, word in enumerate(words[:-1]) if word in options)


def _exists(start: Path, value: str) -> bool:
    """Whether pytest takes a word for a path: what stands before ``::`` counts."""
    try:
        return (start / value.partition("::")[0]).exists()
    except OSError:  # too long for a name, say
        return False


def _root_and_settings(config: pytest.Config) -> tuple[Path, Path | None] | None:
    """Root and settings file for the real arguments; None, which equals nothing, if unknown."""
    option = config.option
    given: dict[str, Any] = {
        "inifile": option.inifilename,
        "override_ini": option.override_ini,
        "args": option.file_or_dir,
        "rootdir_cmd_arg": option.rootdir or None,
        "invocation_dir": config.invocation_params.dir,
    }
    try:
        # Private, but nothing else knows; its parameters differ between versions.
        from _pytest.config.findpaths import determine_setup

        accepted = signature(determine_setup).parameters
        rootdir, inifile, *_ = determine_setup(
            **{name: value for name, value in given.items() if name in accepted}
        )
    except (ImportError, TypeError):
        return None
    return rootdir, inifile
