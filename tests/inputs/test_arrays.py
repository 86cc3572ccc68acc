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
    UndefinedMetricWarning,
    evaluate,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
)
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


def test_masked_arrays_are_refused_if_anything_is_masked():
    masked = np.ma.array(SCORES, mask=[0, 1, 0, 0])
    for columns, name in (((GRADES, masked), "y_score"), ((masked, SCORES), "y_true")):
        with pytest.raises(TypeError, match=rf"{name} is a masked array; .*drop or fill"):
            mean_average_precision_score(*columns, groups=GROUPS)
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
