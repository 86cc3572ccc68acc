"""Tables of text, row by row: TREC's formats, CSV and the like, and lines of LETOR.

A TREC run has six fields (query, Q0, item, rank, score, tag), of which the rank does not count and
what follows is passed over, as in trec_eval; judgements have four (query, 0, item, grade). White
space separates, and lines that begin with ``#`` are comments. In CSV a header names the columns;
quotes are those of CSV, and a line feed inside of quotes is refused. LETOR's lines are judgements
if a comment names their document: ``2 qid:1 1:0.5 # docid = d7``.

With Polars a block of regular lines is parsed at once; any other block, and every block without
Polars, is parsed line by line. Both give the same rows or the same error: the fast one takes only
blocks in which it cannot be mistaken, and leaves all that is to be said to the other.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.files.source import MAX_ID, Block, Source, check_id, windows
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    Columns,
    Role,
    UnusedColumn,
    candidates_of,
    find_roles,
    refuse_unused,
    role_of,
)
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array

MAX_GRADE = 10**15
"""Grades below are exact as float64."""
TIMESTAMP = 10**8
"""A grade of a file without names that is as large is more likely seconds since 1970."""
EXACT = 1 << 53
"""Whole numbers up to here are exact as float64; those beyond stay integers."""


@cache
def polars_or_none() -> Any:
    """Polars, if it is installed."""
    try:
        import polars as pl
    except ImportError:
        return None
    return pl


# Numbers ----------------------------------------------------------------------------------------

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


def as_value(text: str | None) -> bool | float | str | None:
    """What a cell of a table of text seems to hold; of use only to guess what a column is."""
    if text is None:
        return None
    if _NUMBER.fullmatch(text):
        return float(text)
    return _NAMED.get(text.lower(), text)


def read_number(source: Source, line: int | None, text: str, what: str) -> float:
    """A finite decimal number; an integer that float64 cannot hold stays one."""
    if not text:
        source.fail(line, f"the {what} is empty")
    if not _NUMBER.fullmatch(text):
        source.fail(line, f"{what} {safe_repr(text)} is not a number")
    value = float(text)
    if abs(value) >= EXACT and _WHOLE.fullmatch(text) and len(text) < 30:
        return int(text)
    if not math.isfinite(value):
        source.fail(line, f"{what} {safe_repr(text)} is too large for a number")
    return value


def read_grade(source: Source, line: int | None, text: str, what: str = "grade") -> int:
    """A whole number that can be a grade."""
    if not _WHOLE.fullmatch(text):
        source.fail(line, f"{what} {safe_repr(text)} is not a whole number")
    if len(text) > 16 or abs(int(text)) >= MAX_GRADE:
        source.fail(line, f"{what} {safe_repr(text)} is too large for a grade")
    if abs(int(text)) >= TIMESTAMP:
        source.fail(
            line,
            f"{what} {safe_repr(text)} looks like a timestamp; in a file of user, item, rating and "
            "time write this header above the first line, and the suffix .tsv or .csv",
        )
    return int(text)


def joined_numbers(source: Source, parts: list[Any]) -> Array:
    """One array; integers that float64 cannot hold stay exact, and beside decimals are an error."""
    lists = [part for part in parts if isinstance(part, list)]
    large = next((n for part in lists for n in part if isinstance(n, int) and abs(n) > EXACT), 0)
    if not large:
        return np.concatenate([np.asarray(part) for part in parts])
    values = [number for part in parts for number in list(part)]
    odd = next((value for value in values if value != math.floor(value)), None)
    low, high = int(min(values)), int(max(values))
    if odd is not None or low < -(1 << 63) or high >= 1 << (63 if low < 0 else 64):
        why = "is beyond 64 bits" if odd is None else f"stands among decimals such as {odd}"
        source.fail(None, f"the integer {large} {why}, where it cannot be exact")
    return np.array([int(value) for value in values], dtype=np.uint64 if high >> 63 else np.int64)


# Rows -------------------------------------------------------------------------------------------


class FileColumns(NamedTuple):
    """Columns of a file, and what else it says."""

    queries: Any
    items: Any
    numbers: Array | None
    role: Role
    """What the numbers are."""
    about: dict[str, Any]
    """Comments, tag and columns without a role."""
    listed: list[str]
    """All queries of a format in which a query can have no rows."""
    n_unrated: int
    """Rows of judgements that have no grade."""


@dataclass
class Rows:
    """Rows that were read so far, and what else a file says."""

    source: Source
    queries: list[Any] = field(default_factory=list)
    """Lists or series, one for each block; the same for ``items`` and ``numbers``."""
    items: list[Any] = field(default_factory=list)
    numbers: list[Any] = field(default_factory=list)
    watched: list[UnusedColumn] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Names of the columns, or keys, that have no role."""
    listed: list[str] = field(default_factory=list)
    """All queries of a format in which a query can have no rows."""
    n_rows: int = 0
    n_unrated: int = 0
    """Rows of judgements that have no grade."""
    tag: str = ""
    comments: int = 0

    def add(self, queries: Any, items: Any, numbers: Any) -> None:
        """Rows of one block; ``numbers`` is None where a row has none."""
        self.n_rows += len(items)
        self.source.check_rows(self.n_rows)
        pl = polars_or_none()
        if pl is not None and isinstance(items, list):
            queries = pl.Series("query", queries, dtype=pl.String)
            items = pl.Series("item", items, dtype=pl.String)
        self.queries.append(queries)
        self.items.append(items)
        if numbers is not None:
            self.numbers.append(numbers)

    def take_away(self) -> tuple[Any, Any, Array | None]:
        """Queries, items and numbers that came since the last time, which are then forgotten."""
        taken = self.columns()
        self.queries, self.items, self.numbers = [], [], []
        return taken

    def columns(self) -> tuple[Any, Any, Array | None]:
        """Queries, items and numbers of all blocks."""
        if not self.n_rows:
            what = f", but {self.n_unrated:,} without a grade" if self.n_unrated else ""
            self.source.fail(None, f"holds no rows{what}")
        numbers = joined_numbers(self.source, self.numbers) if self.numbers else None
        return _joined(self.queries), _joined(self.items), numbers


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], list):
        return [value for part in parts for value in part]
    return polars_or_none().concat(parts) if len(parts) > 1 else parts[0]


