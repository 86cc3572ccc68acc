"""Polars: batches of its streaming engine, in the order of the rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.read import Problem
from sklearn_rank.engines.stream import BATCH, Rows, exact, read_streams, temporary
from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.rankings.data import RankingData

if TYPE_CHECKING:
    import polars as pl


def read(problem: Problem) -> RankingData:
    """Judged rankings of lazy frames."""

    def rows_of(frame: pl.LazyFrame) -> Rows:
        schema = frame.collect_schema().to_frame()  # computes nothing
        return Rows(schema, partial(_batches, frame, problem.options.temp_directory))

    return read_streams(problem, rows_of)


def _batches(
    lazy: pl.LazyFrame, temp_directory: Any, columns: Sequence[str]
) -> Generator[pl.DataFrame]:
    import polars as pl

    frame: Any = lazy.select(exact(columns))
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=BATCH, maintain_order=True)
        return
    # Before Polars 1.35 the streaming engine writes batches into files alone, and of errors of our
    # readers of text early versions keep the words alone.
    with temporary(temp_directory) as directory:
        path = directory / "rows.arrow"
        try:
            frame.sink_ipc(path)
        except pl.exceptions.ComputeError as error:
            _, own, text = str(error).partition(f"{FileFormatError.__name__}: ")
            if not own:
                raise
            raise FileFormatError(text) from error
        rows = pl.scan_ipc(path)
        for first in range(0, rows.select(pl.len()).collect().item(), BATCH):
            yield rows.slice(first, BATCH).collect()
