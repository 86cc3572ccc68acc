"""Bounds worked out by hand, as arithmetic."""

from math import log2

import pytest

from sklearn_rank import Bounds, InvalidParameterError, evaluate, measure


def bounds(grades: list[int | None], chosen: str, **told: object) -> Bounds:
    """Of one ranking whose items have these grades; None was not judged."""
    items = [f"d{place}" for place in range(len(grades))]
    truth = {item: grade for item, grade in zip(items, grades, strict=True) if grade is not None}
    ev = evaluate([{**truth, "elsewhere": 0}], [items], chosen)
    return ev.bounds(chosen, **told)  # type: ignore[arg-type]


def close(low: float, high: float) -> object:
    return pytest.approx((low, high), abs=1e-12)


def ends(found: Bounds) -> tuple[float, float]:
    return found.low, found.high


def test_an_unjudged_item_at_the_end_can_only_raise_the_ideal() -> None:
    """What counts it as irrelevant is the greatest value, not the least."""
    found = bounds([1, *[0] * 8, None], "ndcg(gain=binary)@10")
    assert ends(found) == close((1 + 1 / log2(11)) / (1 + 1 / log2(3)), 1.0)
    assert found.low == pytest.approx(0.7903865, abs=5e-8)


def test_the_greatest_value_has_neither_zeros_nor_top_grades_alone() -> None:
    """[?, 1, 0, ?, 2]: 2 and 1 are best, 0 and 0 worst."""
    second, fourth, fifth = 1 / log2(3), 1 / log2(5), 1 / log2(6)
    low = (second + 3 * fifth) / (3 + second)
    high = (3 + second + fourth + 3 * fifth) / (3 + 3 * second + 1 / 2 + fourth)
    grades = [None, 1, 0, None, 2]
    found = bounds(grades, "ndcg@5", max_grade=2)
    assert ends(found) == close(low, high)
    assert ends(found) == pytest.approx((0.4933965, 0.8967452), abs=5e-8)
    every = (3 + second + 3 * fourth + 3 * fifth) / (3 + 3 * second + 3 / 2 + fourth)
    assert every == pytest.approx(0.8915584, abs=1e-7)


def test_an_item_that_was_not_retrieved_raises_the_ideal_alone() -> None:
    second, third, fourth, fifth = 1 / log2(3), 1 / 2, 1 / log2(5), 1 / log2(6)
    found = bounds([None, 1, 0, None, 2], "ndcg@5", max_grade=2, scope="all", unretrieved=1)
    low = (second + 3 * fifth) / (3 + 3 * second + third)
    worse = (second + 3 * fourth + 3 * fifth) / (3 + 3 * second + 3 * third + fourth)
    assert found.low == pytest.approx(min(low, worse), abs=1e-12)
    assert found.low == pytest.approx(0.3322007, abs=5e-8)
    found = bounds([1, 0], "ndcg@2", max_grade=3, scope="all", unretrieved=1)
    assert ends(found) == close(1 / (7 + second), 1.0)
    assert found.low == pytest.approx(0.1310456, abs=5e-8)


def test_average_precision() -> None:
    """[1, ?, 0, 1, ?] counted with zeros is (1 + 2/4) / 2 = 0.75, which is neither end."""
    low, high = (1 + 2 / 4 + 3 / 5) / 3, (1 + 2 / 2 + 3 / 4) / 3
    assert ends(bounds([1, None, 0, 1, None], "map@5")) == close(low, high)
    assert (low, high) == pytest.approx((0.7, 0.9166667), abs=5e-8)
    assert ends(bounds([1, 0, 0, None], "map")) == close((1 + 2 / 4) / 2, 1.0)


def test_measures_that_rise_with_every_relevant_item() -> None:
    grades = [None, 0, 1, None]
    assert ends(bounds(grades, "precision@4")) == close(1 / 4, 3 / 4)
    assert ends(bounds(grades, "mrr")) == close(1 / 3, 1.0)
    assert ends(bounds(grades, "hit_rate@2")) == close(0.0, 1.0)


def test_recall_falls_with_what_lies_below_the_cutoff() -> None:
    """[?, 1, ?] within 2: at worst 1 of 2 and one of them below, at best 2 of 2."""
    assert ends(bounds([None, 1, None], "recall@2")) == close(1 / 2, 1.0)


