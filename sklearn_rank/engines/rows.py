"""Rows of a frame, some at a time, as an engine delivers them."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    import polars as pl

BATCH = 1 << 18
"""Rows that an engine is asked for at once; it may deliver more or fewer."""


class Rows(Protocol):
    """A lazy frame, which can be read more than once."""

    @property
    def streams_alone(self) -> bool:
        """Whether two frames of the engine cannot be read side by side."""

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


class Held(NamedTuple):
    """The first rows of a frame."""

    frame: pl.DataFrame
    rest: Generator[pl.DataFrame] | None
    """The rows that did not fit; None if all did."""

    def close(self) -> None:
        """Read no further: an engine may have but one stream open at a time."""
        if self.rest is not None:
            self.rest.close()


def hold(rows: Rows, columns: Sequence[str], limit: int) -> Held:
    """As many rows as fit into ``limit`` bytes, and at least a batch of those there are."""
    import polars as pl

    batches = rows.batches(columns)
    held = [rows.schema.select(exact(columns))]
    size: float = 0
    for batch in batches:
        held.append(batch)
        size += batch.estimated_size()
        if size > limit:
            return Held(pl.concat(held), batches)
    return Held(pl.concat(held), None)


def all_batches(held: Held) -> Iterator[pl.DataFrame]:
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
