"""P-values: the null distribution of Fisher's test, and the correction of a family of tests."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from sklearn_rank.statistics.student import root
from sklearn_rank.typing import FloatArray, IntArray

MOST = 50_000_000
"""Additions for an exact distribution: 400 continuous changes, or 7,000 hits; some 20 ms."""
_KNOTS = 257
"""Sums whose p-values are computed if those of many are requested and none is exact."""


def holm(p_values: Any) -> FloatArray:
    """P-values of one family with Holm's correction; NaN stays and is not counted.

    Columns, if there are any, are corrected one by one.
    """
    raw = np.asarray(p_values, dtype=np.float64)
    if len(raw) == 1:
        return raw
    # The least p-value times the number of tests, the next times one less, and never falling.
    order = np.argsort(raw, axis=0)  # NaN last
    tests = (~np.isnan(raw)).sum(axis=0) - np.arange(len(raw)).reshape(-1, *[1] * (raw.ndim - 1))
    products = np.minimum(np.take_along_axis(raw, order, 0) * tests, 1.0)
    corrected = np.empty_like(raw)
    np.put_along_axis(corrected, order, np.maximum.accumulate(products, axis=0), 0)
    return corrected


class Null:
    """Two-sided p-values of sums of integer steps, each of which has a random sign."""

    def __init__(self, steps: IntArray) -> None:
        self.sizes = np.sort(np.abs(steps[steps != 0]))

    def p(self, sums: Any) -> FloatArray:
        """Probability of a sum at least as far from 0, for each sum."""
        far: IntArray = np.minimum(np.abs(np.asarray(sums)), self.sizes.sum())
        if self._tails is not None:
            unit, tails = self._tails
            exact: FloatArray = tails[far // unit]
            return exact
        if far.size == 1:
            return np.full(far.shape, self._approximate(int(far.item())))
        # The logarithm of p is smooth in the sum: between exact knots it is almost a line.
        knots = np.unique(np.linspace(0, far.max(), _KNOTS).astype(np.int64))
        logs = np.log([max(self._approximate(int(knot)), 1e-300) for knot in knots])
        between: FloatArray = np.exp(np.interp(far, knots, logs))
        return between

    @cached_property
    def _tails(self) -> tuple[int, FloatArray] | None:
        """The unit of all sums, and exact p-values of 0, 1, ... units; None: too costly.

        Uses one convolution per step.
        """
        unit = max(int(np.gcd.reduce(self.sizes)), 1)
        sizes = self.sizes // unit
        total = int(sizes.sum())
        if len(sizes) * total > MOST:
            return None
        # Of the sum of those steps that have the sign +: the sum of all is twice that minus total.
        # Each step is left out or added with probability 1/2: null(s) becomes half of
        # null(s) + null(s - size). The null of the first steps ends at upto, and grows in place.
        null, upto = np.zeros(total + 1), 1
        null[0] = 1.0
        for size in sizes.tolist():
            half = null[:upto] / 2
            null[:upto] = half
            null[size : size + upto] += half
            upto += size
        upper = np.cumsum(null[::-1])[::-1]
        # |2 s - total| >= far where s >= (total + far) / 2, rounded up, or on the other side,
        # which is as likely.
        tails = 2 * upper[(total + 1 + np.arange(total + 1)) // 2]
        tails[0] = 1.0
        return unit, np.minimum(tails, 1.0)

    def _approximate(self, far: int) -> float:
        """The saddlepoint approximation of Lugannani and Rice (1980), twice its upper tail.

        The cumulant function of the sum is K(t), the sum of log cosh(t d). At the saddlepoint t
        its slope is the sum whose tail is asked for.
        """
        d, least = self.sizes.astype(np.float64), 2.0 ** max(1 - len(self.sizes), -1074)
        if far == 0:
            return 1.0
        if far >= self.sizes.sum():
            return least

        def excess(t: float) -> tuple[float, float]:
            tanh = np.tanh(t * d)  # K' and K'' are sums of d tanh and d^2 (1 - tanh^2)
            return float(d @ tanh) - far, float(d * d @ (1 - tanh * tanh))

        t = root(excess, 0.0, math.inf, far / float(d @ d))
        a = t * d
        # K(t), by log cosh a = a + log1p(exp(-2 a)) - log 2, which does not overflow.
        cumulants = float((a + np.log1p(np.exp(-2 * a)) - math.log(2)).sum())
        w = math.sqrt(max(2 * (t * far - cumulants), 0.0))
        u = t * math.sqrt(excess(t)[1])
        if min(w, u) < 1e-5:  # at the centre 1/u - 1/w is 0/0, and both tails are all there is
            return 1.0
        density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
        tail = math.erfc(w / math.sqrt(2)) + 2 * density * (1 / u - 1 / w)
        return min(1.0, max(tail, least))
