"""The whole run, as the process that reports it sees it: which gates ran, and how it ends."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_rankmetrics._support.naming import is_called
from pytest_rankmetrics.report.summary import ATTRIBUTE, BY_QUERY, GateRun, Summary, is_red
from pytest_rankmetrics.session.collection import Collection
from pytest_rankmetrics.session.current import Run
from pytest_rankmetrics.session.exit_guard import GREEN, JUDGED, WHY_RED, executes
from pytest_rankmetrics.session.options import Options
from pytest_rankmetrics.session.recorder import swallowed, without_ours

MOST_NAMED = 5


@dataclass(eq=False, repr=False)
class TestOutcome:
    """What became of one test, in its last try."""

    __test__ = False

    nodeid: str
    tries: int = 1
    records: list[dict[str, Any]] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)

    @property
    def expected_to_fail(self) -> bool:
        """Whether it was marked xfail and did fail."""
        return "xskipped" in self.outcomes

    @property
    def outcome(self) -> str:
        """The first outcome of a phase that is not "passed", if there is one."""
        return next((outcome for outcome in self.outcomes if outcome != "passed"), "passed")


class Session:
    """Collects the reports of all tests, whatever process they ran in."""

    def __init__(
        self, config: pytest.Config, options: Options, run: Run, collection: Collection
    ) -> None:
        self.config = config
        self.options = options
        self.problems: list[str] = []
        """Why the run fails although no test says so."""
        self._run = run
        self._collection = collection
        self._tests: dict[str, TestOutcome] = {}
        """Tests in which a gate ran, and those that did not pass."""
        self._passed: set[str] = set()
        """All others."""
        self._looped = False
        self._has_written = False
        """Whether any try of any test has written a baseline."""
        self._remarks: list[str] = []
        self._unused: list[str] = []
        config.stash[WHY_RED] = self._why_red

    # Hooks ---------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        """Note that this run executes tests; ``--fixtures``, ``--cache-show`` ... do not."""
        self._looped = executes(self.config)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """``pytest.exit()`` ends a run before its loop, too: what is required did not run then."""
        self._looped = executes(self.config)
        self._collection.part = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records of a report; a new setup is a new try."""
        attributes = report.__dict__
        test = self._tests.get(report.nodeid)
        if test is None:
            plain = ATTRIBUTE not in attributes and "wasxfail" not in attributes
            if plain and report.outcome == "passed":
                if report.when == "teardown":
                    self._passed.add(report.nodeid)
                return
            test = self._tests[report.nodeid] = TestOutcome(report.nodeid)
        elif report.when == "setup":
            test.tries += 1
            test.records, test.outcomes = [], []
        records = attributes.get(ATTRIBUTE, ())
        self._has_written |= any(record["written"] for record in records)
        _add(test, report, records)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """The tests that a worker is ready to run; all workers have the same."""
        self._collection.ids.update(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """Take over what a worker knows; the tests of one that died are lost."""
        known = getattr(node, "workeroutput", {}).get(WORKER)
        if error is not None or known is None:
            self._collection.part = True
        if known is not None:
            self._collection.update(known)
            self._complain_of_lost(known["lost"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Check what no single test can, write the reports, and set the exit code."""
        self.config.stash[JUDGED] = True
        self._complain_of_lost(self._run.lost())
        if self._looped:
            self._finish(exitstatus)
        if self.problems and session.exitstatus in GREEN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table of gates, if any ran or something is wrong."""
        summary = self.summary()
        if summary:
            from pytest_rankmetrics.report.terminal import write_summary

            write_summary(terminalreporter, summary)

    # What ran ------------------------------------------------------------------------------------

    def summary(self) -> Summary:
        """What reports are made from."""
        return Summary(
            gates=tuple(self._gates()),
            problems=tuple(self.problems),
            remarks=tuple(self._remarks),
            unused=tuple(self._unused),
            required=self.options.required,
            settings=asdict(self.options.settings),
            show=self.options.show,
        )

    def _gates(self) -> Iterator[GateRun]:
        """All gates that ran, test by test."""
        for test in self._tests.values():
            for whole in test.records:
                record = {key: value for key, value in whole.items() if key != BY_QUERY}
                expected = test.expected_to_fail and is_red(record)
                own = {**record, "verdict": "xfail"} if expected else record
                yield GateRun(
                    own,
                    test.nodeid,
                    test.outcome,
                    test.tries,
                    alone=len(test.records) == 1,
                    by_query=whole.get(BY_QUERY),
                )

    def _why_red(self) -> str:
        """Why the run must not end green, whoever has set its exit code since it was judged."""
        told = list(self.problems)
        self._complain_of_lost(self._run.lost())
        new = [problem for problem in self.problems if problem not in told]
        if new:
            return new[0]
        if JUDGED not in self.config.stash:
            return ""
        failed = [run.test for run in self._gates() if run.failed]
        if not failed and not told:
            return ""
        what = f"the gate of {failed[0]} failed" if failed else told[0]
        return f"{what}, and a hook made the run green"

    # How it ends ---------------------------------------------------------------------------------

    def _finish(self, exitstatus: int) -> None:
        gates = list(self._gates())
        if self._judges_unused(gates, exitstatus):
            self._find_unused(gates)
        self.problems += [
            *self._missing(gates),
            *self._accepted(gates),
            *_collisions(gates),
            *self._tried_again(gates),
            *_hidden(gates, exitstatus),
            *self._idle_helpers(),
        ]
        if self.options.in_ci and self._has_written:
            self.problems.append(
                "baselines were written in continuous integration: commit them and run again"
            )
        if gates and self.options.writes:
            self._sweep(gates)
        self._write_reports()

    def _complain_of_lost(self, records: list[dict[str, Any]]) -> None:
        """Failures missing from every test report: ``pytest.exit(returncode=0)`` hid them."""
        for record in records:
            place = f"{record['nodeid']}: " if record["nodeid"] else ""
            problem = f"{place}{' '.join(swallowed(record).split())}"
            if problem not in self.problems:  # a worker may import the same conftest modules
                self.problems.append(problem)

    def _missing(self, gates: list[GateRun]) -> Iterator[str]:
        """Required gates that did not run and pass."""
        if not self.options.required:
            return
        from pytest_rankmetrics.baseline.file import recorded_gate
        from pytest_rankmetrics.session.baseline_files import find_baselines
        from pytest_rankmetrics.session.required import Required

        used = {run.record["baseline"] for run in gates}
        root = self.options.baseline_dir or self.config.rootpath
        baselines = find_baselines(self.config, root)
        recorded = {recorded_gate(path): shown for path, shown in baselines if shown not in used}
        required = Required(gates, self._collection.required, recorded)
        for wanted in self.options.required:
            yield from required.missing(wanted)

    def _accepted(self, gates: list[GateRun]) -> Iterator[str]:
        """Patterns of --rank-accept that match no gate: typos."""
        names = [(run.record["name"], run.record["nodeid"]) for run in gates]
        for glob in self.options.accept:
            if not any(is_called(glob, *own) for own in names):
                yield f"--rank-accept: no gate that ran is called {glob!r}"

    def _tried_again(self, gates: list[GateRun]) -> Iterator[str]:
        """Passes that --rank-strict does not count."""
        if self.options.settings.strict:
            tries = {run.test: run.tries for run in gates if run.tries > 1 and run.test_passed}
            for test, n in tries.items():
                yield f"{test} passed at try {n}: a gate gives one answer"

    def _idle_helpers(self) -> Iterator[str]:
        """Fixtures that take a gate and hand it to tests of which none checks anything."""
        option, root = self.config.getoption, self.config.rootpath
        if not self._collection.helpers or any(
            option(name, None) for name in ("ignore", "ignore_glob", "lf", "maxfail")
        ):
            return
        from pytest_rankmetrics.session.baseline_files import shown_path

        starts = [
            shown_path(Path(start), self.config)
            for start, colons, _ in (argument.partition("::") for argument in self.config.args)
            if not colons
        ]
        for helper, test in self._collection.helpers.items():
            place, _, name = helper.rpartition("::")
            owner = root / place.partition("::")[0]
            is_whole = any(owner.is_relative_to(root / start) for start in starts)
            whole = self.config.args_source is not self.config.ArgsSource.ARGS or is_whole
            if test and whole and name not in self._collection.left_out:
                yield (
                    f"the fixture {name!r} of {place or 'a plugin or conftest.py'} takes a gate, "
                    f"and no gate has run in any test that asks for it, such as {test}"
                )

    # Unused baselines ----------------------------------------------------------------------------

    def _judges_unused(self, gates: list[GateRun], exitstatus: int) -> bool:
        """Whether unused files are of interest, and every test of the project ran and passed."""
        if not (gates or self.options.unused != "report" or self.config.getoption("rank_unused")):
            return False
        if self.options.baseline_dir is not None or exitstatus not in GREEN:
            return False
        from pytest_rankmetrics.session.baseline_files import is_complete

        passed = {test.nodeid for test in self._tests.values() if test.outcome == "passed"}
        all_passed = len(passed) == len(self._tests) and self._collection.ids <= (
            passed | self._passed
        )
        return all_passed and not self._collection.part and is_complete(self.config)

    def _find_unused(self, gates: list[GateRun]) -> None:
        from pytest_rankmetrics.session.baseline_files import find_unused

        used = {run.record["baseline"] for run in gates}
        self._unused = find_unused(self.config, used, self._collection.modules)
        if not self._unused:
            return
        if self.options.unused == "fail" or self.options.settings.strict:
            names = ", ".join(self._unused[:MOST_NAMED])
            self.problems.append(f"baseline files of no test: {names}")

    def _sweep(self, gates: list[GateRun]) -> None:
        from sklearn_rank.support.disk import sweep

        files = {run.record["baseline"] for run in gates if run.record["baseline"]}
        for directory in {(self.config.rootpath / file).parent for file in files}:
            sweep(directory)

    # Reports -------------------------------------------------------------------------------------

    def _write_reports(self) -> None:
        own, summary = self.options, self.summary()
        targets = {"json": own.json, "html": own.page}
        if own.markdown not in ("auto", "none") and summary:
            targets["markdown"] = own.markdown
        by_itself = own.markdown == "auto" and bool(os.environ.get("GITHUB_STEP_SUMMARY"))
        if any(targets.values()) or (by_itself and summary):
            from pytest_rankmetrics.report.files import write_reports, write_step_summary

            start = self.config.invocation_params.dir
            self.problems += write_reports(summary, targets, start=start)
            if by_itself and summary:
                self._remarks += write_step_summary(self.summary())


WORKER = "rankmetrics"
"""Key under which a worker sends what it knows."""


class Worker:
    """A worker of pytest-xdist: sends what only it knows to the controller."""

    def __init__(self, config: Any, run: Run, collection: Collection) -> None:
        self._output: dict[str, Any] = config.workeroutput
        self._run = run
        self._collection = collection

    def pytest_sessionfinish(self) -> None:
        """Send at the last moment; a worker that dies sends nothing."""
        self._output[WORKER] = {**self._collection.as_dict(), "lost": self._run.lost()}


def _add(test: TestOutcome, report: pytest.TestReport, records: Iterable[dict[str, Any]]) -> None:
    if report.outcome not in ("passed", "failed", "skipped"):
        # "rerun": the next try has records of its own, and a JUnit report takes the properties of
        # every teardown.
        test.records = []
    else:
        test.records.extend(records)
    outcome = f"x{report.outcome}" if hasattr(report, "wasxfail") else report.outcome
    test.outcomes.append(outcome)
    if report.when == "teardown" and "rerun" in test.outcomes:
        report.user_properties = without_ours(report.user_properties)


def _collisions(gates: list[GateRun]) -> Iterator[str]:
    """Names and baselines that two tests share, perhaps in two processes."""
    owners: dict[tuple[str, str], GateRun] = {}
    for run in gates:
        for key in _keys(run.record):
            other = owners.setdefault(key, run)
            # Two workers run a fixture that a single process would run once.
            repeated = run.record["fixture"] and run.record["fixture"] == other.record["fixture"]
            if other.test != run.test and not repeated:
                yield f"two tests use the {key[0]} {key[1]!r}: {other.test} and {run.test}"


def _keys(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    own = record["nodeid"].partition("::")[2].replace("::", ".")
    keys = [("baseline", record["baseline"])] if record["baseline"] else []
    return keys if record["name"] == own else [*keys, ("name", record["name"])]


def _hidden(gates: list[GateRun], exitstatus: int) -> Iterator[str]:
    """Gates that failed in a run that would end green, whatever the reason."""
    if exitstatus in GREEN:
        for run in gates:
            if run.failed:
                yield f"the gate of {run.test} failed, and the run would have ended green"
