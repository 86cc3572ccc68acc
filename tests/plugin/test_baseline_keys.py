"""What a baseline calls queries, items and functions is the same in every run and process."""

import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from pytest_rankmetrics import RankGateFailure
from pytest_rankmetrics.baseline.align import align
from pytest_rankmetrics.baseline.content import Owner
from pytest_rankmetrics.baseline.file import baseline_text, read_baseline
from pytest_rankmetrics.baseline.record import Recording, key_of, keys_of
from pytest_rankmetrics.measuring.strict import measure_strictly
from sklearn_rank import evaluate, measure
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.rankings.placements import hit_items
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


# What a baseline costs: a few calls for each query, however many there are, and the same ids ------

MEASURES = [measure("map"), measure("ndcg@10")]
MOST_CALLS = 50
"""Python functions called for a query of ten items, where 25 to 45 are needed; objects for each
query and item took 70 to 105."""


def data(n: int, *, scored: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = random.Random(0)
    lists = {f"q{query}": [f"d{item}" for item in rng.sample(range(50), 10)] for query in range(n)}
    truths = {query: {items[1]: 2, items[4]: 1, "none": 1} for query, items in lists.items()}
    if scored:
        return truths, {q: {item: rng.random() for item in items} for q, items in lists.items()}
    return truths, lists


def calls_in(work: Callable[[], Any]) -> int:
    """Python functions that are called."""
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("scored", [False, True], ids=["lists", "scores"])
@pytest.mark.parametrize("step", ["record", "compare"])
def test_a_query_costs_a_few_calls(step, tmp_path, scored):
    def work(n: int) -> Callable[[], Any]:
        path, pair = tmp_path / f"{n}.rank.json", data(n, scored=scored)

        def measured() -> Recording:
            return Recording(measure_strictly(*pair, MEASURES, {}, keep_items=True))

        def record() -> None:
            path.write_text(baseline_text(measured().baseline(Owner("t.py::t", "t"), "ranks", {})))

        def compare() -> None:
            fit = align(measured(), read_baseline(path, "gate")[0], "gate")
            assert not any((fit.queries, fit.measures, fit.not_comparable))

        record()
        return record if step == "record" else compare

    assert (calls_in(work(400)) - calls_in(work(200))) / 200 <= MOST_CALLS


RANKINGS: dict[str, Any] = {
    "lists": ["a", "x", "b", "c"],
    "scores": {"x": 2.0, "b": 1.0, "a": 3.0, "c": 0.5},
    "a tie of relevant items": {"x": 2.0, "b": 1.0, "a": 1.0, "c": 1.0, "y": 1.0},
    "one tie": dict.fromkeys("cxab", 0.0),
    "nothing": [],
}
TRUTHS: dict[str, Any] = {
    "grades": {"a": 1, "b": 2, "c": 2, "z": 3, "y": 0},
    "a set": {"a", "b", "z"},
}


@pytest.mark.parametrize("ties", ["average", "stable", "pessimistic", "docid"])
@pytest.mark.parametrize("kind", RANKINGS)
@pytest.mark.parametrize("truth", ["grades", "a set"])
def test_the_ids_of_hits_are_those_of_the_placements(truth, kind, ties):
    evaluation = evaluate(
        {"q": TRUTHS[truth], "other": TRUTHS[truth]},
        {"q": RANKINGS[kind], "other": RANKINGS["scores"]},
        "map",
        ties=ties,
        keep_items=True,
    )
    assert evaluation.items is not None
    ids = list(hit_items(evaluation.rankings, ["q", "other"], evaluation.items))
    assert ids == [[hit.item for hit in own.hits] for own in evaluation.placements()]


def test_kept_ids_stay_when_the_data_changes():
    truths, rankings = {"q": {"a": 1}}, {"q": ["x", "a"]}
    evaluation = evaluate(truths, rankings, "map", keep_items=True)
    rankings["q"].reverse()
    truths["q"]["x"] = 1
    (placement,) = evaluation.placements()
    assert ([hit.item for hit in placement.hits], placement.ranking) == (["a"], ["x", "a"])
