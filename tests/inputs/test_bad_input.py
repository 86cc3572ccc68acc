"""What each argument refuses and what it accepts: type, value, message and place.

Where the design of this project and the table of required behaviour that it started from differ,
the design decides. The differences:

| case | table | here |
|---|---|---|
| ties by default | input order | "average": the exact expectation |
| NaN score | error that names an option to rank it last | error; there is no such option |
| query without a relevant item | `no_relevant="zero"` | `zero_division="warn"`: left out |
| judged query without a ranking | `missing_queries="zero"` | `missing="zero"` |
| ranked query without judgements | QueryMismatchError | left out and counted |
| relevant means | grade of at least 1 | grade above 0, so 0.5 is relevant; `min_rel` raises it |
| negative grade as "unjudged" | option `negative_grades` | the "trec_eval" convention |
| item twice in a ranking | DuplicateDocumentError | DuplicateItemError |
| list of k | accepted | one k per measure; `evaluate` takes several measures |
| 1-D arrays without groups | one query if short | GroupsRequiredError |
| sparse y_true | refused or supported | supported; sparse y_score is refused |
| AUC of a query without pairs | `undefined="skip"` | `zero_division` |
"""

from __future__ import annotations

import copy
import datetime as dt
import math
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sklearn_rank import (
    DuplicateItemError,
    GroupsRequiredError,
    InvalidParameterError,
    QueryMismatchError,
    RelevanceInput,
    UndefinedMetricError,
    UndefinedMetricWarning,
    dcg_at_k_score,
    evaluate,
    expected_reciprocal_rank_score,
    fbeta_at_k_score,
    group_auc_score,
    harmonic_mean_score,
    hit_rate_at_k_score,
    ideal_dcg_at_k_score,
    lag_error,
    limited_auc_score,
    mean_average_precision_score,
    mean_average_recall_score,
    mean_reciprocal_rank_score,
    measure,
    ndcg_at_k_score,
    normalized_expected_reciprocal_rank_score,
    precision_at_k_score,
    ranking_auc_score,
    recall_at_k_score,
)

GROUPS = ["a", "a", "b", "b"]
GRADES = [1, 0, 0, 1]
SCORES = [4.0, 3.0, 2.0, 1.0]

WITH_K = [
    mean_average_precision_score,
    mean_average_recall_score,
    mean_reciprocal_rank_score,
    precision_at_k_score,
    recall_at_k_score,
    fbeta_at_k_score,
    hit_rate_at_k_score,
    dcg_at_k_score,
    ideal_dcg_at_k_score,
    ndcg_at_k_score,
    expected_reciprocal_rank_score,
    normalized_expected_reciprocal_rank_score,
    limited_auc_score,
    harmonic_mean_score,
]
ALL = [*WITH_K, lag_error, ranking_auc_score, group_auc_score]


def case(id, *values):
    return pytest.param(*values, id=id)


# 1.1 Scores -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_every_metric_refuses_nan_scores(metric):
    with pytest.raises(ValueError, match=r"^y_score contains NaN at row 2 of query 'b'$"):
        metric(GRADES, [1.0, 2.0, np.nan, 3.0], groups=GROUPS)


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        case(
            "several NaN: first and number of the others",
            [1, np.nan, 2, np.nan],
            ValueError,
            r"y_score contains NaN at row 1 of query 'a', and 1 more$",
        ),
        case(
            "NaN float16",
            np.array([1, 2, 3, np.nan], dtype=np.float16),
            ValueError,
            r"y_score contains NaN at row 3 of query 'b'",
        ),
        case(
            "Decimal",
            [Decimal(1)] * 4,
            ValueError,
            r"y_score has dtype object and holds Decimal \(position 0\); pass numbers",
        ),
        case(
            "Fraction",
            [Fraction(1, 3)] * 4,
            ValueError,
            r"y_score has dtype object and holds Fraction \(position 0\); pass numbers",
        ),
        case("str", ["3", "2", "1", "0"], TypeError, r"y_score holds strings; pass numbers"),
        case(
            "str array",
            np.array(["3", "2", "1", "0"]),
            TypeError,
            r"y_score holds strings; pass numbers",
        ),
        case(
            "str among numbers",
            np.array([1, "2", 3, 4], dtype=object),
            TypeError,
            r"y_score holds strings; pass numbers",
        ),
        case(
            "None",
            [1, None, 2, 3],
            ValueError,
            r"y_score contains missing values \(position 1\)",
        ),
        case("complex", [1j, 1, 2, 3], TypeError, r"y_score has dtype complex128; pass real"),
        case(
            "datetime",
            np.array(["2020-01-01"] * 4, dtype="M8[D]"),
            TypeError,
            r"y_score has dtype datetime64\[D\]; pass real numbers",
        ),
        case(
            "object",
            np.array([object()] * 4),
            TypeError,
            r"y_score has dtype object and holds object \(position 0\); pass numbers",
        ),
        case(
            "int that float64 cannot hold among floats",
            [2**53 + 1, float(2**53), 0, 1],
            ValueError,
            r"y_score mixes integers that float64 cannot hold with other numbers",
        ),
        case(
            "int beyond float64",
            [10**400, 1, 2, 3],
            ValueError,
            r"y_score .* integers that float64 cannot hold",
        ),
        case("None for all", None, TypeError, r"y_score must be a sequence; got NoneType"),
        case("number for all", 3.0, TypeError, r"y_score must be a sequence; got float"),
        case(
            "too few",
            [1, 2, 3],
            ValueError,
            r"inconsistent numbers of samples: \[4, 3\] \(y_true, y_score\)",
        ),
    ],
)
def test_scores_that_rows_refuse(scores, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(GRADES, scores, groups=GROUPS)


@pytest.mark.parametrize("top", [np.inf, 1e308, 5])
def test_infinite_scores_are_ordered(top):
    # "a": the relevant item first; "b": the relevant item last of two.
    scores = [top, -np.inf, 0.0, -np.inf]
    assert mean_reciprocal_rank_score(GRADES, scores, groups=GROUPS) == (1 + 1 / 2) / 2


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_two_infinities_are_a_tie(infinity):
    scores = [infinity, infinity, infinity, infinity]
    # Rank 1 or 2 with equal chances in both queries.
    assert mean_reciprocal_rank_score(GRADES, scores, groups=GROUPS) == (1 + 1 / 2) / 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_zeros_of_both_signs_are_a_tie(dtype):
    for scores in ([0.0, -0.0], [-0.0, 0.0]):
        value = mean_reciprocal_rank_score(
            np.array([[1, 0]]), np.array([scores], dtype=dtype), ties="average"
        )
        assert value == (1 + 1 / 2) / 2


DTYPES = [
    *("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g"),
    *(">i2", ">i4", ">i8", ">u2", ">u4", ">u8", ">f2", ">f4", ">f8"),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_every_real_dtype_ranks_by_its_extremes(dtype, ties):
    kind = np.dtype(dtype)
    if kind.kind == "b":
        low, high = False, True
    elif kind.kind in "iu":
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
    else:
        low, high = np.finfo(kind).min, np.finfo(kind).max
    scores = np.array([low, high], dtype=kind)
    assert mean_reciprocal_rank_score([0, 1], scores, groups=[7, 7], ties=ties) == 1.0
    assert mean_reciprocal_rank_score([1, 0], scores, groups=[7, 7], ties=ties) == 1 / 2
    grades = np.array([[0, 1]])
    assert mean_reciprocal_rank_score(grades, scores[np.newaxis], ties=ties) == 1.0


@pytest.mark.parametrize(
    "scores",
    [
        case("list", [2**53 + 1, 2**53]),
        case("int64", np.array([2**53 + 1, 2**53])),
        case("uint64", np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64)),
        case("big-endian", np.array([2**53 + 1, 2**53], dtype=">i8")),
        case("object array of ints", np.array([2**53 + 1, 2**53], dtype=object)),
        case("float32 neighbours as float64", [1.000000001, 1.0]),
        case("longdouble", np.array([1, 1], dtype="g") + np.array([np.finfo("g").eps, 0])),
        case("pandas Int64", pd.Series([2**53 + 1, 2**53], dtype="Int64")),
        case("polars", pl.Series([2**53 + 1, 2**53])),
        case("pyarrow", pa.array([2**53 + 1, 2**53])),
        case("int just within 64 bits", [2**63, 2**63 - 1]),
    ],
)
def test_neighbouring_scores_are_no_tie(scores):
    assert mean_reciprocal_rank_score([1, 0], scores, groups=[0, 0], ties="pessimistic") == 1.0
    assert mean_reciprocal_rank_score([0, 1], scores, groups=[0, 0], ties="optimistic") == 1 / 2


def test_neighbouring_integer_scores_of_a_mapping_are_no_tie():
    run = {"q": {"a": 2**53 + 1, "b": 2**53}}
    assert mean_reciprocal_rank_score({"q": {"a"}}, run, ties="pessimistic") == 1.0
    assert mean_reciprocal_rank_score({"q": {"b"}}, run, ties="optimistic") == 1 / 2


@pytest.mark.parametrize(
    ("run", "error", "message"),
    [
        case(
            "NaN",
            {"a": 1, "b": np.nan},
            ValueError,
            r"y_score\['q'\] contains NaN as the score of item 'b'$",
        ),
        case(
            "several NaN",
            {"a": np.nan, "b": np.nan},
            ValueError,
            r"y_score\['q'\] contains NaN as the score of item 'a', and 1 more$",
        ),
        case(
            "str",
            {"a": "1"},
            TypeError,
            r"y_score\['q'\] has score '1' for item 'a'; pass a number",
        ),
        case(
            "None",
            {"a": None},
            TypeError,
            r"y_score\['q'\] has score None for item 'a'; pass a number",
        ),
        case(
            "Decimal",
            {"a": Decimal(2)},
            TypeError,
            r"has score Decimal\('2'\) for item 'a'; pass a number",
        ),
        case(
            "int that float64 cannot hold among floats",
            {"a": 2**53 + 1, "b": 1.5},
            ValueError,
            r"y_score\['q'\] mixes floats with the integer 9007199254740993, .* item 'a'",
        ),
        case(
            "int beyond 64 bits",
            {"a": 2**64 + 1, "b": 1},
            ValueError,
            r"y_score\['q'\].* item 'a'",
        ),
        case(
            "int beyond float64 among floats",
            {"a": 10**400, "b": 1.5},
            ValueError,
            r"y_score\['q'\].* item 'a'",
        ),
    ],
)
def test_scores_that_mappings_refuse(run, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score({"q": {"a"}}, {"q": run})


ROUNDED = {"a": 2**53 + 1, "b": 2**53, "c": 1.5}
ROUNDED_MESSAGE = r"mixes floats with the integer 9007199254740993, which float64 cannot hold"


@pytest.mark.parametrize(
    ("truth", "run", "options"),
    [
        case("string provider", {"a"}, ROUNDED, {"string_provider": str}),
        case("tuples", {("a",)}, {(item,): score for item, score in ROUNDED.items()}, {}),
        case("docid", {"a"}, ROUNDED, {"ties": "docid"}),
        case("stable", {"a"}, ROUNDED, {"ties": "stable"}),
        case(
            "kept duplicate",
            {"1"},
            {1: 2**53 + 1, "1": 2, "c": 1.5},
            {"string_provider": str, "duplicates": "first"},
        ),
        case(
            "dropped duplicate",
            {"1"},
            {1: 2**53, "1": 2**53 + 1, "c": 1.5},
            {"string_provider": str, "duplicates": "first"},
        ),
    ],
)
def test_integers_that_float64_cannot_hold_are_refused_on_every_way(truth, run, options):
    with pytest.raises(ValueError, match=rf"y_score\['q'\] {ROUNDED_MESSAGE}.* for item"):
        evaluate({"q": truth}, {"q": run}, "mrr", **options)
    with pytest.raises(ValueError, match=rf"y_score\[0\] {ROUNDED_MESSAGE}.* for item"):
        evaluate([truth], [run], "mrr", **options)


def test_nan_scores_of_dropped_duplicates_are_refused():
    run = {"q": {1: 2.0, "1": math.nan}}
    with pytest.raises(ValueError, match=r"y_score\['q'\] contains NaN as the score of item '1'"):
        evaluate({"q": {"1"}}, run, "mrr", string_provider=str, duplicates="first")


@pytest.mark.parametrize("scores", [[2**53 + 1, 2**53, 1.5], [1.5, -(2**53), -(2**53) - 1]])
@pytest.mark.parametrize("wrap", [list, RelevanceInput])
def test_relevance_that_float64_cannot_hold_is_refused(scores, wrap):
    relevance = wrap([scores])
    message = r"relevance\[0\] mixes floats with the integer -?9007199254740993, .* at position "
    with pytest.raises(ValueError, match=message):
        group_auc_score([{"a"}], [["a", "b", "c"]], relevance=relevance)


@pytest.mark.parametrize(
    "value",
    [True, np.float32(2), np.int8(3), np.bool_(True), 10**18, np.longdouble(2) ** 60],
    ids=repr,
)
def test_scores_that_mappings_accept(value):
    assert mean_reciprocal_rank_score({"q": {"a"}}, {"q": {"b": -1, "a": value}}) == 1.0


def test_scores_of_lists_that_no_common_dtype_holds_are_refused():
    with pytest.raises(ValueError, match=r"scores mix floats with integers that float64 cannot"):
        mean_reciprocal_rank_score([{"a"}, {"a"}], [{"a": 2**53 + 1, "b": 2**53}, {"a": 1.5}])


# 1.2 Queries and emptiness ----------------------------------------------------------------------


def test_ranked_query_without_judgements_is_left_out_and_counted():
    evaluation = evaluate({"p": {"a"}}, {"p": ["a"], "z": ["b", "b"]}, "map")
    assert evaluation["map"] == 1.0
    assert evaluation.counts["unjudged"] == 1
    assert list(evaluation.query_ids) == ["p"]


def test_judged_query_without_a_ranking_counts_zero():
    evaluation = evaluate({"p": {"a"}, "q": {"b"}}, {"p": ["a"]}, "map")
    assert evaluation["map"] == (1 + 0) / 2
    assert evaluation.counts["missing"] == 1


def test_judged_query_without_a_ranking_can_be_skipped():
    evaluation = evaluate({"p": {"a"}, "q": {"b"}}, {"p": ["a"]}, "map", missing="skip")
    assert evaluation["map"] == 1.0
    assert evaluation.counts["missing"] == 1


def test_judged_query_without_a_ranking_can_be_an_error():
    with pytest.raises(
        QueryMismatchError, match=r"1 of 2 judged queries have no ranking: 'q'. Pass missing='zero'"
    ):
        evaluate({"p": {"a"}, "q": {"b"}}, {"p": ["a"]}, "map", missing="raise")


@pytest.mark.parametrize(
    ("judged", "ranked", "hint"),
    [
        case("str and int", "1", 1, r"With str\(\) of one side, 1 of them would meet"),
        case("space", "q1 ", "q1", "With whitespace stripped, 1 of them would meet"),
        case("case", "Q1", "q1", "With case folded, 1 of them would meet"),
        case(".0", "1.0", "1", r"With a trailing '\.0' removed, 1 of them would meet"),
        case("float and str", 1.0, "1", r"With a trailing '\.0' removed, 1 of them would meet"),
        case("leading zeros", "007", "7", "With leading zeros removed, 1 of them would meet"),
        case("NFC and NFD", "\u00e9", "e\u0301", "With Unicode NFC, 1 of them would meet"),
        case("nothing helps", "x", "y", r"no query in common: 'x' against 'y'$"),
    ],
)
def test_no_common_query_is_an_error_with_a_hint(judged, ranked, hint):
    with pytest.raises(QueryMismatchError, match=r"y_true and y_score have no query in common"):
        evaluate({judged: {"a"}}, {ranked: ["a"]}, "map")
    with pytest.raises(QueryMismatchError, match=hint):
        evaluate({judged: {"a"}}, {ranked: ["a"]}, "map")


def test_no_ranked_query_at_all_is_a_mismatch():
    with pytest.raises(QueryMismatchError, match=r"no query in common: 'x' against none"):
        evaluate({"x": {"a"}}, {}, "map")


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        case("empty lists", [], []),
        case("empty arrays", np.zeros(0), np.zeros(0)),
        case("one set, no list", {"a"}, []),
        case("empty set, no list", set(), []),
        case("empty mappings", {}, {}),
        case("empty ground truth", {}, {"q": ["a"]}),
        case("matrix without rows", np.zeros((0, 2)), np.zeros((0, 2))),
        case("matrix without columns", np.zeros((2, 0)), np.zeros((2, 0))),
        case("sparse matrix without rows", sparse.csr_array((0, 2)), np.zeros((0, 2))),
    ],
)
def test_nothing_to_evaluate_is_an_error(y_true, y_score):
    with pytest.raises(ValueError, match="no queries to evaluate"):
        mean_average_precision_score(y_true, y_score)


