"""Honest use beside other plugins, and without those that pytest brings."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import GATE

# Of pytest itself; a run without any other of its plugins does not start.
OWN = (
    "terminal",
    "cacheprovider",
    "stepwise",
    "skipping",
    "junitxml",
    "setuponly",
    "setupplan",
    "warnings",
    "doctest",
    "unittest",
    "subtests",
    "faulthandler",
    "debugging",
)


@pytest.mark.parametrize("name", OWN)
def test_no_plugin_of_pytest_is_needed(name: str, suite: Suite) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    result = suite.run("-p", f"no:{name}", "--rank-json=report.json")
    assert result.ret == 0, said(result)
    (gate,) = json.loads((suite.path / "report.json").read_text())["gates"]
    assert gate["verdict"] == "pass"
    suite.system([5] * 30)
    assert suite.run("-p", f"no:{name}").ret == 1


def test_a_subtest_that_passes_before_the_gate_is_no_missing_gate(suite: Suite) -> None:
    if pytest.version_tuple < (9, 0):
        pytest.skip("subtests came with pytest 9.0")
    suite.write(
        test_it="""
        from cases import case

        def test_it(subtests, rank_gate):
            with subtests.test("before"):
                pass
            rank_gate.check(*case([1, 2]), at_least={"mrr": 0.5})

        def test_none(subtests, rank_gate):
            with subtests.test("before"):
                pass
        """
    )
    result = suite.run()
    assert result.ret == 1
    lines = [line for line in result.outlines if line.startswith(("FAILED", "SUBFAILED"))]
    complaint = "the test takes the fixture rank_gate, and no gate has run in it"
    assert lines == [f"FAILED test_it.py::test_none - {complaint}"]


SHARED = """
    import pytest
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

    @pytest.fixture(scope="{scope}")
    def checked():
        assert_mrr_at_least(*case([1, 2]), 0.5, name="shared")

    @pytest.mark.parametrize("number", range(8))
    def test_it(checked, number):
        pass
"""


@pytest.mark.parametrize("scope", ["session", "module"])
def test_a_named_gate_of_a_shared_fixture_runs_in_every_worker(scope: str, suite: Suite) -> None:
    suite.file("pytest.ini", "[pytest]\nrank_required = shared\n")
    suite.write(test_it=SHARED.format(scope=scope))
    assert suite.run().ret == 0
    result = suite.run("-n", "2", "--rank-json=report.json")
    assert result.ret == 0, said(result)
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    assert {gate["name"] for gate in gates} == {"shared"}


def test_two_tests_of_two_workers_may_still_not_share_a_name(suite: Suite) -> None:
    suite.write(test_it=SHARED.format(scope="function"))
    result = suite.run("-n", "2")
    assert result.ret == 1
    assert "'shared'" in said(result)


# Reports that cannot be written ------------------------------------------------------------------


def passing(suite: Suite) -> None:
    suite.write(test_it=GATE.replace('max_drop={"mrr": 0.005}', 'at_least={"mrr": 0.1}'))
    suite.system([2] * 30)


def test_a_step_summary_that_cannot_be_written_is_a_warning(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    passing(suite)
    (suite.path / "file").write_text("")
    target = str(suite.path / "file" / "step.md")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", target)
    result = suite.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"warning: report {target} was not written: *"])
    assert suite.run(f"--rank-markdown={target}").ret == 1


def test_a_full_disk_leaves_no_empty_report(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    passing(suite)
    assert suite.run("--rank-json=report.json").ret == 0

    def fsync(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    for name in ("report.json", "new.json"):
        result = suite.run(f"--rank-json={name}")
        assert result.ret == 1
        result.stdout.fnmatch_lines([f"ERROR: report {name} was not written: No space left*"])
    left = ("report.json", "new.json", "rank-tmp")
    assert not [name for name in suite.files() if any(part in name for part in left)]


def test_a_report_may_go_to_a_pipe(suite: Suite) -> None:
    passing(suite)
    result = suite.spawn("--rank-json=/dev/stdout", "-q")
    assert result.ret == 0
    assert '"format": "rank-report/1"' in said(result)


def test_files_of_a_process_that_was_killed_are_swept(suite: Suite) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update")
    names = [f".test_bm25.rank.json.{digit * 8}.rank-tmp" for digit in "0f"]
    left = [suite.path / "test_it" / name for name in names]
    other = suite.path / "test_it" / ".own.tmp"
    for path in (*left, other):
        path.write_text("")
    old = 1_000_000_000
    for path in (left[0], other):
        os.utime(path, (old, old))
    assert suite.run().ret == 0
    assert left[0].exists(), "a run that only reads deletes nothing"
    assert suite.run("--rank-update").ret == 0
    assert not left[0].exists()
    assert left[1].exists(), "another run may be writing it"
    assert other.exists()


def test_no_link_is_written_through_whatever_is_linked(suite: Suite, tmp_path: Path) -> None:
    suite.system([2] * 30)
    suite.write(test_it=GATE)
    (suite.path / "test_it").symlink_to(tmp_path)
    assert suite.run("--rank-update").ret == 1
    suite.write(
        test_it="""
        from cases import system

        def test_it(rank_regression):
            rank_regression.check(*system(), "mrr", fullpath="test_it/own.rank.json")
        """
    )
    result = suite.run("--rank-update")
    assert result.ret == 1
    assert "symbolic link" in said(result) or "outside" in said(result)
    assert not list(tmp_path.iterdir())
