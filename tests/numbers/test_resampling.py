"""The bootstrap and sign flips: against SciPy, by enumeration, and what they cost."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.statistics import mean_confidence_interval
from sklearn_rank.statistics.differences import compare_paired
from sklearn_rank.support import runtime


@pytest.mark.parametrize("seed", range(3))
def test_the_bootstrap_is_scipys(seed: int) -> None:
    values = np.random.default_rng(seed).beta(5, 1, 40)
    interval = mean_confidence_interval(values, method="bootstrap", n_resamples=20_000)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, random_state=np.random.default_rng(9)
    ).confidence_interval
    assert interval == pytest.approx((expected.low, expected.high), abs=0.003)


def test_the_weighted_bootstrap_is_scipys() -> None:
    rng = np.random.default_rng(3)
    values, weights = rng.random(30), rng.geometric(0.3, 30).astype(np.float64)

    def mean(values, weights, axis=-1):
        return (values * weights).sum(axis=axis) / weights.sum(axis=axis)

    expected = stats.bootstrap(
        (values, weights),
        mean,
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        random_state=np.random.default_rng(9),
    ).confidence_interval
    interval = mean_confidence_interval(
        values, weights=weights, method="bootstrap", n_resamples=20_000
    )
    assert interval == pytest.approx((expected.low, expected.high), abs=0.005)


def test_all_flips_are_counted_once_and_sums_tie_in_spite_of_rounding() -> None:
    # 0.3 - 0.1 - 0.2 is no exact 0 in float64, but a tie among sign flips.
    change = np.array([0.1, 0.2, -0.3, -0.1, -0.2])
    flips = [np.dot(signs, np.rint(change * 10)) for signs in itertools.product((1, -1), repeat=5)]
    expected = np.mean([flip <= np.rint(change * 10).sum() for flip in flips])
    compared = compare_paired(0.5 + change, np.full(5, 0.5), test="permutation")
    assert compared.p == pytest.approx(expected)


def test_random_flips_find_the_p_value_of_all() -> None:
    rng = np.random.default_rng(0)
    change = rng.normal(-0.05, 0.1, 12)
    every = compare_paired(change, np.zeros(12), test="permutation", n_resamples=2**12)
    some = compare_paired(change, np.zeros(12), test="permutation", n_resamples=2**12 - 1)
    # The standard error of a share p of 4,095 flips.
    error = np.sqrt(every.p * (1 - every.p) / 4095)
    assert every.p * 2**12 == pytest.approx(round(every.p * 2**12))
    assert 0 < abs(some.p - every.p) < 4 * error


def test_unchanged_queries_neither_help_nor_hinder() -> None:
    change = np.array([-0.3, -0.2, 0.1, -0.4])
    alone = compare_paired(change, np.zeros(4), test="permutation")
    among = compare_paired(
        np.concatenate((change, np.zeros(500))), np.zeros(504), test="permutation"
    )
    assert alone.p == among.p == pytest.approx(2 / 16)


def test_permutations_agree_with_students_t_where_both_hold() -> None:
    rng = np.random.default_rng(4)
    change = rng.normal(-0.01, 0.1, 400)
    flips = compare_paired(change, np.zeros(400), test="permutation")
    assert flips.p == pytest.approx(compare_paired(change, np.zeros(400)).p, abs=0.02)


def test_a_terminal_shows_progress_after_a_second(monkeypatch, capsys) -> None:
    now = iter(range(100))
    monkeypatch.setattr(runtime.time, "monotonic", lambda: next(now))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert list(runtime.with_progress(iter([2, 3, 4]), 9, "bootstrap")) == [2, 3, 4]
    assert "bootstrap" in capsys.readouterr().err


def test_elsewhere_progress_is_silent(capsys) -> None:
    assert list(runtime.with_progress(iter([2, 3, 4]), 9, "bootstrap")) == [2, 3, 4]
    assert capsys.readouterr().err == ""
