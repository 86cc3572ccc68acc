"""No switch that regenerates lowers a baseline; none is used by accident, or judged by itself."""

from __future__ import annotations

import json

import pytest

from tests.plugin.conftest import LEAN, Suite, said
from tests.plugin.one_gate import BETTER, FILE, GATE, WORSE, value

ATTRIBUTE = """
    import pytest
    from cases import system

    def test_bm25(rank_regression):
        rank_regression.force_regen = True
        rank_regression.check(*system(), metrics="mrr")
"""
SWITCHES = ["--rank-update", "--force-regen", "--regen-all"]
ACCEPT = ("--rank-accept=*bm25*", "--rank-reason=wanted")


def record(suite: Suite, text: str) -> None:
    suite.write(test_it=text)
    suite.system([2] * 30)
    assert suite.run("--rank-update").ret == 0


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_writes_raises_refreshes_and_lowers_nothing(switch: str, gate: Suite) -> None:
    gate.run(switch).assert_outcomes(passed=1)
    assert value(gate) == 0.5
    before = gate.baselines()
    gate.system(WORSE)
    gate.run(switch).assert_outcomes(failed=1)
    assert gate.baselines() == before
    gate.system(BETTER)
    gate.run(switch).assert_outcomes(passed=1)
    assert value(gate) == 0.75
    gate.system([*BETTER, 1])
    gate.run(switch).assert_outcomes(passed=1)
    assert len(json.loads(gate.baselines()[FILE])["queries"]) == 31


def test_the_attribute_writes_raises_and_never_lowers(suite: Suite) -> None:
    suite.write(test_it=ATTRIBUTE)
    for ranks, passes, recorded in (([2] * 30, 1, 0.5), (BETTER, 1, 0.75), ([2] * 30, 0, 0.75)):
        suite.system(ranks)
        suite.run().assert_outcomes(passed=passes, failed=1 - passes)
        assert value(suite) == recorded


def test_the_attribute_does_not_write_to_the_directory_of_the_target_branch(suite: Suite) -> None:
    suite.write(test_it=ATTRIBUTE)
    suite.system([2] * 30)
    (suite.path / "base").mkdir()
    result = suite.run("--rank-baseline-dir=base")
    result.assert_outcomes(failed=1)
    assert "force_regen does not write to --rank-baseline-dir" in said(result)
    assert not suite.baselines()


def test_a_rise_of_a_measure_of_which_less_is_better_is_a_drop(suite: Suite) -> None:
    # LAG is rank - 1. It rises by 1/30, less than its limit.
    record(suite, GATE.replace('{"mrr": 0.005}', '{"lag": 0.1}'))
    before = suite.baselines()
    suite.system([2] * 29 + [3])
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert "not recorded: lag 1.0000 -> 1.0333" in said(result)
    assert suite.baselines() == before
    suite.system([1] * 9 + [2] * 21)
    assert "1 raised" in said(suite.run("--rank-update"))
    assert value(suite, measure="lag") == pytest.approx(21 / 30, abs=2e-6)


def test_an_update_lowers_no_measure_that_is_only_recorded(suite: Suite) -> None:
    # Reciprocal rank rises for 20 queries, while recall@2 falls for the other 10.
    record(suite, GATE.replace("max_drop=", 'metrics="recall@2", max_drop='))
    suite.system([1] * 20 + [3] * 10)
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert value(suite) == 0.5
    assert "not recorded: recall@2 1.0000 -> 0.6667" in said(result)
    suite.run(*ACCEPT).assert_outcomes(passed=1)
    assert value(suite, measure="recall@2") == pytest.approx(2 / 3, abs=2e-6)


SLICES = GATE.replace(
    "max_drop=", 'slices=lambda q: "a" if q < "q016" else "b", max_slice_drop=0.2, max_drop='
)


def test_an_update_lowers_no_slice_that_has_a_limit(suite: Suite) -> None:
    # Slice a rises from 1/2 to 1, slice b falls from 1/2 to 1/3: less than its limit.
    record(suite, SLICES)
    suite.system([1] * 15 + [3] * 15)
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert value(suite) == 0.5
    assert "not recorded: slice b mrr -0.1667" in said(result)


def test_slices_that_moved_are_refreshed(suite: Suite) -> None:
    record(suite, SLICES)
    suite.write(test_it=SLICES.replace("q016", "q015"))
    suite.run().assert_outcomes(failed=1)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.run().assert_outcomes(passed=1)


