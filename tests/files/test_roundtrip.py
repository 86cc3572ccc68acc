"""What is written is read back, from every format, and gives the same numbers."""

import io
import json
import random
import subprocess
import sys

import numpy as np
import pytest

from sklearn_rank import (
    ColumnRoleError,
    FileFormatError,
    InvalidParameterError,
    Qrels,
    evaluate,
    read_qrels,
    read_run,
    write_qrels,
    write_run,
)
from sklearn_rank.exceptions import RankingDataWarning
from tests.files.conftest import run_of

NAMES = ["x", "x.run", "x.csv", "x.tsv"]
IDS = ["a", "B-2", "0012", "1.0", "é", "\U0001f600", 'say"so', "x,y;z|w", "\u00a0sp", "z#"]


def problem(seed):
    """Ties, missing and unjudged queries, negative and tiny scores, odd ids."""
    rng = random.Random(seed)
    truth = {
        f"q{n}": {item: rng.choice([0, 1, 3]) for item in rng.sample(IDS, rng.randint(1, 6))}
        for n in rng.sample(range(6), 5)
    }
    ranking = {
        f"q{n}": {item: rng.choice([-0.5, 2, 1e-300, rng.random()]) for item in rng.sample(IDS, 7)}
        for n in range(1, 8)
    }
    return truth, ranking


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", [*NAMES, *(f"{name}.gz" for name in NAMES)])
def test_rows_come_back(name, tmp_path):
    for seed in range(3):
        truth, ranking = problem(seed)
        write_run(ranking, tmp_path / name, tag="bm25", overwrite=True)
        run = read_run(tmp_path / name)
        assert run == ranking
        # Best first, equal ones as they came: of ties the order may count.
        for query, items in ranking.items():
            assert list(run[query]) == sorted(items, key=items.get, reverse=True)
        write_qrels(truth, tmp_path / f"qrels_{name}", overwrite=True)
        assert read_qrels(tmp_path / f"qrels_{name}") == truth
    assert len(list(tmp_path.iterdir())) == 2, "nothing is left beside them"


def test_lists_and_sets_are_written_with_scores_and_grades(tmp_path):
    write_run({"q": ["b", "a"]}, tmp_path / "r.run")
    assert read_run(tmp_path / "r.run") == {"q": {"b": 2, "a": 1}}
    assert (tmp_path / "r.run").read_text().splitlines()[0] == "q Q0 b 1 2 sklearn-rank"
    write_qrels({"q": {"a": 2.0}}, tmp_path / "whole.qrels")
    assert (tmp_path / "whole.qrels").read_text() == "q 0 a 2\n"
    write_qrels({7: {"b", "a"}}, tmp_path / "q.qrels")
    assert read_qrels(tmp_path / "q.qrels") == {"7": {"a": 1, "b": 1}}


