"""What the text readers take, and what they refuse, by file and line, with and without Polars."""

import gzip

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import ColumnRoleError, FileFormatError, read_qrels, read_run
from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.files import source
from tests.files.conftest import qrels_of, run_of

pytestmark = pytest.mark.usefixtures("reader")

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
        pytest.param(gzip.compress(LINES[:20]) + gzip.compress(LINES[20:]), id="gzip in two parts"),
    ],
)
def test_trec_runs(data):
    assert run_of(data) == READ


def test_comments_are_passed_over():
    for comment in (b"# a run\n", b"# Q0 d 1 0.5 t\n"):  # of as many fields as a row has
        assert run_of(comment + LINES + b"#end\n") == READ
        assert run_of(comment + LINES) == READ
    assert qrels_of(b"#c\nq1 0 #d 1\nq2 0 a -1\n") == {"q1": {"#d": 1}, "q2": {"a": -1}}
    run = run_of(LINES + b"q1 Q0 d9 4 0.01 t and more\n")
    assert run["q1"]["d9"] == 0.01, "what follows the tag is passed over"


def test_ids_are_text():
    data = "01 Q0 1.0 1 5 t\n1 Q0 1 1 5 t\n1 Q0 \u00a0é 1 4 t\n01 Q0 null 1 3 t\n".encode()
    assert run_of(data) == {"01": {"1.0": 5, "null": 3}, "1": {"1": 5, "\u00a0é": 4}}


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


@pytest.mark.usefixtures("reader")
def test_ranks_and_whole_grades_with_a_point():
    assert run_of(b"q Q0 d 1.0 0.5 t x y\nq Q0 e 2. .25 t\n") == {"q": {"d": 0.5, "e": 0.25}}
    assert qrels_of(b"q 0 d 3.0\nq 0 e 1\np: 0 d 0.0\n") == {"q": {"d": 3, "e": 1}, "p:": {"d": 0}}


@pytest.mark.usefixtures("reader")
def test_a_row_of_a_query_alone_is_a_query_without_items():
    """As an export with a row for each query writes those that nobody rated."""
    for rows in ("how to\nq,d,2\np,,\n", 'how to,"",\nq,d,2\np,, \n'):
        judged = qrels_of(f"query,docid,rating\n{rows}")
        assert judged == {"q": {"d": 2}, "how to": {}, "p": {}}
        assert run_of(f"query,docid,score\n{rows}") == judged
    assert qrels_of("qid,doc\nq,d\np,\n") == {"q": {"d": 1}, "p": {}}


def test_the_judgements_of_beir_and_of_ms_marco():
    assert qrels_of(b"query-id\tcorpus-id\tscore\nq1\td1\t2\n") == {"q1": {"d1": 2}}
    assert qrels_of(b"q1\t0\td1\t1\n") == {"q1": {"d1": 1}}


def test_ranks_order_and_without_numbers_the_rows_do():
    assert run_of(b"qid,doc,rank\nq,a,2\nq,b,1\n") == {"q": ["b", "a"]}
    assert run_of(b"qid,doc\nq,a\nq,b\n") == {"q": ["a", "b"]}
    assert qrels_of(b"qid,doc\nq,a\nq,b\n") == {"q": {"a": 1, "b": 1}}
    assert qrels_of(b"qid,doc,rating\nq,a,4.5\n") == {"q": {"a": 4.5}}


# What is refused --------------------------------------------------------------------------------

