"""Gates wherever tests run: classes of unittest, coroutines, threads, subtests, second tries."""

import json
import sys

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import BETTER, FILE, WORSE
from tests.plugin.test_reports import properties

TWO = ("-n", "2")
WORKERS = pytest.mark.parametrize("workers", [(), TWO], ids=["alone", "xdist"])


def recorded(suite: Suite) -> list[tuple[str, str, str]]:
    """(node id, name, verdict) of every gate of the report of the last run."""
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    return sorted((gate["nodeid"], gate["name"], gate["verdict"]) for gate in gates)


UNITTEST = """
class TestSearch(unittest.TestCase):
    def test_it(self):
        assert_mrr_at_least(*case([1, 2]), {limit})
"""
CONTEXTS = {
    "unittest": UNITTEST,
    "thread": """
def test_it():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(assert_mrr_at_least, *case([1, 2]), {limit}).result()
""",
    "async": """
@pytest.mark.asyncio
async def test_it():
    await asyncio.sleep(0)
    assert_mrr_at_least(*case([1, 2]), {limit})
""",
    "fixture": """
@pytest.fixture
def checked(rank_gate):
    return rank_gate

class TestSearch:
    def test_it(self, checked):
        checked.check(*case([1, 2]), at_least={{"mrr": {limit}}})
""",
}


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_gate_is_recorded_once_under_its_test(context, suite, monkeypatch):
    if context == "async":
        pytest.importorskip("pytest_asyncio")
        monkeypatch.setenv("PYTEST_ADDOPTS", LEAN.replace("-p no:asyncio", ""))
        suite.file("pytest.ini", "[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    text = CONTEXTS[context]
    nodeid = f"test_it.py::{'TestSearch::' if 'TestSearch' in text else ''}test_it"
    suite.tests(text.format(limit=0.75))
    suite.run("--rank-json=report.json").assert_outcomes(passed=1)
    assert [(gate[0], gate[2]) for gate in recorded(suite)] == [(nodeid, "pass")]
    suite.tests(text.format(limit=0.8))
    suite.run(
        "--rank-json=report.json", failed=1, lines=["E *MRR is 0.750, below the 0.800 required*"]
    )
    assert [(gate[0], gate[2]) for gate in recorded(suite)] == [(nodeid, "fail")]


def test_an_error_is_a_failure_for_unittest_too(suite):
    suite.tests(UNITTEST.format(limit=0.8), "case_of_unittest.py")
    result = suite.pytester.run(sys.executable, "-m", "unittest", "case_of_unittest")
    assert result.ret == 1
    assert "failures=1" in said(result)
    assert "errors=" not in said(result)


SUBTESTS = """
def test_it(subtests):
    for limit in (0.7, 0.8, 0.75):
        with subtests.test(msg=f"limit {limit}"):
            assert_mrr_at_least(*case([1, 2]), limit)
"""
OF_UNITTEST = """
class TestSearch(unittest.TestCase):
    def test_it(self):
        for limit in (0.7, 0.8, 0.75):
            with self.subTest(limit=limit):
                assert_mrr_at_least(*case([1, 2]), limit)
"""
NEW = pytest.version_tuple >= (9, 0)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SUBTESTS, marks=pytest.mark.skipif(not NEW, reason="came with pytest 9.0")),
        OF_UNITTEST,
    ],
    ids=["pytest", "unittest"],
)
def test_every_subtest_is_recorded_once(text, suite):
    suite.tests(text)
    result = suite.run(
        "--rank-json=report.json", ret=1, lines=["E *MRR is 0.750, below the 0.800 required*"]
    )
    # Before 9.0, pytest ends a test of unittest at the first subtest that fails.
    verdicts = ["fail", "pass", *(["pass"] if NEW else [])]
    assert sorted(verdict for _, _, verdict in recorded(suite)) == verdicts
    lines = [line for line in result.outlines if line.startswith("test_it.py::")]
    assert sum("FAIL" in line for line in lines) == 1


def test_a_subtest_that_passes_before_the_gate_is_no_missing_gate(suite):
    if not NEW:
        pytest.skip("subtests came with pytest 9.0")
    body = "(subtests, rank_gate):\n    with subtests.test('before'):\n        pass\n"
    check = "    rank_gate.check(*case([1, 2]), at_least={'mrr': 0.5})\n"
    suite.tests(f"def test_it{body}{check}def test_none{body}")
    result = suite.run(ret=1)
    lines = [line for line in result.outlines if line.startswith(("FAILED", "SUBFAILED"))]
    complaint = "the test takes the fixture rank_gate, and no gate has run in it"
    assert lines == [f"FAILED test_it.py::test_none - {complaint}"]


# Shared fixtures ---------------------------------------------------------------------------------

SHARED = """
@pytest.fixture(scope="{scope}")
def checked():
    assert_mrr_at_least(*case([1, 2]), {limit}, name="shared")

@pytest.mark.parametrize("number", range(8))
def test_it(checked, number):
    pass
"""


