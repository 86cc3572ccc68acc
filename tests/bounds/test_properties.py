"""What holds of bounds whatever the data are, bounds of changes, and what is refused."""

import math
import random
from math import log2
from typing import Any

import numpy as np
import pytest

from sklearn_rank import (
    Bounds,
    Evaluation,
    UndefinedMetricError,
    bounds_of_change,
    evaluate,
    measure,
)
from sklearn_rank.bounds.gradings import cannot_bound
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError

CHOSEN = (
    *("map", "map@5", "mrr", "precision@5", "recall@5", "fbeta@5", "hit_rate@3", "dcg@5", "ndcg@5"),
    *("ndcg(gain=linear)", "gmap", "rbp@5"),
)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.RankingDataWarning")
every_measure = pytest.mark.parametrize("chosen", CHOSEN)


def data(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """12 queries of 8 tied items, half of which are judged; some have no relevant item."""
    rng = random.Random(seed)
    items = [f"d{number}" for number in range(8)]
    truth, run = {}, {}
    for query in "abcdefghijkl":
        judged = rng.sample(items, rng.randint(3, 7))
        truth[query] = {"nowhere": rng.choice([0, 0, 1]), **{i: rng.randint(0, 2) for i in judged}}
        run[query] = {item: float(rng.randint(0, 5)) for item in items}
    truth["b"] = dict.fromkeys(truth["b"], 0)
    truth["l"] = {**dict.fromkeys([*items, "nowhere"], 0), "d1": 1}
    return truth, run


def measured(truth: Any, run: Any, chosen: Any, **options: Any) -> Evaluation:
    return evaluate(truth, run, chosen, **{"zero_division": math.nan, **options})


def test_a_condensed_list_need_not_lie_within_them() -> None:
    """Left out, unjudged items let those below rise, as no grade of theirs does."""
    truth = {"q": {"a": 1, "b": 0, "c": 1}}
    ev = measured(truth, {"q": ["x", "y", "b", "a", "c"]}, "precision@2")
    condensed = measured(truth, {"q": ["b", "a", "c"]}, "mrr")["mrr"]
    bounds = measured(truth, {"q": ["x", "b", "a", "c"]}, "mrr").bounds("mrr")
    assert (bounds.low, bounds.high, condensed) == (1 / 3, 1.0, 1 / 2)
    assert ev.bounds("precision@2").low == 0.0


@every_measure
def test_they_are_the_value_where_nothing_is_unjudged(chosen: str) -> None:
    truth, run = data(0)
    ev = measured({q: {**dict.fromkeys(run[q], 0), **truth[q]} for q in truth}, run, chosen)
    bounds = ev.bounds(chosen)
    assert bounds.low == bounds.high == ev[chosen]
    np.testing.assert_array_equal(bounds.per_query_low, ev.per_query[chosen])
    np.testing.assert_array_equal(bounds.per_query_high, ev.per_query[chosen])
    complete = measured(truth, run, chosen, assume="complete").bounds(chosen)
    assert complete.low == complete.high


@every_measure
def test_slices_and_merged_parts_have_the_bounds_of_their_queries(chosen: str) -> None:
    truth, run = data(3)
    whole = measured(truth, run, chosen).bounds(chosen, max_grade=2)
    ev = measured(truth, run, chosen)
    parts = ev.by_slice(lambda query: query < "f")
    lows = np.concatenate(
        [parts[is_first].bounds(chosen, max_grade=2).per_query_low for is_first in (True, False)]
    )
    np.testing.assert_allclose(lows, whole.per_query_low, rtol=0, atol=1e-12)
    merged = Evaluation.merge(*parts.values()).bounds(chosen, max_grade=2)
    assert (merged.low, merged.high) == pytest.approx((whole.low, whole.high), abs=1e-12)


@pytest.mark.parametrize("chosen", ["mrr", "recall", "map@2"])
@pytest.mark.parametrize("settled", [math.nan, 0.0, 1.0])
@pytest.mark.parametrize("weighed", [False, True])
def test_means_are_the_extremes_of_all_gradings(chosen: str, settled: float, weighed: bool) -> None:
    """Of all queries together: which of them are defined, and what they weigh, hangs on grades."""
    rng = random.Random(f"{chosen} {settled} {weighed}")
    items = ["a", "b", "c", "d"]
    run = {q: {i: float(rng.randint(0, 3)) for i in items} for q in "xyz"}
    truth = {q: {"a": rng.randint(0, 1), "b": rng.randint(0, 1), "e": 0} for q in "xyz"}
    options: dict[str, Any] = {"zero_division": settled}
    if weighed:
        options["sample_weight"] = {"x": 1.0, "y": 0.5, "z": 3.0}
    values = []
    for grades in np.ndindex(*[2] * 6):
        full = {
            q: {**truth[q], "c": grades[2 * n], "d": grades[2 * n + 1]} for n, q in enumerate("xyz")
        }
        values.append(evaluate(full, run, chosen, **options)[chosen])
    bounds = evaluate(truth, run, chosen, **options).bounds(chosen, max_grade=1)
    ends = (np.nanmin(values), np.nanmax(values))
    assert (bounds.low, bounds.high) == pytest.approx(ends, abs=1e-12)


def test_a_large_grade_does_not_overflow() -> None:
    truth = {"q": {"a": 2000, "b": 1999, "c": 0}}
    bounds = measured(truth, {"q": ["x", "b", "a"]}, "ndcg").bounds("ndcg")
    assert 0 < bounds.low < bounds.high <= 1
    tiny = {"q": {"a": 2e-300, "b": 1e-300, "c": 0}}
    bounds = measured(tiny, {"q": ["x", "b", "a"]}, "ndcg").bounds("ndcg")
    assert 0 < bounds.low < bounds.high <= 1


def test_an_unjudged_item_at_the_end_can_only_raise_the_ideal() -> None:
    """What counts it as irrelevant is the greatest value, not the least."""
    items = [f"d{place}" for place in range(10)]
    truth = {"d0": 1, **dict.fromkeys(items[1:9], 0)}
    found = measured([truth], [items], "ndcg(gain=binary)@10").bounds("ndcg(gain=binary)@10")
    assert found.low == pytest.approx((1 + 1 / log2(11)) / (1 + 1 / log2(3)), abs=1e-12)
    assert found.high == 1.0


def test_average_precision_of_long_rankings_is_a_running_sum() -> None:
    """1,000 items of which one is relevant, at the end: all unjudged ones make every rank full."""
    items = [f"x{number}" for number in range(999)]
    ev = measured([{"a": 1, "z": 0}], [[*items, "a"]], ("map", "map@10"))
    for chosen, low in (("map", 1 / 1000), ("map@10", 0.0)):
        found = ev.bounds(chosen)
        assert (found.low, found.high) == pytest.approx((low, 1.0), abs=1e-12)


def test_a_grade_without_a_gain_leaves_a_query_out_of_the_moved_mean() -> None:
    """x of 1 has no gain, so that its query stays undefined; of 2, the mean of 1 stays 1."""
    chosen = measure("ndcg", gain={0: 0, 1: 0, 2: 1})
    truth, run = {"q": {"a": 2}, "r": {"b": 0}}, {"q": ["a"], "r": ["x"]}
    assert measured(truth, run, chosen, keep_items=True).to_judge(backend=None)["move"] == [0.0]


# Refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ("judged@3", "it says how much is judged"),
        ("unjudged", "it says how much is judged"),
        ("err@3", "nothing is known of how it moves with grades"),
        ("auc(average=pooled)", "nothing is known of how it moves with grades"),
        ("map(denominator=retrieved)", "denominator='retrieved' moves with the items"),
    ],
)
def test_measures_without_bounds_are_refused_by_name(chosen: str, reason: str) -> None:
    ev = measured({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "x": 1.0}}, chosen)
    assert reason in cannot_bound(measure(chosen))
    with pytest.raises(
        UndefinedMetricError, match="has no bounds over all gradings: .*" + reason[:20]
    ):
        ev.bounds(chosen)


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
def test_ties_that_follow_grades_are_refused(ties: str) -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "x": 1.0, "b": 1.0, "y": 0.0}}
    with pytest.raises(UndefinedMetricError, match="order of their grades, which unjudged ones"):
        measured(truth, run, "map", ties=ties).bounds("map")
    run = {"q": {"a": 2.0, "x": 1.0, "b": 0.5}}
    assert measured(truth, run, "map", ties=ties).bounds("map").high == 1.0


