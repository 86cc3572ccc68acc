"""Blocks of queries, and many cutoffs: what is shared and what is dropped."""

import tracemalloc
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
    cut, blocks = _compute.cut_block, []

    def cut_and_remember(*args: Any) -> Any:
        block = cut(*args)
        blocks.append(weakref.ref(block.rankings))
        return block

    monkeypatch.setattr(_compute, "cut_block", cut_and_remember)
    return blocks


def problem(n_queries: int = 12) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, (n_queries, 8)), rng.integers(0, 5, (n_queries, 8))


def test_a_block_is_gone_before_the_next_one_is_cut(cuts, monkeypatch):
    cut, alive = _compute.cut_block, []

    def cut_and_count(*args: Any) -> Any:
        alive.append(sum(reference() is not None for reference in cuts))
        return cut(*args)

    monkeypatch.setattr(_compute, "cut_block", cut_and_count)
    evaluation = evaluate(*problem(), MEASURES)
    assert len(alive) > 5
    assert set(alive) == {0}
    # The whole holds what was counted, and nothing of what the blocks worked out.
    assert not {"groups", "levels", "_within", "max_grade"} & vars(evaluation.rankings).keys()


# Many cutoffs ------------------------------------------------------------------------------------


def peak(measures: list[str]) -> int:
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 3, 100_000), rng.random(100_000, dtype=np.float32)
    groups = np.repeat(np.arange(100), 1000)
    evaluate(grades[:1000], scores[:1000], measures, groups=groups[:1000])
    tracemalloc.start()
    try:
        evaluate(grades, scores, measures, groups=groups)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_hundred_cutoffs_need_no_more_than_a_few() -> None:
    few = peak([f"ndcg@{k}" for k in range(960, 1000, 10)])
    assert peak([f"ndcg@{k}" for k in range(10, 1000, 10)]) < 1.5 * few


def test_a_cutoff_has_one_value_however_many_were_asked_for_before() -> None:
    rng = np.random.default_rng(1)
    grades, scores = rng.integers(0, 3, (9, 60)), rng.integers(0, 20, (9, 60))
    measures = [f"ndcg@{k}" for k in (*range(1, 60, 2), *range(58, 0, -2))]
    values = evaluate(grades, scores, measures).per_query
    for name in measures:
        alone = evaluate(grades, scores, name).per_query[name]
        assert values[name].tolist() == alone.tolist()
