"""Sides of a problem that are no lazy frames, and what else is asked of lazy ones."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from sklearn_rank.engines.registry import engine_of
from sklearn_rank.engines.rows import Rows, exact
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.inputs.frames import DIVIDED_QUERY, is_frame
from sklearn_rank.inputs.items import ItemReader, Where
from sklearn_rank.inputs.layouts import ReaderOptions
from sklearn_rank.inputs.tables import Qrels, Run, TableScores
from sklearn_rank.rankings.data import one_label_each
from sklearn_rank.support.checks import is_missing

if TYPE_CHECKING:
    import polars as pl


def rows_of_truth(y_true: Any, rows_of: Callable[[Any], Rows]) -> Rows | None:
    """Rows of judgements that are a frame, lazy or not; None for a mapping."""
    if engine_of(y_true) is not None:
        return rows_of(y_true)
    if not is_frame(y_true):
        return None
    import narwhals as nw

    return _EagerRows(nw.from_native(y_true, eager_only=True).to_polars())


@dataclass(frozen=True)
class _EagerRows:
    """Rows of a frame that is in memory already."""

    frame: pl.DataFrame
    streams_alone: bool = False

    @property
    def schema(self) -> pl.DataFrame:
        """The columns without a row."""
        return self.frame.head(0)

    def batches(self, columns: Sequence[str]) -> Generator[pl.DataFrame]:
        """All rows."""
        yield self.frame.select(exact(columns))


def qrels_of(y_true: Mapping[Any, Any], told: ReaderOptions) -> Qrels:
    """Judgements of a mapping as a long table."""
    if isinstance(y_true, Qrels):
        return y_true
    reader = ItemReader(None, "raise", told.get("negative_grades", "raise"))
    truth = {query: reader.truth(given, Where("y_true", query)) for query, given in y_true.items()}
    sizes = [len(items) for items in truth.values()]
    queries = list(chain.from_iterable(map(repeat, truth, sizes)))
    items = list(chain.from_iterable(truth.values()))
    grades = list(chain.from_iterable(items.values() for items in truth.values()))
    return Qrels.from_columns(queries, items, grades=grades).of_queries(list(truth))


def has_grades(y_true: Any) -> bool:
    """Whether some judgements have grades, as sets have none."""
    if isinstance(y_true, Qrels) or not isinstance(y_true, Mapping):
        return True
    return any(isinstance(truth, Mapping) for truth in y_true.values())


@dataclass(frozen=True)
class LaterScores:
    """Counts scores of a lazy frame that conventions speak of, for which it is read once more."""

    read_blocks: Callable[[], Iterator[Run]]

    def __call__(self, case: str) -> int:
        """As :class:`TableScores`."""
        total, close = 0, set()
        for run in self.read_blocks():
            if run.scores is None:
                return 0
            scores = TableScores(run.scores, run.offsets)
            if case == "at most 0":
                total += scores(case)
            else:  # a query may come back in a later block
                close |= {run.query_ids[number] for number in scores.queries(case).tolist()}
        return total + len(close)


class LeftBehind:
    """Stands for frames of an engine in an evaluation that was pickled."""

    def in_memory(self, what: str) -> Any:
        """Refuse what needs the frames."""
        msg = (
            f"{what} needs the lazy frames once more, which stay behind when an evaluation is "
            "pickled; ask before that, or evaluate again"
        )
        raise InvalidParameterError(msg)

    def with_unjudged(self) -> Any:
        """Refuse them, too."""
        return self.in_memory("a measure of unjudged items")

    def blocks(self) -> Any:
        """Refuse them, too."""
        return self.in_memory("a count of scores")


@dataclass(frozen=True)
class NoColumns:
    """Stands for the columns of frames that stayed behind."""

    def __contains__(self, name: object) -> bool:
        return False

    def labels(self, name: str) -> dict[Any, Any]:
        """Of no column."""
        raise KeyError(name)


@dataclass(frozen=True)
class LazyColumns:
    """Columns of a lazy frame that say something of its queries, read when they are asked for."""

    rows: Rows
    query: str

    def __reduce__(self) -> tuple[Any, ...]:
        """Nothing: frames of an engine are not pickled."""
        return NoColumns, ()

    def __contains__(self, name: object) -> bool:
        return name in self.rows.schema.columns

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label}; InvalidParameterError if a query has several."""
        return one_label_each(name, self._pairs(name), DIVIDED_QUERY)

    def _pairs(self, name: str) -> Iterator[tuple[Any, Any]]:
        for batch in self.rows.batches([self.query, name]):
            for query, label in batch.unique(maintain_order=True).iter_rows():
                if not is_missing(label):
                    yield query, label
