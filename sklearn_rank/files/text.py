"""Tables of text, row by row: TREC's formats, CSV and the like.

A TREC run has six fields (query, Q0, item, rank, score, tag); the rank and further fields are
ignored, as in trec_eval; judgements have four (query, 0, item, grade). White space separates, and
lines that begin with ``#`` are comments. In CSV a header names the columns; a line feed inside of
quotes is refused.

With Polars a block of regular lines is parsed at once; any other block, and every block without
Polars, is parsed line by line. Both give the same rows or the same error: the fast one takes only
blocks in which it cannot be mistaken, and leaves all that is to be said to the other.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.files.source import MAX_ID, Block, Source, check_id, windows
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
from sklearn_rank.support.checks import negated
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array

MAX_GRADE = 10**15
"""Grades below are exact as float64."""
TIMESTAMP = 10**8
"""A grade of a file without names that is as large is more likely seconds since 1970."""
EXACT = 1 << 53
"""Whole numbers up to here are exact as float64."""
INEXACT = "is an integer beyond 2^53 that float64 does not hold; subtract a constant from all"
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_NAMED: Mapping[str, bool | float | None] = {
    **dict.fromkeys(("", "na", "n/a", "null", "none"), None),
    "true": True,
    "false": False,
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
}


@cache
def polars_or_none() -> Any:
    """Polars, if it is installed."""
    try:
        import polars as pl
    except ImportError:
        return None
    return pl


def _as_value(text: str | None) -> bool | float | str | None:
    """Apparent kind of a text cell, to guess the role of a column."""
    if text is None or not _NUMBER.fullmatch(text):
        return None if text is None else _NAMED.get(text.lower(), text)
    return float(text)


def is_exact(value: int) -> bool:
    """Whether float64 holds a whole number exactly."""
    return abs(value) <= EXACT or (abs(value) < 1 << 1023 and int(float(value)) == value)


def _read_number(source: Source, line: int, text: str, what: str) -> float:
    """A finite decimal number."""
    if not text:
        source.fail(line, f"the {what} is empty")
    if not _NUMBER.fullmatch(text):
        how = f"; pass grades={text_grades([text])}, a number for each text" * (what == "grade")
        if _NUMBER.fullmatch(text.replace(",", ".", 1)):
            how = "; decimals have a point"
        source.fail(line, f"{what} {safe_repr(text)} is not a number{how}")
    value = float(text)
    if not math.isfinite(value):
        source.fail(line, f"{what} {safe_repr(text)} is too large for a number")
    if abs(value) >= EXACT and _WHOLE.fullmatch(text) and int(text) != value:
        source.fail(line, f"{what} {safe_repr(text)} {INEXACT}")
    return value


def _read_grade(source: Source, line: int, text: str, what: str = "grade") -> int:
    """A whole number that can be a grade."""
    problem = ""
    if not _WHOLE.fullmatch(text):
        problem = "is not a whole number"
    elif len(text) > 16 or abs(int(text)) >= MAX_GRADE:
        problem = "is too large for a grade"
    elif abs(int(text)) >= TIMESTAMP:
        problem = (
            "looks like a timestamp; in a file of user, item, rating and time write this header "
            "above the first line, and the suffix .tsv or .csv"
        )
    if problem:
        source.fail(line, f"{what} {safe_repr(text)} {problem}")
    return int(text)


# Rows -------------------------------------------------------------------------------------------


class FileColumns(NamedTuple):
    """Columns of a file, or of some of its rows."""

    queries: Any
    items: Any
    numbers: Array | None
    role: Role
    """Kind of the numbers."""
    ranks: Array | None = None
    """Of rows that have scores, too."""


@dataclass
class Rows:
    """Rows that were read so far, and what else a file says."""

    source: Source
    is_run: bool
    role: Role = "grade"
    """Kind of the numbers."""
    grades: Mapping[str, float] | None = None
    """Grades of texts; None: grades are numbers."""
    queries: Sequence[str] | None = None
    """Ids of queries that the file does not name."""
    parts: list[tuple[Any, Any, Any, Any]] = field(default_factory=list)
    """Queries, items, numbers and ranks (or None) of each block: lists, or series of Polars."""
    n_rows: int = 0
    n_unrated: int = 0
    """Rows of judgements that have no grade, which are not among the others."""
    comments: int = 0
    tag: str = ""
    roles: dict[Role, str] = field(default_factory=dict)
    """The column of each role."""
    unread: tuple[str, ...] = ()
    """The columns without a role."""
    spare: dict[str, set[Any]] = field(default_factory=dict)
    """Different values of the columns that may hold a number that is lacking."""
    doubts: tuple[str, ...] = ()
    """Signs of another order than was meant."""
    all_queries: list[str] = field(default_factory=list)
    """Queries with and without rows, in formats that can have queries without."""

    def add(self, queries: Any, items: Any, *numbers: Any) -> None:
        """Rows of one block, their numbers, and ranks beside scores; None where a row has none."""
        if not len(items):
            return
        self.n_rows += len(items)
        pl = polars_or_none()
        if pl is not None and isinstance(items, list):
            queries = pl.Series("query", queries, dtype=pl.String)
            items = pl.Series("item", items, dtype=pl.String)
        arrays = [None if part is None else np.asarray(part) for part in (*numbers, None)]
        self.parts.append((queries, items, *arrays[:2]))

    def grade_of(self, line: int | None, text: str) -> float:
        """The grade of a text, or FileFormatError for one that ``grades`` does not name."""
        assert self.grades is not None
        if text not in self.grades:
            known = format_list(self.grades)
            self.source.fail(line, f"grade {safe_repr(text)} is not in grades=, which has {known}")
        return self.grades[text]

    def take(self) -> FileColumns:
        """The rows that came since the last time, which are then forgotten."""
        if not self.n_rows:
            what = f", but {self.n_unrated:,} without a grade" if self.n_unrated else ""
            if self.all_queries and not what:
                what = f": there is no item for {format_list(self.all_queries)}"
            self.source.fail(None, f"holds no rows{what}")
        *ids, numbers, ranks = zip(*self.parts, strict=True)
        self.parts = []
        if isinstance(ids[0][0], list):
            queries, items = (list(chain.from_iterable(lists)) for lists in ids)
        else:
            queries, items = map(polars_or_none().concat, ids)
        values = None if numbers[0] is None else np.concatenate(numbers)
        places = None if any(part is None for part in ranks) else np.concatenate(ranks)
        if places is not None and not np.isfinite(places).all():
            places = None  # a row without a rank says nothing against the scores
        if self.role == "distance" and values is not None:
            return FileColumns(queries, items, negated(values), "score", places)
        return FileColumns(queries, items, values, self.role, places)

    def refuse_spare(self) -> None:
        """ColumnRoleError if a column without a role may hold what no other does."""
        values = {name: (values, self.n_rows) for name, values in self.spare.items()}
        refuse_unread(values, self.source.name, ORDER if self.is_run else GRADE)


class Fields(NamedTuple):
    """Numbers of the fields of a line that has always as many."""

    n_fields: int
    query: int
    item: int
    number: int | None
    """Score, rank or grade."""
    role: Role
    """Kind of the value."""
    separator: str | None = None
    """None: any white space separates, so that two separators are one, as in TREC's formats."""
    tag: int | None = None
    rank: int | None = None
    """Of a rank beside a score."""


