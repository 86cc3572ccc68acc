"""Settings of a project, for all its gates."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

Correction = Literal["holm", "bh", "none"]
Test = Literal["t", "permutation"]
Ratchet = Literal["notice", "require", "off"]
PassIf = Literal["unless_worse", "proven"]
CannotTell = Literal["ci", "fail", "warn"]
UnjudgedPolicy = Literal["irrelevant", "condense", "bounds"]


def ini_name(name: str) -> str:
    """A setting in an ini file; ``pass`` alone is no name of an argument."""
    return "rank_pass" if name == "pass_if" else f"rank_{name}"


class SettingError(ValueError):
    """A setting has a value that its rule does not allow."""


@dataclass(frozen=True, eq=False, repr=False)
class Settings:
    """Settings of gates: what each is called, its type and default, stated here and nowhere else.

    In an ini file each is called ``rank_<name>``; some may be overridden by a gate.
    """

    alpha: Annotated[float, "level of the test over all queries"] = 0.05
    # Low, so that slices add few false alarms to those of the test over all queries.
    slice_alpha: Annotated[float, "level of the test over slices"] = 0.02
    confirm: Annotated[bool, "whether only significant drops fail"] = True
    min_queries: Annotated[int, "with fewer queries significance excuses nothing"] = 25
    min_slice_size: Annotated[int, "smaller slices are shown, not judged"] = 10
    hard_drop: Annotated[float, "drop of a bounded measure that is never excused; 0: none"] = 0.05
    correction: Annotated[Correction, "correction of p-values: holm, bh or none"] = "holm"
    test: Annotated[Test, "paired test: t or permutation"] = "t"
    pass_if: Annotated[
        PassIf, "what passes: unless_worse, or only what is proven not to exceed max_drop"
    ] = "unless_worse"
    seed: Annotated[int, "seed of the permutations"] = 0
    worst_queries: Annotated[int, "queries in the table of a failure"] = 5
    ratchet: Annotated[Ratchet, "an unrecorded improvement: notice, require or off"] = "notice"
    unjudged: Annotated[UnjudgedPolicy, "unjudged items: irrelevant, condense or bounds"] = (
        "irrelevant"
    )
    max_new_unjudged: Annotated[
        float, "rise of the share of unjudged items on top that a headline need not name"
    ] = 0.05
    # Nobody reads the warnings of a green run in CI.
    cannot_tell: Annotated[
        CannotTell, "a gate that cannot tell: ci (fails where CI is set), fail or warn"
    ] = "ci"
    strict: Annotated[bool, "as --rank-strict"] = False

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


@dataclass(frozen=True, eq=False, repr=False)
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
