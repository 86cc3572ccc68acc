"""Data that fit no measure as they are: values are right, and the caller is told."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import RankingDataWarning, evaluate, map_scorer, mean_average_precision_score

QUERIES = np.repeat(np.arange(12), 5)
RATINGS = np.tile([5, 1, 3, 2, 4], 12)
SCORES = RATINGS + 0.5
TRUTH = {query: {f"i{item}": item for item in range(1, 6)} for query in range(12)}
RUN = {query: {item: -float(grade) for item, grade in TRUTH[query].items()} for query in TRUTH}
LISTS = {query: list(RUN[query]) for query in RUN}
EVERY = r"every judged item of every query is relevant \(lowest grade 1\)"


@pytest.mark.parametrize(
    ("y_true", "y_score", "options"),
    [
        (RATINGS, SCORES, {"groups": QUERIES}),
        (RATINGS.reshape(12, 5), SCORES.reshape(12, 5), {}),
        (TRUTH, LISTS, {}),
    ],
    ids=["rows", "matrix", "lists"],
)
def test_ratings_of_which_all_are_relevant(y_true: Any, y_score: Any, options: Any) -> None:
    measures = ["map", "ndcg@3", "hmean(ndcg,hmean(mrr,recall))@2", "map(min_rel=4)", "mrr@2"]
    with pytest.warns(RankingDataWarning, match=EVERY) as given:
        ev = evaluate(y_true, y_score, measures, **options)
    assert ev["map"] == 1.0
    (text,) = (str(warning.message) for warning in given)
    assert "'map', 'hmean(ndcg,hmean(mrr,recall))@2', 'mrr@2';" in text
    assert "as in 'map(min_rel=5)'" in text
    with pytest.warns(RankingDataWarning, match=EVERY):
        mean_average_precision_score(y_true, y_score, k=3, **options)


def test_a_scorer_tells_of_ratings_too() -> None:
    X = SCORES[:, None]
    with pytest.warns(RankingDataWarning, match=EVERY):
        assert map_scorer(Ridge().fit(X, RATINGS), X, RATINGS, groups=QUERIES) == 1.0
    scorer = map_scorer.with_options(min_rel=4)
    assert scorer(Ridge().fit(X, RATINGS), X, RATINGS, groups=QUERIES) == 1.0


REVERSED = [
    ((RATINGS > 3) * 1, -SCORES, {"groups": QUERIES}),
    (((RATINGS > 3) * 1).reshape(12, 5), -SCORES.reshape(12, 5), {}),
    ({query: {"i5", "i4"} for query in TRUTH}, RUN, {}),
]


@pytest.mark.parametrize(("y_true", "y_score", "options"), REVERSED)
@pytest.mark.parametrize("measure", ["map", "recall@1", "ndcg@2"])
def test_distances_rank_backwards(y_true: Any, y_score: Any, options: Any, measure: str) -> None:
    with pytest.warns(RankingDataWarning, match=r"^lower scores seem better: .* 100% .* negate"):
        evaluate(y_true, y_score, measure, **options)


def test_what_is_no_reversed_order_draws_no_warning() -> None:
    rng = np.random.default_rng(0)
    few = {"groups": QUERIES[:45]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate((RATINGS > 3)[:45] * 1, -SCORES[:45], "map", **few)  # 9 queries
        evaluate(REVERSED[2][0], LISTS, "map")  # ranks are what was asked for
        for _ in range(50):
            evaluate((RATINGS > 3) * 1, rng.random(60), ["map", "recall@1"], groups=QUERIES)
        evaluate(RATINGS, SCORES, ["ndcg", "map(min_rel=4)"], groups=QUERIES)
        evaluate(RATINGS > 0, SCORES, "map", groups=QUERIES)  # no ratings
        evaluate([{"a": 1, "b": 2}], [["a", "b"]], "map")  # an example of two items
