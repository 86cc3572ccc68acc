"""Scorers inside scikit-learn's model selection, on real data and by hand."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_validate
from sklearn.svm import SVC

from sklearn_rank import (
    InvalidParameterError,
    RankingConfigError,
    RankingDataWarning,
    UndefinedMetricError,
    UnknownMeasureError,
    auc_scorer,
    f1_scorer,
    get_scorer,
    get_scorer_names,
    make_rank_scorer,
    map_scorer,
    mean_average_precision_score,
    measure,
    ndcg_at_k_score,
    ndcg_scorer,
    neg_lag_scorer,
    precision_scorer,
    rank_scorers,
    recall_scorer,
)

GRID = {"alpha": [0.01, 1.0, 100.0, 10000.0]}


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of a query image and another one; relevant if they show the same digit."""
    images, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    queries = rng.choice(len(images), 40, replace=False)
    rows, grades, ids = [], [], []
    for query in queries:
        others = rng.choice(len(images), 30, replace=False)
        rows.append(np.abs(images[others] - images[query]))
        grades.append((labels[others] == labels[query]).astype(int))
        ids += [f"image {query}"] * len(others)
    X, y, qid = np.concatenate(rows), np.concatenate(grades), np.array(ids)
    kept = np.isin(qid, [q for q in np.unique(qid) if 0 < y[qid == q].sum() < (qid == q).sum()])
    mixed = np.random.default_rng(1).permutation(np.flatnonzero(kept))
    return X[mixed], y[mixed], qid[mixed]


def map_by_hand(estimator, X, y, qid) -> float:
    """Mean average precision in a plain loop, for scores without ties."""
    values = []
    for query in set(qid.tolist()):
        rows = np.flatnonzero(qid == query)
        scores = estimator.predict(X[rows])
        assert len(set(scores.tolist())) == len(scores)
        ranked = y[rows][np.argsort(scores)[::-1]]
        found = [sum(ranked[: i + 1]) / (i + 1) for i in range(len(ranked)) if ranked[i]]
        values.append(sum(found) / len(found))
    return sum(values) / len(values)


def folds_by_hand(X, y, qid, alpha) -> float:
    scores = []
    for train, test in GroupKFold().split(X, y, qid):
        model = Ridge(alpha=alpha).fit(X[train], y[train])
        scores.append(map_by_hand(model, X[test], y[test], qid[test]))
    return sum(scores) / len(scores)


# The headline ------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_headline_with_routing(digits, n_jobs):
    X, y, qid = digits
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            Ridge(), GRID, scoring=map_scorer, cv=GroupKFold(), n_jobs=n_jobs
        ).fit(X, y, groups=qid)
    by_hand = {alpha: folds_by_hand(X, y, qid, alpha) for alpha in GRID["alpha"]}
    assert search.best_score_ == pytest.approx(max(by_hand.values()), abs=1e-12)
    assert search.best_params_["alpha"] == max(by_hand, key=by_hand.get)
    assert len(set(by_hand.values())) == len(by_hand)


@pytest.mark.parametrize("carrier", ["index of X", "column of X", "index of y", "polars column"])
def test_headline_without_routing(digits, carrier):
    X, y, qid = digits
    frame = pd.DataFrame(X, columns=[f"pixel {i}" for i in range(X.shape[1])])
    model: BaseEstimator = Ridge()
    if carrier == "index of X":
        frame.index = pd.Index(qid, name="qid")
    elif carrier == "index of y":
        y = pd.Series(y, index=pd.Index(qid, name="qid"))
    else:
        frame = frame.assign(qid=qid)
        model = WithoutQueries()
        frame = pl.from_pandas(frame) if carrier == "polars column" else frame
    search = GridSearchCV(model, GRID, scoring=map_scorer, cv=GroupKFold())
    search.fit(frame, y, groups=qid)
    expected = max(folds_by_hand(X, np.asarray(y), qid, alpha) for alpha in GRID["alpha"])
    assert search.best_score_ == pytest.approx(expected, abs=1e-12)


