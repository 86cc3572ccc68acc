"""What a baseline calls queries, items and functions is the same in every run and process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from pytest_rankmetrics import RankGateFailure
from pytest_rankmetrics.baseline.record import Recording, key_of, keys_of
from pytest_rankmetrics.measuring.strict import measure_strictly
from sklearn_rank import measure
from sklearn_rank.measures.catalogue import Measure
from tests.plugin.conftest import Suite

MRR = measure("mrr")


def recording(truth: Any, results: Any, spec: Measure = MRR, **options: Any) -> Recording:
    return Recording(measure_strictly(truth, results, [spec], options, keep_items=True))  # type: ignore[arg-type]


def test_one_ground_truth_has_one_fingerprint_whatever_was_retrieved() -> None:
    truth = {"a", "b", "c"}
    worse = recording(truth, [["a", "x"], ["y", "b"]], allow={"missed"})
    better = recording(truth, [["a", "c"], ["b", "y"]])
    other = recording({"a", "b", "d"}, [["a", "x"], ["y", "b"]], allow={"missed"})
    assert worse.truths == better.truths
    assert len(set(worse.truths)) == 1
    assert worse.truths != other.truths


def test_a_better_run_on_one_ground_truth_is_better(suite: Suite) -> None:
    suite.write(
        test_it="""
            import json
            from pathlib import Path

            def test_it(rank_gate):
                found = json.loads(Path(__file__).with_name("found.json").read_text())
                truth = {f"item {n}" for n in range(60)}
                lists = [[f"no {n}", f"item {n}"] + [f"item {n + 30}"] * found for n in range(30)]
                rank_gate.check(truth, lists, max_drop={"mrr": 0.005}, allow={"missed"})
        """
    )
    for found, option in ((0, "--rank-update"), (1, "-q")):
        suite.file("found.json", json.dumps(found))
        suite.run(option).assert_outcomes(passed=1)


def test_tuples_with_numpy_scalars_read_alike_everywhere() -> None:
    assert key_of((np.int64(3), "a")) == "(3, 'a')"
    assert key_of((np.float64(0.5), (np.str_("a"),))) == "(0.5, ('a',))"
    assert key_of(np.int64(3)) == "3"
    assert key_of(("a", 3)) == "('a', 3)"


class Nameless:
    """Its repr holds its address."""


@dataclass(frozen=True)
class Tagged:
    tags: frozenset[str]


class Named:
    def __str__(self) -> str:
        return "named"


@pytest.mark.parametrize(
    "fleeting", [Nameless(), frozenset("ab"), Tagged(frozenset("ab")), (1, frozenset("ab"))]
)
def test_an_id_that_reads_differently_in_every_run_is_refused(fleeting: Any) -> None:
    with pytest.raises(RankGateFailure, match="reads differently in every run"):
        keys_of([fleeting], "items")
    with pytest.raises(RankGateFailure, match="pass string_provider or query_ids"):
        _ = recording({"q": {fleeting}}, {"q": [fleeting]}, allow={"perfect"}).truths


@pytest.mark.parametrize("lasting", ["<a at 0x7f00>", 7, ("a", 1), Named(), 1.5, None])
def test_other_ids_are_taken(lasting: Any) -> None:
    assert keys_of([lasting], "items") == [str(lasting)]


def twice(grades: Any) -> Any:
    return 2 * grades


def thrice(grades: Any) -> Any:
    return 3 * grades


def short_table(grades: Any) -> Any:
    return np.array([0.0, 1.0, 5.0])[grades.astype(int)]


thrice.__name__ = "twice"


def gain_of(function: Callable[[Any], Any]) -> str:
    spec = measure("dcg", gain=function)
    made = recording({"q": {"a": 2}}, {"q": ["a"]}, spec)
    return str(made.definitions[str(spec)]["gain"])


def test_functions_of_one_name_are_told_apart_by_what_they_do() -> None:
    assert gain_of(twice) != gain_of(thrice)
    assert gain_of(twice).startswith("<twice ")
    assert gain_of(lambda grades: grades * 2).removeprefix("<<lambda>") == gain_of(
        twice
    ).removeprefix("<twice")
    assert gain_of(short_table) == gain_of(short_table), "a table may end before the probes do"


def test_numbers_by_query_can_be_recorded(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import system
            from sklearn_rank import measure

            def test_it(rank_gate):
                truth, results = system()
                spec = measure("auc", n_negatives={query: 20 for query in truth})
                rank_gate.check(truth, results, max_drop={spec: 0.005})
        """
    )
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)
    suite.system([4] * 30)
    suite.run().assert_outcomes(failed=1)


def test_other_numbers_by_query_are_another_definition() -> None:
    truth, results = {"q": {"a"}}, {"q": ["x", "a"]}
    one, other = (
        recording(truth, results, measure("auc", n_negatives={"q": n})).definitions.popitem()[1]
        for n in (20, 30)
    )
    assert one["n_negatives"].startswith("<1 queries ")
    assert one["n_negatives"] != other["n_negatives"]
