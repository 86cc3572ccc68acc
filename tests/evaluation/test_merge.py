"""Evaluations of parts joined: the bits of one call."""

import warnings
from typing import Any

import numpy as np
import pytest

from sklearn_rank import (
    Evaluation,
    InvalidParameterError,
    QueryMismatchError,
    RankingDataWarning,
    UndefinedMetricWarning,
    evaluate,
)

MEASURES = ("map", "ndcg@3", "mrr@2", "err", "lag", "auc", "gauc", "auc(average=pooled)")
Parts = tuple[Any, list[tuple[Any, Any, dict[str, Any]]], dict[str, Any]]


def rows(rng: np.random.Generator) -> Parts:
    qid = np.repeat(list("abcdef"), rng.integers(1, 8, 6))
    grades, scores = rng.choice([0, 0, 1, 2], len(qid)), rng.choice(5, len(qid)) / 4
    first = np.isin(qid, ["a", "b"])
    cuts = [
        (grades[part], scores[part], {"groups": qid[part], "sample_weight": part[part] * 2.0})
        for part in (first, ~first)
    ]
    return (grades, scores), cuts, {"groups": qid, "sample_weight": np.full(len(qid), 2.0)}


def matrix(rng: np.random.Generator) -> Parts:
    grades, scores = rng.choice([0, 0, 1, 2], (7, 5)), rng.choice(5, (7, 5)) / 4
    cells = rng.random((7, 5)) < 0.8
    cuts = [
        (grades[part], scores[part], {"candidates": cells[part]})
        for part in (slice(0, 3), slice(3, 4), slice(4, 7))
    ]
    return (grades, scores), cuts, {"candidates": cells}


def mapping(rng: np.random.Generator) -> Parts:
    truth = {q: {i: int(rng.integers(0, 3)) for i in "abcde"} for q in range(6)}
    scores = {q: {i: float(rng.integers(0, 3)) for i in "abcdxy"} for q in range(6)}
    del scores[2]
    cuts = [
        ({q: truth[q] for q in part}, {q: scores[q] for q in part if q in scores}, {})
        for part in (range(2), range(2, 6))
    ]
    # What is assumed of a ground truth hangs on all of it: a part may lack a grade of 0.
    told = {"assume": "partial"}
    return (truth, scores), [(*sides, told) for *sides, _ in cuts], told


@pytest.mark.parametrize("problem", [rows, matrix, mapping])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("zero_division", [np.nan, 0.0])
def test_merged_parts_have_the_bits_of_one_call(
    problem: Any, seed: int, zero_division: float
) -> None:
    (y_true, y_score), cuts, options = problem(np.random.default_rng(seed))
    # A pool takes no weights, not even equal ones.
    measures = MEASURES[:-1] if problem is rows else MEASURES
    whole = evaluate(y_true, y_score, measures, zero_division=zero_division, **options)
    merged = Evaluation.merge(
        *(evaluate(t, s, measures, zero_division=zero_division, **o) for t, s, o in cuts)
    )
    assert list(merged.query_ids) == list(whole.query_ids)
    np.testing.assert_equal(dict(merged.scores), dict(whole.scores))
    np.testing.assert_equal(dict(merged.per_query), dict(whole.per_query))
    np.testing.assert_equal(merged.counts, whole.counts)
    assert repr(merged) == repr(whole)


def test_parts_of_lists_are_numbered_through() -> None:
    parts = [evaluate([{"a"}], [["a"]], "mrr"), evaluate([{"a"}, {"b"}], [["x", "a"], []], "mrr")]
    merged = Evaluation.merge(*parts)
    assert list(merged.query_ids) == [0, 1, 2]
    assert merged.per_query["mrr"].tolist() == [1, 1 / 2, 0]
    assert Evaluation.merge(parts[0]).scores == parts[0].scores
    assert list(parts[0].merge(parts[1], parts[0]).query_ids) == [0, 1, 2, 3]


def test_parts_that_warned_do_not_warn_again() -> None:
    with pytest.warns(UndefinedMetricWarning):
        part = evaluate({"q": set()}, {"q": ["a"]}, "map")
    other = evaluate({"r": {"a"}}, {"r": ["a"]}, "map")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Evaluation.merge(part, other)["map"] == 1.0


def shared() -> Any:
    """Of one ground truth for all queries, of which no query found an item."""
    with pytest.warns(RankingDataWarning, match="^1 of 2 items of the one ground truth"):
        return one({"a", "z"}, [["a"]])


def one(truth: Any = None, run: Any = None, measure: str = "map", **options: Any) -> Evaluation:
    return evaluate(truth or {"q2": {"a"}}, run or {"q2": ["a"]}, measure, **options)


ONE = one({"q1": {"a"}}, {"q1": ["a"]})


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ([ONE, {"map": 1.0}], TypeError, "merge takes results of evaluate, got"),
        ([ONE, one(measure="mrr")], InvalidParameterError, "2 has other .*: 'mrr' against 'map'"),
        (
            [ONE, one(zero_division=0.0)],
            InvalidParameterError,
            r"evaluation 2 has zero_division=0\.0 and the first warn",
        ),
        ([ONE, ONE], QueryMismatchError, r"1 queries are in more .*: 'q1'.* missing='skip'"),
        ([ONE, one(sample_weight={"q2": 1})], InvalidParameterError, "some of .* have weights"),
        ([ONE, one([{"a"}], [["a"]])], InvalidParameterError, "some go by position"),
        (
            [shared(), one({"b"}, [["b"]])],
            InvalidParameterError,
            "shared by all queries cannot be merged",
        ),
    ],
)
def test_parts_that_do_not_fit(parts: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Evaluation.merge(*parts)


def test_pools_of_other_types_refuse_only_the_pooled_measure() -> None:
    """Integers beyond 2^53 and floats do not compare exactly."""
    parts = [
        evaluate([1, 0], np.array([1, 0], dtype), "map", groups=[q, q])
        for q, dtype in (("a", np.int64), ("b", np.float64))
    ]
    assert Evaluation.merge(*parts)["map"] == 1.0
