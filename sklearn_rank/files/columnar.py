"""Parquet and Arrow IPC, files or streams, by Polars or else by PyArrow."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.source import MAX_ID, Source
from sklearn_rank.files.text import Rows, find_columns, polars_or_none
from sklearn_rank.inputs.frames import different_values
from sklearn_rank.inputs.roles import GRADE, ORDER, Columns, refuse_unread, text_grades
from sklearn_rank.support.text import safe_repr

_STREAM = b"\xff\xff\xff\xff"
"""First bytes of an Arrow stream, such as the files of Hugging Face's datasets."""


def columnar_kind(head: bytes) -> str | None:
    """The format of a file that begins with these bytes, if it is no text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if head.startswith((b"ARROW1", _STREAM)) else None


def add_columnar(rows: Rows, kind: str, columns: Columns | None) -> None:
    """The rows of a file; whatever a broken one does to a library is one error."""
    try:
        _add(rows, kind, columns)
    except (FileFormatError, ColumnRoleError):
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        is_ours = isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError, GeneratorExit))
        if is_ours or getattr(error, "errno", None) is not None:
            raise
        msg = f"{rows.source.name}: cannot be read as {kind}"
        raise FileFormatError(msg) from error


def _add(rows: Rows, kind: str, columns: Columns | None) -> None:
    import narwhals as nw

    source = rows.source
    names, read = _open(source, kind)
    named = find_columns(names, columns, source.name, is_run=rows.is_run)
    rows.role, rows.roles = named.kind, named.roles
    rows.unread = named.unread
    wanted = [named.query, named.item, named.number, named.rank]
    wanted += named.spare
    frame = nw.from_native(read([name for name in dict.fromkeys(wanted) if name]), eager_only=True)
    kinds = ORDER if rows.is_run else GRADE
    refuse_unread(different_values(frame, named.spare), source.name, kinds)
    if named.kind == "grade" and named.number is not None:
        is_unrated = frame[named.number].is_null()
        rows.n_unrated = int(is_unrated.sum())
        frame = frame.filter(~is_unrated) if rows.n_unrated else frame
    if not len(frame):
        rows.take()  # which says that there are none
    queries = _values(source, frame, named.query, "query")
    items = _values(source, frame, named.item, "item")
    name, numbers = named.number, None
    if name is not None and rows.grades is not None:
        numbers = [rows.grade_of(None, value) for value in frame[name].to_list()]
    elif name is not None:
        numbers = _values(source, frame, name, named.kind)
    has_ranks = named.rank is not None and _holds_numbers(frame[named.rank])
    rows.add(queries, items, numbers, frame[named.rank].to_numpy() if has_ranks else None)


_Table: TypeAlias = "tuple[list[str], Callable[[list[str]], Any]]"
"""Names of the columns, and a reader of some of the columns."""


def _open(source: Source, kind: str) -> _Table:
    """A table without reading a column."""
    file: Any = source.path
    if hasattr(file, "read"):
        file = io.BytesIO(file.read())
        is_stream = file.getbuffer()[:4] == _STREAM
    else:
        file = os.fsdecode(file)
        with open(file, "rb") as start:
            is_stream = start.read(4) == _STREAM
    pl = polars_or_none()
    if pl is not None:
        if is_stream:
            frame = pl.read_ipc_stream(file).lazy()
        else:
            frame = pl.scan_parquet(file) if kind == "parquet" else pl.scan_ipc(file)
        by_name = pl.selectors.by_name
        names = frame.collect_schema().names()
        return names, lambda wanted: frame.select(by_name(*wanted)).collect()
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:
        source.fail(None, f"{kind} files need Polars or PyArrow; install one of them")
    file = pa.OSFile(file) if isinstance(file, str) else file
    if is_stream:
        table = pa.ipc.open_stream(file).read_all()
        return table.column_names, table.select
    form = dataset.ParquetFileFormat() if kind == "parquet" else dataset.IpcFileFormat()
    part = form.make_fragment(file)
    names = part.physical_schema.names
    return names, lambda wanted: part.to_table(columns=wanted)


def _holds_numbers(column: Any) -> bool:
    import narwhals as nw

    return bool(column.dtype.is_numeric() or column.dtype == nw.Boolean)


def _values(source: Source, frame: Any, name: str, role: str) -> Any:
    """A column without nulls: ids as text (a series of Polars, or a list), or finite numbers."""
    import narwhals as nw

    values: Any = None
    column, problem, is_right = frame[name], "", True
    dtype, is_id, called = column.dtype, role in ("query", "item"), f"column {safe_repr(name)}"
    if isinstance(dtype, (nw.List, nw.Array)):
        problem = (
            f"{called} holds a list in each row, where a row is one item; make rows of them, as "
            "frame = polars.read_parquet(path).explode('items', 'scores') with the names of all "
            "columns of lists, and pass the frame instead of the file"
        )
    elif column.null_count():
        row = column.is_null().to_list().index(True) + 1
        problem = f"row {row:,}: {called} is missing"
    elif not is_id:
        values = column.to_numpy() if _holds_numbers(column) else np.array("")
        if values.dtype == bool and role == "grade":
            values = values.astype(np.int64)
        if values.dtype.kind not in "iuf":
            problem = f"the {role} {called} holds no numbers"
            if role == "grade":
                texts = text_grades(column.head(1000).to_list())
                problem += f"; pass grades={texts}, a number for each text"
        elif not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            problem = f"row {row + 1:,}: {role} {values[row]} is not a finite number"
    elif not (dtype.is_integer() or isinstance(dtype, (nw.String, nw.Categorical, nw.Enum))):
        problem = f"{called} is {dtype}; ids are text or whole numbers"
    elif polars_or_none() is not None:
        values = column.cast(nw.String).to_native()
        lengths = values.str.len_chars()
        is_right = 0 < lengths.min() <= lengths.max() <= MAX_ID
    else:  # some kinds of PyArrow's text have no functions there
        values = [str(value) for value in column.to_list()]
        is_right = all(0 < len(value) <= MAX_ID for value in values)
    if not is_right:
        problem = f"{called} holds an id that is empty or too long"
    if problem:
        source.fail(None, problem)
    return values
