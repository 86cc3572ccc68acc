"""Evaluations of parts joined: the bits of one call, and means over data sets."""

import json
import math
import warnings
from typing import Any

import numpy as np
import pytest

from sklearn_rank import (
    Evaluation,
    InvalidParameterError,
    QueryMismatchError,
    UndefinedMetricWarning,
    combine,
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
            [one({"a", "z"}, [["a"]]), one({"b"}, [["b"]])],
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


# Means over data sets -----------------------------------------------------------------------------


def projects() -> dict[str, Evaluation]:
    return {
        "small": evaluate({"q1": {"a"}}, {"q1": ["b", "a"]}, ["map", "lag"]),
        "large": evaluate({"q1": {"a", "b", "c"}}, {"q1": ["a", "b", "c", "x"]}, ["map", "lag"]),
    }


def test_data_sets_count_alike_or_by_their_relevant_items() -> None:
    macro, weighted = combine(projects()), combine(projects(), average="weighted")
    assert dict(macro) == {"map": (1 / 2 + 1) / 2, "lag": (1 + 0) / 2}
    assert dict(weighted) == {"map": (1 / 2 + 3 * 1) / 4, "lag": (1 + 3 * 0) / 4}
    assert (macro.weights, weighted.weights) == ({"small": 1, "large": 1}, {"small": 1, "large": 3})
    assert weighted["AP"] == weighted.scores["map"]
    stored = {name: json.loads(json.dumps(part.to_dict())) for name, part in projects().items()}
    assert dict(combine(stored, average="weighted")) == dict(weighted)
    given = combine({**stored, "large": projects()["large"]}, weights={"large": 0.5, "small": 1.5})
    assert (given["map"], given["AP"]) == ((1.5 / 2 + 0.5 * 1) / 2,) * 2
    assert "mean by given weights" in repr(given)
    for weight in (1e308, 5e-324):
        halves = combine(projects(), weights={"large": weight, "small": weight})
        assert halves["map"] == (1 / 2 + 1) / 2
    assert repr(weighted).splitlines() == [
        "data set       weight     map     lag",
        "small               1  0.5000  1.0000",
        "large               3  1.0000  0.0000",
        "weighted mean          0.8750  0.2500",
    ]


def test_one_ground_truth_weighs_as_a_whole() -> None:
    """What no query found counts, as in ArDoCo: 8 links of which one is found weigh 8."""
    small = evaluate({"l1", "l2"}, [["l1"], ["x", "l2"]], "map")
    large = evaluate({f"l{number}" for number in range(1, 9)}, [["x", "l1"]], "map")
    for parts in ({"small": small, "large": large}, {"small": small, "large": large.to_dict()}):
        combination = combine(parts, average="weighted")
        assert combination["map"] == (2 * (1 + 1 / 2) / 2 + 8 * 1 / 2) / 10
        assert combination.weights == {"small": 2, "large": 8}


def test_an_undefined_data_set_is_left_out_with_its_weight() -> None:
    parts = projects()
    parts["none"] = evaluate({"q1": set()}, {"q1": ["a"]}, ["map", "lag"], zero_division=np.nan)
    with pytest.warns(UndefinedMetricWarning, match=r"map for 'none'; lag for 'none'$"):
        combination = combine({**parts, "none": parts["none"].to_dict()}, average="weighted")
    assert combination["map"] == (1 / 2 + 3) / 4
    with pytest.warns(UndefinedMetricWarning, match=r"NaN is the mean of 'map' and|'map', 'lag'"):
        assert math.isnan(combine({"none": parts["none"]})["map"])


@pytest.mark.parametrize(
    ("given", "options", "error", "message"),
    [
        ([ONE], {}, InvalidParameterError, "non-empty"),
        ({"a": 0.5}, {}, TypeError, "results of evaluate, or .*, got 0.5"),
        ({"a": {"scores": {"map": 1.0}}}, {}, TypeError, "results of evaluate"),
        *(
            ({"a": {**ONE.to_dict(), "scores": {"map": own}}}, {}, TypeError, "results of evaluate")
            for own in (True, 7, math.inf, 10**400)
        ),
        ({"a": ONE}, {"weights": {"b": 1}}, InvalidParameterError, "names of evaluations"),
        ({"a": ONE}, {"weights": [1]}, InvalidParameterError, "names of evaluations"),
        ({"a": ONE}, {"weights": {"a": -1}}, ValueError, "weights"),
        ({"a": ONE}, {"weights": {"a": 0}}, ValueError, "weights"),
        ({"a": ONE}, {"weights": {"a": 1}, "average": "weighted"}, InvalidParameterError, "place"),
        ({"a": ONE}, {"average": "micro"}, InvalidParameterError, "'macro', 'weighted'"),
        ({"a": ONE, **projects()}, {}, InvalidParameterError, "evaluation 2 has other measures"),
    ],
)
def test_what_combine_refuses(
    given: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        combine(given, **options)
