"""Queries with and without results: ``zero_results`` and ``false_answers``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from sklearn_rank import CONVENTIONS, evaluate

TRUTH: dict[str, Any] = {"a": {"x": 1}, "b": {"y": 2}, "c": {}, "d": {"z": 0}, "e": {}}
OLD = {"a": ["x"], "b": [], "c": ["x"], "d": [], "e": []}
NEW = {"a": [], "b": [], "c": ["x"], "d": ["z"], "e": []}
NAMES = ("zero_results", "false_answers")


def test_values_by_hand() -> None:
    """b, d and e of five have no results; c of c, d, e has some."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # queries with relevant items are no undefined ones
        found = evaluate(TRUTH, OLD, NAMES)
    assert found.scores == {"zero_results": 3 / 5, "false_answers": 1 / 3}
    np.testing.assert_array_equal(found.per_query["zero_results"], [0, 1, 0, 1, 1])
    np.testing.assert_array_equal(found.per_query["false_answers"], [np.nan, np.nan, 1, 0, 0])

    missing = evaluate(TRUTH, {"a": ["x"]}, NAMES)
    assert missing.scores == {"zero_results": 4 / 5, "false_answers": 0.0}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_convention_has_them(convention: str) -> None:
    given: Any = {"missing": "zero", "zero_division": 0.0}
    found = evaluate(TRUTH, OLD, NAMES, convention=convention, **given)
    assert found.scores == {"zero_results": 3 / 5, "false_answers": 1 / 3}