RUN = Fields(6, 0, 2, 4, "score", tag=5)
QRELS = Fields(4, 0, 2, 3, "grade")


def add_lines(
    rows: Rows, blocks: Iterable[Block], columns: Columns | None, *, has_header: bool
) -> Iterator[None]:
    """Rows of lines in TREC's formats, or under a header, block by block."""
    fields = None if has_header else RUN if rows.is_run else QRELS
    rows.role = "score" if rows.is_run else "grade"
    for block in blocks:
        if fields is None:
            header, _, rest = block.data.partition(b"\n")
            fields = _read_header(rows, block.first_line, header.decode(), columns)
            names = header.decode().split(fields.separator)
            block = Block(block.first_line + 1, rest, block.n_lines - 1)
        if block.data and not _add_at_once(rows, block, fields):
            _add_by_line(rows, block, fields)
        for line, data in enumerate(block.data.split(b"\n") if rows.spare else ()):
            assert fields.separator is not None
            cells = _split(rows.source, block.first_line + line, data.decode(), fields.separator)
            for name, cell in zip(names, cells, strict=False):
                if name in rows.spare and cell.strip():
                    rows.spare[name].add(cell)
        yield
    rows.refuse_spare()


def separator_of(header: str) -> str:
    """The separator that splits a header into most columns."""
    return max("\t", ",", ";", "|", key=header.count)


