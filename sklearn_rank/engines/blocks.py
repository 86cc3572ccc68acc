"""Rows of lazy frames, some at a time: as engines deliver them, by whole queries, in files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import os

    import polars as pl

BATCH = 1 << 18
"""Rows that an engine is asked for at once; it may deliver more or fewer."""


class Rows(Protocol):
    """A lazy frame, which can be read more than once."""

    @property
    def schema(self) -> pl.DataFrame:
        """The columns without a row."""

    def batches(self, columns: Sequence[str]) -> Generator[pl.DataFrame]:
        """Some columns of all rows, in the order of the rows."""


def exact(names: Sequence[str]) -> list[Any]:
    """Columns of just these names, which Polars else takes for patterns ("*", "^a.*$")."""
    import polars as pl

    return [pl.col(f"^{re.escape(name)}$" if _is_pattern(name) else name) for name in names]


def _is_pattern(name: str) -> bool:
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def plain(column: pl.Series) -> pl.Series:
    """The column under a name that its methods do not take for a pattern."""
    return column.alias("column")


class BufferedRows(NamedTuple):
    """The first rows of a frame."""

    frame: pl.DataFrame
    rest: Generator[pl.DataFrame] | None
    """The rows that did not fit; None if all did."""

    def close(self) -> None:
        """Read no further: an engine may have but one stream open at a time."""
        if self.rest is not None:
            self.rest.close()


def hold(rows: Rows, columns: Sequence[str], limit: int) -> BufferedRows:
    """As many rows as fit into ``limit`` bytes, and at least a batch of those there are."""
    import polars as pl

    batches = rows.batches(columns)
    held = [rows.schema.select(exact(columns))]
    size: float = 0
    for batch in batches:
        held.append(batch)
        size += batch.estimated_size()
        if size > limit:
            return BufferedRows(pl.concat(held), batches)
    return BufferedRows(pl.concat(held), None)


def all_batches(held: BufferedRows) -> Iterator[pl.DataFrame]:
    """The held rows and the rest; to be called once."""
    return chain((held.frame,), held.rest or ())


def whole_queries(
    batches: Iterator[pl.DataFrame], query: str, n_rows: int
) -> Iterator[pl.DataFrame]:
    """Blocks of about ``n_rows`` rows that end where a query does.

    A query that comes back later is in several blocks: who reads them has to see to that.
    """
    import polars as pl

    held: list[pl.DataFrame] = []
    size = 0
    for batch in batches:
        held.append(batch)
        size += batch.height
        if size < n_rows:
            continue
        block = pl.concat(held)
        end = _end_of_last_but_one(block[query])
        if end:
            yield block[:end]
            block = block[end:]
        held, size = [block], block.height
        # A single query of more rows than a block: wait for as many again.
        n_rows = max(n_rows, 2 * size)
    if size:
        yield pl.concat(held)


def _end_of_last_but_one(queries: pl.Series) -> int:
    """Where the rows of the last query begin; 0 if there is only one."""
    # A series of one id, not the id: some types of ids compare with their like alone.
    is_other = plain(queries != queries[-1:]).reverse()
    place = is_other.arg_max() or 0
    return len(queries) - place if is_other[place] else 0


# In files ----------------------------------------------------------------------------------------

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


class Partitions:
    """Rows in files, those of one query always in the same part and in their order.

    The first batch may be empty, and tells the columns; another seed parts what one parting left
    together.
    """

    def __init__(
        self, batches: Iterator[pl.DataFrame], query: str, directory: Path, seed: int = 0
    ) -> None:
        directory.mkdir(parents=True)
        first = next(batches)
        self.directory, self.empty = directory, first.head(0)
        self.files: list[list[Path]] = [[] for _ in range(N_PARTS)]
        self._waiting: list[list[pl.DataFrame]] = [[] for _ in range(N_PARTS)]
        for batch in chain((first,), batches):
            if not batch.height:
                continue
            name = free_name("part", batch)
            parted = batch.with_columns(_part_of(batch, query, seed).alias(name))
            parts = parted.partition_by(name, as_dict=True, include_key=False)
            for (part,), rows in parts.items():
                self._waiting[part].append(rows)
                if sum(map(len, self._waiting[part])) >= _BUFFERED:
                    self._flush(part)
        for part in range(N_PARTS):
            self._flush(part)

    def _flush(self, part: int) -> None:
        import polars as pl

        if self._waiting[part]:
            path = self.directory / f"{part}-{len(self.files[part])}.arrow"
            pl.concat(self._waiting[part]).write_ipc(path)
            self.files[part].append(path)
            self._waiting[part] = []

    def size(self, part: int) -> int:
        """Bytes of a part, which are about those that it takes in memory."""
        return sum(path.stat().st_size for path in self.files[part])

    def batches(self, part: int) -> Iterator[pl.DataFrame]:
        """The rows of a part, in their order, after a batch without any."""
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
