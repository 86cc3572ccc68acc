"""A page of systems or gates: its content as plain values, its words, and its file."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import cache_from_source
from typing import Any, Literal, NamedTuple

from sklearn_rank import __version__
from sklearn_rank.support.disk import GENERATOR
from sklearn_rank.support.text import as_text, count, listed, middle_cut, safe_text
from sklearn_rank.tables.formats import to_html
from sklearn_rank.tables.table import Table, fixed, p_text

MOST_NAMED = 3
"""Most systems, measures or slices to name in a sentence."""

Number = float | None
"""None is an undefined value, or the rank of an unretrieved item."""
Direction = Literal["better", "worse", ""]
Kind = Literal["better", "worse", "same"]
_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""Escapes: JSON in a script element ends at "</script", even in quotes."""
_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_RIGHT_TO_LEFT = re.compile(f"{_LETTERS}+(?:[^<>&;]{{1,3}}{_LETTERS}+)*")
"""Words in Hebrew, Arabic and similar scripts, with what is between them."""
_COMMITS = ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILD_SOURCEVERSION")
"""Environment variables by which CI hosts name the commit."""


# The grid ----------------------------------------------------------------------------------------


class GridCell(NamedTuple):
    """One measure of a row of the grid."""

    value: Number
    old: Number = None
    change: Number = None
    interval: tuple[Number, Number] | None = None
    """Interval of the change, or of the value if nothing is compared."""
    p: Number = None
    """Corrected p-value."""
    direction: Direction = ""
    """Significantly better or worse; in a gate, worse is a failure."""
    counts: tuple[int, int, int] | None = None
    """Numbers of queries that are better, the same and worse."""
    bins: tuple[int, ...] = ()
    """Number of queries in equal parts of the range of values."""
    note: str = ""
    """A limit or remark, such as "allowed 0.005"."""


class Row(NamedTuple):
    """Two systems, or one, over all queries or a slice."""

    label: str
    queries: int
    cells: tuple[GridCell | None, ...]
    """By measure; None without a value."""
    slice: str = ""
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
    shown: str = ""
    """Heading of these queries."""
    queries: Mapping[str, Any] | None = None
    """All queries, from :func:`queries_data`."""
    message: str = ""
    """Lines of the terminal."""


class Verdict(NamedTuple):
    """The answer."""

    sentence: str
    kind: Kind
    """Colour: "same" if there is no significant change."""
    details: tuple[str, ...] = ()
    """Sentences with its numbers, and what a gate would decide."""
    more: tuple[str, ...] = ()
    """Further sentences: the test, what could be found, what to judge next."""
    to_judge: tuple[Any, ...] = ()
    """Ids of the queries with items to judge next."""


@dataclass(frozen=True)
class Report:
    """The whole page."""

    title: str
    """Title of the window."""
    verdict: Verdict
    sections: tuple[Section, ...] = ()
    about: tuple[str, ...] = ()
    """Numbers of queries, files, date, commit."""
    notes: tuple[str, ...] = ()
    heading: str = ""
    """The caller's title, above the verdict."""


def short(value: Number, *, signed: bool = False) -> str:
    """A number with three digits; "undefined" for None."""
    return "undefined" if value is None else fixed(value, digits=3, signed=signed)


def slice_name(label: Any) -> str:
    """A label as text; "no label" and the like for an empty one."""
    return as_text(label).strip() or "(empty)"


# Claims ------------------------------------------------------------------------------------------


class SignificantChange(NamedTuple):
    """A significant change: a filled cell of the grid."""

    row: Row
    cell: GridCell
    measure: str
    greater: bool

    @property
    def order(self) -> tuple[Any, ...]:
        """Losses first, all queries before slices, then by significance and size.

        The order of rows and measures does not matter.
        """
        cell, p = self.cell, self.cell.p
        size = -abs(cell.change or 0.0)
        gravity = cell.direction != "worse", bool(self.row.slice), 1.0 if p is None else p
        return *gravity, size, self.measure, self.row.label, self.row.new

    @property
    def verb(self) -> str:
        """Whether the values rose or fell, with a remark if lower is better."""
        verb = "rose" if (self.cell.change or 0.0) > 0 else "fell"
        return verb if self.greater else f"{verb} (lower is better)"


def findings(section: Section) -> list[SignificantChange]:
    """Significant changes, in an order independent of that of rows and measures."""
    significant = [
        SignificantChange(row, cell, measure, greater)
        for row in section.rows
        for cell, measure, greater in zip(row.cells, section.measures, section.greater, strict=True)
        if cell is not None and cell.direction
    ]
    return sorted(significant, key=lambda finding: finding.order)


def some(names: Iterable[str]) -> str:
    """``a, b and c``, or ``a, b, c and 4 more``."""
    texts = [safe_text(middle_cut(name, 40)) for name in names]
    return listed(texts, MOST_NAMED)


