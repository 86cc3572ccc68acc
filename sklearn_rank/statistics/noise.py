"""Noise between repeated runs of one system, as a part of the variance of a mean change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sklearn_rank.typing import FloatArray


@dataclass(frozen=True)
class Noise:
    """Variance of a mean change that is due to differences between runs of one system."""

    runs: tuple[int, int]
    """Runs of the old and of the new system."""
    share: float
    """Share of the variance of the change that is noise between runs."""
    of_one: float
    """Variance of the noise with one run each, in units of the variance of the change as it is."""

    def scale(self, runs: int) -> float:
        """Standard error of the change with so many runs each, in units of that as it is."""
        return math.sqrt(max(1 - self.share, 0.0) + self.of_one / runs)


def noise_between(
    spreads: Sequence[FloatArray | None],
    runs: tuple[int, int],
    weights: FloatArray | None,
    error: float,
) -> Noise | None:
    """The noise of the mean change of some queries; None without repeats or without queries.

    ``spreads`` are the standard deviations of each query between the runs of the old and of the new
    system; one of a single run is taken to vary as the other does. ``error`` is the standard error
    of the mean change.
    """
    old, new = spreads
    old, new = (new, new) if old is None else (old, old if new is None else new)
    if old is None or new is None or not len(old):
        return None
    shares = np.full(len(old), 1 / len(old)) if weights is None else weights / weights.sum()
    parts = [float(np.nansum((shares * side) ** 2)) for side in (old, new)]
    now = sum(part / number for part, number in zip(parts, runs, strict=True))
    if not 0 < error < math.inf or not now > 0:
        return Noise(runs, 0.0, 0.0)
    share = min(now / error**2, 1.0)
    return Noise(runs, share, sum(parts) * share / now)
