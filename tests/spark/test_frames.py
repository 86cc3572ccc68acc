"""Frames of Spark: names, texts and sizes; and what stays in the session afterwards."""

import copy
import math
from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank import ColumnRoleError, InvalidParameterError, RankingDataWarning, Run, evaluate
from sklearn_rank.engines import spark
from tests.spark.conftest import Make
from tests.spark.problems import assert_same

TRUTH = {"query": list("aabb"), "item": list("xyxz"), "grade": [1, 0, 2, 1]}
RUN = {"query": list("aaabbb"), "item": list("xyzxyz"), "score": [1.0, 2.0, -math.inf] * 2}
MEASURES = ["map", "ndcg@3"]


def test_names_with_dots_spaces_and_quotes(lazy):
    names = {"query": "que.ry id", "item": "it`em.", "grade": "`grade`", "score": "sc ore.x"}
    truth, run = (
        lazy({names[name]: values for name, values in columns.items()}) for columns in (TRUTH, RUN)
    )
    truth = truth.selectExpr("*", "`que.ry id` AS `seg.ment ``1`")
    expected = evaluate(pl.DataFrame(TRUTH), pl.DataFrame(RUN), MEASURES)
    found = evaluate(truth, run, MEASURES, columns=names)
    assert_same(found, expected)
    assert list(found.by_slice("seg.ment `1")) == ["a", "b"]


def test_texts_and_distances(lazy):
    judged = {name: values for name, values in TRUTH.items() if name != "grade"}
    near = judged, {**RUN, "score": [0.3, 0.2, 0.1] * 2}
    near[1]["distance"] = [-score for score in near[1].pop("score")]
    expected = evaluate(*map(pl.DataFrame, near), "map")
    assert_same(evaluate(*map(lazy, near), "map"), expected)
    with pytest.raises(
        ColumnRoleError, match=r"for the role 'grade'; it may be 'label of' .strings"
    ):
        evaluate(lazy({**judged, "label of": list("EIIE")}), lazy(RUN), "map")


def test_nothing_stays_cached_and_what_was_cached_stays(session, lazy):
    truth, run = lazy(TRUTH), lazy({**RUN, "pages": [7.0] * 6})
    run.cache()
    n_cached = _n_cached(session)
    with pytest.raises(ValueError, match="sample_weight has no weight for 1 query"):
        evaluate(truth, run, "map", columns={"score": "score"}, sample_weight={"a": 1.0})
    evaluate(truth, run, "map", columns={"score": "score"})
    assert _is_cached(run)
    assert _n_cached(session) <= max(n_cached, 1)
    run.unpersist()
    assert _n_cached(session) == 0
    assert session.catalog.listTables() == []


def _n_cached(session: Any) -> int:
    return len(list(session.sparkContext._jsc.getPersistentRDDs().keySet()))


def _is_cached(frame: Any) -> bool:
    plan = frame.selectExpr("*")._jdf.queryExecution().executedPlan().toString()
    return "InMemoryTableScan" in plan


