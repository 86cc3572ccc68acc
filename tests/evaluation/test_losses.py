"""Losses: out of reach, not retrieved, ranked too low; of a value and of a change."""

from itertools import permutations

import numpy as np
import pytest

from sklearn_rank import InvalidParameterError, Repeats, compare, evaluate, load
from sklearn_rank.comparison.baseline import record, write
from sklearn_rank.gates.gate import verdict_on
from sklearn_rank.tables.formats import escape_markdown
from sklearn_rank.view.gate_page import html_text
from sklearn_rank.view.reports import markdown
from sklearn_rank.view.summary import GateRun, Summary

MEASURES = (
    "ndcg",
    "ndcg@2",
    "ndcg(gain=linear)@3",
    "map",
    "map@2",
    "mrr",
    "mrr@2",
    "err",
    "err@2",
    "precision@1",
    "precision@3",
    "recall@2",
    "hit_rate@2",
    "map(min_rel=2)",
    "recall(denominator=min)@2",
    "err(max_grade=4)",
)


def best_order(grades: list[int], left: list[int], measure: str) -> float:
    """Best value of all orders; ``left`` are grades of relevant items that are not retrieved."""
    orders = [[*order, *left] for order in permutations(grades)]
    truths = [{str(n): grade for n, grade in enumerate(order)} for order in orders]
    ranked = [[str(n) for n in range(len(grades))]] * len(orders)
    values = evaluate(truths, ranked, measure, zero_division=np.nan, assume="complete")
    return float(values.per_query[measure].max())


@pytest.mark.filterwarnings("ignore:every ranked item is relevant")
@pytest.mark.parametrize("measure", MEASURES)
def test_by_brute_force_over_all_orders(measure):
    rng = np.random.default_rng(7)
    for _ in range(3):
        grades, left = rng.integers(0, 4, rng.integers(1, 6)).tolist(), [3, 1][: rng.integers(0, 3)]
        if not any([*grades, *left]):
            continue
        whole = {str(n): grade for n, grade in enumerate([*grades, *left])}
        ranked = [[str(n) for n in range(len(grades))]]
        ev = evaluate([whole], ranked, measure, zero_division=np.nan, assume="complete")
        if np.isnan(ev[measure]):
            continue
        losses = ev.losses(measure)
        best = best_order(grades, left, measure)
        relevant = [grade for grade in [*grades, *left] if grade > 0]
        ideal = best_order(relevant, [], measure)
        assert losses.out_of_reach == pytest.approx(1 - ideal, abs=1e-12)
        assert losses.not_retrieved == pytest.approx(ideal - best, abs=1e-12)
        assert losses.too_low == pytest.approx(best - ev[measure], abs=1e-12)
        assert min(losses.out_of_reach, losses.not_retrieved, losses.too_low) > -1e-12


def test_values_by_hand():
    # Two queries: x, a, b for a 3, b 1, c 2; and a for a, z. Both halves by arithmetic.
    ev = evaluate([{"a": 3, "b": 1, "c": 2}, {"a": 1, "z": 1}], [["x", "a", "b"], ["a"]], "map")
    losses = ev.losses()
    assert losses.value == pytest.approx((7 / 18 + 1 / 2) / 2)
    assert losses.not_retrieved == pytest.approx((1 / 3 + 1 / 2) / 2)
    assert losses.too_low == pytest.approx((2 / 3 - 7 / 18) / 2)
    assert losses.out_of_reach == 0
    assert losses.per_query["not_retrieved"].round(3).tolist() == [0.333, 0.5]


