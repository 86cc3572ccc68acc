"""A report as one HTML file, which needs nothing but a browser."""

from __future__ import annotations

import base64
import datetime
import hashlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files

from sklearn_rank import __version__
from sklearn_rank.report.content import Card, Number, Report, Section, Slice, script_json
from sklearn_rank.support.disk import GENERATOR, HTML_REPORT, check_target, writable, write_whole
from sklearn_rank.tables.formats import STYLE, escape_html, html_table
from sklearn_rank.tables.table import Table, fixed

_COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILD_SOURCEVERSION")
"""Environment variables by which CI hosts name the commit."""


def provenance(start: str | os.PathLike[str] | None = None) -> list[str]:
    """Date and commit of a report; nothing of a commit that nobody knows."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.datetime.now(datetime.UTC)
    if epoch.isdecimal():
        now = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    commit = next((os.environ[name] for name in _COMMITS if os.environ.get(name)), "")
    if not commit:
        command = ["git", "-C", os.fspath(start or "."), "rev-parse", "HEAD"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
            commit = done.stdout.strip()
        except (OSError, subprocess.SubprocessError):
            pass
    return [f"{now.day} {now:%b %Y}", *([f"commit {commit[:8]}"] if commit.isalnum() else [])]


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
    about = " \u00b7 ".join(map(escape_html, report.about))
    is_single = len(report.sections) == 1 and not report.sections[0].title
    lines = [
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
        "<body>",
        "<main>",
        *([f'<p class="faint">{about}</p>'] if about else []),
        f"<h1>{escape_html(report.headline or report.title)}</h1>",
        *(f"<p>{escape_html(line)}</p>" for line in report.lead),
    ]
    if is_single:
        lines += _section(report.sections[0], "", 2)
    else:
        for place, section in enumerate(report.sections):
            lines += _folded(section, f"section-{place}")
    lines += _tables(report.tables, 2)
    lines += [
        "</main>",
        f'<footer><p class="faint">sklearn-rank {__version__}</p></footer>',
        f"<script>{script}</script>",
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(lines)


def _resource(name: str) -> str:
    return files("sklearn_rank.report").joinpath(name).read_text(encoding="utf-8")


def _folded(section: Section, name: str) -> Iterator[str]:
    """A section under its title, to be unfolded unless it is open."""
    badge = f'<span class="badge {section.direction}">{escape_html(section.badge)}</span> '
    yield f'<details class="section" id="{name}"{" open" * section.is_open}>'
    yield f"<summary>{badge * bool(section.badge)}<h2>{escape_html(section.title)}</h2></summary>"
    yield from _section(section, f"{name}/", 3)
    yield "</details>"


def _section(section: Section, prefix: str, level: int) -> Iterator[str]:
    """``prefix`` makes the ids of this section its own."""
    yield from (f"<p>{escape_html(line)}</p>" for line in section.lead)
    notices, cards = [], []
    for notice in section.notices:
        target = escape_html(prefix + notice.target)
        link = f' <a href="#{target}">{escape_html(notice.link)}</a>' if notice.link else ""
        notices.append(f'<p class="notice">{escape_html(notice.text)}{link}</p>')
    for heading, group in section.cards:
        if heading:
            cards.append(f"<h{level}>{escape_html(heading)}</h{level}>")
        cards.append(f'<ul class="cards">{"".join(map(_card, group))}</ul>')
    # Below the cards of several systems nobody would look for them first.
    yield from (*notices, *cards) if len(section.cards) > 1 else (*cards, *notices)
    if section.slices:
        yield f"<h{level}>Slices</h{level}>"
        yield _scrolled(_slices(section, prefix), "Slices")
    if section.queries is not None:
        yield f'<h{level} id="{escape_html(prefix)}queries">Queries</h{level}>'
        # A table of some queries, which the script replaces by one of all.
        yield f'<div data-queries="{escape_html(prefix)}">'
        if section.changes is not None:
            yield _scrolled(html_table(section.changes), "Queries that changed most")
        yield f'<script type="application/json">{script_json(section.queries)}</script>'
        yield "</div>"
    yield from _tables(section.tables, level, prefix)
    if section.pictures:
        figures = (
            f"<figure>{svg}<figcaption>{escape_html(caption)}</figcaption></figure>"
            for svg, caption in section.pictures
        )
        yield f'<div class="pictures">{"".join(figures)}</div>'
    if section.message:
        lines = "\n".join(map(escape_html, section.message.split("\n")))
        yield "<details><summary>Message in the terminal</summary>"
        yield f'<pre tabindex="0" role="group" aria-label="Message of the gate">{lines}</pre>'
        yield "</details>"


def _change(text: str, direction: str) -> str:
    """A change in the colour of its verdict; the arrow is that of its sign."""
    arrow = {"+": "\u25b2 ", "-": "\u25bc "}.get(text[:1], "") if direction else ""
    return f'<span class="{direction}">{arrow}{escape_html(text)}</span>'


def _card(card: Card) -> str:
    parts = [
        f"<strong>{escape_html(card.measure)}</strong>",
        f"<p><b>{escape_html(card.value)}</b> {_change(card.change, card.direction)}</p>",
    ]
    if card.counts is not None:
        better, same, worse = card.counts
        widths = zip(("better", "", "worse"), card.counts, strict=True)
        bar = "".join(f'<i class="{kind}" style="flex:{n}"></i>' for kind, n in widths)
        parts.append(f'<div class="split" aria-hidden="true">{bar}</div>')
        parts.append(f'<p class="faint">{better:,} better \u00b7 {same:,} same \u00b7 ')
        parts.append(f"{worse:,} worse</p>")
    if card.note:
        parts.append(f'<p class="faint">{escape_html(card.note)}</p>')
    return f"<li>{''.join(parts)}</li>"


def _slices(section: Section, prefix: str) -> str:
    """The table of slices; every interval is drawn on one scale, with its zero."""
    about, group, old, new, interval = map(escape_html, section.slice_titles)
    has_systems = len({own.group for own in section.slices}) > 1
    ends = [end for own in section.slices for end in own.interval or ()]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    titles = [("slice", ""), *([(group, "")] if has_systems else [])]
    titles += [("queries", "number wide"), (old, "number wide"), (new, "number")]
    titles += [("change", "number"), *([(interval, "")] if ends else []), ("verdict", "")]
    head = "".join(f'<th scope="col" class="{kind}">{title}</th>' for title, kind in titles)
    rows = []
    for own in section.slices:
        cells = [f'<th scope="row">{escape_html(own.label)}</th>']
        cells += [f"<td>{escape_html(own.group)}</td>"] if has_systems else []
        cells += [
            f'<td class="number wide">{own.queries:,}</td>',
            f'<td class="number wide">{_short(own.old)}</td>',
            f'<td class="number">{_short(own.new)}</td>',
            f'<td class="number">{_change(_short(own.change, signed=True), own.direction)}</td>',
        ]
        cells += [f"<td>{_interval(own, low, high)}</td>"] if ends else []
        link = ""
        if own.worse and section.queries is not None:
            data = f'data-slice="{escape_html(own.label)}" data-group="{escape_html(own.group)}"'
            n = f"{own.worse:,} worse {'query' if own.worse == 1 else 'queries'}"
            link = f' <a href="#{escape_html(prefix)}queries" {data}>{n}</a>'
        cells.append(f'<td><span class="{own.direction}">{escape_html(own.verdict)}</span>{link}')
        rows.append(f"<tr>{''.join(cells)}</td></tr>")
    table = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return f'<table class="rank-table slices"><caption>{about}</caption>{table}</table>'


def _interval(own: Slice, low: float, high: float) -> str:
    """A line with its mean, and where zero is; in words for screen readers."""
    if own.interval is None or own.change is None or low == high:
        return ""

    def place(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.2f}"

    first, last = own.interval
    words = f"{fixed(first, digits=3, signed=True)} to {fixed(last, digits=3, signed=True)}"
    width = float(place(last)) - float(place(first))
    return (
        f'<span class="interval-line {own.direction}" role="img" aria-label="{words}" '
        f'title="{words}"><s style="left:{place(0)}%"></s>'
        f'<i style="left:{place(first)}%;width:{width:.2f}%"></i>'
        f'<b style="left:{place(own.change)}%"></b></span>'
    )


def _short(value: Number, *, signed: bool = False) -> str:
    return "" if value is None else fixed(value, digits=3, signed=signed)


def _tables(tables: Sequence[tuple[str, Table]], level: int, prefix: str = "") -> Iterator[str]:
    for heading, table in tables:
        name = prefix + heading.lower().replace(" ", "-")
        yield f'<h{level} id="{escape_html(name)}">{escape_html(heading)}</h{level}>'
        plain = replace(table, notes=(), meaning="")
        yield _scrolled(html_table(plain, sortable=True), heading)
        # Beside the table, where a phone need not move it to the side to read them.
        yield from (f'<p class="faint">{escape_html(note)}</p>' for note in table.footnotes())


def _scrolled(table: str, name: str) -> str:
    """A table that a phone can move to the side, with the keyboard, too."""
    start = f'<div class="scroll" tabindex="0" role="group" aria-label="{escape_html(name)}">'
    return f"{start}\n{table}\n</div>"
