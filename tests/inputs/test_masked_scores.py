"""Cells of a matrix that are scored -inf, and measures that count them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sklearn_rank import evaluate, group_auc_score, lag_error
from sklearn_rank.exceptions import RankingDataWarning

GRADES = np.array([[1, 0, 0, 0]])
SCORES = np.array([[0.5, 0.9, -np.inf, -np.inf]])


def test_measures_that_count_every_irrelevant_item_warn_once() -> None:
    with pytest.warns(RankingDataWarning, match="counts as an irrelevant item") as caught:
        ev = evaluate(GRADES, SCORES, ["gauc", "map", "lag", "lauc@2", "auc"])
    assert len(caught) == 1
    assert "'gauc', 'lag', 'lauc@2', 'auc'" in str(caught[0].message)
    assert "candidates=" in str(caught[0].message)
    assert ev["gauc"] == pytest.approx(2 / 3)


def test_functions_warn_too() -> None:
    for function in (group_auc_score, lag_error):
        with pytest.warns(RankingDataWarning):
            function(GRADES, SCORES)


def test_harmonic_means_of_such_measures_warn() -> None:
    with pytest.warns(RankingDataWarning):
        evaluate(GRADES, SCORES, "hmean(gauc,map)")


@pytest.mark.parametrize("measures", [["map", "mrr", "ndcg@10"], ["gauc"]])
def test_what_says_which_are_candidates_does_not(measures: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RankingDataWarning)
        kept = None if "gauc" not in measures else np.isfinite(SCORES)
        ev = evaluate(GRADES, SCORES, measures, candidates=kept)
    if kept is not None:
        assert ev["gauc"] == 0.0
