"""Ranked lists and judged items, one truth per query or one for all; shapes of other programs."""

from collections import OrderedDict, UserDict, deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import (
    InvalidParameterError,
    RankingDataWarning,
    evaluate,
    group_auc_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ranking_auc_score,
)
from sklearn_rank.inputs import RelevanceInput

# Lists -------------------------------------------------------------------------------------------

SEQUENCES = {
    "list": list, "tuple": tuple, "deque": deque, "array": np.array, "pandas index": pd.Index,
    "polars": pl.Series, "pyarrow": pa.array,
    "object array": lambda items: np.array(items, dtype=object),
    "pandas": lambda items: pd.Series(items, index=range(9, 9 - len(items), -1)),
}  # fmt: skip
TRUTHS = {
    **{name: make(["a", "c"]) for name, make in SEQUENCES.items() if name != "deque"},
    "set": {"a", "c"}, "frozenset": frozenset({"a", "c"}), "repeated": ["a", "c", "a"],
    "grades": {"a": 1, "c": 1, "x": 0}, "dict keys": {"a": 1, "c": 1}.keys(),
    "read-only grades": MappingProxyType({"a": 1, "c": 1}),
}  # fmt: skip
RANKINGS = {
    **{name: make(["b", "a", "x", "c"]) for name, make in SEQUENCES.items()},
    "scores": {"c": 0.1, "x": 0.2, "a": 0.3, "b": 0.4},
    "ordered scores": OrderedDict(c=1, x=2, a=3, b=4),
    "mapping of scores": UserDict({"c": 1, "x": 2, "a": 3, "b": 4}),
}


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_truths_and_rankings_of_lists(truth):
    for name, ranking in RANKINGS.items():
        # The relevant items stand at ranks 2 and 4; the second query is perfect.
        second = {"z": 1} if isinstance(ranking, Mapping) else ["z"]
        other = {"z": 1} if isinstance(truth, Mapping) else {"z"}
        value = mean_average_precision_score([truth, other], [ranking, second])
        assert value == ((1 / 2 + 2 / 4) / 2 + 1) / 2, name
        assert mean_average_precision_score({"q": truth}, {"q": ranking}) == (1 / 2 + 2 / 4) / 2


def test_duplicates_keep_the_best_ranked():
    evaluation = evaluate([{"a", "b"}], [["x", "a", "x", "a", "b"]], "map", duplicates="first")
    # x, a, b remain.
    assert evaluation["map"] == (1 / 2 + 2 / 3) / 2
    assert evaluation.counts["duplicates"] == 2


def test_duplicates_of_scores_keep_the_best_score():
    run = {"q": {1: 0.2, "x": 0.5, "1": 0.9}}
    evaluation = evaluate({"q": {"1"}}, run, "mrr", duplicates="first", string_provider=str)
    assert evaluation["mrr"] == 1.0
    assert evaluation.counts["duplicates"] == 1
    run = {"q": {1: 2**53, "x": 2**53, "1": 2**53 + 1}}
    options = {"duplicates": "first", "string_provider": str, "ties": "pessimistic"}
    assert evaluate({"q": {"1"}}, run, "mrr", **options)["mrr"] == 1.0


# One truth for all queries -----------------------------------------------------------------------

LINKS = {"1-a", "1-z", "2-b", "3-c"}
LISTS = [["1-x", "1-a"], ["2-b", "2-y"], ["3-x"]]


@pytest.mark.parametrize("wrap", [set, frozenset, lambda items: dict.fromkeys(items).keys()])
def test_one_truth_for_all_queries(wrap):
    measures = ("map", "recall@2", "mrr")
    with pytest.warns(RankingDataWarning, match=r"^2 of 4 items .* in no ranking.* per query$"):
        evaluation = evaluate(wrap(LINKS), LISTS, measures, zero_division=np.nan)
    # The relevant items of a query are those of its own list: none for the third.
    assert evaluation.per_query["map"].tolist()[:2] == [1 / 2, 1.0]
    assert np.isnan(evaluation.per_query["map"][2])
    assert evaluation["recall@2"] == 1.0
    assert evaluation.counts["missed"] == 2
    assert evaluation.counts["relevant"] == 2


def test_lists_of_one_truth_may_be_a_series_with_names() -> None:
    ranked = pd.Series([["1-a", "x"], ["y", "2-b"]], index=pd.Index(["p", "q"], name="query"))
    assert evaluate({"1-a", "2-b"}, ranked, "mrr")["mrr"] == 3 / 4


def test_one_missed_item_is_one_item():
    with pytest.warns(RankingDataWarning, match=r"^1 of 2 items .* is in no .* counts it as"):
        evaluation = evaluate({"a", "b"}, [["x", "a"], ["y"]], "mrr", zero_division=0.0)
    assert "; 1 relevant item that no query retrieved" in str(evaluation)


def test_items_that_several_queries_found_are_warned_of():
    with pytest.warns(
        RankingDataWarning, match=r"^1 item .* was retrieved for .* \('a'\) and counts"
    ):
        evaluation = evaluate({"a"}, [["x", "a"], ["a", "y"]], "mrr")
    assert evaluation["mrr"] == (1 / 2 + 1) / 2


def test_missed_items_of_one_truth_count_in_pooled_measures():
    scores = [[0.9, 0.8], [0.7, 0.1], [0.3]]
    # Falling: 1-x (no), 1-a, 2-b, 3-x (no), 2-y (no), then the missed 1-z and 3-c.
    options = {"relevance": scores, "average": "pooled"}
    assert ranking_auc_score(LINKS, LISTS, **options) == pytest.approx((2 + 2 + 0 + 0) / (4 * 3))
    ignored = ranking_auc_score(LINKS, LISTS, **options, unretrieved="ignore")
    assert ignored == pytest.approx((2 + 2) / (2 * 3))


