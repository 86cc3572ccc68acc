"""Every verdict, under every way of running a suite: none changes one."""

import json
import re

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import GATE, gate_of

SUITE = """
    import json
    from pathlib import Path

    import pytest
    from cases import case, names, ranking, truth
    from pytest_rankmetrics import assert_mrr_at_least

    LATER = Path(__file__).with_name("later").exists()
    DROP = {"mrr": 0.005}

    def ranks(before, after):
        return case(after if LATER else before)

    def test_met():
        assert_mrr_at_least(*case([1, 2]), 0.75)

    def test_not_met():
        assert_mrr_at_least(*case([1, 2]), 0.76 if LATER else 0.75)

    def test_same(rank_gate):
        rank_gate.check(*ranks([2] * 30, [2] * 30), max_drop=DROP)

    def test_improved(rank_gate):
        rank_gate.check(*ranks([2] * 30, [1] * 15 + [2] * 15), max_drop=DROP)

    def test_confirmed(rank_gate):
        rank_gate.check(*ranks([2] * 60, [3] * 15 + [2] * 45), max_drop=DROP)

    def test_unconfirmed(rank_gate):
        rank_gate.check(*ranks([1] * 10 + [2] * 20, [2] * 6 + [1] * 9 + [2] * 15), max_drop=DROP)

    def test_undecided(rank_gate):
        rank_gate.check(*ranks([1] * 10 + [2] * 20, [1] * 9 + [2] * 21), max_drop=DROP)

    def test_few(rank_gate):
        rank_gate.check(*ranks([2] * 8, [2] * 7 + [3]), max_drop=DROP)

    def test_hard(rank_gate):
        rank_gate.check(*ranks([1] * 4 + [2] * 26, [0] * 2 + [1] * 2 + [2] * 26), max_drop=DROP)

    def test_stale(rank_gate):
        rank_gate.check(*ranks([2] * 30, [2] * 31), max_drop=DROP)

    def test_lag(rank_gate):
        rank_gate.check(*ranks([3] * 30, [4] * 15 + [3] * 15), max_drop={"lag": 0.1})

    def test_slice(rank_gate):
        rank_gate.check(
            *ranks([1] * 30 + [2] * 30, [2] * 7 + [1] * 23 + [1] * 2 + [2] * 28),
            max_drop={"mrr": 0.049},
            slices={query: "tail" if query < "q013" else "head" for query in names(60)},
            max_slice_drop=0.02,
        )

    def test_regression(rank_regression):
        rank_regression.check(*ranks([2] * 60, [3] * 15 + [2] * 45), metrics="mrr")

    def test_new(rank_gate):
        if not LATER:
            pytest.skip("written later")
        rank_gate.check(*case([2] * 30), max_drop=DROP)

    def test_other():
        pass
"""
VERDICTS = {
    "test_met": "pass",
    "test_not_met": "fail",
    "test_same": "pass",
    "test_improved": "improved",
    "test_confirmed": "fail",
    "test_unconfirmed": "warn",
    "test_undecided": "cannot tell",
    "test_few": "fail",
    "test_hard": "fail",
    "test_stale": "stale",
    "test_lag": "fail",
    "test_slice": "fail",
    "test_regression": "fail",
    "test_new": "fail",
}
FAILED = [name for name, verdict in VERDICTS.items() if verdict in ("fail", "stale")]


@pytest.fixture
def later(suite: Suite) -> Suite:
    """A suite whose baselines were recorded before its systems changed."""
    suite.write(test_it=SUITE)
    suite.run("--rank-update", "-q").assert_outcomes(passed=14, skipped=1)
    suite.file("later", "")
    return suite


def verdicts(suite: Suite) -> dict[str, str]:
    gates = json.loads((suite.path / "report.json").read_text())["gates"]
    found = {gate["nodeid"].partition("::")[2]: gate["verdict"] for gate in gates}
    assert len(found) == len(gates)
    return found


def failed(result: pytest.RunResult) -> set[str]:
    return set(re.findall(r"^FAILED test_it\.py::(\w+)", said(result), re.MULTILINE))