def test_too_many_items_are_refused_by_name() -> None:
    """For each number of relevant items there is a grading of all: their memory is bounded."""
    ev = measured({"q": {"a": 1, "b": 0}}, {"q": [f"x{n}" for n in range(6000)]}, ("mar", "mrr"))
    with pytest.raises(UndefinedMetricError, match="mar has no bounds that are found in time:"):
        ev.bounds("mar")
    assert ev.bounds("mrr").high == 1.0


@pytest.mark.parametrize("highest", [-1, math.nan, "2"])
def test_the_highest_grade_is_checked(highest: Any) -> None:
    ev = measured({"q": {"a": 1, "b": 0}}, {"q": ["a", "x"]}, "map", keep_items=True)
    for bounds in (ev.bounds, lambda *own, **told: bounds_of_change(ev, ev, *own, **told)):
        with pytest.raises(InvalidParameterError, match="max_grade"):
            bounds("map", max_grade=highest)


def test_a_measure_that_was_not_evaluated_is_unknown() -> None:
    ev = measured({"q": {"a": 1, "b": 0}}, {"q": ["a", "x"]}, "map")
    with pytest.raises(ValueError, match="'mrr' was not evaluated"):
        ev.bounds("mrr")


# Bounds of the change between two systems that share the unknown grades --------------------------


