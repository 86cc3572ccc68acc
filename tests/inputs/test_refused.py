"""What each layout refuses: class, argument, rule, place; messages are escaped, cut, in order."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from sklearn_rank import (
    ColumnRoleError,
    DuplicateItemError,
    Qrels,
    QueryMismatchError,
    RankingConfigError,
    Run,
    UndefinedMetricWarning,
    evaluate,
)
from sklearn_rank.inputs import RelevanceInput
from tests.inputs.cases import GRADES, GROUPS, SCORES

BIG = 2**53 + 1
CELLS = np.array([[True, True, False, False], [True, False, True, True]])


def refused(error: type[Exception], message: str, *sides: Any, **options: Any) -> None:
    with pytest.raises(error, match=message):
        evaluate(*sides, "ndcg", **options)


def objects(*values: Any) -> np.ndarray:
    return np.array(values, dtype=object)


# Rows --------------------------------------------------------------------------------------------

NUMBERS = [
    ([1, np.nan, 2, np.nan], ValueError, r"contains NaN at row 1 of query 'a', and 1 more$"),
    (np.array([1, 2, 3, np.nan], "f2"), ValueError, r"contains NaN at row 3 of query 'b'"),
    ([Decimal(1)] * 4, ValueError, r"holds Decimal objects \(position 0\); pass ints or floats"),
    ([Fraction(1, 3)] * 4, ValueError, r"holds Fraction objects \(position 0\)"),
    (objects(*[object()] * 4), TypeError, r"holds object objects \(position 0\)"),
    (np.array(["3", "2", "1", "0"]), TypeError, "holds strings; pass numbers"),
    (objects(1, "2", 3, 4), TypeError, "holds strings; pass numbers"),
    ([1, None, 2, 3], ValueError, r"contains missing values \(position 1\)"),
    (objects(0.5, math.nan, 1, 1), ValueError, r"contains missing values \(position 1\)"),
    ([1j, 1, 2, 3], TypeError, "has dtype complex128; pass real numbers"),
    (np.array(["2020"] * 4, "M8[D]"), TypeError, r"has dtype datetime64\[D\]; pass real numbers"),
    ([BIG, 2.0**53, 0, 1], ValueError, "mixes integers that float64 cannot hold with other num"),
    (objects(BIG, 0.5, 0, 1), ValueError, "mixes integers that float64 cannot hold"),
    ([10**400, 1, 2, 3], ValueError, "integers that float64 cannot hold"),
    (None, TypeError, "must be a sequence; got NoneType"),
    (3.0, TypeError, "must be a sequence; got float"),
]


@pytest.mark.parametrize(("numbers", "error", "message"), NUMBERS)
@pytest.mark.parametrize("name", ["y_true", "y_score"])
def test_numbers_of_rows(name: str, numbers: Any, error: Any, message: str) -> None:
    sides = (numbers, SCORES) if name == "y_true" else (GRADES, numbers)
    if name == "y_true" and isinstance(numbers, np.ndarray) and "strings" in message:
        message = "holds strings"
    refused(error, f"{name}.*({message})", *sides, groups=GROUPS)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"y_true": [-np.inf, 0, 0, 1]}, ValueError, "y_true contains infinity at row 0 of query"),
        ({"y_true": np.array([1, -128, 0, 1], "i1")}, ValueError, r"grade \(-128\) at row 1 of"),
        ({"y_true": ["1", "0", "0", "1"]}, TypeError, r"y_true holds strings; pass a set, list or"),
        ({"y_score": [1, 2, 3]}, ValueError, r"numbers of samples: \[4, 3\] \(y_true, y_score\)"),
        ({"y_score": np.ones((1, 4))}, ValueError, "y_score should be a 1d array, got an array of"),
        ({"y_score": [{"b"}] * 4}, TypeError, r"are y_true and y_score swapped\?"),
        ({"groups": None}, RankingConfigError, r"rows layout needs groups: .* Pass groups=qid"),
        ({"groups": [2, 2]}, ValueError, r"\[4, 2\] \(y_true, groups\) - .* not group sizes"),
        ({"groups": ["a"]}, ValueError, r"numbers of samples: \[4, 1\] \(y_true, groups\)$"),
        ({"groups": iter("aabb")}, TypeError, r"groups must be a sequence; .*Use list\(\.\.\.\)"),
        ({"groups": "aabb"}, TypeError, r"each row, such as frame\['aabb'\]; got a str"),
        ({"groups": {"a"}}, TypeError, "groups is a set, which has no order; pass a list"),
        ({"groups": {"a": 1}}, TypeError, "groups is a dict; pass an array$"),
        ({"groups": ["a", ["b"], "c", "c"]}, TypeError, "groups holds an unhashable list at row 1"),
        ({"groups": np.ones((4, 1))}, ValueError, r"groups should be a 1d array, .* \(4, 1\)"),
        ({"groups": np.ma.array([1] * 4, mask=[1, 0, 0, 0])}, TypeError, "groups has masked val"),
        ({"sample_weight": [1, 1, -1, -5]}, ValueError, r"negative value \(-1\.0\) at position 2"),
        ({"sample_weight": [0] * 4}, ValueError, "sample_weight sums to zero"),
        ({"sample_weight": [1, 1, np.nan, np.nan]}, ValueError, "NaN at position 2, and 1 more"),
        ({"sample_weight": [np.inf, 1, 1, 1]}, ValueError, "contains infinity at position 0"),
        (
            {"sample_weight": [1, 2]},
            ValueError,
            r"2 weights \(one per query\), but .* one per row \(4\)",
        ),
        ({"sample_weight": [1, 2, 3]}, ValueError, r"has 3 weights, but the rows layout takes one"),
        ({"sample_weight": [1, 2, 1, 1]}, ValueError, "same for all .* query 'a' has 1 and 2"),
        ({"sample_weight": [2, 2, 2, 1]}, ValueError, "same for all .* query 'b' has 2 and 1"),
        ({"sample_weight": ["a"] * 4}, TypeError, "sample_weight holds strings; pass numbers"),
        ({"sample_weight": [1, 1, None, 1]}, ValueError, r"contains missing .* \(position 2\)"),
        ({"sample_weight": [[1] * 4]}, ValueError, "sample_weight should be a 1d array"),
        ({"sample_weight": {"a": 1, "b": 2}}, TypeError, "sample_weight is a dict"),
        ({"sample_weight": iter([1])}, TypeError, "sample_weight must be a sequence; got"),
        ({"y_true": [], "y_score": [], "groups": []}, ValueError, "no queries .*: y_true is empty"),
    ],
)
def test_rows(changes: dict[str, Any], error: Any, message: str) -> None:
    given = {"y_true": GRADES, "y_score": SCORES, "groups": GROUPS, **changes}
    refused(error, message, given.pop("y_true"), given.pop("y_score"), **given)


@pytest.mark.parametrize("names", [("y_true", "y_score"), ("y_true", "groups")])
def test_pandas_indexes_have_to_agree(names: tuple[str, str]) -> None:
    columns = {"y_true": GRADES, "y_score": SCORES, "groups": GROUPS}
    for name, index in zip(names, ([0, 1, 2, 3], [1, 0, 2, 3]), strict=True):
        columns[name] = pd.Series(columns[name], index=index)
    message = f"{names[0]} and {names[1]} have different indexes; align them"
    refused(ValueError, message, columns["y_true"], columns["y_score"], groups=columns["groups"])


# Matrices ----------------------------------------------------------------------------------------

ONES = np.ones((2, 2))
SPARSE = sparse.csr_array([[1, 0]])


@pytest.mark.parametrize(
    ("y_true", "y_score", "error", "message"),
    [
        (ONES, np.zeros((2, 3)), ValueError, r"y_true has shape \(2, 2\) and y_score \(2, 3\)"),
        (ONES, np.zeros(4), ValueError, r"y_true has shape \(2, 2\) and y_score \(4,\)"),
        (ONES, ONES[:, :, np.newaxis], ValueError, r"\(2, 2, 1\); .*; pass y_score\[:, :, 0\]$"),
        (
            ONES,
            np.zeros((2, 2, 2)),
            ValueError,
            r"pass y_score\[:, :, 1\], the scores of the second",
        ),
        (
            ONES,
            [*np.zeros((2, 2, 2))],
            ValueError,
            r"np.column_stack\(\[p\[:, 1\] for p in y_score",
        ),
        (
            np.ones((2, 2, 2)),
            np.ones((2, 2, 2)),
            ValueError,
            r"two arrays of shape \(n_queries, n_i",
        ),
        (np.array(1.0), np.array(1.0), ValueError, r"y_true has shape \(\)"),
        (np.zeros((0, 3)), np.zeros((0, 3)), ValueError, r"no queries .* has shape \(0, 3\)"),
        (ONES, [["a", "b"], ["c", "d"]], TypeError, "y_score holds strings; pass numbers"),
        (ONES, [[1, 2], [1]], ValueError, "y_score is ragged: its rows differ in length"),
        (ONES, [{"a"}, {"c"}], TypeError, r"are y_true and y_score swapped\?"),
        (SPARSE, SPARSE, TypeError, r"y_score is sparse, .*pass y_score\.toarray\(\)"),
        (ONES, np.array([[1, 2], [np.nan, 1]]), ValueError, "contains NaN at row 1, column 0"),
        (pd.DataFrame({"a": [1]}), [[1]], TypeError, "y_true is a data frame, but y_score is"),
        ([{"a"}], pd.DataFrame({"a": [1]}), TypeError, "y_score is a data frame, but y_true is a"),
        (np.ma.array([[1, 0]], mask=[[0, 1]]), ONES[:1], TypeError, "y_true has masked values"),
        ([[1, 0, 0]], [[0.3, 0.2, 0.1]], TypeError, "pass grades and scores as two arrays"),
        (
            [[1, 0]],
            [[0.3, 0.2]],
            TypeError,
            r"y_score\[0\] contains 0\.3, but fractions",
        ),
        ([[1, 0, 0]], np.array([[0.3, 0.2, 0.1]]), (TypeError, ValueError), "pass .*2-D array"),
    ],
)
def test_matrices(y_true: Any, y_score: Any, error: Any, message: str) -> None:
    refused(error, message, y_true, y_score)


@pytest.mark.parametrize("wrap", [np.array, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("value", "message"),
    [(-2, r"a negative grade \(-2(\.0)?\)"), (np.nan, "NaN"), (np.inf, "infinity")],
)
def test_grades_of_matrices(wrap: Any, value: float, message: str) -> None:
    message = f"y_true contains {message} at row 1, column 1"
    refused(ValueError, message, wrap([[0, 0], [1, value]]), np.ones((2, 2)))


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        (CELLS.astype(int), TypeError, "candidates has dtype int64; pass boolean"),
        (CELLS[:, :3], ValueError, r"shape \(2, 3\) and y_score \(2, 4\)"),
        (CELLS & False, ValueError, "no item is a candidate"),
    ],
)
def test_candidates(candidates: Any, error: Any, message: str) -> None:
    refused(error, message, np.ones((2, 4)), np.ones((2, 4)), candidates=candidates)


def test_a_nan_among_the_candidates_is_named_by_its_cell() -> None:
    scores = np.array([[0.5, 0.9, 0.1, 0.7], [0.3, 0.8, np.nan, 0.4]])
    message = "y_score contains NaN at row 1, column 2"
    refused(ValueError, message, np.ones((2, 4)), scores, candidates=CELLS)


# Lists and mappings ------------------------------------------------------------------------------

A = [{"a"}]


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        (A, ["abc"], r"y_score\[0\] is a str; did you mean \['abc'\]\?"),
        (A, [b"abc"], r"y_score\[0\] is a bytes; did you mean \[b'abc'\]\?"),
        ([{"a"}, "abc"], [["a"], ["b"]], r"y_true\[1\] is a str; did you mean \['abc'\]\?"),
        (
            ["abc"],
            [["a"]],
            r"y_true holds strings; pass a set, .* of all queries pass set\(y_true\)",
        ),
        (A, "abc", r"y_score is a str, 'abc'; the order is y_true, y_score, measures"),
        ("abc", [["a"]], r"y_true is a str; did you mean \['abc'\]\?"),
        ({"q": "abc"}, {"q": ["a"]}, r"y_true\['q'\] is a str; did you mean \['abc'\]\?"),
        ({"q": {"a"}}, {"q": "abc"}, r"y_score\['q'\] is a str; did you mean \['abc'\]\?"),
        (A, [{"a"}], r"y_score\[0\] is a set, which has no order; are y_true and y_score swapped"),
        ([["a"]], {"a", "c"}, r"y_score is a set, .* swapped\?"),
        (A, [{"a": 1}.keys()], r"y_score\[0\] is a dict_keys, which has no order"),
        ({"q": ["a"]}, {"q": {"a"}}, r"y_score\['q'\] is a set, which has no order; .* swapped\?"),
        (A, iter([["a"]]), r"y_score must be a sequence; got .*\. Use list\(\.\.\.\)"),
        (A, [iter(["a"])], r"y_score\[0\] must be a sequence; got .*\. Use list\(\.\.\.\)"),
        (iter(A), [["a"]], r"y_true must be a sequence; got .*\. Use list\(\.\.\.\)"),
        ([{"a"}, iter("a")], [["a"], ["a"]], r"y_true\[1\].*iterator"),
        (A, [None], r"y_score\[0\] is of type NoneType; the lists layout takes one ranked list"),
        ([{"a"}, None], [["a"], ["b"]], r"y_true\[1\] is of type NoneType; pass a set, a"),
        (A, [3], r"y_score\[0\] is of type int; the lists layout takes one ranked list per query"),
        ({"q": None}, {"q": ["a"]}, r"y_true\['q'\] must be a sequence; got NoneType"),
        ({"q": {"a"}}, {"q": None}, r"y_score\['q'\] must be a sequence; got NoneType"),
        (A, {"q": ["a"]}, "y_score is a dict keyed by query, but y_true is a list"),
        ({"a"}, {"q": ["a"]}, r"y_true is a set, one .* pass list\(y_score.values\(\)\)"),
        ({"q": {"a"}}, [["a"]], "y_true is a dict keyed by query, but y_score is a list"),
        ({"q": {"a"}}, [{"q": ["a"]}] * 2, r"queries; for repeated runs .* Repeats\(runs\)$"),
        ([{"a"}, {"b"}], [["a"], {"b": 3}], r"items of y_score\[1\] have scores, but items of"),
        ({"p": ["a"], "q": {"b": 3}}, {"p": ["a"]}, r"items of y_true\['q'\] have grades, but "),
    ],
)
def test_structures_that_are_no_rankings_or_truths(y_true: Any, y_score: Any, message: str) -> None:
    refused(TypeError, message, y_true, y_score)


def test_a_list_of_links_is_told_to_be_one_set() -> None:
    refused(ValueError, r"3 tuples for 1 rankings; .* set\(y_true\)", [("r", "a")] * 3, [["a"]])


class Unhashable(str):
    __hash__ = None  # type: ignore[assignment]


class Number(float):
    """A kind of float."""


Key, OtherKey = (type("Key", (), {"__module__": f"module{number}"}) for number in (1, 2))

ITEMS = [
    ({1}, ["1"], r"items of y_score are str, items of y_true are int; pass string_provider \(such"),
    ({1}, [1.0], r"items of y_score are float, items of y_true are int; pass string_provider"),
    ({1}, [1, 2.5], r"items of y_score are float and int, items of y_true are int"),
    ({"q", "a", 1}, ("q", "a", 0.5), r"Pass rows of query, item and number as data frames"),
    ({"a"}, [b"a"], r"items of y_score are bytes, items of y_true are str"),
    ({True}, [1], r"y_true\[0\] holds the bool True as an item; pass string_provider"),
    ({1}, [np.int64(1), np.True_], r"y_score\[0\] holds the bool True as an item"),
    ({"a"}, ["a", None], r"y_score\[0\] holds a missing item \(None\) at position 2"),
    ({"a"}, ["a", math.nan], r"y_score\[0\] holds a missing item \(nan\) at position 2"),
    ({(1,)}, [(1,), np.float32("nan")], r"y_score\[0\] holds a missing item \(nan\) at position 2"),
    ({(1,)}, [(1,), np.datetime64("NaT", "D")], r"y_score\[0\] holds a missing item \(None\)"),
    ({"a"}, [pd.NA], r"y_score\[0\] holds a missing item \(<NA>\) at position 1"),
    ({"a"}, [pd.NaT], r"y_score\[0\] holds a missing item \(NaT\) at position 1"),
    ([None, "a"], ["a"], r"y_true\[0\] holds a missing item \(None\) at position 1"),
    ({"a"}, [["a"]], r"y_score\[0\] holds an unhashable list as an item; pass string_p"),
    ({(1,)}, [(1,), ([],)], r"y_score\[0\] holds an unhashable tuple as an item; pass string_"),
    ({(1,)}, [(1,), None, [2]], r"y_score\[0\] holds a missing item \(None\) at position 2"),
    ({"a"}, [np.array([1, 2])], r"items of y_score\[0\] are unhashable ndarray"),
    ([["a"]], ["a"], r"y_true\[0\] holds an unhashable list as an item; pass string_pr"),
    ({"a"}, ["a", Unhashable("b")], r"y_score\[0\] holds an unhashable Unhashable"),
    ({"a": 1}, ["a", Unhashable("b")], r"y_score\[0\] holds an unhashable Unhashable"),
    (["a", Unhashable("b")], ["a"], r"y_true\[0\] holds an unhashable Unhashable"),
    (
        {Key()},
        [OtherKey()],
        "items of y_score are Key, items of y_true are Key; pass string_provider=, such as lambda",
    ),
    ({"a"}, [Key()], r"are str; pass string_provider=, such as .*\['source'\], to compare them$"),
    ({1}, [Number(1)], r"items of y_score are Number, items of y_true are int"),
    ({"a"}, [{"a": 1}], r"y_score\[0\]: an item has no id; its fields are 'a'"),
]


@pytest.mark.parametrize(("truth", "ranking", "message"), ITEMS)
def test_ids_that_cannot_match(truth: Any, ranking: Any, message: str) -> None:
    refused(TypeError, message, [truth], [ranking])


AGAIN = r"^y_score\[0\] holds item '1' at positions 1 and 2"


@pytest.mark.parametrize(
    ("y_true", "y_score", "provider", "message"),
    [
        (A, [["a", "b", "a"]], None, r"^y_score\[0\] holds item 'a' at positions 1 and 3\. Pass d"),
        ({"q": {"a"}}, {"q": ["b", "b"]}, None, r"^y_score\['q'\] holds item 'b' at positions 1"),
        ([{"1"}], [["1", 1]], str, AGAIN),
        ([{"1"}], [{"1": 2.0, 1: 3.0}], str, AGAIN),
        ([{1}], [[1, np.int64(1)]], None, r"^y_score\[0\] holds item 1 at positions 1 and 2"),
        (A, [[("a", 1.0), ("b", 0.5), ("a", 0.7)]], None, "holds item 'a' at positions 1 and 3"),
    ],
)
def test_an_item_twice_in_a_ranking(y_true: Any, y_score: Any, provider: Any, message: str) -> None:
    refused(DuplicateItemError, message, y_true, y_score, string_provider=provider)


@pytest.mark.parametrize("name", ["y_true", "y_score"])
@pytest.mark.parametrize(
    ("number", "error", "message"),
    [
        (np.nan, ValueError, "contains NaN at item 'a' of query 'q'$"),
        (None, TypeError, "has the {} None for item 'a' of query 'q'; pass a number"),
        ("1", TypeError, "has the {} '1' for item 'a' of query 'q'; pass a number"),
        (10**400, ValueError, "mixes integers that float64 cannot hold with other numbers"),
    ],
)
def test_numbers_of_mappings(name: str, number: Any, error: Any, message: str) -> None:
    message = rf"^{name} {message.format('grade' if name == 'y_true' else 'score')}"
    numbered, other = {"a": number, "b": 1.5}, {"a": 1.0, "b": 1.0}
    sides = ({"q": numbered}, {"q": other}) if name == "y_true" else ({"q": other}, {"q": numbered})
    refused(error, message, *sides)


@pytest.mark.parametrize(
    ("truth", "run", "message"),
    [
        ({"a": np.inf}, ["a"], "y_true contains infinity at item 'a' of query"),
        ({"a": -1}, ["a"], r"y_true contains a negative grade \(-1\) at item 'a' of query"),
        ({"a"}, {"a": BIG, "b": 1.5}, "y_score mixes integers that float64 cannot hold"),
        ({"a"}, {"a": 2**64 + 1, "b": 1}, "y_score mixes integers that float64 cannot hold"),
        ({("a",)}, {("a",): BIG, ("b",): 1.5}, "y_score mixes integers that float64 cannot"),
    ],
)
def test_numbers_that_are_out_of_range(truth: Any, run: Any, message: str) -> None:
    refused(ValueError, message, {"q": truth}, {"q": run})
    refused(
        ValueError, message, [truth], [run], ties="docid" if isinstance(run, dict) else "stable"
    )


def test_scores_that_no_common_dtype_holds() -> None:
    lists = [{"a": BIG, "b": 2**53}, {"a": 1.5}]
    refused(ValueError, "y_score mixes integers", [{"a"}, {"a"}], lists)
    for run in ({1: BIG, "1": 2, "c": 1.5}, {1: 2**53, "1": BIG, "c": 1.5}, {1: 2.0, "1": np.nan}):
        own = {"string_provider": str, "duplicates": "first"}
        message = "y_score (mixes integers|contains NaN at item '1')"
        refused(ValueError, message, {"q": {"1"}}, {"q": run}, **own)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, 2], TypeError, r"for mappings must be \{query: weight\}: queries are joined by key"),
        ({"p": 1}, ValueError, "sample_weight has no weight for 1 query: 'q'"),
        ({"p": 1, "q": -1}, ValueError, r"contains a negative value \(-1\.0\).* query 'q'"),
        ({"p": 1, "q": np.nan}, ValueError, "sample_weight contains NaN.* query 'q'"),
    ],
)
def test_weights_of_mappings(weights: Any, error: Any, message: str) -> None:
    sides = {"p": {"a"}, "q": {"b"}}, {"q": ["b"], "p": ["a"]}
    refused(error, message, *sides, sample_weight=weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], r"sample_weight contains a negative value \(-1\.0\) at position 1"),
        ([1, 2, 3], "sample_weight has 3 weights for 2 queries; pass one per query"),
        ([0, 0], "sample_weight sums to zero"),
        ([1, np.nan], "sample_weight contains NaN at position 1"),
    ],
)
def test_weights_of_lists_and_matrices(weights: Any, message: str) -> None:
    refused(ValueError, message, [{"a"}, {"b"}], [["a"], ["c", "b"]], sample_weight=weights)
    refused(ValueError, message, np.array([[1, 0], [0, 1]]), ONES, sample_weight=weights)


# Options -----------------------------------------------------------------------------------------

LAYOUTS = {
    "rows": (GRADES, SCORES, {"groups": GROUPS}),
    "matrix": (np.ones((1, 2)), np.ones((1, 2)), {}),
    "lists": (A, [["a"]], {}),
    "mapping": ({"q": {"a"}}, {"q": ["a"]}, {}),
}


OPTIONS = {
    "groups": ([1] * 4, "rows layout"),
    "candidates": ([[True, True]], "rows and matrix layouts"),
    "assume": ("partial", "lists and mapping layouts"),
    "string_provider": (str, "lists and mapping layouts"),
    "relevance": ([[1]], "lists and mapping layouts"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_other_layouts(layout: str, option: str) -> None:
    (y_true, y_score, own), (value, takers) = LAYOUTS[layout], OPTIONS[option]
    if layout not in takers:
        message = f"^{option} is only for the {takers}, but y_true has the {layout} layout; "
        has_ids = option == "candidates" and layout in ("lists", "mapping")
        message += "rank only the candidates in y_score" if has_ids else "leave it out"
        refused(TypeError, message, y_true, y_score, **{**own, option: value})


@pytest.mark.parametrize(
    ("provider", "error", "message"),
    [
        (
            {}.__getitem__,
            ValueError,
            r"^string_provider raised KeyError\(.*'a.*\) on item 0 of y_s",
        ),
        (
            len,
            TypeError,
            r"^string_provider returned int for item 0 of y_score\[0\], expected str$",
        ),
        (lambda item: None, TypeError, r"returned NoneType for item 0 of y_score\[0\], expected"),
        (str.encode, TypeError, r"returned bytes for item 0 of y_score\[0\], expected str"),
        ([], TypeError, r"string_provider must be a function of an item, .*, got \[\]$"),
        ("a..b", TypeError, "string_provider must be a function of an item, .*, got 'a..b'$"),
    ],
)
def test_string_providers(provider: Any, error: Any, message: str) -> None:
    refused(error, message, A, [["a", "b"]], string_provider=provider)


def test_a_string_provider_of_pairs() -> None:
    message = r"AttributeError.* on item 0 of y_score\[0\]; .* its first element, item\[0\]$"
    pairs = [[(Path("a"), 0.9)]]
    refused(ValueError, message, A, pairs, string_provider=lambda hit: hit.name)


def test_string_providers_name_the_place_and_the_cause() -> None:
    message, sides = r"returned int for item 1 of y_true\['q'\]", ({"q": ["a", 3]}, {"q": ["a"]})
    refused(TypeError, message, *sides, string_provider=lambda item: item)
    with pytest.raises(ValueError, match="string_provider raised ZeroDivisionError") as caught:
        evaluate(A, [["a"]], string_provider=lambda item: str(1 / 0))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    for truth in ({1, "1"}, {1: 2, "1": 3}, {1: 2, "1": 2}):
        message = r"string_provider gives '1' twice in y_true\[0\], for '1' and 1"
        refused(ValueError, message, [truth], [["1"]], string_provider=str)


@pytest.mark.parametrize(
    ("relevance", "error", "message"),
    [
        ([[2, 1]], ValueError, r"relevance\[0\] has 2 scores for 3 ranked results"),
        ([[3, 2, 1], [1]], ValueError, "relevance has 2 lists for 1 ranked lists"),
        ([[1, 2, 3]], ValueError, "contradicts .* at position 2: 2 > 1; .*higher_is_better=False"),
        ([[3, 1, 2]], ValueError, "at position 3: 2 > 1"),
        (RelevanceInput([[3, 2, 1]], float, False), ValueError, "position 2: 2 < 3; .*better=True"),
        ([[3, np.nan, 1]], ValueError, r"relevance\[0\] has the score nan at position 2; pass"),
        ([["3", "2", "1"]], TypeError, r"relevance\[0\] has the score '3' at position 1; pass"),
        ([[3, None, 1]], TypeError, r"relevance\[0\] has the score None"),
        ([[BIG, 2**53, 1.5]], ValueError, "relevance mixes integers that float64 cannot hold"),
        (RelevanceInput([["x", 2, 1]]), ValueError, r"RelevanceInput raised ValueError\(.*score 0"),
        ({"q": [1]}, TypeError, "is a mapping; for a sequence of ranked lists pass one list"),
        ({1, 2}, TypeError, "relevance is a set, which has no order"),
        ([{3, 2, 1}], TypeError, r"relevance\[0\] is a set, which has no order"),
        ("abc", TypeError, "relevance is a str; did you mean"),
        (iter([1]), TypeError, r"relevance must be a sequence; got .*\. Use list"),
    ],
)
def test_relevance(relevance: Any, error: Any, message: str) -> None:
    refused(error, message, [{"b"}], [["a", "b", "c"]], relevance=relevance)


def test_relevance_beside_other_options() -> None:
    truth, ranking = {"q": {"b"}}, {"q": ["a", "b"]}
    message = r"relevance is a sequence; for mappings pass \{query: scores\}"
    refused(TypeError, message, truth, ranking, relevance=[[2, 1]])
    message = r"relevance\['q'\] has 0 scores for 2 ranked results"
    refused(ValueError, message, truth, ranking, relevance={})
    message = r"y_score already holds scores, \{item: score\}; leave"
    refused(TypeError, message, A, [{"a": 1, "b": 2}], relevance=[[2, 1]])
    message = "duplicates='first' and relevance= cannot"
    refused(ValueError, message, A, [["a", "a"]], relevance=[[2, 1]], duplicates="first")
    with pytest.raises(TypeError, match="provider must be a function of a score, got 'float'"):
        RelevanceInput([[1]], provider="float")
    with pytest.raises(TypeError, match=r"'higher_is_better' parameter .* be a bool\. Got 1"):
        RelevanceInput([[1]], higher_is_better=1)


@pytest.mark.parametrize("ties", ["docid", "optimistic", "pessimistic"])
def test_relevance_with_ties_that_reorder(ties: Any) -> None:
    message = (
        f"ties='{ties}' would reorder tied items, but the order of ranked lists is given; pass "
    )
    refused(ValueError, message, [{"b"}], [["a", "b"]], relevance=[[1, 1]], ties=ties)
    sides = {"q": {"b"}}, {"q": ["a", "b"]}
    refused(ValueError, message, *sides, relevance={"q": [1, 1]}, ties=ties)


def test_ties_by_id_need_ids() -> None:
    message = "ties='docid' breaks ties by item ids, which arrays do not have; pass ties='stable'"
    for layout in ("rows", "matrix"):
        y_true, y_score, own = LAYOUTS[layout]
        refused(ValueError, message, y_true, y_score, ties="docid", **own)
        refused(ValueError, message, y_true, y_score, convention="trec_eval", **own)


# Tables ------------------------------------------------------------------------------------------

QRELS = Qrels.from_columns(["q"], ["a"], grades=[1])
RUN = Run.from_columns(["q"], ["a"], scores=[0.5])


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        (RUN, QRELS, r"y_true is a Run, which holds rankings; .* evaluate\(qrels, run\)$"),
        (RUN, {"q": ["a"]}, "y_true is a Run, which holds rankings"),
        ("dev.qrels", "bm25.run", r"y_true is a str; read files first: evaluate\(read_qrels"),
        (Path("dev.qrels"), "x", f"y_true is a {type(Path()).__name__}; read files first"),
        (QRELS, "bm25.run", "y_score is a str; read files first"),
        ("dev.qrels", RUN, "y_true is a str; read files first"),
        ("golden.json", {"q": ["a"]}, "y_true is a str; read files first"),
        ({"q": ["a"]}, Path("runs/new.run"), "y_score is a .*Path; read files first"),
    ],
)
def test_files_and_tables(y_true: Any, y_score: Any, message: str) -> None:
    refused(TypeError, message, y_true, y_score)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("side", ["y_true", "y_score"])
def test_floats_among_ids_come_of_missing_values(frame: Any, side: str) -> None:
    columns = {"query": [1], "item": [7]}
    floats = {**columns, "item": [7.0]}
    truth, ranked = (floats, columns) if side == "y_true" else (columns, floats)
    refused(TypeError, f"items of {side} are float.*astype", frame(truth), frame(ranked))
    assert evaluate(frame(floats), frame(floats), "map")["map"] == 1.0


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ({"scores": [1.0]}, ValueError, r"scores has shape \(1,\); pass one value for each of 2 r"),
        ({"ranks": [1, 2, 3]}, ValueError, r"ranks has shape \(3,\); pass one value for each"),
        ({"scores": [[1.0], [2.0]]}, ValueError, r"scores has shape \(2, 1\)"),
        ({"scores": ["1", "2"]}, TypeError, "scores holds strings; pass numbers"),
        ({"grades": [1]}, ValueError, r"grades has shape \(1,\)"),
    ],
)
def test_columns_of_tables(numbers: dict[str, Any], error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        (Qrels if "grades" in numbers else Run).from_columns(["q", "q"], ["a", "b"], **numbers)


# Shapes of other programs ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "error", "message"),
    [
        (
            [{"rank": 1}, {"rank": 1}],
            ValueError,
            r"y_score\['q'\] gives several items the same rank",
        ),
        ([{"score": 1, "sim": 5}, {}], TypeError, "several columns for the role 'score'"),
        (
            [{"score": 1}, {"distance": 5}],
            ValueError,
            "has 1 scores for 2 items; give each item one",
        ),
        (
            [{"doc_id": "x", "score": 1}],
            TypeError,
            r"y_score\['q'\]: an item has several ids: 'id'",
        ),
        (
            [{"points": 1}, {"points": 2}],
            ColumnRoleError,
            r"'points' \(numbers\).* Name it 'score'",
        ),
    ],
)
def test_hits_whose_numbers_order_nothing(hits: Any, error: Any, message: str) -> None:
    named = [{"id": f"d{number}", **hit} for number, hit in enumerate(hits)]
    refused(error, message, {"q": {"d1"}}, {"q": named})


class Response:
    """As the clients of search engines have them: neither a mapping nor a sequence."""

    def __len__(self) -> int:
        return 2

    def __iter__(self) -> Any:
        return iter(self.keys())

    def keys(self) -> list[str]:
        return ["took", "hits"]


COUNTS = pd.Series([2, 1], index=["a", "b"])
CONTAINERS = {
    "frame": (pd.DataFrame({"a": [1]}), "is a DataFrame; pass its item column as a list"),
    "counts": (COUNTS, r"is a Series; pass \.to_dict\(\) for \{item: number\}"),
    "scores": (COUNTS / 3, r"is a Series; pass \.to_dict\(\)"),
    "numbers of a part": (pd.Series([7, 8, 9], [5, 2, 7]), r"is a Series; pass \.to_dict\(\)"),
    "named": (pd.Series(["a"], pd.Index([3], name="doc")), r"is a Series; pass \.to_dict\(\)"),
    "response": (Response(), "is a Response; pass its list of hits, or a dict"),
}


@pytest.mark.parametrize(("given", "message"), CONTAINERS.values(), ids=CONTAINERS)
def test_containers_of_more_than_items(given: Any, message: str) -> None:
    refused(TypeError, rf"y_score\['q'\] {message}", {"q": {"a"}}, {"q": given})
    refused(TypeError, rf"y_true\['q'\] {message}", {"q": given}, {"q": ["a"]})
    refused(TypeError, rf"y_score\[0\] {message}", [{"a"}], [given])


@pytest.mark.parametrize(
    "response",
    [{"took": 3, "hits": {"hits": []}}, {"responseHeader": {}, "response": {"docs": []}}],
)
def test_responses_that_are_dicts(response: Any) -> None:
    refused(
        TypeError, "if this is a response, pass its list of hits", {"q": {"a"}}, {"q": response}
    )


@pytest.mark.parametrize("record", [{"question": "?", "ids": ["a"]}, {"ids": []}, {"a": {}}])
def test_golden_records(record: Any) -> None:
    message = "has the grade .* for item '.*; pass {item: grade}, or only the items"
    refused(TypeError, message, {"q": record}, {"q": ["a"]})
    refused(TypeError, message, [record], [["a"]])


def test_a_search_that_nobody_called() -> None:
    message = "a function; pass both .*; call it for each query: {query: s"
    refused(TypeError, message, {"q": {"a"}}, lambda query: [query])


def test_series_of_items_are_lists() -> None:
    rows = pd.DataFrame({"query": ["p", "q", "q"], "doc": ["a", "x", "b"]})
    ranked = {query: part["doc"] for query, part in rows.groupby("query")}
    assert evaluate({"p": {"a"}, "q": {"b"}}, ranked, "mrr")["mrr"] == 3 / 4


@pytest.mark.parametrize("pairs", [[("a", 2), ("b", 1)], (("a", 2.0),)])
def test_pairs_of_an_id_and_a_number_are_no_truth(pairs: Any) -> None:
    message = r"y_true\['q'\] holds \('a', 2.*pass \{item: grade\}, or a set"
    refused(TypeError, message, {"q": pairs}, {"q": [("a", 0.5)]})
    refused(TypeError, message, {"q": pairs}, {"q": ["a"]})
    assert evaluate({"q": set(pairs)}, {"q": list(pairs)}, "mrr")["mrr"] == 1.0


def test_matrices_of_ids_are_neither_grades_nor_scores() -> None:
    rng = np.random.default_rng(0)
    found = np.array([rng.permutation(1000)[:10] for _ in range(20)])
    for truth in (found + 1000, found):
        refused(TypeError, r"look like ids.*\.tolist\(\) of both", truth, found)
    with pytest.warns(match="no relevant item of any query was retrieved"):
        assert evaluate((found + 1000).tolist(), found.tolist(), "recall@10")["recall@10"] == 0.0
    refused(TypeError, r"look like ids", found.astype(np.uint16), found[:, :5])
    grades = rng.integers(0, 5, (20, 10))
    evaluate(grades, found, "ndcg")
    evaluate(found, rng.random((20, 10)), "ndcg(gain=linear)")  # such as counts of clicks


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ([[("a", 0.5), ("c", "x")], [("b", 1.0)]], r"y_score\[0\] .*\('c', 'x'\) at position 2"),
        ([[("b", 1.0)], [("a", 0.5), ("c", None)]], r"y_score\[1\] .*\('c', None\) at position 2"),
        ([[], [("a", 0.5), "c"]], r"y_score\[1\] .* 'c' at position 2"),
        ([["c", ("a", 0.5)]], r"y_score\[0\] .* 'c' at position 1"),
        ([["c"], [("a", 0.5)]], r"y_score\[0\] .* 'c' at position 1"),
        ([[{"id": "a"}, "c"]], r"y_score\[0\] .* 'c' at position 2"),
    ],
)
def test_hits_beside_something_else(rankings: Any, message: str) -> None:
    refused(TypeError, message, [{"a"}] * len(rankings), rankings)
    queries = dict(enumerate(rankings))
    refused(TypeError, message, {query: {"a"} for query in queries}, queries)


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA, pd.NaT])
def test_queries_without_an_id(missing: Any) -> None:
    for y_true, y_score in (({missing: {"a"}}, {"q": ["a"]}), ({"q": {"a"}}, {missing: ["a"]})):
        name = "y_true" if missing in y_true else "y_score"
        y_true, y_score = {"p": {"a"}, **y_true}, {"p": ["a"], **y_score}
        refused(TypeError, f"{name} has a missing query id", y_true, y_score)


def test_hits_without_an_id() -> None:
    refused(TypeError, r"an item has no id; its fields are 'title'", A, [[{"title": "b"}]])
    refused(TypeError, "unhashable list", A, [[(["b"], 1.0)]])


def test_lists_that_do_not_fit() -> None:
    refused(ValueError, r"of one set for 2 rankings; pass y_true\[0\] if", A, [["a"], ["b"]])
    refused(ValueError, r"y_score\[0\] should be a 1d array, .* \(1, 1\)", A, [np.array([["a"]])])


# Ids are escaped and cut, offences come in input order, all is checked first ---------------------


HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "0.12 FAIL\r0.99 PASS",
    "x\n::add-mask::0.1",
    "\x07\x08\x7f",
    "\x9b31m",
    "\u202eevil\u2066",
    "a\u200bb\ufeff",
    "a\u2028b\u2029",
    "\ud800",
    "a\0b",
    "x" * 200_000,
    "\x1b" * 200_000,
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
def test_hostile_text_is_escaped_and_cut_in_messages(where):
    for item in HOSTILE:
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


def test_first_offence_in_input_order_is_reported():
    with pytest.raises(
        DuplicateItemError, match=r"^y_score\[1\] holds item 'b' at positions 1 and 3"
    ):
        evaluate([{"a"}] * 3, [["a"], ["b", "c", "b", "c"], ["d", "d"]], "map")
    with pytest.raises(
        ValueError, match=r"^y_score contains NaN at row 2 of query 'a', and 1 more"
    ):
        evaluate([1, 0, 0, 1], [1, 2, np.nan, np.nan], "map", groups=list("baab"))
    with pytest.raises(ValueError, match=r"^y_true contains a negative grade \(-3\) at row 1"):
        evaluate([1, -3, -9, 1], [1, 2, 3, 4], "map", groups=list("baab"))
