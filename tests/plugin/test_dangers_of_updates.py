"""Dangers of updates: asked for by accident, seen by nobody, judged by what they wrote."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import LEAN, Suite, said

GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""


def test_an_update_on_ci_is_red(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    result = suite.run("--rank-update")
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    # An update that has nothing to write is an ordinary run.
    assert suite.run("--rank-update").ret == 0
    suite.system([3] * 30)
    assert suite.run("--rank-accept", "*", "--rank-reason", "x").ret == 1


@pytest.mark.parametrize("place", ["addopts", "environment"])
@pytest.mark.parametrize("option", ["--rank-update", "--rank-accept=* --rank-reason=x"])
def test_an_update_is_asked_for_on_the_command_line_alone(
    place: str, option: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    if place == "addopts":
        suite.file("pytest.ini", f"[pytest]\naddopts = {option}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"{LEAN} {option}")
    result = suite.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "command line" in said(result)
    assert not suite.baselines()


@pytest.mark.parametrize("more", [("--reruns", "1"), ("-n", "2")], ids=" ".join)
@pytest.mark.parametrize(
    "option", [("--rank-update",), ("--rank-accept", "*", "--rank-reason", "x")], ids=" ".join
)
def test_an_update_goes_with_no_second_try_and_no_workers(
    option: tuple[str, ...], more: tuple[str, ...], suite: Suite
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    result = suite.run(*option, *more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert more[0] in said(result)
    assert not suite.baselines()


def test_an_update_goes_with_no_second_try_of_the_settings_either(suite: Suite) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.file("pytest.ini", "[pytest]\nreruns = 1\n")
    result = suite.run("--rank-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not suite.baselines()


@pytest.mark.parametrize("option", ["--regen-all", "--force-regen"])
@pytest.mark.parametrize("place", ["addopts", "environment"])
def test_an_update_of_the_whole_family_that_nobody_typed_lowers_nothing(
    place: str, option: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    suite.system([3] * 30)
    if place == "addopts":
        suite.file("pytest.ini", f"[pytest]\naddopts = {option}\n")
    else:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"{LEAN} {option}")
    assert suite.run().ret != 0
    assert suite.baselines() == before


@pytest.mark.parametrize("more", [("--reruns", "1"), ("-n", "2")], ids=" ".join)
@pytest.mark.parametrize("option", ["--regen-all", "--force-regen"])
def test_an_update_of_the_whole_family_is_not_judged_by_what_it_wrote(
    option: str, more: tuple[str, ...], suite: Suite
) -> None:
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    suite.system([3] * 30)
    assert suite.run(option, *more).ret != 0
    assert suite.baselines() == before


def test_other_weights_do_not_fit_the_baseline(suite: Suite) -> None:
    # Weighing the queries that have become worse with 0 would leave nothing to complain of.
    suite.write(test_it=GATE)
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(
        test_it="""
        from cases import names, system

        def test_bm25(rank_gate):
            weights = {query: float(query > "q010") for query in names(30)}
            rank_gate.check(*system(), max_drop={"mrr": 0.005}, sample_weight=weights)
        """
    )
    suite.system([9] * 10 + [2] * 20)
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *weight*"])


@pytest.mark.parametrize(
    ("then", "now"),
    [('ties="average"', 'ties="optimistic"'), ("", 'convention="trec_eval"')],
)
def test_another_tie_rule_does_not_fit_the_baseline(then: str, now: str, suite: Suite) -> None:
    # Two equal scores: the relevant item stands 1.5th on average and first at best.
    tied = """
        from cases import names, truth

        def test_bm25(rank_gate):
            tied = {{query: {{"good": 1.0, "bad": 1.0, "worse": 0.5}} for query in names(30)}}
            rank_gate.check(truth(30), tied, max_drop={{"mrr": 0.005}}, {rule})
    """
    suite.write(test_it=tied.format(rule=then))
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.write(test_it=tied.format(rule=now))
    result = suite.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *ties*"])
