"""Assertions: what passes, what fails, what a failure looks like, and what their results hold."""

import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import pytest_rankmetrics
from pytest_rankmetrics import (
    GateResult,
    assert_lag_at_most,
    assert_metric,
    assert_mrr_at_least,
    assert_not_worse,
    assertions,
    expected_failure,
)
from tests.plugin.cases import case, names

# Reciprocal ranks 1 and 1/2: a mean of 0.75.


LAYOUTS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "rows": ([0, 1, 1, 0], [3, 2, 9, 1], {"groups": ["a", "a", "b", "b"]}),
    "matrix": (np.eye(2)[::-1], np.array([[3.0, 2.0], [9.0, 1.0]]), {}),
    "lists": ([{"x"}, {"y"}], [["z", "x"], ["y", "z"]], {}),
    "mapping": ({"a": {"x"}, "b": {"y"}}, {"b": ["y", "z"], "a": ["z", "x"]}, {}),
    "provider": ([{1}, {2}], [[3, 1], [2, 3]], {"string_provider": str}),
    "relevance": (
        [{"x"}, {"y"}],
        [["z", "x"], ["y", "z"]],
        {"relevance": [[0.9, 0.4], [0.8, 0.1]]},
    ),
    "one set": ({"a-x", "b-y"}, [["a-z", "a-x"], ["b-y", "b-z"]], {}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_the_library_is_read(layout):
    # The relevant item stands second for a, first for b: (1/2 + 1) / 2.
    y_true, y_score, reading = LAYOUTS[layout]
    assert assert_mrr_at_least(y_true, y_score, 0.75, **reading).value == 0.75
    with expected_failure(match=r"MRR is 0\.750, below the 0\.751 required \(2 queries"):
        assert_mrr_at_least(y_true, y_score, 0.751, **reading)


def test_measures_have_any_spelling_and_lag_a_limit_from_above():
    assert assert_metric(*case([1, 2]), "RR@10", at_least=0.75).passed
    with expected_failure(match=r"^MRR is 0\.750, below the 0\.800 required"):
        assert_metric(*case([1, 2]), "recip_rank", at_least=0.8)
    # One irrelevant item above in q001, three in q002: a lag of 2.
    assert assert_lag_at_most(*case([2, 4]), 2.0).value == 2.0
    for limit in (1.9, 1.0):
        with expected_failure(match=rf"^LAG is 2\.000, above the {limit}00 allowed .*2 queries"):
            assert_metric(*case([2, 4]), "lag", at_most=limit)


def gate(threshold: float) -> GateResult:
    return assert_mrr_at_least(*case([1, 2, 4, 5]), threshold)


@pytest.mark.filterwarnings("ignore:.* multi-threaded, use of fork:DeprecationWarning")
def test_results_and_failures_are_plain_and_travel_between_processes(request):
    own = gate(0.2)
    assert type(own.value) is float
    assert own.value == 0.4875  # (1 + 1/2 + 1/4 + 1/5) / 4
    assert 0 <= own.ci[0] < own.value < own.ci[1] <= 1
    assert own.evaluation is not None
    assert own.evaluation.query_ids == names(4)
    assert own.evaluation.per_query["mrr"].tolist() == [1, 1 / 2, 1 / 4, 1 / 5]
    assert (own.state, own.passed, own.queries) == ("pass", True, 4)
    assert json.loads(json.dumps(own.as_dict()))["measures"]["mrr"]["value"] == 0.4875
    with ProcessPoolExecutor(1) as pool:
        result = pool.submit(gate, 0.2).result()
        with pytest.raises(AssertionError, match=r"MRR is 0\.487, below the 0\.900") as info:
            pool.submit(gate, 0.9).result()
    # A process is outside of the run, whether it was forked or not, and its gate is of no test.
    assert (own.name, result.name) == (request.node.name, "mrr")
    assert result.as_dict() == {**own.as_dict(), "name": result.name}
    assert (result.ci, result.message) == (own.ci, own.message)
    failed = info.value.result  # type: ignore[attr-defined]
    assert [row.query for row in failed.worst.rows] == ["q004", "q003", "q002"]
    assert pickle.loads(pickle.dumps(failed)) == failed


def test_a_system_beside_itself_is_refused():
    judgements, run = case([1, 2])
    with pytest.raises(ValueError, match="y_score and y_baseline are the same object"):
        assert_not_worse(judgements, run, run)


def test_the_reference_has_a_relevance_of_its_own():
    """By the scores b and c are tied below a: (0 + 1/2) / 2; by the order b is above c."""
    sides = [{"b"}], [["a", "b", "c"]], [["a", "b", "c"]]
    result = assert_not_worse(*sides, "gauc", baseline_relevance=[[0.9, 0.5, 0.5]])
    assert (result.measures["gauc"].baseline_value, result.measures["gauc"].new) == (0.25, 0.5)
    result = assert_not_worse(*sides, "gauc", relevance=[[0.9, 0.5, 0.5]], max_drop=0.3)
    assert (result.measures["gauc"].baseline_value, result.measures["gauc"].new) == (0.5, 0.25)


def test_every_assertion_can_be_imported_from_the_package() -> None:
    made = {name for name in vars(assertions) if name.startswith("assert_")}
    assert made == {name for name in pytest_rankmetrics.__all__ if name.startswith("assert_")}
