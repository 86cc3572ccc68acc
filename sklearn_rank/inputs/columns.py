"""Long tables to judged rankings: run and judgements are joined by column, not by dictionary.

Files and data frames come here; the rules, counts and messages are those of the mapping layout.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError
from sklearn_rank.inputs.holes import settled
from sklearn_rank.inputs.id_columns import take_ids, types_of
from sklearn_rank.inputs.id_types import refuse_unequal_types
from sklearn_rank.inputs.join import PlacedItems, Ragged, at_places
from sklearn_rank.inputs.long_tables import (
    LongTable,
    Qrels,
    Run,
    columns_about_queries,
    fall_order,
    fall_orders,
)
from sklearn_rank.inputs.mappings import join_queries, query_weights
from sklearn_rank.inputs.scores import TableScores
from sklearn_rank.rankings.data import InputCounts, RankingData
from sklearn_rank.rankings.pool import judged_by_scores
from sklearn_rank.rankings.scored import KnownHits
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.rankings.unranked import UnjudgedItems
from sklearn_rank.support.arrays import check_finite, check_grades
from sklearn_rank.support.segments import segment_index
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, Assume, Duplicates, IntArray, Missing, NegativeGrades, Ties


def read_columns(
    qrels: Qrels,
    run: Run,
    *,
    sample_weight: Any = None,
    ties: Ties = "average",
    missing: Missing = "zero",
    duplicates: Duplicates = "raise",
    negative_grades: NegativeGrades = "raise",
    depth: int | None = None,
    assume: Assume | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """Judged rankings of long tables of judgements and of a run."""
    queries = join_queries(qrels.numbers, run.numbers, missing)
    left_out = dict.fromkeys((*qrels, *run))
    for query in queries:
        del left_out[query]
    counts = InputCounts(
        missing=len(qrels.numbers.keys() - run.numbers.keys()),
        unjudged=len(run.numbers.keys() - qrels.numbers.keys()),
    )
    absent = np.flatnonzero([query not in run.numbers for query in queries])
    weights = query_weights(sample_weight, queries)
    judged = read_joined(
        qrels.of_queries(queries),
        run.of_queries(queries),
        weights=weights,
        ties=ties,
        duplicates=duplicates,
        negative_grades=negative_grades,
        assume=assume,
        depth=depth,
        n_jobs=n_jobs,
    )
    return replace(
        judged,
        counts=replace(counts, **{name: getattr(judged.counts, name) for name in _OF_ROWS}),
        missing=absent,
        left_out=list(left_out),
        query_columns=columns_about_queries(qrels, run),
        count_scores=None if run.scores is None else TableScores(run.scores, run.offsets),
    )


_OF_ROWS = ("duplicates", "unjudged_grades")
"""What is counted of the rows of queries that are evaluated."""


def read_joined(
    qrels: Qrels,
    run: Run,
    *,
    weights: Any = None,
    ties: Ties = "average",
    duplicates: Duplicates = "raise",
    negative_grades: NegativeGrades = "raise",
    assume: Assume | None = None,
    depth: int | None = None,
    n_jobs: int | None = None,
) -> RankingData:
    """The same of tables that have the same queries, in one order."""
    _refuse_unequal_types(qrels, run)
    _check_scores(run)
    check_grades(
        qrels.grades, "y_true", where=lambda row: _row_of(qrels, row), negative=negative_grades
    )
    qrels = _without_repeated_judgements(qrels)
    run, n_dropped = _without_duplicates(run, duplicates)
    assumed = settled(assume, has_grades=True, has_zero=bool(qrels.grades.min(initial=1) <= 0))
    hits = _find_hits(qrels, run, all_judged=assumed == "partial")
    judged = _judged(hits, run, weights, ties, depth=depth, n_jobs=n_jobs)
    n_unjudged = int(np.count_nonzero(qrels.grades < 0))
    counts = InputCounts(duplicates=n_dropped, unjudged_grades=n_unjudged)
    return replace(judged, counts=counts, keyed=True, assumed=assumed)


class _Hits(NamedTuple):
    """Relevant items among the rows of a run."""

    rows: IntArray
    """(H,) where they stand, ascending."""
    grades: Ragged
    """Theirs."""
    relevant: Ragged
    """Grades of all relevant items, retrieved or not."""
    unjudged: UnjudgedItems | None = None
    """None: nothing can be unjudged."""


def _find_hits(qrels: Qrels, run: Run, *, all_judged: bool) -> _Hits:
    """Join the relevant items with the rows of the run; both have the same queries.

    ``all_judged`` joins those that are judged and not relevant, too.
    """
    wanted = np.flatnonzero(qrels.grades >= 0 if all_judged else qrels.grades > 0)
    query = segment_index(qrels.offsets)[wanted]
    rows = run.rows.find(take_ids(qrels.item_ids, wanted), query)
    unjudged = None
    if all_judged:
        unjudged = UnjudgedItems(np.ones(run.n_rows, np.uint8))
        unjudged.flags[rows[rows >= 0]] = 0
        is_relevant = qrels.grades[wanted] > 0
        rows, wanted = rows[is_relevant], wanted[is_relevant]
    grades = qrels.grades[wanted].astype(np.float64)
    retrieved = np.flatnonzero(rows >= 0)
    retrieved = retrieved[np.argsort(rows[retrieved])]
    rows = rows[retrieved]
    return _Hits(
        rows,
        Ragged(np.searchsorted(rows, run.offsets), grades[retrieved]),
        Ragged(np.searchsorted(wanted, qrels.offsets), grades),
        unjudged,
    )


def _judged(
    hits: _Hits, run: Run, weights: Any, ties: Ties, *, depth: int | None, n_jobs: int | None
) -> RankingData:
    """The waist: places from scores, or from the order of the rows where there are none."""
    queries = run.query_ids
    if run.scores is None:
        starts = np.repeat(run.offsets[:-1], np.diff(hits.grades.offsets))
        sizes = np.diff(run.offsets)
        places = hits.rows - starts
        placed = PlacedItems(sizes, places, hits.grades, hits.relevant, unjudged=hits.unjudged)
        return at_places(placed, queries, weights)
    if TIE_RULES[ties].by_id:
        hits = _by_falling_id(run, run.scores, hits)
    known = KnownHits(
        run.scores,
        run.offsets,
        hits.grades.offsets,
        run.scores[hits.rows],
        hits.grades.values,
        hits.rows,
    )
    return judged_by_scores(
        known,
        ties,
        query_ids=queries,
        weights=weights,
        judged=hits.relevant,
        unjudged=hits.unjudged,
        depth=depth,
        n_jobs=n_jobs,
    )


def _by_falling_id(run: Run, scores: Array, hits: _Hits) -> _Hits:
    """The hits as if tied rows stood by falling id.

    Tied rows have one score: to move them among each other changes nothing but where hits stand.
    """
    came, by_id = fall_orders(scores, run.offsets, run.item_ids)
    if by_id is came:
        return hits
    place = np.empty_like(by_id)
    place[by_id] = np.arange(len(by_id))
    rows = came[place[hits.rows]]
    order = np.argsort(rows)
    grades = Ragged(hits.grades.offsets, hits.grades.values[order])
    unjudged = hits.unjudged
    if unjudged is not None:
        moved = np.empty_like(unjudged.flags)
        moved[came] = unjudged.flags[by_id]
        unjudged = unjudged._replace(flags=moved)
    return hits._replace(rows=rows[order], grades=grades, unjudged=unjudged)


# What is checked first ------------------------------------------------------------------------


def _row_of(table: LongTable, row: int) -> str:
    number = int(np.searchsorted(table.offsets, row, side="right")) - 1
    item = take_ids(table.item_ids, np.array([row]))[0]
    return f"item {safe_repr(item)} of query {safe_repr(table.query_ids[number])}"


def _refuse_unequal_types(qrels: Qrels, run: Run) -> None:
    """TypeError if ids cannot be equal; in a table, floats among them have a known origin."""
    ranked, judged = types_of(run.item_ids), types_of(qrels.item_ids)
    for side, other, name in ((ranked, judged, "y_score"), (judged, ranked, "y_true")):
        if side == {float} and other == {int}:
            msg = (
                f"items of {name} are float, those of the other side are int: a column that had "
                "missing values? Drop these rows and cast it, as by .astype('int64')"
            )
            raise TypeError(msg)
    refuse_unequal_types(ranked, judged)


def _check_scores(run: Run) -> None:
    if run.scores is not None:
        check_finite(run.scores, "y_score", where=lambda row: _row_of(run, row), infinite=True)


def _without_duplicates(run: Run, duplicates: Duplicates) -> tuple[Run, int]:
    """DuplicateItemError, or only the best row of each item; and how many rows were dropped."""
    if duplicates == "raise":
        pair = run.rows.first_repeated()
        if pair is None:
            return run, 0
        first, again = pair
        number = int(np.searchsorted(run.offsets, first, side="right")) - 1
        start = int(run.offsets[number])
        item = take_ids(run.item_ids, np.array([first]))[0]
        msg = (
            f"y_score[{safe_repr(run.query_ids[number])}] holds item {safe_repr(item)} at "
            f"positions {first - start + 1} and {again - start + 1}. "
            "Pass duplicates='first' to evaluate to keep the best-ranked one."
        )
        raise DuplicateItemError(msg)
    rows = run.rows.repeated()
    if not len(rows):
        return run, 0
    # Best first, so that of each item the first row is kept.
    if run.scores is not None:
        rows = rows[np.argsort(_places(run.scores, run.offsets)[rows], kind="stable")]
    numbers = (np.searchsorted(run.offsets, rows, side="right") - 1).tolist()
    best: dict[tuple[int, Any], int] = {}
    for row, number, item in zip(rows.tolist(), numbers, take_ids(run.item_ids, rows), strict=True):
        best.setdefault((number, item), row)
    keep = np.ones(run.n_rows, dtype=bool)
    keep[rows] = False
    keep[list(best.values())] = True
    return run.take(np.flatnonzero(keep)), len(rows) - len(best)


def _places(scores: Array, offsets: IntArray) -> IntArray:
    """Place of each row in its ranking."""
    order = fall_order(scores, offsets, None)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def _without_repeated_judgements(qrels: Qrels) -> Qrels:
    """Each item once; ValueError if one is judged twice and not alike."""
    rows = qrels.rows.repeated()
    if not len(rows):
        return qrels
    numbers = (np.searchsorted(qrels.offsets, rows, side="right") - 1).tolist()
    first: dict[tuple[int, Any], int] = {}
    keep = np.ones(qrels.n_rows, dtype=bool)
    for row, number, item in zip(
        rows.tolist(), numbers, take_ids(qrels.item_ids, rows), strict=True
    ):
        before = first.setdefault((number, item), row)
        if before == row:
            continue
        if qrels.grades[before] != qrels.grades[row]:
            msg = (
                f"y_true[{safe_repr(qrels.query_ids[number])}] judges item {safe_repr(item)} "
                f"twice, with grades {qrels.grades[before]:g} and {qrels.grades[row]:g}"
            )
            raise ValueError(msg)
        keep[row] = False
    return qrels.take(np.flatnonzero(keep))


def judged_alone(run: Run, qrels: Qrels) -> Run:
    """The run without items that are not judged for their query, or with a negative grade."""
    qrels = _without_repeated_judgements(qrels.of_queries(run.query_ids))
    judged = np.flatnonzero(qrels.grades >= 0)
    query = segment_index(qrels.offsets)[judged]
    rows = run.rows.find(take_ids(qrels.item_ids, judged), query)
    return run.take(np.unique(rows[rows >= 0]))
