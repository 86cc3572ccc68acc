"""Tables: TREC's formats, CSV and the like, Parquet and Arrow.

A TREC run has six fields (query, Q0, item, rank, score, tag), and fields after the tag are ignored,
as in trec_eval; judgements have four (query, 0, item, grade). White space separates fields, and
lines that begin with ``#`` are comments. In CSV a header names the columns; a line feed inside
quotes is refused.

Polars, if installed, parses large blocks of regular lines. Other blocks are split in Python, which
gives the same rows, or the error of a line.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, compress
from operator import not_
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.source import BOM, FileRows, LineBlock, Source, polars_or_none
from sklearn_rank.inputs.frames import different_values
from sklearn_rank.inputs.hits import list_among
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    Role,
    find_roles,
    refuse_unread,
    role_of,
    text_grades,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import doubt_of_rising, doubt_of_ties
from sklearn_rank.support.checks import EXACT_INTEGER
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array

TIMESTAMP = 10**8
"""A grade this large in a file without column names is probably seconds since 1970."""
INEXACT = "is an integer beyond 2^53 that float64 cannot hold; subtract a constant from all"
LARGE, LARGE_ONCE_LOADED = 1 << 21, 1 << 16
"""Bytes of a block from which Polars saves more time than its import, or a call, takes."""
_LOOKED_LINES = 5_000
"""Rows whose ranks are compared with scores."""
_SPACE, _LINE_FEED = 32, 10
WINDOW = 1 << 16
"""Bytes that stay in a core's cache while they are compared."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_DIGITS, _DECIMALS = re.compile(r"[0-9+\- ]*"), re.compile(r"[0-9+\-.eE ]*")
"""Many numbers, among them nothing like "nan" or "1_0"."""
_ID_ROLES: tuple[Role, ...] = ("query", "item")


class _Form(NamedTuple):
    """Fields of a line; all lines have the same number."""

    names: list[str]
    fields: Mapping[str, int]
    """Numbers of the fields that are read, by role, or by name where it has none."""
    spare: Sequence[str] = ()
    """Fields without a role that may hold a missing number."""
    separator: str = ""
    """Empty for white space of any length, as in TREC's formats."""

    @property
    def is_trec_run(self) -> bool:
        """Whether fields may follow the last one."""
        return not self.separator and len(self.names) == len(_RUN.names)

    @property
    def numbers(self) -> list[Any]:
        """Roles of numbers."""
        return [role for role in self.fields if role not in (*_ID_ROLES, *self.spare)]


_RUN = _Form(
    ["query", "Q0", "item", "rank", "score", "tag"], {"query": 0, "item": 2, "score": 4, "rank": 3}
)
_QRELS = _Form(["query", "0", "item", "grade"], {"query": 0, "item": 2, "grade": 3})


def read_lines(source: Source, blocks: Iterable[LineBlock], *, has_header: bool) -> FileRows:
    """Rows of lines in TREC's formats, or under a header."""
    form = None if has_header else _RUN if source.is_run else _QRELS
    parts: dict[Any, list[Any]] = {}
    doubt, bare = "", list[str]()
    for block in blocks:
        if form is None:
            header, _, data = block.data.partition(b"\n")
            form = _form_of(source, block.first_line, header.decode())
            block = LineBlock(block.first_line + 1, data)
        columns = _by_polars(source, block, form) or _by_splitting(source, block, form, bare)
        if form is _RUN and columns:  # whose first ranks are enough
            ranks = columns.pop("rank")
            doubt = doubt if parts else _doubt_of_ranks(ranks, columns)
        for name, column in columns.items():
            part = {*filter(str.strip, column)} if name in form.spare else column
            parts.setdefault(name, []).append(part)
    assert form is not None
    spare = {name: {*chain.from_iterable(parts.pop(name, ()))} for name in form.spare}
    read: dict[Any, Any] = {role: _joined(columns) for role, columns in parts.items()}
    n_rows = len(read.get("item", ()))
    unread = {name: (texts, n_rows) for name, texts in spare.items()}
    refuse_unread(unread, source.name, ORDER if source.is_run else GRADE)
    names: Any = {role: form.names[n] for role, n in form.fields.items() if role not in form.spare}
    every = list(dict.fromkeys([*read.get("query", ()), *bare])) if bare else ()
    return FileRows(read, names, (doubt,) if doubt else (), queries=every)


