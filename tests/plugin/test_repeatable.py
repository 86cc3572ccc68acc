"""The same suite says the same, whenever and wherever it runs."""

from __future__ import annotations

import re

import pytest

from tests.plugin.conftest import Suite, said

GATE = """
    from cases import names, system

    def test_bm25(rank_gate):
        rank_gate.check(
            *system(), at_least={{"map": 0.1}}, max_drop={{"mrr": 0.005, "ndcg@10": 0.005}},
            slices={{label: set(names(60)[start:start + 20]) for label, start in SLICES.items()}},
            max_slice_drop=0.02{more}
        )

    SLICES = {{"head": 0, "torso": 20, "tail": 40}}
"""


def report(suite: Suite) -> str:
    return (suite.path / "report.json").read_text()


def message(result: pytest.RunResult) -> str:
    """What was said, without where objects lay and how long it took."""
    return re.sub(r"in \d+\.\d+s|at 0x[0-9a-f]+|=+", "", said(result))


@pytest.mark.parametrize("more", ["", ', test="permutation"'], ids=["t", "permutation"])
def test_another_run_with_another_seed_of_hashes_says_the_same(
    more: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.write(test_it=GATE.format(more=more))
    suite.system([1, 2, 3] * 20)
    suite.run("--rank-update").assert_outcomes(passed=1)
    suite.system([1, 2, 4] * 15 + [1, 2, 3] * 5)
    told = []
    for seed in ("0", "1"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        result = suite.spawn("--rank-json=report.json")
        result.assert_outcomes(failed=1)
        told.append((message(result), report(suite)))
    assert told[0] == told[1]


def test_the_order_of_queries_changes_no_number(suite: Suite) -> None:
    suite.write(
        test_it="""
        import json
        from pathlib import Path
        from cases import system

        def test_bm25(rank_gate):
            truth, results = system()
            if Path(__file__).with_name("reversed").exists():
                truth = dict(reversed(truth.items()))
                results = dict(sorted(results.items(), key=lambda pair: hash(pair[0])))
            rank_gate.check(truth, results, max_drop={"mrr": 0.005})
        """
    )
    suite.system([1, 2, 3] * 20)
    suite.run("--rank-update").assert_outcomes(passed=1)
    before = suite.baselines()
    suite.file("reversed", "")
    suite.run().assert_outcomes(passed=1)
    (suite.path / "test_it/test_bm25.rank.json").unlink()
    suite.run("--rank-update").assert_outcomes(passed=1)
    assert suite.baselines() == before
