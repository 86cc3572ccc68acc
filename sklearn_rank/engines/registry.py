"""Which engine has a lazy frame: told by its type, without importing anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EngineRecord:
    """An engine and the frames that are its own."""

    name: str
    title: str
    """As messages call it."""
    frame: str
    """Name of the class of its frames."""
    packages: frozenset[str]
    """Packages in which that class is defined."""
    module: str
    """Module of this package that reads them: ``read(problem)``."""

    def has(self, values: Any) -> bool:
        """Whether this is one of its frames."""
        return any(
            kind.__name__ == self.frame and kind.__module__.partition(".")[0] in self.packages
            for kind in type(values).__mro__
        )


ENGINES = (
    EngineRecord(
        "polars", "Polars", "LazyFrame", frozenset({"polars"}), "sklearn_rank.engines.polars"
    ),
    EngineRecord(
        "duckdb",
        "DuckDB",
        "DuckDBPyRelation",
        frozenset({"duckdb", "_duckdb"}),
        "sklearn_rank.engines.duckdb",
    ),
    EngineRecord(
        "spark", "Spark", "DataFrame", frozenset({"pyspark"}), "sklearn_rank.engines.spark"
    ),
)


def engine_of(values: Any) -> EngineRecord | None:
    """The engine of a lazy frame; None for all else."""
    return next((engine for engine in ENGINES if engine.has(values)), None)


def without_wrapper(values: Any) -> Any:
    """What a lazy frame of narwhals stands for; all else as it is."""
    kind = type(values)
    if kind.__name__ == "LazyFrame" and kind.__module__.partition(".")[0] == "narwhals":
        return values.to_native()
    return values
