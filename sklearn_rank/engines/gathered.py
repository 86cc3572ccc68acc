"""What was read of some queries at a time, until all of them are there."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from sklearn_rank.inputs.columns import read_joined
from sklearn_rank.inputs.dispatch import Told
from sklearn_rank.inputs.long_tables import Qrels, Run
from sklearn_rank.inputs.mappings import join_queries, query_weights
from sklearn_rank.inputs.unmet import with_hint
from sklearn_rank.rankings.merge import merge_judged
from sklearn_rank.rankings.source import Judged, NoPool, Pool

_HINTED = 100
"""Queries that are kept to see why, perhaps, nothing relevant was retrieved at all."""
_PARTS_HAVE_NONE = NoPool("a part of the queries has none")


class ScatteredQueriesError(Exception):
    """A query came back after its ranking had been taken for whole."""


class Gathered:
    """Waists of queries that were read together, and what was left out.

    ``places`` are the numbers of all judged queries in the order of the judgements.
    """

    def __init__(self, told: Told, places: dict[Any, int]) -> None:
        self.told = told
        self.places = places
        self.missing = told.get("missing", "zero")
        self._parts: list[Judged] = []
        self._ranked: dict[Any, None] = {}
        self._unjudged: dict[Any, None] = {}
        self._sample: tuple[Qrels, Run] | None = None
        self._no_rows: Run | None = None
        if self.missing != "skip" and places:
            self._weights(list(places))  # refused before anything is ranked

    def add(self, qrels: Qrels, run: Run) -> None:
        """Read whole rankings."""
        common = [query for query in run.query_ids if query in qrels.numbers]
        if any(query in self._ranked for query in common):
            raise ScatteredQueriesError
        if len(common) < len(run):
            self._unjudged |= dict.fromkeys(query for query in run if query not in qrels.numbers)
        self._no_rows = run.of_queries([])
        if not common:
            return
        # In the order of the judgements, so that often nothing is to be moved in the end.
        common.sort(key=self.places.__getitem__)
        self._ranked |= dict.fromkeys(common)
        self._read(qrels.of_queries(common), run.of_queries(common))

    def add_missing(self, qrels: Qrels) -> None:
        """Judged queries without a ranking; whether they are an error is seen in the end."""
        if self.missing == "skip" or self._no_rows is None:
            return
        absent = [query for query in qrels.query_ids if query not in self._ranked]
        if absent:
            self._read(qrels.of_queries(absent), self._no_rows.of_queries(absent))

    def judged(self, pool: Pool) -> Judged:
        """All queries in the order of the judgements."""
        # Judgements that were parted come in another order than they stand.
        self.places = dict(sorted(self.places.items(), key=itemgetter(1)))
        queries = join_queries(self.places, self._ranked | self._unjudged, self.missing)
        merged = merge_judged(self._parts)
        order = np.array([self.places[query] for query in merged.query_ids], dtype=np.int64)
        rankings = merged.rankings
        if (order[1:] < order[:-1]).any():
            rankings = rankings.take(np.argsort(order))
        n_missing = len(self.places) - len(self._ranked)
        is_missing = [query not in self._ranked for query in queries]
        judged = replace(
            merged,
            rankings=replace(rankings, query_ids=queries, weights=self._weights(queries)),
            pool=pool,
            counts=replace(merged.counts, missing=n_missing, unjudged=len(self._unjudged)),
            missing=np.flatnonzero(is_missing),
            left_out=self._left_out(queries),
        )
        return judged if self._sample is None else with_hint(judged, *self._sample, None)

    def _read(self, qrels: Qrels, run: Run) -> None:
        part = read_joined(
            qrels,
            run,
            **{name: self.told[name] for name in _OF_ROWS if name in self.told},  # type: ignore[literal-required]
        )
        # A pool holds all scores; of the parts only places are kept.
        self._parts.append(replace(part, pool=_PARTS_HAVE_NONE, query_columns=()))
        if self._sample is None:
            queries = qrels.query_ids[:_HINTED]
            self._sample = qrels.of_queries(queries), run.of_queries(queries)

    def _left_out(self, queries: list[Any]) -> list[Any]:
        skipped = () if self.missing != "skip" else self.places.keys() - set(queries)
        return [*skipped, *self._unjudged]

    def _weights(self, queries: list[Any]) -> Any:
        return query_weights(self.told.get("sample_weight"), queries)


_OF_ROWS = ("ties", "duplicates", "negative_grades", "n_jobs")
"""What is told to those who read rows that are joined already."""
