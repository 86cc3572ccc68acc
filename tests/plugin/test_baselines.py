"""Baseline files: when they are written, moved and lowered, and what they hold."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import BETTER, FILE, GATE, WORSE, value


@pytest.mark.parametrize("more", [(), ("--reruns", "1")], ids=["alone", "second try"])
def test_a_missing_baseline_fails_and_is_not_written(more: tuple[str, ...], gate: Suite) -> None:
    before = gate.files()
    result = gate.run(*more)
    assert result.ret == 1
    assert "1 failed" in said(result)
    result.stdout.fnmatch_lines(
        [
            "E *no baseline for gate 'test_bm25' (test_it/test_bm25.rank.json); "
            "mrr is 0.5000 now - write it with: pytest *--rank-update*"
        ]
    )
    assert gate.files() == before
    assert gate.run(*more).ret == 1


def test_an_update_writes_a_readable_file_of_ranks_and_no_machine(gate: Suite) -> None:
    result = gate.run("--rank-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*baselines written: 1 new*"])
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


def test_a_baseline_moves_only_by_an_update_and_only_upwards(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    recorded.fails(arguments=("--rank-update",))
    assert recorded.baselines() == before
    recorded.system(BETTER)
    recorded.passes()
    assert recorded.baselines() == before
    assert "1 raised" in recorded.passes("--rank-update")
    assert value(recorded) == 0.75


def test_an_update_does_not_take_a_gain_of_one_measure_for_a_loss_of_another(suite: Suite) -> None:
    suite.write(test_it=GATE.replace('{"mrr": 0.005}', '{"mrr": 0.3, "recall@5": 0.3}'))
    before = suite.record([2] * 30)
    # mrr rises to (20 + 0) / 30, recall@5 falls to 20 / 30.
    suite.system([1] * 20 + [6] * 10)
    suite.run("--rank-update")
    assert suite.baselines() == before


def test_a_drop_is_accepted_with_its_reason_and_for_the_gate_that_is_named(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    name = ("--rank-accept", "*bm25*")
    for arguments in (name, (*name, "--rank-reason", "  "), ("--rank-reason", "x")):
        result = recorded.run(*arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "--rank-reason" in said(result)
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
