"""Gates on GMAP: its mean is geometric, so systems are compared by the logarithms of AP."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_rankmetrics import GateResult, assert_not_worse, expected_failure
from sklearn_rank.statistics.differences import compare_paired
from tests.plugin.cases import case
from tests.plugin.conftest import Suite

# The relevant item moves from rank 1 to 2 in 15 queries, from 20 to 10 in 15 others. The factors
# 1/2 and 2 cancel in a geometric mean; the arithmetic one falls by (1/2 - 1/20) / 2.
OLD = [1] * 15 + [20] * 15
NEW = [2] * 15 + [10] * 15
LIMITS: dict[str, Any] = {"max_drop": {"gmap": 0.005}, "hard_drop": math.inf}


def compared(old: list[int], new: list[int], **limits: Any) -> GateResult:
    truths, rankings = case(new, depth=50)
    return assert_not_worse(
        truths, rankings, case(old, depth=50)[1], "gmap", **{**LIMITS, **limits}
    )


def test_factors_that_cancel_are_no_drop() -> None:
    result = compared(OLD, NEW).metrics["gmap"]
    assert result.value == pytest.approx(math.sqrt(1 / 2 * 1 / 10))
    assert result.change == pytest.approx(0, abs=1e-12)
    assert (result.worse, result.better, result.p) == (15, 15, pytest.approx(0.5))


def test_the_test_is_that_of_the_logarithms() -> None:
    old, new = [1, 2, 3, 4, 5] * 6, [2, 3, 3, 5, 4] * 6
    with expected_failure() as failure:
        compared(old, new)
    result = failure.value.result.metrics["gmap"]
    paired = compare_paired([-math.log(rank) for rank in new], [-math.log(rank) for rank in old])
    was = math.exp(math.fsum(-math.log(rank) for rank in old) / 30)
    now = math.exp(math.fsum(-math.log(rank) for rank in new) / 30)
    assert result.p == pytest.approx(paired.p)
    assert result.change == pytest.approx(now - was)
    # The factor between the two means has the ends of the interval of the logarithms.
    low, high = (was * math.exp(end) - was for end in paired.ci)
    assert result.change_ci == pytest.approx((low, high))
    assert low < now - was < high


def test_a_slice_is_compared_by_its_geometric_mean() -> None:
    slices = {f"q{n:03d}": "high" if n <= 15 else "low" for n in range(1, 31)}
    result = compared(OLD, NEW, slices=slices)
    was_now = {part.label: (part.baseline, part.value) for part in result.slices}
    assert was_now["high"] == pytest.approx((1.0, 1 / 2))
    assert was_now["low"] == pytest.approx((1 / 20, 1 / 10))


GATE = """
    from cases import system

    def test_it(rank_gate):
        rank_gate.check(*system(depth=3000), max_drop={"gmap": 0.005}, allow={"perfect"})
"""


def test_a_baseline_of_it_can_be_read_again(suite: Suite) -> None:
    suite.write(test_it=GATE)
    # Average precision of 1/2999 keeps two digits of the six decimals.
    suite.record([1] * 15 + [2999] * 15)
    suite.passes()
    suite.system([2] * 15 + [2999] * 15)
    assert "GMAP fell from 0.018 to 0.013 (-0.005" in suite.fails()


def test_losses_are_listed_by_the_factor() -> None:
    # From rank 1 to 2, AP falls by 1/2 and its logarithm by ln 2; from 10 to 40 by 3/40 and ln 4.
    with expected_failure() as failure:
        compared([1, 10] + [1] * 20, [2, 40] + [1] * 20, confirm=False)
    rows = [(row.query, row.was, row.now) for row in failure.value.result.worst]
    assert rows == [("q002", 1 / 10, 1 / 40), ("q001", 1, 1 / 2)]
