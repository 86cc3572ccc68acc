"""The plugin used on this project: recorded values of fixed examples, one-sided and to 1e-6."""

from typing import Any

import pytest

from sklearn_rank._demo import PageRetriever
from tests.numbers.test_golden import LISTS, TRUTHS, Link, read, spell

MEASURES = ("map", "mar", "mrr", "precision@2", "recall@2", "f1@2", "hit_rate@2")
GRADED = ("ndcg@3", "ndcg(gain=linear)", "dcg@3", "idcg@3", "err@3", "nerr@3")
PAIRWISE = ("lag", "auc", "gauc", "lauc@3", "hmean(map,mrr)")
EXACT: dict[str, Any] = {"max_drop": 0.0, "confirm": False}
"""Nothing is random in these values: every drop is one of the code."""


def test_ranked_lists_and_ground_truth(rank_regression):
    result = rank_regression.check(TRUTHS, LISTS, (*MEASURES, *PAIRWISE), **EXACT)
    # AP: (1/2 + 2/4) / 3, 1/4 and 0.
    assert result.value == pytest.approx(((1 / 2 + 2 / 4) / 3 + 1 / 4) / 3)


def test_items_behind_a_string_provider(rank_regression):
    lists = [[read(item) for item in items] for items in LISTS]
    truths = [{read(item) for item in sorted(items)} for items in TRUTHS]
    assert all(isinstance(item, Link) for items in lists for item in items)
    result = rank_regression.check(truths, lists, MEASURES, string_provider=spell, **EXACT)
    assert result.query_ids == (0, 1, 2)


def test_one_ground_truth_for_all_queries(rank_regression):
    # 1:c is never found, and the third query has nothing relevant then.
    truth = {item for items in TRUTHS[:2] for item in items}
    result = rank_regression.check(truth, LISTS[:2], MEASURES, allow={"missed"}, **EXACT)
    # AP: (1/2 + 2/4) / 2 and 1/4.
    assert result.value == pytest.approx(((1 / 2 + 2 / 4) / 2 + 1 / 4) / 2)


def test_grades_and_ties(rank_regression):
    truth = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 2, "d": 1}}
    scores = {"q1": {"c": 3.0, "a": 2.0, "b": 2.0}, "q2": {"x": 1.0, "d": 1.0, "a": 0.5}}
    result = rank_regression.check(truth, scores, (*GRADED, "mrr"), **EXACT)
    # First relevant item: rank 2 for sure; rank 1 or 2, one of two tied items.
    assert result.metrics["mrr"].value == pytest.approx((1 / 2 + (1 + 1 / 2) / 2) / 2)


@pytest.mark.parametrize(
    ("query_words", "ranked"), [(0, ["bread", "cherry"]), (None, ["cherry", "bread"])]
)
def test_the_retriever_of_the_demo(query_words, ranked):
    # No page has the word apple, and one is a fruit, too.
    texts = {"apple": "sweet fruit", "bread": "flour yeast", "cherry": "fruit of a tree"}
    assert PageRetriever(texts, query_words=query_words).fit().predict(["apple"]) == [ranked]
