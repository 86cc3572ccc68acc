"""What is asked of an engine: two frames, the columns of their roles, and how they are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sklearn_rank.engines.options import EngineOptions
from sklearn_rank.inputs.frames import (
    refuse_swapped,
    run_columns,
    share_columns,
    truth_columns,
    watched_columns,
)
from sklearn_rank.inputs.layouts import ReaderOptions
from sklearn_rank.inputs.roles import GRADE, ORDER, Columns, Role, UnusedColumn

if TYPE_CHECKING:
    import narwhals as nw

IN_MEMORY_ALONE = ("string_provider", "relevance", "keep_items")
"""What needs the ids of all items as Python objects."""
SideName = Literal["y_true", "y_score"]


@dataclass(frozen=True)
class Problem:
    """Judgements and rankings, of which the rankings at least are a lazy frame."""

    y_true: Any
    """A lazy frame of the same engine, an eager frame, or a mapping."""
    y_score: Any
    columns: Columns | None = None
    told: ReaderOptions = field(default_factory=ReaderOptions)
    """What readers in memory are told, with nothing checked but its words."""
    known_items: Any = None
    options: EngineOptions = field(default_factory=EngineOptions)


class Side(NamedTuple):
    """The columns of a frame that are read."""

    name: SideName
    """As messages call it."""
    named: Mapping[Role, str]
    watched: list[UnusedColumn]
    """Columns of numbers of unknown names, to be looked at; most frames have none."""
    kinds: tuple[Role, ...]
    """The roles that such a column might have."""

    @property
    def used(self) -> list[str]:
        """Names of all columns that are read."""
        return list(dict.fromkeys((*self.named.values(), *(c.name for c in self.watched))))


def find_sides(
    truth: nw.DataFrame[Any] | None, run: nw.DataFrame[Any] | None, columns: Columns | None
) -> tuple[Side | None, Side | None]:
    """The columns of both sides by frames of their schemas, which need have no rows.

    None stands for a side that is no frame. ColumnRoleError or TypeError as for frames in memory.
    """
    frames = [truth, run]
    wanted = share_columns(columns, frames)
    refuse_swapped(frames, wanted)
    sides: list[Side | None] = []
    for frame, own, name in zip(frames, wanted, ("y_true", "y_score"), strict=True):
        if frame is None:
            sides.append(None)
            continue
        find, kinds = (truth_columns, GRADE) if name == "y_true" else (run_columns, ORDER)
        named = find(frame, own)
        watched = watched_columns(frame, named, own, kinds)
        sides.append(Side(name, named, watched, kinds))  # type: ignore[arg-type]
    return sides[0], sides[1]
