"""Whether a split keeps queries whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.inputs.ids import CodedIds, Ids
from sklearn_rank.inputs.rows import code_rows, listed_ids, read_groups
from sklearn_rank.support.text import listed
from sklearn_rank.typing import Array, IntArray


@dataclass(frozen=True)
class QueryRows:
    """Which rows belong to which query, to look at splits of them."""

    query_ids: Array | list[Any]
    sizes: IntArray
    """(Q,) rows of each query."""
    numbers: IntArray
    """(n_samples,) number of the query of each row."""

    @classmethod
    def of(cls, groups: Any) -> QueryRows:
        """Read the query id of each row."""
        coded = code_rows(read_groups(groups))
        sizes = np.bincount(coded.codes, minlength=len(coded.distinct))
        return cls(coded.distinct, sizes, coded.codes)

    def fault(self, train: Any, test: Any, split: str) -> str | None:
        """How the split divides queries, in a sentence that calls it ``split``; None if whole."""
        tested = np.bincount(self.numbers[test], minlength=len(self.sizes))
        trained = np.bincount(self.numbers[train], minlength=len(self.sizes))
        cut = (tested > 0) & (tested < self.sizes)
        shared = np.flatnonzero(cut & (trained > 0))
        if len(shared):
            return (
                f"{len(shared):,} of {len(self.sizes):,} queries are in both train and test of "
                f"{split} ({self._names(shared)}); use GroupKFold or QueryKFold"
            )
        divided = np.flatnonzero(cut)
        if not len(divided):
            return None
        first = divided[:1]
        return (
            f"{len(divided):,} of {len(self.sizes):,} queries are cut in the test part of {split}: "
            f"of query {self._names(first)} only {tested[first[0]]:,} of {self.sizes[first[0]]:,} "
            "rows are there; use GroupKFold or QueryKFold, and no resource='n_samples' in a "
            "halving search"
        )

    def _names(self, queries: IntArray) -> str:
        return listed([self.query_ids[number] for number in queries.tolist()])


def cut_queries(ids: Ids, everywhere: CodedIds) -> list[tuple[Any, int, int]]:
    """Queries with fewer rows in ``ids`` than ``everywhere``: their id and the two numbers."""
    here = code_rows(ids)
    counts = np.bincount(here.codes, minlength=len(here.distinct)).tolist()
    totals = np.bincount(everywhere.codes, minlength=len(everywhere.distinct)).tolist()
    rows_of = dict(zip(listed_ids(everywhere.distinct), totals, strict=True))
    return [
        (query, count, rows_of[query])
        for query, count in zip(listed_ids(here.distinct), counts, strict=True)
        if 0 < count < rows_of.get(query, 0)
    ]
