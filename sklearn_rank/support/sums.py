"""Sums that are the same bits in any order of the values, and that never overflow."""

from __future__ import annotations

import math

import numpy as np

from sklearn_rank.typing import FloatArray


def in_unit(values: FloatArray) -> tuple[FloatArray, int]:
    """The values divided by a power of two, so that the largest is at most 1; and its exponent.

    Their sums and products neither overflow nor lose digits, and the power does not depend on the
    order of the values.
    """
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def exact_sum(values: FloatArray) -> float:
    """``math.fsum`` of many values between -1 and 1, bit for bit, but faster.

    Each value is split into a multiple of a power of two, short enough that float64 adds all of
    them without rounding, and a rest, which is split again. What then remains is rare, and is left
    to ``math.fsum``.
    """
    bits = 53 - len(values).bit_length()
    sums, rest, parts = [], values.copy(), np.empty_like(values)
    for scale in (2.0**bits, 4.0**bits):
        np.multiply(rest, scale, out=parts)
        np.rint(parts, out=parts)
        parts /= scale
        sums.append(float(parts.sum()))
        rest -= parts
    return math.fsum([*sums, *rest[rest != 0].tolist()])
