"""Hits of blocks of queries: put in the order of the queries, or read as they were ranked.

To put hits in the order of the queries takes as long as a measure. Measures do not need it: they
read hits block by block, and their values alone go into that order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.rankings.hits import Hits
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.runtime import in_threads
from sklearn_rank.support.segments import blocks, offsets_of
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray


class HitBlocks(NamedTuple):
    """Hits as they were ranked, in blocks of queries."""

    blocks: list[Hits]
    order: IntArray | None
    """Numbers of the queries, block after block; None: as they come. Those without items may be
    left out."""
    n_queries: int
    n_jobs: int | None = None

    def by_query(self, values: list[Array]) -> Array:
        """A number for each query of each block, in the order of the queries."""
        together = np.concatenate(values)
        if self.order is None:
            return together
        ordered = np.zeros(self.n_queries, together.dtype)
        ordered[self.order] = together
        return ordered

    def counts(self) -> IntArray:
        """(Q,) how many hits the query has."""
        return self.by_query([hits.counts for hits in self.blocks])

    def in_ties(self) -> BoolArray:
        """(Q,) whether a hit of the query is tied."""
        return self.by_query([hits.are_in_ties() for hits in self.blocks])

    def in_order(self) -> Hits:
        """The hits of all blocks, in the order of the queries."""
        counts, first = self.counts(), self.blocks[0]
        offsets = offsets_of(counts)
        above = np.empty(offsets[-1], first.above.dtype)
        grades = np.empty(offsets[-1], first.grades.dtype)
        are_tied = any(hits.tied is not None for hits in self.blocks)
        tied = np.ones_like(above) if are_tied else None
        lasts = np.cumsum([len(hits.counts) for hits in self.blocks])

        def place(number: int) -> None:
            hits = self.blocks[number]
            first, last = int(lasts[number]) - len(hits.counts), int(lasts[number])
            here: Any = slice(offsets[first], offsets[last])
            if self.order is not None:
                shift = offsets[self.order[first:last]] - offsets_of(hits.counts)[:-1]
                here = np.repeat(shift, hits.counts) + np.arange(len(hits.above))
            above[here], grades[here] = hits.above, hits.grades
            if tied is not None and hits.tied is not None:
                tied[here] = hits.tied

        in_threads(place, range(len(self.blocks)), self.n_jobs)
        return Hits(counts, above, tied, grades)


class Run(NamedTuple):
    """Blocks that are read together."""

    queries: IntArray
    blocks: list[Hits]


class AsRanked(JudgedRankings):
    """Rankings whose hits are put in order when somebody asks for them.

    A copy with other arrays, as of :func:`dataclasses.replace`, has its hits in order.
    """

    @classmethod
    def of(
        cls,
        hits: HitBlocks,
        *,
        query_ids: Sequence[Any] | Array,
        n_ranked: IntArray,
        weights: FloatArray | None,
    ) -> AsRanked:
        """All hits of all blocks; what was not retrieved is not relevant."""
        empty = np.flatnonzero(n_ranked == 0)
        if len(empty) and hits.order is not None:
            first = hits.blocks[0]
            none = Hits(np.zeros_like(empty), first.above[:0], None, first.grades[:0])
            order = np.concatenate((hits.order, empty))
            hits = hits._replace(blocks=[*hits.blocks, none], order=order)
        offsets = offsets_of(hits.counts())
        rankings = object.__new__(cls)
        vars(rankings).update(
            query_ids=query_ids,
            offsets=offsets,
            n_ranked=n_ranked,
            judged_offsets=offsets,
            weights=weights,
            cutoff=None,
            unjudged=None,
            _unordered=hits,
        )
        return rankings

    @cached_property
    def _hits(self) -> Hits:
        hits: HitBlocks = vars(self)["_unordered"]
        return hits.in_order()

    @cached_property
    def above(self) -> IntArray:
        """As of the base, in order from now on."""
        return self._hits.above

    @cached_property
    def tied(self) -> IntArray:
        """As of the base, in order from now on."""
        return self._hits.sizes()

    @cached_property
    def grades(self) -> Array:
        """As of the base, in order from now on."""
        return self._hits.grades

    @cached_property
    def judged_grades(self) -> Array:
        """As of the base, in order from now on."""
        return self._hits.grades

    @cached_property
    def in_ties(self) -> BoolArray:
        """As of the base, without putting hits in order."""
        hits: HitBlocks | None = vars(self).get("_unordered")
        return super().in_ties if hits is None else hits.in_ties()

    def runs(self) -> list[Run]:
        """Blocks as they were ranked, in runs that fit the processor's cache; none of a copy."""
        hits: HitBlocks | None = vars(self).get("_unordered")
        if hits is None or hits.order is None:
            return []
        queries = np.split(hits.order, np.cumsum([len(part.counts) for part in hits.blocks[:-1]]))
        # Where no hit is tied, formulas are simpler: blocks with ties stay among themselves.
        untied = [n for n, part in enumerate(hits.blocks) if part.tied is None]
        tied = [n for n, part in enumerate(hits.blocks) if part.tied is not None]
        runs = []
        for kind in filter(None, (untied, tied)):
            parts = [hits.blocks[number] for number in kind]
            sizes = np.array([len(part.counts) + len(part.above) for part in parts])
            for first, last in blocks(offsets_of(sizes)):
                together = np.concatenate([queries[number] for number in kind[first:last]])
                runs.append(Run(together, parts[first:last]))
        return runs

    def of_run(self, run: Run) -> JudgedRankings:
        """The queries of a run, with numbers in place of their ids."""
        counts, above, grades = (
            np.concatenate([getattr(part, name) for part in run.blocks])
            for name in ("counts", "above", "grades")
        )
        tied = None
        if any(part.tied is not None for part in run.blocks):
            tied = np.concatenate([part.sizes() for part in run.blocks])
        offsets = offsets_of(counts)
        return JudgedRankings(
            query_ids=run.queries,
            offsets=offsets,
            above=above,
            tied=Hits(counts, above, tied, grades).sizes(),
            grades=grades,
            n_ranked=self.n_ranked[run.queries],
            judged_offsets=offsets,
            judged_grades=grades,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return JudgedRankings, tuple(getattr(self, item.name) for item in fields(self))
