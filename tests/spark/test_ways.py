"""Where Spark computes measures: what stays in it, and what is refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank import Run, evaluate
from sklearn_rank.engines import spark
from sklearn_rank.exceptions import (
    DuplicateItemError,
    InvalidParameterError,
    RankingDataWarning,
)
from tests.engines.problems import assert_same
from tests.spark.conftest import Make

pytest.importorskip("pyspark", reason="Spark has an environment of its own: .ci/versions spark")
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning"
)
MEASURES = ["map", "ndcg@3", "auc(average=impressions)", "recall@2", "lag"]


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
    return evaluate(pl.DataFrame(truth), pl.DataFrame(run), MEASURES, zero_division=np.nan)


def test_a_ranking_may_span_partitions(way: str, sides: Any, expected: Any) -> None:
    found = evaluate(*sides, MEASURES, zero_division=np.nan)
    assert_same(found, expected)
    # Values per query as a frame of Spark, which comes from where they were computed.
    frame = found.to_frame("spark")
    assert frame.columns == ["query", *MEASURES]
    rows = {row["query"]: row for row in frame.toArrow().to_pylist()}
    for name in MEASURES:
        values = np.array([rows[query][name] for query in expected.query_ids], np.float64)
        assert values.tobytes() == expected.per_query[name].tobytes()


def test_rankings_too_large_for_the_driver_stay(sides: Any, expected: Any, remote: None) -> None:
    found = evaluate(*sides, MEASURES, zero_division=np.nan)
    assert_same(found, expected)
    with pytest.raises(InvalidParameterError, match=r"EngineOptions\(memory_limit="):
        found.placements()
    assert pickle.loads(pickle.dumps(found))["map"] == expected["map"]


def test_what_cannot_be_done_is_refused(sides: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidParameterError, match="keep_items needs the ids of all items"):
        evaluate(*sides, "map", keep_items=True)
    with pytest.raises(InvalidParameterError, match=r"ties=.stable. leaves tied items in"):
        evaluate(*sides, "map", ties="stable")
    with pytest.raises(InvalidParameterError, match="their scores stay in Spark"):
        evaluate(*sides, "auc(average=pooled)")
    monkeypatch.setattr(spark, "_ROW", 1 << 20)
    with pytest.raises(InvalidParameterError, match=r"query 'q00' of y_score has 3,980 rows, and"):
        evaluate(*sides, "map")


def test_columns_slices_and_unjudged_items(lazy: Make) -> None:
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


def test_the_other_side_may_be_in_memory(lazy: Make) -> None:
    truth = {"a": {"x": 2, "y": 0}, "b": {"x"}, "c": set()}
    run = {"query": ["a", "a", "b"], "item": ["x", "y", "x"], "score": [0.5, 2.0, 1.0]}
    ranked_rows = Run.from_columns(run["query"], run["item"], scores=run["score"])
    for judged in (truth, {"a": {"x"}, "b": {"x"}, "c": set()}):
        in_memory = evaluate(judged, ranked_rows, "mrr", zero_division=0.0)
        found = evaluate(judged, lazy(run), "mrr", zero_division=0.0)
        assert_same(found, in_memory)
    ranked = {"a": ["y", "x"], "b": ["x"]}
    judged_rows = lazy({"query": ["a", "b"], "item": ["x", "x"], "grade": [1, 1]})
    assert evaluate(judged_rows, ranked, "mrr")["mrr"] == 0.75


def test_repeated_items_are_refused_by_tasks(way: str, lazy: Make) -> None:
    truth = {"query": ["a"], "item": ["x"], "grade": [1]}
    run = {"query": ["a"] * 4, "item": ["x", "y", "y", "y"], "score": [4.0, 3.0, 2.0, 1.0]}
    with pytest.raises(DuplicateItemError, match=r"y_score\['a'\] holds item 'y' "):
        evaluate(lazy(truth), lazy(run), "map")


def test_ids_that_never_meet_are_told(lazy: Make) -> None:
    truth = {"query": ["a"], "item": ["X1"], "grade": [1]}
    run = {"query": ["a", "a"], "item": ["x1", "x2"], "score": [4.0, 3.0]}
    with pytest.warns(RankingDataWarning, match=r"'X1' in y_true, 'x1' in y_score"):
        assert evaluate(lazy(truth), lazy(run), "map").hint