def test_no_rows_are_an_error():
    with pytest.raises(ValueError, match="no queries to evaluate: y_true is empty"):
        mean_average_precision_score([], [], groups=[])


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        ({"q": {1}}, {"q": {}}),
        ({"q": {1: 2}}, {"q": []}),
        ({"q": {}}, {"q": [1]}),
        ({"q": {}}, {"q": {1: 0.5}}),
        ([{1: 2}], [[]]),
        ([{}], [[1]]),
    ],
)
def test_nothing_has_no_type_that_ids_could_differ_from(y_true, y_score):
    assert evaluate(y_true, y_score, "mrr", zero_division=0.0)["mrr"] == 0.0


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (mean_average_precision_score, 0.0),
        (ndcg_at_k_score, 0.0),
        (mean_reciprocal_rank_score, 0.0),
        (recall_at_k_score, 0.0),
    ],
)
def test_empty_ranking_counts_zero_for_rank_metrics(metric, expected):
    assert metric([{"a"}], [[]]) == expected
    assert metric({"q": {"a"}}, {"q": []}) == expected
    assert metric({"q": {"a"}}, {"q": {}}) == expected


@pytest.mark.parametrize("metric", [ranking_auc_score, group_auc_score, lag_error])
def test_empty_ranking_is_undefined_for_pairs(metric):
    with pytest.warns(UndefinedMetricWarning, match=r"undefined for 1 of 1 queries: 0; .* is NaN"):
        assert math.isnan(metric([{"a"}], [[]]))


def test_no_measures_are_an_error():
    with pytest.raises(ValueError, match="measures is empty; name at least one"):
        evaluate([{"a"}], [["a"]], [])


@pytest.mark.parametrize("metric", WITH_K, ids=lambda metric: metric.__name__)
def test_one_query_with_one_item_works(metric):
    expected = {expected_reciprocal_rank_score: 1 / 2}.get(metric, 1.0)  # (2^1 - 1) / 2^1
    if metric is limited_auc_score:
        with pytest.warns(UndefinedMetricWarning, match="lauc is undefined for 1 of 1 queries"):
            assert math.isnan(metric([{"a"}], [["a"]]))
        return
    assert metric([{"a"}], [["a"]]) == expected


@pytest.mark.parametrize(
    "order", [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1]], ids=["sorted", "mixed", "interleaved"]
)
def test_rows_of_a_query_need_not_be_neighbours(order):
    columns = (np.array(GRADES)[order], np.array(SCORES)[order])
    value = mean_average_precision_score(*columns, groups=np.array(GROUPS)[order])
    assert value == (1 + 1 / 2) / 2


@pytest.mark.parametrize(
    ("y_true", "y_score", "provider", "message"),
    [
        case(
            "relevant item",
            [{"a"}],
            [["a", "b", "a"]],
            None,
            r"^y_score\[0\] holds item 'a' at positions 1 and 3. Pass duplicates='first' to eval",
        ),
        case(
            "irrelevant item",
            [{"a"}],
            [["x", "a", "x"]],
            None,
            r"^y_score\[0\] holds item 'x' at positions 1 and 3",
        ),
        case(
            "second query of a mapping",
            {"p": {"a"}, "q": {"a"}},
            {"p": ["a"], "q": ["b", "b"]},
            None,
            r"^y_score\['q'\] holds item 'b' at positions 1 and 2",
        ),
        case(
            "two items of one string",
            [{"1"}],
            [["1", 1]],
            str,
            r"^y_score\[0\] holds item '1' and 1, both '1', at positions 1 and 2",
        ),
        case(
            "scored items of one string",
            [{"1"}],
            [{"1": 2.0, 1: 3.0}],
            str,
            r"^y_score\[0\] holds item '1' and 1, both '1', at positions 1 and 2",
        ),
        case(
            "equal numbers",
            [{1}],
            [[1, np.int64(1)]],
            None,
            r"^y_score\[0\] holds item 1 at positions 1 and 2",
        ),
    ],
)
def test_item_twice_in_a_ranking(y_true, y_score, provider, message):
    with pytest.raises(DuplicateItemError, match=message):
        mean_average_precision_score(y_true, y_score, string_provider=provider)


def test_equal_judgements_of_one_item_are_one_judgement():
    assert recall_at_k_score([["a", "a", "b"]], [["a"]]) == 1 / 2


def test_conflicting_judgements_of_one_item_are_an_error():
    class Same(str):
        """Equal to itself alone as a key, so that a dict can hold two of one text."""

        __slots__ = ("number",)
        __hash__ = object.__hash__

        def __eq__(self, other):
            return self is other

        def __ne__(self, other):
            return self is not other

    truth = {Same("d"): 1, Same("d"): 2}
    with pytest.raises(ValueError, match=r"string_provider makes 'd' of two items of y_true\[0\]"):
        ndcg_at_k_score([truth], [["d"]], string_provider=lambda item: str.__str__(item))


# 1.3 k ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "shown"),
    [
        (0, "0"),
        (-1, "-1"),
        (1.5, r"1\.5"),
        (2.0, r"2\.0"),
        ("2", "'2'"),
        (True, "True"),
        (np.bool_(True), "True"),
        (np.float64(2), r"2\.0"),
        (math.nan, "nan"),
        (math.inf, "inf"),
        ([2], r"\[2\]"),
        (np.array([2]), r"array\(\[2\]\)"),
        (Fraction(2), r"Fraction\(2, 1\)"),
        (-(10**30), "-10{30}"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("metric", WITH_K, ids=lambda metric: metric.__name__)
def test_k_is_a_positive_integer(metric, k, shown):
    with pytest.raises(
        InvalidParameterError,
        match=(
            r"^The 'k' parameter of \w+ must be an int in the range \[1, inf\) or None\. "
            rf"Got {shown} instead\.$"
        ),
    ):
        metric(GRADES, SCORES, groups=GROUPS, k=k)


def test_k_of_many_digits_is_refused_as_any_other():
    with pytest.raises(InvalidParameterError, match=r"^The 'k' parameter of precision must be"):
        precision_at_k_score(GRADES, SCORES, groups=GROUPS, k=-(10**5000))


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint8, np.uint64])
def test_any_integer_is_a_k(kind):
    # "a": hit and miss; "b": miss and hit.
    assert precision_at_k_score(GRADES, SCORES, groups=GROUPS, k=kind(1)) == (1 + 0) / 2


