"""The table of a search as a picture, and the spread over queries that its intervals need."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from sklearn_rank import (
    InvalidParameterError,
    QueryKFold,
    SearchResultsDisplay,
    evaluate,
    map_scorer,
    rank_scorers,
)


def problem():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 6)
    y = np.tile([1, 0, 1, 0, 0, 0], 20)
    X = rng.normal(size=(120, 3)) + 0.6 * y[:, np.newaxis] * [1, 0.5, 0]
    return pd.DataFrame(X, index=pd.Index(qid, name="qid")), y


def search(scoring, grid=None, **options):
    X, y = problem()
    grid = grid or {"alpha": [1.0, 1000.0, 10.0], "fit_intercept": [True, False]}
    found = GridSearchCV(Ridge(), grid, scoring=scoring, cv=QueryKFold(4), **options)
    return found.fit(X, y)


def test_intervals_over_queries_come_from_the_search():
    found = search(rank_scorers(["map"], spread=True), refit="map")
    shown = SearchResultsDisplay.from_cv_results(found.cv_results_, param="alpha", level=0.9)
    assert shown.values == [[1.0, 10.0, 1000.0]]
    assert shown.ax_.get_ylabel() == "map, mean over folds\n(90% interval over queries)"
    assert shown.ax_.get_xscale() == "log"
    # By hand, of the first candidate: values of the queries of each fold.
    X, y = problem()
    qid = X.index.to_numpy()
    best = found.best_params_["fit_intercept"]
    means, errors, counts = [], [], []
    for train, test in QueryKFold(4).split(X, y, groups=qid):
        model = Ridge(alpha=1.0, fit_intercept=best).fit(X.iloc[train], y[train])
        fold = evaluate(y[test], model.predict(X.iloc[test]), "map", groups=qid[test])
        values = fold.per_query["map"]
        means.append(values.mean())
        errors.append(values.std(ddof=1) / np.sqrt(len(values)))
        counts.append(len(values))
    total = np.square(np.array(errors) / 4).sum()
    degrees = total**2 / ((np.array(errors) / 4) ** 4 / (np.array(counts) - 1)).sum()
    reach = t.ppf(0.95, degrees) * np.sqrt(total)
    assert shown.scores[0][0] == pytest.approx(np.mean(means))
    assert shown.intervals[0][0] == pytest.approx([np.mean(means) - reach, np.mean(means) + reach])
    assert shown.lines_[0].get_ydata().tolist() == shown.scores[0].tolist()
    (bars,) = shown.bars_[0].lines[2]
    assert bars.get_segments()[0][:, 1] == pytest.approx(shown.intervals[0][0])


def test_intervals_over_folds_without_the_spread():
    found = search(map_scorer)
    shown = SearchResultsDisplay.from_cv_results(found.cv_results_, param="alpha")
    results = found.cv_results_
    candidate = results["params"].index({**found.best_params_, "alpha": 1.0})
    folds = [results[f"split{fold}_test_score"][candidate] for fold in range(4)]
    reach = t.ppf(0.975, 3) * np.std(folds, ddof=1) / 2
    assert shown.intervals[0][0] == pytest.approx([np.mean(folds) - reach, np.mean(folds) + reach])
    assert shown.ax_.get_ylabel() == "mean over folds\n(95% interval over folds)"


def test_lines_of_a_second_parameter():
    found = search(map_scorer)
    shown = SearchResultsDisplay.from_cv_results(
        found.cv_results_, param="alpha", lines="fit_intercept"
    )
    assert [text.get_text() for text in shown.ax_.texts] == [
        *("fit_intercept = True", "fit_intercept = False")
    ]
    results = found.cv_results_
    candidates = zip(results["params"], results["mean_test_score"], strict=True)
    means = {tuple(params.values()): mean for params, mean in candidates}
    for line, intercept in zip(shown.lines_, (True, False), strict=True):
        expected = [means[alpha, intercept] for alpha in (1.0, 10.0, 1000.0)]
        assert line.get_ydata().tolist() == expected
    assert shown.best_.get_ydata()[0] == found.best_score_
    # Side by side: no interval hides another.
    assert shown.lines_[0].get_xdata()[0] < shown.lines_[1].get_xdata()[0]


def test_values_that_are_words():
    found = search(map_scorer, {"solver": ["svd", "cholesky"], "alpha": [1.0, 2.0]})
    shown = SearchResultsDisplay.from_cv_results(found.cv_results_, param="solver")
    assert [label.get_text() for label in shown.ax_.get_xticklabels()] == ["svd", "cholesky"]
    assert shown.lines_[0].get_xdata().tolist() == [0, 1]
    assert shown.lines_[0].get_linestyle() == "None", "no line joins categories"


def test_few_numbers_have_a_tick_each():
    intervals = [[[0, 1]] * 3]
    shown = SearchResultsDisplay(
        values=[[2, 3, 5]], scores=[[0.1, 0.2, 0.3]], intervals=intervals, param="max_depth"
    ).plot()
    assert [label.get_text() for label in shown.ax_.get_xticklabels()] == ["2", "3", "5"]


def test_spread_scorers_are_scorers():
    error, count = (rank_scorers("map", spread=True)[f"map_{kind}"] for kind in ("se", "queries"))
    assert error != count
    assert error != map_scorer
    assert map_scorer != error
    assert error == rank_scorers("map", spread=True)["map_se"]
    assert pickle.loads(pickle.dumps(error)) == error
    assert hash(error) == hash(rank_scorers("map", spread=True)["map_se"])
    assert repr(error) == "rank_scorers(['map'], spread=True)['map_se']"
    assert error.__name__ == "map_se"
    X, y = problem()
    bound = error.bind(X.index.to_numpy())
    assert bound(Ridge().fit(X, y), X, y) == error(Ridge().fit(X, y), X, y)
    with pytest.raises(InvalidParameterError, match="so that it has no spread"):
        rank_scorers(["auc(average=pooled)"], spread=True)["auc(average=pooled)_se"](
            Ridge().fit(X, y), X, y
        )
