"""Runs and judgements to files of text."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from sklearn_rank.exceptions import FileFormatError, InvalidParameterError
from sklearn_rank.files.read import kind_of_name, read_qrels, read_run
from sklearn_rank.support.checks import check_flag, check_option
from sklearn_rank.support.disk import Kind, check_target, readable, write_whole
from sklearn_rank.support.text import safe_repr, safe_text

TextFormat: TypeAlias = Literal["trec", "csv"]
_FORMATS: tuple[str, ...] = get_args(TextFormat)
_Table: TypeAlias = dict[str, dict[str, float]]


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
        The suffix sets the format (by default TREC), and ``.gz`` the compression.
        The file appears whole or not at all.
    format : {"trec", "csv"}, default=None
        None infers it from the name.
    tag : str, default=""
        Name of the system in a TREC file; empty is "sklearn-rank".
    overwrite : bool, default=False
        Whether to replace an existing run; a file of another kind is never replaced.

    Raises
    ------
    FileExistsError
        If there is a file at ``path``, unless it is empty or ``overwrite`` is True.
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
    chosen, table = _check(path, format, "write_run", overwrite=overwrite), _Table()
    for query, ranking in run.items():
        if not isinstance(ranking, Mapping):
            items = list(ranking)
            ranking = dict(zip(items, range(len(items), 0, -1), strict=True))
        # Best first; equal scores as they came.
        best = sorted(ranking.items(), key=lambda pair: pair[1], reverse=True)
        table[_id(query)] = {_id(item): _number(score) for item, score in best}
    _write(table, path, chosen, "score", tag or "sklearn-rank")


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
        Whether to replace existing judgements.

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
    ...     path = os.path.join(folder, "q.csv.gz")
    ...     write_qrels({"q1": {"d7"}}, path)
    ...     read_qrels(path)["q1"]
    {'d7': 1}
    """
    chosen, table = _check(path, format, "write_qrels", overwrite=overwrite), _Table()
    for query, truth in qrels.items():
        if not isinstance(truth, Mapping):
            ordered = truth if isinstance(truth, (list, tuple)) else sorted(truth, key=str)
            truth = dict.fromkeys(ordered, 1)
        table[_id(query)] = {_id(item): _number(grade) for item, grade in truth.items()}
    _write(table, path, chosen, "grade", "")


def _id(value: Any) -> str:
    """An id as files hold it."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        msg = f"ids in files are text or whole numbers, got {safe_repr(value)}"
        raise TypeError(msg)
    return str(value)


def _number(value: Any) -> Any:
    """A number as files hold it, none of which has flags."""
    value = value.item() if hasattr(value, "item") else value
    if not isinstance(value, (int, float)):
        msg = f"scores and grades in files are numbers, got {safe_repr(value)}"
        raise TypeError(msg)
    return int(value) if isinstance(value, bool) else value


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
        what = f"{safe_text(str(path), limit=200)}: {chosen or suffix} is no format that is written"
        msg = f"{what}; pass format=, or a suffix of .run, .qrels, .csv or .tsv"
        raise InvalidParameterError(msg)
    return chosen


def _write(table: _Table, path: Any, form: str, kind: str, tag: str) -> None:
    """Write a table in a format, unless it would not be read back as it is."""
    name = os.fsdecode(os.fspath(path)).lower()
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t" if ".tsv" in name else ",", lineterminator="\n")
    if form == "csv":
        writer.writerow(("query", "item", kind))
    for query, items in table.items():
        if form == "csv":
            writer.writerows((query, item, number) for item, number in items.items())
            continue
        for rank, (item, number) in enumerate(items.items(), 1):
            whole = int(number) if number % 1 == 0 else number
            line = f"Q0 {item} {rank} {number!r} {tag}" if tag else f"0 {item} {whole!r}"
            out.write(f"{query} {line}\n")
    data = out.getvalue().encode()
    _refuse_changes(table, data, form, kind)
    with readable(path, "path", "written"):
        write_whole(path, gzip.compress(data, mtime=0) if name.endswith(".gz") else data)


def _refuse_changes(table: _Table, data: bytes, form: Any, kind: str) -> None:
    """ValueError if data would not be read back unchanged, such as an id with a space in TREC."""
    read: Any = read_run if kind == "score" else read_qrels
    table = {query: items for query, items in table.items() if items}
    reason = "would be read as something else"
    try:
        back = read(io.BytesIO(data), format=form) if table else {}
    except FileFormatError as error:
        back, reason = {}, str(error).removeprefix("<file>:").strip()
        if error.line:
            line = data.decode().split("\n")[error.line - 1]
            msg = f"{form} cannot hold {safe_repr(line)}: {reason.partition(' ')[2]}"
            raise ValueError(msg) from error
    for query, items in table.items():
        if back.get(query) != items:
            other = back.get(query, {})
            item = next((item for item, number in items.items() if other.get(item) != number), "")
            shown = f"item {safe_repr(item)} of query {safe_repr(query)}"
            msg = f"{form} cannot hold {shown}: it {reason}"
            raise ValueError(msg)
