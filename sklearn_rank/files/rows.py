"""Rows on their way from a reader to a run or judgements: as lists, or as Polars series.

With Polars a block of regular lines is parsed at once; any other block, and every block without
Polars, is parsed line by line. Both ways give the same rows or the same error: the fast one takes
only blocks in which it cannot be mistaken, and leaves all that is to be said to the other.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.files.numbers import MAX_WHOLE, as_value
from sklearn_rank.files.source import MAX_ID, Block, Source
from sklearn_rank.inputs.roles import UnreadColumn
from sklearn_rank.typing import Array


@cache
def polars_or_none() -> Any:
    """Polars, if it is installed."""
    try:
        import polars as pl
    except ImportError:
        return None
    return pl


class Fields(NamedTuple):
    """Where the fields of a line stand that has always as many."""

    n_fields: int
    query: int
    item: int
    number: int | None
    """Score, rank or grade."""
    whole: bool = False
    """Whether that is a whole number."""
    separator: bytes = b" "
    spaced: bool = False
    """Whether any white space separates, so that two separators are one."""
    watched: tuple[int, ...] = ()
    """Columns of unknown names that may hold what no known column holds."""


@dataclass
class Rows:
    """Rows that were read so far."""

    source: Source
    queries: list[Any] = field(default_factory=list)
    """Lists or series, one for each block; the same for ``items``."""
    items: list[Any] = field(default_factory=list)
    numbers: list[Array] = field(default_factory=list)
    watched: list[UnreadColumn] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Names of the columns, or keys, that have no role."""
    listed: list[str] = field(default_factory=list)
    """All queries of a format in which a query can have no rows."""
    n_rows: int = 0
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
            self.numbers.append(np.asarray(numbers))

    def take_away(self) -> tuple[Any, Any, Array | None]:
        """Queries, items and numbers that came since the last time, which are then forgotten."""
        taken = self.columns()
        self.queries, self.items, self.numbers = [], [], []
        return taken

    def columns(self) -> tuple[Any, Any, Array | None]:
        """Queries, items and numbers of all blocks."""
        if not self.n_rows:
            self.source.fail(None, "holds no rows")
        numbers = np.concatenate(self.numbers) if self.numbers else None
        return _joined(self.queries), _joined(self.items), numbers


def _joined(parts: list[Any]) -> Any:
    if isinstance(parts[0], list):
        return [value for part in parts for value in part]
    pl = polars_or_none()
    return pl.concat(parts) if len(parts) > 1 else parts[0]


def add_fast(rows: Rows, block: Block, fields: Fields, tag: int | None = None) -> bool:
    """Add the rows of a regular block by Polars; False if it is not regular, or without Polars."""
    pl = polars_or_none()
    if pl is None:
        return False
    separator = _separator(block.data, fields)
    if separator is None or not _is_regular(block, fields, separator):
        return False
    names = [f"column_{place + 1}" for place in range(fields.n_fields)]
    schema = dict.fromkeys(names, pl.String)
    if fields.number is not None:
        schema[names[fields.number]] = pl.Int64 if fields.whole else pl.Float64
    # The last field is read, too: only then does a line with too many fields come to light.
    wanted = {fields.query, fields.item, fields.n_fields - 1}
    if fields.number is not None:
        wanted.add(fields.number)
    wanted.update(fields.watched)
    try:
        frame = pl.read_csv(
            io.BytesIO(block.data),
            has_header=False,
            schema=schema,
            columns=sorted(wanted),
            separator=separator,
            quote_char=None,
        )
    except (pl.exceptions.PolarsError, ValueError):
        return False
    queries, items = frame[names[fields.query]], frame[names[fields.item]]
    last = frame[names[-1]]
    if max(queries.null_count(), items.null_count(), last.null_count() if tag is not None else 0):
        return False
    if max(queries.str.len_chars().max(), items.str.len_chars().max()) > MAX_ID:
        return False
    numbers = None
    if fields.number is not None:
        column = frame[names[fields.number]]
        if column.null_count():
            return False
        numbers = column.to_numpy()
        low, high = numbers.min(), numbers.max()
        if not (np.isfinite(low) and np.isfinite(high)):
            return False
        if fields.whole and max(-int(low), int(high)) >= MAX_WHOLE:
            return False
    rows.add(queries, items, numbers)
    for column, place in zip(rows.watched, fields.watched, strict=True):
        if column.is_text:
            continue
        pairs = pl.DataFrame({"query": queries, "value": frame[names[place]]}).unique()
        column.add(pairs["query"].to_list(), map(as_value, pairs["value"].to_list()))
    if tag is not None:
        rows.tag = last[-1]
    return True


def _separator(data: bytes, fields: Fields) -> str | None:
    """The one separator of a block; None if it may have several."""
    if not fields.spaced:
        return fields.separator.decode()
    spaces, tabs = b" " in data, b"\t" in data
    return None if spaces == tabs else " " if spaces else "\t"


def _is_regular(block: Block, fields: Fields, separator: str) -> bool:
    """Whether all lines can have the same number of fields and nothing else is to be told apart."""
    data = block.data
    if data[:1] == b"#" or (b"#" in data and b"\n#" in data):
        return False
    if fields.spaced:
        return _is_evenly_spaced(block, fields.n_fields, ord(separator))
    if b'"' in data or b"\n\n" in data or data[:1] == b"\n":
        return False
    return _has_separators(block, fields.n_fields, ord(separator))


_SPACE = 32
"""White space of ASCII and control characters are the bytes up to it."""


def _is_evenly_spaced(block: Block, n_fields: int, separator: int) -> bool:
    """Whether one separator stands between two fields, and no other white space anywhere."""
    n_separators = n_low = 0
    before = True  # nothing may separate the first field from what is before it
    for part in block.windows():
        low = part <= _SPACE
        n_separators += int(np.count_nonzero(part == separator))
        n_low += int(np.count_nonzero(low))
        if (before and low[0]) or (low[1:] & low[:-1]).any():
            return False
        before = low[-1]
    return n_separators == (n_fields - 1) * block.n_lines == n_low - block.n_lines


def _has_separators(block: Block, n_fields: int, separator: int) -> bool:
    """Whether there are as many separators as there should be, and no control characters."""
    n_separators = n_control = 0
    for part in block.windows():
        n_separators += int(np.count_nonzero(part == separator))
        n_control += int(np.count_nonzero(part < _SPACE))
    if separator < _SPACE:
        n_control -= n_separators
    return n_separators == (n_fields - 1) * block.n_lines and n_control == block.n_lines
