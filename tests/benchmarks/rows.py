"""Rows of learning to rank: P1, P2, P9, P10 and P11."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from sklearn_rank import evaluate, mean_average_precision_score, ndcg_at_k_score
from tests.benchmarks._cpu import features, widest
from tests.benchmarks._measure import Contest, Limits, Peer, Target, Timer, difference, wall
from tests.benchmarks._memory import Work

N_QUERIES = {"small": 300, "full": 30_000}
MEASURES = ("map", "ndcg@10", "mrr", "precision@10")
CUT = ("map@10", "ndcg@10", "mrr@10", "precision@10")
"""The same, none of which reads below rank 10."""
TWENTY = [
    "map",
    "map@10",
    "map@100",
    "mar@10",
    "mrr",
    "mrr@10",
    "precision@5",
    "precision@10",
    "recall@10",
    "recall@100",
    "f1@10",
    "hit_rate@1",
    "hit_rate@10",
    "ndcg",
    "ndcg@5",
    "ndcg@10",
    "ndcg@100",
    "dcg@10",
    "err@10",
    "gauc",
]

Rows = dict[str, Any]


@cache
def ltr_rows(n_queries: int, dtype: str = "float32") -> Rows:
    """Queries of lognormal length between 1 and 1251 rows, with grades 0 to 4."""
    rng = np.random.default_rng(0)
    lengths = np.clip(np.exp(rng.normal(4.3, 0.9, n_queries)).astype(int), 1, 1251)
    n_rows = int(lengths.sum())
    return {
        "groups": np.repeat(np.arange(n_queries), lengths),
        "y_true": rng.choice(5, n_rows, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
        "y_score": rng.normal(size=n_rows).astype(dtype),
    }


def contests(row: str, size: str) -> Iterator[Contest]:
    """All contests of one of the rows."""
    return _CONTESTS[row](N_QUERIES[size])


def evaluated(rows: Rows, measures: Any = MEASURES, n_jobs: int | None = None) -> Work:
    """One call over the rows."""
    return partial(evaluate, **rows, measures=measures, zero_division=np.nan, n_jobs=n_jobs)


_NO_LIMITS = Limits()


def _contest(
    row: str, rows: Rows, what: str, ours: Work, *peers: Peer, limits: Limits = _NO_LIMITS
) -> Contest:
    n_rows = len(rows["y_true"])
    work = f"{n_rows:,} rows of {rows['groups'][-1] + 1:,} queries: {what}"
    size = sum(column.nbytes for column in rows.values())
    return Contest(row, work, ours, peers, size, n_rows, limits)


def _against_xgboost(n_queries: int) -> Iterator[Contest]:
    for dtype in ("float32", "float64"):
        rows = ltr_rows(n_queries, dtype)
        for n_threads in (2, 1):
            what = f"4 measures, {dtype}, n_jobs={n_threads}"
            ours = evaluated(rows, n_jobs=n_threads)
            peer = _xgboost_peer(rows, n_threads)
            yield _contest("P1", rows, what, ours, peer, limits=_p1_limits(n_threads))
    rows = ltr_rows(n_queries)
    what = "4 measures cut at 10, float32, n_jobs=1"
    ours = evaluated(rows, CUT, n_jobs=1)
    limits = Limits(cold=1.3, of_input=0.5)
    yield _contest("P1", rows, what, ours, _xgboost_peer(rows, 1), limits=limits)


def _p1_limits(n_threads: int) -> Limits:
    per_row = {"avx512": 18.0, "avx2": 22.0}.get(widest(features()))
    return Limits(ns_row=per_row if n_threads == 1 else None, cold=1.3)


def _xgboost_peer(rows: Rows, n_threads: int) -> Peer:
    times = 0.5 if n_threads == 1 and widest(features()) == "baseline" else 0.4
    name = f"XGBoost, ndcg@10 alone, n_jobs={n_threads}"
    return Peer(name, partial(_xgboost, rows, n_threads), Target(times))


def _xgboost(rows: Rows, n_threads: int) -> Timer:
    """Its evaluation less its prediction, of a model that returns the scores as they are."""
    import xgboost

    scores = rows["y_score"].astype(np.float32)
    data = xgboost.DMatrix(
        scores[:, None], label=rows["y_true"], qid=rows["groups"], base_margin=scores
    )
    model = xgboost.train(
        {
            "objective": "rank:ndcg",
            "eval_metric": "ndcg@10",
            "learning_rate": 0.0,
            "max_depth": 1,
            "nthread": n_threads,
        },
        data,
        num_boost_round=1,
    )
    return difference(lambda: model.eval(data), lambda: model.predict(data))


def _against_torchmetrics(n_queries: int) -> Iterator[Contest]:
    rows = ltr_rows(n_queries)
    for name, ours, metric in (
        ("map", mean_average_precision_score, "RetrievalMAP"),
        ("ndcg", ndcg_at_k_score, "RetrievalNormalizedDCG"),
    ):
        build = partial(_torchmetrics, metric, rows)
        peer = Peer(f"torchmetrics {metric}", build, Target(times=1 / 30))
        call = partial(ours, **rows, zero_division=np.nan)
        yield _contest("P2", rows, f"1 measure, {name}", call, peer)


def _torchmetrics(metric: str, rows: Rows) -> Timer:
    import torch
    from torchmetrics import retrieval

    graded = metric == "RetrievalNormalizedDCG"
    target = torch.tensor(rows["y_true"] if graded else (rows["y_true"] > 0).astype(int))
    preds, indexes = torch.tensor(rows["y_score"]), torch.tensor(rows["groups"])

    def work() -> Any:
        measure = getattr(retrieval, metric)()
        measure.update(preds, target, indexes=indexes)
        return measure.compute()

    return wall(work)


def _more_measures(n_queries: int) -> Iterator[Contest]:
    rows = ltr_rows(n_queries)
    one = Peer("itself, map alone", lambda: wall(evaluated(rows, "map")), Target(times=1.6))
    yield _contest("P9", rows, f"{len(TWENTY)} measures", evaluated(rows, TWENTY), one)


def _tied(n_queries: int) -> Iterator[Contest]:
    rows = ltr_rows(n_queries)
    leaves = np.random.default_rng(1).integers(0, 8, len(rows["y_score"])).astype(np.float32)
    tied = {**rows, "y_score": leaves}
    peer = Peer("itself, without ties", lambda: wall(evaluated(rows)), Target(times=2.0))
    yield _contest("P10", tied, "4 measures, 8 distinct scores", evaluated(tied), peer)


def _threads(n_queries: int) -> Iterator[Contest]:
    for dtype in ("float32", "float64"):
        rows = ltr_rows(n_queries, dtype)
        one = Peer("itself, n_jobs=1", partial(_timed, rows), Target(times=0.65))
        yield _contest(
            "P11", rows, f"4 measures, {dtype}, n_jobs=2", evaluated(rows, n_jobs=2), one
        )


def _timed(rows: Rows) -> Timer:
    return wall(evaluated(rows, n_jobs=1))


_CONTESTS = {
    "P1": _against_xgboost,
    "P2": _against_torchmetrics,
    "P9": _more_measures,
    "P10": _tied,
    "P11": _threads,
}
