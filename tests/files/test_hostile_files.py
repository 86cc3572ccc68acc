"""Whatever the bytes are: an error of the package, the same with and without Polars, and cheap."""

import gzip
import io
import subprocess
import sys

import polars  # noqa: F401 - which reads blocks of any size then
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sklearn_rank import ColumnRoleError, FileFormatError, read_qrels, read_run
from sklearn_rank.files import source
from sklearn_rank.files import tables as rows
from tests.strategies import examples

OWN = (FileFormatError, ColumnRoleError)
FORMATS = (None, "trec", "csv", "jsonl", "json")
fields = st.sampled_from(
    [
        "q",
        "Q0",
        "d",
        "1",
        "0.5",
        "t",
        "",
        " ",
        "é",
        "#",
        "-1",
        "1e5",
        "1e999",
        "nan",
        "00",
        "9007199254740993",
        "\t",
        "\r",
        '"',
        ",",
        "query",
        "item",
        "score",
        "1.",
        ".5",
        "\u2028",
        "\x0b",
        "null",
    ]
)
lines = st.lists(st.lists(fields, max_size=8).map(" ".join), max_size=6).map("\n".join)
delimited = st.lists(st.lists(fields, max_size=5).map(",".join), max_size=6).map("\n".join)
contents = st.one_of(
    st.binary(max_size=200),
    lines.map(str.encode),
    delimited.map(lambda text: b"query,item,score\n" + text.encode()),
    st.lists(st.floats(width=64), max_size=9).map(
        lambda values: "".join(f"q Q0 d{n} 1 {x!r} t\n" for n, x in enumerate(values)).encode()
    ),
)


def outcome(read, data, form):
    """Rows, or the error, as values that compare."""
    try:
        table = read(io.BytesIO(data), format=form)
        numbers = getattr(table, "scores", None) if read is read_run else table.grades
        rows = None if numbers is None else numbers.tolist()
        return table.query_ids, table.offsets.tolist(), list(table.item_ids), rows
    except OWN as error:
        return type(error), str(error)


@settings(examples(150), suppress_health_check=list(HealthCheck))
@given(contents, st.sampled_from(FORMATS), st.sampled_from([read_run, read_qrels]))
def test_both_readers_give_the_same_rows_or_the_same_error(data, form, read):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK_BYTES", 64)
        patch.setattr(rows, "WINDOW", 5)
        patch.setattr(rows, "LARGE_ONCE_LOADED", 0)
        fast = outcome(read, data, form)
        patch.setattr(rows, "polars_or_none", lambda: None)
        assert outcome(read, data, form) == fast


@examples(100)
@given(st.binary(max_size=200), st.sampled_from([b"PAR1", b"ARROW1\0\0", b"\x1f\x8b"]))
def test_bytes_behind_a_known_beginning_end_in_an_error_of_the_package(data, head):
    with pytest.raises(OWN):
        read_run(io.BytesIO(head + data))


BOMB = """
import resource, sys
from sklearn_rank import FileFormatError, read_run
import polars
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read_run(sys.argv[1], max_bytes=64 << 20)
except FileFormatError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.parametrize("line", [b"\0", b"q Q0 d 1 1 t\n"], ids=["one line", "rows"])
def test_a_bomb_is_refused_within_its_limit(line, tmp_path):
    """A quarter of a megabyte that would become 256 MiB."""
    path = tmp_path / "bomb.run.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(256):
            file.write(line * ((1 << 20) // len(line)))
    assert path.stat().st_size < 1 << 20
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(path)], capture_output=True, text=True, check=True
    )
    message, mebibytes = done.stdout.splitlines()
    assert "decompresses to more than" in message
    assert int(mebibytes) < 400, "a few blocks of 16 MiB and the rows read so far"
