"""Baseline files that belong to no test: told by a whole run alone, whoever cuts it."""

import shlex

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import FILE, GATE, WORSE, git

OLD = "test_b/test_old.rank.json"
UNUSED = f"1 baseline file belongs to no test: git rm {OLD}*"
ALONE: tuple[str, ...] = ()
TWO = ("-n", "2")
WORKERS = pytest.mark.parametrize("workers", [ALONE, TWO], ids=["alone", "xdist"])


@pytest.fixture
def two(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Two modules with a recorded gate each, and the cache of pytest."""
    monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:cacheprovider", ""))
    suite.write(test_it=GATE, test_b=GATE.replace("test_bm25", "test_old"))
    suite.run("--rank-update", now=[2] * 30, passed=2)
    assert suite.run("--rank-strict").ret == 0
    return suite


@pytest.fixture
def orphan(two: Suite) -> Suite:
    """The same, whose second gate was deleted, with two files in the way."""
    two.write(test_b="def test_other(): pass", test_other="def test_nothing(): pass")
    two.file("test_b/data.csv", "1,2")
    two.file("test_b/test_old.json", "{}")
    return two


def is_told(suite: Suite, *arguments: str) -> bool:
    """Whether a run says that a file is unused, and is red for it."""
    result = suite.run("--rank-strict", *arguments)
    told = "belongs to no test" in said(result)
    assert result.ret == told
    return told


def test_the_file_of_a_deleted_test_is_reported(orphan):
    orphan.run(ret=0, lines=[UNUSED])
    assert OLD in orphan.baselines()
    assert orphan.run("--rank-strict").ret == 1
    for option in ("--nf", "--ff", "-orank_required="):
        assert is_told(orphan, option), option
    assert is_told(orphan, *TWO)
    (orphan.path / "test_b.py").unlink()
    assert is_told(orphan)


def test_the_command_that_is_printed_removes_the_file(orphan):
    git(orphan.path, "init", "-q")
    git(orphan.path, "add", ".")
    line = next(line for line in orphan.run().stdout.lines if "git rm" in line)
    git(orphan.path, "commit", "-q", "-m", "all")
    git(orphan.path, *shlex.split(line.partition(" git ")[2]))
    assert list(orphan.baselines()) == [FILE]
    assert "belongs to no test" not in said(orphan.run())


def test_a_baseline_of_the_command_is_none_of_pytest(two):
    """Its gates are in no module: in its own directory, or in one that no module can have."""
    content = (two.path / OLD).read_text()
    two.file("rank-baselines/rag.rank.json", content)
    two.file("search/base/rag.rank.json", content)
    assert not is_told(two)
    two.file("test_gone/rag.rank.json", content)
    assert is_told(two)
    assert "git rm test_gone/rag.rank.json\n" in said(two.run()) + "\n"


@pytest.mark.parametrize("instead", ["def test_other(): pass", None], ids=["none", "a floor"])
def test_a_gate_that_no_longer_compares_is_reported_and_one_of_the_target_branch_too(
    instead, recorded
):
    base = recorded.path / "base" / FILE
    base.parent.mkdir(parents=True)
    base.write_bytes((recorded.path / FILE).read_bytes())
    floor = GATE.replace('max_drop={"mrr": 0.005}', 'at_least={"mrr": 0.1}')
    recorded.write(test_it=instead or floor)
    recorded.system(WORSE)
    (base.parent.parent / "pytest.ini").write_text("")
    result = recorded.run("--rank-baseline-dir=base", "--rank-strict", ret=1)
    told = f"gates of the target branch are gone: {FILE}", "has a baseline of this gate"
    assert any(text in said(result) for text in told)
    base.unlink()
    assert is_told(recorded)


SHARDS = """
    def pytest_collection_modifyitems(config, items):
        del items[::2]  # as pytest-shard does: nobody is told of it
"""
HOOK = """
    def pytest_ignore_collect(collection_path):
        return True if collection_path.name == "test_b.py" else None
"""
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "words": ("", ("-k", "bm25")),
    "words, xdist": ("", ("-k", "bm25", *TWO)),
    "module": ("", ("test_it.py",)),
    "node id": ("", ("test_it.py::test_bm25",)),
    "marks": ("", ("-m", "rank_gate")),
    "deselect": ("", ("--deselect", "test_other.py::test_nothing")),
    "ignore": ("", ("--ignore", "test_other.py")),
    "last failed": ("", ("--lf",)),
    "stepwise": ("", ("--sw",)),
    "collect_ignore": ('collect_ignore = ["test_b.py"]', ()),
    "collect_ignore_glob": ('collect_ignore_glob = ["*_b.py"]', ()),
    "hook": (HOOK, ()),
    "hook, xdist": (HOOK, TWO),
    "shard": (SHARDS, ()),
    "shard, xdist": (SHARDS, TWO),
    "pytest_split": ("", ("--splits", "2", "--group", "1")),
    "pytest_shard": ("", ("--num-shards", "2", "--shard-id", "0")),
    "pytest_shard, xdist": ("", ("--num-shards", "2", "--shard-id", "0", *TWO)),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_run_of_a_part_of_the_suite_knows_no_unused_files(part, request):
    conftest, arguments = PARTS[part]
    is_plugin = part.startswith("pytest_")
    if is_plugin:
        pytest.importorskip(part.partition(",")[0])
    # Who takes a test away tells nobody, and its file is no orphan.
    suite = request.getfixturevalue("two" if conftest or is_plugin else "orphan")
    suite.file("conftest.py", conftest)
    assert not is_told(suite, *arguments)


SETTINGS = ("python_functions=test_bm*", "python_files=test_i*", "collect_imported_tests=false")


@pytest.mark.parametrize("option", SETTINGS)
def test_another_setting_may_leave_a_test_out(option, two):
    for workers in (ALONE, TWO):
        assert not is_told(two, "-o", option, *workers)
    two.file("fast.ini", "[pytest]\n" + option.replace("=", " = "))
    assert not is_told(two, "-c", "fast.ini")


@pytest.mark.parametrize(
    ("test", "code"),
    [
        ("import pytest\n\n@pytest.mark.skip\ndef test_it(): pass", 0),
        ("import pytest\n\ndef test_it(): pytest.skip('no data')", 0),
        ("import pytest\n\n@pytest.mark.xfail(run=False)\ndef test_it(): pass", 0),
        ("import pytest\n\ndef test_it(): pytest.exit('enough', returncode=0)", 0),
        ("def test_broken(): raise ValueError", 1),
        ("import missing_module", 2),
        ("import os\n\ndef test_it(): os._exit(1)", 1),
    ],
    ids=["mark", "skip", "not run", "exit", "error", "import", "dead worker"],
)
def test_a_test_that_did_not_run_may_own_a_file(test, code, orphan):
    orphan.write(test_other=test)
    result = orphan.run("--rank-strict", *(TWO if "os._exit" in test else ()), ret=code)
    assert "belongs to no test" not in said(result)
    assert len(orphan.baselines()) == 2


INSPECTIONS = (
    *("--fixtures", "--fixtures-per-test", "--cache-show", "--setup-plan", "--setup-only"),
    *("--collect-only", "--markers", "--version", "--help"),
)


@pytest.mark.parametrize("option", INSPECTIONS)
def test_a_run_that_executes_no_test_judges_nothing(option, orphan):
    orphan.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    before = orphan.baselines()
    result = orphan.run("--rank-strict", "--rank-json=report.json", option, ret=0)
    assert orphan.baselines() == before
    assert "ERROR" not in said(result)
    assert "belongs to no test" not in said(result)
    assert "report.json" not in orphan.files()
