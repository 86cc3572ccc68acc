"""Names of data are shown as they are in every format, and are markup in none."""

import csv
import html
import io
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.formats import (
    escape_markdown,
    to_csv,
    to_html,
    to_markdown,
    to_text,
)
from sklearn_rank.tables.table import Column, Table, text_cell
from tests.tables.hostile import HOSTILE, table_of

TAGS = {"table", "caption", "tr", "th", "td", "br", "strong", "sup"}
every_name = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


class Page(HTMLParser):
    """Elements of a page, their attributes, and the text of each cell."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells and self.lasttag != "table":
            self.cells[-1] += data.strip("\n")


@every_name
def test_html_shows_names_as_they_are(text):
    page = Page(to_html(table_of(text)))
    assert page.tags <= TAGS
    assert page.attributes <= {"style"}
    assert page.cells[0] == page.cells[3] == safe_text(text, limit=None)
    assert to_html(table_of(text)).replace("\n", "").isprintable()


@every_name
def test_markdown_shows_names_as_they_are(text):
    rendered = MarkdownIt("commonmark").enable("table").render(to_markdown(table_of(text)))
    page = Page(rendered)
    assert page.tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "strong", "sup", "br"}
    assert len(page.cells) == 9
    assert page.cells[3] == safe_text(text, limit=None).strip(" ")


@pytest.mark.parametrize(
    "name", ["test_good", "ndcg@10", "map", "run-1.5", "日本", "a b", "note: #"]
)
def test_ordinary_names_stay_readable_in_markdown(name):
    assert escape_markdown(name) == name


@pytest.mark.parametrize(
    "text", ["@you", "a@b.de", "a@1.2.3.4", "www.x.de", "WWW.x.de", "http://x", "#12", ":x:", "$a$"]
)
def test_what_git_hosts_would_link_or_draw_is_no_link(text):
    # No renderer of Markdown on the package index knows all of these: entities stop every one.
    assert not re.search(r"(?<!&)[@#$]|:\S|www\.", escape_markdown(text), re.IGNORECASE)


@pytest.mark.parametrize("note", ["# x", "- x", "+ x", "1. x", "12) x", "> x", "---", "===", "a"])
def test_a_note_is_a_paragraph_of_markdown(note):
    table = Table((Column("x"),), (), notes=(note,))
    rendered = MarkdownIt("commonmark").enable("table").render(to_markdown(table))
    assert rendered.endswith(f"<p>{html.escape(note)}</p>\n")


@every_name
def test_a_terminal_gets_one_line_for_each_row(text):
    lines = to_text(table_of(text)).split("\n")
    assert len(lines) == 3 + 2
    assert all(line.isprintable() for line in lines)


def test_a_long_name_is_cut_on_a_terminal_alone():
    table = Table((Column("query"),), ((text_cell("x" * 500),),))
    assert "x" * 80 + "..." in to_text(table)
    for written in (to_markdown(table), to_html(table), to_csv(table)):
        assert "x" * 500 in written


@every_name
def test_no_cell_of_csv_is_a_formula(text):
    (_, row, other) = csv.reader(io.StringIO(to_csv(table_of(text)), newline=""))
    assert row[0].removeprefix("'") == text
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert row[1] == "-0.25", "numbers are numbers, negative ones too"
    assert other[2:] == [""]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_whatever_starts_a_formula_is_guarded_in_a_cell_and_in_a_title(start):
    name = f"{start}1+1"
    title, cell = csv.reader(
        io.StringIO(to_csv(Table((Column(name),), ((text_cell(name),),))), newline="")
    )
    assert title == cell == [f"'{name}"]
