"""Relevant items in rank order, as the ways of ranking give them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_rank.support.segments import offsets_of, segment_index, segment_max
from sklearn_rank.typing import Array, BoolArray, IntArray, Ties


class Hits(NamedTuple):
    """Relevant items in rank order, query after query; perhaps those above a cutoff alone."""

    counts: IntArray
    above: IntArray
    tied: IntArray | None
    """None where no hit is tied."""
    grades: Array
    in_ties: BoolArray | None = None
    """Queries of which a hit is tied, above the cutoff or below; None where none is."""

    def sizes(self) -> IntArray:
        """(H,) size of the tie of each hit; 1 is no tie."""
        if self.tied is None:
            return np.broadcast_to(self.above.dtype.type(1), len(self.above))
        return self.tied

    def are_in_ties(self) -> BoolArray:
        """(Q,) whether a hit of the query is tied."""
        if self.in_ties is not None:
            return self.in_ties
        if self.tied is None:
            return np.zeros(len(self.counts), dtype=bool)
        return segment_max(self.tied, offsets_of(self.counts)) > 1


def within(hits: Hits, depth: int) -> Hits:
    """The hits that may stand within the first ``depth`` ranks."""
    tied = hits.tied
    in_ties = None if hits.in_ties is None and tied is None else hits.are_in_ties()
    top = hits.above < depth
    if top.all():
        return hits._replace(in_ties=in_ties)
    kept = np.flatnonzero(top)
    return Hits(
        np.diff(np.searchsorted(kept, offsets_of(hits.counts))),
        hits.above[kept],
        None if tied is None else tied[kept],
        hits.grades[kept],
        in_ties,
    )


def resolved(hits: Hits, ties: Ties) -> Hits:
    """Break ties for or against the relevant items, the better grades first or last."""
    tied = hits.tied
    if ties not in ("optimistic", "pessimistic"):
        return hits
    if tied is None or not (tied > 1).any():
        return hits._replace(in_ties=None)
    offsets = offsets_of(hits.counts)
    query = segment_index(offsets)
    new = np.ones(len(query), dtype=bool)
    new[1:] = (hits.above[1:] != hits.above[:-1]) | (query[1:] != query[:-1])
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, len(query)))
    inside = np.arange(len(query)) - np.repeat(starts, counts)
    above, grades = hits.above + inside, hits.grades
    if ties == "pessimistic":
        above += tied - np.repeat(counts, counts)
        grades = grades[np.repeat(starts + counts - 1, counts) - inside]
    return Hits(hits.counts, above, None, grades)
