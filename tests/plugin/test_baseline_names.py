"""Which file belongs to which gate, where it is read, and the commands that are printed."""

import json
import os
import re
import shlex
import shutil
import string
from pathlib import Path

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import GATE, WORSE, gate_of, git

# Names -------------------------------------------------------------------------------------------

NAMES = ["a-b", "a_b", "a/b", "A-B", "x" * 300, "schöne/日本", "CON", "nul.txt", "..", "a b", "a:b"]
GIVEN = ["../../evil", "CON", "com1.x", "a/b", "a-b", ".hidden", "x" * 200, "a\\b", "/abs", "é"]


@pytest.mark.parametrize(
    ("names", "ids", "own"), [(NAMES, "str", ""), (GIVEN, f"range({len(GIVEN)})", ", name=name")]
)
def test_every_name_has_a_file_of_its_own(names, ids, own, suite):
    gate = gate_of(f'max_drop={{"mrr": 0.005}}{own}').replace("(rank_gate)", "(name, rank_gate)")
    mark = f'@pytest.mark.parametrize("name", {names!r}, ids={ids})'
    suite.write(test_it="import pytest" + gate.replace("\ndef", f"\n{mark}\ndef"))
    suite.system([2, 3])
    suite.run("--rank-update").assert_outcomes(passed=len(names))
    assert {name.rpartition("/")[0] for name in suite.baselines()} == {"test_it"}
    files = [name.rpartition("/")[2] for name in suite.baselines()]
    assert len({name.lower() for name in files}) == len(names)
    for name in files:
        assert set(name) <= {*string.ascii_letters, *string.digits, *"._-"}, name
        assert len(name) <= 120
        assert name.partition(".")[0].lower() not in {"", "con", "prn", "aux", "nul", "com1"}
    assert not list(suite.path.parent.rglob("evil*"))
    suite.run().assert_outcomes(passed=len(names))


TWO_CLASSES = """
    from cases import case

    class TestSparse:
        def test_quality(self, rank_gate): rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005})

    class TestDense(TestSparse): pass

    def test_two_names(rank_gate):
        rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005}, name="sparse")
        rank_gate.check(*case([1, 3]), max_drop={"mrr": 0.005}, name="dense")

"""
SAME = """
    def test_same(rank_gate):
        rank_gate.check(*case([2, 3]), max_drop={"mrr": 0.005})
        rank_gate.check(*case([1, 3]), max_drop={"mrr": 0.005})
"""


def test_methods_of_two_classes_and_two_names_of_one_test_have_files_of_their_own(suite):
    suite.write(test_it=TWO_CLASSES)
    suite.run("--rank-update", passed=3)
    assert len(suite.baselines()) == 4
    suite.run(passed=3)
    suite.write(test_it=TWO_CLASSES + SAME)
    suite.run("--rank-update", passed=3, failed=1, says="test_same")


@pytest.mark.parametrize("limits", ['max_drop={"mrr": 0.005}', 'at_least={"mrr": 0.3}'])
def test_one_name_for_two_gates_fails(limits, suite):
    gates = (gate_of(f'{limits}, name="bm25"', name=f"test_{own}") for own in ("one", "two"))
    suite.write(test_it="\n".join(gates))
    told = ["*two tests use the *name 'bm25': test_it.py::test_one and test_it.py::test_two*"]
    suite.run("--rank-update", now=[2, 3], ret=1, lines=told)


# Where a baseline is read ------------------------------------------------------------------------


UPDATE, ACCEPT = ("--rank-update",), ("--rank-accept", "*", "--rank-reason", "x")


@pytest.mark.parametrize(
    ("directory", "writing", "complaint"),
    [
        ("base", UPDATE, "--rank-update does not write to --rank-baseline-dir"),
        ("base", ACCEPT, "--rank-accept does not write to --rank-baseline-dir"),
        ("bas", (), "--rank-baseline-dir: there is no directory 'bas'"),
        (".", (), "would judge itself"),
        ("", (), "--rank-baseline-dir is empty, and a change would be judged by its own"),
    ],
)
def test_directories_of_baselines_that_are_refused(directory, writing, complaint, gate):
    (gate.path / "base").mkdir()
    gate.run(f"--rank-baseline-dir={directory}", *writing, ret=4, says=complaint)
    assert not gate.baselines()


def test_a_gate_that_the_other_directory_does_not_know_fails(recorded):
    recorded.file("base/other/test_other.rank.json", "{}")
    result = recorded.run("--rank-baseline-dir", "base", failed=1)
    told = "E *no baseline for gate 'test_bm25'*it is not below *base*merge: pytest *--rank-update*"
    result.stdout.fnmatch_lines([told])


def test_the_first_gate_of_a_project_is_judged_by_the_baseline_that_it_brings(recorded):
    (recorded.path / "base").mkdir()
    arguments = ("--rank-baseline-dir", "base")
    told = ["new: *", "  note: new, recorded here: *base has no gate yet"]
    recorded.run(*arguments, passed=1, lines=told)
    required = (*arguments, "-o", "rank_required=test_bm25")
    recorded.run(*required, ret=1, says="no baseline for gate")
    recorded.run(*arguments, now=[4] * 30, failed=1, says="MRR fell from 0.500 to 0.250")
    shutil.rmtree(recorded.path / "test_it")
    recorded.run(*arguments, failed=1, says="no baseline for gate 'test_bm25'")


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
    suite.run(accept, "--rank-reason=why").assert_outcomes(passed=1, failed=1)


