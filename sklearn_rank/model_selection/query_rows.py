"""Whether a split keeps queries whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.inputs.rows import group_rows, read_groups
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
        grouping = group_rows(read_groups(groups))
        sizes = np.diff(grouping.offsets)
        numbers = np.repeat(np.arange(len(sizes)), sizes)
        if grouping.order is not None:
            scattered = np.empty_like(numbers)
            scattered[grouping.order] = numbers
            numbers = scattered
        return cls(grouping.query_ids, sizes, numbers)

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


def are_whole(query_ids: Any, n_rows: int, everywhere: Any) -> bool:
    """Whether these queries have no more rows ``everywhere`` than the ``n_rows`` at hand."""
    ids = read_groups(everywhere)
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
        return int(np.isin(ids, np.asarray(query_ids)).sum()) <= n_rows
    wanted = set(query_ids.tolist() if isinstance(query_ids, np.ndarray) else query_ids)
    listed_ids = ids.tolist() if isinstance(ids, np.ndarray) else ids
    return sum(map(wanted.__contains__, listed_ids)) <= n_rows
