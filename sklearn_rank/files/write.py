"""Runs and judgements to files of text."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.files.read import kind_of_name, read_qrels, read_run
from sklearn_rank.files.source import MAX_ID
from sklearn_rank.files.tables import EXACT, MAX_GRADE, TIMESTAMP, fault_of
from sklearn_rank.support.checks import check_flag, check_option
from sklearn_rank.support.disk import Kind, check_target, writable, write_whole
from sklearn_rank.support.text import safe_repr, safe_text

TextFormat: TypeAlias = Literal["trec", "csv", "jsonl", "json"]
_FORMATS: tuple[str, ...] = get_args(TextFormat)
_Row: TypeAlias = "tuple[str, str, float]"
"""Query, item and score or grade."""


def write_run(
    run: Mapping[Any, Any],
    path: str | os.PathLike[str],
    *,
    format: TextFormat | None = None,
    tag: str = "",
    overwrite: bool = False,
) -> None:
    """Write rankings to a file that :func:`read_run` reads back.

    Parameters
    ----------
    run : Run or mapping
        {query: {item: score}} or {query: ranked list}; a list gets falling scores.
    path : path
        Its suffix tells the format, and ``.gz`` the compression; without one the format is TREC's.
        The file appears whole or not at all.
    format : {"trec", "csv", "jsonl", "json"}, default=None
        None tells it from the name.
    tag : str, default=""
        Name of the system in a TREC file; empty is "sklearn-rank".
    overwrite : bool, default=False
        Whether to replace a run that is there already; a file of another kind is never replaced.

    Raises
    ------
    FileExistsError
        If there is a file at ``path``, unless it is empty or ``overwrite`` allows to replace it.
    ValueError, TypeError
        If an id or a number cannot be written in the format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_rank import write_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "bm25.run")
    ...     write_run({"q1": {"d2": 9.25, "d7": 12.5}}, path, tag="bm25")
    ...     print(path.read_text(), end="")
    q1 Q0 d7 1 12.5 bm25
    q1 Q0 d2 2 9.25 bm25
    """
    chosen = _check(path, format, "write_run", overwrite=overwrite)
    rows: list[_Row] = []
    for query, ranking in run.items():
        if not isinstance(ranking, Mapping):
            items = list(ranking)
            ranking = dict(zip(items, range(len(items), 0, -1), strict=True))
        # Best first; equal scores as they came.
        best = sorted(ranking.items(), key=lambda pair: pair[1], reverse=True)
        rows += [_row(query, item, score) for item, score in best]
    _write(rows, path, chosen, "score", tag or "sklearn-rank")


def write_qrels(
    qrels: Mapping[Any, Any],
    path: str | os.PathLike[str],
    *,
    format: TextFormat | None = None,
    overwrite: bool = False,
) -> None:
    """Write judgements to a file that :func:`read_qrels` reads back.

    Parameters
    ----------
    qrels : Qrels or mapping
        {query: {item: grade}}, or {query: set or list of relevant items}, which get grade 1.
    path, format
        As in :func:`write_run`.
    overwrite : bool, default=False
        Whether to replace judgements that are there already.

    Raises
    ------
    FileExistsError
        As in :func:`write_run`.
    ValueError, TypeError
        If an id or a grade cannot be written in the format.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn_rank import read_qrels, write_qrels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "q.jsonl.gz")
    ...     write_qrels({"q1": {"d7"}}, path)
    ...     read_qrels(path)["q1"]
    {'d7': 1}
    """
    chosen = _check(path, format, "write_qrels", overwrite=overwrite)
    rows: list[_Row] = []
    for query, truth in qrels.items():
        if not isinstance(truth, Mapping):
            ordered = truth if isinstance(truth, (list, tuple)) else sorted(truth, key=str)
            truth = dict.fromkeys(ordered, 1)
        rows += [_row(query, item, grade) for item, grade in truth.items()]
    large = next(((query, grade) for query, _, grade in rows if abs(grade) >= MAX_GRADE), None)
    if large:
        msg = f"query {safe_repr(large[0])} has the grade {large[1]}, which is too large for one"
        raise ValueError(msg)
    _write(rows, path, chosen, "grade", "")


# Rows -------------------------------------------------------------------------------------------


def _row(query: Any, item: Any, value: Any) -> _Row:
    number = value.item() if hasattr(value, "item") else value
    problem = fault_of(number, is_grade=False)
    if problem:
        msg = f"query {safe_repr(query)} holds {safe_repr(value)}, which {problem}"
        raise ValueError(msg)
    if isinstance(number, int):  # Arrow takes no larger integer among floats
        number = int(number) if abs(number) <= EXACT else float(number)
    return _id(query), _id(item), number


def _id(value: Any) -> str:
    """An id as files hold it; an error if it would not be read back as it is."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        msg = f"ids in files are text or whole numbers, got {safe_repr(value)}"
        raise TypeError(msg)
    text = str(value)
    if not 0 < len(text) <= MAX_ID:
        msg = f"ids in files have 1 to {MAX_ID:,} characters, got {safe_repr(text)}"
        raise ValueError(msg)
    return text


