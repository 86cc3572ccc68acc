"""A report as one HTML file, which needs nothing but a browser."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

from sklearn_rank import __version__
from sklearn_rank.report.content import Report, Section, script_json
from sklearn_rank.support.disk import GENERATOR, HTML_REPORT, check_target, writable, write_whole
from sklearn_rank.tables.formats import STYLE, escape_html, html_table
from sklearn_rank.tables.table import BOLD, Table


def write_page(report: Report, path: str | os.PathLike[str]) -> None:
    """Write the report to a file, of which the directory is there."""
    check_target(path, HTML_REPORT)
    with writable(path, "path"):
        write_whole(path, page(report).encode())


def page(report: Report) -> str:
    """The whole file.

    Its policy forbids the browser every connection, and every script but the one of this package,
    whatever stands in the data.
    """
    script = _resource("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        GENERATOR,
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape_html(report.title)}</title>",
        f"<style>\n{STYLE}{_resource('style.css')}</style>",
        "</head>",
    ]
    sections = list(enumerate(report.sections))
    links = (
        f'<li><a href="#section-{place}">{escape_html(section.title)}</a></li>'
        for place, section in sections
    )
    contents = f'<nav aria-label="Contents"><ul>{"".join(links)}</ul></nav>'
    body = [
        "<body>",
        "<main>",
        f"<h1>{escape_html(report.title)}</h1>",
        *(f"<p>{escape_html(line)}</p>" for line in report.lead),
        *_tables(report.tables, 2),
        *([contents] if len(sections) > 1 else []),
        *(line for place, section in sections for line in _section(section, place)),
        "</main>",
        f'<footer><p class="faint">sklearn-rank {__version__}</p></footer>',
        f"<script>{script}</script>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join([*head, *body])


def _resource(name: str) -> str:
    return files("sklearn_rank.report").joinpath(name).read_text(encoding="utf-8")


def _section(section: Section, place: int) -> Iterator[str]:
    yield f'<section id="section-{place}">'
    level = 2
    if section.title:
        yield f"<h2>{escape_html(section.title)}</h2>"
        level = 3
    yield from (f"<p>{escape_html(line)}</p>" for line in section.lead)
    yield from _tables(section.tables, level)
    if section.message:
        lines = "\n".join(map(escape_html, section.message.split("\n")))
        yield f'<pre tabindex="0" role="group" aria-label="Message of the gate">{lines}</pre>'
    if section.pictures:
        figures = (
            f"<figure>{picture.svg}<figcaption>{escape_html(picture.caption)}</figcaption></figure>"
            for picture in section.pictures
        )
        yield f'<div class="pictures">{"".join(figures)}</div>'
    if section.queries is not None:
        yield f"<h{level}>Queries</h{level}>"
        # A table of some queries, which the script replaces by one of all.
        yield "<div data-queries>"
        if section.changes is not None:
            yield _scrolled(html_table(section.changes), "Queries that changed most")
        yield f'<script type="application/json">{script_json(section.queries)}</script>'
        yield "</div>"
    yield "</section>"


def _tables(tables: tuple[tuple[str, Table], ...], level: int) -> Iterator[str]:
    for heading, table in tables:
        if heading:
            yield f"<h{level}>{escape_html(heading)}</h{level}>"
        yield _scrolled(
            html_table(replace(table, notes=(), meaning=""), sortable=True), heading or "Table"
        )
        # Beside the table, where a phone need not move it to the side to read them.
        yield from (f'<p class="faint">{escape_html(note)}</p>' for note in table.footnotes(BOLD))


def _scrolled(table: str, name: str) -> str:
    """A table that a phone can move to the side, with the keyboard, too."""
    start = f'<div class="scroll" tabindex="0" role="group" aria-label="{escape_html(name)}">'
    return f"{start}\n{table}\n</div>"
