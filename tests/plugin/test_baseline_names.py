"""Which file belongs to which gate, where it is read, and the commands that are printed."""

import json
import os

import pytest
import pytest_regressions.common

from tests.plugin.one_gate import GATE, WORSE

# Names -------------------------------------------------------------------------------------------


NAMES = ["a-b", "A-B", "schöne/日本", "CON", "..", "a b c", "$(rm x)", "../../evil"]


@pytest.mark.skipif(
    not hasattr(pytest_regressions.common, "resolve_check_paths"),
    reason="pytest-regressions 2.8 has no function that tells its paths",
)
def test_a_baseline_is_where_pytest_regressions_would_have_it(suite):
    suite.tests(
        f"""
        from pytest_regressions.common import resolve_check_paths

        @pytest.mark.parametrize("name", {NAMES!r}, ids=str)
        def test_it(name, rank_gate, request, original_datadir, lazy_datadir):
            found = resolve_check_paths(lazy_datadir, original_datadir, request, ".rank.json")
            rank_gate.check(*case([2, 3]), max_drop={{"mrr": 0.005}})
            assert found.source.is_file()
        """
    )
    suite.run("--rank-update", passed=len(NAMES))
    assert {name.rpartition("/")[0] for name in suite.baselines()} == {"test_it"}
    assert not list(suite.path.parent.rglob("evil*"))


TWO_CLASSES = """
    from cases import case

    class TestSparse:
        def test_quality(self, rank_gate): rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005})

    class TestDense(TestSparse): pass

    def test_two_names(rank_gate):
        rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005}, name="sparse")
        rank_gate.check(*case([1, 3]), max_drop={"mrr": 0.005}, name="dense")

"""


def test_methods_of_two_classes_and_two_names_of_one_test_have_files_of_their_own(suite):
    suite.write(test_it=TWO_CLASSES)
    suite.run("--rank-update", passed=3)
    assert len(suite.baselines()) == 4
    suite.run(passed=3)


# Where a baseline is read ------------------------------------------------------------------------


UPDATE, ACCEPT = ("--rank-update",), ("--rank-accept", "*")


@pytest.mark.parametrize(
    ("directory", "writing", "complaint"),
    [
        ("base", UPDATE, "--rank-update does not write to --rank-baseline-dir"),
        ("base", ACCEPT, "--rank-accept does not write to --rank-baseline-dir"),
        ("bas", (), "--rank-baseline-dir: there is no directory 'bas'"),
        (".", (), "with its own baselines"),
        ("", (), "--rank-baseline-dir is empty, so a change would be compared with its own"),
    ],
)
def test_directories_of_baselines_that_are_refused(directory, writing, complaint, gate):
    (gate.path / "base").mkdir()
    gate.run(f"--rank-baseline-dir={directory}", *writing, ret=4, says=complaint)
    assert not gate.baselines()


def test_a_gate_that_the_other_directory_does_not_know_fails(recorded):
    recorded.file("base/other/test_other.rank.json", "{}")
    result = recorded.run("--rank-baseline-dir", "base", failed=1)
    told = "E *no baseline for gate 'test_bm25'*is red until *base*merge: pytest *--rank-update*"
    result.stdout.fnmatch_lines([told])


@pytest.mark.parametrize("directory", ["base", "."])
def test_a_test_outside_of_the_project_is_not_judged_by_its_own_baseline(
    directory, suite, monkeypatch
):
    monkeypatch.syspath_prepend(suite.path)
    # A path that is not below the root is absolute: joined to a directory it stays what it was.
    suite.file("project/pytest.ini", "[pytest]")
    suite.file("project/base/readme", "nothing here")
    suite.file("tests/test_it.py", GATE)
    suite.system([2] * 30)
    arguments = ("--rootdir=project", "tests")
    suite.run(*arguments, "--rank-update").assert_outcomes(passed=1)
    result = suite.run(*arguments, f"--rank-baseline-dir=project/{directory}")
    assert result.ret != 0
    if directory == "base":
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["E *--rank-baseline-dir has no place for *--rootdir*"])


# What to type ------------------------------------------------------------------------------------


def test_a_command_can_be_pasted_into_a_shell_where_pytest_was_started(suite, monkeypatch):
    suite.file("pytest.ini", "[pytest]")
    suite.system([2] * 30)
    suite.file(
        "part/test_it.py",
        """
        import pytest
        from cases import system

        @pytest.mark.parametrize("name", ["a b", "$(rm x)"])
        def test_it(name, rank_gate):
            rank_gate.check(*system(), max_drop={"mrr": 0.005})
        """,
    )
    monkeypatch.syspath_prepend(suite.path)
    monkeypatch.chdir(suite.path / "part")
    result = suite.run(failed=2)
    for test in ("test_it[[]a b]", "test_it[[]$(rm x)]"):
        result.stdout.fnmatch_lines([f"E *: pytest 'test_it.py::{test}' --rank-update"])


def test_what_was_printed_accepts_the_gate_of_one_parameter(suite):
    # To fnmatch, brackets are a set of characters; to pytest they hold the parameters.
    suite.write(
        test_it="""
        import pytest
        from cases import system

        @pytest.mark.parametrize("depth", [10, 20])
        def test_it(depth, rank_gate):
            rank_gate.check(*system(depth=depth), max_drop={"mrr": 0.005})
        """
    )
    suite.run("--rank-update", now=[2] * 30, passed=2)
    suite.system(WORSE)
    accept = "--rank-accept=test_it.py::test_it[10]"
    suite.run(accept).assert_outcomes(passed=1, failed=1)


def test_a_directory_with_an_escape_in_its_name_reaches_no_message(suite, monkeypatch):
    monkeypatch.syspath_prepend(suite.path)
    suite.system([2] * 30)
    suite.file("a\x1b[31mb/test_it.py", GATE)
    suite.run("-p", "no:terminal", "--rank-json=report.json", ret=1)
    (gate,) = json.loads((suite.path / "report.json").read_text())["gates"]
    assert "no baseline" in gate["message"]
    assert "\x1b" not in gate["message"]


def test_a_gate_is_renamed_by_its_file(suite):
    suite.write(test_search=GATE)
    suite.run("--rank-update", now=[2] * 30, ret=0)
    suite.write(test_search=GATE.replace("test_bm25", "test_okapi"))
    told = "write it with: pytest test_search.py::test_okapi --rank-update"
    suite.run(ret=1, says=told)
    folder = suite.path / "test_search"
    (folder / "test_bm25.rank.json").rename(folder / "test_okapi.rank.json")
    suite.run(ret=0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
@pytest.mark.parametrize("make", ["mkfifo", "mkdir"])
def test_a_pipe_or_a_directory_is_no_baseline(make, recorded):
    path = recorded.path / "test_it" / "test_bm25.rank.json"
    path.unlink()
    getattr(os, make)(path)
    getattr(os, make)(path.with_name("beside.rank.json"))
    for option in ("-v", "--rank-update", "--rank-strict"):
        told = "test_bm25.rank.json cannot be read: it is not a regular file"
        recorded.spawn(
            "-p", "no:cacheprovider", option, "-o", "rank_required=other", ret=1, says=told
        )
        assert not path.is_file()