def _joined(columns: list[Any]) -> Any:
    """One column from the parts of all blocks."""
    if isinstance(columns[0], np.ndarray):
        return np.concatenate(columns)
    if all(isinstance(column, list) for column in columns):
        return list(chain.from_iterable(columns))
    pl = polars_or_none()
    return pl.concat([pl.Series("id", column, dtype=pl.String) for column in columns])


def _doubt_of_ranks(ranks: Any, columns: Mapping[str, Any]) -> str:
    """Why scores may be distances, by the ranks of the first rankings of a TREC run; or ""."""
    first = [list(column[:_LOOKED_LINES]) for column in (columns["query"], ranks, columns["score"])]
    rows = sorted(zip(*first, strict=True))
    if len({row[:2] for row in rows}) < len(rows):
        return ""  # an empty field
    sizes = np.unique([query for query, _, _ in rows], return_counts=True)[1]
    scores, offsets = np.array([score for _, _, score in rows]), offsets_of(sizes)
    return doubt_of_rising(scores, offsets) or doubt_of_ties(scores, offsets)


# Headers ----------------------------------------------------------------------------------------


def separator_of(header: str) -> str:
    """The separator that splits a header into the most columns."""
    return max("\t", ",", ";", "|", key=header.count)


def _find_columns(source: Source, names: list[str]) -> tuple[dict[Role, str], list[str]]:
    """The columns with a role, and those that may hold a missing number.

    BEIR calls a grade ``score``.
    """
    kinds, said, where = ORDER if source.is_run else GRADE, source.columns, source.name
    roles = find_roles(names, _ID_ROLES, wanted_of(kinds, said), columns=said, where=where)
    if not source.is_run and "grade" not in (*roles, *said):
        scores = find_roles(names, (), ("score",), columns=said, where=where)
        if scores:
            roles["grade"] = scores["score"]
    return roles, unread_columns(names, roles, said, kinds)


def _form_of(source: Source, line: int, header: str) -> _Form:
    """The fields that a header names."""
    separator = separator_of(header)
    names = _cells(source, line, header, separator)
    if not source.columns and not any(map(role_of, names)) and any(map(_NUMBER.fullmatch, names)):
        kind, shown = "rank (or score)" if source.is_run else "grade", format_list(names)
        what = f"the first line looks like data ({shown}); write a header above it with the names"
        source.fail(line, f"{what} query, item and {kind}")
    roles, spare = _find_columns(source, names)
    fields: dict[str, int] = {role: names.index(name) for role, name in roles.items()}
    return _Form(names, fields | {n: names.index(n) for n in spare}, spare, separator)


def _cells(source: Source, line: int, text: str, separator: str) -> list[str]:
    """The fields of a line of CSV."""
    if '"' not in text:
        return text.split(separator)
    try:
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        if text.count('"') % 2:
            source.fail(line, "a quote is not closed in its line; fields cannot hold line breaks")
        source.fail(line, f"is not CSV: {error}")


# Blocks of lines --------------------------------------------------------------------------------


def _by_splitting(source: Source, block: LineBlock, form: _Form, bare: list[str]) -> dict[str, Any]:
    """The columns of a block, or the error of a wrong line; none if it has no rows.

    Queries of rows without items are added to ``bare``.
    """
    lines, cells_of, n_fields = list[int](), list[Any](), len(form.names)
    if not form.separator and b"#" not in block.data:
        # Of lines that have as many fields as they should, each field after the last is a mark. A
        # split of bytes takes ASCII white space alone, as trec_eval does; others belong to ids.
        fields = block.data.replace(b"\n", b" \0 ").split()
        if not len(fields) % (n_fields + 1) and {*fields[n_fields :: n_fields + 1]} == {b"\0"}:
            cells_of = [fields[number :: n_fields + 1] for number in range(n_fields)]
            lines = list(range(block.first_line, block.first_line + len(cells_of[0])))
    if not lines:
        rows = list[Any]()
        for line, data in enumerate(block.data.split(b"\n"), block.first_line):
            if form.separator:
                cells: list[Any] = _cells(source, line, data.decode(), form.separator)
            else:
                cells = [] if data.startswith(b"#") else data.split()
            if data and cells:
                if len(cells) == 1 and form.fields["query"] == 0:  # a query without items
                    cells = [*cells, *[""] * (n_fields - 1)] if form.separator else cells
                if len(cells) != n_fields and not (form.is_trec_run and len(cells) > n_fields):
                    source.fail(line, _wrong_number(len(cells), form))
                lines.append(line)
                rows.append(cells)
        cells_of = list(zip(*rows, strict=False))
    columns: dict[str, Any] = {}
    if not lines:
        return columns
    for name, number in form.fields.items():
        texts = list(cells_of[number])
        if form is _RUN and name == "rank" and all(_NUMBER.fullmatch(t.decode()) for t in {*texts}):
            texts = texts[:_LOOKED_LINES]  # the others are ignored
        columns[name] = texts if form.separator else b"\n".join(texts).decode().split("\n")
    if "" in columns["item"]:
        lines, columns = _without_bare(lines, columns, form, bare)
        if not lines:
            return {}
    for role in _ID_ROLES:
        if "" in columns[role]:
            source.fail(lines[columns[role].index("")], f"the {role} id is empty")
    found = list_among(columns["item"]) if form.separator else None
    if found:
        source.fail(lines[found[0]], found[1])
    return columns | {role: _numbers(source, lines, columns, form, role) for role in form.numbers}


