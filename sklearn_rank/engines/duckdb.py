"""DuckDB: batches of Arrow, in the order in which it gives the rows of a relation.

Ranking in SQL was measured and dropped: for 5 million rows, a window or a count of greater scores
takes several times as long as reading and ranking them here, without a check for duplicates.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.read import Problem
from sklearn_rank.engines.stream import BATCH, Rows, read_streams
from sklearn_rank.rankings.data import RankingData

if TYPE_CHECKING:
    import polars as pl

_EXACT_DIGITS = 15
"""Decimals of so many digits are told apart as float64, and stand in their order."""
_AS_TEXT = frozenset({"BIGNUM", "BIT", "INTERVAL", "UNION", "VARINT"})


def read(problem: Problem) -> RankingData:
    """Judged rankings of relations."""
    return read_streams(problem, _rows_of)


def _rows_of(relation: Any) -> Rows:
    """Rows of a relation.

    Nothing else may be asked of the connection before the last batch: it would end the stream.
    """
    kinds = map(str, relation.types)
    plain = relation.project(", ".join(map(_as_plain, relation.columns, kinds)))

    def batches(columns: Sequence[str]) -> Generator[pl.DataFrame]:
        return _frames(plain.project(", ".join(map(quoted, columns))))

    first = _frames(plain.limit(0))
    schema = next(first)
    first.close()
    return Rows(schema, batches)


def _as_plain(name: str, kind: str) -> str:
    """SQL for a column.

    Whole numbers of 128 bits, which a sum has, and short decimals are cast to plain numbers; what
    Arrow or Polars lack, or hold as bytes, becomes text.
    """
    column = quoted(name)
    if kind.partition("(")[0] in _AS_TEXT:
        return f"CAST({column} AS VARCHAR) AS {column}"
    decimal = re.fullmatch(r"DECIMAL\((\d+),\s*\d+\)", kind)
    if decimal is not None and int(decimal[1]) <= _EXACT_DIGITS:
        return f"CAST({column} AS DOUBLE) AS {column}"
    return f"CAST({column} AS BIGINT) AS {column}" if kind == "HUGEINT" else column


def quoted(name: str) -> str:
    """A name as SQL has it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _frames(relation: Any) -> Generator[pl.DataFrame]:
    """Batches of a relation; a first one without rows tells the columns."""
    import polars as pl

    # The second name is that of versions before 1.5.
    make = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    reader = make(BATCH)
    try:
        yield pl.DataFrame(reader.schema.empty_table())
        for batch in reader:
            yield pl.DataFrame(batch)
    finally:
        reader.close()
