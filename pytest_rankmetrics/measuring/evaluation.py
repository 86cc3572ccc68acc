"""The result of a strict evaluation, and what it is compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from pytest_rankmetrics._support.typing import DataOptions
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.policy.settings import UnjudgedPolicy
from sklearn_rank.bounds.gradings import cannot_bound
from sklearn_rank.bounds.to_judge import ToJudge
from sklearn_rank.bounds.unjudged import Bounds
from sklearn_rank.evaluation.bounds import bounds_of_change
from sklearn_rank.evaluation.result import Evaluation, text_function
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.binary import unjudged_share
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.record import deepest
from sklearn_rank.rankings.data import KeptItems
from sklearn_rank.rankings.placements import Placement, UnjudgedItem
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, FloatArray, IntArray

_TOP = 10
"""Ranks that people look at."""


class StrictEvaluation:
    """An evaluation of which nothing was left out, with the names that a test gives its queries.

    ``read_again`` evaluates the same data once more and keeps the ids of items.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        reading: DataOptions,
        measures: Sequence[Measure],
        layout: str,
        unjudged: UnjudgedPolicy = "irrelevant",
        read_again: Callable[[], Evaluation] | None = None,
    ) -> None:
        self.whole = evaluation
        """With all items, where gates judge condensed lists."""
        self.evaluation = evaluation.condensed() if unjudged == "condense" else evaluation
        self.counts: dict[str, Any] = self.evaluation.counts
        """Counts of the data, and of everything left out."""
        self._read_again = read_again
        self.layout = layout
        self.unjudged = unjudged
        self.names = [str(measure) for measure in measures]
        self.used: dict[str, Measure] = dict(zip(self.names, evaluation.measures, strict=True))
        self.depth = deepest(self.used.values())
        """Ranks that the measures read; None: all."""
        self.top = next((used.k for used in self.used.values() if used.k is not None), _TOP)
        """Ranks of which the share of unjudged items is told: the first cutoff of a measure."""
        ids = evaluation.query_ids
        self.own_ids: list[Any] = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
        """Ids of the queries in the data, where ``query_ids`` may have other names for them."""
        self.query_ids = _named_ids(self.own_ids, reading.get("query_ids"), layout)
        self.zero_division = reading.get("zero_division", "raise")
        self.ties = reading.get("ties")
        self.convention = reading.get("convention", "default")
        self.clusters: Array | None = self.evaluation.clusters
        """Label of each query's cluster; None: every query is one."""
        self.query_text = text_function(reading.get("query_text"))
        self.by_relevance = reading.get("relevance") is not None
        self.allow = frozenset(reading.get("allow", ()))
        self.is_partial = evaluation.assumed == "partial"
        """Whether there may be items that nobody judged."""
        self.is_bounded = unjudged == "bounds" and self.is_partial
        """Whether values are judged by what they may be for any grades of unjudged items."""
        has_ids, assumed = layout not in ("rows", "matrix"), reading.get("assume")
        self.is_taken_as_complete = has_ids and not self.is_partial and assumed is None
        """Whether there might be such items, and nobody said that there are none."""
        self.warnings: list[str] = []
        self._bounds: dict[str, Bounds] = {}

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
        """Ranks of the relevant items of some queries (by number), or of all."""
        return self.with_items.placements(queries)

    @cached_property
    def items(self) -> KeptItems | None:
        """Ids of the items that were read; None in a layout that has none."""
        return self.with_items.items

    @cached_property
    def ranks_everything(self) -> bool:
        """Whether every ranking holds all items that any of them has, as far as that is known."""
        lengths = self.evaluation.n_ranked
        if self.layout in ("rows", "matrix"):
            return bool(self.counts["retrieved"] == self.counts["relevant"])
        if len(lengths) < 2 or int(lengths.min()) < int(lengths.max()) or self.items is None:
            return False
        items = {item for own, _ in self.items.rankings.values() for item in own}
        return len(items) == int(lengths[0])

    @cached_property
    def with_items(self) -> Evaluation:
        """The evaluation, read once more for the ids of its items where those were not kept.

        Keeping them can cost several times the evaluation, and only a gate that fails names any.
        Where the data changed meanwhile, the second reading is dropped, and no item is named.
        """
        first = self.evaluation
        # Condensed lists had theirs kept at the first reading.
        if first.items is not None or self._read_again is None:
            return first
        try:
            again = self._read_again()
        except (TypeError, ValueError):
            return first
        same = all(
            np.array_equal(getattr(first.rankings, name), getattr(again.rankings, name))
            for name in ("offsets", "above", "tied", "grades", "n_ranked", "judged_grades")
        )
        return again if same else first

    # Unjudged items ------------------------------------------------------------------------------

    def unjudged_share(self, top: int) -> float | None:
        """Share of the items in the first ranks that nobody judged; None where all are judged."""
        return unjudged_share(self.whole.rankings, k=top) if self.is_partial else None

    def bounds(self, name: str) -> Bounds | None:
        """Least and greatest value of a measure over all grades of the unjudged items.

        None where everything is judged; RankGateFailure for a measure that cannot be bounded.
        """
        if not self.is_bounded:
            return None
        if name not in self._bounds:
            refuse_unbounded(self.used[name])
            self._bounds[name] = self.evaluation.bounds(self.used[name])
        return self._bounds[name]

    def to_judge(self, name: str, n: int, other: StrictEvaluation | None = None) -> list[ToJudge]:
        """Unjudged items by how much their grade could move a value, or a difference."""
        reference = None if other is None else other.with_items
        columns = self.with_items.to_judge(n, reference, measure=self.used[name], backend=None)
        names = dict(zip(self.own_ids, self.query_ids, strict=True))
        ranks_other = columns.get("rank_other", [None] * len(columns["item"]))
        own = (columns["query"], columns["item"], columns["rank"], ranks_other, columns["move"])
        return [ToJudge(names[query], *row) for query, *row in zip(*own, strict=True)]

    @cached_property
    def unjudged_items(self) -> list[list[UnjudgedItem]]:
        """Items of each query that nobody judged, as deep as the measures read."""
        return self.with_items.unjudged_items(self.depth)

    def slices(self, slices: Any) -> dict[str, Evaluation]:
        """The evaluation of each slice, by label."""
        if callable(slices):
            labels = {query: slices(query) for query in self.query_ids}
            slices = {query: label for query, label in labels.items() if label is not None}
            if not slices:
                msg = "slices gives none of the queries a label"
                raise InvalidParameterError(msg)
        if isinstance(slices, Mapping) and self.query_ids != self.own_ids:
            # In terms of the ids that the evaluation knows.
            own = dict(zip(self.query_ids, self.own_ids, strict=True))
            try:
                if all(key in own for key in slices):
                    slices = {own[key]: label for key, label in slices.items()}
                else:
                    slices = {label: [own[key] for key in keys] for label, keys in slices.items()}
            except KeyError as error:
                msg = f"slices names a query that was not evaluated: {safe_repr(error.args[0])}"
                raise InvalidParameterError(msg) from None
        parts = self.evaluation.by_slice(slices)
        if len({str(label) for label in parts}) < len(parts):
            msg = f"slices has labels that read alike: {format_list(parts)}"
            raise InvalidParameterError(msg)
        return {str(label): part for label, part in parts.items()}


