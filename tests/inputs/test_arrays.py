"""Containers of numbers: nulls, masks, tensors, memory layouts; none is ever written to."""

import copy
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sklearn_rank import (
    RankingDataWarning,
    UndefinedMetricWarning,
    evaluate,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
)
from sklearn_rank.exceptions import RankingConfigError
from sklearn_rank.inputs import RelevanceInput
from tests.inputs.cases import GRADES, GROUPS, SCORES, shown

NULLS = [
    pd.Series([1, None, 0, 1], dtype="Int64"),
    pd.Series([1, None, 0, 1], dtype="Float64"),
    pd.array([1, None, 0, 1], dtype="Int64"),
    pd.Series([True, None, False, True], dtype="boolean"),
    pl.Series([1, None, 0, 1]),
    pl.Series([1.0, None, 0, 1]),
    pa.array([1, None, 0, 1]),
    pa.chunked_array([[1, None], [0, 1]]),
]


@pytest.mark.parametrize("column", NULLS)
def test_nulls_are_errors_like_nan(column):
    with pytest.raises(
        ValueError,
        match=r"y_score contains (NaN at row 1 of query 'a'|missing values \(position 1\))",
    ):
        mean_average_precision_score(GRADES, column, groups=GROUPS)
    with pytest.raises(
        ValueError,
        match=r"y_true contains (NaN at row 1 of query 'a'|missing values \(position 1\))",
    ):
        mean_average_precision_score(column, SCORES, groups=GROUPS)


def test_a_mask_of_grades_is_refused_and_one_of_scores_says_what_is_ranked():
    masked = np.ma.array(SCORES, mask=[0, 1, 0, 0])
    with pytest.raises(TypeError, match=r"y_true has masked values; drop or fill"):
        mean_average_precision_score(masked, SCORES, groups=GROUPS)
    value = mean_average_precision_score(GRADES, np.ma.array(SCORES), groups=GROUPS)
    assert value == (1 + 1 / 2) / 2


class Tensor:
    """As much of a tensor as is asked for."""

    def __init__(self, values, device):
        self.values, self.device, self.requires_grad = values, type("D", (), {"type": device})(), 1

    def detach(self):
        self.requires_grad = 0
        return self

    def __len__(self):
        return len(self.values)

    def __array__(self, dtype=None, copy=None):
        assert not self.requires_grad
        return np.array(self.values, dtype=dtype)


def test_tensors_of_the_host_are_read_and_others_refused():
    value = mean_reciprocal_rank_score(GRADES, Tensor(SCORES, "cpu"), groups=GROUPS)
    assert value == (1 + 1 / 2) / 2
    with pytest.raises(TypeError, match=r"y_score is a tensor on .*; pass y_score\.cpu\(\)"):
        mean_reciprocal_rank_score(GRADES, Tensor(SCORES, "cuda"), groups=GROUPS)


