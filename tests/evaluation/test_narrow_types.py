"""Places stored as int32 and whole grades as uint8 give the bits of int64 and float64."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import pytest

from sklearn_rank import Evaluation, evaluate, ranking_precision_recall_curve, ranking_roc_curve
from sklearn_rank.kernels import pairwise
from sklearn_rank.metrics import curves as _curves
from sklearn_rank.rankings import data as _data
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support import segments as _segments
from tests.evaluation.cases import everything
from tests.numbers.invariants import MEASURES, POOLED, STRICT_MEASURES

Evaluate: TypeAlias = Callable[..., Evaluation]


def narrowed(rankings: JudgedRankings) -> JudgedRankings:
    """The same with the narrowest types that hold its numbers."""
    small = (rankings.judged_grades == rankings.judged_grades.astype(np.uint8)).all()
    grades = np.uint8 if small else np.float64
    return replace(
        rankings,
        above=rankings.above.astype(np.int32),
        tied=rankings.tied.astype(np.int32),
        grades=rankings.grades.astype(grades),
        judged_grades=rankings.judged_grades.astype(grades),
    )


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    """``evaluate`` over inputs that deliver narrow rankings, in many blocks."""

    def narrow_evaluate(*args: Any, **options: Any) -> Evaluation:
        with monkeypatch.context() as patch:
            patch.setattr(_segments, "BLOCK", 9)
            _narrow_readers(patch, sys.modules[evaluate.__module__])
            return evaluate(*args, **options)

    return narrow_evaluate


def _narrow_readers(patch: pytest.MonkeyPatch, module: ModuleType) -> None:
    read, rank = module.read_any, _data.ranked

    def read_narrow(*args: Any, **options: Any) -> Any:
        judged = read(*args, **options)
        by_relevance = judged.by_relevance
        return replace(
            judged,
            rankings=narrowed(judged.rankings),
            by_relevance=None if by_relevance is None else narrowed(by_relevance),
        )

    patch.setattr(module, "read_any", read_narrow)
    patch.setattr(_data, "ranked", lambda *args, **options: narrowed(rank(*args, **options)))


def tied_rows() -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(0)
    groups, scores = rng.integers(0, 12, 300), rng.integers(0, 9, 300)
    return rng.integers(0, 5, 300) * (rng.random(300) < 0.4), scores, {"groups": groups}


def strict_matrix() -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 4, (9, 20)) * (rng.random((9, 20)) < 0.5)
    return grades, rng.permuted(np.tile(np.arange(20.0), (9, 1)), axis=1), {}


def scored_mappings() -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(2)
    run = {f"q{q}": {f"d{d}": float(rng.integers(5)) for d in range(15)} for q in range(8)}
    truth = {q: {f"d{d}": int(rng.integers(0, 4)) for d in range(3, 19, 3)} for q in run}
    return truth, run, {"sample_weight": {q: float(n + 1) for n, q in enumerate(run)}}


def lists_with_relevance() -> tuple[Any, Any, dict[str, Any]]:
    rng = np.random.default_rng(3)
    lists = [[f"d{d}" for d in rng.permutation(12)] for _ in range(7)]
    truths = [{f"d{d}": int(rng.integers(1, 5)) for d in rng.permutation(14)[:5]} for _ in lists]
    relevance = [sorted(rng.integers(0, 4, 12).tolist(), reverse=True) for _ in lists]
    return truths, lists, {"relevance": relevance}


PROBLEMS = [
    pytest.param(tied_rows, (*MEASURES, POOLED), id="rows with ties"),
    pytest.param(strict_matrix, (*STRICT_MEASURES, POOLED), id="matrix"),
    pytest.param(scored_mappings, (*MEASURES,), id="mappings of scores"),
    pytest.param(lists_with_relevance, (*MEASURES, POOLED), id="lists with relevance"),
]


@pytest.mark.parametrize(("problem", "measures"), PROBLEMS)
def test_every_measure_has_the_bits_of_wide_rankings(narrow, problem, measures):
    y_true, y_score, options = problem()
    wide = evaluate(y_true, y_score, measures, **options, zero_division=np.nan)
    other = narrow(y_true, y_score, measures, **options, zero_division=np.nan, n_jobs=2)
    assert other._judged.rankings.grades.dtype == np.uint8
    assert everything(other) == everything(wide)
    place = {query: number for number, query in enumerate(list(wide.query_ids))}
    for label in (lambda query: place[query] % 2, lambda query: place[query] % 3 == 0):
        wide, other = (evaluation.by_slice(label)[True] for evaluation in (wide, other))
        assert other._judged.rankings.above.dtype == np.int32
        assert everything(other) == everything(wide)


@pytest.mark.parametrize("average", ["pooled", "macro"])
@pytest.mark.parametrize("curve", [ranking_roc_curve, ranking_precision_recall_curve])
def test_curves(monkeypatch, curve, average):
    y_true, y_score, options = tied_rows()
    wide = curve(y_true, y_score, **options, average=average)
    _narrow_readers(monkeypatch, _curves)
    narrow = curve(y_true, y_score, **options, average=average)
    for array, expected in zip(narrow, wide, strict=True):
        assert (array.dtype, array.tobytes()) == (expected.dtype, expected.tobytes())


def rankings_of(
    above: list[int], tied: list[int], grades: list[int], n_ranked: int
) -> JudgedRankings:
    n_hits = len(above)
    return JudgedRankings(
        query_ids=["q"],
        offsets=np.array([0, n_hits]),
        above=np.array(above, np.int32),
        tied=np.array(tied, np.int32),
        grades=np.array(grades, np.uint8),
        n_ranked=np.array([n_ranked]),
        judged_offsets=np.array([0, n_hits]),
        judged_grades=np.array(grades, np.uint8),
    )


def test_ends_of_ties_beyond_the_range_of_int32():
    last = 2**31 - 1
    rankings = rankings_of([last - 5], [100], [1], last + 95)
    rankings.check()
    with pytest.raises(ValueError, match="ties fit the ranking"):
        rankings_of([last - 5], [100], [1], last + 94).check()
    # Half of the 99 other items of the tie stand above, on average.
    lag = pairwise.lag(rankings.widened(), k=None)
    assert lag.tolist() == [last - 5 + 99 / 2]


def test_grades_that_rise_within_a_tie_are_refused():
    rankings_of([0, 0], [2, 2], [3, 2], 4).check()
    # As uint8, 2 - 3 is 255 and 3 - 2 is 1: both would look like a rise.
    with pytest.raises(ValueError, match="hits lie in rank order"):
        rankings_of([0, 0], [2, 2], [2, 3], 4).check()