def test_places_beyond_the_ranking_count_as_misses():
    assert precision_at_k_score(GRADES, SCORES, groups=GROUPS, k=10) == 1 / 10


@pytest.mark.parametrize("k", [10**9, 10**30], ids=["10^9", "10^30"])
@pytest.mark.parametrize("metric", WITH_K, ids=lambda metric: metric.__name__)
def test_huge_k_reads_the_whole_ranking(metric, k):
    divided_by_k = {
        precision_at_k_score: 1 / k,
        # 2 h / (R + k) with one hit of one relevant item.
        fbeta_at_k_score: 2 / (1 + k),
        harmonic_mean_score: 2 / (1 + k),
    }
    expected = divided_by_k.get(metric, metric(GRADES, SCORES, groups=GROUPS))
    assert metric(GRADES, SCORES, groups=GROUPS, k=k) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", [lag_error, ranking_auc_score, group_auc_score])
def test_measures_of_the_whole_ranking_take_no_k(metric):
    with pytest.raises(TypeError, match="unexpected keyword argument 'k'"):
        metric(GRADES, SCORES, groups=GROUPS, k=2)


# 1.4 Grades -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_every_metric_refuses_negative_grades(metric):
    with pytest.raises(
        ValueError, match=r"^y_true contains a negative grade \(-1\) at row 1 of query 'a'$"
    ):
        metric([1, -1, 0, 1], SCORES, groups=GROUPS)


@pytest.mark.parametrize(
    ("grades", "error", "message"),
    [
        case("NaN", [1, 0, np.nan, 1], ValueError, r"y_true contains NaN at row 2 of query 'b'"),
        case(
            "inf", [np.inf, 0, 0, 1], ValueError, r"y_true contains infinity at row 0 of query 'a'"
        ),
        case(
            "-inf",
            [-np.inf, 0, 0, 1],
            ValueError,
            r"y_true contains infinity at row 0 of query 'a'",
        ),
        case(
            "int8 -128",
            np.array([1, -128, 0, 1], "i1"),
            ValueError,
            r"negative grade \(-128\) at row 1 of query 'a'",
        ),
        case(
            "str",
            ["1", "0", "0", "1"],
            TypeError,
            r"y_true holds strings; pass a set, list or \{item: grade\} per query",
        ),
        case("None", [1, None, 0, 1], ValueError, r"y_true contains missing values \(position 1\)"),
        case(
            "Decimal",
            [Decimal(1)] * 4,
            ValueError,
            r"y_true has dtype object and holds Decimal \(position 0\)",
        ),
        case(
            "10**400",
            [10**400, 1, 0, 1],
            ValueError,
            r"y_true .* integers that float64 cannot hold",
        ),
        case("None for all", None, TypeError, r"y_true must be a sequence; got NoneType"),
        case("number for all", 1, TypeError, r"y_true must be a sequence; got int"),
        case(
            "complex", [1j, 1, 0, 1], TypeError, r"y_true has dtype complex128; pass real numbers"
        ),
    ],
)
def test_grades_that_rows_refuse(grades, error, message):
    with pytest.raises(error, match=message):
        ndcg_at_k_score(grades, SCORES, groups=GROUPS)


@pytest.mark.parametrize(
    ("grade", "error", "message"),
    [
        case("NaN", np.nan, ValueError, r"y_true\['q'\] contains NaN as the grade of item 'a'"),
        case(
            "inf", np.inf, ValueError, r"y_true\['q'\] contains infinity as the grade of item 'a'"
        ),
        case(
            "negative",
            -1,
            ValueError,
            r"y_true\['q'\] contains a negative grade \(-1\) for item 'a'",
        ),
        case("None", None, TypeError, r"y_true\['q'\] has grade None for item 'a'; pass a number"),
        case("str", "1", TypeError, r"y_true\['q'\] has grade '1' for item 'a'; pass a number"),
        case("10**400", 10**400, ValueError, r"y_true\['q'\].* item 'a'"),
    ],
)
def test_grades_that_mappings_refuse(grade, error, message):
    with pytest.raises(error, match=message):
        ndcg_at_k_score({"q": {"a": grade}}, {"q": ["a"]})


@pytest.mark.parametrize("wrap", [np.array, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-2, r"y_true contains a negative grade \(-2(\.0)?\) at row 1, column 1"),
        (np.nan, r"y_true contains NaN at row 1, column 1"),
        (np.inf, r"y_true contains infinity at row 1, column 1"),
    ],
    ids=["negative", "NaN", "inf"],
)
def test_grades_that_matrices_refuse(wrap, value, message):
    with pytest.raises(ValueError, match=message):
        ndcg_at_k_score(wrap([[0, 0], [1, value]]), np.ones((2, 2)))


def test_negative_grades_are_unjudged_under_trec_eval():
    evaluation = evaluate([{"a": -1, "b": 1}], [["a", "b"]], "map", convention="trec_eval")
    assert evaluation["map"] == 1 / 2
    assert evaluation.counts["unjudged_grades"] == 1


@pytest.mark.parametrize("grade", [2000, 2**70, 1e308], ids=["2000", "2^70", "1e308"])
def test_ndcg_of_any_grade_is_exact(grade):
    # One item of this grade and one of grade 1, swapped: the gain 2^g - 1 of the latter vanishes.
    value = ndcg_at_k_score(np.array([[float(grade), 1.0]]), np.array([[1, 2]]))
    assert value == pytest.approx(1 / math.log2(3), rel=1e-15)


@pytest.mark.parametrize("grade", [2000, 2**70], ids=["2000", "2^70"])
def test_err_of_any_grade_is_exact(grade):
    # Stops at once with probability (2^g - 1) / 2^g = 1, or goes on after a grade of 1.
    first = expected_reciprocal_rank_score([{"a": grade, "b": 1}], [["a", "b"]])
    second = expected_reciprocal_rank_score([{"a": grade, "b": 1}], [["b", "a"]])
    assert first == pytest.approx(1.0)
    assert second == pytest.approx(1 / 2)


@pytest.mark.parametrize("gain", ["exp2", "linear", {5e-324: 5e-324, 1.5e-323: 1.5e-323}])
@pytest.mark.parametrize("measured", ["ndcg", "ndcg@1"])
def test_ndcg_of_the_smallest_gains_is_exact(gain, measured):
    # The gains are as 1 to 3: 2^g - 1 is g ln 2 down there, and the factor cancels.
    value = evaluate(
        [{"a": 5e-324, "b": 1.5e-323}], [["a", "b"]], measure(measured, gain=gain)
    ).scores[measure(measured, gain=gain)]
    expected = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert value == pytest.approx(1 / 3 if "@" in measured else expected, rel=1e-15)


def test_ndcg_of_gains_far_apart_in_other_queries():
    truth = [{"a": 5e-324, "b": 1e-323}, {"a": 1.0, "b": 2.0}, {"a": 1e308, "b": 5e307}]
    rankings = [["a", "b"], ["a", "b"], ["b", "a"]]
    discount = math.log2(3)
    expected = (1 + 2 / discount) / (2 + 1 / discount)
    values = evaluate(truth, rankings, "ndcg(gain=linear)").per_query["ndcg(gain=linear)"]
    assert values == pytest.approx([expected] * 3, rel=1e-15)


@pytest.mark.parametrize("grade", ["1e400", "1e-400", "-1e400"])
@pytest.mark.parametrize("convention", ["default", "sklearn"])
def test_grades_that_float64_cannot_hold_are_refused(grade, convention):
    grades = np.array([np.longdouble(text) for text in ("0", grade, "1")])
    if not np.isfinite(grades).all() or not grades[1]:
        pytest.skip("longdouble is float64 on this machine")
    options = {"convention": convention}
    message = (
        r"y_true contains a (grade that float64 cannot hold|negative grade) \(-?1e[+-]400\) at "
    )
    with pytest.raises(ValueError, match=message + "row 1 of query 7"):
        evaluate(grades, [3, 2, 1], "map", groups=[7, 7, 7], **options)
    with pytest.raises(ValueError, match=message + "row 0, column 1"):
        evaluate(grades[np.newaxis], np.array([[3, 2, 1]]), "map", **options)


def test_longdouble_grades_that_float64_holds_are_read():
    grades = np.array([0, 2, 1], dtype=np.longdouble)
    assert mean_reciprocal_rank_score(grades, [3, 2, 1], groups=[7, 7, 7]) == 1 / 2


@pytest.mark.parametrize("wrap", [np.array, sparse.csr_array])
def test_negative_grades_of_arrays_are_counted_under_trec_eval(wrap):
    options = {"convention": "trec_eval", "ties": "stable"}
    rows = evaluate([1, -1, 0, -2], [4, 3, 2, 1], "map", groups=[0, 0, 1, 1], **options)
    assert rows.counts["unjudged_grades"] == 2
    assert rows.per_query["map"].tolist()[:1] == [1.0]
    matrix = wrap(np.array([[0, -1, 1], [1, 0, 0]]))
    cells = evaluate(matrix, np.array([[3, 2, 1], [3, 2, 1]]), "mrr", **options)
    assert cells.counts["unjudged_grades"] == 1
    assert cells["mrr"] == (1 / 3 + 1) / 2


@pytest.mark.parametrize("metric", [dcg_at_k_score, ideal_dcg_at_k_score])
@pytest.mark.parametrize("grade", [1024, 2000])
def test_dcg_that_overflows_says_so(metric, grade):
    with pytest.raises(
        OverflowError, match=r"DCG with gain='exp2' overflows float64.*; use ndcg or gain='linear'"
    ):
        metric([{"a": grade}], [["a"]])


def test_dcg_that_overflows_names_the_grade():
    with pytest.raises(OverflowError, match=r"grade 1024"):
        dcg_at_k_score([{"a": 1024, "b": 1}], [["a", "b"]])


def test_linear_dcg_that_overflows_does_not_blame_the_gain():
    with pytest.raises(OverflowError, match=r"^DCG with gain='linear' overflows float64"):
        dcg_at_k_score(np.full((1, 5), 1e308), np.arange(5.0)[np.newaxis], gain="linear")


def test_huge_grades_are_summed_in_float64():
    # 10^9 + 1 stays apart from 10^9, which float32 could not tell.
    value = ndcg_at_k_score([{"a": 10**9, "b": 10**9 + 1}], [["a", "b"]], gain="linear")
    worst, best = 10**9 + (10**9 + 1) / math.log2(3), (10**9 + 1) + 10**9 / math.log2(3)
    assert value == pytest.approx(worst / best, rel=1e-15)
    assert value < 1.0


@pytest.mark.parametrize("metric", [precision_at_k_score, mean_average_precision_score])
@pytest.mark.parametrize("grade", [0.5, 1, 1.9, True, np.int64(3), np.bool_(True), 2000])
def test_any_grade_above_zero_is_relevant_once(metric, grade):
    assert metric([{"a": grade, "b": 0}], [["a"]]) == 1.0
    assert metric(np.array([[grade, 0]], dtype=object), np.array([[2, 1]]), k=1) == 1.0


