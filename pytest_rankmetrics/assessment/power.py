"""Which drops a gate can see: its whole rule, not the test alone."""

from __future__ import annotations

import math

import numpy as np

from pytest_rankmetrics.policy.verdicts import Rule

POWER = 0.8
_SPREADS = 200
"""Points at which the distribution of the deviation is read; more change no printed digit."""


def detectable_drop(error: float, n: int, rule: Rule, tests: int) -> float:
    """Least true drop of one measure for which the gate is red with a probability of ``POWER``.

    A gate of several measures tests at alpha over their number, as Holm's first step does (and that
    of Benjamini and Hochberg): a drop of one measure is not helped by others that stay.

    The observed drop is normal around the true one, and its sampled standard error spreads by the
    chi-squared distribution, independently; the gate is red beyond the margin and beyond the lower
    of what is significant and the hard limit. NaN without a standard error, 0 if nothing changed.
    """
    if math.isnan(error) or error == 0:
        return error
    from scipy import optimize, special, stats

    limits = np.full(_SPREADS, rule.max_drop)
    if rule.confirm and n >= rule.min_queries:
        points = (np.arange(_SPREADS) + 0.5) / _SPREADS
        sampled = error * np.sqrt(stats.chi2.ppf(points, n - 1) / (n - 1))
        significant = stats.t.ppf(1 - rule.alpha / tests, n - 1) * sampled
        limits = np.maximum(rule.max_drop, np.minimum(significant, rule.hard_drop))

    def shortfall(drop: float) -> float:
        return float(special.ndtr((drop - limits) / error).mean()) - POWER

    return float(optimize.brentq(shortfall, 0.0, float(limits.max()) + 5 * error))
