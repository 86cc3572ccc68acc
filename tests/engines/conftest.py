"""Engines, each with all of its ways to read."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import duckdb
import polars as pl
import pytest

from sklearn_rank.engines import stream

Make = Callable[[dict[str, Any]], Any]

WAYS: dict[str, dict[str, int]] = {
    "at once": {},
    # Blocks of a few rows, so that every problem is cut.
    "blocks": {"_SMALL": 0, "_BLOCK": 12},
}


_USUAL = {name: getattr(stream, name) for name in WAYS["blocks"]}


def take_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read rows so, whatever their number."""
    for name, value in (_USUAL | WAYS[way]).items():
        monkeypatch.setattr(stream, name, value)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How rows are read."""
    take_way(request.param, monkeypatch)
    return str(request.param)


@pytest.fixture
def in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are read block by block."""
    take_way("blocks", monkeypatch)


@pytest.fixture(params=["polars", "duckdb"])
def engine(request: pytest.FixtureRequest) -> str:
    """Which engine has the frames."""
    return str(request.param)


@pytest.fixture
def lazy(engine: str) -> Iterator[Make]:
    """Makes a lazy frame of columns."""
    if engine == "polars":
        yield lambda columns: pl.DataFrame(columns).lazy()
        return
    # One thread: the rows are few.
    connection = duckdb.connect(config={"threads": 1})
    names = (f"t{number}" for number in count())

    def relation(columns: dict[str, Any]) -> Any:
        name = next(names)
        frame = pl.DataFrame(columns).to_arrow()  # noqa: F841
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")
        return connection.table(name)

    yield relation
    connection.close()