def test_fractional_grades_gain_by_their_value():
    # 2^0.5 - 1 for the first, 1 for the second.
    half = 2**0.5 - 1
    value = ndcg_at_k_score([{"a": 0.5, "b": 1}], [["a", "b"]])
    assert value == pytest.approx((half + 1 / math.log2(3)) / (1 + half / math.log2(3)))


# 1.5 Ids and the string provider ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "ranking", "message"),
    [
        case(
            "int and str",
            {"1"},
            [1, 2],
            r"items of y_score are int, items of y_true are str; pass string_provider",
        ),
        case(
            "str and int",
            {1},
            ["1"],
            r"items of y_score are str, items of y_true are int; pass string_provider",
        ),
        case(
            "int and float",
            {1},
            [1.0],
            r"items of y_score are float, items of y_true are int; pass string_provider",
        ),
        case(
            "int among float",
            {1},
            [1, 2.5],
            r"items of y_score are float and int, items of y_true are int",
        ),
        case(
            "bytes and str", {"a"}, [b"a"], r"items of y_score are bytes, items of y_true are str"
        ),
        case(
            "tuple and str", {"a"}, [("a",)], r"items of y_score are tuple, items of y_true are str"
        ),
        case(
            "bool in the truth",
            {True},
            [1],
            r"y_true\[0\] holds the bool True as an item; pass string_provider",
        ),
        case(
            "bool in the ranking",
            {1},
            [False],
            r"y_score\[0\] holds the bool False as an item; pass string_provider",
        ),
        case("numpy bool", {np.bool_(True)}, [1], r"y_true\[0\] holds the bool True as an item"),
        case(
            "None ranked",
            {"a"},
            ["a", None],
            r"y_score\[0\] holds a missing item \(None\) at position 2",
        ),
        case(
            "NaN ranked",
            {"a"},
            ["a", math.nan],
            r"y_score\[0\] holds a missing item \(nan\) at position 2",
        ),
        case(
            "pandas NA ranked",
            {"a"},
            [pd.NA],
            r"y_score\[0\] holds a missing item \(<NA>\) at position 1",
        ),
        case(
            "NaT ranked",
            {"a"},
            [pd.NaT],
            r"y_score\[0\] holds a missing item \(NaT\) at position 1",
        ),
        case(
            "None true",
            [None, "a"],
            ["a"],
            r"y_true\[0\] holds a missing item \(None\) at position 1",
        ),
        case(
            "list",
            {"a"},
            [["a"]],
            r"items of y_score\[0\] are unhashable list; pass string_provider",
        ),
        case(
            "dict",
            {"a"},
            [{"id": 1}],
            r"items of y_score\[0\] are unhashable dict; pass string_provider",
        ),
        case(
            "array",
            {"a"},
            [np.array([1, 2])],
            r"items of y_score\[0\] are unhashable ndarray; pass string_provider",
        ),
        case(
            "unhashable true",
            [["a"]],
            ["a"],
            r"items of y_true\[0\] are unhashable list; pass string_provider",
        ),
    ],
)
def test_ids_that_cannot_meet_are_refused(truth, ranking, message):
    with pytest.raises(TypeError, match=message):
        mean_reciprocal_rank_score([truth], [ranking])


class Id(str):
    """A kind of text that calls itself by another name."""


class Point(NamedTuple):
    x: int
    y: int


def other_point():
    """Another class of the same name, whose objects are equal all the same."""
    return NamedTuple("Point", [("x", int), ("y", int)])(1, 2)


@pytest.mark.parametrize(
    ("truth", "ranking"),
    [
        case("kind of str ranked", {"a"}, [Id("b"), Id("a")]),
        case("kind of str true", {Id("a")}, ["b", "a"]),
        case("named tuple ranked", {(1, 2)}, [Point(0, 0), Point(1, 2)]),
        case("named tuple true", {Point(1, 2)}, [(0, 0), (1, 2)]),
        case("two named tuples", {other_point()}, [Point(0, 0), Point(1, 2)]),
        case("timestamps", {pd.Timestamp("2020-01-02")}, [dt.datetime(2020, 1, n) for n in (1, 2)]),
        case("integers and fractions", {1}, [Fraction(1, 2), Fraction(1)]),
        case("integers and decimals", {Decimal(1)}, [2, 1]),
    ],
)
def test_ids_of_types_that_can_be_equal_meet(truth, ranking):
    assert mean_reciprocal_rank_score([truth], [ranking]) == 1 / 2


def test_types_of_one_name_that_cannot_be_equal_are_told_apart():
    def one_class(number):
        return type("Key", (), {"__module__": f"module{number}"})

    message = (
        r"items of y_score are module2\.Key, items of y_true are module1\.Key; pass string_pro"
    )
    with pytest.raises(TypeError, match=message):
        mean_reciprocal_rank_score([{one_class(1)()}], [[one_class(2)()]])


def test_kinds_of_float_do_not_meet_integers():
    class Number(float):
        pass

    with pytest.raises(TypeError, match=r"items of y_score are Number, items of y_true are int; "):
        mean_reciprocal_rank_score([{1}], [[Number(1)]])


def test_types_are_compared_over_all_queries():
    # The first query alone would look fine: neither side holds anything.
    with pytest.raises(TypeError, match="items of y_score are int, items of y_true are str"):
        mean_reciprocal_rank_score([set(), {"1"}], [[], [1]])


@pytest.mark.parametrize(
    "item",
    [
        case("int", 7),
        case("negative int", -1),
        case("int above 2^53", 2**53 + 1),
        case("huge int", 10**30),
        case("str", "d1"),
        case("empty", ""),
        case("spaces", " d 1 "),
        case("newline", "a\nb"),
        case("NUL", "a\0"),
        case("lone surrogate", "\ud800"),
        case("astral", "\U0001f600"),
        case("bytes", b"d1"),
        case("tuple", ("doc", 1)),
        case("frozenset", frozenset({1})),
        case("Fraction", Fraction(1, 3)),
        case("float", 0.25),
        case("numpy int", np.int32(7)),
        case("numpy str", np.str_("d1")),
        case("date", pd.Timestamp("2020-01-01")),
        case("long", "x" * 100_000),
    ],
)
def test_hashable_ids_are_compared_as_they_are(item):
    # A fresh but equal item on the other side, at the second place.
    other = (type(item) if not isinstance(item, (Fraction, pd.Timestamp)) else copy.copy)(item)
    neighbours = {str: "zz", np.str_: "zz", bytes: b"zz", float: 0.75}
    before = neighbours.get(type(item), ("zz",) if isinstance(item, tuple) else None)
    ranking = [other] if before is None else [before, other]
    assert mean_reciprocal_rank_score([{item}], [ranking]) == 1 / len(ranking)


@pytest.mark.parametrize("wrap", [list, np.array, lambda x: np.array(x, dtype=object)])
def test_numbers_of_numpy_and_python_are_the_same_ids(wrap):
    assert mean_reciprocal_rank_score([{np.int64(3)}], [wrap([1, 3])]) == 1 / 2
    assert mean_reciprocal_rank_score([wrap([3])], [[1, 3]]) == 1 / 2


def test_ids_that_differ_in_a_nul_or_a_normal_form_differ():
    assert mean_reciprocal_rank_score([{"a\0"}], [["a", "a\0"]]) == 1 / 2
    assert mean_reciprocal_rank_score([{"\u00e9"}], [["e\u0301", "\u00e9"]]) == 1 / 2
    assert mean_reciprocal_rank_score([{"A"}], [["a", "A"]]) == 1 / 2


@pytest.mark.parametrize("query", ["no query", "", " ", "x-1", "a\0", "\ud800", 0, -1, (1, "a")])
def test_any_hashable_is_a_query(query):
    evaluation = evaluate(
        {query: {"a"}, "other": {"b"}}, {"other": ["b"], query: ["c", "a"]}, "mrr"
    )
    assert evaluation.per_query["mrr"].tolist() == [1 / 2, 1.0]
    assert list(evaluation.query_ids) == [query, "other"]


def test_string_provider_lets_other_types_meet():
    assert mean_reciprocal_rank_score([{"1"}], [[2, 1]], string_provider=str) == 1 / 2
    documents = [[{"id": "x"}, {"id": "y"}]]
    truth = [[{"id": "y"}]]
    assert (
        mean_reciprocal_rank_score(truth, documents, string_provider=lambda one: one["id"]) == 1 / 2
    )


@pytest.mark.parametrize(
    ("provider", "error", "message"),
    [
        case(
            "raises",
            lambda item: {}[item],
            ValueError,
            r"^string_provider raised KeyError\(.*'a.*\) on item 0 of y_score\[0\]$",
        ),
        case(
            "returns int",
            len,
            TypeError,
            r"^string_provider returned int for item 0 of y_score\[0\], expected str$",
        ),
        case(
            "returns None",
            lambda item: None,
            TypeError,
            r"returned NoneType for item 0 of y_score\[0\], expected str",
        ),
        case(
            "returns bytes",
            str.encode,
            TypeError,
            r"returned bytes for item 0 of y_score\[0\], expected str",
        ),
        case(
            "no function",
            "name",
            TypeError,
            r"^string_provider must be a function of an item, got 'name'$",
        ),
    ],
)
def test_string_provider_that_fails(provider, error, message):
    with pytest.raises(error, match=message):
        mean_reciprocal_rank_score([{"a"}], [["a", "b"]], string_provider=provider)


def test_error_of_the_string_provider_is_the_cause():
    with pytest.raises(ValueError, match="string_provider raised ZeroDivisionError") as caught:
        mean_reciprocal_rank_score([{"a"}], [["a"]], string_provider=lambda item: str(1 / 0))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_string_provider_names_the_place():
    def provider(item):
        return item if item != "bad" else 3

    with pytest.raises(TypeError, match=r"returned int for item 1 of y_true\['q'\], expected str"):
        mean_reciprocal_rank_score(
            {"p": ["a"], "q": ["a", "bad"]},
            {"p": ["a"], "q": ["a"]},
            string_provider=provider,
        )


@pytest.mark.parametrize(
    "truth", [{1, "1"}, {1: 2, "1": 3}, {1: 2, "1": 2}], ids=["set", "grades", "equal grades"]
)
def test_string_provider_that_makes_one_string_of_two_true_items(truth):
    with pytest.raises(
        ValueError, match=r"string_provider makes '1' of two items of y_true\[0\]: '1' and 1"
    ):
        mean_reciprocal_rank_score([truth], [["1"]], string_provider=str)


class Counting:
    """A provider that notes each item it is asked for."""

    def __init__(self):
        self.seen = []

    def __call__(self, item):
        self.seen.append(item)
        return f"id {item}"


@pytest.mark.parametrize(
    ("y_true", "y_score", "expected"),
    [
        case("lists", [{1}, {2, 3}], [[1, 2], [3]], [1, 1, 2, 2, 3, 3]),
        case("shared", {1, 4}, [[1, 2], [3]], [1, 1, 2, 3, 4]),
        case("mapping", {"p": {1: 2}}, {"p": {1: 0.5, 2: 0.1}}, [1, 1, 2]),
    ],
)
def test_string_provider_is_called_exactly_once_per_item(y_true, y_score, expected):
    provider = Counting()
    evaluate(
        y_true,
        y_score,
        ("map", "ndcg@10", "recall@2", "mrr"),
        string_provider=provider,
        zero_division=0.0,
    )
    assert sorted(provider.seen) == expected


