"""The whole run, seen from the one process that reports it: which gates ran, and how it ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_rankmetrics._support.naming import is_called
from pytest_rankmetrics.report.summary import ATTRIBUTE, PASSED, GateRun, Summary
from pytest_rankmetrics.session.options import Options, in_ci
from pytest_rankmetrics.session.test_report import without_ours


@dataclass(eq=False, repr=False)
class Test:
    """What became of one test, in its last try."""

    __test__ = False

    nodeid: str
    tries: int = 0
    records: list[dict[str, Any]] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)

    @property
    def expected_to_fail(self) -> bool:
        """Whether it was marked xfail and did fail."""
        return "xskipped" in self.outcomes

    @property
    def passed(self) -> bool:
        """Whether it ran and passed; expected failures and skips do not count."""
        return bool(self.outcomes) and set(self.outcomes) == {"passed"}


class Session:
    """Collects the reports of all tests, whatever process they ran in."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self.config = config
        self.options = options
        self.tests: dict[str, Test] = {}
        self.problems: list[str] = []
        """Why the run fails although no test says so."""
        self.unused: list[str] = []
        self.deleted = False
        self._partial = False
        self._has_written = False
        """Whether any try of any test has written a baseline."""

    # Hooks ---------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records of a report; a new setup is a new try."""
        test = self.tests.setdefault(report.nodeid, Test(report.nodeid))
        if report.when == "setup":
            test.tries += 1
            test.records, test.outcomes = [], []
        outcome = f"x{report.outcome}" if hasattr(report, "wasxfail") else report.outcome
        test.outcomes.append(outcome)
        records = getattr(report, ATTRIBUTE, ())
        test.records.extend(records)
        self._has_written |= any(record["written"] for record in records)
        if report.when == "teardown" and "rerun" in test.outcomes:
            # The next try has its own; a JUnit report takes the properties of every teardown.
            report.user_properties = without_ours(report.user_properties)

    def pytest_deselected(self, items: Any) -> None:
        """Some tests do not run, and may own baselines."""
        self._partial = self._partial or bool(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be collected may own baselines."""
        self._partial = self._partial or report.outcome != "passed"

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:  # noqa: ARG002
        """A worker that died takes its tests along."""
        self._partial = self._partial or error is not None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Check what no test can check by itself, write the reports, and set the exit code."""
        if self.config.option.collectonly:
            return
        self._find_unused(exitstatus)
        self.problems += [
            *self._required(),
            *self._accepted(),
            *self._collisions(),
            *self._strict(),
        ]
        if in_ci() and self._has_written:
            self.problems.append(
                "baselines were written in continuous integration: commit them and run again"
            )
        self._write_reports()
        green = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        if self.problems and session.exitstatus in green:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table of gates, if any ran or something is wrong."""
        if not self.config.option.collectonly and (self.problems or any(self.gates())):
            from pytest_rankmetrics.report.terminal import write_summary

            write_summary(terminalreporter, self.summary())

    # What ran ------------------------------------------------------------------------------------

    def gates(self) -> Iterator[tuple[Test, dict[str, Any]]]:
        """All gates that ran, test by test."""
        for test in self.tests.values():
            for record in test.records:
                expected = test.expected_to_fail and record["verdict"] not in PASSED
                yield test, {**record, "verdict": "xfail"} if expected else record

    def summary(self) -> Summary:
        """What reports are made from."""
        gates = [
            GateRun(record, test.nodeid, test.passed, test.tries, alone=len(test.records) == 1)
            for test, record in self.gates()
        ]
        return Summary(
            gates=tuple(gates),
            problems=tuple(self.problems),
            unused=tuple(self.unused),
            deleted=self.deleted,
            required=self.options.required,
            settings=asdict(self.options.settings),
            show=self.options.show,
        )

    def _required(self) -> Iterator[str]:
        """Required gates that did not run and pass."""
        for wanted in self.options.required:
            found = [(test, one) for test, one in self.gates() if _is_called(wanted, one)]
            if not found:
                yield f"required gate {wanted!r} did not run"
            for test, record in found:
                if record["verdict"] not in PASSED:
                    yield f"required gate {wanted!r} failed in {test.nodeid}"
                elif not test.passed:
                    worst = next(one for one in test.outcomes if one != "passed")
                    yield f"required gate {wanted!r} does not count: {test.nodeid} {worst}"

    def _accepted(self) -> Iterator[str]:
        """Patterns of --rank-accept that no gate answers to: typing mistakes."""
        for glob in self.options.accept:
            if not any(is_called(glob, one["name"], one["nodeid"]) for _, one in self.gates()):
                yield f"--rank-accept: no gate that ran is called {glob!r}"

    def _collisions(self) -> Iterator[str]:
        """Names and baselines that two tests share, perhaps in two processes."""
        names: dict[tuple[str, str], str] = {}
        for test, record in self.gates():
            own = record["nodeid"].partition("::")[2].replace("::", ".")
            keys = [("baseline", record["baseline"])] if record["baseline"] else []
            if record["name"] != own:
                keys.append(("name", record["name"]))
            for key in keys:
                other = names.setdefault(key, test.nodeid)
                if other != test.nodeid:
                    yield f"two tests use the {key[0]} {key[1]!r}: {other} and {test.nodeid}"

    def _strict(self) -> Iterator[str]:
        """What --rank-strict does not let pass."""
        if not self.options.settings.strict:
            return
        for test in self.tests.values():
            if test.tries > 1 and test.records and test.passed:
                yield f"{test.nodeid} passed at try {test.tries}: a gate gives one answer"

    # Unused baselines ----------------------------------------------------------------------------

    def _find_unused(self, exitstatus: int) -> None:
        asked = self.options.unused != "report" or self.config.getoption("rank_unused")
        if not asked and not any(True for _ in self.gates()):
            return
        from pytest_rankmetrics.session.unused import delete, find_unused, is_complete

        all_passed = all(test.passed for test in self.tests.values())
        finished = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        if self._partial or not all_passed or not finished or not is_complete(self.config):
            return
        if self.options.baseline_dir is not None:
            return
        used = {record["baseline"] for _, record in self.gates() if record["baseline"]}
        self.unused = find_unused(self.config, used)
        if self.options.unused == "delete":
            delete(self.config, self.unused)
            self.deleted = True
        elif self.unused and (self.options.unused == "fail" or self.options.settings.strict):
            self.problems.append(f"baseline files of no test: {', '.join(self.unused[:5])}")

    # Reports -------------------------------------------------------------------------------------

    def _write_reports(self) -> None:
        if not (self.options.json or self.problems or any(self.gates())):
            return  # the usual end of a run without gates, which pays for no import
        from pytest_rankmetrics.report.json import write_json
        from pytest_rankmetrics.report.markdown import write_markdown

        json, markdown = self.options.json, self._markdown_target()
        if json:
            self._write(write_json, json)
        if markdown and self.summary():
            self._write(write_markdown, markdown)

    def _markdown_target(self) -> str:
        """Path of the Markdown report; "" for none."""
        target = self.options.markdown
        if target == "auto":
            return os.environ.get("GITHUB_STEP_SUMMARY", "")
        return "" if target == "none" else target

    def _write(self, write: Callable[[Summary, Path], None], target: str) -> None:
        try:
            write(self.summary(), Path(self.config.invocation_params.dir, target))
        except OSError as error:
            self.problems.append(f"report {target} was not written: {error.strerror}")


def _is_called(wanted: str, record: dict[str, Any]) -> bool:
    """Whether a gate is meant by a name, a node id, or that of a parametrised test."""
    return (
        wanted in (record["name"], record["nodeid"])
        or str(record["nodeid"]).startswith(f"{wanted}[")
        or str(record["name"]).startswith(f"{wanted}[")
    )
