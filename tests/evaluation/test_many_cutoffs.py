"""A hundred cutoffs in one call: memory that does not grow with their number."""

from __future__ import annotations

import tracemalloc

import numpy as np

from sklearn_rank import evaluate


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
    for measure in measures:
        alone = evaluate(grades, scores, measure).per_query[measure]
        assert values[measure].tolist() == alone.tolist()
