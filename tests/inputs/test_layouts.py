"""Layouts against each other: same data, same bits; ids of any dtype stay apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank import evaluate

# Layouts against each other ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_layouts_agree_to_the_last_bit(seed, ties):
    rng = np.random.default_rng(seed)
    n_queries, n_items = 12, 9
    grades = np.maximum(rng.integers(-3, 4, (n_queries, n_items)), 0)
    scores = rng.integers(0, 5, (n_queries, n_items)).astype(np.float64)
    names = [f"d{item}" for item in range(n_items)]
    truth = [dict(zip(names, row, strict=True)) for row in grades.tolist()]
    run = [dict(zip(names, row, strict=True)) for row in scores.tolist()]
    queries = [f"q{query}" for query in range(n_queries)]
    measures = (
        *("map", "mar@3", "mrr", "p@3", "recall@3", "f1@3", "ndcg@4", "err", "nerr@3", "lag"),
        *("gauc", "lauc@3", "auc", "auc(average=pooled)", "hit_rate@2"),
    )
    options = {"ties": ties, "zero_division": np.nan}
    wanted = evaluate(grades, scores, measures, **options)
    others = {
        "sparse": evaluate(sparse.csr_array(grades), scores, measures, **options),
        "rows": evaluate(
            grades.ravel(), scores.ravel(), measures, groups=np.repeat(queries, n_items), **options
        ),
        "lists": evaluate(truth, run, measures, **options),
        "mapping": evaluate(
            dict(zip(queries, truth, strict=True)),
            dict(zip(queries, run, strict=True)),
            measures,
            **options,
        ),
    }
    for name, other in others.items():
        assert dict(other.scores) == dict(wanted.scores), name
        for one in wanted.per_query:
            np.testing.assert_array_equal(other.per_query[one], wanted.per_query[one], name)


@pytest.mark.parametrize(
    "ids",
    [
        np.array([(1, 2), (1, 3)], dtype="i,i"),
        np.array([b"a", b"b"]).view("V1"),
        np.array([2, 1], dtype="m8[s]"),
        np.array(["b", "a"]),
        np.array([False, True]),
    ],
)
def test_query_ids_of_any_dtype_tell_queries_apart(ids):
    rows = np.repeat(ids, 2)
    assert evaluate([1, 0, 0, 1], [2.0, 1, 2, 1], "mrr", groups=rows)["mrr"] == 0.75


@pytest.mark.skipif(np.__version__ < "2", reason="NumPy 2 brought strings of any length")
@pytest.mark.parametrize("missing", [None, math.nan])
def test_a_missing_query_id_among_strings_of_any_length_is_refused(missing):
    ids = np.array(["q", "q", missing], dtype=np.dtypes.StringDType(na_object=missing))
    with pytest.raises(ValueError, match=r"groups contains missing values \(row 2\)"):
        evaluate([1, 0, 1], [1.0, 2, 3], "mrr", groups=ids)
    assert evaluate([1, 0], [1.0, 2], "mrr", groups=ids[:2])["mrr"] == 0.5


def test_strings_of_numpy_are_made_plain_wherever_they_stand():
    mixed = {"a": 1, np.str_("b"): 2}
    placements = evaluate({"q": mixed}, {"q": mixed}, "map", keep_items=True).placements()
    assert {type(hit.item) for one in placements for hit in one.hits} == {str}