def test_no_baseline_is_written_beside_which_no_drop_could_fail(gate: Suite) -> None:
    gate.write(test_it=GATE.replace("0.005", "0.6"))
    result = gate.run("--rank-update")
    result.assert_outcomes(failed=1)
    assert "max_drop of mrr is 0.6 and the baseline 0.5000: no value could fail" in said(result)
    assert not gate.baselines()


def test_an_update_beside_a_failing_floor_says_that_it_wrote_nothing(gate: Suite) -> None:
    floor = GATE.replace("max_drop=", 'at_least={"mrr": 0.9}, max_drop=')
    told = "note on test_bm25: the baseline was not written, because the gate fails"
    gate.write(test_it=floor)
    assert told in said(gate.run("--rank-update"))
    assert not gate.baselines()
    record(gate, floor.replace("0.9", "0.1"))
    before = gate.baselines()
    gate.write(test_it=floor)
    gate.system([1] * 5 + [2] * 25)
    for options in (("--rank-update",), ACCEPT):
        result = gate.run(*options)
        assert result.ret == 1
        assert told in said(result)
    assert told not in said(gate.run())
    assert gate.baselines() == before


# By accident -------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["addopts", "environment"])
@pytest.mark.parametrize("option", [*SWITCHES, " ".join(ACCEPT)])
def test_an_update_is_asked_for_on_the_command_line_alone(
    place: str, option: str, recorded: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    if place == "addopts":
        recorded.file("pytest.ini", f"[pytest]\naddopts = {option}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"{LEAN} {option}")
    result = recorded.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "command line" in said(result)
    assert recorded.baselines() == before


@pytest.mark.parametrize("more", ["--reruns=1", "-n2", "ini"])
@pytest.mark.parametrize("option", [("--rank-update",), ACCEPT, ("--regen-all",)], ids=" ".join)
def test_an_update_goes_with_no_second_try_and_no_workers(
    option: tuple[str, ...], more: str, gate: Suite
) -> None:
    if more == "ini":
        gate.file("pytest.ini", "[pytest]\nreruns = 1\n")
    result = gate.run(*option, *([] if more == "ini" else [more]))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert ("-n" if more == "-n2" else "--reruns") in said(result)
    assert not gate.baselines()


@pytest.mark.parametrize("reason", ["\u200b", "\udcff", " - "], ids=["no width", "no text", "dash"])
def test_a_reason_that_says_nothing_is_refused(reason: str, recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    result = recorded.run("--rank-accept=*", f"--rank-reason={reason}")
    assert result.ret == 4
    assert "--rank-accept lowers baselines and needs --rank-reason=TEXT" in said(result)
    assert recorded.baselines() == before


def test_a_pattern_that_accepts_nothing_is_told(recorded: Suite) -> None:
    result = recorded.run("--rank-accept=*bm26*", "--rank-reason=why")
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["ERROR: *no gate that ran is called '[*]bm26[*]'"])


def test_an_update_on_ci_is_red(gate: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = gate.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    # An update that has nothing to write is an ordinary run.
    assert gate.run("--rank-update").ret == 0
    gate.system([3] * 30)
    assert gate.run(*ACCEPT).ret == 1


@pytest.mark.parametrize("ci", ["", "true"])
def test_a_second_try_does_not_pass_by_what_the_first_wrote(
    ci: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(suite, ATTRIBUTE)
    mark = "@pytest.mark.flaky(reruns=1)\n    def test_bm25"
    suite.write(test_it=ATTRIBUTE.replace("def test_bm25", mark))
    suite.system(WORSE)
    monkeypatch.setenv("CI", ci)
    assert suite.run().ret == pytest.ExitCode.TESTS_FAILED
    assert value(suite) == 0.5


def test_what_the_first_of_two_tries_wrote_in_ci_is_red(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
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
                rank_regression.check(*system(), metrics="mrr")
                assert len(tries) == 2
        """
    )
    suite.system([2] * 30)
    monkeypatch.setenv("CI", "true")
    result = suite.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "baselines were written in continuous integration" in said(result)


@pytest.mark.parametrize(
    ("then", "now"), [('ties="average"', 'ties="optimistic"'), ("", 'convention="trec_eval"')]
)
def test_another_tie_rule_does_not_fit_the_baseline(then: str, now: str, suite: Suite) -> None:
    # Two equal scores: the relevant item stands 1.5th on average and first at best.
    tied = """
        from cases import names, truth

        def test_bm25(rank_gate):
            tied = {{query: {{"good": 1.0, "bad": 1.0, "worse": 0.5}} for query in names(30)}}
            rank_gate.check(truth(30), tied, max_drop={{"mrr": 0.005}}, {rule})
    """
    record(suite, tied.format(rule=then))
    suite.write(test_it=tied.format(rule=now))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *ties*"])
