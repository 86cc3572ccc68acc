"""Matrices: types of scores and grades, sparse truths, candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank import evaluate
from tests.benchmarks.sweep.case import FOUR_MEASURES, Call, Case, Layout, call

WIDTH = 100


def _matrix(n: int, width: int = WIDTH) -> tuple[Any, Any]:
    """64-bit grades and 32-bit scores."""
    rng = np.random.default_rng(0)
    shape = (max(n // width, 1), min(width, n))
    y_true = rng.choice(5, shape, p=[0.9, 0.04, 0.03, 0.02, 0.01])
    return y_true, rng.normal(size=shape).astype(np.float32)


def _evaluated(y_true: Any, y_score: Any, n_cells: int, **options: Any) -> Call:
    options = {"measures": FOUR_MEASURES, "zero_division": np.nan} | options
    return call(evaluate, n_cells, y_true, y_score, **options)


def _reference(n: int) -> Call:
    y_true, y_score = _matrix(n)
    return _evaluated(y_true, y_score, y_score.size)


def _of_width(width: int, n: int) -> Call:
    y_true, y_score = _matrix(n, width)
    return _evaluated(y_true, y_score, y_score.size)


Convert = Callable[[Any], Any]


def _sparse(form: str) -> Convert:
    """A SciPy matrix of that form."""

    def convert(values: Any) -> Any:
        from scipy import sparse

        make: Any = getattr(sparse, f"{form}_array")
        return make(values)

    return convert


def _whole(values: Any) -> Any:
    return (values * 1e6).astype(np.int64)


SCORES: Mapping[str, Convert] = {
    "float16": lambda values: values.astype(np.float16),
    "float64": lambda values: values.astype(np.float64),
    "int64": _whole,
    "objects": lambda values: values.astype(object),
    "columns first in memory": np.asfortranarray,
    "-inf in a tenth of the cells": lambda values: np.where(values < -1.28, -np.inf, values),
}
GRADES: Mapping[str, Convert] = {
    "bool": lambda values: values > 0,
    "float64": lambda values: values * 0.7,
    "objects": lambda values: values.astype(object),
    **{f"sparse {form}": _sparse(form) for form in ("csr", "csc", "coo", "lil", "dok")},
}


def _converted(side: int, convert: Convert, n: int) -> Call:
    sides = list(_matrix(n))
    n_cells = sides[1].size
    sides[side] = convert(sides[side])
    return _evaluated(sides[0], sides[1], n_cells)


def _candidates(n: int) -> Call:
    y_true, y_score = _matrix(n)
    seen = np.random.default_rng(1).random(y_score.shape) < 0.1
    return _evaluated(y_true, y_score, y_score.size, candidates=~seen)


def _masked(n: int) -> Call:
    y_true, y_score = _matrix(n)
    seen = np.random.default_rng(1).random(y_score.shape) < 0.1
    return _evaluated(y_true, np.ma.array(y_score, mask=seen), y_score.size)


def _cases() -> Iterator[Case]:
    for name, convert in SCORES.items():
        yield Case("matrix", f"scores: {name}", partial(_converted, 1, convert))
    for name, convert in GRADES.items():
        yield Case("matrix", f"grades: {name}", partial(_converted, 0, convert))
    yield Case("matrix", "candidates", _candidates)
    yield Case("matrix", "masked scores", _masked)
    for width in (2, 10, 1_000, 100_000):
        yield Case("matrix", f"shape: {width:,} columns", partial(_of_width, width))


MATRIX = Layout("matrix", _reference, tuple(_cases()))
