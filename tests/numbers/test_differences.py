"""Paired differences and resampling: by enumeration, SciPy's and statsmodels'."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.statistics.differences import (
    Differences,
    PairedTest,
    correct_p_values,
    detectable_drop,
    queries_needed,
)
from sklearn_rank.statistics.samples import error_of_mean
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import FloatArray

HALF = np.full(3, 0.5)
TESTS: tuple[PairedTest, ...] = ("t", "permutation")
every_test = pytest.mark.parametrize("test", TESTS)
every_alternative = pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])


def sample(seed: int, n: int) -> np.ndarray:
    """Differences of a few levels, so that some are 0 and many alike."""
    generator = np.random.default_rng(seed)
    return np.round(generator.normal(0.05, 0.2, n) * 8) / 8


def test_three_queries_by_hand() -> None:
    # Changes of -0.1, -0.2 and -0.3: mean -0.2, standard deviation 0.1, error 0.1 / sqrt(3).
    # By Student p is 0.0371, but three coins show three tails in one of eight tosses.
    error = 0.1 / math.sqrt(3)
    found = Differences.of(HALF - [0.1, 0.2, 0.3], HALF)
    assert (len(found), found.n_changed, found.better_and_worse(True)) == (3, 3, (0, 3))
    assert found.mean == pytest.approx(-0.2)
    assert (found.p("t", "less"), found.p_floor("less")) == (1 / 8, 1 / 8)
    # Three changes, two degrees of freedom; the largest change once more, a third of 0.3.
    reach = stats.t.ppf(0.975, 2) * math.hypot(error, 0.1)
    assert found.interval(0.95) == pytest.approx((-0.2 - reach, -0.2 + reach))
    detectable = found.detectable(0.05, 0.8, "less")
    assert detectable == pytest.approx((stats.t.ppf(0.95, 2) + stats.t.ppf(0.8, 2)) * error)
    assert detectable == pytest.approx(0.2298, abs=5e-5)


def test_the_direction_of_the_measure_turns_the_test() -> None:
    # A lag that rises by 1, 2 and 4: mean 7/3, worse for each query.
    found = Differences.of([2.0, 3.0, 5.0], [1.0, 1.0, 1.0])
    assert (found.better_and_worse(False), found.better_and_worse(True)) == ((0, 3), (3, 0))
    assert found.mean == pytest.approx(7 / 3)
    error = math.sqrt(((4 / 3) ** 2 + (1 / 3) ** 2 + (5 / 3) ** 2) / 2 / 3)
    assert found.p("t", "greater") == pytest.approx(max(stats.t.sf(7 / 3 / error, 2), 1 / 8))
    assert found.p("t", "less") == pytest.approx(stats.t.cdf(7 / 3 / error, 2))


# Degenerate cases; warnings are errors here ----------------------------------------------------


@every_test
def test_nothing_changed_or_all_changed_alike_or_there_is_no_sample(test: PairedTest) -> None:
    assert Differences(np.zeros(5)).p(test) == 1.0
    alike = Differences(np.full(4, 0.25))
    # The sign is all there is.
    assert [alike.p(test, to) for to in ("two-sided", "greater", "less")] == [1 / 8, 1 / 16, 1.0]
    for few in ([0.5], []):
        assert math.isnan(Differences(np.array(few)).p(test))


def test_the_same_of_two_systems() -> None:
    same = Differences.of([0.1, 0.5, 0.9], [0.1, 0.5, 0.9])
    assert (len(same), same.n_changed, same.mean, same.p("t", "less")) == (3, 0, 0.0, 1.0)
    assert same.p_floor("less") == 1.0
    assert all(map(math.isnan, (*same.interval(0.95), same.detectable(0.05, 0.8, "less"))))
    for new, old in (([0.1], [0.5]), ([], [])):
        few = Differences.of(new, old)
        assert len(few) == len(new)
        found = few.p(), few.detectable(0.05, 0.8, "less"), *few.interval(0.95)
        assert all(map(math.isnan, found))


@pytest.mark.parametrize("drop", [0.125, 0.1])
@pytest.mark.parametrize("n", [2, 3, 8])
def test_all_queries_fall_or_rise_by_the_same(n: int, drop: float) -> None:
    # Subtracting 0.1 rounds differently for each value: that is no spread, either.
    old = np.linspace(0.3, 0.9, n)
    fallen = Differences.of(old - drop, old)
    assert fallen.p("t", "less") == fallen.p_floor("less") == 2**-n
    assert fallen.mean == pytest.approx(-drop)
    assert math.isnan(fallen.detectable(0.05, 0.8, "less"))
    low, high = fallen.interval(0.95)
    assert low < -drop < high
    assert Differences.of(old + drop, old).p("t", "less") == 1.0


def test_undefined_queries_and_those_of_no_weight_are_no_pairs() -> None:
    nan, three = math.nan, Differences.of([0.4, 0.3, 0.2], [0.5] * 3)
    undefined = Differences.of([0.4, 0.3, 0.2, nan, 0.9], [0.5, 0.5, 0.5, 0.1, nan])
    weightless = Differences.of([0.4, 0.3, 0.2, 0.0], [0.5] * 4, weights=[2, 2, 2, 0])
    for own in (undefined, weightless):
        assert own.change.tolist() == three.change.tolist()
        assert (own.scale, own.p(), own.interval(0.95)) == (0.5, three.p(), three.interval(0.95))
    assert len(Differences.of([nan, nan], [nan, 1.0])) == 0


@every_alternative
@every_test
def test_no_p_value_is_below_that_of_as_many_coins(test: PairedTest, alternative: str) -> None:
    change = np.zeros(40)
    change[:4] = -0.2, -0.2, -0.25, -0.2
    if alternative == "greater":
        change = -change
    coins = 0.5**4 if alternative != "two-sided" else 0.5**3
    assert Differences(change).p(test, alternative) == pytest.approx(coins, rel=1e-3)


# Each test against SciPy's -----------------------------------------------------------------------


@every_alternative
@pytest.mark.parametrize("n", [3, 10, 200])
def test_students_t_is_that_of_scipy(n: int, alternative: str) -> None:
    new = np.random.default_rng(n).random(n)
    old = new - sample(n, n)
    expected = stats.ttest_rel(new, old, alternative=alternative)
    differences = Differences(new - old)
    assert differences.p("t", alternative) == pytest.approx(expected.pvalue, rel=1e-9)
    assert differences.error == pytest.approx(stats.sem(new - old), rel=1e-12)
    assert differences.freedom == n - 1


@every_alternative
@pytest.mark.parametrize("n", [4, 9, 60])
def test_sign_flips_are_those_of_scipy(n: int, alternative: str) -> None:
    change = sample(n, n)
    expected = stats.permutation_test(
        (change,), np.mean, permutation_type="samples", alternative=alternative, n_resamples=9999
    ).pvalue
    found = Differences(change).p("permutation", alternative)
    error = math.sqrt(2 * expected * (1 - expected) / 9999) if n > 9 else 1e-13  # drawn, or all
    assert abs(found - expected) < 8 * error


# By enumeration ----------------------------------------------------------------------------------


def test_what_was_observed_is_one_of_the_resamples() -> None:
    clear = Differences(np.random.default_rng(0).normal(5, 1, 40))
    assert clear.p("permutation", "greater", n_resamples=99) == 1 / 100
    # So many that their signs are drawn in parts.
    many = Differences(np.append(np.tile([0.01, -0.01], 2500), np.full(2000, 1.0)))
    assert many.p("permutation", "greater", n_resamples=99) == 1 / 100


def test_weighted_sign_flips_are_all_flips_of_the_weighted_sum() -> None:
    change, weights = np.array([0.5, -0.25, 0.125, 0.75]), np.array([1.0, 4.0, 2.0, 1.0])
    sums = [math.fsum(weights * change * signs) for signs in itertools.product((1, -1), repeat=4)]
    observed = math.fsum(weights * change)
    at_least = sum(total >= observed for total in sums) / 16
    at_most = sum(total <= observed for total in sums) / 16
    found = Differences(change, weights)
    assert found.p("permutation", "greater") == at_least
    assert found.p("permutation") == min(1.0, 2 * min(at_least, at_most))
    assert found.p("permutation", "less") == at_most


def test_sums_tie_in_spite_of_rounding_and_unchanged_queries_do_not_count() -> None:
    # 0.3 - 0.1 - 0.2 is no exact 0 in float64, but a tie among sign flips.
    change = np.array([0.1, 0.2, -0.3, -0.1, -0.2])
    flips = [np.dot(signs, np.rint(change * 10)) for signs in itertools.product((1, -1), repeat=5)]
    expected = np.mean([flip <= np.rint(change * 10).sum() for flip in flips])
    for others in (0, 500):
        new = 0.5 + np.append(change, np.zeros(others))
        found = Differences.of(new, np.full(5 + others, 0.5))
        assert found.p("permutation", "less") == pytest.approx(expected)


# Clusters ----------------------------------------------------------------------------------------

GOLDEN = np.array([-0.2, -0.1, -0.3, 0, 0.1, 0, 0.05, -0.05, 0.2, 0.1])
OWNERS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 3])


def by_matrices(
    change: FloatArray, weights: FloatArray, clusters: FloatArray
) -> tuple[float, float]:
    """Error (CR2) and degrees of freedom of Bell and McCaffrey, by matrices of n x n.

    The regression of sqrt(w) y on sqrt(w), whose working model has equal variances.
    """
    n, x = len(change), np.sqrt(weights)
    residual_maker = np.eye(n) - np.outer(x, x) / (x @ x)
    columns, square = [], 0.0
    for own in (clusters == label for label in np.unique(clusters)):
        levels, vectors = np.linalg.eigh(residual_maker[np.ix_(own, own)])
        adjust = vectors @ np.diag(levels**-0.5) @ vectors.T
        column = residual_maker[:, own] @ adjust @ x[own] / (x @ x)
        columns.append(column)
        square += float((column @ (x * change)) ** 2)
    gram = np.array(columns) @ np.array(columns).T
    return math.sqrt(square), float(np.trace(gram) ** 2 / np.trace(gram @ gram))


def test_clusters_by_hand() -> None:
    # Mean -0.02; sums of deviations -0.54, 0.16, 0.04, 0.34 of shares 0.3, 0.3, 0.2, 0.2.
    square = (0.54**2 + 0.16**2) / 0.7 + (0.04**2 + 0.34**2) / 0.8
    found = Differences.of(GOLDEN, clusters=["w", "w", "w", *"xxxyyzz"])
    assert found.error == pytest.approx(math.sqrt(square) / 10, rel=1e-12)
    assert found.error == pytest.approx(0.0774366, abs=5e-8)
    assert found.freedom == pytest.approx(2.861314, abs=5e-7)
    assert found.p("t", "less") == pytest.approx(0.4068245, abs=5e-8)
    assert found.design_effect == pytest.approx((square / 100) / (GOLDEN.var(ddof=1) / 10))
    # The second cluster rises, the third stays: three of four change.
    assert (found.n_clusters, found.p_floor("less")) == (4, 1 / 8)


@pytest.mark.parametrize("seed", range(6))
def test_clusters_are_those_of_matrices(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(8, 40))
    clusters = generator.permutation(np.append(np.arange(4), generator.integers(0, 7, n - 4)))
    change = generator.normal(0, 0.2, n) + 0.1 * clusters
    for weights in (None, generator.geometric(0.3, n) * 1.0, generator.random(n) ** 3):
        found = Differences(change, weights, clusters=clusters)
        shares = np.ones(n) if weights is None else weights
        error, freedom = by_matrices(change, shares, clusters)
        assert (found.error, found.freedom) == pytest.approx((error, freedom), rel=1e-10)
        t = found.mean / error
        for alternative, p in (
            ("less", stats.t.cdf(t, freedom)),
            ("greater", stats.t.sf(t, freedom)),
        ):
            least = 0.5**found.n_changed_clusters
            assert found.p("t", alternative) == pytest.approx(max(p, least), rel=1e-10)


@every_test
def test_clusters_of_one_query_are_none(test: PairedTest) -> None:
    change = sample(1, 30)
    own = Differences(change, clusters=np.arange(30)[::-1])
    assert own.p(test) == Differences(change).p(test)
    assert own.design_effect == 1.0


@every_test
def test_repeats_of_a_query_say_nothing_more(test: PairedTest) -> None:
    once = sample(3, 24)
    found = Differences(np.repeat(once, 4), clusters=np.repeat(np.arange(24), 4))
    assert found.p(test) == pytest.approx(Differences(once).p(test), rel=1e-9)
    assert found.interval(0.9) == pytest.approx(Differences(once).interval(0.9), rel=1e-9)
    assert 96 / found.design_effect == pytest.approx(24, rel=0.1)
    assert Differences(np.repeat(once, 4)).p(test) < found.p(test)


def test_clusters_whose_changes_cancel_have_no_sign() -> None:
    change, clusters = np.array([0.1, 0.2, -0.3, -0.4, 0.4, 0.25]), np.array([0, 0, 0, 1, 1, 2])
    found = Differences(change, clusters=clusters)
    assert (found.n_clusters, found.n_changed_clusters) == (3, 1)
    assert Differences(change[:5], clusters=clusters[:5]).p() == 1.0


def test_few_clusters_and_labels() -> None:
    alone = Differences(GOLDEN, clusters=np.zeros(10, np.int64))
    assert all(map(math.isnan, (alone.p(), *alone.interval(0.9), alone.design_effect)))
    with pytest.raises(ValueError, match="clusters has 2 labels for 3 queries"):
        Differences.of(HALF, clusters="ab")
    for label in (None, math.nan, [1]):
        with pytest.raises(ValueError, match="clusters has no label at position 1: "):
            mean_confidence_interval([0.1, 0.2, 0.3], clusters=[1, label, 2])
    with pytest.raises(TypeError, match="clusters must hold a label for each query, got 5"):
        mean_confidence_interval([0.1, 0.2, 0.3], clusters=5)


# Intervals of differences, and sample sizes ------------------------------------------------------


@pytest.mark.parametrize("n", [25, 50])
@pytest.mark.parametrize("falls", [0.5, 1.0])
def test_intervals_cover_where_few_queries_change(n: int, falls: float) -> None:
    generator = np.random.default_rng(n)
    rounds = covered = 0
    while rounds < 800:
        change = generator.beta(1, 4, n) * np.where(generator.random(n) < falls, -1, 1)
        change[generator.random(n) >= 0.1] = 0
        if change.any():
            low, high = Differences(change).interval(0.95)
            assert low < high
            rounds, covered = rounds + 1, covered + (low <= 0.1 * 0.2 * (1 - 2 * falls) <= high)
    assert covered / rounds > 0.93 - 0.015


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.0, 0.02, 0.1, 0.3]), min_size=2, max_size=9),
    st.integers(0, 30),
    st.sampled_from(TESTS),
    st.sampled_from(["two-sided", "less", "greater"]),
    st.sampled_from([0.8, 0.95]),
    st.booleans(),
)
@example([0.1] * 5, 0, "t", "two-sided", 0.95, True)  # 5 coins are 1/16
def test_an_interval_ends_at_0_exactly_where_the_test_rejects_0(
    changes: list[float], more: int, test: PairedTest, alternative: Any, level: float, whole: bool
) -> None:
    own = np.array([*changes, *[0.0] * more])
    clusters = None if whole else np.arange(len(own)) // 2
    found = Differences(own, np.arange(1.0, len(own) + 1), 1.0, clusters)
    p = found.p(test, alternative)
    low, high = found.interval(level, p, alternative)
    if not math.isnan(low):
        assert low <= found.mean <= high
        if p < 1 - level:
            assert low >= 0 or high <= 0
        elif alternative == "two-sided":
            assert low <= 0 <= high
        else:
            assert low <= 0 if alternative == "greater" else high >= 0
        if test == "t":
            assert found.interval(level, None, alternative) == (low, high)


def test_sample_sizes_are_those_of_the_noncentral_t() -> None:
    assert [queries_needed(drop, 0.15) for drop in (0.01, 0.02, 0.03, 0.05)] == [1393, 350, 156, 58]
    for n in (2, 10, 58, 3000, 10**6):
        drop = detectable_drop(n, 0.15)
        critical = stats.t.ppf(0.95, n - 1)
        power = stats.nct.sf(critical, n - 1, drop / 0.15 * math.sqrt(n))
        assert power == pytest.approx(0.8, abs=1e-5)
        assert queries_needed(drop * (1 + 1e-9), 0.15) == n
    assert queries_needed(5, 0.15) == 2
    assert detectable_drop(100_000, 1) == pytest.approx(detectable_drop(100_001, 1), rel=2e-5)
    for wrong in ({"drop": 0}, {"sd": -1}, {"alpha": 1}, {"power": 0.01}):
        with pytest.raises(InvalidParameterError, match=f"'{next(iter(wrong))}' parameter of que"):
            queries_needed(**{"drop": 0.1, "sd": 0.1, **wrong})  # type: ignore[arg-type]


# Reproducible ------------------------------------------------------------------------------------


@every_test
def test_the_order_of_queries_changes_no_bit(test: PairedTest) -> None:
    generator = np.random.default_rng(2)
    change, weights = generator.normal(0.02, 0.1, 40), generator.integers(1, 3, 40) * 1.0
    turned = generator.permutation(40)
    first, second = Differences(change, weights), Differences(change[turned], weights[turned])
    assert first.p(test) == second.p(test)
    assert first.interval(0.95) == pytest.approx(second.interval(0.95), rel=1e-14)


def test_the_seed_tells_one_draw_from_another() -> None:
    change = Differences(np.random.default_rng(2).normal(0.02, 0.1, 40))
    drawn = [change.p("permutation", seed=seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


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


@pytest.mark.parametrize("alpha", [1e-17, 1e-50])
def test_levels_below_what_one_minus_them_can_say(alpha: float) -> None:
    n = queries_needed(0.01, 0.1, alpha=alpha)
    drops = [detectable_drop(own, 0.1, alpha=alpha) for own in (n, n - 1)]
    assert drops[0] <= 0.01 < drops[1]


def test_wrong_corrections_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="'correction' parameter of correct_p_values"):
        correct_p_values([0.1], "tukey")
    with pytest.raises(ValueError, match=r"p-values lie in \[0, 1\]"):
        correct_p_values([-0.1], "bh")


# Differences of any size: nothing overflows -----------------------------------------------------

SAMPLE = np.array([0.5, 1.0, -0.75, 0.25, 1.5, 0.125])
WEIGHTS = np.array([1.0, 2, 1, 4, 1, 2])
LARGE = 2.0**1023
"""Six such numbers have no sum in float64."""


@pytest.mark.parametrize("unit", [2.0**-900, LARGE])
@pytest.mark.parametrize("weights", [None, WEIGHTS, WEIGHTS * 2.0**1020])
def test_means_and_errors_scale(unit: float, weights: FloatArray | None) -> None:
    own = None if weights is None else WEIGHTS
    assert mean_of(SAMPLE * unit, weights) == mean_of(SAMPLE, own) * unit
    assert error_of_mean(SAMPLE * unit, weights) == error_of_mean(SAMPLE, own) * unit


@every_test
def test_no_p_value_depends_on_the_unit(test: PairedTest) -> None:
    assert Differences(SAMPLE * LARGE, None, LARGE).p(test) == Differences(SAMPLE).p(test)


def test_intervals_scale() -> None:
    large, small = Differences(SAMPLE * LARGE / 4, None, LARGE), Differences(SAMPLE)
    low, high = small.interval(0.95)
    assert large.interval(0.95) == pytest.approx((low * LARGE / 4, high * LARGE / 4), rel=1e-14)
