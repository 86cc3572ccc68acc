"""Baselines of the target branch that no gate read: told by a run of all tests alone."""

import shutil

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import GATE

OLD = "test_b/test_old.rank.json"
BASE = "--rank-baseline-dir=base"
ALONE: tuple[str, ...] = ()
TWO = ("-n", "2")


@pytest.fixture
def two(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Two modules with a recorded gate each, also in the target branch; the cache of pytest."""
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:cacheprovider", ""))
    suite.write(test_it=GATE, test_b=GATE.replace("test_bm25", "test_old"))
    suite.run("--rank-update", now=[2] * 30, passed=2)
    for module in ("test_it", "test_b"):
        shutil.copytree(suite.path / module, suite.path / "base" / module)
    assert not is_told(suite)
    return suite


@pytest.fixture
def orphan(two: Suite) -> Suite:
    """The same, whose second gate was deleted, with a file in the way."""
    two.write(test_b="def test_other(): pass", test_other="def test_nothing(): pass")
    two.file("base/test_b/test_old.json", "{}")
    return two


def is_told(suite: Suite, *arguments: str) -> bool:
    """Whether a run says that a gate is gone, and is red for it."""
    result = suite.run(BASE, "--rank-strict", *arguments)
    told = f"gates of the target branch are gone: {OLD}" in said(result)
    assert result.ret == told
    return told


def test_the_gate_that_was_deleted_is_named(orphan):
    orphan.run(BASE, ret=0, says=f"warning: gates of the target branch are gone: {OLD}")
    for arguments in (("--ff",), TWO, ("-m", "rank_gate"), ("test_b.py", "test_it.py")):
        assert is_told(orphan, *arguments), arguments
    assert not is_told(orphan, "test_it.py")
    (orphan.path / "test_b.py").unlink()
    assert is_told(orphan)
    # Nobody compares with a target branch: a file is a file.
    assert "gone" not in said(orphan.run("--rank-strict", ret=0))


def test_a_baseline_of_the_command_is_none_of_pytest(two):
    two.file("base/rank-baselines/rag.rank.json", (two.path / OLD).read_text())
    two.run(BASE, "--rank-strict", ret=0)


SHARDS = """
    def pytest_collection_modifyitems(config, items):
        del items[::2]  # as pytest-shard does: nobody is told of it
"""
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "words": ("", ("-k", "bm25")),
    "words, xdist": ("", ("-k", "bm25", *TWO)),
    "node id": ("", ("test_it.py::test_bm25",)),
    "marks": ("", ("-m", "not rank_gate")),
    "deselect": ("", ("--deselect", "test_other.py::test_nothing")),
    "shard": (SHARDS, ()),
    "shard, xdist": (SHARDS, TWO),
    "pytest_split": ("", ("--splits", "2", "--group", "1")),
    "pytest_shard": ("", ("--num-shards", "2", "--shard-id", "0")),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_run_of_a_part_of_the_suite_names_no_gate(part, orphan):
    conftest, arguments = PARTS[part]
    if part.startswith("pytest_"):
        pytest.importorskip(part)
    orphan.file("conftest.py", conftest)
    assert not is_told(orphan, *arguments)


@pytest.mark.parametrize(
    ("test", "code"),
    [
        ("import pytest\n\ndef test_it(): pytest.exit('enough', returncode=0)", 0),
        ("def test_broken(): raise ValueError", 1),
        ("import missing_module", 2),
        ("import os\n\ndef test_it(): os._exit(1)", 1),
    ],
    ids=["exit", "error", "import", "dead worker"],
)
def test_a_test_that_did_not_run_may_have_the_gate(test, code, orphan):
    orphan.write(test_other=test)
    result = orphan.run(BASE, "--rank-strict", *(TWO if "os._exit" in test else ()), ret=code)
    assert "are gone" not in said(result)


SKIPS = (
    "import pytest\n\n@pytest.mark.skip\ndef test_it(): pass",
    "import pytest\n\n@pytest.mark.xfail(run=False)\ndef test_it(): pass",
    "import pytest\n\n@pytest.mark.xfail\ndef test_it(): assert False",
    "import pytest\n\npytest.importorskip('no_such_module')",
)


@pytest.mark.parametrize("workers", [(), TWO], ids=["", "xdist"])
@pytest.mark.parametrize("test", SKIPS, ids=["skip", "not run", "xfail", "importorskip"])
def test_a_test_that_is_skipped_excuses_its_own_gates_alone(test, workers, orphan):
    orphan.write(test_other=test)
    assert is_told(orphan, *workers)
    own = test.replace("test_it()", "test_old()")
    orphan.write(test_b=own)
    assert not is_told(orphan, *workers)


def test_a_skipped_gate_may_have_any_name(orphan):
    gate = "import pytest\n\n@pytest.mark.skip\ndef test_it(rank_gate): pass"
    orphan.write(test_other=gate)
    assert is_told(orphan)
    orphan.write(test_b=gate)
    assert not is_told(orphan)


INSPECTIONS = (
    "--fixtures",
    "--fixtures-per-test",
    "--cache-show",
    "--setup-plan",
    "--setup-only",
    "--collect-only",
    "--markers",
    "--version",
    "--help",
)


@pytest.mark.parametrize("option", INSPECTIONS)
def test_a_run_that_executes_no_test_judges_nothing(option, orphan):
    orphan.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    before = orphan.baselines()
    result = orphan.run(BASE, "--rank-strict", "--rank-json=report.json", option, ret=0)
    assert orphan.baselines() == before
    assert "ERROR" not in said(result)
    assert "are gone" not in said(result)
    assert "report.json" not in orphan.files()
