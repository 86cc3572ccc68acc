"""Areas under the curve of lists that were cut, and -inf where a program masks by it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from sklearn_rank import evaluate, group_auc_score
from sklearn_rank.exceptions import RankingDataWarning

# Of each of ten users one of two relevant items is among the three that were kept.
TRUTH = [{"a", "z"}] * 10
CUT = [["a", "x", "y"]] * 10


def test_areas_of_cut_lists_warn_once() -> None:
    with pytest.warns(RankingDataWarning, match=r"end after 3 items .*'gauc', 'auc'") as caught:
        ev = evaluate(TRUTH, CUT, ["gauc", "map", "auc", "lag"])
    assert len(caught) == 1
    assert "n_negatives=" in str(caught[0].message)
    assert ev["gauc"] == (1 + 0) / 2
    with pytest.warns(RankingDataWarning):
        group_auc_score(TRUTH, CUT)
    with pytest.warns(RankingDataWarning):
        evaluate(TRUTH, CUT, "hmean(gauc,map)")


@pytest.mark.parametrize(
    ("y_true", "y_score", "measure"),
    [
        (TRUTH, CUT, "map"),
        (TRUTH, CUT, "gauc(n_negatives=100)"),
        (TRUTH, CUT, "gauc(unretrieved=ignore)"),
        (TRUTH[:9], CUT[:9], "gauc"),
        (TRUTH, [["a", "x"], *CUT[1:]], "gauc"),
        ([{"a"}] * 10, CUT, "gauc"),
    ],
)
def test_what_is_not_cut_or_says_how_many_does_not(y_true: Any, y_score: Any, measure: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate(y_true, y_score, measure)


def test_warprec_leaves_out_what_is_scored_minus_infinity() -> None:
    grades = np.array([[1, 0, 0, 0, 0]])
    scores = np.array([[0.5, 0.9, 0.1, -np.inf, -np.inf]])
    given = np.isfinite(scores)
    masked = evaluate(grades, scores, ["gauc", "mrr"], candidates=given, convention="warprec")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = evaluate(grades, scores, ["gauc", "mrr"], convention="warprec")
    assert dict(told.scores) == dict(masked.scores)
    # With smoothing 1: (irrelevant items not above + 1) / (irrelevant items + 1).
    assert told["gauc"] == pytest.approx((1 + 1) / (2 + 1), rel=1e-15)
