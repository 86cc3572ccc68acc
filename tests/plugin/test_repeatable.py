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
        # Without where objects lay and how long it took.
        text = re.sub(r"in \d+\.\d+s|at 0x[0-9a-f]+|=+", "", said(result))
        told.append((text, (suite.path / "report.json").read_text()))
    assert told[0] == told[1]


def test_the_order_of_queries_changes_no_number(suite: Suite) -> None:
    gate = """
        from cases import system

        def test_bm25(rank_gate):
            truth, results = system()
            rank_gate.check({truth}, {results}, max_drop={{"mrr": 0.005}})
    """
    suite.write(test_it=gate.format(truth="truth", results="results"))
    before = suite.record([1, 2, 3] * 20)
    mixed = "dict(sorted(results.items(), key=lambda pair: hash(pair[0])))"
    suite.write(test_it=gate.format(truth="dict(reversed(truth.items()))", results=mixed))
    suite.passes()
    (suite.path / "test_it/test_bm25.rank.json").unlink()
    assert suite.record() == before
