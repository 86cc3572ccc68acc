"""Bytes of a file as decompressed blocks of whole lines, with line numbers."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import IO, Any, NamedTuple, NoReturn, TypeAlias

from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.inputs.roles import Columns, Role
from sklearn_rank.support.checks import check_integer
from sklearn_rank.support.disk import readable
from sklearn_rank.support.text import format_list, safe_repr, safe_text

BLOCK_BYTES = 1 << 22
"""Read at once: far above what a call costs, and little enough to stay in a processor's cache
while it is checked and parsed; four times as much took a tenth longer."""
MAX_BYTES = 2 << 30
"""Limit for the content of a compressed file, and for a JSON file."""
BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_NO_TEXT = {
    b"PK\x03\x04": "is an archive or a spreadsheet; unpack it, or save it as CSV",
    b"BZh": "is compressed with bzip2, but only gzip is read; unpack it",
    b"\x28\xb5\x2f\xfd": "is compressed with Zstandard, but only gzip is read; unpack it",
    b"\x04\x22\x4d\x18": "is compressed with LZ4, but only gzip is read; unpack it",
    b"\xfd7zXZ\x00": "is compressed with xz, but only gzip is read; unpack it",
    b"7z\xbc\xaf\x27\x1c": "is a 7-Zip archive; unpack it",
    b"SQLite f": "is an SQLite database; export a table as CSV",
    b"\xff\xfe": "is UTF-16; save it as UTF-8",
    b"\xfe\xff": "is UTF-16; save it as UTF-8",
}
"""Kinds of files that begin with these bytes."""
_NO_TABLE = {
    b"version https://git-lfs": "is a Git LFS pointer; fetch the file with git lfs pull",
    b"<?xml": "is XML; save it as JSON or CSV",
    b"<!DOCTYPE": "is an HTML page, not a table",
    b"<html": "is an HTML page, not a table",
}
"""Text files that are not tables."""
_CONFLICT = b"\n<<<<<<< "
"""Start of a line where Git could not merge two versions."""


Place: TypeAlias = int | str | None
"""Place of a fault: a line, or a part of what ``json.load`` returns, such as ``data[3]``."""


class Source(NamedTuple):
    """A path or an open binary file, with the options of the caller."""

    path: Any
    name: str
    """Name in messages."""
    max_bytes: int = MAX_BYTES
    what: str = "path"
    """Name of the argument, of a function or in the usage of the command."""
    is_run: bool = True
    columns: Columns = MappingProxyType({})
    grades: Mapping[str, float] | None = None
    """Grades of texts; None: grades are numbers."""
    queries: Sequence[str] | None = None
    """Ids of queries that the file does not name."""

    def at(self, place: Place) -> str:
        """The file and the place in it, as the subject of a sentence."""
        if not place:
            return self.name
        return f"{self.name}:{place}" if isinstance(place, int) else f"{self.name}: {place}"

    def fail(self, place: Place, what: str) -> NoReturn:
        """FileFormatError that names the file and, if there is one, the place."""
        error = FileFormatError(f"{self.at(place)}: {what}")
        error.line = place if isinstance(place, int) else None
        raise error

    def grade_of(self, place: Place, text: Any) -> float:
        """The grade of a text; FileFormatError if ``grades`` lacks it."""
        assert self.grades is not None
        if text not in self.grades:
            shown = format_list(self.grades)
            self.fail(place, f"grade {safe_repr(text)} is not in grades=, which has {shown}")
        return self.grades[text]


class FileRows(NamedTuple):
    """Rows of a file, and the rest of its content."""

    columns: Mapping[Role, Any]
    """Ids as lists of text, or as series of Polars; arrays of numbers, NaN if a row has none."""
    names: Mapping[Role, str]
    """Names of the columns in the file."""
    doubts: tuple[str, ...] = ()
    """Signs of an unintended order."""
    rising: str = ""
    """A sign that scores of ``{item: score}`` may be distances; see ``Run``."""
    queries: Sequence[str] = ()
    """All queries, in formats that can have queries without a row."""


class LineBlock(NamedTuple):
    """Whole lines, each ended by a line feed, in UTF-8, without carriage returns before it."""

    first_line: int
    data: bytes


def source_of(path: Any, what: str = "path", max_bytes: int = MAX_BYTES) -> Source:
    """A path or an open binary file as a source; a source as it is."""
    if isinstance(path, Source):
        return path
    max_bytes = check_integer(max_bytes, "max_bytes", "read_run", at_least=1)
    if isinstance(path, (str, os.PathLike)):
        name = os.fsdecode(os.fspath(path))
    elif hasattr(path, "readinto"):
        name = str(getattr(path, "name", "<file>"))
    else:
        how = "; what is in memory goes to evaluate(y_true, y_score) as it is"
        if hasattr(path, "read"):
            how = "; open it with 'rb', or pass io.BytesIO(text.encode())"
        msg = f"expected a path or a binary file, got {type(path).__name__}{how}"
        raise TypeError(msg)
    return Source(path, safe_text(name, limit=200), max_bytes, what)


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


def text_of(path: Any, option: str) -> str:
    """A small file as text."""
    source = source_of(path, option)
    with opened(source) as (file, head):
        return b"".join(block.data for block in blocks(source, file, head)).decode()


def lines_of(path: Any, option: str) -> list[str]:
    """Texts of a small file, one per line."""
    return list(filter(str.strip, text_of(path, option).split("\n")))


def blocks(source: Source, file: IO[bytes], head: bytes) -> Iterator[LineBlock]:
    """The decompressed content without a byte order mark, in blocks of whole lines."""
    for start, what in _NO_TEXT.items():
        if head.startswith(start):
            source.fail(None, what)
    is_packed = head.startswith(_GZIP)
    content: Any = gzip.GzipFile(fileobj=file) if is_packed else file
    line, n_bytes = 1, 0
    while True:
        try:
            data = content.read(BLOCK_BYTES)
            data += content.readline(source.max_bytes if is_packed else -1)
        except (OSError, EOFError, zlib.error) as error:
            if not is_packed:
                raise
            source.fail(None, f"cannot be decompressed: {safe_text(str(error))}")
        n_bytes += len(data)
        if is_packed:
            check_size(source, n_bytes, "decompresses to")
        if not data:
            return
        if line == 1:
            data = data.removeprefix(BOM)
            for start, what in _NO_TABLE.items():
                if data.startswith(start):
                    source.fail(None, what)
        if data:
            yield _checked(source, line, data if data.endswith(b"\n") else data + b"\n")
            line += data.count(b"\n")


def check_size(source: Source, n_bytes: int, does: str) -> None:
    """FileFormatError for more bytes than the caller allows."""
    if n_bytes > source.max_bytes:
        option = "max_bytes=" if source.what == "path" else "--max-bytes"
        limit = f"{does} more than {source.max_bytes:,} bytes"
        source.fail(None, f"{limit}; pass {option} to read it")


def _checked(source: Source, line: int, data: bytes) -> LineBlock:
    """A block of lines that are text."""
    at, what = -1, ""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        at, what = data.find(b"\r"), "holds a carriage return inside the line"
    if _CONFLICT in data or data.startswith(_CONFLICT[1:]):
        at, what = data.find(_CONFLICT) + 1, "starts a merge conflict; resolve it"
    if b"\0" in data:
        at, what = data.index(b"\0"), "holds a NUL byte"
    if at < 0 and not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            at, what = error.start, "is not UTF-8 text"
    if at >= 0:
        source.fail(line + data.count(b"\n", 0, at), what)
    return LineBlock(line, data)
