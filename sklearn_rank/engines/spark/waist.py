"""Rows that Spark made of relevant judgements to judged rankings, here or in executors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sklearn_rank.rankings.grade_counts import narrow_grades
from sklearn_rank.rankings.hits import Hits, resolved
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.typing import Array, IntArray, Ties

if TYPE_CHECKING:
    import pyarrow as pa


_NUMBERS = ("n_ranked", "grade", "above", "tied")


class WaistRows(NamedTuple):
    """A row for each relevant judgement, and one of grade 0 for each query without any.

    Rows of a query follow each other.
    """

    starts: IntArray
    """(Q,) the first row of each query."""
    query_ids: list[Any] | Array
    n_ranked: IntArray
    """(Q,)"""
    grade: Array
    above: IntArray
    """Rows of the ranking with a greater score; -1: the item was not retrieved."""
    tied: IntArray
    """Rows with the same score, its own included."""

    @classmethod
    def of(cls, table: pa.Table) -> WaistRows:
        """The rows of a table with columns of these names, and ``q`` for the query."""
        starts = first_rows(table["q"])
        numbers = {name: table[name].to_numpy() for name in _NUMBERS}
        return cls(
            starts,
            _ids(table["q"].take(starts)),
            numbers["n_ranked"][starts],
            numbers["grade"],
            numbers["above"],
            numbers["tied"],
        )


def first_rows(queries: pa.ChunkedArray) -> IntArray:
    """Where a query begins that is not that of the row before."""
    import pyarrow.compute as pc

    if not len(queries):
        return np.zeros(0, dtype=np.int64)
    is_other = pc.not_equal(queries.slice(1), queries.slice(0, len(queries) - 1))
    return np.append(0, np.flatnonzero(is_other.to_numpy()) + 1)


def _ids(queries: pa.ChunkedArray) -> list[Any]:
    ids: list[Any] = queries.to_pylist()
    return ids


def rankings_of(rows: WaistRows, ties: Ties) -> JudgedRankings:
    """The waist of whole queries, in the order of their rows."""
    n_rows, n_queries = len(rows.grade), len(rows.starts)
    sizes = np.diff(np.append(rows.starts, n_rows))
    query = np.repeat(np.arange(n_queries), sizes)
    relevant = rows.grade > 0
    places = np.flatnonzero(relevant & (rows.above >= 0))
    # By query, place, and the better grade first.
    places = places[np.lexsort((-rows.grade[places], rows.above[places], query[places]))]
    tied = rows.tied[places]
    hits = resolved(
        Hits(
            np.bincount(query[places], minlength=n_queries),
            rows.above[places],
            tied if (tied > 1).any() else None,
            rows.grade[places],
        ),
        ties,
    )
    return JudgedRankings(
        query_ids=rows.query_ids,
        offsets=offsets_of(hits.counts),
        above=hits.above,
        tied=np.broadcast_to(np.int64(1), len(places)) if hits.tied is None else hits.tied,
        grades=hits.grades,
        n_ranked=rows.n_ranked,
        judged_offsets=offsets_of(np.bincount(query[relevant], minlength=n_queries)),
        judged_grades=narrow_grades(rows.grade[relevant]),
    )