class WithoutQueries(BaseEstimator):
    """Ridge regression that ignores the column of query ids."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def _features(self, X):
        return np.asarray(X[[name for name in X.columns if name != "qid"]], dtype=float)

    def fit(self, X, y):
        self.model_ = Ridge(alpha=self.alpha).fit(self._features(X), y)
        return self

    def predict(self, X):
        return self.model_.predict(self._features(X))


WITHOUT_IDS = [
    pytest.param(map_scorer, False, None, id="single"),
    pytest.param(map_scorer, True, None, id="single-routing"),
    pytest.param({"map": map_scorer, "r2": "r2"}, False, None, id="dict"),
    pytest.param({"map": map_scorer, "r2": "r2"}, True, None, id="dict-routing"),
    # Once: joblib replaces the processes of a search that fails, which takes seconds.
    pytest.param({"map": map_scorer, "r2": "r2"}, True, 2, id="dict-routing-processes"),
]


@pytest.mark.parametrize(("scoring", "routing", "n_jobs"), WITHOUT_IDS)
def test_a_search_without_query_ids_fails(digits, scoring, routing, n_jobs):
    X, y, qid = digits
    cv = KFold(3) if routing else GroupKFold(3)
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, cv=cv, refit=False, n_jobs=n_jobs)
    with (
        sklearn.config_context(enable_metadata_routing=routing),
        pytest.raises(RankingConfigError, match="needs the query id of every row and got none"),
    ):
        search.fit(X, y, **({} if routing else {"groups": qid}))


def test_the_error_says_the_ways_out(digits):
    X, y, _ = digits
    with pytest.raises(RankingConfigError) as caught:
        map_scorer(Ridge().fit(X, y), X, y)
    assert str(caught.value) == (
        "map_scorer needs the query id of every row and got none. Either run under "
        "sklearn.set_config(enable_metadata_routing=True) and pass groups=qid, or give X a column "
        "or an index level named 'qid' (groups_from=), or y such an index level, or use "
        "map_scorer.bind(qid) where nothing is split; map_scorer.with_options(one_query=True) "
        "scores all rows as one query."
    )


def test_multimetric_predicts_once_per_fold(digits):
    X, y, qid = digits
    calls = []

    class Counting(Ridge):
        def predict(self, X):
            calls.append(len(X))
            return super().predict(X)

    scoring = rank_scorers(["map", "ndcg@10", "lag"]) | {"r2": "r2"}
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_validate(
            Counting(), X, y, scoring=scoring, cv=GroupKFold(3), params={"groups": qid}
        )
    assert set(found) >= {"test_map", "test_ndcg@10", "test_neg_lag", "test_r2"}
    assert (found["test_neg_lag"] < 0).all()
    assert len(calls) == 3


# Random expectation ------------------------------------------------------------------


@pytest.mark.parametrize("order", ["best first", "worst first", "mixed"])
@pytest.mark.parametrize(
    ("scorer", "expected"),
    [
        # Two relevant items of four in random order, all six orders alike.
        (
            map_scorer,
            (1 + (1 + 2 / 3) / 2 + (1 + 1 / 2) / 2 + (1 / 2 + 2 / 3) / 2 + 1 / 2 + 5 / 12) / 6,
        ),
        (get_scorer("mrr"), (3 * 1 + 2 * 1 / 2 + 1 / 3) / 6),
        (get_scorer("precision@2"), 1 / 2),
        (get_scorer("recall@1"), 1 / 4),
        (get_scorer("hit_rate@1"), 1 / 2),
        (auc_scorer, 1 / 2),
        (get_scorer("gauc"), 1 / 2),
        (neg_lag_scorer, -1.0),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_dummy_scores_the_random_expectation(scorer, expected, order):
    y = np.array([1, 1, 0, 0] * 3)
    if order == "worst first":
        y = y[::-1]
    elif order == "mixed":
        y = np.array([0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0])
    X, qid = np.zeros((12, 1)), np.repeat([1, 2, 3], 4)
    dummy = DummyRegressor().fit(X, y)
    assert scorer(dummy, X, y, groups=qid) == pytest.approx(expected, abs=1e-12)


# What estimators say ------------------------------------------------------------------


def test_classifiers_rank_by_scores_never_by_hard_labels(digits):
    X, y, qid = digits
    model = LogisticRegression(max_iter=1000).fit(X, y)
    expected = mean_average_precision_score(y, model.decision_function(X), groups=qid)
    assert map_scorer(model, X, y, groups=qid) == expected
    hard = mean_average_precision_score(y, model.predict(X), groups=qid)
    assert map_scorer.with_options(response_method="predict")(model, X, y, groups=qid) == hard
    assert hard != expected


def test_many_grades_become_the_expected_grade(digits):
    X, _, qid = digits
    y = np.random.default_rng(0).choice([0, 1, 3], len(X))
    model = RandomForestClassifier(20, random_state=0).fit(X, y)
    expected = ndcg_at_k_score(y, model.predict_proba(X) @ np.array([0.0, 1.0, 3.0]), groups=qid)
    assert ndcg_scorer(model, X, y, groups=qid) == expected


def test_many_grades_without_probabilities_are_refused(digits):
    X, _, qid = digits
    y = np.random.default_rng(0).choice(4, len(X))
    with pytest.raises(RankingConfigError, match=r"SVC predicts 4 grades but has no predict_proba"):
        map_scorer(SVC().fit(X, y), X, y, groups=qid)


def test_text_labels_need_to_be_explained(digits):
    X, y, qid = digits
    words = np.where(y == 1, "yes", "no").tolist()
    model = LogisticRegression(max_iter=1000).fit(X, words)
    with pytest.raises(RankingConfigError, match=r"y holds strings; pass pos_label= or relevance="):
        map_scorer(model, X, words, groups=qid)
    expected = map_scorer(LogisticRegression(max_iter=1000).fit(X, y), X, y, groups=qid)
    assert map_scorer.with_options(pos_label="yes")(model, X, words, groups=qid) == expected
    graded = map_scorer.with_options(relevance={"yes": 1, "no": 0})
    assert graded(model, X, words, groups=qid) == pytest.approx(expected, abs=1e-12)
    worst = map_scorer.with_options(pos_label="no")(model, X, words, groups=qid)
    assert worst == mean_average_precision_score(1 - y, -model.decision_function(X), groups=qid)


# Lists and matrices ------------------------------------------------------------------


class Retriever(BaseEstimator):
    """Ranks the fruits by how many letters they share with the query."""

    FRUITS = ("apple", "banana", "cherry", "date", "elderberry")

    def __init__(self, reverse=False):
        self.reverse = reverse

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return [
            sorted(
                self.FRUITS, key=lambda fruit: len(set(fruit) & set(query)), reverse=self.reverse
            )[:3]
            for query in X
        ]


QUERIES = ["an", "rry", "ate", "el", "pp", "ban", "dat", "erry", "ppl"]
FOUND = [
    {"banana"},
    {"cherry"},
    {"date"},
    {"apple"},
    {"apple"},
    {"banana"},
    {"date"},
    {"cherry"},
    {"apple"},
]
CONTAINERS = {
    "sets": list,
    "lists": lambda sets: [sorted(one) for one in sets],
    "grades": lambda sets: [dict.fromkeys(one, 2) for one in sets],
    "object array": lambda sets: np.array([*sets, None], dtype=object)[:-1],
    "pandas": lambda sets: pd.Series(sets, index=range(5, 14)),
    "polars": lambda sets: pl.Series([sorted(one) for one in sets]),
}


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("container", CONTAINERS)
def test_retrievers_are_searched_without_groups(container, n_jobs, routing):
    y = CONTAINERS[container](FOUND)
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(
            Retriever(), {"reverse": [False, True]}, scoring=map_scorer, cv=3, n_jobs=n_jobs
        ).fit(QUERIES, y)
    assert search.best_params_ == {"reverse": True}
    lists = Retriever(reverse=True).predict(QUERIES)
    ranks = [
        one.index(*truth) + 1 if truth & set(one) else None
        for one, truth in zip(lists, FOUND, strict=True)
    ]
    folds = [sum(1 / rank if rank else 0 for rank in ranks[i : i + 3]) / 3 for i in (0, 3, 6)]
    assert search.best_score_ == pytest.approx(sum(folds) / 3, abs=1e-12)


def test_a_retriever_may_call_itself_a_classifier():
    class Odd(ClassifierMixin, Retriever):
        pass

    search = GridSearchCV(Odd(), {"reverse": [False, True]}, scoring=map_scorer, cv=KFold(3))
    assert search.fit(QUERIES, FOUND).best_params_ == {"reverse": True}


class ScoreTable(BaseEstimator):
    """Predicts scores of all items for each query."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return np.asarray(X, dtype=float) ** self.power


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_matrices_agree_with_scikit_learn(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)).round(1)
    y = (rng.random((30, 12)) < 0.3) * rng.integers(1, 4, (30, 12))
    scorer = ndcg_scorer.with_options(gain="linear", zero_division=0.0)
    found = GridSearchCV(ScoreTable(), {"power": [1, 3]}, scoring=scorer, cv=KFold(3)).fit(
        X, form(y)
    )
    for power in (1, 3):
        expected = [ndcg_score(y[test], X[test] ** power) for _, test in KFold(3).split(X)]
        split_scores = [
            found.cv_results_[f"split{i}_test_score"][[1, 3].index(power)] for i in range(3)
        ]
        assert split_scores == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            dict(zip(QUERIES, FOUND, strict=True)),
            r"y is a dict keyed by query; .* pass \[qrels\[q\] for q in X\]",
        ),
        ({"banana"}, r"y is one set for all queries; pass a set per element of X"),
        (None, r"map_scorer needs y"),
        (FOUND[:-1], r"predict gives 9 ranked lists for 8 queries"),
    ],
)
def test_truths_that_do_not_fit_are_refused(y, message):
    with pytest.raises(RankingConfigError, match=message):
        map_scorer(Retriever(), QUERIES, y)