@pytest.mark.parametrize("measure", MEASURES)
def test_ties_are_expectations_and_sums_are_exact(measure):
    rng = np.random.default_rng(3)
    truth = {q: {f"d{n}": int(g) for n, g in enumerate(rng.integers(0, 4, 9))} for q in range(40)}
    runs = [
        {q: {f"d{n}": float(rng.integers(0, 4)) for n in rng.permutation(9)[:6]} for q in truth}
        for _ in range(2)
    ]
    weights = {q: float(rng.integers(1, 4)) for q in truth}
    options = {"sample_weight": weights, "zero_division": np.nan}
    old, new = (evaluate(truth, run, measure, **options) for run in runs)
    for ev in (old, new, evaluate(truth, Repeats(runs), measure, **options)):
        losses = ev.losses(measure)
        parts = losses.out_of_reach + losses.not_retrieved + losses.too_low
        assert parts == pytest.approx(1 - ev[measure], abs=1e-12)
        by_query = sum(losses.per_query.values())
        assert np.allclose(by_query, 1 - ev.per_query[measure], atol=1e-12, equal_nan=True)
    found = compare(old, new).losses(measure)
    assert found.not_retrieved + found.order == pytest.approx(found.change, abs=1e-12)
    assert found.change == compare(old, new)[measure].change
    first, second = old.losses(measure), new.losses(measure)
    assert found.not_retrieved == pytest.approx(
        first.not_retrieved - second.not_retrieved, abs=1e-12
    )
    assert found.order == pytest.approx(first.too_low - second.too_low, abs=1e-12)


def test_undefined_queries_count_as_they_count():
    options = {"measures": "mrr", "y_true": [{"a"}, set()], "y_score": [["x"], ["a"]]}
    assert evaluate(**options, zero_division=1.0).losses().not_retrieved == 0.5
    assert evaluate(**options, zero_division=0.0).losses().out_of_reach == 0.5
    assert evaluate(**options, zero_division=np.nan).losses().not_retrieved == 1.0


def test_gains_that_do_not_rise_with_the_grade_have_the_order_of_gains():
    truth, ranked = [{"a": 1, "b": 2}], [["a", "b"]]
    losses = evaluate(truth, ranked, "ndcg(gain={1: 9, 2: 1})").losses()
    assert (losses.out_of_reach, losses.not_retrieved, losses.too_low) == (0, 0, 0)


@pytest.mark.parametrize("measure", ["lag", "auc", "gauc", "rbp", "mar", "fbeta@2", "dcg", "hmean"])
def test_measures_without_these_parts_are_refused_by_name(measure):
    ev = evaluate([{"a"}, {"b"}], [["a", "x"], ["x", "b"]], [measure, "map"])
    with pytest.raises(InvalidParameterError, match=rf"^losses explains ndcg, .* not {measure}"):
        ev.losses(measure)
    with pytest.raises(InvalidParameterError, match=f"hit_rate, not {measure}"):
        compare(ev, ev).losses(measure)


def test_a_change_in_a_sentence_that_sums():
    truth = {"q": {"a": 3, "b": 1, "c": 2}}
    runs = {"old": {"q": list("abc")}, "new": {"q": ["x", "a", "b"]}, "same": {"q": list("abc")}}
    found = compare(truth, runs, ["ndcg@2", "map"])
    # ndcg@2 with gains 7, 3, 1: old 1 of a then b, new 7 / log2(3) over the ideal of a and c.
    assert str(found.losses("map", "new")) == "MAP -0.611: -0.333 not retrieved, -0.278 order"
    assert str(found.losses("map", "same")) == "MAP +0.000: +0.000 not retrieved, +0.000 order"


def fallen():
    """Ten queries, half of which lose their item and half its rank."""
    truth = {f"q{n}": {"a"} for n in range(20)}
    old = {query: ["a", "x"] for query in truth}
    new = {query: ["x"] if n < 10 else ["x", "a"] for n, query in enumerate(truth)}
    return compare(truth, {"old": old, "new": new}, "mrr")


LINE = "MRR -0.750: -0.500 not retrieved, -0.250 order"


def test_the_line_stands_on_every_output(tmp_path):
    result = verdict_on(fallen(), max_drop=0.02)
    assert LINE in result.message.split("\n")
    summary = Summary((GateRun(result.as_dict(), "test", section=None),))
    assert escape_markdown(LINE) in markdown(summary)
    assert LINE in html_text(summary)
    fallen().report(tmp_path / "page.html")
    assert LINE in (tmp_path / "page.html").read_text(encoding="utf-8")
    better = compare(*reversed(fallen().evaluations.values()))
    assert not verdict_on(better, max_drop=0.02).as_dict()["losses"]


def test_a_recorded_baseline_has_its_parts(tmp_path):
    found = fallen()
    old, new = found.evaluations.values()
    path = tmp_path / "old.rank.json"
    write(path, record(old, "search"), "old")
    assert str(compare({"old": load(path), "new": new}).losses()) == LINE
    with pytest.raises(AttributeError, match="has no judgements"):
        load(path).losses()