def claims(ordered: Sequence[SignificantChange]) -> str:
    """Losses, then gains: ``MAP fell for brand queries; MRR and nDCG@10 rose``."""
    groups: dict[tuple[str, str], list[str]] = {}
    for kind in ("worse", "better"):
        alike = [finding for finding in ordered if finding.cell.direction == kind]
        for measure in dict.fromkeys(finding.measure for finding in alike):
            parts = [finding for finding in alike if finding.measure == measure]
            sizes = [abs(part.cell.change or 0.0) for part in parts if not part.row.slice]
            # A slice is news if the whole has not changed, or changed less.
            slices = [
                part.row.slice
                for part in parts
                if part.row.slice and not (sizes and abs(part.cell.change or 0.0) <= sizes[0])
            ]
            where = f" for {some(dict.fromkeys(slices))} queries" if slices else ""
            if sizes:
                others = {
                    of.measure for of in ordered if of.row.slice and of.cell.direction != kind
                }
                overall = " overall" if measure in others else ""
                where = f", most{where}" if where and kind == "worse" else overall
            groups.setdefault((parts[0].verb, where), []).append(measure)
    phrases = [f"{some(names)} {verb}{where}" for (verb, where), names in groups.items()]
    more = len(phrases) - 2 * MOST_NAMED
    return "; ".join(phrases[: 2 * MOST_NAMED]) + f"; {more:,} more changes" * (more > 0)


def claims_by_system(ordered: Sequence[SignificantChange], systems: Sequence[str]) -> str:
    """Systems with the same claims together, losses first; slices only for a single system."""
    grouped: dict[tuple[bool, str], list[str]] = {}
    for number in {finding.row.new for finding in ordered}:
        parts = [finding for finding in ordered if finding.row.new == number]
        overall = [finding for finding in parts if not finding.row.slice] or parts
        gained = all(finding.cell.direction == "better" for finding in parts)
        grouped.setdefault((gained, claims(overall)), []).append(systems[number])
    phrases = [f"{some(sorted(names))}: {text}" for (_, text), names in sorted(grouped.items())]
    more = len(phrases) - MOST_NAMED
    return "; ".join(phrases[:MOST_NAMED]) + (f"; {more:,} more systems changed" * (more > 0))


# The file ----------------------------------------------------------------------------------------


def provenance() -> list[str]:
    """Date and commit of a report; no commit if it is unknown."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.datetime.now(datetime.UTC)
    if epoch.isdecimal():
        now = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    commit = next((os.environ[name] for name in _COMMITS if os.environ.get(name)), "")
    if not commit:
        command = ["git", "rev-parse", "HEAD"]
        with suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
            commit = done.stdout.strip()
    return [f"{now.day} {now:%b %Y}", *([f"commit {commit[:8]}"] if commit.isalnum() else [])]


def page(report: Report) -> str:
    """The whole file.

    Its content security policy forbids every connection and every script except the package's, for
    any data.
    """
    from markupsafe import Markup

    all_data = filter(None, (section.queries for section in report.sections))
    script = _resource("page.js")
    html: str = _template().render(
        report=report,
        version=__version__,
        generator=Markup(GENERATOR),
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=Markup(_resource("page.css")),
        script=Markup(script),
        sizes=[(data["leftOut"], len(data["queries"])) for data in all_data],
    )
    return html


@cache
def _template() -> Any:
    """The page's template; compiling it costs as much as a third of a page."""
    from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    # Compiled once, where Python puts the compiled modules of this package.
    folder, kept = os.path.dirname(cache_from_source(__file__)), f"page-{__version__}-%s.jinja"
    is_kept = os.access(folder, os.W_OK) and not sys.dont_write_bytecode
    environment = Environment(
        autoescape=True,
        finalize=lambda one: safe_text(one, limit=None) if type(one) is str else one,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(_resource),
        bytecode_cache=FileSystemBytecodeCache(folder, kept) if is_kept else None,
    )
    environment.filters |= {
        "short": short,
        "apart": _apart,
        "p": lambda p: p_text(p) or "not tested",
        "count": count,
        "json": lambda data: Markup(script_json({**data, "lines": None})),
        "lines": lambda data: Markup("\n".join(data["lines"])),
        "table": lambda table: Markup(to_html(table)),
    }
    return environment.get_template("page.html.jinja")


def _apart(text: str) -> Any:
    """Text for HTML whose right-to-left parts do not change the order of the others."""
    from markupsafe import Markup, escape

    escaped = str(escape(safe_text(text, limit=None)))
    return Markup(_RIGHT_TO_LEFT.sub(r"<bdi>\g<0></bdi>", escaped))


def _resource(name: str) -> str:
    return files("sklearn_rank.view").joinpath(name).read_text(encoding="utf-8")


def script_json(value: Any) -> str:
    """JSON that is safe inside a script element, whatever its texts contain."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.translate(_SCRIPT)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)
