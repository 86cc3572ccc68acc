"""What each layout accepts, with values worked out by hand."""

from __future__ import annotations

import datetime as dt
import math
from collections import OrderedDict, UserDict, deque
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sklearn_rank import (
    DuplicateItemError,
    QueryMismatchError,
    RelevanceInput,
    ScoresRequiredError,
    SharedTruthWarning,
    evaluate,
    group_auc_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_at_k_score,
    ranking_auc_score,
    recall_at_k_score,
)


def case(id, *values):
    return pytest.param(*values, id=id)


# Rows -------------------------------------------------------------------------------------------

# Query A: relevant at rank 2 of 3. Query B: relevant at rank 1 of 2. Rows interleaved.
GRADES = [0, 1, 1, 0, 0]
SCORES = [3.0, 2.0, 5.0, 4.0, 1.0]
MRR = (1 / 2 + 1) / 2


def interleaved(first, second):
    return [first, first, second, second, first]


IDS = [
    case("str", "q1", "q2"),
    case("int", 10, -3),
    case("bool", True, False),
    case("float", 0.5, 1.5),
    case("int and str", 1, "1"),
    case("str and None-like str", "None", "nan"),
    case("tuples", ("a", 1), ("a", 2)),
    case("tuples of other lengths", ("a",), ("a", 2)),
    case("frozensets", frozenset({1}), frozenset({2})),
    case("NUL", "a", "a\0"),
    case("normal forms", "\u00e9", "e\u0301"),
    case("empty and space", "", " "),
    case("int above 2^53", 2**53, 2**53 + 1),
    case("huge int", 10**30, 10**30 + 1),
    case("int above 2^63 and a negative one", 2**63 + 1, -1),
    case("bytes", b"a", b"b"),
    case("dates", dt.date(2020, 1, 1), dt.date(2021, 1, 1)),
    case("timestamps", pd.Timestamp("2020"), pd.Timestamp("2021")),
    case("str and tuple", "a", ("a",)),
]


@pytest.mark.parametrize(("first", "second"), IDS)
@pytest.mark.parametrize("wrap", [list, tuple])
def test_any_hashable_is_a_group(wrap, first, second):
    groups = wrap(interleaved(first, second))
    evaluation = evaluate(GRADES, SCORES, "mrr", groups=groups)
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]
    assert list(evaluation.query_ids) == [first, second]


COLUMNS = {
    "array": np.array,
    "pandas": pd.Series,
    "pandas index": pd.Index,
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow chunked": lambda values: pa.chunked_array([values[:2], values[2:]]),
    "memoryview": lambda values: memoryview(np.array(values)),
}


