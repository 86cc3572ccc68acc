"""Settings of a project, for all its gates."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

Correction = Literal["holm", "bh", "none"]
Test = Literal["t", "permutation"]
Ratchet = Literal["notice", "require", "off"]
PassIf = Literal["unless_worse", "proven"]
CannotTell = Literal["ci", "fail", "warn"]
UnjudgedPolicy = Literal["irrelevant", "condense", "bounds"]


def ini_name(name: str) -> str:
    """A setting in an ini file; ``pass`` alone is no name of an argument."""
    return "rank_pass" if name == "pass_if" else f"rank_{name}"


def _setting(default: Any, meaning: str) -> Any:
    return field(default=default, metadata={"meaning": meaning})


class SettingError(ValueError):
    """A setting has a value that its rule does not allow."""


@dataclass(frozen=True, eq=False, repr=False)
class Settings:
    """Settings of gates: what each is called, its type and default, stated here and nowhere else.

    In an ini file each is called ``rank_<name>``; some may be overridden by a gate.
    """

    alpha: float = _setting(0.05, "level of the test over all queries")
    # Low, so that slices add few false alarms to those of the test over all queries.
    slice_alpha: float = _setting(0.02, "level of the test over slices")
    confirm: bool = _setting(True, "whether only significant drops fail")
    min_queries: int = _setting(25, "with fewer queries significance excuses nothing")
    min_slice_size: int = _setting(10, "smaller slices are shown, not judged")
    hard_drop: float = _setting(0.05, "drop of a bounded measure that is never excused; 0: none")
    correction: Correction = _setting("holm", "correction of p-values: holm, bh or none")
    test: Test = _setting("t", "paired test: t or permutation")
    pass_if: PassIf = _setting(
        "unless_worse", "what passes: unless_worse, or only what is proven not to exceed max_drop"
    )
    seed: int = _setting(0, "seed of the permutations")
    worst_queries: int = _setting(5, "queries in the table of a failure")
    ratchet: Ratchet = _setting("notice", "an unrecorded improvement: notice, require or off")
    unjudged: UnjudgedPolicy = _setting(
        "irrelevant", "unjudged items: irrelevant, condense or bounds"
    )
    max_new_unjudged: float = _setting(
        0.05, "rise of the share of unjudged items on top that a headline need not name"
    )
    # Nobody reads the warnings of a green run in CI.
    cannot_tell: CannotTell = _setting(
        "ci", "a gate that cannot tell: ci (fails where CI is set), fail or warn"
    )
    strict: bool = _setting(False, "as --rank-strict")

    def __post_init__(self) -> None:
        for name in ("alpha", "slice_alpha", *(("hard_drop",) if self.hard_drop != 0 else ())):
            self._need(name, "be a number in (0, 1)", float, lambda value: 0 < value < 1)
        self._need("max_new_unjudged", "be a number in [0, 1]", float, lambda own: 0 <= own <= 1)
        counts = {"min_queries": 0, "min_slice_size": 2, "seed": 0, "worst_queries": 0}
        for name, low in counts.items():
            self._need(name, f"be an int of at least {low}", int, partial(operator.le, low))
        choices = {"correction": Correction, "test": Test, "pass_if": PassIf, "ratchet": Ratchet}
        choices |= {"unjudged": UnjudgedPolicy, "cannot_tell": CannotTell}
        for name, kind in choices.items():
            words = get_args(kind)
            self._need(name, f"be one of {', '.join(words)}", str, words.__contains__)
        self._need("confirm", "be a bool", bool, lambda _: True)

    def _need(self, name: str, rule: str, kind: type, holds: Callable[[Any], bool]) -> None:
        """SettingError unless a value is of its kind and holds; a bool is no number."""
        value = getattr(self, name)
        kinds = (int, float) if kind is float else kind
        is_kind = isinstance(value, kinds) and isinstance(value, bool) is (kind is bool)
        if not is_kind or not holds(value):
            msg = f"{name} must {rule}, got {value!r}"
            raise SettingError(msg)


@dataclass(eq=False, repr=False)
class Writing:
    """Options of the command line that write baselines."""

    update: bool = False
    """Missing baselines are written and exceeded ones raised; none is lowered."""
    accept: tuple[str, ...] = ()
    """Gates, as globs, whose baselines may also be lowered."""
    reason: str = ""
    """Why; stored in the file."""
    baseline_dir: Path | None = None
    """Read baselines below it instead of beside their tests; nothing is written there."""

    @property
    def writes(self) -> bool:
        """Whether baselines may be written."""
        return self.update or bool(self.accept)


def in_ci() -> bool:
    """Whether this runs in continuous integration, where nothing that writes may end green."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
