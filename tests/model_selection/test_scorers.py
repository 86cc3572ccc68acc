"""Scorers as values: options, copies, names, files; and lists and matrices in searches."""

import copy
import pickle
from contextlib import ExitStack, contextmanager
from functools import partial

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score

import sklearn_rank
from sklearn_rank import (
    QueryKFold,
    RankingConfigError,
    RankingScorer,
    SearchStopped,
    auc_scorer,
    evaluate,
    get_scorer,
    get_scorer_names,
    make_rank_scorer,
    map_scorer,
    measure,
    ndcg_at_k_score,
    ndcg_scorer,
    neg_lag_scorer,
    rank_scorers,
)
from tests.model_selection.cases import (
    ALPHAS,
    FRAME,
    GRID,
    QID,
    QUIET,
    Says,
    X,
    Y,
    folds_by_hand,
    map_by_hand,
)

MODEL = Ridge().fit(X, Y)

# Scores ------------------------------------------------------------------------------------------


# False answers are of queries without a relevant item, of which there is none here.
@pytest.mark.parametrize("name", sorted({*get_scorer_names()} - {"neg_false_answers"}))
def test_order_of_rows_and_names_of_queries_do_not_matter(name):
    class Rounded(BaseEstimator):
        def predict(self, rows):
            return MODEL.predict(rows).round(1)

    mixed = np.random.default_rng(0).permutation(len(Y))
    renamed = np.array([f"\N{SNOWMAN} {query[::-1]}" for query in QID[mixed]], dtype=object)
    # iprec and bpref have no expectation over ties: the worst one ignores the order of rows, too.
    options = {"ties": "pessimistic"} if name in ("iprec", "bpref") else {}
    scorer = get_scorer(name).with_options(**options)
    before = scorer(Rounded(), X, Y, groups=QID)
    assert type(before) is float
    assert scorer(Rounded(), X[mixed], Y[mixed], groups=renamed) == pytest.approx(before, abs=1e-12)


@pytest.mark.parametrize("convention", ["sklearn", "lightgbm"])
@pytest.mark.parametrize("spelling", ["ndcg", "ndcg@3"])
def test_a_scorer_of_a_convention_gives_the_number_of_evaluate(convention, spelling):
    y = np.where(QID[0] == QID, 0, Y * 2)
    told = evaluate(y, X[:, 0], spelling, groups=QID, convention=convention, ties="stable")
    scorers = [
        get_scorer(spelling, convention=convention, ties="stable"),
        get_scorer(spelling).with_options(convention=convention, ties="stable"),
        rank_scorers([spelling], convention=convention, ties="stable")[spelling],
    ]
    for scorer in scorers:
        assert scorer(Says(X[:, 0]), X, y, groups=QID) == told[spelling]


# Lists and matrices ------------------------------------------------------------------------------


FRUITS = ("apple", "banana", "cherry", "date", "elderberry")


def fruits(queries, reverse=False):
    """Three fruits by the number of letters that they share with each query."""
    return [
        sorted(FRUITS, key=lambda fruit: len(set(fruit) & set(query)), reverse=reverse)[:3]
        for query in queries
    ]


fruits_reversed = partial(fruits, reverse=True)


class Classifier(ClassifierMixin, Says):
    pass


