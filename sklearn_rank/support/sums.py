"""Sums that are the same bits in any order of the values, and that never overflow."""

from __future__ import annotations

import math

import numpy as np

from sklearn_rank.typing import FloatArray


def in_unit(values: FloatArray) -> tuple[FloatArray, int]:
    """The values over a power of two that brings the largest to 1 or just below; its exponent.

    Sums and products of them neither overflow nor lose digits, and it is the same power in any
    order of the values.
    """
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    return np.ldexp(values, -exponent), exponent


def exact_sum(values: FloatArray) -> float:
    """``math.fsum`` of values between -1 and 1, bit for bit, where there are many of them.

    Each value is cut into a multiple of a power of two, of so few bits that float64 adds all of
    these without rounding, and a rest, which is cut again; what is left after that is rare.
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
