"""What needs no session of Spark: what its tasks do with rows."""

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank.engines.spark import _bytes_of, _SparkRun, _task
from sklearn_rank.evaluation.compute import read as read_in_memory
from sklearn_rank.inputs.frames import truth_of
from sklearn_rank.inputs.options import ReadOptions
from tests.spark.problems import problems

NAMED = {"query": "query", "item": "item"}


def _part(truth: pl.DataFrame, run: pl.DataFrame, options: ReadOptions) -> bytes:
    """What a task sends of these rows."""
    roles = NAMED | {name: name for name in ("score", "rank") if name in run.columns}
    named: Any = {
        "y_true": (truth.columns, NAMED | {"grade": "grade"}),
        "y_score": (run.columns, roles),
    }
    table = _task(named, None, options, False, run.to_arrow(), truth.to_arrow())
    (part,) = table["part"].to_pylist()
    return bytes(part)


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning")
@pytest.mark.parametrize("given", problems(70), ids=lambda given: given.label)
def test_tasks_read_as_memory_does(given):
    truth, run = pl.DataFrame(given.truth), pl.DataFrame(given.run)
    others = ("zero_division", "convention", "sample_weight")
    of_data = {name: value for name, value in given.options.items() if name not in others}
    options = ReadOptions(negative_grades="unjudged", **of_data)
    expected = read_in_memory(truth, run, options)
    queries = sorted({*truth["query"], *run["query"]})
    parts = []
    for own in (queries[::2], queries[1::2]):
        of_part = (frame.filter(pl.col("query").is_in(own)) for frame in (truth, run))
        parts.append(pickle.loads(_part(*of_part, options)))
    for name, frame in (("y_true", truth), ("y_score", run)):
        assert sum(part.n_rows[name] for part in parts) == frame.height
    spark = _SparkRun.__new__(_SparkRun)
    spark.options, spark.has_grades = options, True
    spark.qrels = truth_of(_narwhals(truth), NAMED | {"grade": "grade"})  # type: ignore[arg-type]
    found = spark._merged(parts)
    assert (found.counts, found.assumed) == (expected.counts, expected.assumed)
    assert list(found.query_ids) == list(expected.query_ids)
    for name in ("above", "tied", "grades", "n_ranked", "relevant_grades", "offsets"):
        wanted = getattr(expected.rankings, name)
        assert np.array_equal(getattr(found.rankings, name), wanted), name


def _narwhals(frame: pl.DataFrame) -> Any:
    import narwhals as nw

    return nw.from_native(frame, eager_only=True)


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
