"""``--rank-unused=delete`` removes what git can bring back, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import FILE, GATE

OLD = "test_it/test_old.rank.json"


def git(directory: Path, *arguments: str) -> str:
    """Run git as somebody, away from the settings of whoever runs this."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=directory, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def orphan(suite: Suite) -> Suite:
    """A repository with a gate and, committed, the baseline of another that is gone."""
    second = GATE.replace("test_bm25", "test_old").replace("from cases import system", "")
    suite.write(test_it=GATE + second)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=2)
    suite.write(test_it=GATE)
    git(suite.path, "init", "-q")
    git(suite.path, "add", ".")
    git(suite.path, "commit", "-q", "-m", "all")
    return suite


def test_an_unused_baseline_of_the_last_commit_is_deleted(orphan: Suite) -> None:
    orphan.file("test_it/test_old.json", "{}")
    result = orphan.run("--rank-unused=delete")
    assert result.ret == 0
    assert list(orphan.baselines()) == [FILE]
    assert "test_it/test_old.json" in orphan.files()
    result.stdout.fnmatch_lines([f"1 baseline file belongs to no test: {OLD}", f"  deleted {OLD}"])
    git(orphan.path, "checkout", "--", OLD)
    assert list(orphan.baselines()) == [FILE, OLD]


def kept(suite: Suite, reason: str) -> None:
    """Nothing is deleted, and the reason is told."""
    before = suite.baselines()
    result = suite.run("--rank-unused=delete")
    result.stdout.fnmatch_lines([f"  kept    {OLD}: {reason}"])
    assert result.ret == 0
    assert suite.baselines() == before


def test_a_baseline_that_changed_since_the_last_commit_is_kept(orphan: Suite) -> None:
    path = orphan.path / OLD
    path.write_text(path.read_text().replace("0.5", "0.6"))
    kept(orphan, "it has changed since git's last commit")
    git(orphan.path, "add", OLD)
    kept(orphan, "it has changed since git's last commit")


def test_a_baseline_that_was_never_committed_is_kept(orphan: Suite) -> None:
    git(orphan.path, "rm", "-q", "--cached", OLD)
    git(orphan.path, "commit", "-q", "-m", "fewer")
    kept(orphan, "it is not in git's last commit")
    git(orphan.path, "add", OLD)
    kept(orphan, "it is not in git's last commit")


def test_a_change_that_git_was_told_to_overlook_is_kept(orphan: Suite) -> None:
    git(orphan.path, "update-index", "--assume-unchanged", OLD)
    path = orphan.path / OLD
    path.write_text(path.read_text().replace("0.5", "0.6"))
    kept(orphan, "it has changed since git's last commit")


def test_without_a_repository_or_git_nothing_is_deleted(
    orphan: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(orphan.path))
    kept(orphan, "it is not in git's last commit")
    monkeypatch.undo()
    monkeypatch.chdir(orphan.path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN)
    (orphan.path / ".git").rename(orphan.path / "gone")
    kept(orphan, "it is not in git's last commit")


def test_the_repository_of_a_hook_is_not_asked(
    orphan: Suite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # git hands GIT_DIR and GIT_INDEX_FILE of its own repository to the hooks that it runs.
    git(tmp_path, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    assert orphan.run("--rank-unused=delete").ret == 0
    assert list(orphan.baselines()) == [FILE]


def test_a_link_is_kept_and_so_is_what_it_points_to(orphan: Suite, tmp_path: Path) -> None:
    outside = tmp_path / "own.rank.json"
    (orphan.path / OLD).rename(outside)
    (orphan.path / OLD).symlink_to(outside)
    git(orphan.path, "add", ".")
    git(orphan.path, "commit", "-q", "-m", "a link")
    kept(orphan, "*test_old.rank.json is a symbolic link")
    assert outside.is_file()


def test_what_a_linked_directory_holds_is_kept(orphan: Suite, tmp_path: Path) -> None:
    (orphan.path / "test_it").rename(tmp_path / "test_it")
    (orphan.path / "test_it").symlink_to(tmp_path / "test_it")
    before = sorted(path.name for path in tmp_path.rglob("*.rank.json"))
    orphan.run("--rank-unused=delete")
    orphan.run("--rank-unused=delete", "--rootdir=.", "-o", "testpaths=test_it")
    assert sorted(path.name for path in tmp_path.rglob("*.rank.json")) == before


def test_a_directory_that_may_not_be_written_is_no_traceback(
    orphan: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlink(path: Path) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", unlink)
    kept(orphan, "Read-only file system")


@pytest.mark.parametrize("place", ["setting", "override", "addopts", "environment"])
def test_deleting_is_no_setting(place: str, orphan: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: tuple[str, ...] = ()
    if place == "setting":
        orphan.file("pytest.ini", "[pytest]\nrank_unused = delete\n")
    elif place == "override":
        arguments = ("-o", "rank_unused=delete")
    elif place == "addopts":
        orphan.file("pytest.ini", "[pytest]\naddopts = --rank-unused=delete\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"{LEAN} --rank-unused=delete")
    before = orphan.baselines()
    result = orphan.run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--rank-unused=delete" in said(result)
    assert orphan.baselines() == before


def test_deleting_in_ci_is_red(orphan: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = orphan.run("--rank-unused=delete")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: baselines were deleted in continuous integration*"])


INSPECTIONS = (
    "--fixtures",
    "--fixtures-per-test",
    "--cache-show",
    "--setup-plan",
    "--setup-only",
    "--collect-only",
    "--markers",
    "--version",
    "--help",
)


@pytest.mark.parametrize("option", INSPECTIONS)
def test_a_run_that_executes_no_test_judges_nothing(
    option: str, orphan: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:cacheprovider", ""))
    orphan.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    before = orphan.baselines()
    result = orphan.run("--rank-unused=delete", "--rank-json=report.json", option)
    assert result.ret == 0
    assert orphan.baselines() == before
    assert "ERROR" not in said(result)
    assert "belongs to no test" not in said(result)
    assert "report.json" not in orphan.files()