# Relevance values of ranked items -----------------------------------------------------------------


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
    with pytest.raises(InvalidParameterError, match="pass relevance="):
        ranking_auc_score(*pair, average="pooled")


# String provider ---------------------------------------------------------------------------------


class Document:
    """An item that is neither hashable nor equal to its twins."""

    __hash__ = None

    def __init__(self, name):
        self.name = name


class Sub(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("truth", "ranking", "provider"),
    [
        ({"A"}, ["b", "a"], str.casefold),
        ({"a"}, ["b", "a"], Sub),
        ({"1"}, [2, 1], str),
        ([{"id": "y"}], [{"id": "x"}, {"id": "y"}], lambda one: one["id"]),
        ([Document("a")], [Document("b"), Document("a")], lambda one: one.name),
    ],
)
def test_string_provider_compares_by_strings_alone(truth, ranking, provider):
    for sides in (([truth], [ranking]), ({"q": truth}, {"q": ranking})):
        assert mean_reciprocal_rank_score(*sides, string_provider=provider) == 1 / 2


# Relevance ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", [int, float])
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_providers_keep_integers_apart(provider, higher_is_better):
    scores = [[2**53 + 1, 2**53, np.int64(5)]]
    if not higher_is_better:
        scores = [[np.int64(5), 2**53, 2**53 + 1]]
    relevance = RelevanceInput(scores, provider, higher_is_better)
    assert group_auc_score([{"a"}], [["a", "b", "c"]], relevance=relevance) == 1.0
    assert group_auc_score([{"b"}], [["a", "b", "c"]], relevance=relevance) == 1 / 2


@pytest.mark.parametrize(
    ("y_true", "y_score", "expected"),
    [
        ([{1}, {2, 3}], [[1, 2], [3]], [1, 1, 2, 2, 3, 3]),
        ({1, 3}, [[1, 2], [3]], [1, 1, 2, 3, 3]),
        ({"p": {1: 2}}, {"p": {1: 0.5, 2: 0.1}}, [1, 1, 2]),
    ],
)
def test_string_provider_is_called_exactly_once_per_item(y_true, y_score, expected):
    provider = Mock(side_effect=str)
    measures = ("map", "ndcg@10", "recall@2", "mrr")
    found = evaluate(y_true, y_score, measures, string_provider=provider, zero_division=0.0)
    assert found["mrr"] >= 1 / 2
    assert sorted(call.args[0] for call in provider.call_args_list) == expected


# Shapes of retrievers, evaluators and other programs ----------------------------------------------


TRUTH = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.5, "x": 0.5}, "q2": {"c": 1.5, "a": 1.0}}
RANKED = {"q1": ["b", "a", "x"], "q2": ["c", "a"]}
MEASURES = ("map", "ndcg", "mrr")


def _hits(identifier: str, score: str) -> dict[str, Any]:
    return {q: [{identifier: i, score: s} for i, s in run.items()] for q, run in RUN.items()}


@pytest.mark.parametrize(
    ("y_score", "like"),
    [
        ({q: list(run.items()) for q, run in RUN.items()}, RUN),
        ({q: [list(pair) for pair in run.items()] for q, run in RUN.items()}, RUN),
        (_hits("_id", "_score"), RUN),
        (_hits("doc_id", "similarity"), RUN),
        ({q: [{"id": i, "_score": None} for i in items] for q, items in RANKED.items()}, RANKED),
    ],
)
def test_hits_of_retrievers(y_score: Any, like: Any) -> None:
    for truth in (TRUTH, {q: set(grades) for q, grades in TRUTH.items()}):
        expected = evaluate(truth, like, MEASURES)
        assert evaluate(truth, y_score, MEASURES).scores == expected.scores
        lists = evaluate(list(truth.values()), list(y_score.values()), MEASURES)
        assert lists.scores == expected.scores


def test_pairs_are_ids_where_the_truth_has_pairs() -> None:
    assert evaluate([{("a", 1)}], [[("x", 1), ("a", 1)]], "mrr")["mrr"] == 0.5
    assert evaluate([{"a"}], [[("x", 2), ("a", 1)]], "mrr")["mrr"] == 0.5


def test_judgements_of_beir() -> None:
    qrels = {"query-id": ["q1", "q1", "q2"], "corpus-id": ["a", "b", "c"], "score": [2, 1, 1]}
    expected = evaluate(TRUTH, RUN, MEASURES).scores
    assert evaluate(pd.DataFrame(qrels), RUN, MEASURES).scores == expected


@pytest.mark.filterwarnings("ignore:. of 3 relevant items seem")
def test_ids_of_mixed_types_are_warned_of() -> None:
    with pytest.warns(RankingDataWarning, match=r"no str of y_score can match") as caught:
        assert evaluate({"q": {1, 2, 3}}, {"q": ["1", 2, "3"]}, "recall")["recall"] == 1 / 3
    assert caught[0].filename == __file__
    with pytest.warns(RankingDataWarning, match=r"no str of y_true can match"):
        evaluate({"q": {1, "2", 3}}, {"q": [1, 2, 3]}, "map")
    evaluate({"q": {1, "a"}}, {"q": ["a", 1]}, "map")


def test_pooled_measures_average_over_ties_of_queries() -> None:
    truth, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}
    for table in (run, dict(reversed(run.items()))):
        assert evaluate(truth, table, "auc(average=pooled)", ties="docid").scores == {
            "auc(average=pooled)": 0.25  # one relevant item is tied, and one was not retrieved
        }