def test_a_directory_with_an_escape_in_its_name_reaches_no_message(suite, monkeypatch):
    monkeypatch.syspath_prepend(suite.path)
    suite.system([2] * 30)
    suite.file("a\x1b[31mb/test_it.py", GATE)
    suite.run("--rank-show=none", "-p", "no:terminal", "--rank-json=report.json", ret=1)
    (gate,) = json.loads((suite.path / "report.json").read_text())["gates"]
    assert "no baseline" in gate["message"]
    assert "\x1b" not in gate["message"]


# A baseline belongs to the gate that recorded it: another gate's file is not believed -------------

# Two gates of the same measures and queries: nothing but its name tells whose a baseline is.
GATES = """
    from cases import case, system

    def test_good(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})

    def test_poor(rank_gate):
        rank_gate.check(*case([8] * 30), max_drop={"mrr": 0.005})
"""
NAMED = """
    from cases import case, system

    def test_it(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005}, name="good")
        rank_gate.check(*case([8] * 30), max_drop={"mrr": 0.005}, name="poor")
"""


def recorded_twice(suite: Suite, gates: str) -> Suite:
    suite.write(test_it=gates)
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    return suite


def copy(suite: Suite, source: str, target: str) -> None:
    shutil.copy(suite.path / "test_it" / source, suite.path / "test_it" / target)


@pytest.mark.parametrize(
    ("gates", "source", "target", "owner"),
    [
        (GATES, "test_poor.rank.json", "test_good.rank.json", "test_it.py::test_poor"),
        (NAMED, "poor.rank.json", "good.rank.json", "'poor' (test_it.py::test_it)"),
    ],
    ids=["tests", "names"],
)
def test_a_copied_baseline_is_refused(gates, source, target, owner, suite):
    recorded_twice(suite, gates)
    copy(suite, source, target)
    # The system is worse than recorded, and better than the copy.
    text = said(suite.run(now=[4] * 30, ret=1))
    assert f"baseline test_it/{target} was recorded by the gate {owner}" in text
    assert "if that is this gate's old name, accept the new one with: pytest test_it.py::" in text
    assert "--rank-update; if not, restore the file" in text


def test_a_copy_in_another_directory_of_baselines_is_refused(suite):
    recorded_twice(suite, GATES)
    shutil.copytree(suite.path / "test_it", suite.path / "base" / "test_it")
    assert suite.run("--rank-baseline-dir=base").ret == 0
    copy(suite, "test_poor.rank.json", "../base/test_it/test_good.rank.json")
    result = suite.run("--rank-baseline-dir=base", ret=1)
    text = said(result)
    assert "was recorded by the gate test_it.py::test_poor: a gate that was renamed is red" in text
    assert "--rank-update" not in text


def test_an_update_does_not_lower_a_copied_baseline(suite):
    recorded_twice(suite, GATES)
    copy(suite, "test_good.rank.json", "test_poor.rank.json")
    before = suite.baselines()
    suite.run("--rank-update", ret=1)
    assert suite.baselines() == before


def test_the_guide_renames_a_gate(suite):
    guide = (Path(__file__).parents[2] / "docs" / "gates_reference.md").read_text(encoding="utf-8")
    move, update = re.findall(
        r"^    (git mv .+|pytest test_search.py::test_okapi .+)$", guide, re.MULTILINE
    )
    suite.write(test_search=GATE)
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    git(suite.path, "init", "-q")
    git(suite.path, "add", ".")
    suite.write(test_search=GATE.replace("test_bm25", "test_okapi"))
    text = said(suite.run())
    assert "write it with: pytest test_search.py::test_okapi --rank-update" in text
    git(suite.path, *shlex.split(move)[1:])
    assert suite.run().ret == 1
    assert "baseline refreshed: " in said(suite.run(*shlex.split(update)[1:]))
    assert suite.run().ret == 0


def test_another_root_is_no_other_gate(suite):
    suite.file("part/test_it.py", GATES)
    suite.file(
        "part/conftest.py", "import sys, pathlib; sys.path.insert(0, str(pathlib.Path('.')))"
    )
    shutil.copy(suite.path / "cases.py", suite.path / "part" / "cases.py")
    (suite.path / "part" / "ranks.json").write_text(json.dumps([2] * 30))
    assert suite.run("part", "--rank-update").ret == 0
    assert suite.run("--rootdir=part", "part").ret == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
@pytest.mark.parametrize("make", ["mkfifo", "mkdir"])
def test_a_pipe_or_a_directory_is_no_baseline(make, recorded):
    path = recorded.path / "test_it" / "test_bm25.rank.json"
    path.unlink()
    getattr(os, make)(path)
    getattr(os, make)(path.with_name("beside.rank.json"))
    for option in ("--rank-show=all", "--rank-update", "--rank-unused=fail"):
        told = "test_bm25.rank.json cannot be read: it is not a regular file"
        recorded.spawn(
            "-p", "no:cacheprovider", option, "-o", "rank_required=other", ret=1, says=told
        )
        assert not path.is_file()
