"""The whole run, as the process that reports it sees it: which gates ran, and how it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_rankmetrics._support.naming import is_called
from pytest_rankmetrics._support.records import ATTRIBUTE, BY_QUERY, is_red
from pytest_rankmetrics.session.collection import WORKER, Collection, is_named
from pytest_rankmetrics.session.current import Run
from pytest_rankmetrics.session.options import Options

if TYPE_CHECKING:
    from pytest_rankmetrics.report.summary import GateRun, Summary

GREEN = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
MOST_NAMED = 5

RUN: pytest.StashKey[Run] = pytest.StashKey()
SESSION: pytest.StashKey[Session] = pytest.StashKey()
"""Set once the options are read, in the process that reports."""


class TestOutcome:
    """Outcomes and records of one test, in its last try."""

    __test__ = False

    def __init__(self, nodeid: str, line: int | None, tries: int = 1) -> None:
        self.nodeid = nodeid
        self.line = line
        """In its file, counted from 1; None if unknown."""
        self.tries = tries
        self.records: list[dict[str, Any]] = []
        self.outcomes: list[str] = []

    def add(self, report: pytest.TestReport) -> None:
        """Take over a phase."""
        if report.outcome in ("passed", "failed", "skipped"):
            self.records.extend(report.__dict__.get(ATTRIBUTE, ()))
        else:
            # "rerun": the next try has records of its own, and a JUnit report takes the properties
            # of every teardown.
            self.records = []
        outcome = f"x{report.outcome}" if hasattr(report, "wasxfail") else report.outcome
        self.outcomes.append(outcome)
        if report.when == "teardown" and "rerun" in self.outcomes:
            from pytest_rankmetrics.session.recorder import without_ours

            report.user_properties = without_ours(report.user_properties)

    def gates(self) -> Iterator[GateRun]:
        """Its gates; those that failed as expected have the verdict "xfail"."""
        from pytest_rankmetrics.report.summary import GateRun

        outcome = next((outcome for outcome in self.outcomes if outcome != "passed"), "passed")
        for whole in self.records:
            record = {key: value for key, value in whole.items() if key != BY_QUERY}
            if "xskipped" in self.outcomes and is_red(record):
                record["verdict"] = "xfail"
            alone, queries = len(self.records) == 1, whole.get(BY_QUERY)
            yield GateRun(record, self.nodeid, outcome, self.tries, alone, queries, self.line)


class Session:
    """Collects the reports of all tests, whatever process they ran in."""

    def __init__(
        self, config: pytest.Config, options: Options, run: Run, collection: Collection
    ) -> None:
        self.config = config
        self.options = options
        self.problems: list[str] = []
        """Reasons for a red run beyond the outcomes of its tests."""
        self.is_judged = False
        """Whether the session has finished."""
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
            line = report.location[1]
            line = None if line is None else line + 1
            test = self._tests[report.nodeid] = TestOutcome(report.nodeid, line)
        elif report.when == "setup":
            self._tests[report.nodeid] = test = TestOutcome(
                report.nodeid, test.line, test.tries + 1
            )
        self._has_written |= any(record["written"] for record in attributes.get(ATTRIBUTE, ()))
        test.add(report)

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
        self.is_judged = True
        self._complain_of_lost(self._run.lost())
        if self._looped:
            gates = self._gates()
            self.problems += self._complaints(gates, exitstatus)
            if self.options.writes:
                from sklearn_rank.support.disk import sweep

                files = {run.record["baseline"] for run in gates} - {""}
                for directory in {(self.config.rootpath / file).parent for file in files}:
                    sweep(directory)
            self._write_reports()
        if self.problems and session.exitstatus in GREEN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table of gates, if any ran or something is wrong."""
        if self._has_news():
            from pytest_rankmetrics.report.terminal import TITLE, in_colour, summary_lines

            lines = summary_lines(summary := self.summary())
            if lines:
                color = {"red": True} if summary.problems else {}
                terminalreporter.section(TITLE, sep="-", **color)
                lines = in_colour(lines) if terminalreporter.hasmarkup else lines
                terminalreporter.write("\n".join([*lines, ""]))

    # What ran, and how it ends -------------------------------------------------------------------

    def summary(self) -> Summary:
        """Plain values for all reports."""
        from pytest_rankmetrics.report.summary import Summary

        return Summary(
            gates=tuple(self._gates()),
            problems=tuple(self.problems),
            remarks=tuple(self._remarks),
            unused=tuple(self._unused),
            required=self.options.required,
            settings=dict(vars(self.options.settings)),
            show=self.options.show,
        )

    def _has_news(self) -> bool:
        """Whether reports have anything to tell: a gate that ran, or something wrong."""
        return bool(self._gates() or self.problems or self._remarks or self._unused)

    def _gates(self) -> list[GateRun]:
        return [gate for test in self._tests.values() for gate in test.gates()]

    def why_red(self) -> str:
        """Why the run must not end green, whoever has set its exit code since it was judged."""
        n_known = len(self.problems)
        self._complain_of_lost(self._run.lost())
        if self.problems[n_known:]:
            return self.problems[n_known]
        if not self.is_judged:
            return ""
        failed = [f"the gate of {run.test} failed" for run in self._gates() if run.failed]
        why = [*failed, *self.problems]
        return f"{why[0]}, and a hook made the run green" if why else ""

    def _complain_of_lost(self, records: list[dict[str, Any]]) -> None:
        """Failures missing from every test report: ``pytest.exit(returncode=0)`` hid them."""
        for record in records:
            from pytest_rankmetrics.session.recorder import swallowed

            place = f"{record['nodeid']}: " if record["nodeid"] else ""
            problem = f"{place}{' '.join(swallowed(record).split())}"
            if problem not in self.problems:  # a worker may import the same conftest modules
                self.problems.append(problem)

    def _complaints(self, gates: list[GateRun], exitstatus: int) -> Iterator[str]:
        """Reasons for a red run beyond the outcomes of its tests."""
        yield from self._unused_baselines(gates, exitstatus)
        yield from self._missing(gates)
        names = [(run.record["name"], run.record["nodeid"]) for run in gates]
        for glob in self.options.accept:
            if not any(is_called(glob, *own) for own in names):
                yield f"--rank-accept: no gate that ran is called {glob!r}"
        yield from _collisions(gates)
        if self.options.settings.strict:
            tries = {run.test: run.tries for run in gates if run.tries > 1 and run.test_passed}
            for test, n in tries.items():
                yield f"{test} passed at try {n}: a gate gives one answer"
        for run in gates:
            if run.failed and exitstatus in GREEN:
                yield f"the gate of {run.test} failed, and the run would have ended green"
        yield from self._idle_helpers()
        if self.options.in_ci and self._has_written:
            yield "baselines were written in continuous integration: commit them and run again"

    def _missing(self, gates: list[GateRun]) -> Iterator[str]:
        """Required gates that did not run and pass."""
        if not self.options.required:
            return
        from pytest_rankmetrics.baseline.file import recorded_gate
        from pytest_rankmetrics.session.baseline_files import find_baselines

        used = {run.record["baseline"] for run in gates}
        root = self.options.baseline_dir or self.config.rootpath
        recorded = {
            recorded_gate(path): shown
            for path, shown in find_baselines(self.config, root)
            if shown not in used
        }
        for wanted in self.options.required:
            texts = list(self._missing_of(wanted, gates, recorded))
            yield from texts[:MOST_NAMED]
            if len(texts) > MOST_NAMED:
                yield f"... and {len(texts) - MOST_NAMED:,} more of the same"

    def _missing_of(
        self, wanted: str, gates: list[GateRun], recorded: Mapping[str, str]
    ) -> Iterator[str]:
        """Why a name is not satisfied: by gates that ran, tests that did not, recorded gates."""
        gate = f"required gate {wanted!r}"
        own = [
            run
            for run in gates
            # By its test, or by a name of its own.
            if is_named(str(run.record["nodeid"]), wanted)
            or f"{run.record['name']}[".startswith(f"{wanted}[")
        ]
        collected = [test for test in self._collection.required if is_named(test, wanted)]
        gone = [test for test in recorded if is_named(test, wanted)]
        ran = {str(run.record["nodeid"]) for run in own}
        for run in own:
            if is_red(run.record) or run.record["verdict"] == "xfail":
                yield f"{gate} failed in {run.test}"
            elif not run.test_passed:
                yield f"{gate} does not count: {run.test} {run.outcome}"
        # A name stands for the other parameters of the functions that have gates.
        functions = {test.partition("[")[0] for test in (*ran, *gone)}
        silent = [
            test
            for test in collected
            if test not in ran
            and ("::" in wanted or not functions or test.partition("[")[0] in functions)
        ]
        yield from (f"{gate} did not run in {test}" for test in silent)
        for test in gone:
            if test not in self._collection.required:
                where = f"recorded in {recorded[test]} and was not collected"
                yield f"{gate} did not run in {test}, which is {where}"
        if not own and not silent and not gone:
            yield f"{gate} did not run"

    def _idle_helpers(self) -> Iterator[str]:
        """Fixtures that take a gate and hand it to tests of which none checks anything."""
        config, root = self.config, self.config.rootpath
        narrowing = ("ignore", "ignore_glob", "lf", "maxfail")
        if not self._collection.helpers or any(config.getoption(own, None) for own in narrowing):
            return
        from pytest_rankmetrics.session.baseline_files import shown_path

        paths = [path for path in config.args if "::" not in path]
        starts = [root / shown_path(Path(path), config) for path in paths]
        is_asked = config.args_source is config.ArgsSource.ARGS
        for helper, test in self._collection.helpers.items():
            place, _, name = helper.rpartition("::")
            owner = root / place.partition("::")[0]
            if is_asked and not any(owner.is_relative_to(start) for start in starts):
                continue  # a test elsewhere may check
            if test and name not in self._collection.left_out:
                yield (
                    f"the fixture {name!r} of {place or 'a plugin or conftest.py'} takes a gate, "
                    f"and no gate has run in any test that asks for it, such as {test}"
                )

    def _unused_baselines(self, gates: list[GateRun], exitstatus: int) -> Iterator[str]:
        """Baselines of no test, if that is of interest and every test of the project passed."""
        own, collection = self.options, self._collection
        asked = gates or own.unused != "report" or self.config.getoption("rank_unused")
        if not asked or own.baseline_dir is not None or exitstatus not in GREEN or collection.part:
            return
        from pytest_rankmetrics.session.baseline_files import find_unused, is_complete

        passed = {
            nodeid for nodeid, test in self._tests.items() if set(test.outcomes) == {"passed"}
        }
        left = collection.ids - passed - self._passed
        if left or len(passed) < len(self._tests) or not is_complete(self.config):
            return
        used = {run.record["baseline"] for run in gates}
        self._unused = find_unused(self.config, used, collection.modules)
        if self._unused and (own.unused == "fail" or own.settings.strict):
            yield f"baseline files of no test: {', '.join(self._unused[:MOST_NAMED])}"

    def _write_reports(self) -> None:
        own = self.options
        targets, step = {"json": own.json, "html": own.page}, False
        if self._has_news():
            targets["markdown"] = "" if own.markdown in ("auto", "none") else own.markdown
            step = own.markdown == "auto" and "GITHUB_STEP_SUMMARY" in os.environ
        if any(targets.values()) or step:
            from pytest_rankmetrics.report.files import write_reports, write_step_summary

            start = self.config.invocation_params.dir
            self.problems += write_reports(self.summary(), targets, start=start)
            if step:
                self._remarks += write_step_summary(self.summary())


