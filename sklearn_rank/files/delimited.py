"""CSV, TSV and the like: a header names the columns, each line after it is a row.

Quotes are those of CSV; a line feed inside of quotes is refused.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from typing import Any

from sklearn_rank.files.numbers import read_number
from sklearn_rank.files.rows import Fields, Rows, add_fast
from sklearn_rank.files.source import Block, Source, check_id
from sklearn_rank.inputs.roles import Role, find_roles, role_of

_SEPARATORS = ("\t", ",", ";", "|")


def separator_of(header: str) -> str:
    """The separator that splits a header into most columns."""
    return max(_SEPARATORS, key=header.count)


def has_header(header: str) -> bool:
    """Whether a line names a query and an item column."""
    roles = {role_of(name) for name in header.split(separator_of(header))}
    return {"query", "item"} <= roles


def find_columns(
    names: list[str], columns: Mapping[str, str] | None, where: str, *, is_run: bool
) -> dict[Role, str]:
    """The columns of a run, or of judgements; BEIR calls a grade ``score``."""
    if is_run:
        return find_roles(names, ("query", "item"), ("score", "rank"), columns=columns, where=where)
    found = find_roles(names, ("query", "item"), ("grade",), columns=columns, where=where)
    if "grade" not in found:
        scores = find_roles(names, (), ("score",), columns=columns, where=where)
        if "score" in scores:
            found["grade"] = scores["score"]
    return found


def read_delimited(
    source: Source, blocks: Iterable[Block], columns: Mapping[str, str] | None, *, is_run: bool
) -> tuple[Rows, bool]:
    """Rows, and whether their numbers are ranks."""
    rows, fields = Rows(source), None
    by_rank = False
    for block in blocks:
        if fields is None:
            header, _, rest = block.data.partition(b"\n")
            text = header.decode()
            names = _split(source, block.first_line, text, separator_of(text))
            found = find_columns(names, columns, source.name, is_run=is_run)
            number: Role = ("score" if "score" in found else "rank") if is_run else "grade"
            by_rank = number == "rank" and "rank" in found
            fields = Fields(
                len(names),
                names.index(found["query"]),
                names.index(found["item"]),
                names.index(found[number]) if number in found else None,
                separator=separator_of(text).encode(),
            )
            block = Block(block.first_line + 1, rest, block.n_lines - 1)
        if block.data and not add_fast(rows, block, fields):
            _add_lines(rows, block, fields, number)
    return rows, by_rank


def _add_lines(rows: Rows, block: Block, fields: Fields, what: str) -> None:
    source, separator = rows.source, fields.separator.decode()
    queries, items = [], []
    numbers: list[Any] | None = None if fields.number is None else []
    for line, data in enumerate(block.data.split(b"\n")[:-1], block.first_line):
        if not data:
            continue
        parts = _split(source, line, data.decode(), separator)
        if len(parts) != fields.n_fields:
            source.fail(
                line, f"{len(parts)} fields instead of {fields.n_fields}, as the header has"
            )
        queries.append(check_id(source, line, parts[fields.query], "query id"))
        items.append(check_id(source, line, parts[fields.item], "item id"))
        if numbers is not None and fields.number is not None:
            numbers.append(read_number(source, line, parts[fields.number], what))
    rows.add(queries, items, numbers)


def _split(source: Source, line: int, text: str, separator: str) -> list[str]:
    """The fields of a line."""
    if '"' not in text:
        return text.split(separator)
    try:
        return next(csv.reader([text], delimiter=separator, strict=True))
    except csv.Error as error:
        source.fail(line, f"is not CSV: {error}")
