"""What many slices cost, what they share, and that they warn once."""

from __future__ import annotations

import pytest

from sklearn_rank import evaluate
from sklearn_rank.exceptions import UndefinedMetricWarning


def test_slices_share_the_ids_of_all_queries() -> None:
    whole = evaluate({q: {"a"} for q in "wxyz"}, {q: ["a"] for q in "xyz"}, "map")
    first, second = whole.by_slice({"w": 1, "x": 1, "y": 2, "z": 2}).values()
    assert first._judged.left_out is second._judged.left_out
    assert (first.counts["missing"], second.counts["missing"]) == (1, 0)
    # What is left out of a slice is no unknown query there.
    assert first.by_slice({"w": "a", "x": [], "y": "b"})["a"]["map"] == 0.0


def test_slices_with_undefined_queries_warn_once() -> None:
    truth = {"p": set(), "q": {"a"}, "r": set(), "s": {"a"}, "t": set()}
    with pytest.warns(UndefinedMetricWarning) as caught:
        whole = evaluate(truth, {query: ["a"] for query in truth}, ["map", "mrr"])
    assert len(caught) == 1
    with pytest.warns(UndefinedMetricWarning) as caught:
        whole.by_slice({"p": 1, "q": 1, "r": 2, "s": 3, "t": 2})
    assert [str(warning.message) for warning in caught] == [
        "slice 1 (and slices 2): map and mrr are undefined for 1 of 2 queries: 'p'; they are left "
        "out. Use the zero_division parameter to control this behavior."
    ]


def test_one_warning_lists_measures_with_their_counts() -> None:
    truth = [{"a"}, set(), {"a"}]
    with pytest.warns(UndefinedMetricWarning) as caught:
        evaluate(truth, [["a", "x"], ["x"], ["a"]], ["map", "mrr", "auc", "p@1"])
    assert [str(warning.message) for warning in caught] == [
        "map, mrr and precision@1 are undefined for 1 of 3 queries: 1; auc is undefined for 2 of 3 "
        "queries: 1, 2; they are left out. Use the zero_division parameter to control this "
        "behavior."
    ]
    assert caught[0].filename == __file__


def test_a_measure_without_any_value_is_told_apart() -> None:
    with pytest.warns(UndefinedMetricWarning) as caught:
        evaluate([{"a"}, set()], [["a"], ["x"]], ["map", "auc"])
    assert [str(warning.message) for warning in caught] == [
        "map is undefined for 1 of 2 queries: 1; auc is undefined for 2 of 2 queries: 0, 1; they "
        "are left out, and the result of auc is NaN. Use the zero_division parameter to control "
        "this behavior."
    ]