def test_a_tie_shares_its_ranks() -> None:
    """Both items of the tie have the mean of the first two weights, whichever is relevant."""
    ev = evaluate([{"a": 1, "z": 0}], [{"a": 1.0, "x": 1.0, "z": 0.0}], "ndcg")
    found = ev.bounds("ndcg")
    mean = (1 + 1 / log2(3)) / 2
    assert ends(found) == close(mean, 1.0)


def test_an_area_counts_pairs() -> None:
    """[?, 1, 0]: x relevant leaves one irrelevant item, below both; irrelevant, it wins a pair."""
    assert ends(bounds([None, 1, 0], "gauc")) == close(1 / 2, 1.0)
    assert ends(bounds([None, 1, 0], "lag")) == close(0.0, 1.0)


def test_a_grade_above_all_others_weighs_them_less() -> None:
    """[1, ?] within 1: beside a grade of 2 the known item stops 1 of 4 readers instead of 2."""
    assert ends(bounds([1, None], "err@1", max_grade=2)) == close(1 / 4, 1 / 2)
    both_of_one = 1 / 2 + 1 / 2 * 1 / 2 / 2
    assert ends(bounds([1, None], "err", max_grade=2)) == close(1 / 2, both_of_one)


def test_the_mean_leaves_out_a_query_only_if_its_grading_does() -> None:
    """The second query is undefined, 1/2 or 1: left out, 1/3 remains, the lowest mean is that."""
    truths = [{"a": 1, "b": 0}, {"z": 0}]
    rankings = [["b", "z1", "a"], ["u", "v"]]
    ev = evaluate(truths, rankings, "mrr", zero_division=float("nan"), assume="partial")
    found = ev.bounds("mrr")
    assert found.per_query_low.tolist() == pytest.approx([1 / 3, 1 / 2])
    assert found.per_query_high.tolist() == pytest.approx([1 / 2, 1.0])
    assert ends(found) == close(1 / 3, (1 / 2 + 1) / 2)
    zero = evaluate(truths, rankings, "mrr", zero_division=0.0, assume="partial").bounds("mrr")
    assert ends(zero) == close((1 / 3 + 0) / 2, (1 / 2 + 1) / 2)


def test_average_precision_of_long_rankings_is_a_running_sum() -> None:
    """1,000 items of which one is relevant, at the end: all unjudged ones make every rank full."""
    items = [f"x{number}" for number in range(999)]
    ev = evaluate([{"a": 1, "z": 0}], [[*items, "a"]], ("map", "map@10"))
    assert ends(ev.bounds("map")) == close(1 / 1000, 1.0)
    assert ends(ev.bounds("map@10")) == close(0.0, 1.0)


NDCG = measure("ndcg", k=3, gain={0: 0, 1: 3, 2: 1, 3: 2})


def test_the_gain_of_a_grade_out_of_reach_is_not_tried() -> None:
    """Grades of x up to 2 have the gains 0, 3 and 1; a gain of 2 would give the greatest value.

    Gains in the order of ranks: x, 1, 0, and below the cutoff 2.
    """
    truth = {"q": {"one": 2, "two": 3, "zero": 0}}
    ev = evaluate(truth, {"q": ["x", "one", "zero", "two"]}, NDCG)
    second, third = 1 / log2(3), 1 / 2
    none, least, most = (
        second / (2 + second),
        (1 + second) / (2 + second + third),
        (3 + second) / (3 + 2 * second + third),
    )
    found = ev.bounds(NDCG, max_grade=2)
    assert (found.low, found.high) == pytest.approx((none, max(least, most)), abs=1e-12)


def test_a_grade_without_a_gain_leaves_a_query_out_of_the_moved_mean() -> None:
    """x of 1 has no gain, so that its query stays undefined; of 2, the mean of 1 stays 1."""
    chosen = measure("ndcg", gain={0: 0, 1: 0, 2: 1})
    truth, run = {"q": {"a": 2}, "r": {"b": 0}}, {"q": ["a"], "r": ["x"]}
    ev = evaluate(truth, run, chosen, zero_division=float("nan"), keep_items=True)
    assert ev.to_judge(backend=None)["move"] == [0.0]


@pytest.mark.parametrize(
    ("chosen", "number"), [("ndcg", 2**63), ("recall", 1_000_001), ("map@2000000", None)]
)
def test_more_unretrieved_items_than_memory_holds_are_refused(
    chosen: str, number: int | None
) -> None:
    with pytest.raises(InvalidParameterError, match=r"unretrieved.* \[0, 1000000\]"):
        bounds([1, None], chosen, scope="all", unretrieved=number)