@pytest.mark.parametrize("scope", ["session", "module"])
def test_a_named_gate_of_a_shared_fixture_runs_in_every_worker(scope, suite):
    suite.file("pytest.ini", "[pytest]\nrank_required = shared\n")
    suite.tests(SHARED.format(scope=scope, limit=0.5))
    assert suite.run().ret == 0
    suite.run(*TWO, "--rank-json=report.json", ret=0)
    assert {name for _, name, _ in recorded(suite)} == {"shared"}
    suite.tests(SHARED.format(scope=scope, limit=0.8))
    suite.run("--rank-json=report.json", errors=8)
    assert "fail" in {verdict for _, _, verdict in recorded(suite)}


def test_two_tests_of_two_workers_may_not_share_a_name(suite):
    suite.tests(SHARED.format(scope="function", limit=0.5))
    suite.run(*TWO, ret=1, says="two tests use the name 'shared'")
    # Nor may two fixtures of one name.
    suite.tests(SHARED.format(scope="module", limit=0.5))
    suite.tests(SHARED.format(scope="module", limit=0.5), "test_two.py")
    suite.run(*TWO, "--dist=loadfile", ret=1, says="ERROR: two tests use the name 'shared': test_")


# Second tries ------------------------------------------------------------------------------------

SECOND_TRY = """
def test_flaky(rank_gate):
    tried = Path(__file__).with_name("tried")
    again = tried.exists()
    tried.touch()
    rank_gate.check(*case([1, 1, 2] if again else [1, 2, 4]), at_least={"mrr": 0.8})
"""


@WORKERS
def test_a_second_try_is_one_row_and_says_so(workers, suite):
    suite.tests(SECOND_TRY)
    options = ("--reruns", "1", *workers)
    result = suite.run(
        *options, "--junitxml=junit.xml", "--rank-json=report.json", ret=0, says="1 passed, 1 rerun"
    )
    (line,) = [line for line in result.outlines if line.startswith("test_it.py::test_flaky ")]
    assert "(2nd try)" in line
    found = float(properties(suite.path / "junit.xml", "test_flaky")["rank.mrr"])
    assert found == pytest.approx(2.5 / 3, abs=1e-6)  # (1 + 1 + 1/2) / 3
    assert len(recorded(suite)) == 1
    (suite.path / "tried").unlink()
    told = "ERROR: test_it.py::test_flaky passed at try 2: a gate gives one answer"
    suite.run(*options, "--rank-strict", ret=1, says=told)


# The fixture of the pytest-regressions family ----------------------------------------------------

REGRESSION = """
def test_bm25(rank_regression):
    rank_regression.check(*system(), metrics=("mrr", "map"), max_drop=0.005{more})
"""


@pytest.mark.parametrize(
    ("more", "file"),
    [
        ("", FILE),
        (', basename="own"', "test_it/own.rank.json"),
        (', fullpath="elsewhere/own.rank.json"', "elsewhere/own.rank.json"),
    ],
)
def test_rank_regression_is_one_sided_and_writes_only_when_told(more, file, suite):
    suite.tests(REGRESSION.format(more=more))
    suite.system([2] * 30)
    before = suite.files()
    suite.run(failed=1, lines=["E *no baseline for gate '*"])
    assert suite.files() == before
    suite.run("--rank-update").assert_outcomes(passed=1)
    kept = suite.baselines()
    assert list(kept) == [file]
    suite.run(now=BETTER, passed=1)
    suite.run(
        now=WORSE, failed=1, lines=["E *MRR fell from 0.500 to 0.417 (-0.083, hard limit -0.050):*"]
    )
    assert suite.baselines() == kept


def test_rank_regression_leaves_what_it_obtained_beside_the_data(suite):
    body = """
def test_it(rank_regression, tmp_path):
    rank_regression.check(*system(), "mrr")
    obtained = (tmp_path / "test_it.obtained.rank.json").read_bytes()
    Path(__file__).with_name("copy.json").write_bytes(obtained)
"""
    suite.tests(body.partition("    obtained")[0])
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0
    suite.tests(body)
    assert suite.run().ret == 0
    (baseline,) = suite.baselines().values()
    assert (suite.path / "copy.json").read_bytes() == baseline


def test_rank_regression_follows_the_directory_of_the_suite(suite):
    fixtures = """
@pytest.fixture
def original_datadir():
    return Path(__file__).parent / "data"

@pytest.fixture
def lazy_datadir(tmp_path):
    return tmp_path
"""
    suite.tests(fixtures, "conftest.py")
    suite.tests(REGRESSION.format(more=""))
    suite.run("--rank-update", now=[2] * 30, passed=1)
    assert list(suite.baselines()) == ["data/test_bm25.rank.json"]
    suite.run().assert_outcomes(passed=1)
    suite.tests(REGRESSION.format(more=', basename="a", fullpath="b.rank.json"'))
    suite.run(failed=1, says="pass basename or fullpath, not both")


def test_a_group_of_workers_is_no_part_of_a_name(suite):
    # --dist loadgroup writes the group behind the node id: tests/x.py::test_it@group.
    suite.file("pytest.ini", "[pytest]\nrank_required = test_it.py::TestIt::test_it\n")
    suite.system([2] * 30)
    body = """
class TestIt:
    @pytest.mark.xdist_group("search")
    @pytest.mark.parametrize("name", ["a@b"])
    def test_it(self, name, rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""
    suite.tests(body)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run(*TWO, "--dist", "loadgroup", "--rank-json=report.json", ret=0, passed=1)
    assert recorded(suite) == [("test_it.py::TestIt::test_it[a@b]", "TestIt.test_it[a@b]", "pass")]
