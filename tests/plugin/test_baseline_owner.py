"""A baseline belongs to the gate that recorded it: another gate's file is not believed."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_rankmetrics.baseline.content import Owner
from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import GATE, git

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
    assert move in text
    assert "then, or if it is new: pytest test_search.py::test_okapi --rank-update" in text
    git(suite.path, *shlex.split(move)[1:])
    assert suite.run().ret == 1
    assert "1 refreshed" in said(suite.run(*shlex.split(update)[1:]))
    assert suite.run().ret == 0


def change(suite: Suite, file: str, **fields: Any) -> None:
    path = suite.path / "test_it" / file
    content = json.loads(path.read_text())
    content.update(fields)
    kept = {key: value for key, value in content.items() if value is not None}
    path.write_text(json.dumps(kept))


@pytest.mark.parametrize("fields", [{"name": None}, {"name": None, "gate": None}, {"gate": ""}])
@pytest.mark.parametrize("gates", [GATES, NAMED], ids=["tests", "names"])
def test_a_baseline_of_an_older_version_is_read(gates, fields, suite):
    recorded_twice(suite, gates)
    change(
        suite, "test_good.rank.json" if gates is GATES else "good.rank.json", seal=None, **fields
    )
    assert suite.run().ret == 0


@pytest.mark.parametrize("name", [1, [], ""])
def test_a_name_that_is_no_text_is_refused(name, suite):
    recorded_twice(suite, GATES)
    change(suite, "test_good.rank.json", name=name, seal=None)
    suite.run(ret=1, says="cannot be read: its name is no text")


def test_another_root_is_no_other_gate(suite):
    suite.file("part/test_it.py", GATES)
    suite.file(
        "part/conftest.py", "import sys, pathlib; sys.path.insert(0, str(pathlib.Path('.')))"
    )
    shutil.copy(suite.path / "cases.py", suite.path / "part" / "cases.py")
    (suite.path / "part" / "ranks.json").write_text(json.dumps([2] * 30))
    assert suite.run("part", "--rank-update").ret == 0
    assert suite.run("--rootdir=part", "part").ret == 0


NODE = "tests/test_a.py::test_x"
FITS = {
    "test_x": [
        (Owner(NODE, "test_x"), True),
        (Owner("test_a.py::test_x", "test_x"), True),
        (Owner("sub/tests/test_a.py::test_x", "test_x"), True),
        (Owner("my_tests/test_a.py::test_x", "test_x"), False),
        (Owner("test_b.py::test_x", "test_x"), False),
        (Owner("tests/test_a.py::test_y", "test_y"), False),
        (Owner(NODE, "dense"), False),
        (Owner("test_x", "test_x"), True),  # recorded by sklearn-rank gate
        (Owner("other", "other"), False),
        (Owner(NODE, ""), True),
        (Owner("old/test_a.py::test_x", "test_x"), False),
        (Owner("old/test_a.py::test_x", ""), True),
        (Owner("tests/test_b.py::test_x", ""), False),
        (Owner("tests/test_a.py::test_y", ""), False),
        (Owner("", ""), True),
    ],
    "dense": [  # a name of its own is what counts
        (Owner("tests/test_b.py::test_y", "dense"), True),  # a fixture: its first test differs
        (Owner(NODE, "sparse"), False),
        (Owner(NODE, ""), True),
        (Owner("dense", "dense"), True),
    ],
}


@pytest.mark.parametrize("name", FITS)
def test_what_fits_a_gate(name):
    for recorded, fits in FITS[name]:
        assert recorded.matches(Owner(NODE, name)) is fits, recorded


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


NESTED = """
    from cases import system

    class TestOuter:
        class TestInner:
            def test_bm25(self, rank_gate):
                rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""


def test_a_test_of_a_nested_class_that_was_deselected_is_not_gone(suite):
    suite.write(test_it=NESTED)
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    new = NESTED + "\n    def test_new(rank_gate): rank_gate.check(*system(), max_drop=0.1)\n"
    suite.write(test_it=new)
    result = suite.run("-k", "test_new", ret=1)
    assert "renamed?" not in said(result)
    suite.write(test_it=new.replace("TestInner", "TestOther"))
    assert "TestOther" not in said(suite.run("-k", "test_new"))
    assert "renamed?" in said(suite.run("-k", "test_new"))