class Fields(NamedTuple):
    """Where the fields of a line stand that has always as many."""

    n_fields: int
    query: int
    item: int
    number: int | None
    """Score, rank or grade."""
    role: Role
    """What that is."""
    separator: str | None = None
    """None: any white space separates, so that two separators are one, as in TREC's formats."""
    tag: int | None = None
    watched: tuple[int, ...] = ()
    """Columns of unknown names that may hold what no known column holds."""


RUN = Fields(6, 0, 2, 4, "score", tag=5)
QRELS = Fields(4, 0, 2, 3, "grade")


def add_trec(rows: Rows, blocks: Iterable[Block], *, is_run: bool) -> Iterator[Role]:
    """What the numbers are, after each block of TREC's lines."""
    fields = RUN if is_run else QRELS
    for block in blocks:
        if not _add_fast(rows, block, fields):
            _add_lines(rows, block, fields)
        yield fields.role


def add_delimited(
    rows: Rows, blocks: Iterable[Block], columns: Columns | None, *, is_run: bool
) -> Iterator[Role]:
    """The same for lines with a header above them."""
    fields = None
    for block in blocks:
        if fields is None:
            header, _, rest = block.data.partition(b"\n")
            fields = _fields(rows, block.first_line, header.decode(), columns, is_run=is_run)
            block = Block(block.first_line + 1, rest, block.n_lines - 1)
        if block.data and not _add_fast(rows, block, fields):
            _add_lines(rows, block, fields)
        yield fields.role
    refuse_unused(rows.watched, rows.source.name, ORDER if is_run else GRADE)


# CSV: the header --------------------------------------------------------------------------------

_SEPARATORS = ("\t", ",", ";", "|")


def separator_of(header: str) -> str:
    """The separator that splits a header into most columns."""
    return max(_SEPARATORS, key=header.count)


def has_header(header: str) -> bool:
    """Whether a line names a query and an item column."""
    roles = {role_of(name) for name in header.split(separator_of(header))}
    return {"query", "item"} <= roles


class NamedColumns(NamedTuple):
    """Which column of a table holds what."""

    query: str
    item: str
    number: str | None
    kind: Role
    """What the number is: a score, a rank or a grade."""
    watched: list[UnusedColumn]
    unread: list[str]
    """The columns without a role."""


