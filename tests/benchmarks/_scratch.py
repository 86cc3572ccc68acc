"""Folders that are gone when the process ends."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path


def folder() -> Path:
    """A new one, empty."""
    path = Path(tempfile.mkdtemp(prefix="benchmarks-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path
