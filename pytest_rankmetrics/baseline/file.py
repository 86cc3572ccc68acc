"""Baseline files are read with distrust.

A file holds what is needed to judge the next run and to explain a drop: values and ranks of the
relevant items of each query, and a digest of the judgements. It has no dates, hosts or versions,
so that the same system writes the same bytes anywhere.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import stat
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from pytest_rankmetrics.baseline.content import (
    MOST_ITEMS,
    STEP,
    Baseline,
    StoredMetric,
    StoredQueries,
    StoredUnjudged,
    fingerprint,
    read_rank,
)
from pytest_rankmetrics.baseline.owner import Owner
from pytest_rankmetrics.failures import RankGateFailure
from pytest_rankmetrics.measuring.means import mean_tolerance
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.text import safe_text

FORMAT = "rank-baseline/1"
MAX_BYTES = 256 * 2**20
"""Two million queries; JSON of this size takes some gigabytes to read."""

_OWN_KEYS = frozenset(("truth", "ranks", "grades", "n", "weight", "unjudged", "slices"))


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
    state = path.stat()
    if not stat.S_ISREG(state.st_mode):
        msg = "it is not a regular file"  # reading a pipe would wait for somebody to write
        raise ValueError(msg)
    if state.st_size > MAX_BYTES:
        msg = f"it is larger than {MAX_BYTES:,} bytes"
        raise ValueError(msg)
    return path.read_bytes()


def recorded_gate(path: Path) -> str:
    """Node id of the test whose gate wrote a baseline, from its first lines; "" if unreadable."""
    if not path.is_file():
        return ""
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
        given = content.get("format") if isinstance(content, dict) else type(content).__name__
        msg = f"its format is {str(given)[:40]!r}, not {FORMAT!r}"
        raise ValueError(msg)
    metrics = {name: _metric(name, row) for name, row in _table(content, "metrics").items()}
    queries = _queries(_table(content, "queries"), metrics)
    if not metrics:
        msg = "it holds no measure"
        raise ValueError(msg)
    for name, metric in metrics.items():
        _check_mean(name, metric, queries)
    slices = {
        label: {name: _number(value, f"slice {label!r:.40}") for name, value in row.items()}
        for label, row in _table({"slices": {}, **content}, "slices").items()
    }
    accepted = content.get("accepted", [])
    if not isinstance(accepted, list):
        msg = "accepted must be a list"
        raise TypeError(msg)
    unjudged = _unjudged(content.get("unjudged"))
    seal = content.pop("seal", None)
    fits = None if seal is None else seal == fingerprint(content)
    return Baseline(_owner(content), metrics, queries, slices, tuple(accepted), unjudged, fits)


def _unjudged(row: Any) -> StoredUnjudged | None:
    """What is said of unjudged items; files of older versions say nothing."""
    if row is None:
        return None
    if not isinstance(row, dict):
        msg = "unjudged must be an object"
        raise TypeError(msg)
    top, depth = row.get("top"), row.get("depth")
    share = _number(row.get("share"), "unjudged")
    counts = [top] if depth is None else [top, depth]
    if not all(map(_is_count, counts)) or not 0 <= share <= 1:
        msg = "unjudged needs the share of unjudged items in the first so many ranks"
        raise ValueError(msg)
    return StoredUnjudged(int(row["top"]), share, depth)


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value < MOST_ITEMS


def _owner(content: Mapping[str, Any]) -> Owner:
    name = content.get("name")
    if name is not None and not (isinstance(name, str) and name):
        msg = "its name is no text"
        raise TypeError(msg)
    return Owner(str(content.get("gate", "")), name or "")


def _table(content: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    table = content.get(name)
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        msg = f"{name} must be an object of objects"
        raise TypeError(msg)
    return table


def _metric(name: str, row: Mapping[str, Any]) -> StoredMetric:
    value, queries = _number(row.get("value"), name), row.get("queries")
    if isinstance(queries, bool) or not isinstance(queries, int) or queries < 1:
        msg = f"{name} has no number of queries"
        raise TypeError(msg)
    if not isinstance(row.get("definition"), dict):
        msg = f"{name} has no definition"
        raise TypeError(msg)
    weighted = row.get("weighted", False)
    if not isinstance(weighted, bool):
        msg = f"{name} has a weighted that is no bool"
        raise TypeError(msg)
    return StoredMetric(value, queries, row["definition"], weighted)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        msg = f"{where} has {value!r:.40} where a number is expected"
        raise TypeError(msg)
    return number


# Queries -----------------------------------------------------------------------------------------


def _queries(
    table: Mapping[str, Mapping[str, Any]], metrics: Mapping[str, StoredMetric]
) -> StoredQueries:
    for key, row in table.items():
        _check_query(key, row)
    rows = list(table.values())
    grades = [row.get("grades") for row in rows]
    weights = [row.get("weight") for row in rows]
    return StoredQueries(
        keys=list(table),
        truths=[row["truth"] for row in rows],
        values={name: _column(name, table) for name in metrics if any(name in row for row in rows)},
        ranks=[row.get("ranks") for row in rows],
        lengths=[row.get("n") for row in rows],
        grades=[None if own is None else tuple(map(float, own)) for own in grades],
        weights=[None if weight is None else float(weight) for weight in weights],
        unjudged=[row.get("unjudged") for row in rows],
        slices=[row.get("slices") for row in rows],
    )


def _column(name: str, table: Mapping[str, Mapping[str, Any]]) -> list[float | None]:
    absent = next((key for key, row in table.items() if name not in row), None)
    if absent is not None:
        msg = f"query {absent!r:.40} has no value of {name}, which the others have"
        raise ValueError(msg)
    values = [row[name] for row in table.values()]
    return [None if value is None else float(value) for value in values]


def _check_query(key: str, row: Mapping[str, Any]) -> None:
    """TypeError or ValueError unless a query has what it needs, and numbers that can be read."""
    for name, value in row.items():
        # The first test says yes to nearly all, and takes no call of a function.
        if type(value) is float and -math.inf < value < math.inf:
            continue
        if name not in _OWN_KEYS and value is not None:
            _number(value, f"query {key!r:.40}")
    for name in ("ranks", "unjudged"):
        if row.get(name) is not None:
            _check_ranks(key, row[name], row.get("n"))
    if not isinstance(row.get("truth"), str):
        msg = f"query {key!r:.40} has no digest of its judgements"
        raise TypeError(msg)
    if row.get("grades") is not None:
        grades, ranks = [_number(grade, "grades") for grade in row["grades"]], row.get("ranks")
        if len(grades) != len(ranks or ()):
            msg = f"query {key!r:.40} has {len(grades)} grades for {len(ranks or ())} ranks"
            raise ValueError(msg)
    if "weight" in row:
        _number(row["weight"], f"query {key!r:.40}")
    labels = row.get("slices", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        msg = f"query {key!r:.40} has slices that are no list of labels"
        raise TypeError(msg)


def _check_ranks(key: str, ranks: Any, n: Any) -> None:
    if not isinstance(ranks, dict) or type(n) is not int or not 0 <= n < MOST_ITEMS:
        msg = f"query {key!r:.40} needs ranks and n together"
        raise TypeError(msg)
    places = ranks.values()
    if set(map(type, places)) <= {int} and (not ranks or 1 <= min(places) <= max(places) <= n):
        return
    for item, rank in ranks.items():
        if read_rank(rank)[1] > n:
            msg = f"query {key!r:.40} has {item!r:.40} at rank {rank}, of {n} items"
            raise ValueError(msg)


def _check_mean(name: str, metric: StoredMetric, queries: StoredQueries) -> None:
    """ValueError if a value is not the mean of the values per query: somebody edited one."""
    if name not in queries.values:
        if metric.weighted:
            msg = f"{name} is said to be weighted, and no query has a value of it"
            raise ValueError(msg)
        return
    defined = [value for value in queries.values[name] if value is not None]
    if metric.queries != len(defined):
        msg = f"{name} is said to be of {metric.queries} queries, and {len(defined)} have a value"
        raise ValueError(msg)
    if not defined:
        msg = f"{name} is said to be {metric.value}, and no query has a defined value of it"
        raise ValueError(msg)
    if metric.weighted:
        return  # the weights are in the data
    values, least = np.array(defined, dtype=np.float64), None
    # A measure with a function of the caller cannot be read from its name; none is geometric.
    with contextlib.suppress(ValueError):
        least = read_measure(name).metric.geometric_from
    mean = mean_over(values, None, least)
    if abs(mean - metric.value) > mean_tolerance(values, mean, least, STEP):
        msg = f"{name} is said to be {metric.value}, and its queries have a mean of {mean:.6f}"
        raise ValueError(msg)
