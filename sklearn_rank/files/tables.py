"""Tables: TREC's formats, CSV and the like, Parquet and Arrow.

A TREC run has six fields (query, Q0, item, rank, score, tag), and more behind the tag are ignored,
as in trec_eval; judgements have four (query, 0, item, grade). White space separates, and lines that
begin with ``#`` are comments. In CSV a header names the columns; a line feed inside of quotes is
refused.

Polars, where it is installed, parses large blocks of regular lines. All others are split line by
line, which gives the same rows, or the error of a line.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.source import (
    BOM,
    LINE_FEED,
    MAX_ID,
    Block,
    FileRows,
    Request,
    Source,
    check_id,
    polars_or_none,
    windows,
)
from sklearn_rank.inputs.frames import different_values
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    Columns,
    Role,
    find_roles,
    refuse_unread,
    role_of,
    text_grades,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import doubt_of_rising
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array

MAX_GRADE = 10**15
"""Grades below are exact as float64."""
TIMESTAMP = 10**8
"""A grade of a file without names that is as large is more likely seconds since 1970."""
EXACT = 1 << 53
"""Whole numbers up to here are exact as float64."""
INEXACT = "is an integer beyond 2^53 that float64 does not hold; subtract a constant from all"
_LARGE, _LOADED = 1 << 21, 1 << 16
"""Bytes of a block from which on Polars saves more time than its import, or a call, takes."""
_SPACE = 32
_LOOKED = 5_000
"""Rows whose ranks are compared with scores."""
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_DIGITS, _DECIMALS = re.compile(r"[0-9+\- ]*"), re.compile(r"[0-9+\-.eE ]*")
"""Many numbers, among them nothing like "nan" or "1_0"."""


class _Form(NamedTuple):
    """Fields of a line, which has always as many."""

    names: list[str]
    roles: Mapping[Role, str]
    spare: tuple[str, ...] = ()
    """Columns that may hold a number that is lacking."""
    separator: str = ""
    """Empty: white space, of which several are one, as in TREC's formats."""

    @property
    def fields(self) -> dict[str, int]:
        """Numbers of the columns that are read."""
        return {name: self.names.index(name) for name in (*self.roles.values(), *self.spare)}

    @property
    def is_trec_run(self) -> bool:
        """Whether fields may follow the last one, and the rank may be anything."""
        return not self.separator and len(self.names) == len(_RUN.names)

    @property
    def numbers(self) -> dict[Role, str]:
        """Columns of numbers."""
        roles = {role: name for role, name in self.roles.items() if role not in ("query", "item")}
        return {"score": roles["score"]} if self.is_trec_run else roles


_IDS: Mapping[Role, str] = {"query": "query", "item": "item"}
_RUN = _Form(
    ["query", "Q0", "item", "rank", "score", "tag"], {**_IDS, "score": "score", "rank": "rank"}
)
_LATER = _RUN._replace(roles={**_IDS, "score": "score"})
_QRELS = _Form(["query", "0", "item", "grade"], {**_IDS, "grade": "grade"})


def read_lines(request: Request, blocks: Iterable[Block], *, has_header: bool) -> FileRows:
    """Rows of lines in TREC's formats, or under a header."""
    form = None if has_header else _RUN if request.is_run else _QRELS
    parts: dict[str, list[Any]] = {}
    doubt = ""
    for block in blocks:
        if form is None:
            header, _, data = block.data.partition(b"\n")
            form = _form_of(request, block.first_line, header.decode())
            block = Block(block.first_line + 1, data)
        columns = _by_polars(request, block, form) or _by_line(request, block, form)
        if form is _RUN and columns:  # whose first ranks are enough
            doubt, form = _doubt_of_ranks(columns.pop("rank"), columns), _LATER
        for name, column in columns.items():
            part = {*filter(str.strip, column)} if name in form.spare else column
            parts.setdefault(name, []).append(part)
    assert form is not None
    found = {role: _joined(parts[name]) for role, name in form.roles.items() if name in parts}
    n_rows = len(found.get("item", ()))
    spare = {name: ({*chain.from_iterable(parts.get(name, ()))}, n_rows) for name in form.spare}
    refuse_unread(spare, request.source.name, ORDER if request.is_run else GRADE)
    return FileRows(found, form.roles, (doubt,) if doubt else ())