@pytest.mark.parametrize("wrap", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_grades_scores_and_weights(wrap):
    weights = interleaved(1.0, 3.0)
    value = mean_reciprocal_rank_score(
        wrap(GRADES), wrap(SCORES), groups=interleaved("a", "b"), sample_weight=wrap(weights)
    )
    assert value == (1 * 1 / 2 + 3 * 1) / 4


GROUP_COLUMNS = {
    **{name: wrap for name, wrap in COLUMNS.items() if name != "memoryview"},
    "object array": lambda values: np.array(values, dtype=object),
    "deque": deque,
}


@pytest.mark.parametrize("wrap", GROUP_COLUMNS.values(), ids=GROUP_COLUMNS)
@pytest.mark.parametrize(("first", "second"), [("q1", "q2"), (7, 3), (2.5, 0.5)])
def test_columns_of_groups(wrap, first, second):
    evaluation = evaluate(GRADES, SCORES, "mrr", groups=wrap(interleaved(first, second)))
    assert dict(zip(evaluation.query_ids, evaluation.per_query["mrr"], strict=True)) == {
        first: 1 / 2,
        second: 1.0,
    }


WHEN = [dt.datetime(2020, 1, 1, 12), dt.datetime(2021, 1, 1)]
TYPED = {
    "pandas categorical": pd.Categorical(interleaved("x", "y")),
    "pandas categories": pd.Series(interleaved("x", "y"), dtype="category"),
    "unused category": pd.Series(
        pd.Categorical(interleaved("x", "y"), categories=["w", "y", "x", "z"])
    ),
    "pandas string": pd.Series(interleaved("x", "y"), dtype="string"),
    "pandas Int64": pd.Series(interleaved(1, 2), dtype="Int64"),
    "pandas boolean": pd.Series(interleaved(True, False), dtype="boolean"),
    "pandas datetimes": pd.Series(interleaved(*WHEN)),
    "pandas zoned datetimes": pd.Series(interleaved(*WHEN)).dt.tz_localize("UTC"),
    "pandas periods": pd.Series(pd.PeriodIndex(interleaved("2020", "2021"), freq="Y")),
    "pandas timedeltas": pd.Series(pd.to_timedelta(interleaved(1, 2), unit="D")),
    "datetime64": np.array(interleaved(*WHEN), dtype="M8[us]"),
    "polars categorical": pl.Series(interleaved("x", "y"), dtype=pl.Categorical),
    "polars dates": pl.Series(interleaved(*[when.date() for when in WHEN])),
    "pyarrow dictionary": pa.array(interleaved("x", "y")).dictionary_encode(),
    "pyarrow booleans": pa.array(interleaved(True, False)),
    "fixed width strings": np.array(interleaved("x", "yyy")),
    "fixed width bytes": np.array(interleaved(b"x", b"yyy")),
    "uint8": np.array(interleaved(200, 7), dtype=np.uint8),
    "big-endian": np.array(interleaved(200, 7), dtype=">i4"),
    "read-only": np.broadcast_to(np.array(interleaved(1, 2)), (5,)),
}


@pytest.mark.parametrize("groups", TYPED.values(), ids=TYPED)
def test_typed_columns_of_groups(groups):
    evaluation = evaluate(GRADES, SCORES, "mrr", groups=groups)
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]
    assert len(set(evaluation.query_ids)) == 2


@pytest.mark.parametrize("kind", [list, tuple, pa.array])
def test_large_integers_of_mixed_sign_stay_different_queries(kind):
    # NumPy has no integer type for all three and would round them to two floats.
    first, second = 2**62, 2**62 + 1
    values = (
        [first, second, first, second, -5]
        if kind is pa.array
        else [2 * first, 2 * second, 2 * first, 2 * second, -5]
    )
    evaluation = evaluate([1, 0, 0, 1, 1], [1, 1, 2, 2, 0], "mrr", groups=kind(values))
    assert list(evaluation.query_ids) == [values[0], values[1], -5]
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0, 1.0]


def test_queries_stand_in_order_of_first_appearance():
    evaluation = evaluate([1, 1, 0, 1], [1, 1, 2, 1], "mrr", groups=["z", "a", "z", "m"])
    assert list(evaluation.query_ids) == ["z", "a", "m"]
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0, 1.0]


def test_equal_groups_need_not_be_neighbours():
    groups = np.array([1, 2, 1, 2, 1, 2])
    evaluation = evaluate([1, 0, 0, 0, 0, 1], [1, 3, 2, 2, 3, 1], "mrr", groups=groups)
    assert evaluation.per_query["mrr"].tolist() == [1 / 3, 1 / 3]
    assert list(evaluation.query_ids) == [1, 2]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pl.Series])
def test_group_ids_keep_their_values(kind):
    evaluation = evaluate([1], [1], "mrr", groups=kind(["only"]))
    assert evaluation.query_ids[0] == "only"


# Matrix -----------------------------------------------------------------------------------------

MATRIX = [[0, 2, 1], [0, 0, 1]]
MATRIX_SCORES = [[0.9, 0.8, 0.1], [0.1, 0.2, 0.3]]
# Precisions at the relevant ranks: 1/2 and 2/3; 1.
MATRIX_MAP = ((1 / 2 + 2 / 3) / 2 + 1) / 2

