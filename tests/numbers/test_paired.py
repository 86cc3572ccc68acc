"""The test behind a gate: by arithmetic, by closed forms, by enumeration and against SciPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.statistics.differences import compare_paired, correct_p_values

HALF = np.full(3, 0.5)


def t_cdf(t: float, df: int) -> float:
    """Distribution function of Student's t for 1, 2 and 3 degrees of freedom, in closed form."""
    if df == 1:
        return 1 / 2 + math.atan(t) / math.pi
    if df == 2:
        return 1 / 2 + t / (2 * math.sqrt(2 + t * t))
    u = t / math.sqrt(3)
    return 1 / 2 + (u / (1 + u * u) + math.atan(u)) / math.pi


def t_quantile_2(p: float) -> float:
    """Quantile of Student's t with 2 degrees of freedom."""
    return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))


def test_three_queries_by_hand() -> None:
    # Changes of -0.1, -0.2 and -0.3: mean -0.2, standard deviation 0.1, error 0.1 / sqrt(3).
    # By Student p is 0.0371, but three coins show three tails in one of eight tosses.
    error = 0.1 / math.sqrt(3)
    found = compare_paired(HALF - [0.1, 0.2, 0.3], HALF)
    assert (found.n, found.worse, found.better, found.same) == (3, 3, 0, 0)
    assert found.change == pytest.approx(-0.2)
    assert t_cdf(-0.2 / error, 2) == pytest.approx(0.0371, abs=5e-5)
    assert (found.p, found.p_floor, found.can_confirm) == (1 / 8, 1 / 8, False)
    reach = t_quantile_2(0.975) * error
    assert found.ci == pytest.approx((-0.2 - reach, -0.2 + reach))
    assert found.detectable == pytest.approx((t_quantile_2(0.95) + t_quantile_2(0.8)) * error)
    assert found.detectable == pytest.approx(0.2298, abs=5e-5)


def test_two_and_four_queries_by_hand() -> None:
    # -0.3 and 0.1: mean -0.1, error 0.2, t = -1/2.
    assert compare_paired([0.2, 0.6], [0.5, 0.5]).p == pytest.approx(t_cdf(-1 / 2, 1))
    # -0.4, -0.2, 0 and 0.1: mean -0.125, squares of the deviations sum to 0.1475.
    found = compare_paired([0.1, 0.3, 0.5, 0.5], [0.5, 0.5, 0.5, 0.4])
    assert (found.worse, found.better, found.same) == (2, 1, 1)
    assert found.p == pytest.approx(t_cdf(-0.125 / math.sqrt(0.1475 / 3 / 4), 3))


def test_the_direction_of_the_measure_turns_the_test() -> None:
    new, old = [2.0, 3.0, 5.0], [1.0, 1.0, 1.0]
    # A lag that rises by 1, 2 and 4: mean 7/3, worse for each query.
    found = compare_paired(new, old, greater_is_better=False)
    assert (found.worse, found.better) == (3, 0)
    assert found.change == pytest.approx(7 / 3)
    error = math.sqrt(((4 / 3) ** 2 + (1 / 3) ** 2 + (5 / 3) ** 2) / 2 / 3)
    assert found.p == pytest.approx(max(t_cdf(-7 / 3 / error, 2), 1 / 8))
    turned = compare_paired(new, old)
    assert (turned.worse, turned.better) == (0, 3)
    assert turned.p == pytest.approx(t_cdf(7 / 3 / error, 2))


@pytest.mark.parametrize("n", [2, 5, 25, 300])
def test_the_test_is_that_of_scipy(n: int) -> None:
    generator = np.random.default_rng(n)
    old = generator.random(n)
    new = np.clip(old + generator.normal(-0.02, 0.1, n), 0, 1)
    expected = stats.ttest_rel(new, old, alternative="less")
    found = compare_paired(new, old)
    assert found.p == pytest.approx(max(expected.pvalue, 0.5**n), rel=1e-9)
    assert found.ci == pytest.approx(tuple(stats.ttest_rel(new, old).confidence_interval(0.95)))
    assert found.change == pytest.approx((new - old).mean())