# 1.6 Structure ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        case(
            "str as ranking", [{"a"}], ["abc"], r"y_score\[0\] is a str; did you mean \['abc'\]\?"
        ),
        case(
            "bytes as ranking",
            [{"a"}],
            [b"abc"],
            r"y_score\[0\] is a bytes; did you mean \[b'abc'\]\?",
        ),
        case(
            "str as truth",
            [{"a"}, "abc"],
            [["a"], ["b"]],
            r"y_true\[1\] is a str; did you mean \['abc'\]\?",
        ),
        case(
            "str as first truth",
            ["abc"],
            [["a"]],
            r"y_true holds strings; pass a set, list or \{item: grade\} per query",
        ),
        case("str for all rankings", [{"a"}], "abc", r"y_score is a str; did you mean \['abc'\]\?"),
        case("str for all truths", "abc", [["a"]], r"y_true is a str; did you mean \['abc'\]\?"),
        case(
            "str in a mapping of truths",
            {"q": "abc"},
            {"q": ["a"]},
            r"y_true\['q'\] is a str; did you mean \['abc'\]\?",
        ),
        case(
            "str in a mapping of rankings",
            {"q": {"a"}},
            {"q": "abc"},
            r"y_score\['q'\] is a str; did you mean \['abc'\]\?",
        ),
        case(
            "set as ranking",
            [{"a"}],
            [{"a"}],
            r"y_score\[0\] is a set, which has no order; are y_true and y_score swapped\?",
        ),
        case(
            "frozenset as ranking",
            [{"a"}],
            [frozenset("a")],
            r"y_score\[0\] is a frozenset, which has no order",
        ),
        case(
            "dict keys as ranking",
            [{"a"}],
            [{"a": 1}.keys()],
            r"y_score\[0\] is a dict_keys, which has no order",
        ),
        case(
            "set in a mapping of rankings",
            {"q": {"a"}},
            {"q": {"a"}},
            r"y_score\['q'\] is a set, which has no order",
        ),
        case(
            "outer generator",
            [{"a"}],
            (x for x in [["a"]]),
            r"y_score must be a sequence; got generator\. Use list\(\.\.\.\)",
        ),
        case(
            "inner generator",
            [{"a"}],
            [(x for x in ["a"])],
            r"y_score\[0\] must be a sequence; got generator\. Use list\(\.\.\.\)",
        ),
        case(
            "outer generator of truths",
            (x for x in [{"a"}]),
            [["a"]],
            r"y_true must be a sequence; got generator\. Use list\(\.\.\.\)",
        ),
        case(
            "inner generator of truths",
            [{"a"}, (x for x in "a")],
            [["a"], ["a"]],
            r"y_true\[1\].*generator",
        ),
        case("first inner generator of truths", [(x for x in "a")], [["a"]], r"y_true.*generator"),
        case(
            "iterator",
            [{"a"}],
            map(list, ["a"]),
            r"y_score must be a sequence; got map\. Use list\(\.\.\.\)",
        ),
        case(
            "None as ranking",
            [{"a"}],
            [None],
            r"y_score\[0\] is NoneType; the lists layout takes one ranked list per query",
        ),
        case(
            "None as truth",
            [{"a"}, None],
            [["a"], ["b"]],
            r"y_true\[1\] is NoneType; pass a set, a list or",
        ),
        case(
            "int as ranking",
            [{"a"}],
            [3],
            r"y_score\[0\] is int; the lists layout takes one ranked list per query",
        ),
        case(
            "int as truth", [{"a"}, 3], [["a"], ["b"]], r"y_true\[1\] is int; pass a set, a list or"
        ),
        case(
            "None in a mapping of truths",
            {"q": None},
            {"q": ["a"]},
            r"y_true\['q'\] must be a sequence; got NoneType",
        ),
        case(
            "None in a mapping of rankings",
            {"q": {"a"}},
            {"q": None},
            r"y_score\['q'\] must be a sequence; got NoneType",
        ),
        case(
            "list against mapping",
            [{"a"}],
            {"q": ["a"]},
            r"y_score is a dict keyed by query, y_true a list",
        ),
        case(
            "mapping against list",
            {"q": {"a"}},
            [["a"]],
            r"y_true is a dict keyed by query, y_score a list",
        ),
    ],
)
def test_structures_that_are_no_rankings_or_truths(y_true, y_score, message):
    with pytest.raises(TypeError, match=message):
        mean_average_precision_score(y_true, y_score)


@pytest.mark.parametrize(
    ("y_true", "y_score", "own"),
    [
        case("lists of sets", [["a", "b"], ["c"]], [{"a"}, {"c"}], {}),
        case("one set", [["a", "b"], ["c"]], {"a", "c"}, {}),
        case("mapping of sets", {"q": ["a", "b"]}, {"q": {"a"}}, {}),
        case("grades and sets", [1, 0], [{"a"}, {"b"}], {"groups": ["a", "b"]}),
        case("matrix and sets", np.ones((2, 2)), [{"a"}, {"b"}], {}),
    ],
)
def test_swapped_arguments_are_named(y_true, y_score, own):
    with pytest.raises(TypeError, match=r"are y_true and y_score swapped\?"):
        mean_average_precision_score(y_true, y_score, **own)


def test_grades_and_scores_as_nested_lists_are_named():
    with pytest.raises(ValueError, match=r"repeats a number; if these are grades, pass 2-D arrays"):
        ndcg_at_k_score([[1, 0, 0], [0, 1, 0]], [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    with pytest.raises(TypeError, match=r"If these are grades and scores, pass 2-D arrays"):
        ndcg_at_k_score([[1, 0]], [[0.3, 0.2]])


def test_nested_lists_of_grades_with_a_matrix_of_scores_are_named():
    with pytest.raises((TypeError, ValueError), match=r"pass .*2-D array"):
        ndcg_at_k_score([[1, 0, 0]], np.array([[0.3, 0.2, 0.1]]))


@pytest.mark.parametrize(
    ("y_true", "y_score", "error", "message"),
    [
        case(
            "shapes",
            np.zeros((2, 2)),
            np.zeros((2, 3)),
            ValueError,
            r"y_true has shape \(2, 2\) and y_score \(2, 3\)",
        ),
        case(
            "flat scores",
            np.zeros((2, 2)),
            np.zeros(4),
            ValueError,
            r"y_true has shape \(2, 2\) and y_score \(4,\)",
        ),
        case(
            "3-D",
            np.zeros((2, 2, 2)),
            np.zeros((2, 2, 2)),
            ValueError,
            r"y_true has shape \(2, 2, 2\) .*takes two of shape \(n_queries, n_items\)",
        ),
        case("0-D", np.array(1.0), np.array(1.0), ValueError, r"y_true has shape \(\)"),
        case(
            "strings",
            np.ones((2, 2)),
            [["a", "b"], ["c", "d"]],
            TypeError,
            r"y_score holds strings; pass numbers",
        ),
        case(
            "ragged",
            np.ones((2, 2)),
            [[1, 2], [1]],
            ValueError,
            r"y_score is ragged: its rows differ in length",
        ),
        case(
            "sparse scores",
            sparse.csr_array([[1, 0]]),
            sparse.csr_array([[1, 0]]),
            TypeError,
            r"y_score is sparse; .*call \.toarray\(\)",
        ),
        case(
            "sparse matrix scores",
            np.ones((1, 2)),
            sparse.csr_matrix([[1, 0]]),
            TypeError,
            r"y_score is sparse; .*call \.toarray\(\)",
        ),
        case(
            "NaN",
            np.ones((2, 2)),
            np.array([[1, 2], [np.nan, 1]]),
            ValueError,
            r"y_score contains NaN at row 1, column 0",
        ),
        case(
            "pandas frame",
            pd.DataFrame({"a": [1]}),
            [[1]],
            TypeError,
            r"y_true is a DataFrame; pass a column",
        ),
        case(
            "polars frame",
            pl.DataFrame({"a": [1]}),
            [[1]],
            TypeError,
            r"y_true is a DataFrame; pass a column",
        ),
        case(
            "masked",
            np.ma.array([[1, 0]], mask=[[0, 1]]),
            np.ones((1, 2)),
            TypeError,
            r"y_true is a masked array; masked arrays are not supported, drop or fill",
        ),
        case(
            "masked scores",
            np.ones((1, 2)),
            np.ma.array([[1, 0]], mask=[[0, 1]]),
            TypeError,
            r"y_score is a masked array",
        ),
    ],
)
def test_matrices_that_do_not_fit(y_true, y_score, error, message):
    with pytest.raises(error, match=message):
        ndcg_at_k_score(y_true, y_score)


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        case(
            "none",
            None,
            GroupsRequiredError,
            r"the rows layout needs groups: the query id of each row\. Pass groups=qid",
        ),
        case(
            "NaN",
            [1.0, 1.0, math.nan, 2.0],
            ValueError,
            r"groups contains missing values \(row 2\)",
        ),
        case(
            "None", ["a", None, "b", "b"], ValueError, r"groups contains missing values \(row 1\)"
        ),
        case(
            "NaT",
            pd.to_datetime(["2020", None, "2021", "2021"]),
            ValueError,
            r"groups contains missing values \(row 1\)",
        ),
        case(
            "pandas NA",
            pd.Series([1, None, 2, 2], dtype="Int64"),
            ValueError,
            r"groups contains missing values \(row 1\)",
        ),
        case(
            "polars null",
            pl.Series(["a", None, "b", "b"]),
            ValueError,
            r"groups contains missing values \(row 1\)",
        ),
        case(
            "pyarrow null",
            pa.array(["a", None, "b", "b"]),
            ValueError,
            r"groups contains missing values \(row 1\)",
        ),
        case(
            "no category",
            pd.Categorical(["a", "a", "b", None]),
            ValueError,
            r"groups contains missing values \(row 3\)",
        ),
        case(
            "group sizes",
            [2, 2],
            ValueError,
            r"\[4, 2\] \(y_true, groups\) - groups must hold one id per row, not group sizes",
        ),
        case(
            "too few",
            ["a"],
            ValueError,
            r"inconsistent numbers of samples: \[4, 1\] \(y_true, groups\)$",
        ),
        case(
            "generator",
            (c for c in "aabb"),
            TypeError,
            r"groups must be a sequence; got generator\. Use list",
        ),
        case("str", "aabb", TypeError, r"groups is a str; did you mean \['aabb'\]\?"),
        case("set", {"a"}, TypeError, r"groups is a set, which has no order; pass a list"),
        case("mapping", {"a": 1}, TypeError, r"groups is a dict; pass"),
        case(
            "unhashable",
            ["a", ["b"], "c", "c"],
            TypeError,
            r"groups holds an unhashable list at row 1",
        ),
        case(
            "2-D",
            np.array([["a"], ["b"], ["c"], ["d"]]),
            ValueError,
            r"groups should be a 1d array, got an array of shape \(4, 1\)",
        ),
        case(
            "masked",
            np.ma.array([1, 1, 2, 2], mask=[1, 0, 0, 0]),
            TypeError,
            r"groups is a masked array",
        ),
    ],
)
def test_groups_that_are_refused(groups, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(GRADES, SCORES, groups=groups)


def test_groups_of_a_mapping_are_not_told_to_be_numbers():
    with pytest.raises(TypeError) as caught:
        mean_average_precision_score(GRADES, SCORES, groups={"a": 1})
    assert "array of numbers" not in str(caught.value)


@pytest.mark.parametrize(
    ("y_true", "y_score", "layout"),
    [
        (np.ones((2, 2)), np.ones((2, 2)), "matrix"),
        ([{"a"}, {"b"}], [["a"], ["b"]], "lists"),
        ({"q": {"a"}}, {"q": ["a"]}, "mapping"),
    ],
    ids=["matrix", "lists", "mapping"],
)
def test_groups_belong_to_rows_alone(y_true, y_score, layout):
    with pytest.raises(TypeError, match=rf"y_true is of the {layout} layout, .* leave groups out"):
        mean_average_precision_score(y_true, y_score, groups=[1, 2])


@pytest.mark.parametrize(
    "own", [{"string_provider": str}, {"relevance": [[1]]}], ids=["string_provider", "relevance"]
)
@pytest.mark.parametrize(
    ("y_true", "y_score", "layout", "groups"),
    [(GRADES, SCORES, "rows", GROUPS), (np.ones((1, 2)), np.ones((1, 2)), "matrix", None)],
    ids=["rows", "matrix"],
)
def test_items_belong_to_lists_and_mappings_alone(y_true, y_score, layout, groups, own):
    name = next(iter(own))
    with pytest.raises(
        TypeError, match=rf"{name} applies to ranked lists and mappings; .* the {layout} layout"
    ):
        mean_average_precision_score(y_true, y_score, groups=groups, **own)


@pytest.mark.parametrize(
    ("scores", "grades"),
    [
        case("2-D scores", np.ones((1, 4)), GRADES),
        case("column of scores", np.ones((4, 1)), GRADES),
        case("nested scores", [[1], [2], [3], [4]], GRADES),
    ],
)
def test_rows_are_one_dimensional(scores, grades):
    with pytest.raises(ValueError, match=r"y_score should be a 1d array, got an array of shape"):
        mean_average_precision_score(grades, scores, groups=GROUPS)


def test_lists_of_different_number():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[1, 2\]"):
        mean_average_precision_score([{"a"}], [["a"], ["b"]])


def test_two_dimensional_array_is_no_ranking():
    with pytest.raises(ValueError, match=r"y_score\[0\] should be a 1d array, .* shape \(1, 1\)"):
        mean_average_precision_score([{"a"}], [np.array([["a"]])])


def test_ragged_rankings_are_normal():
    assert mean_reciprocal_rank_score([{"a"}, {"b"}], [["a"], ["x", "y", "b"]]) == (1 + 1 / 3) / 2


@pytest.mark.parametrize(
    ("relevance", "error", "message"),
    [
        case(
            "inner length",
            [[2, 1]],
            ValueError,
            r"relevance\[0\] has 2 scores for 3 ranked results",
        ),
        case(
            "outer length",
            [[3, 2, 1], [1]],
            ValueError,
            r"relevance has 2 lists for 1 ranked lists",
        ),
        case(
            "rising",
            [[1, 2, 3]],
            ValueError,
            (
                r"relevance\[0\] contradicts the order of the ranked results at position 2: 2 > "
                r"1; .*higher_is_better=False"
            ),
        ),
        case("rising late", [[3, 1, 2]], ValueError, r"at position 3: 2 > 1"),
        case(
            "falling distances",
            RelevanceInput([[3, 2, 1]], higher_is_better=False),
            ValueError,
            r"at position 2: 2 < 3; .*higher_is_better=True",
        ),
        case("NaN", [[3, np.nan, 1]], ValueError, r"relevance\[0\] contains NaN"),
        case("str", [["3", "2", "1"]], TypeError, r"relevance\[0\] has score '3'"),
        case("None", [[3, None, 1]], TypeError, r"relevance\[0\] has score None"),
        case(
            "provider raises",
            RelevanceInput([["x", "2", "1"]]),
            ValueError,
            r"provider of RelevanceInput raised ValueError\(.*\) on score 0 of relevance\[0\]",
        ),
        case(
            "mapping",
            {"q": [1]},
            TypeError,
            r"relevance is a mapping; for a sequence of ranked lists pass a sequence",
        ),
        case("set", {1, 2}, TypeError, r"relevance is a set, which has no order"),
        case("inner set", [{3, 2, 1}], TypeError, r"relevance\[0\] is a set, which has no order"),
        case("str for all", "abc", TypeError, r"relevance is a str; did you mean"),
        case(
            "generator",
            ([3, 2, 1] for _ in [1]),
            TypeError,
            r"relevance must be a sequence; got generator\. Use list",
        ),
    ],
)
def test_relevance_that_is_refused(relevance, error, message):
    with pytest.raises(error, match=message):
        group_auc_score([{"b"}], [["a", "b", "c"]], relevance=relevance)


@pytest.mark.parametrize(
    ("relevance", "message"),
    [
        case("NaN", [[3, np.nan, 1]], r"contains NaN .*at position 2"),
        case("str", [["3", "2", "1"]], r"has score '3' .*at position 1"),
    ],
)
def test_relevance_messages_name_a_position_and_no_item(relevance, message):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        group_auc_score([{"b"}], [["a", "b", "c"]], relevance=relevance)
    assert "item 'at position" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"provider": "float"}, r"provider must be a function of a score, got 'float'"),
        (
            {"higher_is_better": 1},
            r"The 'higher_is_better' parameter of RelevanceInput must be a bool\. Got 1",
        ),
        ({"higher_is_better": None}, r"must be a bool\. Got None"),
    ],
    ids=["provider", "int for bool", "None for bool"],
)
def test_relevance_input_checks_itself(arguments, message):
    with pytest.raises(TypeError, match=message):
        RelevanceInput([[1]], **arguments)


