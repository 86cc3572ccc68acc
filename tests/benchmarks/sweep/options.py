"""Rows: options of a call, ties, and what is asked of an evaluation afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank import Evaluation, evaluate
from tests.benchmarks.rows import TWENTY
from tests.benchmarks.sweep.case import FOUR_MEASURES, Call, Case, Layout
from tests.benchmarks.sweep.rows import equal_lengths, evaluated, reference, rows_of

HUNDRED = [
    f"{name}@{cutoff}"
    for name in ("map", "mar", "precision", "recall", "hit_rate", "f1", "ndcg", "dcg", "mrr", "err")
    for cutoff in (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
]
RULES = ("average", "stable", "optimistic", "pessimistic")


def _with(measures: Any, n: int, **options: Any) -> Call:
    return evaluated(rows_of(n), measures, **options)


def _tied(levels: int, measures: Any, n: int, **options: Any) -> Call:
    rows = rows_of(n)
    scores = np.random.default_rng(1).integers(0, levels, len(rows["y_score"]))
    return evaluated({**rows, "y_score": scores.astype(np.float32)}, measures, **options)


def _one_tie(real: bool, measures: Any, n: int) -> Call:
    """One query of equal scores, whose grades are whole or all different."""
    rng = np.random.default_rng(0)
    rows = equal_lengths(n, n)
    grades = rng.random(n) * 4 if real else rng.integers(1, 5, n)
    return evaluated({**rows, "y_true": grades, "y_score": np.zeros(n)}, measures)


def _weighted(n: int) -> Call:
    rows = rows_of(n)
    return evaluated(rows, sample_weight=1.0 + rows["groups"] % 3)


def _options() -> Iterator[Case]:
    for rule in RULES:
        for levels in (8, 2**20):
            scores = "8 distinct scores" if levels == 8 else "hardly any tie"
            make = partial(_tied, levels, FOUR_MEASURES, ties=rule)
            yield Case("rows", f"ties: {rule}, {scores}", make)
    yield Case("rows", "ties: ndcg, 8 distinct scores", partial(_tied, 8, "ndcg"))
    for name in ("err", "err@10", "nerr"):
        yield Case("rows", f"ties: {name}, 8 distinct scores", partial(_tied, 8, name))
        make = partial(_one_tie, False, name)
        yield Case("rows", f"ties: {name}, one tie of all rows, grades 1 to 4", make, share=0.25)
    make = partial(_one_tie, True, "err")
    yield Case("rows", "ties: err, one tie of all rows, all grades different", make, share=0.25)
    make = partial(_one_tie, False, "ndcg")
    yield Case("rows", "ties: ndcg, one tie of all rows, grades 1 to 4", make, share=0.25)
    cutoffs = [f"ndcg@{cutoff}" for cutoff in range(1, 101)]
    yield Case("rows", "measures: 20", partial(_with, TWENTY))
    yield Case("rows", "measures: ndcg@1 to ndcg@100", partial(_with, cutoffs))
    yield Case("rows", "measures: 100", partial(_with, HUNDRED))
    yield Case("rows", "two threads", partial(_with, FOUR_MEASURES, n_jobs=2))
    yield Case("rows", "weights", _weighted)
    make = partial(_with, ("map", "ndcg@10"), convention="trec_eval", ties="stable")
    yield Case("rows", "convention: trec_eval, but ties", make)


OPTIONS = Layout("rows, options", reference, tuple(_options()))


def _evaluation(n: int) -> tuple[Evaluation, int]:
    """Queries of ten rows, so that there are many."""
    rows = equal_lengths(10, n)
    return evaluate(**rows, measures=FOUR_MEASURES, zero_division=0.0), len(rows["y_true"])


def _slices(n: int) -> Call:
    evaluation, n_rows = _evaluation(n)
    return Call(partial(evaluation.by_slice, lambda query: query % 1_000), n_rows)


def _interval(method: str, n: int) -> Call:
    evaluation, n_rows = _evaluation(n)
    interval: Any = evaluation.confidence_interval
    return Call(partial(interval, "map", method=method, random_state=0), n_rows)


def _placements(n: int) -> Call:
    evaluation, n_rows = _evaluation(n)
    return Call(evaluation.placements, n_rows)


def _to_frame(n: int) -> Call:
    evaluation, n_rows = _evaluation(n)
    return Call(partial(evaluation.to_frame, "pandas"), n_rows)


def _merged(n: int) -> Call:
    evaluation, n_rows = _evaluation(n)
    half = evaluation.by_slice(lambda query: query % 2)
    return Call(partial(Evaluation.merge, half[0], half[1]), n_rows)


def _short_queries(n: int) -> Call:
    return evaluated(equal_lengths(10, n), zero_division=0.0)


AFTERWARDS = Layout(
    "an evaluation",
    _short_queries,
    (
        Case("an evaluation", "by_slice, 1,000 slices", _slices),
        Case("an evaluation", "interval: auto", partial(_interval, "auto")),
        Case("an evaluation", "interval: t", partial(_interval, "t")),
        Case("an evaluation", "interval: bootstrap", partial(_interval, "bootstrap")),
        Case("an evaluation", "placements", _placements),
        Case("an evaluation", "to_frame", _to_frame),
        Case("an evaluation", "merge of two halves", _merged),
    ),
    share=2.5,  # a hundred thousand queries
)