def _without_bare(
    lines: list[int], columns: dict[str, Any], form: _Form, bare: list[str]
) -> tuple[list[int], dict[str, Any]]:
    """The rows that have more than a query; the others stand for queries without items."""
    cells = zip(columns["item"], *(columns[role] for role in form.numbers), strict=True)
    is_bare = [not any(map(str.strip, row)) for row in cells]
    rows = zip(columns["query"], is_bare, strict=True)
    named = {query for query, alone in rows if not alone} | {""}
    kept = [
        not alone or query in named for query, alone in zip(columns["query"], is_bare, strict=True)
    ]
    bare += compress(columns["query"], map(not_, kept))
    columns = {name: list(compress(column, kept)) for name, column in columns.items()}
    return list(compress(lines, kept)), columns


def _wrong_number(n_fields: int, form: _Form) -> str:
    n_expected = len(form.names)
    if form.separator:
        return f"{n_fields} fields instead of {n_expected} (as in the header)"
    this, other = ("a run", "judgements")[:: 1 if form.is_trec_run else -1]
    message = f"{n_fields} fields instead of {n_expected} fields ({' '.join(form.names)})"
    if n_fields == len((_QRELS if form.is_trec_run else _RUN).names):
        message += f"; it looks like {other}, but is read as {this}: are the two files swapped?"
    elif n_fields == 3:
        number = "rank" if form.is_trec_run else "grade"
        message += f"; a table with three columns needs a header, such as query,item,{number}"
    return message


def _numbers(
    source: Source, lines: list[int], columns: Mapping[str, Any], form: _Form, role: Role
) -> Array:
    """Finite decimal numbers; NaN for a missing grade."""
    texts: list[str] = columns[role]
    limit, plain = (TIMESTAMP, _DIGITS) if form is _QRELS else (EXACT_INTEGER, _DECIMALS)
    if source.grades is None and plain.fullmatch(" ".join(texts)):
        with suppress(ValueError):
            values = np.array(list(map(float, texts)))
            if np.abs(values).max() < limit:
                return values
    rows = zip(lines[: len(texts)], texts, strict=True)
    return np.array([_number(source, line, text.strip(" "), form, role) for line, text in rows])


def _number(source: Source, line: int, text: str, form: _Form, role: Role) -> float:
    if not text and role == "grade":
        return math.nan
    if source.grades is not None:
        return source.grade_of(line, text)
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    is_whole = _WHOLE.fullmatch(text) is not None and math.isfinite(value)
    problem = fault_of(int(text) if is_whole else value, is_grade=False)
    if math.isnan(value) and not form.separator and role_of(text):
        source.fail(
            line, "looks like a header, which TREC files do not have; delete it, or save as CSV"
        )
    if math.isnan(value) and role == "rank" and form is _RUN:
        fields = f"the fields are {' '.join(form.names)}"
        problem = f"is not a number: {fields}, and white space inside an id shifts them"
    elif math.isnan(value):
        problem = fault_of(text, is_grade=role == "grade")
    elif form is _QRELS and not value.is_integer():
        problem = (
            problem
            or "is not a whole number; for fractions use CSV with the header query,item,grade"
        )
    elif form is _QRELS and abs(value) >= TIMESTAMP:
        problem = (
            "is too large, and may be a timestamp; if the fields are user, item, rating and time, "
            "add a first line with these names and rename the file to .tsv or .csv"
        )
    if problem:
        source.fail(line, f"{role} {safe_repr(text)} {problem}" if text else f"the {role} is empty")
    return value


