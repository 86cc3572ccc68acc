"""Baseline files: read with distrust, written whole or not at all.

A file holds what is needed to judge the next run and to explain a drop: values and ranks of the
relevant items of each query, and a digest of the judgements. It has no dates, hosts or versions,
so that the same system writes the same bytes anywhere.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from pytest_rankmetrics.failures import RankGateFailure
from sklearn_rank.support.text import safe_text

FORMAT = "rank-baseline/1"
DECIMALS = 6
MAX_BYTES = 256 * 2**20
MOST_ITEMS = 10**15
"""Ranks and lengths stay below this, where they are exact in every number that holds them."""

_OWN_KEYS = ("truth", "ranks", "grades", "n", "weight")


@dataclass(frozen=True)
class StoredQuery:
    """What a baseline knows of one query."""

    truth: str
    """Digest of its judgements."""
    values: Mapping[str, float | None]
    """Value of each measure, None where undefined."""
    ranks: Mapping[str, Any] | None = None
    """Rank of each relevant item that was retrieved: 3, or "3-5" within a tie."""
    n: int | None = None
    """Length of the ranking."""
    grades: tuple[float, ...] | None = None
    """Grades of ``ranks`` in their order, where items have no ids."""
    weight: float | None = None
    """Weight of the query in the data; None where none are given."""


@dataclass(frozen=True)
class StoredMetric:
    """What a baseline knows of one measure."""

    value: float
    queries: int
    definition: Mapping[str, Any]
    weighted: bool = False
    """Whether queries weigh differently, so that the value is no plain mean."""
    seal: str | None = None
    """Fingerprint of what the ranks cannot prove: pooled values, those by relevance scores."""


@dataclass(frozen=True)
class Baseline:
    """The recorded state of one gate."""

    gate: str
    metrics: Mapping[str, StoredMetric]
    queries: Mapping[str, StoredQuery]
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    accepted: tuple[Mapping[str, Any], ...] = ()
    """Drops that were accepted, with their reasons."""

    def sealed(self) -> Baseline:
        """The same with a seal on each measure that has no ranks to be computed from."""
        metrics = {
            name: one if _is_proven(name, one, self.queries) else replace(one, seal=self.seal(name))
            for name, one in self.metrics.items()
        }
        return replace(self, metrics=metrics)

    def seal(self, name: str) -> str:
        """Fingerprint of a measure: its value, and those of its queries."""
        one = self.metrics[name]
        value, queries = round(one.value, DECIMALS), sorted(self.queries.items())
        slices = {label: values.get(name) for label, values in self.slices.items()}
        content = [name, value, one.queries, dict(one.definition), one.weighted, slices]
        values = [[key, query.truth, query.values.get(name)] for key, query in queries]
        text = json.dumps([content, values], sort_keys=True)
        return sha256(text.encode()).hexdigest()[:16]

    def needs_seal(self, name: str) -> bool:
        """Whether the ranks cannot tell what the values of a measure have to be."""
        return not _is_proven(name, self.metrics[name], self.queries)


def _is_proven(name: str, metric: StoredMetric, queries: Mapping[str, StoredQuery]) -> bool:
    if metric.definition.get("relevance"):
        return False
    return all(query.ranks is not None and name in query.values for query in queries.values())


class BaselineError(RankGateFailure):
    """A baseline file cannot be read, or cannot be written."""


BaselineError.__module__ = "pytest_rankmetrics"


# Reading -----------------------------------------------------------------------------------------


def read_baseline(path: Path, shown: str) -> tuple[Baseline, bytes]:
    """The baseline in a file, and its bytes; BaselineError if anything is wrong with it."""
    try:
        content = _bytes(path)
        baseline = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_no_key_twice,
            parse_constant=_no_constant,
        )
        return _checked(baseline), content
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        msg = f"baseline {shown} cannot be read: {safe_text(reason, limit=300)}"
        raise BaselineError(msg) from error


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > MAX_BYTES:
        msg = f"it is larger than {MAX_BYTES:,} bytes"
        raise ValueError(msg)
    return path.read_bytes()


def recorded_gate(path: Path) -> str:
    """Node id of the test whose gate wrote a baseline, from its first lines; "" if unreadable."""
    with contextlib.suppress(OSError, ValueError), path.open(encoding="utf-8") as file:
        for line in islice(file, 5):
            match = re.fullmatch(r'\s*"gate": (".*"),?\s*', line)
            if match is not None:
                return str(json.loads(match[1]))
    return ""


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        msg = "it has a key twice"
        raise ValueError(msg)
    return result


def _no_constant(name: str) -> Any:
    msg = f"{name} is not a number of JSON"
    raise ValueError(msg)


def _checked(content: Any) -> Baseline:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else type(content).__name__
        msg = f"its format is {str(found)[:40]!r}, not {FORMAT!r}"
        raise ValueError(msg)
    metrics = {name: _metric(name, one) for name, one in _table(content, "metrics").items()}
    queries = {name: _query(name, one) for name, one in _table(content, "queries").items()}
    if not metrics:
        msg = "it holds no measure"
        raise ValueError(msg)
    for name, metric in metrics.items():
        _check_mean(name, metric, queries)
    slices = {
        label: {name: _number(value, f"slice {label!r:.40}") for name, value in one.items()}
        for label, one in _table({"slices": {}, **content}, "slices").items()
    }
    accepted = content.get("accepted", [])
    if not isinstance(accepted, list):
        msg = "accepted must be a list"
        raise TypeError(msg)
    return Baseline(str(content.get("gate", "")), metrics, queries, slices, tuple(accepted))


def _table(content: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    table = content.get(name)
    if not isinstance(table, dict) or not all(isinstance(one, dict) for one in table.values()):
        msg = f"{name} must be an object of objects"
        raise TypeError(msg)
    return table


def _metric(name: str, one: Mapping[str, Any]) -> StoredMetric:
    value, queries = _number(one.get("value"), name), one.get("queries")
    if isinstance(queries, bool) or not isinstance(queries, int) or queries < 1:
        msg = f"{name} has no number of queries"
        raise TypeError(msg)
    if not isinstance(one.get("definition"), dict):
        msg = f"{name} has no definition"
        raise TypeError(msg)
    weighted, seal = one.get("weighted", False), one.get("seal")
    if not isinstance(weighted, bool) or not isinstance(seal, str | None):
        msg = f"{name} has a weighted that is no bool, or a seal that is no text"
        raise TypeError(msg)
    return StoredMetric(value, queries, one["definition"], weighted, seal)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        msg = f"{where} has {value!r:.40} where a number is expected"
        raise TypeError(msg)
    return number


def _query(name: str, one: Mapping[str, Any]) -> StoredQuery:
    values = {
        key: None if value is None else _number(value, f"query {name!r:.40}")
        for key, value in one.items()
        if key not in _OWN_KEYS
    }
    ranks, n, grades = one.get("ranks"), one.get("n"), one.get("grades")
    if ranks is not None:
        if not isinstance(ranks, dict) or type(n) is not int or not 0 <= n < MOST_ITEMS:
            msg = f"query {name!r:.40} needs ranks and n together"
            raise TypeError(msg)
        for item, rank in ranks.items():
            if read_rank(rank)[1] > n:
                msg = f"query {name!r:.40} has {item!r:.40} at rank {rank}, of {n} items"
                raise ValueError(msg)
    if not isinstance(one.get("truth"), str):
        msg = f"query {name!r:.40} has no digest of its judgements"
        raise TypeError(msg)
    own = None if grades is None else tuple(_number(grade, "grades") for grade in grades)
    if own is not None and len(own) != len(ranks or ()):
        msg = f"query {name!r:.40} has {len(own)} grades for {len(ranks or ())} ranks"
        raise ValueError(msg)
    weight = None if "weight" not in one else _number(one["weight"], f"query {name!r:.40}")
    return StoredQuery(one["truth"], values, ranks, n, own, weight)


def _check_mean(name: str, metric: StoredMetric, queries: Mapping[str, StoredQuery]) -> None:
    """ValueError if a value is not the mean of the values per query: somebody edited one."""
    if not any(name in query.values for query in queries.values()):
        if metric.weighted:
            msg = f"{name} is said to be weighted, and no query has a value of it"
            raise ValueError(msg)
        return
    absent = next((key for key, query in queries.items() if name not in query.values), None)
    if absent is not None:
        msg = f"query {absent!r:.40} has no value of {name}, which the others have"
        raise ValueError(msg)
    values = [query.values.get(name) for query in queries.values()]
    defined = [value for value in values if value is not None]
    if metric.queries != len(defined):
        msg = f"{name} is said to be of {metric.queries} queries, and {len(defined)} have a value"
        raise ValueError(msg)
    if not defined:
        msg = f"{name} is said to be {metric.value}, and no query has a defined value of it"
        raise ValueError(msg)
    mean = math.fsum(defined) / len(defined)
    if not metric.weighted and abs(mean - metric.value) > 2 * 10.0**-DECIMALS * max(1.0, abs(mean)):
        msg = f"{name} is said to be {metric.value}, and its queries have a mean of {mean:.6f}"
        raise ValueError(msg)


_RANK = re.compile(r"([1-9][0-9]{0,17})-([1-9][0-9]{0,17})")


def read_rank(rank: Any) -> tuple[int, int]:
    """First and last rank of an item: the same unless it is tied."""
    if type(rank) is int and 1 <= rank < MOST_ITEMS:
        return rank, rank
    match = _RANK.fullmatch(rank) if isinstance(rank, str) else None
    if match is None or int(match[1]) >= int(match[2]):
        msg = f"{rank!r:.40} is not a rank"
        raise ValueError(msg)
    return int(match[1]), int(match[2])


def write_rank(above: int, tied: int) -> int | str:
    """A rank as it is stored and shown."""
    return above + 1 if tied == 1 else f"{above + 1}-{above + tied}"
