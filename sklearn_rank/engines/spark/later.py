"""What is asked of a problem of Spark only now and then, and costs a job of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn_rank.engines.spark import plans
from sklearn_rank.engines.spark.frames import refuse_twins
from sklearn_rank.engines.spark.sides import Sides, SparkSide
from sklearn_rank.inputs.frames import DIVIDED_QUERY
from sklearn_rank.rankings.data import one_label_each
from sklearn_rank.support.checks import is_missing


def sample(sides: Sides, side: str) -> dict[Any, Any]:
    """Some queries of a side as a mapping, to see how ids are written."""
    mapping: dict[Any, dict[Any, Any]] = {}
    for row in sides.sql(plans.sample(side)).toArrow().to_pylist():
        mapping.setdefault(row["q"], {})[row["i"]] = row["x"]
    return mapping


@dataclass(frozen=True)
class FrameMaker:
    """Makes a frame of a session, of columns in memory."""

    session: Any

    def __reduce__(self) -> tuple[Any, ...]:
        """Nothing: Spark is not pickled."""
        return type(None), ()

    def __call__(self, columns: Mapping[str, Any]) -> Any:
        """A frame of these columns."""
        import pyarrow as pa

        return self.session.createDataFrame(pa.table(dict(columns)))


@dataclass(frozen=True, eq=False)
class LeftOut(Collection[Any]):
    """Ids of queries that were given but not evaluated, fetched when somebody asks."""

    sides: Sides
    skips: bool

    @cached_property
    def _ids(self) -> dict[Any, None]:
        text = plans.left_out(skips=self.skips)
        return dict.fromkeys(self.sides.sql(text).toArrow()["q"].to_pylist())

    def __reduce__(self) -> tuple[Any, ...]:
        """The ids themselves: Spark is not pickled."""
        return tuple, (tuple(self._ids),)

    def __contains__(self, query: object) -> bool:
        return query in self._ids

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


@dataclass(frozen=True)
class SparkColumns:
    """Columns of a frame that say something of its queries, read when they are asked for."""

    side: SparkSide

    def __reduce__(self) -> tuple[Any, ...]:
        """No columns: Spark is not pickled."""
        return dict, ()

    def __contains__(self, name: object) -> bool:
        return name in self.side.frame.columns

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        refuse_twins(self.side.frame, self.side.side.name, [name])
        query = plans.quoted(self.side.side.named["query"])
        pairs = self.side.frame.selectExpr(f"{query} AS q", f"{plans.quoted(name)} AS label")
        rows = pairs.distinct().orderBy("q").toArrow().to_pylist()
        labels = ((row["q"], row["label"]) for row in rows if not is_missing(row["label"]))
        return one_label_each(name, labels, DIVIDED_QUERY)


@dataclass(frozen=True)
class SparkScores:
    """Counts scores that conventions speak of."""

    sides: Sides

    def __reduce__(self) -> tuple[Any, ...]:
        """Nothing: Spark is not pickled."""
        return type(None), ()

    def __call__(self, case: str) -> int:
        """As :class:`TableScores`."""
        if self.sides.ranks:
            return 0
        return int(self.sides.sql(plans.SCORES[case]).toArrow()["n"][0].as_py())
