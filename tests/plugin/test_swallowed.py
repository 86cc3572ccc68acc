"""A gate that fails ends the run red, whoever swallows its failure."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import Suite, said

SWALLOWING = """
    import asyncio
    import concurrent.futures
    import contextlib
    import threading
    import unittest
    import warnings
    import numpy as np
    import pytest
    from cases import case
    from pytest_rankmetrics import RankGateFailure, assert_mrr_at_least, expected_failure

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
    "raises": """
        with pytest.raises(RankGateFailure):
            assert_mrr_at_least(*case([1, 2]), 0.8)
    """,
    "raises of another type": """
        with pytest.raises(ValueError):
            try:
                assert_mrr_at_least(*case([1, 2]), 0.8)
            finally:
                raise ValueError
    """,
    "raises in a call": """
        pytest.raises(AssertionError, assert_mrr_at_least, *case([1, 2]), 0.8)
    """,
    "assertRaises": """
        with unittest.TestCase().assertRaises(AssertionError):
            assert_mrr_at_least(*case([1, 2]), 0.8)
    """,
    "NumPy": """
        np.testing.assert_raises(AssertionError, assert_mrr_at_least, *case([1, 2]), 0.8)
    """,
    "skip": """
        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except AssertionError:
            pytest.skip("no data")
    """,
    "coroutine": """
        async def search():
            await asyncio.gather(
                asyncio.to_thread(assert_mrr_at_least, *case([1, 2]), 0.8), return_exceptions=True
            )
        asyncio.run(search())
    """,
    "warning made an error": """
        with warnings.catch_warnings(), contextlib.suppress(Warning):
            warnings.simplefilter("error")
            assert_mrr_at_least(*case([1] * 30), 0.8)
    """,
    "another expected failure": """
        with contextlib.suppress(AssertionError):
            assert_mrr_at_least(*case([1, 2]), 0.9)
        with expected_failure():
            assert_mrr_at_least(*case([1, 2]), 0.8)
    """,
}


@pytest.mark.parametrize("way", SWALLOWED)
def test_a_failure_that_is_swallowed_is_red(way: str, suite: Suite) -> None:
    suite.write(test_it=SWALLOWING + SWALLOWED[way])
    result = suite.run()
    assert result.ret == 1, said(result)
    result.assert_outcomes(failed=1)
    assert "expected_failure()" in said(result)


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
        ["*gate test_it failed, and its failure was swallowed: mrr*", "*expected_failure()*"]
    )


def test_a_doctest_that_expects_a_failure_is_red(suite: Suite) -> None:
    suite.file("pytest.ini", "[pytest]\npythonpath = .\n")
    suite.file(
        "guide.md",
        """
        >>> from cases import case
        >>> from pytest_rankmetrics import assert_mrr_at_least
        >>> assert_mrr_at_least(*case([1, 2]), 0.8)
        Traceback (most recent call last):
        ...
        pytest_rankmetrics.RankGateFailure: mrr 0.7500 < 0.8000 required ...
        """,
    )
    result = suite.run("--doctest-glob=*.md", "-o", "doctest_optionflags=ELLIPSIS")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*gate guide.md failed*", "*expected_failure()*"])


@pytest.mark.parametrize("code", [0, 5])
def test_an_exit_hides_no_failure_of_its_own_test(code: int, suite: Suite) -> None:
    suite.write(
        test_it=f"""
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_it():
            try:
                assert_mrr_at_least(*case([1, 2]), 0.8)
            except AssertionError:
                pytest.exit("done", returncode={code})
        """
    )
    result = suite.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: test_it.py::test_it: *mrr 0.7500 < 0.8000 required*"])
    assert "expected_failure()" in said(result)


def test_an_exit_hides_no_failure_of_an_earlier_test(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_bad():
            assert_mrr_at_least(*case([1, 2]), 0.8)

        def test_exit():
            pytest.exit("done", returncode=0)
        """
    )
    result = suite.run()
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: *test_it.py::test_bad failed*ended green*"])


def test_an_exit_without_a_failed_gate_keeps_its_code(suite: Suite) -> None:
    suite.write(
        test_it="""
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_good():
            assert_mrr_at_least(*case([1, 2]), 0.7)

        def test_exit():
            pytest.exit("done", returncode=0)
        """
    )
    assert suite.run().ret == 0


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_failure_outside_of_any_test_is_red(workers: tuple[str, ...], suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        try:
            assert_mrr_at_least(*case([1, 2]), 0.8)
        except AssertionError:
            pass

        def test_it():
            pass
        """
    )
    result = suite.run(*workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: gate mrr failed, and its failure was swallowed*"])


def test_a_failure_that_stops_the_import_of_a_module_is_told_once(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        assert_mrr_at_least(*case([1, 2]), 0.8)
        """
    )
    result = suite.run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "swallowed" not in said(result)
    result.stdout.fnmatch_lines(["E *mrr 0.7500 < 0.8000 required*"])


def test_a_hook_that_calls_a_failure_a_pass_is_overruled(suite: Suite) -> None:
    suite.write(
        conftest="""
        import pytest

        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_makereport():
            report = yield
            report.outcome, report.longrepr = "passed", None
            return report
        """,
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_it():
            assert_mrr_at_least(*case([1, 2]), 0.8)
        """,
    )
    assert suite.run().ret == 1


def test_a_warning_that_was_made_an_error_keeps_its_numbers(suite: Suite) -> None:
    suite.write(
        test_it="""
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_it():
            assert_mrr_at_least(*case([1] * 30), 0.8)
        """
    )
    options = ("-W", "error::pytest_rankmetrics.RankGateWarning", "--rank-json=report.json")
    suite.run(*options).assert_outcomes(failed=1)
    (gate,) = json.loads((suite.path / "report.json").read_text())["gates"]
    assert gate["verdict"] == "fail"
    assert gate["metrics"]["mrr"]["value"] == 1.0
    assert "mrr is exactly 1" in gate["headline"]


def test_a_test_whose_name_holds_a_nul_hides_nothing(suite: Suite) -> None:
    suite.file(
        "conftest.py",
        """
        import contextlib
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        class Case(pytest.Item):
            def runtest(self):
                with contextlib.suppress(AssertionError):
                    assert_mrr_at_least(*case([1, 2]), 0.8)

        class File(pytest.File):
            def collect(self):
                yield Case.from_parent(self, name="a\\x00b")

        def pytest_collect_file(file_path, parent):
            if file_path.suffix == ".case":
                return File.from_parent(parent, path=file_path)
        """,
    )
    suite.file("one.case", "")
    result = suite.run()
    result.assert_outcomes(failed=1)
    assert "failed, and its failure was swallowed" in said(result)
