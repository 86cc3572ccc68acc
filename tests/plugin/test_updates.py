"""No switch that regenerates lowers a baseline; none is used by accident, or judged by itself."""

import json
import shutil

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


SLICES = GATE.replace(
    "max_drop=", 'slices=lambda q: "a" if q < "q016" else "b", max_slice_drop=0.2, max_drop='
)
LOWER = {
    # LAG is rank - 1. It rises by 1/30, less than its limit.
    "lag": (
        GATE.replace('{"mrr": 0.005}', '{"lag": 0.1}'),
        [2] * 29 + [3],
        "lag 1.0000 -> 1.0333",
    ),
    # Reciprocal rank rises for 20 queries, while recall@2, only recorded, falls for the other 10.
    "recall@2": (
        GATE.replace("max_drop=", 'metrics="recall@2", max_drop='),
        [1] * 20 + [3] * 10,
        "recall@2 1.0000 -> 0.6667",
    ),
    # Slice a rises from 1/2 to 1, slice b falls from 1/2 to 1/3: less than its limit.
    "mrr": (SLICES, [1] * 15 + [3] * 15, "slice b mrr -0.1667"),
}


@pytest.mark.parametrize("measure", LOWER)
def test_an_update_lowers_no_measure_and_no_slice(measure, suite):
    gate, ranks, told = LOWER[measure]
    record(suite, gate)
    before = suite.baselines()
    suite.run("--rank-update", now=ranks, passed=1, says=f"not recorded: {told}")
    assert suite.baselines() == before
    was = value(suite, measure=measure)
    suite.run(*ACCEPT, passed=1)
    assert value(suite, measure=measure) != was


def test_slices_that_moved_are_refreshed(suite):
    record(suite, SLICES)
    suite.write(test_it=SLICES.replace("q016", "q015"))
    suite.run(failed=1)
    suite.record()
    suite.passes()


def test_no_baseline_is_written_beside_which_no_drop_could_fail(gate):
    gate.write(test_it=GATE.replace("0.005", "0.6"))
    told = "max_drop of mrr is 0.6 and the baseline 0.5000: no value could fail"
    gate.run("--rank-update", failed=1, says=told)
    assert not gate.baselines()


def test_an_update_beside_a_failing_floor_says_that_it_wrote_nothing(gate):
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
        gate.run(*options, ret=1, says=told)
    assert told not in said(gate.run())
    assert gate.baselines() == before


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
@pytest.mark.parametrize("option", [("--rank-update",), ACCEPT, ("--regen-all",)], ids=" ".join)
def test_an_update_goes_with_no_second_try_and_no_workers(option, more, gate):
    if more == "ini":
        gate.file("pytest.ini", "[pytest]\nreruns = 1\n")
    result = gate.run(*option, *([] if more == "ini" else [more]), ret=4)
    assert ("-n" if more == "-n2" else "--reruns") in said(result)
    assert not gate.baselines()


@pytest.mark.parametrize("reason", ["\u200b", "\udcff", " - "], ids=["no width", "no text", "dash"])
def test_a_reason_that_says_nothing_is_refused(reason, recorded):
    before = recorded.baselines()
    told = "--rank-accept lowers baselines and needs --rank-reason=TEXT"
    recorded.run("--rank-accept=*", f"--rank-reason={reason}", now=WORSE, ret=4, says=told)
    assert recorded.baselines() == before


def test_a_pattern_that_accepts_nothing_is_told(recorded):
    told = ["ERROR: *no gate that ran is called '[*]bm26[*]'"]
    recorded.run("--rank-accept=*bm26*", "--rank-reason=why", ret=1, passed=1, lines=told)


def test_an_update_on_ci_is_red(gate, monkeypatch):
    monkeypatch.setenv("CI", "true")
    gate.run("--rank-update", ret=1, passed=1)
    # An update that has nothing to write is an ordinary run.
    assert gate.run("--rank-update").ret == 0
    gate.system([3] * 30)
    assert gate.run(*ACCEPT).ret == 1


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
                rank_regression.check(*system(), metrics="mrr")
                assert len(tries) == 2
        """
    )
    suite.system([2] * 30)
    monkeypatch.setenv("CI", "true")
    suite.run(ret=1, says="baselines were written in continuous integration")


@pytest.mark.parametrize(
    ("then", "now"), [('ties="average"', 'ties="optimistic"'), ("", 'convention="trec_eval"')]
)
def test_another_tie_rule_does_not_fit_the_baseline(then, now, suite):
    # Two equal scores: the relevant item stands 1.5th on average and first at best.
    tied = """
        from cases import names, truth

        def test_bm25(rank_gate):
            tied = {{query: {{"good": 1.0, "bad": 1.0, "worse": 0.5}} for query in names(30)}}
            rank_gate.check(truth(30), tied, max_drop={{"mrr": 0.005}}, {rule})
    """
    record(suite, tied.format(rule=then))
    suite.write(test_it=tied.format(rule=now))
    suite.run(failed=1, lines=["E *ties*"])


# What a baseline holds, and when it is lowered ----------------------------------------------------


def test_an_update_writes_a_readable_file_of_ranks_and_no_machine(gate):
    gate.run("--rank-update", passed=1, lines=["*baselines written: 1 new*"])
    before = gate.baselines()
    (content,) = before.values()
    assert content.endswith(b"}\n")
    assert b"\r" not in content
    text = content.decode("utf-8")
    baseline = json.loads(text)
    assert baseline["format"] == "rank-baseline/1"
    assert baseline["gate"] == "test_it.py::test_bm25"
    assert baseline["metrics"]["mrr"]["value"] == 0.5
    assert baseline["metrics"]["mrr"]["queries"] == 30
    assert list(baseline["queries"]) == sorted(baseline["queries"])
    query = baseline["queries"]["q007"]
    assert (query["mrr"], query["ranks"], query["n"]) == (0.5, {"good": 2}, 10)
    # One query per line, and nothing that changes from one machine or day to the next.
    assert sum('"q0' in line for line in text.splitlines()) == 30
    assert str(gate.path) not in text
    gate.passes()
    shutil.rmtree(gate.path / "test_it")
    assert gate.record() == before


def test_a_drop_is_accepted_with_its_reason_and_for_the_gate_that_is_named(recorded):
    before = recorded.baselines()
    recorded.system(WORSE)
    name = ("--rank-accept", "*bm25*")
    for arguments in (name, (*name, "--rank-reason", "  "), ("--rank-reason", "x")):
        recorded.run(*arguments, ret=4, says="--rank-reason")
    recorded.fails(arguments=("--rank-accept", "*dense*", "--rank-reason", "qrels v3"))
    assert recorded.baselines() == before
    text = recorded.passes(*name, "--rank-reason", "qrels v3")
    # (15 / 3 + 15 / 2) / 30 = 0.4167
    assert "1 LOWERED" in text
    (line,) = [line for line in text.splitlines() if line.strip().startswith("LOWERED test_it")]
    assert "mrr 0.5000 -> 0.4167" in line
    assert line.endswith("(reason: qrels v3)")
    (accepted,) = json.loads(recorded.baselines()[FILE])["accepted"]
    assert accepted["reason"] == "qrels v3"
    assert accepted["mrr"] == [0.5, pytest.approx(0.416667, abs=2e-6)]
    recorded.passes()
