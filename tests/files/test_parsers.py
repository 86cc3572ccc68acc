"""What the text readers take, and what they refuse, by file and line, with and without Polars."""

from __future__ import annotations

import bz2
import gzip
import io

import pytest

from sklearn_rank import ColumnRoleError, FileFormatError, read_qrels, read_run
from sklearn_rank.files import text as rows


@pytest.fixture(params=["polars", "plain"], autouse=True)
def reader(request, monkeypatch):
    """Each test runs by Polars, and by the reader for those who do not have it."""
    if request.param == "plain":
        monkeypatch.setattr(rows, "polars_or_none", lambda: None)
    return request.param


def run_of(data, **options):
    return dict(read_run(io.BytesIO(data), **options))


def qrels_of(data, **options):
    return dict(read_qrels(io.BytesIO(data), **options))


LINES = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1e-3 t\nq2 Q0 d1 1 -7 t\n"
READ = {"q1": {"d1": 2.5, "d2": 0.001}, "q2": {"d1": -7.0}}


# What is taken ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(LINES, id="plain"),
        pytest.param(LINES.rstrip(b"\n"), id="no line feed at the end"),
        pytest.param(b"\xef\xbb\xbf" + LINES, id="byte order mark"),
        pytest.param(LINES.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(LINES.replace(b"\n", b" \n"), id="trailing spaces"),
        pytest.param(LINES.replace(b" ", b"\t"), id="tabs"),
        pytest.param(LINES.replace(b" ", b" \t "), id="spaces and tabs"),
        pytest.param(b"\n" + LINES.replace(b"\n", b"\n\n"), id="blank lines"),
        pytest.param(gzip.compress(LINES), id="gzip"),
        pytest.param(LINES.replace(b" t\n", b" t as trec_eval\n"), id="fields after the tag"),
        pytest.param(bz2.compress(LINES), id="bzip2"),
        pytest.param(gzip.compress(LINES[:20]) + gzip.compress(LINES[20:]), id="gzip in two parts"),
    ],
)
def test_trec_runs(data):
    assert run_of(data) == READ


def test_zstandard():
    pa = pytest.importorskip("pyarrow")
    assert run_of(pa.compress(LINES, codec="zstd", asbytes=True)) == READ


def test_comments_are_passed_over_and_counted():
    run = read_run(io.BytesIO(b"# a run\n" + LINES + b"#end\n"))
    assert (dict(run), run.comments, run.tag) == (READ, 2, "t")
    assert qrels_of(b"#c\nq1 0 #d 1\n") == {"q1": {"#d": 1}}


def test_what_follows_the_tag_of_a_run_is_passed_over():
    run = read_run(io.BytesIO(LINES + b"q1 Q0 d9 4 0.01 t and more\n"))
    assert (run["q1"]["d9"], run.tag) == (0.01, "t")


def test_ids_are_text():
    data = "01 Q0 1.0 1 5 t\n1 Q0 1 1 5 t\n1 Q0 \u00a0é 1 4 t\n1 Q0 null 1 3 t\n".encode()
    assert run_of(data) == {"01": {"1.0": 5}, "1": {"1": 5, "\u00a0é": 4, "null": 3}}


def test_queries_may_come_apart():
    assert run_of(b"a Q0 x 1 1 t\nb Q0 x 1 2 t\na Q0 y 2 3 t\n") == {
        "a": {"x": 1, "y": 3},
        "b": {"x": 2},
    }


def test_trec_judgements():
    assert qrels_of(b"q1 0 d1 2\nq1 0 d2 -1\nq2 0 d1 0\n") == {
        "q1": {"d1": 2, "d2": -1},
        "q2": {"d1": 0},
    }


