"""Runs and judgements from files: the first bytes, the name and the content tell the format."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from numbers import Real
from typing import IO, Any, Literal, TypeAlias, get_args

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingDataWarning
from sklearn_rank.files.jsons import read_json
from sklearn_rank.files.source import (
    MAX_BYTES,
    FileRows,
    LineBlock,
    Source,
    blocks,
    check_size,
    lines_of,
    opened,
    source_of,
)
from sklearn_rank.files.tables import (
    columnar_kind,
    read_columnar,
    read_lines,
    separator_of,
)
from sklearn_rank.inputs.arrays import CodedIds
from sklearn_rank.inputs.roles import Columns, check_columns, role_of
from sklearn_rank.inputs.tables import Qrels, Run, scores_of
from sklearn_rank.support.checks import EXACT_INTEGER, check_option
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import argument, format_list, safe_repr
from sklearn_rank.typing import Array

FileFormat: TypeAlias = Literal["trec", "csv", "jsonl", "json", "parquet", "arrow"]
FORMATS: tuple[str, ...] = get_args(FileFormat)
Duplicates: TypeAlias = Literal["raise", "mean", "max", "first"]
DUPLICATES: tuple[str, ...] = get_args(Duplicates)
SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".json": "json",
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), "arrow"),
    **dict.fromkeys((".trec", ".run", ".qrels", ".res", ".results"), "trec"),
}


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
        compressed with gzip.
    format : {"trec", "csv", "jsonl", "json", "parquet", "arrow"}, default=None
        None infers it from the first bytes, the name and the content.
    columns : mapping, default=None
        Column name by role ("query", "item", "score", "rank"), if it is not recognised; None for a
        role without a column.
    queries : sequence of str or path, default=None
        Ids of the queries of an ``_msearch`` response, in the order of its requests; or a file of
        ids, one per line.
    max_bytes : int, default=2 GiB
        Maximum size in bytes of a decompressed file or of a JSON file.

    Returns
    -------
    run : Run
        A mapping {query: {item: score}}, stored as columns. Ids are text. Without scores it maps to
        ranked lists, in the order of the ranks, or of the rows if there are none.

    Raises
    ------
    FileFormatError
        If a line violates the format, or the file exceeds ``max_bytes``.
    ColumnRoleError
        If the roles of the columns are ambiguous.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank import read_run
    >>> read_run(io.BytesIO(b"q1 Q0 d7 1 12.5 bm25\nq1 Q0 d2 2 9.25 bm25\n"))["q1"]
    {'d7': 12.5, 'd2': 9.25}
    """
    if isinstance(queries, (str, os.PathLike)):
        queries = lines_of(queries, "queries")
    source = source_of(path, max_bytes=max_bytes)._replace(queries=queries)
    rows = _read(source, format, columns, "read_run")
    read = dict(rows.columns)
    scores = scores_of(read.get("score"), read.get("distance"), source.name)
    numbers = {"scores": scores, "ranks": read.get("rank")}
    run = Run.from_columns(read["query"], read["item"], **numbers, **_facts(source, rows))
    return run.of_queries(list(rows.queries)) if len(rows.queries) > len(run) else run