SPARSE = {
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
    "csc_array": sparse.csc_array,
    "coo_matrix": sparse.coo_matrix,
    "coo_array": sparse.coo_array,
    "lil_matrix": sparse.lil_matrix,
    "dok_array": sparse.dok_array,
    "bsr_array": sparse.bsr_array,
}


@pytest.mark.parametrize("wrap", [np.array, *SPARSE.values()], ids=["dense", *SPARSE])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_matrices(wrap, dtype):
    grades = wrap(np.array(MATRIX, dtype=dtype))
    scores = np.array(MATRIX_SCORES)
    assert mean_average_precision_score(grades, scores) == pytest.approx(MATRIX_MAP, rel=1e-15)
    evaluation = evaluate(grades, scores, "ndcg@2")
    assert list(evaluation.query_ids) == [0, 1]
    # Gains 3 at rank 2 against 3 at rank 1 and 1 at rank 2.
    first = (3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert evaluation.per_query["ndcg@2"].tolist() == pytest.approx([first, 1.0], rel=1e-15)


@pytest.mark.parametrize("wrap", [sparse.csr_matrix, sparse.csr_array])
def test_boolean_sparse_matrices(wrap):
    grades = wrap(np.array(MATRIX, dtype=bool))
    value = mean_average_precision_score(grades, np.array(MATRIX_SCORES))
    assert value == pytest.approx(MATRIX_MAP, rel=1e-15)


def test_explicit_zeros_are_not_relevant():
    grades = sparse.csr_array(
        (np.array([0.0, 1.0, 0.0]), np.array([0, 1, 2]), np.array([0, 3])), shape=(1, 3)
    )
    assert mean_average_precision_score(grades, np.array([[3, 2, 1]])) == 1 / 2


def test_duplicate_entries_are_summed():
    entries = ([1.0, 1.0, 1.0], ([0, 0, 0], [1, 1, 0]))
    grades = sparse.coo_array(entries, shape=(1, 2))
    assert grades.nnz == 3
    # Grade 1 at rank 1 and grade 2 at rank 2.
    worst, best = 1 + 3 / math.log2(3), 3 + 1 / math.log2(3)
    assert ndcg_at_k_score(grades, np.array([[2, 1]])) == pytest.approx(worst / best, rel=1e-15)
    assert grades.nnz == 3


def test_unsorted_entries():
    grades = sparse.csr_array((np.array([1.0, 2.0]), np.array([2, 1]), np.array([0, 2])), (1, 3))
    dense = grades.toarray()
    scores = np.array([[3, 2, 1]])
    assert ndcg_at_k_score(grades, scores) == ndcg_at_k_score(dense, scores)


@pytest.mark.parametrize(
    "scores",
    [MATRIX_SCORES, pd.DataFrame(MATRIX_SCORES), np.array(MATRIX_SCORES, order="F")],
    ids=["nested lists", "pandas frame", "column-major"],
)
def test_scores_of_matrices(scores):
    value = mean_average_precision_score(np.array(MATRIX), scores)
    assert value == pytest.approx(MATRIX_MAP, rel=1e-15)


def test_weights_of_matrices_are_one_per_row():
    value = mean_reciprocal_rank_score(
        np.array([[0, 1], [1, 0]]), np.array([[2, 1], [2, 1]]), sample_weight=[3, 1]
    )
    assert value == (3 * 1 / 2 + 1 * 1) / 4


def test_one_row_is_one_query_without_groups():
    assert mean_reciprocal_rank_score(np.array([[0, 0, 1]]), np.array([[3, 2, 1]])) == 1 / 3


# Lists ------------------------------------------------------------------------------------------

TRUTHS = {
    "set": {"a", "c"},
    "frozenset": frozenset({"a", "c"}),
    "dict keys": {"a": 1, "c": 1}.keys(),
    "list": ["a", "c"],
    "tuple": ("c", "a"),
    "grades": {"a": 1, "c": 1, "x": 0},
    "read-only grades": MappingProxyType({"a": 1, "c": 1}),
    "array": np.array(["a", "c"]),
    "object array": np.array(["a", "c"], dtype=object),
    "pandas": pd.Series(["a", "c"], index=[8, 9]),
    "pandas index": pd.Index(["a", "c"]),
    "polars": pl.Series(["a", "c"]),
    "pyarrow": pa.array(["a", "c"]),
    "repeated": ["a", "c", "a"],
}
RANKINGS = {
    "list": ["b", "a", "x", "c"],
    "tuple": ("b", "a", "x", "c"),
    "array": np.array(["b", "a", "x", "c"]),
    "object array": np.array(["b", "a", "x", "c"], dtype=object),
    "pandas": pd.Series(["b", "a", "x", "c"], index=[3, 2, 1, 0]),
    "pandas index": pd.Index(["b", "a", "x", "c"]),
    "polars": pl.Series(["b", "a", "x", "c"]),
    "pyarrow": pa.array(["b", "a", "x", "c"]),
    "deque": deque(["b", "a", "x", "c"]),
    "scores": {"c": 0.1, "x": 0.2, "a": 0.3, "b": 0.4},
    "ordered scores": OrderedDict(c=1, x=2, a=3, b=4),
    "mapping of scores": UserDict({"c": 1, "x": 2, "a": 3, "b": 4}),
}


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
@pytest.mark.parametrize("ranking", RANKINGS.values(), ids=RANKINGS)
def test_truths_and_rankings_of_lists(truth, ranking):
    # The relevant items stand at ranks 2 and 4; the second query is perfect.
    value = mean_average_precision_score([truth, {"z"}], [ranking, ["z"]])
    assert value == ((1 / 2 + 2 / 4) / 2 + 1) / 2


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
@pytest.mark.parametrize("ranking", RANKINGS.values(), ids=RANKINGS)
def test_truths_and_rankings_of_mappings(truth, ranking):
    value = mean_average_precision_score({"q": truth}, {"q": ranking})
    assert value == (1 / 2 + 2 / 4) / 2


@pytest.mark.parametrize("outer", [list, tuple, deque], ids=lambda kind: kind.__name__)
def test_sequences_of_lists(outer):
    value = mean_reciprocal_rank_score(outer([{"a"}, {"b"}]), outer([["a"], ["x", "b"]]))
    assert value == (1 + 1 / 2) / 2


def test_ragged_lists():
    truth = [{"a"}, {"b", "c"}, set(), {"d"}]
    rankings = [["a"], ["x", "b", "y", "z", "c"], ["x"], []]
    evaluation = evaluate(truth, rankings, ("map", "recall@2"), zero_division=np.nan)
    assert evaluation.per_query["map"].tolist()[:2] == [1.0, (1 / 2 + 2 / 5) / 2]
    assert np.isnan(evaluation.per_query["map"][2])
    assert evaluation.per_query["map"][3] == 0.0
    assert evaluation["map"] == pytest.approx((1 + 9 / 20 + 0) / 3, rel=1e-15)
    assert evaluation["recall@2"] == (1 + 1 / 2 + 0) / 3
    assert list(evaluation.query_ids) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("truth", "ranking"),
    [
        case("int", {3}, [1, 3]),
        case("array of int", {3}, np.array([1, 3])),
        case("array of truth", np.array([3]), [1, 3]),
        case("pairs", {("d", 3)}, [("d", 1), ("d", 3)]),
        case("tuples of other lengths", {("d", 3)}, [("d",), ("d", 3)]),
        case("mixed", {3, "a"}, ["b", 3, "a"]),
        case("str in tuple of tuples", {("a", "b")}, (("c",), ("a", "b"))),
        case("dates", {dt.date(2020, 1, 1)}, [dt.date(2021, 1, 1), dt.date(2020, 1, 1)]),
    ],
)
def test_items_of_any_hashable(truth, ranking):
    assert mean_reciprocal_rank_score([truth], [ranking]) == 1 / 2
    assert mean_reciprocal_rank_score({"q": truth}, {"q": ranking}) == 1 / 2


