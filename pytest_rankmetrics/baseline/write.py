"""Baseline files are written whole or not at all, and never over what another run has written."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_rankmetrics.baseline.content import (
    DECIMALS,
    Baseline,
    StoredMetric,
    StoredQueries,
    StoredUnjudged,
    fingerprint,
)
from pytest_rankmetrics.baseline.file import FORMAT, MAX_BYTES, BaselineError
from sklearn_rank.support.disk import replace_file


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
        _refuse_size(content)
        _refuse_links(path, root)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.parent):
            _refuse_changed(path, read)
            replace_file(path, content)
    except OSError as error:
        kept = "the old one is unchanged" if path.exists() else "nothing was written"
        msg = f"baseline {shown} cannot be written: {error.strerror or error}; {kept}"
        raise BaselineError(msg) from error


def _refuse_size(content: bytes) -> None:
    if len(content) > MAX_BYTES:
        msg = (
            f"it would have {len(content):,} bytes, and at most {MAX_BYTES:,} are read; "
            "store='values' takes less"
        )
        raise OSError(msg)


def _refuse_changed(path: Path, read: bytes | None) -> None:
    if (path.read_bytes() if path.is_file() else None) != read:
        msg = "another run has written it meanwhile; run again"
        raise OSError(msg)


def _refuse_links(path: Path, root: Path) -> None:
    """OSError for a link anywhere below ``root``: it may lead to a file of another project."""
    real = root.resolve()
    try:
        below = Path(os.path.abspath(path)).relative_to(os.path.abspath(root))
    except ValueError:
        below = None
    if below is None or not path.parent.resolve().is_relative_to(real):
        msg = f"it is outside of {root}"
        raise OSError(msg)
    ways = (path, *path.parents[: len(below.parts) - 1])
    links = [way for way in ways if way.is_symlink()]
    if links:
        what = "it" if links[0] == path else f"the directory {links[0].name}"
        msg = f"{what} is a symbolic link"
        raise OSError(msg)


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