def _joined(columns: list[Any]) -> Any:
    """One column of those of all blocks."""
    if columns and isinstance(columns[0], np.ndarray):
        return np.concatenate(columns)
    if all(isinstance(column, list) for column in columns):
        return list(chain.from_iterable(columns))
    pl = polars_or_none()
    return pl.concat([pl.Series("id", column, dtype=pl.String) for column in columns])


def _doubt_of_ranks(ranks: Any, columns: Mapping[str, Any]) -> str:
    """Why scores may be distances, by the ranks of the first rankings of a TREC run; or ""."""
    rankings: dict[str, list[tuple[float, float]]] = {}
    first = (list(column[:_LOOKED]) for column in (columns["query"], ranks, columns["score"]))
    for query, rank, score in zip(*first, strict=True):
        if not _NUMBER.fullmatch(rank):
            return ""
        rankings.setdefault(query, []).append((float(rank), float(score)))
    if any(len(dict(ranked)) < len(ranked) for ranked in rankings.values()):
        return ""  # a field that says nothing
    scores = [score for ranked in rankings.values() for _, score in sorted(ranked)]
    sizes = np.array([len(ranked) for ranked in rankings.values()])
    return doubt_of_rising(np.array(scores), offsets_of(sizes))


# Headers ----------------------------------------------------------------------------------------


def separator_of(header: str) -> str:
    """The separator that splits a header into most columns."""
    return max("\t", ",", ";", "|", key=header.count)


def find_columns(
    names: list[str], columns: Columns | None, where: str, *, is_run: bool
) -> tuple[dict[Role, str], list[str]]:
    """The columns of roles, and those that may hold what none of them does.

    BEIR calls a grade ``score``.
    """
    kinds = ORDER if is_run else GRADE
    wanted = wanted_of(kinds, columns)
    roles = find_roles(names, ("query", "item"), wanted, columns=columns, where=where)
    if not is_run and "grade" not in (*roles, *(columns or ())):
        scores = find_roles(names, (), ("score",), columns=columns, where=where)
        if scores:
            roles["grade"] = scores["score"]
    return roles, unread_columns(names, roles, columns, kinds)


def _form_of(request: Request, line: int, header: str) -> _Form:
    """The fields that a header names."""
    separator, source = separator_of(header), request.source
    names = _split(source, line, header, separator)
    is_named = request.columns is not None or any(map(role_of, names))
    if not is_named and any(map(_NUMBER.fullmatch, names)):
        kind = "rank (or score)" if request.is_run else "grade"
        source.fail(
            line,
            f"the first line looks like data ({format_list(names)}), where the names of the "
            f"columns belong; write a header above it with the names query, item and {kind}",
        )
    roles, spare = find_columns(names, request.columns, source.name, is_run=request.is_run)
    return _Form(names, roles, tuple(spare), separator)


def _split(source: Source, line: int, text: str, separator: str) -> list[str]:
    """The fields of a line of CSV."""
    if '"' not in text:
        return text.split(separator)
    try:
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        if text.count('"') % 2:
            source.fail(line, "a quote is not closed in its line; fields hold no line breaks")
        source.fail(line, f"is not CSV: {error}")


# Blocks of lines --------------------------------------------------------------------------------


