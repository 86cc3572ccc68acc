"""Sums that are the same bits in any order of the values, and that never overflow."""

from __future__ import annotations

import math

import numpy as np

from sklearn_rank.typing import FloatArray

_CHUNK = 1 << 13
"""Values of which three arrays stay in the nearest caches."""
_FEW = 400
"""Values up to which a dozen calls of NumPy cost more than ``math.fsum``."""
_PLAIN = 1000
"""2^1000 and 2^-1000 are normal numbers, by which a product is what ``ldexp`` gives."""


def in_unit(values: FloatArray) -> tuple[FloatArray, int]:
    """The values divided by a power of two, so that the largest is at most 1; and its exponent.

    Their sums and products neither overflow nor lose digits, and the power does not depend on the
    order of the values.
    """
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    exponent = math.frexp(largest)[1]
    if abs(exponent) <= _PLAIN:
        return values * 2.0**-exponent, exponent
    return np.ldexp(values, -exponent), exponent


def exact_sum(values: FloatArray) -> float:
    """``math.fsum`` of many values between -1 and 1, bit for bit, but faster.

    Each value is split into a multiple of a power of two, short enough that float64 adds all of
    them without rounding, and a rest, which is split again. What then remains is rare, and is left
    to ``math.fsum``.
    """
    if len(values) <= _FEW:
        return math.fsum(values.tolist())
    bits = 53 - len(values).bit_length()
    sums: list[float] = []
    buffer = np.empty(min(len(values), _CHUNK))
    for start in range(0, len(values), _CHUNK):
        rest = values[start : start + _CHUNK].copy()
        parts = buffer[: len(rest)]
        for scale in (2.0**bits, 4.0**bits):
            np.multiply(rest, scale, out=parts)
            np.rint(parts, out=parts)
            parts *= 1.0 / scale
            sums.append(float(parts.sum()))
            rest -= parts
        if rest.any():
            sums += rest[rest != 0].tolist()
    return math.fsum(sums)