# Data that are wrong ------------------------------------------------------------------


def test_wrong_groups_are_explained(digits):
    X, y, qid = digits
    model = Ridge().fit(X, y)
    sizes = [len(y) - 60, 60]
    with pytest.raises(
        RankingConfigError, match="groups must hold one id per row, not group sizes"
    ):
        map_scorer(model, X, y, groups=sizes)
    broken = np.array(qid, dtype=object)
    broken[17] = None
    with pytest.raises(RankingConfigError, match=r"groups contains missing values \(row 17\)"):
        map_scorer(model, X, y, groups=broken)
    with pytest.warns(RankingDataWarning, match=rf"{len(y):,} rows in {len(y):,} queries"):
        map_scorer.with_options(zero_division=0.0)(model, X, y, groups=np.arange(len(y)))


def test_one_query_has_to_be_told(digits):
    X, y, _ = digits
    model = Ridge().fit(X, y)
    expected = mean_average_precision_score(y[np.newaxis], model.predict(X)[np.newaxis])
    assert map_scorer.with_options(one_query=True)(model, X, y) == expected


def test_a_fold_without_anything_defined_is_an_error():
    X, y, qid = np.arange(4.0)[:, np.newaxis], np.zeros(4), [1, 1, 2, 2]
    with pytest.raises(UndefinedMetricError, match="map is undefined for all 2 queries"):
        map_scorer(DummyRegressor().fit(X, y), X, y, groups=qid)


