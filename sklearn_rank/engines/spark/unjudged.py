"""Ranked items that nobody judged: how many there are is known, where they stand is asked late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank.engines.spark.sides import Sides
from sklearn_rank.engines.spark.waist import first_rows
from sklearn_rank.rankings.unjudged import Places, Source
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import IntArray


@dataclass(frozen=True)
class UnjudgedRows:
    """The places of all queries, by one job of Spark for all who ask."""

    sides: Sides
    plan: str
    query_ids: Sequence[Any]
    """The evaluated queries, as they are numbered."""

    @cached_property
    def _places(self) -> Places:
        table = self.sides.sql(self.plan).toArrow()
        table = table.sort_by([("q", "ascending"), ("above", "ascending")])
        starts = first_rows(table["q"])
        numbers = {query: number for number, query in enumerate(self.query_ids)}
        sizes = np.zeros(len(self.query_ids), dtype=np.int64)
        of_query = [numbers[query] for query in table["q"].take(starts).to_pylist()]
        sizes[of_query] = np.diff(np.append(starts, table.num_rows))
        return Places(offsets_of(sizes), table["above"].to_numpy(), table["tied"].to_numpy())

    def __call__(self) -> Places:
        """Rank them."""
        return self._places

    def part(self, queries: slice) -> Source:
        """The items of queries that follow each other."""
        return self.take(np.arange(queries.start, queries.stop))

    def take(self, queries: IntArray) -> Source:
        """The items of some queries alone."""
        return _Some(self, queries)

    def __reduce__(self) -> tuple[Any, ...]:
        """The places themselves: Spark is not pickled."""
        return Places, tuple(self._places)


@dataclass(frozen=True)
class _Some:
    """The places of some queries."""

    rows: UnjudgedRows
    queries: IntArray

    def __call__(self) -> Places:
        """Rank them."""
        return self.rows().take(self.queries)

    def part(self, queries: slice) -> Source:
        """The items of queries that follow each other."""
        return _Some(self.rows, self.queries[queries])

    def take(self, queries: IntArray) -> Source:
        """The items of some queries alone."""
        return _Some(self.rows, self.queries[queries])

    def __reduce__(self) -> tuple[Any, ...]:
        """The places themselves."""
        return Places, tuple(self())
