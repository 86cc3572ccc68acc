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
    *("terminal", "cacheprovider", "stepwise", "skipping", "junitxml", "setuponly", "setupplan"),
    *("warnings", "doctest", "unittest", "subtests", "faulthandler", "debugging"),
)


@pytest.mark.parametrize("name", OWN)
def test_no_plugin_of_pytest_is_needed(name: str, recorded: Suite) -> None:
    result = recorded.run("-p", f"no:{name}", "--rank-json=report.json")
    assert result.ret == 0, said(result)
    (gate,) = json.loads((recorded.path / "report.json").read_text())["gates"]
    assert gate["verdict"] == "pass"
    recorded.system([5] * 30)
    assert recorded.run("-p", f"no:{name}").ret == 1


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


def test_files_of_a_process_that_was_killed_are_swept(recorded: Suite) -> None:
    folder = recorded.path / "test_it"
    old, new = (folder / f".test_bm25.rank.json.{digit * 8}.rank-tmp" for digit in "0f")
    other = folder / ".own.tmp"
    for path in (old, new, other):
        path.write_text("")
    for path in (old, other):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    assert recorded.run().ret == 0
    assert old.exists(), "a run that only reads deletes nothing"
    assert recorded.run("--rank-update").ret == 0
    assert not old.exists()
    assert new.exists(), "another run may be writing it"
    assert other.exists()


def test_no_link_is_written_through_whatever_is_linked(gate: Suite, tmp_path: Path) -> None:
    (gate.path / "test_it").symlink_to(tmp_path)
    assert gate.run("--rank-update").ret == 1
    file = 'rank_regression.check(*system(), "mrr", fullpath="test_it/own.rank.json")'
    gate.write(test_it=f"from cases import system\n\ndef test_it(rank_regression): {file}")
    result = gate.run("--rank-update")
    assert result.ret == 1
    assert "symbolic link" in said(result) or "outside" in said(result)
    assert not list(tmp_path.iterdir())
