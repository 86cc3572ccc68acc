"""A report as one HTML file, which needs nothing but a browser."""

from __future__ import annotations

import base64
import datetime
import hashlib
import os
import subprocess
from importlib.resources import files
from typing import Any

from sklearn_rank import __version__
from sklearn_rank.report.content import Report, count, grid_table, p_text, short
from sklearn_rank.report.queries import script_json
from sklearn_rank.support.disk import GENERATOR, HTML_REPORT, check_target, writable, write_whole
from sklearn_rank.support.text import safe_text
from sklearn_rank.tables.formats import escape_markdown, to_html, to_markdown

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
    """Write the report to a file in a directory that exists."""
    check_target(path, HTML_REPORT)
    with writable(path, "path"):
        write_whole(path, page(report).encode())


def page(report: Report) -> str:
    """The whole file.

    Its policy forbids the browser every connection, and every script but the one of this package,
    whatever stands in the data.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def printable(value: Any) -> Any:
        return safe_text(value, limit=None) if type(value) is str else value

    environment = Environment(
        autoescape=True,
        finalize=printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"short": short, "p": p_text, "count": count}
    script = _resource("page.js")
    shared = {"id": _identity(report), "markdown": markdown(report)}
    return environment.from_string(_resource("page.html.jinja")).render(
        report=report,
        version=__version__,
        generator=Markup(GENERATOR),
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=Markup(_resource("page.css")),
        script=Markup(script),
        shared=Markup(script_json(shared)),
        shown=[
            {
                "data": Markup(script_json({**section.queries, "lines": None}))
                if section.queries
                else "",
                "lines": Markup("\n".join(section.queries["lines"] if section.queries else ())),
                "table": Markup(to_html(section.changes)) if section.changes else "",
            }
            for section in report.sections
        ],
        left_out=sum(section.queries["leftOut"] for section in report.sections if section.queries),
        n_queries=sum(
            len(section.queries["queries"]) for section in report.sections if section.queries
        ),
    )


def markdown(report: Report) -> str:
    """The answer and the grid, to be pasted into a pull request."""
    verdict = report.verdict
    sign = {"worse": ":x:", "better": ":white_check_mark:"}.get(verdict.kind, ":grey_question:")
    parts = [f"**{sign} {escape_markdown(verdict.sentence)}**"]
    parts += map(escape_markdown, verdict.details)
    for section in report.sections:
        parts += [f"**{escape_markdown(section.title)}**"] * bool(section.title)
        parts.append(to_markdown(grid_table(section)))
    return "\n\n".join(parts)


def _identity(report: Report) -> str:
    """A name for what readers store of this page in their browser."""
    names = (section.systems + section.measures for section in report.sections)
    queries = (section.queries["queries"] for section in report.sections if section.queries)
    content = repr((report.title, report.verdict.sentence, [*names], [*queries]))
    return hashlib.sha256(content.encode(errors="replace")).hexdigest()[:16]


def _resource(name: str) -> str:
    return files("sklearn_rank.report").joinpath(name).read_text(encoding="utf-8")
