"""Two streams whose queries rise, side by side: neither is ever held whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.gathered import ScatteredQueriesError

if TYPE_CHECKING:
    import polars as pl


class RisingRows:
    """Rows whose queries never fall, handed out up to a query.

    ScatteredQueriesError at the first query that falls.
    """

    def __init__(self, batches: Iterator[pl.DataFrame], query: str) -> None:
        self._batches = batches
        self._query = query
        self._held = [next(batches)]
        self._top: Any = None
        """The last query that was read."""

    def up_to(self, last: Any) -> pl.DataFrame:
        """All rows that were not handed out yet and whose query is at most the last."""
        import polars as pl

        while self._top is None or self._top <= last:
            batch = next(self._batches, None)
            if batch is None:
                break
            self._top = top_of(batch[self._query], self._top)
            self._held.append(batch)
        rows = pl.concat(self._held)
        end = int((rows[self._query] <= last).sum())
        self._held = [rows[end:]]
        return rows[:end]

    def rest(self) -> Iterator[pl.DataFrame]:
        """What is left, batch by batch."""
        yield from self._held
        for batch in self._batches:
            self._top = top_of(batch[self._query], self._top)
            yield batch


def top_of(queries: pl.Series, before: Any) -> Any:
    """The last of rising queries that go on from those before."""
    if not len(queries):
        return before
    if not queries.is_sorted() or (before is not None and queries[0] < before):
        raise ScatteredQueriesError
    return queries[-1]
