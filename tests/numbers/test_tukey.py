"""Tests of all pairs at once: by enumeration, and against SciPy and statsmodels."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.statistics.resampling import parametric_tukey, randomised_tukey


def additive(seed: int, n_queries: int, systems: tuple[float, ...]) -> np.ndarray:
    """Queries of quite different difficulty, systems that are that much better, and noise."""
    generator = np.random.default_rng(seed)
    return (
        generator.random((n_queries, 1))
        + np.array(systems)
        + generator.normal(0, 0.1, (n_queries, len(systems)))
    )


def test_shuffles_by_enumeration() -> None:
    values = np.array([[0.1, 0.2, 0.9], [0.3, 0.35, 0.5], [0.2, 0.8, 0.6]])
    observed = np.abs(values.mean(0)[:, None] - values.mean(0))
    means = [
        np.mean([row[list(order)] for row, order in zip(values, orders, strict=True)], axis=0)
        for orders in itertools.product(itertools.permutations(range(3)), repeat=3)
    ]
    together = np.mean([np.ptp(mean) >= observed - 1e-12 for mean in means], axis=0)
    alone = np.mean([np.abs(mean[:, None] - mean) >= observed - 1e-12 for mean in means], axis=0)
    # Three queries are no surer than three coins that all fall alike.
    together, alone = (np.maximum(p, 2 * 0.5**3 * (observed > 0)) for p in (together, alone))
    found = randomised_tukey(values, None, 20_000, 0)
    assert found.p_corrected == pytest.approx(together, abs=0.015)
    assert found.p == pytest.approx(alone, abs=0.015)
    assert found.reach(0.9) == pytest.approx(np.quantile([np.ptp(m) for m in means], 0.9), abs=0.01)


def test_neither_order_changes_a_bit() -> None:
    values = additive(0, 20, (0.0, 0.03, 0.05, 0.1))
    queries, systems = np.random.default_rng(1).permutation(20), [2, 0, 3, 1]
    first = randomised_tukey(values, None, 500, 7)
    second = randomised_tukey(values[queries][:, systems], None, 500, 7)
    assert np.array_equal(first.p[np.ix_(systems, systems)], second.p)
    assert np.array_equal(first.p_corrected[np.ix_(systems, systems)], second.p_corrected)


def test_a_p_value_is_never_0_and_1_where_nothing_differs() -> None:
    apart = randomised_tukey(additive(0, 30, (0.0, 5.0)), None, 99, 0)
    assert apart.p_corrected[0, 1] == 1 / 100
    alike = randomised_tukey(np.tile(np.random.default_rng(0).random((9, 1)), 3), None, 99, 0)
    assert (alike.p_corrected == 1).all()
    assert (alike.p == 1).all()


@pytest.mark.parametrize("test", ["tukey", "anova"])
def test_copies_of_the_baseline_make_four_changed_queries_no_surer(test: str) -> None:
    values = np.ones((40, 4))
    values[:4, 0] = 0.5, 0.5, 0.5, 0.25
    found = randomised_tukey(values, None, 999, 0) if test == "tukey" else parametric_tukey(values)
    assert found.p[0, 1] == found.p_corrected[0, 1] == 2 * 0.5**4


def test_weights_weigh_what_is_shuffled() -> None:
    values = additive(3, 12, (0.0, 0.05, 0.1))
    weights = np.array([1.0, 2.0] * 6)
    found = randomised_tukey(values, weights, 999, 0)
    # A query of twice the weight moves twice as much of the mean.
    expected = randomised_tukey(values * weights[:, None] * 12 / 18, None, 999, 0)
    assert np.array_equal(found.p_corrected, expected.p_corrected)


@pytest.mark.parametrize("systems", [(0.0, 0.04), (0.0, 0.02, 0.05, 0.08)])
def test_the_parametric_test_is_that_of_statsmodels(systems: tuple[float, ...]) -> None:
    studentized = pytest.importorskip("statsmodels.stats.libqsturng")
    values = additive(1, 30, systems)
    n, m = values.shape
    found = parametric_tukey(values)
    # Residuals by least squares: an indicator for each query and for each system but one.
    design = np.hstack([np.kron(np.eye(n), np.ones((m, 1))), np.tile(np.eye(m)[:, 1:], (n, 1))])
    _, squares, rank, _ = np.linalg.lstsq(design, values.ravel(), rcond=None)
    error = math.sqrt(squares[0] / (n * m - rank) / n)
    for first, second in itertools.combinations(range(m), 2):
        q = abs(values.mean(0)[first] - values.mean(0)[second]) / error
        expected = float(np.ravel(studentized.psturng(q, m, (n - 1) * (m - 1)))[0])
        # Their tables are interpolated, roughly above 0.1, and end at 0.9 and 0.001.
        ours = min(max(found.p_corrected[first, second], 0.001), 0.9)
        assert ours == pytest.approx(expected, abs=2e-3 if expected < 0.1 else 0.03)
        again = found.reach(1 - found.p_corrected[first, second])
        assert again == pytest.approx(q * error, rel=1e-3)


def test_two_systems_are_the_paired_t_test() -> None:
    values = additive(2, 25, (0.0, 0.05))
    expected = stats.ttest_rel(values[:, 1], values[:, 0]).pvalue
    found = parametric_tukey(values)
    assert found.p[0, 1] == pytest.approx(expected, rel=1e-9)
    assert found.p_corrected[0, 1] == pytest.approx(expected, rel=1e-6)


def test_shuffles_agree_with_the_parametric_test_where_both_hold() -> None:
    values = additive(4, 60, (0.0, 0.02, 0.04, 0.05))
    by_chance, by_theory = randomised_tukey(values, None, 4999, 0), parametric_tukey(values)
    assert by_chance.p_corrected == pytest.approx(by_theory.p_corrected, abs=0.05)
    assert by_chance.reach(0.95) == pytest.approx(by_theory.reach(0.95), rel=0.1)


def test_without_residuals_the_signs_are_all_there_is() -> None:
    values = np.array([[0.1, 0.3], [0.4, 0.6], [0.2, 0.4], [0.5, 0.7]])
    found = parametric_tukey(values)
    assert found.p_corrected[0, 1] == 2 / 2**4
    assert math.isnan(found.reach(0.95))