def test_query_weights(digits):
    X, y, qid = digits
    model = Ridge().fit(X, y)
    plain = map_scorer(model, X, y, groups=qid)
    assert map_scorer(model, X, y, groups=qid, query_weight=np.ones(len(y))) == plain
    first = qid == qid[0]
    alone = map_scorer(model, X, y, groups=qid, query_weight=first.astype(float))
    assert alone == map_scorer(model, X[first], y[first], groups=qid[first])
    with pytest.raises(RankingConfigError, match=r"query_weight .* must be the same for all its"):
        map_scorer(model, X, y, groups=qid, query_weight=np.arange(len(y)) + 1.0)


# The object ------------------------------------------------------------------


def test_scores_are_plain_floats(digits):
    X, y, qid = digits
    model = Ridge().fit(X, y)
    for name in get_scorer_names():
        assert type(get_scorer(name)(model, X, y, groups=qid)) is float, name


def test_copies_leave_the_original_alone(digits):
    X, y, qid = digits
    alias = map_scorer.set_score_request(groups="qid")
    assert alias != map_scorer
    assert map_scorer == get_scorer("map")
    both = alias.set_score_request(query_weight=True)
    assert both._requests == {"groups": "qid", "query_weight": True}
    with pytest.raises(TypeError, match="can request groups and query_weight, not 'sample_weight'"):
        map_scorer.set_score_request(sample_weight=True)
    with sklearn.config_context(enable_metadata_routing=True):
        splitter = GroupKFold().set_split_request(groups="qid")
        search = GridSearchCV(Ridge(), GRID, scoring=alias, cv=splitter).fit(X, y, qid=qid)
    expected = max(folds_by_hand(X, y, qid, alpha) for alpha in GRID["alpha"])
    assert search.best_score_ == pytest.approx(expected, abs=1e-12)
    bound = map_scorer.bind(qid)
    assert bound(Ridge().fit(X, y), X, y) == map_scorer(Ridge().fit(X, y), X, y, groups=qid)
    assert repr(bound) == "map_scorer.bind(...)"
    with pytest.raises(RankingConfigError, match="inconsistent numbers of samples"):
        bound(Ridge().fit(X, y), X[:5], y[:5])


