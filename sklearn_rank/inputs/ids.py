"""The look-up: which of the ranked items the judgements name, by their ids.

Lists and mappings are looked up in dictionaries, long tables by hashes; both give :class:`Items`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from itertools import chain, compress, repeat
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import RankingOrderWarning
from sklearn_rank.inputs.items import SIMPLE_IDS, Where, read_scores
from sklearn_rank.inputs.tables import (
    Qrels,
    Run,
    doubt_of_ranks,
    doubt_of_rising,
    fall_orders,
    take_ids,
)
from sklearn_rank.rankings.ranking import TIE_RULES, Items
from sklearn_rank.rankings.reading import JudgedItems, Judgements
from sklearn_rank.support.checks import EXACT_INTEGER
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import offsets_of, segment_index, sizes_of
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, Assume, BoolArray, FloatArray, IntArray, Ties

_NUMBERS = {int, float}
_LISTS, _SETS = {list, tuple}, {set, frozenset}


def resolve_assumption(assume: Assume | None, *, has_grades: bool, has_zero: bool) -> str:
    """Assumption about items that the ground truth does not name, one of ``data.ASSUMED``.

    Who wrote down that an item is not relevant has written down all that was judged. A set says of
    itself that it is complete.
    """
    if assume is None and not has_grades:
        return ""
    return assume or ("partial" if has_zero else "complete")


class Found(NamedTuple):
    """Ranked items as the judgements name them."""

    items: Items
    assumed: str
    """Assumption about items that the ground truth does not name; see ``data.ASSUMED``."""
    judgements: Judgements


# Lists and mappings ------------------------------------------------------------------------------


def plain_types(rankings: list[Any], truths: list[Any]) -> tuple[set[type], set[type]] | None:
    """Types of the ids of both sides; None where something is to be read with care.

    That is anything but text and integers, each once in a query, with plain numbers as grades.
    """
    kinds, kinds_of_truth = set(map(type, rankings)), set(map(type, truths))
    lists = [truth for truth in truths if type(truth) in _LISTS] if kinds_of_truth & _LISTS else []
    if kinds <= _LISTS:
        lists += rankings
    elif kinds != {dict}:
        return None
    if not kinds_of_truth <= _LISTS | _SETS | {dict}:
        return None
    ranked, true = (set(map(type, chain.from_iterable(side))) for side in (rankings, truths))
    if not ranked | true <= SIMPLE_IDS or sum(map(len, map(set, lists))) < sum(map(len, lists)):
        return None
    grades = [*chain.from_iterable(truth.values() for truth in truths if type(truth) is dict)]
    is_plain = (
        set(map(type, grades)) <= _NUMBERS
        and min(grades, default=0) >= 0
        and max(grades, default=0) <= EXACT_INTEGER
        and not math.isnan(sum(grades))
    )
    return (ranked, true) if is_plain else None


def look_up(
    rankings: list[Any],
    truths: list[Any],
    query_ids: Array | list[Any],
    ties: Ties,
    assume: Assume | None,
    partial: Sequence[bool],
    *,
    has_zero: bool,
    doubt_of: Callable[[Array, IntArray], str] = doubt_of_rising,
) -> Found:
    """Items of rankings that are all lists or all {item: score}.

    ``partial`` says of each query whether its ground truth may leave out items that were judged;
    ``doubt_of`` why scores seem not to be scores.
    """
    offsets, sizes = offsets_of(_sizes(rankings)), _sizes(truths)
    scores = None
    if set(map(type, rankings)) == {dict}:
        scores = _scores(rankings, offsets, query_ids)
        doubt = doubt_of(scores, offsets)
        if doubt:
            warn(doubt, RankingOrderWarning)
    kinds, borders, grades = set(map(type, truths)), offsets_of(sizes), np.ones(int(sizes.sum()))
    if dict in kinds:
        truths = [one if type(one) is dict else dict.fromkeys(one, 1.0) for one in truths]
        grades = np.fromiter(chain.from_iterable(map(dict.values, truths)), float, len(grades))
    elif not kinds <= _SETS:
        truths = list(map(set, truths))
    is_relevant = grades > 0
    has_zero |= not is_relevant.all()
    assumed = resolve_assumption(assume, has_grades=any(partial), has_zero=has_zero)
    # What the ground truth does not name: unjudged, or irrelevant.
    unnamed = [math.nan if assumed == "partial" and one else 0.0 for one in partial]
    if dict in kinds or assumed == "partial":
        if dict not in kinds:
            truths = [dict.fromkeys(one, 1.0) for one in truths]
        looks = map(map, [truth.get for truth in truths], rankings, map(repeat, unnamed))
        found = np.fromiter(chain.from_iterable(looks), np.float64, int(offsets[-1]))
    else:
        named = map(map, [truth.__contains__ for truth in truths], rankings)
        found = np.frombuffer(bytearray(chain.from_iterable(named)), np.uint8)
    judged, n_judged = _chosen(is_relevant, borders, grades), None
    if assumed == "partial":
        n_judged = sizes
    items = Items(offsets, scores, found, judged, n_judged=n_judged, ties=ties)
    if scores is not None and TIE_RULES[ties].by_id:
        ranked = [*chain.from_iterable(rankings)]
        items = items.by_falling_id(*fall_orders(scores, offsets, ranked))
    ids = [*chain.from_iterable(truths)]
    if assumed != "partial":
        ids, (borders, grades) = [*compress(ids, is_relevant.tolist())], judged
    return Found(items, assumed, Judgements(JudgedItems(borders, ids, grades)))


def _chosen(
    is_chosen: BoolArray, borders: IntArray, values: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Borders and values of the chosen ones."""
    if is_chosen.all():
        return borders, values
    return np.concatenate(([0], np.cumsum(is_chosen)))[borders], values[is_chosen]