def find_columns(
    names: list[str], columns: Columns | None, where: str, *, is_run: bool
) -> NamedColumns:
    """The columns of a run, or of judgements; BEIR calls a grade ``score``."""
    kinds = ORDER if is_run else GRADE
    roles = find_roles(names, ("query", "item"), kinds, columns=columns, where=where)
    if not is_run and "grade" not in (columns or {}):
        scores = find_roles(names, (), ("score",), columns=columns, where=where)
        if "grade" not in roles and "score" in scores:
            roles["grade"] = scores["score"]
    kind = next((kind for kind in kinds if kind in roles), kinds[0])
    return NamedColumns(
        roles["query"],
        roles["item"],
        roles.get(kind),
        kind,
        candidates_of(names, roles, columns, kinds),
        [name for name in names if name not in roles.values()],
    )


def _fields(rows: Rows, line: int, header: str, columns: Columns | None, *, is_run: bool) -> Fields:
    separator = separator_of(header)
    names = split_line(rows.source, line, header, separator)
    if columns is None and any(map(_NUMBER.fullmatch, names)) and not any(map(role_of, names)):
        number = "rank (or score)" if is_run else "grade"
        rows.source.fail(
            line,
            f"the first line looks like data ({format_list(names)}), where the names "
            "of the columns "
            f"belong; write a header above it with the names query, item and {number}",
        )
    named = find_columns(names, columns, rows.source.name, is_run=is_run)
    rows.watched, rows.unread = named.watched, named.unread
    return Fields(
        len(names),
        names.index(named.query),
        names.index(named.item),
        None if named.number is None else names.index(named.number),
        named.kind,
        separator=separator,
        watched=tuple(names.index(column.name) for column in named.watched),
    )


def split_line(source: Source, line: int, text: str, separator: str) -> list[str]:
    """The fields of a line of CSV."""
    if '"' not in text:
        return text.split(separator)
    try:
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        if text.count('"') % 2:
            source.fail(line, "a quote is not closed in its line; fields hold no line breaks")
        source.fail(line, f"is not CSV: {error}")


# Line by line -----------------------------------------------------------------------------------


def _add_lines(rows: Rows, block: Block, fields: Fields) -> None:
    """The rows of a block, with something to say of each line."""
    source, place, is_trec = rows.source, fields.number, fields.separator is None
    read: Callable[..., float] = read_grade if is_trec and fields.role == "grade" else read_number
    queries, items = [], []
    numbers: list[float] | None = None if place is None else []
    for line, parts in _split_lines(rows, block, fields):
        n_parts = len(parts)
        if n_parts != fields.n_fields and not (fields.tag and n_parts > fields.n_fields):
            source.fail(line, _wrong_number(n_parts, fields))
        query = check_id(source, line, parts[fields.query], "query id")
        item = check_id(source, line, parts[fields.item], "item id")
        if numbers is not None and place is not None:
            text = parts[place] if is_trec else parts[place].strip(" ")
            if not text and fields.role == "grade":
                rows.n_unrated += 1
                continue
            numbers.append(read(source, line, text, fields.role))
        queries.append(query)
        items.append(item)
        if fields.tag:
            rows.tag = parts[fields.tag]
        for column, number in zip(rows.watched, fields.watched, strict=True):
            column.add([query], [as_value(parts[number])])
    rows.add(queries, items, numbers)


def _split_lines(rows: Rows, block: Block, fields: Fields) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and fields, without blank lines and TREC's comments."""
    for line, data in enumerate(block.data.split(b"\n")[:-1], block.first_line):
        if fields.separator is not None:
            if data:
                yield line, split_line(rows.source, line, data.decode(), fields.separator)
        elif data.startswith(b"#"):
            rows.comments += 1
        elif parts := data.split():
            # Bytes split at ASCII white space alone, as trec_eval does; other spaces belong to ids.
            yield line, [part.decode() for part in parts]


def _wrong_number(n_fields: int, fields: Fields) -> str:
    if fields.separator is not None:
        return f"{n_fields} fields instead of {fields.n_fields}, as the header has"
    is_run = fields.role == "score"
    own, other = ("a run", "judgements") if is_run else ("judgements", "a run")
    expected = (
        "6 fields (query Q0 item rank score tag)" if is_run else "4 fields (query 0 item grade)"
    )
    message = f"{n_fields} fields instead of {expected}"
    if n_fields == (QRELS if is_run else RUN).n_fields:
        message += f"; it looks like {other} and is read as {own}: are the two files swapped?"
    elif n_fields == 3:
        message += "; a table of three columns needs a header, as in query,item,"
        message += "rank" if is_run else "grade"
    return message