def _by_line(request: Request, block: Block, form: _Form) -> dict[str, Any]:
    """The columns of a block, or the error of a wrong line; none where it has no rows."""
    source, separator, n_fields = request.source, form.separator, len(form.names)
    lines, rows = list[int](), list[Any]()
    for line, data in enumerate(block.data.split(b"\n"), block.first_line):
        cells: list[Any]
        if separator:
            cells = _split(source, line, data.decode(), separator) if data else []
        else:  # bytes split at ASCII white space alone, as in trec_eval; other spaces belong to ids
            cells = [] if data.startswith(b"#") else data.split()
        if not cells:
            continue
        if len(cells) != n_fields and not (form.is_trec_run and len(cells) > n_fields):
            source.fail(line, _wrong_number(len(cells), form))
        lines.append(line)
        rows.append(cells)
    cells_of = list(zip(*rows, strict=False))
    columns: dict[str, Any] = {}
    if not rows:
        return columns
    for name, number in form.fields.items():
        cells = list(cells_of[number])
        columns[name] = cells if separator else b"\n".join(cells).decode().split("\n")
    for role in ("query", "item"):
        for line, text in zip(lines, columns[form.roles[role]], strict=True):
            check_id(source, line, text, f"{role} id")
    for role, name in form.numbers.items():
        columns[name] = _numbers(request, lines, columns[name], form, role)
    return columns


def _wrong_number(n_fields: int, form: _Form) -> str:
    n_expected = len(form.names)
    if form.separator:
        return f"{n_fields} fields instead of {n_expected}, as the header has"
    this, other = ("a run", "judgements")[:: 1 if form.is_trec_run else -1]
    message = f"{n_fields} fields instead of {n_expected} fields ({' '.join(form.names)})"
    if n_fields == len((_QRELS if form.is_trec_run else _RUN).names):
        message += f"; it looks like {other} and is read as {this}: are the two files swapped?"
    elif n_fields == 3:
        number = "rank" if form.is_trec_run else "grade"
        message += f"; a table of three columns needs a header, as in query,item,{number}"
    return message


def _numbers(
    request: Request, lines: list[int], texts: list[str], form: _Form, role: Role
) -> Array:
    """Finite decimal numbers; NaN for a grade, or a rank beside a score, that is not there."""
    limit, plain = (TIMESTAMP, _DIGITS) if form is _QRELS else (EXACT, _DECIMALS)
    if request.grades is None and plain.fullmatch(" ".join(texts)):
        with suppress(ValueError):
            values = np.array(list(map(float, texts)))
            if np.abs(values).max() < limit:
                return values
    if role == "rank" and len(form.roles) > 3:
        return np.array([float(t) if _NUMBER.fullmatch(t.strip()) else math.nan for t in texts])
    rows = zip(lines, texts, strict=True)
    return np.array([_number(request, line, text.strip(" "), form, role) for line, text in rows])


def _number(request: Request, line: int, text: str, form: _Form, role: Role) -> float:
    shown, problem = f"{role} {safe_repr(text)}", ""
    if not text and role == "grade":
        return math.nan
    if request.grades is not None:
        return request.grade_of(line, text)
    if not text:
        shown, problem = f"the {role}", "is empty"
    elif form is _QRELS:
        if not _WHOLE.fullmatch(text):
            problem = "is not a whole number"
        elif len(text) > 16 or abs(int(text)) >= MAX_GRADE:
            problem = "is too large for a grade"
        elif abs(int(text)) >= TIMESTAMP:
            problem = (
                "looks like a timestamp; in a file of user, item, rating and time write this "
                "header above the first line, and the suffix .tsv or .csv"
            )
    elif not _NUMBER.fullmatch(text):
        problem = "is not a number; decimals have a point"
        if not _NUMBER.fullmatch(text.replace(",", ".", 1)):
            problem = fault_of(text, is_grade=role == "grade")
    elif not math.isfinite(float(text)):
        problem = "is too large for a number"
    elif _WHOLE.fullmatch(text):
        problem = fault_of(int(text), is_grade=False)
    if problem:
        request.source.fail(line, f"{shown} {problem}")
    return float(text)