def test_graded_lists():
    # Grades 1, 2 in this order: gains 1 and 3.
    value = ndcg_at_k_score([{"a": 1, "b": 2}], [["a", "b"]])
    expected = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert value == pytest.approx(expected, rel=1e-15)


def test_lists_and_scores_may_be_mixed():
    evaluation = evaluate([{"a"}, {"b"}], [["x", "a"], {"c": 3, "b": 3}], "mrr")
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, (1 + 1 / 2) / 2]
    with pytest.raises(ScoresRequiredError, match="ranked lists carry no scores that compare"):
        evaluate([{"a"}, {"b"}], [["x", "a"], {"c": 3, "b": 3}], "auc(average=pooled)")


def test_scores_break_ties_by_the_rule_and_lists_have_none():
    truth, run = [{"a"}], [{"a": 1, "b": 1, "c": 1}]
    expected = {
        "average": (1 + 1 / 2 + 1 / 3) / 3,
        "stable": 1.0,
        "docid": 1 / 3,
        "optimistic": 1.0,
        "pessimistic": 1 / 3,
    }
    for ties, value in expected.items():
        assert evaluate(truth, run, "mrr", ties=ties)["mrr"] == pytest.approx(value, rel=1e-15)
        assert evaluate(truth, [["a", "b", "c"]], "mrr", ties=ties)["mrr"] == 1.0


