"""Baseline files that belong to no test: told by a whole run alone, whoever cuts it."""

from __future__ import annotations

import shlex

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import FILE, GATE, WORSE, git

OLD = "test_b/test_old.rank.json"
UNUSED = f"1 baseline file belongs to no test: git rm {OLD}*"
ALONE: tuple[str, ...] = ()
TWO = ("-n", "2")
WORKERS = pytest.mark.parametrize("workers", [ALONE, TWO], ids=["alone", "xdist"])


@pytest.fixture
def two(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Two modules with a recorded gate each, and the cache of pytest."""
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:cacheprovider", ""))
    suite.write(test_it=GATE, test_b=GATE.replace("test_bm25", "test_old"))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=2)
    assert suite.run("--rank-unused=fail").ret == 0
    return suite


@pytest.fixture
def orphan(two: Suite) -> Suite:
    """The same, whose second gate was deleted, with two files in the way."""
    two.write(test_b="def test_other(): pass", test_other="def test_nothing(): pass")
    two.file("test_b/data.csv", "1,2")
    two.file("test_b/test_old.json", "{}")
    return two


def is_told(suite: Suite, *arguments: str) -> bool:
    """Whether a run says that a file is unused, and is red for it."""
    result = suite.run("--rank-unused=fail", *arguments)
    told = "belongs to no test" in said(result)
    assert result.ret == told
    return told


def test_the_file_of_a_deleted_test_is_reported(orphan: Suite) -> None:
    result = orphan.run()
    assert result.ret == 0
    result.stdout.fnmatch_lines([UNUSED])
    assert OLD in orphan.baselines()
    assert orphan.run("--rank-strict").ret == 1
    for option in ("--nf", "--ff", "-orank_required="):
        assert is_told(orphan, option), option
    assert is_told(orphan, *TWO)
    (orphan.path / "test_b.py").unlink()
    assert is_told(orphan)


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


def test_the_file_of_a_gate_that_no_longer_compares_is_reported(recorded: Suite) -> None:
    recorded.write(test_it=GATE.replace('max_drop={"mrr": 0.005}', 'at_least={"mrr": 0.1}'))
    recorded.system(WORSE)
    assert is_told(recorded)


PARTIAL = [
    ("-k", "bm25"),
    ("test_it.py",),
    ("test_it.py::test_bm25",),
    ("-m", "rank_gate"),
    ("--deselect", "test_other.py::test_nothing"),
    ("--ignore", "test_other.py"),
    ("--lf",),
    ("--sw",),
    ("-k", "bm25", *TWO),
]


@pytest.mark.parametrize("arguments", PARTIAL, ids=" ".join)
def test_a_run_of_a_part_of_the_suite_knows_no_unused_files(
    arguments: tuple[str, ...], orphan: Suite
) -> None:
    assert not is_told(orphan, *arguments)


@pytest.mark.parametrize(
    ("option", "workers"),
    [
        ("python_functions=test_bm*", ALONE),
        ("python_functions=test_bm*", TWO),
        ("python_files=test_i*", ALONE),
        ("collect_imported_tests=false", ALONE),
    ],
)
def test_another_setting_may_leave_a_test_out(
    option: str, workers: tuple[str, ...], two: Suite
) -> None:
    assert not is_told(two, "-o", option, *workers)
    name, _, value = option.partition("=")
    two.file("fast.ini", f"[pytest]\n{name} = {value}\n")
    assert not is_told(two, "-c", "fast.ini")


SHARDS = """
    def pytest_collection_modifyitems(config, items):
        del items[::2]  # as pytest-shard does: nobody is told of it
"""
LATE = """
    import pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(session):
        del session.items[1:]
"""
HOOK = """
    def pytest_ignore_collect(collection_path):
        return True if collection_path.name == "test_b.py" else None
"""


@pytest.mark.parametrize(
    ("conftest", "workers"),
    [
        ('collect_ignore = ["test_b.py"]', ALONE),
        ('collect_ignore_glob = ["*_b.py"]', ALONE),
        (HOOK, ALONE),
        (HOOK, TWO),
        (SHARDS, ALONE),
        (SHARDS, TWO),
        (LATE, ALONE),
    ],
    ids=["ignore", "glob", "hook", "hook, xdist", "shard", "shard, xdist", "late"],
)
def test_a_test_that_a_hook_takes_away_keeps_its_file(
    conftest: str, workers: tuple[str, ...], two: Suite
) -> None:
    two.file("conftest.py", conftest)
    assert not is_told(two, *workers)


def test_a_module_that_is_no_longer_collected_by_setting_keeps_its_files(two: Suite) -> None:
    two.file("pytest.ini", "[pytest]\npython_files = test_i*\n")
    assert not is_told(two)


@pytest.mark.parametrize(
    ("module", "arguments", "workers"),
    [
        ("pytest_split", ("--splits", "2", "--group", "1"), ALONE),
        ("pytest_shard", ("--num-shards", "2", "--shard-id", "0"), ALONE),
        ("pytest_shard", ("--num-shards", "2", "--shard-id", "0"), TWO),
    ],
)
def test_plugins_that_split_a_suite(
    module: str, arguments: tuple[str, ...], workers: tuple[str, ...], two: Suite
) -> None:
    pytest.importorskip(module)
    assert not is_told(two, *arguments, *workers)


@pytest.mark.parametrize(
    ("test", "code"),
    [
        ("import pytest\n\n@pytest.mark.skip\ndef test_it(): pass", 0),
        ("import pytest\n\ndef test_it(): pytest.skip('no data')", 0),
        ("import pytest\n\n@pytest.mark.xfail(run=False)\ndef test_it(): pass", 0),
        ("import pytest\n\ndef test_it(): pytest.exit('enough', returncode=0)", 0),
        ("def test_broken(): raise ValueError", 1),
        ("import missing_module", 2),
        ("import os\n\ndef test_it(): os._exit(1)", 1),
    ],
    ids=["mark", "skip", "not run", "exit", "error", "import", "dead worker"],
)
def test_a_test_that_did_not_run_may_own_a_file(test: str, code: int, orphan: Suite) -> None:
    orphan.write(test_other=test)
    result = orphan.run("--rank-unused=fail", *(TWO if "os._exit" in test else ()))
    assert result.ret == code
    assert "belongs to no test" not in said(result)
    assert len(orphan.baselines()) == 2


INSPECTIONS = (
    *("--fixtures", "--fixtures-per-test", "--cache-show", "--setup-plan", "--setup-only"),
    *("--collect-only", "--markers", "--version", "--help"),
)


@pytest.mark.parametrize("option", INSPECTIONS)
def test_a_run_that_executes_no_test_judges_nothing(option: str, orphan: Suite) -> None:
    orphan.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    before = orphan.baselines()
    result = orphan.run("--rank-unused=fail", "--rank-json=report.json", option)
    assert result.ret == 0
    assert orphan.baselines() == before
    assert "ERROR" not in said(result)
    assert "belongs to no test" not in said(result)
    assert "report.json" not in orphan.files()
