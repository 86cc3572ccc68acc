"""Ways past a gate that somebody may take without meaning to: each ends red, or is named."""

import json
import shutil

import pytest

from sklearn_rank.gates.limits import CI_VARIABLES
from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import FILE, GATE, WORSE, gate_of

EXIT_CODES = {
    "plain": "def pytest_sessionfinish(session): session.exitstatus = 0",
    "last": """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(session, exitstatus):
            if exitstatus == 5:
                session.exitstatus = 0
        """,
    "wrapper": """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_sessionfinish(session, exitstatus):
            result = yield
            session.exitstatus = 0
            return result
        """,
}
SWALLOWED = """
    from cases import case
    from pytest_rankmetrics import assert_mrr_at_least

    def {hook}(session):
        try:
            assert_mrr_at_least(*case([1, 2]), 0.9)
        except AssertionError:
            pass
"""


@pytest.mark.parametrize("way", EXIT_CODES)
@pytest.mark.parametrize("arguments", [("-k", "nothing"), ("-m", "not rank_gate")])
def test_no_exit_code_of_others_hides_a_problem(way, arguments, suite):
    suite.file("pytest.ini", "[pytest]\nrank_required = test_bm25\n")
    suite.write(test_it=GATE, conftest=EXIT_CODES[way])
    suite.run(*arguments, ret=1, says="ERROR: required gate 'test_bm25' did not run")


@pytest.mark.parametrize("way", EXIT_CODES)
def test_no_exit_code_of_others_hides_a_swallowed_gate(way, suite):
    suite.tests("def test_it(): lost()")
    suite.write(conftest=EXIT_CODES[way])
    suite.run(ret=1, says="gate 'test_it' failed, but its test passed")


@pytest.mark.parametrize("hook", ["pytest_sessionstart", "pytest_sessionfinish"])
def test_a_gate_that_is_swallowed_outside_of_the_tests_is_red(hook, suite):
    suite.write(test_it="def test_it(): pass", conftest=SWALLOWED.format(hook=hook))
    suite.run(ret=1, says="ERROR: gate 'mrr' failed, but its test passed")


def test_ending_the_run_with_zero_after_a_red_gate_is_red(suite):
    suite.tests(
        """
        def test_a(): fails()

        def test_b(): pytest.exit("enough", returncode=0)
        """
    )
    suite.run(ret=1, says="ERROR: gate 'test_a' failed, but the run ended with exit code 0")


# Deleted gates -----------------------------------------------------------------------------------

RECIPES = [("-m", "rank_gate"), (".",), ("test_it.py",)]


@pytest.fixture
def base(recorded: Suite) -> Suite:
    """A suite whose target branch has its gate."""
    shutil.copytree(recorded.path / "test_it", recorded.path / "base" / "test_it")
    shutil.rmtree(recorded.path / "test_it")
    return recorded


@pytest.mark.parametrize("recipe", RECIPES, ids=" ".join)
@pytest.mark.parametrize(
    "instead",
    [
        gate_of('at_least={"mrr": 0.1}'),
        gate_of('at_least={"mrr": 0.1}', name="test_other"),
    ],
    ids=["a floor", "another gate"],
)
def test_the_recipe_of_the_guide_sees_a_gate_that_compares_no_more(recipe, instead, base):
    base.write(test_it=instead)
    arguments = ("--rank-baseline-dir=base", *recipe)
    text = said(base.run(*arguments, now=WORSE, ret=0))
    assert "gates of the target branch are gone" in text or "has a baseline for this gate" in text
    base.run(*arguments, "--rank-strict", ret=1)


def test_a_directory_without_baselines_judges_no_gate_by_its_own(recorded):
    (recorded.path / "empty").mkdir()
    recorded.run("--rank-baseline-dir=empty", ret=1, says="no baseline for gate 'test_bm25'")


# Gates that check nothing ------------------------------------------------------------------------

NOTHING = """
    from cases import case
    from pytest_rankmetrics import expected_failure

    def test_nothing(rank_gate):
        for limit in {limits}:
            rank_gate.check(*case([1, 2]), at_least={{"mrr": limit}})

    def test_expected(rank_gate):
        with expected_failure():
            rank_gate.check(*case([1, 2]), at_least={{"mrr": 0.9}})
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_gate_that_checks_nothing_is_named(workers, suite):
    suite.write(test_it=NOTHING.format(limits="[]"))
    told = "test_it.py::test_nothing uses the fixture rank_gate but checked nothing"
    text = said(suite.run(*workers, ret=0, passed=2))
    assert f"warning: {told}" in text
    assert "test_expected has" not in text
    suite.run(*workers, "--rank-strict", ret=1, says=f"ERROR: {told}")
    suite.write(test_it=NOTHING.format(limits="[0.5]"))
    suite.run(*workers, "--rank-strict", ret=0, passed=2)


# Writing, and what is written --------------------------------------------------------------------


@pytest.mark.parametrize("name", CI_VARIABLES)
def test_every_host_of_continuous_integration_is_known(name, gate, monkeypatch):
    monkeypatch.setenv(name, "1")
    told = "baselines were written in continuous integration"
    gate.run("--rank-update", ret=1, passed=1, says=told)


@pytest.mark.parametrize("other", ["--rank-markdown", "--junitxml"])
def test_two_reports_in_one_file_are_refused(other, recorded):
    told = "ERROR: report out.md was not written: two reports have this"
    recorded.run("--rank-json=out.md", f"{other}=out.md", ret=1, says=told)
    assert not (recorded.path / "out.md").exists() or other == "--junitxml"


HOSTILE = """
    from cases import results, truth

    def test_it(rank_gate):
        judged = {query: {"x" * 1_000_000} for query in truth(30)}
        ranked = {query: ["y", *own] for query, own in judged.items()}
        rank_gate.check(judged, ranked, at_least={"mrr": 0.9}, name="lone\\ud800",
            slices=lambda query: "slice\\ud800", query_text=lambda query: "z" * 1_000_000)
"""


def test_a_lone_surrogate_and_a_huge_id_are_text_and_cut(suite):
    suite.write(test_it=HOSTILE)
    text = said(suite.run("--rank-json=r.json", "--rank-markdown=r.md", ret=1, failed=1))
    assert "UnicodeEncodeError" not in text
    assert "MRR is 0.500, below the 0.900 required" in text
    assert json.loads((suite.path / "r.json").read_text())["gates"][0]["name"] == "lone\\ud800"
    assert (suite.path / "r.json").stat().st_size < 100_000
    assert (suite.path / "r.md").stat().st_size < 5_000
    assert FILE not in suite.files()
