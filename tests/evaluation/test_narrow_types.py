"""Places stored as int32 and whole grades as uint8 give the bits of int64 and float64."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sklearn_rank import evaluate, ranking_precision_recall_curve, ranking_roc_curve
from sklearn_rank.kernels import pairwise
from sklearn_rank.metrics import curves as _curves
from sklearn_rank.rankings import data as _data
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.support import segments as _segments
from tests.evaluation.test_depth import layouts, outcome
from tests.numbers.invariants import MEASURES, POOLED, STRICT_MEASURES
from tests.numbers.test_variants import as_mapping, rows_of


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


def narrow_readers(patch: pytest.MonkeyPatch, module: Any) -> None:
    """Inputs of the module deliver narrow rankings, in many blocks."""
    read, rank = module.read_any, _data.ranked

    def read_narrow(*args: Any, **options: Any) -> Any:
        judged = read(*args, **options)
        other = judged.by_relevance
        narrow = None if other is None else narrowed(other)
        return replace(judged, rankings=narrowed(judged.rankings), by_relevance=narrow)

    patch.setattr(_segments, "BLOCK", 9)
    patch.setattr(module, "read_any", read_narrow)
    patch.setattr(_data, "ranked", lambda *args, **options: narrowed(rank(*args, **options)))


def test_every_measure_has_the_bits_of_wide_rankings(monkeypatch):
    rows = rows_of(0, "float64", 3, "whole")
    given = layouts(rows)
    truth, run = as_mapping(rows)
    ranked = {query: sorted(own, key=own.__getitem__, reverse=True) for query, own in run.items()}
    scores = {query: sorted(own.values(), reverse=True) for query, own in run.items()}
    given["relevance"] = truth, ranked, {"relevance": scores}
    grades = np.arange(12).reshape(3, 4) % 3
    given["untied"] = grades, np.arange(12.0).reshape(3, 4), {}
    for layout, (y_true, y_score, own) in given.items():
        own["measures"] = (*(STRICT_MEASURES if layout == "untied" else MEASURES), POOLED)
        expected = outcome(y_true, y_score, zero_division=np.nan, **own)
        with monkeypatch.context() as patch:
            narrow_readers(patch, sys.modules[evaluate.__module__])
            found = outcome(y_true, y_score, zero_division=np.nan, n_jobs=2, **own)
            places = evaluate(y_true, y_score, zero_division=np.nan, **own)._judged.rankings
        assert (places.grades.dtype, places.above.dtype) == (np.uint8, np.int32)
        assert found == expected, layout


@pytest.mark.parametrize("average", ["pooled", "macro"])
@pytest.mark.parametrize("curve", [ranking_roc_curve, ranking_precision_recall_curve])
def test_curves(monkeypatch, curve, average):
    rng = np.random.default_rng(0)
    groups, y_score = rng.integers(0, 12, 300), rng.integers(0, 9, 300)
    y_true, options = rng.integers(0, 5, 300) * (rng.random(300) < 0.4), {"groups": groups}
    wide = curve(y_true, y_score, **options, average=average)
    narrow_readers(monkeypatch, _curves)
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