VIEWS = {
    "read-only": lambda a: (a.setflags(write=False), a)[1],
    "negative strides": lambda a: a[::-1].copy()[::-1],
    "not contiguous": lambda a: np.repeat(a, 2)[::2],
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "object": lambda a: a.astype(object),
    "memoryview": memoryview,
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_memory_layouts_of_columns(view, ties):
    grades, scores = view(np.array(GRADES, dtype=np.float64)), view(np.array(SCORES))
    value = mean_reciprocal_rank_score(grades, scores, groups=GROUPS, ties=ties)
    assert value == (1 + 1 / 2) / 2


ARRAYS = {
    "rows": (
        np.array([1.0, 0, 2, 0, 1]),
        np.array([1.0, 1, 2, 3, 3]),
        {"groups": np.array([2, 1, 2, 1, 1]), "sample_weight": np.array([1.0, 2, 1, 2, 2])},
    ),
    "float32 rows": (
        np.array([1, 0, 2, 0, 1], dtype=np.float32),
        np.array([1.0, -0.0, 0.0, 3, 3], dtype=np.float32),
        {"groups": np.array([1, 1, 1, 1, 1])},
    ),
    "long rows": (
        np.arange(400) % 200 == 0,
        np.arange(400) % 50,
        {"groups": np.zeros(400, dtype=int)},
    ),
    "matrix": (np.array([[1.0, 0, 2], [0, 1, 0]]), np.array([[1, 1, 2], [3, 3, 1.0]]), {}),
    "sparse": (sparse.csr_array(np.array([[1.0, 0, 2], [0, 1, 0]])), np.ones((2, 3)), {}),
    "coo": (
        sparse.coo_array(([1.0, 1.0, 0.0], ([0, 0, 1], [1, 1, 2])), shape=(2, 3)),
        np.ones((2, 3)),
        {"sample_weight": np.array([1.0, 2.0])},
    ),
    "lists": ([{"a": 2, "b": 0}, {"c": 1}], [["b", "a", "a"], ["x", "c"]], {"duplicates": "first"}),
    "mapping": (
        {"p": {"a": 2, "b": 0}, "q": {"c": 1}},
        {"q": {"c": 1, "x": 1}, "z": {"w": 1}},
        {"sample_weight": {"p": 1, "q": 2}},
    ),
    "relevance": (
        [{"a"}],
        [["b", "a"]],
        {"relevance": RelevanceInput([[1, 2]], higher_is_better=False)},
    ),
}


def frozen(value):
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif sparse.issparse(value):
        for part in ("data", "indices", "indptr", "row", "col"):
            if hasattr(value, part):
                frozen(getattr(value, part))
    elif isinstance(value, dict):
        for one in value.values():
            frozen(one)
    return value


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_inputs_are_never_modified(name, ties):
    given = copy.deepcopy(ARRAYS[name])
    before = shown(given[0]), shown(given[1]), shown(given[2])
    y_true, y_score, own = frozen(given[0]), frozen(given[1]), frozen(given[2])
    ties = "stable" if name == "relevance" else ties  # ranked lists stand as given
    measures = ("map", "mar@2", "mrr", "p@2", "ndcg", "err", "nerr", "lag", "auc", "gauc", "lauc@2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        evaluate(y_true, y_score, measures, ties=ties, **own)
    assert (shown(y_true), shown(y_score), shown(own)) == before


def test_candidates_of_rows():
    """Rows that are not ranked keep their judgement, as what a threshold leaves out does."""
    grades, scores = [1, 1, 0, 1, 0, 0], [0.9, 0.2, 0.7, 0.6, 0.8, 0.1]
    kept = np.array([True, False, True, True, True, False])
    wanted = (1 / 2 + 1 / 1) / 2  # one of two was ranked, then one of one
    order = [4, 0, 2, 5, 1, 3]
    groups = np.array([1, 1, 1, 2, 2, 2])
    for rows in (list(range(6)), order):
        sides = np.array(grades)[rows], np.array(scores)[rows]
        options = {"groups": groups[rows], "candidates": kept[rows]}
        assert evaluate(*sides, "recall@3", **options)["recall@3"] == wanted
    masked = np.ma.masked_less(scores, 0.5)
    assert evaluate(grades, masked, "recall@3", groups=groups)["recall@3"] == wanted
    # A score or grade of what is left out is not looked at: NaN, or -1 for padding.
    padded = [1, -1, 0, 1, 0, np.nan], [0.9, np.nan, 0.7, 0.6, 0.8, np.nan]
    assert evaluate(*padded, "mrr", groups=groups, candidates=kept)["mrr"] == (1 + 1 / 2) / 2
    with pytest.raises(
        ValueError, match=r"grade \(-1\).*leave out padding, pass candidates=y_true"
    ):
        evaluate([1, -1], [0.5, 0.2], "mrr", groups=[1, 1])


SIZES = [2, 3, 2, 3, 4]
OF_SIZES = np.repeat(SIZES, SIZES)


def test_groups_that_are_grades_or_sizes():
    grades, scores = np.arange(14) % 2, np.arange(14.0)
    with pytest.warns(RankingDataWarning, match="groups look like repeated group sizes"):
        evaluate(grades, scores, "mrr", groups=OF_SIZES, zero_division=0.0)
    with pytest.warns(RankingDataWarning, match="groups equals y_true"):
        evaluate(grades, scores, "mrr", groups=grades, zero_division=0.0)
    with pytest.raises(RankingConfigError, match=r"pass \[{item} for item in y_true\]"):
        evaluate(np.array([3, 7]), np.array([[3, 1], [1, 7]]), "mrr")


@pytest.mark.parametrize(
    ("groups", "grades"),
    [
        ([*[1, 2, 2] * 4, 1, 1], None),  # two queries, scattered
        ([*[1, 2, 3, 4, 5, 6, 7] * 2], None),
        ([10, 10, 20, 20, 10, 10, 20, 20, 30, 30, 10, 10, 30, 30], None),
        (np.repeat(SIZES, 14)[:14], None),
        ([1] * 14, [1] * 14),  # one query of relevant items
        (np.repeat(np.arange(5), SIZES), None),
        (OF_SIZES.astype(str), None),
    ],
)
def test_groups_that_are_query_ids(groups, grades):
    grades = np.arange(14) % 2 if grades is None else grades
    evaluate(grades, np.arange(14.0), "mrr", groups=groups, zero_division=0.0)


def test_orders_and_ids_in_place_of_scores():
    truth = np.eye(12, dtype=int)
    drawn = np.random.default_rng(0).permuted(np.tile(np.arange(12), (12, 1)), axis=1)
    with pytest.raises(ValueError, match="0 to 11 once for each query, like the output"):
        evaluate(truth, drawn, "mrr")
    rows, queries = (truth.ravel(), drawn.ravel()), np.repeat(np.arange(12), 12)
    with pytest.raises(ValueError, match="0 to 11 once for each query, like the output"):
        evaluate(*rows, "mrr", groups=queries)
    evaluate(rows[0], rows[1] + 1, "mrr", groups=queries)
    by_rank = 11 - np.abs(np.arange(12) - np.arange(12)[:, None])
    ranks = np.argsort(np.argsort(by_rank, axis=1, kind="stable"), axis=1)
    assert evaluate(truth, ranks, "mrr")["mrr"] == 1.0  # whole scores are right scores
    ids = np.array([[3, 17, 42], [8, 17, 1]]), np.array([[17, 42, 5], [1, 3, 8]])
    with pytest.warns(RankingDataWarning, match="read as grades and scores of items in columns"):
        evaluate(*ids, "mrr")
    clicks = np.array([[120, 3, 45], [7, 0, 2]]), np.array([[5, 9, 1], [2, 4, 3]])
    evaluate(*clicks, "mrr")  # warnings are errors in these tests