def test_duplicates_keep_the_best_ranked():
    evaluation = evaluate([{"a", "b"}], [["x", "a", "x", "a", "b"]], "map", duplicates="first")
    # x, a, b remain.
    assert evaluation["map"] == (1 / 2 + 2 / 3) / 2
    assert evaluation.counts["duplicates"] == 2
    with pytest.raises(DuplicateItemError, match=r"holds item 'x' at positions 1 and 3"):
        evaluate([{"a", "b"}], [["x", "a", "x", "a", "b"]], "map")


def test_duplicates_of_scores_keep_the_best_score():
    run = {"q": {1: 0.2, "x": 0.5, "1": 0.9}}
    evaluation = evaluate({"q": {"1"}}, run, "mrr", duplicates="first", string_provider=str)
    assert evaluation["mrr"] == 1.0
    assert evaluation.counts["duplicates"] == 1


def test_duplicates_of_neighbouring_integers_keep_the_best_score():
    run = {"q": {1: 2**53, "x": 2**53, "1": 2**53 + 1}}
    options = {"duplicates": "first", "string_provider": str, "ties": "pessimistic"}
    assert evaluate({"q": {"1"}}, run, "mrr", **options)["mrr"] == 1.0


# One truth for all queries ----------------------------------------------------------------------

LINKS = {"1-a", "1-z", "2-b", "3-c"}
LISTS = [["1-x", "1-a"], ["2-b", "2-y"], ["3-x"]]


@pytest.mark.parametrize("wrap", [set, frozenset, lambda items: dict.fromkeys(items).keys()])
def test_one_truth_for_all_queries(wrap):
    evaluation = evaluate(wrap(LINKS), LISTS, ("map", "recall@2", "mrr"), zero_division=np.nan)
    # The relevant items of a query are those of its own list: none for the third.
    assert evaluation.per_query["map"].tolist()[:2] == [1 / 2, 1.0]
    assert np.isnan(evaluation.per_query["map"][2])
    assert evaluation["recall@2"] == 1.0
    assert evaluation.counts["missed"] == 2
    assert evaluation.counts["relevant"] == 2


