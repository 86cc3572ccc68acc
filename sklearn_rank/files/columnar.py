"""Parquet and Arrow IPC, files or streams, by Polars or else by PyArrow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.source import MAX_ID, Source
from sklearn_rank.files.text import FileColumns, NamedColumns, find_columns, polars_or_none
from sklearn_rank.inputs.roles import GRADE, ORDER, Columns, refuse_unused
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array

_STREAM = b"\xff\xff\xff\xff"
"""How a stream of Arrow begins, such as the files of Hugging Face's datasets."""


def columnar_kind(head: bytes) -> str | None:
    """The format of a file that begins with these bytes, if it is no text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if head.startswith((b"ARROW1", _STREAM)) else None


def read_columnar(
    source: Source, kind: str, columns: Columns | None, *, is_run: bool
) -> FileColumns:
    """Columns of a run or of judgements."""
    with _one_error(source, kind):
        table = _opened(source, kind)
        named = find_columns(table.names, columns, source.name, is_run=is_run)
        source.check_rows(table.n_rows)
        if not table.n_rows:
            source.fail(None, "holds no rows")
        frame, n_unrated = table.select(_wanted(named)), 0
        if named.kind == "grade" and named.number is not None:
            n_unrated = frame[named.number].null_count()
            frame = frame.filter(~frame[named.number].is_null()) if n_unrated else frame
        if n_unrated == table.n_rows:
            source.fail(None, f"holds no rows, but {n_unrated:,} without a grade")
        queries = _ids(source, frame, named.query)
        for column in named.watched:
            # Text is no number here.
            column.is_text = not _holds_numbers(frame[column.name])
            if not column.is_text:
                column.add(list(queries), frame[column.name].to_list())
        refuse_unused(named.watched, source.name, ORDER if is_run else GRADE)
        return FileColumns(
            queries,
            _ids(source, frame, named.item),
            None if named.number is None else _numbers(source, frame, named.number, named.kind),
            named.kind,
            {"unread": tuple(named.unread)},
            [],
            n_unrated,
        )


def _wanted(named: NamedColumns) -> list[str]:
    names = [named.query, named.item, *(column.name for column in named.watched)]
    return list(dict.fromkeys(names if named.number is None else [*names, named.number]))


@contextmanager
def _one_error(source: Source, kind: str) -> Iterator[None]:
    """Whatever a broken file does to a library is one error, with the library's as its cause."""
    try:
        yield
    except (FileFormatError, ColumnRoleError):
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        is_ours = isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit))
        if is_ours or getattr(error, "errno", None) is not None:
            raise
        msg = f"{source.name}: cannot be read as {kind}"
        raise FileFormatError(msg) from error


class _Table(NamedTuple):
    """What is known of a table before its columns are read."""

    names: list[str]
    n_rows: int
    select: Callable[[list[str]], Any]
    """Columns of these names as an eager frame of narwhals."""


def _opened(source: Source, kind: str) -> _Table:
    import narwhals as nw

    path = source.path
    file = io.BytesIO(path.read()) if hasattr(path, "read") else path
    is_stream = kind == "arrow" and _head(file) == _STREAM
    pl = polars_or_none()
    if pl is not None:
        if is_stream:
            frame = pl.read_ipc_stream(file).lazy()
        else:
            frame = pl.scan_parquet(file) if kind == "parquet" else pl.scan_ipc(file)
        names = frame.collect_schema().names()
        n_rows = frame.select(pl.len()).collect().item()
        return _Table(
            names,
            n_rows,
            lambda wanted: nw.from_native(
                frame.select(pl.selectors.by_name(*wanted)).collect(), eager_only=True
            ),
        )
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError:
        source.fail(None, f"{kind} files need Polars or PyArrow; install one of them")
    if kind == "parquet":
        opened = pyarrow.parquet.ParquetFile(file)
        return _Table(
            opened.schema_arrow.names,
            opened.metadata.num_rows,
            lambda wanted: nw.from_native(opened.read().select(wanted), eager_only=True),
        )
    table = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(_arrow_file(file)).read_all()
    return _Table(
        table.column_names,
        table.num_rows,
        lambda wanted: nw.from_native(table.select(wanted), eager_only=True),
    )


def _arrow_file(file: Any) -> Any:
    import pyarrow as pa

    return file if hasattr(file, "read") else pa.OSFile(str(file))


def _head(file: Any) -> bytes:
    if not hasattr(file, "read"):
        with open(file, "rb") as opened:
            return opened.read(4)
    head: bytes = file.read(4)
    file.seek(0)
    return head


def _holds_numbers(column: Any) -> bool:
    import narwhals as nw

    return bool(column.dtype.is_numeric() or column.dtype == nw.Boolean)


def _column(source: Source, frame: Any, name: str) -> Any:
    """A column without nulls and lists."""
    import narwhals as nw

    column = frame[name]
    if isinstance(column.dtype, (nw.List, nw.Array)):
        source.fail(
            None,
            f"column {safe_repr(name)} holds a list in each row, where a row is one item; make "
            "rows of them, as frame = polars.read_parquet(path).explode('items', 'scores') with "
            "the names of all columns of lists, and pass the frame instead of the file",
        )
    if column.null_count():
        row = column.is_null().to_list().index(True) + 1
        source.fail(None, f"row {row:,}: column {safe_repr(name)} is missing")
    return column


def _ids(source: Source, frame: Any, name: str) -> Any:
    """A column of text: a series of Polars, or a list."""
    import narwhals as nw

    column = _column(source, frame, name)
    dtype = column.dtype
    if not (dtype.is_integer() or isinstance(dtype, (nw.String, nw.Categorical, nw.Enum))):
        source.fail(None, f"column {safe_repr(name)} is {dtype}; ids are text or whole numbers")
    if polars_or_none() is not None:
        ids = column.cast(nw.String).to_native()
        lengths = ids.str.len_chars()
        is_right = 0 < lengths.min() <= lengths.max() <= MAX_ID
    else:  # some kinds of PyArrow's text have no functions there
        ids = [str(value) for value in column.to_list()]
        is_right = all(0 < len(value) <= MAX_ID for value in ids)
    if not is_right:
        source.fail(None, f"column {safe_repr(name)} holds an id that is empty or too long")
    return ids


def _numbers(source: Source, frame: Any, name: str, what: str) -> Array:
    """A column of finite numbers."""

    def refuse() -> NoReturn:
        source.fail(None, f"the {what} column {safe_repr(name)} holds no numbers")

    column = _column(source, frame, name)
    if not _holds_numbers(column):
        refuse()
    values: Array = column.to_numpy()
    if values.dtype == bool and what == "grade":
        return values.astype(np.int64)
    if values.dtype.kind not in "iuf":
        refuse()
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        row, value = int(wrong[0]) + 1, values[wrong[0]]
        source.fail(None, f"row {row:,}: {what} {value} is not a finite number")
    return values
