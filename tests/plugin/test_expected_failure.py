"""``expected_failure()``: the one way in which a test says that it wants to see a gate fail."""

from __future__ import annotations

import json
import sys

import pytest

from tests.plugin.conftest import LEAN, Suite, said

EXPECTING = """
    import asyncio
    import concurrent.futures
    import contextlib
    import unittest
    import warnings
    import pytest
    from cases import case
    from pytest_rankmetrics import (
        RankGateFailure, RankGateWarning, assert_mrr_at_least, expected_failure,
    )
    from sklearn_rank import InvalidParameterError

    def fails():
        assert_mrr_at_least(*case([1, 2]), 0.8)

    async def fails_later():
        await asyncio.sleep(0)
        fails()

    def test_it(rank_gate):
"""
EXPECTED = {
    "assertion": """
        with expected_failure(match="0.7500 < 0.8000") as info:
            fails()
        assert type(info.value) is RankGateFailure
        assert info.value.headline.startswith("mrr 0.7500")
        assert info.value.result.value == 0.75
    """,
    "fixture": """
        with expected_failure():
            rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})
    """,
    "helper": """
        @contextlib.contextmanager
        def red(text):
            with expected_failure(match=text):
                yield

        with red("required"):
            fails()
    """,
    "stack": """
        with contextlib.ExitStack() as stack:
            stack.enter_context(expected_failure())
            fails()
    """,
    "decorator": """
        @expected_failure()
        def check():
            fails()

        check()
    """,
    "await": """
        async def search():
            with expected_failure():
                await fails_later()

        asyncio.run(search())
    """,
    "run": """
        with expected_failure():
            asyncio.run(fails_later())
    """,
    "task": """
        async def search():
            task = asyncio.create_task(fails_later())
            with expected_failure():
                await task

        asyncio.run(search())
    """,
    "task group": """
        async def search():
            with expected_failure(match="required") as info:
                async with asyncio.TaskGroup() as group:
                    group.create_task(fails_later())
                    group.create_task(fails_later())
            assert type(info.value) is RankGateFailure

        asyncio.run(search())
    """,
    "thread": """
        with concurrent.futures.ThreadPoolExecutor() as pool:
            future = pool.submit(fails)
            with expected_failure():
                future.result()
    """,
    "unittest": """
        class TestIt(unittest.TestCase):
            def test_it(self):
                with expected_failure():
                    fails()

        TestIt("test_it").debug()
    """,
    "raised from": """
        with expected_failure(RuntimeError, match="the search"):
            try:
                fails()
            except AssertionError as error:
                raise RuntimeError("the search is broken") from error
    """,
    "raised during": """
        with expected_failure(RuntimeError):
            try:
                fails()
            finally:
                raise RuntimeError
    """,
    "could not measure": """
        with expected_failure(InvalidParameterError, match="at_least"):
            assert_mrr_at_least(*case([1, 2]), 80)
    """,
    "warning": """
        with warnings.catch_warnings(), expected_failure(RankGateWarning):
            warnings.simplefilter("error")
            assert_mrr_at_least(*case([1] * 30), 0.8)
    """,
    "several": """
        for _ in range(3):
            with expected_failure():
                fails()
    """,
    "within pytest.raises": """
        with pytest.raises(ZeroDivisionError):
            with expected_failure():
                fails()
            1 / 0
    """,
}


@pytest.mark.parametrize("way", EXPECTED)
def test_a_failure_that_a_test_expects_is_none(way: str, suite: Suite) -> None:
    suite.write(test_it=EXPECTING + EXPECTED[way])
    result = suite.run("--rank-json=report.json")
    assert result.ret == 0 or way == "could not measure", said(result)
    result.assert_outcomes(passed=1)
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    assert not [gate for gate in gates if gate["verdict"] == "fail"]


UNMET = {
    "nothing": ("with expected_failure():\n            pass", "DID NOT RAISE"),
    "a pass": (
        "with expected_failure():\n            assert_mrr_at_least(*case([1, 2]), 0.7)",
        "DID NOT RAISE",
    ),
    "another error": ("with expected_failure():\n            1 / 0", "ZeroDivisionError"),
    "another message": (
        'with expected_failure(match="ndcg"):\n            fails()',
        "Regex pattern did not match",
    ),
    "a group of others": (
        "with expected_failure():\n"
        "            raise ExceptionGroup('both', [RankGateFailure('x'), ValueError('other')])",
        "ExceptionGroup: both",
    ),
    "another error of the gate": (
        "with expected_failure():\n            assert_mrr_at_least(*case([1, 2]), 80)",
        "InvalidParameterError",
    ),
}


@pytest.mark.parametrize("way", UNMET)
def test_an_expectation_that_is_not_met_is_red(way: str, suite: Suite) -> None:
    body, complaint = UNMET[way]
    suite.write(test_it=EXPECTING + f"        {body}\n")
    result = suite.run("--tb=short")
    result.assert_outcomes(failed=1)
    assert complaint in said(result)


def test_an_expectation_that_is_not_met_may_not_be_swallowed(suite: Suite) -> None:
    suite.write(
        test_it=EXPECTING
        + """
        with contextlib.suppress(AssertionError):
            with expected_failure(match="ndcg"):
                fails()
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "swallowed: mrr 0.7500 < 0.8000 required" in said(result)


def test_a_coroutine_of_pytest_may_expect_a_failure(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pytest_asyncio")
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:asyncio", ""))
    suite.file("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    suite.write(
        test_it="""
        import asyncio
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least, expected_failure

        @pytest.mark.asyncio
        async def test_it():
            with expected_failure():
                await asyncio.to_thread(assert_mrr_at_least, *case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_a_module_may_expect_a_failure_while_it_is_imported(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least, expected_failure

        with expected_failure():
            assert_mrr_at_least(*case([1, 2]), 0.8)

        def test_it():
            pass
        """
    )
    assert suite.run().ret == 0


def test_a_gate_that_is_marked_xfail_needs_no_more(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest
        from cases import case
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least

        @pytest.mark.xfail(raises=RankGateFailure, strict=True)
        def test_it():
            assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(xfailed=1)
    assert result.ret == 0


def test_a_script_may_expect_a_failure_too(suite: Suite) -> None:
    suite.write(
        script="""
        from cases import case
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least, expected_failure

        with expected_failure() as info:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        print(info.value.headline)
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except RankGateFailure:
            print("raised")
        """
    )
    result = suite.pytester.run(sys.executable, "script.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["mrr 0.7500 < 0.8000 required*", "raised"])
