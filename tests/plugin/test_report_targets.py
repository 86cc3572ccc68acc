"""A report is written over nothing but a report: no test, no baseline, no other data."""

import json
import os
from pathlib import Path

import pytest

from tests.plugin.conftest import said
from tests.plugin.one_gate import FILE

REPORTS = ("--rank-json", "--rank-markdown")


@pytest.mark.parametrize("option", REPORTS)
@pytest.mark.parametrize("target", [FILE, "test_it.py", "ranks.json", "pyproject.toml"])
def test_a_report_is_not_written_over_something_else(option, target, recorded):
    recorded.file("pyproject.toml", "[project]")
    before = (recorded.path / target).read_bytes()
    result = recorded.run(f"{option}={target}")
    assert result.ret == 1
    assert f"ERROR: report {target} was not written: " in said(result)
    assert (recorded.path / target).read_bytes() == before


@pytest.mark.parametrize("target", [FILE, "test_it.py"])
def test_the_step_summary_is_held_to_the_same(target, recorded, monkeypatch):
    path = recorded.path / target
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    before = path.read_bytes()
    result = recorded.run()
    assert result.ret == 0, "nobody asked for it"
    assert f"was not written: {path} " in said(result).replace("\n", "")
    assert path.read_bytes() == before


def test_reports_replace_and_extend_reports(recorded):
    for name in ("report.json", "report.md", "empty.json"):
        (recorded.path / name).touch()
    for tries in (1, 2):
        options = ("--rank-json=report.json", "--rank-markdown=report.md")
        assert recorded.run(*options).ret == 0
        assert json.loads((recorded.path / "report.json").read_text())["gates"]
        assert (recorded.path / "report.md").read_text().count("### Ranking quality") == tries


@pytest.mark.parametrize(("target", "counts"), [("a.md", (1, 1)), ("step.md", (0, 1))])
def test_a_named_report_is_written_besides_the_step_summary(target, counts, recorded, monkeypatch):
    paths = [recorded.path / name for name in ("a.md", "step.md")]
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(paths[1]))
    recorded.run(f"--rank-markdown={os.path.join(recorded.path, '.', target)}", ret=0)
    texts = [path.read_text() if path.exists() else "" for path in paths]
    assert tuple(text.count("### Ranking quality") for text in texts) == counts


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="the system has no /dev/null")
def test_a_device_takes_any_report(recorded):
    assert recorded.run("--rank-json=/dev/null", "--rank-markdown=/dev/null").ret == 0


def test_a_step_summary_that_cannot_be_written_is_a_warning(recorded, monkeypatch):
    (recorded.path / "file").write_text("")
    target = str(recorded.path / "file" / "step.md")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", target)
    recorded.run(ret=0, lines=[f"warning: report {target} was not written: *"])
    assert recorded.run(f"--rank-markdown={target}").ret == 1


def test_a_full_disk_leaves_no_empty_report(recorded, monkeypatch):
    assert recorded.run("--rank-json=report.json").ret == 0

    def fsync(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    for name in ("report.json", "new.json"):
        told = [f"ERROR: report {name} was not written: No space left*"]
        recorded.run(f"--rank-json={name}", ret=1, lines=told)
    left = ("new.json", "rank-tmp")
    assert not [name for name in recorded.files() if any(part in name for part in left)]


def test_a_report_may_go_to_a_pipe(recorded):
    recorded.spawn("--rank-json=/dev/stdout", "-q", ret=0, says='"format": "rank-report/2"')