class NamedColumns(NamedTuple):
    """The columns of a table by their names."""

    query: str
    item: str
    number: str | None
    kind: Role
    """Kind of the number: a score, a distance, a rank or a grade."""
    spare: list[str]
    """Columns of unknown names that may hold what no known one does."""
    unread: tuple[str, ...]
    rank: str | None
    """Of a rank beside a score."""

    @property
    def roles(self) -> dict[Role, str]:
        """The columns that are read."""
        number: dict[Role, str] = {} if self.number is None else {self.kind: self.number}
        return {"query": self.query, "item": self.item, **number}


def find_columns(
    names: list[str], columns: Columns | None, where: str, *, is_run: bool
) -> NamedColumns:
    """The columns of a run, or of judgements; BEIR calls a grade ``score``."""
    kinds = ORDER if is_run else GRADE
    wanted = wanted_of(kinds, columns)
    roles = find_roles(names, ("query", "item"), wanted, columns=columns, where=where)
    if not is_run and "grade" not in (columns or {}) and "grade" not in roles:
        scores = find_roles(names, (), ("score",), columns=columns, where=where)
        if "score" in scores:
            roles["grade"] = scores["score"]
    kind = next((kind for kind in kinds if kind in roles), kinds[0])
    spare = unread_columns(names, roles, columns, kinds)
    unread = tuple(name for name in names if name not in roles.values())
    number, rank = roles.get(kind), None if kind == "rank" else roles.get("rank")
    return NamedColumns(roles["query"], roles["item"], number, kind, spare, unread, rank)


def _read_header(rows: Rows, line: int, header: str, columns: Columns | None) -> Fields:
    """The fields that a header names."""
    separator = separator_of(header)
    names = _split(rows.source, line, header, separator)
    if columns is None and any(map(_NUMBER.fullmatch, names)) and not any(map(role_of, names)):
        kind = "rank (or score)" if rows.is_run else "grade"
        rows.source.fail(
            line,
            f"the first line looks like data ({format_list(names)}), where the names of the "
            f"columns belong; write a header above it with the names query, item and {kind}",
        )
    named = find_columns(names, columns, rows.source.name, is_run=rows.is_run)
    rows.role, rows.roles = named.kind, named.roles
    rows.unread = named.unread
    rows.spare = {name: set() for name in named.spare}
    number = None if named.number is None else names.index(named.number)
    places = names.index(named.query), names.index(named.item), number
    rank = None if named.rank is None else names.index(named.rank)
    return Fields(len(names), *places, named.kind, separator, rank=rank)


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


# A block of lines -------------------------------------------------------------------------------


def _add_by_line(rows: Rows, block: Block, fields: Fields) -> None:
    """The rows of a block, with an error for each wrong line."""
    source, number_at, is_trec = rows.source, fields.number, fields.separator is None
    read: Callable[..., float] = _read_grade if is_trec and fields.role == "grade" else _read_number
    if rows.grades is not None:
        read = lambda _, line, text, __: rows.grade_of(line, text)  # noqa: E731
    queries, items = [], []
    numbers: list[float] | None = None if number_at is None else []
    ranks: list[Any] | None = None if fields.rank is None else []
    for line, data in enumerate(block.data.split(b"\n")[:-1], block.first_line):
        if fields.separator is not None:
            parts = _split(source, line, data.decode(), fields.separator) if data else []
        elif data.startswith(b"#"):
            rows.comments += 1
            continue
        else:
            # Bytes split at ASCII white space alone, as trec_eval does; other spaces belong to ids.
            parts = [part.decode() for part in data.split()]
        if not parts:
            continue
        n_parts = len(parts)
        if n_parts != fields.n_fields and not (fields.tag and n_parts > fields.n_fields):
            source.fail(line, _wrong_number(n_parts, fields))
        query = check_id(source, line, parts[fields.query], "query id")
        item = check_id(source, line, parts[fields.item], "item id")
        if numbers is not None and number_at is not None:
            text = parts[number_at] if is_trec else parts[number_at].strip(" ")
            if not text and fields.role == "grade":
                rows.n_unrated += 1
                continue
            numbers.append(read(source, line, text, fields.role))
        if ranks is not None and fields.rank is not None:
            rank = _as_value(parts[fields.rank].strip(" "))
            ranks.append(rank if isinstance(rank, float) else math.nan)
        queries.append(query)
        items.append(item)
        if fields.tag:
            rows.tag = parts[fields.tag]
    rows.add(queries, items, numbers, ranks)


