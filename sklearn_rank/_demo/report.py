"""What the demonstration says: paragraphs, code and tables, coloured where a person looks on.

In a pipe it is plain ASCII of at most 79 characters a line.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sklearn_rank.tables.formats import aligned

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 5
"""Candidates of a search that are shown, best first; the worst follows."""
WIDTH = 79


@dataclass(frozen=True)
class Heading:
    """Title of a part."""

    text: str


@dataclass(frozen=True)
class Code:
    """Python, to be copied."""

    text: str


@dataclass(frozen=True)
class Output:
    """What a program printed."""

    text: str
    is_failure: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of cells under a row of titles; the first row is the one that was chosen."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]


Block: TypeAlias = "str | Heading | Code | Output | Table"


def search_table(results: Mapping[str, Any], names: Mapping[str, str]) -> Table:
    """The best candidates of a search and the worst, with mean and spread over the folds.

    ``names`` maps the parameters to print to the titles of their columns.
    """
    order = np.argsort(-results["mean_test_score"], kind="stable").tolist()
    rows = []
    for place, candidate in enumerate(order):
        if SHOWN <= place < len(order) - 1:
            continue
        mean, spread = (results[f"{kind}_test_score"][candidate] for kind in ("mean", "std"))
        values = [_shown(results["params"][candidate].get(name, "-")) for name in names]
        rows.append([str(place + 1), f"{mean:.4f}", f"{spread:.4f}", *values])
    left_out = len(order) - SHOWN - 1
    if left_out > 0:
        rows.insert(-1, ["..", f"{left_out} more", *[""] * (len(names) + 1)])
    return Table(["rank", "MAP", "+-", *names.values()], rows)


def _shown(value: Any) -> str:
    """A parameter's value; an estimator as the initials of its class, which fit a line."""
    return short_name(value) if hasattr(value, "get_params") else str(value)


def short_name(estimator: Any) -> str:
    """Name of an estimator's class without what all classifiers have in common."""
    return type(estimator).__name__.removesuffix("Classifier")


def gate(test: str, threshold: float, *, needs_groups: bool = False) -> Code:
    """The test that would protect a ranker."""
    data = "y_true, y_score, groups" if needs_groups else "y_true, y_score"
    groups = ", groups=groups" if needs_groups else ""
    return Code(
        "from pytest_rankmetrics import assert_map_at_least\n\n"
        f"def {test}({data}):\n"
        f"    assert_map_at_least(y_true, y_score, {threshold:.2f}{groups})"
    )


def threshold_below(measured: float) -> float:
    """The measured value, rounded down to two digits."""
    return math.floor(measured * 100) / 100


# On a screen and in a pipe ----------------------------------------------------------------------


def show(blocks: Sequence[Block], *, terminal: bool) -> None:
    """Print the blocks, in colour on a terminal."""
    if not terminal:
        print("\n\n".join(map(plain, blocks)), end="\n\n\n", flush=True)
        return
    from rich.console import Console

    console = Console(highlight=False)
    for block in blocks:
        _print_rich(console, block)
        console.print()


def plain(block: Block) -> str:
    """A block as plain text."""
    if isinstance(block, str):
        return "\n".join(textwrap.fill(line, WIDTH) for line in block.split("\n"))
    if isinstance(block, Heading):
        return f"{block.text}\n{'=' * len(block.text)}"
    if isinstance(block, Table):
        return _indented("\n".join(aligned([block.titles, *block.rows], "<")))
    return _indented(block.text)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def _print_rich(console: Console, block: Block) -> None:
    from rich.padding import Padding
    from rich.syntax import Syntax
    from rich.table import Table as RichTable
    from rich.text import Text

    if isinstance(block, str):
        console.print(Text(block))
    elif isinstance(block, Heading):
        console.print(Text(plain(block), style="bold cyan"))
    elif isinstance(block, Code):
        code = Syntax(block.text, "python", background_color="default", word_wrap=True)
        console.print(Padding(code, (0, 4)))
    elif isinstance(block, Output):
        style = "red" if block.is_failure else ""
        for line in block.text.splitlines():  # tables: cut, never wrapped
            console.print(Text(f"    {line}", style=style), no_wrap=True, overflow="ellipsis")
    else:
        table = RichTable(box=None, header_style="bold", padding=(0, 1), pad_edge=False)
        for title in block.titles:
            table.add_column(title, no_wrap=True)
        for number, row in enumerate(block.rows):
            table.add_row(*row, style="green" if not number else None)
        console.print(Padding(table, (0, 4)))


# Progress ---------------------------------------------------------------------------------------


class Fits:
    """Counts what a search has fitted; whoever shows progress listens."""

    def __init__(self) -> None:
        self.listener: Any = None

    def tick(self) -> None:
        """One more candidate was fitted."""
        if self.listener is not None:
            self.listener()

    @contextmanager
    def heard_by(self, listener: Any) -> Iterator[None]:
        """Tell a function of every fit."""
        self.listener = listener
        try:
            yield
        finally:
            self.listener = None


FITS = Fits()
"""Estimators are cloned by every search, so that a counter cannot be part of them."""
