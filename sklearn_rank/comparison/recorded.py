"""Baseline files as evaluations: alone, or completed by an evaluation with the same judgements."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sklearn_rank.comparison.baseline import (
    Baseline,
    BaselineError,
    QueryRecord,
    judged_digests,
    key_of,
    own_measure,
    redefined,
    span,
)
from sklearn_rank.comparison.baseline import load as read_file
from sklearn_rank.evaluation.averaging import Average
from sklearn_rank.evaluation.base import BaseEvaluation, counts_of
from sklearn_rank.evaluation.compute import Scored, averaged, find_measure
from sklearn_rank.evaluation.slices import take_queries
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import ByQuery, InputCounts, ItemIds, RankingData, no_items
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.support.segments import offsets_of, segment_index
from sklearn_rank.support.text import format_list, queries_text, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

__all__ = ["load"]

_HAS = (
    "a baseline file has no judgements, only values, ranks of relevant items and the first items "
    "of each ranking; compare it with a result of evaluate"
)
_RECORDED_FLAGS = {"True": True, "False": False}


def load(path: str | os.PathLike[str]) -> RecordedEvaluation:
    """Read a baseline file of a gate as the evaluation that it records.

    It has values per query (with six decimals), slices, ranks of the relevant items that were
    retrieved, and the first items of each ranking, but no judgements. :func:`compare` takes it with
    a result of :func:`evaluate`, whose judgements and ids it uses.

    Parameters
    ----------
    path : str or path
        A file that ``rank_gate`` or ``sklearn-rank gate`` wrote, such as ``"search.rank.json"``.

    Returns
    -------
    evaluation : RecordedEvaluation
        The recorded evaluation; its query ids are text.

    Raises
    ------
    BaselineError
        If the file does not exist, is not a baseline, or was changed.

    Examples
    --------
    >>> from sklearn_rank import compare, evaluate, load
    >>> now = evaluate(truth, ranked, ["map", "ndcg@10"])  # doctest: +SKIP
    >>> compare({"baseline": load("search.rank.json"), "new": now})  # doctest: +SKIP
    """
    read = read_file(Path(path), safe_repr(os.fspath(path)))
    if read is None:
        msg = f"there is no baseline {safe_repr(os.fspath(path))}"
        raise BaselineError(msg)
    baseline, rows = read[0], read[0].queries
    weights, clusters = [row.weight for row in rows], [row.cluster for row in rows]
    shares = None if None in weights else np.array(weights, dtype=np.float64)
    ranks = _ranks(rows, ([1.0] * len(row.found or {}) for row in rows))
    data = RankingData(
        JudgedRankings(
            [row.id for row in rows],
            **ranks,
            relevant_offsets=ranks["offsets"],
            relevant_grades=ranks["grades"],
            weights=shares,
        ),
        no_items("a baseline file has no scores"),
        keyed=True,
        clusters=None if None in clusters else np.array(clusters, dtype=object),
        options={
            name: _RECORDED_FLAGS.get(value, value) for name, value in baseline.reading.items()
        },
    )
    measures = {
        name: own_measure(name, of.definition) or parse_measures([name])[0]
        for name, of in baseline.measures.items()
    }
    scored = {name: (measure, shares, math.nan) for name, measure in measures.items()}
    return _evaluation(baseline, rows, data, scored, is_alone=True)


@dataclass(frozen=True, repr=False, eq=False)
class RecordedEvaluation(BaseEvaluation):
    """An evaluation that was read from a baseline file."""

    baseline: Baseline = field(kw_only=True)
    rows: Sequence[QueryRecord] = field(kw_only=True)
    is_alone: bool = field(kw_only=True)
    """Whether it has no judgements, which another evaluation may provide."""
    _ELSEWHERE: ClassVar[Mapping[str, str]] = {
        **BaseEvaluation._ELSEWHERE,
        **dict.fromkeys(("rankings", "to_judge", "condensed", "losses"), _HAS),
    }

    @property
    def runs(self) -> tuple[BaseEvaluation, ...]:
        """The evaluation itself, once per recorded run; only their means and spreads are kept."""
        return (self,) * self.baseline.runs

    @property
    def lacks_judgements(self) -> str:
        """What a file has instead; empty if another evaluation provides judgements."""
        return _HAS if self.is_alone else ""

    @property
    def counts(self) -> dict[str, Any]:
        """Counts that a file records; all counts if another evaluation provides judgements."""
        return super().counts if self.is_alone else counts_of(self.ranking_data, self.scored)

    def spread(self, measure: str | Measure) -> FloatArray:
        """Standard deviation of each query's value between the recorded runs."""
        name = find_measure(measure, self.scored)
        return _column((row.spread or {} for row in self.rows), name)

    def unjudged_share(self, top: int) -> float | None:
        """Share of unjudged items in the first ranks; None if it was not recorded."""
        return self.baseline.unjudged if self.baseline.top == top else None

    def placements(self, queries: Iterable[int] | None = None) -> list[Placement]:
        """Ranks of the relevant items that were retrieved, and the first items of each ranking."""
        if not self.is_alone:
            return super().placements(queries)
        placements = []
        for row in self.rows if queries is None else (self.rows[number] for number in queries):
            grades = row.grades or [math.nan] * len(row.found or {})
            hits = []
            for (item, rank), grade in zip((row.found or {}).items(), grades, strict=True):
                first, last = span(rank)
                hits.append(Hit(item, grade, first - 1, last - first + 1))
            placements.append(Placement(row.id, hits, row.n, [], None, row.top))
        return placements

    def with_ranks(self) -> RecordedEvaluation:
        """The same with the recorded ranks, which only explain values."""
        data = self.ranking_data
        ids, queries = data.ids, data.listed_ids()
        truths = map(_truth_of, repeat(ids), queries)
        ranks = _ranks(self.rows, map(_grades, self.rows, truths))
        rankings = replace(data.rankings, **ranks, unjudged=None)
        if ids is not None:
            ranked = partial(_ranked, self.rows, queries, ids)
            ids = replace(ids, rankings=ByQuery(queries, ranked))
        return replace(self, ranking_data=replace(data, rankings=rankings, ids=ids))

    def _part(self, queries: IntArray, every: Collection[Any]) -> Any:
        scored = {
            name: (of.measure, None if of.weights is None else of.weights[queries], math.nan)
            for name, of in self.scored.items()
        }
        rows = [self.rows[number] for number in queries.tolist()]
        data = take_queries(self.ranking_data, queries, every)
        return _evaluation(self.baseline, rows, data, scored, is_alone=self.is_alone)