@pytest.mark.parametrize("seed", range(5))
def test_permutations_are_all_sign_flips_of_few_queries(seed: int) -> None:
    change = np.random.default_rng(seed).integers(-4, 3, 7) / 8
    flips = [change * signs for signs in itertools.product((1, -1), repeat=7)]
    expected = np.mean([flip.sum() <= change.sum() for flip in flips])
    found = compare_paired(0.5 + change, np.full(7, 0.5), test="permutation")
    assert found.p == pytest.approx(expected if change.any() else 1)


def test_few_changed_queries_never_reach_significance_by_permutation() -> None:
    # With m changed queries no sign-flip p-value is below 2 ** -m: 1/16 here.
    new = np.full(30, 0.5) - np.array([0.5] * 4 + [0.0] * 26)
    found = compare_paired(new, np.full(30, 0.5), test="permutation")
    assert (found.p, found.p_floor) == (2**-4, 2**-4)


def test_queries_that_all_fall_alike_have_the_p_value_of_their_number() -> None:
    # Of the 2 ** 3 sign flips only the one observed is as low.
    found = compare_paired(HALF - 0.125, HALF, test="permutation")
    assert found.p == pytest.approx(2**-3)


def test_permutations_have_a_seed() -> None:
    generator = np.random.default_rng(0)
    old, new = generator.random(60), generator.random(60)
    first = compare_paired(new, old, test="permutation", random_state=3)
    assert first == compare_paired(new, old, test="permutation", random_state=3)


# Degenerate cases; warnings are errors here ----------------------------------------------------


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_nothing_changed(test: str) -> None:
    found = compare_paired([0.1, 0.5, 0.9], [0.1, 0.5, 0.9], test=test)  # type: ignore[arg-type]
    assert (found.n, found.same, found.change, found.p) == (3, 3, 0.0, 1.0)
    assert (found.p_floor, found.can_confirm) == (1.0, False)
    assert all(map(math.isnan, (*found.ci, found.detectable)))


@pytest.mark.parametrize("drop", [0.125, 0.1])
@pytest.mark.parametrize("n", [2, 3, 8])
def test_all_queries_fall_or_rise_by_the_same(n: int, drop: float) -> None:
    # Subtracting 0.1 rounds differently for each value: that is no spread, either.
    old = np.linspace(0.3, 0.9, n)
    fallen = compare_paired(old - drop, old)
    assert fallen.p == fallen.p_floor == 2**-n
    assert fallen.can_confirm == (n >= 5)
    assert compare_paired(old - drop, old, alpha=2**-n).can_confirm, "alpha itself will do"
    assert fallen.change == pytest.approx(-drop)
    assert all(map(math.isnan, (*fallen.ci, fallen.detectable)))
    assert compare_paired(old + drop, old).p == 1.0


@pytest.mark.parametrize("test", ["t", "permutation"])
@pytest.mark.parametrize("values", [([0.1], [0.5]), ([], [])], ids=["one", "none"])
def test_one_query_is_no_sample(values: tuple[list[float], list[float]], test: str) -> None:
    found = compare_paired(*values, test=test)  # type: ignore[arg-type]
    assert found.n == len(values[0])
    assert math.isnan(found.p)
    assert math.isnan(found.detectable)
    assert all(map(math.isnan, found.ci))


def test_an_undefined_query_is_no_pair() -> None:
    nan = math.nan
    found = compare_paired([0.4, 0.3, 0.2, nan, 0.9], [0.5, 0.5, 0.5, 0.1, nan])
    assert found == compare_paired([0.4, 0.3, 0.2], [0.5, 0.5, 0.5])
    assert compare_paired([nan, nan], [nan, 1.0]).n == 0


