"""Baselines whose test is gone; it may have been renamed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rankmetrics._support.naming import EXTENSION
from pytest_rankmetrics.baseline.file import recorded_gate

if TYPE_CHECKING:
    import pytest

_MOST = 200
"""Files of one directory that are opened: enough for a hint, and soon done."""


def orphans_beside(path: Path, request: pytest.FixtureRequest) -> list[str]:
    """Names of the baselines next to ``path`` whose test no longer exists."""
    files = sorted(path.parent.glob(f"*{EXTENSION}"))[:_MOST] if path.parent.is_dir() else []
    collected = {item.nodeid for item in request.session.items}
    here = request.node.nodeid.partition("::")[0]
    orphans = []
    for file in files:
        nodeid = recorded_gate(file)
        module, _, inner = nodeid.partition("::")
        if inner and module == here and nodeid not in collected and not _exists(inner, request):
            orphans.append(file.name)
    return orphans


def _exists(inner: str, request: pytest.FixtureRequest) -> bool:
    """Whether the module still has the test, which may merely be deselected."""
    owner: Any = request.module
    for name in inner.partition("[")[0].split("::"):
        owner = getattr(owner, name, None)
    return owner is not None
