"""What a caller may tell an engine."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.support.checks import check_flag
from sklearn_rank.support.text import safe_repr

_UNITS = {
    unit: base**power
    for base, suffix in ((1000, "b"), (1024, "ib"))
    for power, letter in enumerate("kmgt", 1)
    for unit in (letter + suffix,)
} | {"": 1, "b": 1}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE | re.ASCII)
_SHARE = 0.5
"""Part of the machine's memory that an evaluation may take if nobody says how much."""
_LEAST = 64 << 20
"""Less than this holds no block of queries beside the libraries."""


@dataclass(frozen=True)
class EngineOptions:
    """How lazy frames are evaluated.

    Parameters
    ----------
    memory_limit : int or str, default=None
        Bytes, or text as ``"2GB"`` or ``"512MiB"``, that an evaluation may take besides what
        Python and the libraries take. What does not fit goes through temporary files. None takes
        half of the memory that the machine, or the container, has.
    temp_directory : path, default=None
        Where temporary files go; None is the system's own place for them.
    progress : bool, default=True
        Show on a terminal how far long work has come.

    Examples
    --------
    >>> from sklearn_rank import EngineOptions
    >>> EngineOptions(memory_limit="2GiB").n_bytes
    2147483648
    """

    memory_limit: int | str | None = None
    temp_directory: str | os.PathLike[str] | None = None
    progress: bool = True

    def __post_init__(self) -> None:
        """InvalidParameterError for what means nothing."""
        check_flag(self.progress, "progress", "EngineOptions")
        if self.memory_limit is not None and _bytes_of(self.memory_limit) < _LEAST:
            msg = (
                "The 'memory_limit' parameter of EngineOptions must be at least 64 MiB, as bytes "
                f"or as text like '2GB'. Got {safe_repr(self.memory_limit)} instead."
            )
            raise InvalidParameterError(msg)

        if self.temp_directory is not None and not os.path.isdir(self.temp_directory):
            msg = (
                "The 'temp_directory' parameter of EngineOptions must be a directory that exists. "
                f"Got {safe_repr(self.temp_directory)} instead."
            )
            raise InvalidParameterError(msg)

    @property
    def n_bytes(self) -> int:
        """The limit in bytes."""
        if self.memory_limit is None:
            return max(int(_SHARE * memory_of_machine()), _LEAST)
        return _bytes_of(self.memory_limit)


def _bytes_of(limit: object) -> int:
    """A size in bytes; 0 for what is none."""
    if isinstance(limit, int) and not isinstance(limit, bool):
        return limit
    parts = _SIZE.fullmatch(limit) if isinstance(limit, str) else None
    if parts is None or parts[2].lower() not in _UNITS:
        return 0
    return int(float(parts[1]) * _UNITS[parts[2].lower()])


def memory_of_machine() -> int:
    """Bytes of memory of this machine, or of the container it is."""
    sizes = [_read_size(path) for path in _CONTAINER_LIMITS]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min((size for size in sizes if size > 0), default=_UNKNOWN)


_CONTAINER_LIMITS = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)
_UNKNOWN = 4 << 30
"""Assumed where the system does not say, as on Windows: most machines have more."""


def _read_size(path: str) -> int:
    try:
        text = Path(path).read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0
