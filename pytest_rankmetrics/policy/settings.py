"""What a project may set once for all its gates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Correction = Literal["holm", "bh", "none"]
Test = Literal["t", "permutation"]
Ratchet = Literal["notice", "require", "off"]


class SettingError(ValueError):
    """A setting has a value that its rule does not allow."""


@dataclass(frozen=True, eq=False, repr=False)
class Settings:
    """Settings of gates, and their defaults; in an ini file each is called ``rank_<name>``."""

    alpha: float = 0.05
    """Level of the test over all queries, in (0, 1)."""
    slice_alpha: float = 0.02
    """Level of the test over slices, in (0, 1); low, so that slices add few false alarms."""
    confirm: bool = True
    """Whether only significant drops fail."""
    min_queries: int = 25
    """With fewer queries significance excuses nothing."""
    min_slice_size: int = 10
    """Smaller slices are shown, not judged."""
    hard_drop: float = 0.05
    """Drop of a bounded measure that is never excused, in (0, 1); infinite for none."""
    correction: Correction = "holm"
    """Correction of p-values, over the measures and over the slices of a gate."""
    test: Test = "t"
    """Paired t-test or sign-flip permutations."""
    seed: int = 0
    """Seed of the permutations."""
    worst_queries: int = 5
    """Queries in a table, at least 0."""
    ratchet: Ratchet = "notice"
    """What an unrecorded improvement is: a notice, a failure ("require"), or nothing ("off")."""
    strict: bool = False
    """Whether warnings of gates, unused baselines and reruns fail."""

    def __post_init__(self) -> None:
        _between(self.alpha, "alpha", 0, 1)
        _between(self.slice_alpha, "slice_alpha", 0, 1)
        if self.hard_drop != math.inf:
            _between(self.hard_drop, "hard_drop", 0, 1)
        _at_least(self.min_queries, "min_queries", 0)
        _at_least(self.min_slice_size, "min_slice_size", 2)
        _at_least(self.seed, "seed", 0)
        _at_least(self.worst_queries, "worst_queries", 0)
        _one_of(self.correction, "correction", get_args(Correction))
        _one_of(self.test, "test", get_args(Test))
        _one_of(self.ratchet, "ratchet", get_args(Ratchet))
        if not isinstance(self.confirm, bool):
            msg = f"confirm must be a bool, got {self.confirm!r}"
            raise SettingError(msg)


def _between(value: float, name: str, low: float, high: float) -> None:
    """SettingError unless in (low, high)."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not low < value < high:
        msg = f"{name} must be a number in ({low:g}, {high:g}), got {value!r}"
        raise SettingError(msg)


def _at_least(value: int, name: str, low: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        msg = f"{name} must be an int of at least {low}, got {value!r}"
        raise SettingError(msg)


def _one_of(value: str, name: str, words: tuple[str, ...]) -> None:
    if value not in words:
        msg = f"{name} must be one of {', '.join(words)}, got {value!r}"
        raise SettingError(msg)
