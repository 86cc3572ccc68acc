"""Gates that must have run: a gate that is switched off does not pass."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, said

INI = """
    [pytest]
    rank_required =
        bm25
        test_it.py::test_dense
"""
GATES = """
    import pytest
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

    {mark}
    def test_{name}(rank_gate):
        {first}
        rank_gate.check(*case([1, 2]), at_least={{"mrr": {limit}}}, name="bm25")

    def test_dense():
        assert_mrr_at_least(*case([1, 2]), 0.5)

    def test_other():
        pass
"""


def write(
    suite: Suite, *, mark: str = "", name: str = "bm25", first: str = "", limit: float = 0.5
) -> None:
    suite.write(test_it=GATES.format(mark=mark, name=name, first=first, limit=limit))
    suite.file("pytest.ini", INI)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_required_gates_that_ran_and_passed_are_fine(
    workers: tuple[str, ...], suite: Suite
) -> None:
    write(suite)
    result = suite.run(*workers)
    result.assert_outcomes(passed=3)
    assert result.ret == 0


def test_a_node_id_may_be_written_as_windows_does(suite: Suite) -> None:
    suite.file("pytest.ini", "[pytest]\nrank_required = part\\test_it.py::test_it\n")
    suite.write(conftest="")
    suite.file(
        "part/test_it.py",
        """
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_it():
            assert_mrr_at_least(*case([1, 2]), 0.5)
        """,
    )
    assert suite.run().ret == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("-k", "other"),
        ("-k", "not bm25"),
        ("-m", "not rank_gate"),
        ("--deselect", "test_it.py::test_bm25"),
        ("test_it.py::test_other",),
        ("--ignore", "test_it.py"),
        ("-k", "no_such_test"),
    ],
    ids=" ".join,
)
def test_a_required_gate_that_was_left_out_fails_the_run(
    arguments: tuple[str, ...], suite: Suite
) -> None:
    write(suite)
    result = suite.run(*arguments)
    # 5 (nothing collected) is an exit code that wrappers map to 0.
    assert result.ret == 1
    assert "bm25" in said(result)


@pytest.mark.parametrize(
    ("mark", "first"),
    [
        ("@pytest.mark.skip", ""),
        ("@pytest.mark.skipif(True, reason='no data')", ""),
        ("", "pytest.skip('no data')"),
        ("", "pytest.importorskip('missing_module')"),
        ("@pytest.mark.xfail", ""),
        ("@pytest.mark.xfail(run=False)", ""),
        ("", "pytest.xfail('not today')"),
        ("", "return"),
    ],
    ids=["skip", "skipif", "call", "importorskip", "xfail", "not run", "xfail call", "return"],
)
def test_a_required_gate_that_was_skipped_or_expected_to_fail_fails_the_run(
    mark: str, first: str, suite: Suite
) -> None:
    write(suite, mark=mark, first=first, limit=0.8 if "xfail" in mark else 0.5)
    result = suite.run()
    result.assert_outcomes(errors=0, **outcomes(mark, first))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*required gate*bm25*"])
    assert "test_dense" not in said(result).partition("required gate")[2]


def outcomes(mark: str, first: str) -> dict[str, int]:
    """What pytest itself says of the skipped test."""
    if "xfail" in mark + first:
        return {"passed": 2, "xfailed": 1}
    # The test takes the fixture and no gate runs: it is red by itself.
    return {"passed": 2, "failed": 1} if first == "return" else {"passed": 2, "skipped": 1}


def test_a_required_gate_that_unexpectedly_passes_is_no_pass(suite: Suite) -> None:
    write(suite, mark="@pytest.mark.xfail")
    result = suite.run()
    result.assert_outcomes(passed=2, xpassed=1)
    assert result.ret == 1


def test_a_required_gate_that_was_renamed_fails_the_run(suite: Suite) -> None:
    write(suite)
    text = (suite.path / "test_it.py").read_text()
    suite.file("test_it.py", text.replace('name="bm25"', 'name="bm26"'))
    result = suite.run()
    result.assert_outcomes(passed=3)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*required gate*bm25*"])


def test_a_required_gate_after_a_failure_that_ended_the_run_fails_it(suite: Suite) -> None:
    write(suite)
    suite.write(test_a="def test_first(): raise ValueError")
    result = suite.run("-x")
    assert result.ret == 1
    assert "bm25" in said(result)


def test_a_required_gate_of_a_worker_that_died_fails_the_run(suite: Suite) -> None:
    write(suite, first="import os; os._exit(0)")
    result = suite.run("-n", "2")
    assert result.ret != 0
    assert "bm25" in said(result)


def test_a_required_gate_that_failed_and_was_swallowed_fails_the_run(suite: Suite) -> None:
    suite.file("pytest.ini", INI)
    suite.write(
        test_it="""
        import contextlib
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        def test_bm25(rank_gate):
            with contextlib.suppress(Exception):
                rank_gate.check(*case([1, 2]), at_least={"mrr": 0.8}, name="bm25")

        def test_dense():
            assert_mrr_at_least(*case([1, 2]), 0.5)
        """
    )
    result = suite.run()
    assert result.ret == 1


def test_nothing_collected_is_no_pass(suite: Suite) -> None:
    suite.file("pytest.ini", INI)
    result = suite.run()
    assert result.ret not in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert "bm25" in said(result)


def test_all_tests_skipped_is_no_pass(suite: Suite) -> None:
    write(suite)
    suite.write(
        conftest="""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                item.add_marker(pytest.mark.skip)
        """
    )
    result = suite.run()
    result.assert_outcomes(skipped=3)
    assert result.ret == 1


def test_a_suite_that_requires_gates_does_not_run_without_the_plugin(suite: Suite) -> None:
    write(suite)
    # 9.0 does not heed --strict-config in addopts, and 8.4 does not know the setting.
    new = pytest.version_tuple >= (9,)
    strict = "strict_config = true" if new else "addopts = --strict-config"
    text = f"[pytest]\n{strict}\nrank_required = bm25\n"
    suite.file("pytest.ini", text)
    result = suite.run("-p", "no:rankmetrics", "-k", "other")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "rank_required" in said(result)
