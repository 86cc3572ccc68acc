"""Files of other programs: read where that costs little, else told how; nothing is misread."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from sklearn_rank import FileFormatError, evaluate, read_qrels, read_run, write_qrels, write_run
from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.files import columnar
from sklearn_rank.files import text as text_module


@pytest.fixture(params=["polars", "plain"], autouse=True)
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "plain":
        for module in (text_module, columnar):
            monkeypatch.setattr(module, "polars_or_none", lambda: None)
    return str(request.param)


def run_of(data: str, **options: Any) -> dict[str, Any]:
    return dict(read_run(io.BytesIO(data.encode()), **options))


def qrels_of(data: str, **options: Any) -> dict[str, Any]:
    return dict(read_qrels(io.BytesIO(data.encode()), **options))


# Integers beyond 2^53 ---------------------------------------------------------------------------

NOW = 1_700_000_000_000_000_000
RUN = {"q": {"a": NOW + 1, "b": NOW}, "p": {"a": (1 << 53) + 1, "b": 1 << 53}}


@pytest.mark.parametrize("name", ["x.run", "x.csv", "x.tsv", "x.jsonl", "x.json", "x.parquet"])
def test_integers_that_float64_cannot_hold_come_back_exactly(name: str, tmp_path: Any) -> None:
    write_run({"q": {"a": 1e300, "b": 2}}, tmp_path / f"large_{name}")
    assert dict(read_run(tmp_path / f"large_{name}")) == {"q": {"a": 1e300, "b": 2}}
    edge = {"p": RUN["p"]}  # the first integer that float64 does not have
    write_run(edge, tmp_path / name)
    assert dict(read_run(tmp_path / name)) == edge
    write_run(RUN, tmp_path / name, overwrite=True)
    run = read_run(tmp_path / name)
    assert dict(run) == RUN
    assert list(run["q"]) == ["a", "b"]
    truth = {"q": {"a"}, "p": {"a"}}
    assert evaluate(truth, run, "mrr", ties="pessimistic")["mrr"] == 1.0


@pytest.mark.parametrize("other", ["0.5", "99999999999999999999"])
@pytest.mark.parametrize("form", ["trec", "csv", "jsonl"])
def test_where_they_cannot_be_exact_every_format_refuses_alike(form: str, other: str) -> None:
    text = {
        "trec": f"q Q0 a 1 {NOW} t\nq Q0 b 2 {other} t\n",
        "csv": f"query,item,score\nq,a,{NOW}\nq,b,{other}\n",
        "jsonl": f'{{"query": "q", "results": {{"a": {NOW}, "b": {other}}}}}',
    }[form]
    message = r"the integer \d+ (is beyond 64 bits|stands among decimals)"
    with pytest.raises(FileFormatError, match=message):
        run_of(text, format=form)
    with pytest.raises(ValueError, match="exact only where all scores are integers of 64 bits"):
        write_run({"q": {"a": NOW, "b": json.loads(other)}}, "never.run")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("grade", [10**15, 1 << 63, 10**25, 1e300])
def test_no_grade_is_that_large(form: str, grade: float) -> None:
    text = f"query,item,grade\nq,a,{grade}\n"
    if form == "jsonl":
        text = json.dumps({"query": "q", "item": "a", "grade": grade})
    with pytest.raises(FileFormatError, match=r"is too large|is beyond 64 bits"):
        qrels_of(text, format=form)
    with pytest.raises(ValueError, match=r"too large|finite"):
        write_qrels({"q": {"a": grade}}, "never.csv")


# Without a header -------------------------------------------------------------------------------


@pytest.mark.parametrize(("separator", "form"), [("\t", "csv"), (",", "csv"), ("\t", None)])
def test_a_table_without_a_header_is_told_so(separator: str, form: str | None) -> None:
    text = "300674,7067032,1\n300674,49,2\n".replace(",", separator)
    message = "the first line looks like data" if form else "needs a header, as in query,item,rank"
    with pytest.raises(FileFormatError, match=message):
        run_of(text, format=form)
    header = f"qid{separator}pid{separator}rank\n"
    assert run_of(header + text) == {"300674": ["7067032", "49"]}
    numbered = {"query": "0", "item": "1", "score": "2"}
    assert run_of("0,1,2\n7,a,1\n", format="csv", columns=numbered) == {"7": {"a": 1.0}}


def test_ratings_with_timestamps_are_no_judgements_of_trec() -> None:
    text = "196\t242\t3\t881250949\n186\t302\t3\t891717742\n"
    with pytest.raises(FileFormatError, match=":1: grade '881250949' looks like a timestamp; in a"):
        qrels_of(text)
    read = qrels_of("user\titem\trating\ttime\n" + text)
    assert read == {"196": {"242": 3}, "186": {"302": 3}}


def test_names_of_columns_are_for_files_that_have_some() -> None:
    with pytest.raises(FileFormatError, match="has no named columns, which columns= is about"):
        run_of("q Q0 a 1 0.5 t\n", columns={"score": "zz"})
    with pytest.raises(FileFormatError, match="has no named columns, which columns= is about"):
        qrels_of("q 0 a 1\n", columns={"nope": "zz"})


# Search engines ---------------------------------------------------------------------------------

HITS = {"hits": {"hits": [{"_id": "d7", "_score": 2.5}, {"_id": "d2", "_score": 1.5}]}}
RATINGS = [{"_index": "i", "_id": "d7", "rating": 2}]
RANK_EVAL = {
    "requests": [
        {"id": "q1", "request": {"query": {}}, "ratings": RATINGS},
        {"id": "q2", "request": {"query": {}}, "ratings": []},
    ],
    "metric": {"precision": {"k": 5}},
}


def test_a_request_of_rank_eval_holds_judgements() -> None:
    text = json.dumps(RANK_EVAL)
    assert qrels_of(text) == {"q1": {"d7": 2}, "q2": {}}
    with pytest.raises(FileFormatError, match="_rank_eval request, which holds judgements and no"):
        run_of(text)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"took": 3, "responses": [HITS, HITS]}, "response of _msearch and names no queries.*zip"),
        ({"took": 3, **HITS}, "response of _search and does not name its query; .*hits"),
        ({"queries": ["q1"], "took": 3}, "has the keys 'queries', 'took', which are not the shape"),
    ],
)
@pytest.mark.parametrize("read", [run_of, qrels_of])
def test_other_shapes_of_json_are_named(value: Any, message: str, read: Any) -> None:
    with pytest.raises(FileFormatError, match=message):
        read(json.dumps(value))


def test_a_search_without_scores_is_a_ranking() -> None:
    hits = [{"_id": "b", "_score": None}, {"_id": "a", "_score": None}]
    assert run_of(json.dumps({"qid": "q", "hits": hits})) == {"q": ["b", "a"]}
    hits[0]["_score"] = 1.0
    with pytest.raises(FileFormatError, match="item 'a' of query 'q' has no score, others have"):
        run_of(json.dumps({"qid": "q", "hits": hits}))


@pytest.mark.parametrize(
    "text",
    [
        "query,docid,rating\nhow,d7,2\nhow,d2,\nhow,d4, \n",
        '{"qid": "how", "ratings": [{"id": "d7", "rating": 2}, {"id": "d2", "rating": null}]}',
    ],
)
def test_rows_that_nobody_rated_are_left_out_and_counted(text: str) -> None:
    with pytest.warns(RankingDataWarning, match=r"[12] rows have no grade and are left out"):
        assert qrels_of(text) == {"how": {"d7": 2}}
    with pytest.raises(FileFormatError, match="holds no rows, but 1 without a grade"):
        qrels_of("query,docid,rating\nhow,d2,\n")
    with pytest.raises(FileFormatError, match="holds no rows, but 1 without a grade"):
        qrels_of('{"qid": "how", "ratings": [{"id": "d2", "rating": null}]}')


# Learning to rank, Arrow and Parquet ------------------------------------------------------------


def test_lines_of_letor_that_name_their_documents_are_judgements() -> None:
    text = "# MQ2007\n2 qid:10 1:0.5 2:1 #docid = GX000-00 inc = 1\n0 qid:10 1:0 # d2\n"
    assert qrels_of(text) == {"10": {"GX000-00": 2, "d2": 0}}
    with pytest.raises(FileFormatError, match=r"<file>:1: names no document .*load_svmlight_file"):
        qrels_of("2 qid:10 1:0.5\n")
    with pytest.raises(FileFormatError, match=r"holds grades and features .*, and no scores"):
        run_of(text)


def test_streams_of_arrow_and_rows_without_a_grade() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"qid": ["q", "q"], "docid": [7, 8], "grade": [2, None]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.warns(RankingDataWarning, match="1 rows have no grade"):
        assert dict(read_qrels(io.BytesIO(sink.getvalue()))) == {"q": {"7": 2}}


def test_lists_in_the_rows_of_parquet_are_named(tmp_path: Any) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    table = pa.table({"query": ["q"], "item": [["a", "b"]]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(FileFormatError, match=r"'item' holds a list in each row.*\.explode\("):
        read_run(tmp_path / "x.parquet")
