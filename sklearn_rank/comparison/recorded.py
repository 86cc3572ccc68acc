"""Baseline files as evaluations: by themselves, or completed by one whose judgements they share."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from sklearn_rank.comparison.baseline import (
    Baseline,
    BaselineError,
    QueryRecord,
    definition_of,
    judged_digests,
    key_of,
    span,
)
from sklearn_rank.comparison.baseline import load as read_file
from sklearn_rank.evaluation.averaging import Average
from sklearn_rank.evaluation.compute import Scored, averaged, find_measure
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.slices import take_queries
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError
from sklearn_rank.measures.custom import measure_from
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import InputCounts, ItemIds, RankingData, no_items
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, Placement
from sklearn_rank.support.segments import offsets_of, segment_index
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import FloatArray, IntArray

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> Evaluation:
    """Read a baseline file of a gate as the evaluation that it records.

    It has values per query, ranks of the relevant items that were retrieved, and the first items of
    each ranking; what it lacks raises an error. Values have six decimals.
    :func:`compare` takes it with a result of :func:`evaluate`, from which it gets judgements and
    ids.

    Parameters
    ----------
    path : str or path
        A file that ``rank_gate`` or ``sklearn-rank gate`` wrote, such as ``"search.rank.json"``.

    Returns
    -------
    evaluation : Evaluation
        Labels by recorded query id, which is a text.

    Raises
    ------
    BaselineError
        If there is no such file, or it is no unchanged baseline.

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
    return _alone(read[0], read[0].queries)


@dataclass(frozen=True, repr=False, eq=False)
class RecordedEvaluation(Evaluation):
    """An evaluation that was read from a baseline file."""

    baseline: Baseline = field(kw_only=True)
    rows: Sequence[QueryRecord] = field(kw_only=True)
    is_alone: bool = field(kw_only=True, default=True)
    """Whether no other evaluation has lent its judgements."""

    @property
    def runs(self) -> tuple[Evaluation, ...]:
        """As many as there were; their means are recorded, and their spread."""
        return (self,) * self.baseline.runs

    def spread(self, measure: str | Measure) -> FloatArray:
        """Standard deviation of each query's value between the recorded runs."""
        name = find_measure(measure, self._scored)
        return _column((row.spread or {} for row in self.rows), name)

    def unjudged_share(self, top: int) -> float | None:
        """Share of unjudged items in the first ranks; None if it was not recorded."""
        return self.baseline.unjudged if self.baseline.top == top else None

    @property
    def counts(self) -> dict[str, Any]:
        """Queries, and those that are averaged; others are 0."""
        counts = super().counts
        return counts | dict.fromkeys(("no_relevant", "relevant", "false_answers"), 0)

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
        return replace(self, _judged=_ranked(self.rows, self._judged, self._judged.ids))

    def _lacks(self, what: str) -> NoReturn:
        msg = (
            f"a baseline file does not have {what}; it has values, ranks of relevant items and the "
            "first items of each ranking, and compare takes it with a result of evaluate"
        )
        raise InvalidParameterError(msg)

    @property
    def rankings(self) -> Any:
        """Ranks of the relevant items, with the judgements of another evaluation."""
        return self._lacks("judgements") if self.is_alone else super().rankings

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        self._lacks("judgements")

    by_slice = to_judge = condensed = _refuse


def _column(cells: Iterable[Mapping[str, float | None]], name: str) -> FloatArray:
    return np.array([cell.get(name) for cell in cells], dtype=np.float64)


