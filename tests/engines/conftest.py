"""Engines, each with all of its ways to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import polars as pl
import pytest

from sklearn_rank.engines import spill, stream

Make = Callable[[dict[str, Any]], Any]

WAYS = {
    "at once": {},
    # Blocks of a few rows, so that every problem is cut.
    "blocks": {"_SMALL": 0, "_BLOCK": 12},
    # Judgements that do not fit either.
    "parts": {"_SMALL": 0, "_BLOCK": 12, "_JUDGEMENTS": 1 << 50},
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How rows are read, whatever their number."""
    for name, value in WAYS[request.param].items():
        monkeypatch.setattr(stream, name, value)
    monkeypatch.setattr(spill, "N_PARTS", 3)
    return str(request.param)


@pytest.fixture(params=["polars", "duckdb"])
def lazy(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes a lazy frame of columns."""
    if request.param == "polars":
        yield lambda columns: pl.DataFrame(columns).lazy()
        return
    connection = duckdb.connect()

    def relation(columns: dict[str, Any]) -> Any:
        name = f"t{len(connection.execute('SHOW TABLES').fetchall())}"
        frame = pl.DataFrame(columns).to_arrow()  # noqa: F841
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM frame")
        return connection.table(name)

    yield relation
    connection.close()
