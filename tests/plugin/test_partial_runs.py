"""Runs of a part of the suite, whoever cuts it, never count as complete."""

from __future__ import annotations

import sys

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import GATE

SHARDS = """
    import os

    def pytest_collection_modifyitems(config, items):
        # As pytest-shard does: nobody is told of the tests that are taken away.
        n, number = int(os.environ["SHARDS"]), int(os.environ["SHARD"])
        items[:] = [item for place, item in enumerate(items) if place % n == number]
"""
SECOND = GATE.replace("test_bm25", "test_dense")


@pytest.fixture
def two(suite: Suite) -> Suite:
    """Two modules with a recorded gate each."""
    suite.write(test_a=GATE, test_b=SECOND)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=2)
    assert suite.run("--rank-unused=fail").ret == 0
    return suite


def complete(suite: Suite, *arguments: str) -> bool:
    """Whether a run says that a file is unused; then it would delete that file, too."""
    result = suite.run("--rank-unused=fail", *arguments)
    told = "belongs to no test" in said(result)
    assert result.ret == told
    return told


ALONE: tuple[str, ...] = ()
TWO = ("-n", "2")
WORKERS = pytest.mark.parametrize("workers", [ALONE, TWO], ids=["alone", "xdist"])


@WORKERS
def test_a_whole_run_is_complete(workers: tuple[str, ...], two: Suite) -> None:
    two.write(test_b="def test_other(): pass")
    assert complete(two, *workers)


def test_a_module_that_is_gone_is_known_to_be(two: Suite) -> None:
    (two.path / "test_b.py").unlink()
    assert complete(two)


@WORKERS
def test_a_hook_that_shortens_the_items(
    workers: tuple[str, ...], two: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARDS", "2")
    monkeypatch.setenv("SHARD", "0")
    two.write(conftest=SHARDS)
    assert not complete(two, *workers)


def test_a_hook_that_shortens_the_items_at_the_last_moment(two: Suite) -> None:
    two.write(
        conftest="""
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtestloop(session):
            del session.items[1:]
        """
    )
    assert not complete(two)


@pytest.mark.parametrize(
    ("option", "workers"),
    [
        ("python_functions=test_b*", ALONE),
        ("python_functions=test_b*", TWO),
        ("python_files=test_a*", ALONE),
        ("collect_imported_tests=false", ALONE),
    ],
)
def test_another_setting_on_the_command_line(
    option: str, workers: tuple[str, ...], two: Suite
) -> None:
    assert not complete(two, "-o", option, *workers)


def test_a_setting_of_ours_on_the_command_line_takes_no_test_away(two: Suite) -> None:
    two.write(test_b="def test_other(): pass")
    assert complete(two, "-o", "rank_required=")


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
    ],
    ids=["collect_ignore", "collect_ignore_glob", "hook", "hook, xdist"],
)
def test_a_module_that_is_ignored_keeps_its_files(
    conftest: str, workers: tuple[str, ...], two: Suite
) -> None:
    two.file("conftest.py", conftest)
    assert not complete(two, *workers)


def test_a_module_that_is_no_longer_collected_by_setting_keeps_its_files(two: Suite) -> None:
    two.file("pytest.ini", "[pytest]\npython_files = test_a*\n")
    assert not complete(two)


def test_another_file_of_settings(two: Suite) -> None:
    two.file("fast.ini", "[pytest]\npython_functions = test_bm*\n")
    assert not complete(two, "-c", "fast.ini")


def test_an_exit_before_the_last_test(two: Suite) -> None:
    two.write(
        test_aa="""
        import pytest

        def test_exit():
            pytest.exit("enough", returncode=0)
        """
    )
    assert not complete(two)


@WORKERS
def test_deselection(workers: tuple[str, ...], two: Suite) -> None:
    assert not complete(two, "-k", "bm25", *workers)


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
    assert not complete(two, *arguments, *workers)


def test_splitting_plugins_are_left_alone(two: Suite) -> None:
    """All shards together run everything, and each is green."""
    two.write(conftest=SHARDS)
    for shard in ("0", "1"):
        code = (
            "import os, sys, pytest; os.environ.update(SHARDS='2', SHARD=sys.argv[1]); "
            "sys.exit(pytest.main([]))"
        )
        assert two.pytester.run(sys.executable, "-c", code, shard).ret == 0


def test_the_cache_of_failures(two: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:cacheprovider", ""))
    assert not complete(two, "--lf")
