"""Everything in scikit-learn that takes ``scoring=``, with every way of telling the query ids.

Each consumer is run in each mode: routing on with ``groups`` as metadata, and routing off with
query ids that X or y carry. The numbers it reports are compared with plain loops. Where a consumer
loses the query ids on the way, it must end in an error and never in NaN. What older versions of
scikit-learn cannot do is written where it is decided, as ``SKLEARN < (1, 8)``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401 - enables the import below
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.inspection import permutation_importance
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeCV,
)
from sklearn.metrics import r2_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    permutation_test_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank import QueryKFold, SearchStopped, map_scorer, mrr_scorer
from tests.model_selection.cases import ALPHAS, QUIET, map_by_hand, problem

SKLEARN = tuple(int(part) for part in sklearn.__version__.split(".")[:2])

X, Y, QID = problem(6)
QID = np.array([int(query[1:]) for query in QID])  # a feature to models of scikit-learn
FOLDS = list(GroupKFold(3).split(X, Y, QID))


def features(rows: Any) -> np.ndarray:
    """Rows without the column of query ids."""
    if hasattr(rows, "columns"):
        rows = rows[[name for name in rows.columns if name != "qid"]]
    return np.asarray(rows, dtype=float)


class Linear(Ridge):
    """Ridge regression that ignores a column of query ids."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(features(X), np.asarray(y), sample_weight)

    def predict(self, X):
        return super().predict(features(X))


class Watched(RegressorMixin, BaseEstimator):
    """Says the sum of the features and keeps what it said."""

    def fit(self, X, y):
        self.said_ = []
        return self

    def predict(self, X):
        self.said_.append(features(X).sum(axis=1))
        return self.said_[-1]


# By hand -----------------------------------------------------------------------------------------


def fold_by_hand(model: Any, train: Any, test: Any, columns: Any = (0, 1, 2)) -> float:
    model.fit(X[train][:, columns], Y[train])
    say = getattr(model, "decision_function", None) or model.predict
    return map_by_hand(Y[test], say(X[test][:, columns]), QID[test])


def folds_by_hand(model: Any, columns: Any = (0, 1, 2)) -> list[float]:
    return [fold_by_hand(model, train, test, list(columns)) for train, test in FOLDS]


def nested_by_hand(inner: Any) -> list[float]:
    values = []
    for train, test in FOLDS:
        splits = [
            (train[a], train[b]) for a, b in inner.split(X[train], Y[train], groups=QID[train])
        ]
        means = [
            sum(fold_by_hand(Ridge(alpha=alpha), *split) for split in splits) / len(splits)
            for alpha in ALPHAS
        ]
        best = ALPHAS[int(np.argmax(means))]
        values.append(fold_by_hand(Ridge(alpha=best), train, test))
    return values


# Modes -------------------------------------------------------------------------------------------

FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
IDS = pd.Index(QID, name="qid")
CARRIED: dict[str, tuple[Any, Any]] = {
    "index of X": (FRAME.set_index(IDS), Y),
    "index of y": (X, pd.Series(Y, index=IDS)),
    "column of X": (FRAME.assign(qid=QID), Y),
}
CARRIERS = frozenset(CARRIED)
EVERY = CARRIERS | {"metadata"}
MODES = [*sorted(EVERY), "nothing, routing on", "nothing, routing off"]


class Case:
    """One way in which query ids are told, or not told."""

    def __init__(self, mode: str) -> None:
        self.X, self.y = CARRIED.get(mode, (X, Y))
        self.told, self.metadata = mode in EVERY, mode == "metadata"
        self.routing = mode in ("metadata", "nothing, routing on")
        # Keywords of methods, and of functions.
        self.fit: dict[str, Any] = {"groups": QID} if self.metadata else {}
        self.params: dict[str, Any] = {"params": self.fit} if self.metadata else {}
        self.cv: Any = GroupKFold(3) if self.metadata else FOLDS
        self.inner: Any = GroupKFold(2) if self.metadata else QueryKFold(2) if self.told else 2


class Consumer(NamedTuple):
    """A consumer, the modes in which query ids reach the scorer, and the error of the others."""

    run: Callable[[Case], Any]
    works: frozenset[str]
    error: type[BaseException]
    left_out: str