RUNS = {
    "five fields": (b"q Q0 d 1 0.5\n", "1: 5 fields instead of 6 fields"),
    "short last line": (LINES + b"q Q0 d\n", "4: 3 fields instead of 6 fields"),
    "six, seven and five": (LINES + b"q Q0 d 1 0.5 t x\nq Q0 e 1 0.5\n", "5: 5 fields"),
    "five and seven": (b"q Q0 d 1 0.5 t x\nq Q0 e 1 0.5\n", "2: 5 fields"),
    "score abc": (LINES + b"q Q0 d 1 abc t\n", "4: score 'abc' is not a number"),
    "comments count as lines": (b"#\n\nq Q0 d 1 abc t\n", "3: score 'abc'"),
    "nan": (b"q Q0 d 1 nan t\n", "1: score 'nan' is not a number"),
    "inf": (b"q Q0 d 1 inf t\n", "1: score 'inf' is not a number"),
    "1e999": (b"q Q0 d 1 1e999 t\n", "1: score '1e999' is not a finite number"),
    "underscore": (b"q Q0 d 1 1_0 t\n", "1: score '1_0' is not a number"),
    "hex": (b"q Q0 d 1 0x10 t\n", "1: score '0x10' is not a number"),
    "comma": (b"q Q0 d 1 0,5 t\n", "1: score '0,5' is not a number; use a decimal point"),
    "other digits": ("q Q0 d 1 ٣ t\n".encode(), "1: score '٣' is not a number"),
    "NUL": (LINES + b"q Q0 \0 1 1 t\n", "4: holds a NUL byte"),
    "UTF-16": (LINES.decode().encode("utf-16"), "is UTF-16; save it as UTF-8"),
    "lone CR": (LINES + b"q Q0 d\r 1 1 t\n", "4: holds a carriage return"),
    "not UTF-8": (LINES + b"q Q0 \xff 1 1 t\n", "4: is not UTF-8 text"),
    "Latin-1": (LINES + "q Q0 é 1 1 t\n".encode("latin-1"), "4: is not UTF-8 text"),
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "holds no rows"),
    "comments alone": (b"# nothing\n", "holds no rows"),
    "escape codes": (b"q Q0 d 1 \x1b[2J t\n", r"1: score '\\x1b\[2J' is not a number"),
    "csv: fields": (b"qid,doc,score\nq,a,1\nq,b\n", "3: 2 fields instead of 3"),
    "csv: compensated": (b"qid,doc,score\nq,a,1,2\nq,b\n", "2: 4 fields instead of 3"),
    "csv: short and long": (b"qid,doc,score,x\nq,a,1,x\nq,a,1,x,y\nq,b,2\n", "3: 5 fields instead"),
    "csv: short": (b"qid,doc,score,note\nq,a,1,x\nq,b,2\n", "3: 3 fields instead of 4"),
    "two spaces": (b"q Q0  d 1 0.5\n", "1: 5 fields instead of 6"),
    "csv: empty id": (b"qid,doc,score\nq,,1\n", "2: the item id is empty"),
    "csv: open quote": (b'qid,doc,score\nq,"a,1\n', "2: a quote is not closed in its line"),
    "csv: score": (b"qid,doc,score\nq,a,\n", "2: the score is empty"),
    "judgements": (b"q1 0 a 1\n", "1: 4 fields .*looks like judgements, but is read as a run"),
    "csv: break": (b'qid,doc,score\nq,"a\nb",3\n', "2: a quote is not closed in its line; fields"),
    "csv: quotes": (b'qid,doc,score\nq,"a"b,3\n', "2: is not CSV: "),
    "no header": (b"3\t7\t1\n3\t9\t2\n", "1: 3 fields .* needs a header, such as query,item,rank"),
    "archive": (b"PK\x03\x04...", "is an archive or a spreadsheet; unpack it, or save it as CSV"),
    "truncated gzip": (gzip.compress(LINES * 99)[:-9], "cannot be decompressed"),
    "broken gzip": (b"\x1f\x8b" + b"x" * 50, "cannot be decompressed"),
    "bzip2": (b"BZh9" + b"x" * 50, "is compressed with bzip2, but only gzip is read; unpack it"),
    "rank": (LINES + b"q Q0 d first 1 t\n", "4: rank 'first' is not a number"),
    "a space in an id": (LINES + b"q Q0 new york 1 0.9 t\n", "4: rank 'york' is .*white space in"),
    "a space, no tag": (b"q Q0 new york 1 0.9\n", "1: rank 'york' is not a number: the fields are"),
    "a later rank": (LINES * 20_000 + b"q Q0 d nan 1 t\n", "60001: rank 'nan' is not a number"),
    "header": (b"query Q0 doc rank score tag\n" + LINES, "1: looks like a header, which TREC"),
    "YAML": (b"queries:\n  - id: q1\n", "is YAML; save it as JSON"),
    "YAML's comment": (b"# by hand\n\nq1:\n  - d1\n", "is YAML"),
    "YAML's mark": (b"---\nq1: [d1, d2]\n", "is YAML"),
    "YAML's lists": (b"- id: q1\n  gold: [d1]\n", "is YAML"),
    "csv: item alone": (b"qid,doc,score\nq,a,1\nq,,\n", "3: the item id is empty"),
    "csv: no query": (b"qid,doc,score\nq,a,1\n,,\n", "3: the query id is empty"),
    "LZ4": (b"\x04\x22\x4d\x18" + b"x" * 50, "is compressed with LZ4, but only gzip is read"),
    "xz": (b"\xfd7zXZ\x00" + b"x" * 50, "is compressed with xz, but only gzip"),
    "SQLite": (b"SQLite format 3\0" + b"x" * 50, "is an SQLite database; export"),
    "Zstandard": (b"\x28\xb5\x2f\xfd" + b"x" * 50, "is compressed with Zstandard, but only gzip"),
}


