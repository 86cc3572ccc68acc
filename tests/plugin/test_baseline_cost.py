"""What a baseline costs: a few calls for each query, however many there are, and the same ids."""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pytest_rankmetrics.baseline.align import align
from pytest_rankmetrics.baseline.content import Owner
from pytest_rankmetrics.baseline.file import baseline_text, read_baseline
from pytest_rankmetrics.baseline.record import Recording
from pytest_rankmetrics.measuring.strict import measure_strictly
from sklearn_rank import evaluate, measure
from sklearn_rank.rankings.placements import hit_items

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
            assert not align(measured(), read_baseline(path, "gate")[0], "gate").stale

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
