"""A table of cells, whatever they are about. Data stays raw here: every renderer escapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sklearn_rank.support.text import MAX_CHARACTERS

Kind = Literal["text", "number", "interval"]
"""Text stands to the left; numbers have their points in line; an interval is two numbers."""


@dataclass(frozen=True)
class Column:
    """Title and kind of a column."""

    title: str
    kind: Kind = "text"
    name: str = ""
    """What machines call it; empty: as its title."""
    longest: int | None = MAX_CHARACTERS
    """Characters of a cell on a terminal, where one long id would make a line of every row."""

    @property
    def key(self) -> str:
        """Name in files for machines."""
        return self.name or self.title


BOLD = "bold"
"""What a cell that stands out is printed in, where letters can be bold."""


class Cell(NamedTuple):
    """What stands in one place."""

    text: str
    """For people; of data it is the raw text."""
    value: Any = None
    """For machines: a number, a text, or a pair of numbers; None where there is nothing."""
    best: bool = False
    """Whether it is the best of its kind, and stands out."""
    marks: tuple[str, ...] = ()
    """Letters beside it."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under the titles of their columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    notes: tuple[str, ...] = ()
    """What is to be known of the table; each is a line below it."""
    meaning: str = ""
    """What it says of a cell that it stands out, such as "best"."""

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), "a cell for each column"

    def said(self, sign: str) -> tuple[str, ...]:
        """What stands below: the meaning of the ``sign`` of cells that stand out, and the notes."""
        is_used = self.meaning and any(cell.best for row in self.rows for cell in row)
        return (f"{sign}: {self.meaning}", *self.notes) if is_used else self.notes

    def column(self, place: int) -> list[Cell]:
        """Cells of a column, from above."""
        return [row[place] for row in self.rows]
