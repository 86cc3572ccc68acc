"""``expected_failure()``: the one way in which a test says that it wants to see a gate fail."""

import json
import sys

import pytest

from tests.plugin.conftest import LEAN, failures, said

EXPECTED = """
def test_assertion():
    with expected_failure(match="MRR is 0.750, below the 0.800") as info:
        fails()
    assert type(info.value) is RankGateFailure
    assert info.value.headline.startswith("MRR is 0.750")
    assert info.value.result.value == 0.75

def test_fixture(rank_gate):
    with expected_failure():
        rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

def test_helper():
    @contextlib.contextmanager
    def red(text):
        with expected_failure(match=text):
            yield

    with red("required"):
        fails()

def test_stack():
    with contextlib.ExitStack() as stack:
        stack.enter_context(expected_failure())
        fails()

def test_decorator(): expected_failure()(fails)()

def test_await():
    async def search():
        with expected_failure():
            await fails_later()

    asyncio.run(search())

def test_run():
    with expected_failure():
        asyncio.run(fails_later())

def test_task():
    async def search():
        task = asyncio.create_task(fails_later())
        with expected_failure():
            await task

    asyncio.run(search())

def test_task_group():
    async def search():
        with expected_failure(match="required") as info:
            async with asyncio.TaskGroup() as group:
                group.create_task(fails_later())
                group.create_task(fails_later())
        assert type(info.value) is RankGateFailure

    asyncio.run(search())

def test_thread():
    with ThreadPoolExecutor() as pool:
        future = pool.submit(fails)
        with expected_failure():
            future.result()

def test_unittest():
    class TestIt(unittest.TestCase):
        def test_it(self):
            with expected_failure():
                fails()

    TestIt("test_it").debug()

def test_raised_from():
    with expected_failure(RuntimeError, match="the search"):
        try:
            fails()
        except AssertionError as error:
            raise RuntimeError("the search is broken") from error

def test_raised_during():
    with expected_failure(RuntimeError):
        try:
            fails()
        finally:
            raise RuntimeError

def test_could_not_measure():
    with expected_failure(InvalidParameterError, match="at_least"):
        assert_mrr_at_least(*case([1, 2]), 80)

def test_warning():
    with warnings.catch_warnings(), expected_failure(RankGateWarning):
        warnings.simplefilter("error")
        assert_mrr_at_least(*case([1] * 30), 0.8)

def test_several():
    for _ in range(3):
        with expected_failure():
            fails()

def test_within_pytest_raises():
    with pytest.raises(ZeroDivisionError):
        with expected_failure():
            fails()
        1 / 0
"""


def test_a_failure_that_a_test_expects_is_none(suite):
    suite.tests(EXPECTED)
    suite.run("--rank-json=report.json", ret=0, passed=EXPECTED.count("\ndef test_"))
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


def test_an_expectation_that_is_not_met_is_red(suite):
    tests = [f"def test_{n}():\n    {body}\n" for n, (body, _) in enumerate(UNMET.values())]
    suite.tests("\n".join(tests))
    found = failures(suite.run("--tb=short", failed=len(UNMET)))
    for (_, complaint), text in zip(UNMET.values(), found.values(), strict=True):
        assert complaint in text


def test_a_coroutine_of_pytest_may_expect_a_failure(suite, monkeypatch):
    pytest.importorskip("pytest_asyncio")
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:asyncio", ""))
    suite.file("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    test = f"async def test_it():\n    {BLOCK}await asyncio.to_thread(fails)\n"
    suite.tests(f"@pytest.mark.asyncio\n{test}")
    suite.run(ret=0, passed=1)


def test_a_module_may_expect_a_failure_while_it_is_imported(suite):
    suite.tests(f"{BLOCK}fails()\n\ndef test_it(): pass\n")
    assert suite.run().ret == 0


def test_assertions_judge_in_a_plain_script_without_pytest(suite):
    suite.file(
        "script.py",
        """
        import sys
        from cases import case
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least, expected_failure

        try:
            assert_mrr_at_least(*case([1, 2]), 0.75)
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except RankGateFailure as error:
            print(error.headline)
        print("imported" if "pytest" in sys.modules else "not imported")
        with expected_failure():
            assert_mrr_at_least(*case([1, 2]), 0.8)
        assert_mrr_at_least(*case([1, 2]), 0.76)
        print("green")
        """,
    )
    result = suite.pytester.run(sys.executable, "-O", "script.py")
    assert result.ret == 1
    headline = "MRR is 0.750, below the 0.800 required (2 queries*"
    result.stdout.fnmatch_lines([headline, "not imported"])
    assert "green" not in said(result)
    result.stderr.fnmatch_lines(["*RankGateFailure: MRR is 0.750, below the 0.760 required*"])