def test_relevance_of_mappings_is_a_mapping():
    truth, ranking = {"q": {"b"}}, {"q": ["a", "b"]}
    with pytest.raises(
        TypeError, match=r"relevance is a sequence; for mappings pass \{query: scores\}"
    ):
        group_auc_score(truth, ranking, relevance=[[2, 1]])
    with pytest.raises(ValueError, match=r"relevance\['q'\] has 0 scores for 2 ranked results"):
        group_auc_score(truth, ranking, relevance={})


def test_relevance_beside_scores_is_refused():
    with pytest.raises(TypeError, match=r"y_score holds \{item: score\} rankings, which need no"):
        group_auc_score([{"b"}], [{"a": 1, "b": 2}], relevance=[[2, 1]])


@pytest.mark.parametrize("options", [{"ties": "docid"}, {"convention": "trec_eval"}])
def test_relevance_with_ties_by_id_is_refused(options):
    message = r"ties='docid' would reorder tied items, but ranked lists stand as given; pass "
    with pytest.raises(ValueError, match=message):
        evaluate([{"b"}], [["a", "b"]], "gauc", relevance=[[1, 1]], **options)
    with pytest.raises(ValueError, match=message):
        evaluate({"q": {"b"}}, {"q": ["a", "b"]}, "gauc", relevance={"q": [1, 1]}, **options)
    assert evaluate([{"b"}], [["a", "b"]], "gauc", ties="docid")["gauc"] == 0.0
    stable = {**options, "ties": "stable"}
    assert evaluate([{"b"}], [["a", "b"]], "gauc", relevance=[[1, 1]], **stable)["gauc"] == 0.0


def test_relevance_beside_dropped_duplicates_is_refused():
    with pytest.raises(ValueError, match=r"duplicates='first' cannot drop items of rankings"):
        evaluate([{"b"}], [["a", "a"]], "gauc", relevance=[[2, 1]], duplicates="first")


def test_pandas_indexes_have_to_agree():
    grades, scores = pd.Series([1, 0], index=[1, 0]), pd.Series([1, 2])
    with pytest.raises(ValueError, match=r"y_true and y_score have different indexes; align them"):
        mean_average_precision_score(grades, scores, groups=["a", "a"])
    groups = pd.Series(["a", "a"], index=[3, 4])
    with pytest.raises(ValueError, match=r"y_true and groups have different indexes"):
        mean_average_precision_score(pd.Series([1, 0]), [1, 2], groups=groups)


def test_pandas_index_of_weights_has_to_agree():
    columns = pd.Series([1, 0]), pd.Series([1, 2])
    weights = pd.Series([1.0, 1.0], index=[5, 6])
    with pytest.raises(ValueError, match=r"sample_weight have different indexes; align them"):
        mean_average_precision_score(*columns, groups=["a", "a"], sample_weight=weights)


def test_pandas_equal_indexes_pair_by_position():
    index = [5, 5, 6, 6]
    value = mean_average_precision_score(
        pd.Series(GRADES, index=index),
        pd.Series(SCORES, index=index),
        groups=pd.Series(GROUPS, index=index),
    )
    assert value == (1 + 1 / 2) / 2


NULLS = [
    case("pandas Int64", pd.Series([1, None, 0, 1], dtype="Int64")),
    case("pandas Float64", pd.Series([1, None, 0, 1], dtype="Float64")),
    case("pandas array", pd.array([1, None, 0, 1], dtype="Int64")),
    case("pandas boolean", pd.Series([True, None, False, True], dtype="boolean")),
    case("polars", pl.Series([1, None, 0, 1])),
    case("polars float", pl.Series([1.0, None, 0, 1])),
    case("pyarrow", pa.array([1, None, 0, 1])),
    case("pyarrow chunked", pa.chunked_array([[1, None], [0, 1]])),
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


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_layouts_of_matrices(order):
    grades = np.array([[1, 0, 0], [0, 0, 1]], order=order)
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0]], order=order)
    for matrix in (grades, scores):
        matrix.setflags(write=False)
    assert mean_reciprocal_rank_score(grades, scores) == (1 + 1 / 3) / 2
    assert mean_reciprocal_rank_score(grades[:, ::-1], scores[:, ::-1]) == (1 + 1 / 3) / 2


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
    "lists": (
        [{"a": 2, "b": 0}, ["c"]],
        [["b", "a", "a"], ["x", "c"]],
        {"duplicates": "first"},
    ),
    "mapping": (
        {"p": {"a": 2, "b": 0}, "q": {"c"}},
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


def shown(value):
    if sparse.issparse(value):
        return value.nnz, value.data.tobytes(), value.toarray().tobytes()
    if isinstance(value, np.ndarray):
        return value.dtype, value.tobytes()
    if isinstance(value, dict):
        return {key: shown(one) for key, one in value.items()}
    return repr(value)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_inputs_are_never_modified(name, ties):
    given = copy.deepcopy(ARRAYS[name])
    before = shown(given[0]), shown(given[1]), shown(given[2])
    y_true, y_score, own = frozen(given[0]), frozen(given[1]), frozen(given[2])
    measures = ("map", "mar@2", "mrr", "p@2", "ndcg", "err", "nerr", "lag", "auc", "gauc", "lauc@2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        evaluate(y_true, y_score, measures, ties=ties, **own)
    assert (shown(y_true), shown(y_score), shown(own)) == before


# 1.7 Weights and classes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        case(
            "negative",
            [1, 1, -1, -1],
            ValueError,
            r"sample_weight contains a negative value \(-1\.0\) at position 2",
        ),
        case("zero sum", [0, 0, 0, 0], ValueError, r"sample_weight sums to zero"),
        case(
            "NaN",
            [1, 1, np.nan, np.nan],
            ValueError,
            r"sample_weight contains NaN at position 2, and 1 more",
        ),
        case(
            "inf",
            [np.inf, np.inf, 1, 1],
            ValueError,
            r"sample_weight contains infinity at position 0, and 1 more",
        ),
        case(
            "one per query",
            [1, 2],
            ValueError,
            r"sample_weight has 2 weights, one per query; the rows layout takes one per row \(4\)",
        ),
        case(
            "wrong length",
            [1, 2, 3],
            ValueError,
            r"sample_weight has 3 weights, the rows layout takes one per row \(4\)",
        ),
        case(
            "varies within a query",
            [1, 2, 1, 1],
            ValueError,
            r"must be the same for all its rows; query 'a' has 1 and 2",
        ),
        case("str", ["a"] * 4, TypeError, r"sample_weight holds strings; pass numbers"),
        case(
            "None",
            [1, 1, None, 1],
            ValueError,
            r"sample_weight contains missing values \(position 2\)",
        ),
        case(
            "2-D",
            [[1, 1, 1, 1]],
            ValueError,
            r"sample_weight should be a 1d array, got an array of shape \(1, 4\)",
        ),
        case("mapping", {"a": 1, "b": 2}, TypeError, r"sample_weight is a dict"),
        case(
            "generator",
            (1 for _ in range(4)),
            TypeError,
            r"sample_weight must be a sequence; got generator",
        ),
    ],
)
def test_weights_that_rows_refuse(weights, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(GRADES, SCORES, groups=GROUPS, sample_weight=weights)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        case(
            "negative",
            [1, -1],
            ValueError,
            r"sample_weight contains a negative value \(-1\.0\) at position 1",
        ),
        case(
            "too many",
            [1, 2, 3],
            ValueError,
            r"sample_weight has 3 weights for 2 queries; pass one per query",
        ),
        case("zero sum", [0, 0], ValueError, r"sample_weight sums to zero"),
        case("NaN", [1, np.nan], ValueError, r"sample_weight contains NaN at position 1"),
        case("inf", [np.inf, 1], ValueError, r"sample_weight contains infinity at position 0"),
    ],
)
@pytest.mark.parametrize("layout", ["lists", "matrix"])
def test_weights_that_lists_and_matrices_refuse(layout, weights, error, message):
    pair = {
        "lists": ([{"a"}, {"b"}], [["a"], ["c", "b"]]),
        "matrix": (np.array([[1, 0], [0, 1]]), np.ones((2, 2))),
    }[layout]
    with pytest.raises(error, match=message):
        mean_average_precision_score(*pair, sample_weight=weights)


