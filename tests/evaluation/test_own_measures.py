"""Functions of the caller and values measured elsewhere, wherever a measure is taken."""

import copy
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression

from pytest_rankmetrics import assert_metric
from sklearn_rank import (
    InvalidParameterError,
    UndefinedMetricWarning,
    compare,
    evaluate,
    make_rank_scorer,
    measure_from,
)
from tests.gates.conftest import Gate


def gained(grades: np.ndarray, ideal: np.ndarray) -> float:
    return float(grades[:2].sum() / ideal[:2].sum()) if len(ideal) else math.nan


GAINED = measure_from("gained", gained)
MS = measure_from("ms", range=(0, math.inf), greater_is_better=False)
TEN = measure_from("gained", gained, (0, 10))
TRUTH: dict[str, Any] = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
OLD, NEW = {"q1": ["x", "a", "b"], "q2": ["c"]}, {"q1": ["a", "b"], "q2": ["y", "x", "c"]}
OLD_MS, NEW_MS = {"q1": 10.0, "q2": 30.0}, {"q2": 33, "q1": 14}
OLD_VALUES = ((0 + 2) / (2 + 1) + 1 / 1) / 2, (10 + 30) / 2
NEW_VALUES = ((2 + 1) / (2 + 1) + 0 / 1) / 2, (14 + 33) / 2


def measured(run: Any = None, ms: Any = None) -> Any:
    return evaluate(TRUTH, run or OLD, GAINED, values={MS: ms or OLD_MS})


def pair(found: Any) -> list[float]:
    return [found["gained"], found["ms"]]


def compared(folder: Path) -> Any:
    del folder
    return compare({"old": measured(), "new": measured(NEW, NEW_MS)})


def scored(measure: Any) -> float:
    X, y = np.array([[3.0], [2.0], [1.0], [2.0], [1.0]]), np.array([0, 2, 1, 1, 0])
    model = LinearRegression().fit(X, X[:, 0])
    return float(make_rank_scorer(measure)(model, X, y, groups=[1, 1, 1, 2, 2]))


def reported(folder: Path) -> bool:
    compared(folder).report(folder / "report.html")
    text = (folder / "report.html").read_text(encoding="utf-8")
    return "gained" in text and "ms (lower is better)" in text


def gate(
    folder: Path, ms: Any, measure: Any = GAINED, *, key: Any = MS, update: bool = False
) -> str:
    limits = {
        "at_least": {measure: 0.1},
        "at_most": {"ms": 40},
        "max_drop": {measure: 0.4, "ms": 3},
    }
    given = {**limits, "values": {key: ms}, "slices": {"q1": "s", "q2": "s"}}
    own = Gate(folder)
    try:
        return own(TRUTH, OLD, update=update, **given).message
    except (ValueError, TypeError) as error:
        return str(error)


WORKS: dict[str, tuple[Callable[[Path], Any], Any]] = {
    "convention": (
        lambda _: evaluate(TRUTH, OLD, GAINED, convention="trec_eval")["gained"],
        OLD_VALUES[0],
    ),
    "evaluate": (lambda _: pair(measured()), list(OLD_VALUES)),
    "by_slice": (
        lambda _: pair(measured().by_slice({"q1": "s", "q2": "t"})["s"]),
        [2 / 3, 10.0],
    ),
    "condensed": (
        lambda _: pair(
            evaluate(
                {"q": {"a": 1, "b": 0}},
                {"q": ["x", "y", "a"]},
                GAINED,
                values={MS: {"q": 3}},
                keep_items=True,
            ).condensed()
        ),
        [1.0, 3.0],
    ),
    "compare": (
        lambda folder: [own.change for own in compared(folder).rows],
        [new - old for old, new in zip(OLD_VALUES, NEW_VALUES, strict=True)],
    ),
    "no claim about ranks": (
        lambda folder: {
            (own.items, own.remark) for own in compared(folder).most_changed(2, measure=MS)
        },
        {((), "ms was measured elsewhere, so no rank explains it")},
    ),
    "report": (reported, True),
    "scorer": (lambda _: scored(GAINED), OLD_VALUES[0]),
    "assertion": (
        lambda _: assert_metric(TRUTH, OLD, MS, at_most=21, values={MS: OLD_MS}).passed,
        True,
    ),
}


