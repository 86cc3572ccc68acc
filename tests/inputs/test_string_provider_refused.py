"""String providers that fail, and how often one is called."""

from __future__ import annotations

import pytest

from sklearn_rank import evaluate, mean_reciprocal_rank_score


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
        (
            lambda item: {}[item],
            ValueError,
            r"^string_provider raised KeyError\(.*'a.*\) on item 0 of y_score\[0\]$",
        ),
        (
            len,
            TypeError,
            r"^string_provider returned int for item 0 of y_score\[0\], expected str$",
        ),
        (
            lambda item: None,
            TypeError,
            r"returned NoneType for item 0 of y_score\[0\], expected str",
        ),
        (str.encode, TypeError, r"returned bytes for item 0 of y_score\[0\], expected str"),
        ("name", TypeError, r"^string_provider must be a function of an item, got 'name'$"),
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
        ([{1}, {2, 3}], [[1, 2], [3]], [1, 1, 2, 2, 3, 3]),
        ({1, 4}, [[1, 2], [3]], [1, 1, 2, 3, 4]),
        ({"p": {1: 2}}, {"p": {1: 0.5, 2: 0.1}}, [1, 1, 2]),
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
