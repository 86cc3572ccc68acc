"""What Spark's rows become, here and in its executors: no session is needed for that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sklearn_rank import Qrels, Run
from sklearn_rank.engines.spark import plans
from sklearn_rank.engines.spark.partitions import computed, whole_queries
from sklearn_rank.engines.spark.reading import _bytes_of
from sklearn_rank.engines.spark.sides import _rows_of, _run_columns, _truth_columns
from sklearn_rank.engines.spark.waist import WaistRows, rankings_of


def rows(**columns: list[Any]) -> pa.Table:
    return pa.table(columns)


WAIST = rows(
    q=["a", "a", "a", "b", "c"],
    n_ranked=[9, 9, 9, 4, 0],
    grade=[1.0, 3.0, 2.0, 0.0, 1.0],
    above=[5, 2, 2, -1, -1],
    tied=[1, 3, 3, 1, 1],
)
"""Three relevant items of "a", of which two share their score with a third one; none of "b"; one
of "c" that was not retrieved."""


def test_rows_become_rankings():
    rankings = rankings_of(WaistRows.of(WAIST), "average")
    rankings.check()
    assert list(rankings.query_ids) == ["a", "b", "c"]
    assert rankings.n_ranked.tolist() == [9, 4, 0]
    assert rankings.n_relevant.tolist() == [3, 0, 1]
    assert rankings.offsets.tolist() == [0, 3, 3, 3]
    assert rankings.above.tolist() == [2, 2, 5]
    assert rankings.tied.tolist() == [3, 3, 1]
    assert rankings.grades.tolist() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize(
    ("ties", "above", "grades"),
    [
        ("optimistic", [2, 3, 5], [3.0, 2.0, 1.0]),
        # One item of the three is irrelevant, and stands first; the better grade stands last.
        ("pessimistic", [3, 4, 5], [2.0, 3.0, 1.0]),
    ],
)
def test_ties_are_broken(ties, above, grades):
    rankings = rankings_of(WaistRows.of(WAIST), ties)
    rankings.check()
    assert rankings.above.tolist() == above
    assert rankings.grades.tolist() == grades
    assert not rankings.are_tied


def test_no_rows():
    rankings = rankings_of(WaistRows.of(WAIST.slice(0, 0)), "average")
    rankings.check()
    assert len(rankings) == 0


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
@pytest.mark.parametrize("n_rows", [1, 3, 4, 1000])
def test_partitions_are_cut_between_queries(batch, n_rows):
    queries = ["a"] * 5 + ["b"] + ["c"] * 2 + ["d"] * 4
    table = rows(q=queries, number=list(range(len(queries))))
    blocks = list(whole_queries(iter(table.to_batches(max_chunksize=batch)), n_rows))
    assert pa.concat_tables(blocks).to_pydict() == table.to_pydict()
    parts = [set(block["q"].to_pylist()) for block in blocks]
    assert sum(map(len, parts)) == len(set(queries))
    assert len(blocks) == 1 or n_rows < len(queries)


def test_values_of_a_partition():
    def sizes(rankings):
        return [rankings.n_ranked.astype(float), rankings.n_relevant.astype(float)]

    batches = computed(iter(WAIST.to_batches(max_chunksize=2)), function=sizes, ties="average")
    table = pa.Table.from_batches(list(batches))
    assert table.to_pydict() == {"q": ["a", "b", "c"], "v0": [9, 4, 0], "v1": [3, 0, 1]}


@pytest.mark.parametrize(
    ("size", "expected"),
    [("1g", 1 << 30), ("512m", 512 << 20), ("2048", 2 << 30), ("0", 0), ("3GB", 3 << 30)],
)
def test_sizes_as_spark_writes_them(size, expected):
    assert _bytes_of(size) == expected


def test_names_of_columns_are_quoted():
    assert plans.quoted("a`b.c") == "`a``b.c`"


def test_integers_are_never_nan():
    assert plans.wrong("x", "bigint", "NaN") == "false"
    assert plans.wrong("x", "double", "NaN") == "isnan(x)"
    assert "isnan" in plans.is_missing("q", "double")
    assert "isnan" not in plans.is_missing("q", "string")


def test_rows_of_a_query_keep_their_own_numbers():
    """The rank of a tie is that of its group, whatever the order of the rows."""
    order = [2, 1, 0, 3, 4]
    shuffled = rankings_of(WaistRows.of(WAIST.take(order)), "average")
    straight = rankings_of(WaistRows.of(WAIST), "average")
    assert np.array_equal(shuffled.above, straight.above)
    assert np.array_equal(shuffled.grades, straight.grades)


def test_columns_of_the_other_side() -> None:
    """Each form that rankings and judgements have in memory, as rows."""
    run = Run.from_columns(["a", "a", "b"], ["x", "y", "x"], scores=[0.5, 2.0, 1.0])
    rows = {"query": ["a", "a", "b"], "item": ["x", "y", "x"]}
    assert _lists(_rows_of(run)) == rows | {"score": [0.5, 2.0, 1.0]}
    ranked = Run.from_columns(["a", "a", "b"], ["x", "y", "x"])
    assert _lists(_rows_of(ranked)) == rows | {"rank": [1, 2, 1]}
    assert _run_columns({"a": ["x", "y"], "b": ["x"]}) == rows | {"rank": [1, 2, 1]}
    assert _run_columns({"a": {"x": 0.5, "y": 2.0}, "b": {"x": 1.0}})["score"] == [0.5, 2.0, 1.0]
    qrels = Qrels.from_columns(["a", "a", "b"], ["x", "y", "x"], grades=[2, 0, 1])
    assert _lists(_rows_of(qrels)) == rows | {"grade": [2, 0, 1]}
    # A query of which nothing is judged has a row, too, or it would not be there.
    truth = _truth_columns({"a": {"x": 2}, "b": set()})
    assert truth == {"query": ["a", "b"], "item": ["x", "x"], "grade": [2, 0.0]}
    with pytest.raises(TypeError, match="y_score mixes ranked lists and"):
        _run_columns({"a": ["x"], "b": {"x": 1.0}})


def _lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: list(values) for name, values in columns.items()}