def read_qrels(
    path: str | os.PathLike[str] | IO[bytes],
    *,
    format: FileFormat | None = None,
    columns: Mapping[str, str | None] | None = None,
    grades: Mapping[str, float] | None = None,
    duplicates: Duplicates = "raise",
    max_bytes: int = MAX_BYTES,
) -> Qrels:
    r"""Read relevance judgements from a file.

    Parameters
    ----------
    path, format, max_bytes
        As in :func:`read_run`.
    columns : mapping, default=None
        Column name by role ("query", "item", "grade"), if it is not recognised; None for a role
        without a column.
    grades : mapping of str to float, default=None
        Number for each grade that is text, such as {"E": 3, "S": 2, "C": 1, "I": 0} for ESCI.
    duplicates : {"raise", "mean", "max", "first"}, default="raise"
        How to combine several grades of an item for one query, such as two judges'; "raise"
        rejects different grades.

    Returns
    -------
    qrels : Qrels
        A mapping {query: {item: grade}}, stored as columns; without grades every item is relevant.

    Raises
    ------
    FileFormatError
        If a line violates the format, or the file exceeds ``max_bytes``.
    ColumnRoleError
        If the roles of the columns are ambiguous.

    Examples
    --------
    >>> import io
    >>> from sklearn_rank import read_qrels
    >>> read_qrels(io.BytesIO(b"query-id,corpus-id,score\nq1,d7,2\nq1,d2,0\n"))["q1"]
    {'d7': 2, 'd2': 0}
    """
    check_option(duplicates, "duplicates", DUPLICATES, "read_qrels")
    for text, grade in dict(grades or {}).items():
        if isinstance(grade, bool) or not isinstance(grade, Real) or not math.isfinite(grade):
            what = f"{safe_repr(text)} the grade {safe_repr(grade)}"
            msg = f"grades must be a mapping of strings to finite numbers; it gives {what}"
            raise InvalidParameterError(msg)
    source = source_of(path, max_bytes=max_bytes)._replace(is_run=False, grades=grades)
    rows = _read(source, format, columns, "read_qrels")
    values = rows.columns.get("grade")
    values = None if values is None else _whole(values)
    ids = rows.columns["query"], rows.columns["item"]
    qrels = Qrels.from_columns(*ids, grades=values, **_facts(source, rows))
    qrels = _with_one_grade_each(qrels, duplicates, source)
    return qrels.of_queries(list(rows.queries)) if len(rows.queries) > len(qrels) else qrels


def _whole(grades: Array) -> Array:
    """Grades as integers if all are whole, and exact as float64."""
    is_whole = (grades == np.rint(grades)).all() and np.abs(grades).max() <= EXACT_INTEGER
    return grades.astype(np.int64) if is_whole else grades


def _with_one_grade_each(qrels: Qrels, duplicates: Duplicates, source: Source) -> Qrels:
    """Each item once, with its first grade or the mean or greatest of all."""
    rows = qrels.repeated()
    by_item: dict[tuple[int, Any], list[int]] = {}
    for row, key in zip(rows.tolist(), qrels.keys_of(rows), strict=True):
        by_item.setdefault(key, []).append(row)
    if not by_item:
        return qrels
    grades = qrels.grades.astype(np.float64)
    for (number, item), rows_of_item in by_item.items():
        several = grades[rows_of_item]
        if duplicates == "raise" and (several != several[0]).any():
            both = " and ".join(f"{grade:g}" for grade in dict.fromkeys(several.tolist()))
            source.fail(
                None,
                f"judges item {safe_repr(item)} of query {safe_repr(qrels.query_ids[number])} "
                f"{len(several)} times, with grades {both}; pass {argument('duplicates', 'mean')}, "
                "'max' or 'first' to combine them",
            )
        if duplicates in ("mean", "max"):
            grades[rows_of_item[0]] = several.mean() if duplicates == "mean" else several.max()
    dropped = [row for rows_of_item in by_item.values() for row in rows_of_item[1:]]
    left = np.setdiff1d(np.arange(qrels.n_rows), dropped)
    return replace(qrels.take(left), grades=_whole(grades[left]))


def _facts(source: Source, rows: FileRows) -> dict[str, Any]:
    """Facts about the file of a table."""
    is_named = isinstance(source.path, (str, os.PathLike))
    path = os.path.realpath(os.fsdecode(source.path)) if is_named else ""
    facts = {"source": source.name, "path": path, "roles": rows.names, "doubts": rows.doubts}
    return facts | {"rising": rows.rising} if source.is_run else facts


# Reading ----------------------------------------------------------------------------------------


