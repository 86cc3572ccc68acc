"""Baseline files are written whole or not at all, and never over what another run has written."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_rankmetrics._support.files import replace_file
from pytest_rankmetrics.baseline.file import (
    DECIMALS,
    FORMAT,
    MAX_BYTES,
    Baseline,
    BaselineError,
    StoredMetric,
    StoredQuery,
)


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
    if metric.weighted:
        plain["weighted"] = True
    if metric.seal is not None:
        plain["seal"] = metric.seal
    return plain


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
            "store='scores' takes less"
        )
        raise OSError(msg)


def _refuse_changed(path: Path, read: bytes | None) -> None:
    if (path.read_bytes() if path.exists() else None) != read:
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
    links = [one for one in (path, *path.parents[: len(below.parts) - 1]) if one.is_symlink()]
    if links:
        what = "it" if links[0] == path else f"the directory {links[0].name}"
        msg = f"{what} is a symbolic link"
        raise OSError(msg)


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Keep other runs from writing into a directory, where the system can lock one.

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
