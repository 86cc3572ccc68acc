"""Assertions and gates on lazy frames: the verdicts of frames in memory."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_rankmetrics import assert_map_at_least, assert_metric, expected_failure
from sklearn_rank import DuplicateItemError, QueryMismatchError
from tests.engines.conftest import Make

TRUTH = {"user_id": ["a", "a", "b"], "item": ["x", "y", "x"], "grade": [1, 1, 1]}
RUN = {"user_id": ["a", "a", "b", "b"], "item": ["x", "y", "y", "x"], "score": [2.0, 1.0, 2.0, 1.0]}


def test_an_assertion_passes_and_fails(lazy: Make, way: str) -> None:
    # (1 + 1/2) / 2
    assert_map_at_least(lazy(TRUTH), lazy(RUN), 0.75)
    with expected_failure(match=r"^map 0\.7500 < 0\.8000 required"):
        assert_map_at_least(lazy(TRUTH), lazy(RUN), 0.8)


def test_columns_are_named(lazy: Make, way: str) -> None:
    run = {"who": RUN["user_id"], "what": RUN["item"], "points": RUN["score"]}
    columns = {"query": "who", "item": "what", "score": "points"}
    truth = {"who": TRUTH["user_id"], "what": TRUTH["item"], "grade": TRUTH["grade"]}
    assert_metric(lazy(truth), lazy(run), "mrr", at_least=0.75, columns=columns)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user_id": ["a", "a", "c", "c"]}, "1 of 2 judged queries have no ranking: 'b'"),
        ({"item": ["x", "x", "y", "x"]}, r"y_score\['a'\] holds item 'x'"),
    ],
)
def test_what_would_be_left_out_fails(
    change: dict[str, Any], message: str, lazy: Make, way: str
) -> None:
    with expected_failure((QueryMismatchError, DuplicateItemError), match=message):
        assert_map_at_least(lazy(TRUTH), lazy({**RUN, **change}), 0.1)


def test_rankings_without_judgements_fail(lazy: Make, way: str) -> None:
    truth = {name: values[:2] for name, values in TRUTH.items()}
    message = "1 ranked query has no judgements and would be left out"
    with expected_failure(match=message):
        assert_map_at_least(lazy(truth), lazy(RUN), 0.1)
    assert_map_at_least(lazy(truth), lazy(RUN), 1.0, allow=["unjudged"])
