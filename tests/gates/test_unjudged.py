"""The rule over all grades of the unjudged items, against every grading of small samples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank.gates.rule import Pairs, Rule, judge
from sklearn_rank.gates.unjudged import DropBox, over_gradings

DROPS = st.sampled_from([-0.5, -0.1, 0.0, 0.02, 0.1, 0.3, 1.0])
WIDTHS = st.sampled_from([0.0, 0.0, 0.1, 0.5])


def box_of(low, high, weights=None, is_optional=False) -> DropBox:
    low, high = np.array(low, float), np.array(high, float)
    weights = np.ones(len(low)) if weights is None else np.array(weights, float)
    return DropBox(low, high, weights, np.broadcast_to(is_optional, low.shape))


@st.composite
def boxes(draw):
    """Two measures of the same queries, and a grading of each."""
    n = draw(st.integers(2, 14))

    def column(values):
        return np.array(draw(st.lists(values, min_size=n, max_size=n)))

    weights, family, corner = column(st.integers(1, 3)).astype(float), {}, {}
    for name in "ab":
        low = column(DROPS)
        family[name] = box_of(low, np.minimum(low + column(WIDTHS), 1.0), weights)
        is_high = column(st.booleans())
        corner[name] = np.where(is_high, family[name].high, low)
    return family, corner


@settings(max_examples=300)
@given(boxes(), st.sampled_from([(0.0, 0.9), (0.02, 0.15), (0.1, 0.1), (0.02, 0.9)]))
def test_no_grading_contradicts_what_all_or_some_are_said_to_be(case, limits):
    family, corner = case
    rules = {"a": Rule(*limits), "b": Rule(*limits, alpha=0.2, only_losses=False)}
    graded = over_gradings(family, rules)
    n = len(corner["a"])

    def drops(values):
        pairs = {key: Pairs(own, np.arange(n), family[key].weights) for key, own in values.items()}
        return judge(pairs, rules, rates=False)

    least, some, most = (
        drops({key: own(key) for key in family})
        for own in (lambda k: family[k].low, corner.get, lambda k: family[k].high)
    )
    for key, own in graded.items():
        assert own.always_red is bool(least[key].clauses), "the least drops are a grading"
        assert own.may_be_red is bool(most[key].clauses)
        assert not own.always_red or some[key].clauses
        assert own.may_be_red or not some[key].clauses
        assert own.drop[0] - 1e-9 <= some[key].drop <= own.drop[1] + 1e-9
        assert own.worse[0] <= some[key].lost <= own.worse[1]


@pytest.mark.parametrize(
    ("low", "high", "limits", "always", "possible"),
    [
        # Of 40 queries: means .025 and .05.
        ([0.5] * 2, [1.0] * 2, (0.02, 0.9), True, True),
        ([0.5] * 2, [1.0] * 2, (0.025, 0.9), False, True),
        ([0.5] * 2, [1.0] * 2, (0.05, 0.9), False, False),
        ([0.5] * 2 + [-0.1], [1.0] * 2 + [0.0], (0.02, 0.9), False, True),
        ([0.5] * 2 + [-0.1], [1.0] * 2 + [-0.1], (0.02, 0.9), False, False),
        ([0.5] * 2 + [-0.1], [1.0] * 2 + [-0.1], (0.02, 0.04), False, True),
        ([0.5] * 2 + [-0.1], [1.0] * 2 + [-0.1], (0.02, 0.022), True, True),
        ([0.5], [1.0], (0.01, 0.9), False, False),
        ([0.5, 0.0], [0.5, 0.5], (0.01, 0.9), False, True),
        ([0.5] * 5 + [-0.1], [0.5] * 5 + [-0.1], (0.02, 0.9), True, True),
        ([0.5] * 5 + [-0.1], [0.5] * 5 + [0.0], (0.02, 0.9), True, True),
        ([0.5] * 4 + [-0.1], [0.5] * 4 + [-0.1], (0.02, 0.9), False, False),  # 2 ** -4
        ([0.5] * 4 + [0.0, -0.1], [0.5] * 5 + [-0.1], (0.02, 0.9), False, True),
    ],
)
def test_the_rule_over_a_box_by_hand(low, high, limits, always, possible):
    rest = [0.0] * (40 - len(low))
    box = box_of(low + rest, high + rest)
    graded = over_gradings({"": box}, {"": Rule(*limits)})[""]
    assert (graded.always_red, graded.may_be_red) == (always, possible)


def test_queries_that_some_grading_leaves_out_are_in_the_worst_mean_alone():
    box = box_of([0.1, 0.0, -0.4], [0.3, 0.0, 0.9], is_optional=[False, False, True])
    assert box.means == pytest.approx(((0.1 + 0.0 - 0.4) / 3, (0.3 + 0.0 + 0.9) / 3))
    assert box.p_values == (0.25, 1.0), "two may have lost"
    graded = over_gradings({"": box}, {"": Rule(0.02, 0.9)})[""]
    assert graded[1:] == ((1, 2), False, True)
    none = box_of([], [])
    assert all(math.isnan(own) for own in (*none.means, *none.p_values))
    weights = np.array([1.0, 0.0, 2.0, 1.0])
    ends = np.array([0.1, 0.2, 0.3, math.nan]), np.array([0.2, 0.2, 0.3, math.nan])
    own = DropBox.of(ends, weights, np.zeros(4, bool))
    assert (own.low.tolist(), own.weights.tolist()) == ([0.1, 0.3], [1.0, 2.0])
    assert DropBox.of(ends, weights, np.zeros(4, bool), np.array([1, 2])).low.tolist() == [0.3]
