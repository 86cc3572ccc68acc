"""The gates of a run as a table, for the terminal and for HTML."""

from __future__ import annotations

from pytest_rankmetrics.report.rows import Row, all_rows
from pytest_rankmetrics.report.summary import Summary
from sklearn_rank.tables.cells import DIGITS, number_cell, text_cell
from sklearn_rank.tables.table import Cell, Column, Table

_COLUMNS = (
    Column("gate", longest=None),
    Column("metric", longest=None),
    Column("now", "number"),
    Column("limit", "number"),
    Column("baseline", "number"),
    Column("change", "number"),
    Column("verdict", longest=None),
)


def gates_table(summary: Summary, *, failed_only: bool = False, named_once: bool = False) -> Table:
    """A row for each measure of each gate; ``named_once`` leaves out a name that is repeated."""
    rows = [
        _cells(row, named=not (named_once and number))
        for gate in all_rows(summary.gates, failed_only=failed_only)
        for number, row in enumerate(gate)
    ]
    return Table(_COLUMNS, tuple(rows))


def _cells(row: Row, *, named: bool) -> tuple[Cell, ...]:
    # As many digits as it takes to tell the value from its limit.
    digits = len(row.limit.partition(".")[2]) or DIGITS
    return (
        text_cell(row.gate if named else ""),
        text_cell(row.metric),
        number_cell(row.now, digits=digits),
        Cell(row.limit),
        number_cell(row.baseline),
        number_cell(row.change, signed=True),
        text_cell(row.outcome),
    )
