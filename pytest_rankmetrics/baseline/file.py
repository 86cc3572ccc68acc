"""Baseline files: read with distrust, and written whole or not at all.

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
import stat
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from pytest_rankmetrics.baseline.content import (
    DECIMALS,
    MOST_ITEMS,
    STEP,
    Baseline,
    Owner,
    StoredMetric,
    StoredQueries,
    StoredUnjudged,
    fingerprint,
    read_rank,
)
from pytest_rankmetrics.failures import RankGateFailure
from sklearn_rank.evaluation.averaging import mean_over
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.disk import replace_file
from sklearn_rank.support.text import safe_text
from sklearn_rank.typing import FloatArray

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


def _need(
    holds: bool, rule: str, *values: Any, error: type[ValueError | OSError] = ValueError
) -> None:
    """An error that shows values, unless something holds."""
    if not holds:
        raise error(rule.format(*values))


def _checked(content: Any) -> Baseline:
    given = content.get("format") if isinstance(content, dict) else type(content).__name__
    _need(given == FORMAT, "its format is {!r}, not {!r}", str(given)[:40], FORMAT)
    metrics = {name: _metric(name, row) for name, row in _table(content, "metrics").items()}
    _need(bool(metrics), "it holds no measure")
    queries = _queries(_table(content, "queries"), metrics)
    for name, metric in metrics.items():
        _check_mean(name, metric, queries)
    slices = {
        label: {name: _number(value, f"slice {label!r:.40}") for name, value in row.items()}
        for label, row in _table({"slices": {}, **content}, "slices").items()
    }
    name, accepted = content.get("name"), content.get("accepted", [])
    _need(isinstance(accepted, list), "accepted must be a list")
    _need(name is None or (isinstance(name, str) and name != ""), "its name is no text")
    owner = Owner(str(content.get("gate", "")), name or "")
    unjudged = _unjudged(content.get("unjudged"))
    seal = content.pop("seal", None)
    fits = None if seal is None else seal == fingerprint(content)
    return Baseline(owner, metrics, queries, slices, tuple(accepted), unjudged, fits)


def _table(content: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    table = content.get(name)
    rows = table.values() if isinstance(table, dict) else [None]
    _need(all(isinstance(row, dict) for row in rows), "{} must be an object of objects", name)
    return table  # type: ignore[return-value]


def _unjudged(row: Any) -> StoredUnjudged | None:
    """What is said of unjudged items; files of older versions say nothing."""
    if row is None:
        return None
    _need(isinstance(row, dict), "unjudged must be an object")
    top, depth, share = row.get("top"), row.get("depth"), _number(row.get("share"), "unjudged")
    counts = all(type(count) is int and 1 <= count < MOST_ITEMS for count in (top, depth or 1))
    rule = "unjudged needs the share of unjudged items in the first so many ranks"
    _need(counts and 0 <= share <= 1, rule)
    return StoredUnjudged(top, share, depth)


def _metric(name: str, row: Mapping[str, Any]) -> StoredMetric:
    queries, definition = row.get("queries"), row.get("definition")
    weighted = row.get("weighted", False)
    _need(type(queries) is int and queries >= 1, "{} has no number of queries", name)
    _need(isinstance(definition, dict), "{} has no definition", name)
    _need(isinstance(weighted, bool), "{} has a weighted that is no bool", name)
    return StoredMetric(_number(row.get("value"), name), queries, definition, weighted)  # type: ignore[arg-type]


def _number(value: Any, where: str) -> float:
    try:
        number = float(value) if type(value) in (int, float) else math.nan
    except OverflowError:
        number = math.inf
    _need(math.isfinite(number), "{} has {!r:.40} where a number is expected", where, value)
    return number


def _queries(
    table: Mapping[str, Mapping[str, Any]], metrics: Mapping[str, StoredMetric]
) -> StoredQueries:
    for key, row in table.items():
        _check_query(key, row)
    rows = list(table.values())

    def column(name: str, kind: Callable[[Any], Any] = lambda value: value) -> list[Any]:
        return [None if row.get(name) is None else kind(row[name]) for row in rows]

    named = [name for name in metrics if any(name in row for row in rows)]
    for name in named:
        absent = next((key for key, row in table.items() if name not in row), None)
        rule = "query {!r:.40} has no value of {}, which the others have"
        _need(absent is None, rule, absent, name)
    return StoredQueries(
        keys=list(table),
        truths=column("truth"),
        values={name: column(name, float) for name in named},
        ranks=column("ranks"),
        lengths=column("n"),
        grades=column("grades", lambda grades: tuple(map(float, grades))),
        weights=column("weight", float),
        unjudged=column("unjudged"),
        slices=column("slices"),
    )


def _check_query(key: str, row: Mapping[str, Any]) -> None:
    """ValueError unless a query has what it needs, and numbers that can be read."""
    for name, value in row.items():
        # The first test says yes to nearly all, and takes no call of a function.
        if type(value) is float and -math.inf < value < math.inf:
            continue
        if name == "weight" or (name not in _OWN_KEYS and value is not None):
            _number(value, f"query {key!r:.40}")
    for name in ("ranks", "unjudged"):
        if row.get(name) is not None:
            _check_ranks(key, row[name], row.get("n"))
    _need(isinstance(row.get("truth"), str), "query {!r:.40} has no digest of its judgements", key)
    if row.get("grades") is not None:
        grades, ranks = (
            [_number(grade, "grades") for grade in row["grades"]],
            row.get("ranks") or (),
        )
        rule = "query {!r:.40} has {} grades for {} ranks"
        _need(len(grades) == len(ranks), rule, key, len(grades), len(ranks))
    labels = row.get("slices") or ()
    texts = isinstance(labels, (list, tuple)) and all(isinstance(label, str) for label in labels)
    _need(texts, "query {!r:.40} has slices that are no list of labels", key)


def _check_ranks(key: str, ranks: Any, n: Any) -> None:
    counts = isinstance(ranks, dict) and type(n) is int and 0 <= n < MOST_ITEMS
    _need(counts, "query {!r:.40} needs ranks and n together", key)
    places = ranks.values()
    if set(map(type, places)) <= {int} and (not ranks or 1 <= min(places) <= max(places) <= n):
        return
    for item, rank in ranks.items():
        rule = "query {!r:.40} has {!r:.40} at rank {}, of {} items"
        _need(read_rank(rank)[1] <= n, rule, key, item, rank, n)


def _check_mean(name: str, metric: StoredMetric, queries: StoredQueries) -> None:
    """ValueError if a value is not the mean of the values per query: somebody edited one."""
    column = queries.values.get(name)
    if column is None:
        rule = "{} is said to be weighted, and no query has a value of it"
        _need(not metric.weighted, rule, name)
        return
    defined = [value for value in column if value is not None]
    rule = "{} is said to be of {} queries, and {} have a value"
    _need(metric.queries == len(defined), rule, name, metric.queries, len(defined))
    if metric.weighted:
        return  # the weights are in the data
    values, least = np.array(defined, dtype=np.float64), None
    # A measure with a function of the caller cannot be read from its name; none is geometric.
    with contextlib.suppress(ValueError):
        least = read_measure(name).metric.geometric_from
    mean = mean_over(values, None, least)
    near = abs(mean - metric.value) <= mean_tolerance(values, mean, least)
    rule = "{} is said to be {}, and its queries have a mean of {:.6f}"
    _need(near, rule, name, metric.value, mean)


def mean_tolerance(values: FloatArray, mean: float, least: float | None) -> float:
    """How far a mean may be off because it and its values are rounded.

    ``least`` is the ``geometric_from`` of the metric.
    """
    tolerance = 2 * STEP * max(1.0, abs(mean))
    if least is None:
        return tolerance
    # Half a step moves a logarithm by that over the value: much where the value is tiny.
    shares = STEP / np.maximum(values[~np.isnan(values)], least)
    return tolerance + mean * float(shares.mean()) if len(shares) else tolerance


# Writing -----------------------------------------------------------------------------------------


def baseline_text(baseline: Baseline) -> str:
    """The file: sorted, one query per line, with the fingerprint of all that it says."""
    metrics, queries = baseline.metrics, baseline.queries
    content: dict[str, Any] = {
        "format": FORMAT,
        "gate": baseline.owner.gate,
        "name": baseline.owner.name,
        "metrics": {name: _metric_row(metrics[name]) for name in sorted(metrics)},
    }
    if baseline.unjudged is not None:
        content["unjudged"] = _unjudged_row(baseline.unjudged, deep=queries.have_unjudged)
    if baseline.slices:
        content["slices"] = dict(sorted(baseline.slices.items()))
    if baseline.accepted:
        content["accepted"] = list(baseline.accepted)
    content["queries"] = dict(_query_rows(queries))
    parts = [_part(name, value) for name, value in content.items()]
    parts.insert(3, _part("seal", fingerprint(content)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _part(name: str, value: Any) -> str:
    """A value on one line; a table or list has one row on each."""
    if name == "accepted":
        rows, ends = [_dumped(drop) for drop in value], "[]"
    elif name in ("metrics", "slices", "queries"):
        rows, ends = [_dumped({key: row})[1:-1] for key, row in value.items()], "{}"
    else:
        return f'  "{name}": {_dumped(value)}'
    lines = ",\n".join(f"    {row}" for row in rows)
    return f'  "{name}": {ends[0]}\n{lines}\n  {ends[1]}' if rows else f'  "{name}": {ends}'


def _metric_row(metric: StoredMetric) -> dict[str, Any]:
    row = {
        "value": round(metric.value, DECIMALS),
        "queries": metric.queries,
        "definition": dict(metric.definition),
    }
    return {**row, "weighted": True} if metric.weighted else row


def _unjudged_row(unjudged: StoredUnjudged, *, deep: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"top": unjudged.top, "share": round(unjudged.share, DECIMALS)}
    return {**row, "depth": unjudged.depth} if deep else row


def _query_rows(queries: StoredQueries) -> Iterator[tuple[str, dict[str, Any]]]:
    for number in sorted(range(len(queries)), key=queries.keys.__getitem__):
        row: dict[str, Any] = {"truth": queries.truths[number]}
        for name, column in queries.values.items():
            row[name] = column[number]
        optional = {
            "ranks": queries.ranks[number],
            "n": queries.lengths[number],
            "grades": queries.grades[number],
            "weight": queries.weights[number],
            "unjudged": queries.unjudged[number],
            "slices": queries.slices[number],
        }
        row.update({name: value for name, value in optional.items() if value is not None})
        yield queries.keys[number], row


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)

_UNPRINTABLE = re.compile(r"[^ -~]")


def _dumped(value: Any) -> str:
    """One line of readable JSON without control characters, which a terminal would act on."""
    return _UNPRINTABLE.sub(_escaped, _ENCODER.encode(value))


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() else json.dumps(character)[1:-1]


def write_baseline(
    path: Path, baseline: Baseline, root: Path, shown: str, read: bytes | None = None
) -> None:
    """Replace a file as a whole: a crash or a full disk leaves the old one as it was.

    Nothing is written outside of ``root``, through a symbolic link, or where the file no longer
    holds what was ``read`` (None: no file): another run may have recorded a better value.
    """
    content = baseline_text(baseline).encode("utf-8")
    try:
        rule = "it would have {:,} bytes, and at most {:,} are read; store='values' takes less"
        _need(len(content) <= MAX_BYTES, rule, len(content), MAX_BYTES, error=OSError)
        _refuse_links(path, root)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            now = path.read_bytes() if path.is_file() else None
            _need(now == read, "another run has written it meanwhile; run again", error=OSError)
            replace_file(path, content)
    except OSError as error:
        kept = "the old one is unchanged" if path.exists() else "nothing was written"
        msg = f"baseline {shown} cannot be written: {error.strerror or error}; {kept}"
        raise BaselineError(msg) from error


def _refuse_links(path: Path, root: Path) -> None:
    """OSError for a link anywhere below ``root``: it may lead to a file of another project."""
    place, top = Path(os.path.abspath(path)), Path(os.path.abspath(root))
    inside = place.is_relative_to(top) and path.parent.resolve().is_relative_to(root.resolve())
    _need(inside, "it is outside of {}", root, error=OSError)
    for way in (path, *path.parents[: len(place.relative_to(top).parts) - 1]):
        what = "it" if way == path else f"the directory {way.name}"
        _need(not way.is_symlink(), "{} is a symbolic link", what, error=OSError)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Lock a directory against other runs, where the system can.

    The directory itself is locked: a file for the purpose would be left behind by a crash.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a network file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
