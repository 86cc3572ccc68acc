"""What a user of scikit-learn types first: what works, and what is answered with what."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, ndcg_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    StratifiedGroupKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.fixes import parse_version

import sklearn_rank as sr
from tests.model_selection.boosting import LGBM, XGB
from tests.model_selection.cases import FRAME, GRID, QID, QUIET, X, Y

CV = GroupKFold(3)
MODEL = Ridge().fit(X, Y)
MATRIX = np.array([[3, 2, 3, 0, 1, 2]]), np.array([[0.1, 0.9, 0.3, 0.7, 0.2, 0.4]])


def searched(model=None, grid=GRID, **options):
    model = Ridge() if model is None else model
    search = GridSearchCV(model, grid, **{"scoring": QUIET, "cv": CV, **options})
    return search.fit(X, Y, groups=QID)


WORKS = {
    "GridSearchCV(scoring=)": lambda: searched().best_score_,
    "a boosted regressor": lambda: searched(HistGradientBoostingRegressor(max_iter=5), {}),
    "a classifier": lambda: searched(RandomForestClassifier(10, random_state=0), {}),
    "a Pipeline": lambda: searched(make_pipeline(StandardScaler(), Ridge()), {}),
    "a ranker": lambda: searched(sr.QueryRanker(LGBM), {"ranker__num_leaves": [2, 4]}),
    "cv=GroupShuffleSplit": lambda: searched(cv=GroupShuffleSplit(3, random_state=0)),
    "cv=StratifiedGroupKFold": lambda: searched(cv=StratifiedGroupKFold(3)),
    "cv=pairs": lambda: searched(cv=list(CV.split(X, Y, QID))),
    "several measures": lambda: searched(scoring=sr.rank_scorers(["map", "mrr"]), refit="map"),
    "mixed with scikit-learn's": lambda: searched(scoring={"m": QUIET, "r2": "r2"}, refit="m"),
    "search.score": lambda: searched().score(X, Y, groups=QID),
    "clone": lambda: clone(sr.QueryRanker(XGB)).fit(X, Y, groups=QID).predict(X),
    "a call of the scorer": lambda: sr.map_scorer(MODEL, X, Y, groups=QID),
    "the index of a frame": lambda: sr.map_scorer(MODEL.fit(FRAME, Y), FRAME, Y),
    "make_scorer": lambda: searched(
        scoring=make_scorer(sr.hit_rate_at_k_score, k=3).set_score_request(groups=True)
    ),
    "a metric of a matrix": lambda: sr.ndcg_at_k_score(*MATRIX, k=10),
}


@pytest.mark.parametrize("habit", WORKS)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_what_works(habit):
    with sklearn.config_context(enable_metadata_routing=True):
        result = WORKS[habit]()
    assert np.isfinite(getattr(result, "best_score_", result)).all()


def test_the_gain_of_scikit_learn_is_linear():
    assert sr.ndcg_at_k_score(*MATRIX, k=10) < ndcg_score(*MATRIX, k=10)
    assert sr.ndcg_at_k_score(*MATRIX, k=10, gain="linear") == pytest.approx(ndcg_score(*MATRIX))


ANSWERED = {
    "ndcg_score": (
        lambda: sr.ndcg_score,
        "it is called 'ndcg_at_k_score' here, and gives scikit-learn's values with gain='linear'",
    ),
    "average_precision_score": (
        lambda: sr.average_precision_score,
        "it is called 'mean_average_precision_score' here",
    ),
    "from sklearn_rank import ndcg_score": (
        lambda: exec("from sklearn_rank import ndcg_score"),
        "it is called 'ndcg_at_k_score' here",
    ),
    "roc_curve": (lambda: sr.roc_curve, "it is called 'ranking_roc_curve' here"),
    "auc_score": (lambda: sr.auc_score, "it is called 'ranking_auc_score' here"),
    "lag_score": (lambda: sr.lag_score, "it is called 'lag_error' here"),
    "a name of nothing": (lambda: sr.no_such, "has no attribute 'no_such'$"),
    "evaluate(slices=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], slices={0: "x"}),
        r"'slices'; evaluate\(...\).by_slice\(slices\) measures each slice",
    ),
    "evaluate(min_rel=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], min_rel=4),
        r"'min_rel'; put it in the measure, as in 'map\(min_rel=2\)'",
    ),
    "evaluate(query_weight=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], query_weight=[1]),
        "'query_weight'; pass query weights as sample_weight=$",
    ),
    "evaluate(unjudged=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], unjudged="skip"),
        r"'unjudged'; evaluate\(...\).condensed\(\) leaves unjudged items out",
    ),
    "evaluate(metrics=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], metrics=["map"]),
        "'metrics'; use measures=",
    ),
    "a function with qid=": (
        lambda: sr.ndcg_at_k_score([1, 0], [0.5, 0.1], qid=[7, 7]),  # type: ignore[call-arg]
        "unexpected keyword argument 'qid'; pass query ids of rows as groups=$",
    ),
    "a function with mask=": (
        lambda: sr.lag_error([[1, 0]], [[0.5, 0.1]], mask=[[True, False]]),  # type: ignore[call-arg]
        "'mask'; evaluate takes candidates=, False for padding$",
    ),
    "a function with missing=": (
        lambda: sr.lag_error({"q": {"a"}}, {}, missing="zero"),  # type: ignore[call-arg]
        r"'missing'; pass it to evaluate, as in evaluate\(y_true, y_score, measure, missing=...\)$",
    ),
    "a function with zero_divison=": (
        lambda: sr.lag_error([[1, 0]], [[0.5, 0.1]], zero_divison=0),  # type: ignore[call-arg]
        r"'zero_divison'; did you mean 'zero_division'\?$",
    ),
    "ndcg": (lambda: sr.ndcg, "'ndcg'; it is called 'ndcg_at_k_score' here$"),
    "hit_rate_at_k": (lambda: sr.hit_rate_at_k, "it is called 'hit_rate_at_k_score' here$"),
    "assert_map_at_least": (
        lambda: sr.assert_map_at_least,
        "'assert_map_at_least'; the assertions are in pytest_rankmetrics$",
    ),
    "evaluate(min_rating=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], min_rating=4),
        r"'min_rating'; put it in the measure, as in 'map\(min_rel=2\)'",
    ),
    "evaluate(train=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], train={}),
        "'train'; leave items seen in training out of the rankings, or set candidates= to False"
        " for them$",
    ),
    "evaluate(indexes=)": (
        lambda: sr.evaluate([1, 0], [0.5, 0.1], indexes=[7, 7]),
        "'indexes'; pass query ids as groups=",
    ),
    "evaluate(mask=)": (
        lambda: sr.evaluate([[1, 0]], [[0.5, 0.1]], mask=[[True, False]]),
        "'mask'; use candidates=, False for padding",
    ),
    "evaluate(top_k=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], "ndcg", top_k=10),
        "'top_k'; put it in the measure, as in 'ndcg@10'",
    ),
    "evaluate(missin=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], missin="skip"),
        r"'missin'; did you mean 'missing'\?",
    ),
    "evaluate(per_query=)": (
        lambda: sr.evaluate([{"a"}], [["a"]], per_query=True),
        r"'per_query'; evaluate\(...\).per_query has the values",
    ),
    "evaluate().to_pandas()": (
        lambda: sr.evaluate([{"a"}], [["a"]]).to_pandas(),
        r"'Evaluation' object has no attribute 'to_pandas'; to_frame\(backend\) makes a data",
    ),
    "evaluate().nothing": (
        lambda: sr.evaluate([{"a"}], [["a"]]).nothing,
        "'Evaluation' object has no attribute 'nothing'$",
    ),
    "measure_from(function)": (
        lambda: sr.measure_from(len, len),
        r"; pass measure_from\(name, function\)$",
    ),
    "compare(metric=)": (
        lambda: sr.compare([{"a"}], {"a": [["a"]], "b": [["b"]]}, metric="map"),
        "'metric'; use measures=",
    ),
    "compare(query_text=)": (
        lambda: sr.compare([{"a"}], {"a": [["a"]], "b": [["b"]]}, query_text={}),
        r"'query_text'; pass it where queries are shown, as in .report\(path, query_text=",
    ),
    "compare(baseline=)": (
        lambda: sr.compare([{"a"}], {"a": [["a"]], "b": [["b"]]}, baseline="b"),
        "'baseline'; the first system is the baseline",
    ),
    "a function with convention=": (
        lambda: sr.ndcg_at_k_score(*MATRIX, convention="sklearn"),
        "unexpected keyword argument 'convention'",
    ),
    'scoring="map"': (lambda: searched(scoring="map"), "'scoring' parameter of GridSearchCV"),
    "make_scorer": (
        lambda: searched(scoring=make_scorer(sr.mean_average_precision_score)),
        r"set_score_request\(",
    ),
    "no groups": (
        lambda: GridSearchCV(Ridge(), GRID, scoring=QUIET, cv=3).fit(X, Y),
        "map_scorer needs the query id of every row and got none",
    ),
    "eval_set=": (
        lambda: sr.QueryRanker(LGBM).fit(X, Y, groups=QID, eval_set=[(X, Y)]),
        "eval_set cannot be passed: .* eval_X, eval_y and eval_groups",
    ),
    "group sizes": (
        lambda: sr.QueryRanker(LGBM).fit(X, Y, group=[6] * 12),
        "group cannot be passed: .* only groups, sample_weight",
    ),
    "from_estimator without groups": (
        lambda: sr.RankingRocCurveDisplay.from_estimator(MODEL, X, Y),
        "groups=",
    ),
    "a refused name of a display": (
        lambda: sr.RankingRocCurveDisplay.from_predictions(*MATRIX, plot_chance_level=True),
        "plot_chance_level",
    ),
}


@pytest.mark.parametrize("habit", ANSWERED)
@pytest.mark.filterwarnings("ignore:Scoring failed", "ignore:One or more of the test scores")
def test_what_is_answered_with_what(habit):
    if habit == "make_scorer" and parse_version(sklearn.__version__) < parse_version("1.8"):
        pytest.skip("scikit-learn takes the refusal of its own router for a score")
    call, message = ANSWERED[habit]
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(
            (TypeError, ValueError, AttributeError, ImportError, sr.SearchStopped),
            match=f"(?s){message}",
        ),
    ):
        call()


# scikit-learn's own checks -----------------------------------------------------------------------


class Grouped(sr.QueryRanker):
    """A ranker for checks that know no queries: four rows are one."""

    def fit(self, X, y, *, groups=None, **others):
        if groups is None and y is not None:
            groups = np.arange(len(y)) // 4
        return super().fit(X, y, groups=groups, **others)


NOT_OURS = {
    "check_complex_data": "complex grades are a TypeError",
    "check_estimators_empty_data_messages": "the library decides about empty data",
    "check_fit2d_predict1d": "the library decides about the shape of X",
    "check_n_features_in": "X goes to the library as it is, which counts its features",
    "check_n_features_in_after_fitting": "as above",
    "check_regressor_data_not_an_array": "X has to have a length or a shape",
    "check_regressors_train": "without query ids there is no score method",
    "check_supervised_y_2d": "grades of two dimensions are refused, not ravelled",
}
"""Checks that fail, and why that is meant."""


@pytest.mark.filterwarnings("ignore")
def test_the_checks_of_scikit_learn():
    model = Grouped(clone(XGB).set_params(n_estimators=2, objective="rank:pairwise"))
    results = check_estimator(model, on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in results if one["status"] == "failed"}
    assert set(failed) <= set(NOT_OURS), failed
    assert len(results) > 40
