"""Undefined queries of a geometric mean count as they were told to, whatever is done next."""

from __future__ import annotations

import math

import pytest

from sklearn_rank import Evaluation, compare, evaluate
from sklearn_rank.statistics import mean_confidence_interval

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": set(), "q4": set()}
RUN = {"q1": ["x", "a"], "q2": ["b"], "q3": ["x"], "q4": ["x"]}


@pytest.mark.parametrize("settled", [0.0, 1.0])
def test_the_number_for_undefined_queries_stays_the_same(settled: float) -> None:
    ev = evaluate(TRUTH, RUN, "gmap", zero_division=settled)
    # AP 1/2 and 1, and twice what stands for an undefined one, none below 0.00001.
    logs = [math.log(1 / 2), 0.0, *[math.log(max(settled, 1e-5))] * 2]
    assert ev["gmap"] == pytest.approx(math.exp(math.fsum(logs) / 4))
    expected = mean_confidence_interval(logs, bounds=(math.log(1e-5), 0.0))
    assert ev.confidence_interval("gmap") == pytest.approx(tuple(map(math.exp, expected)))
    parts = ev.by_slice({"q1": "one", "q3": "one", "q2": "two", "q4": "two"})
    assert parts["one"]["gmap"] == pytest.approx(math.exp((logs[0] + logs[2]) / 2))
    halves = [
        evaluate(
            {q: TRUTH[q] for q in ids}, {q: RUN[q] for q in ids}, "gmap", zero_division=settled
        )
        for ids in (("q1", "q3"), ("q2", "q4"))
    ]
    assert Evaluation.merge(*halves)["gmap"] == pytest.approx(ev["gmap"])
    row = compare(ev, ev)["gmap"]
    assert row.value == pytest.approx(ev["gmap"])
    assert row.queries == 4