def test_items_that_several_queries_found_are_warned_of():
    with pytest.warns(SharedTruthWarning, match=r"^1 items .* several queries \('a'\) and count"):
        evaluation = evaluate({"a", "z"}, [["x", "a"], ["a", "y"]], "mrr")
    assert evaluation["mrr"] == (1 / 2 + 1) / 2
    assert evaluation.counts["missed"] == 1


def test_missed_items_of_one_truth_count_in_pooled_measures():
    scores = [[0.9, 0.8], [0.7, 0.1], [0.3]]
    # Falling: 1-x (no), 1-a, 2-b, 3-x (no), 2-y (no), then the missed 1-z and 3-c.
    options = {"relevance": scores, "average": "pooled"}
    assert ranking_auc_score(LINKS, LISTS, **options) == pytest.approx((2 + 2 + 0 + 0) / (4 * 3))
    ignored = ranking_auc_score(LINKS, LISTS, **options, unretrieved="ignore")
    assert ignored == pytest.approx((2 + 2) / (2 * 3))


def test_one_truth_with_a_string_provider():
    links = {("q1", "a"), ("q2", "b")}
    lists = [[("q1", "x"), ("q1", "a")], [("q2", "b")]]
    value = mean_reciprocal_rank_score(links, lists, string_provider="-".join)
    assert value == (1 / 2 + 1) / 2


# String provider --------------------------------------------------------------------------------


class Document:
    """An item that is neither hashable nor equal to its twins."""

    __hash__ = None

    def __init__(self, name):
        self.name = name


@pytest.mark.parametrize("layout", ["lists", "mapping"])
def test_string_provider(layout):
    truth, ranking = [Document("a")], [Document("b"), Document("a")]
    pair = ([truth], [ranking]) if layout == "lists" else ({"q": truth}, {"q": ranking})
    value = mean_reciprocal_rank_score(*pair, string_provider=lambda one: one.name)
    assert value == 1 / 2


def test_string_provider_compares_by_strings_alone():
    value = recall_at_k_score([{"A", "B"}], [["a"]], string_provider=str.casefold)
    assert value == 1 / 2


class Sub(str):
    __slots__ = ()


def test_string_provider_may_return_a_kind_of_str():
    assert mean_reciprocal_rank_score([{"a"}], [["b", "a"]], string_provider=Sub) == 1 / 2


# Relevance --------------------------------------------------------------------------------------

PAIR = [{"b"}, {"x"}], [["a", "b", "c"], ["x", "y"]]

RELEVANCE = {
    "lists": [[3, 2, 2], [2, 1]],
    "tuples": ((3, 2, 2), (2, 1)),
    "arrays": [np.array([3, 2, 2]), np.array([2.0, 1.0])],
    "series": [pd.Series([3, 2, 2], index=[9, 8, 7]), pl.Series([2, 1])],
    "input": RelevanceInput([[3, 2, 2], [2, 1]]),
    "texts": RelevanceInput([["3", "2", "2e0"], ["2", "1"]]),
    "provider": RelevanceInput(
        [[{"s": 3}, {"s": 2}, {"s": 2}], [{"s": 2}, {"s": 1}]], provider=lambda one: one["s"]
    ),
    "distances": RelevanceInput([[1, 2, 2], [0, 9]], higher_is_better=False),
    "texts of distances": RelevanceInput([["1", "2", "2"], ["0", "9"]], float, False),
    "infinities": [[np.inf, 2, 2], [2, -np.inf]],
}


@pytest.mark.parametrize("relevance", RELEVANCE.values(), ids=RELEVANCE)
def test_relevance_decides_ties_of_measures_that_read_scores(relevance):
    evaluation = evaluate(*PAIR, ("gauc", "mrr"), relevance=relevance)
    # b: below a, tied with c; x above y.
    assert evaluation.per_query["gauc"].tolist() == [(0 + 1 / 2) / 2, 1.0]
    # The order stands as given for measures of ranks.
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]


def test_without_relevance_the_order_decides():
    assert evaluate(*PAIR, "gauc").per_query["gauc"].tolist() == [(0 + 1) / 2, 1.0]


