"""What a baseline calls queries, items and functions is the same in every run and process."""

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
from tests.plugin.one_gate import gate_of

MRR = measure("mrr")


def recording(truth: Any, results: Any, spec: Measure = MRR, **options: Any) -> Recording:
    return Recording(measure_strictly(truth, results, [spec], options, keep_items=True))  # type: ignore[arg-type]


def test_one_ground_truth_has_one_fingerprint_whatever_was_retrieved(suite):
    truth = {"a", "b", "c"}
    worse = recording(truth, [["a", "x"], ["y", "b"]], allow={"missed"})
    better = recording(truth, [["a", "c"], ["b", "y"]])
    other = recording({"a", "b", "d"}, [["a", "x"], ["y", "b"]], allow={"missed"})
    assert worse.truths == better.truths
    assert len(set(worse.truths)) == 1
    assert worse.truths != other.truths
    gate = """
        def test_it(rank_gate):
            truth = {f"item {n}" for n in range(60)}
            lists = [[f"no {n}", f"item {n}"] + [f"item {n + 30}"] * FOUND for n in range(30)]
            rank_gate.check(truth, lists, max_drop={"mrr": 0.005}, allow={"missed"})
    """
    suite.write(test_it=gate.replace("FOUND", "0"))
    suite.record()
    suite.write(test_it=gate.replace("FOUND", "1"))
    suite.passes()


class Nameless:
    """Its repr holds its address."""


class Named:
    def __str__(self) -> str:
        return "named"


@dataclass(frozen=True)
class Tagged:
    tags: frozenset[str]


KEYS: dict[Any, str] = {
    (np.int64(3), "a"): "(3, 'a')",
    (np.float64(0.5), (np.str_("a"),)): "(0.5, ('a',))",
    np.int64(4): "4",
    ("a", 3): "('a', 3)",
    "<a at 0x7f00>": "<a at 0x7f00>",
    7: "7",
    Named(): "named",
    1.5: "1.5",
    None: "None",
}


def test_keys_read_alike_everywhere():
    assert list(map(key_of, KEYS)) == keys_of(KEYS, "items") == list(KEYS.values())
    with pytest.raises(RankGateFailure, match="queries 7 and '7' would be one in a baseline"):
        keys_of([7, "7"], "queries")


@pytest.mark.parametrize(
    "fleeting",
    [Nameless(), frozenset("ab"), Tagged(frozenset("ab")), (1, frozenset("ab"))],
    ids=lambda own: type(own).__name__,
)
def test_an_id_that_reads_differently_in_every_run_is_refused(fleeting):
    with pytest.raises(RankGateFailure, match="reads differently in every run"):
        keys_of([fleeting], "items")
    with pytest.raises(RankGateFailure, match="pass string_provider or query_ids"):
        _ = recording({"q": {fleeting}}, {"q": [fleeting]}, allow={"perfect"}).truths


def definition(spec: Measure) -> dict[str, Any]:
    return recording({"q": {"a": 2}}, {"q": ["x", "a"]}, spec).definitions[str(spec)]


def gain_of(function: Callable[[Any], Any], name: str = "gain") -> str:
    function.__name__ = name
    return str(definition(measure("dcg", gain=function))["gain"])


def test_functions_of_one_name_are_told_apart_by_what_they_do():
    twice = gain_of(lambda grades: 2 * grades)
    assert twice.startswith("<gain ")
    assert twice == gain_of(lambda grades: grades * 2)
    assert twice != gain_of(lambda grades: 3 * grades)
    assert gain_of(lambda grades: grades * 2, "other").startswith("<other ")
    # A table may end before the probes do.
    assert gain_of(lambda grades: np.array([0.0, 1.0, 5.0])[grades.astype(int)])


def test_numbers_by_query_are_part_of_the_definition(suite):
    one, other = (definition(measure("auc", n_negatives={"q": n})) for n in (20, 30))
    assert one["n_negatives"].startswith("<1 queries ")
    assert one["n_negatives"] != other["n_negatives"]
    spec = 'measure("auc", n_negatives=dict.fromkeys(names(30), 20))'
    suite.write(test_it="from sklearn_rank import measure" + gate_of(f"max_drop={{{spec}: 0.005}}"))
    suite.record([2] * 30)
    suite.passes()
    suite.fails(now=[4] * 30)
