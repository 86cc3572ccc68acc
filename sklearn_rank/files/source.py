"""Bytes of a file as blocks of whole lines: the home of decompression and line numbers.

Nothing is believed of a file before it is read: how much a small one becomes, whether it is text at
all. The limit is checked while reading, before memory is taken.
"""

from __future__ import annotations

import bz2
import gzip
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, cast

import numpy as np

from sklearn_rank.exceptions import FileFormatError
from sklearn_rank.support.checks import check_integer
from sklearn_rank.support.disk import readable
from sklearn_rank.support.text import safe_text
from sklearn_rank.typing import Array

BLOCK_BYTES = 1 << 22
"""Read at once: far above what a call costs, and little enough to stay in a processor's cache
while it is checked and parsed; four times as much took a tenth longer."""
_WINDOW = 1 << 16
MAX_BYTES = 2 << 30
"""To which a file may grow, unless more is allowed."""
MAX_ID = 1 << 16
"""Characters of an id; one that is longer is a document, not its name."""
_LINE_FEED = 10
_BOM = b"\xef\xbb\xbf"
_BOMS_OF_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Source(NamedTuple):
    """A path or an open binary file, and its name in messages."""

    path: Any
    name: str
    max_bytes: int
    """To which a compressed file may grow, and that a JSON file may hold."""
    what: str = "path"
    """Name of the argument, of a function or in the usage of the command."""

    def fail(self, line: int | None, what: str) -> NoReturn:
        """FileFormatError that names the file and, where there is one, the line."""
        raise FileFormatError(f"{self.name}:{line}: {what}" if line else f"{self.name}: {what}")


class Block(NamedTuple):
    """Whole lines, each ended by a line feed, in UTF-8, without carriage returns before it."""

    first_line: int
    data: bytes
    n_lines: int


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


def text_of(path: Any, option: str) -> str:
    """A small file as text."""
    with readable(path, option):
        data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"{safe_text(path)}:{line}: is not UTF-8 text"
        raise FileFormatError(msg) from None


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
    """The file's content, told by its first bytes and not by its name."""
    if head.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if head.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if not head.startswith(b"\x28\xb5\x2f\xfd"):
        return file
    with suppress(ImportError):
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]

        return zstd.ZstdFile(file)  # type: ignore[no-any-return,unused-ignore]
    with suppress(ImportError):
        import zstandard  # type: ignore[import-not-found,unused-ignore]

        decompressor = zstandard.ZstdDecompressor()
        return decompressor.stream_reader(file, read_across_frames=True)  # type: ignore[no-any-return,unused-ignore]
    with suppress(ImportError):
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(file), "zstd")  # type: ignore[no-any-return]
    what = "Zstandard needs Python 3.14, or the package zstandard or pyarrow; install one"
    return source.fail(None, what)


def blocks(
    source: Source, file: IO[bytes], head: bytes, *, at_once: bool = False
) -> Iterator[Block]:
    """The decompressed content without a byte order mark, in blocks of whole lines.

    ``at_once`` makes one block, of one JSON value. How much may be read is limited where the size
    of the file does not say it, or all must be held.
    """
    content = _decompressed(source, file, head)
    compressed = content is not file
    n_bytes, line = 0, 1
    rest: list[bytes | memoryview] = []
    while True:
        try:
            data = content.read(BLOCK_BYTES)
        except Exception as error:  # each of the libraries has errors of its own
            if not compressed:
                raise
            source.fail(None, f"cannot be decompressed: {safe_text(str(error))}")
        if not data:
            break
        if not n_bytes:
            data = data.removeprefix(_BOM)
        n_bytes += len(data)
        if (compressed or at_once) and n_bytes > source.max_bytes:
            does = "decompresses to" if compressed else "holds"
            option = "max_bytes=" if source.what == "path" else "--max-bytes"
            limit = f"{source.max_bytes:,}"
            source.fail(None, f"{does} more than {limit} bytes; pass {option} to read it")
        cut = 0 if at_once else data.rfind(b"\n") + 1
        if cut:  # one copy of the whole block, not one for each of the two steps
            block = _checked(source, line, b"".join((*rest, memoryview(data)[:cut])))
            line, rest = line + block.n_lines, [data[cut:]]
            yield block
        else:
            rest.append(data)
    if any(rest):
        yield _checked(source, line, b"".join((*rest, b"\n")))


def _checked(source: Source, line: int, data: bytes) -> Block:
    """A block of lines that are text."""

    def line_of(place: int) -> int:
        return line + data.count(b"\n", 0, place)

    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    if b"\0" in data:
        what = "is UTF-16; save it as UTF-8" if data[:2] in _BOMS_OF_UTF_16 else "holds a NUL byte"
        source.fail(line_of(data.index(b"\0")), what)
    if b"\r" in data:
        source.fail(line_of(data.index(b"\r")), "holds a carriage return inside the line")
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            source.fail(line_of(error.start), "is not UTF-8 text")
    n_lines = sum(int(np.count_nonzero(part == _LINE_FEED)) for part in windows(data))
    return Block(line, data, n_lines)


def windows(data: bytes) -> Iterator[Array]:
    """Bytes as numbers, few at a time, so that intermediate arrays stay in a core's cache.

    Its memory is used again then, instead of being fetched from the system, which takes several
    times as long as to compare or count.
    """
    values = np.frombuffer(data, dtype=np.uint8)
    return (values[start : start + _WINDOW] for start in range(0, len(values), _WINDOW))


def check_id(source: Source, line: int | None, text: str, what: str) -> str:
    """An id that is there and not too long."""
    if not text:
        source.fail(line, f"the {what} is empty")
    if len(text) > MAX_ID:
        source.fail(line, f"the {what} is longer than {MAX_ID:,} characters")
    return text
