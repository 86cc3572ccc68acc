"""Polars: batches of its streaming engine, in the order of the rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sklearn_rank.engines.read import Problem
from sklearn_rank.engines.stream import BATCH, Rows, exact, read_streams
from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.rankings.data import RankingData

if TYPE_CHECKING:
    import polars as pl


def read(problem: Problem) -> RankingData:
    """Judged rankings of lazy frames."""

    def rows_of(frame: pl.LazyFrame) -> Rows:
        schema = frame.collect_schema().to_frame()  # computes nothing
        return Rows(schema, partial(_batches, frame))

    return read_streams(problem, rows_of)


def _batches(lazy: pl.LazyFrame, columns: Sequence[str]) -> Generator[pl.DataFrame]:
    import polars as pl

    try:
        yield from lazy.select(exact(columns)).collect_batches(
            chunk_size=BATCH, maintain_order=True
        )
    except pl.exceptions.ComputeError as error:
        # Before Polars 2, of errors of our readers of text the words alone arrive here.
        _, found, text = str(error).partition(f"{FileFormatError.__name__}: ")
        if not found:
            raise
        raise FileFormatError(text) from error