def numbers_of_texts(values: list[Any]) -> list[Any]:
    """The values, with strings of decimal numbers as numbers."""
    numbers: dict[str, float] = {}
    for text in {value for value in values if isinstance(value, str)}:
        number = text.strip(" ")
        if _NUMBER.fullmatch(number):
            is_whole = _WHOLE.fullmatch(number) and math.isfinite(float(number))
            numbers[text] = int(number) if is_whole else float(number)
    if not numbers:
        return values
    return [numbers.get(value, value) if isinstance(value, str) else value for value in values]


def fault_of(value: Any, *, is_grade: bool) -> str:
    """What is wrong with a number; "" if nothing is."""
    if isinstance(value, bool) and is_grade:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        if is_grade and isinstance(value, str):
            return f"is not a number; pass {text_grades([value])}, a number for each string"
        has_comma = isinstance(value, str) and "," in value
        return "is not a number" + "; use a decimal point" * has_comma
    if isinstance(value, float):
        return "" if math.isfinite(value) else "is not a finite number"
    is_exact = abs(value) < 1 << 1023 and int(float(value)) == value
    return "" if is_exact else INEXACT


def polars_for(n_bytes: int) -> Any:
    """Polars, if it is installed and saves time with this many bytes."""
    least = LARGE_ONCE_LOADED if "polars" in sys.modules else LARGE
    return polars_or_none() if n_bytes >= least else None


def _by_polars(source: Source, block: LineBlock, form: _Form) -> dict[str, Any]:
    """The columns of a large block of regular lines; empty for others, or without Polars."""
    data, limit = block.data, TIMESTAMP if form is _QRELS else EXACT_INTEGER
    pl = polars_for(len(data)) if source.grades is None else None
    separator = form.separator or ("\t" if b"\t" in data else " ")
    if pl is None or not _is_regular(data, separator, form):
        return {}
    kind = pl.Int64 if form is _QRELS else pl.Float64
    schema = dict.fromkeys(map(str, range(len(form.names))), pl.String)
    schema |= {str(form.fields[role]): kind for role in form.numbers}
    # Where one line has too many fields another has too few, and no last one.
    read = sorted({*form.fields.values(), len(form.names) - 1})
    options: Any = {"has_header": False, "separator": separator, "quote_char": None}
    try:
        frame = pl.read_csv(io.BytesIO(data), schema=schema, columns=read, **options)
    except pl.exceptions.PolarsError:
        return {}
    if any(column.null_count() for column in frame):
        return {}
    has_brackets = form.separator and (b"[" in data or b"{" in data)
    if has_brackets and list_among(frame[str(form.fields["item"])]):
        return {}
    columns = {name: frame[str(number)] for name, number in form.fields.items()}
    for role in form.numbers:
        columns[role] = values = columns[role].to_numpy()
        if not np.abs(values).max(initial=0) < limit:  # there is something to say
            return {}
    return columns


def _is_regular(data: bytes, separator: str, form: _Form) -> bool:
    """Whether lines can have the same number of fields, none of them quoted, empty or a comment."""
    is_trec, counts = not form.separator, np.zeros(3, np.int64)
    if (b"#" in data and b"\n#" in b"\n" + data) if is_trec else b'"' in data:
        return False
    if data.startswith(BOM):  # which Polars would not read as part of an id
        return False
    for start in range(0, len(data), WINDOW):
        part = np.frombuffer(data[start : start + WINDOW + 1], dtype=np.uint8)
        is_low, within = part <= _SPACE, part[:WINDOW]
        if is_trec and (is_low[1:] & is_low[:-1]).any():  # the separator is single
            return False
        marks = is_low[:WINDOW], within == ord(separator), within == _LINE_FEED
        counts += [np.count_nonzero(mark) for mark in marks]
    n_low, n_separators, n_lines = counts
    is_of_one_kind = n_low == n_separators + n_lines or not is_trec
    return bool(is_of_one_kind and n_separators == (len(form.names) - 1) * n_lines)


# Parquet and Arrow IPC, files or streams, by Polars -----------------------------------------------

