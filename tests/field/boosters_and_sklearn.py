"""What users of scikit-learn, LightGBM, XGBoost and other learners of rankings have reported."""

import math
from math import log2

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.inspection import permutation_importance
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_predict,
    cross_val_score,
    permutation_test_score,
)

from sklearn_rank import (
    QueryKFold,
    QueryRanker,
    compare,
    evaluate,
    mean_average_precision_score,
    mrr_scorer,
    ndcg_at_k_score,
)
from sklearn_rank.exceptions import SearchStopped, UndefinedMetricWarning
from tests.field.row import Printed, Refused, Table, Warned
from tests.field.row import matrix as M  # noqa: N812

A = np.array
QID = np.repeat([*"abcdef"], 3)
GRADES = np.tile([0, 1, 0], 6)
X = np.column_stack([np.tile([3.0, 2.0, 1.0], 6), np.tile([1.0, 3.0, 2.0], 6)])
FRAME = pd.DataFrame(X, columns=["wrong", "right"], index=pd.Index(QID, name="qid"))
ROWS_OF = {"groups": [*"aabb"]}
SECOND, FIRST = 1 / 2, 1 / 1
"""Reciprocal ranks of the relevant row by the first and by the second column."""


class Column(RegressorMixin, BaseEstimator):
    """Predicts a column of X."""

    def __init__(self, n=0):
        self.n = n

    def fit(self, X, y, **fitted):
        self.fitted_ = fitted
        self.feature_importances_ = np.arange(2.0)
        return self

    def predict(self, X):
        return np.asarray(X)[:, self.n]


def search(scoring=mrr_scorer, cv=None, y=GRADES, data=FRAME, groups=QID):
    found = GridSearchCV(Column(), {"n": [0, 1]}, scoring=scoring, cv=cv or GroupKFold(3))
    found.fit(data, y, groups=groups)
    return found.best_score_ if found.best_params_ == {"n": 1} else "the wrong candidate"


def routed():
    with config_context(enable_metadata_routing=True):
        return search(data=X)


def nested():
    inner = GridSearchCV(Column(), {"n": [0, 1]}, scoring=mrr_scorer, cv=QueryKFold(2))
    return float(cross_val_score(inner, FRAME, GRADES, scoring=mrr_scorer, cv=QueryKFold(3)).mean())


def predicted():
    inner = GridSearchCV(Column(), {"n": [0, 1]}, scoring=mrr_scorer, cv=QueryKFold(2))
    answers = cross_val_predict(inner, FRAME, GRADES, cv=QueryKFold(3))
    return evaluate(GRADES, answers, "mrr", groups=QID)["mrr"]


def permuted():
    given = permutation_test_score(
        Column(1),
        FRAME,
        GRADES,
        scoring=mrr_scorer,
        cv=QueryKFold(3),
        n_permutations=3,
        random_state=0,
    )
    return float(given[0])


def importance():
    found = permutation_importance(
        Column(1), X, GRADES, scoring=mrr_scorer.bind(QID), n_repeats=2, random_state=0
    )
    return found.importances_mean[0] == 0 < found.importances_mean[1]


def spoiled(value):
    y = GRADES.astype(float)
    y[4] = value
    return y


class LGBMRanker(Column):
    """A ranker by its name and the argument of its `fit`."""

    __module__ = "lightgbm.sklearn"

    def fit(self, X, y, group=None, eval_set=None, eval_group=None):
        return super().fit(X, y, group=group)


def fitting(**given):
    return lambda: QueryRanker(LGBMRanker()).fit(FRAME, GRADES, **given)


def slices():
    truth, run = {"a": {"x"}, "b": {"y"}}, {"a": ["x"], "b": ["z", "y"]}
    parts = evaluate(truth, run, "mrr").by_slice({"a": "head", "b": "tail"})
    return {label: part["mrr"] for label, part in parts.items()}


def three():
    results = [evaluate(GRADES, X[:, n], "mrr", groups=QID) for n in (0, 1, 0)]
    return compare(*results)


GAINS = 2**31 - 1
GROUPS = {"groups": [*"aaabbb"]}
IDS = "id|array"
ONE_COLUMN = {"scorer": "y of one column is that of rows"}
ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