def _alone(baseline: Baseline, rows: Sequence[QueryRecord]) -> RecordedEvaluation:
    """Some queries of a file, without any judgements."""
    offsets, above, tied = _places(rows)
    grades = np.ones(len(above))
    weights = [row.weight for row in rows]
    shares = None if None in weights else np.array(weights, dtype=np.float64)
    n_ranked = np.array([row.n for row in rows], dtype=np.int64)
    ids = [row.id for row in rows]
    rankings = JudgedRankings(ids, offsets, above, tied, grades, n_ranked, offsets, grades, shares)
    clusters = [row.cluster for row in rows]
    data = RankingData(
        rankings,
        no_items("a baseline file has no scores"),
        keyed=True,
        clusters=None if None in clusters else np.array(clusters, dtype=object),
        options={name: _plain(value) for name, value in baseline.reading.items()},
    )
    scored = {}
    for name, record in baseline.measures.items():
        measure = _measure(name, record.definition)
        if measure.is_pooled or measure.metric.is_total:
            value = record.value if len(rows) == len(baseline.queries) else math.nan
            average = Average(value, 0, record.queries)
            scored[name] = Scored(measure, None, None, average, math.nan)
        else:
            values = _column((row.values for row in rows), name)
            scored[name] = averaged(measure, data, values, shares, math.nan)
    return RecordedEvaluation(scored, data, baseline=baseline, rows=rows)


def _plain(value: str) -> Any:
    return {"True": True, "False": False}.get(value, value)


def _measure(name: str, definition: Mapping[str, str]) -> Measure:
    """The measure of this name, or the range and the direction of one's own."""
    if "own" in definition:
        low, high = re.findall(r"[\[ ]([^\[\], ]+)[,\]]", definition["own"])[:2]
        better = not definition["own"].endswith("lower is better")
        return measure_from(name, range=(float(low), float(high)), greater_is_better=better)
    return parse_measures([name])[0]


def _places(rows: Sequence[QueryRecord]) -> tuple[IntArray, IntArray, IntArray]:
    """Offsets, positions and tie groups of the relevant items that were retrieved."""
    offsets = offsets_of(np.array([len(row.found or {}) for row in rows], dtype=np.int64))
    ranks = [span(rank) for row in rows for rank in (row.found or {}).values()]
    first, last = np.array(ranks, dtype=np.int64).reshape(-1, 2).T
    order = np.lexsort((first, segment_index(offsets)))
    return offsets, (first - 1)[order], (last - first + 1)[order]


# With the judgements of an evaluation -------------------------------------------------------------


def is_alone(evaluation: Evaluation) -> bool:
    """Whether an evaluation was read from a file and therefore lacks judgements."""
    return isinstance(evaluation, RecordedEvaluation) and evaluation.is_alone


def keys_in(recorded: Evaluation, live: Evaluation) -> list[Any]:
    """Ids of the recorded queries: those of the live evaluation where they read alike."""
    ids = {key_of(query): query for query in live._judged.listed_ids()}
    return [ids.get(query, query) for query in recorded.query_ids]


def completed(
    systems: Mapping[str, Evaluation], positions: Mapping[str, IntArray]
) -> tuple[dict[str, Evaluation], dict[str, IntArray]]:
    """The systems; those from files get the judgements of the first live evaluation.

    ``positions`` are the positions of the common queries in each.
    """
    first, live = next(pair for pair in systems.items() if not is_alone(pair[1]))
    of_live = positions[first]
    complete, numbers = dict(systems), dict(positions)
    for name, system in systems.items():
        if isinstance(system, RecordedEvaluation) and system.is_alone:
            complete[name] = _lend(system, name, positions[name], live, of_live)
            numbers[name] = np.arange(len(positions[name]))
    return complete, numbers


def _lend(
    recorded: RecordedEvaluation, name: str, numbers: IntArray, live: Evaluation, of_live: IntArray
) -> RecordedEvaluation:
    """Some recorded queries with the judgements of a live evaluation, where these are the same."""
    rows = [recorded.rows[number] for number in numbers.tolist()]
    digests = judged_digests(live)
    differing = [
        row.id for row, n in zip(rows, of_live.tolist(), strict=True) if row.judged != digests[n]
    ]
    if differing:
        msg = (
            f"{safe_repr(name)} was recorded with other judgements of {len(differing):,} queries: "
            f"{format_list(differing)}"
        )
        raise QueryMismatchError(msg)
    measures = [measure for measure in recorded if measure in live]
    for measure in measures:
        then = recorded.baseline.measures[measure].definition
        now = definition_of(live._record(measure).measure)
        changed = [
            f"{k}={then.get(k)} ({now.get(k)} now)"
            for k in {**then, **now}
            if then.get(k) != now.get(k)
        ]
        if changed:
            msg = f"{safe_repr(name)} was recorded with another {measure}: {', '.join(changed)}"
            raise InvalidParameterError(msg)
    return recorded_evaluation(live, of_live, rows, measures, recorded.baseline).with_ranks()


