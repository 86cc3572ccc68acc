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
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from pytest_rankmetrics.baseline.content import (
    MOST_ITEMS,
    STEP,
    Baseline,
    Owner,
    Row,
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


class BaselineError(RankGateFailure):
    """A baseline file cannot be read, or cannot be written."""


BaselineError.__module__ = "pytest_rankmetrics"


# Reading -----------------------------------------------------------------------------------------


def read_baseline(path: Path, shown: str) -> tuple[Baseline, bytes]:
    """The baseline in a file, and its bytes; BaselineError if anything is wrong with it."""
    try:
        state = path.stat()
        # Reading a pipe would wait for somebody to write.
        _need(stat.S_ISREG(state.st_mode), "it is not a regular file")
        _need(state.st_size <= MAX_BYTES, "it is larger than {:,} bytes", MAX_BYTES)
        read = path.read_bytes()
        parse = partial(
            json.loads,
            read.decode("utf-8"),
            parse_constant=lambda name: _need(False, "{} is not a number of JSON", name),
        )
        baseline = _checked(parse())
        if not baseline.seal_fits:  # a merge may leave both sides; the look takes a while
            parse(object_pairs_hook=_no_key_twice)
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        msg = f"baseline {shown} cannot be read: {safe_text(reason, limit=300)}"
        raise BaselineError(msg) from error
    return baseline, read


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
    _need(len(result) == len(pairs), "it has a key twice")
    return result


def _need(
    holds: bool, rule: str, *values: Any, error: type[ValueError | OSError] = ValueError
) -> None:
    """An error that shows values, unless something holds."""
    if not holds:
        raise error(rule.format(*values))


def _checked(content: Any) -> Baseline:
    given = content.get("format") if isinstance(content, dict) else type(content).__name__
    _need(given == FORMAT, "its format is {!r}, not {!r}", str(given)[:40], FORMAT)
    tables = {"metrics": None, "queries": None, "slices": {}, **content}
    for name in ("metrics", "queries", "slices"):
        table = tables[name]
        rows = table.values() if isinstance(table, dict) else [None]
        _need(all(isinstance(row, dict) for row in rows), "{} must be an object of objects", name)
    metrics, queries, slices = tables["metrics"], tables["queries"], tables["slices"]
    _need(bool(metrics), "it holds no measure")
    for name, row in metrics.items():
        number, weighted = row.get("queries"), row.get("weighted", False)
        _need(type(number) is int and number >= 1, "{} has no number of queries", name)
        _need(isinstance(row.get("definition"), dict), "{} has no definition", name)
        _need(isinstance(weighted, bool), "{} has a weighted that is no bool", name)
        _check_number(row.get("value"), name)
    for key, row in queries.items():
        _check_query(key, row)
    for name, row in metrics.items():
        _check_values(name, row, queries)
    for label, row in slices.items():
        for value in row.values():
            _check_number(value, f"slice {label!r:.40}")
    name, accepted = content.get("name"), content.get("accepted", [])
    _need(isinstance(accepted, list), "accepted must be a list")
    _need(name is None or (isinstance(name, str) and name != ""), "its name is no text")
    unjudged = content.get("unjudged")
    if unjudged is not None:  # files of older versions say nothing
        _need(isinstance(unjudged, dict), "unjudged must be an object")
        _check_number(unjudged.get("share"), "unjudged")
        counts = (unjudged.get("top"), unjudged.get("depth") or 1)
        fits = all(type(count) is int and 1 <= count < MOST_ITEMS for count in counts)
        rule = "unjudged needs the share of unjudged items in the first so many ranks"
        _need(fits and 0 <= unjudged["share"] <= 1, rule)
    seal = content.pop("seal", None)
    seal_fits = None if seal is None else seal == fingerprint(content)
    owner = Owner(str(content.get("gate", "")), name or "")
    return Baseline(owner, metrics, queries, slices, tuple(accepted), unjudged, seal_fits)


def _check_number(value: Any, where: str) -> None:
    """ValueError unless something is a finite number."""
    try:
        finite = type(value) in (int, float) and math.isfinite(value)
    except OverflowError:
        finite = False
    _need(finite, "{} has {!r:.40} where a number is expected", where, value)


def _check_query(key: str, row: Row) -> None:
    """ValueError unless a query has what it needs, and ranks that can be read."""
    _need(isinstance(row.get("truth"), str), "query {!r:.40} has no digest of its judgements", key)
    n: Any = row.get("n")
    for name in ("ranks", "unjudged"):
        ranks = row.get(name)
        if ranks is None:
            continue
        counts = isinstance(ranks, dict) and type(n) is int and 0 <= n < MOST_ITEMS
        _need(counts, "query {!r:.40} needs ranks and n together", key)
        places = ranks.values()
        if set(map(type, places)) <= {int} and (not ranks or 1 <= min(places) <= max(places) <= n):
            continue
        for item, rank in ranks.items():
            rule = "query {!r:.40} has {!r:.40} at rank {}, of {} items"
            _need(read_rank(rank)[1] <= n, rule, key, item, rank, n)
    if row.get("weight") is not None:
        _check_number(row["weight"], f"query {key!r:.40}")
    text = row.get("cluster") is None or isinstance(row["cluster"], str)
    _need(text, "query {!r:.40} has a cluster that is no label", key)
    if row.get("grades") is not None:
        grades = row["grades"]
        for grade in grades:
            _check_number(grade, "grades")
        ranks, rule = row.get("ranks") or (), "query {!r:.40} has {} grades for {} ranks"
        _need(len(grades) == len(ranks), rule, key, len(grades), len(ranks))
    if row.get("slices") is not None:
        labels = row["slices"]
        texts = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
        _need(texts, "query {!r:.40} has slices that are no list of labels", key)


def _check_values(name: str, metric: Row, queries: Mapping[str, Row]) -> None:
    """ValueError unless a value is the mean of the values per query: somebody edited one."""
    without = [key for key, row in queries.items() if name not in row]
    if len(without) == len(queries):
        rule = "{} is said to be weighted, and no query has a value of it"
        _need(not metric.get("weighted"), rule, name)
        return
    rule = "query {!r:.40} has no value of {}, which the others have"
    _need(not without, rule, *without[:1], name)
    defined = []
    for key, row in queries.items():
        value = row[name]
        if value is None:
            continue
        # The test says yes to nearly all, and takes no call of a function.
        if not (type(value) is float and -math.inf < value < math.inf):
            _check_number(value, f"query {key!r:.40}")
        defined.append(value)
    rule = "{} is said to be of {} queries, and {} have a value"
    _need(metric["queries"] == len(defined), rule, name, metric["queries"], len(defined))
    if metric.get("weighted"):
        return  # the weights are in the data
    values, least = np.array(defined, dtype=np.float64), None
    # A measure with a function of the caller cannot be read from its name; none is geometric.
    with contextlib.suppress(ValueError):
        least = read_measure(name).metric.geometric_from
    mean = mean_over(values, None, least)
    near = abs(mean - metric["value"]) <= mean_tolerance(values, mean, least)
    rule = "{} is said to be {}, and its queries have a mean of {:.6f}"
    _need(near, rule, name, metric["value"], mean)


def mean_tolerance(values: FloatArray, mean: float, least: float | None) -> float:
    """Largest rounding error of a recorded mean.

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
    optional = {
        "unjudged": baseline.unjudged,
        "slices": dict(sorted(baseline.slices.items())),
        "accepted": list(baseline.accepted),
    }
    content: dict[str, Any] = {
        "format": FORMAT,
        "gate": baseline.owner.gate,
        "name": baseline.owner.name,
        "metrics": dict(sorted(baseline.metrics.items())),
        **{name: value for name, value in optional.items() if value},
        "queries": dict(sorted(baseline.queries.items())),
    }
    parts = []
    for name, value in content.items():
        if name in ("metrics", "slices", "queries"):
            rows = [row[1:-1] for row in _dumped({key: row} for key, row in value.items())]
        elif name == "accepted":
            rows = _dumped(value)
        else:
            parts.append(f'  "{name}": {_dumped([value])[0]}')
            continue
        # One row on each line.
        start, end = "[]" if name == "accepted" else "{}"
        lines = "".join(f"\n    {row}," for row in rows)[:-1]
        parts.append(
            f'  "{name}": {start}{lines}\n  {end}' if rows else f'  "{name}": {start}{end}'
        )
    parts.insert(3, f'  "seal": "{fingerprint(content)}"')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _dumped(values: Iterable[Any]) -> list[str]:
    """Lines of readable JSON without control characters, which a terminal would act on.

    All are encoded at once, which is several times as fast as one by one, with a mark between them:
    no row has a list in a list, and within a text each quote has a backslash.
    """
    marked = [part for value in values for part in (value, [""])]
    text = json.dumps(marked, ensure_ascii=False, allow_nan=False)

    def escaped(match: re.Match[str]) -> str:
        return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]

    lines = re.sub(r"[^ -~]", escaped, text[1:-1]).split(', [""]')[:-1]
    return [line.removeprefix(", ") for line in lines]


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
    for part in (path, *path.parents[: len(place.relative_to(top).parts) - 1]):
        what = "it" if part == path else f"the directory {part.name}"
        _need(not part.is_symlink(), "{} is a symbolic link", what, error=OSError)


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
