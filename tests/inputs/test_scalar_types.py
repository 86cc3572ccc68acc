"""Ids and numbers of other types than Python's own: the same values, refusals and cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import evaluate

RANKED = [[3, 1, 2], [5, 4]]
TRUE = [[1], [4, 9]]
MEASURES = ["map", "ndcg@2", "mrr"]


def values(*args: Any) -> dict[str, float]:
    evaluation = evaluate(*args, MEASURES)
    return {measure: evaluation[measure] for measure in MEASURES}


VALUES = values([set(items) for items in TRUE], RANKED)

IDS = {
    "int64": np.int64,
    "uint8": np.uint8,
    "int32": np.int32,
    "str_": lambda item: np.str_(f"item {item}"),
    "bytes_": lambda item: np.bytes_(f"item {item}"),
    "float64": np.float64,
    "datetime64": lambda item: np.datetime64(item, "D"),
    "timedelta64": lambda item: np.timedelta64(item, "D"),
    "tuple": lambda item: (item, "x"),
    "mixed tuple": lambda item: ("a", np.int64(item)),
    "timestamp": lambda item: pd.Timestamp(item, unit="D"),
}


@pytest.mark.parametrize("kind", IDS)
def test_ids_of_any_type_meet_by_equality(kind: str) -> None:
    make = IDS[kind]
    ranked = [[make(item) for item in items] for items in RANKED]
    true = [[make(item) for item in items] for items in TRUE]
    for truths in (true, [set(items) for items in true], [dict.fromkeys(t, 1) for t in true]):
        assert values(truths, ranked) == VALUES
    scored = [{item: -float(place) for place, item in enumerate(items)} for items in ranked]
    assert values(true, scored) == VALUES


@pytest.mark.parametrize("kind", ["int64", "uint8", "str_"])
def test_scalars_of_numpy_meet_pythons(kind: str) -> None:
    ranked = [[IDS[kind](item) for item in items] for items in RANKED]
    plain = [{item.item() for item in map(IDS[kind], items)} for items in TRUE]
    assert values(plain, ranked) == VALUES


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_large_integers_of_numpy_are_exact(kind: type) -> None:
    large = 2**63 - 1
    assert evaluate([{large}], [[kind(large - 1), kind(large)]], "mrr")["mrr"] == 0.5


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.5, 2, 1], [0.5, 2.0, 1.0]),
        ([2**53 + 1, 2**53, 5], [2**53 + 1, 2**53, 5]),
        ([2**64 - 1, 2**64 - 2, 1], np.array([2**64 - 1, 2**64 - 2, 1], np.uint64)),
        ([True, False, 0.5], [1.0, 0.0, 0.5]),
        ([np.float32(0.5), 2, np.int64(1)], [0.5, 2.0, 1.0]),
        ([float("inf"), 2, 1], [np.inf, 2.0, 1.0]),
    ],
)
def test_arrays_of_objects_are_arrays_of_their_numbers(scores: Any, expected: Any) -> None:
    grades = np.array([[0, 1, 2], [1, 0, 0]])
    objects = np.array([scores, scores[::-1]], dtype=object)
    numbers = np.array([expected, expected[::-1]])
    assert values(grades, objects) == values(grades, numbers)


def test_periods_name_queries_as_they_are() -> None:
    periods = pd.Series(pd.PeriodIndex(["2024-02", "2024-01", "2024-02", "2024-01"], freq="M"))
    grades, scores = [1, 0, 0, 1], [2.0, 2.0, 1.0, 1.0]
    for groups in (periods, periods.array, pd.PeriodIndex(periods)):
        evaluation = evaluate(grades, scores, "mrr", groups=groups)
        assert list(evaluation.query_ids) == [pd.Period("2024-02"), pd.Period("2024-01")]
        assert evaluation.per_query["mrr"].tolist() == [1.0, 0.5]
    periods[2] = pd.NaT
    with pytest.raises(ValueError, match=r"groups contains missing values \(row 2\)"):
        evaluate(grades, scores, "mrr", groups=periods)