def recorded_evaluation(
    live: Evaluation,
    of_live: IntArray,
    rows: Sequence[QueryRecord],
    names: Sequence[str],
    baseline: Baseline,
) -> RecordedEvaluation:
    """Recorded values of some queries of a live evaluation; ``with_ranks`` adds their ranks."""
    judged = live._judged
    data, scored = take_queries(judged, of_live, judged.listed_ids()), {}
    nothing = np.zeros(0, dtype=np.int64)
    data = replace(data, ids=judged.ids, missing=nothing, counts=InputCounts())
    for name in names:
        of, record = live._record(name), baseline.measures[name]
        if of.values is None:
            is_whole = len(rows) == len(baseline.queries)
            average = Average(record.value if is_whole else math.nan, 0, record.queries)
            scored[name] = Scored(of.measure, None, None, average, of.zero_division)
            continue
        shares = None if of.weights is None else of.weights[of_live]
        values = _column((row.values for row in rows), name)
        computed = averaged(of.measure, data, values, shares, math.nan)
        scored[name] = computed._replace(zero_division=of.zero_division)
    return RecordedEvaluation(scored, data, baseline=baseline, rows=rows, is_alone=False)


def _ranked(
    rows: Sequence[QueryRecord], part: RankingData, ids_of_items: ItemIds | None
) -> RankingData:
    """Queries of a live evaluation with the recorded ranks of their items."""
    ids = part.listed_ids()
    rankings = (
        None if ids_of_items is None else _Rankings(dict(zip(ids, rows, strict=True)), ids_of_items)
    )
    grades = [
        row.grades
        or (rankings.grades(query) if rankings is not None else [1.0] * len(row.found or {}))
        for query, row in zip(ids, rows, strict=True)
    ]
    offsets, above, tied = _places(rows)
    flat = np.fromiter(chain.from_iterable(grades), np.float64)
    first = [span(rank)[0] for row in rows for rank in (row.found or {}).values()]
    order = np.lexsort((-flat, np.array(first, dtype=np.int64), segment_index(offsets)))
    ranks = replace(
        part.rankings,
        offsets=offsets,
        above=above,
        tied=tied,
        grades=flat[order],
        n_ranked=np.array([row.n for row in rows], dtype=np.int64),
        unjudged=None,
    )
    recorded_ids = (
        None
        if ids_of_items is None or rankings is None
        else replace(ids_of_items, rankings=rankings)
    )
    return replace(part, rankings=ranks, ids=recorded_ids)


class _Rankings(Mapping[Any, Any]):
    """The items of a ranking that were recorded, by query: the first, and the relevant ones."""

    def __init__(self, rows: Mapping[Any, QueryRecord], ids_of_items: ItemIds) -> None:
        self.rows, self.ids_of_items = rows, ids_of_items
        shared = ids_of_items.shared
        self.truth = ids_of_items.truths.__getitem__ if shared is None else lambda _: shared

    def grades(self, query: Any) -> list[float]:
        """Grades of the relevant items that were found."""
        truth, ranks = self.truth(query), self.rows[query].found or {}
        if any(type(item) is not str for item in truth):
            truth = {key_of(item): grade for item, grade in truth.items()}
        return [truth.get(key, 1.0) for key in ranks]

    def __getitem__(self, query: Any) -> tuple[list[Any], None]:
        row, listed = self.rows[query], self.ids_of_items.rankings.get(query, ((), None))[0]
        # An ASCII text is the key itself.
        items = chain(listed, self.truth(query))
        others = (item for item in items if type(item) is not str or not item.isascii())
        raw = {key_of(item): item for item in others}
        recorded = dict.fromkeys((*row.top, *(row.found or {})))
        return [raw.get(key, key) for key in recorded], None

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)