def refuse(what: str, word: str | None = None) -> NoReturn:
    """RankGateFailure, with the word that allows it."""
    hint = f'; pass allow={{"{word}"}} if that is right' if word else ""
    msg = f"could not measure: {what}{hint}"
    raise RankGateFailure(msg)


def refuse_unbounded(measure: Measure, *, change: bool = False) -> None:
    """RankGateFailure for a measure that cannot be bounded over the grades of unjudged items."""
    reason = cannot_bound(measure, change=change)
    if reason:
        refuse(f"unjudged='bounds' cannot bound {measure}: {reason}")


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


# What a measured system is compared with ---------------------------------------------------------


@dataclass(frozen=True)
class Reference:
    """Reference of a comparison: recorded, or measured beside the system."""

    queries: IntArray
    """Numbers of the measured queries that are compared."""
    per_query: Mapping[str, FloatArray]
    """Values of these queries; measures without values per query are not in here."""
    values: Mapping[str, float]
    """Value over all of the reference's queries."""
    placement: Callable[[int], Placement | None]
    """Former ranks of the relevant items of a measured query, if known."""
    complete: bool = True
    """Whether both sides have the same queries, so that ``values`` are comparable."""
    decimals: int | None = None
    """To how many places values were rounded."""
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Values by slice and measure, as far as they are known: pooled ones have no others."""
    unjudged_share: float | None = None
    """Share of the items on top that nobody judged, as ``StrictEvaluation.unjudged_share``."""
    bounds: Callable[[str], Bounds | None] = lambda _name: None
    """Least and greatest change of a measure over all grades of the unjudged items; None where it
    is not known where those of the reference stand."""
    to_judge: Callable[[str, int], list[ToJudge]] = lambda _name, _n: []
    """Unjudged items by how much their grade could change the comparison."""


def beside(measured: StrictEvaluation, other: StrictEvaluation, slices: Any = None) -> Reference:
    """Another system that was measured on the same judgements, and in the same slices."""
    place = {query: number for number, query in enumerate(other.query_ids)}
    if set(place) != set(measured.query_ids):
        msg = "could not measure: the two systems were evaluated on different queries"
        raise RankGateFailure(msg)
    order = np.array([place[query] for query in measured.query_ids], dtype=np.int64)
    columns = {name: other.per_query(name) for name in other.names}
    pooled = [name for name, used in other.used.items() if used.is_pooled]
    parts = other.slices(slices) if pooled and slices is not None else {}

    def bounds(name: str) -> Bounds:
        refuse_unbounded(measured.used[name], change=True)
        return bounds_of_change(measured.with_items, other.with_items, measured.used[name])

    return Reference(
        queries=np.arange(len(measured)),
        per_query={name: column[order] for name, column in columns.items() if column is not None},
        values={name: other.value(name) for name in other.names},
        slices={label: {name: part[name] for name in pooled} for label, part in parts.items()},
        placement=lambda number: other.placements([int(order[number])])[0],
        unjudged_share=other.unjudged_share(measured.top),
        bounds=bounds,
        to_judge=lambda name, n: measured.to_judge(name, n, other),
    )
