"""What a name in ``rank_required`` stands for: every gate that was collected under it."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import git

PARAMETERS = """
    import pytest
    from cases import system

    @pytest.mark.parametrize("index", {indexes})
    def test_bm25(index, rank_gate):
        {first}
        rank_gate.check(*system(), max_drop={{"mrr": 0.005}})

    def test_other():
        pass
"""
NODE = "test_it.py::test_bm25"
# Who compares names with what was collected does not know how a name is written: workers with one.
WORKERS = pytest.mark.parametrize(
    ("parameters", "workers"),
    [("test_bm25", ()), (NODE, ()), (NODE, ("-n", "2"))],
    ids=["name", "node id", "xdist"],
    indirect=["parameters"],
)


def write(suite: Suite, *, indexes: str = '["left", "right"]', first: str = "pass") -> None:
    suite.write(test_it=PARAMETERS.format(indexes=indexes, first=first))


@pytest.fixture(params=["test_bm25", NODE])
def parameters(request: pytest.FixtureRequest, suite: Suite) -> Suite:
    """A gate with two parameters that is required by its name or node id."""
    suite.file("pytest.ini", f"[pytest]\nrank_required = {request.param}\n")
    write(suite)
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    return suite


@WORKERS
def test_all_parameters_that_pass_are_enough(workers: tuple[str, ...], parameters: Suite) -> None:
    assert parameters.run(*workers).ret == 0
    assert parameters.run("-k", "bm25", *workers).ret == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("-k", "not right"),
        ("--deselect", "test_it.py::test_bm25[right]"),
        ("test_it.py::test_bm25[left]",),
    ],
    ids=["-k", "--deselect", "node id"],
)
def test_a_parameter_that_was_left_out_is_named(
    arguments: tuple[str, ...], parameters: Suite
) -> None:
    result = parameters.run(*arguments)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: required gate *test_bm25*test_it.py::test_bm25?right]*"])


def test_a_parameter_that_was_skipped_is_named(parameters: Suite) -> None:
    write(parameters, first="pytest.skip('no data') if index == 'right' else None")
    result = parameters.run()
    result.assert_outcomes(passed=2, skipped=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: *did not run in test_it.py::test_bm25?right]"])


@WORKERS
def test_a_parameter_that_is_gone_and_was_recorded_is_named(
    workers: tuple[str, ...], parameters: Suite
) -> None:
    write(parameters, indexes='["left"]')
    result = parameters.run(*workers)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "ERROR: required gate * did not run in test_it.py::test_bm25?right], "
            "which is recorded in test_it/* and was not collected"
        ]
    )


def test_a_parameter_that_is_gone_with_its_baseline_is_named_by_the_target_branch(
    parameters: Suite,
) -> None:
    git(parameters.path, "init", "-q")
    git(parameters.path, "add", ".")
    git(parameters.path, "commit", "-q", "-m", "all")
    git(parameters.path, "worktree", "add", "-q", "base")
    write(parameters, indexes='["left"]')
    for path in (parameters.path / "test_it").glob("*right*"):
        path.unlink()
    assert len(list((parameters.path / "test_it").iterdir())) == 1
    result = parameters.run("--rank-baseline-dir=base", "--ignore=base")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["ERROR: *test_it.py::test_bm25?right], which is recorded in test_it/*"]
    )


def test_a_test_of_another_module_that_has_the_name_and_no_gate_is_none(
    parameters: Suite,
) -> None:
    parameters.write(test_other="def test_bm25(): pass")
    assert parameters.run().ret == 0


def test_a_parameter_without_a_gate_is_named(suite: Suite) -> None:
    suite.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    suite.write(
        test_it="""
        import pytest
        from cases import case
        from pytest_rankmetrics import assert_mrr_at_least

        @pytest.mark.parametrize("index", ["a", "b"])
        def test_bm25(index):
            if index == "a":
                assert_mrr_at_least(*case([1, 2]), 0.7)
        """
    )
    result = suite.run()
    result.assert_outcomes(passed=2)
    assert result.ret == 1
    assert "did not run in test_it.py::test_bm25[b]" in said(result)


def test_many_parameters_are_named_in_part(suite: Suite) -> None:
    suite.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    suite.system([2] * 30)
    write(suite, indexes="range(12)")
    suite.run("--rank-update")
    result = suite.run("-k", "11")
    assert said(result).count("ERROR: required gate") == 5
    assert "ERROR: ... and 6 more of the same" in said(result)


def test_no_part_of_the_plugin_can_be_switched_off_unseen(parameters: Suite) -> None:
    for name in ("session", "recorder", "collection"):
        result = parameters.run("-p", f"no:rankmetrics-{name}", "-k", "other")
        assert result.ret == 1
        assert "ERROR: required gate" in said(result)
