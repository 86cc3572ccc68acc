"""Data that a convention's program counts differently, and values that improve if less is found."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.evaluation.compute import Scored, relevant_alone
from sklearn_rank.measures.conventions import Convention
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.rankings.ranking import Items
from sklearn_rank.support.segments import segment_index, sizes_of
from sklearn_rank.support.text import argument, format_list
from sklearn_rank.typing import Array, BoolArray

_LONG_RANKING = 16
"""From this many items on, NumPy's default sort does not keep the order of equal ones."""


class _Case(NamedTuple):
    """Data that a program may count differently."""

    subject: str
    """In the words of the warning, with the number and "query" or "queries"."""
    n_concerned: Callable[[RankingData, Collection[Measure]], int]
    """Number of queries, or grades, for which the program's values may differ."""
    of_ties: bool = False
    """Whether it concerns ties, whose order the caller may have set."""


def _short(data: RankingData, measures: Collection[Measure]) -> int:
    deepest = max(measure.k or 0 for measure in measures)
    return int((data.rankings.n_ranked < deepest).sum())


def _of_scores(count: Callable[[Any], int]) -> Callable[[RankingData, Collection[Measure]], int]:
    """The count of what was ranked; 0 if it has no scores, or is no longer in memory."""

    def counted(data: RankingData, _: Collection[Measure]) -> int:
        items = data.items
        return count(items) if isinstance(items, Items) and items.scores is not None else 0

    return counted


def _negative(items: Any) -> int:
    rows = np.flatnonzero((items.grades > 0) & (items.scores <= 0))
    return len(np.unique(np.searchsorted(items.offsets, rows, side="right")))


def _close(items: Any) -> int:
    relevant = items.grades > 0
    return _n_tied(items, relevant, _as_float32(items.scores), items.scores, relevant)


def _long(items: Any) -> int:
    relevant, sizes = items.grades > 0, sizes_of(items.offsets)
    return _n_tied(
        items, relevant & np.repeat(sizes >= _LONG_RANKING, sizes), items.scores, relevant
    )


def _judged(items: Any) -> int:
    if items.n_judged is None:
        return 0
    return _n_tied(items, items.is_unjudged, items.scores, items.is_unjudged)


def _as_float32(scores: Array) -> Array:
    with np.errstate(over="ignore"):
        return scores.astype(np.float32) + np.float32(0)  # of two zeros there is one


