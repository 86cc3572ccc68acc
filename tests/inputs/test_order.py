"""Scores and ranks that contradict the order of rankings: a warning, and an error in gates."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pytest_rankmetrics import assert_metric, expected_failure
from sklearn_rank import RankingOrderWarning, evaluate, mean_reciprocal_rank_score

DISTANCES = [("a", 0.1), ("b", 0.4), ("c", 0.9)]
HITS = [{"id": item, "score": distance} for item, distance in DISTANCES]
ASCENDING = "^the scores of every ranked list ascend: "


@pytest.mark.parametrize("n_queries", [1, 30])
@pytest.mark.parametrize("hits", [DISTANCES, HITS])
@pytest.mark.parametrize("measure", ["mrr", "ndcg@2"])
def test_best_first_lists_with_distances(hits: Any, n_queries: int, measure: str) -> None:
    truth = {query: {"b"} for query in range(n_queries)}
    lists = dict.fromkeys(truth, hits)
    both = {**lists, 0: hits[::-1]}  # a list that falls says that scores are meant
    frame = pd.DataFrame(
        {
            "qid": list(lists),
            "doc": [list("abc")] * n_queries,
            "score": [[0.1, 0.4, 0.9]] * n_queries,
        }
    )
    for ranked in (lists, frame):
        with pytest.warns(RankingOrderWarning, match=ASCENDING):
            evaluate(truth, ranked, measure)
        with expected_failure(match="^could not measure: the scores of every ranked list ascend"):
            assert_metric(truth, ranked, measure, at_least=0.1)
    with pytest.warns(RankingOrderWarning, match=ASCENDING):
        mean_reciprocal_rank_score(list(truth.values()), list(lists.values()))
    if n_queries > 1:
        evaluate(truth, both, measure)  # warnings are errors in these tests
    evaluate(truth, {query: dict(DISTANCES) for query in truth}, measure)  # a dict has no order
    evaluate(truth, {query: [("a", 1.0), ("b", 1.0)] for query in truth}, measure)


def test_a_look_at_odd_data_costs_no_more_where_data_is_larger(monkeypatch: Any) -> None:
    """The relevant items that are looked at are bounded, whatever is asked for."""
    from sklearn_rank.evaluation import data_warnings

    seen: list[int] = []
    real = data_warnings.segment_sum
    monkeypatch.setattr(
        data_warnings, "segment_sum", lambda v, o: (seen.append(len(v)), real(v, o))[1]
    )
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 2, (400, 500))
    evaluate(grades, rng.random((400, 500)), "map")
    assert seen == [pytest.approx(20_000, abs=500)]
    with pytest.warns(match="^lower scores seem better: .* 100% of the irrelevant"):
        evaluate(grades, -grades.astype(float), "map")
