"""CSV, TSV and the like: a header names the columns, each line after it is a row.

Quotes are those of CSV; a line feed inside of quotes is refused.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sklearn_rank.files.numbers import as_value, read_number
from sklearn_rank.files.rows import Fields, Rows, add_fast
from sklearn_rank.files.source import Block, Source, check_id
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    Columns,
    Role,
    UnreadColumn,
    find_roles,
    refuse_unread,
    role_of,
    suspects,
)

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
    watched: list[UnreadColumn]
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
        suspects(names, roles, columns, kinds),
        [name for name in names if name not in roles.values()],
    )


def read_delimited(
    source: Source, blocks: Iterable[Block], columns: Columns | None, *, is_run: bool
) -> tuple[Rows, bool]:
    """Rows, and whether their numbers are ranks."""
    rows, kind = Rows(source), GRADE[0]
    for kind in add_delimited(rows, blocks, columns, is_run=is_run):  # noqa: B007
        pass
    return rows, kind == "rank"


def add_delimited(
    rows: Rows, blocks: Iterable[Block], columns: Columns | None, *, is_run: bool
) -> Iterator[Role]:
    """What the numbers are, after each block, for those who take the rows away."""
    source, fields, kind = rows.source, None, GRADE[0]
    for block in blocks:
        if fields is None:
            header, _, rest = block.data.partition(b"\n")
            text = header.decode()
            names = split_line(source, block.first_line, text, separator_of(text))
            named = find_columns(names, columns, source.name, is_run=is_run)
            kind, rows.watched, rows.unread = named.kind, named.watched, named.unread
            fields = _fields(names, named, separator_of(text))
            block = Block(block.first_line + 1, rest, block.n_lines - 1)
        if block.data and not add_fast(rows, block, fields):
            _add_lines(rows, block, fields, kind)
        yield kind
    refuse_unread(rows.watched, source.name, ORDER if is_run else GRADE)


def _fields(names: list[str], named: NamedColumns, separator: str) -> Fields:
    return Fields(
        len(names),
        names.index(named.query),
        names.index(named.item),
        None if named.number is None else names.index(named.number),
        separator=separator.encode(),
        watched=tuple(names.index(column.name) for column in named.watched),
    )


def _add_lines(rows: Rows, block: Block, fields: Fields, what: str) -> None:
    source, separator = rows.source, fields.separator.decode()
    queries, items = [], []
    numbers: list[Any] | None = None if fields.number is None else []
    for line, data in enumerate(block.data.split(b"\n")[:-1], block.first_line):
        if not data:
            continue
        parts = split_line(source, line, data.decode(), separator)
        if len(parts) != fields.n_fields:
            source.fail(
                line, f"{len(parts)} fields instead of {fields.n_fields}, as the header has"
            )
        queries.append(check_id(source, line, parts[fields.query], "query id"))
        items.append(check_id(source, line, parts[fields.item], "item id"))
        if numbers is not None and fields.number is not None:
            numbers.append(read_number(source, line, parts[fields.number].strip(" "), what))
        cells = (parts[place] for place in fields.watched)
        for column, cell in zip(rows.watched, cells, strict=True):
            column.add(queries[-1:], [as_value(cell)])
    rows.add(queries, items, numbers)


def split_line(source: Source, line: int, text: str, separator: str) -> list[str]:
    """The fields of a line."""
    if '"' not in text:
        return text.split(separator)
    try:
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        if text.count('"') % 2:
            source.fail(line, "a quote is not closed in its line; fields hold no line breaks")
        source.fail(line, f"is not CSV: {error}")
