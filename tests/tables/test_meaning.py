"""What a cell that stands out says is told below the table, in the words of its format."""

from __future__ import annotations

from sklearn_rank.tables.formats import to_html, to_latex, to_markdown, to_text
from sklearn_rank.tables.table import Column, Table, number_cell

COLUMNS = (Column("map", "number"),)


def table(*, best: bool) -> Table:
    return Table(COLUMNS, ((number_cell(0.5, best=best),),), notes=("2 queries",), meaning="best")


def test_each_format_names_its_own_sign() -> None:
    assert to_text(table(best=True)).splitlines()[2:] == ["*: best", "2 queries"]
    assert "bold: best  \n2 queries" in to_markdown(table(best=True))
    assert "<caption>bold: best<br>2 queries</caption>" in to_html(table(best=True))
    assert "% bold: best\n% 2 queries" in to_latex(table(best=True))
    assert r"\footnotesize bold: best; 2 queries" in to_latex(table(best=True), label="x")


def test_nothing_is_said_of_a_sign_that_is_not_there() -> None:
    for write in (to_text, to_markdown, to_html, to_latex):
        assert "best" not in write(table(best=False))
