"""Names of queries that are positions otherwise, and values by position and by run."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import Repeats, evaluate
from tests.field.tensor import Tensor

LISTS: Any = [{"a"}, {"b"}], [["a", "x"], ["x", "b"]]
LAYOUTS: dict[str, Any] = {
    "lists": LISTS,
    "one set": ({"a", "b"}, LISTS[1]),
    "matrix": (np.eye(2), np.array([[2.0, 1.0], [2.0, 1.0]])),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_queries_have_the_names_given(layout):
    ev = evaluate(*LAYOUTS[layout], "mrr", query_ids=["q1", "q2"], keep_items=True)
    assert list(ev.query_ids) == ["q1", "q2"]
    assert ev.per_query["mrr"].tolist() == [1.0, 0.5]
    assert [found.query for found in ev.placements()] == ["q1", "q2"]
    named = evaluate(
        *LAYOUTS[layout],
        "mrr",
        query_ids=["q1", "q2"],
        clusters={"q1": "u", "q2": "v"},
        values={"judge": {"q2": 0.75, "q1": 1.0}},
    )
    assert named.per_query["judge"].tolist() == [1.0, 0.75]
    assert named.clusters.tolist() == ["u", "v"]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["q1"], "query_ids has 1 id for 2 queries"),
        (["q1", "q1"], "query_ids has 'q1' twice"),
    ],
)
def test_names_that_do_not_fit_are_refused(names, said):
    with pytest.raises(ValueError, match=said):
        evaluate(*LISTS, "mrr", query_ids=names)
    with pytest.raises(TypeError, match="these queries already have ids"):
        evaluate({"q": {"a"}}, {"q": ["a"]}, "mrr", query_ids=["q1"])


def test_weights_of_named_queries_are_not_joined_by_position():
    weights = pd.Series([3.0, 1.0], ["q2", "q1"])
    names = ["q1", "q2"]
    with pytest.raises(ValueError, match=r"another order.*pass sample_weight.loc\[query_ids\]"):
        evaluate(*LISTS, "mrr", query_ids=names, sample_weight=weights)
    ev = evaluate(*LISTS, "mrr", query_ids=names, sample_weight=weights.loc[names])
    assert ev["mrr"] == (1 * 1 + 3 * 1 / 2) / (1 + 3)


def test_values_are_read_from_foreign_arrays():
    numbers = Tensor.make([0.25, 0.75], Tensor.float64)
    assert evaluate(*LISTS, "mrr", values={"judge": numbers})["judge"] == 0.5
    with pytest.raises(ValueError, match=r"values of judge must be \{query: number\}"):
        evaluate(*LISTS, "mrr", values={"judge": numbers[0]})
    by_query = {0: numbers[0], 1: numbers[1]}
    assert evaluate(*LISTS, "mrr", values={"judge": by_query})["judge"] == 0.5


def test_values_are_lists_and_repeats_and_their_names_are_measures():
    runs = Repeats([[0.2, 0.4], {0: 0.4, 1: 0.8}])
    ev = evaluate(*LISTS, ["mrr", "faith"], values={"faith": runs})
    assert ev.per_query["faith"] == pytest.approx([0.3, 0.6])
    assert ev.spread("faith") == pytest.approx([0.02**0.5, 0.08**0.5])
    assert evaluate(*LISTS, "faith", values={"faith": [0.5, None]}, zero_division=0.0)["faith"] == (
        0.25
    )
    with pytest.raises(ValueError, match="values of faith: 1 numbers for 2 queries"):
        evaluate(*LISTS, "faith", values={"faith": [0.5]})
    with pytest.raises(ValueError, match="need the same number of runs, got 3 and 2"):
        evaluate(LISTS[0], Repeats([LISTS[1]] * 3), "mrr", values={"faith": runs})
