"""Gates wherever tests run: classes of unittest, coroutines, threads, subtests, second tries."""

from __future__ import annotations

import json
import sys

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.test_reports import properties


def recorded(suite: Suite) -> list[tuple[str, str, str]]:
    """(node id, name, verdict) of every gate of the report of the last run."""
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    return sorted((gate["nodeid"], gate["name"], gate["verdict"]) for gate in gates)


CONTEXTS = {
    "unittest": (
        """
        import unittest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        class TestSearch(unittest.TestCase):
            def test_it(self):
                assert_mrr_at_least(*case([1, 2]), {limit})
        """,
        "test_it.py::TestSearch::test_it",
    ),
    "thread": (
        """
        from concurrent.futures import ThreadPoolExecutor
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_it():
            with ThreadPoolExecutor(1) as pool:
                pool.submit(assert_mrr_at_least, *case([1, 2]), {limit}).result()
        """,
        "test_it.py::test_it",
    ),
    "async": (
        """
        import asyncio
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        @pytest.mark.asyncio
        async def test_it():
            await asyncio.sleep(0)
            assert_mrr_at_least(*case([1, 2]), {limit})
        """,
        "test_it.py::test_it",
    ),
    "fixture": (
        """
        import pytest
        from cases import case

        @pytest.fixture
        def checked(rank_gate):
            return rank_gate

        class TestSearch:
            def test_it(self, checked):
                checked.check(*case([1, 2]), at_least={{"mrr": {limit}}})
        """,
        "test_it.py::TestSearch::test_it",
    ),
}


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_gate_is_recorded_once_under_its_test(
    context: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    if context == "async":
        pytest.importorskip("pytest_asyncio")
        monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:asyncio", ""))
        suite.file("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    text, nodeid = CONTEXTS[context]
    suite.write(test_it=text.format(limit=0.75))
    suite.run("--rank-json=report.json").assert_outcomes(passed=1)
    ((found, _, verdict),) = recorded(suite)
    assert (found, verdict) == (nodeid, "pass")
    suite.write(test_it=text.format(limit=0.8))
    result = suite.run("--rank-json=report.json")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *mrr 0.7500 < 0.8000 required*"])
    ((found, _, verdict),) = recorded(suite)
    assert (found, verdict) == (nodeid, "fail")


def test_an_error_is_a_failure_for_unittest_too(suite: Suite) -> None:
    suite.write(
        case_of_unittest="""
        import unittest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        class TestSearch(unittest.TestCase):
            def test_it(self):
                assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.pytester.run(sys.executable, "-m", "unittest", "case_of_unittest")
    assert result.ret == 1
    assert "failures=1" in said(result)
    assert "errors=" not in said(result)


def test_every_subtest_is_recorded_once_under_its_message(suite: Suite) -> None:
    if pytest.version_tuple < (9, 0):
        pytest.skip("subtests came with pytest 9.0")
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_it(subtests):
            for limit in (0.7, 0.8, 0.75):
                with subtests.test(msg=f"limit {limit}"):
                    assert_mrr_at_least(*case([1, 2]), limit)
        """
    )
    result = suite.run("--rank-json=report.json")
    assert result.ret == 1
    assert "1 failed" in said(result)
    result.stdout.fnmatch_lines(["E *mrr 0.7500 < 0.8000 required*"])
    found = recorded(suite)
    assert len(found) == 3
    assert sorted(verdict for _, _, verdict in found) == ["fail", "pass", "pass"]
    assert all(nodeid.startswith("test_it.py::test_it") for nodeid, _, _ in found)
    # Fails in its own line of the table, and the two others do not.
    lines = [line for line in result.outlines if line.startswith("test_it.py::test_it")]
    assert sum("FAIL" in line for line in lines) == 1


def test_subtests_of_unittest_are_recorded_once(suite: Suite) -> None:
    suite.write(
        test_it="""
        import unittest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        class TestSearch(unittest.TestCase):
            def test_it(self):
                for limit in (0.7, 0.8, 0.75):
                    with self.subTest(limit=limit):
                        assert_mrr_at_least(*case([1, 2]), limit)
        """
    )
    result = suite.run("--rank-json=report.json")
    assert result.ret == 1
    # Before 9.0, pytest ends a test of unittest at the first subtest that fails.
    rest = ["pass"] if pytest.version_tuple >= (9,) else []
    assert sorted(verdict for _, _, verdict in recorded(suite)) == ["fail", "pass", *rest]


def test_a_gate_in_the_setup_of_a_test_counts(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        @pytest.fixture(scope="module")
        def checked():
            assert_mrr_at_least(*case([1, 2]), 0.8)

        def test_it(checked):
            pass
        """
    )
    result = suite.run("--rank-json=report.json")
    result.assert_outcomes(errors=1)
    assert result.ret == 1
    ((_, _, verdict),) = recorded(suite)
    assert verdict == "fail"


# Second tries --------------------------------------------------------------------------------

SECOND_TRY = """
    from pathlib import Path
    from cases import case

    def test_flaky(rank_gate):
        tried = Path(__file__).with_name("tried")
        again = tried.exists()
        tried.touch()
        rank_gate.check(*case([1, 1, 2] if again else [1, 2, 4]), at_least={"mrr": 0.8})
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_second_try_is_one_row_and_says_so(workers: tuple[str, ...], suite: Suite) -> None:
    suite.write(test_it=SECOND_TRY)
    result = suite.run("--reruns", "1", "--junitxml=junit.xml", "--rank-json=r.json", *workers)
    assert result.ret == 0
    assert "1 passed, 1 rerun" in said(result)
    found = [line for line in result.outlines if line.startswith("test_it.py::test_flaky ")]
    assert len(found) == 1
    assert "(2nd try)" in found[0]
    # (1 + 1 + 1/2) / 3
    assert float(properties(suite.path / "junit.xml", "test_flaky")["rank.mrr"]) == pytest.approx(
        2.5 / 3, abs=1e-6
    )
    assert len(json.loads((suite.path / "r.json").read_text())["gates"]) == 1


def test_a_strict_run_takes_no_second_try(suite: Suite) -> None:
    suite.write(test_it=SECOND_TRY)
    assert suite.run("--reruns", "1", "--rank-strict").ret == 1


def test_a_gate_that_fails_every_time_fails(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case

        def test_bad(rank_gate):
            rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})
        """
    )
    result = suite.run("--reruns", "2", "--rank-json=report.json")
    assert result.ret == 1
    assert recorded(suite) == [("test_it.py::test_bad", "test_bad", "fail")]


# The fixture of the pytest-regressions family --------------------------------------------------

REGRESSION = """
    from cases import system

    def test_bm25(rank_regression):
        rank_regression.check(*system(), metrics=("mrr", "map"), max_drop=0.005{more})
"""


def test_rank_regression_is_one_sided_and_writes_only_when_told(suite: Suite) -> None:
    suite.write(test_it=REGRESSION.format(more=""))
    suite.system([2] * 30)
    before = suite.files()
    missing = suite.run()
    missing.assert_outcomes(failed=1)
    missing.stdout.fnmatch_lines(["E *no baseline for gate 'test_bm25'*"])
    assert suite.files() == before
    suite.run("--rank-update").assert_outcomes(passed=1)
    assert list(suite.baselines()) == ["test_it/test_bm25.rank.json"]
    recorded = suite.baselines()
    suite.system([1] * 15 + [2] * 15)
    suite.run().assert_outcomes(passed=1)
    suite.system([3] * 15 + [2] * 15)
    worse = suite.run()
    worse.assert_outcomes(failed=1)
    worse.stdout.fnmatch_lines(["E *mrr 0.5000 -> 0.4167 (-0.0833, allowed -0.0050;*"])
    assert suite.baselines() == recorded


@pytest.mark.parametrize("more", [', basename="own"', ', fullpath="elsewhere/own.rank.json"'])
def test_rank_regression_names_its_file_as_the_family_does(more: str, suite: Suite) -> None:
    suite.write(test_it=REGRESSION.format(more=more))
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    (name,) = suite.baselines()
    assert name.endswith("own.rank.json")
    suite.run().assert_outcomes(passed=1)
    suite.system([3] * 15 + [2] * 15)
    suite.run().assert_outcomes(failed=1)


def test_rank_regression_leaves_what_it_obtained_beside_the_data(suite: Suite) -> None:
    body = """
        import shutil
        from pathlib import Path
        from cases import system

        def test_it(rank_regression, tmp_path):
            rank_regression.check(*system(), "mrr")
            obtained = tmp_path / "test_it.obtained.rank.json"
            shutil.copy(obtained, Path(__file__).parent / "copy.json")
    """
    suite.write(test_it=body.replace("shutil.copy(", "# "))
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    suite.write(test_it=body)
    assert suite.run().ret == 0
    (baseline,) = suite.baselines().values()
    assert (suite.path / "copy.json").read_bytes() == baseline


def test_rank_regression_follows_the_directory_of_the_suite(suite: Suite) -> None:
    suite.write(
        conftest="""
        import pytest
        from pathlib import Path

        @pytest.fixture
        def original_datadir():
            return Path(__file__).parent / "data"

        @pytest.fixture
        def lazy_datadir(tmp_path):
            return tmp_path
        """,
        test_it=REGRESSION.format(more=""),
    )
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    assert [name.split("/")[0] for name in suite.baselines()] == ["data"]
    suite.run().assert_outcomes(passed=1)


def test_rank_regression_refuses_both_names(suite: Suite) -> None:
    suite.write(test_it=REGRESSION.format(more=', basename="a", fullpath="b.rank.json"'))
    suite.system([2] * 30)
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "fullpath" in said(result)


# Groups of pytest-xdist ----------------------------------------------------------------------


def test_a_group_of_workers_is_no_part_of_a_name(suite: Suite) -> None:
    # --dist loadgroup writes the group behind the node id: tests/x.py::test_it@group.
    suite.file("pytest.ini", "[pytest]\nrank_required = test_it.py::TestIt::test_it\n")
    suite.system([2] * 30)
    suite.write(
        test_it="""
        import pytest
        from cases import system

        class TestIt:
            @pytest.mark.xdist_group("search")
            @pytest.mark.parametrize("name", ["a@b"])
            def test_it(self, name, rank_gate):
                rank_gate.check(*system(), max_drop={"mrr": 0.005})
        """
    )
    suite.run("--rank-update").assert_outcomes(passed=1)
    result = suite.run("-n", "2", "--dist", "loadgroup", "--rank-json=report.json")
    result.assert_outcomes(passed=1)
    assert result.ret == 0
    assert recorded(suite) == [("test_it.py::TestIt::test_it[a@b]", "TestIt.test_it[a@b]", "pass")]
