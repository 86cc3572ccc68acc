"""What other people's hooks and late requests do cannot turn a run green."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import FILE, WORSE

LATE = {
    "last": """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(session):
            session.exitstatus = 0
    """,
    "wrapper": """
        import pytest

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_sessionfinish(session):
            yield
            session.exitstatus = 0
    """,
    "unconfigure": """
        import pytest

        kept = []

        def pytest_sessionstart(session):
            kept.append(session)

        @pytest.hookimpl(tryfirst=True)
        def pytest_unconfigure():
            kept.pop().exitstatus = 0
    """,
}


@pytest.mark.parametrize("hook", LATE.values(), ids=LATE)
def test_a_hook_that_sets_the_exit_code_does_not_hide_a_failed_gate(
    hook: str, recorded: Suite
) -> None:
    recorded.file("conftest.py", hook)
    recorded.system(WORSE)
    result = recorded.run()
    assert result.ret == 1
    assert "rankmetrics: the gate of test_it.py::test_bm25 failed, and a hook" in said(result)


def test_a_hook_that_sets_the_exit_code_does_not_hide_a_required_gate(recorded: Suite) -> None:
    recorded.file("conftest.py", LATE["last"])
    result = recorded.run("-o", "rank_required=test_gone")
    assert result.ret == 1
    assert "test_gone" in said(result)


def test_a_hook_may_set_the_exit_code_where_gates_passed(recorded: Suite) -> None:
    recorded.file("conftest.py", LATE["last"])
    with (recorded.path / "test_it.py").open("a", encoding="utf-8") as file:
        file.write("\ndef test_other():\n    assert False\n")
    result = recorded.run()
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 0


def test_an_expected_failure_leaves_the_exit_code_alone(suite: Suite) -> None:
    suite.write(
        test_it="""
            import pytest
            from cases import case
            from pytest_rankmetrics import assert_mrr_at_least

            @pytest.mark.xfail
            def test_it():
                assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(xfailed=1)
    assert result.ret == 0
    assert "a hook made" not in said(result)


@pytest.mark.parametrize("fixture", ["rank_gate", "rank_regression"])
def test_a_fixture_asked_for_in_a_test_promises_a_gate(fixture: str, suite: Suite) -> None:
    suite.write(
        test_it=f"""
            import pytest

            def test_first(request):
                request.getfixturevalue("{fixture}")

            def test_second(request):
                request.getfixturevalue("{fixture}")

            def test_skipped(request):
                request.getfixturevalue("{fixture}")
                pytest.skip("no engine")
        """
    )
    result = suite.run()
    assert result.ret == 1
    said_so = f"the test takes the fixture {fixture}, and no gate has run in it"
    # The recorder joins in the middle of the first test, whose call it judges at its teardown.
    result.assert_outcomes(passed=1, errors=1, failed=1, skipped=1)
    assert said(result).count(f"\n{said_so}") == 2


def test_a_fixture_asked_for_in_a_test_that_calls_it_passes(suite: Suite) -> None:
    suite.write(
        test_it="""
            from cases import case

            def test_it(request):
                request.getfixturevalue("rank_gate").check(*case([1, 2]), at_least={"mrr": 0.5})
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_a_fixture_that_asks_for_the_gate_promises_nothing(suite: Suite) -> None:
    suite.write(
        test_it="""
            import pytest

            @pytest.fixture
            def helper(request):
                return request.getfixturevalue("rank_gate")

            def test_it(helper):
                pass
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


SWALLOW = """
    import unittest
    import pytest
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

"""


def test_xfail_called_after_a_failure_hides_nothing(suite: Suite) -> None:
    suite.write(
        test_it=SWALLOW
        + """
    def test_it():
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except AssertionError:
            pytest.xfail("flaky")
"""
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    assert "failed, and its failure was swallowed" in said(result)


@pytest.mark.parametrize("owner", ["method", "class"])
def test_failures_that_unittest_expects_are_expected(owner: str, suite: Suite) -> None:
    mark = "@unittest.expectedFailure"
    suite.write(
        test_it=SWALLOW
        + f"""
    {mark if owner == "class" else ""}
    class TestIt(unittest.TestCase):
        {mark if owner == "method" else ""}
        def test_it(self):
            assert_mrr_at_least(*case([1, 2]), 0.8)
"""
    )
    result = suite.run()
    result.assert_outcomes(xfailed=1)
    assert result.ret == 0


@pytest.mark.parametrize("option", ["--rank-json", "--rank-markdown"])
def test_a_report_is_not_written_over_a_baseline(option: str, recorded: Suite) -> None:
    before = recorded.baselines()
    result = recorded.run(f"{option}={FILE}")
    assert result.ret == 4
    assert f"{option}: 'test_it/test_bm25.rank.json' names a baseline" in said(result)
    assert recorded.baselines() == before


@pytest.mark.parametrize("reason", ["\u200b", "\udcff", " - "], ids=["no width", "no text", "dash"])
def test_a_reason_that_says_nothing_is_refused(reason: str, recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    result = recorded.run("--rank-accept=*", f"--rank-reason={reason}")
    assert result.ret == 4
    assert "--rank-accept lowers baselines and needs --rank-reason=TEXT" in said(result)
    assert recorded.baselines() == before


@pytest.mark.parametrize("hook", ["collection_modifyitems", "collection_finish"])
def test_a_run_that_a_hook_ends_early_misses_what_is_required(hook: str, recorded: Suite) -> None:
    recorded.file(
        "conftest.py", f"import pytest\ndef pytest_{hook}(): pytest.exit('x', returncode=0)"
    )
    result = recorded.run("-o", "rank_required=test_bm25")
    assert result.ret == 1