def _collisions(gates: list[GateRun]) -> Iterator[str]:
    """Names and baselines that two tests share, perhaps in two processes."""
    owners: dict[tuple[str, str], GateRun] = {}
    for run in gates:
        record = run.record
        keys = [("baseline", record["baseline"])] if record["baseline"] else []
        if record["name"] != run.own_name:
            keys.append(("name", record["name"]))
        for key in keys:
            other = owners.setdefault(key, run)
            # Two workers run a fixture that a single process would run once.
            repeated = record["fixture"] and record["fixture"] == other.record["fixture"]
            if other.test != run.test and not repeated:
                yield f"two tests use the {key[0]} {key[1]!r}: {other.test} and {run.test}"


# The last look at a run: its exit code, after every hook of everybody has run. A hook may set
# another one when the session has finished, or swallow a failed gate then; and where
# ``pytest.exit()`` ends a run while it starts, no other hook of a session is called at all.

_exits: list[bool] = []
"""Whether ``pytest.exit()`` was called, for each run in progress."""


def note_exit() -> None:
    """The innermost run is being ended."""
    if _exits:
        _exits[-1] = True


def assess_exit(config: pytest.Config) -> Generator[None, int | None, int | None]:
    """Turn a green run red where something went wrong that its exit code does not say."""
    _exits.append(False)
    try:
        code = yield
    finally:
        was_ended = _exits.pop()
    if code not in GREEN or hasattr(config, "workerinput"):
        return code
    session = config.stash.get(SESSION, None)
    if session is not None:
        why, required = session.why_red(), session.options.required
        was_ended &= not session.is_judged
    else:  # another plugin may have ended the run before its options were read
        from pytest_rankmetrics.session.recorder import swallowed

        lost = config.stash[RUN].lost() if RUN in config.stash else []
        why, required = swallowed(lost[0]) if lost else "", ()
        if was_ended:  # an earlier error may have left the settings unread
            required = config.getini("rank_required")
    if not why and was_ended and required and executes(config):
        why = f"required gate {required[0]!r} did not run: the run was ended before any test"
    if not why:
        return code
    sys.stderr.write(f"rankmetrics: {why}\n")
    return pytest.ExitCode.TESTS_FAILED


def executes(config: pytest.Config) -> bool:
    """Whether the options let tests run; --setup-plan implies --setup-only."""
    option = config.option
    return not (option.collectonly or getattr(option, "setuponly", False))
