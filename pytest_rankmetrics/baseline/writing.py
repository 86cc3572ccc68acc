"""Which baselines a run may write, and why."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, eq=False, repr=False)
class Writing:
    """What the command line asks for."""

    update: bool = False
    """Missing baselines are written and exceeded ones raised; none is lowered."""
    accept: tuple[str, ...] = ()
    """Gates, as globs, whose baselines may also be lowered."""
    reason: str = ""
    """Why; stored in the file."""
    force_regen: bool = False
    regen_all: bool = False
    baseline_dir: Path | None = None
    """Read baselines below it instead of beside their tests; nothing is written there."""

    @property
    def writes(self) -> bool:
        """Whether baselines may be written."""
        return self.update or bool(self.accept) or self.force_regen or self.regen_all


def in_ci() -> bool:
    """Whether this runs in continuous integration, where nothing that writes may end green."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
