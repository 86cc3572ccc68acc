"""A scorer looks at its arguments once: at layout, query ids, classes, and the stack above it."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

import sklearn_rank
from sklearn_rank import map_scorer
from tests.model_selection.cases import QID, X, Y

HOME = sklearn_rank.__file__.removesuffix("__init__.py")
ONCE = {
    "dispatch.layout_of",
    "frames.as_tables",
    "groups._read",
    "query_ids.carried_query_ids",
}
"""What tells of an argument all that there is to tell."""
NEVER = {
    "parameters.check_cutoff",
    "parameters.check_option",
    "parameters.check_zero_division",
    "ties.check_ties",
}
"""What was checked when the scorer was made."""


class Lists:
    def predict(self, X):
        return [["a", "b"], ["b", "a"]]


class Matrix:
    def predict(self, X):
        return np.array([[0.3, 0.1], [0.2, 0.4]])


@contextmanager
def counted_calls():
    """Functions of the project, as "module.function", by the number of their calls."""
    calls = Counter()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(HOME):
            module = Path(frame.f_code.co_filename).stem
            calls[f"{module}.{frame.f_code.co_name}"] += 1

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)


CASES = {
    "rows": (Ridge().fit(X, Y), X, Y, {"groups": QID}),
    "classifier": (LogisticRegression().fit(X, Y), X, Y, {"groups": QID}),
    "lists": (Lists(), np.zeros((2, 1)), [{"a"}, {"a"}], {}),
    "matrix": (Matrix(), np.zeros((2, 1)), np.array([[0, 1], [0, 1]]), {}),
}


@pytest.mark.parametrize("case", CASES)
def test_arguments_are_looked_at_once(case):
    estimator, rows, y, metadata = CASES[case]
    with counted_calls() as calls:
        map_scorer(estimator, rows, y, **metadata)
    assert {name: calls[name] for name in ONCE if calls[name] > 1} == {}
    assert {name: calls[name] for name in NEVER if calls[name]} == {}


@pytest.mark.parametrize("case", CASES)
def test_options_of_the_measure_are_put_together_once(case):
    estimator, rows, y, metadata = CASES[case]
    scorer = map_scorer.with_options(k=7)
    scorer(estimator, rows, y, **metadata)
    with counted_calls() as calls:
        scorer(estimator, rows, y, **metadata)
    assert calls["record.options"] == 0
