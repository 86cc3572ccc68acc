"""Scores in half precision rank as the same numbers do in a wider type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

from sklearn_rank import evaluate, ranking_precision_recall_curve, ranking_roc_curve
from sklearn_rank.evaluation.evaluate import _count_scores
from sklearn_rank.rankings import ranking

MEASURES = ("map", "ndcg", "mrr", "gauc")


def negative_levels(n_items: int) -> tuple[np.ndarray, np.ndarray]:
    """A few relevant items among many whose scores are five negative neighbours."""
    rng = np.random.default_rng(5)
    scores = (-0.6025 + 5e-4 * rng.integers(0, 5, (1, n_items))).astype(np.float16)
    assert len(np.unique(scores.astype(np.float32))) == 5
    return (rng.random((1, n_items)) < 0.005).astype(int), scores


@pytest.mark.parametrize("ties", ["average", "optimistic", "pessimistic", "stable"])
@pytest.mark.parametrize("n_items", [4096, 1 << 17])
@pytest.mark.parametrize("by_search", [False, True])
def test_half_precision_ranks_as_single_precision_does(
    ties: str, n_items: int, by_search: bool
) -> None:
    grades, scores = negative_levels(n_items)
    with mock.patch.object(ranking, "_are_few", return_value=by_search):
        half, single = (
            evaluate(grades, values, MEASURES, ties=ties)
            for values in (scores, scores.astype(np.float32))
        )
    assert half.scores == single.scores


@pytest.mark.parametrize("n_items", [4096, 1 << 17])
def test_numbers_in_half_precision_are_never_sorted(n_items: int) -> None:
    # NumPy sorts them wrongly, but on some processors alone, where the test above would see it.
    grades, scores = negative_levels(n_items)
    with (
        mock.patch.object(np, "sort", wraps=np.sort) as sort,
        mock.patch.object(ranking, "_are_few", return_value=True),
        mock.patch.object(ranking, "_is_cheaper_to_count", return_value=False),
    ):
        evaluate(grades, scores, MEASURES)
    assert {call.args[0].dtype for call in sort.call_args_list} == {np.dtype("float32")}


@pytest.mark.parametrize("curve", [ranking_roc_curve, ranking_precision_recall_curve])
def test_curves_of_all_items_sort_no_half_precision(curve: Callable[..., Any]) -> None:
    grades, scores = negative_levels(1 << 16)
    with mock.patch.object(np, "unique", wraps=np.unique) as unique:
        half = curve(grades, scores)
    assert np.dtype("float16") not in {
        np.asarray(call.args[0]).dtype for call in unique.call_args_list
    }
    single = curve(grades, scores.astype(np.float32))
    for values, expected in zip(half, single, strict=True):
        np.testing.assert_array_equal(values, expected)


def test_half_precision_is_never_closer_than_single_precision_tells() -> None:
    sides = negative_levels(1 << 16)
    with mock.patch.object(np, "unique", wraps=np.unique) as unique:
        assert not _count_scores("close", *sides, 1)
    assert {call.args[0].dtype for call in unique.call_args_list} == {np.dtype("float32")}
