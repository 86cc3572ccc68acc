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
        from pytest_rankmetrics import RankGateFailure

        class TestIt(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _gate(self, rank_gate):
                self.gate = rank_gate

            def test_gate(self):
                self.gate.check(*case([1, 2]), at_least={"mrr": 0.7})

            def test_other(self):
                pass

        def test_expected(rank_gate):
            with pytest.raises(RankGateFailure):
                rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

        def test_skipped(rank_gate):
            pytest.skip("no data")
        """
    )
    suite.run().assert_outcomes(passed=3, skipped=1)


SWALLOWING = """
    import concurrent.futures
    import contextlib
    import threading
    import pytest
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_it(rank_gate):
"""
SWALLOWED = {
    "except": """
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except Exception:
            pass
    """,
    "bare": """
        try:
            rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})
        except:
            pass
    """,
    "suppress": """
        with contextlib.suppress(AssertionError):
            assert_mrr_at_least(*case([1, 2]), 0.8)
    """,
    "raises of one's own": """
        def raises():
            return contextlib.suppress(Exception)

        with raises():
            assert_mrr_at_least(*case([1, 2]), 0.8)
    """,
    "finally": """
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        finally:
            return
    """,
    "thread": """
        thread = threading.Thread(target=assert_mrr_at_least, args=(*case([1, 2]), 0.8))
        thread.start()
        thread.join()
    """,
    "future": """
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(assert_mrr_at_least, *case([1, 2]), 0.8)
    """,
    "could not measure": """
        try:
            assert_mrr_at_least({}, {}, 0.8)
        except Exception:
            pass
    """,
    "bad limit": """
        try:
            assert_mrr_at_least(*case([1, 2]), 80)
        except Exception:
            pass
    """,
}


@pytest.mark.parametrize("way", SWALLOWED)
def test_a_failure_that_is_swallowed_is_red(way: str, suite: Suite) -> None:
    suite.write(test_it=SWALLOWING + SWALLOWED[way])
    result = suite.run()
    assert result.ret == 1, said(result)
    result.assert_outcomes(failed=1)


def test_a_failure_that_a_test_expects_is_none(suite: Suite) -> None:
    suite.write(
        test_it="""
        import unittest
        import pytest
        from cases import case
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least

        def test_raises(rank_gate):
            with pytest.raises(RankGateFailure, match="required"):
                assert_mrr_at_least(*case([1, 2]), 0.8)
            with pytest.raises(AssertionError):
                rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8})

        class TestIt(unittest.TestCase):
            def test_raises(self):
                with self.assertRaises(AssertionError):
                    assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=2)
    assert result.ret == 0


def test_a_failure_is_expected_in_every_way_that_people_write_it(suite: Suite) -> None:
    suite.write(
        test_it="""
        import contextlib
        import pytest
        from cases import case
        from pytest import raises as fails
        from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least

        @contextlib.contextmanager
        def red(text):
            with pytest.raises(RankGateFailure, match=text):
                yield

        def check_red(limit):
            with pytest.raises(RankGateFailure):
                assert_mrr_at_least(*case([1, 2]), limit)

        @pytest.mark.parametrize(
            ("limit", "outcome"),
            [(0.7, contextlib.nullcontext()), (0.8, pytest.raises(RankGateFailure))],
        )
        def test_outcome(limit, outcome):
            with outcome:
                assert_mrr_at_least(*case([1, 2]), limit)

        def test_other_name():
            with fails(AssertionError):
                assert_mrr_at_least(*case([1, 2]), 0.8)

        def test_own_context():
            with red("required"):
                assert_mrr_at_least(*case([1, 2]), 0.8)

        def test_helper():
            check_red(0.8)

        def test_call():
            pytest.raises(RankGateFailure, assert_mrr_at_least, *case([1, 2]), 0.8)

        @pytest.mark.xfail(raises=RankGateFailure, strict=True)
        def test_xfail():
            assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=6, xfailed=1)
    assert result.ret == 0


def test_a_swallowed_failure_is_no_unexpected_pass(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        @pytest.mark.xfail
        def test_it():
            try:
                assert_mrr_at_least(*case([1, 2]), 0.8)
            except AssertionError:
                pass
        """
    )
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*swallowed its failure*", "*with pytest.raises(RankGateFailure)*"]
    )


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