def _wrong_number(n_fields: int, fields: Fields) -> str:
    if fields.separator is not None:
        return f"{n_fields} fields instead of {fields.n_fields}, as the header has"
    is_run = fields.role == "score"
    this, other = ("a run", "judgements") if is_run else ("judgements", "a run")
    names = "query Q0 item rank score tag" if is_run else "query 0 item grade"
    message = f"{n_fields} fields instead of {fields.n_fields} fields ({names})"
    if n_fields == (QRELS if is_run else RUN).n_fields:
        message += f"; it looks like {other} and is read as {this}: are the two files swapped?"
    elif n_fields == 3:
        number = "rank" if is_run else "grade"
        message += f"; a table of three columns needs a header, as in query,item,{number}"
    return message


def _add_at_once(rows: Rows, block: Block, fields: Fields) -> bool:
    """Add the rows of a regular block by Polars; False if it is not regular, or without Polars."""
    pl = polars_or_none()
    separator = fields.separator
    if separator is None:  # one kind of white space alone
        spaces, tabs = b" " in block.data, b"\t" in block.data
        separator = None if spaces == tabs else " " if spaces else "\t"
    if (
        pl is None
        or rows.grades is not None
        or separator is None
        or not _is_regular(block, fields, separator)
    ):
        return False
    is_whole = fields.separator is None and fields.role == "grade"
    names = [f"column_{number}" for number in range(1, fields.n_fields + 1)]
    schema = dict.fromkeys(names, pl.String)
    # The last field is read, too: only then does a line with too many fields come to light.
    wanted = {fields.query, fields.item, fields.n_fields - 1}
    if fields.number is not None:
        schema[names[fields.number]] = pl.Int64 if is_whole else pl.Float64
        wanted.add(fields.number)
    if fields.rank is not None:
        schema[names[fields.rank]] = pl.Float64
        wanted.add(fields.rank)
    form: Any = {"has_header": False, "separator": separator, "quote_char": None}
    try:
        frame = pl.read_csv(io.BytesIO(block.data), schema=schema, columns=sorted(wanted), **form)
    except (pl.exceptions.PolarsError, ValueError):
        return False
    queries, items, last = (frame[names[n]] for n in (fields.query, fields.item, -1))
    if max(queries.null_count(), items.null_count(), last.null_count() if fields.tag else 0):
        return False
    if max(queries.str.len_chars().max(), items.str.len_chars().max()) > MAX_ID:
        return False
    numbers = None
    if fields.number is not None:
        column = frame[names[fields.number]]
        numbers = column.to_numpy()
        limit = TIMESTAMP if is_whole else EXACT
        if column.null_count() or not (-limit < numbers.min() and numbers.max() < limit):
            return False  # there is something to say
    ranks = None if fields.rank is None else frame[names[fields.rank]].to_numpy()
    rows.add(queries, items, numbers, ranks)
    if fields.tag:
        rows.tag = last[-1]
    return True


_SPACE = 32
"""White space of ASCII and control characters are the bytes up to it."""


def _is_regular(block: Block, fields: Fields, separator: str) -> bool:
    """Whether all lines can have the same number of fields and nothing else is to be told apart."""
    data = block.data
    if data[:1] == b"#" or (b"#" in data and b"\n#" in data):
        return False
    is_spaced = fields.separator is None
    if not is_spaced and (b'"' in data or b"\n\n" in data or data[:1] == b"\n"):
        return False
    n_separators = n_low = 0
    before = True  # nothing may separate the first field from what is before it
    for part in windows(data):
        low = part < _SPACE + is_spaced
        n_separators += int(np.count_nonzero(part == ord(separator)))
        n_low += int(np.count_nonzero(low))
        if is_spaced and ((before and low[0]) or (low[1:] & low[:-1]).any()):
            return False
        before = low[-1]
    n_low -= n_separators if ord(separator) < _SPACE + is_spaced else 0
    return n_separators == (fields.n_fields - 1) * block.n_lines and n_low == block.n_lines
