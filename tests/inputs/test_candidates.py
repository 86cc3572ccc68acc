"""Cells of a matrix that cannot be recommended are neither ranked nor irrelevant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import evaluate, group_auc_score
from sklearn_rank.exceptions import RankingDataWarning

MEASURES = ("map", "ndcg@2", "recall@2", "mrr", "lag", "auc", "gauc", "lauc@3", "err", "precision")
#                  relevant: item 0          item 3, and item 1, which is no candidate
GRADES = np.array([[1, 0, 0, 0], [0, 2, 0, 1]])
SCORES = np.array([[0.5, 0.9, 0.1, 0.7], [0.3, 0.8, 0.6, 0.4]])
CELLS = np.array([[True, True, False, False], [True, False, True, True]])


def values(y_true: Any, y_score: Any, **options: Any) -> dict[str, float]:
    return dict(evaluate(y_true, y_score, MEASURES, zero_division=np.nan, **options).scores)


def as_mapping(grades: np.ndarray, scores: np.ndarray, cells: np.ndarray) -> tuple[Any, Any]:
    """The same problem as {query: {item: x}}, which has only what is ranked."""
    truth = {q: {i: int(g) for i, g in enumerate(row)} for q, row in enumerate(grades)}
    ranking = {
        q: {i: float(s) for i, s in enumerate(row) if cells[q, i]} for q, row in enumerate(scores)
    }
    return truth, ranking


def test_what_is_no_candidate_is_not_ranked() -> None:
    ev = evaluate(GRADES, SCORES, ("mrr", "gauc", "recall"), candidates=CELLS)
    # Query 0 ranks items 1, 0; query 1 ranks 2, 3, 0 and never retrieves item 1.
    assert ev.per_query["mrr"].tolist() == [1 / 2, 1 / 2]
    assert ev.per_query["gauc"].tolist() == [0.0, (1 / 2 + 0) / 2]
    assert ev.per_query["recall"].tolist() == [1.0, 1 / 2]
    assert ev.counts["ranked"] == 2 + 3
    assert (ev.counts["relevant"], ev.counts["retrieved"]) == (3, 2)


def test_an_infinite_score_is_one_while_a_masked_one_is_none() -> None:
    grades, scores = np.array([[1, 0, 0, 0]]), np.array([[0.5, 0.9, 0.0, 0.0]])
    cells = np.array([[True, True, False, False]])
    assert evaluate(grades, scores, "gauc", candidates=cells)["gauc"] == 0.0


@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
@pytest.mark.parametrize("truth", ["dense", "sparse"])
@pytest.mark.parametrize("given", ["dense", "sparse", "masked", "half masked"])
@pytest.mark.parametrize("seed", range(5))
def test_candidates_agree_with_mappings_of_what_is_ranked(
    ties: Any, truth: str, given: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    grades, scores = rng.choice([0, 0, 0, 1, 2], (6, 9)), rng.choice(5, (6, 9)) / 4
    cells = rng.random((6, 9)) < 0.6
    cells[0] = False  # a query without a candidate has an empty ranking
    expected = values(*as_mapping(grades, scores, cells), ties=ties)
    y_true = sparse.csr_array(grades) if truth == "sparse" else grades
    scores[~cells] = np.nan  # never read
    if given == "dense":
        result = values(y_true, scores, candidates=cells, ties=ties)
    elif given == "sparse":
        result = values(y_true, scores, candidates=sparse.csr_array(cells), ties=ties)
    elif given == "masked":
        result = values(y_true, np.ma.array(scores, mask=~cells), ties=ties)
    else:
        half = np.arange(9) % 2 == 0
        masked = np.ma.array(scores, mask=~cells & half)
        result = values(y_true, masked, candidates=cells | half, ties=ties)
    assert result == expected


def test_a_pool_has_the_candidates_of_all_queries() -> None:
    ev = evaluate(GRADES, SCORES, "auc(average=pooled)", candidates=CELLS)
    # Ranked: .9 .6 .5* .4* .3, and last the relevant item that is no candidate.
    assert ev["auc(average=pooled)"] == (1 / 3 + 1 / 3 + 0) / 3


def test_all_cells_as_candidates_change_no_bit() -> None:
    assert values(GRADES, SCORES, candidates=np.ones_like(CELLS)) == values(GRADES, SCORES)


# Warnings of items that were not ranked ----------------------------------------------------------

FIRST = np.array([[1, 0, 0, 0]])
LOWEST = np.array([[0.5, 0.9, -np.inf, -np.inf]])
# Of each of ten users one of two relevant items is among the three that were kept.
TRUTH, CUT = [{"a", "z"}] * 10, [["a", "x", "y"]] * 10


def test_measures_that_count_every_irrelevant_item_warn_once() -> None:
    with pytest.warns(RankingDataWarning, match="counts as an irrelevant item") as caught:
        ev = evaluate(FIRST, LOWEST, ["gauc", "map", "lag", "lauc@2", "auc"])
    assert len(caught) == 1
    assert "'gauc', 'lag', 'lauc@2', 'auc'" in str(caught[0].message)
    assert "candidates=" in str(caught[0].message)
    assert ev["gauc"] == pytest.approx(2 / 3)
    for measure in ("lag", "hmean(gauc,map)"):
        with pytest.warns(RankingDataWarning):
            evaluate(FIRST, LOWEST, measure)


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
    ("y_true", "y_score", "measure", "options"),
    [
        (FIRST, LOWEST, ("map", "mrr", "ndcg@10"), {}),
        (FIRST, LOWEST, "gauc", {"candidates": np.isfinite(LOWEST)}),
        (TRUTH, CUT, "map", {}),
        (TRUTH, CUT, "gauc(n_negatives=100)", {}),
        (TRUTH, CUT, "gauc(unretrieved=ignore)", {}),
        (TRUTH[:9], CUT[:9], "gauc", {}),
        (TRUTH, [["a", "x"], *CUT[1:]], "gauc", {}),
        ([{"a"}] * 10, CUT, "gauc", {}),
    ],
)
def test_other_measures_and_rankings_do_not(
    y_true: Any, y_score: Any, measure: Any, options: Any
) -> None:
    evaluate(y_true, y_score, measure, **options)  # warnings are errors in these tests


def test_warprec_leaves_out_what_is_scored_minus_infinity() -> None:
    scores = np.array([[0.5, 0.9, 0.1, -np.inf, -np.inf]])
    grades, given = np.array([[1, 0, 0, 0, 0]]), np.isfinite(scores)
    masked = evaluate(grades, scores, ["gauc", "mrr"], candidates=given, convention="warprec")
    told = evaluate(grades, scores, ["gauc", "mrr"], convention="warprec")
    assert dict(told.scores) == dict(masked.scores)
    # With smoothing 1: (irrelevant items not above + 1) / (irrelevant items + 1).
    assert told["gauc"] == pytest.approx((1 + 1) / (2 + 1), rel=1e-15)
