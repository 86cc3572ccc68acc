"""Measures where the rows are: kernels run in Spark's executors, and values per query come back.

The executors need this package, NumPy and PyArrow; without this module they need nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import finalize

from sklearn_rank.engines.spark.waist import WaistRows, first_rows, rankings_of
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.typing import FloatArray, Ties

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 18
"""Rows that are computed at once: a batch of Spark has 10,000, for which calls cost more than
their work; and this many take a few megabytes."""

Function = Callable[[JudgedRankings], Sequence[FloatArray]]
"""Some values per query of a block of queries."""


@dataclass
class Partitions:
    """The waist of a problem, in Spark, parted by query."""

    rows: Any
    """A frame as ``plans.window`` makes it, the rows of each query together."""
    ties: Ties
    showing: Callable[[str], AbstractContextManager[None]]
    """Says on a terminal what goes on."""

    def __post_init__(self) -> None:
        """Nothing stays in Spark's memory, even if what asked for values was refused."""
        finalize(self, _forget, self.rows).atexit = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Nothing: Spark is not pickled."""
        return type(None), ()

    def values(self, function: Function, n_values: int) -> list[FloatArray]:
        """What the function makes of each query, in the order of the ids of the queries."""
        names = [f"v{number}" for number in range(n_values)]
        with self.showing("Spark computes measures"):
            table = self.frame(function, ["q", *names]).toArrow().sort_by("q")
        return [table[name].to_numpy() for name in names]

    def frame(self, function: Function, names: Sequence[str]) -> Any:
        """A frame of Spark with the query and its values; nothing is computed yet."""
        # A column may have any name, but not in the text of a schema.
        columns = ["q", *(f"v{number}" for number in range(len(names) - 1))]
        kinds = [self.rows.schema["q"].dataType.simpleString(), *["double"] * (len(names) - 1)]
        schema = ", ".join(map(" ".join, zip(columns, kinds, strict=True)))
        compute = partial(computed, function=function, ties=self.ties)
        return self.rows.mapInArrow(compute, schema).toDF(*names)

    def release(self) -> None:
        """Forget the rows, which can be made again."""
        self.rows.unpersist()


def _forget(rows: Any) -> None:
    # The session may have ended since, and its memory with it.
    with suppress(Exception):
        rows.unpersist()


def computed(
    batches: Iterator[pa.RecordBatch], *, function: Function, ties: Ties
) -> Iterator[pa.RecordBatch]:
    """Values per query of the rows of a partition."""
    import pyarrow as pa

    for table in whole_queries(batches):
        rankings = rankings_of(WaistRows.of(table), ties)
        ids = table["q"].take(first_rows(table["q"])).combine_chunks()
        values = [pa.array(column, pa.float64()) for column in function(rankings)]
        names = ["q", *(f"v{number}" for number in range(len(values)))]
        yield pa.RecordBatch.from_arrays([ids, *values], names)


def whole_queries(batches: Iterator[pa.RecordBatch], n_rows: int = BLOCK) -> Iterator[pa.Table]:
    """Blocks of about ``n_rows`` rows that end where a query does."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    size, wanted = 0, n_rows
    for batch in batches:
        held.append(batch)
        size += batch.num_rows
        if size < wanted:
            continue
        table = pa.Table.from_batches(held)
        last = int(first_rows(table["q"])[-1])
        if last:
            yield table.slice(0, last)
        held, size = table.slice(last).to_batches(), size - last
        # A query longer than a block: look for its end when there is as much again.
        wanted = max(n_rows, 2 * size)
    if size:
        yield pa.Table.from_batches(held)
