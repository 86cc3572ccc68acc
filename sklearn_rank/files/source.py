"""Bytes of a file as blocks of whole lines: the home of decompression and of line numbers."""

from __future__ import annotations

import bz2
import gzip
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import IO, Any, NamedTuple, NoReturn, cast

import numpy as np

from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.inputs.roles import Columns, Role
from sklearn_rank.support.checks import check_integer
from sklearn_rank.support.disk import readable
from sklearn_rank.support.text import format_list, safe_repr, safe_text
from sklearn_rank.typing import Array

BLOCK_BYTES = 1 << 22
"""Read at once: far above what a call costs, and little enough to stay in a processor's cache
while it is checked and parsed; four times as much took a tenth longer."""
MAX_BYTES = 2 << 30
"""To which a compressed file may grow, and that a JSON file may hold."""
MAX_ID = 1 << 16
"""Characters of an id; one that is longer is a document, not its name."""
LINE_FEED = 10
_WINDOW = 1 << 16
BOM = b"\xef\xbb\xbf"
_BOMS_OF_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Source(NamedTuple):
    """A path or an open binary file, and its name in messages."""

    path: Any
    name: str
    max_bytes: int = MAX_BYTES
    what: str = "path"
    """Name of the argument, of a function or in the usage of the command."""

    def fail(self, line: int | None, what: str) -> NoReturn:
        """FileFormatError that names the file and, where there is one, the line."""
        raise FileFormatError(f"{self.name}:{line}: {what}" if line else f"{self.name}: {what}")


class Request(NamedTuple):
    """What a caller says of a file."""

    source: Source
    is_run: bool
    columns: Columns | None = None
    grades: Mapping[str, float] | None = None
    """Grades of texts; None: grades are numbers."""
    queries: Sequence[str] | None = None
    """Ids of queries that the file does not name."""

    def grade_of(self, line: int | None, text: Any) -> float:
        """The grade of a text, or FileFormatError for one that ``grades`` does not name."""
        assert self.grades is not None
        if text not in self.grades:
            shown = format_list(self.grades)
            self.source.fail(line, f"grade {safe_repr(text)} is not in grades=, which has {shown}")
        return self.grades[text]


class FileRows(NamedTuple):
    """Rows of a file, and what else it says."""

    columns: Mapping[Role, Any]
    """Ids as lists of text, or as series of Polars; arrays of numbers, NaN where a row has none."""
    names: Mapping[Role, str]
    """Of the columns in the file."""
    doubts: tuple[str, ...] = ()
    """Signs of another order than was meant."""
    queries: list[str] = []  # noqa: RUF012
    """All queries, in formats that can have queries without a row."""


class Block(NamedTuple):
    """Whole lines, each ended by a line feed, in UTF-8, without carriage returns before it."""

    first_line: int
    data: bytes


def source_of(path: Any, what: str = "path", max_bytes: int = MAX_BYTES) -> Source:
    """A path or an open binary file as a source."""
    max_bytes = check_integer(max_bytes, "max_bytes", "read_run", at_least=1)
    if isinstance(path, (str, os.PathLike)):
        name = os.fsdecode(os.fspath(path))
    elif hasattr(path, "readinto"):
        name = str(getattr(path, "name", "<file>"))
    else:
        how = "; open it with 'rb', or pass io.BytesIO(text.encode())" * hasattr(path, "read")
        msg = f"a path or a binary file is needed, got {type(path).__name__}{how}"
        raise TypeError(msg)
    return Source(path, safe_text(name, limit=200), max_bytes, what)


def check_id(source: Source, line: int | None, text: str, what: str) -> str:
    """An id that is there and not too long."""
    if not 0 < len(text) <= MAX_ID:
        fault = f"longer than {MAX_ID:,} characters" if text else "empty"
        source.fail(line, f"the {what} is {fault}")
    return text


@cache
def polars_or_none() -> Any:
    """Polars, if it is installed."""
    try:
        import polars as pl
    except ImportError:
        return None
    return pl


@contextmanager
def opened(source: Source) -> Iterator[tuple[io.BufferedReader, bytes]]:
    """The file as it is stored, and its first bytes."""
    file = source.path
    if isinstance(file, (str, os.PathLike)):
        with readable(file, source.what):
            file = open(file, "rb")  # noqa: SIM115
        with file:
            yield file, file.peek(8)[:8]
    else:
        file = file if hasattr(file, "peek") else io.BufferedReader(file)
        yield file, file.peek(8)[:8]


def _decompressed(source: Source, file: IO[bytes], head: bytes) -> IO[bytes]:
    """The content of a file, by its first bytes and not by its name."""
    if head.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if head.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if not head.startswith(b"\x28\xb5\x2f\xfd"):
        return file
    try:
        import pyarrow as pa
    except ImportError:
        source.fail(None, "Zstandard needs PyArrow; install it")
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(file), "zstd"))


def text_of(path: Any, option: str) -> str:
    """A small file as text."""
    source = source_of(path, option)
    with opened(source) as (file, head):
        return b"".join(block.data for block in blocks(source, file, head)).decode()


def blocks(
    source: Source, file: IO[bytes], head: bytes, *, at_once: bool = False
) -> Iterator[Block]:
    """The decompressed content without a byte order mark, in blocks of whole lines.

    ``at_once`` makes one block, of one JSON value. How much is read has a limit where the size of
    the file does not say it, or all is held in memory.
    """
    content = _decompressed(source, file, head)

    def pieces() -> Iterator[bytes]:
        n_bytes, data = 0, b" "
        while data:
            try:
                data = content.read(BLOCK_BYTES)
                data += content.readline(source.max_bytes) if data else b""
            except Exception as error:  # each of the libraries has errors of its own
                if content is file:
                    raise
                source.fail(None, f"cannot be decompressed: {safe_text(str(error))}")
            n_bytes += len(data)
            if n_bytes > source.max_bytes and (at_once or content is not file):
                does = "holds" if content is file else "decompresses to"
                option = "max_bytes=" if source.what == "path" else "--max-bytes"
                limit = f"{does} more than {source.max_bytes:,} bytes"
                source.fail(None, f"{limit}; pass {option} to read it")
            yield data

    line = 1
    for data in [b"".join(pieces())] if at_once else pieces():
        data = data.removeprefix(BOM) if line == 1 else data
        if data:
            yield _checked(source, line, data if data.endswith(b"\n") else data + b"\n")
            line += sum(int(np.count_nonzero(part == LINE_FEED)) for part in windows(data))


def windows(data: bytes) -> Iterator[Array]:
    """Bytes as numbers, so few at a time that comparisons of them stay in a core's cache."""
    values = np.frombuffer(data, dtype=np.uint8)
    return (values[start : start + _WINDOW] for start in range(0, len(values), _WINDOW))


def _checked(source: Source, line: int, data: bytes) -> Block:
    """A block of lines that are text."""
    at, what = -1, ""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        at, what = data.find(b"\r"), "holds a carriage return inside the line"
    if b"\0" in data:
        what = "is UTF-16; save it as UTF-8" if data[:2] in _BOMS_OF_UTF_16 else "holds a NUL byte"
        at = data.index(b"\0")
    if at < 0 and not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            at, what = error.start, "is not UTF-8 text"
    if at >= 0:
        source.fail(line + data.count(b"\n", 0, at), what)
    return Block(line, data)