def test_first_negative_weight_is_reported():
    with pytest.raises(ValueError, match=r"negative value \(-1\.0\) at position 1"):
        mean_average_precision_score([{"a"}] * 3, [["a"]] * 3, sample_weight=[1, -1, -5])


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        case(
            "list",
            [1, 2],
            TypeError,
            r"sample_weight for mappings must be \{query: weight\}: queries are joined by key",
        ),
        case("no weight", {"p": 1}, ValueError, r"sample_weight has no weight for 1 queries: 'q'"),
        case(
            "negative",
            {"p": 1, "q": -1},
            ValueError,
            r"sample_weight contains a negative value \(-1\.0\).* query 'q'",
        ),
        case("NaN", {"p": 1, "q": np.nan}, ValueError, r"sample_weight contains NaN.* query 'q'"),
    ],
)
def test_weights_that_mappings_refuse(weights, error, message):
    with pytest.raises(error, match=message):
        mean_average_precision_score(
            {"p": {"a"}, "q": {"b"}}, {"q": ["b"], "p": ["a"]}, sample_weight=weights
        )


def test_pooled_measures_take_no_weights():
    with pytest.raises(InvalidParameterError, match=r"sample_weight .* pooled measure"):
        ranking_auc_score(
            GRADES, SCORES, groups=GROUPS, average="pooled", sample_weight=[1, 1, 2, 2]
        )


def test_weights_weigh_queries():
    # Reciprocal ranks 1 and 1/2, weights 1 and 3.
    value = mean_reciprocal_rank_score(GRADES, SCORES, groups=GROUPS, sample_weight=[1, 1, 3, 3])
    assert value == (1 * 1 + 3 * 1 / 2) / 4


def test_weight_on_undefined_queries_alone_leaves_nothing():
    with pytest.warns(UndefinedMetricWarning, match="undefined for 1 of 1 queries: 0; .* is NaN"):
        value = mean_reciprocal_rank_score([set(), {"a"}], [["a"], ["a"]], sample_weight=[1, 0])
    assert math.isnan(value)


@pytest.mark.parametrize("metric", [ranking_auc_score, group_auc_score, limited_auc_score])
@pytest.mark.parametrize("grades", [[0, 0], [1, 1]], ids=["none relevant", "all relevant"])
def test_one_class_is_undefined(metric, grades):
    with pytest.warns(UndefinedMetricWarning, match=r"undefined for 1 of 1 queries"):
        assert math.isnan(metric(np.array([grades]), np.array([[2, 1]])))


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_undefined_queries_under_each_zero_division(metric):
    # The first query has nothing relevant, the second a perfect ranking.
    pair = [set(), {"a"}], [["x", "y"], ["a", "b"]]
    second = metric(*[side[1:] for side in pair])
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"undefined for 1 of 2 queries: 0; they are left out\. Use the zero_division",
    ):
        assert metric(*pair) == second
    assert metric(*pair, zero_division=np.nan) == second
    with pytest.raises(UndefinedMetricError, match=r"undefined for 1 of 2 queries: 0$"):
        metric(*pair, zero_division="raise")
    if metric is ranking_auc_score:
        # Weighed by relevant items, of which the first query has none.
        assert metric(*pair, zero_division=0.0) == second
        return
    assert metric(*pair, zero_division=0.0) == pytest.approx((0 + second) / 2)
    assert metric(*pair, zero_division=1.0) == pytest.approx((1 + second) / 2)


@pytest.mark.parametrize(
    ("average", "weights"),
    [("positives", [0, 1, 2]), ("impressions", [2, 3, 2]), ("macro", [1, 1, 1])],
)
@pytest.mark.parametrize("settled", [0.0, 1.0])
def test_settled_queries_keep_their_weight(average, weights, settled):
    # Undefined without a relevant item; 1/2 of the pairs; undefined without an irrelevant one.
    pair = [set(), {"b"}, {"a", "b"}], [["a", "b"], ["a", "b", "c"], ["a", "b"]]
    value = ranking_auc_score(*pair, average=average, zero_division=settled)
    wins = weights[0] * settled + weights[1] * 1 / 2 + weights[2] * settled
    assert value == pytest.approx(wins / sum(weights), rel=1e-15)
    alone = ranking_auc_score([set()], [["a", "b"]], average=average, zero_division=settled)
    assert alone == settled


def test_settled_queries_keep_their_weight_in_pooled_lag():
    # The first query has nothing relevant and weighs 0, the second lags 1, the third, which has
    # two missed items and an empty ranking, counts 0 twice.
    pair = [set(), {"b"}, {"y", "z"}], [["a"], ["a", "b"], []]
    assert lag_error(*pair, average="pooled", zero_division=0.0) == (1 * 1 + 2 * 0) / 3


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_all_queries_undefined(metric):
    with pytest.warns(
        UndefinedMetricWarning, match=r"undefined for 2 of 2 queries: 0, 1; the result is NaN"
    ):
        assert math.isnan(metric([set(), set()], [["x", "y"], ["x"]]))


@pytest.mark.parametrize(
    "value", [0.5, 2, -1, True, None, "nan", "skip", [0], math.inf, np.bool_(False)], ids=repr
)
def test_zero_division_has_five_values(value):
    with pytest.raises(
        InvalidParameterError,
        match=r"The 'zero_division' parameter of map must be one of 'warn', 'raise', nan, 0\.0, 1",
    ):
        mean_average_precision_score([{"a"}], [["a"]], zero_division=value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ties", "random", "'average', 'stable', 'docid', 'optimistic', 'pessimistic'"),
        ("ties", ["stable"], "'average', 'stable', 'docid', 'optimistic', 'pessimistic'"),
        ("ties", 1, "'average', 'stable', 'docid', 'optimistic', 'pessimistic'"),
        ("missing", "drop", "'zero', 'skip', 'raise'"),
        ("duplicates", "last", "'raise', 'first'"),
    ],
)
def test_options_are_words(name, value, words):
    with pytest.raises(
        InvalidParameterError, match=rf"The '{name}' parameter .* one of {words}\. Got"
    ):
        evaluate([{"a"}], [["a"]], "map", **{name: value})


def test_ties_by_id_need_ids():
    message = r"ties='docid' breaks ties by item ids, which arrays do not have"
    with pytest.raises(ValueError, match=message):
        evaluate(GRADES, SCORES, "map", groups=GROUPS, ties="docid")
    with pytest.raises(ValueError, match=message):
        evaluate(np.ones((1, 2)), np.ones((1, 2)), "map", ties="docid")
    with pytest.raises(ValueError, match="pass ties='stable' or another rule"):
        evaluate(GRADES, SCORES, "map", groups=GROUPS, convention="trec_eval")
    with pytest.raises(
        TypeError, match=r"ties='docid' compares item ids, and these do not compare"
    ):
        evaluate([{"a", 1}], [{"a": 1, 1: 1}], "map", ties="docid")


# Messages ---------------------------------------------------------------------------------------

HOSTILE = [
    case("escape", "\x1b[31mred\x1b[0m"),
    case("return", "0.12 FAIL\r0.99 PASS"),
    case("newline", "x\n::add-mask::0.1"),
    case("bell", "\x07\x08\x7f"),
    case("C1", "\x9b31m"),
    case("bidi", "\u202eevil\u2066"),
    case("zero width", "a\u200bb\ufeff"),
    case("line separator", "a\u2028b\u2029"),
    case("surrogate", "\ud800"),
    case("NUL", "a\0b"),
    case("long", "x" * 200_000),
    case("long and hostile", "\x1b" * 200_000),
]


def hostile_calls(item):
    """Calls that fail and have to say something of the item."""
    query = {item: {"a"}}
    return {
        "duplicate": lambda: evaluate([{"a"}], [[item, item]], "map"),
        "collision": lambda: evaluate([{item, "b"}], [["b"]], "map", string_provider=lambda x: "s"),
        "grade": lambda: evaluate([{item: -1}], [["a"]], "map"),
        "grade type": lambda: evaluate([{item: "1"}], [["a"]], "map"),
        "score": lambda: evaluate([{"a"}], [{item: math.nan}], "map"),
        "score type": lambda: evaluate([{"a"}], [{item: item}], "map"),
        "mismatch": lambda: evaluate(query, {"other": ["a"]}, "map"),
        "missing": lambda: evaluate({**query, "q": {"a"}}, {"q": ["a"]}, "map", missing="raise"),
        "query": lambda: evaluate(query, {item: "str"}, "map"),
        "row": lambda: evaluate([-1], [1], "map", groups=[item]),
        "weight": lambda: evaluate([1, 0], [2, 1], "map", groups=[item] * 2, sample_weight=[1, 2]),
        "no weight": lambda: evaluate(query, {item: ["a"]}, "map", sample_weight={}),
        "undefined": lambda: evaluate({item: set()}, {item: ["a"]}, "map", zero_division="raise"),
        "bare": lambda: evaluate([{"a"}], [item], "map"),
        "provider": lambda: evaluate([{"a"}], [[item]], "map", string_provider=lambda x: {}[x]),
        "measure": lambda: evaluate([{"a"}], [["a"]], item),
        "parameter": lambda: evaluate([{"a"}], [["a"]], f"ndcg(gain='{item}')"),
        "convention": lambda: evaluate([{"a"}], [["a"]], convention=item),
        "ties": lambda: evaluate([{"a"}], [["a"]], ties=item),
    }