def _column(cells: Iterable[Mapping[str, float | None]], name: str) -> FloatArray:
    return np.array([cell.get(name) for cell in cells], dtype=np.float64)


def _evaluation(
    baseline: Baseline,
    rows: Sequence[QueryRecord],
    data: RankingData,
    measures: Mapping[str, tuple[Measure, FloatArray | None, Any]],
    *,
    is_alone: bool,
) -> RecordedEvaluation:
    """Recorded values of some queries; ``measures`` holds weights and ``zero_division`` of each."""
    is_whole, scored = len(rows) == len(baseline.queries), {}
    for name, (measure, weights, zero_division) in measures.items():
        record = baseline.measures[name]
        if measure.is_pooled or measure.metric.is_total:
            average = Average(record.value if is_whole else math.nan, 0, record.queries)
            scored[name] = Scored(measure, None, None, average, zero_division)
        else:
            values = _column((row.values for row in rows), name)
            one = averaged(measure, data, values, weights, math.nan)
            scored[name] = one._replace(zero_division=zero_division)
    return RecordedEvaluation(scored, data, baseline=baseline, rows=rows, is_alone=is_alone)


def _ranks(rows: Sequence[QueryRecord], grades: Iterable[Sequence[float]]) -> dict[str, Any]:
    """Ranks and grades of the relevant items that were retrieved, as in judged rankings."""
    offsets = offsets_of(np.array([len(row.found or {}) for row in rows], dtype=np.int64))
    ranks = [span(rank) for row in rows for rank in (row.found or {}).values()]
    first, last = np.array(ranks, dtype=np.int64).reshape(-1, 2).T
    flat = np.fromiter(chain.from_iterable(grades), np.float64)
    order = np.lexsort((-flat, first, segment_index(offsets)))
    return {
        "offsets": offsets,
        "above": (first - 1)[order],
        "tied": (last - first + 1)[order],
        "grades": flat[order],
        "n_ranked": np.array([row.n for row in rows], dtype=np.int64),
    }


