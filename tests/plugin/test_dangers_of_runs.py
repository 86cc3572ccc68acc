"""Dangers of runs: gates that are no gates, failures that are swallowed."""

from __future__ import annotations

import sys

import pytest

from tests.plugin.conftest import Suite, said


def test_a_marker_alone_is_no_gate(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest

        @pytest.mark.rank_gate
        def test_marked():
            pass
        """
    )
    result = suite.run()
    assert result.ret == 1
    assert "rank_gate" in said(result)


@pytest.mark.parametrize("fixture", ["rank_gate", "rank_regression"])
def test_a_fixture_that_is_taken_and_not_used_is_no_gate(fixture: str, suite: Suite) -> None:
    suite.write(
        test_it="""
        SYSTEMS = []

        def test_it(FIXTURE):
            for truth, results in SYSTEMS:
                FIXTURE.check(truth, results, at_least={"map": 0.3})
        """.replace("FIXTURE", fixture)
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"the test takes the fixture {fixture}, and no gate has run in it"]
    )


def test_a_test_that_is_given_the_fixture_by_another_may_leave_it(suite: Suite) -> None:
    suite.write(
        test_it="""
        import unittest
        import pytest
        from cases import case
        from pytest_rankmetrics import expected_failure

        class TestIt(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _gate(self, rank_gate):
                self.gate = rank_gate

            def test_gate(self):
                self.gate.check(*case([1, 2]), at_least={"mrr": 0.7})

            def test_other(self):
                pass

        def test_expected(rank_gate):
            with expected_failure():
                rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

        def test_skipped(rank_gate):
            pytest.skip("no data")
        """
    )
    suite.run().assert_outcomes(passed=3, skipped=1)


def test_a_plain_script_ends_with_an_error(suite: Suite) -> None:
    suite.write(
        script="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        assert_mrr_at_least(*case([1, 2]), 0.8)
        print("green")
        """
    )
    result = suite.pytester.run(sys.executable, "-O", "script.py")
    assert result.ret == 1
    assert "green" not in said(result)
    result.stderr.fnmatch_lines(["*RankGateFailure: mrr 0.7500 < 0.8000 required*"])
