"""P-values of paired differences and their corrections: by hand, SciPy's and statsmodels'."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics.differences import Differences, compare_paired, correct_p_values
from sklearn_rank.statistics.resampling import p_of_studentized

ALTERNATIVES = ("two-sided", "less", "greater")
every_alternative = pytest.mark.parametrize("alternative", ALTERNATIVES)


def sample(seed: int, n: int) -> np.ndarray:
    """Differences of a few levels, so that some are 0 and many alike."""
    generator = np.random.default_rng(seed)
    return np.round(generator.normal(0.05, 0.2, n) * 8) / 8


# Each test against SciPy's -----------------------------------------------------------------------


@every_alternative
@pytest.mark.parametrize("n", [3, 10, 200])
def test_students_t_is_that_of_scipy(n: int, alternative: str) -> None:
    new = np.random.default_rng(n).random(n)
    old = new - sample(n, n)
    expected = stats.ttest_rel(new, old, alternative=alternative)
    differences = Differences(new - old)
    assert differences.p("t", alternative) == pytest.approx(expected.pvalue, rel=1e-9)
    interval = stats.ttest_rel(new, old).confidence_interval(0.9)
    assert differences.t_interval(0.9) == pytest.approx(tuple(interval), rel=1e-9)


@every_alternative
@pytest.mark.parametrize("n", [4, 9])
def test_all_sign_flips_are_those_of_scipy(n: int, alternative: str) -> None:
    change = sample(n, n)
    expected = stats.permutation_test(
        (change,), np.mean, permutation_type="samples", alternative=alternative
    )
    found = Differences(change).p("permutation", alternative)
    assert found == pytest.approx(expected.pvalue, rel=1e-12)


@every_alternative
def test_random_sign_flips_come_near_those_of_scipy(alternative: str) -> None:
    change = sample(8, 60)
    expected = stats.permutation_test(
        (change,), np.mean, permutation_type="samples", alternative=alternative, n_resamples=9999
    )
    found = Differences(change).p("permutation", alternative)
    error = math.sqrt(2 * expected.pvalue * (1 - expected.pvalue) / 9999)
    assert abs(found - expected.pvalue) < 8 * error


@every_alternative
@pytest.mark.parametrize("n", [6, 30, 80])
def test_signed_ranks_are_those_of_scipy(n: int, alternative: str) -> None:
    change = sample(n, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.wilcoxon(change, alternative=alternative).pvalue
    assert Differences(change).p("wilcoxon", alternative) == pytest.approx(expected, rel=1e-12)


@every_alternative
def test_the_bootstrap_agrees_with_students_t_where_both_hold(alternative: str) -> None:
    change = np.random.default_rng(5).normal(0.02, 0.2, 300)
    found = Differences(change).p("bootstrap", alternative)
    assert found == pytest.approx(
        stats.ttest_1samp(change, 0, alternative=alternative)[1], abs=0.02
    )


def test_the_bootstrap_by_enumeration_of_three_queries() -> None:
    # All 27 resamples of the shifted differences -0.2, 0 and 0.2; t of those without a spread is
    # infinite, or 0 for three zeros.
    change = np.array([0.1, 0.3, 0.5])
    observed = 0.3 / (0.2 / math.sqrt(3))
    count = 0
    for drawn in itertools.product(change - 0.3, repeat=3):
        mean, spread = np.mean(drawn), np.std(drawn, ddof=1)
        t = math.copysign(math.inf, mean) if spread < 1e-12 else mean / (spread / math.sqrt(3))
        count += abs(t) >= observed and abs(mean) > 1e-12
    assert count == 2  # three times -0.2, and three times 0.2
    drawn_at = np.random.default_rng(0)
    found = p_of_studentized(change, None, observed, 40_000, drawn_at, "two-sided")
    assert found == pytest.approx(count / 27, abs=0.01)
    assert Differences(change).p("bootstrap") == 2 * 0.5**3


@every_alternative
@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon", "bootstrap"])
def test_no_p_value_is_below_that_of_as_many_coins(test: str, alternative: str) -> None:
    change = np.zeros(40)
    change[:4] = -0.2, -0.2, -0.25, -0.2
    if alternative == "greater":
        change = -change
    coins = 0.5**4 if alternative != "two-sided" else 0.5**3
    assert Differences(change).p(test, alternative) == pytest.approx(coins, rel=1e-3)


# Weights -----------------------------------------------------------------------------------------


def test_weighted_sign_flips_are_all_flips_of_the_weighted_sum() -> None:
    change, weights = np.array([0.5, -0.25, 0.125, 0.75]), np.array([1.0, 4.0, 2.0, 1.0])
    sums = [math.fsum(weights * change * signs) for signs in itertools.product((1, -1), repeat=4)]
    observed = math.fsum(weights * change)
    at_least = sum(total >= observed for total in sums) / 16
    at_most = sum(total <= observed for total in sums) / 16
    found = Differences(change, weights)
    assert found.p("permutation", "greater") == at_least
    assert found.p("permutation") == min(1.0, 2 * min(at_least, at_most))
    paired = compare_paired(change, np.zeros(4), weights=weights, test="permutation")
    assert paired.p == at_most


def test_a_weighted_bootstrap_is_near_the_weighted_t() -> None:
    generator = np.random.default_rng(3)
    change, weights = generator.normal(0.03, 0.2, 400), generator.integers(1, 4, 400) * 1.0
    found = Differences(change, weights)
    assert found.p("bootstrap") == pytest.approx(found.p("t"), abs=0.02)


def test_ranks_take_no_weights() -> None:
    with pytest.raises(InvalidParameterError, match="test='wilcoxon' ranks differences"):
        Differences(np.array([0.1, 0.2]), np.array([1.0, 2.0])).p("wilcoxon")


# Degenerate samples ------------------------------------------------------------------------------

TESTS = ("t", "permutation", "wilcoxon", "bootstrap")


@pytest.mark.parametrize("test", TESTS)
def test_nothing_changed_or_one_pair(test: str) -> None:
    assert Differences(np.zeros(5)).p(test) == 1.0
    assert math.isnan(Differences(np.array([0.5])).p(test))
    assert math.isnan(Differences(np.array([])).p(test))


@pytest.mark.parametrize("test", TESTS)
def test_where_all_change_alike_the_sign_is_all_there_is(test: str) -> None:
    change = Differences(np.full(4, 0.25))
    assert change.p(test) == 2 / 2**4
    assert change.p(test, "greater") == 1 / 2**4
    assert change.p(test, "less") == 1.0


@pytest.mark.parametrize("test", TESTS)
def test_the_order_of_queries_changes_no_bit(test: str) -> None:
    generator = np.random.default_rng(2)
    change, weights = generator.normal(0.02, 0.1, 40), generator.integers(1, 3, 40) * 1.0
    turned = generator.permutation(40)
    shares = None if test == "wilcoxon" else weights
    first = Differences(change, shares)
    second = Differences(change[turned], None if shares is None else shares[turned])
    assert first.p(test) == second.p(test)
    assert first.bootstrap_interval(0.95, 999, 0) == second.bootstrap_interval(0.95, 999, 0)


def test_the_seed_tells_one_draw_from_another() -> None:
    change = Differences(np.random.default_rng(2).normal(0.02, 0.1, 40))
    for test in ("permutation", "bootstrap"):
        assert change.p(test, seed=1) == change.p(test, seed=1) != change.p(test, seed=2)


# Corrections -------------------------------------------------------------------------------------


def test_the_example_that_others_get_wrong() -> None:
    # Holm: 3 x 0.020 = 0.060, and nothing that follows falls below it: none is significant.
    assert correct_p_values([0.020, 0.024, 0.030], "holm") == pytest.approx([0.06, 0.06, 0.06])
    # Benjamini and Hochberg: 0.020 x 3/1, 0.024 x 3/2, 0.030 x 3/3, each the least from there on:
    # all three are significant.
    assert correct_p_values([0.020, 0.024, 0.030], "bh") == pytest.approx([0.03, 0.03, 0.03])
    corrected = correct_p_values([0.020, 0.024, 0.030], "bonferroni")
    assert corrected == pytest.approx([0.06, 0.072, 0.09])


@pytest.mark.parametrize(
    ("correction", "theirs"), [("holm", "holm"), ("bh", "fdr_bh"), ("bonferroni", "bonferroni")]
)
@pytest.mark.parametrize("seed", range(3))
def test_corrections_are_those_of_statsmodels(correction: str, theirs: str, seed: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    # Rounded, so that some are equal; and two that were not tested.
    p = np.round(np.random.default_rng(seed).random(20) ** 3, 2)
    expected = multitest.multipletests(p, method=theirs)[1].tolist()
    found = correct_p_values([math.nan, *p.tolist(), math.nan], correction)
    assert math.isnan(found[0])
    assert math.isnan(found[-1])
    assert found[1:-1] == pytest.approx(expected, rel=1e-12)


def test_no_correction_and_no_tests() -> None:
    assert correct_p_values([0.2, 0.04], None) == [0.2, 0.04]
    assert correct_p_values([], "bh") == []
    (untested,) = correct_p_values([math.nan], "holm")
    assert math.isnan(untested)


def test_wrong_corrections_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="'correction' parameter of correct_p_values"):
        correct_p_values([0.1], "tukey")
    with pytest.raises(ValueError, match=r"p-values lie in \[0, 1\]"):
        correct_p_values([-0.1], "bh")
