"""Arrays of other libraries: each is read as the NumPy array that it stands for, at every door."""

import array
import importlib.util

import numpy as np
import pytest

from pytest_rankmetrics import assert_map_at_least
from sklearn_rank import (
    compare,
    evaluate,
    map_scorer,
    mean_average_precision_score,
    rank_biased_overlap_score,
)


class Dtype:
    """A type that is none of NumPy's, and has no kind."""

    def __str__(self):
        return "other.float32"


class Tensor:
    """What tensors have: a type of their own, and numbers that are tensors without a dimension."""

    def __init__(self, values):
        self._values = np.asarray(values)
        self.dtype, self.shape, self.ndim = Dtype(), self._values.shape, self._values.ndim

    def __array__(self, dtype=None, copy=None):
        return self._values

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return len(self._values)

    def __iter__(self):
        return map(Tensor, self._values)

    def __getitem__(self, place):
        return Tensor(self._values[place])

    def __float__(self):
        return float(self._values)

    def item(self):
        return self._values.item()

    def tolist(self):
        return self._values.tolist()


class Ranker:
    def __init__(self, scores):
        self.scores = scores

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.scores


KINDS = [Tensor]
if importlib.util.find_spec("torch"):
    import torch

    KINDS += [
        torch.tensor,
        lambda values: (
            torch.tensor(values).bfloat16() if _are_floats(values) else torch.tensor(values)
        ),
        lambda values: torch.tensor(values, requires_grad=_are_floats(values)),
    ]
kinds = pytest.mark.parametrize("made", KINDS)
GRADES, SCORES = [[1, 0, 0], [0, 1, 0]], [[0.125, 0.75, 0.25], [0.25, 0.75, 0.125]]
MAP = (1 / 3 + 1 / 1) / 2


def _are_floats(values):
    return np.asarray(values).dtype.kind == "f"


def flat(rows):
    return [value for row in rows for value in row]


@kinds
def test_matrices_at_every_door(made):
    truth, scores = made(GRADES), made(SCORES)
    assert mean_average_precision_score(truth, scores) == pytest.approx(MAP)
    assert evaluate(truth, scores, "map", convention="warprec")["map"] == pytest.approx(MAP)
    assert compare(truth, {"a": scores, "b": scores}, ["map"])["map"].new == pytest.approx(MAP)
    assert assert_map_at_least(truth, scores, 0.6).value == pytest.approx(MAP)
    assert map_scorer(Ranker(scores), np.zeros((2, 3)), truth) == pytest.approx(MAP)
    whole = made([[1, 9, 3], [2, 8, 1]])
    assert evaluate(truth, whole, "map")["map"] == pytest.approx(MAP)
    seen = evaluate(truth, scores, "mrr", candidates=made([[True, False, True], [True] * 3]))
    assert seen["mrr"] == (1 / 2 + 1 / 1) / 2


@kinds
def test_rows_whole_or_as_lists_of_single_numbers(made):
    truth, scores, groups = made(flat(GRADES)), made(flat(SCORES)), made([7, 7, 7, 9, 9, 9])
    for form in (lambda values: values, list):
        read = evaluate(form(truth), form(scores), "map", groups=form(groups))
        assert read["map"] == pytest.approx(MAP)
        assert list(read.query_ids) == [7, 9]
    weighted = evaluate(
        truth, scores, "map", groups=groups, sample_weight=made([1.0] * 3 + [3.0] * 3)
    )
    assert weighted["map"] == pytest.approx((1 / 3 + 3 * 1) / 4)


@kinds
def test_ids_and_scores_in_lists_and_dicts(made):
    for ranking in (made([5, 3]), list(made([5, 3]))):
        for truth in ({3}, made([3]), set(made([3]))):
            assert evaluate({"q": truth}, {"q": ranking}, "mrr")["mrr"] == 1 / 2
            assert evaluate([truth], [ranking], "mrr")["mrr"] == 1 / 2
    scored = {"a": made(0.25), "b": made(0.5)}
    assert evaluate({"q": {"a": made(1), "b": made(0)}}, {"q": scored}, "mrr")["mrr"] == 1 / 2
    assert rank_biased_overlap_score({"q": made([1, 2])}, {"q": list(made([1, 2]))}) == 1.0


@pytest.mark.parametrize("made", [lambda values: memoryview(np.array(values))])
def test_buffers(made):
    assert evaluate(made(GRADES), made(SCORES), "map")["map"] == pytest.approx(MAP)
    pairs = made([1, 0]), made([0.25, 0.5])
    assert evaluate(*pairs, "mrr", groups=made([4, 4]))["mrr"] == 1 / 2
    pairs = array.array("i", [1, 0]), array.array("d", [0.25, 0.5])
    assert evaluate(*pairs, "mrr", groups=array.array("i", [4, 4]))["mrr"] == 1 / 2


def test_an_array_that_cannot_be_read_is_named():
    class Broken(Tensor):
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("not on this device")

    with pytest.raises(TypeError, match=r"y_score is a Broken of other\.float32, which NumPy"):
        evaluate(np.array(GRADES), Broken(SCORES), "map")


def test_an_empty_dict_stands_beside_sets_and_lists():
    truths = {"none": {}, "a": {1, 2}, "b": {3}, "c": {4, 5}}
    found = {"none": [9], "a": [1, 7, 2], "b": [8, 3], "c": [5, 6, 4]}
    wanted = (0 + 1 / 1 + 1 / 2 + 1 / 1) / 4
    for truth, run in ((truths, found), ([*truths.values()], [*found.values()])):
        assert evaluate(truth, run, "mrr", zero_division=0.0)["mrr"] == wanted
    text = {"n": {"z"}, "a": {"x"}}
    assert evaluate(text, {"n": {}, "a": ["x"]}, "mrr")["mrr"] == (0 + 1) / 2
    assert (
        evaluate({**text, "n": {}}, {"n": ["z"], "a": ["x"]}, "mrr", zero_division=0)["mrr"]
        == 1 / 2
    )
    assert evaluate(text, {"n": {}, "a": {}}, "mrr")["mrr"] == 0.0
