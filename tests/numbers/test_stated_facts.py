"""What the docstrings of the metrics state beyond their formulas."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank import (
    UndefinedMetricError,
    group_auc_score,
    lag_error,
    limited_auc_score,
    ranking_auc_score,
)


def random_lists(n_items: int, k: int, n_queries: int = 3000) -> list[list[int]]:
    rng = np.random.default_rng(7)
    return [rng.permutation(n_items)[:k].tolist() for _ in range(n_queries)]


AREAS = pytest.mark.parametrize("area", [ranking_auc_score, group_auc_score])


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning")
@AREAS
def test_chance_is_a_half_for_complete_rankings_alone(area) -> None:
    complete, top = random_lists(20, 20), random_lists(100, 10)
    truth = [set(range(5)) for _ in top]
    assert area(truth, complete) == pytest.approx(1 / 2, abs=0.01)
    # A relevant item is in a random tenth with probability 1/10, and half of the pairs are right.
    assert area(truth, top, zero_division=0.0) == pytest.approx(1 / 10 * 1 / 2, abs=0.01)
    # With all 95 irrelevant items counted, nearly all of them stand below one that is retrieved.
    assert area(truth, top, n_negatives=95) == pytest.approx(1 / 10 * (1 - 5 / 95), abs=0.01)


@AREAS
def test_smoothing_lifts_chance_above_a_half(area) -> None:
    rankings = random_lists(4, 4)
    truth = [{0, 1} for _ in rankings]
    # On average one of two irrelevant items stands below: (1 + 1) / (2 + 1).
    assert area(truth, rankings, smoothing=1) == pytest.approx(2 / 3, abs=0.02)


@pytest.mark.parametrize("area", [ranking_auc_score, group_auc_score, limited_auc_score])
def test_smoothing_defines_a_query_without_an_irrelevant_item(area) -> None:
    with pytest.raises(UndefinedMetricError, match="undefined for 1 of 1 queries"):
        area([{"a"}], [["a"]], zero_division="raise")
    assert area([{"a"}], [["a"]], smoothing=1, zero_division="raise") == 1


@AREAS
def test_smoothing_counts_unretrieved_items_too(area) -> None:
    # Of one irrelevant item: a has it below, (1 + 1) / (1 + 1); z was not retrieved, (0 + 1) / 2.
    assert area([{"a", "z"}], [["a", "b"]], smoothing=1) == (1 + 1 / 2) / 2


def test_areas_ignoring_what_was_not_retrieved_are_undefined_where_nothing_was() -> None:
    for area in (ranking_auc_score, group_auc_score, limited_auc_score):
        with pytest.raises(UndefinedMetricError, match="undefined for 1 of 1 queries"):
            area([{"z"}], [["a", "b"]], unretrieved="ignore", zero_division="raise")


def test_retrieving_less_can_lower_the_lag_where_the_unretrieved_do_not_count() -> None:
    truth = [{"a", "b"}]
    assert lag_error(truth, [["a", "x", "b"]], unretrieved="ignore") == (0 + 1) / 2
    assert lag_error(truth, [["a", "x"]], unretrieved="ignore") == 0
    assert lag_error(truth, [["a", "x"]]) == (0 + 1) / 2
