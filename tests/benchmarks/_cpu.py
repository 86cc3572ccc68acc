"""The processor, and the slower ones it can stand in for.

NumPy picks its sorts at import, by what the processor can do, and ``NPY_DISABLE_CPU_FEATURES``
hides abilities from it. One machine thereby shows what several cost.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
_FEATURES = "import numpy as np; print(*np.show_config(mode='dicts')['SIMD Extensions']['found'])"


@dataclass(frozen=True)
class Setting:
    """What NumPy may use of the processor."""

    name: str
    disabled: str = ""
    """Value of ``NPY_DISABLE_CPU_FEATURES``."""

    def environment(self) -> dict[str, str]:
        """Variables of a process that runs under this setting."""
        rest = {name: value for name, value in os.environ.items() if name != VARIABLE}
        return {**rest, VARIABLE: self.disabled} if self.disabled else rest


def settings_of(found: Sequence[str]) -> dict[str, Setting]:
    """All settings of a processor with these features, by name, the fastest first.

    Older NumPy names single features (AVX2, AVX512F, AVX512_SKX), newer ones whole levels (X86_V3,
    X86_V4). Other processors than x86 have one network of sorts each, and nothing to hide.
    """
    settings = {"native": Setting("native")}
    if not any(map(_is_avx2, found)):
        return settings
    wide = [feature for feature in found if _is_avx512(feature)]
    if wide:
        settings["avx2"] = Setting("avx2", " ".join(wide))
    settings["baseline"] = Setting("baseline", " ".join(found))
    return settings


def widest(found: Iterable[str]) -> str:
    """ "avx512", "avx2" or "baseline": what targets that depend on the processor go by."""
    found = list(found)
    if any(map(_is_avx512, found)):
        return "avx512"
    return "avx2" if any(map(_is_avx2, found)) else "baseline"


def _is_avx512(feature: str) -> bool:
    return feature.startswith(("AVX512", "X86_V4"))


def _is_avx2(feature: str) -> bool:
    return feature in {"AVX2", "X86_V3"}


def features() -> list[str]:
    """What NumPy found of the features it has code for, in this process."""
    simd = (np.show_config(mode="dicts") or {}).get("SIMD Extensions", {})
    return list(simd.get("found", []))


def all_features() -> list[str]:
    """What it finds where nothing is disabled, which this process may not see."""
    command = [sys.executable, "-c", _FEATURES]
    environment = Setting("native").environment()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return done.stdout.split()  # nothing where NumPy found nothing


def current() -> Setting:
    """The setting that the environment asks for."""
    disabled = os.environ.get(VARIABLE, "")
    return Setting("as the environment says", disabled) if disabled else Setting("native")


def processor() -> str:
    """The processor's name, as exactly as the system tells it."""
    return _linux_name() or _macos_name() or platform.processor() or platform.machine()


def _linux_name() -> str:
    """Virtual machines hide the name; family and model tell the generation all the same."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return ""
    text = path.read_text(encoding="utf-8", errors="replace")
    facts: dict[str, str] = dict(
        re.findall(r"^([\w ]+?)\s*:\s*(.+)$", text.split("\n\n")[0], re.MULTILINE)
    )
    name = facts.get("model name", "")
    if "cpu family" in facts and "model" in facts:
        name += f" (family {facts['cpu family']}, model {facts['model']})"
    return name


def _macos_name() -> str:
    if sys.platform != "darwin":
        return ""
    command = ["sysctl", "-n", "machdep.cpu.brand_string"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip()
