"""Tables are read as they are, from every format, and give the same numbers."""

import csv
import gzip
import io
import json
import random
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from sklearn_rank import (
    ColumnRoleError,
    FileFormatError,
    evaluate,
    read_qrels,
    read_run,
)
from sklearn_rank.exceptions import RankingDataWarning
from tests.files.conftest import run_of

FORMS = [*product(["trec", ",", "\t"], ["", ".gz"])]
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


def text_of(table, form, *, is_run):
    """A table as a TREC file, or as CSV with a separator."""
    out, kind = io.StringIO(), "score" if is_run else "grade"
    writer = csv.writer(out, delimiter=form[0], lineterminator="\n")
    if form != "trec":
        writer.writerow(("query", "item", kind))
    for query, items in table.items():
        for rank, (item, number) in enumerate(items.items(), 1):
            if form != "trec":
                writer.writerow((query, item, number))
            else:
                line = f"Q0 {item} {rank} {number!r} bm25" if is_run else f"0 {item} {number}"
                out.write(f"{query} {line}\n")
    return out.getvalue().encode()


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(("form", "ending"), FORMS)
def test_rows_come_back(form, ending, tmp_path):
    name = {"trec": "x", ",": "x.csv", "\t": "x.tsv"}[form] + ending
    packed = gzip.compress if ending else bytes
    for seed in range(3):
        truth, ranking = problem(seed)
        (tmp_path / name).write_bytes(packed(text_of(ranking, form, is_run=True)))
        run = read_run(tmp_path / name)
        assert run == ranking
        # Equal scores as they came: of ties the order may count.
        assert all(list(run[query]) == list(items) for query, items in ranking.items())
        (tmp_path / name).write_bytes(packed(text_of(truth, form, is_run=False)))
        assert read_qrels(tmp_path / name) == truth


# Integers beyond 2^53 ---------------------------------------------------------------------------

NOW = 1_700_000_000_000_000_001


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("form", ["trec", ",", "json"])
def test_large_numbers_that_float64_holds_come_back(form):
    run = {"q": {"a": 1e300, "b": 1 << 60, "c": (1 << 53) - 1, "d": 2}}
    data = json.dumps(run) if form == "json" else text_of(run, form, is_run=True)
    assert run_of(data) == run


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
            "row 2: the query id in column 'query' is missing or empty",
        ),
        ({"query": [0.5, 1.5], "item": ["a", "b"]}, "column 'query' is .*; ids must be strings"),
        (
            {"query": ["q", "q"], "item": ["a", ""]},
            "row 2: the item id in column 'item' is missing or empty",
        ),
        (
            {"query": ["q"], "item": ["a"], "score": [np.nan]},
            "row 1: nan in score column 'score' is not a finite number",
        ),
        ({"query": ["q"], "item": ["a"], "score": ["x"]}, "the score column 'score' does not hold"),
        (
            {"query": ["q", "p"], "item": ["a", None], "score": [1, 2]},
            "row 2: the item id in column 'item' is missing",
        ),
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


def test_texts_of_numbers_and_queries_without_items_in_parquet(tmp_path):
    import polars as pl

    path = tmp_path / "x.parquet"
    table = {"query": ["q", "q", "p"], "item": ["a", "b", None]}
    for cells in (["1", "0.7", None], [1.0, 0.7, None]):
        pl.DataFrame({**table, "grade": cells}).write_parquet(path)
        assert read_qrels(path) == {"q": {"a": 1.0, "b": 0.7}, "p": {}}
        pl.DataFrame({**table, "score": cells}).write_parquet(path)
        assert read_run(path) == {"q": {"a": 1.0, "b": 0.7}, "p": {}}
