"""The result of a strict evaluation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from pytest_rankmetrics._support.typing import Reading
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.evaluation.worst import text_function
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.rankings.source import KeptItems
from sklearn_rank.support.text import listed, safe_repr
from sklearn_rank.typing import FloatArray, IntArray


class StrictEvaluation:
    """An evaluation of which nothing was left out, with the names that a test gives its queries.

    ``read_again`` evaluates the same data once more and keeps the ids of items.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        reading: Reading,
        measures: Sequence[Measure],
        layout: str,
        read_again: Callable[[], Evaluation] | None = None,
    ) -> None:
        self.evaluation = evaluation
        self._read_again = read_again
        self.layout = layout
        self.names = [str(measure) for measure in measures]
        self.used: dict[str, Measure] = dict(zip(self.names, evaluation.measures, strict=True))
        self.own_ids = _listed_ids(evaluation)
        """Ids of the queries in the data, where ``query_ids`` may have other names for them."""
        self.query_ids = _named_ids(self.own_ids, reading.get("query_ids"), layout)
        self.zero_division = reading.get("zero_division", "raise")
        self.ties = reading.get("ties")
        self.convention = reading.get("convention", "default")
        self.query_text = text_function(reading.get("query_text"))
        self.by_relevance = reading.get("relevance") is not None
        self.allow = frozenset(reading.get("allow", ()))
        self.warnings: list[str] = []

    def __len__(self) -> int:
        return len(self.query_ids)

    def value(self, name: str) -> float:
        """Score of a measure."""
        return float(self.evaluation[name])

    def per_query(self, name: str) -> FloatArray | None:
        """Values as they enter the mean, NaN where a query does not; None for a pooled measure."""
        if self.used[name].is_pooled:
            return None
        return self.filled(self.evaluation.per_query[name])

    def filled(self, values: FloatArray) -> FloatArray:
        """Values with the number that stands for an undefined one, if there is any."""
        if isinstance(self.zero_division, str) or math.isnan(self.zero_division):
            return values
        return np.where(np.isnan(values), float(self.zero_division), values)

    def weights(self, name: str) -> FloatArray | None:
        """Weights of the queries in the mean of a measure; None: all alike."""
        return None if self.used[name].is_pooled else self.evaluation.query_weights(name)

    def placements(self, queries: Iterable[int] | None = None) -> list[Placement]:
        """Where the relevant items of some queries (by number), or of all, stand."""
        return self._with_items.placements(queries)

    @cached_property
    def items(self) -> KeptItems | None:
        """Ids of the items that were read; None in a layout that has none."""
        return self._with_items.items

    @property
    def n_ranked(self) -> IntArray:
        """Length of each ranking."""
        return self.evaluation.n_ranked

    @cached_property
    def _with_items(self) -> Evaluation:
        """The evaluation, read once more for the ids of its items where those were not kept.

        Keeping them can cost several times the evaluation, and only a gate that fails names any.
        Where the data changed meanwhile, the second reading is dropped, and no item is named.
        """
        first = self.evaluation
        if first.items is not None or self._read_again is None:
            return first
        try:
            again = self._read_again()
        except (TypeError, ValueError):
            return first
        return again if _same_places(first, again) else first

    @property
    def sample_weights(self) -> list[float] | None:
        """Weights of the queries in the data."""
        weights = self.evaluation.sample_weight
        return None if weights is None else weights.tolist()

    @property
    def counts(self) -> dict[str, Any]:
        """What was read, and what was left out."""
        return self.evaluation.counts

    def slices(self, slices: Any) -> dict[str, Evaluation]:
        """The evaluation of each slice, by label."""
        if callable(slices):
            slices = {query: slices(query) for query in self.query_ids}
        if isinstance(slices, Mapping) and self.query_ids != self.own_ids:
            slices = self._in_own_ids(slices)
        parts = self.evaluation.by_slice(slices)
        if len({str(label) for label in parts}) < len(parts):
            msg = f"slices has labels that read alike: {listed(parts)}"
            raise InvalidParameterError(msg)
        return {str(label): part for label, part in parts.items()}

    def _in_own_ids(self, slices: Mapping[Any, Any]) -> dict[Any, Any]:
        """Slices in terms of the ids that the evaluation knows."""
        own = dict(zip(self.query_ids, self.own_ids, strict=True))
        if all(key in own for key in slices):
            return {own[key]: label for key, label in slices.items()}
        try:
            return {label: [own[key] for key in keys] for label, keys in slices.items()}
        except KeyError as error:
            msg = f"slices names a query that was not evaluated: {safe_repr(error.args[0])}"
            raise InvalidParameterError(msg) from None


def _listed_ids(evaluation: Evaluation) -> list[Any]:
    ids = evaluation.query_ids
    return ids.tolist() if isinstance(ids, np.ndarray) else list(ids)


def _named_ids(own: list[Any], given: Any, layout: str) -> list[Any]:
    """Names of the queries: the given ones where a query is a position."""
    if given is None:
        return own
    if layout not in ("lists", "matrix"):
        msg = f"query_ids names queries that are positions; y_true is of the {layout} layout"
        raise TypeError(msg)
    names = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if len(names) != len(own):
        msg = f"query_ids has {len(names):,} names for {len(own):,} queries"
        raise ValueError(msg)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        msg = f"query_ids names {safe_repr(twice[0])} twice"
        raise ValueError(msg)
    return names


def _same_places(first: Evaluation, second: Evaluation) -> bool:
    return all(
        np.array_equal(getattr(first.rankings, name), getattr(second.rankings, name))
        for name in ("offsets", "above", "tied", "grades", "n_ranked", "judged_grades")
    )