# Files ------------------------------------------------------------------------------------------


def _check(path: Any, format: str | None, function: str, *, overwrite: bool) -> str:
    """The format to write, unless the file's name or an existing file forbids it."""
    check_flag(overwrite, "overwrite", function)
    if format is not None:
        check_option(format, "format", _FORMATS, function)
    noun, read = ("a run", read_run) if function == "write_run" else ("judgements", read_qrels)

    def holds(there: Path) -> bool:
        with suppress(ValueError):
            return bool(read(there))
        return False

    check_target(path, Kind(noun, holds) if overwrite else None)
    suffix = os.path.splitext(os.fsdecode(os.fspath(path)).lower())[1]
    chosen = format or kind_of_name(path) or ("trec" if suffix in ("", ".txt", ".gz") else "")
    if chosen not in _FORMATS:
        what = f"{safe_text(str(path))}: {chosen or suffix} is no format that is written"
        msg = f"{what}; pass format=, or a suffix of .run, .qrels, .csv, .tsv, .jsonl, .json"
        raise InvalidParameterError(msg)
    return chosen


def _write(rows: list[_Row], path: Any, form: str, kind: str, tag: str) -> None:
    """Write rows in a format, compressed as the name says."""
    name = os.fsdecode(os.fspath(path)).lower()
    if form == "trec":
        data = _trec(rows, tag)
    elif form == "csv":
        data = _csv(rows, kind, "\t" if ".tsv" in name else ",")
    else:
        queries: dict[str, dict[str, float]] = {}
        for query, item, number in rows:
            queries.setdefault(query, {})[item] = number
        key = "results" if kind == "score" else "relevant"
        lines = [json.dumps(queries, ensure_ascii=False, indent=1)]
        if form == "jsonl":
            parts = [{"query": query, key: items} for query, items in queries.items()]
            lines = [json.dumps(part, ensure_ascii=False) for part in parts]
        data = "".join(f"{line}\n" for line in lines).encode()
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    with writable(path, "path"):
        write_whole(path, data)


def _trec(rows: list[_Row], tag: str) -> bytes:
    """Lines of a run, or without a tag of judgements."""
    for value in {text for query, item, _ in rows for text in (query, item)}:
        # What splits a line of bytes, and what would make it a comment or no text.
        data = value.encode()
        if data.split() != [data] or value.startswith(("#", "\ufeff")) or "\0" in value:
            msg = f"the id {safe_repr(value)} cannot stand in a TREC file; write another format"
            raise ValueError(msg)
    if tag and tag.encode().split() != [tag.encode()]:
        msg = f"tag must be one word, got {safe_repr(tag)}"
        raise ValueError(msg)
    lines, rank, before = [], 0, None
    for query, item, number in rows:
        rank, before = (rank + 1 if query == before else 1), query
        if tag:
            lines.append(f"{query} Q0 {item} {rank} {number!r} {tag}\n")
        elif number == int(number) and abs(number) < TIMESTAMP:
            lines.append(f"{query} 0 {item} {int(number)}\n")
        else:
            msg = f"the grade {number!r} of a TREC file must be a whole number below 10^8"
            raise ValueError(msg)
    return "".join(lines).encode()


def _csv(rows: list[_Row], kind: str, separator: str) -> bytes:
    """Lines under a header; ValueError for text that would not stay in its line."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(("query", "item", kind))
    for row in rows:
        broken = [text for text in row[:2] if {"\n", "\r", "\0"} & {*text}]
        if broken:
            msg = f"the id {safe_repr(broken[0])} holds a line break or NUL, which CSV cannot hold"
            raise ValueError(msg)
        writer.writerow(row)
    return out.getvalue().encode()
