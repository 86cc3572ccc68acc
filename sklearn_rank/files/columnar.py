"""Parquet and Arrow IPC, files or streams, by Polars or else by PyArrow."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.source import MAX_ID, FileRows, Request, Source, polars_or_none
from sklearn_rank.files.text import find_columns
from sklearn_rank.inputs.frames import different_values
from sklearn_rank.inputs.roles import GRADE, ORDER, Role, refuse_unread, text_grades
from sklearn_rank.support.text import safe_repr

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
            problem = f"{called} is {dtype}; ids are text or whole numbers"
        elif polars_or_none() is not None:
            values = column.cast(nw.String).to_native()
            lengths = values.str.len_chars()
        else:
            values = list(map(str, column.to_list()))
            lengths = np.array(list(map(len, values)))
        if values is not None and len(values) and not 0 < lengths.min() <= lengths.max() <= MAX_ID:
            problem = f"{called} holds an id that is empty or too long"
    elif request.grades is not None:
        cells = column.to_list()
        values = np.array([math.nan if c is None else request.grade_of(None, c) for c in cells])
    elif dtype.is_numeric() or dtype == nw.Boolean:
        values = column.to_numpy()
        values = values.astype(np.float64 if values.dtype.kind == "O" else values.dtype)
        values = values.astype(np.int64) if values.dtype == bool else values
        if role != "grade" and not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            problem = f"row {row + 1:,}: {role} {values[row]} is not a finite number"
    else:
        problem = f"the {role} {called} holds no numbers"
        if role == "grade":
            texts = text_grades(column.head(1000).to_list())
            problem += f"; pass {texts}, a number for each text"
    if problem:
        request.source.fail(None, problem)
    return values