def test_scorers_are_values():
    for copied in (
        pickle.loads(pickle.dumps(map_scorer)),
        copy.deepcopy(map_scorer),
        clone(map_scorer),
        clone(GridSearchCV(Ridge(), GRID, scoring=map_scorer)).scoring,
    ):
        assert copied == map_scorer
        assert hash(copied) == hash(map_scorer)
    assert map_scorer != ndcg_scorer
    assert map_scorer.with_options(k=5) == get_scorer("map@5")
    assert make_rank_scorer(ndcg_at_k_score, k=10, gain="linear") == make_rank_scorer(
        measure("ndcg@10", gain="linear")
    )
    assert map_scorer.__name__ == repr(map_scorer) == "map_scorer"
    assert repr(get_scorer("ndcg@10")) == "get_scorer('ndcg@10')"
    changed = ndcg_scorer.with_options(k=3, gain="linear", groups_from="query", one_query=True)
    assert repr(changed) == (
        "ndcg_scorer.with_options(gain='linear', k=3, groups_from='query', one_query=True)"
    )


def test_members_of_a_harmonic_mean_take_its_cutoff():
    expected = get_scorer("hmean(map(denominator=k),recall)@10")
    members = ("map(denominator=k)", "recall")
    assert get_scorer("hmean(ndcg,map)@10").with_options(measures=members) == expected


def test_default_cutoffs_of_measures_of_sets():
    """Without a cutoff they would be the same for every order of all items."""
    assert [str(one.measure) for one in (precision_scorer, recall_scorer, f1_scorer)] == [
        "precision@10",
        "recall@10",
        "fbeta@10",
    ]


def test_names_are_checked():
    assert set(get_scorer_names()) >= {"map", "ndcg", "neg_lag", "auc", "lauc"}
    assert get_scorer("lag") == get_scorer("neg_lag") == neg_lag_scorer
    with pytest.raises(UnknownMeasureError, match=r"unknown measure 'nDGC'; did you mean 'ndcg'"):
        get_scorer("nDGC@10")
    with pytest.raises(TypeError, match="name must be a str or a measure, got int"):
        get_scorer(3)
    with pytest.raises(TypeError, match=r"has no option 'gian'; did you mean 'gain'"):
        ndcg_scorer.with_options(gian="linear")
    with pytest.raises(InvalidParameterError, match="'ties' parameter"):
        map_scorer.with_options(ties="random")
    with pytest.raises(TypeError, match="is not a metric function of sklearn_rank"):
        make_rank_scorer(max)


@pytest.mark.parametrize("function", [mean_average_precision_score, ndcg_at_k_score])
def test_functions_and_scorers_agree(digits, function):
    X, y, qid = digits
    model = Ridge().fit(X, y)
    expected = function(y, model.predict(X), groups=qid, k=5)
    assert make_rank_scorer(function, k=5)(model, X, y, groups=qid) == expected


def test_names_for_measures_are_not_taken_for_measures():
    with pytest.raises(TypeError, match=r"names of your own write \{name: get_scorer\(measure\)\}"):
        rank_scorers({"map": "ndcg@10"})
