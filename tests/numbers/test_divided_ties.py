"""The chance that a cutoff through a tie leaves no relevant item out, of many queries at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sklearn_rank import evaluate


def test_all_hit_of_many_divided_ties_by_arithmetic() -> None:
    sizes, relevant, cut = [7, 1, 9, 12, 30], [2, 1, 5, 1, 6], 6
    grades = np.concatenate([np.arange(m) < r for m, r in zip(sizes, relevant, strict=True)])
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = evaluate(grades, np.zeros(len(grades)), f"all_hit@{cut}", groups=groups)
    expected = [
        1.0 if m <= cut else math.comb(m - r, cut - r) / math.comb(m, cut) if r <= cut else 0.0
        for m, r in zip(sizes, relevant, strict=True)
    ]
    assert values.per_query[f"all_hit@{cut}"].tolist() == pytest.approx(expected, rel=1e-14)