@pytest.mark.parametrize("where", hostile_calls("x"))
@pytest.mark.parametrize("item", HOSTILE)
def test_hostile_text_is_escaped_and_cut_in_messages(item, where):
    with pytest.raises((TypeError, ValueError)) as caught:
        hostile_calls(item)[where]()
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 2000


def test_hostile_query_ids_are_escaped_in_warnings():
    with pytest.warns(UndefinedMetricWarning) as caught:
        evaluate({"\x1b[2J\n": set()}, {"\x1b[2J\n": ["a"]}, "map")
    assert str(caught[0].message).isprintable()
    assert r"'\x1b[2J\x0a'" in str(caught[0].message)


def test_at_most_five_ids_are_listed():
    truth = {f"q{number}": {"a"} for number in range(1000)}
    with pytest.raises(
        QueryMismatchError, match=r"999 of 1,000 .*: 'q1', 'q2', 'q3', 'q4', 'q5' and 994 more\."
    ):
        evaluate(truth, {"q0": ["a"]}, "map", missing="raise")


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_first_offence_in_input_order_is_reported(n_jobs):
    for _ in range(3):
        with pytest.raises(
            DuplicateItemError, match=r"^y_score\[1\] holds item 'b' at positions 1 and 3"
        ):
            evaluate([{"a"}] * 3, [["a"], ["b", "c", "b", "c"], ["d", "d"]], "map", n_jobs=n_jobs)
        with pytest.raises(
            ValueError, match=r"^y_score contains NaN at row 2 of query 'a', and 1 more"
        ):
            evaluate(
                [1, 0, 0, 1], [1, 2, np.nan, np.nan], "map", groups=list("baab"), n_jobs=n_jobs
            )
        with pytest.raises(ValueError, match=r"^y_true contains a negative grade \(-3\) at row 1"):
            evaluate([1, -3, -9, 1], [1, 2, 3, 4], "map", groups=list("baab"), n_jobs=n_jobs)


def test_nothing_is_computed_before_everything_is_checked():
    def gain(grades):
        raise AssertionError("called before the last query was read")

    with pytest.raises(ValueError, match=r"y_score\[1\] contains NaN"):
        ndcg_at_k_score([{"a"}, {"a"}], [{"a": 1.0}, {"a": math.nan}], gain=gain)


def test_parameter_errors_are_value_and_type_errors():
    assert issubclass(InvalidParameterError, ValueError)
    assert issubclass(InvalidParameterError, TypeError)
    assert issubclass(DuplicateItemError, ValueError)
    assert issubclass(QueryMismatchError, ValueError)
    assert issubclass(UndefinedMetricError, ValueError)
    assert issubclass(GroupsRequiredError, TypeError)
    assert not issubclass(GroupsRequiredError, ValueError)


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.__name__)
def test_results_are_python_floats(metric):
    for layout in (
        metric(GRADES, SCORES, groups=GROUPS),
        metric(np.array([[1, 0]], dtype=np.float32), np.array([[2, 1]], dtype=np.float32)),
        metric([{"a"}], [["a", "b"]]),
        metric({"q": {"a"}}, {"q": {"a": 1, "b": 0}}),
        metric([set()], [["a"]], zero_division=0.0),
    ):
        assert type(layout) is float


@pytest.mark.parametrize("beta", [1e154, 1e200, 1e308, 10**300])
def test_a_huge_beta_leaves_the_second_member_alone(beta):
    # Precision 1/2, recall 1/3; with b in the clouds the mean is the recall.
    pair = [{"a", "y", "z"}], [["x", "a"]]
    assert fbeta_at_k_score(*pair, beta=beta) == pytest.approx(1 / 3, rel=1e-15)
    assert 0 <= fbeta_at_k_score(*pair, k=10**400, beta=beta) <= 1 / 3
    assert harmonic_mean_score(*pair, beta=beta) == pytest.approx(1 / 3, rel=1e-15)
    assert harmonic_mean_score([{"z"}], [["x", "a"]], beta=beta) == 0.0


@pytest.mark.parametrize("beta", [1e-308, 1e-200, 5e-324, 0])
def test_a_tiny_beta_leaves_the_first_member_alone(beta):
    pair = [{"a", "y", "z"}], [["x", "a"]]
    assert fbeta_at_k_score(*pair, beta=beta) == pytest.approx(1 / 2, rel=1e-15)
    assert harmonic_mean_score(*pair, beta=beta) == pytest.approx(1 / 2, rel=1e-15)


# Irrelevant items by query ---------------------------------------------------------------------

TWO = {"p": {"a"}, "q": {"b"}}, {"p": ["x", "a"], "q": ["b", "y"]}


@pytest.mark.parametrize("metric", [ranking_auc_score, group_auc_score, limited_auc_score])
@pytest.mark.parametrize("order", ["pq", "qp"])
def test_n_negatives_of_mappings_are_joined_by_query(metric, order):
    numbers = {"p": 4, "q": 1, "left out": 7}
    truth = {query: TWO[0][query] for query in order}
    # a stands below 1 of 4, b above the only one.
    value = metric(truth, TWO[1], n_negatives={query: numbers[query] for query in sorted(numbers)})
    assert value == (3 / 4 + 1) / 2


def test_n_negatives_by_query_serve_every_layout():
    numbers = {"p": 4, "q": 1}
    value = group_auc_score([0, 1, 1, 0], [2, 1, 2, 1], groups=list("ppqq"), n_negatives=numbers)
    assert value == (3 / 4 + 1) / 2
    lists = [{"a"}, {"b"}], [["x", "a"], ["b", "y"]]
    assert group_auc_score(*lists, n_negatives={0: 4, 1: 1}) == (3 / 4 + 1) / 2
    assert group_auc_score(*lists, n_negatives=[4, 1]) == (3 / 4 + 1) / 2


@pytest.mark.parametrize("numbers", [[4, 1], (4, 1), np.array([4, 1])], ids=repr)
def test_n_negatives_by_position_are_refused_for_mappings(numbers):
    message = (
        r"n_negatives by position is ambiguous for mappings, whose queries are joined by key; "
        r"pass \{query: number\}"
    )
    with pytest.raises(InvalidParameterError, match=message):
        group_auc_score(*TWO, n_negatives=numbers)


def test_n_negatives_by_query_that_do_not_fit():
    with pytest.raises(InvalidParameterError, match=r"n_negatives has no number for query 'q'$"):
        group_auc_score(*TWO, n_negatives={"p": 4})
    with pytest.raises(InvalidParameterError, match=r"n_negatives is 0 for query 'q', whose rank"):
        group_auc_score(*TWO, n_negatives={"p": 4, "q": 0})
    with pytest.raises(InvalidParameterError, match=r"The 'n_negatives' parameter of gauc must be"):
        group_auc_score(*TWO, n_negatives={"p": 4, "q": -1})
    message = r"n_negatives by query says nothing of all queries ranked together; pass one number"
    with pytest.raises(InvalidParameterError, match=message):
        ranking_auc_score([0, 1], [2, 1], groups=["p", "p"], average="pooled", n_negatives={"p": 4})


# Functions as parameters -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gain", "message"),
    [
        (lambda grades: -grades, r"gain must be finite and at least 0, got -1\.0 for grade 1"),
        (lambda grades: grades * np.nan, r"gain must be finite and at least 0, got nan"),
        (lambda grades: 1.0, r"gain must return one number for each grade"),
        (lambda grades: "high", r"gain must return one number for each grade"),
        (lambda grades: ["1"], r"gain must return numbers, got \['1'\]"),
        (lambda grades: [None], r"gain must return numbers, got \[None\]"),
        (lambda grades: grades * 1j, r"gain must return numbers, got array\(\[0\.\+1\.j\]\)"),
        (lambda grades: [[1], [1, 2]], r"gain must return one number for each grade"),
        (lambda grades: [10**400], r"gain must return numbers that float64 can hold"),
        (
            {1: -1.0},
            r"The 'gain' parameter of ndcg must be a finite number in the range \[0, inf\)",
        ),
        ({2: 1.0}, r"gain has no entry for grade 1"),
    ],
    ids=[
        *("negative", "NaN", "scalar", "text", "digits", "None", "complex", "ragged", "huge"),
        *("negative in a table", "missing in a table"),
    ],
)
def test_gains_that_are_refused(gain, message):
    with pytest.raises(InvalidParameterError, match=message):
        ndcg_at_k_score([{"a": 1}], [["a"]], gain=gain)


@pytest.mark.parametrize(
    ("discount", "message"),
    [
        (
            lambda ranks: ranks - 1,
            r"discount must be finite, above 0 and never fall, got 0\.0 at rank 1",
        ),
        (lambda ranks: 1 / ranks, r"discount must be .* never fall, got 0\.5 at rank 2"),
        (lambda ranks: 1.0, r"discount must return one number for each rank"),
        (lambda ranks: ["a", "b"], r"discount must return numbers, got \['a', 'b'\]"),
    ],
    ids=["zero", "falling", "scalar", "text"],
)
def test_discounts_that_are_refused(discount, message):
    with pytest.raises(InvalidParameterError, match=message):
        ndcg_at_k_score([{"a": 1, "b": 1}], [["a", "b"]], discount=discount)


@pytest.mark.parametrize(
    "gain",
    [
        lambda grades: grades / grades.max(),
        lambda grades: grades - grades.min() + 1,
        lambda grades: np.cumsum(grades) + 1,
        lambda grades: grades / grades.sum(),
    ],
    ids=["over the greatest", "above the least", "running sum", "share"],
)
@pytest.mark.parametrize("metric", [ndcg_at_k_score, dcg_at_k_score, ideal_dcg_at_k_score])
def test_gains_that_depend_on_other_grades_are_refused(metric, gain):
    message = r"gain must depend on each grade alone, got .* for grade [13] and .* among others"
    with pytest.raises(InvalidParameterError, match=message):
        metric([{"a": 1, "b": 3}], [["a", "b"]], gain=gain)


def test_discounts_that_depend_on_other_ranks_are_refused():
    message = r"discount must depend on each rank alone, got 1\.0 for rank 2 and 2\.0 among others"
    with pytest.raises(InvalidParameterError, match=message):
        ndcg_at_k_score([{"a": 1, "b": 1}], [["a", "b"]], discount=lambda r: r - r.min() + 1)


def test_functions_are_never_called_with_nothing():
    def of_something(values):
        assert len(values)
        return values + 1.0

    options = {"gain": of_something, "discount": of_something, "zero_division": 0.0}
    # Nothing relevant, nothing ranked, nothing at all.
    assert ndcg_at_k_score([set()], [["a"]], **options) == 0.0
    assert ndcg_at_k_score([{"a"}], [[]], **options) == 0.0
    assert dcg_at_k_score([set()], [[]], **options) == 0.0


def test_functions_may_return_any_numbers():
    pair = [{"a": 1, "b": 3}], [["a", "b"]]
    expected = (1 / 1 + 3 / 2) / (3 / 1 + 1 / 2)
    for wrap in (list, tuple, np.asarray, lambda values: np.asarray(values, dtype=object)):
        value = ndcg_at_k_score(*pair, gain=lambda g, w=wrap: w(g), discount=lambda r, w=wrap: w(r))
        assert value == pytest.approx(expected)