_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Spreads keys over 20 bits, as the golden ratio does."""
_FEW_GRADES = 1000
"""Up to this many items, a look in Python is faster than a table of those 20 bits."""


def _n_tied(items: Items, seeds: BoolArray, scores: Array, *apart: Array) -> int:
    """Queries with equally scored items that include a seed and differ in all of ``apart``."""
    query = segment_index(items.offsets)
    keys = query.astype(np.uint64) << np.uint64(32) | _as_float32(scores).view(np.uint32)
    if len(keys) <= _FEW_GRADES and len(set(keys.tolist())) == len(keys):
        return 0
    # Few items share a score with a seed even as float32: these alone are sorted.
    slots, is_wanted = keys * _ODD >> np.uint64(44), np.zeros(1 << 20, dtype=bool)
    is_wanted[slots[seeds]] = True
    rows = np.flatnonzero(is_wanted[slots])
    rows = rows[np.isin(keys[rows], keys[seeds])]
    if not len(rows):
        return 0
    rows = rows[np.lexsort((scores[rows], query[rows]))]
    of_query, tied = query[rows], scores[rows]
    is_first = (of_query[1:] != of_query[:-1]) | (tied[1:] != tied[:-1])
    first = np.flatnonzero(np.concatenate(([True], is_first)))
    differs = np.ones(len(first), dtype=bool)
    for values in apart:
        lowest, highest = (end.reduceat(values[rows], first) for end in (np.minimum, np.maximum))
        differs &= lowest < highest
    return len(np.unique(of_query[first][differs]))


CASES: Mapping[str, _Case] = {
    "tied": _Case(
        "relevant items are tied in {} {}", lambda data, _: data.by_score.n_tied, of_ties=True
    ),
    "empty": _Case(
        "the ranking is empty in {} {}",
        lambda data, _: int((data.rankings.n_ranked == 0).sum()) - data.counts.missing,
    ),
    "unfound": _Case(
        "nothing relevant was retrieved in {} {}",
        lambda data, _: int((data.rankings.n_hits[data.rankings.n_relevant > 0] == 0).sum()),
    ),
    "none": _Case(
        "nothing is relevant to the {} {}",
        lambda data, _: 0 if data.rankings.n_relevant.any() else len(data.rankings),
    ),
    "graded": _Case("{} grades are above 1", lambda data, _: data.rankings.n_graded),
    "short": _Case("the ranking is shorter than the cutoff in {} {}", _short),
    "negative": _Case("relevant items have scores of 0 or less in {} {}", _of_scores(_negative)),
    "close": _Case("relevant items are tied as float32 in {} {}", _of_scores(_close)),
    "long": _Case(
        "relevant items are tied in {} {} with 16 or more items", _of_scores(_long), of_ties=True
    ),
    "below": _Case("{} grades are below 0", lambda data, _: data.counts.negative_grades),
    "judged": _Case(
        "judged and unjudged items are tied in {} {}", _of_scores(_judged), of_ties=True
    ),
}
"""By the names in ``differs`` of a :class:`Convention`."""


def program_differences(
    preset: Convention,
    measures: Mapping[str, Measure],
    data: RankingData,
    *,
    ties_are_given: bool,
    numbers: bool = True,
) -> Iterator[str]:
    """How the program differs on these data beyond the parameters, one sentence per case.

    With ``numbers`` they say how many queries are affected.
    """
    for name, case in CASES.items():
        if name not in preset.differs:
            continue
        concerned = measures
        if name == "short":
            least = int(data.rankings.n_ranked.min())
            concerned = {
                name: measure for name, measure in measures.items() if (measure.k or 0) > least
            }
        differences = preset.differences(name, concerned)
        skipped = not differences or (case.of_ties and ties_are_given)
        number = 0 if skipped else case.n_concerned(data, concerned.values())
        if number > 0:
            queries = "query" if numbers and number == 1 else "queries"
            what = case.subject.format(f"{number:,}" if numbers else "some", queries)
            yield (
                f"{what}, which the program of convention {preset.name!r} counts differently: "
                f"{differences}"
            )


def gains_by_less(
    preset: Convention,
    scored: Sequence[Scored],
    data: RankingData,
    *,
    skips: bool,
    leaves_out: bool,
) -> Iterator[str]:
    """Sentences on values that improve when fewer queries or relevant items are answered.

    ``skips`` and ``leaves_out``: the convention, not the call, decides on unranked and undefined
    queries.
    """
    rankings, missing = data.rankings, data.counts.missing
    if skips and preset.missing == "skip" and missing:
        yield (
            f"{missing:,} judged {'query has' if missing == 1 else 'queries have'} no ranking, and "
            f"convention {preset.name!r} leaves them out; pass {argument('missing', 'zero')} to "
            "count them as empty rankings"
        )
    forgets = [str(one.measure) for one in scored if one.measure.forgets_unretrieved]
    unfound = rankings.n_hits < rankings.n_relevant if forgets else np.False_
    if len(forgets) == len(scored) and unfound.any():
        yield (
            f"{format_list(forgets)} ignores unretrieved relevant items (in "
            f"{int(unfound.sum()):,} of {len(rankings):,} queries), so retrieving fewer can "
            "improve it; also evaluate recall"
        )
    for measure, values, _, _, policy in scored if leaves_out else ():
        metric = measure.metric
        worst = metric.lower if metric.greater_is_better else metric.upper
        if values is None or metric.of_results or isinstance(policy, str) or policy == worst:
            continue
        read = relevant_alone(measure, data.by_score if metric.by_score else rankings)
        lost = int((np.isnan(values) & (read.n_relevant > 0) & (read.n_hits == 0)).sum())
        if lost:
            yield (
                f"{measure} is undefined for {lost:,} {'query' if lost == 1 else 'queries'} "
                f"without a retrieved relevant item, and convention {preset.name!r} "
                f"{'leaves them out' if math.isnan(policy) else f'counts {policy:g}'}; "
                f"pass {argument('zero_division', 0.0)} to count 0"
            )
