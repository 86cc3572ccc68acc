"""Measures as custom metrics of LightGBM and XGBoost."""

import copy
import pickle
from typing import Any

import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

from sklearn_rank import (
    booster_eval_metric,
    evaluate,
    get_scorer,
    mean_average_precision_score,
    ndcg_scorer,
    neg_lag_scorer,
)
from sklearn_rank.exceptions import (
    InvalidParameterError,
    RankingConfigError,
    UndefinedMetricError,
    UndefinedMetricWarning,
)
from sklearn_rank.rankers import eval_metrics

MEASURES = ("map", "ndcg@5", "err", "lag", "hit_rate@1", "ndcg(gain=linear)@3")


def problem(seed: int, n_queries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of few values, so that predictions tie; grades 0 to 3; sizes of queries."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 12, n_queries)
    X = rng.integers(0, 4, size=(sizes.sum(), 3)).astype(float)
    y = np.clip(np.round(X[:, 0] + rng.normal(size=len(X)) - 1), 0, 3)
    y[np.cumsum(sizes) - 1] = 1  # no query without a relevant item
    return X, y, sizes


X, Y, SIZES = problem(0, 60)
X_HELD, Y_HELD, SIZES_HELD = problem(1, 40)
QID, QID_HELD = (np.repeat(np.arange(len(sizes)), sizes) for sizes in (SIZES, SIZES_HELD))
QUIET = {"objective": "lambdarank", "metric": "None", "verbose": -1, "num_threads": 1}
ONLY_OURS = {"objective": "rank:ndcg", "disable_default_eval_metric": 1, "nthread": 1}


def lightgbm_sets() -> tuple[lgb.Dataset, lgb.Dataset]:
    data = lgb.Dataset(X, Y, group=SIZES)
    return data, lgb.Dataset(X_HELD, Y_HELD, group=SIZES_HELD, reference=data)


def watched_by_lightgbm(feval: Any, trees: int = 8, **params: Any) -> tuple[Any, dict[str, Any]]:
    noted: dict[str, Any] = {}
    data, held_out = lightgbm_sets()
    callbacks = [lgb.record_evaluation(noted)]
    model = lgb.train(
        {**QUIET, **params}, data, trees, [held_out], feval=feval, callbacks=callbacks
    )
    return model, noted["valid_0"]


def watched_by_xgboost(metric: Any, trees: int = 8, **keywords: Any) -> tuple[Any, dict[str, Any]]:
    noted: dict[str, Any] = {}
    held_out = xgb.DMatrix(X_HELD, Y_HELD, qid=QID_HELD)
    model = xgb.train(
        ONLY_OURS,
        xgb.DMatrix(X, Y, qid=QID),
        trees,
        evals=[(held_out, "held_out")],
        custom_metric=metric,
        evals_result=noted,
        verbose_eval=False,
        **keywords,
    )
    return model, noted["held_out"]


def held_out_values(scores: np.ndarray) -> dict[str, float]:
    evaluation = evaluate(Y_HELD, scores, MEASURES, groups=QID_HELD)
    return {name: evaluation[name] for name in MEASURES}


# Values of each tree -----------------------------------------------------------------------------


def test_lightgbm_notes_the_values_of_evaluate():
    model, noted = watched_by_lightgbm(booster_eval_metric(*MEASURES))
    assert list(noted) == list(MEASURES)
    for tree in range(8):
        values = held_out_values(model.predict(X_HELD, num_iteration=tree + 1))
        assert {name: noted[name][tree] for name in MEASURES} == pytest.approx(values, abs=1e-12)


def test_xgboost_is_told_the_values_of_evaluate():
    told: list[list[tuple[str, float]]] = []
    metric = booster_eval_metric(*MEASURES)

    def listening(predictions: Any, data: Any) -> Any:
        told.append(metric(predictions, data))
        return told[-1]

    model, noted = watched_by_xgboost(listening)
    held_out = xgb.DMatrix(X_HELD)
    for tree, values in enumerate(told):
        expected = held_out_values(model.predict(held_out, iteration_range=(0, tree + 1)))
        assert dict(values) == pytest.approx(expected, abs=1e-12)
        # XGBoost itself keeps what it prints: six decimals.
        assert {name: noted[name][tree] for name in MEASURES} == pytest.approx(expected, abs=1e-6)


def told(metric: Any, grades: Any, scores: Any, sizes: Any = None, weights: Any = None) -> Any:
    """What a metric of LightGBM says of some rows; one query unless there are sizes."""
    sizes = [len(grades)] if sizes is None else sizes
    weights = None if weights is None else np.array(weights, float)
    return metric(np.array(grades), np.array(scores, float), weights, np.array(sizes))


def test_directions_are_those_that_the_libraries_expect():
    # Relevant last of two: AP = 1/2, and one irrelevant item stands above it.
    metric = booster_eval_metric("map", "lag")
    assert told(metric, [1, 0], [0.1, 0.2]) == [("map", 1 / 2, True), ("lag", 1.0, False)]
    assert booster_eval_metric(neg_lag_scorer).names == ("lag",)


@pytest.mark.parametrize("with_group", [True, False])
def test_the_scikit_learn_door_of_lightgbm(with_group):
    kind = lgb.LGBMRanker if with_group else lgb.LGBMRegressor
    model = kind(n_estimators=3, metric="None", verbose=-1, n_jobs=1)
    keywords: dict[str, Any] = {"eval_metric": booster_eval_metric("map"), "eval_set": [(X, Y)]}
    if "eval_X" in kind.fit.__code__.co_varnames:
        keywords |= {"eval_X": X, "eval_y": Y}
        del keywords["eval_set"]
    if not with_group:
        with pytest.raises(RankingConfigError, match="the data set has no queries: pass group="):
            model.fit(X, Y, **keywords)
        return
    model.fit(X, Y, group=SIZES, eval_group=[SIZES], **keywords)
    (noted,) = model.evals_result_.values()
    expected = mean_average_precision_score(Y, model.predict(X), groups=QID)
    assert noted["map"][-1] == pytest.approx(expected, abs=1e-12)


def test_options_of_scorers_count():
    scorer = get_scorer("map", ties="pessimistic")
    metric = booster_eval_metric(scorer, "mrr", "precision@1")
    # A tie of one relevant and one irrelevant item: last of two; on average at 1 or 2; one in two.
    assert told(metric, [0, 1], [0.5, 0.5]) == [
        ("map", 1 / 2, True),
        ("mrr", (1 + 1 / 2) / 2, True),
        ("precision@1", 1 / 2, True),
    ]


def test_weights_of_rows_count_by_the_mean_of_their_query():
    metric = booster_eval_metric("map")
    # APs are 1 and 1/2; the queries weigh (1 + 3) / 2 = 2 and (1 + 0) / 2 = 1/2.
    ((_, value, _),) = told(metric, [1, 0, 0, 1], [2, 1, 2, 1], [2, 2], [1, 3, 1, 0])
    assert value == pytest.approx((2 * 1 + 0.5 * 0.5) / 2.5, abs=1e-15)
    # Queries of two rows and one, and an empty one: APs are 1/2 and 1, weights (1 + 2) / 2 and 3.
    for sizes in ([2, 0, 1], [2, 1, 0]):
        ((_, value, _),) = told(metric, [0, 1, 1], [3, 2, 1], sizes, [1, 2, 3])
        assert value == pytest.approx((1.5 * 0.5 + 3 * 1) / 4.5, abs=1e-15)
    scores = np.array([2.0, 1.0, 2.0, 1.0])
    data = xgb.DMatrix(scores[:, None], [1, 0, 0, 1], qid=[0, 0, 1, 1], weight=[3.0, 1.0])
    assert booster_eval_metric("map")(scores, data) == [("map", (3 * 1 + 0.5) / 4)]


# Undefined queries -------------------------------------------------------------------------------


def test_undefined_queries_are_left_out_with_one_warning_a_data_set():
    metric, grades = booster_eval_metric("map", "ndcg@2"), np.array([1, 0, 0, 0])
    sizes = np.array([2, 2])
    with pytest.warns(UndefinedMetricWarning, match="map and ndcg@2 are undefined for 1 of 2") as w:
        assert metric(grades, np.array([2.0, 1, 1, 2]), None, sizes)[0] == ("map", 1.0, True)
    assert len(w) == 1
    second = metric(grades, np.array([1.0, 2, 1, 2]), None, sizes)  # warns no more
    assert second[0] == ("map", 1 / 2, True)
    settled = booster_eval_metric(get_scorer("map", zero_division=0.0))
    assert told(settled, grades, [2, 1, 1, 2], [2, 2]) == [("map", 1 / 2, True)]
    # It is said of all measures, whatever their ties.
    mixed = booster_eval_metric(get_scorer("map", ties="pessimistic", zero_division=0.0), "mrr")
    with pytest.warns(UndefinedMetricWarning, match="^mrr is undefined for 1 of 2 queries"):
        told(mixed, grades, np.zeros(4), [2, 2])


@pytest.mark.parametrize(
    ("message", "grades", "scores", "sizes"),
    [
        ("map is undefined for all queries of an eval", np.zeros(2), [1, 2], [2]),
        ("predictions contains NaN", np.ones(2), [1, np.nan], [2]),
        (r"negative grade \(-1.0\) at row 3", [1.0, 0, 0, -1], np.zeros(4), [2, 2]),
        (r"predictions should be a 1d array, got .* \(3, 2\)", np.ones(3), np.zeros((3, 2)), [3]),
        (r"y_true should be a 1d array, got .* \(3, 1\)", np.ones((3, 1)), np.zeros(3), [3]),
    ],
)
def test_a_data_set_that_cannot_be_measured_ends_the_training(message, grades, scores, sizes):
    with pytest.raises((UndefinedMetricError, ValueError), match=message):
        told(booster_eval_metric("map"), grades, scores, sizes)


# The truth is read once --------------------------------------------------------------------------


def test_data_sets_are_read_once_and_found_by_their_values():
    metric = booster_eval_metric(*MEASURES)
    watched_by_lightgbm(metric)
    (data,) = metric._data_sets
    watched_by_lightgbm(metric)
    assert metric._data_sets == [data]
    watched_by_xgboost(metric)  # which has the same labels, and 32-bit floats
    grades, group, scores = np.array([1, 0]), np.array([2]), np.array([2.0, 1.0])
    assert metric(grades, scores, None, group)[0][1] == 1.0
    grades[:] = [0, 1]
    assert metric(grades, scores, None, group)[0][1] == 1 / 2
    assert metric(grades, scores, np.array([1.0, 1.0]), group)[0][1] == 1 / 2
    assert metric._data_sets[3] is data
    for number in range(eval_metrics.MAX_KEPT):
        told(metric, [1 + number, 0], [2, 1])
    assert len(metric._data_sets) == eval_metrics.MAX_KEPT
    assert data not in metric._data_sets


def test_metrics_are_stored_without_data():
    metric = booster_eval_metric("map", ndcg_scorer.with_options(k=3))
    empty = len(pickle.dumps(metric))
    metric(np.arange(1000) % 2, np.arange(1000.0), None, np.array([1000]))
    assert len(pickle.dumps(metric)) == empty
    for copied in (pickle.loads(pickle.dumps(metric)), copy.deepcopy(metric)):
        assert copied.names == ("map", "ndcg@3")
        assert told(copied, [1, 0], [1, 2]) == told(metric, [1, 0], [1, 2])


# Early stopping ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "told", "needed"),
    [("mrr", None, True), ("err", None, True), ("map", False, True), ("lag", True, False)],
)
def test_xgboost_may_not_keep_the_worst(name, told, needed):
    with pytest.raises(
        RankingConfigError, match=f"keep the worst '{name}': pass maximize={needed}"
    ):
        watched_by_xgboost(booster_eval_metric(name), early_stopping_rounds=5, maximize=told)