@pytest.mark.parametrize(
    ("ranking", "name", "message"),
    [
        (
            {"q": {"a b": 1}},
            "x.run",
            "trec cannot hold item 'a b' of query 'q': it would be read as",
        ),
        ({"": {"a": 1}}, "x.run", "trec cannot hold ' Q0 a 1 1 sklearn-rank': 5 fields instead"),
        ({"#q": {"a": 1}}, "x.run", "trec cannot hold item 'a' of query '#q': it holds no rows"),
        ({"q": {"a\nb": 1}}, "x.csv", r"csv cannot hold 'q,.a': a quote is not closed in its line"),
        (
            {"q": {"a": float("nan")}},
            "x.csv",
            "csv cannot hold 'q,a,nan': score 'nan' is not a number",
        ),
        ({"q": {"a": 1}}, "x.run.zst", r"x\.run\.zst: \.zst is no format that is written; pass fo"),
        ({"q": {"a": 1}}, "x.parquet", r"x\.parquet: parquet is no format that is written; pass"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(ranking, name, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        write_run(ranking, tmp_path / name, overwrite=True)
    assert not list(tmp_path.iterdir())


def test_a_suffix_that_tells_no_format_is_asked_about(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"\.xlsx: \.xlsx is no format that"):
        write_run({"q": ["a"]}, tmp_path / "x.xlsx")
    with pytest.raises(InvalidParameterError, match="The 'format' parameter of write_run"):
        write_run({"q": ["a"]}, tmp_path / "a", format="toml")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
    write_run({"q": ["a"]}, tmp_path / "run.bm25", format="trec")
    assert read_run(tmp_path / "run.bm25") == {"q": {"a": 1}}


def test_ids_and_grades_of_other_kinds_are_refused(tmp_path):
    with pytest.raises(TypeError, match=r"ids in files are text or whole numbers, got 1\.5"):
        write_run({"q": {1.5: 1}}, tmp_path / "x.run")
    with pytest.raises(
        ValueError, match=r"trec cannot hold 'q 0 a 0\.5': grade '0\.5' is not a whole"
    ):
        write_qrels({"q": {"a": 0.5}}, tmp_path / "x.qrels")
    with pytest.raises(TypeError, match="scores and grades in files are numbers, got 'yes'"):
        write_qrels({"q": {"a": "yes"}}, tmp_path / "x.csv")


# Integers beyond 2^53 ---------------------------------------------------------------------------

NOW = 1_700_000_000_000_000_001


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", ["x.run", "x.csv", "x.json"])
def test_large_numbers_that_float64_holds_come_back(name, tmp_path):
    run = {"q": {"a": 1e300, "b": 1 << 60, "c": (1 << 53) - 1, "d": 2}}
    if name == "x.json":
        (tmp_path / name).write_text(json.dumps(run))
    else:
        write_run(run, tmp_path / name)
    assert dict(read_run(tmp_path / name)) == run


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("number", [NOW, (1 << 53) + 1, -NOW, 10**40])
@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("trec", "q Q0 a 1 {} t\nq Q0 b 2 0.5 t\n"),
        ("csv", "query,item,score\nq,a,{}\n"),
        ("jsonl", '{{"query": "q", "results": {{"a": {}}}}}'),
        ("json", '{{"q": {{"a": {}, "b": 1}}}}'),
    ],
)
def test_integers_that_it_does_not_hold_are_refused(form, text, number):
    with pytest.raises(FileFormatError, match=r"score '?-?[0-9].* is an integer beyond 2.53"):
        run_of(text.format(number), form)
    with pytest.raises(ValueError, match=r"trec cannot hold .* is an integer beyond"):
        write_run({"q": {"a": number, "b": 0.5}}, "never.run")


def test_integers_of_tables_are_exact(tmp_path):
    import polars as pl

    frame = pl.DataFrame({"query": ["q", "q"], "item": ["b", "a"], "score": [NOW - 1, NOW]})
    frame.write_parquet(tmp_path / "x.parquet")
    run = read_run(tmp_path / "x.parquet")
    assert run["q"] == {"b": NOW - 1, "a": NOW}
    assert evaluate({"q": {"a"}}, run, "mrr", ties="pessimistic")["mrr"] == 1.0


# Tables ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_tables_of_other_programs(suffix, tmp_path):
    import polars as pl

    path = tmp_path / f"x.{suffix}"
    frame = pl.DataFrame(
        {
            "user_id": [7, 7, 8],
            "Item": pl.Series(["a", "b", "a"], dtype=pl.Categorical),
            "rating": pl.Series([2.0, 0.0, 1.0], dtype=pl.Float32),
            "note": [None, "x", "y"],
        }
    )
    (frame.write_parquet if suffix == "parquet" else frame.write_ipc)(path)
    assert read_qrels(path) == {"7": {"a": 2, "b": 0}, "8": {"a": 1}}
    with open(path, "rb") as file:
        assert read_qrels(file) == {"7": {"a": 2, "b": 0}, "8": {"a": 1}}
    with pytest.raises(ColumnRoleError, match="columns sets 'item' to 'sku', but"):
        read_qrels(path, columns={"item": "sku"})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"query": ["q", None], "item": ["a", "b"]},
            "row 2: the query id of column 'query' is missing or empty",
        ),
        ({"query": [0.5, 1.5], "item": ["a", "b"]}, "column 'query' is .*; ids are text or whole"),
        (
            {"query": ["q", "q"], "item": ["a", ""]},
            "row 2: the item id of column 'item' is missing or empty",
        ),
        (
            {"query": ["q"], "item": ["a"], "score": [np.nan]},
            "row 1: nan of score column 'score' is not a finite number",
        ),
        ({"query": ["q"], "item": ["a"], "score": ["3"]}, "the score column 'score' holds no num"),
        (
            {"query": ["q"], "item": ["a"], "score": [None]},
            "(row 1: column 'score' is m|the score)",
        ),
        ({"query": [], "item": []}, "holds no rows"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(columns, message, tmp_path):
    import polars as pl

    pl.DataFrame(columns).write_parquet(tmp_path / "x.parquet")
    with pytest.raises(FileFormatError, match=message):
        read_run(tmp_path / "x.parquet")


@pytest.mark.parametrize("head", [b"PAR1", b"ARROW1\0\0"])
def test_a_broken_table_is_named(head, tmp_path):
    path = tmp_path / "x"
    path.write_bytes(head + b"\1" * 100)
    with pytest.raises(FileFormatError, match="x: cannot be read as"):
        read_run(path)


def test_streams_of_arrow_and_rows_without_a_grade():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"qid": ["q", "q"], "docid": [7, 8], "grade": [2, None]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.warns(RankingDataWarning, match="1 rows have no grade"):
        assert dict(read_qrels(io.BytesIO(sink.getvalue()))) == {"q": {"7": 2}}


def test_lists_in_the_rows_of_parquet_are_named(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    table = pa.table({"query": ["q"], "item": [["a", "b"]]})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(FileFormatError, match=r"'item' holds a list in each row.*\.explode\("):
        read_run(tmp_path / "x.parquet")


def test_judgements_are_joined() -> None:
    old = Qrels.from_columns(["q1", "q1"], ["a", "b"], grades=[2, 0])
    new = Qrels.from_columns(["q2", "q1", "q1"], ["a", "c", "a"], grades=[1, 3, 2])
    both = old.joined(new)
    assert {query: both[query] for query in both} == {
        "q1": {"a": 2, "b": 0, "c": 3},
        "q2": {"a": 1},
    }
    assert len(old["q1"]) == 2
    other = Qrels.from_columns(["q1"], ["a"], grades=[1])
    with pytest.raises(ValueError, match="query 'q1' judges item 'a' twice, with grades 2 and 1"):
        old.joined(other)


SMALL = """
import io, sys
from sklearn_rank import evaluate, read_qrels, read_run
run = read_run(io.BytesIO(b"q Q0 a 1 2 t\\nq Q0 b 2 1 t\\n"))
assert evaluate(read_qrels(io.BytesIO(b"q 0 b 1\\n")), run, "mrr")["mrr"] == 0.5
print(sorted({"polars", "pyarrow", "pandas"} & sys.modules.keys()))
"""


def test_small_files_are_read_without_libraries_of_frames():
    done = subprocess.run([sys.executable, "-c", SMALL], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