row("scikit-learn#27726", M("1 1 1 1"), M("0.4 0.3 0.2 0.1"), "ndcg", 1.0)
row("scikit-learn#27726", [[1, 1, 1, 1]], [[0.4, 0.3, 0.2, 0.1]], "ndcg", Refused("array|groups"))
wanted = Refused("negative.*row 1|row 1.*negative|-3")
row("scikit-learn#17639", M("1 0 | -3 1"), M("1 2 | 3 4"), "ndcg", wanted)
row("scikit-learn#21335", M("1 | 1"), M("0 | 0"), "ndcg", 1.0, {}, ONE_COLUMN)
TEXT = {"files": "ids in files are text"}
row("scikit-learn#21335", [[1]], [[0]], "ndcg", Printed(0.0, "lists of item ids"), {}, TEXT)
wanted = Refused("groups|2-D|column_stack|\\[:, 1\\]")
row("scikit-learn#9921", A([1, 0]), M("0.1 0.9 | 0.8 0.2"), "ndcg", wanted)
wanted = math.fsum(1 / n for n in range(1, 1001)) / 1000
row("scikit-learn#6377", A([[1] + [0] * 999]), np.zeros((1, 1000)), "map", wanted)
row("scikit-learn#22431", M("1 0 1 0"), np.zeros((1, 4)), "precision@2", (1 / 2 + 1 / 2) / 2)
options = {"sample_weight": [1, 2], "zero_division": 1.0}
wanted = (1 * 1 / 2 + 2 * 1.0) / (1 + 2)
row("scikit-learn#13447", M("1 0 | 0 0"), M("0.1 0.9 | 0.9 0.1"), "map", wanted, options)
judged = sparse.csr_array(M("1 0 | 0 1"))
row("scikit-learn#22575", judged, M("0.9 0.1 | 0.9 0.1"), "map", (1 + 1 / 2) / 2)
row("scikit-learn#22575", M("1 0"), sparse.csr_array(M("0.9 0.1")), "map", Refused("sparse"))
wanted = Warned(1.0, "ndcg", UndefinedMetricWarning)
row("scikit-learn#29521", M("1 0 | 0 0"), M("1 0 | 0 0"), "ndcg", wanted)
wanted = Warned(1.0, "gauc", UndefinedMetricWarning)
row("scikit-learn#30079", M("1 1 | 1 0"), M("3 1 | 2 1"), "gauc", wanted)
wanted = Refused("zero_division")
row("scikit-learn#27412", M("1 0"), M("2 1"), "gauc", wanted, {"zero_division": 0.5})
row("scikit-learn#2805: rows", [0, 1, 1, 0], [3, 2, 2, 1], "map", (1 / 2 + 1) / 2, ROWS_OF)
call("scikit-learn#31360", {"search": routed}, FIRST)
call("scikit-learn#32517", {"search": nested}, FIRST)
call("scikit-learn#22256", {"search": predicted}, FIRST)
call("scikit-learn#8127", {"search": permuted}, FIRST)
call("scikit-learn#11187", {"importance": importance}, True)
doors = {"search": search, "series": lambda: search(y=pd.Series(GRADES, FRAME.index))}
call("xgboost#8859", doors, FIRST)
# Nested lists of grades and scores are no lists of ids
wanted = Warned(0.0, "grades|arrays")
row("scikit-learn#20119", [[6, 5, 4, 3, 2, 1]], [[120, -2, -6, -3, 9, 12]], "mrr", wanted)
ranked = [[9, 8, 7, 5], [12, 14, 17, 19]]
judged = [[3, 2, 0, 1], [0, 1, 2, 3]]
row("scikit-learn#20119", judged, ranked, "mrr", Warned(0.0, "grades|arrays"))
row("openillumi.com: ndcg_score", [[1, 0]], [[-1, -2]], "ndcg", Warned(0.0, "grades|arrays"))
judged = [[0.9, 0.1], [0.2, 0.7]]
row("scikit-learn#20119", judged, [[0.2, 0.1], [0.3, 0.9]], "ndcg", Refused("arrays"))
wanted = Refused("arrays|fraction")
row("fractions per query", {"q": [1.5]}, {"q": [1.5, 2.0]}, "mrr", wanted, {}, TEXT)
row("ids after a pandas upcast", [[1.0, 3.0]], [[3.0, 2.0, 1.0]], "map", (1 + 2 / 3) / 2)
row("a catalogue numbered from 0", [[0, 4], [1, 2]], [[4, 0], [3, 1]], "mrr", (1 + 1 / 2) / 2)
source = "permutations of a small catalogue"
row(source, [[3, 1, 2], [2, 1, 3]], [[1, 2, 3], [3, 2, 1]], "map", 1.0)
row("-1 is an id", [[-1], [7]], [[5, -1], [7, -1]], "mrr", (1 / 2 + 1) / 2)
ranked = [[1, -847362514], [99182736455, 2]]
row("hashes are negative", [[-847362514], [99182736455]], ranked, "mrr", (1 / 2 + 1) / 2)
ranked = A([[(n * 3 + 1) % 50, n * 11 % 50] for n in range(12)])
judged = A([[n, (n * 7 + 3) % 50] for n in range(12)])
row("ids of a collection of 50", judged, ranked, "recall@2", Warned(1.0, IDS))
# LightGBM, XGBoost, and rankers by hand
wanted = 7 / log2(3) / (7 + 3 / log2(3))
row("LightGBM#6814", M("3 0 2"), M("0.5 0.9 0.1"), "ndcg@2", wanted, {"convention": "lightgbm"})
wanted = 7 / log2(3) / (7 + 3 / log2(3))
row("xgboost#11235", M("3 0 2"), M("0.5 0.9 0.1"), "ndcg@2", wanted, {"convention": "xgboost"})
call("LightGBM#942", {"by_slice": slices}, {"head": 1.0, "tail": 1 / 2})
row("LightGBM#1090: label 31", M("0 31"), M("2 1"), "dcg", GAINS / log2(3))
options = {"zero_division": 0.0}
row("xgboost#2208", M("1 0 | 0 0"), M("1 2 | 1 2"), "map@5", (1 / 2 + 0) / 2, options)
wanted = Warned(1 / 2, "zero_division", UndefinedMetricWarning)
row("xgboost#2208", M("1 0 | 0 0"), M("1 2 | 1 2"), "map@5", wanted)
row("xgboost#2704", [1, 0, 0, 1], [1, 2, 4, 3], "ndcg@1", 0.0, ROWS_OF)
row("catboost: one pool of two queries", [1, 0, 0, 1], [1, 2, 3, 4], "mrr", Refused("groups"))
source = "LightGBM#5660: sizes are no groups"
wanted = Refused("np.repeat|sizes|groups")
row(source, [1, 0, 0, 1], [1, 2, 3, 4], "mrr", wanted, {"groups": [2, 2]})
ranked = [[0.2, 0.7], [0.1, 0.5, 0.3]]
row("MIND: ragged impressions", [[0, 1], [1, 0, 0]], ranked, "mrr", Refused("groups"))
for name, value in (("qid", QID), ("group", [3] * 6)):
    call(f"xgboost#4844: {name}=", {"QueryRanker": fitting(**{name: value})}, Refused("groups="))
