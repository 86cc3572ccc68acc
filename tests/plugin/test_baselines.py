"""Baseline files: when they are written, moved and lowered, and what they hold."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.plugin.conftest import Suite, said
from tests.plugin.one_gate import BETTER, FILE, WORSE, value


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


def test_an_update_writes_the_missing_baseline(gate: Suite) -> None:
    result = gate.run("--rank-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*baselines written: 1 new*"])
    (content,) = gate.baselines().values()
    assert content.endswith(b"}\n")
    assert b"\r" not in content
    content.decode("utf-8")
    result = gate.run()
    result.assert_outcomes(passed=1)
    assert result.ret == 0


def test_two_updates_write_the_same_bytes(recorded: Suite) -> None:
    before = recorded.baselines()
    shutil.rmtree(recorded.path / "test_it")
    recorded.run("--rank-update").assert_outcomes(passed=1)
    assert recorded.baselines() == before


def test_a_baseline_is_readable_and_holds_ranks_and_no_machine(recorded: Suite) -> None:
    text = recorded.baselines()[FILE].decode()
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
    assert str(recorded.path) not in text


def test_an_improvement_moves_the_baseline_only_by_an_update(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(BETTER)
    recorded.run().assert_outcomes(passed=1)
    assert recorded.baselines() == before
    result = recorded.run("--rank-update")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*baselines written: *1 raised*"])
    assert value(recorded) == 0.75


def test_an_update_does_not_lower(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    result = recorded.run("--rank-update")
    result.assert_outcomes(failed=1)
    assert result.ret == 1
    assert recorded.baselines() == before


def test_an_update_does_not_take_a_gain_of_one_measure_for_a_loss_of_another(
    suite: Suite,
) -> None:
    suite.write(
        test_it="""
        from cases import system

        def test_bm25(rank_gate):
            rank_gate.check(*system(), max_drop={"mrr": 0.3, "recall@5": 0.3})
        """
    )
    suite.system([2] * 30)
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    # mrr rises to (20 + 0) / 30, recall@5 falls to 20 / 30.
    suite.system([1] * 20 + [6] * 10)
    suite.run("--rank-update")
    assert suite.baselines() == before


def test_a_lower_baseline_needs_a_reason(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    for arguments in (
        ("--rank-accept", "*bm25*"),
        ("--rank-accept", "*bm25*", "--rank-reason", ""),
        ("--rank-accept", "*bm25*", "--rank-reason", "  "),
    ):
        result = recorded.run(*arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "--rank-reason" in said(result)
        assert recorded.baselines() == before


def test_a_drop_is_accepted_with_its_reason(recorded: Suite) -> None:
    recorded.system(WORSE)
    result = recorded.run("--rank-accept", "*bm25*", "--rank-reason", "qrels v3")
    result.assert_outcomes(passed=1)
    # (15 / 3 + 15 / 2) / 30 = 0.4167
    result.stdout.fnmatch_lines(
        [
            "*baselines written: *1 LOWERED*",
            "*LOWERED test_it/test_bm25.rank.json *mrr 0.5000 -> 0.4167 *(reason: qrels v3)*",
        ]
    )
    (accepted,) = json.loads(recorded.baselines()[FILE])["accepted"]
    assert accepted["reason"] == "qrels v3"
    assert accepted["mrr"] == [0.5, pytest.approx(0.416667, abs=2e-6)]
    recorded.run().assert_outcomes(passed=1)


def test_a_drop_is_not_accepted_for_a_gate_of_another_name(recorded: Suite) -> None:
    before = recorded.baselines()
    recorded.system(WORSE)
    result = recorded.run("--rank-accept", "*dense*", "--rank-reason", "qrels v3")
    result.assert_outcomes(failed=1)
    assert recorded.baselines() == before


def test_a_reason_without_anything_to_accept_is_a_mistake(recorded: Suite) -> None:
    assert recorded.run("--rank-reason", "x").ret == pytest.ExitCode.USAGE_ERROR
