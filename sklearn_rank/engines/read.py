"""The entrance of all inputs: lazy frames go to their engine, others are read in memory."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn_rank.inputs.frames import Side, is_frame, own_columns, side_of
from sklearn_rank.inputs.layouts import LAYOUTS, read_in_memory, refuse_foreign
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.roles import SideColumns
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.checks import check_flag, refuse_value

if TYPE_CHECKING:
    import narwhals as nw

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(i?)b|b?)\s*", re.IGNORECASE | re.ASCII)
_SHARE = 0.5
"""Part of the machine's memory that an evaluation may take if nobody says how much."""
_LEAST = 64 << 20
"""Less than this holds no block of queries beside the libraries."""


@dataclass(frozen=True)
class EngineOptions:
    """Options of the evaluation of lazy frames.

    Parameters
    ----------
    memory_limit : int or str, default=None
        Bytes, or text as ``"2GB"`` or ``"512MiB"``, that an evaluation may take besides what
        Python and the libraries take. None takes half of the memory that the machine, or the
        container, has.
    progress : bool, default=True
        Show on a terminal how far long work has come.

    Examples
    --------
    >>> from sklearn_rank import EngineOptions
    >>> EngineOptions(memory_limit="2GiB").n_bytes
    2147483648
    """

    memory_limit: int | str | None = None
    progress: bool = True

    def __post_init__(self) -> None:
        """InvalidParameterError for what means nothing."""
        check_flag(self.progress, "progress", "EngineOptions")
        if self.memory_limit is not None and _bytes_of(self.memory_limit) < _LEAST:
            rule = "at least 64 MiB, as bytes or as text like '2GB'"
            refuse_value(self.memory_limit, "memory_limit", "EngineOptions", rule)

    @property
    def n_bytes(self) -> int:
        """The limit in bytes."""
        if self.memory_limit is not None:
            return _bytes_of(self.memory_limit)
        return max(int(_SHARE * memory_of_machine()), _LEAST)


def _bytes_of(limit: object) -> int:
    """A size in bytes; 0 for text that is none."""
    if isinstance(limit, int) and not isinstance(limit, bool):
        return limit
    parts = _SIZE.fullmatch(limit) if isinstance(limit, str) else None
    if parts is None:
        return 0
    power = 1 + "kmgt".index(parts[2].lower()) if parts[2] else 0
    return int(float(parts[1]) * (1024 if parts[3] else 1000) ** power)


def memory_of_machine() -> int:
    """Bytes of memory of this machine, or of the container it is."""
    sizes = []
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError), open(path, encoding="ascii") as file:
            sizes.append(int(file.read()))  # or "max", which is no number
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    # Where the system does not say, as on Windows: most machines have more.
    return min((size for size in sizes if size > 0), default=4 << 30)


# Engines and their frames -------------------------------------------------------------------------


class EngineRecord(NamedTuple):
    """An engine and the frames that are its own."""

    name: str
    title: str
    """As messages call it."""
    frame: str
    """Name of the class of its frames."""
    packages: tuple[str, ...]
    """Packages in which that class is defined."""

    def has(self, values: object) -> bool:
        """Whether this is one of its frames."""
        return any(
            kind.__name__ == self.frame and kind.__module__.partition(".")[0] in self.packages
            for kind in type(values).__mro__
        )

    def read(self, problem: Problem) -> RankingData:
        """Judged rankings, by the engine's module."""
        read: RankingData = import_module(f"sklearn_rank.engines.{self.name}").read(problem)
        return read


ENGINES = (
    EngineRecord("polars", "Polars", "LazyFrame", ("polars",)),
    EngineRecord("duckdb", "DuckDB", "DuckDBPyRelation", ("duckdb", "_duckdb")),
    EngineRecord("spark", "Spark", "DataFrame", ("pyspark",)),
)


def engine_of(values: object) -> EngineRecord | None:
    """The engine of a lazy frame; None for other values."""
    return next((engine for engine in ENGINES if engine.has(values)), None)


def without_wrapper(values: Any) -> Any:
    """Native object of a lazy narwhals frame; anything else as it is."""
    kind = type(values)
    if kind.__name__ == "LazyFrame" and kind.__module__.partition(".")[0] == "narwhals":
        return values.to_native()
    return values


# What is evaluated -------------------------------------------------------------------------------

IN_MEMORY_ALONE = ("string_provider", "relevance", "keep_items")
"""Options that need the ids of all items as Python objects."""


class Problem(NamedTuple):
    """Judgements and rankings; at least the rankings are a lazy frame."""

    y_true: Any
    """A lazy frame of the same engine, an eager frame, or a mapping."""
    y_score: Any
    options: ReadOptions

    @property
    def engine(self) -> EngineOptions:
        """Options of lazy frames."""
        given: EngineOptions | None = self.options.engine
        return given or EngineOptions()

    def read_in_memory(self, **sides: object) -> RankingData:
        """Read by the readers of memory, with ``y_true`` or ``y_score`` collected."""
        return read_in_memory(
            **{"y_true": self.y_true, "y_score": self.y_score, **sides}, options=self.options
        )


def find_sides(
    truth: nw.DataFrame[Any] | None, run: nw.DataFrame[Any] | None, columns: SideColumns | None
) -> list[Side | None]:
    """The columns of both sides by frames of their schemas, which need have no rows.

    None stands for a side that is no frame. ColumnRoleError or TypeError as for frames in memory.
    """
    frames = [truth, run]
    return [
        None if frame is None else side_of(frame, name, roles)
        for name, frame, roles in zip(
            ("y_true", "y_score"), frames, own_columns(columns, frames), strict=True
        )
    ]


def read_frames(y_true: object, y_score: object, options: ReadOptions) -> RankingData:
    """Judged rankings of frames, lazy or not, by checked options."""
    y_true, y_score = without_wrapper(y_true), without_wrapper(y_score)
    truth_engine, run_engine = engine_of(y_true), engine_of(y_score)
    used = run_engine or truth_engine
    if used is None or not all(
        isinstance(values, Mapping) or is_frame(values) for values in (y_true, y_score)
    ):
        return read_in_memory(y_true, y_score, options)
    if truth_engine is not None and run_engine is not None and truth_engine is not run_engine:
        msg = (
            f"y_true is a lazy frame of {truth_engine.title}, y_score one of {run_engine.title}; "
            "pass both to one engine, or collect the smaller one"
        )
        raise TypeError(msg)
    refuse_foreign(LAYOUTS["mapping"], options)
    return used.read(Problem(y_true, y_score, options))