doors = {"QueryRanker": lambda: fitting(groups=QID)().feature_importances_.tolist()}
call("QueryRanker shows what was fitted", doors, [0.0, 1.0])
# Searches that would let the first candidate win
for name, scoring in (
    ("scoring=", ndcg_at_k_score),
    ("make_scorer", make_scorer(ndcg_at_k_score)),
    ("make_scorer of MAP", make_scorer(mean_average_precision_score)),
    ("make_scorer with groups", make_scorer(mean_average_precision_score, groups=QID)),
):
    doors = {"search": lambda scoring=scoring: search(scoring)}
    call(f"LightGBM#3018: {name}", doors, Refused("ndcg_scorer|map_scorer", SearchStopped))
for value in (-1, math.nan, math.inf):
    doors = {"search": lambda value=value: search(y=spoiled(value))}
    call(f"one grade of {value}", doors, Refused("y|grade", SearchStopped))
call("no query ids", {"search": lambda: search(data=X)}, Refused("query id", SearchStopped))
call("LightGBM#1137: routing of the ids", {"search": routed}, FIRST)
call("three results in a row", {"compare": three}, Refused('\\{.*"?a"?'))
# Padding, and rows that were not retrieved
row("ranking#178", M("0 1"), M("1 0"), "mrr", 1 / 2)
options = {"candidates": A([[True, True, False, False]])}
row("ranking#40: padded batch", M("0 1 -1 -1"), M("0.9 0.5 0.7 0.8"), "mrr", 1 / 2, options)
wanted = Refused("padding.*candidates|candidates.*padding")
row("allRank#17: padding", M("0 1 -1 -1"), M("0.9 0.5 0.7 0.8"), "mrr", wanted, {}, {})
options = {**GROUPS, "candidates": [True, False, True, True, True, False]}
ranked = [0.9, 0.2, 0.7, 0.6, 0.8, 0.1]
row("torchmetrics#3104: rows", [1, 1, 0, 1, 0, 0], ranked, "recall@3", (1 / 2 + 1) / 2, options)
ranked = np.ma.masked_less([0.9, 0.2, 0.7, 0.6, 0.8, 0.1], 0.5)
source = "torchmetrics#3104: masked rows"
row(source, [1, 1, 0, 1, 0, 0], ranked, "recall@3", (1 / 2 + 1) / 2, GROUPS)
ranked = np.ma.masked_array([[0.9, 0.5, 0.7, 0.8]], [[0, 0, 1, 1]])
row("padded and masked", M("0 1 0 0"), ranked, "mrr", 1 / 2)
options = {"candidates": ~np.eye(12, 30, dtype=bool)}
wanted = Warned(0.0, "no relevant item|candidates")
ranked = np.arange(360.0).reshape(12, 30)
row("a mask upside down", np.eye(12, 30, dtype=int), ranked, "mrr", wanted, options)
apart = (np.arange(30) - np.arange(40)[:, None]) % 30
judged, seen = (apart == 0).astype(int), (apart > 0) & (apart < 10)
row("candidates: not seen", judged, -apart, "mrr", 1.0, {"candidates": ~seen})
seen[:2] |= apart[:2] == 0
wanted = Warned(2 / 40, "only 2 of 40 relevant items are candidates, but 31% of")
row("candidates: seen", judged, -apart, "mrr", wanted, {"candidates": seen})
ranked = np.ma.masked_array(-apart, ~seen)
row("a mask of what is not seen", judged, ranked, "mrr", wanted)
options = {"groups": np.repeat(np.arange(40), 30), "candidates": seen.ravel()}
row("candidates of rows: seen", judged.ravel(), -apart.ravel(), "mrr", wanted, options)
judged = np.arange(10) != np.arange(36)[:, None] % 6
ranked = np.tile(np.arange(10.0)[::-1], (36, 1))
wanted = Warned((30 + 6 / 2) / 36, "or invert the labels: 90% of the items are relevant")
row("labels upside down", judged, ranked, "mrr", wanted)
judged = np.arange(10) % 2 != np.arange(36)[:, None] % 2
row("half of the items are relevant", judged, ranked, "mrr", (1 + 1 / 2) / 2)
# Arrays that are something else
ranked = np.array([np.random.default_rng(n).permutation(12) for n in range(12)])
row("argsort as scores", np.eye(12, dtype=int), ranked, "mrr", Refused("argsort"))
per_row = {"groups": np.repeat(np.arange(12), 12)}
wanted = Refused("argsort")
row(
    "argsort as scores of rows",
    np.eye(12, dtype=int).ravel(),
    ranked.ravel(),
    "mrr",
    wanted,
    per_row,
)
judged, ranked = [0, 1] * 5, [1.0, 2] * 5
wanted = Warned(1.0, "groups equals y_true")
row("grades as groups", judged, ranked, "mrr", wanted, {"groups": judged})
sizes = [2, 3, 2, 3, 4]
options = {"groups": np.repeat(sizes, sizes)}
judged, ranked = [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], [*range(14, 0, -1)]
row("sizes of queries repeated", judged, ranked, "mrr", Warned(1.0, "np.repeat"), options)
pair = np.array([[3, 1], [7, 2]]), np.array([[0.9, 0.8], [0.7, 0.6]])
row("implicit: a pair of recommend", [{3}, {2}], pair, "mrr", Refused("implicit.*ids.tolist"))
wanted = Refused("{item} for item in y_true")
only = {"scorer": "its y of one dimension has a row for each item"}
row("one relevant id each", np.array([3, 7]), pair[0], "mrr", wanted, {}, only)
by_name = pd.Series([3.0, 1.0], ["b", "a"])
options = {"query_ids": ["a", "b"], "sample_weight": by_name}
row("weights in another order", [{3}, {2}], [[3], [2]], "mrr", Refused("another order"), options)
wanted = Printed(1.0, "1 query")
source = "sizes of equal queries repeated"
row(source, [1, 0] * 12, [2, 1] * 12, "mrr", wanted, {"groups": [2] * 24})
wanted = Refused("query_ids.*(order|set)")
options = {"query_ids": {"q1", "q2"}}
row("query ids as a set", [{"a"}, {"b"}], [["a"], ["b"]], "mrr", wanted, options)
options = {"sample_weight": pd.Series([1, 2], index=[1, 0])}
wanted = Refused("weight.*(index|order)")
row("shuffled weights", [{"a"}, {"b"}], [["a"], ["x", "b"]], "mrr", wanted, options)