@pytest.mark.parametrize(
    "data",
    [
        b"query,item,score\nq1,d1,2.5\nq1,d2,0.001\nq2,d1,-7\n",
        b"rank;qid;docid;score;\n1;q1;d1;2.5;\n2;q1;d2;1e-3;\n1;q2;d1;-7;\n",
        b"User-ID\tItem ID\tprediction\nq1\td1\t2.5\nq1\td2\t0.001\nq2\td1\t-7\n",
        b'queryId|documentId|score\n"q1"|"d1"|2.5\nq1|d2|0.001\n\nq2|d1|-7\n',
    ],
    ids=["csv", "semicolons", "tsv", "quotes"],
)
def test_delimited_runs(data):
    assert run_of(data) == READ


def test_the_judgements_of_beir_and_of_ms_marco():
    assert qrels_of(b"query-id\tcorpus-id\tscore\nq1\td1\t2\n") == {"q1": {"d1": 2}}
    assert qrels_of(b"q1\t0\td1\t1\n") == {"q1": {"d1": 1}}


def test_ranks_order_and_without_numbers_the_rows_do():
    assert run_of(b"qid,doc,rank\nq,a,2\nq,b,1\n") == {"q": ["b", "a"]}
    assert run_of(b"qid,doc\nq,a\nq,b\n") == {"q": ["a", "b"]}
    assert qrels_of(b"qid,doc\nq,a\nq,b\n") == {"q": {"a": 1, "b": 1}}
    assert qrels_of(b"qid,doc,rating\nq,a,4.5\n") == {"q": {"a": 4.5}}


def test_columns_of_other_names_can_be_given():
    data = b"frage,doc,score\nq,a,2\n"
    with pytest.raises(ColumnRoleError, match=r"no column for the role 'query'.*'frage'"):
        run_of(data, format="csv")
    assert run_of(data, format="csv", columns={"query": "frage"}) == {"q": {"a": 2.0}}


# What is refused --------------------------------------------------------------------------------

RUNS = {
    "five fields": (b"q Q0 d 1 0.5\n", "1: 5 fields instead of 6 fields"),
    "five and seven": (b"q Q0 d 1 0.5 t x\nq Q0 e 1 0.5\n", "2: 5 fields"),
    "score abc": (LINES + b"q Q0 d 1 abc t\n", "4: score 'abc' is not a number"),
    "comments count as lines": (b"#\n\nq Q0 d 1 abc t\n", "3: score 'abc'"),
    "nan": (b"q Q0 d 1 nan t\n", "1: score 'nan' is not a number"),
    "inf": (b"q Q0 d 1 inf t\n", "1: score 'inf' is not a number"),
    "1e999": (b"q Q0 d 1 1e999 t\n", "1: score '1e999' is too large"),
    "underscore": (b"q Q0 d 1 1_0 t\n", "1: score '1_0' is not a number"),
    "hex": (b"q Q0 d 1 0x10 t\n", "1: score '0x10' is not a number"),
    "comma": (b"q Q0 d 1 0,5 t\n", "1: score '0,5' is not a number"),
    "other digits": ("q Q0 d 1 ٣ t\n".encode(), "1: score '٣' is not a number"),
    "NUL": (LINES + b"q Q0 \0 1 1 t\n", "4: holds a NUL byte"),
    "lone CR": (LINES + b"q Q0 d\r 1 1 t\n", "4: holds a carriage return"),
    "not UTF-8": (LINES + b"q Q0 \xff 1 1 t\n", "4: is not UTF-8 text"),
    "Latin-1": (LINES + "q Q0 é 1 1 t\n".encode("latin-1"), "4: is not UTF-8 text"),
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "holds no rows"),
    "comments alone": (b"# nothing\n", "holds no rows"),
    "escape codes": (b"q Q0 d 1 \x1b[2J t\n", r"1: score '\\x1b\[2J' is not a number"),
    "long id": (b"q Q0 " + b"d" * 70_000 + b" 1 1 t\n", "1: the item id is longer than 65,536"),
    "long line": (b"q Q0 d 1 1 " + b"t" * 2_000_000 + b"\n", "1: longer than 1,048,576 bytes"),
    "csv: fields": (b"qid,doc,score\nq,a,1\nq,b\n", "3: 2 fields instead of 3"),
    "csv: compensated": (b"qid,doc,score\nq,a,1,2\nq,b\n", "2: 4 fields instead of 3"),
    "csv: empty id": (b"qid,doc,score\nq,,1\n", "2: the item id is empty"),
    "csv: open quote": (b'qid,doc,score\nq,"a,1\n', "2: a quote is not closed in its line"),
    "csv: score": (b"qid,doc,score\nq,a,\n", "2: the score is empty"),
    "truncated gzip": (gzip.compress(LINES * 99)[:-9], "cannot be decompressed"),
    "broken gzip": (b"\x1f\x8b" + b"x" * 50, "cannot be decompressed"),
    "broken bzip2": (b"BZh9" + b"x" * 50, "cannot be decompressed"),
}