@pytest.mark.parametrize(("data", "message"), RUNS.values(), ids=RUNS)
def test_what_is_wrong_with_a_run_is_named_by_line(data, message):
    with pytest.raises(FileFormatError, match=f"^<file>:? ?{message}"):
        run_of(data)


QRELS = {
    "grade yes": (b"q 0 d yes\n", "1: grade 'yes' is not a number; pass grades={'yes': ...}"),
    "grade 1.9": (b"q 0 d 1\nq 0 e 1.9\n", "2: grade '1.9' is not a whole .*CSV with the header"),
    "header": (b"query iter doc rel\nq 0 d 1\n", "1: looks like a header, which TREC"),
    "LETOR": (b"2 qid:1 1:0.5 2:0.25 # d1\n", "is LETOR's format .*load_svmlight_file"),
    "LETOR, ids alone": (b"4 qid:1 # 7555 Rambo\n", "is LETOR's format"),
    "a query alone": (b"query,docid,rating\nhow\n", "holds no rows: there is no item for 'how'"),
    "large": (b"q 0 d 99999999999999999999\n", "1: grade '9+' is too large"),
    "5,000 digits": (b"q 0 d " + b"9" * 5_000 + b"\n", "1: grade '9+.*' is not a finite"),
    "large, 18 digits": (b"q 0 d 999999999999999999\n", "1: grade '9+' is too large"),
    "three fields": (b"q d 1\n", "1: 3 fields instead of 4 fields"),
    "a run": (LINES, "1: 6 fields .*looks like a run, but is read as judgements: are the two"),
    "timestamp": (
        b"1\t2\t3\t881250949\n",
        "1: grade '881250949' is too large, and may be a timestamp; if",
    ),
    "unrated": (b"query,docid,rating\nhow,d2,\n", "holds no rows with a grade, only 1 without"),
}


@pytest.mark.parametrize(("data", "message"), QRELS.values(), ids=QRELS)
def test_what_is_wrong_with_judgements_is_named_by_line(data, message):
    with pytest.raises(FileFormatError, match=f"^<file>:? ?{message}"):
        qrels_of(data)


def test_compressed_files_have_a_limit():
    with pytest.raises(
        FileFormatError, match="decompresses to more than 10 bytes; pass max_bytes="
    ):
        run_of(gzip.compress(LINES), max_bytes=10)
    assert run_of(gzip.compress(LINES), max_bytes=len(LINES)) == READ
    assert run_of(LINES, max_bytes=10) == READ, "what is not compressed cannot surprise"
    with pytest.raises(ValueError, match="The 'max_bytes' parameter of read_run must be an int"):
        run_of(LINES, max_bytes=0)


def test_lines_of_trec_in_a_file_of_another_name_are_read(tmp_path):
    for read, line in ((read_run, "q1\tQ0\td1\t1\t3\tbm25\n"), (read_qrels, "q1\t0\td1\t3\n")):
        path = tmp_path / "x.tsv"
        path.write_text(line, encoding="utf-8")
        assert read(path)["q1"] == {"d1": 3}


def test_a_file_is_named_by_its_path(tmp_path):
    path = tmp_path / "bad\x1b.run"
    path.write_bytes(b"q Q0 d 1 x t\n")
    with pytest.raises(FileFormatError, match=r"bad\\x1b.run:1: score 'x' is not a number"):
        read_run(path)
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / "none.run")
    with pytest.raises(TypeError, match="expected a path or a binary file, got dict"):
        read_run({"q": {}})