QUERIES = ["an", "rry", "ate", "el", "pp", "ban", "dat", "erry", "ppl"]
FOUND = [
    {fruit}
    for fruit in ["banana", "cherry", "date", "apple", "apple", "banana", "date", "cherry", "apple"]
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
@pytest.mark.parametrize("kind", [Says, Classifier])
@pytest.mark.parametrize("container", CONTAINERS)
def test_retrievers_are_searched_without_groups(container, kind, routing):
    y, grid = CONTAINERS[container](FOUND), {"scores": [fruits, fruits_reversed]}
    with sklearn.config_context(enable_metadata_routing=routing):
        search = GridSearchCV(kind(None), grid, scoring=map_scorer, cv=KFold(3)).fit(QUERIES, y)
    assert search.best_index_ == 1
    ranks = [
        one.index(*truth) + 1 if truth & set(one) else None
        for one, truth in zip(fruits_reversed(QUERIES), FOUND, strict=True)
    ]
    folds = [sum(1 / rank if rank else 0 for rank in ranks[i : i + 3]) / 3 for i in (0, 3, 6)]
    assert search.best_score_ == pytest.approx(sum(folds) / 3, abs=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_matrices_agree_with_scikit_learn(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 12)).round(1)
    y = (rng.random((30, 12)) < 0.3) * rng.integers(1, 4, (30, 12))
    scorer = ndcg_scorer.with_options(gain="linear", zero_division=0.0)
    grid = {"scores": [lambda X: X, lambda X: X**3]}
    search = GridSearchCV(Says(None), grid, scoring=scorer, cv=KFold(3))
    results = search.fit(X, form(y)).cv_results_
    for number, power in enumerate((1, 3)):
        expected = [ndcg_score(y[test], X[test] ** power) for _, test in KFold(3).split(X)]
        found = [results[f"split{fold}_test_score"][number] for fold in range(3)]
        assert found == pytest.approx(expected, abs=1e-12)


# Options and names -------------------------------------------------------------------------------


def test_copies_leave_the_original_alone():
    alias = map_scorer.set_score_request(groups="qid")
    assert alias != map_scorer == get_scorer("map")
    both = alias.set_score_request(query_weight=True)
    assert both._requests == {"groups": "qid", "query_weight": True}
    with pytest.raises(TypeError, match="can request groups and query_weight, not 'sample_weight'"):
        map_scorer.set_score_request(sample_weight=True)
    with pytest.raises(ValueError, match="valid identifier"):
        map_scorer.set_score_request(groups="my id")
    bound = map_scorer.bind(QID)
    assert bound(MODEL, X, Y) == map_scorer(MODEL, X, Y, groups=QID)
    with pytest.raises(RankingConfigError, match=r"map_scorer.bind\(...\) got the ids of"):
        bound(MODEL, X[:5], Y[:5])
    ids, grades = QID.copy(), {"a": 1, "b": 0}
    bound, graded = map_scorer.bind(ids), map_scorer.with_options(relevance=grades)
    ids[:] = "q0"
    grades["b"] = 5
    assert bound == map_scorer.bind(QID)
    assert graded == map_scorer.with_options(relevance={"a": 1, "b": 0})


REPRESENTATIONS = {
    "map_scorer": map_scorer,
    "map_scorer.bind(...)": map_scorer.bind(QID),
    "get_scorer('ndcg@10')": get_scorer("ndcg@10"),
    "get_scorer('neg_lag')": get_scorer(measure("lag")),
    "ndcg_scorer": ndcg_scorer.with_options(gain="linear").with_options(gain="exp2"),
    "ndcg_scorer.with_options(gain='linear', k=3, groups_from='query', one_query=True)": (
        ndcg_scorer.with_options(k=3, gain="linear", groups_from="query", one_query=True)
    ),
    "get_scorer('ndcg(gain=linear)').with_options(gain='exp2')": (
        get_scorer("ndcg(gain=linear)").with_options(gain="exp2")
    ),
}


@pytest.mark.parametrize("text", REPRESENTATIONS)
def test_representations(text):
    assert repr(REPRESENTATIONS[text]) == text


EQUAL = [
    (map_scorer.with_options(k=5), get_scorer("map@5")),
    (get_scorer(measure("map")), map_scorer),
    (get_scorer("lag"), neg_lag_scorer),
    (map_scorer.with_options(zero_division=float("nan")), QUIET),
    (
        make_rank_scorer(ndcg_at_k_score, k=10, gain="linear"),
        make_rank_scorer(measure("ndcg@10", gain="linear")),
    ),
    (
        # Members of a harmonic mean take its cutoff.
        get_scorer("hmean(ndcg,map)@10").with_options(measures=("map(denominator=k)", "recall")),
        get_scorer("hmean(map(denominator=k),recall)@10"),
    ),
    (get_scorer("map"), clone(GridSearchCV(Ridge(), GRID, scoring=map_scorer)).scoring),
]


@pytest.mark.parametrize(("scorer", "other"), EQUAL)
def test_scorers_are_values(scorer, other):
    assert scorer == other != auc_scorer
    assert hash(scorer) == hash(other)


def test_all_scorers_of_a_search_take_the_same_options():
    scorers = rank_scorers(["map", "ndcg@5", "lag"], zero_division=0.0, groups_from="query")
    assert list(scorers) == ["map", "ndcg@5", "neg_lag"]
    for scorer in scorers.values():
        assert (scorer.options.zero_division, scorer.options.groups_from) == (0.0, "query")
    assert list(rank_scorers(["neg_lag", "map"])) == ["neg_lag", "map"]  # only LAG is negated


REFUSED = {
    "spelling": (lambda: get_scorer("nDGC@10"), "unknown measure 'nDGC'; did you mean 'ndcg'"),
    "number": (lambda: get_scorer(3), "name must be a str or a Measure, got int: 3"),
    "negated": (lambda: rank_scorers(["neg_map"]), "neg_map"),
    "function": (
        lambda: make_rank_scorer(max),
        "is not a metric function of sklearn_rank.*measure_from",
    ),
    "a number": (lambda: rank_scorers(3), "a Measure or a sequence of them, got 3$"),
    "mapping": (
        lambda: rank_scorers({"map": "ndcg@10"}),
        r"to choose names, write \{name: get_scorer\(measure\)\}",
    ),
    "option": (
        lambda: ndcg_scorer.with_options(gian="linear"),
        "has no option 'gian'; did you mean 'gain'",
    ),
    "ties": (lambda: map_scorer.with_options(ties="random"), "'ties' parameter"),
    "convention": (
        lambda: map_scorer.with_options(convention="lightgbn"),
        "unknown convention 'lightgbn'; did you mean",
    ),
    "typo of all": (
        lambda: rank_scorers(["map"], zero_divison=3),
        "rank_scorers has no option 'zero_divison'",
    ),
    "advice that runs": (
        lambda: get_scorer("ndcg@10")(MODEL, X, Y),
        r"or use get_scorer\('ndcg@10'\)\.bind\(qid\)",
    ),
    "text of scikit-learn": (
        lambda: GridSearchCV(Ridge(), GRID, scoring="map").fit(X, Y),
        "'scoring' parameter of GridSearchCV must be",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_names_and_options(case):
    call, message = REFUSED[case]
    with pytest.raises((TypeError, ValueError), match=message):
        call()


# Weights of queries ------------------------------------------------------------------------------


def test_query_weights_in_folds():
    numbers = np.array([float(query[1:]) for query in QID])  # q0 does not count
    expected = []
    for train, test in GroupKFold(3).split(X, Y, QID):
        scores, queries = Ridge().fit(X[train], Y[train]).predict(X[test]), sorted(set(QID[test]))
        own = [QID[test] == query for query in queries]
        values = [map_by_hand(Y[test][rows], scores[rows], QID[test][rows]) for rows in own]
        expected.append(np.average(values, weights=[int(query[1:]) for query in queries]))
    scorer = map_scorer.set_score_request(query_weight=True)
    cv, weighted = GroupKFold(3), {"groups": QID, "query_weight": numbers}
    with sklearn.config_context(enable_metadata_routing=True):
        found = cross_val_score(Ridge(), X, Y, scoring=scorer, cv=cv, params=weighted)
        for wrong in (np.linspace(0.1, 1.0, 72), np.ones(12)):  # by row, by query
            search = GridSearchCV(Ridge(), GRID, scoring=scorer, cv=cv)
            with pytest.raises(SearchStopped, match="query_weight"):
                search.fit(X, Y, groups=QID, query_weight=wrong)
    assert found == pytest.approx(expected, abs=1e-12)


# Since 1.7 scikit-learn says of every scorer without sample_weight that it has none.
@pytest.mark.filterwarnings("ignore:The scoring .* does not support sample_weight")
@pytest.mark.parametrize("scoring", [map_scorer, {"map": map_scorer, "r2": "r2"}], ids=["one", "2"])
def test_weights_of_fitting_never_reach_the_scorer(scoring):
    weight = np.linspace(0.1, 3.0, len(Y))  # not constant within queries: the scorer would refuse
    search = GridSearchCV(Ridge(), GRID, scoring=scoring, cv=GroupKFold(3), refit=False)
    search.fit(FRAME, Y, groups=QID, sample_weight=weight)
    name = "map" if isinstance(scoring, dict) else "score"
    expected = folds_by_hand(GroupKFold(3), ALPHAS[0], weight=weight)
    found = [search.cv_results_[f"split{i}_test_{name}"][0] for i in range(3)]
    assert found == pytest.approx(expected, abs=1e-12)


# Stored, and sent to workers ---------------------------------------------------------------------

READY = {
    name: scorer
    for name in sklearn_rank.__all__
    if isinstance(scorer := getattr(sklearn_rank, name, None), RankingScorer)
}


def by_skops(value):
    """A file that reads nothing that has no name."""
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    data = skops.dumps(value)
    types = skops.get_untrusted_types(data=data)
    assert not any("lambda" in name for name in types)
    return skops.loads(data, trusted=types)


@pytest.mark.parametrize(
    "journey", [lambda value: pickle.loads(pickle.dumps(value)), copy.deepcopy, by_skops]
)
def test_scorers_are_equal_after_a_journey(journey):
    assert len(READY) == 14
    others = (QUIET, map_scorer.with_options(relevance={"a": 1, "b": 0}), map_scorer.bind(QID))
    for scorer in (*READY.values(), *map(get_scorer, get_scorer_names()), *others):
        read = journey(scorer)
        assert read == scorer
        assert repr(read) == repr(scorer)
    search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=QueryKFold(3)).fit(FRAME, Y)
    assert journey(search).score(FRAME, Y) == search.score(FRAME, Y)


@contextmanager
def workers(backend):
    """Two workers of a backend of joblib, or this process alone."""
    with ExitStack() as stack:
        if backend == "dask":
            from distributed import Client, LocalCluster

            local = {"processes": False, "dashboard_address": None}
            cluster = LocalCluster(n_workers=1, threads_per_worker=2, **local)
            stack.enter_context(Client(stack.enter_context(cluster)))
        elif backend == "ray":
            pytest.importorskip("ray.util.joblib", reason="ray is not installed").register_ray()
        if backend != "one process":
            stack.enter_context(joblib.parallel_backend(backend, n_jobs=2))
        yield


# joblib ends its processes by psutil or pgrep, and warns where there is neither.
SLIM = pytest.mark.filterwarnings("ignore:Failed to kill subprocesses:UserWarning")
BACKENDS = ["one process", pytest.param("loky", marks=SLIM), "threading", "dask", "ray"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_searches_run_under_every_backend(backend):
    expected = max(np.mean(folds_by_hand(GroupKFold(3), alpha)) for alpha in ALPHAS)
    search = GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=GroupKFold(3))
    with workers(backend), sklearn.config_context(enable_metadata_routing=True):
        assert search.fit(X, Y, groups=QID).best_score_ == pytest.approx(expected, abs=1e-12)


def tried_by_optuna():
    optuna = pytest.importorskip("optuna", reason="optuna is not installed")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    optuna.create_study().optimize(
        lambda trial: cross_val_score(
            Ridge(trial.suggest_float("alpha", 1, 9)), X, Y, scoring=map_scorer, cv=3
        ).mean(),
        n_trials=2,
        catch=Exception,
    )


WITHOUT_IDS = {
    "search": lambda: GridSearchCV(Ridge(), GRID, scoring=map_scorer, cv=3).fit(X, Y),
    "several measures": lambda: GridSearchCV(
        Ridge(), GRID, scoring=rank_scorers(["map", "mrr"]), refit="map", cv=3
    ).fit(X, Y),
    "cross-validation": lambda: cross_val_score(Ridge(), X, Y, scoring=map_scorer, cv=3),
    "optuna": tried_by_optuna,
}


@pytest.mark.parametrize("kind", WITHOUT_IDS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_search_without_query_ids_ends_under_every_backend(backend, kind):
    with workers(backend), pytest.raises(SearchStopped, match="needs the query id of every row"):
        WITHOUT_IDS[kind]()
