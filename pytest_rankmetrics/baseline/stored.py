"""The rankings of a baseline: places read back from its ranks, and measures computed from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from pytest_rankmetrics.baseline.content import StoredQueries, read_rank
from pytest_rankmetrics.baseline.record import Recording, key_of
from pytest_rankmetrics.measuring.evaluation import refuse_unbounded
from sklearn_rank.bounds.to_judge import System, ToJudge, to_judge
from sklearn_rank.bounds.unjudged import Bounds, highest_grade
from sklearn_rank.evaluation.bounds import bound_changes
from sklearn_rank.evaluation.evaluate import evaluate_placements
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, Placement, UnjudgedItem, item_codes
from sklearn_rank.rankings.unjudged import Unjudged
from sklearn_rank.support.segments import offsets_of, segment_index, take_segments
from sklearn_rank.typing import FloatArray, IntArray


class StoredRankings:
    """Where the relevant items of the measured queries stood when a baseline was recorded.

    ``common`` are the numbers of the queries that are compared, and ``rows`` where each of them
    stands in the baseline.
    """

    def __init__(
        self, recording: Recording, stored: StoredQueries, common: IntArray, rows: IntArray
    ) -> None:
        self._recording = recording
        self._stored = stored
        self._common = common
        self._rows = rows
        measured = recording.measured
        self._ids = measured.own_ids
        self._items = measured.items
        self._judged = measured.evaluation.rankings

    def placement(self, number: int) -> Placement | None:
        """The places of one measured query, if the baseline has them."""
        row = self._stored.numbers.get(self._recording.keys[number])
        ranks = None if row is None else self._stored.ranks[row]
        if row is None or ranks is None:
            return None
        grades = self._grades_of(number, row, ranks)
        hits = []
        for key, rank, grade in zip(ranks, ranks.values(), grades, strict=True):
            first, last = read_rank(rank)
            hits.append(Hit(key, grade, first - 1, last - first + 1))
        hits.sort(key=lambda hit: (hit.above, -hit.grade))
        return Placement(
            self._ids[number], hits, self._stored.lengths[row] or 0, self._all_grades(number, hits)
        )

    def _grades_of(self, number: int, row: int, ranks: Mapping[str, Any]) -> Sequence[float]:
        """Grades of the items of ``ranks``: the judgements are those of the measured query."""
        own = self._stored.grades[row]
        if own is not None:
            return own
        if self._items is None:
            return [1.0] * len(ranks)
        if self._items.shared is not None:
            known = self._shared_grades
        else:
            judged = self._items.truths[self._ids[number]]
            # Most ids are texts, which are their own keys.
            known = judged if set(map(type, judged)) <= {str} else _by_key(judged)
        return [known.get(key, 1.0) for key in ranks]

    @cached_property
    def _shared_grades(self) -> Mapping[str, float]:
        shared = None if self._items is None else self._items.shared
        return _by_key(shared or {})

    def _all_grades(self, number: int, hits: Sequence[Hit]) -> list[float]:
        """Grades of all relevant items; of one shared truth those that the query had retrieved."""
        if self._items is not None and self._items.shared is not None:
            return sorted((hit.grade for hit in hits), reverse=True)
        own = self._judged.judged_grades[slice(*self._judged.judged_offsets[number : number + 2])]
        return sorted(own.tolist(), reverse=True)

    # All at once ---------------------------------------------------------------------------------

    def scored(self, measure: Measure) -> FloatArray | None:
        """Values of a measure in the common queries; None where the ranks do not give them."""
        if measure.is_pooled or not len(self._common) or not self.are_known:
            return None
        try:
            evaluation = evaluate_placements(self._rankings, measure, zero_division=math.nan)
        except ValueError:
            return None
        return self._recording.measured.filled(evaluation.per_query[str(measure)])

    # Unjudged items -----------------------------------------------------------------------

    def bounds_of_change(self, measure: Measure) -> Bounds:
        """What a measure has changed by since, over all grades of the unjudged items."""
        refuse_unbounded(measure, change=True)
        measured = self._recording.measured
        items = measured.with_items.unjudged_items()
        now = [[key_of(item.item) for item in items[n]] for n in self._common.tolist()]
        then = [[item.item for item in own] for own in self._old_unjudged]
        settled = measured.zero_division
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
        measured = self._recording.measured

        def value(rankings: JudgedRankings, _: IntArray) -> FloatArray:
            evaluation = evaluate_placements(rankings, measure, zero_division=math.nan)
            return measured.filled(evaluation.per_query[str(measure)])

        systems = [
            System(rankings, items, value)
            for rankings, items in (
                (self._judged.take(self._common), self._new_unjudged),
                (self._with_unjudged, self._old_unjudged),
            )
        ]
        ids = [measured.query_ids[number] for number in self._common.tolist()]
        top = highest_grade(self._judged)
        return to_judge(systems, ids, n, max_grade=top, weights=self._weights(measure))

    def _weights(self, measure: Measure) -> FloatArray | None:
        weights = self._recording.measured.evaluation.query_weights(measure)
        return None if weights is None else weights[self._common]

    @cached_property
    def _new_unjudged(self) -> list[list[UnjudgedItem]]:
        """Unjudged items of the common queries now, by the keys that a baseline has for them."""
        items = self._recording.measured.unjudged_items
        return [
            [item._replace(item=key_of(item.item)) for item in items[number]]
            for number in self._common.tolist()
        ]

    @cached_property
    def _old_unjudged(self) -> list[list[UnjudgedItem]]:
        """Those of the baseline, as they stood."""
        unjudged = map(self._stored.unjudged.__getitem__, self._rows.tolist())
        return [_placed(own or {}) for own in unjudged]

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

    @cached_property
    def _ranks(self) -> list[Mapping[str, Any]]:
        """Those of the common queries that the baseline has."""
        ranks = map(self._stored.ranks.__getitem__, self._rows.tolist())
        return [own for own in ranks if own is not None]

    @property
    def are_known(self) -> bool:
        """Whether the baseline has the ranks of all common queries."""
        return len(self._ranks) == len(self._rows)

    @cached_property
    def _rankings(self) -> JudgedRankings:
        """The common queries as the waist: without an object for each item."""
        rows, stored, ranks = self._rows.tolist(), self._stored, self._ranks
        offsets = offsets_of(np.array([len(own) for own in ranks], dtype=np.int64))
        first, last = _read_ranks(list(chain.from_iterable(own.values() for own in ranks)))
        queries = zip(self._common.tolist(), rows, ranks, strict=True)
        grades = np.fromiter(
            chain.from_iterable(self._grades_of(*query) for query in queries), np.float64
        )
        order = np.lexsort((-grades, first, segment_index(offsets)))
        judged, judged_offsets = take_segments(self._judged.judged_offsets, self._common)
        judged_grades = self._judged.judged_grades[judged]
        if self._items is not None and self._items.shared is not None:
            judged_grades, judged_offsets = grades[order], offsets
        return JudgedRankings(
            query_ids=[self._ids[number] for number in self._common.tolist()],
            offsets=offsets,
            above=(first - 1)[order],
            tied=(last - first + 1)[order],
            grades=grades[order],
            n_ranked=np.array([stored.lengths[row] for row in rows], dtype=np.int64),
            judged_offsets=judged_offsets,
            judged_grades=judged_grades,
        )


def _placed(unjudged: Mapping[str, Any]) -> list[UnjudgedItem]:
    """Unjudged items with their places, the highest first."""
    ranks = [(key, *read_rank(rank)) for key, rank in unjudged.items()]
    items = [UnjudgedItem(key, first - 1, last - first + 1) for key, first, last in ranks]
    return sorted(items, key=lambda item: item.above)


def _by_key(judged: Mapping[Any, float]) -> dict[str, float]:
    return {key_of(item): grade for item, grade in judged.items()}


def _read_ranks(ranks: list[Any]) -> tuple[IntArray, IntArray]:
    """First and last rank of each item: the same unless it is tied."""
    if set(map(type, ranks)) <= {int}:
        first = np.array(ranks, dtype=np.int64)
        return first, first
    pairs = np.array([read_rank(rank) for rank in ranks], dtype=np.int64)
    return pairs[:, 0], pairs[:, 1]