def test_line_numbers_count_on_across_blocks(monkeypatch):
    monkeypatch.setattr(source, "BLOCK_BYTES", 7)
    assert run_of(b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n")) == READ
    later = "\ufeffq Q0 d 1 1 t\n".encode()
    assert "\ufeffq" in run_of(LINES + later), "no byte order mark, but part of an id"
    with pytest.raises(FileFormatError, match=r"^<file>:4: score 'x'"):
        run_of(LINES + b"q Q0 d 1 x t\n" + LINES)


# Headers and names of columns -------------------------------------------------------------------


@pytest.mark.parametrize("separator", ["\t", ","])
def test_a_table_without_a_header_is_told_so(separator):
    text = "300674,7067032,1\n300674,49,2\n".replace(",", separator)
    with pytest.raises(FileFormatError, match="the first line looks like data"):
        run_of(text, "csv")
    header = f"qid{separator}pid{separator}rank\n"
    assert run_of(header + text) == {"300674": ["7067032", "49"]}
    numbered = {"query": "0", "item": "1", "score": "2"}
    assert run_of("0,1,2\n7,a,1\n", "csv", columns=numbered) == {"7": {"a": 1.0}}


def test_ratings_with_timestamps_are_read_with_a_header():
    text = "user\titem\trating\ttime\n196\t242\t3\t881250949\n186\t302\t3\t891717742\n"
    assert qrels_of(text) == {"196": {"242": 3}, "186": {"302": 3}}


def test_names_of_columns_are_for_files_that_have_some():
    for read, data in ((run_of, "q Q0 a 1 0.5 t\n"), (qrels_of, "q 0 a 1\n")):
        with pytest.raises(FileFormatError, match="no named columns, so columns= does not apply"):
            read(data, columns={"score": "zz"})


@pytest.mark.parametrize("columns", [np.array(["a", "b"]), pd.NA, "score", [("score", "a")]])
@pytest.mark.parametrize("data", [LINES, b"query,item,score\nq,a,1\n", b'{"q": {"a": 1}}'])
def test_columns_that_are_no_mapping(columns, data):
    for read in (run_of, qrels_of):
        with pytest.raises(ColumnRoleError, match="columns must be a mapping of role to column"):
            read(data, columns=columns)


JUDGES = "query,item,grade,judge\nq,a,0,x\nq,a,2,y\nq,b,1,x\nq,b,1,y\nq,a,4,z\nq,c,1,x\n"


@pytest.mark.parametrize(
    ("duplicates", "grade"), [("mean", 2), ("max", 4), ("first", 0), ("raise", None)]
)
def test_several_judges_of_one_item(duplicates, grade):
    if grade is None:
        with pytest.raises(FileFormatError, match="item 'a' of query 'q' 3 times, with grades 0 a"):
            qrels_of(JUDGES)
    else:
        assert qrels_of(JUDGES, duplicates=duplicates) == {"q": {"a": grade, "b": 1, "c": 1}}
    with pytest.raises(ValueError, match="The 'duplicates' parameter of read_qrels"):
        qrels_of(JUDGES, duplicates="median")


def test_two_columns_of_one_name():
    with pytest.raises(ColumnRoleError, match="has 2 columns named 'score'; rename them"):
        run_of("query,item,score,score\nq,a,1,2\n", "csv")
    with pytest.raises(ColumnRoleError, match="has 2 columns named 'x'; rename them"):
        run_of("query,item,x,x\nq,a,1,2\n", "csv", columns={"score": "x"})


@pytest.mark.parametrize("index", ["", "index", "Unnamed: 0", "__index_level_0__"])
def test_the_numbers_of_rows_that_pandas_writes_are_no_scores(index):
    assert run_of(f"{index},query,item\n0,q,b\n1,q,a\n", "csv")["q"] == ["b", "a"]


@pytest.mark.parametrize("cell", [" 3", "3 ", " 3 "])
def test_spaces_around_numbers_of_a_table_count_for_no_reader(cell):
    assert run_of(f"query,item,score\nq,a,{cell}\n", "csv")["q"] == {"a": 3.0}


@pytest.mark.parametrize(
    "text",
    [
        "query,docid,rating\nhow,d7,2\nhow,d2,\nhow,d4, \n",
        '{"qid": "how", "ratings": [{"id": "d7", "rating": 2}, {"id": "d2", "rating": null}]}',
    ],
)
def test_rows_that_nobody_rated_are_left_out_and_counted(text):
    with pytest.warns(RankingDataWarning, match=r"[12] rows have no grade and are left out"):
        assert qrels_of(text) == {"how": {"d7": 2}}
