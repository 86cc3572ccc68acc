"""A reader of items that remembers them, for those who want to see which item stands where."""

from __future__ import annotations

from collections.abc import Collection
from operator import countOf
from typing import Any

from sklearn_rank.inputs.items import ItemReader
from sklearn_rank.inputs.ranking import Ranking, Where
from sklearn_rank.rankings.source import KeptItems
from sklearn_rank.rankings.ties import TIE_RULES
from sklearn_rank.typing import Duplicates, NegativeGrades, StringProvider, Ties


class KeepingReader(ItemReader):
    """Reads as its parent does, and keeps what it read by query."""

    def __init__(
        self,
        provider: StringProvider | None,
        duplicates: Duplicates = "raise",
        negative_grades: NegativeGrades = "raise",
    ) -> None:
        super().__init__(provider, duplicates, negative_grades)
        self._rankings: dict[Any, Ranking] = {}
        self._truths: dict[Any, dict[Any, float]] = {}
        self._shared: dict[Any, float] | None = None

    @property
    def takes_ids_alone(self) -> bool:
        """All items have to be seen."""
        return False

    def _kind_of(self, items: Collection[Any]) -> type | None:
        """Subclasses, such as strings of NumPy, are made plain before they are kept."""
        kind = super()._kind_of(items)
        return kind if countOf(map(type, items), kind) == len(items) else None

    def ranking(self, given: Any, where: Where) -> Ranking:
        """The ranking of one query, kept."""
        result = self._rankings[where.query] = super().ranking(given, where)
        return result

    def truth(self, given: Any, where: Where | str) -> dict[Any, float]:
        """The ground truth of one query (or of all, without a query), kept as it is now."""
        truth = super().truth(given, where)
        result = {item: float(grade) for item, grade in truth.items()}
        if isinstance(where, str):
            self._shared = result
        else:
            self._truths[where.query] = result
        return result

    def kept(self, ties: Ties) -> KeptItems:
        """Everything that was read."""
        return KeptItems(
            rankings={
                query: (ranking.items, ranking.scores) for query, ranking in self._rankings.items()
            },
            truths=self._truths,
            shared=self._shared,
            falling_ids=TIE_RULES[ties].by_id,
        )
