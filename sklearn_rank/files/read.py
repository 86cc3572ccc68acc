"""Runs and judgements from files: the first bytes, the name and the content tell the format."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from numbers import Real
from typing import IO, Any, Literal, TypeAlias, get_args

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingDataWarning
from sklearn_rank.files.columnar import add_columnar, columnar_kind
from sklearn_rank.files.jsons import add_json, looks_like_lines
from sklearn_rank.files.queries import read_ids
from sklearn_rank.files.source import MAX_BYTES, Block, Source, blocks, opened, source_of
from sklearn_rank.files.text import MAX_GRADE, FileColumns, Rows, add_lines, separator_of
from sklearn_rank.inputs.roles import Columns, check_columns, role_of
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.support.checks import check_option
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array

FileFormat: TypeAlias = Literal["trec", "csv", "jsonl", "json", "parquet", "arrow"]
FORMATS: tuple[str, ...] = get_args(FileFormat)
SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    **dict.fromkeys((".trec", ".run", ".qrels", ".res", ".results"), "trec"),
}
_COMPRESSED = (".gz", ".bz2", ".zst")
_LETOR = re.compile(r"\S+\s+qid:\S")
_PARSERS: Mapping[str, Callable[[Rows, Iterable[Block], Columns | None], Iterator[None]]] = {
    "trec": partial(add_lines, has_header=False),
    "csv": partial(add_lines, has_header=True),
    "json": partial(add_json, is_lines=False),
    "jsonl": partial(add_json, is_lines=True),
}
"""Add blocks of a file to its rows; JSON takes all of them at once."""


def read_run(
    path: str | os.PathLike[str] | IO[bytes],
    *,
    format: FileFormat | None = None,
    columns: Mapping[str, str | None] | None = None,
    queries: Sequence[str] | os.PathLike[str] | None = None,
    max_bytes: int = MAX_BYTES,
) -> Run:
    r"""Read the rankings of a system from a file.

    Parameters
    ----------
    path : path or binary file
        TREC run, CSV or TSV with a header, JSON, JSON Lines, Parquet or Arrow IPC; text may be
        compressed by gzip, bzip2 or Zstandard.
    format : {"trec", "csv", "jsonl", "json", "parquet", "arrow"}, default=None
        None tells it from the first bytes, the name and the content.
    columns : mapping, default=None
        Column of a role ("query", "item", "score", "rank") whose name is not recognised, or None
        for a role that no column has.
    queries : sequence of str or path, default=None
        Ids of the queries of an ``_msearch`` response, in the order of its requests; or the file
        of these requests, or of ids.
    max_bytes : int, default=2 GiB
        Bytes to which a compressed file may grow, and that a JSON file may hold.

    Returns
    -------
    run : Run
        A mapping {query: {item: score}}, kept as columns. Ids are text. Without scores it maps to
        ranked lists, in the order of the ranks, or of the rows if there are none.

    Raises
    ------
    FileFormatError
        If a line is not what the format demands, or the limit is passed; file and line are named.
    ColumnRoleError
        If it is not clear which column holds what.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank import read_run
    >>> read_run(io.BytesIO(b"q1 Q0 d7 1 12.5 bm25\nq1 Q0 d2 2 9.25 bm25\n"))["q1"]
    {'d7': 12.5, 'd2': 9.25}
    """
    ids = read_ids(queries, "queries") if isinstance(queries, (str, os.PathLike)) else queries
    return run_of(source_of(path, max_bytes=max_bytes), format, columns, ids)


def run_of(
    source: Source,
    format: FileFormat | None,
    columns: Columns | None,
    queries: Sequence[str] | None = None,
) -> Run:
    """The rankings of a source."""
    rows = Rows(source, is_run=True, queries=queries)
    query_ids, items, numbers, role, ranks = _read(rows, format, columns)
    by_rank = {"ranks": numbers} if role == "rank" else {"scores": numbers, "ranks": ranks}
    run = Run.from_columns(query_ids, items, tag=rows.tag, **by_rank, **_facts(rows))
    return run.of_queries(rows.all_queries) if len(rows.all_queries) > len(run) else run


def read_qrels(
    path: str | os.PathLike[str] | IO[bytes],
    *,
    format: FileFormat | None = None,
    columns: Mapping[str, str | None] | None = None,
    grades: Mapping[str, float] | None = None,
    max_bytes: int = MAX_BYTES,
) -> Qrels:
    r"""Read relevance judgements from a file.

    Parameters
    ----------
    path, format, max_bytes
        As in :func:`read_run`.
    columns : mapping, default=None
        Column of a role ("query", "item", "grade") whose name is not recognised, or None for a
        role that no column has.
    grades : mapping of str to float, default=None
        Grade of each text where grades are text, as {"E": 3, "S": 2, "C": 1, "I": 0} for ESCI.

    Returns
    -------
    qrels : Qrels
        A mapping {query: {item: grade}}, kept as columns; without grades every item is relevant.

    Raises
    ------
    FileFormatError
        If a line is not what the format demands, or the limit is passed; file and line are named.
    ColumnRoleError
        If it is not clear which column holds what.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank import read_qrels
    >>> read_qrels(io.BytesIO(b"query-id,corpus-id,score\nq1,d7,2\nq1,d2,0\n"))["q1"]
    {'d7': 2, 'd2': 0}
    """
    source = source_of(path, max_bytes=max_bytes)
    return qrels_of(source, format, columns, grades)


def qrels_of(
    source: Source,
    format: FileFormat | None,
    columns: Columns | None,
    grades_of: Mapping[str, float] | None = None,
) -> Qrels:
    """The judgements of a source."""
    if grades_of is not None:
        for text, grade in dict(grades_of).items():
            if isinstance(grade, bool) or not isinstance(grade, Real) or not math.isfinite(grade):
                what = f"{safe_repr(text)} the grade {safe_repr(grade)}"
                msg = f"grades must be a mapping of texts to finite numbers; it gives {what}"
                raise InvalidParameterError(msg)
    rows = Rows(source, is_run=False, grades=grades_of)
    queries, items, grades, *_ = _read(rows, format, columns)
    if rows.n_unrated:
        warn(
            f"{source.name}: {rows.n_unrated:,} rows have no grade and are left out, as not judged",
            RankingDataWarning,
        )
    if grades is not None:
        grades = whole_grades(source, grades)
    qrels = Qrels.from_columns(queries, items, grades=grades, **_facts(rows))
    return qrels.of_queries(rows.all_queries) if len(rows.all_queries) > len(qrels) else qrels


def _facts(rows: Rows) -> dict[str, Any]:
    """Facts about the file of a table."""
    names = ("comments", "unread", "roles", "doubts")
    return {"source": rows.source.name, **{name: getattr(rows, name) for name in names}}


def whole_grades(source: Source, grades: Array) -> Array:
    """Grades as integers if all are whole; FileFormatError if one is too large to be exact."""
    largest = grades[np.abs(grades).argmax()]
    if abs(float(largest)) >= MAX_GRADE:
        source.fail(None, f"grade {largest} is too large for a grade")
    return grades.astype(np.int64) if (grades == np.rint(grades)).all() else grades


# Reading ----------------------------------------------------------------------------------------


def _read(rows: Rows, format: FileFormat | None, columns: Columns | None) -> FileColumns:
    """All rows of a source of any format."""
    source = rows.source
    if format is not None:
        check_option(format, "format", FORMATS, "read_run" if rows.is_run else "read_qrels")
    check_columns(columns)
    with opened(source) as (file, head):
        kind = format or columnar_kind(head)
        if kind not in ("parquet", "arrow"):
            for _ in _parsed(rows, kind, columns, file, head):
                pass
            return rows.take()
        if not (isinstance(source.path, (str, os.PathLike)) and os.path.isfile(source.path)):
            rows.source = source._replace(path=file)  # as a pipe, which cannot be opened again
        add_columnar(rows, kind, columns)
    return rows.take()


def read_parts(
    source: Source, format: FileFormat | None, columns: Columns | None, *, is_run: bool
) -> Generator[FileColumns]:
    """The rows of a file of text, some at a time; of JSON all at once."""
    rows = Rows(source, is_run)
    with opened(source) as (file, head):
        for _ in _parsed(rows, format, columns, file, head):
            if rows.parts:  # else a block of comments
                yield rows.take()
    if not rows.n_rows:
        rows.take()  # which says that there are none


def _parsed(
    rows: Rows, kind: str | None, columns: Columns | None, file: io.BufferedReader, head: bytes
) -> Iterator[None]:
    """Add a file of text to the rows, block by block."""
    source = rows.source
    if head.startswith(b"PK\x03\x04"):
        source.fail(None, "is an archive or a spreadsheet; unpack it, or save it as CSV")
    at_once = (kind or kind_of_name(source.path)) == "json"
    content = blocks(source, file, head, at_once=at_once)
    first = next(content, None)
    if first is None:
        source.fail(None, "is empty")
    kind = kind or _text_kind(source, first, columns or {})
    if columns and kind == "trec":
        named = format_list(f"{role}={name or ''}" for role, name in columns.items())
        source.fail(None, f"has no named columns, which columns= is about ({named})")
    return _PARSERS[kind](rows, chain((first,), content), columns)


def _text_kind(source: Source, first: Block, columns: Columns) -> str:
    """The format by the file's name, and by its first line where the name does not tell."""
    start = io.BytesIO(first.data)
    lines = (line.decode().strip() for line in start)
    line = next((line for line in lines if line and not line.startswith("#")), "")
    by_name = kind_of_name(source.path)
    if _LETOR.match(line):
        source.fail(
            None,
            "holds grades and features of LETOR or SVMlight; read arrays instead: X, y, qid = "
            "sklearn.datasets.load_svmlight_file(path, query_id=True), and pass groups=qid",
        )
    if by_name in ("jsonl", "json", "trec"):
        return by_name
    if line.startswith(("{", "[")):
        return "jsonl" if looks_like_lines(line) else "json"
    names = line.split(separator_of(line))
    said = {role for role, name in columns.items() if name in names}
    if {"query", "item"} <= {*map(role_of, names), *said}:
        return "csv"
    is_trec = len(line.split()) in (4, 6) and (by_name != "csv" or "," not in line)
    return "trec" if is_trec or by_name != "csv" else "csv"


def kind_of_name(path: Any) -> str | None:
    """The format that a file's suffix stands for."""
    if not isinstance(path, (str, os.PathLike)):
        return None
    name = os.fsdecode(os.fspath(path)).lower()
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    return SUFFIXES.get(os.path.splitext(name)[1])
