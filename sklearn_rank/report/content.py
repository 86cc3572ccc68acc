"""Content of a page, of systems or gates, as plain values; and its words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sklearn_rank.support.text import as_text, safe_text
from sklearn_rank.tables.table import Table, fixed, words_table

MOST_NAMED = 3
"""Systems, measures or slices in a sentence."""

Number = float | None
"""None stands for an undefined value, or for the rank of an item that was not retrieved."""
Direction = Literal["better", "worse", ""]
Kind = Literal["better", "worse", "same"]
_KINDS: tuple[Direction, ...] = ("worse", "better")
"""Losses come first."""


# The grid ----------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """One measure of a row of the grid."""

    value: Number
    old: Number = None
    change: Number = None
    interval: tuple[Number, Number] | None = None
    """Interval of the change; of the value where nothing is compared."""
    p: Number = None
    """Corrected p-value."""
    direction: Direction = ""
    """Significantly better or worse; by a gate, worse is a failure."""
    counts: tuple[int, int, int] | None = None
    """Queries that are better, the same and worse."""
    bins: tuple[int, ...] = ()
    """Number of queries in equal parts of the range of values."""
    note: str = ""
    """Such as "highest" or "allowed 0.005"."""


class Row(NamedTuple):
    """Two systems, or one, over all queries or a slice."""

    label: str
    queries: int
    cells: tuple[Cell | None, ...]
    """By measure; None without a value."""
    slice: str = ""
    old: int = 0
    """Number of the baseline among the systems."""
    new: int = 1
    """Number of the system."""


@dataclass(frozen=True)
class Section:
    """One comparison, one system or one gate: a grid and its queries."""

    systems: tuple[str, ...]
    """The baseline first."""
    measures: tuple[str, ...]
    greater: tuple[bool, ...]
    """Whether higher values of a measure are better."""
    rows: tuple[Row, ...]
    title: str = ""
    badge: str = ""
    """Decision of a gate, before its title."""
    direction: Direction = ""
    """Whether that decision is good or bad."""
    lead: str = ""
    """Sentence above the grid."""
    notes: tuple[str, ...] = ()
    """Limits of the numbers."""
    changes: Table | None = None
    """Some queries, for browsers without scripts."""
    queries: Mapping[str, Any] | None = None
    """All queries, as :func:`queries_data` makes them."""
    message: str = ""
    """Lines of the terminal."""


class Verdict(NamedTuple):
    """The answer."""

    sentence: str
    kind: Kind
    """Colour: same without a significant change."""
    details: tuple[str, ...] = ()
    """Sentences with the numbers behind it."""
    to_judge: tuple[Any, ...] = ()
    """Ids of the queries of the items to judge next."""


@dataclass(frozen=True)
class Report:
    """The whole page."""

    title: str
    """Of the window."""
    verdict: Verdict
    sections: tuple[Section, ...] = ()
    about: tuple[str, ...] = ()
    """Numbers of queries, files, date, commit."""
    notes: tuple[str, ...] = ()
    heading: str = ""
    """Title of the caller, above the verdict."""


def short(value: Number, *, signed: bool = False) -> str:
    """A number with three digits; "undefined" for None."""
    return "undefined" if value is None else fixed(value, digits=3, signed=signed)


def count(number: int, one: str, several: str = "") -> str:
    """``1 query``, ``250 queries``."""
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def slice_name(label: Any) -> str:
    """A label as text, and in words where it would be empty."""
    return as_text(label).strip() or "(empty)"


def p_text(p: Number) -> str:
    """A p-value in a sentence."""
    return "not tested" if p is None else "p < 0.001" if p < 0.0005 else f"p = {p:.3f}"


def grid_table(section: Section) -> Table:
    """The grid as a table of words; significant changes have an arrow."""

    def text(cell: Cell | None) -> str:
        if cell is None or cell.change is None:
            return "" if cell is None else f"{short(cell.value)} {cell.note}".strip()
        arrow = {"": "", "worse": "\u25bc ", "better": "\u25b2 "}[cell.direction]
        counts = f", {cell.counts[2]:,} worse, {cell.counts[0]:,} better" if cell.counts else ""
        change = f"{short(cell.change, signed=True)} ({short(cell.old)} to {short(cell.value)}"
        return f"{arrow}{change}{counts})"

    several = len(section.systems) > 2
    rows = [
        (
            f"{section.systems[row.new]}, " * bool(several and row.slice)
            + f"{row.label} ({row.queries:,})",
            *map(text, row.cells),
        )
        for row in section.rows
    ]
    return words_table(("queries", *section.measures), rows)


# Claims ------------------------------------------------------------------------------------------


class Finding(NamedTuple):
    """A significant change: a filled cell of the grid."""

    row: Row
    cell: Cell
    measure: str
    greater: bool

    @property
    def order(self) -> tuple[Any, ...]:
        """Losses first, all queries before slices, then the surest and largest.

        It does not depend on the order of rows and measures.
        """
        cell, p = self.cell, self.cell.p
        size = -abs(cell.change or 0.0)
        gravity = cell.direction != "worse", bool(self.row.slice), 1.0 if p is None else p
        return *gravity, size, self.measure, self.row.label, self.row.new

    @property
    def verb(self) -> str:
        """Direction of the values; of measures that should be low, it is said which is worse."""
        verb = "rose" if (self.cell.change or 0.0) > 0 else "fell"
        return verb if self.greater else f"{verb} (lower is better)"


def findings(sections: Iterable[Section]) -> list[Finding]:
    """Significant changes, in an order that does not depend on that of rows and measures."""
    found = [
        Finding(row, cell, measure, greater)
        for section in sections
        for row in section.rows
        for cell, measure, greater in zip(row.cells, section.measures, section.greater, strict=True)
        if cell is not None and cell.direction
    ]
    return sorted(found, key=lambda finding: finding.order)


def some(names: Iterable[str]) -> str:
    """``a, b and c``, or ``a, b, c and 4 more``."""
    texts = [safe_text(name, limit=40) for name in names]
    shown, more = texts[:MOST_NAMED], len(texts) - MOST_NAMED
    if more > 0:
        return f"{', '.join(shown)} and {more:,} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def claims(found: Sequence[Finding]) -> str:
    """Losses, then gains: ``MAP fell for brand queries; MRR and nDCG@10 rose``."""
    phrases = []
    for kind in _KINDS:
        alike = [finding for finding in found if finding.cell.direction == kind]
        others = [finding for finding in found if finding.cell.direction != kind]
        phrases.append(_claim(alike, {finding.measure for finding in others if finding.row.slice}))
    return "; ".join(filter(None, phrases))


def _claim(found: Sequence[Finding], reversed_in_slices: Collection[str]) -> str:
    """Changes of one direction, and the measures with a slice that changed the other way."""
    by_measure: dict[str, list[Finding]] = {}
    for finding in found:
        by_measure.setdefault(finding.measure, []).append(finding)
    groups: dict[tuple[str, str], list[str]] = {}
    for measure, parts in by_measure.items():
        overall = [finding for finding in parts if not finding.row.slice]
        # A slice is news where the whole has not changed, or changed less.
        size = max((abs(finding.cell.change or 0.0) for finding in overall), default=-1.0)
        slices = [
            finding
            for finding in parts
            if finding.row.slice and abs(finding.cell.change or 0.0) > size
        ]
        named = some(dict.fromkeys(finding.row.slice for finding in slices))
        is_gain = parts[0].cell.direction == "better"
        text = "" if overall and is_gain else f"for {named} queries" * bool(named)
        if overall and text:
            text = f", most {text}"
        elif text:
            text = f" {text}"
        elif overall and measure in reversed_in_slices:
            text = " overall"
        groups.setdefault((parts[0].verb, text), []).append(measure)
    phrases = [f"{some(names)} {verb}{text}" for (verb, text), names in groups.items()]
    if len(phrases) > MOST_NAMED:
        rest = count(len(phrases) - MOST_NAMED, "more change")
        phrases = [*phrases[:MOST_NAMED], rest]
    return "; ".join(phrases)


def claims_by_system(found: Sequence[Finding], systems: Sequence[str]) -> str:
    """Systems with the same claims together, losses first; slices only where alone."""
    grouped: dict[tuple[bool, str], list[str]] = {}
    for number in {finding.row.new for finding in found}:
        parts = [finding for finding in found if finding.row.new == number]
        overall = [finding for finding in parts if not finding.row.slice] or parts
        gained = all(finding.cell.direction == "better" for finding in parts)
        grouped.setdefault((gained, claims(overall)), []).append(systems[number])
    phrases = [f"{some(sorted(names))}: {text}" for (_, text), names in sorted(grouped.items())]
    more = len(phrases) - MOST_NAMED
    return "; ".join(phrases[:MOST_NAMED]) + (f"; {more:,} more systems changed" * (more > 0))
