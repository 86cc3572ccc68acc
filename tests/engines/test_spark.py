"""What needs no session of Spark: what its tasks do with rows, and frames that cannot be read."""

import pickle
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank import scan_run
from sklearn_rank.engines.gathered import Gathered
from sklearn_rank.engines.spark import _bytes_of, _read_part
from sklearn_rank.evaluation.read import read as read_in_memory
from sklearn_rank.inputs.frames import truth_of
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.rankings.data import no_items
from tests.engines.problems import problems

NAMED = {"query": "query", "item": "item"}


def _part(truth: pl.DataFrame, run: pl.DataFrame, options: ReadOptions) -> bytes:
    """What a task sends of these rows."""
    import narwhals as nw

    names = {"y_true": NAMED | {"grade": "grade"}}
    names["y_score"] = NAMED | {name: name for name in ("score", "rank") if name in run.columns}
    qrels = truth_of(nw.from_native(truth.to_arrow(), eager_only=True), names["y_true"])  # type: ignore[arg-type]
    table = _read_part(qrels, run.to_arrow(), names, options, False, truth.height)
    (part,) = table["part"].to_pylist()
    return part


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning")
@pytest.mark.parametrize("given", problems(), ids=lambda given: given.label)
def test_tasks_read_as_memory_does(given):
    truth, run = pl.DataFrame(given.truth), pl.DataFrame(given.run)
    others = ("zero_division", "convention", "sample_weight")
    of_data = {name: value for name, value in given.options.items() if name not in others}
    options = ReadOptions(negative_grades="unjudged", **of_data)
    expected = read_in_memory(truth, run, options)
    queries = sorted({*truth["query"], *run["query"]})
    gathered = Gathered(options, {})
    for own in (queries[::2], queries[1::2]):
        of_part = (frame.filter(pl.col("query").is_in(own)) for frame in (truth, run))
        gathered.absorb(pickle.loads(_part(*of_part, options)))
    assert gathered.n_rows == {"y_true": truth.height, "y_score": run.height}
    order = list(expected.query_ids)
    gathered.places = {
        query: place
        for place, query in enumerate([*order, *(set(queries) - set(order))])
        if query in set(truth["query"])
    }
    found = gathered.judged(no_items("none"), AssertionError)
    assert found.counts == expected.counts
    for name in ("above", "tied", "grades", "n_ranked", "judged_grades", "offsets"):
        wanted = getattr(expected.rankings, name)
        assert np.array_equal(getattr(found.rankings, name), wanted), name


def test_a_task_sends_its_error_and_no_rows_of_a_run():
    truth = pl.DataFrame({"query": ["a"], "item": ["x"], "grade": [1]})
    twice = pl.DataFrame({"query": ["a", "a"], "item": ["x", "x"], "score": [1.0, 2.0]})
    error = pickle.loads(_part(truth, twice, ReadOptions()))
    assert isinstance(error, ValueError)
    assert "holds item 'x'" in str(error)
    many = pl.DataFrame(
        {"query": ["a"] * 10_000, "item": [*map(str, range(9_999)), "x"], "score": 1.0}
    )
    assert len(_part(truth, many, ReadOptions())) < 5_000


@pytest.mark.parametrize(
    ("size", "expected"),
    [("1g", 1 << 30), ("512m", 512 << 20), ("2048", 2 << 30), ("0", 0), ("3GB", 3 << 30)],
)
def test_sizes_as_spark_writes_them(size, expected):
    assert _bytes_of(size) == expected


def _pyspark(monkeypatch: pytest.MonkeyPatch, start: Any) -> None:
    """A package whose sessions start like this."""
    sql = ModuleType("pyspark.sql")
    builder = SimpleNamespace(getOrCreate=start)
    sql.SparkSession = SimpleNamespace(builder=builder)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyspark", ModuleType("pyspark"))
    monkeypatch.setitem(sys.modules, "pyspark.sql", sql)


def test_no_spark_and_no_java_say_what_to_do(monkeypatch, tmp_path):
    def fail() -> None:
        raise RuntimeError("[JAVA_GATEWAY_EXITED]")

    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    _pyspark(monkeypatch, fail)
    with pytest.raises(OSError, match=r"Java 17 or later is required; check JAVA_HOME \(\[JAVA_GA"):
        scan_run(tmp_path / "run.parquet", engine="spark")
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(ImportError, match=r"pip install 'sklearn-rank\[spark\]'"):
        scan_run(tmp_path / "run.parquet", engine="spark")