def test_relevance_of_mappings_is_joined_by_query():
    truth = {"p": {"b"}, "q": {"x"}}
    run = {"q": ["x", "y"], "p": ["a", "b", "c"]}
    relevance = {"q": [2, 1], "p": [3, 2, 2]}
    for given in (relevance, RelevanceInput(relevance)):
        found = evaluate(truth, run, "gauc", relevance=given).per_query["gauc"]
        assert found.tolist() == [1 / 4, 1.0]


def test_relevance_makes_rankings_comparable_across_queries():
    pair = [{"a"}, {"c"}], [["a", "b"], ["d", "c"]]
    # Falling: a, d (no), c, b (no).
    value = ranking_auc_score(*pair, relevance=[[0.9, 0.1], [0.8, 0.5]], average="pooled")
    assert value == (2 + 1) / 4
    with pytest.raises(ScoresRequiredError, match="pass relevance="):
        ranking_auc_score(*pair, average="pooled")


def test_relevance_keeps_integers_apart():
    scores = [[2**53 + 1, 2**53]]
    assert group_auc_score([{"a"}], [["a", "b"]], relevance=scores) == 1.0


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_provider_of_integers_keeps_them_apart(higher_is_better):
    scores = [[2**53 + 1, 2**53]] if higher_is_better else [[2**53, 2**53 + 1]]
    relevance = RelevanceInput(scores, provider=int, higher_is_better=higher_is_better)
    assert group_auc_score([{"a"}], [["a", "b"]], relevance=relevance) == 1.0


def test_default_provider_keeps_integers_apart():
    relevance = RelevanceInput([[2**53 + 1, 2**53, np.int64(5)]])
    assert group_auc_score([{"a"}], [["a", "b", "c"]], relevance=relevance) == 1.0
    assert group_auc_score([{"b"}], [["a", "b", "c"]], relevance=relevance) == 1 / 2


def test_relevance_input_is_a_value():
    assert RelevanceInput([[1]]) == RelevanceInput([[1]], provider=float, higher_is_better=True)
    with pytest.raises(AttributeError, match="cannot assign to field 'scores'"):
        RelevanceInput([[1]]).scores = []


# Mapping ----------------------------------------------------------------------------------------


def test_mappings_are_joined_by_query():
    truth = {"p": {"a"}, "q": {"b"}, "r": {"c"}}
    run = {"r": ["x", "y", "c"], "q": ["x", "b"], "p": ["a"]}
    evaluation = evaluate(truth, run, "mrr")
    assert list(evaluation.query_ids) == ["p", "q", "r"]
    assert evaluation.per_query["mrr"].tolist() == [1, 1 / 2, 1 / 3]
    flipped = evaluate(dict(reversed(truth.items())), run, "mrr")
    assert list(flipped.query_ids) == ["r", "q", "p"]
    assert flipped["mrr"] == evaluation["mrr"]


@pytest.mark.parametrize("kind", [dict, OrderedDict, UserDict, MappingProxyType])
def test_any_mapping(kind):
    value = mean_reciprocal_rank_score(kind({1: {"a"}}), kind({1: ["x", "a"]}))
    assert value == 1 / 2


@pytest.mark.parametrize(
    ("missing", "expected", "queries"),
    [("zero", (1 + 0 + 1 / 2) / 3, ["p", "q", "r"]), ("skip", (1 + 1 / 2) / 2, ["p", "r"])],
)
@pytest.mark.parametrize("scored", [False, True], ids=["lists", "scores"])
def test_missing_queries(missing, expected, queries, scored):
    truth = {"p": {"a"}, "q": {"b"}, "r": {"c"}}
    run = {"p": ["a"], "r": ["x", "c"], "z": ["w"]}
    if scored:
        run = {query: {item: -i for i, item in enumerate(run[query])} for query in run}
    evaluation = evaluate(truth, run, "mrr", missing=missing)
    assert evaluation["mrr"] == pytest.approx(expected, rel=1e-15)
    assert list(evaluation.query_ids) == queries
    assert evaluation.counts["missing"] == 1
    assert evaluation.counts["unjudged"] == 1
    assert evaluation.counts["queries"] == len(queries)


