"""The rankings of a baseline: places read back from its ranks, and measures computed from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from pytest_rankmetrics.baseline.content import Row, read_rank
from pytest_rankmetrics.baseline.record import Recording, key_of
from pytest_rankmetrics.measuring.evaluation import refuse_unbounded
from sklearn_rank.bounds.to_judge import System, ToJudge, to_judge
from sklearn_rank.bounds.unjudged import Bounds, highest_grade
from sklearn_rank.evaluation.bounds import bound_changes
from sklearn_rank.evaluation.evaluate import evaluate_placements
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.judged import JudgedRankings, Unjudged
from sklearn_rank.rankings.placements import Hit, Placement, UnjudgedItem, item_codes
from sklearn_rank.support.segments import offsets_of, segment_index, take_segments
from sklearn_rank.typing import FloatArray, IntArray


class StoredRankings:
    """Ranks of the relevant items of the measured queries when the baseline was recorded.

    ``rows`` are what the baseline has of each measured query, and ``common`` the numbers of those
    that are compared.
    """

    def __init__(self, recording: Recording, rows: Sequence[Row | None], common: IntArray) -> None:
        self._measured = measured = recording.measured
        self._rows = rows
        self._common = common
        self._common_rows = [row for row in map(rows.__getitem__, common.tolist()) if row]
        self._ids = measured.own_ids
        self._items = measured.items
        shared = None if self._items is None else self._items.shared
        self._shared = None if shared is None else _by_key(shared)
        """Grades of the one ground truth of all queries, if there is only one."""
        self._are_binary = bool((measured.evaluation.rankings.judged_grades == 1).all())
        self._judged = measured.evaluation.rankings
        self.are_known = all(row.get("ranks") is not None for row in self._common_rows)
        """Whether the baseline has the ranks of all common queries."""

    def placement(self, number: int) -> Placement | None:
        """The places of one measured query, if the baseline has them."""
        row = self._rows[number]
        if row is None or row.get("ranks") is None:
            return None
        items = _placed(row["ranks"])
        grades = dict(zip(row["ranks"], self._grades_of(number, row), strict=True))
        hits = [Hit(key, grades[key], above, tied) for key, above, tied in items]
        hits.sort(key=lambda hit: (hit.above, -hit.grade))
        if self._shared is not None:
            known = [hit.grade for hit in hits]  # those that the query had retrieved
        else:
            borders = self._judged.judged_offsets[number : number + 2]
            known = self._judged.judged_grades[slice(*borders)].tolist()
        return Placement(self._ids[number], hits, row["n"], sorted(known, reverse=True))

    def _grades_of(self, number: int, row: Row) -> Sequence[float]:
        """Grades of the items of ``ranks``: the judgements are those of the measured query."""
        ranks = row["ranks"]
        if row.get("grades") is not None:
            return row["grades"]  # type: ignore[no-any-return]
        if self._items is None or self._are_binary:
            return [1.0] * len(ranks)
        known = self._shared
        if known is None:
            known = _by_key(self._items.truths[self._ids[number]])
        return [known.get(key, 1.0) for key in ranks]

    # All at once ---------------------------------------------------------------------------------

    def scored(self, measure: Measure) -> FloatArray | None:
        """Values of a measure in the common queries; None where the ranks do not give them."""
        if measure.is_pooled or not len(self._common) or not self.are_known:
            return None
        try:
            return self._values(self._rankings, measure)
        except ValueError:  # ranks that contradict each other
            return None

    def _values(self, rankings: JudgedRankings, measure: Measure) -> FloatArray:
        evaluation = evaluate_placements(rankings, measure, zero_division=math.nan)
        return self._measured.filled(evaluation.per_query[str(measure)])

    @cached_property
    def _rankings(self) -> JudgedRankings:
        """The common queries as judged rankings: without an object for each item."""
        numbers, rows = self._common.tolist(), self._common_rows
        offsets = offsets_of(np.array([len(row["ranks"]) for row in rows], dtype=np.int64))
        ranks = list(chain.from_iterable(row["ranks"].values() for row in rows))
        if set(map(type, ranks)) <= {int}:
            first = last = np.array(ranks, dtype=np.int64)
        else:
            first, last = np.array([read_rank(rank) for rank in ranks], dtype=np.int64).T
        own = (self._grades_of(*query) for query in zip(numbers, rows, strict=True))
        grades = np.fromiter(chain.from_iterable(own), np.float64)
        order = np.lexsort((-grades, first, segment_index(offsets)))
        judged, judged_offsets = take_segments(self._judged.judged_offsets, self._common)
        judged_grades = self._judged.judged_grades[judged]
        if self._shared is not None:
            judged_grades, judged_offsets = grades[order], offsets
        return JudgedRankings(
            query_ids=[self._ids[number] for number in numbers],
            offsets=offsets,
            above=(first - 1)[order],
            tied=(last - first + 1)[order],
            grades=grades[order],
            n_ranked=np.array([row["n"] for row in rows], dtype=np.int64),
            judged_offsets=judged_offsets,
            judged_grades=judged_grades,
        )

    # Unjudged items ------------------------------------------------------------------------------

    def bounds_of_change(self, measure: Measure) -> Bounds:
        """Change of a measure since then, over all grades of the unjudged items."""
        refuse_unbounded(measure, change=True)
        items = self._measured.with_items.unjudged_items()
        now = [[key_of(item.item) for item in items[n]] for n in self._common.tolist()]
        then = [[item.item for item in own] for own in self._old_unjudged]
        settled = self._measured.zero_division
        return bound_changes(
            measure,
            self._judged.take(self._common),
            self._with_unjudged,
            *item_codes(now, then),
            max_grade=highest_grade(self._judged),
            zero_division=math.nan if isinstance(settled, str) else float(settled),
        )

    def to_judge(self, measure: Measure, n: int) -> list[ToJudge]:
        """Unjudged items by how much their grade could change the comparison."""
        numbers, measured = self._common.tolist(), self._measured
        # By the keys that a baseline has for them.
        now = [
            [item._replace(item=key_of(item.item)) for item in measured.unjudged_items[number]]
            for number in numbers
        ]
        sides = ((self._judged.take(self._common), now), (self._with_unjudged, self._old_unjudged))
        systems = [
            System(rankings, items, lambda own, _: self._values(own, measure))
            for rankings, items in sides
        ]
        ids, top = [measured.query_ids[n] for n in numbers], highest_grade(self._judged)
        weights = measured.evaluation.query_weights(measure)
        shares = None if weights is None else weights[self._common]
        return to_judge(systems, ids, n, max_grade=top, weights=shares)

    @cached_property
    def _old_unjudged(self) -> list[list[UnjudgedItem]]:
        """Recorded unjudged items of the common queries."""
        return [
            sorted(_placed(row.get("unjudged") or {}), key=lambda item: item.above)
            for row in self._common_rows
        ]

    @cached_property
    def _with_unjudged(self) -> JudgedRankings:
        """The recorded rankings of the common queries with their unjudged items."""
        items = list(chain.from_iterable(self._old_unjudged))
        offsets = offsets_of(np.array(list(map(len, self._old_unjudged)), dtype=np.int64))
        above, tied = (
            np.array([getattr(item, name) for item in items], dtype=np.int64)
            for name in ("above", "tied")
        )
        return replace(self._rankings, unjudged=Unjudged.at(offsets, above, tied))


def _placed(ranks: Mapping[str, Any]) -> list[UnjudgedItem]:
    """Items with their places."""
    places = [(key, *read_rank(rank)) for key, rank in ranks.items()]
    return [UnjudgedItem(key, first - 1, last - first + 1) for key, first, last in places]


def _by_key(judged: Mapping[Any, float]) -> Mapping[Any, float]:
    """Grades by the keys of items; most are texts, which are their own."""
    if set(map(type, judged)) <= {str}:
        return judged
    return {key_of(item): grade for item, grade in judged.items()}
