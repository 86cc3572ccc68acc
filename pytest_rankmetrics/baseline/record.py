"""A measured system in the form of a baseline: keys of ids, definitions, and where items stood."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from math import isnan
from typing import Any, Literal

import numpy as np

from pytest_rankmetrics.baseline.content import (
    DECIMALS,
    Baseline,
    Owner,
    StoredMetric,
    StoredQueries,
    StoredUnjudged,
    write_rank,
)
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.measures.parameters import ByQuery
from sklearn_rank.rankings.placements import hit_items
from sklearn_rank.support.text import safe_repr

Store = Literal["ranks", "values"]


class Recording:
    """A measured system as its baseline would record it; every part is made once, on demand."""

    def __init__(self, measured: StrictEvaluation) -> None:
        self.measured = measured

    @cached_property
    def keys(self) -> list[str]:
        """Keys of the queries."""
        return keys_of(self.measured.query_ids, "queries")

    @cached_property
    def truths(self) -> list[str]:
        """Fingerprint of the judgements of each query: ids and grades, in any order."""
        kept = self.measured.items
        if kept is None:
            return self._truths_without_ids()
        if kept.shared is not None:
            # Which of its items belong to a query shows only where they were retrieved.
            return [_digest(judged_pairs(kept.shared))] * len(self.measured)
        ids = self.measured.own_ids
        return [_digest(judged_pairs(kept.truths[query])) for query in ids]

    def _truths_without_ids(self) -> list[str]:
        rankings = self.measured.evaluation.rankings
        grades, borders = rankings.judged_grades.tolist(), rankings.judged_offsets.tolist()
        return [
            _digest([sorted(grades[first:last], reverse=True), n])
            for (first, last), n in zip(pairwise(borders), rankings.n_ranked.tolist(), strict=True)
        ]

    @cached_property
    def weights(self) -> list[float | None]:
        """Weights of the queries, rounded as they are recorded."""
        if self.measured.sample_weights is None:
            return [None] * len(self.measured)
        return [float(f"{weight:.6g}") for weight in self.measured.sample_weights]

    @cached_property
    def columns(self) -> dict[str, list[float | None]]:
        """Values per query of each measure that is not pooled, rounded as they are recorded."""
        columns = {name: self.measured.per_query(name) for name in self.measured.names}
        return {
            name: [None if isnan(value) else value for value in np.round(column, DECIMALS).tolist()]
            for name, column in columns.items()
            if column is not None
        }

    @cached_property
    def definitions(self) -> dict[str, dict[str, Any]]:
        """What the values of each measure depend on besides the data."""
        used = self.measured.used
        return {name: definition_of(used[name], self.measured) for name in self.measured.names}

    def baseline(
        self,
        owner: Owner,
        store: Store,
        slices: Mapping[str, Mapping[str, float]],
        accepted: Sequence[Mapping[str, Any]] = (),
        labels: Sequence[Sequence[str]] | None = None,
    ) -> Baseline:
        """The baseline to write."""
        metrics = {name: self._metric(name) for name in self.measured.names}
        queries = self._queries(labels, with_ranks=store == "ranks")
        unjudged = self._stored_unjudged(with_ranks=store == "ranks")
        return Baseline(owner, metrics, queries, slices, tuple(accepted), unjudged)

    def _stored_unjudged(self, *, with_ranks: bool) -> StoredUnjudged | None:
        """How much nobody had judged; None where every item counts as judged."""
        top = self.measured.top
        share = self.measured.unjudged_share(top)
        if share is None:
            return None
        depth = self.measured.depth if with_ranks and self.measured.unjudged == "bounds" else None
        return StoredUnjudged(top, round(share, DECIMALS), depth)

    def _queries(
        self, labels: Sequence[Sequence[str]] | None, *, with_ranks: bool
    ) -> StoredQueries:
        unknown = [None] * len(self.measured)
        return StoredQueries(
            keys=self.keys,
            truths=self.truths,
            values=self.columns,
            ranks=self._ranks if with_ranks else unknown,
            lengths=self.measured.n_ranked.tolist() if with_ranks else unknown,
            grades=self._grades if with_ranks and self.measured.items is None else unknown,
            weights=self.weights,
            unjudged=self.unjudged if with_ranks and self._keeps_unjudged else unknown,
            slices=unknown if labels is None else labels,
        )

    @property
    def _keeps_unjudged(self) -> bool:
        """Whether the gate asks what the grades of unjudged items could change."""
        return self.measured.unjudged == "bounds" and self.measured.is_partial

    @cached_property
    def unjudged(self) -> list[dict[str, int | str]]:
        """Rank of each unjudged item, as deep as the measures read."""
        items = self.measured.unjudged_items
        return [
            dict(
                zip(
                    keys_of([item.item for item in own], "items"),
                    (write_rank(item.above, item.tied) for item in own),
                    strict=True,
                )
            )
            for own in items
        ]

    @cached_property
    def _borders(self) -> list[tuple[int, int]]:
        """First and last of each query's retrieved relevant items."""
        return list(pairwise(self.measured.evaluation.rankings.offsets.tolist()))

    @cached_property
    def _ranks(self) -> list[dict[str, int | str]]:
        """Rank of each relevant item that was retrieved."""
        rankings = self.measured.evaluation.rankings
        ranks: list[int | str] = (rankings.above + 1).tolist()
        if rankings.are_tied:
            places = zip(rankings.above.tolist(), rankings.tied.tolist(), strict=True)
            ranks = [write_rank(above, tied) for above, tied in places]
        return [
            dict(zip(keys, ranks[first:last], strict=True))
            for keys, (first, last) in zip(self._hit_keys(), self._borders, strict=True)
        ]

    def _hit_keys(self) -> Iterator[list[str]]:
        """Keys of these items, query by query; their numbers where items have no ids."""
        kept = self.measured.items
        if kept is None:
            for first, last in self._borders:
                yield [f"#{place}" for place in range(1, last - first + 1)]
            return
        for items in hit_items(self.measured.evaluation.rankings, self.measured.own_ids, kept):
            yield keys_of(items, "items")

    @property
    def _grades(self) -> list[tuple[float, ...]]:
        """Their grades, for items that have no ids."""
        grades = self.measured.evaluation.rankings.grades.tolist()
        return [tuple(grades[first:last]) for first, last in self._borders]

    def _metric(self, name: str) -> StoredMetric:
        column = self.columns.get(name)
        n = len(self.measured) if column is None else sum(value is not None for value in column)
        return StoredMetric(
            value=round(self.measured.value(name), DECIMALS),
            queries=n,
            definition=self.definitions[name],
            weighted=self.measured.weights(name) is not None,
        )


