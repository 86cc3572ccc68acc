"""The gates in the report of pytest-html."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.rows import gates_table, tally
from pytest_rankmetrics.report.summary import ATTRIBUTE, Summary
from pytest_rankmetrics.report.terminal import TITLE
from sklearn_rank.tables.formats import escape_html, to_html


class HtmlReport:
    """Adds the table in front of the results, and the message of each gate to its test."""

    def __init__(self, summary: Callable[[], Summary]) -> None:
        self.summary = summary

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Put the messages of gates beside their test, those that passed too."""
        messages = [message_extra(record["message"]) for record in getattr(report, ATTRIBUTE, ())]
        if messages:
            report.extras = [*getattr(report, "extras", ()), *messages]

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Put the table into the report, if any gate ran or should have."""
        summary = self.summary()
        if summary:
            prefix.append(html_table(summary))


def html_table(summary: Summary) -> str:
    """The table; all data escaped, no script, no resource from elsewhere."""
    problems = (f"<p>{escape_html(formatting.line(problem))}</p>" for problem in summary.problems)
    return (
        f"<h2>{TITLE.capitalize()}</h2><p>{escape_html(tally(summary.gates))}</p>"
        f"{to_html(gates_table(summary))}"
        f"{''.join(problems)}"
    )


def message_extra(message: str) -> Any:
    """The message of a gate as an extra of pytest-html."""
    from pytest_html import extras

    lines = "\n".join(map(escape_html, message.split("\n")))
    return extras.html(f"<pre>{lines}</pre>")
