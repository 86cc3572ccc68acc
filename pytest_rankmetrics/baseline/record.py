"""A measured system in the form of a baseline: keys of ids, definitions, and where items stood."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from json.encoder import encode_basestring_ascii as quoted
from math import isnan
from typing import Any, Literal

import numpy as np

from pytest_rankmetrics.baseline.content import DECIMALS, Baseline, Owner, Row, write_rank
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation
from sklearn_rank.kernels.own import OwnKernel
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
        kept, rankings = self.measured.items, self.measured.evaluation.rankings
        if kept is None:
            grades, lengths = rankings.judged_grades.tolist(), rankings.n_ranked.tolist()
            borders = pairwise(rankings.judged_offsets.tolist())
            own = [sorted(grades[first:last], reverse=True) for first, last in borders]
            return [_digest(json.dumps(pair)) for pair in zip(own, lengths, strict=True)]
        if kept.shared is not None:
            # Which of its items belong to a query shows only where they were retrieved.
            return [_digest(_judged(kept.shared))] * len(self.measured)
        return [_digest(_judged(kept.truths[query])) for query in self.measured.own_ids]

    @cached_property
    def weights(self) -> list[float | None]:
        """Weights of the queries, rounded as they are recorded."""
        weights = self.measured.evaluation.sample_weight
        if weights is None:
            return [None] * len(self.measured)
        return [float(f"{weight:.6g}") for weight in weights.tolist()]

    @cached_property
    def clusters(self) -> list[str | None]:
        """Label of each query's cluster."""
        labels = self.measured.clusters
        if labels is None:
            return [None] * len(self.measured)
        return [stable_key(label, "clusters") for label in labels.tolist()]

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
        """Parameters on which the values of each measure depend besides the data."""
        used = self.measured.used
        return {name: definition_of(used[name], self.measured) for name in self.measured.names}

    def baseline(
        self,
        owner: Owner,
        store: Store,
        slices: Mapping[str, Mapping[str, float]],
        accepted: Sequence[Row] = (),
        labels: Sequence[Sequence[str]] | None = None,
    ) -> Baseline:
        """The baseline to write."""
        measured, metrics = self.measured, {}
        if "unjudged" in self.columns:  # in rows of a file the places of unjudged items
            msg = (
                "a baseline has another use for the name unjudged; give that measure a cutoff, "
                "as in unjudged@1000"
            )
            raise RankGateFailure(msg)
        for name in measured.names:
            column = self.columns.get(name)
            n = len(measured) if column is None else sum(value is not None for value in column)
            metrics[name] = {
                "value": round(measured.value(name), DECIMALS),
                "queries": n,
                "definition": self.definitions[name],
                **({} if measured.weights(name) is None else {"weighted": True}),
            }
        columns: dict[str, Sequence[Any]] = {"truth": self.truths, **self.columns}
        share, has_places = measured.unjudged_share(measured.top), store == "ranks"
        unjudged: dict[str, Any] | None = None
        if share is not None:
            unjudged = {"top": measured.top, "share": round(share, DECIMALS)}
        if has_places:
            rankings = measured.evaluation.rankings
            columns |= {"ranks": self._ranks(), "n": rankings.n_ranked.tolist()}
            if measured.items is None:
                grades, borders = rankings.grades.tolist(), pairwise(rankings.offsets.tolist())
                columns["grades"] = [grades[first:last] for first, last in borders]
        if measured.evaluation.sample_weight is not None:
            columns["weight"] = self.weights
        if measured.clusters is not None:
            columns["cluster"] = self.clusters
        if has_places and measured.is_bounded and unjudged is not None:
            unjudged["depth"] = measured.depth
            columns["unjudged"] = [
                dict(zip(keys_of([item.item for item in own], "items"), ranks, strict=True))
                for own in measured.unjudged_items
                for ranks in [[write_rank(item.above, item.tied) for item in own]]
            ]
        if labels is not None:
            columns["slices"] = labels
        rows = zip(*columns.values(), strict=True)
        queries = {
            key: dict(zip(columns, row, strict=True))
            for key, row in zip(self.keys, rows, strict=True)
        }
        return Baseline(owner, metrics, queries, slices, tuple(accepted), unjudged)

    def _ranks(self) -> list[dict[str, int | str]]:
        """Rank of each relevant item that was retrieved, by its number where items have no ids."""
        rankings, kept = self.measured.evaluation.rankings, self.measured.items
        ranks: list[int | str] = (rankings.above + 1).tolist()
        if rankings.are_tied:
            ranks = list(map(write_rank, rankings.above.tolist(), rankings.tied.tolist()))
        own = [ranks[first:last] for first, last in pairwise(rankings.offsets.tolist())]
        if kept is None:
            return [{f"#{place}": rank for place, rank in enumerate(row, 1)} for row in own]
        items = hit_items(rankings, self.measured.own_ids, kept)
        return [
            dict(zip(keys_of(hits, "items"), row, strict=True))
            for hits, row in zip(items, own, strict=True)
        ]


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


