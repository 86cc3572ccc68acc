"""Parquet and Arrow IPC files, by Polars or else by PyArrow; columns are found by their names."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.delimited import find_columns
from sklearn_rank.files.rows import polars_or_none
from sklearn_rank.files.source import MAX_ID, Source
from sklearn_rank.inputs.roles import GRADE, ORDER, Columns, UnreadColumn, refuse_unread
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array

Columnar: TypeAlias = Literal["parquet", "arrow"]


class ColumnarRows(NamedTuple):
    """Columns of a table."""

    queries: Any
    items: Any
    numbers: Array | None
    by_rank: bool
    unread: list[str]
    """Names of the columns that have no role."""


def read_columnar(
    source: Source, kind: Columnar, columns: Columns | None, *, is_run: bool
) -> ColumnarRows:
    """Columns of a run or of judgements."""
    try:
        table = _open(source, kind)
        named = find_columns(table.names(), columns, source.name, is_run=is_run)
        source.check_rows(table.n_rows())
        if not table.n_rows():
            source.fail(None, "holds no rows")
        queries = table.ids(named.query)
        _watch(table, queries, named.watched)
        refuse_unread(named.watched, source.name, ORDER if is_run else GRADE)
        return ColumnarRows(
            queries,
            table.ids(named.item),
            None if named.number is None else table.numbers(named.number, named.kind),
            named.kind == "rank",
            named.unread,
        )
    except (FileFormatError, ColumnRoleError):
        raise
    except BaseException as error:
        # A panic of Rust is no Exception: whatever a broken file does to a library is one error
        # here, the same for both, with the library's own as its cause.
        is_of_the_file = not isinstance(
            error, (KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit)
        )
        if not is_of_the_file or getattr(error, "errno", None) is not None:
            raise
        msg = f"{source.name}: cannot be read as {kind}"
        raise FileFormatError(msg) from error


def _watch(table: _Table, queries: Any, columns: list[UnreadColumn]) -> None:
    """Tell the columns of unknown names what they hold; text is no number here."""
    for column in columns:
        if table.holds_numbers(column.name):
            column.add(queries, table.values(column.name))
        else:
            column.is_text = True


def _open(source: Source, kind: Columnar) -> _Table:
    if polars_or_none() is not None:
        return _PolarsTable(source, kind)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        source.fail(None, f"{kind} files need Polars or PyArrow; install one of them")
    return _ArrowTable(source, kind)


class _Table(ABC):
    """What is asked of a table, whichever library reads it."""

    def __init__(self, source: Source, kind: Columnar) -> None:
        self.source = source
        path = source.path
        self.file = io.BytesIO(path.read()) if hasattr(path, "read") else path
        self.kind = kind

    @abstractmethod
    def names(self) -> list[str]:
        """Names of the columns."""

    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows, known before they are read."""

    @abstractmethod
    def holds_numbers(self, name: str) -> bool:
        """Whether a column holds numbers or truth values."""

    @abstractmethod
    def values(self, name: str) -> list[Any]:
        """A column as it is."""

    @abstractmethod
    def ids(self, name: str) -> Any:
        """A column of text."""

    @abstractmethod
    def numbers(self, name: str, what: str) -> Array:
        """A column of finite numbers."""

    def refuse_ids(self, name: str, dtype: Any) -> None:
        """Ids are text, or whole numbers that are written as text."""
        self.source.fail(
            None, f"column {safe_repr(name)} is {dtype}; ids are text or whole numbers"
        )

    def check_numbers(self, values: Array, name: str, what: str) -> Array:
        """Numbers that are numbers."""
        if values.dtype == bool and what == "grade":
            return values.astype(np.int64)
        if values.dtype.kind not in "iuf":
            self.source.fail(None, f"the {what} column {safe_repr(name)} holds no numbers")
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            row, value = int(wrong[0]) + 1, values[wrong[0]]
            self.source.fail(None, f"row {row:,}: {what} {value} is not a finite number")
        return values

    def refuse_missing(self, row: int, name: str) -> None:
        """An id or a number that is not there."""
        self.source.fail(None, f"row {row + 1:,}: column {safe_repr(name)} is missing")


class _PolarsTable(_Table):
    def __init__(self, source: Source, kind: Columnar) -> None:
        super().__init__(source, kind)
        pl = polars_or_none()
        self.pl = pl
        self.frame = pl.scan_parquet(self.file) if kind == "parquet" else pl.scan_ipc(self.file)
        self.schema = self.frame.collect_schema()

    def names(self) -> list[str]:
        return list(self.schema.names())

    def n_rows(self) -> int:
        return int(self.frame.select(self.pl.len()).collect().item())

    def holds_numbers(self, name: str) -> bool:
        dtype = self.schema[name]
        return bool(dtype.is_numeric() or dtype == self.pl.Boolean)

    def values(self, name: str) -> list[Any]:
        return self.frame.select(name).collect()[name].to_list()  # type: ignore[no-any-return]

    def _column(self, name: str) -> Any:
        column = self.frame.select(name).collect()[name]
        if column.null_count():
            self.refuse_missing(int(column.is_null().arg_true()[0]), name)
        return column

    def ids(self, name: str) -> Any:
        dtype = self.schema[name]
        pl = self.pl
        if not (dtype == pl.String or dtype.is_integer() or dtype in (pl.Categorical, pl.Enum)):
            self.refuse_ids(name, dtype)
        column = self._column(name).cast(pl.String)
        lengths = column.str.len_chars()
        if lengths.min() == 0 or lengths.max() > MAX_ID:
            self.source.fail(
                None, f"column {safe_repr(name)} holds an id that is empty or too long"
            )
        return column

    def numbers(self, name: str, what: str) -> Array:
        if not self.holds_numbers(name):
            self.source.fail(None, f"the {what} column {safe_repr(name)} holds no numbers")
        return self.check_numbers(self._column(name).to_numpy(), name, what)


class _ArrowTable(_Table):
    def __init__(self, source: Source, kind: Columnar) -> None:
        super().__init__(source, kind)
        import pyarrow.feather
        import pyarrow.parquet

        if kind == "parquet":
            self.rows = pyarrow.parquet.ParquetFile(self.file).metadata.num_rows
            source.check_rows(self.rows)
            self.table: Any = pyarrow.parquet.read_table(self.file)
        else:
            self.table = pyarrow.feather.read_table(self.file)
            self.rows = self.table.num_rows

    def names(self) -> list[str]:
        return list(self.table.column_names)

    def n_rows(self) -> int:
        return int(self.rows)

    def holds_numbers(self, name: str) -> bool:
        import pyarrow.types as kinds

        kind = self.table.schema.field(name).type
        tests = (kinds.is_integer, kinds.is_floating, kinds.is_decimal, kinds.is_boolean)
        return any(test(kind) for test in tests)

    def values(self, name: str) -> list[Any]:
        values: list[Any] = self.table.column(name).to_pylist()
        return values

    def _column(self, name: str) -> list[Any]:
        values = self.values(name)
        if None in values:
            self.refuse_missing(values.index(None), name)
        return values

    def ids(self, name: str) -> list[str]:
        values = self._column(name)
        kinds = set(map(type, values))
        if not kinds <= {str, int}:
            self.refuse_ids(name, self.table.schema.field(name).type)
        ids = values if kinds == {str} else [str(value) for value in values]
        if not all(0 < len(item) <= MAX_ID for item in ids):
            self.source.fail(
                None, f"column {safe_repr(name)} holds an id that is empty or too long"
            )
        return ids

    def numbers(self, name: str, what: str) -> Array:
        return self.check_numbers(np.array(self._column(name)), name, what)
