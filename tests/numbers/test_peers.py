"""Agreement with other programs on random nasty problems, to 1e-9.

Where another program counts differently on purpose, the problems or the parameters keep to what
both define: pytrec_eval keeps scores as float32 (those of the problems are multiples of 1/8 below
125), takes grades that are integers, ends ids at a NUL, can end the process where a query has
negative grades alone, and squares the beta of set_F (compared at 1). ir_measures counts judged
queries without a ranking 0, breaks ties of RR@k by rising id where RR does by falling id, and has a
Perl script for ERR. scikit-learn refuses nDCG of a single document, and has no AUC of one class.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from ir_measures import AP, RR, P, R, SetF, SetP, SetR, Success, nDCG
from ir_measures.providers.msmarco_provider import MsMarcoProvider
from ir_measures.providers.pytrec_eval_provider import PytrecEvalProvider
from sklearn.metrics import dcg_score, ndcg_score, roc_auc_score

from sklearn_rank import (
    dcg_at_k_score,
    evaluate,
    measure,
    ndcg_at_k_score,
    ranking_auc_score,
)
from tests.strategies import NASTY_IDS, Problem, nasty_problem

PROBLEMS = 160
TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}

CUTOFFS = (1, 2, 3, 5, 10, 20, 100)


@cache
def nasty(seed: int) -> Problem:
    return nasty_problem(seed)


def test_the_problems_are_nasty() -> None:
    """What the comparison speaks about does occur, more than once."""
    seen = dict.fromkeys(
        ("missing", "empty", "negative", "unjudged", "missed", "none", "all", "single", "tied"), 0
    )
    for seed in range(PROBLEMS):
        problem = nasty(seed)
        for query, truth in problem.y_true.items():
            scores = problem.y_score.get(query)
            if scores is None:
                seen["missing"] += 1
                continue
            grades = [truth.get(item, 0) for item in scores]
            seen["empty"] += not scores
            seen["negative"] += min(truth.values()) < 0
            seen["unjudged"] += any(item not in truth for item in scores)
            seen["missed"] += any(g > 0 for item, g in truth.items() if item not in scores)
            seen["none"] += max(truth.values()) <= 0
            seen["all"] += bool(grades) and min(grades) > 0
            seen["single"] += len(scores) == 1
            seen["tied"] += len(set(scores.values())) < len(scores)
    assert min(seen.values()) >= 10, seen


# trec_eval, through pytrec_eval -----------------------------------------------------------------

TREC_EVAL = {
    "map": "map",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "set_P": "precision",
    "set_recall": "recall",
    "set_F": "fbeta",
    **{f"map_cut_{k}": f"map@{k}" for k in CUTOFFS},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in CUTOFFS},
    **{f"P_{k}": f"precision@{k}" for k in CUTOFFS},
    **{f"recall_{k}": f"recall@{k}" for k in CUTOFFS},
    **{f"success_{k}": f"hit_rate@{k}" for k in CUTOFFS},
}
_CUT = ",".join(map(str, CUTOFFS))
TREC_EVAL_REQUEST = {"map", "recip_rank", "ndcg", "set_P", "set_recall", "set_F"} | {
    f"{name}.{_CUT}" for name in ("map_cut", "ndcg_cut", "P", "recall", "success")
}


@pytest.mark.parametrize("start", range(0, PROBLEMS, 40))
def test_trec_eval(start: int) -> None:
    for seed in range(start, start + 40):
        y_true, y_score = nasty(seed).mapping
        expected = pytrec_eval.RelevanceEvaluator(y_true, TREC_EVAL_REQUEST).evaluate(y_score)
        found = evaluate(y_true, y_score, tuple(TREC_EVAL.values()), convention="pytrec_eval")
        assert list(found.query_ids) == [query for query in y_true if query in y_score]
        assert set(found.query_ids) == set(expected)
        for theirs, ours in TREC_EVAL.items():
            wanted = [expected[query][theirs] for query in found.query_ids]
            values = np.nan_to_num(found.per_query[ours], nan=0.0)
            np.testing.assert_allclose(values, wanted, err_msg=f"{theirs}, {seed}", **TOLERANCE)
            assert found[ours] == pytest.approx(math.fsum(wanted) / len(wanted), abs=1e-9)


# ir_measures ------------------------------------------------------------------------------------

IR_MEASURES: dict[Any, str] = {
    AP: "map",
    nDCG: "ndcg",
    RR: "mrr",
    SetP: "precision",
    SetR: "recall",
    SetF: "fbeta",
    **{AP @ k: f"map@{k}" for k in (1, 5, 100)},
    **{nDCG @ k: f"ndcg@{k}" for k in (1, 5, 100)},
    **{P @ k: f"precision@{k}" for k in (1, 5, 100)},
    **{R @ k: f"recall@{k}" for k in (1, 5, 100)},
    **{Success @ k: f"hit_rate@{k}" for k in (1, 5, 100)},
    AP(rel=2): "map(min_rel=2)",
    AP(rel=2) @ 5: "map(min_rel=2)@5",
    RR(rel=3): "mrr(min_rel=3)",
    P(rel=2) @ 5: "precision(min_rel=2)@5",
    R(rel=2) @ 5: "recall(min_rel=2)@5",
    Success(rel=3) @ 5: "hit_rate(min_rel=3)@5",
}


@pytest.mark.parametrize("start", range(0, PROBLEMS, 40))
def test_ir_measures(start: int) -> None:
    provider = PytrecEvalProvider()
    provider.initialize()
    for seed in range(start, start + 40):
        y_true, y_score = nasty(seed).mapping
        found = evaluate(
            y_true,
            y_score,
            tuple(IR_MEASURES.values()),
            convention="pytrec_eval",
            missing="zero",
        )
        place = {query: number for number, query in enumerate(found.query_ids)}
        assert set(place) == set(y_true)
        compared = 0
        for theirs in provider.iter_calc(list(IR_MEASURES), y_true, y_score):
            ours = IR_MEASURES[theirs.measure]
            value = float(np.nan_to_num(found.per_query[ours][place[theirs.query_id]], nan=0.0))
            assert value == pytest.approx(theirs.value, abs=1e-9), (theirs, seed)
            compared += 1
        assert compared == len(IR_MEASURES) * len(y_true)
        means = provider.calc_aggregate(list(IR_MEASURES), y_true, y_score)
        for theirs, ours in IR_MEASURES.items():
            assert found[ours] == pytest.approx(means[theirs], abs=1e-9), (theirs, seed)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_ir_measures_rr_with_a_cutoff_where_nothing_is_tied(k: int) -> None:
    provider = MsMarcoProvider()
    provider.initialize()
    for seed in range(100):
        problem = nasty_problem(seed, negative=False, missing=False, empty=False)
        y_true, y_score = problem.mapping
        rng = np.random.default_rng(seed)
        untied = {
            query: dict(zip(scores, rng.permutation(len(scores)).tolist(), strict=True))
            for query, scores in y_score.items()
        }
        found = evaluate(y_true, untied, f"mrr@{k}", convention="trec_eval")
        means = provider.calc_aggregate([RR @ k], y_true, untied)
        assert found[f"mrr@{k}"] == pytest.approx(means[RR @ k], abs=1e-9)


@pytest.mark.parametrize("theirs", [AP @ 5, nDCG @ 10, P @ 5, AP(rel=2) @ 100, RR, R @ 10], ids=str)
def test_ir_measures_spellings_ask_for_the_same(theirs: Any) -> None:
    y_true, y_score = nasty(1).mapping
    found = evaluate(y_true, y_score, str(theirs), convention="pytrec_eval", missing="zero")
    expected = ir_measures.calc_aggregate([theirs], y_true, y_score)[theirs]
    assert found[str(theirs)] == pytest.approx(expected, abs=1e-9)


# scikit-learn -----------------------------------------------------------------------------------


def random_matrix(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Grades and scores; some rows without a relevant item, with many ties, or all alike."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(1, 6)), int(rng.integers(2, 30))
    chance = rng.choice([0.0, 0.1, 0.5, 1.0], size=(shape[0], 1), p=[0.1, 0.4, 0.4, 0.1])
    grades = rng.integers(1, 5, shape) * (rng.random(shape) < chance)
    levels = int(rng.choice([1, 2, 5, 1000]))
    return grades.astype(float), rng.integers(-levels, levels, shape) * 1.25


@pytest.mark.parametrize("k", [1, 2, 5, 10, 50, None])
def test_scikit_learn_ndcg_and_dcg_average_ties(k: int | None) -> None:
    for seed in range(PROBLEMS):
        grades, scores = random_matrix(seed)
        names = measure("ndcg", k), measure("dcg", k)
        found = evaluate(grades, scores, names, convention="sklearn")
        assert found[names[0]] == pytest.approx(ndcg_score(grades, scores, k=k), abs=1e-9)
        assert found[names[1]] == pytest.approx(dcg_score(grades, scores, k=k), rel=1e-9, abs=1e-9)


def test_scikit_learn_ndcg_and_dcg_with_weights_and_without_ties() -> None:
    for seed in range(100):
        grades, _ = random_matrix(seed)
        rng = np.random.default_rng(seed)
        scores = rng.permuted(np.tile(np.arange(grades.shape[1]), (len(grades), 1)), axis=1)
        weights = rng.integers(1, 5, len(grades))
        own = {"gain": "linear", "zero_division": 0.0, "sample_weight": weights, "k": 5}
        theirs = {"sample_weight": weights, "k": 5, "ignore_ties": True}
        assert ndcg_at_k_score(grades, scores, **own) == pytest.approx(
            ndcg_score(grades, scores, **theirs), abs=1e-9
        )
        assert dcg_at_k_score(grades, scores, **own) == pytest.approx(
            dcg_score(grades, scores, **theirs), rel=1e-9, abs=1e-9
        )


def test_scikit_learn_auc_of_each_query_and_of_all_together() -> None:
    compared = 0
    for seed in range(PROBLEMS):
        grades, scores = random_matrix(seed)
        relevant = grades > 0
        values = evaluate(grades, scores, "gauc", zero_division=np.nan).per_query["gauc"]
        for query, value in enumerate(values):
            if len(set(relevant[query])) < 2:
                assert math.isnan(value)
                continue
            expected = roc_auc_score(relevant[query], scores[query])
            assert value == pytest.approx(expected, abs=1e-9)
            compared += 1
        if len(set(relevant.ravel())) == 2:
            pooled = ranking_auc_score(grades, scores, average="pooled")
            expected = roc_auc_score(relevant.ravel(), scores.ravel())
            assert pooled == pytest.approx(expected, abs=1e-9)
    assert compared >= 300


# The differences, shown -------------------------------------------------------------------------


def reciprocal_rank_by_trec_eval(truth: dict[str, int], scores: dict[str, float]) -> float:
    evaluator = pytrec_eval.RelevanceEvaluator({"q": truth}, {"recip_rank"})
    return float(evaluator.evaluate({"q": scores})["q"]["recip_rank"])


def test_pytrec_eval_ties_what_float32_cannot_tell_apart() -> None:
    truth, scores = {"a": 1}, {"a": 1 + 1e-10, "b": 1.0}
    assert reciprocal_rank_by_trec_eval(truth, scores) == 1 / 2
    assert evaluate({"q": truth}, {"q": scores}, "mrr", convention="trec_eval")["mrr"] == 1.0


def test_pytrec_eval_leaves_out_queries_without_a_ranking() -> None:
    y_true, y_score = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}
    evaluator = pytrec_eval.RelevanceEvaluator(y_true, {"map"})
    assert list(evaluator.evaluate(y_score)) == ["q1"]
    assert evaluate(y_true, y_score, "map", convention="trec_eval")["map"] == 1.0
    assert evaluate(y_true, y_score, "map", convention="trec_eval", missing="zero")["map"] == 1 / 2


def test_ir_measures_breaks_ties_of_rr_in_two_ways() -> None:
    y_true, y_score = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    theirs = ir_measures.calc_aggregate([RR, RR @ 10], y_true, y_score)
    assert theirs[RR] == pytest.approx(1 / 3)
    assert theirs[RR @ 10] == 1.0
    ours = evaluate(y_true, y_score, ("mrr", "mrr@10"), convention="trec_eval")
    assert ours["mrr"] == ours["mrr@10"] == pytest.approx(1 / 3)
    averaged = evaluate(y_true, y_score, ("mrr", "mrr@10"))
    assert averaged["mrr"] == averaged["mrr@10"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_scikit_learn_refuses_the_ndcg_of_one_document() -> None:
    with pytest.raises(ValueError, match="Computing NDCG is only meaningful when there is more"):
        ndcg_score([[1]], [[1]])
    assert ndcg_at_k_score(np.array([[1]]), np.array([[1]])) == 1.0


def test_scikit_learn_negates_unsigned_scores() -> None:
    """-1 wraps to 255 in uint8, so that the best document comes last there."""
    grades, scores = np.array([[1, 0, 0]]), np.array([[255, 1, 0]], dtype=np.uint8)
    theirs = ndcg_score(grades, scores)
    assert ndcg_at_k_score(grades, scores) == 1.0 == ndcg_score(grades, scores.astype(float))
    assert theirs in (1.0, pytest.approx(1 / math.log2(3)))  # the wrong one up to 1.9


def test_every_nasty_id_survives() -> None:
    y_true = {query: {query: 1} for query in NASTY_IDS}
    y_score = {query: {item: 1.0 + (item == query) for item in NASTY_IDS} for query in NASTY_IDS}
    assert evaluate(y_true, y_score, "mrr", convention="trec_eval")["mrr"] == 1.0
    theirs = pytrec_eval.RelevanceEvaluator(y_true, {"recip_rank"}).evaluate(y_score)
    assert {query: value["recip_rank"] for query, value in theirs.items()} == dict.fromkeys(
        NASTY_IDS, 1.0
    )