def test_inputs_are_not_written() -> None:
    new, old = np.array([0.1, 0.2]), np.array([0.3, 0.1])
    for values in (new, old):
        values.flags.writeable = False
    compare_paired(new, old)


# Several tests at once -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "corrected"),
    [
        ([0.03], [0.03]),
        # Times 3, 2 and 1 in rising order, and never below the one before.
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.02, 0.001, 0.5, 0.02], [0.06, 0.004, 0.5, 0.06]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.0, 1.0], [0.0, 1.0]),
        ([], []),
    ],
)
def test_holm_by_hand(given: list[float], corrected: list[float]) -> None:
    assert correct_p_values(given, "holm") == pytest.approx(corrected)


def test_holm_does_not_count_what_was_not_tested() -> None:
    first, second, third = correct_p_values([0.01, math.nan, 0.04], "holm")
    assert (first, third) == (0.02, 0.04)
    assert math.isnan(second)


@pytest.mark.parametrize("seed", range(10))
def test_holm_is_the_closure_of_bonferroni(seed: int) -> None:
    # Its own definition: a hypothesis falls if every set of hypotheses that holds it falls.
    p = np.random.default_rng(seed).random(5) ** 2
    expected = [
        max(
            min(1.0, len(chosen) * min(p[list(chosen)]))
            for size in range(1, 6)
            for chosen in itertools.combinations(range(5), size)
            if one in chosen
        )
        for one in range(5)
    ]
    assert correct_p_values(p.tolist(), "holm") == pytest.approx(expected)


def test_ten_slices_in_which_nothing_changed_seldom_fail() -> None:
    # Each query moves up or down by the same distance with equal odds: no slice is worse.
    red = 0
    for seed in range(200):
        up = np.random.default_rng(seed).random((10, 20)) < 0.5
        old, new = np.where(up, 1.0, 0.5), np.where(up, 0.5, 1.0)
        raw = [compare_paired(*pair).p for pair in zip(new, old, strict=True)]
        drops = [
            drop
            for drop, p in zip((old - new).mean(1), correct_p_values(raw, "holm"), strict=True)
            if p < 0.05
        ]
        red += any(drop > 0.005 for drop in drops)
    assert red <= 0.05 * 200


def test_holm_refuses_what_is_no_p_value() -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        correct_p_values([0.5, 1.5], "holm")


# What a gate can see ---------------------------------------------------------------------------


def test_the_detectable_drop_is_found_with_four_in_five() -> None:
    generator = np.random.default_rng(1)
    n, spread, rounds = 50, 0.15, 4000
    # (1.6766 + 0.8489) * 0.15 / sqrt(50), the t quantiles of 49 degrees of freedom.
    sample = generator.normal(0, spread, n)
    sample = (sample - sample.mean()) / sample.std(ddof=1) * spread
    detectable = compare_paired(0.5 + sample, np.full(n, 0.5)).detectable
    assert detectable == pytest.approx(0.05357, abs=5e-5)
    changes = generator.normal(-detectable, spread, (rounds, n))
    found = (stats.ttest_1samp(changes, 0, axis=1, alternative="less").pvalue < 0.05).mean()
    assert 0.77 < found < 0.83


def test_weights_that_are_whole_numbers_weigh_the_mean() -> None:
    # Weights 3 and 1: (3 * -0.1 + 1 * 0.3) / 4 = 0.
    found = compare_paired([0.4, 0.8], [0.5, 0.5], weights=[3, 1])
    assert found.change == pytest.approx(0)
    assert found.p == pytest.approx(0.5)


def test_a_query_of_no_weight_is_no_pair() -> None:
    found = compare_paired([0.4, 0.3, 0.2, 0.0], [0.5] * 4, weights=[2, 2, 2, 0])
    assert found == compare_paired([0.4, 0.3, 0.2], [0.5] * 3)