CONSUMERS: dict[str, Consumer] = {}
ARRAYS_ONLY = frozenset({"metadata"})
"""X and y become arrays, so that nothing they carry arrives."""
NO_MODEL_OF_OURS = "column of X"
"""The estimator is scikit-learn's, which takes the column of query ids for a feature."""


def consumer(works=EVERY, error=SearchStopped, left_out=""):
    """Note a consumer, which returns what scikit-learn reports and the same by hand."""

    def note(run):
        CONSUMERS[run.__name__] = Consumer(run, frozenset(works), error, left_out)
        return run

    return note


def searched(search: Any):
    results = search.cv_results_
    alphas = [value for one in results["params"] for value in one.values()]
    found = np.transpose([results[f"split{i}_test_score"] for i in range(3)])
    return found, [folds_by_hand(Ridge(alpha=alpha)) for alpha in alphas]


@consumer()
def grid_search(case: Case):
    search = GridSearchCV(Linear(), {"alpha": ALPHAS}, scoring=map_scorer, cv=case.cv)
    return searched(search.fit(case.X, case.y, **case.fit))


@consumer()
def grid_search_of_several_measures(case: Case):
    scoring = {"map": map_scorer, "mrr": mrr_scorer, "r2": "r2"}
    search = GridSearchCV(
        Linear(), {"alpha": ALPHAS}, scoring=scoring, refit="map", cv=case.cv
    ).fit(case.X, case.y, **case.fit)
    results = search.cv_results_
    found = [[results[f"split{i}_test_{name}"][0] for i in range(3)] for name in ("map", "r2")]
    models = [(Ridge(alpha=ALPHAS[0]).fit(X[train], Y[train]), test) for train, test in FOLDS]
    r2 = [r2_score(Y[test], model.predict(X[test])) for model, test in models]
    return found, [folds_by_hand(Ridge(alpha=ALPHAS[0])), r2]


@consumer()
def grid_search_under_another_name(case: Case):
    scorer, cv = map_scorer.set_score_request(groups="qid"), case.cv
    if case.metadata:
        cv = cv.set_split_request(groups="qid")
    search = GridSearchCV(Linear(), {"alpha": ALPHAS}, scoring=scorer, cv=cv)
    return searched(search.fit(case.X, case.y, **({"qid": QID} if case.metadata else {})))


@consumer()
def pipeline_in_a_search(case: Case):
    model = make_pipeline(FunctionTransformer(features), Ridge())
    search = GridSearchCV(model, {"ridge__alpha": ALPHAS}, scoring=map_scorer, cv=case.cv)
    return searched(search.fit(case.X, case.y, **case.fit))


@consumer()
def cross_validation(case: Case):
    options = {"scoring": map_scorer, "cv": case.cv, "return_train_score": True, **case.params}
    found = cross_validate(Linear(), case.X, case.y, **options)
    train = [fold_by_hand(Ridge(), train, train) for train, _ in FOLDS]
    return [found["test_score"], found["train_score"]], [folds_by_hand(Ridge()), train]


@consumer()
def nested_search(case: Case, scoring: Any = map_scorer):
    search = GridSearchCV(Linear(), {"alpha": ALPHAS}, scoring=map_scorer, cv=case.inner)
    found = cross_val_score(search, case.X, case.y, scoring=scoring, cv=case.cv, **case.params)
    return found, nested_by_hand(case.inner)


# Before 1.8 the outer loop does not pass metadata to the score method of the search.
@consumer(EVERY if SKLEARN >= (1, 8) else CARRIERS)
def nested_search_with_its_own_score(case: Case):
    return nested_search(case, scoring=None)


@consumer()
def permutation_test(case: Case):
    # With routing off, groups= permutes y within queries, so that the index of y stays right.
    within = {} if case.metadata or not case.told else {"groups": QID}
    options = {"scoring": QUIET, "cv": case.cv, "random_state": 0, **case.params, **within}
    found, permuted, _ = permutation_test_score(
        Linear(), case.X, case.y, n_permutations=2, **options
    )
    assert ((permuted > 0) & (permuted <= 1)).all()
    return [found], [np.mean(folds_by_hand(Ridge()))]


