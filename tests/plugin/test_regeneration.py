"""No switch that regenerates lowers a baseline; they write what is missing, raise and refresh."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import Suite, said

GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""
ATTRIBUTE = """
    from cases import system

    def test_bm25(rank_regression):
        rank_regression.force_regen = True
        rank_regression.check(*system(), metrics="mrr")
"""
FLAKY = ATTRIBUTE.replace(
    "    def test_bm25", "    import pytest\n\n    @pytest.mark.flaky(reruns=1)\n    def test_bm25"
)
FILE = "test_it/test_bm25.rank.json"
SWITCHES = ["--rank-update", "--force-regen", "--regen-all"]
# Half of the queries fall from rank 2 to rank 3, or rise to rank 1.
WORSE, BETTER = [2] * 15 + [3] * 15, [2] * 15 + [1] * 15


def value(suite: Suite, name: str = "mrr") -> float:
    return float(json.loads(suite.baselines()[FILE])["metrics"][name]["value"])


@pytest.fixture
def recorded(suite: Suite) -> Suite:
    """A suite whose only gate has a baseline of 1/2."""
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    return suite


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_drop_stays_red_and_is_not_recorded(switch: str, recorded: Suite) -> None:
    recorded.system(WORSE)
    before = recorded.baselines()
    recorded.run(switch).assert_outcomes(failed=1)
    assert recorded.baselines() == before


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_missing_baseline_is_written(switch: str, suite: Suite) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run(switch).assert_outcomes(passed=1)
    assert value(suite) == 0.5


@pytest.mark.parametrize("switch", SWITCHES)
def test_an_improvement_is_recorded(switch: str, recorded: Suite) -> None:
    recorded.system(BETTER)
    recorded.run(switch).assert_outcomes(passed=1)
    assert value(recorded) == 0.75


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_new_query_is_recorded(switch: str, recorded: Suite) -> None:
    recorded.system([2] * 31)
    recorded.run(switch).assert_outcomes(passed=1)
    assert len(json.loads(recorded.baselines()[FILE])["queries"]) == 31


def test_the_attribute_writes_raises_and_never_lowers(suite: Suite) -> None:
    suite.write(test_it=ATTRIBUTE)
    suite.system([2] * 30)
    suite.run().assert_outcomes(passed=1)
    assert value(suite) == 0.5
    suite.system(BETTER)
    suite.run().assert_outcomes(passed=1)
    assert value(suite) == 0.75
    suite.system([2] * 30)
    suite.run().assert_outcomes(failed=1)
    assert value(suite) == 0.75


@pytest.mark.parametrize("ci", ["", "true"])
def test_a_second_try_does_not_pass_by_what_the_first_wrote(
    ci: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pytest_rerunfailures")
    suite.write(test_it=FLAKY)
    suite.system([2] * 30)
    suite.run("--rank-update", "-p", "no:rerunfailures", "-W", "ignore").assert_outcomes(passed=1)
    suite.system(WORSE)
    monkeypatch.setenv("CI", ci)
    assert suite.run().ret == pytest.ExitCode.TESTS_FAILED
    assert value(suite) == 0.5


def test_what_the_first_of_two_tries_wrote_in_ci_is_red(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second try finds the baseline and passes; that of the first is not forgotten."""
    pytest.importorskip("pytest_rerunfailures")
    suite.write(
        test_it="""
            import pytest
            from cases import system

            tries = []

            @pytest.mark.flaky(reruns=1)
            def test_bm25(rank_regression):
                rank_regression.force_regen = not tries
                tries.append(1)
                rank_regression.check(*system(), metrics="mrr")
                assert len(tries) == 2
        """
    )
    suite.system([2] * 30)
    monkeypatch.setenv("CI", "true")
    result = suite.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "baselines were written in continuous integration" in said(result)


def test_the_attribute_does_not_write_to_the_directory_of_the_target_branch(suite: Suite) -> None:
    suite.write(test_it=ATTRIBUTE)
    suite.system([2] * 30)
    (suite.path / "base").mkdir()
    result = suite.run("--rank-baseline-dir=base")
    result.assert_outcomes(failed=1)
    assert "force_regen does not write to --rank-baseline-dir" in said(result)
    assert not suite.baselines()


TWO_MEASURES = GATE.replace("max_drop=", 'metrics="recall@2", max_drop=')


def test_an_update_lowers_no_measure_that_is_only_recorded(suite: Suite) -> None:
    # Reciprocal rank rises for 20 queries, while recall@2 falls for the other 10.
    suite.write(test_it=TWO_MEASURES)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([1] * 20 + [3] * 10)
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert value(suite) == 0.5
    assert "not recorded: recall@2 1.0000 -> 0.6667" in said(result)
    suite.run("--rank-accept", "*bm25*", "--rank-reason", "wanted").assert_outcomes(passed=1)
    assert value(suite, "recall@2") == pytest.approx(2 / 3, abs=2e-6)


SLICES = GATE.replace(
    "max_drop=", 'slices=lambda q: "a" if q < "q016" else "b", max_slice_drop=0.2, max_drop='
)


def test_an_update_lowers_no_slice_that_has_a_limit(suite: Suite) -> None:
    # Slice a rises from 1/2 to 1, slice b falls from 1/2 to 1/3: less than its limit.
    suite.write(test_it=SLICES)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([1] * 15 + [3] * 15)
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert value(suite) == 0.5
    assert "not recorded: slice b mrr -0.1667" in said(result)


def test_slices_that_moved_are_refreshed(suite: Suite) -> None:
    suite.write(test_it=SLICES)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=SLICES.replace("q016", "q015"))
    suite.run().assert_outcomes(failed=1)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)


def test_no_baseline_is_written_beside_which_no_drop_could_fail(suite: Suite) -> None:
    suite.write(test_it=GATE.replace("0.005", "0.6"))
    suite.system([2] * 30)
    result = suite.run("--rank-update")
    result.assert_outcomes(failed=1)
    assert "max_drop of mrr is 0.6 and the baseline 0.5000: no value could fail" in said(result)
    assert not suite.baselines()


def test_an_update_beside_a_failing_floor_says_that_it_wrote_nothing(suite: Suite) -> None:
    suite.write(test_it=FLOOR)
    suite.system([2] * 30)
    told = "note on test_bm25: the baseline was not written, because the gate fails"
    result = suite.run("--rank-update")
    assert result.ret == 1
    assert told in said(result)
    assert not suite.baselines()
    suite.write(test_it=FLOOR.replace("0.9", "0.1"))
    assert suite.run("--rank-update").ret == 0
    before = suite.baselines()
    suite.write(test_it=FLOOR)
    suite.system([1] * 5 + [2] * 25)
    for options in (("--rank-update",), ("--rank-accept=*", "--rank-reason=better")):
        assert told in said(suite.run(*options))
    assert told not in said(suite.run())
    assert suite.baselines() == before


FLOOR = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), at_least={"mrr": 0.9}, max_drop={"mrr": 0.005})
"""
