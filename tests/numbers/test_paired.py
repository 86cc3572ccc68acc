"""Paired differences: by enumeration, the binomial distribution, SciPy's and statsmodels'."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special, stats

from sklearn_rank.statistics import randomization
from sklearn_rank.statistics.means import robust_error
from sklearn_rank.statistics.paired import PairedDifferences, sign_flips
from sklearn_rank.statistics.randomization import holm
from sklearn_rank.statistics.student import beta_quantile, least_found, t_quantile
from sklearn_rank.support.segments import mean_of
from sklearn_rank.typing import FloatArray

HALF = np.full(3, 0.5)
of = PairedDifferences.of

KINDS = {
    "hits": lambda rng, n: rng.integers(-1, 2, n) * 1.0,
    "P@10": lambda rng, n: rng.integers(-5, 6, n) / 10,
    "reciprocal ranks": lambda rng, n: 1 / rng.integers(1, 6, n) - 1 / rng.integers(1, 6, n),
    "continuous": lambda rng, n: rng.normal(0.02, 0.15, n),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(params=["exact", "approximated"])
def way(request: Any, monkeypatch: Any) -> str:
    """Both sides of the border from which on the distribution is approximated."""
    if request.param == "approximated":
        monkeypatch.setattr(randomization, "MOST", 0)
    return request.param


def enumerated(steps: FloatArray) -> float:
    """Share of all signs whose sum is as far from 0; of 12 steps, 4,096."""
    signs = np.array([*itertools.product((-1, 1), repeat=len(steps))])
    return float((np.abs(signs @ steps) >= abs(steps.sum())).mean())


def in_steps(change: FloatArray) -> FloatArray:
    return np.rint(change * 1000 - 0.01 * np.sign(change))  # halves towards 0


# The p-value -------------------------------------------------------------------------------------


def test_three_queries_by_hand() -> None:
    # Changes of -0.1, -0.2 and -0.3: mean -0.2, standard deviation 0.1, error 0.1 / sqrt(3).
    found = of(HALF - [0.1, 0.2, 0.3], HALF)
    assert (len(found), found.n_changed, found.wins, found.losses, found.ties) == (3, 3, 0, 3, 0)
    assert (found.mean, found.drop, found.deviation) == pytest.approx((-0.2, 0.2, 0.1))
    # Three coins that all fall alike.
    assert found.p == 2 / 8
    # Three changes, two degrees of freedom; the largest change once more, a third of 0.3. The
    # upper end of .118 is no news: the test does not reject 0.
    reach = stats.t.ppf(0.975, 2) * math.hypot(0.1 / math.sqrt(3), 0.1)
    assert found.interval() == pytest.approx((-0.2 - reach, -0.2 + reach))


@every_kind
def test_it_is_that_of_all_signs(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    for _ in range(75):
        change = KINDS[kind](rng, rng.integers(2, 12))
        assert of(change).p == pytest.approx(enumerated(in_steps(change)), rel=1e-12)


@pytest.mark.parametrize(("wins", "losses"), [(3, 9), (40, 62), (500, 470), (3000, 3200)])
def test_of_hits_it_is_binomial(wins: int, losses: int) -> None:
    change = np.repeat([1.0, -1.0, 0.0], [wins, losses, 50])
    expected = stats.binomtest(wins, wins + losses).pvalue
    assert of(change).p == pytest.approx(expected, rel=1e-9)


@every_kind
def test_it_is_that_of_scipy(kind: str) -> None:
    change = np.round(KINDS[kind](np.random.default_rng(3), 14), 3)
    expected = stats.permutation_test(
        (change,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert of(change).p == pytest.approx(expected, rel=1e-9)


@every_kind
@pytest.mark.parametrize("n", [60, 400])
def test_the_approximation_is_near(kind: str, n: int, monkeypatch: Any) -> None:
    rng = np.random.default_rng(n)
    off = 0.02 if kind == "continuous" else 4 / math.sqrt(n)  # half a step of the sum
    samples = [KINDS[kind](rng, n) for _ in range(10)]
    exact = [of(change).p for change in samples]
    monkeypatch.setattr(randomization, "MOST", 0)
    assert [of(change).p for change in samples] == pytest.approx(exact, rel=off, abs=1e-9)


def test_many_changes_are_approximated_as_well_as_by_student() -> None:
    change = np.random.default_rng(0).normal(0.01, 0.2, 3000)
    assert of(change).p == pytest.approx(stats.ttest_1samp(change, 0).pvalue, rel=0.02)
    assert of(np.full(3000, 0.02)).p == 0.0 < of(np.full(1000, 0.02)).p  # 2 ** -2999


@every_kind
def test_a_query_that_gets_worse_never_raises_it(kind: str, way: str) -> None:
    rng = np.random.default_rng(len(kind) + len(way))
    for _ in range(150):
        n = int(rng.integers(3, 40) if way == "exact" else rng.integers(200, 300))
        change = KINDS[kind](rng, n)
        weights = None if rng.random() < 0.5 else rng.integers(1, 4, n) * 1.0
        clusters = None if rng.random() < 0.5 else np.arange(n) // 2
        worse = change.copy()
        worse[rng.integers(n)] -= 0.3 * rng.random()
        before, after = (
            of(own, weights=weights, clusters=clusters, bounds=(0, 1)) for own in (change, worse)
        )
        if before._steps.sum() >= 0:
            assert after.p <= before.p * (1 + 1e-12)


def test_losses_without_a_win_are_as_many_coins(way: str) -> None:
    change = -np.linspace(0.1, 0.9, 60)
    assert of(change).p == pytest.approx(2.0**-59, rel=1e-9)
    assert of(np.append(change, 0.0)).p == of(-change).p == of(change).p


def test_weights_are_factors_and_clusters_change_together() -> None:
    change, weights = np.array([0.5, -0.25, 0.125, 0.75, -0.1]), np.array([1.0, 4.0, 2.0, 1.0, 2.0])
    weighted = of(change, weights=weights)
    assert weighted.p == enumerated(in_steps(change * weights / 2))
    assert weighted.p == of(change, weights=weights * 2.0**1020).p
    clustered = of(change, clusters=[0, 1, 0, 2, 2])
    assert clustered.p == enumerated(np.array([0.625, -0.25, 0.65])) == 0.5
    assert (clustered.n_units, clustered.n_changed, clustered.units_won_and_lost) == (3, 3, (2, 1))


def test_differences_below_the_grid_are_none() -> None:
    # Half a thousandth of the range; without a range, of the greatest difference.
    changes = np.array([0.0004] * 9 + [0.3])
    assert of(changes).p == of(changes * 100, bounds=(0, 100)).p == 1.0
    unbounded = of(changes, bounds=(0, math.inf)), of(changes / 1e9, bounds=(0, math.inf))
    assert [own.p for own in unbounded] == [enumerated(np.array([1] * 9 + [1000]))] * 2
    assert of([0.0006] * 9 + [0.3]).p == enumerated(np.array([1] * 9 + [300]))


def test_recorded_values_are_tested_alike() -> None:
    # 62.5 steps of a sixteenth, and as much less as six decimals leave out.
    change = np.array([1, -0.0625, 0.3125, -0.4375, 0.1875])
    for off in (-1e-6, 1e-6):
        assert of(change + off)._steps.tolist() == of(change)._steps.tolist()


def test_less_may_be_better() -> None:
    # A lag that rises by 1, 2 and 4: mean 7/3, worse for each query.
    found = of([2.0, 3.0, 5.0], [1.0, 1.0, 1.0], greater_is_better=False, bounds=(0, math.inf))
    assert (found.wins, found.losses) == (0, 3)
    assert found.mean == found.drop == pytest.approx(7 / 3)
    assert found.drops.tolist() == [1, 2, 4]


# Degenerate cases; warnings are errors here ------------------------------------------------------


def test_nothing_changed_or_all_alike_or_there_is_no_sample() -> None:
    same = of([0.1, 0.5, 0.9], [0.1, 0.5, 0.9])
    assert (len(same), same.n_changed, same.mean, same.p, same.effect) == (3, 0, 0.0, 1.0, 0.0)
    assert all(map(math.isnan, (*same.interval(), same.detectable(0.05))))
    assert not same.is_significant(0.9999)
    for n in (0, 1):
        few = of(np.full(n, 0.5))
        assert all(map(math.isnan, (few.p, few.error, few.effect, *few.interval())))


@pytest.mark.parametrize("drop", [0.125, 0.1])
@pytest.mark.parametrize("n", [2, 3, 12])
def test_all_queries_fall_by_the_same(n: int, drop: float) -> None:
    # Subtracting 0.1 rounds differently for each value: that is no spread, either.
    old = np.linspace(0.3, 0.9, n)
    fallen = of(old - drop, old)
    assert fallen.p == 2.0 ** (1 - n)
    assert fallen.mean == pytest.approx(-drop)
    assert all(map(math.isnan, (fallen.detectable(0.05), fallen.effect)))
    low, high = fallen.interval()
    assert low < -drop < high


def test_undefined_queries_and_those_of_no_weight_are_no_pairs() -> None:
    nan, three = math.nan, of([0.4, 0.3, 0.2], [0.5] * 3)
    undefined = of([0.4, 0.3, 0.2, nan, 0.9], [0.5, 0.5, 0.5, 0.1, nan], spreads=(range(5), None))
    weightless = of([0.4, 0.3, 0.2, 0.0], [0.5] * 4, weights=[2, 2, 2, 0])
    for own in (undefined, weightless):
        assert own.change.tolist() == three.change.tolist()
        assert (own.p, own.interval()) == (three.p, three.interval())
    assert len(of([nan, nan], [nan, 1.0])) == 0
    part = undefined.take([1, 2, 4])
    assert (part.queries.tolist(), part.old.tolist()) == ([1, 2], [0.5, 0.5])
    assert part.spreads[0].tolist() == [1, 2]  # type: ignore[union-attr]


# Clusters ----------------------------------------------------------------------------------------

GOLDEN = np.array([-0.2, -0.1, -0.3, 0, 0.1, 0, 0.05, -0.05, 0.2, 0.1])


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
    found = of(GOLDEN, clusters=[0, 0, 0, 1, 1, 1, 2, 2, 3, 3])
    assert found.error == pytest.approx(math.sqrt(square) / 10, rel=1e-12)
    assert found.error == pytest.approx(0.0774366, abs=5e-8)
    assert found.freedom == pytest.approx(2.861314, abs=5e-7)
    assert found.design_effect == pytest.approx((square / 100) / (GOLDEN.var(ddof=1) / 10))
    # The second cluster rises, the third stays: -6 + 1 + 3 is the least of all sums.
    assert (found.n_units, found.n_changed, found.p) == (4, 3, 1.0)


@pytest.mark.parametrize("seed", range(6))
def test_errors_of_clusters_are_those_of_matrices(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(8, 40))
    clusters = generator.permutation(np.append(np.arange(4), generator.integers(0, 7, n - 4)))
    change = generator.normal(0, 0.2, n) + 0.1 * clusters
    for weights in (None, generator.geometric(0.3, n) * 1.0, generator.random(n) ** 3):
        found = of(change, weights=weights, clusters=clusters)
        shares = np.ones(n) if weights is None else weights
        expected = by_matrices(change, shares, clusters)
        assert (found.error, found.freedom) == pytest.approx(expected, rel=1e-10)


def test_repeats_of_a_query_say_nothing_more() -> None:
    once = np.round(np.random.default_rng(3).normal(0.05, 0.2, 24) * 8) / 8
    single, found = of(once), of(np.repeat(once, 4), clusters=np.repeat(np.arange(24), 4))
    assert found.p == pytest.approx(single.p, rel=1e-9)
    assert found.interval(0.9) == pytest.approx(single.interval(0.9), rel=1e-9)
    assert 96 / found.design_effect == pytest.approx(24, rel=0.1)
    own = of(once, clusters=np.arange(24)[::-1])
    assert (own.p, own.design_effect) == (single.p, pytest.approx(1.0))


def test_few_clusters_and_labels() -> None:
    cancelled = of([0.1, 0.2, -0.3, -0.4, 0.4, 0.25], clusters=[0, 0, 0, 1, 1, 2])
    assert (cancelled.n_units, cancelled.n_changed) == (3, 1)
    thirds = np.array([1, 1, -2, 3, 0, 0]) / 3
    rounded = of(thirds.round(6), clusters=[0, 0, 0, 1, 1, 2])
    assert (rounded.n_changed, rounded.units_won_and_lost) == (1, (1, 0))
    alone = of(GOLDEN, clusters=np.zeros(10, np.int64))
    assert all(map(math.isnan, (alone.p, *alone.interval(), alone.design_effect)))


# Intervals, and what is significant --------------------------------------------------------------


def _samples(name: str, n: int, rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Changes and their true mean."""
    if name == "normal":
        return rng.normal(-0.03, 0.15, n), -0.03
    if name == "zero-inflated":
        return -rng.beta(1, 4, n) * (rng.random(n) < 0.1), -0.02
    if name == "hits":
        return rng.choice([-1.0, 1.0, 0.0], n, p=[0.12, 0.06, 0.82]), -0.06
    ranks = rng.geometric(0.4, (2, n))
    fell = np.minimum(1 / ranks[1], 0.5)  # what stood first stands second
    return np.where(rng.random(n) < 0.3, fell - 1 / ranks[0], 0.0), 0.3 * (
        sum(0.4 * 0.6**r * min(1 / (r + 1), 0.5) for r in range(99))
        - sum(0.4 * 0.6**r / (r + 1) for r in range(99))
    )


