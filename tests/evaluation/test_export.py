"""Evaluations as mappings, data frames, text and HTML."""

import copy
import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import (
    InvalidParameterError,
    UndefinedMetricWarning,
    evaluate,
    measure,
    measure_from,
)
from tests.evaluation.cases import HALF, plain

# Export ------------------------------------------------------------------------------------------

IDS = {
    "str": ["a", "b"],
    "int": [1, 2],
    "numpy ints in an object array": np.array([np.int64(1), np.int64(2)], dtype=object),
    "tuples": [("a", 1), ("a", 2)],
    "numpy in tuples": [("a", np.int64(1)), ("a", np.int64(2))],
    "datetime64": np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]"),
    "timestamps": [pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")],
    "lone surrogate": ["\ud800", "b"],
}


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_to_dict_is_json_of_any_ids(ids):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        found = evaluate([1, 0], [2.0, 1.0], ("map", "ndcg@10", "auc"), groups=ids).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False))["per_query"]["map"] == [1.0, None]
    assert len({json.dumps(one) for one in found["query_ids"]}) == 2
    assert plain({**found, "query_ids": []})


def test_to_dict():
    found = evaluate([{"a"}, set()], [["x", "a"], ["a"]], "RR", zero_division=np.nan).to_dict()
    assert found == {
        "scores": {"mrr": 1 / 2},
        "measures": {"mrr": "mrr"},
        "counts": {
            **dict.fromkeys(("missing", "unjudged", "tied", "duplicates", "missed"), 0),
            **dict.fromkeys(("unjudged_grades", "unjudged_items"), 0),
            "queries": 2,
            "no_relevant": 1,
            "false_answers": 1,
            "ranked": 3,
            "relevant": 1,
            "retrieved": 1,
            "assumed": "",
            "undefined": {"mrr": 1},
            "averaged": {"mrr": 1},
        },
        "query_ids": [0, 1],
        "per_query": {"mrr": [1 / 2, None]},
    }
    assert plain(found)


SPECIAL = {
    "function": measure_from("first", lambda grades: grades[0]),
    "long numbers": measure("ndcg", gain={1: 0.123456789, 2: 1.0}),
}


@pytest.mark.parametrize("one", SPECIAL.values(), ids=SPECIAL)
def test_measures_with_any_parameter_are_shown(one):
    evaluation = evaluate([{"a": 1}, {"a": 1}], [["a", "b"], ["a", "b"]], one)
    assert evaluation[one] == 1.0
    assert list(evaluation.scores.items()) == [(str(one), 1.0)]
    assert str(one) in repr(evaluation)
    assert evaluation.to_dict()["scores"] == {str(one): 1.0}
    assert list(evaluation.to_frame().columns) == ["query", str(one)]


def test_values_per_query_and_counts_cannot_be_changed(evaluation):
    evaluation.to_dict()["counts"]["undefined"]["mrr"] = 99
    assert evaluation.counts["undefined"]["mrr"] == 0
    for one in (evaluation, evaluation.by_slice({"s": ["q1", "q2"]})["s"]):
        for values in one.per_query.values():
            with pytest.raises(ValueError, match="read-only"):
                values[0] = 0.0
        with pytest.raises(ValueError, match="read-only"):
            copy.deepcopy(one).per_query["mrr"][0] = 0.0


LONG = "x" * 200


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_to_frame(backend):
    """Undefined values are NaN, ids stay apart and whole, and integers are integers."""
    frame = evaluate(*HALF, ("mrr", "P_1"), zero_division=math.nan).to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    columns = (
        frame.to_pydict() if backend == "pyarrow" else {n: list(frame[n]) for n in frame.columns}
    )
    assert list(columns) == ["query", "mrr", "precision@1"]
    assert columns["query"] == [0, 1]
    np.testing.assert_array_equal(columns["mrr"], [math.nan, 1 / 2])
    ids = [(LONG, 1), LONG, 1, "1"]
    same = {id_: {"a": 1} for id_ in ids}
    frame = evaluate(same, same, "map").to_frame(backend)
    column = frame["query"].to_pylist() if backend == "pyarrow" else list(frame["query"])
    assert column == [f"('{LONG}', 1)", f"'{LONG}'", "1", "'1'"]
    with pytest.raises(InvalidParameterError, match=r"The 'backend' parameter of to_frame must be"):
        evaluate(*HALF, "mrr", zero_division=0.0).to_frame("dask")


def test_to_dict_cuts_no_ids():
    ids = [frozenset([LONG + "1"]), frozenset([LONG + "2"]), b"x" * 200]
    found = evaluate([1, 1, 1], [2, 1, 1], "map", groups=ids).to_dict()
    assert found["query_ids"] == [repr(one) for one in ids]


# Display -----------------------------------------------------------------------------------------


def test_text_tells_what_was_left_out():
    truth = {"p": {"a"}, "q": {"b"}, "r": set()}
    run = {"p": {"a": 1, "x": 1}, "r": {"a": 1}, "z": {"b": 1}}
    text = repr(evaluate(truth, run, "mrr", zero_division=np.nan))
    assert text.splitlines()[-1] == (
        "3 queries; 1 judged, but no results returned ('q'); 1 ranked but without "
        "judgements, left out ('z'); "
        "1 without a relevant item; 1 with a relevant item tied with others"
    )
    assert text.splitlines()[1].split()[-1] == "2"


def test_text_of_huge_scores_is_short():
    evaluation = evaluate([{"a": 1.5e300}, {"a": 1.0e300}], [["a"], ["a"]], "dcg(gain=linear)")
    lines = repr(evaluation).splitlines()
    assert lines[1].split()[:2] == ["dcg(gain=linear)", "1.25e+300"]
    assert len({len(line) for line in lines[:2]}) == 1
    assert len(lines[0]) < 80