@pytest.mark.parametrize("consumer", WORKS)
def test_a_consumer_takes_both(consumer: str, tmp_path: Path) -> None:
    function, expected = WORKS[consumer]
    found = function(tmp_path)
    assert found == (pytest.approx(expected) if isinstance(expected, (list, float)) else expected)


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "scorer": (lambda: make_rank_scorer(MS), InvalidParameterError, "ms is measured elsewhere"),
    "compare": (
        lambda: compare(TRUTH, {"old": OLD, "new": NEW}, measures=[MS]),
        InvalidParameterError,
        "ms is not computed from rankings",
    ),
    "two definitions": (
        lambda: compare({"old": measured(), "new": evaluate(TRUTH, NEW, TEN)}),
        InvalidParameterError,
        r"gained has its own .* \[0, 1\] for 'old' but its own .* \[0, 10\] for 'new'",
    ),
    "to judge": (lambda: measured().to_judge(measure=MS), InvalidParameterError, "ms was measured"),
    "hmean": (
        lambda: evaluate(TRUTH, OLD, ["hmean(map,mrr)", MS]),
        InvalidParameterError,
        "ms is not computed",
    ),
    "k": (lambda: make_rank_scorer(GAINED, k=3), InvalidParameterError, "gained reads the whole"),
    "its function": (
        lambda: evaluate(TRUTH, {**OLD, "q1": []}, measure_from("top", lambda own: own[0])),
        InvalidParameterError,
        "top of query 'q1', whose ranking has 0 items, raised IndexError",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_work_is_refused_by_name(case: str) -> None:
    call, kind, text = REFUSED[case]
    with pytest.raises(kind, match=text):
        call()


def test_a_gate_compares_with_its_baseline(tmp_path: Path) -> None:
    gate(tmp_path, OLD_MS, update=True)
    assert "ms is 20.000, at most 40.000 allowed" in gate(tmp_path, OLD_MS)
    slower = gate(tmp_path, NEW_MS)
    assert "ms rose from 20.000 to 23.500" in slower
    assert "1->" not in slower
    assert "ms is 50.000, above the 40.000 allowed" in gate(tmp_path, {"q1": 50, "q2": 50})
    assert "ms is 20.000, at most 40.000 allowed" in gate(tmp_path, OLD_MS, key="ms")
    other = measure_from("gained", lambda grades: gained(grades, np.ones(3)))
    assert "gained is measured with own=" in gate(tmp_path, OLD_MS, other)


def test_ideal_grades_are_those_of_all_relevant_items_and_fall() -> None:
    seen = []
    own = measure_from("own", lambda grades, ideal: seen.extend((*grades, *ideal)) or 1)
    evaluate({"q": {"a": 1, "b": 3, "z": 2}}, {"q": ["x", "a", "b"]}, own)
    assert seen == [0, 1, 3, 3, 2, 1]


def test_tied_relevant_items_are_refused() -> None:
    first = measure_from("first", lambda grades: grades[0])
    run = {"q\x1b": {"a": 1.0, "b": 0.0, "c": 0.0}}
    assert evaluate({"q\x1b": {"a"}}, run, first)["first"] == 1.0
    with pytest.raises(InvalidParameterError, match=r"first has .* in 1 of 1 queries, .*'q\\x1b'"):
        evaluate({"q\x1b": {"b"}}, run, first)
    assert evaluate({"q\x1b": {"b"}}, run, first, ties="stable")["first"] == 0.0


@pytest.mark.parametrize("result", [2, -0.1, math.inf, "1", b"1", 10**400, None, [0.5] * 2])
def test_a_result_is_a_number_in_the_range(result: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"own of query 'q\\x1b' must be .* \[0, 1\]"):
        evaluate({"q\x1b": {"a"}}, {"q\x1b": ["a"]}, measure_from("own", lambda _: result))


def test_ranges_below_zero_and_nan_are_kept() -> None:
    own = measure_from("own", lambda grades: -4 if grades[0] else math.nan, range=(-5, 5))
    ev = evaluate([{"a"}, {"a"}], [["a"], ["b"]], own, zero_division=math.nan)
    np.testing.assert_array_equal(ev.per_query["own"], [-4, math.nan])


@pytest.mark.parametrize("name", ["map", "nDCG", "P_10", "ap", "f1", "neg_x", "a@3", "", "a b", 3])
def test_a_name_is_no_spelling(name: Any) -> None:
    with pytest.raises(InvalidParameterError, match="name"):
        measure_from(name)


def test_equality_goes_by_definition_and_survives_copies() -> None:
    for measure in (GAINED, MS):
        for other in (copy.deepcopy(measure), pickle.loads(pickle.dumps(measure))):
            assert (other, hash(other)) == (measure, hash(measure))
    others = [
        measure_from("gained", len),
        TEN,
        measure_from("gained", gained, greater_is_better=False),
    ]
    assert GAINED not in others


def test_results_of_other_programs_are_taken_as_they_are() -> None:
    """Frames of Ragas and DeepEval have gaps, which are undefined queries, and float32."""
    columns = {"user_input": ["q2", "q1"], "ms": [np.nan, 0.25], "why": ["x", "y"]}
    for values in (
        pd.DataFrame(columns),
        pl.DataFrame(columns, nan_to_null=True),
        {"ms": pd.Series([0.25, None], index=["q1", "q2"])},
        {"ms": {"q1": np.float32(0.25), "q2": None}},
    ):
        with pytest.warns(UndefinedMetricWarning, match="ms is undefined for 1 of 2"):
            ev = evaluate(TRUTH, OLD, "mrr", values=values)
        assert (ev["ms"], ev.counts["undefined"]["ms"]) == (0.25, 1)
        assert evaluate(TRUTH, OLD, "mrr", values=values, zero_division=0.0)["ms"] == 0.25 / 2
    ms = {"q1": np.float32(1e38), "q2": np.float32(3)}  # warnings are errors in these tests
    anything = measure_from("ms", range=(0, math.inf))
    assert evaluate(TRUTH, OLD, "mrr", values={anything: ms})["ms"] == pytest.approx(5e37)


def test_a_name_alone_is_a_score_in_0_to_1_and_says_no_direction_of_others() -> None:
    with pytest.raises(
        InvalidParameterError,
        match=r"query 'q1' must have a finite number in \[0, 1\], got 110; for other numbers "
        r"pass measure_from\('latency_ms', range=\(0, float\('inf'\)\), greater_is_better=",
    ):
        evaluate(TRUTH, OLD, "mrr", values={"latency_ms": {"q1": 110, "q2": 0.5}})


@pytest.mark.parametrize("name", ["query", "grades", "truth", "n", "ranks", "weight", "slices"])
def test_names_of_columns_beside_measures_are_taken(name: str) -> None:
    with pytest.raises(InvalidParameterError, match="means a column of results and baselines"):
        evaluate(TRUTH, OLD, "mrr", values={name: OLD_MS})


BAD: dict[str, tuple[Any, str]] = {
    "no mapping": ("12", "must be"),
    "lacks a query": ({"q1": 1}, "no number for 'q2'"),
    "unknown": ({**OLD_MS, "q\x1b": 1}, r"not evaluated: 'q\\x1b'"),
    "twice": (pd.Series([1, 2, 3], index=["q1", "q2", "q1"]), "repeats queries: 'q1'; keep one"),
    "infinite": ({"q1": 1, "q2": math.inf}, "query 'q2'"),
    "text": ({"q1": 1, "q2": "3"}, "query 'q2'"),
    "huge": ({"q1": 1, "q2": 10**400}, "query 'q2'"),
    "bool": ({"q1": 1, "q2": True}, "query 'q2'"),
    "out of range": ({"q1": 1, "q2": -1}, r"\[0, inf\]"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_values_are_refused_before_anything_is_computed(case: str) -> None:
    values, text = BAD[case]
    never = measure_from("never", lambda _: pytest.fail("it was computed"))
    with pytest.raises(ValueError, match=f"values .*{text}"):
        evaluate(TRUTH, OLD, never, values={MS: values})


def test_values_are_joined_by_query_unless_queries_have_no_ids():
    truth, run = {"q1": {"a"}, "q2": {"b"}}, {"q2": ["b"], "q1": ["x", "a"]}
    with pytest.raises(TypeError, match=r"values of judge are a list.*pass \{query: number\}"):
        evaluate(truth, run, "mrr", values={"judge": [0.9, 0.1]})
    rows = {"groups": ["q1", "q2"], "values": {"judge": np.array([0.9, 0.1])}}
    with pytest.raises(TypeError, match="joined by id, not by position"):
        evaluate([1, 1], [0.5, 0.5], "mrr", **rows)
    by_position = evaluate([{"a"}, {"b"}], [["a"], ["b"]], "mrr", values={"judge": [0.9, 0.1]})
    assert by_position.per_query["judge"].tolist() == [0.9, 0.1]


@pytest.mark.parametrize("measures", ["mrr", ["mrr"], ["mrr", "judge"], None])
def test_values_are_compared_with_the_measures_that_are_named(measures):
    truth, run = {"q1": {"a"}, "q2": {"b"}}, {"q2": ["b"], "q1": ["x", "a"]}
    values = {"judge": {"q1": 0.9, "q2": 0.1}}
    compared = compare(truth, {"old": run, "new": run}, measures, values=values)
    assert [str(measure) for measure in compared.measures][-1] == "judge"
    assert compared["judge"].new == (0.9 + 0.1) / 2