def test_missing_queries_as_an_error():
    with pytest.raises(QueryMismatchError, match=r"^2 of 3 judged queries have no ranking: 1, 3\."):
        evaluate({1: {"a"}, 2: {"b"}, 3: {"c"}}, {2: ["b"]}, "mrr", missing="raise")


def test_queries_meet_by_equality_alone():
    # 1 and "1" are two queries; only one of them is ranked.
    evaluation = evaluate({1: {"a"}, "1": {"a"}}, {"1": ["a"]}, "mrr")
    assert evaluation.per_query["mrr"].tolist() == [0.0, 1.0]


def test_weights_of_mappings_are_joined_by_query():
    value = mean_reciprocal_rank_score(
        {"p": {"a"}, "q": {"b"}},
        {"q": ["b"], "p": ["x", "a"]},
        sample_weight={"q": 3, "p": 1, "other": 9},
    )
    assert value == (1 * 1 / 2 + 3 * 1) / 4


# Layouts against each other ---------------------------------------------------------------------


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
        "map",
        "mar@3",
        "mrr",
        "p@3",
        "recall@3",
        "f1@3",
        "ndcg@4",
        "err",
        "nerr@3",
        "lag",
        "gauc",
        "lauc@3",
        "auc",
        "auc(average=pooled)",
        "hit_rate@2",
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


# Subclasses that change how they are read ------------------------------------------------------


class Reversed(dict):
    """Gives each ranking from its end."""

    def __getitem__(self, query):
        return list(reversed(super().__getitem__(query)))


class CaseFolded(dict):
    """Finds items whatever their case; leaves ``get`` as it is."""

    def __getitem__(self, item):
        return super().__getitem__(item.lower())

    def __contains__(self, item):
        return super().__contains__(item.lower())


class OnceOnly(dict):
    """Gives its values as a generator."""

    def values(self):
        return (value for value in super().values())


@pytest.mark.parametrize(
    ("y_true", "y_score", "expected"),
    [
        ({"q": {"a"}}, Reversed({"q": ["a", "b", "c"]}), 1 / 3),
        ({"q": {"A": 1}}, {"q": CaseFolded(a=2.0, b=3.0)}, 1 / 2),
        ({"q": {"a"}}, {"q": OnceOnly(a=2.0, b=3.0)}, 1 / 2),
        ({"q": OnceOnly(a=1, b=0)}, {"q": ["b", "a"]}, 1 / 2),
    ],
)
def test_subclasses_of_dict_are_read_by_their_own_methods(y_true, y_score, expected):
    assert evaluate(y_true, y_score, "mrr")["mrr"] == expected


class CountingMapping(UserDict):
    """Counts how often each of its values is read."""

    def __init__(self, *args):
        super().__init__(*args)
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("ranking", [["a", "b"], {"a": 2.0, "b": 1.0}])
def test_each_ranking_of_a_mapping_is_read_once(ranking):
    y_score = CountingMapping({"q": ranking, "r": ranking})
    assert evaluate({"q": {"a"}, "r": {"b"}}, y_score, "mrr")["mrr"] == 0.75
    assert y_score.reads == 2


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


class Unhashable(str):
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("y_true", [[{"a"}], [{"a": 1}], [["a"]]])
def test_strings_without_a_hash_are_refused_by_name(y_true):
    with pytest.raises(TypeError, match=r"items of y_score\[0\] are unhashable Unhashable"):
        evaluate(y_true, [["a", Unhashable("b")]], "mrr")
    with pytest.raises(TypeError, match=r"items of y_true\[0\] are unhashable Unhashable"):
        evaluate([["a", Unhashable("b")]], [["a"]], "mrr")