# At once ----------------------------------------------------------------------------------------


def _add_fast(rows: Rows, block: Block, fields: Fields) -> bool:
    """Add the rows of a regular block by Polars; False if it is not regular, or without Polars."""
    pl = polars_or_none()
    separator = fields.separator or _only_space(block.data)
    if pl is None or separator is None or not _is_regular(block, fields, separator):
        return False
    is_whole = fields.separator is None and fields.role == "grade"
    frame = _parse(block, fields, separator, pl.Int64 if is_whole else pl.Float64)
    if frame is None:
        return False
    names = [f"column_{place + 1}" for place in range(fields.n_fields)]
    queries, items, last = frame[names[fields.query]], frame[names[fields.item]], frame[names[-1]]
    if max(queries.null_count(), items.null_count(), last.null_count() if fields.tag else 0):
        return False
    if max(queries.str.len_chars().max(), items.str.len_chars().max()) > MAX_ID:
        return False
    numbers = None
    if fields.number is not None:
        column = frame[names[fields.number]]
        if column.null_count():
            return False
        numbers = column.to_numpy()
        limit = TIMESTAMP if is_whole else EXACT
        if not (-limit < numbers.min() and numbers.max() < limit):
            return False  # there is something to say, or integers that must stay exact
    rows.add(queries, items, numbers)
    for watched, place in zip(rows.watched, fields.watched, strict=True):
        if not watched.is_text:
            pairs = pl.DataFrame({"query": queries, "value": frame[names[place]]}).unique()
            watched.add(pairs["query"].to_list(), map(as_value, pairs["value"].to_list()))
    if fields.tag:
        rows.tag = last[-1]
    return True


def _parse(block: Block, fields: Fields, separator: str, number_type: Any) -> Any:
    """The fields that are needed of all lines, as a frame; None if Polars refuses."""
    pl = polars_or_none()
    names = [f"column_{place + 1}" for place in range(fields.n_fields)]
    schema = dict.fromkeys(names, pl.String)
    # The last field is read, too: only then does a line with too many fields come to light.
    wanted = {fields.query, fields.item, fields.n_fields - 1, *fields.watched}
    if fields.number is not None:
        schema[names[fields.number]] = number_type
        wanted.add(fields.number)
    try:
        return pl.read_csv(
            io.BytesIO(block.data),
            has_header=False,
            schema=schema,
            columns=sorted(wanted),
            separator=separator,
            quote_char=None,
        )
    except (pl.exceptions.PolarsError, ValueError):
        return None


def _only_space(data: bytes) -> str | None:
    """The white space that separates everywhere; None if there are both kinds."""
    spaces, tabs = b" " in data, b"\t" in data
    return None if spaces == tabs else " " if spaces else "\t"


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


# LETOR ------------------------------------------------------------------------------------------

_LETOR = re.compile(r"(\S+)\s+qid:(\S+)\s(?:[^#]*)(?:#\s*(?:doc_?id\s*[=:]?\s*)?(\S+).*)?")


def is_letor(line: str) -> bool:
    """Whether a line is one of LETOR's, or of SVMlight with query ids."""
    return _LETOR.fullmatch(line + " ") is not None


def add_letor(rows: Rows, blocks: Iterable[Block], *, is_run: bool) -> Iterator[Role]:
    """Judgements of LETOR's lines; the features are passed over."""
    source = rows.source
    if is_run:
        source.fail(None, "holds grades and features of LETOR or SVMlight, and no scores")
    for block in blocks:
        found: list[tuple[str, str, int]] = []
        for line, data in enumerate(block.data.decode().split("\n")[:-1], block.first_line):
            text = data.strip()
            if not text or text.startswith("#"):
                rows.comments += bool(text)
                continue
            match = _LETOR.fullmatch(text + " ")
            if match is None:
                source.fail(line, "is not like grade qid:query 1:x ... # docid = item")
            grade, query, item = match.groups()
            if item is None:
                source.fail(
                    line,
                    "names no document (# docid = ...); read arrays instead: X, y, qid = "
                    "sklearn.datasets.load_svmlight_file(path, query_id=True), and pass groups=qid",
                )
            check_id(source, line, item, "item id")
            found.append((query, item, read_grade(source, line, grade)))
        if found:
            rows.add(*map(list, zip(*found, strict=True)))
        yield "grade"