def _digest(content: Any) -> str:
    return sha256(json.dumps(content).encode()).hexdigest()[:12]


# Definitions: what the values of a measure depend on besides the data ----------------------------

_PROBES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0, 100.0)
"""Grades, or ranks, at which a function of the caller is sampled, to recognize it."""


def definition_of(measure: Measure, measured: StrictEvaluation) -> dict[str, Any]:
    """All that the values of a measure depend on besides the data."""
    definition: dict[str, Any] = {"v": measure.metric.version}
    if measure.k is not None:
        definition["k"] = measure.k
    for name, value in measure.options.items():
        if value is not None:
            definition[name] = _plain_option(value)
    ties = measured.ties or find_convention(measured.convention).ties
    if ties != "average":
        definition["ties"] = ties
    if not isinstance(measured.zero_division, str) and not isnan(measured.zero_division):
        definition["zero_division"] = float(measured.zero_division)
    if measured.unjudged == "condense" and measured.is_partial:
        definition["unjudged"] = "condense"
    if measured.by_relevance and measure.metric.by_score:
        definition["relevance"] = True
    plain: dict[str, Any] = json.loads(json.dumps(definition))
    return plain


def _plain_option(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain_option(part) for part in value]
    if isinstance(value, ByQuery):
        pairs = sorted([stable_key(key, "queries"), float(number)] for key, number in value.numbers)
        return f"<{len(pairs)} queries {_digest(pairs)}>"
    if isinstance(value, Measure):
        functions = [_plain_option(option) for option in value.options.values() if callable(option)]
        return " ".join([str(value), *functions])
    return _function(value) if callable(value) else value


def _function(function: Callable[[Any], Any]) -> str:
    """A function by its name and samples: its bytecode differs between versions of Python."""
    name = getattr(function, "__name__", type(function).__name__)
    return f"<{name} {_digest([_probed(function, probe) for probe in _PROBES])}>"


def _probed(function: Callable[[Any], Any], probe: float) -> str:
    try:
        value = float(np.asarray(function(np.array([probe])), dtype=np.float64)[0])
    except Exception as error:
        return type(error).__name__
    # Logarithms differ in the last digits from one machine to another.
    return f"{value:.9g}"


# Ids as keys of JSON: the same text in every run and with every version of NumPy ------------------

# An address, or a set, whose order depends on the hash seed.
_FLEETING = re.compile(r" at 0x[0-9a-fA-F]+|\bfrozenset\(\{")


def key_of(value: Any) -> str:
    """A query or item id as a key of JSON."""
    return value if isinstance(value, str) else str(_plain(value))


def _plain(value: Any) -> Any:
    """Python's own type: the repr of NumPy scalars differs between its versions."""
    if isinstance(value, np.generic):
        return value.item()
    if type(value) is tuple:
        return tuple(map(_plain, value))
    return value


def stable_key(value: Any, what: str) -> str:
    """The key of an id; RankGateFailure if it would differ in another run."""
    if isinstance(value, str):
        return value
    key = key_of(value)
    if type(value) is not int and (isinstance(value, frozenset) or _FLEETING.search(key)):
        msg = (
            f"{what} {safe_repr(value)} reads differently in every run, and a baseline would never "
            "fit; give its type a __str__ of its own, or pass string_provider or query_ids"
        )
        raise RankGateFailure(msg)
    return key


def keys_of(values: Iterable[Any], what: str) -> list[str]:
    """Keys of some ids; RankGateFailure if two collide, or one would differ in another run."""
    values = list(values)
    if set(map(type, values)) <= {str} and len(set(values)) == len(values):
        return values  # texts are their own keys
    keys = [stable_key(value, what) for value in values]
    if len(set(keys)) < len(keys):
        seen: dict[str, Any] = {}
        for key, value in zip(keys, values, strict=True):
            if key in seen:
                both = f"{safe_repr(seen[key])} and {safe_repr(value)}"
                msg = f"{what} {both} would be one in a baseline; name them apart"
                raise RankGateFailure(msg)
            seen[key] = value
    return keys


def judged_pairs(judged: Mapping[Any, float]) -> list[list[Any]]:
    """Judged items and their grades, sorted."""
    if set(map(type, judged)) <= {str}:
        return sorted(map(list, judged.items()))
    return sorted([stable_key(item, "items"), float(grade)] for item, grade in judged.items())