MODES = {
    "alone": (),
    "second try": ("--reruns", "1"),
    "workers and second try": ("-n", "2", "--reruns", "1"),
    "quiet": ("-q", "-q"),
    "no traceback": ("--tb=no",),
    "no capture": ("-s",),
    "strict suite": ("-c", "strict.ini"),
}
STRICT = [("-W", "error"), ("-W", "error::pytest_rankmetrics.RankGateWarning"), ("--rank-strict",)]


@pytest.mark.parametrize("mode", MODES)
def test_no_way_of_running_changes_a_verdict(mode, later):
    later.file("strict.ini", "[pytest]\nstrict = true\n")
    before = later.baselines()
    result = later.run("-rf", "--rank-json=report.json", *MODES[mode], ret=1)
    assert failed(result) == set(FAILED)
    assert verdicts(later) == VERDICTS
    assert later.baselines() == before


@pytest.mark.parametrize("strict", STRICT, ids=" ".join)
def test_where_warnings_are_errors_an_unconfirmed_drop_fails_too(strict, later):
    result = later.run("-rf", *strict)
    assert failed(result) == {*FAILED, "test_unconfirmed", "test_undecided"}


@pytest.mark.parametrize("name", ["test_confirmed", "test_new", "test_regression", "test_not_met"])
def test_a_gate_that_is_selected_alone_gets_the_same_verdict(name, later):
    later.run("-rf", "-k", name, "--rank-json=report.json", ret=1)
    assert verdicts(later) == {name: VERDICTS[name]}


def test_one_table_has_every_verdict(later):
    lines = later.run().outlines
    table = lines[next(n for n, line in enumerate(lines) if "ranking quality gates" in line) :]
    for name, word in {
        "test_met": "",
        "test_not_met": "FAIL",
        "test_improved": "improved",
        "test_confirmed": "FAIL  *regression",
        "test_unconfirmed": "warn  *not confirmed",
        "test_undecided": "CANNOT TELL  *too few queries changed",
        "test_hard": "FAIL .*hard limit",
        "test_new": "FAIL  *no baseline",
    }.items():
        (line,) = [line for line in table if line.startswith(f"test_it.py::{name} ")]
        assert re.search(word, line)
    # LAG alone is warned of.
    tally = "14 gates: 9 failed, 1 cannot tell, 4 passed (1 warning, 1 improved)"
    assert any(line.startswith(tally) for line in table), table


# The same suite says the same, whenever and wherever it runs --------------------------------------

SLICED = """
    from cases import names, system

    def test_bm25(rank_gate):
        rank_gate.check(
            *system(), at_least={{"map": 0.1}}, max_drop={{"mrr": 0.005, "ndcg@10": 0.005}},
            slices={{label: set(names(60)[start:start + 20]) for label, start in SLICES.items()}},
            max_slice_drop=0.02{more}
        )

    SLICES = {{"head": 0, "torso": 20, "tail": 40}}
"""


@pytest.mark.parametrize("more", ["", ', test="permutation"'], ids=["t", "permutation"])
def test_another_run_with_another_seed_of_hashes_says_the_same(more, suite, monkeypatch):
    suite.write(test_it=SLICED.format(more=more))
    suite.run("--rank-update", now=[1, 2, 3] * 20, passed=1)
    suite.system([1, 2, 4] * 15 + [1, 2, 3] * 5)
    told = []
    for seed in ("0", "1"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        result = suite.spawn("--rank-json=report.json", failed=1)
        # Without where objects lay and how long it took.
        text = re.sub(r"in \d+\.\d+s|at 0x[0-9a-f]+|=+", "", said(result))
        told.append((text, (suite.path / "report.json").read_text()))
    assert told[0] == told[1]


def test_the_order_of_queries_changes_no_number(suite):
    suite.write(test_it=GATE)
    before = suite.record([1, 2, 3] * 20)
    mixed = "dict(sorted(system()[1].items(), key=lambda pair: hash(pair[0])))"
    suite.write(test_it=gate_of(data=f"dict(reversed(system()[0].items())), {mixed}"))
    suite.passes()
    (suite.path / "test_it/test_bm25.rank.json").unlink()
    assert suite.record() == before