@pytest.mark.parametrize("name", ["map", "ndcg@5", "precision@3", "auc", "lag"])
def test_what_xgboost_guesses_right_needs_no_word(name):
    metric = booster_eval_metric(get_scorer(name, zero_division=0.0))
    model, _ = watched_by_xgboost(metric, 30, early_stopping_rounds=3)
    assert model.best_iteration >= 0


def test_callbacks_that_watch_another_metric_are_left_alone():
    stopping = xgb.callback.EarlyStopping(rounds=3, metric_name="map")
    watched_by_xgboost(booster_eval_metric("map", "mrr"), callbacks=[stopping])
    with pytest.raises(RankingConfigError, match="keep the worst 'mrr'"):
        watched_by_xgboost(
            booster_eval_metric("map", "mrr"), callbacks=[xgb.callback.EarlyStopping(rounds=3)]
        )


# Refused -----------------------------------------------------------------------------------------


def of_xgb_ranker():
    ranker = xgb.XGBRanker(n_estimators=2, eval_metric=booster_eval_metric("map"), n_jobs=1)
    ranker.fit(X, Y, qid=QID, eval_set=[(X, Y)], eval_qid=[QID])


REFUSED = {
    "the data set has no queries: .* use QueryRanker": of_xgb_ranker,
    "the data set has no queries": lambda: booster_eval_metric("map")(Y, xgb.DMatrix(X, Y)),
    "needs at least one measure": booster_eval_metric,
    "and none twice, got .'ndcg@10', 'ndcg@10'": (
        lambda: booster_eval_metric("ndcg@10", "nDCG@10")
    ),
    "takes str, Measure and scorers, got NoneType: None": lambda: booster_eval_metric(None),
    "ties='docid'.* reads labels or item ids": (
        lambda: booster_eval_metric(get_scorer("map", convention="trec_eval"))
    ),
    "pos_label=2.* reads labels": lambda: booster_eval_metric(get_scorer("map", pos_label=2)),
    "relevance=.* reads labels": (
        lambda: booster_eval_metric(get_scorer("map", relevance={0: 0, 1: 3}))
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_watched_is_refused(message):
    with pytest.raises((RankingConfigError, InvalidParameterError, TypeError), match=message):
        REFUSED[message]()


def test_names_fit_into_the_lines_of_xgboost():
    (name,) = booster_eval_metric("hmean(ndcg, map)@3").names
    assert not set(name) & set(" :\t")
    _, noted = watched_by_xgboost(booster_eval_metric("hmean(ndcg, map)@3"), 2)
    assert list(noted) == [name]