def _read(
    source: Source, format: FileFormat | None, columns: Columns | None, function: str
) -> FileRows:
    """The rows of a source, without those of judgements that lack a grade."""
    if format is not None:
        check_option(format, "format", FORMATS, function)
    source = source._replace(columns=check_columns(columns))
    with opened(source) as (file, head):
        kind = format or columnar_kind(head)
        if kind in ("parquet", "arrow"):
            rows = read_columnar(source, kind, file)
        else:
            rows = _read_text(source, kind, file, head)
    read, n_unrated = dict(rows.columns), 0
    if "grade" in read:
        rated = np.flatnonzero(~np.isnan(read["grade"]))
        n_unrated = len(read["grade"]) - len(rated)
        if n_unrated:
            for role, column in read.items():
                if isinstance(column, list):
                    read[role] = [column[n] for n in rated]
                else:
                    is_coded = isinstance(column, CodedIds)
                    read[role] = column.take(rated) if is_coded else column[rated]
    if not len(read.get("item", ())):
        what = f" with a grade, only {n_unrated:,} without" if n_unrated else ""
        if rows.queries and not what:
            what = f": there is no item for {format_list(rows.queries)}"
        source.fail(None, f"holds no rows{what}")
    if n_unrated:
        warn(
            f"{source.name}: {n_unrated:,} rows have no grade and are left out as unjudged",
            RankingDataWarning,
        )
    return rows._replace(columns=read)


def _read_text(source: Source, kind: str | None, file: io.BufferedReader, head: bytes) -> FileRows:
    """The rows of a file of text."""
    content = blocks(source, file, head)
    first = next(content, None)
    if first is None:
        source.fail(None, "is empty")
    content, kind = chain((first,), content), kind or _kind_of_text(source, first)
    if kind == "trec":
        _refuse_other_formats(source, first)
    if source.columns and kind == "trec":
        named = format_list(f"{role}={name or ''}" for role, name in source.columns.items())
        source.fail(
            None, f"has no named columns, so {argument('columns')} does not apply ({named})"
        )
    if kind in ("csv", "trec"):
        return read_lines(source, content, has_header=kind == "csv")
    data = b"".join(block.data for block in content)
    check_size(source, len(data), "holds")
    return read_json(source, data)


_NO_ROW = r"(?!\S+\s+\S+\s+\S+\s+[-+.\d]+(\s|$))"
"""Not before a line of TREC, whose fourth field is a rank or a grade."""
_OTHER_FORMATS = {
    r"\S+ qid:\S+( .*)?": (
        "is LETOR's format (grade qid:query feature:value), which has no item ids; "
        "sklearn.datasets.load_svmlight_file(path, query_id=True) reads its rows"
    ),
    rf"{_NO_ROW}(---|(- )?[\w'\"-]+:( .*)?)": "is YAML; save it as JSON",
}
"""Formats of files whose first line matches."""


def _first_line(first: LineBlock) -> str:
    """The first line that is not a comment."""
    lines = (line.decode().strip() for line in io.BytesIO(first.data))
    return next((line for line in lines if line and not line.startswith("#")), "")


def _refuse_other_formats(source: Source, first: LineBlock) -> None:
    """FileFormatError for lines of formats that are not read."""
    line = _first_line(first)
    for pattern, what in _OTHER_FORMATS.items():
        if re.fullmatch(pattern, line):
            source.fail(None, what)


def _kind_of_text(source: Source, first: LineBlock) -> str:
    """The format by the file's name, or by its first line if the name does not tell."""
    line = _first_line(first)
    by_name = kind_of_name(source.path)
    if by_name in ("jsonl", "json", "trec"):
        return by_name
    if line.startswith(("{", "[")):
        return "json"
    names = line.split(separator_of(line))
    said = {role for role, name in source.columns.items() if name in names}
    if {"query", "item"} <= {*map(role_of, names), *said}:
        return "csv"
    is_trec = len(line.split()) in (4, 6) and (by_name != "csv" or "," not in line)
    return "trec" if is_trec or by_name != "csv" else "csv"


def kind_of_name(path: Any) -> str | None:
    """The format of a file suffix."""
    if not isinstance(path, (str, os.PathLike)):
        return None
    name = os.fsdecode(os.fspath(path)).lower().removesuffix(".gz")
    return SUFFIXES.get(os.path.splitext(name)[1])