def test_rows_that_change_between_readings_are_refused(session, lazy):
    def more(batches: Any) -> Any:
        """Fewer rows than there were the time before."""
        import time

        for batch in batches:
            yield batch.slice(0, batch.num_rows - time.time_ns() // 1000 % 1000)

    run = session.range(0, 5000, 1, 1).selectExpr(
        "'a' AS query", "string(id) AS item", "1D AS score"
    )
    truth = lazy({"query": ["a"], "item": ["0"], "grade": [1]})
    changing = run.mapInArrow(more, run.schema)
    message = "y_score gave different rows when read again"
    with pytest.raises(ValueError, match=message):
        evaluate(truth, changing, "map")


def test_numbers_of_unknown_names_are_refused_whatever_their_values(session, lazy):
    pages = lazy({"query": list("ab"), "item": list("xy")}).selectExpr("*", "7 AS pages")
    with pytest.raises(ColumnRoleError, match="for the role 'grade'; it may be 'pages'"):
        evaluate(pages, lazy(RUN), "map")
    unnamed = lazy(RUN).withColumnRenamed("score", "points")
    with pytest.raises(ColumnRoleError, match="role 'score' or 'rank'; it may be 'points'"):
        evaluate(lazy(TRUTH), unnamed, "map")
    with pytest.raises(ColumnRoleError, match="have no order to rank the items by"):
        evaluate(lazy(TRUTH), unnamed, "map", columns={"score": None})


# What stays in Spark, and what is refused --------------------------------------------------------

MANY = ["map", "ndcg@3", "auc(average=impressions)", "recall@2", "lag"]


def frames() -> tuple[dict[str, Any], dict[str, Any]]:
    """Twenty queries; the first holds half of all rows, which many tasks read."""
    rng = np.random.default_rng(7)
    truth: dict[str, list[Any]] = {"query": [], "item": [], "grade": []}
    run: dict[str, list[Any]] = {"query": [], "item": [], "score": []}
    for number in range(20):
        n_items = 4000 if number == 0 else 200
        for item in rng.choice(n_items, 6, replace=False):
            truth["query"].append(f"q{number:02}")
            truth["item"].append(f"d{item}")
            truth["grade"].append(int(rng.integers(0, 4)))
        for item in rng.permutation(n_items)[: n_items - 20]:
            run["query"].append(f"q{number:02}")
            run["item"].append(f"d{item}")
            run["score"].append(float(rng.integers(0, 50)))
    order = rng.permutation(len(run["query"]))
    return truth, {name: [values[row] for row in order] for name, values in run.items()}


@pytest.fixture(scope="module")
def sides(lazy: Make) -> tuple[Any, Any]:
    truth, run = frames()
    return lazy(truth), lazy(run).repartition(7)


@pytest.fixture(scope="module")
def expected() -> Any:
    truth, run = frames()
    return evaluate(pl.DataFrame(truth), pl.DataFrame(run), MANY, zero_division=np.nan)


def test_a_ranking_may_span_partitions(small_buckets, sides, expected):
    assert_same(evaluate(*sides, MANY, zero_division=np.nan), expected)


def test_what_cannot_be_done_is_refused(sides, monkeypatch):
    with pytest.raises(InvalidParameterError, match="keep_items needs the ids of all items"):
        evaluate(*sides, "map", keep_items=True)
    with pytest.raises(InvalidParameterError, match=r"ties=.stable. leaves tied items in"):
        evaluate(*sides, "map", ties="stable")
    with pytest.raises(InvalidParameterError, match="their scores stay in Spark"):
        evaluate(*sides, "auc(average=pooled)")
    with monkeypatch.context() as patched:
        patched.setattr(spark, "BYTES_OF_HIT", 1 << 40)
        with pytest.raises(InvalidParameterError, match=r"the rankings of \d+ queries"):
            evaluate(*sides, "map")
    monkeypatch.setattr(spark, "BYTES_OF_ROW", 1 << 20)
    with pytest.raises(InvalidParameterError, match=r"query 'q00' of y_score has 3,980 rows, but"):
        evaluate(*sides, "map")


def test_columns_slices_and_unjudged_items(lazy):
    truth = {"query": ["a", "a", "b"], "item": ["x", "y", "x"], "grade": [1, 0, 1]}
    truth["part"] = ["head", "head", "tail"]
    run = {"query": ["a", "a", "b", "z"], "item": ["x", "w", "v", "v"]}
    run |= {"my score": [0.5, 2.0, 1.0, 1.0]}
    columns = {"score": "my score"}
    found = evaluate(lazy(truth), lazy(run), ("mrr", "unjudged@1"), columns=columns)
    expected = evaluate(
        pl.DataFrame(truth), pl.DataFrame(run), ("mrr", "unjudged@1"), columns=columns
    )
    assert_same(found, expected)
    assert {label: part["mrr"] for label, part in found.by_slice("part").items()} == {
        "head": 0.5,
        "tail": 0.0,
    }
    # "z" was given and not evaluated: it may be named.
    assert set(found.by_slice({"a": "x", "b": [], "z": "y"})) == {"x"}
    assert copy.deepcopy(expected.counts) == found.counts


def test_the_other_side_may_be_in_memory(lazy):
    truth = {"a": {"x": 2, "y": 0}, "b": {"x": 1}, "c": {}}
    run = {"query": ["a", "a", "b"], "item": ["x", "y", "x"], "score": [0.5, 2.0, 1.0]}
    ranked_rows = Run.from_columns(run["query"], run["item"], scores=run["score"])
    for judged in (truth, {"a": {"x"}, "b": {"x"}, "c": set()}):
        in_memory = evaluate(judged, ranked_rows, "mrr", zero_division=0.0)
        found = evaluate(judged, lazy(run), "mrr", zero_division=0.0)
        assert_same(found, in_memory)
    ranked = {"a": ["y", "x"], "b": ["x"]}
    judged_rows = lazy({"query": ["a", "b"], "item": ["x", "x"], "grade": [1, 1]})
    assert evaluate(judged_rows, ranked, "mrr")["mrr"] == 0.75


def test_ids_that_never_meet_are_told(lazy):
    truth = {"query": ["a"], "item": ["X1"], "grade": [1]}
    run = {"query": ["a", "a"], "item": ["x1", "x2"], "score": [4.0, 3.0]}
    with pytest.warns(RankingDataWarning, match=r"'X1' in y_true, 'x1' in y_score"):
        assert evaluate(lazy(truth), lazy(run), "map").hint
