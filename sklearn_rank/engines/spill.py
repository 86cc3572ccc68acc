"""Rows that do not fit into memory, parted by query into temporary files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.rows import plain

if TYPE_CHECKING:
    import os

    import polars as pl

N_PARTS = 64
"""Files of one parting: a hundred million rows become parts that fit anywhere, ten million lose
nothing by it."""
_BUFFERED = 1 << 15
"""Rows of a part that are written at once: few files, and together not more than a block."""


@contextmanager
def temporary(place: str | os.PathLike[str] | None) -> Iterator[Path]:
    """A directory that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="sklearn-rank-", dir=place) as name:
        yield Path(name)


def spooled(batches: Iterator[pl.DataFrame], directory: Path) -> Iterator[pl.DataFrame]:
    """The same rows by way of files, all written before the first is read again."""
    import polars as pl

    paths = []
    for number, batch in enumerate(batches):
        paths.append(directory / f"{number}.arrow")
        batch.write_ipc(paths[-1])
    return (pl.read_ipc(path.read_bytes()) for path in paths)


@dataclass
class Parts:
    """Rows in files, those of one query always in the same part and in their order."""

    directory: Path
    query: str
    empty: pl.DataFrame
    """The columns without a row."""
    seed: int = 0
    """Another one parts what one parting left together."""
    files: list[list[Path]] = field(default_factory=lambda: [[] for _ in range(N_PARTS)])
    _waiting: list[list[pl.DataFrame]] = field(default_factory=lambda: [[] for _ in range(N_PARTS)])

    @classmethod
    def of(cls, batches: Iterator[pl.DataFrame], query: str, directory: Path, seed: int) -> Parts:
        """All rows, parted; the first batch may be empty, and tells the columns."""
        directory.mkdir(parents=True)
        first = next(batches)
        parts = cls(directory, query, first.head(0), seed)
        parts._write(chain((first,), batches))
        return parts

    def _write(self, batches: Iterator[pl.DataFrame]) -> None:
        for batch in batches:
            if not batch.height:
                continue
            name = free_name("part", batch)
            parted = batch.with_columns(_part_of(batch, self.query, self.seed).alias(name))
            parts = parted.partition_by(name, as_dict=True, include_key=False)
            for (part,), rows in parts.items():
                self._waiting[part].append(rows)
                if sum(map(len, self._waiting[part])) >= _BUFFERED:
                    self._flush(part)
        for part in range(len(self.files)):
            self._flush(part)

    def _flush(self, part: int) -> None:
        import polars as pl

        if not self._waiting[part]:
            return
        path = self.directory / f"{part}-{len(self.files[part])}.arrow"
        pl.concat(self._waiting[part]).write_ipc(path)
        self.files[part].append(path)
        self._waiting[part] = []

    def size(self, part: int) -> int:
        """Bytes of a part, which are about those that it takes in memory."""
        return sum(path.stat().st_size for path in self.files[part])

    def batches(self, part: int) -> Iterator[pl.DataFrame]:
        """The rows of a part, in their order."""
        import polars as pl

        yield self.empty
        for path in self.files[part]:
            # As bytes: a file that is mapped cannot be deleted everywhere.
            yield pl.read_ipc(path.read_bytes())


def free_name(name: str, frame: pl.DataFrame) -> str:
    """A name that no column of a frame has."""
    while name in frame.columns:
        name += "_"
    return name


def _part_of(batch: pl.DataFrame, query: str, seed: int) -> pl.Series:
    """Number of the part of each row: that of its query, whatever type its ids have."""
    import polars as pl

    ids = plain(batch[query])
    # Ids that are equal as keys hash alike only in one type: 1 and 1.0, or text and categories.
    if ids.dtype.is_numeric() or ids.dtype == pl.Boolean:
        ids = ids.cast(pl.Float64)
    return (ids.hash(seed) % N_PARTS).cast(pl.Int64)


def concatenated(batches: Iterator[pl.DataFrame]) -> pl.DataFrame:
    """All rows of batches, of which the first may be empty."""
    import polars as pl

    return pl.concat(list(batches))


def numbered(batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same with the number of each row, by which queries find their order again.

    It is the first column.
    """
    first = 0
    for batch in batches:
        yield batch.with_row_index(free_name("row", batch), first)
        first += batch.height


def first_rows(judgements: pl.DataFrame, query: str) -> dict[Any, int]:
    """The first row of each query."""
    import polars as pl

    # Both columns under names of our own: theirs may be patterns.
    rows = pl.DataFrame({"query": judgements[query], "row": judgements.to_series(0)})
    firsts = rows.group_by("query", maintain_order=True).agg(pl.first("row"))
    return dict(firsts.iter_rows())
