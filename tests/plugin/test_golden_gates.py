"""The plugin used on this project: recorded values of fixed examples, one-sided and to 1e-6."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pytest_rankmetrics import RankRegressionFixture
from sklearn_rank._demo import PageRetriever
from tests.numbers.test_golden import LISTS, TRUTHS, Link, read, spell

MEASURES = ("map", "mar", "mrr", "precision@2", "recall@2", "f1@2", "hit_rate@2")
GRADED = ("ndcg@3", "ndcg(gain=linear)", "dcg@3", "idcg@3", "err@3", "nerr@3")
PAIRWISE = ("lag", "auc", "gauc", "lauc@3", "hmean(map,mrr)")
EXACT: dict[str, Any] = {"max_drop": 0.0, "confirm": False}
"""Nothing is random in these values: every drop is one of the code."""

TEXTS = {
    "apple": "an apple is a round fruit that grows on a tree in an orchard",
    "pear": "a pear is a sweet fruit of a tree related to the apple tree",
    "cider": "cider is a drink pressed from the juice of apple or pear fruit",
    "orchard": "an orchard is a field of fruit trees such as apple and cherry",
    "cherry": "a cherry is a small red fruit with a stone from a cherry tree",
    "bread": "bread is baked from flour water and yeast in a hot oven",
    "flour": "flour is ground from wheat grain in a mill for bread and cake",
    "mill": "a mill grinds wheat grain to flour by water or wind power",
    "wheat": "wheat is a grain grown in a field and ground in a mill",
    "oven": "an oven is a hot chamber in which bread and cake are baked",
    "cake": "a cake is baked from flour sugar and egg and often fruit",
    "yeast": "yeast makes bread rise and turns apple juice to cider",
}
RELATED = {
    "apple": {"pear", "orchard", "cider"},
    "pear": {"apple", "cider"},
    "cider": {"apple", "pear", "yeast"},
    "orchard": {"apple", "cherry"},
    "cherry": {"orchard"},
    "bread": {"flour", "oven", "yeast"},
    "flour": {"mill", "wheat", "bread"},
    "mill": {"wheat", "flour"},
    "wheat": {"mill", "flour"},
    "oven": {"bread", "cake"},
    "cake": {"flour", "oven"},
    "yeast": {"bread", "cider"},
}


def found_by(retriever: PageRetriever) -> dict[str, list[str]]:
    queries = sorted(TEXTS)
    return dict(zip(queries, retriever.fit().predict(queries), strict=True))


def test_ranked_lists_and_ground_truth(rank_regression: RankRegressionFixture) -> None:
    result = rank_regression.check(TRUTHS, LISTS, (*MEASURES, *PAIRWISE), **EXACT)
    # AP: (1/2 + 2/4) / 3, 1/4 and 0.
    assert result.value == pytest.approx(((1 / 2 + 2 / 4) / 3 + 1 / 4) / 3)


def test_items_behind_a_string_provider(rank_regression: RankRegressionFixture) -> None:
    lists = [[read(item) for item in items] for items in LISTS]
    truths = [{read(item) for item in sorted(items)} for items in TRUTHS]
    assert all(isinstance(item, Link) for items in lists for item in items)
    result = rank_regression.check(truths, lists, MEASURES, string_provider=spell, **EXACT)
    assert result.query_ids == (0, 1, 2)


def test_one_ground_truth_for_all_queries(rank_regression: RankRegressionFixture) -> None:
    # 1:c is never found, and the third query has nothing relevant then.
    truth = {item for items in TRUTHS[:2] for item in items}
    result = rank_regression.check(truth, LISTS[:2], MEASURES, allow={"missed"}, **EXACT)
    # AP: (1/2 + 2/4) / 2 and 1/4.
    assert result.value == pytest.approx(((1 / 2 + 2 / 4) / 2 + 1 / 4) / 2)


def test_grades_and_ties(rank_regression: RankRegressionFixture) -> None:
    truth = {"q1": {"a": 3, "b": 1, "c": 0}, "q2": {"a": 2, "d": 1}}
    scores = {"q1": {"c": 3.0, "a": 2.0, "b": 2.0}, "q2": {"x": 1.0, "d": 1.0, "a": 0.5}}
    result = rank_regression.check(truth, scores, (*GRADED, "mrr"), **EXACT)
    # First relevant item: rank 2 for sure; rank 1 or 2, one of two tied items.
    assert result.metrics["mrr"].value == pytest.approx((1 / 2 + (1 + 1 / 2) / 2) / 2)


@pytest.mark.parametrize("query_words", [0, None], ids=["name", "text"])
def test_retriever_of_the_demo(
    query_words: int | None, rank_regression: RankRegressionFixture
) -> None:
    retriever = PageRetriever(TEXTS, query_words=query_words)
    measures = ("map", "mrr", "recall@5", "ndcg@10", "lag")
    # The first page is always right for the searcher for texts: a mean reciprocal rank of 1.
    rank_regression.check(RELATED, found_by(retriever), measures, allow={"perfect"}, **EXACT)


def test_a_retriever_that_got_worse_would_be_seen() -> None:
    """These gates can fail: the searcher for names alone is worse than the one for texts."""
    from pytest_rankmetrics import assert_not_worse, expected_failure

    text, name = (found_by(PageRetriever(TEXTS, query_words=words)) for words in (None, 0))
    with expected_failure(match="map"):
        assert_not_worse(RELATED, name, text, "map", max_drop=0.0, hard_drop=math.inf)