@consumer(ARRAYS_ONLY)
def feature_elimination(case: Case):
    selector = RFECV(Linear(), min_features_to_select=2, scoring=map_scorer, cv=case.cv)
    found = selector.fit(case.X, case.y, **case.fit).cv_results_
    return [found[f"split{i}_test_score"][-1] for i in range(3)], folds_by_hand(Ridge())


# X becomes an array, y stays.
@consumer({"metadata", "index of y"})
def sequential_selection(case: Case):
    selector = SequentialFeatureSelector(
        Linear(), n_features_to_select=1, scoring=map_scorer, cv=case.cv
    ).fit(case.X, case.y, **case.fit)
    means = [np.mean(folds_by_hand(Ridge(), (column,))) for column in range(3)]
    assert len(set(means)) == 3
    return selector.get_support(), [mean == max(means) for mean in means]


@consumer(left_out=NO_MODEL_OF_OURS)
def ridge_cv(case: Case):
    model = RidgeCV(alphas=[1.0], scoring=map_scorer, cv=case.cv)
    return [model.fit(case.X, case.y, **case.fit).best_score_], [np.mean(folds_by_hand(Ridge()))]


@consumer(ARRAYS_ONLY)
def logistic_regression_cv(case: Case):
    kwargs = {"use_legacy_attributes": False, "l1_ratios": (0.0,)} if SKLEARN >= (1, 8) else {}
    model = LogisticRegressionCV(Cs=[1.0], scoring=map_scorer, cv=case.cv, **kwargs)
    scores = model.fit(case.X, case.y, **case.fit).scores_
    scores = scores[1] if isinstance(scores, dict) else scores
    return np.ravel(scores), folds_by_hand(LogisticRegression())


# Hard labels go straight to the metric function, which sees neither X nor y's index.
@consumer(ARRAYS_ONLY)
def tuned_threshold(case: Case):
    """Ranks by hard labels, the same for every threshold; ties count by their expectation."""
    options = {"thresholds": np.array([0.4, 0.6]), "cv": case.cv, "store_cv_results": True}
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring=map_scorer, **options)
    model.fit(case.X, case.y, **case.fit)
    expected = []
    for threshold in (0.4, 0.6):
        values = []
        for train, test in FOLDS:
            chances = LogisticRegression().fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
            values.append(map_by_hand(Y[test], chances >= threshold, QID[test]))
        expected.append(np.mean(values))
    return model.cv_results_["scores"], expected


def importance(case: Case, scorer: Any):
    model = Watched().fit(case.X, case.y)
    found = permutation_importance(
        model, case.X, case.y, scoring=scorer, n_repeats=1, random_state=0
    )
    before, *after = (map_by_hand(Y, said, QID) for said in model.said_)
    # A column of query ids is permuted as well, which is of no interest.
    return found.importances_mean[:3], [before - one for one in after[:3]]


@consumer()
def importance_with_bound_ids(case: Case):
    # For what passes no metadata at all.
    return importance(case, QUIET.bind(QID) if case.metadata else QUIET)


@consumer(CARRIERS)
def importance_without_bound_ids(case: Case):
    return importance(case, QUIET)


@consumer(())
def boosted_regressor(case: Case):
    stopping = {"early_stopping": True, "max_iter": 2, "scoring": map_scorer, "random_state": 0}
    HistGradientBoostingRegressor(**stopping).fit(case.X, case.y)
    raise AssertionError("scoring without query ids")


# RidgeClassifierCV weighs rows by 1 when fitting, and the search in it warns of that since 1.7.
@pytest.mark.filterwarnings("ignore:The scoring map_scorer does not support sample_weight")
@pytest.mark.parametrize(
    ("name", "mode"),
    [(one, mode) for one in CONSUMERS for mode in MODES if mode != CONSUMERS[one].left_out],
)
def test_consumers_score_whole_queries_or_refuse(name, mode):
    consumer, case = CONSUMERS[name], Case(mode)
    with sklearn.config_context(enable_metadata_routing=case.routing):
        if mode not in consumer.works:
            with pytest.raises(consumer.error, match=r"query id of e(very|ach) row"):
                consumer.run(case)
            return
        found, expected = consumer.run(case)
    assert np.asarray(found) == pytest.approx(np.asarray(expected), abs=1e-12)
