"""What scikit-learn reports and the same by hand, for everything in it that takes ``scoring=``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables the import below
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.metrics import check_scoring, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    LearningCurveDisplay,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    ValidationCurveDisplay,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank import map_scorer, mrr_scorer
from tests.model_selection.consumer_cases import (
    ALPHAS,
    FOLDS,
    QID,
    SKLEARN,
    Case,
    Linear,
    Watched,
    X,
    Y,
    features,
    fold_by_hand,
    folds_by_hand,
    grid_by_hand,
    map_by_hand,
    nested_by_hand,
)

# Each returns what scikit-learn reports and the same by hand.
Answer = tuple[Any, Any]


def searched(search: Any) -> Answer:
    results = search.cv_results_
    found = np.transpose([results[f"split{i}_test_score"] for i in range(3)])
    return found, grid_by_hand(
        [{"alpha": next(v for k, v in one.items() if "alpha" in k)} for one in results["params"]]
    )


def grid_search(case: Case, n_jobs: int | None = None) -> Answer:
    search = GridSearchCV(
        Linear(), {"alpha": ALPHAS}, scoring=map_scorer, cv=case.cv, n_jobs=n_jobs
    )
    return searched(search.fit(case.X, case.y, **case.fit))


def grid_search_in_two_processes(case: Case) -> Answer:
    return grid_search(case, n_jobs=2)


def randomized_search(case: Case) -> Answer:
    search = RandomizedSearchCV(
        Linear(), {"alpha": ALPHAS}, n_iter=2, scoring=map_scorer, cv=case.cv, random_state=0
    )
    return searched(search.fit(case.X, case.y, **case.fit))


HALVING = {"resource": "max_iter", "max_resources": 4, "factor": 2, "random_state": 0}


def halving_grid_search(case: Case) -> Answer:
    search = HalvingGridSearchCV(
        Linear(), {"alpha": ALPHAS}, scoring=map_scorer, cv=case.cv, **HALVING
    )
    return searched(search.fit(case.X, case.y, **case.fit))


def grid_search_of_several_measures(case: Case) -> Answer:
    scoring = {"map": map_scorer, "mrr": mrr_scorer, "r2": "r2"}
    search = GridSearchCV(
        Linear(), {"alpha": ALPHAS}, scoring=scoring, refit="map", cv=case.cv
    ).fit(case.X, case.y, **case.fit)
    results = search.cv_results_
    found = [[results[f"split{i}_test_{name}"][0] for i in range(3)] for name in ("map", "r2")]
    models = [(Ridge(alpha=ALPHAS[0]).fit(X[train], Y[train]), test) for train, test in FOLDS]
    r2 = [r2_score(Y[test], model.predict(X[test])) for model, test in models]
    return found, [folds_by_hand(Ridge(alpha=ALPHAS[0])), r2]


def grid_search_under_another_name(case: Case) -> Answer:
    scorer, cv = map_scorer.set_score_request(groups="qid"), case.cv
    if case.metadata:
        cv = cv.set_split_request(groups="qid")
    search = GridSearchCV(Linear(), {"alpha": ALPHAS}, scoring=scorer, cv=cv)
    return searched(search.fit(case.X, case.y, **({"qid": QID} if case.metadata else {})))


def score_of_a_search(case: Case) -> Answer:
    search = GridSearchCV(Linear(), {"alpha": [1.0]}, scoring=map_scorer, cv=case.cv)
    search.fit(case.X, case.y, **case.fit)
    by_hand = map_by_hand(Y, Ridge().fit(X, Y).predict(X), QID)
    return [search.score(case.X, case.y, **case.fit)], [by_hand]


def pipeline_in_a_search(case: Case) -> Answer:
    model = make_pipeline(FunctionTransformer(features), Ridge())
    search = GridSearchCV(model, {"ridge__alpha": ALPHAS}, scoring=map_scorer, cv=case.cv)
    return searched(search.fit(case.X, case.y, **case.fit))


def cross_validation(case: Case) -> Answer:
    found = cross_validate(
        Linear(),
        case.X,
        case.y,
        scoring=map_scorer,
        cv=case.cv,
        return_train_score=True,
        **case.params,
    )
    train = [fold_by_hand_on_itself(train) for train, _ in FOLDS]
    return [found["test_score"], found["train_score"]], [folds_by_hand(Ridge()), train]


def fold_by_hand_on_itself(rows: np.ndarray) -> float:
    return fold_by_hand(Ridge(), rows, rows)


def nested_search(case: Case, scoring: Any = map_scorer) -> Answer:
    search = GridSearchCV(Linear(), {"alpha": ALPHAS}, scoring=map_scorer, cv=case.inner)
    found = cross_val_score(search, case.X, case.y, scoring=scoring, cv=case.cv, **case.params)
    return found, nested_by_hand(case.inner)


def nested_search_with_its_own_score(case: Case) -> Answer:
    return nested_search(case, scoring=None)


def learning_curves(case: Case) -> Answer:
    _, _, found = learning_curve(
        Linear(), case.X, case.y, train_sizes=[1.0], scoring=map_scorer, cv=case.cv, **case.params
    )
    return found, [folds_by_hand(Ridge())]


ALPHA_RANGE = {"param_name": "alpha", "param_range": ALPHAS}


def validation_curves(case: Case) -> Answer:
    _, found = validation_curve(
        Linear(), case.X, case.y, **ALPHA_RANGE, scoring=map_scorer, cv=case.cv, **case.params
    )
    return found, grid_by_hand([{"alpha": alpha} for alpha in ALPHAS])


def permutation_test(case: Case) -> Answer:
    # With routing off, groups= permutes y within queries, so that the index of y stays right.
    within = {} if case.metadata or not case.told else {"groups": QID}
    found, permuted, _ = permutation_test_score(
        Linear(),
        case.X,
        case.y,
        scoring=map_scorer,
        cv=case.cv,
        n_permutations=2,
        random_state=0,
        **case.params,
        **within,
    )
    assert ((permuted > 0) & (permuted <= 1)).all()
    return [found], [np.mean(folds_by_hand(Ridge()))]


def feature_elimination(case: Case) -> Answer:
    selector = RFECV(Linear(), min_features_to_select=2, scoring=map_scorer, cv=case.cv)
    found = selector.fit(case.X, case.y, **case.fit).cv_results_
    return [found[f"split{i}_test_score"][-1] for i in range(3)], folds_by_hand(Ridge())


def sequential_selection(case: Case) -> Answer:
    selector = SequentialFeatureSelector(
        Linear(), n_features_to_select=1, scoring=map_scorer, cv=case.cv
    ).fit(case.X, case.y, **case.fit)
    means = [np.mean(folds_by_hand(Ridge(), (column,))) for column in range(3)]
    assert len(set(means)) == 3
    return selector.get_support(), [mean == max(means) for mean in means]


def ridge_cv(case: Case) -> Answer:
    model = RidgeCV(alphas=[1.0], scoring=map_scorer, cv=case.cv)
    return [model.fit(case.X, case.y, **case.fit).best_score_], [np.mean(folds_by_hand(Ridge()))]


def ridge_cv_leaving_one_out(case: Case) -> Answer:
    model = RidgeCV(alphas=[1.0], scoring=map_scorer).fit(case.X, case.y, **case.fit)
    every = np.arange(len(Y))
    left_out = [Ridge().fit(X[every != row], Y[every != row]).predict(X[[row]])[0] for row in every]
    return [model.best_score_], [map_by_hand(Y, np.array(left_out), QID)]


def ridge_classifier_cv(case: Case) -> Answer:
    model = RidgeClassifierCV(alphas=[1.0], scoring=map_scorer, cv=case.cv)
    found = model.fit(case.X, case.y, **case.fit).best_score_
    return [found], [np.mean(folds_by_hand(RidgeClassifier()))]


def ridge_classifier_cv_leaving_one_out(case: Case) -> Answer:
    model = RidgeClassifierCV(alphas=[1.0], scoring=map_scorer)
    return [model.fit(case.X, case.y, **case.fit).best_score_], [np.nan]


def logistic_cv(case: Case) -> LogisticRegressionCV:
    kwargs = {"use_legacy_attributes": False, "l1_ratios": (0.0,)} if SKLEARN >= (1, 8) else {}
    model = LogisticRegressionCV(Cs=[1.0], scoring=map_scorer, cv=case.cv, **kwargs)
    return model.fit(case.X, case.y, **case.fit)


def logistic_regression_cv(case: Case) -> Answer:
    scores = logistic_cv(case).scores_
    scores = scores[1] if isinstance(scores, dict) else scores
    return np.ravel(scores), folds_by_hand(LogisticRegression())


def tuned_threshold(case: Case, scorer: Any = map_scorer) -> Answer:
    """Ranks by hard labels, the same for every threshold; ties count by their expectation."""
    model = TunedThresholdClassifierCV(
        LogisticRegression(),
        scoring=scorer,
        thresholds=np.array([0.4, 0.6]),
        cv=case.cv,
        store_cv_results=True,
    ).fit(case.X, case.y, **case.fit)
    expected = []
    for threshold in (0.4, 0.6):
        values = []
        for train, test in FOLDS:
            chances = LogisticRegression().fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
            values.append(map_by_hand(Y[test], chances >= threshold, QID[test]))
        expected.append(np.mean(values))
    return model.cv_results_["scores"], expected


def importance(case: Case, scorer: Any) -> Answer:
    model = Watched().fit(case.X, case.y)
    scoring = scorer if not isinstance(scorer, dict) else {**scorer, "r2": "r2"}
    result = permutation_importance(
        model, case.X, case.y, scoring=scoring, n_repeats=1, random_state=0
    )
    found = result["map"] if isinstance(scorer, dict) else result
    before, *after = (map_by_hand(Y, said, QID) for said in model.said_)
    # A column of query ids is permuted as well, which is of no interest.
    return found.importances_mean[:3], [before - one for one in after[:3]]


def importance_with_bound_ids(case: Case) -> Answer:
    return importance(case, case.bound)


def importance_without_bound_ids(case: Case) -> Answer:
    return importance(case, map_scorer)


def importance_of_several_measures(case: Case) -> Answer:
    return importance(case, {"map": case.bound})


BOOSTING = {"early_stopping": True, "max_iter": 2, "scoring": map_scorer, "random_state": 0}


def boosted_regressor(case: Case) -> Answer:
    HistGradientBoostingRegressor(**BOOSTING).fit(case.X, case.y)
    raise AssertionError("scoring without query ids")


def drawn(display: Any, case: Case, **kwargs: Any) -> Any:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    shown = display.from_estimator(Linear(), case.X, case.y, scoring=map_scorer, cv=FOLDS, **kwargs)
    assert shown.ax_.get_ylabel() == "Map scorer"
    plt.close(shown.figure_)
    return shown.test_scores


def learning_curve_display(case: Case) -> Answer:
    found = drawn(LearningCurveDisplay, case, train_sizes=[23, 24])
    return found[1], folds_by_hand(Ridge())


def validation_curve_display(case: Case) -> Answer:
    found = drawn(ValidationCurveDisplay, case, **ALPHA_RANGE)
    return found, grid_by_hand([{"alpha": alpha} for alpha in ALPHAS])


def scoring_monitor(case: Case) -> Answer:
    from sklearn.callback import ScoringMonitor

    model = LogisticRegression().set_callbacks(ScoringMonitor(scoring=map_scorer))
    model.fit(case.X, case.y)
    raise AssertionError("scoring without query ids")


def checked_scoring(case: Case) -> Answer:
    model = Linear().fit(case.X, case.y)
    found = check_scoring(model, scoring=map_scorer)(model, case.X, case.y, **case.fit)
    return [found], [map_by_hand(Y, Ridge().fit(X, Y).predict(X), QID)]
