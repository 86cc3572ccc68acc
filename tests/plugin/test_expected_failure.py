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
from pytest_rankmetrics import RankGateFailure, RankGateWarning
from pytest_rankmetrics import assert_mrr_at_least, expected_failure
from sklearn_rank import InvalidParameterError

def fails():
    assert_mrr_at_least(*case([1, 2]), 0.8)

async def fails_later():
    await asyncio.sleep(0)
    fails()

"""
# The body of a test that takes rank_gate.
EXPECTED = {
    "assertion": """
        with expected_failure(match="MRR is 0.750, below the 0.800") as info:
            fails()
        assert type(info.value) is RankGateFailure
        assert info.value.headline.startswith("MRR is 0.750")
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
    "decorator": "expected_failure()(fails)()",
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


def write(suite: Suite, text: str, name: str = "test_it.py") -> None:
    (suite.path / name).write_text(EXPECTING + text, encoding="utf-8")


@pytest.mark.parametrize("way", EXPECTED)
def test_a_failure_that_a_test_expects_is_none(way: str, suite: Suite) -> None:
    write(suite, f"def test_it(rank_gate):\n        {EXPECTED[way].strip()}\n")
    result = suite.run("--rank-json=report.json")
    assert result.ret == 0 or way == "could not measure", said(result)
    result.assert_outcomes(passed=1)
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    assert not [gate for gate in gates if gate["verdict"] == "fail"]


BLOCK = "with expected_failure():\n        "
UNMET = {
    "nothing": (f"{BLOCK}pass", "DID NOT RAISE"),
    "a pass": (f"{BLOCK}assert_mrr_at_least(*case([1, 2]), 0.7)", "DID NOT RAISE"),
    "another error": (f"{BLOCK}1 / 0", "ZeroDivisionError"),
    "another message": (
        'with expected_failure(match="ndcg"):\n        fails()',
        "Regex pattern did not match",
    ),
    "another message, swallowed": (
        'with contextlib.suppress(Exception), expected_failure(match="ndcg"):\n        fails()',
        "swallowed: MRR is 0.750, below the 0.800 required",
    ),
    "a group of others": (
        f"{BLOCK}raise ExceptionGroup('both', [RankGateFailure('x'), ValueError('other')])",
        "ExceptionGroup: both",
    ),
    "another error of the gate": (
        f"{BLOCK}assert_mrr_at_least(*case([1, 2]), 80)",
        "InvalidParameterError",
    ),
}


@pytest.mark.parametrize("way", UNMET)
def test_an_expectation_that_is_not_met_is_red(way: str, suite: Suite) -> None:
    body, complaint = UNMET[way]
    write(suite, f"def test_it():\n    {body}\n")
    result = suite.run("--tb=short")
    result.assert_outcomes(failed=1)
    assert complaint in said(result)


def test_a_coroutine_of_pytest_may_expect_a_failure(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pytest_asyncio")
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:asyncio", ""))
    suite.file("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    test = f"async def test_it():\n    {BLOCK}await asyncio.to_thread(fails)\n"
    write(suite, f"@pytest.mark.asyncio\n{test}")
    result = suite.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_a_module_may_expect_a_failure_while_it_is_imported(suite: Suite) -> None:
    write(suite, f"{BLOCK}fails()\n\ndef test_it(): pass\n")
    assert suite.run().ret == 0


def test_a_script_may_expect_a_failure_too(suite: Suite) -> None:
    text = """
with expected_failure() as info:
    fails()
print(info.value.headline)
try:
    fails()
except RankGateFailure:
    print("raised")
"""
    write(suite, text, "script.py")
    result = suite.pytester.run(sys.executable, "script.py")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["MRR is 0.750, below the 0.800 required*", "raised"])
