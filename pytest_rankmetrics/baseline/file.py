"""Baseline files: read with distrust, written whole or not at all.

A file holds what is needed to judge the next run and to explain a drop: values and ranks of the
relevant items of each query, and a digest of the judgements. It has no dates, hosts or versions,
so that the same system writes the same bytes anywhere.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_rankmetrics.failures import RankGateFailure
from sklearn_rank.support.text import safe_text

FORMAT = "rank-baseline/1"
DECIMALS = 6
MAX_BYTES = 256 * 2**20

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


@dataclass(frozen=True)
class Baseline:
    """The recorded state of one gate."""

    gate: str
    metrics: Mapping[str, StoredMetric]
    queries: Mapping[str, StoredQuery]
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    accepted: tuple[Mapping[str, Any], ...] = ()
    """Drops that were accepted, with their reasons."""


class BaselineError(RankGateFailure):
    """A baseline file cannot be read, or cannot be written."""


BaselineError.__module__ = "pytest_rankmetrics"


# Reading -----------------------------------------------------------------------------------------


def read_baseline(path: Path, shown: str) -> Baseline:
    """The baseline in a file; BaselineError, naming it as ``shown``, if anything is wrong."""
    try:
        content = json.loads(
            _text(path), object_pairs_hook=_no_key_twice, parse_constant=_no_constant
        )
        return _checked(content)
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        msg = f"baseline {shown} cannot be read: {safe_text(reason, limit=300)}"
        raise BaselineError(msg) from error


def _text(path: Path) -> str:
    if path.stat().st_size > MAX_BYTES:
        msg = f"it is larger than {MAX_BYTES:,} bytes"
        raise ValueError(msg)
    return path.read_text(encoding="utf-8")


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
    slices = content.get("slices", {})
    accepted = content.get("accepted", [])
    if not isinstance(slices, dict) or not isinstance(accepted, list):
        msg = "slices must be an object and accepted a list"
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
    return StoredMetric(value, queries, one["definition"], one.get("weighted") is True)


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        msg = f"{where} has {value!r:.40} where a number is expected"
        raise TypeError(msg)
    return float(value)


def _query(name: str, one: Mapping[str, Any]) -> StoredQuery:
    values = {
        key: None if value is None else _number(value, f"query {name!r:.40}")
        for key, value in one.items()
        if key not in _OWN_KEYS
    }
    ranks, n, grades = one.get("ranks"), one.get("n"), one.get("grades")
    if ranks is not None:
        if not isinstance(ranks, dict) or isinstance(n, bool) or not isinstance(n, int):
            msg = f"query {name!r:.40} needs ranks and n together"
            raise TypeError(msg)
        for rank in ranks.values():
            read_rank(rank)
    if not isinstance(one.get("truth"), str):
        msg = f"query {name!r:.40} has no digest of its judgements"
        raise TypeError(msg)
    own = None if grades is None else tuple(_number(grade, "grades") for grade in grades)
    weight = None if "weight" not in one else _number(one["weight"], f"query {name!r:.40}")
    return StoredQuery(one["truth"], values, ranks, n, own, weight)


def _check_mean(name: str, metric: StoredMetric, queries: Mapping[str, StoredQuery]) -> None:
    """ValueError if a value is not the mean of the values per query: somebody edited one."""
    if not any(name in query.values for query in queries.values()):
        return
    values = [query.values.get(name) for query in queries.values()]
    defined = [value for value in values if value is not None]
    if metric.queries != len(defined):
        msg = f"{name} is said to be of {metric.queries} queries, and {len(defined)} have a value"
        raise ValueError(msg)
    mean = math.fsum(defined) / len(defined)
    if not metric.weighted and abs(mean - metric.value) > 2 * 10.0**-DECIMALS * max(1.0, abs(mean)):
        msg = f"{name} is said to be {metric.value}, and its queries have a mean of {mean:.6f}"
        raise ValueError(msg)


_RANK = re.compile(r"([1-9][0-9]{0,17})-([1-9][0-9]{0,17})")


def read_rank(rank: Any) -> tuple[int, int]:
    """First and last rank of an item: the same unless it is tied."""
    if isinstance(rank, int) and not isinstance(rank, bool) and rank >= 1:
        return rank, rank
    match = _RANK.fullmatch(rank) if isinstance(rank, str) else None
    if match is None or int(match[1]) >= int(match[2]):
        msg = f"{rank!r:.40} is not a rank"
        raise ValueError(msg)
    return int(match[1]), int(match[2])


def write_rank(above: int, tied: int) -> int | str:
    """A rank as it is stored and shown."""
    return above + 1 if tied == 1 else f"{above + 1}-{above + tied}"


# Writing -----------------------------------------------------------------------------------------


def baseline_text(baseline: Baseline) -> str:
    """The file: sorted, one query per line."""
    parts = [
        f'  "format": {_dumped(FORMAT)}',
        f'  "gate": {_dumped(baseline.gate)}',
        _lines("metrics", {name: _plain_metric(one) for name, one in baseline.metrics.items()}),
    ]
    if baseline.slices:
        parts.append(_lines("slices", baseline.slices))
    if baseline.accepted:
        rows = ",\n".join(f"    {_dumped(one)}" for one in baseline.accepted)
        parts.append(f'  "accepted": [\n{rows}\n  ]')
    parts.append(_lines("queries", {name: _plain_query(q) for name, q in baseline.queries.items()}))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(name: str, table: Mapping[str, Any]) -> str:
    rows = ",\n".join(f"    {_dumped(key)}: {_dumped(table[key])}" for key in sorted(table))
    return f'  "{name}": {{\n{rows}\n  }}' if rows else f'  "{name}": {{}}'


def _plain_metric(metric: StoredMetric) -> dict[str, Any]:
    plain = {
        "value": round(metric.value, DECIMALS),
        "queries": metric.queries,
        "definition": dict(metric.definition),
    }
    return {**plain, "weighted": True} if metric.weighted else plain


def _plain_query(query: StoredQuery) -> dict[str, Any]:
    plain: dict[str, Any] = {"truth": query.truth, **query.values}
    for name in ("ranks", "n", "grades", "weight"):
        value = getattr(query, name)
        if value is not None:
            plain[name] = list(value) if name == "grades" else value
    return plain


_UNPRINTABLE = re.compile(r"[^ -~]")


def _dumped(value: Any) -> str:
    """JSON on one line; readable, and without any character that a terminal would act on."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNPRINTABLE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() else json.dumps(character)[1:-1]


def write_baseline(path: Path, baseline: Baseline, root: Path, shown: str) -> None:
    """Replace a file as a whole: a crash or a full disk leaves the old one as it was.

    Nothing is written outside of ``root``, and not through a symbolic link.
    """
    try:
        _refuse_links(path, root)
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, baseline_text(baseline).encode("utf-8"))
    except OSError as error:
        kept = "the old one is unchanged" if path.exists() else "nothing was written"
        msg = f"baseline {shown} cannot be written: {error.strerror or error}; {kept}"
        raise BaselineError(msg) from error


def _refuse_links(path: Path, root: Path) -> None:
    if path.is_symlink():
        msg = "it is a symbolic link"
        raise OSError(msg)
    if not path.parent.resolve().is_relative_to(root.resolve()):
        msg = f"it is outside of {root}"
        raise OSError(msg)


def _replace(path: Path, content: bytes) -> None:
    # The end differs from a baseline's, so that a file left behind by a crash is never read.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(temporary, flags | getattr(os, "O_BINARY", 0), 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
