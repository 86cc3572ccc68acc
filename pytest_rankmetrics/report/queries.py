"""The queries of one gate for the HTML report: now, and in the baseline or reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.baseline.keys import key_of
from pytest_rankmetrics.report.worst import explained_metric, text_of
from sklearn_rank.comparison.changes import explain
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.report.content import Item, Queries
from sklearn_rank.report.data import as_data, numbers
from sklearn_rank.support.text import as_text
from sklearn_rank.typing import FloatArray

MOST_BYTES = 1_000_000
"""Of the items of one gate: a report has several, and workers send them to each other."""


def queries_data(assessment: Assessment) -> dict[str, Any] | None:
    """What the page's script reads; None where no measure has values per query."""
    gate = _Gate(assessment)
    return as_data(gate.queries(), MOST_BYTES) if gate.names else None


class _Gate:
    def __init__(self, assessment: Assessment) -> None:
        self._judgement = assessment
        self._measured = measured = assessment.measured
        self._reference = assessment.reference
        self.names = [name for name in measured.names if measured.per_query(name) is not None]
        self._explained = explained_metric(assessment)

    def queries(self) -> Queries:
        other = "baseline" if self._judgement.alignment is not None else "reference"
        has_other = self._reference is not None
        used = [self._measured.used[name] for name in self.names]
        ids = self._measured.query_ids
        texts = [text_of(self._measured, number) for number in range(len(ids))]
        return Queries(
            systems=(other, "now") if has_other else ("now",),
            measures=tuple(self.names),
            greater=tuple(measure.metric.greater_is_better for measure in used),
            names=list(map(as_text, ids)),
            values=list(map(self._columns, self.names)),
            texts=texts if any(texts) else (),
            explained=self._explained if has_other and self._explained else "",
            items=self._compared_items if has_other else self._own_items,
        )

    def _columns(self, name: str) -> list[Sequence[float | None]]:
        now = self._measured.per_query(name)
        assert now is not None
        if self._reference is None:
            return [numbers(now.tolist())]
        return [numbers(self._before(name).tolist()), numbers(now.tolist())]

    def _before(self, name: str) -> FloatArray:
        """Values of the reference, NaN for queries and measures that it does not have."""
        column = np.full(len(self._measured), math.nan)
        reference = self._reference
        if reference is not None and name in reference.per_query:
            column[reference.queries] = reference.per_query[name]
        return column

    def _own_items(self, number: int) -> list[Item] | None:
        (placement,) = self._measured.placements([number])
        if placement.judged is None:
            return None
        hits = [Item(as_text(hit.item), hit.grade, [hit.rank]) for hit in placement.hits]
        missing = placement.not_retrieved
        return [*hits, *(Item(as_text(item), placement.judged[item], [None]) for item in missing)]

    def _compared_items(self, number: int) -> list[Item] | None:
        (now,) = self._measured.placements([number])
        before = self._placement_before(number)
        if now.judged is None or before is None or not self._explained:
            return None
        told = explain(self._measured.used[self._explained], before, now, key=key_of)
        return [
            Item(
                as_text(change.item),
                change.grade,
                [change.old_rank, change.new_rank],
                numbers([change.contribution]),
            )
            for change in told.items
        ]

    def _placement_before(self, number: int) -> Placement | None:
        reference = self._reference
        if reference is None or number not in self._compared:
            return None
        return reference.placement(number)

    @property
    def _compared(self) -> frozenset[int]:
        assert self._reference is not None
        return frozenset(self._reference.queries.tolist())
