"""Threads change no bit, and never run a caller's function side by side."""

from __future__ import annotations

import numpy as np
import pytest

from sklearn_rank import InvalidParameterError, evaluate, measure
from sklearn_rank.support import segments as _segments
from tests.evaluation.cases import MRR, RUN, TRUTH, Gain


@pytest.mark.parametrize("n_jobs", [1, 2, 4, -1])
@pytest.mark.parametrize("ties", ["average", "stable", "optimistic", "pessimistic"])
def test_threads_change_no_bit(n_jobs, ties):
    rng = np.random.default_rng(5)
    n_rows = 300_000
    groups, scores = rng.integers(0, 2000, n_rows), rng.integers(0, 50, n_rows)
    grades = rng.integers(0, 40, n_rows) // 38
    measures = ("map", "ndcg@10", "mrr", "auc")
    options = {"groups": groups, "ties": ties, "zero_division": np.nan}
    one = evaluate(grades, scores, measures, **options)
    many = evaluate(grades, scores, measures, **options, n_jobs=n_jobs)
    assert dict(many.scores) == dict(one.scores)
    for name in measures:
        assert many.per_query[name].tobytes() == one.per_query[name].tobytes()


@pytest.mark.parametrize("n_jobs", [0, -2, 1.5, "2", True])
def test_n_jobs_is_a_number_of_threads(n_jobs):
    with pytest.raises(InvalidParameterError, match="The 'n_jobs' parameter of evaluate must be"):
        evaluate(TRUTH, RUN, n_jobs=n_jobs)


def test_n_jobs_may_be_an_integer_of_numpy():
    assert evaluate(TRUTH, RUN, "mrr", n_jobs=np.int64(2))["mrr"] == sum(MRR) / 4


def test_functions_of_the_caller_are_not_called_side_by_side(monkeypatch):
    monkeypatch.setattr(_segments, "BLOCK", 8)
    rng = np.random.default_rng(0)
    grades, scores = rng.integers(0, 9, (40, 12)), rng.random((40, 12))
    gain = Gain(1.5)
    members = (measure("ndcg", gain=gain), measure("map"))
    for used in (members[0], measure("hmean", measures=members)):
        evaluate(grades, scores, [used, "mrr"], n_jobs=4)
        assert gain.most == 1
