"""Which gradings hold the extremes of which measure, and which measures have no exact bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_rank.bounds.formulas import least_and_best_grade
from sklearn_rank.bounds.gradings import ByAllLevels, ByCount, ByLevel, Maker
from sklearn_rank.bounds.unjudged import OpenItems, possible_grades
from sklearn_rank.exceptions import UndefinedMetricError
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support.text import safe_repr

MOST_GRADINGS = 1 << 18
"""More of one query are refused: so many take a second, and the next item may double it."""

_MOST_CELLS = 1 << 25
"""Items of the gradings of one query: a quarter of a gigabyte."""
_RISE = frozenset({"precision", "mrr", "hit_rate"})
"""Each relevant item raises them or leaves them alone."""
_FALL = frozenset({"map", "mar", "recall", "fbeta", "all_hit_rate", "iprec", "set_map", "gmap"})
"""Relevant items that are out of reach can only do harm."""
_PAIRWISE = frozenset({"lag", "auc", "gauc", "lauc"})
"""All retrieved items count, wherever they stand."""
_BY_ABSENT = frozenset({"rprec"})
"""Each relevant item moves the rank down to which they read."""
_BINARY = _RISE | _FALL | _PAIRWISE | _BY_ABSENT
_SUMS = frozenset({"dcg", "idcg"})
_KNOWN = _BINARY | _SUMS | {"ndcg", "err", "nerr", "hmean"}


def cannot_bound(measure: Measure, *, change: bool = False) -> str:
    """Why a measure, or its ``change`` between two systems, has no exact bounds; "" if it has."""
    name = measure.metric.name
    if measure.metric.of_judgements:
        return "it says how much is judged, whatever the items are"
    if measure.is_pooled:
        return "it ranks the items of all queries together; choose an average over queries"
    if name not in _KNOWN:
        return "nothing is known of how it moves with the grade of an item"
    graded = [str(member) for member in _members(measure) if member.metric.name not in _BINARY]
    if graded:
        return (
            f"it combines {' and '.join(graded)} with another measure, and what is best for one "
            "grade by grade is not for both"
        )
    if change and measure.metric.geometric_from is not None:
        return "a change of geometric means is no mean of changes; bound that of map"
    if change and _weighs_by_grades(measure):
        return "queries weigh by their relevant items, which differ by grading; use average='macro'"
    return ""


def needs_divided_ties_apart(measure: Measure) -> bool:
    """Whether the divisor is the number of relevant items found, which a divided tie leaves open.

    To have a relevant item above such a tie rather than within it may then do harm.
    """
    return measure.metric.name == "map" and measure.options["denominator"] == "retrieved"


def reach(measure: Measure) -> int | None:
    """Ranks beyond which unjudged items only count as relevant or not; None: there are none."""
    members = _members(measure)
    if not members:
        return None if measure.metric.name in _PAIRWISE else measure.k
    ranks = [reach(member) for member in members]
    return None if None in ranks else max(rank for rank in ranks if rank is not None)


def checked_maker(
    measure: Measure,
    rankings: JudgedRankings,
    unjudged: OpenItems,
    max_grade: float,
    *,
    change: bool = False,
) -> Maker:
    """Makes the gradings that hold the extremes; UndefinedMetricError if they are too many."""
    maker = _maker(measure, rankings, max_grade, change=change)
    kinds, first = np.unique(
        np.column_stack((unjudged.classes, unjudged.absent)), axis=0, return_index=True
    )
    for kind, query in zip(kinds.tolist(), first.tolist(), strict=True):
        number = maker.number(tuple(kind[:-1]), kind[-1])
        n_unjudged = sum(kind[:-1])
        if number > MOST_GRADINGS or number * n_unjudged > _MOST_CELLS:
            msg = (
                f"{'the change of ' if change else ''}{measure} has no bounds that are found in "
                f"time: query {safe_repr(rankings.query_ids[query])} has {n_unjudged:,} unjudged "
                f"items, and {number:.1e} ways to grade them would have to be tried; a smaller "
                "cutoff leaves fewer"
            )
            raise UndefinedMetricError(msg)
    return maker


def refuse_moving_ties(
    measure: Measure, systems: Sequence[JudgedRankings], unjudged: OpenItems
) -> None:
    """UndefinedMetricError if the place of an unjudged item hangs on its grade."""
    for rankings, above, tied in zip(systems, unjudged.above, unjudged.tied, strict=True):
        moves = rankings.unjudged is not None and rankings.unjudged.grade_order
        if moves and ((tied > 1) & (above >= 0)).any():
            msg = (
                f"{measure} has no bounds over all gradings: ties='optimistic' and 'pessimistic' "
                "put tied items in the order of their grades, which unjudged ones do not have; "
                "evaluate with ties='average', 'stable' or 'docid'"
            )
            raise UndefinedMetricError(msg)


def _maker(measure: Measure, rankings: JudgedRankings, max_grade: float, *, change: bool) -> Maker:
    name = measure.metric.name
    if name in ("err", "nerr"):
        levels = possible_grades(rankings, max_grade)
        return ByLevel(levels, change) if name == "err" else ByAllLevels(levels, change)
    if name in _SUMS:
        least, top = least_and_best_grade(rankings, max_grade, measure.options["gain"])
        return ByCount(top, change, ends=not change, least=least)
    top = max_grade
    members = {member.metric.name for member in _members(measure)}
    names = members or {name}
    if name in _RISE and not change:
        return ByCount(top, ends=True)
    falls = names <= _RISE | _FALL
    by_absent = bool(names & _BY_ABSENT) or (bool(members) and (change or not falls))
    # Each relevant item moves the steps of iprec; two lengths of rankings are two divisors.
    moves = name == "iprec" or measure.options.get("denominator") == "listed"
    by_absent |= change and (moves or (name == "fbeta" and measure.k is None))
    return ByCount(top, change, falls_with_absent=falls and not change, counts_absent=by_absent)


def _members(measure: Measure) -> list[Measure]:
    """The measures that it combines, all the way down."""
    members = []
    for member in measure.members:
        members += _members(member) or [member]
    return members


def _weighs_by_grades(measure: Measure) -> bool:
    return measure.options.get("average") in ("positives", "pooled")