def _judged(judged: Mapping[Any, float]) -> str:
    """Judged items and their grades, sorted, as JSON: made by hand, which is much faster."""
    if set(map(type, judged)) <= {str}:
        pairs = [f"[{quoted(item)}, {grade}]" for item, grade in sorted(judged.items())]
        return f"[{', '.join(pairs)}]"
    keys = [[stable_key(item, "items"), float(grade)] for item, grade in judged.items()]
    return json.dumps(sorted(keys))


# Definitions: what the values of a measure depend on besides the data ----------------------------

_PROBES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 20.0, 50.0, 100.0)
"""Grades, or ranks, at which a function of the caller is sampled, to recognize it."""


def definition_of(measure: Measure, measured: StrictEvaluation) -> dict[str, Any]:
    """Parameters on which the values of a measure depend besides the data."""
    definition: dict[str, Any] = {"v": measure.metric.version}
    if measure.k is not None:
        definition["k"] = measure.k
    if isinstance(measure.metric.kernel, OwnKernel):
        own = measure.metric.kernel
        function = "values" if own.function is None else _function(own.function, own)
        ends, less = f"[{own.lower:g}, {own.upper:g}]", not measure.metric.greater_is_better
        definition["own"] = f"{function} in {ends}{', lower is better' * less}"
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
        return f"<{len(pairs)} queries {_digest(json.dumps(pairs))}>"
    if isinstance(value, Measure):
        functions = [_plain_option(option) for option in value.options.values() if callable(option)]
        return " ".join([str(value), *functions])
    return _function(value) if callable(value) else value


def _function(function: Callable[..., Any], kernel: OwnKernel | None = None) -> str:
    """A function by its name and samples: its bytecode differs between versions of Python."""
    samples, probes = [], [np.array([probe]) for probe in _PROBES]
    if kernel is not None:  # a function of whole rankings
        probes = [np.resize(np.roll((0.0, 1.0, 0.0, 3.0, 2.0), n), n) for n in range(21)]
    for probe in probes:
        try:
            found = function(probe) if kernel is None else kernel.of_one(probe, probe[probe > 0])
            value = float(np.asarray(found, dtype=np.float64).ravel()[0])
        except Exception as error:
            samples.append(type(error).__name__)
        else:
            # Logarithms differ in the last digits from one machine to another.
            samples.append(f"{value:.9g}")
    name = getattr(function, "__name__", type(function).__name__)
    return f"<{name} {_digest(json.dumps(samples))}>"


# Ids as keys of JSON: the same text in every run and with every version of NumPy ------------------

# An address, or a set, whose order depends on the hash seed.
_FLEETING = re.compile(r" at 0x[0-9a-fA-F]+|\bfrozenset\(\{")


def key_of(value: Any) -> str:
    """A query or item id as a key of JSON."""

    def plain(own: Any) -> Any:
        """Python's own type: the repr of NumPy scalars differs between its versions."""
        if isinstance(own, np.generic):
            return own.item()
        return tuple(map(plain, own)) if type(own) is tuple else own

    return value if isinstance(value, str) else str(plain(value))


def stable_key(value: Any, what: str) -> str:
    """The key of an id; RankGateFailure if it would differ in another run."""
    key = key_of(value)
    if isinstance(value, (str, int)) or not (isinstance(value, frozenset) or _FLEETING.search(key)):
        return key
    msg = (
        f"{what} {safe_repr(value)} reads differently in every run, and a baseline would never "
        "fit; give its type a __str__ of its own, or pass string_provider or query_ids"
    )
    raise RankGateFailure(msg)


def keys_of(values: Iterable[Any], what: str) -> list[str]:
    """Keys of some ids; RankGateFailure if two collide, or one would differ in another run."""
    values = list(values)
    if set(map(type, values)) <= {str} and len(set(values)) == len(values):
        return values  # texts are their own keys
    seen: dict[str, Any] = {}
    for value in values:
        key = stable_key(value, what)
        if key in seen:
            both = f"{safe_repr(seen[key])} and {safe_repr(value)}"
            msg = f"{what} {both} would be one in a baseline; name them apart"
            raise RankGateFailure(msg)
        seen[key] = value
    return list(seen)