def fault_of(value: Any, *, is_grade: bool) -> str:
    """What is wrong with a number; "" if nothing is."""
    if isinstance(value, bool) and is_grade:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        is_text = is_grade and isinstance(value, str)
        advice = f"; pass {text_grades([value])}, a number for each text" if is_text else ""
        return f"is not a number{advice}"
    if isinstance(value, float):
        return "" if math.isfinite(value) else "is not a finite number"
    is_exact = abs(value) <= EXACT or (abs(value) < 1 << 1023 and int(float(value)) == value)
    return "" if is_exact else INEXACT


def _by_polars(request: Request, block: Block, form: _Form) -> dict[str, Any]:
    """The columns of a large block of regular lines; none of others, and without Polars."""
    data, fields, limit = block.data, form.fields, TIMESTAMP if form is _QRELS else EXACT
    least = _LOADED if "polars" in sys.modules else _LARGE
    pl = polars_or_none() if len(data) >= least and request.grades is None else None
    separator = form.separator or ("\t" if b"\t" in data else " ")
    if pl is None or not _is_regular(data, separator, form):
        return {}
    numbers, kind = {*form.numbers.values()}, pl.Int64 if form is _QRELS else pl.Float64
    schema = dict.fromkeys(map(str, range(len(form.names))), pl.String)
    schema |= {str(fields[name]): kind for name in numbers}
    # Without the last column a line of too many fields is no error.
    read = sorted({*fields.values(), len(form.names) - 1})
    options: Any = {"has_header": False, "separator": separator, "quote_char": None}
    try:
        frame = pl.read_csv(io.BytesIO(data), schema=schema, columns=read, **options)
    except pl.exceptions.PolarsError:
        return {}
    columns = {name: frame[str(number)] for name, number in fields.items()}
    lengths = [columns[form.roles[role]].str.len_bytes().max() or 0 for role in ("query", "item")]
    is_empty = any(column.null_count() for name, column in columns.items() if name not in numbers)
    if is_empty or not 0 < max(lengths) <= MAX_ID:
        return {}
    for name in numbers:
        columns[name] = values = columns[name].to_numpy()
        if not np.abs(values).max() < limit:  # a number is missing, or there is something to say
            return {}
    return columns


def _is_regular(data: bytes, separator: str, form: _Form) -> bool:
    """Whether lines can have the same number of fields, none of them quoted, empty or a comment."""
    is_trec, low_before = not form.separator, True
    if (b"#" in data and b"\n#" in b"\n" + data) if is_trec else b'"' in data:
        return False
    if data.startswith(BOM):  # which Polars would not read as part of an id
        return False
    n_separators = n_lines = 0
    for part in windows(data):
        found = [int(np.count_nonzero(part == mark)) for mark in (ord(separator), LINE_FEED)]
        n_separators, n_lines = n_separators + found[0], n_lines + found[1]
        if is_trec:  # white space stands alone, and is of one kind
            is_low = part <= _SPACE
            touches = (low_before and is_low[0]) or (is_low[1:] & is_low[:-1]).any()
            if touches or np.count_nonzero(is_low) != sum(found):
                return False
            low_before = bool(is_low[-1])
    return n_separators == (len(form.names) - 1) * n_lines


# Parquet and Arrow IPC, files or streams, by Polars or else by PyArrow ---------------------------

_STREAM = b"\xff\xff\xff\xff"
"""First bytes of an Arrow stream, such as the files of Hugging Face's datasets."""


