"""RankFusion: reciprocal rank fusion and weighted sums of saved runs, in searches."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

from sklearn_rank import (
    DuplicateItemError,
    InvalidParameterError,
    QueryMismatchError,
    RankFusion,
    RankingDataWarning,
    RankingOrderWarning,
    Run,
    evaluate,
    ndcg_scorer,
    read_run,
)

BM25 = {"q1": {"a": 9.0, "b": 7.0, "c": 5.0}, "q2": {"x": 3.0}, "q3": {"m": 2.0, "n": 1.0}}
DENSE = {"q1": {"b": 0.8, "d": 0.6, "a": 0.4}, "q2": {"y": 0.9, "x": 0.5}}
RUNS = {"bm25": BM25, "dense": DENSE}
QUERIES = ["q1", "q2", "q3"]
TRUTHS = [{"b"}, {"x"}, {"n"}]

# By hand, and equal to those of ranx 0.3.21: rrf(k=60), wsum of min-max and of zmuv.
Z = 2 / np.sqrt(8 / 3)  # of three equidistant scores
FUSED = {
    "rrf": (
        {},
        [
            {"a": 1 / 61 + 1 / 63, "b": 1 / 62 + 1 / 61, "c": 1 / 63, "d": 1 / 62},
            {"x": 1 / 61 + 1 / 62, "y": 1 / 61},
            {"m": 1 / 61, "n": 1 / 62},
        ],
    ),
    "weighted": (
        {"weights": [2, 0.5], "k": 0},
        [
            {"a": 2 + 0.5 / 3, "b": 1 + 0.5, "c": 2 / 3, "d": 0.25},
            {"x": 2 + 0.25, "y": 0.5},
            {"m": 2, "n": 1},
        ],
    ),
    "sum": (
        {"method": "sum", "weights": {"dense": 3}},
        [{"a": 1, "b": 0.5 + 3, "c": 0, "d": 1.5}, {"x": 0, "y": 3}, {"m": 1, "n": 0}],
    ),
    "zscore": (
        {"method": "sum", "normalize": "zscore"},
        [{"a": 0, "b": Z, "c": -Z, "d": 0}, {"x": -1, "y": 1}, {"m": 1, "n": -1}],
    ),
    "as they are": (
        {"method": "sum", "normalize": "none"},
        [{"a": 9.4, "b": 7.8, "c": 5, "d": 0.6}, {"x": 3.5, "y": 0.9}, {"m": 2, "n": 1}],
    ),
    "one left out": ({"weights": {"bm25": 0}}, [{"b": 1 / 61, "d": 1 / 62, "a": 1 / 63}, None, {}]),
}


@pytest.mark.parametrize("case", FUSED)
def test_values_by_hand(case):
    options, expected = FUSED[case]
    fused = RankFusion(RUNS, **options).fit(QUERIES, TRUTHS).predict(QUERIES)
    for found, values in zip(fused, expected, strict=True):
        assert values is None or found == pytest.approx(values, abs=1e-12)


def forms(tmp_path):
    """The runs as dicts, runs, files and lists of these."""
    paths = {}
    for name, run in RUNS.items():
        rows = [(q, item, score) for q, items in run.items() for item, score in items.items()]
        paths[name] = tmp_path / f"{name}.run"
        lines = (f"{q} Q0 {item} 1 {score} x\n" for q, item, score in rows)
        paths[name].write_text("".join(lines), encoding="utf-8")
    return {
        "dicts": RUNS,
        "files": paths,
        "a list of files": [str(path) for path in paths.values()],
        "runs": {name: read_run(path) for name, path in paths.items()},
        "a list": list(RUNS.values()),
        "mixed": {"bm25": BM25, "dense": paths["dense"]},
    }


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingOrderWarning")  # ranks are all 1
def test_dicts_runs_and_files_are_the_same(tmp_path):
    for form, runs in forms(tmp_path).items():
        fusion = RankFusion(runs).fit(QUERIES)
        assert fusion.predict(QUERIES) == RankFusion(RUNS).fit(QUERIES).predict(QUERIES), form
    assert list(RankFusion(forms(tmp_path)["a list of files"]).fit(QUERIES).weights_) == [
        "bm25.run",
        "dense.run",
    ]
    assert list(RankFusion([BM25, DENSE]).fit(QUERIES).weights_) == ["run 1", "run 2"]


@pytest.mark.parametrize(
    "queries", [np.array(QUERIES), pd.Series(QUERIES), tuple(QUERIES)], ids=type
)
def test_queries_of_any_sequence(queries):
    fusion = RankFusion(RUNS)
    assert fusion.fit(queries).predict(queries) == fusion.predict(QUERIES)
    assert fusion.predict(["unknown"]) == [{}]


def test_tied_items_share_the_mean_of_their_ranks_whatever_their_order():
    # b, c and d stand at ranks 2 to 4; lists have the ranks of their places.
    scores = {"a": 5, "b": 1, "c": 1, "d": 1, "e": 0}
    for order in ("abcde", "edcba", "cadbe"):
        runs = [{"q": {item: scores[item] for item in order}}, {"q": list("edb")}]
        (fused,) = RankFusion(runs, k=1, weights=[1, 10]).fit(["q"]).predict(["q"])
        expected = {"a": 1 / 2, "b": 1 / 4 + 10 / 4, "c": 1 / 4, "d": 1 / 4 + 10 / 3}
        assert fused == pytest.approx(expected | {"e": 1 / 6 + 10 / 2})


REFUSED = {
    "method": ({"method": "wsum"}, "must be one of 'rrf', 'sum'"),
    "normalize": ({"normalize": "max"}, "one of 'minmax', 'zscore', 'none'"),
    "k": ({"k": -1}, "'k' parameter of RankFusion"),
    "a name": ({"weights": {"bm52": 1}}, "has 'bm52', which is not a run; .*did you mean 'bm25'"),
    "too few": ({"weights": [1]}, "or 2 numbers, one for each of 'bm25', 'dense', got"),
    "negative": ({"weights": [1, -1]}, r"weights\['dense'\] must be a finite number of at least"),
    "none left": ({"weights": [0, 0]}, "weights are 0 for all runs"),
    "one run": ({"runs": {"bm25": BM25}}, "with two or more runs"),
    "a run": ({"runs": BM25}, r"runs\['q1'\] must be|runs\['q1'\]: "),
    "lists": ({"runs": [BM25, {"q1": ["a"]}], "method": "sum"}, "have only ranked lists: 'run 2'"),
    "twice": ({"runs": [BM25, {"q1": ["a", "b", "a"]}]}, "has item 'a' of query 'q1' more than"),
    "NaN": ({"runs": [BM25, {"q1": {"a": np.nan}}]}, "'run 2'.* contains NaN at item 'a' of"),
    "text": ({"runs": [BM25, {"q1": {"a": "0.5"}}]}, r"runs\['run 2'\]: .*has the score '0.5'"),
    "types": ({"runs": [BM25, {"q1": {1: 0.5}}]}, "items of the runs never match"),
    "a frame": ({"runs": [BM25, pd.DataFrame({"q": [1]})]}, "Run.from_columns reads columns"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    options, message = REFUSED[case]
    errors = (InvalidParameterError, TypeError, ValueError, DuplicateItemError)
    with pytest.raises(errors, match=message):
        RankFusion(**{"runs": RUNS, **options}).fit(QUERIES, TRUTHS)


def test_queries_of_no_run_are_refused():
    with pytest.raises(QueryMismatchError, match="no run has any of the 1 queries: 'Q1'"):
        RankFusion(RUNS).fit(["Q1"])
    with pytest.raises(TypeError, match=r"array of shape \(3, 1\)"):
        RankFusion(RUNS).fit(np.array(QUERIES)[:, np.newaxis])


def test_runs_are_looked_at_once_as_evaluate_does():
    # Distances rise along all rankings; "b " is another spelling of "b".
    truths = {f"q{n}": {"a"} for n in range(12)}
    good = {query: {"a": 2.0, "b": 1.0} for query in truths}
    distances = {query: {"a": 1.0, "b": 2.0, "c": 3.0} for query in truths}
    spelled = {query: {"A": 2.0, "b": 1.0} for query in truths}
    queries, y = list(truths), list(truths.values())
    for run, category, message in (
        (distances, RankingOrderWarning, "run 'other': scores rise along"),
        (spelled, RankingDataWarning, "run 'other': no relevant item of any query"),
    ):
        with pytest.warns(category, match=message):
            fusion = RankFusion({"good": good, "other": run}).fit(queries, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            clone(fusion).fit(queries, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankFusion({"good": good, "few": {"q0": {"a": 1.0}}}).fit(queries[1:], y[1:])


class Counted(dict):
    """A run that nobody copies."""

    def __deepcopy__(self, memo):
        raise AssertionError("copied")

    __copy__ = __reduce_ex__ = __deepcopy__


def test_clones_share_the_runs_and_read_them_once(monkeypatch):
    read = []
    monkeypatch.setattr(
        "sklearn_rank.rankers.fusion._read_runs",
        lambda runs, plain=RankFusion.__init__.__globals__["_read_runs"]: (
            read.append(1) or plain(runs)
        ),
    )
    runs = {name: Counted(run) for name, run in RUNS.items()}
    grid = {"weights": [{"dense": 0.5}, {"dense": 2}], "k": [1, 60], "method": ["rrf", "sum"]}
    search = GridSearchCV(RankFusion(runs), grid, scoring=ndcg_scorer, cv=KFold(3))
    search.fit(QUERIES, TRUTHS)
    assert read == [1]
    assert search.best_estimator_.runs is runs
    assert clone(search).estimator.runs is runs
    fusion = RankFusion(runs, weights={"dense": 2})
    assert clone(fusion).weights == {"dense": 2}
    assert clone(fusion).weights is not fusion.weights
    other = fusion.fit(QUERIES).set_params(runs=RUNS | {"third": {"q1": ["z"]}}).fit(QUERIES)
    assert "z" in other.predict(["q1"])[0]


def test_a_search_chooses_what_evaluate_would():
    rng = np.random.default_rng(0)
    names = [f"q{n}" for n in range(30)]
    truths = [{f"d{n}"} for n in rng.integers(0, 20, 30)]
    first, second = (
        {
            query: {f"d{n}": float(rng.normal() + (f"d{n}" in truth) * sign) for n in range(20)}
            for query, truth in zip(names, truths, strict=True)
        }
        for sign in (0.3, 2.0)
    )
    weights = [{"b": 0.1}, {"b": 1}, {"b": 10}]
    fusion = RankFusion({"a": first, "b": second})
    search = GridSearchCV(fusion, {"weights": weights}, scoring=ndcg_scorer, cv=KFold(5))
    search.fit(np.array(names), truths)
    for weight, score in zip(weights, search.cv_results_["mean_test_score"], strict=True):
        fused = RankFusion(fusion.runs, weights=weight).fit(names).predict(names)
        assert score == pytest.approx(evaluate(truths, fused, "ndcg")["ndcg"])
    assert search.best_params_ == {"weights": {"b": 10}}


@pytest.mark.parametrize("journey", [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy])
def test_fusions_after_a_journey(journey):
    fusion = RankFusion(RUNS, weights=[1, 3]).fit(QUERIES)
    assert journey(fusion).predict(QUERIES) == fusion.predict(QUERIES)


def test_a_representation_names_the_runs():
    runs = {name: Run.from_columns(["q"] * 3, list("abc")) for name in ("bm25", "dense")}
    assert repr(RankFusion(runs, k=10)) == "RankFusion(<['bm25', 'dense']>, k=10)"
    assert repr(RankFusion(list(runs.values()))) == "RankFusion(<2 runs>)"