# With the judgements of an evaluation -------------------------------------------------------------


def completed(
    recorded: RecordedEvaluation,
    name: str,
    numbers: IntArray,
    live: BaseEvaluation,
    of_live: IntArray,
) -> RecordedEvaluation:
    """Some recorded queries with the judgements of a live evaluation, which must be the same."""
    rows = [recorded.rows[number] for number in numbers.tolist()]
    digests = judged_digests(live)
    differing = [
        row.id for row, n in zip(rows, of_live.tolist(), strict=True) if row.judged != digests[n]
    ]
    if differing:
        msg = (
            f"{safe_repr(name)} was recorded with different judgements for "
            f"{queries_text(len(differing))}: {format_list(differing)}; record it again"
        )
        raise QueryMismatchError(msg)
    measures = [measure for measure in recorded if measure in live]
    for measure in measures:
        changed = redefined(recorded.baseline.measures[measure], live._record(measure).measure)
        if changed:
            msg = f"{safe_repr(name)} was recorded with a different {measure}: {changed}; "
            msg += "record it again, or evaluate as it was recorded"
            raise InvalidParameterError(msg)
    return recorded_evaluation(live, of_live, rows, measures, recorded.baseline).with_ranks()


def recorded_evaluation(
    live: BaseEvaluation,
    of_live: IntArray,
    rows: Sequence[QueryRecord],
    names: Sequence[str],
    baseline: Baseline,
) -> RecordedEvaluation:
    """Recorded values of some queries of a live evaluation; ``with_ranks`` adds their ranks."""
    data = take_queries(live.ranking_data, of_live, live.ranking_data.listed_ids())
    nothing = np.zeros(0, dtype=np.int64)
    data = replace(data, ids=live.ranking_data.ids, missing=nothing, counts=InputCounts())
    scored = {}
    for name in names:
        of = live._record(name)
        weights = None if of.weights is None else of.weights[of_live]
        scored[name] = of.measure, weights, of.zero_division
    return _evaluation(baseline, rows, data, scored, is_alone=False)


def _truth_of(ids: ItemIds | None, query: Any) -> Mapping[Any, float]:
    """Judged items of a query; none without ids."""
    if ids is None:
        return {}
    return ids.truths[query] if ids.shared is None else ids.shared


def _grades(row: QueryRecord, truth: Mapping[Any, float]) -> list[float]:
    """Grades of the relevant items that were retrieved."""
    if row.grades:
        return row.grades
    if any(type(item) is not str for item in truth):
        truth = {key_of(item): grade for item, grade in truth.items()}
    return [truth.get(key, 1.0) for key in row.found or {}]


def _ranked(
    rows: Sequence[QueryRecord], queries: Sequence[Any], ids: ItemIds, number: int
) -> tuple[list[Any], None]:
    """The recorded items of a ranking: the first, and the relevant ones."""
    row, query = rows[number], queries[number]
    listed = ids.rankings.get(query, ((), None))[0]
    # An ASCII text is its own key.
    items = chain(listed, _truth_of(ids, query))
    others = (item for item in items if type(item) is not str or not item.isascii())
    raw = {key_of(item): item for item in others}
    return [raw.get(key, key) for key in dict.fromkeys((*row.top, *(row.found or {})))], None
