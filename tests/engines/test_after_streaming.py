"""What an evaluation of streamed frames still knows: its scores, and what is pickled."""

import pickle
from typing import Any

import polars as pl
import pytest

from pytest_rankmetrics import assert_map_at_least, expected_failure
from sklearn_rank import (
    InvalidParameterError,
    compare,
    evaluate,
)
from tests.engines.problems import assert_same

TRUTH: dict[str, Any] = {"query": ["a", "b"], "item": ["x", "x"], "grade": [1, 1]}
RUN: dict[str, Any] = {
    "query": ["a", "b", "a", "b", "c"],
    "item": ["x", "x", "y", "y", "y"],
    "score": [1.0, 0.0, 0.5, -1.0, 3.0],
}


def test_evaluations_are_pickled_without_their_frames(lazy, way):
    truth = {**TRUTH, "grade": [1, 0]}
    run = {**RUN, "half": ["l", "r", "l", "r", "l"]}
    evaluation = evaluate(lazy(truth), lazy(run), ("map", "judged@2"), zero_division=0.0)
    again = pickle.loads(pickle.dumps(evaluation))
    assert_same(again, evaluation)
    with pytest.raises(InvalidParameterError, match="no data frame with a column 'half' was given"):
        again.by_slice("half")
    if way != "at once":
        with pytest.raises(
            InvalidParameterError, match="a pooled measure needs the lazy frames once more, which s"
        ):
            again._judged.pool()


def test_runs_are_compared_without_the_ids_of_their_items(lazy, way):
    swapped = {**RUN, "score": [0.5, 0.0, 1.0, -1.0, 3.0]}
    found = compare(lazy(TRUTH), {"old": lazy(RUN), "new": lazy(swapped)}, measures="map")
    in_memory = (pl.DataFrame(TRUTH), {"old": pl.DataFrame(RUN), "new": pl.DataFrame(swapped)})
    assert found["map"].difference == compare(*in_memory, measures="map")["map"].difference


def test_sets_of_relevant_items_assume_nothing(lazy, way):
    truth = {"a": {"x"}, "b": {"x"}}
    expected = evaluate(truth, pl.DataFrame(RUN), "map")
    assert_same(evaluate(truth, lazy(RUN), "map"), expected)


def test_judged_items_that_nobody_ranked_count_in_bpref(lazy, way):
    # Of query "a" three items are judged irrelevant, and one of them is ranked, above both hits.
    truth = {
        "query": ["a"] * 5 + ["b"] * 2,
        "item": [*"xywuv", *"xy"],
        "grade": [1, 1, 0, 0, 0, 1, 0],
    }
    run = {"query": ["a"] * 4 + ["b"], "item": [*"uxzy", "x"], "score": [4.0, 3.0, 2.0, 1.0, 1.0]}
    # min(R, N) is 2: each hit of "a" has one of two above it, and that of "b" none.
    found = evaluate(lazy(truth), lazy(run), ["bpref", "judged@2"])
    assert found["bpref"] == (1 / 2 + 1) / 2
    assert_same(found, evaluate(pl.DataFrame(truth), pl.DataFrame(run), ["bpref", "judged@2"]))


# Assertions ---------------------------------------------------------------------------------------

JUDGED = {"user_id": ["a", "a", "b"], "item": ["x", "y", "x"], "grade": [1, 1, 1]}
RANKED = {
    "user_id": ["a", "a", "b", "b"],
    "item": ["x", "y", "y", "x"],
    "score": [2.0, 1.0, 2.0, 1.0],
}


def test_an_assertion_passes_and_fails(lazy, way):
    # (1 + 1/2) / 2
    assert_map_at_least(lazy(JUDGED), lazy(RANKED), 0.75)
    with expected_failure(match=r"^MAP is 0\.750, below the 0\.800 required"):
        assert_map_at_least(lazy(JUDGED), lazy(RANKED), 0.8)