def _scores(rankings: list[Any], offsets: IntArray, query_ids: Any) -> Array:
    """Scores of all {item: score}, none rounded and none missing."""

    def place(number: int) -> tuple[Where, str]:
        query = int(np.searchsorted(offsets, number, side="right")) - 1
        item = list(rankings[query])[number - offsets[query]]
        return Where("y_score", query_ids[query]), f"for item {safe_repr(item)}"

    return read_scores([*chain.from_iterable(map(dict.values, rankings))], place)


def _sizes(collections: Sequence[Collection[Any]]) -> IntArray:
    return np.array(list(map(len, collections)), dtype=np.int64)


# Long tables -------------------------------------------------------------------------------------


def look_up_rows(qrels: Qrels, run: Run, ties: Ties, assume: Assume | None) -> Found:
    """Items of a run with the same queries, in one order, as its judgements."""
    doubt = "" if run.scores is None else doubt_of_ranks(run.scores, run.offsets)
    if doubt:
        warn(doubt, RankingOrderWarning)
    has_zero = bool(qrels.grades.min(initial=1) <= 0)
    assumed = resolve_assumption(assume, has_grades=True, has_zero=has_zero)
    is_partial, n_judged = assumed == "partial", None
    wanted = np.flatnonzero(qrels.grades >= 0 if is_partial else qrels.grades > 0)
    ids, borders = take_ids(qrels.item_ids, wanted), np.searchsorted(wanted, qrels.offsets)
    rows = run.find(ids, segment_index(qrels.offsets)[wanted])
    grades = qrels.grades[wanted].astype(np.float64)
    found = np.full(run.n_rows, math.nan if is_partial else 0.0)
    found[rows[rows >= 0]] = grades[rows >= 0]
    judgements = Judgements(JudgedItems(borders, ids, grades))
    judged = borders, grades
    if is_partial:
        n_judged = sizes_of(borders)
        judged = _chosen(grades > 0, borders, grades)
    items = Items(run.offsets, run.scores, found, judged, n_judged=n_judged, ties=ties)
    if run.scores is not None and TIE_RULES[ties].by_id:
        items = items.by_falling_id(*fall_orders(run.scores, run.offsets, run.item_ids))
    return Found(items, assumed, judgements)