TRUTH = {"a": 2, "b": 1, "c": 0}


def change(
    new: Any, old: Any, chosen: Any, truth: Any = None, *, options: Any = None, **told: Any
) -> Bounds:
    pair = (
        evaluate([truth or TRUTH], [ranking], chosen, keep_items=True, **(options or {}))
        for ranking in (new, old)
    )
    return bounds_of_change(*pair, chosen, **told)


def test_the_least_grade_may_be_all_that_defines_a_query() -> None:
    """x stood first and is gone: its gain is lost, at least 2^1 - 1 and at most 2^3 - 1."""
    lost = change(["z"], ["x"], "dcg@3", {"z": 0}, options={"zero_division": math.nan}, max_grade=3)
    assert (lost.low, lost.high) == (-(2**3 - 1), -(2**1 - 1))


def test_queries_are_joined_by_id_and_weighed() -> None:
    truth = {"q": {"a": 1, "b": 0}, "r": {"c": 1}, "s": {"d": 1}}
    weights = {"q": 3.0, "r": 1.0, "s": 5.0}
    new = evaluate(
        truth,
        {"q": ["a"], "r": ["x", "c"], "s": ["d"]},
        "mrr",
        keep_items=True,
        sample_weight=weights,
    )
    old = evaluate(
        {q: truth[q] for q in ("r", "q")},
        {"r": ["c"], "q": ["b", "a"]},
        "mrr",
        keep_items=True,
        assume="partial",
    )
    bounds = bounds_of_change(new, old, "mrr")
    assert list(bounds.query_ids) == ["q", "r"]
    # r falls from 1 to 1/2 unless x is relevant.
    assert bounds.per_query_low.tolist() == [1 / 2, -1 / 2]
    assert bounds.per_query_high.tolist() == [1 / 2, 0.0]
    assert bounds.low == pytest.approx((3 / 2 - 1 / 2) / 4)
    assert bounds.high == pytest.approx((3 / 2) / 4)


# Refused -----------------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    new, old = ["a", "x", "b"], ["a", "b", "c"]
    with pytest.raises(UndefinedMetricError, match="geometric means"):
        change(new, old, "gmap")
    with pytest.raises(UndefinedMetricError, match="says how much is judged"):
        change(new, old, "judged@3")
    with pytest.raises(UndefinedMetricError, match="relevance= ranks items in a second way"):
        change(new, old, "mrr", options={"relevance": [[3, 2, 1]]})
    with pytest.raises(TypeError, match="takes results of evaluate, got 1"):
        bounds_of_change(1, 2, "map")  # type: ignore[arg-type]


def test_too_many_gradings_of_a_change_are_refused_by_name() -> None:
    unjudged = [f"u{number}" for number in range(30)]
    with pytest.raises(
        UndefinedMetricError,
        match=r"change of map .* query 0 has 30 unjudged items, and 2\.1e\+09 ways",
    ):
        change([*unjudged, "a"], ["a", *unjudged], "map")
    bounds = change([*unjudged, "a"], ["a", *unjudged], "ndcg")  # by its programme, in no time
    assert bounds.low < bounds.high


def test_evaluations_must_fit() -> None:
    kept = {"keep_items": True}
    first = evaluate({"q": TRUTH}, {"q": ["a", "x"]}, ("map", "mrr"), **kept)
    with pytest.raises(QueryMismatchError, match="no query in common: 'q' against 'r'"):
        bounds_of_change(first, evaluate({"r": TRUTH}, {"r": ["a"]}, "map", **kept), "map")
    other = evaluate({"q": {"a": 1, "b": 1, "c": 0}}, {"q": ["a"]}, "map", **kept)
    with pytest.raises(QueryMismatchError, match="query 'q' are not the same for 'new' and 'old'"):
        bounds_of_change(first, other, "map")
    with pytest.raises(InvalidParameterError, match="ids of items were not kept"):
        bounds_of_change(first, evaluate({"q": TRUTH}, {"q": ["x"]}, "map"), "map")
    relevant = evaluate({"q": TRUTH}, {"q": ["a"]}, "map", convention="trec_eval", **kept)
    with pytest.raises(InvalidParameterError, match="count one measure in two ways"):
        bounds_of_change(first, relevant, "map")
