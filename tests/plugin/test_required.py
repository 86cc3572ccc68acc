"""Gates that must have run: one that is switched off, left out or renamed does not pass."""

import html

import pytest

from tests.plugin.conftest import Suite, said

INI = """
    [pytest]
    rank_required =
        bm25
        test_it.py::test_dense
"""
GATES = """
    import contextlib
    import pytest
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

    {mark}
    def test_bm25(rank_gate):
        {first}
        rank_gate.check(*case([1, 2]), at_least={{"mrr": {limit}}}, name="bm25")

    def test_dense():
        assert_mrr_at_least(*case([1, 2]), 0.5)

    def test_other():
        pass
"""
TWO = ("-n", "2")


def write(suite: Suite, *, mark: str = "", first: str = "", limit: float = 0.5) -> None:
    suite.write(test_it=GATES.format(mark=mark, first=first, limit=limit))
    suite.file("pytest.ini", INI)


@pytest.mark.parametrize("workers", [(), TWO], ids=["alone", "xdist"])
def test_required_gates_that_ran_and_passed_are_fine(workers, suite):
    write(suite)
    suite.run(*workers, ret=0, passed=3)
    renamed = (suite.path / "test_it.py").read_text().replace('name="bm25"', 'name="bm26"')
    suite.file("test_it.py", renamed)
    suite.run(*workers, ret=1, passed=3, lines=["*required gate*bm25*"])


def test_a_node_id_may_be_written_as_windows_does(suite):
    write(suite)
    suite.file("pytest.ini", "[pytest]\nrank_required = part\\test_it.py::test_dense\n")
    suite.write(conftest="")
    (suite.path / "part").mkdir()
    (suite.path / "test_it.py").rename(suite.path / "part" / "test_it.py")
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
def test_a_required_gate_that_was_left_out_fails_the_run(arguments, suite):
    write(suite)
    # 5 (nothing collected) is an exit code that wrappers map to 0.
    suite.run(*arguments, ret=1, says="bm25")


@pytest.mark.parametrize(
    ("mark", "first", "outcome"),
    [
        ("@pytest.mark.skip", "", "skipped"),
        ("@pytest.mark.skipif(True, reason='no data')", "", "skipped"),
        ("", "pytest.skip('no data')", "skipped"),
        ("", "pytest.importorskip('missing_module')", "skipped"),
        ("@pytest.mark.xfail", "", "xfailed"),
        ("@pytest.mark.xfail(run=False)", "", "xfailed"),
        ("", "pytest.xfail('not today')", "xfailed"),
    ],
)
def test_a_required_gate_that_was_skipped_or_expected_to_fail_fails_the_run(
    mark, first, outcome, suite
):
    write(suite, mark=mark, first=first, limit=0.8 if outcome == "xfailed" and mark else 0.5)
    result = suite.run()
    result.assert_outcomes(errors=0, passed=2, **{outcome: 1})
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*required gate*bm25*"])
    assert "test_dense" not in said(result).partition("required gate")[2]


@pytest.mark.parametrize(
    ("first", "arguments"), [("", ("-x",)), ("import os; os._exit(0)", TWO)], ids=["-x", "died"]
)
def test_a_required_gate_that_a_run_did_not_come_to_fails_it(first, arguments, suite):
    write(suite, first=first)
    suite.write(test_a="def test_first(): raise ValueError")
    suite.run(*arguments, ret=1, says="required gate 'bm25' did not run")


def test_nothing_collected_is_no_pass(suite):
    suite.file("pytest.ini", INI)
    suite.run("--rank-markdown=summary.md", ret=1)
    text = (suite.path / "summary.md").read_text()
    text = text.replace("&#39;", "'")
    assert text.startswith("### Ranking quality: \u274c required gate 'bm25' did not run\n")
    assert "- required gate 'test_it.py::test_dense' did not run" in html.unescape(text)


def test_a_suite_that_requires_gates_does_not_run_without_the_plugin(suite):
    write(suite)
    # 9.0 does not heed --strict-config in addopts, and 8.4 does not know the setting.
    new = pytest.version_tuple >= (9,)
    strict = "strict_config = true" if new else "addopts = --strict-config"
    suite.file("pytest.ini", f"[pytest]\n{strict}\nrank_required = bm25\n")
    suite.run("-p", "no:rankmetrics", "-k", "other", ret=4, says="rank_required")


# What a name stands for --------------------------------------------------------------------------

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
    [("test_bm25", ()), (NODE, ()), (NODE, TWO)],
    ids=["name", "node id", "xdist"],
    indirect=["parameters"],
)


def write_parameters(suite: Suite, indexes: str, first: str = "pass") -> None:
    suite.write(test_it=PARAMETERS.format(indexes=indexes, first=first))


@pytest.fixture(params=["test_bm25", NODE])
def parameters(request: pytest.FixtureRequest, suite: Suite) -> Suite:
    """A gate with two parameters that is required by its name or node id."""
    suite.file("pytest.ini", f"[pytest]\nrank_required = {request.param}\n")
    write_parameters(suite, '["left", "right"]')
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    return suite


@WORKERS
def test_all_parameters_that_pass_are_enough(workers, parameters):
    # A test of another module that has the name and no gate is none.
    parameters.write(test_other="def test_bm25(): pass")
    assert parameters.run(*workers).ret == 0
    assert parameters.run("-k", "bm25", *workers).ret == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("-k", "not right"),
        ("--deselect", "test_it.py::test_bm25[right]"),
    ],
    ids=["-k", "--deselect"],
)
def test_a_parameter_that_was_left_out_is_named(arguments, parameters):
    parameters.run(
        *arguments, ret=1, lines=["ERROR: required gate *test_bm25*test_it.py::test_bm25?right]*"]
    )


def test_a_parameter_that_was_skipped_is_named(parameters):
    skip = "pytest.skip('no data') if index == 'right' else None"
    write_parameters(parameters, '["left", "right"]', skip)
    parameters.run(
        ret=1, passed=2, skipped=1, lines=["ERROR: *did not run in test_it.py::test_bm25?right]"]
    )


def test_a_parameter_without_a_gate_is_named(suite):
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
    suite.run(ret=1, passed=2, says="did not run in test_it.py::test_bm25[b]")


def test_many_parameters_are_named_in_part(suite):
    suite.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    suite.system([2] * 30)
    write_parameters(suite, "range(12)")
    suite.run("--rank-update")
    result = suite.run("-k", "11")
    assert said(result).count("ERROR: required gate") == 5
    assert "ERROR: ... and 6 more of the same" in said(result)
