"""Blocks of queries: cut for the measures that share them, and gone before the next one."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

from sklearn_rank import evaluate
from sklearn_rank.evaluation import compute as _compute
from sklearn_rank.support import segments as _segments

MEASURES = ("map", "ndcg@3", "mrr", "dcg@5", "hmean(precision@2,recall@2)")


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Weak references to the blocks that are cut, each of one or two queries."""
    monkeypatch.setattr(_segments, "BLOCK", 10)
    cut, blocks = _compute._cut, []

    def cut_and_remember(*args: Any) -> Any:
        block = cut(*args)
        blocks.append(weakref.ref(block.rankings))
        return block

    monkeypatch.setattr(_compute, "_cut", cut_and_remember)
    return blocks


def problem(n_queries: int = 12) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, (n_queries, 8)), rng.integers(0, 5, (n_queries, 8))


def test_all_measures_of_a_call_read_the_same_block(cuts, monkeypatch):
    values, read = _compute._values, []

    def values_of(measure: Any, rankings: Any, negatives: Any) -> Any:
        read.append([reference() is rankings for reference in cuts])
        return values(measure, rankings, negatives)

    monkeypatch.setattr(_compute, "_values", values_of)
    evaluate(*problem(), MEASURES)
    n_formulas = len(MEASURES) + 1  # the harmonic mean has two
    assert len(cuts) > 5
    assert len(read) == n_formulas * len(cuts)
    assert all(sum(block) == 1 and block[-1] for block in read)


def test_a_block_is_gone_before_the_next_one_is_cut(cuts, monkeypatch):
    cut, alive = _compute._cut, []

    def cut_and_count(*args: Any) -> Any:
        alive.append(sum(reference() is not None for reference in cuts))
        return cut(*args)

    monkeypatch.setattr(_compute, "_cut", cut_and_count)
    evaluation = evaluate(*problem(), MEASURES)
    assert len(alive) > 5
    assert set(alive) == {0}
    assert not any(reference() for reference in cuts)
    # The whole holds what was counted, and nothing of what the blocks worked out.
    assert not {"groups", "levels", "_within", "max_grade"} & vars(evaluation.rankings).keys()


def test_blocks_lie_end_to_end(monkeypatch):
    monkeypatch.setattr(_segments, "BLOCK", 10)
    y_true, y_score = problem(30)
    rankings = evaluate(y_true, y_score, "mrr").rankings
    blocks = rankings.blocks()
    assert len(blocks) > 5
    assert [block.start for block in blocks[1:]] == [block.stop for block in blocks[:-1]]
    assert (blocks[0].start, blocks[-1].stop) == (0, 30)
    parts = [rankings.part(block) for block in blocks]
    for name in ("query_ids", "above", "tied", "grades", "n_ranked", "n_hits", "judged_grades"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(joined, getattr(rankings, name))
