"""Spellings of other programs: read, or named as what they are."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from sklearn_rank import PrecisionRecallAtKDisplay, measure
from sklearn_rank.exceptions import InvalidParameterError, UnknownMeasureError


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("P.5", "precision@5"),
        ("ndcg_cut.10", "ndcg@10"),
        ("map_cut.100", "map@100"),
        ("success.1", "hit_rate@1"),
        ("P_5", "precision@5"),
    ],
)
def test_cutoffs_of_trec_eval_behind_a_dot(spelling: str, canonical: str) -> None:
    assert str(measure(spelling)) == canonical


@pytest.mark.parametrize("spelling", ["P.", "P.x", "ndcg.cut.10", ".5"])
def test_other_dots_are_refused(spelling: str) -> None:
    with pytest.raises(UnknownMeasureError):
        measure(spelling)


@pytest.mark.parametrize("spelling", ["bpref", "RBP", "infAP"])
def test_measures_that_are_not_here_are_not_taken_for_others(spelling: str) -> None:
    with pytest.raises(UnknownMeasureError, match="is not among the measures here") as caught:
        measure(spelling)
    assert "did you mean" not in str(caught.value)


def test_the_greatest_grade_may_be_a_number() -> None:
    with pytest.raises(InvalidParameterError, match="must be 'query' or a finite number above 0"):
        measure("err(max_grade=dataset)")


@pytest.mark.parametrize(("precision", "recall"), [((1, 0.9), (0.5, 1)), ((0, 0), (0, 0))])
def test_no_label_of_a_curve_is_cut_off(precision: tuple, recall: tuple) -> None:
    shown = PrecisionRecallAtKDisplay(precision=[precision], recall=[recall], k=[1, 20]).plot()
    shown.figure_.canvas.draw()
    frame = shown.figure_.bbox
    for text in shown.ax_.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1
    plt.close(shown.figure_)
