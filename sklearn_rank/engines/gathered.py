"""Data of all queries, gathered from parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingOrderWarning
from sklearn_rank.inputs.frames import DIVIDED_QUERY
from sklearn_rank.inputs.hints import with_mismatch_hint
from sklearn_rank.inputs.ids import resolve_assumption
from sklearn_rank.inputs.items import ItemReader, Where
from sklearn_rank.inputs.join import join_queries, query_weights, read_joined
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.rankings.data import (
    LaterItems,
    RankingData,
    merge_judged,
    no_items,
    one_label_each,
)
from sklearn_rank.rankings.judged import Places, Unjudged
from sklearn_rank.rankings.ranking import Items, grade_order
from sklearn_rank.support.checks import is_missing
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import IntArray

_HINTED = 100
"""Queries that are kept to see why, perhaps, nothing relevant was retrieved at all."""
_PARTS_HAVE_NONE = no_items("a part of the queries has none")


class Gathered:
    """Rankings of queries that were read together, and counts of omissions.

    ``places`` are the numbers of all judged queries in the order of the judgements. Where they may
    be partial it is seen in the end whether they are. Places of unjudged items take the most
    memory, and are kept only on request.
    """

    def __init__(
        self,
        options: ReadOptions,
        places: dict[Any, int],
        *,
        has_grades: bool = True,
        may_be_partial: bool = True,
        keeps_unjudged: bool = False,
    ) -> None:
        self.places, self.parts = places, list[RankingData]()
        self.n_rows: Counter[str] = Counter()
        """Rows that tasks of Spark read of each side."""
        self._options, self._has_grades = options, has_grades
        self._missing = options.missing
        self._of_parts = options
        if options.assume is None:
            self._of_parts = options._replace(assume="partial" if may_be_partial else "complete")
        self._has_zero, self._keeps_unjudged = False, keeps_unjudged
        self._n_unjudged, self._n_judged = list[IntArray](), list[IntArray]()
        self._ranked, self._unjudged = dict[Any, None](), dict[Any, None]()
        self._doubt = ""
        self._sample: tuple[Qrels, Run] | None = None
        self._no_rows: Run | None = None
        if self._missing != "skip" and places:
            query_weights(options.sample_weight, list(places))  # refuses before all else

    def add(self, qrels: Qrels, run: Run) -> None:
        """Read whole rankings."""
        common = [query for query in run.query_ids if query in qrels.numbers]
        for query in common:
            if query in self._ranked:
                msg = (
                    f"rows of query {safe_repr(query)} come back after those of other queries, and "
                    "a run of more than memory_limit= is read in one pass; sort it by query: "
                    "run.sort(query, maintain_order=True) in Polars, run.order(query) in DuckDB"
                )
                raise InvalidParameterError(msg)
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
        if self._missing == "skip" or self._no_rows is None:
            return
        absent = [query for query in qrels.query_ids if query not in self._ranked]
        if absent:
            self._read(qrels.of_queries(absent), self._no_rows.of_queries(absent))

    def _read(self, qrels: Qrels, run: Run) -> None:
        self._doubt = self._doubt or next(iter(run.doubts), "")
        part = read_joined(qrels, run, self._of_parts)
        self._has_zero |= bool(qrels.grades.min(initial=1) <= 0)
        unjudged, held = part.rankings.unjudged, None
        n_unjudged, n_judged = np.zeros(len(part.rankings), np.int64), part.rankings.n_relevant
        if unjudged is not None:
            n_unjudged = unjudged.counts
            n_judged = n_judged if unjudged.n_judged is None else unjudged.n_judged
            held = replace(unjudged, source=unjudged.places) if self._keeps_unjudged else None
        self._n_unjudged.append(n_unjudged)
        self._n_judged.append(n_judged)
        # A pool holds all scores; of the parts only places are kept.
        rankings = replace(part.rankings, unjudged=held)
        self.parts.append(
            replace(part, rankings=rankings, items=_PARTS_HAVE_NONE, query_columns=())
        )
        if self._sample is None:
            queries = qrels.query_ids[:_HINTED]
            self._sample = qrels.of_queries(queries), run.of_queries(queries)

    def absorb(self, other: Gathered) -> None:
        """Add the data of other queries, gathered elsewhere."""
        self.parts += other.parts
        self._n_unjudged += other._n_unjudged
        self._n_judged += other._n_judged
        self._ranked |= other._ranked
        self._unjudged |= other._unjudged
        self._has_zero |= other._has_zero
        self.n_rows += other.n_rows
        for query in other.places:
            self.places.setdefault(query, len(self.places))
        self._doubt = self._doubt or other._doubt
        self._sample = other._sample if self._sample is None else self._sample
        self._no_rows = other._no_rows if self._no_rows is None else self._no_rows

    def lighten(self) -> None:
        """Forget the sample that says why nothing was retrieved, where something was."""
        if any(part.rankings.n_hits.any() for part in self.parts):
            self._sample = None

    def judged(self, items: Items | LaterItems, read_unjudged: Callable[[], Places]) -> RankingData:
        """All queries in the order of the judgements.

        ``read_unjudged`` reads the frames once more, for the places of unjudged items.
        """
        if self._doubt:
            warn(self._doubt, RankingOrderWarning)
        queries = join_queries(self.places, self._ranked | self._unjudged, self._missing)
        merged = merge_judged(self.parts)
        rankings, judgements = merged.rankings, merged.judgements
        n_unjudged, n_judged = map(np.concatenate, (self._n_unjudged, self._n_judged))
        order = np.array([self.places[query] for query in merged.query_ids], dtype=np.int64)
        if (order[1:] < order[:-1]).any():
            came = np.argsort(order)
            rankings, n_unjudged, n_judged = rankings.take(came), n_unjudged[came], n_judged[came]
            judgements = None if judgements is None else judgements.take(came)
        assumed = resolve_assumption(
            self._options.assume, has_grades=self._has_grades, has_zero=self._has_zero
        )
        if assumed == "partial" and not self._keeps_unjudged:
            by_grade = grade_order(self._options.ties)
            later = Unjudged(n_unjudged, read_unjudged, grade_order=by_grade, n_judged=n_judged)
            rankings = replace(rankings, unjudged=later)
        weights = query_weights(self._options.sample_weight, queries)
        skipped = self.places.keys() - set(queries) if self._missing == "skip" else ()
        n_missing = len(self.places) - len(self._ranked)
        judged = replace(
            merged,
            rankings=replace(rankings, query_ids=queries, weights=weights),
            items=items,
            judgements=judgements,
            assumed=assumed,
            counts=replace(merged.counts, missing=n_missing, unjudged=len(self._unjudged)),
            missing=np.flatnonzero([query not in self._ranked for query in queries]),
            left_out=[*skipped, *self._unjudged],
        )
        return judged if self._sample is None else with_mismatch_hint(judged, *self._sample, None)


# What is read later, and stays behind ------------------------------------------------------------


class LeftBehind:
    """Stands for frames of an engine in an evaluation that was pickled."""

    def in_memory(self, what: str) -> NoReturn:
        """Refuse what needs the frames."""
        msg = (
            f"{what} needs the lazy frames once more, which stay behind when an evaluation is "
            "pickled; ask before that, or evaluate again"
        )
        raise InvalidParameterError(msg)

    def places_of_unjudged(self) -> NoReturn:
        """Refuse them, too."""
        self.in_memory("a measure of unjudged items")

    def pool(self, queries: IntArray | None = None) -> NoReturn:  # noqa: ARG002
        """Refuse them together."""
        self.in_memory("a pooled measure")


@dataclass(frozen=True, eq=False, repr=False)
class LaterColumns:
    """Columns of a lazy frame with values per query, read when they are used."""

    names: Collection[str]
    read: Callable[[str], Iterable[tuple[Any, Any]]]
    """Pairs of a query and its label, also missing ones."""

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """No columns: frames of an engine are not pickled."""
        return dict, ()

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        pairs = ((query, label) for query, label in self.read(name) if not is_missing(label))
        return one_label_each(name, pairs, DIVIDED_QUERY)


# Judgements in memory ----------------------------------------------------------------------------


def qrels_of(y_true: Mapping[Hashable, object], options: ReadOptions) -> Qrels:
    """Judgements of a mapping as a long table."""
    if isinstance(y_true, Qrels):
        return y_true
    reader = ItemReader(ReadOptions(negative_grades=options.negative_grades))
    truth = {query: reader.truth(given, Where("y_true", query)) for query, given in y_true.items()}
    rows = [(query, *pair) for query, items in truth.items() for pair in items.items()]
    queries, items, grades = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
    return Qrels.from_columns(queries, items, grades=grades).of_queries(list(truth))


def has_grades(y_true: object) -> bool:
    """Whether some judgements have grades, as sets have none."""
    if isinstance(y_true, Qrels) or not isinstance(y_true, Mapping):
        return True
    return any(isinstance(truth, Mapping) for truth in y_true.values())
