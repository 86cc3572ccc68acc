"""Baseline files that belong to no test."""

from __future__ import annotations

import shlex

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import FILE, GATE, WORSE, git


@pytest.fixture
def orphan(suite: Suite) -> Suite:
    """A suite whose second gate was deleted, with two files in the way."""
    second = '\ndef test_old(rank_gate):\n    rank_gate.check(*system(), max_drop={"mrr": 0.005})\n'
    margin = "\n    "
    suite.write(test_it=GATE + second.replace("\n", margin))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=2)
    suite.write(test_it=GATE, test_other="def test_nothing(): pass")
    suite.file("test_it/data.csv", "1,2")
    suite.file("test_it/test_old.json", "{}")
    return suite


UNUSED = "1 baseline file belongs to no test: git rm test_it/test_old.rank.json*"


def test_the_file_of_a_deleted_test_is_reported(orphan: Suite) -> None:
    result = orphan.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines([UNUSED])
    assert "test_it/test_old.rank.json" in orphan.baselines()


def test_the_command_that_is_printed_removes_the_file(orphan: Suite) -> None:
    git(orphan.path, "init", "-q")
    git(orphan.path, "add", ".")
    line = next(line for line in orphan.run().stdout.lines if "git rm" in line)
    git(orphan.path, "commit", "-q", "-m", "all")
    git(orphan.path, *shlex.split(line.partition(" git ")[2]))
    assert list(orphan.baselines()) == [FILE]
    assert "belongs to no test" not in said(orphan.run())


def test_deleting_is_no_option_and_no_setting(orphan: Suite) -> None:
    before = orphan.baselines()
    for option in ("--rank-unused=delete", "-orank_unused=delete"):
        assert orphan.run(option).ret == 4
    assert orphan.baselines() == before


def test_the_file_of_a_deleted_test_may_fail_the_run(orphan: Suite) -> None:
    result = orphan.run("--rank-unused=fail")
    assert result.ret == 1
    result.stdout.fnmatch_lines([UNUSED])


def test_a_strict_run_fails_for_a_file_that_belongs_to_no_test(orphan: Suite) -> None:
    assert orphan.run("--rank-strict").ret == 1


def test_the_file_of_a_gate_that_no_longer_compares_is_reported(recorded: Suite) -> None:
    recorded.write(test_it=GATE.replace('max_drop={"mrr": 0.005}', 'at_least={"mrr": 0.1}'))
    recorded.system(WORSE)
    result = recorded.run()
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*1 baseline file belongs to no test*test_it/test_bm25.rank.json*"]
    )
    assert recorded.run("--rank-unused=fail").ret == 1


PARTIAL = [
    ("-k", "bm25"),
    ("test_it.py",),
    ("test_it.py::test_bm25",),
    ("-m", "rank_gate"),
    ("--deselect", "test_other.py::test_nothing"),
    ("--ignore", "test_other.py"),
    ("-x",),
    ("--lf",),
    ("--sw",),
]


@pytest.mark.parametrize("arguments", PARTIAL, ids=" ".join)
def test_a_run_of_a_part_of_the_suite_knows_no_unused_files(
    arguments: tuple[str, ...], orphan: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:cacheprovider", ""))
    if "-x" in arguments:
        orphan.write(test_a="def test_fails(): raise ValueError")
    result = orphan.run("--rank-unused=fail", *arguments)
    assert "belongs to no test" not in said(result)
    assert result.ret == ("-x" in arguments)


@pytest.mark.parametrize("order", ["--nf", "--ff"])
def test_another_order_leaves_nothing_out(
    order: str, orphan: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:cacheprovider", ""))
    orphan.run(order).stdout.fnmatch_lines([UNUSED])


@pytest.mark.parametrize(
    "test",
    [
        "import pytest\n\n@pytest.mark.skip\ndef test_skipped(): pass",
        "import pytest\n\ndef test_skipped(): pytest.skip('no data')",
        "import pytest\n\n@pytest.mark.xfail(run=False)\ndef test_skipped(): pass",
        "def test_broken(): raise ValueError",
        "import missing_module",
    ],
    ids=["mark", "skip", "not run", "error", "import"],
)
def test_a_test_that_did_not_run_may_own_a_file(test: str, orphan: Suite) -> None:
    orphan.write(test_other=test)
    result = orphan.run("--rank-unused=fail")
    assert "belongs to no test" not in said(result)
    assert len(orphan.baselines()) == 2


def test_a_worker_that_died_may_have_owned_a_file(orphan: Suite) -> None:
    orphan.write(
        test_other="""
        import os

        def test_dies():
            os._exit(1)
        """
    )
    result = orphan.run("-n", "2", "--rank-unused=fail")
    assert result.ret == 1
    assert "belongs to no test" not in said(result)
    assert len(orphan.baselines()) == 2


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
    result = orphan.run("--rank-unused=fail", "--rank-json=report.json", option)
    assert result.ret == 0
    assert orphan.baselines() == before
    assert "ERROR" not in said(result)
    assert "belongs to no test" not in said(result)
    assert "report.json" not in orphan.files()
