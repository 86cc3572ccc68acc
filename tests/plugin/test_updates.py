"""No switch that regenerates lowers a baseline; none is used by accident, or judged by itself."""

import json

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import BETTER, FILE, WORSE, value

ATTRIBUTE = """
    import pytest
    from cases import system

    def test_bm25(rank_regression):
        rank_regression.force_regen = True
        rank_regression.check(*system(), measures="mrr")
"""
SWITCHES = ["--rank-update", "--force-regen", "--regen-all"]
ACCEPT = ("--rank-accept=*bm25*",)


def record(suite: Suite, text: str) -> None:
    suite.write(test_it=text)
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_writes_raises_refreshes_and_lowers_nothing(switch, gate):
    gate.run(switch).assert_outcomes(passed=1)
    assert value(gate) == 0.5
    before = gate.baselines()
    gate.run(switch, now=WORSE, failed=1)
    assert gate.baselines() == before
    gate.run(switch, now=BETTER, passed=1)
    assert value(gate) == 0.75
    gate.run(switch, now=[*BETTER, 1], passed=1)
    assert len(json.loads(gate.baselines()[FILE])["queries"]) == 31


def test_the_attribute_writes_raises_and_never_lowers(suite):
    suite.write(test_it=ATTRIBUTE)
    (suite.path / "base").mkdir()
    told = "force_regen does not write to --rank-baseline-dir"
    suite.run("--rank-baseline-dir=base", now=[2] * 30, failed=1, says=told)
    assert not suite.baselines()
    for ranks, passes, recorded in (([2] * 30, 1, 0.5), (BETTER, 1, 0.75), ([2] * 30, 0, 0.75)):
        suite.run(now=ranks, passed=passes, failed=1 - passes)
        assert value(suite) == recorded


# By accident -------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["addopts", "environment"])
@pytest.mark.parametrize("option", [*SWITCHES, " ".join(ACCEPT)])
def test_an_update_is_asked_for_on_the_command_line_alone(place, option, recorded, monkeypatch):
    before = recorded.baselines()
    recorded.system(WORSE)
    if place == "addopts":
        recorded.file("pytest.ini", f"[pytest]\naddopts = {option}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"{LEAN} {option}")
    recorded.run(ret=4, says="command line")
    assert recorded.baselines() == before


@pytest.mark.parametrize("more", ["--reruns=1", "-n2", "ini"])
@pytest.mark.parametrize("option", [("--rank-update",), ACCEPT], ids=" ".join)
def test_an_update_goes_with_no_second_try_and_no_workers(option, more, gate):
    if more == "ini":
        gate.file("pytest.ini", "[pytest]\nreruns = 1\n")
    result = gate.run(*option, *([] if more == "ini" else [more]), ret=4)
    assert ("-n" if more == "-n2" else "--reruns") in said(result)
    assert not gate.baselines()


def test_a_pattern_that_accepts_nothing_is_told(recorded):
    told = ["ERROR: *no gate that ran is called '[*]bm26[*]'; those that ran: 'test_bm25'"]
    recorded.run("--rank-accept=*bm26*", ret=1, passed=1, lines=told)


@pytest.mark.parametrize("ci", ["", "true"])
def test_a_second_try_does_not_pass_by_what_the_first_wrote(ci, suite, monkeypatch):
    record(suite, ATTRIBUTE)
    mark = "@pytest.mark.flaky(reruns=1)\n    def test_bm25"
    suite.write(test_it=ATTRIBUTE.replace("def test_bm25", mark))
    suite.system(WORSE)
    monkeypatch.setenv("CI", ci)
    assert suite.run().ret == pytest.ExitCode.TESTS_FAILED
    assert value(suite) == 0.5


def test_what_the_first_of_two_tries_wrote_in_ci_is_red(suite, monkeypatch):
    """The second try finds the baseline and passes; that of the first is not forgotten."""
    suite.write(
        test_it="""
            import pytest
            from cases import system

            tries = []

            @pytest.mark.flaky(reruns=1)
            def test_bm25(rank_regression):
                rank_regression.force_regen = not tries
                tries.append(1)
                rank_regression.check(*system(), measures="mrr")
                assert len(tries) == 2
        """
    )
    suite.system([2] * 30)
    monkeypatch.setenv("CI", "true")
    suite.run(ret=1, says="baselines were written in continuous integration")