@pytest.mark.parametrize("name", ["normal", "zero-inflated", "hits", "reciprocal ranks"])
@pytest.mark.parametrize("n", [25, 60])
def test_intervals_cover(name: str, n: int) -> None:
    rng, held = np.random.default_rng(n), []
    while len(held) < 400:
        change, true = _samples(name, n, rng)
        if change.any():
            low, high = of(change).interval()
            held.append(low <= true <= high)
    assert np.mean(held) > 0.93 - 0.025


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.0, 0.02, 0.1, 0.3]), min_size=2, max_size=9),
    st.integers(0, 30),
    st.sampled_from([0.8, 0.9, 0.9375, 0.95]),
    st.booleans(),
    st.booleans(),
)
@example([-0.1] * 5, 0, 0.9375, True, True)  # 5 coins are 1/16
def test_an_interval_agrees_with_the_test(
    changes: list[float], more: int, level: float, whole: bool, greater: bool
) -> None:
    own = np.array([*changes, *[0.0] * more])
    found = of(
        own,
        weights=np.arange(1.0, len(own) + 1),
        clusters=None if whole else np.arange(len(own)) // 2,
        greater_is_better=greater,
        bounds=(0.0, 1.0),
    )
    low, high = found.interval(level)
    if math.isnan(low):
        return
    assert -1 <= low <= found.mean + 1e-12
    assert found.mean - 1e-12 <= high <= 1
    gain, loss = (low > 0, high <= 0) if greater else (high < 0, low >= 0)
    if found.p > 1 - level + 1e-9:
        assert low <= 0 <= high
    elif found.drop > 1e-12:
        assert loss
    assert found.is_significant(round(1 - level, 9)) == (
        found.p <= 1 - level + 1e-9 and (gain or found.drop > 0)
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gain_that_one_query_makes_reaches_below_zero(sign: int) -> None:
    """Nine tiny gains and a large one: 2^-9 by the test, and the interval is not cut at 0."""
    found = of([*[0.01 * sign] * 9, 1.0 * sign], greater_is_better=sign > 0)
    assert found.p == 2**-9
    near, far = (end * sign for end in found.interval()[::sign])
    assert near < -0.1 < found.mean * sign < far
    assert not found.is_significant(0.05)


def test_what_student_alone_is_sure_of_is_no_gain() -> None:
    # Four coins that fall alike: 1/8.
    assert of([0.2, 0.2, 0.25, 0.2]).interval()[0] == 0.0
    assert of([-0.2, -0.2, -0.25, -0.2]).interval()[1] == 0.0
    assert not of([0.2, 0.2, 0.25, 0.2]).is_significant(0.05)


def test_many_tiny_gains_are_no_gain_of_the_mean() -> None:
    change = np.append(np.full(14, 0.01), [-0.02, *np.zeros(15)])
    fell, rose = of(-change), of(change)
    assert fell.p == rose.p < 0.05
    assert fell.is_significant(0.05)
    assert fell.interval()[1] <= 0.0
    assert rose.is_significant(0.05) == (rose.interval()[0] > 0)
    uneven = of(np.append(np.full(14, 0.01), [-0.10, *np.zeros(15)]))
    assert not uneven.is_significant(0.05)
    # A corrected p-value decides instead.
    assert not fell.is_significant(0.05, 0.06)
    assert not fell.is_significant(0.05, math.nan)


# Power -------------------------------------------------------------------------------------------


def test_detectable_changes_are_found() -> None:
    rng = np.random.default_rng(0)
    least = of(rng.normal(0, 0.15, 60)).detectable(0.05)
    exact = least_found(0.15 / math.sqrt(60), 59, 0.05, 0.8)
    assert least == pytest.approx(exact, rel=0.2)
    found = [of(rng.normal(-exact, 0.15, 60)).is_significant(0.05) for _ in range(400)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


def test_of_few_changes_none_is_said_to_be_detectable() -> None:
    changes = np.append(np.linspace(-0.3, 0.1, 9), np.zeros(50))
    assert math.isnan(of(changes).detectable(0.05))
    assert of(np.append(changes, 0.05)).detectable(0.05) > 0


def test_the_power_is_that_of_the_noncentral_t() -> None:
    for n in (5, 10, 58, 3000, 10**6):
        drop = least_found(0.15 / math.sqrt(n), n - 1, 0.1, 0.8)
        critical = stats.t.ppf(0.95, n - 1)
        power = stats.nct.sf(critical, n - 1, drop / 0.15 * math.sqrt(n))
        assert power == pytest.approx(0.8, abs=0.02 / n)


@pytest.mark.parametrize("alpha", [1e-17, 1e-50])
def test_levels_below_what_one_minus_them_can_say(alpha: float) -> None:
    needed = stats.norm.isf(alpha / 2) + stats.norm.isf(0.2)
    assert least_found(1e-6, 1e12, alpha, 0.8) == pytest.approx(needed * 1e-6)


def test_limits_cut_what_is_found() -> None:
    # Below .03 nothing is found, and .03 itself in half of all samples; beyond .05 anything is.
    assert least_found(0.02, 30, 0.1, 0.05) == pytest.approx(0.0, abs=1e-4)
    assert least_found(0.001, 30, 0.1, 0.5, least=0.03) == pytest.approx(0.03)
    assert least_found(0.1, 30, 0.1, 0.5, most=0.05) == pytest.approx(0.05)
    assert least_found(0.1, 30, 0.1, 0.5, least=0.06, most=0.05) == pytest.approx(0.06)


# Random signs ------------------------------------------------------------------------------------


def test_flips_are_those_of_the_null() -> None:
    rng = np.random.default_rng(5)
    change = np.append(rng.normal(0, 0.2, 9), np.zeros(4))
    first, second = of(change), of(np.abs(change), greater_is_better=False)
    found, other = sign_flips([first, second])
    assert len(found.p) == 2**9  # all
    signs = np.array([*itertools.product((-1, 1), repeat=9)])
    sums = signs @ change[:9]
    assert sorted(found.drops) == pytest.approx(sorted(sums / 13))
    assert np.mean(found.p <= first.p) == pytest.approx(first.p)
    both = [(of.lost >= 2) & (of.won == 0) for of in (found, other)]
    assert both[0].sum() == both[1].sum() == 1
    (one,) = sign_flips([of([-0.5, 0.0, 0.0])])
    assert (one.p.tolist(), one.lost.max()) == ([1.0, 1.0], 1)
    # The same units change their signs in both.
    assert np.abs(np.corrcoef(found.drops, other.drops)[0, 1]) < 1
    assert sorted(np.abs(other.drops)) == pytest.approx(sorted(np.abs(found.drops)))
    same = sign_flips([first, first.take(range(5))])
    assert np.corrcoef(same[0].drops, same[1].drops)[0, 1] > 0.5


@pytest.mark.parametrize("n", [60, 3000])
def test_random_flips_have_the_rate_of_the_level(n: int) -> None:
    rng = np.random.default_rng(n)
    change, order = rng.normal(-0.02, 0.1, n), rng.permutation(n)
    (found,) = sign_flips([of(change)])
    assert np.mean(found.p <= 0.1) == pytest.approx(0.1, abs=0.015)
    (turned,) = sign_flips([of(change[order])])
    assert turned.drops == pytest.approx(found.drops, abs=1e-12)
    clusters = rng.integers(0, n // 3, n)
    (clustered,) = sign_flips([of(change, clusters=clusters)])
    assert clustered.drops.std() == pytest.approx(of(change, clusters=clusters).error, rel=0.2)


# Families, quantiles and sizes -------------------------------------------------------------------


def test_holm_is_that_of_statsmodels() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    # 3 x 0.020 = 0.060, and nothing that follows falls below it.
    assert holm([0.020, 0.024, 0.030]) == pytest.approx([0.06, 0.06, 0.06])
    # Rounded, so that some are equal; and two that were not tested.
    columns = np.round(np.random.default_rng(0).random((20, 3)) ** 3, 2)
    for found, p in zip(holm(columns).T, columns.T, strict=True):
        expected = multitest.multipletests(p, method="holm")[1]
        assert found == pytest.approx(expected, rel=1e-12)
        padded = holm([math.nan, *p, math.nan])
        assert np.isnan(padded[[0, -1]]).all()
        assert padded[1:-1] == pytest.approx(expected, rel=1e-12)
    assert holm([]).tolist() == []


def test_quantiles_are_those_of_scipy() -> None:
    is_exact = special.stdtrit(2, 0.6) == pytest.approx(1 / math.sqrt(12), rel=1e-14)
    nearly = 1e-10 if is_exact else 1e-8  # old versions of SciPy have nine digits
    assert t_quantile(0.6, 2) == pytest.approx(1 / math.sqrt(12), rel=1e-14)
    shares = [0.5, 0.51, 0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 0.99999, 1 - 1e-7, 0.3, 0.025, 1e-9]
    for freedom in (1, 1.3, 2, 2.7, 5, 10.5, 50, 99, 300, 999.9, 1000, 5000, 10**6):
        found = [t_quantile(share, freedom) for share in shares]
        assert found == pytest.approx(special.stdtrit(freedom, shares), rel=nearly)
    for n in (1, 2, 5, 30, 500, 10**6):
        for k in {1, (n + 1) // 2, n}:
            found = [beta_quantile(share, k, n - k + 1) for share in (0.025, 0.5, 0.9995)]
            expected = special.betaincinv(k, n - k + 1, [0.025, 0.5, 0.9995])
            assert found == pytest.approx(expected, rel=1e-9)


def test_the_order_of_queries_changes_no_bit() -> None:
    generator = np.random.default_rng(2)
    change, weights = generator.normal(0.02, 0.1, 40), generator.integers(1, 3, 40) * 1.0
    turned = generator.permutation(40)
    first, second = of(change, weights=weights), of(change[turned], weights=weights[turned])
    assert first.p == second.p
    assert first.interval() == pytest.approx(second.interval(), rel=1e-14)


SAMPLE = np.array([0.5, 1.0, -0.75, 0.25, 1.5, 0.125])
WEIGHTS = np.array([1.0, 2, 1, 4, 1, 2])
LARGE = 2.0**1023
"""Six such numbers have no sum in float64."""


@pytest.mark.parametrize("unit", [2.0**-900, LARGE / 4])
@pytest.mark.parametrize("weights", [None, WEIGHTS, WEIGHTS * 2.0**1020])
def test_nothing_overflows(unit: float, weights: FloatArray | None) -> None:
    own = None if weights is None else WEIGHTS
    assert mean_of(SAMPLE * unit, weights) == mean_of(SAMPLE, own) * unit
    assert robust_error(SAMPLE * unit, weights)[0] == robust_error(SAMPLE, own)[0] * unit
    options: dict[str, Any] = {"bounds": (0, math.inf)}
    large, small = of(SAMPLE * unit, weights=weights, **options), of(SAMPLE, weights=own, **options)
    assert large.p == small.p
    low, high = small.interval()
    assert large.interval() == pytest.approx((low * unit, high * unit), rel=1e-12)