def columnar_kind(head: bytes) -> str | None:
    """The format of a file that begins with these bytes, if it is no text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if head.startswith((b"ARROW1", _STREAM)) else None


def read_columnar(request: Request, kind: str, file: io.BufferedReader) -> FileRows:
    """The rows of a file; whatever a broken one does to a library is one error."""
    import narwhals as nw

    source = request.source
    try:
        names, read = _open(source, kind, file)
        roles, spare = find_columns(names, request.columns, source.name, is_run=request.is_run)
        frame = nw.from_native(read([*roles.values(), *spare]), eager_only=True)
    except (FileFormatError, ColumnRoleError):
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        is_ours = isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit))
        if is_ours or getattr(error, "errno", None) is not None:
            raise
        msg = f"{source.name}: cannot be read as {kind}"
        raise FileFormatError(msg) from error
    kinds = ORDER if request.is_run else GRADE
    refuse_unread(different_values(frame, spare), source.name, kinds)
    named = roles.items() if len(frame) else ()
    columns = {role: _values(request, frame[name], name, role) for role, name in named}
    return FileRows(columns, roles)


def _open(
    source: Source, kind: str, file: io.BufferedReader
) -> tuple[list[str], Callable[[list[str]], Any]]:
    """The names of the columns, and a reader of some of them."""
    is_stream = file.peek(4)[:4] == _STREAM
    # A path is read in parts; a pipe, or a file in memory, is read at once.
    is_here = isinstance(source.path, (str, os.PathLike)) and os.path.isfile(source.path)
    data: Any = os.fsdecode(source.path) if is_here else io.BytesIO(file.read())
    pl = polars_or_none()
    if pl is not None:
        if is_stream:
            frame = pl.read_ipc_stream(data).lazy()
        else:
            frame = pl.scan_parquet(data) if kind == "parquet" else pl.scan_ipc(data)
        by_name = pl.selectors.by_name
        names = frame.collect_schema().names()
        return names, lambda wanted: frame.select(by_name(*wanted)).collect()
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:
        source.fail(None, f"{kind} files need Polars or PyArrow; install one of them")
    data = pa.OSFile(data) if isinstance(data, str) else data
    if is_stream:
        table = pa.ipc.open_stream(data).read_all()
        return table.column_names, table.select
    form = dataset.ParquetFileFormat() if kind == "parquet" else dataset.IpcFileFormat()
    part = form.make_fragment(data)
    return part.physical_schema.names, lambda wanted: part.to_table(columns=wanted)


def _values(request: Request, column: Any, name: str, role: Role) -> Any:
    """A column: ids as text (a series of Polars, or a list), or numbers, NaN for no grade."""
    import narwhals as nw

    dtype, called, problem = column.dtype, f"column {safe_repr(name)}", ""
    values: Any = None
    if isinstance(dtype, (nw.List, nw.Array)):
        problem = (
            f"{called} holds a list in each row, where a row is one item; make rows of them, as "
            "frame = polars.read_parquet(path).explode('items', 'scores') with the names of all "
            "columns of lists, and pass the frame instead of the file"
        )
    elif role != "grade" and column.null_count():
        row = column.is_null().to_list().index(True) + 1
        problem = f"row {row:,}: {called} is missing"
    elif role in ("query", "item"):
        if not (dtype.is_integer() or isinstance(dtype, (nw.String, nw.Categorical, nw.Enum))):
            request.source.fail(None, f"{called} is {dtype}; ids are text or whole numbers")
        is_series = column.implementation.is_polars()
        values = column.cast(nw.String).to_native() if is_series else list(map(str, column))
        lengths = values.str.len_chars() if is_series else np.array(list(map(len, values)))
        if not 0 < lengths.min() <= lengths.max() <= MAX_ID:
            problem = f"{called} holds an id that is empty or too long"
    elif request.grades is not None:
        cells = column.to_list()
        values = np.array([math.nan if c is None else request.grade_of(None, c) for c in cells])
    elif dtype.is_numeric() or dtype == nw.Boolean:
        values = column.cast(nw.Int64 if dtype == nw.Boolean else dtype).to_numpy()
        finite = np.isfinite(values) if role != "grade" else np.array(True)
        if not finite.all():
            row = int(np.flatnonzero(~finite)[0])
            problem = f"row {row + 1:,}: {role} {values[row]} is not a finite number"
    else:
        problem = f"the {role} {called} holds no numbers"
        if role == "grade":
            texts = text_grades(column.head(1000).to_list())
            problem += f"; pass {texts}, a number for each text"
    if problem:
        request.source.fail(None, problem)
    return values
