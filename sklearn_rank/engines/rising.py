"""Two streams whose queries rise, side by side: neither is ever held whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from sklearn_rank.engines.gathered import ScatteredQueriesError
from sklearn_rank.engines.rows import plain

if TYPE_CHECKING:
    import polars as pl

Order: TypeAlias = "Callable[[pl.Series], pl.Series]"
"""What stands for the ids of queries where they are compared."""


def orders_of(kind: pl.DataType) -> tuple[Order, ...]:
    """Orders that ids of a type may rise in; none for ids that are not compared."""
    import polars as pl

    if kind in (pl.String, pl.Categorical, pl.Enum):
        return (as_they_are, shortest_first)
    return (as_they_are,) if kind.is_numeric() or kind.is_temporal() else ()


def as_they_are(queries: pl.Series) -> pl.Series:
    """Numbers and dates by their value, text by its letters."""
    return queries


def shortest_first(queries: pl.Series) -> pl.Series:
    """Text in the order of numbers: 9 before 10, as files that were sorted by a number have it."""
    # Six digits hold every length that an id may have.
    return queries.str.len_bytes().cast(queries.dtype).str.zfill(6) + queries


class RisingRows:
    """Rows whose queries never fall, handed out up to a query.

    ScatteredQueriesError at the first query that falls.
    """

    def __init__(self, batches: Iterator[pl.DataFrame], query: str, order: Order) -> None:
        self._batches = batches
        self._query = query
        self._order = order
        self._held = [next(batches)]
        self._top: Any = None
        """What stands for the last query that was read."""

    def up_to(self, last: Any) -> pl.DataFrame:
        """All rows that were not handed out yet and whose query is at most the last."""
        import polars as pl

        while self._top is None or self._top <= last:
            batch = next(self._batches, None)
            if batch is None:
                break
            self._top = top_of(batch[self._query], self._top, self._order)
            self._held.append(batch)
        rows = pl.concat(self._held)
        keys, sizes = _runs(rows[self._query], self._order)
        end = int(sizes.filter(keys <= last).sum())
        self._held = [rows[end:]]
        return rows[:end]

    def rest(self) -> Iterator[pl.DataFrame]:
        """What is left, batch by batch."""
        yield from self._held
        for batch in self._batches:
            self._top = top_of(batch[self._query], self._top, self._order)
            yield batch


def top_of(queries: pl.Series, before: Any, order: Order) -> Any:
    """What stands for the last of rising queries that go on from those before."""
    if not len(queries):
        return before
    keys, _ = _runs(queries, order)
    if not keys.is_sorted() or (before is not None and keys[0] < before):
        raise ScatteredQueriesError
    return keys[-1]


def _runs(queries: pl.Series, order: Order) -> tuple[pl.Series, pl.Series]:
    """What stands for each run of one query, and its rows: few comparisons for many rows."""
    runs = plain(queries).rle().struct.unnest()
    return plain(order(runs["value"])), runs["len"]