_STREAM = b"\xff\xff\xff\xff"
"""First bytes of an Arrow stream, such as the files of Hugging Face's datasets."""


def columnar_kind(head: bytes) -> str | None:
    """The format of a binary file that begins with these bytes."""
    if head.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if head.startswith((b"ARROW1", _STREAM)) else None


def read_columnar(source: Source, kind: str, file: io.BufferedReader) -> FileRows:
    """The rows of a file; any error of Polars becomes a FileFormatError."""
    import narwhals as nw

    pl, is_stream = polars_or_none(), file.peek(4)[:4] == _STREAM
    if pl is None:
        source.fail(None, f'{kind} files need Polars: pip install "sklearn-rank[polars]"')
    # A path is read in parts; a pipe, or a file in memory, is read at once.
    is_here = isinstance(source.path, (str, os.PathLike)) and os.path.isfile(source.path)
    data: Any = os.fsdecode(source.path) if is_here else io.BytesIO(file.read())
    try:
        if is_stream:
            lazy = pl.read_ipc_stream(data).lazy()
        else:
            lazy = pl.scan_parquet(data) if kind == "parquet" else pl.scan_ipc(data)
        roles, spare = _find_columns(source, lazy.collect_schema().names())
        frame = lazy.select(pl.selectors.by_name(*roles.values(), *spare)).collect()
    except (FileFormatError, ColumnRoleError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        msg = f"{source.name}: cannot be read as {kind}"
        raise FileFormatError(msg) from error
    unread = different_values(nw.from_native(frame), spare)
    refuse_unread(unread, source.name, ORDER if source.is_run else GRADE)
    numbers = [name for role, name in roles.items() if role not in _ID_ROLES]
    is_bare = pl.all_horizontal(
        pl.col(f"^{re.escape(n)}$").is_null() for n in (roles["item"], *numbers)
    )
    bare, frame = frame.filter(is_bare), frame.filter(~is_bare)
    columns: dict[Role, Any] = {}
    for role, name in roles.items() if len(frame) else ():
        read = _ids if role in _ID_ROLES else _numbers_of
        columns[role] = read(source, frame[name], role)
    every = (
        [*columns.get("query", ()), *_ids(source, bare[roles["query"]], "query")]
        if len(bare)
        else ()
    )
    return FileRows(columns, roles, queries=list(dict.fromkeys(every)))


def _ids(source: Source, column: Any, role: Role) -> Any:
    """A column of ids as text."""
    pl, shown = polars_or_none(), f"column {safe_repr(column.name)}"
    if column.dtype.is_nested():
        source.fail(None, f"{shown} holds a list in each row, not one item; {_EXPLODE}")
    if not (column.dtype.is_integer() or column.dtype in (pl.String, pl.Categorical, pl.Enum)):
        source.fail(None, f"{shown} is {column.dtype}; ids must be strings or integers")
    ids = column.cast(pl.String)
    wrong = (ids.fill_null("") == "").arg_true()
    if len(wrong):
        source.fail(None, f"row {wrong[0] + 1:,}: the {role} id in {shown} is missing or empty")
    found = list_among(ids) if role == "item" else None
    if found:
        source.fail(None, f"row {found[0] + 1:,}: {found[1]}")
    return ids


_EXPLODE = "pass polars.read_parquet(path).explode('items', 'scores'), with all list columns"


def _numbers_of(source: Source, column: Any, role: Role) -> Array:
    """A column of numbers, NaN if there is no grade."""
    if source.grades is not None:
        return np.array([math.nan if c is None else source.grade_of(None, c) for c in column])
    pl, shown = polars_or_none(), f"{role} column {safe_repr(column.name)}"
    if column.dtype == pl.String:
        cells = numbers_of_texts(column.to_list())
        if not any(isinstance(cell, str) for cell in cells):
            column = pl.Series(column.name, cells, strict=False)
    dtype = column.dtype
    if not dtype.is_numeric() and dtype != pl.Boolean:
        texts = text_grades([] if dtype.is_nested() else column.head(1000))
        advice = f"; pass {texts}, a number for each string" if role == "grade" else ""
        source.fail(None, f"the {shown} does not hold numbers{advice}")
    values: Array = column.cast(pl.Int64 if dtype == pl.Boolean else dtype).to_numpy()
    if role != "grade" and not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        source.fail(None, f"row {row + 1:,}: {values[row]} in {shown} is not a finite number")
    return values