@pytest.mark.parametrize(("data", "message"), RUNS.values(), ids=RUNS)
def test_what_is_wrong_with_a_run_is_named_by_line(data, message):
    with pytest.raises(FileFormatError, match=f"^<file>:? ?{message}"):
        run_of(data)


QRELS = {
    "grade yes": (b"q 0 d yes\n", "1: grade 'yes' is not a whole number"),
    "grade 1.9": (b"q 0 d 1\nq 0 e 1.9\n", "2: grade '1.9' is not a whole number"),
    "large": (b"q 0 d 99999999999999999999\n", "1: grade '9+' is too large"),
    "large, 18 digits": (b"q 0 d 999999999999999999\n", "1: grade '9+' is too large"),
    "three fields": (b"q d 1\n", "1: 3 fields instead of 4 fields"),
    "a run": (LINES, "1: 6 fields instead of 4 fields"),
}


@pytest.mark.parametrize(("data", "message"), QRELS.values(), ids=QRELS)
def test_what_is_wrong_with_judgements_is_named_by_line(data, message):
    with pytest.raises(FileFormatError, match=f"^<file>:? ?{message}"):
        qrels_of(data)


def test_two_columns_of_one_role_are_refused():
    with pytest.raises(
        ColumnRoleError, match=r"several .* 'item': 'doc', 'doc_id'.*columns=\{'item'"
    ):
        run_of(b"qid,doc,doc_id,score\nq,a,b,1\n")


def test_limits_are_options():
    with pytest.raises(FileFormatError, match="more than 2 rows; pass max_rows="):
        run_of(LINES, max_rows=2)
    with pytest.raises(
        FileFormatError, match="decompresses to more than 10 bytes; pass max_bytes="
    ):
        run_of(gzip.compress(LINES), max_bytes=10)
    assert run_of(LINES, max_bytes=10) == READ, "what is not compressed cannot surprise"
    with pytest.raises(FileFormatError, match="1: longer than 5 bytes; pass max_line="):
        run_of(LINES, max_line=5)
    with pytest.raises(ValueError, match="max_rows must be an int of at least 1, got 0"):
        run_of(LINES, max_rows=0)


def test_a_file_is_named_by_its_path(tmp_path):
    path = tmp_path / "bad\x1b.run"
    path.write_bytes(b"q Q0 d 1 x t\n")
    with pytest.raises(FileFormatError, match=r"bad\\x1b.run:1: score 'x' is not a number"):
        read_run(path)
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / "none.run")
    with pytest.raises(TypeError, match="a path or a binary file is needed, got dict"):
        read_run({"q": {}})


def test_line_numbers_count_on_across_blocks(monkeypatch):
    from sklearn_rank.files import source

    monkeypatch.setattr(source, "BLOCK_BYTES", 7)
    assert run_of(b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n")) == READ
    with pytest.raises(FileFormatError, match=r"^<file>:4: score 'x'"):
        run_of(LINES + b"q Q0 d 1 x t\n" + LINES)
