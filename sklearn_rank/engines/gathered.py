"""What was read of some queries at a time, until all of them are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from operator import itemgetter
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.hints import with_mismatch_hint
from sklearn_rank.inputs.items import ItemReader, Where
from sklearn_rank.inputs.join import join_queries, query_weights, read_joined, resolve_assumption
from sklearn_rank.inputs.layouts import ReaderOptions
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.rankings.data import NoPool, Pool, RankingData, RankingSizes, merge_judged
from sklearn_rank.rankings.judged import JudgedRankings, Places, Unjudged
from sklearn_rank.rankings.ranking import grade_order
from sklearn_rank.typing import IntArray

_HINTED = 100
"""Queries that are kept to see why, perhaps, nothing relevant was retrieved at all."""
_PARTS_HAVE_NONE = NoPool("a part of the queries has none")


class ScatteredQueriesError(Exception):
    """A query came back after its ranking had been taken for whole."""


class Gathered:
    """Rankings of queries that were read together, and what was left out.

    ``places`` are the numbers of all judged queries in the order of the judgements. Where they may
    be partial it is seen in the end whether they are. Places of unjudged items take more memory
    than all else, and are kept on request alone.
    """

    def __init__(
        self,
        told: ReaderOptions,
        places: dict[Any, int],
        *,
        may_be_partial: bool = True,
        keeps_unjudged: bool = False,
    ) -> None:
        self.told = told
        self._assume = told.get("assume") or ("partial" if may_be_partial else "complete")
        self._has_zero = False
        self._keeps_unjudged = keeps_unjudged
        self._n_unjudged: list[IntArray] = []
        self._n_judged: list[IntArray] = []
        self.places = places
        self.missing = told.get("missing", "zero")
        self.parts: list[RankingData] = []
        self._ranked: dict[Any, None] = {}
        self._unjudged: dict[Any, None] = {}
        self._sample: tuple[Qrels, Run] | None = None
        self._no_rows: Run | None = None
        self.has_grades = True
        self.n_rows: Counter[str] = Counter()
        """Rows that tasks of Spark read of each side."""
        if self.missing != "skip" and places:
            self._weights(list(places))  # refused before anything is ranked

    def extend_places(self, queries: list[Any]) -> None:
        """Further judged queries, in their order."""
        for query in queries:
            self.places.setdefault(query, len(self.places))

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

    def absorb(self, other: Gathered) -> None:
        """What was gathered elsewhere of other queries."""
        self.parts += other.parts
        self._n_unjudged += other._n_unjudged
        self._n_judged += other._n_judged
        self._ranked |= other._ranked
        self._unjudged |= other._unjudged
        self._has_zero |= other._has_zero
        self.n_rows += other.n_rows
        self.extend_places(list(other.places))
        self._sample = other._sample if self._sample is None else self._sample
        self._no_rows = other._no_rows if self._no_rows is None else self._no_rows

    def lighten(self) -> None:
        """Forget the sample that says why nothing was retrieved, where something was."""
        if any(part.rankings.n_retrieved.any() for part in self.parts):
            self._sample = None

    def map_rankings(self, function: Callable[[JudgedRankings], JudgedRankings]) -> None:
        """Others in place of all rankings."""
        self.parts = [replace(part, rankings=function(part.rankings)) for part in self.parts]

    def judged(self, pool: Pool, read_again: Callable[[], JudgedRankings]) -> RankingData:
        """All queries in the order of the judgements.

        ``read_again`` gives the same rankings with the places of unjudged items.
        """
        # Judgements that were parted come in another order than they stand.
        self.places = dict(sorted(self.places.items(), key=itemgetter(1)))
        queries = join_queries(self.places, self._ranked | self._unjudged, self.missing)
        merged = merge_judged(self.parts)
        order = np.array([self.places[query] for query in merged.query_ids], dtype=np.int64)
        assumed = resolve_assumption(
            self.told.get("assume"), has_grades=self.has_grades, has_zero=self._has_zero
        )
        rankings: JudgedRankings = merged.rankings
        if self.parts and isinstance(self.parts[0].rankings, RankingSizes):
            rankings = _joined_sizes([part.rankings for part in self.parts], rankings)
        n_unjudged, n_judged = map(np.concatenate, (self._n_unjudged, self._n_judged))
        if (order[1:] < order[:-1]).any():
            came = np.argsort(order)
            rankings, n_unjudged, n_judged = rankings.take(came), n_unjudged[came], n_judged[came]
        if assumed == "partial" and not self._keeps_unjudged:
            order_of_grades = grade_order(self.told.get("ties") or "average")
            later = Unjudged(
                n_unjudged,
                partial(_read_places, read_again),
                grade_order=order_of_grades,
                n_judged=n_judged,
            )
            rankings = replace(rankings, unjudged=later)
        n_missing = len(self.places) - len(self._ranked)
        is_missing = [query not in self._ranked for query in queries]
        judged = replace(
            merged,
            rankings=replace(rankings, query_ids=queries, weights=self._weights(queries)),
            pool=pool,
            assumed=assumed,
            counts=replace(merged.counts, missing=n_missing, unjudged=len(self._unjudged)),
            missing=np.flatnonzero(is_missing),
            left_out=self._left_out(queries),
        )
        return judged if self._sample is None else with_mismatch_hint(judged, *self._sample, None)

    def _read(self, qrels: Qrels, run: Run) -> None:
        part = read_joined(
            qrels,
            run,
            assume=self._assume,
            **{name: self.told[name] for name in _OF_ROWS if name in self.told},  # type: ignore[literal-required]
        )
        self._has_zero |= bool(qrels.grades.min(initial=1) <= 0)
        unjudged = part.rankings.unjudged
        self._n_unjudged.append(
            np.zeros(len(part.rankings), np.int64) if unjudged is None else unjudged.counts
        )
        n_judged = None if unjudged is None else unjudged.n_judged
        self._n_judged.append(part.rankings.n_relevant if n_judged is None else n_judged)
        if unjudged is not None:
            kept = replace(unjudged, source=unjudged.places) if self._keeps_unjudged else None
            part = replace(part, rankings=replace(part.rankings, unjudged=kept))
        # A pool holds all scores; of the parts only places are kept.
        self.parts.append(replace(part, pool=_PARTS_HAVE_NONE, query_columns=()))
        if self._sample is None:
            queries = qrels.query_ids[:_HINTED]
            self._sample = qrels.of_queries(queries), run.of_queries(queries)

    def _left_out(self, queries: list[Any]) -> list[Any]:
        skipped = () if self.missing != "skip" else self.places.keys() - set(queries)
        return [*skipped, *self._unjudged]

    def _weights(self, queries: list[Any]) -> Any:
        return query_weights(self.told.get("sample_weight"), queries)


def _joined_sizes(parts: Iterable[JudgedRankings], merged: JudgedRankings) -> RankingSizes:
    graded = [part.graded for part in parts if isinstance(part, RankingSizes)]
    return RankingSizes.of(
        merged.query_ids,
        n_ranked=merged.n_ranked,
        n_relevant=merged.n_relevant,
        n_retrieved=merged.n_retrieved,
        n_graded=np.concatenate(graded),
        in_ties=merged.in_ties,
    )


_OF_ROWS = ("ties", "duplicates", "negative_grades", "n_jobs")
"""What is told to those who read rows that are joined already."""


def _read_places(read_again: Callable[[], JudgedRankings]) -> Places:
    unjudged = read_again().unjudged
    assert unjudged is not None
    return unjudged.places


class LeftBehind:
    """Stands for frames of an engine in an evaluation that was pickled."""

    def in_memory(self, what: str) -> Any:
        """Refuse what needs the frames."""
        msg = (
            f"{what} needs the lazy frames once more, which stay behind when an evaluation is "
            "pickled; ask before that, or evaluate again"
        )
        raise InvalidParameterError(msg)

    def with_unjudged(self) -> Any:
        """Refuse them, too."""
        return self.in_memory("a measure of unjudged items")

    def blocks(self) -> Any:
        """Refuse them, too."""
        return self.in_memory("a count of scores")


# Judgements in memory ----------------------------------------------------------------------------


def qrels_of(y_true: Mapping[Any, Any], told: ReaderOptions) -> Qrels:
    """Judgements of a mapping as a long table."""
    if isinstance(y_true, Qrels):
        return y_true
    reader = ItemReader(None, "raise", told.get("negative_grades", "raise"))
    truth = {query: reader.truth(given, Where("y_true", query)) for query, given in y_true.items()}
    sizes = [len(items) for items in truth.values()]
    queries = list(chain.from_iterable(map(repeat, truth, sizes)))
    items = list(chain.from_iterable(truth.values()))
    grades = list(chain.from_iterable(items.values() for items in truth.values()))
    return Qrels.from_columns(queries, items, grades=grades).of_queries(list(truth))


def has_grades(y_true: Any) -> bool:
    """Whether some judgements have grades, as sets have none."""
    if isinstance(y_true, Qrels) or not isinstance(y_true, Mapping):
        return True
    return any(isinstance(truth, Mapping) for truth in y_true.values())
