"""Polars: batches of its streaming engine, in the order of the rows."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.blocks import BATCH, exact, temporary
from sklearn_rank.engines.read import Problem
from sklearn_rank.engines.stream import read_streams
from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.rankings.data import RankingData

if TYPE_CHECKING:
    import os

    import polars as pl


def read(problem: Problem) -> RankingData:
    """Judged rankings of lazy frames."""
    place = problem.options.temp_directory
    return read_streams(problem, lambda frame: PolarsRows(frame, place))


@dataclass(frozen=True)
class PolarsRows:
    """Rows of a LazyFrame."""

    frame: pl.LazyFrame
    temp_directory: str | os.PathLike[str] | None = None

    @cached_property
    def schema(self) -> pl.DataFrame:
        """The columns without a row; computes nothing."""
        return self.frame.collect_schema().to_frame()

    def batches(self, columns: Sequence[str]) -> Generator[pl.DataFrame]:
        """Some columns of all rows."""
        frame: Any = self.frame.select(exact(columns))
        if hasattr(frame, "collect_batches"):
            yield from frame.collect_batches(chunk_size=BATCH, maintain_order=True)
            return
        # Before Polars 1.35 the streaming engine writes batches into files alone.
        with temporary(self.temp_directory) as directory:
            path = directory / "rows.arrow"
            with _own_errors():
                frame.sink_ipc(path)
            yield from _slices(path)


@contextmanager
def _own_errors() -> Iterator[None]:
    """Errors of our readers of text, of which early versions of Polars keep the words alone."""
    import polars as pl

    try:
        yield
    except pl.exceptions.ComputeError as error:
        _, own, text = str(error).partition(f"{FileFormatError.__name__}: ")
        if not own:
            raise
        raise FileFormatError(text) from error


def _slices(path: Any) -> Iterator[pl.DataFrame]:
    import polars as pl

    rows = pl.scan_ipc(path)
    n_rows = rows.select(pl.len()).collect().item()
    for first in range(0, n_rows, BATCH):
        yield rows.slice(first, BATCH).collect()
