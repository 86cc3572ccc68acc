"""A pytest run: the running test, the records of its gates, and how the run ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rankmetrics.options import Options
from sklearn_rank.gates.limits import DIRECTORY, EXTENSION, file_name, is_called, name_of
from sklearn_rank.support.text import format_list, safe_repr, safe_text

with suppress(ModuleNotFoundError):  # assertions, and the demonstration, work without pytest
    import pytest

if TYPE_CHECKING:
    from sklearn_rank.gates.verdict import GateResult
    from sklearn_rank.view.page import Section
    from sklearn_rank.view.summary import GateRun, Summary

ATTRIBUTE = "rank_records"
"""Attribute of a test's report that holds the records of its gates; pytest-xdist sends it on."""
WORKER = "rankmetrics"
"""Key under which a worker of pytest-xdist sends its records."""
SECTION = "section"
"""Key under which the part of a gate in an HTML report travels in its record."""
GREEN = (0, 5)  # exit codes of pytest: all passed, or nothing collected
MOST_PROBLEMS = 5
HINT = (
    "to expect a failure, use expected_failure() of pytest_rankmetrics: "
    "pytest.raises, except clauses, xfail and the like hide it"
)


class PytestRun:
    """A run in this process: the test that is running, and the records of its gates."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self.options = options
        self.session = Session(config, options)
        self.is_worker = hasattr(config, "workerinput")
        self.nodeid = ""
        """Node id of the running test; "" between tests."""
        self.records: list[dict[str, Any]] = []
        """Gates that ran and were not reported yet."""
        self.failures = 0
        """Tests that a gate failed so far."""
        self.judged = False
        """Whether any gate ran since the last report, expected failures included."""
        self.owners: dict[str, str] = {}
        """The test that took each baseline of the session."""
        self.claimed: set[str] = set()
        """Baselines of this try of the test."""
        # A run within a test of another run inherits the variable until its first test.
        self._outer = os.environ.get("PYTEST_CURRENT_TEST")
        self._process = os.getpid()

    def start(self, nodeid: str) -> None:
        """Start a test or its rerun, which may use the same names again."""
        self.nodeid, self.claimed, self._process = nodeid, set(), os.getpid()

    @property
    def is_here(self) -> bool:
        """Whether the running test belongs to this run, not to a run without the plugin.

        A process that a test starts is outside of the run, forked or not: its records are lost.
        """
        if self._process != os.getpid():
            return False
        current = os.environ.get("PYTEST_CURRENT_TEST")
        if current is None or not self.nodeid:
            return current in (None, self._outer)
        return current.rpartition(" (")[0] == self.nodeid.replace("\x00", "(null)")

    def record(self, result: GateResult, nodeid: str, section: Section | None = None) -> None:
        """Keep the findings of a gate, and its section of a page, until the test is reported."""
        record = {**result.as_dict(), "nodeid": nodeid}
        self.judged = True
        if section is not None:
            import pickle

            record[SECTION] = pickle.dumps(section)
        self.records.append(record)

    def take(self) -> list[dict[str, Any]] | None:
        """The records since the last time; None if no gate ran."""
        records, judged = self.records, self.judged
        self.records, self.judged = [], False
        return records if judged else None

    def claim(self, baseline: str) -> None:
        """RankGateFailure if another gate of the session uses this baseline."""
        from sklearn_rank.gates.verdict import RankGateFailure  # runs without gates go without

        owner = self.owners.setdefault(baseline, self.nodeid)
        tests = " and ".join(safe_text(test, limit=300) for test in (owner, self.nodeid))
        if owner != self.nodeid:
            msg = f"two tests use the baseline {safe_repr(baseline, limit=300)}: {tests}"
            raise RankGateFailure(msg)
        if self.nodeid and baseline in self.claimed:
            msg = f"two gates of {safe_text(owner, limit=300)} share a baseline; rename one of them"
            raise RankGateFailure(msg)
        self.claimed.add(baseline)


RUNS: list[PytestRun] = []
"""Runs in progress; a test may run pytest, too."""


def current() -> PytestRun | None:
    """The run whose test is running; None outside of pytest."""
    return RUNS[-1] if RUNS and RUNS[-1].is_here else None


def is_named(nodeid: str, wanted: str) -> bool:
    """Whether a node id or name, with or without parameters, means this test."""
    names = nodeid, name_of(nodeid)
    return any(name == wanted or name.startswith(f"{wanted}[") for name in names)


class Session:
    """The whole run, in the process that reports it."""

    def __init__(self, config: pytest.Config, options: Options) -> None:
        self.config, self.options = config, options
        self.gates: dict[str, list[GateRun]] = {}
        """Records of the last try of each test."""
        self.tries: dict[str, int] = {}
        """Number of tries of each test."""
        self.problems: list[str] = []
        """Reasons for a red run beyond the outcomes of its tests."""
        self.remarks: list[str] = []
        self.wrote = False
        """Whether any try of any test has written a baseline."""
        self.looped = False
        """Whether tests were run, rather than listed."""
        self.partial = False
        """Whether anything that was collected did not run, or could not be collected."""
        self.excused: set[str] = set()
        """Baselines, or directories of them, of tests that did not pass."""
        self.idle: dict[str, None] = {}
        """Tests that use the fixture and passed, but ran no gate."""
        self.wanted: dict[str, None] = {}
        """Collected tests that ``rank_required`` names, deselected ones included."""

    def begin(self) -> None:
        """Note that tests are executed, not only listed."""
        option = self.config.option
        self.looped = not (option.collectonly or getattr(option, "setuponly", False))

    def known(self) -> dict[str, Any]:
        """Records that a worker of pytest-xdist sends."""
        return {
            "partial": self.partial,
            "excused": list(self.excused),
            "wanted": list(self.wanted),
            "problems": self.problems,
        }

    def add_worker(self, record: dict[str, Any] | None) -> None:
        """Add the records of a worker; a dead worker sends none."""
        if record is None:
            self.partial = True
            return
        self.partial |= record["partial"]
        self.excused.update(record["excused"])
        self.wanted.update(dict.fromkeys(record["wanted"]))
        self.problems += [text for text in record["problems"] if text not in self.problems]

    def add(self, report: pytest.TestReport) -> None:
        """Take the records of a report; a red gate in a phase that did not fail was swallowed."""
        nodeid = report.nodeid
        if report.when == "setup":
            self.tries[nodeid] = self.tries.get(nodeid, 0) + 1
            self.gates.pop(nodeid, None)
        if report.outcome != "passed":
            name = "" if "rank_gate" in report.keywords else file_name(name_of(nodeid))
            self.excuse(nodeid, name)
            runs = self.gates.get(nodeid, [])
            runs[:] = [replace(run, outcome=report.outcome) for run in runs]
        records = report.__dict__.get(ATTRIBUTE)
        if records is not None:
            self.idle.pop(nodeid, None)
        elif report.when == "setup" and "rank_gate" in report.keywords:
            self.idle[nodeid] = None
        if report.outcome != "passed":
            self.idle.pop(nodeid, None)
        if not records:
            return
        import pickle

        from sklearn_rank.view.summary import GateRun

        for whole in records:
            record = {key: value for key, value in whole.items() if key != SECTION}
            section = pickle.loads(whole[SECTION]) if SECTION in whole else None
            run = GateRun(record, nodeid, report.outcome, section)
            self.gates.setdefault(nodeid, []).append(run)
            self.wrote |= bool(record["written"])
            if run.failed and report.outcome in ("passed", "skipped"):
                self.swallowed(record)

    def excuse(self, nodeid: str, name: str = "") -> None:
        """Note the baselines that a test or module that did not pass would have read."""
        self.excused.add(f"{nodeid.partition('::')[0].removesuffix('.py')}/{name}")

    def take_swallowed(self, run: PytestRun) -> list[str]:
        """Problems of gates that failed outside of any test."""
        n = len(self.problems)
        for record in run.take() or ():
            if not record["passed"]:
                self.swallowed(record)
        return self.problems[n:]

    def swallowed(self, record: dict[str, Any]) -> None:
        """Note a gate that failed although its test passed."""
        where = f"{record['nodeid']}: " if record["nodeid"] else ""
        said = f"{where}gate {record['name']!r} failed, but its test passed"
        self.problems.append(f"{said}: {record['headline']}; {HINT}")

    @property
    def has_news(self) -> bool:
        """Whether there is anything to report: a gate that ran, or a problem."""
        return bool(self.gates or self.problems or self.remarks)

    @property
    def runs(self) -> list[GateRun]:
        """All gates."""
        return [run for runs in self.gates.values() for run in runs]

    def summary(self) -> Summary:
        """Plain values for all reports."""
        from sklearn_rank.view.summary import Summary

        return Summary(
            gates=tuple(self.runs),
            problems=tuple(self.problems),
            remarks=tuple(self.remarks),
            required=self.options.required,
            settings=dict(vars(self.options.settings)),
            quiet=self.options.quiet,
        )

    # The end -------------------------------------------------------------------------------------

    def finish(self, session: pytest.Session, exitstatus: int) -> None:
        """Check what no single test can check, write the reports, and set the exit code."""
        if self.looped:
            self.problems += self._complaints(exitstatus)
            self._write_reports()
        self.end(session)

    def end(self, session: pytest.Session) -> None:
        """Replace a green exit code if there is a problem."""
        if self.problems and session.exitstatus in GREEN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _complaints(self, exitstatus: int) -> Iterator[str]:
        """Reasons for a red run beyond the outcomes of its tests."""
        options, runs = self.options, self.runs
        if options.baseline_dir is not None and exitstatus in GREEN and not self.partial:
            yield from self._unread(options.baseline_dir)
        red = [run for run in runs if run.failed]
        if red and exitstatus in GREEN and not self.problems:
            name = red[0].record["name"]
            yield f"gate {name!r} failed, but the run ended with exit code {int(exitstatus)}"
        idle = [f"{test} uses the fixture rank_gate but checked nothing" for test in self.idle]
        self.remarks += [] if options.settings.strict else idle
        yield from idle if options.settings.strict else ()
        for wanted in options.required:
            texts = list(self._missing(wanted))
            yield from texts[:MOST_PROBLEMS]
            if len(texts) > MOST_PROBLEMS:
                yield f"... and {len(texts) - MOST_PROBLEMS:,} more of the same"
        names = [(run.record["name"], run.record["nodeid"]) for run in runs]
        owners: dict[str, str] = {}  # of all processes
        for run in runs:
            path = str(run.record["baseline"])
            owner = owners.setdefault(path, run.test)
            if path and owner != run.test:
                yield f"two tests use {path!r}: {owner} and {run.test}"
        again = {run.test for run in runs if self.tries[run.test] > 1 and run.outcome == "passed"}
        for test in sorted(again) if options.settings.strict else ():
            yield f"{test} passed on a rerun; a gate must give the same result every time"
        for glob in options.accept:
            if not any(is_called(glob, *name) for name in names):
                ran = format_list(sorted({name for name, _ in names}), limit=MOST_PROBLEMS)
                yield f"--rank-accept: no gate that ran is called {glob!r}; those that ran: {ran}"
        if options.in_ci and self.wrote:
            yield "baselines were written in continuous integration: commit them elsewhere"

    def _missing(self, wanted: str) -> Iterator[str]:
        """Why a required name is not satisfied: by gates that ran, and tests that did not."""
        gate = f"required gate {wanted!r}"
        selected = [
            run
            for run in self.runs
            # By its test, or by an explicit name.
            if is_named(str(run.record["nodeid"]), wanted)
            or f"{run.record['name']}[".startswith(f"{wanted}[")
        ]
        for run in selected:
            how = run.outcome if run.record["passed"] else "failed"
            if how != "passed":
                yield f"{gate} {how} in {run.test}"
        ran = {str(run.record["nodeid"]) for run in selected}
        functions = {test.partition("[")[0] for test in ran}
        silent = [
            test
            for test in self.wanted
            if is_named(test, wanted) and test not in ran
            if "::" in wanted or not functions or test.partition("[")[0] in functions
        ]
        yield from (f"{gate} did not run in {test}" for test in silent)
        if not selected and not silent:
            yield f"{gate} did not run"

    def _unread(self, base: Path) -> Iterator[str]:
        """Baselines of the target branch, below what this run collects, that no gate read."""
        if any("::" in argument for argument in self.config.args):
            return
        starts = [
            shown_path(Path(argument), self.config).removesuffix(".py")
            for argument in self.config.args
        ]
        read = {run.record["baseline"] for run in self.runs}
        unread = []
        for path in sorted(base.rglob(f"*{EXTENSION}")):
            shown = path.relative_to(base).as_posix()
            is_below = any(start == "." or shown.startswith(f"{start}/") for start in starts)
            # Those of the command are not of pytest.
            is_excused = any(
                shown.startswith(one) if one.endswith("/") else shown == one for one in self.excused
            )
            if is_below and not is_excused and shown not in read and path.parent.name != DIRECTORY:
                unread.append(shown)
        text = f"gates of the target branch are gone: {', '.join(unread[:MOST_PROBLEMS])}"
        if unread and self.options.settings.strict:
            yield text
        elif unread:
            self.remarks.append(text)

    def _write_reports(self) -> None:
        options, step = self.options, False
        targets = {"json": options.json, "html": options.html}
        if self.has_news:
            targets["markdown"] = "" if options.markdown in ("auto", "none") else options.markdown
            step = options.markdown != "none" and "GITHUB_STEP_SUMMARY" in os.environ
        if any(targets.values()) or step:
            from sklearn_rank.view.reports import write_reports, write_step_summary

            start = self.config.invocation_params.dir
            others = [self.config.getoption("xmlpath", None)]  # of JUnit, which is written later
            self.problems += write_reports(self.summary(), targets, start=start, others=others)
            if step:
                self.remarks += write_step_summary(self.summary(), options.markdown)


def shown_path(path: Path, config: pytest.Config) -> str:
    """A path as printed and recorded: relative to the project's root if inside it.

    Links to directories are followed if the path as written is not below the root. A link to a file
    is never followed, because the link itself is in the project.
    """
    for target, root in (
        (Path(os.path.abspath(path)), config.rootpath),
        (path.parent.resolve() / path.name, config.rootpath.resolve()),
    ):
        if target.is_relative_to(root):
            return target.relative_to(root).as_posix()
    return path.as_posix()
