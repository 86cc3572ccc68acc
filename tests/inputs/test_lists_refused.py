"""What lists refuse: structures that are no rankings or truths, items that come twice."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank import (
    DuplicateItemError,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_at_k_score,
    recall_at_k_score,
)

# Scores ------------------------------------------------------------------------------------------


def test_scores_of_lists_that_no_common_dtype_holds_are_refused():
    with pytest.raises(ValueError, match="mix floats with integers that float64 cannot"):
        mean_reciprocal_rank_score([{"a"}, {"a"}], [{"a": 2**53 + 1, "b": 2**53}, {"a": 1.5}])


# Queries and emptiness ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y_true", "y_score", "provider", "message"),
    [
        (
            [{"a"}],
            [["a", "b", "a"]],
            None,
            r"^y_score\[0\] holds item 'a' at positions 1 and 3. Pass duplicates='first' to eval",
        ),
        ([{"a"}], [["x", "a", "x"]], None, r"^y_score\[0\] holds item 'x' at positions 1 and 3"),
        (
            {"p": {"a"}, "q": {"a"}},
            {"p": ["a"], "q": ["b", "b"]},
            None,
            r"^y_score\['q'\] holds item 'b' at positions 1 and 2",
        ),
        (
            [{"1"}],
            [["1", 1]],
            str,
            r"^y_score\[0\] holds item '1' and 1, both '1', at positions 1 and 2",
        ),
        (
            [{"1"}],
            [{"1": 2.0, 1: 3.0}],
            str,
            r"^y_score\[0\] holds item '1' and 1, both '1', at positions 1 and 2",
        ),
        ([{1}], [[1, np.int64(1)]], None, r"^y_score\[0\] holds item 1 at positions 1 and 2"),
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


# Structure ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y_true", "y_score", "message"),
    [
        ([{"a"}], ["abc"], r"y_score\[0\] is a str; did you mean \['abc'\]\?"),
        ([{"a"}], [b"abc"], r"y_score\[0\] is a bytes; did you mean \[b'abc'\]\?"),
        ([{"a"}, "abc"], [["a"], ["b"]], r"y_true\[1\] is a str; did you mean \['abc'\]\?"),
        (["abc"], [["a"]], r"y_true holds strings; pass a set, list or \{item: grade\} per query"),
        ([{"a"}], "abc", r"y_score is a str; did you mean \['abc'\]\?"),
        ("abc", [["a"]], r"y_true is a str; did you mean \['abc'\]\?"),
        ({"q": "abc"}, {"q": ["a"]}, r"y_true\['q'\] is a str; did you mean \['abc'\]\?"),
        ({"q": {"a"}}, {"q": "abc"}, r"y_score\['q'\] is a str; did you mean \['abc'\]\?"),
        (
            [{"a"}],
            [{"a"}],
            r"y_score\[0\] is a set, which has no order; are y_true and y_score swapped\?",
        ),
        ([{"a"}], [frozenset("a")], r"y_score\[0\] is a frozenset, which has no order"),
        ([{"a"}], [{"a": 1}.keys()], r"y_score\[0\] is a dict_keys, which has no order"),
        ({"q": {"a"}}, {"q": {"a"}}, r"y_score\['q'\] is a set, which has no order"),
        (
            [{"a"}],
            (x for x in [["a"]]),
            r"y_score must be a sequence; got generator\. Use list\(\.\.\.\)",
        ),
        (
            [{"a"}],
            [(x for x in ["a"])],
            r"y_score\[0\] must be a sequence; got generator\. Use list\(\.\.\.\)",
        ),
        (
            (x for x in [{"a"}]),
            [["a"]],
            r"y_true must be a sequence; got generator\. Use list\(\.\.\.\)",
        ),
        ([{"a"}, (x for x in "a")], [["a"], ["a"]], r"y_true\[1\].*generator"),
        ([(x for x in "a")], [["a"]], r"y_true.*generator"),
        ([{"a"}], map(list, ["a"]), r"y_score must be a sequence; got map\. Use list\(\.\.\.\)"),
        (
            [{"a"}],
            [None],
            r"y_score\[0\] is NoneType; the lists layout takes one ranked list per query",
        ),
        ([{"a"}, None], [["a"], ["b"]], r"y_true\[1\] is NoneType; pass a set, a list or"),
        ([{"a"}], [3], r"y_score\[0\] is int; the lists layout takes one ranked list per query"),
        ([{"a"}, 3], [["a"], ["b"]], r"y_true\[1\] is int; pass a set, a list or"),
        ({"q": None}, {"q": ["a"]}, r"y_true\['q'\] must be a sequence; got NoneType"),
        ({"q": {"a"}}, {"q": None}, r"y_score\['q'\] must be a sequence; got NoneType"),
        ([{"a"}], {"q": ["a"]}, r"y_score is a dict keyed by query, y_true a list"),
        ({"q": {"a"}}, [["a"]], r"y_true is a dict keyed by query, y_score a list"),
    ],
)
def test_structures_that_are_no_rankings_or_truths(y_true, y_score, message):
    with pytest.raises(TypeError, match=message):
        mean_average_precision_score(y_true, y_score)


@pytest.mark.parametrize(
    ("y_true", "y_score", "own"),
    [
        ([["a", "b"], ["c"]], [{"a"}, {"c"}], {}),
        ([["a", "b"], ["c"]], {"a", "c"}, {}),
        ({"q": ["a", "b"]}, {"q": {"a"}}, {}),
        ([1, 0], [{"a"}, {"b"}], {"groups": ["a", "b"]}),
        (np.ones((2, 2)), [{"a"}, {"b"}], {}),
    ],
)
def test_swapped_arguments_are_named(y_true, y_score, own):
    with pytest.raises(TypeError, match=r"are y_true and y_score swapped\?"):
        mean_average_precision_score(y_true, y_score, **own)


def test_lists_of_different_number():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[1, 2\]"):
        mean_average_precision_score([{"a"}], [["a"], ["b"]])


def test_two_dimensional_array_is_no_ranking():
    with pytest.raises(ValueError, match=r"y_score\[0\] should be a 1d array, .* shape \(1, 1\)"):
        mean_average_precision_score([{"a"}], [np.array([["a"]])])


def test_ragged_rankings_are_normal():
    assert mean_reciprocal_rank_score([{"a"}, {"b"}], [["a"], ["x", "y", "b"]]) == (1 + 1 / 3) / 2
