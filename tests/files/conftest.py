"""Readers with Polars and without it, and files in memory."""

import io
from typing import Any

import polars  # noqa: F401 - which reads blocks of any size then
import pytest

from sklearn_rank import read_qrels, read_run
from sklearn_rank.files import tables


@pytest.fixture(params=["polars", "plain"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test runs by Polars, and by the reader for those who do not have it."""
    monkeypatch.setattr(tables, "LARGE_ONCE_LOADED", 0)
    if request.param == "plain":
        monkeypatch.setattr(tables, "polars_or_none", lambda: None)
    return str(request.param)


def _file(data: str | bytes) -> io.BytesIO:
    return io.BytesIO(data if isinstance(data, bytes) else data.encode())


def run_of(data: str | bytes, form: Any = None, **options: Any) -> dict[str, Any]:
    return dict(read_run(_file(data), format=form, **options))


def qrels_of(data: str | bytes, form: Any = None, **options: Any) -> dict[str, Any]:
    return dict(read_qrels(_file(data), format=form, **options))
