"""Rows and matrices of numbers: P1, P2, P3, P9, P10, P11, P13 and P16."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank import evaluate, map_scorer, mean_average_precision_score, ndcg_at_k_score
from tests.benchmarks.harness import Row, Timed, Work, seconds_of

MEASURES = ("map", "ndcg@10", "mrr", "precision@10")
TWENTY = (
    *("map", "map@10", "map@100", "mar@10", "mrr", "mrr@10", "precision@5", "precision@10"),
    *("recall@10", "recall@100", "f1@10", "hit_rate@1", "hit_rate@10", "ndcg", "ndcg@5"),
    *("ndcg@10", "ndcg@100", "dcg@10", "err@10", "gauc"),
)
GRADES = (0.5, 0.2, 0.15, 0.1, 0.05)
"""Shares of the grades 0 to 4."""

Rows = dict[str, Any]


def ltr_rows(size: str, dtype: str = "float32") -> Rows:
    """Queries of lognormal length between 1 and 1251 rows, as in learning to rank."""
    n_queries = 30_000 if size == "full" else 300
    rng = np.random.default_rng(0)
    lengths = np.clip(np.exp(rng.normal(4.3, 0.9, n_queries)).astype(int), 1, 1251)
    n_rows = int(lengths.sum())
    return {
        "groups": np.repeat(np.arange(n_queries), lengths),
        "y_true": rng.choice(5, n_rows, p=GRADES),
        "y_score": rng.normal(size=n_rows).astype(dtype),
    }


def call(rows: Rows, measures: Any = MEASURES, n_jobs: int | None = None) -> Work:
    """One call of `evaluate`."""
    return partial(evaluate, **rows, measures=measures, zero_division=np.nan, n_jobs=n_jobs)


def row(
    name: str, rows: Rows, what: str, ours: Work, peers: Any, at_most: float | None = None
) -> Row:
    """A row of the table for these rows of data."""
    n_rows = len(rows["y_true"])
    n_bytes = sum(column.nbytes for column in rows.values())
    targets = dict.fromkeys(peers, at_most) if at_most is not None else {}
    return Row(name, f"{n_rows:,} rows, {what}", ours, peers, targets, n_rows, n_bytes)


def p1(size: str) -> Iterator[Row]:
    """Four measures against one of XGBoost's."""
    for dtype in ("float32", "float64"):
        rows = ltr_rows(size, dtype)
        for n_jobs in (1, 2):
            peers = {"XGBoost, ndcg@10 alone": partial(_xgboost, rows, n_jobs)}
            what = f"4 measures, {dtype}, n_jobs={n_jobs}"
            yield row("P1", rows, what, call(rows, n_jobs=n_jobs), peers, 0.4)
    rows = ltr_rows(size)
    cut = ("map@10", "ndcg@10", "mrr@10", "precision@10")
    peers = {"XGBoost, ndcg@10 alone": partial(_xgboost, rows, 1)}
    yield row("P1", rows, "4 measures cut at 10", call(rows, cut), peers, 0.4)


def _xgboost(rows: Rows, n_threads: int) -> Any:
    """Its evaluation less its prediction, of a model that returns the scores as they are."""
    import xgboost

    scores = rows["y_score"].astype(np.float32)
    data = xgboost.DMatrix(
        scores[:, None], label=rows["y_true"], qid=rows["groups"], base_margin=scores
    )
    options = {"objective": "rank:ndcg", "eval_metric": "ndcg@10", "learning_rate": 0.0}
    options |= {"max_depth": 1, "nthread": n_threads}
    model = xgboost.train(options, data, num_boost_round=1)
    return Timed(
        lambda: seconds_of(lambda: model.eval(data)) - seconds_of(lambda: model.predict(data))
    )


def p2(size: str) -> Iterator[Row]:
    """One measure against torchmetrics."""
    rows = ltr_rows(size)
    for ours, metric in (
        (mean_average_precision_score, "RetrievalMAP"),
        (ndcg_at_k_score, "RetrievalNormalizedDCG"),
    ):
        work = partial(ours, **rows, zero_division=np.nan)
        peers = {f"torchmetrics {metric}": partial(_torchmetrics, metric, rows)}
        yield row("P2", rows, "1 measure", work, peers, 1 / 30)


def _torchmetrics(metric: str, rows: Rows) -> Work:
    import torch
    from torchmetrics import retrieval

    graded = metric == "RetrievalNormalizedDCG"
    target = torch.tensor(rows["y_true"] if graded else (rows["y_true"] > 0).astype(int))
    preds, indexes = torch.tensor(rows["y_score"]), torch.tensor(rows["groups"])

    def work() -> Any:
        measure = getattr(retrieval, metric)()
        measure.update(preds, target, indexes=indexes)
        return measure.compute()

    return work


def p3(size: str) -> Iterator[Row]:
    """A matrix against scikit-learn."""
    rng = np.random.default_rng(0)
    shape = (30_000 if size == "full" else 300, 120)
    y_true, y_score = rng.choice(5, shape, p=GRADES), rng.normal(size=shape).astype(np.float32)

    def sklearn(ignore_ties: bool) -> Work:
        from sklearn.metrics import ndcg_score

        return partial(ndcg_score, y_true, y_score, k=10, ignore_ties=ignore_ties)

    names = ("scikit-learn, ties ignored", "scikit-learn, ties averaged")
    yield Row(
        "P3",
        f"matrix of {shape[0]:,} x {shape[1]}, ndcg@10",
        partial(ndcg_at_k_score, y_true, y_score, k=10, gain="linear", zero_division=0.0),
        dict(zip(names, (partial(sklearn, True), partial(sklearn, False)), strict=True)),
        dict(zip(names, (1 / 4, 1 / 12), strict=True)),
        y_true.size,
        y_true.nbytes + y_score.nbytes,
    )


def p9(size: str) -> Iterator[Row]:
    """Twenty measures against one."""
    rows = ltr_rows(size)
    peers = {"itself, map alone": lambda: call(rows, "map")}
    yield row("P9", rows, "20 measures", call(rows, TWENTY), peers, 1.6)


def p10(size: str) -> Iterator[Row]:
    """Ties: eight distinct scores, as of a small tree."""
    rows = ltr_rows(size)
    leaves = np.random.default_rng(1).integers(0, 8, len(rows["y_score"])).astype(np.float32)
    tied = {**rows, "y_score": leaves}
    peers = {"itself, without ties": lambda: call(rows)}
    yield row("P10", tied, "4 measures, 8 distinct scores", call(tied), peers, 2.0)


def p11(size: str) -> Iterator[Row]:
    """Two threads against one."""
    for dtype in ("float32", "float64"):
        rows = ltr_rows(size, dtype)
        peers = {"itself, n_jobs=1": partial(call, rows)}
        yield row("P11", rows, f"4 measures, {dtype}, n_jobs=2", call(rows, n_jobs=2), peers, 0.65)


def p13(size: str) -> Iterator[Row]:
    """Queries of one length: short, middling, and long with few hits."""
    rng = np.random.default_rng(0)
    for length, n_queries, hits in ((10, 1_000_000, 1), (1_000, 3_000, 100), (100_000, 30, 1_000)):
        n_queries = n_queries if size == "full" else max(n_queries // 1_000, 1)
        y_true = np.zeros((n_queries, length), dtype=np.int64)
        y_true[:, :hits] = 1
        scores = rng.normal(size=(n_queries, length)).astype(np.float32)
        keys = scores.view(np.uint32).astype(np.uint64) << np.uint64(32)
        keys |= np.arange(length, dtype=np.uint64)
        rows = {
            "groups": np.repeat(np.arange(n_queries), length),
            "y_true": rng.permuted(y_true, axis=1).ravel(),
            "y_score": scores.ravel(),
        }
        peers = {"numpy.sort of as many keys": lambda keys=keys: partial(np.sort, keys, axis=1)}
        what = f"{length:,} a query, {hits:,} relevant: 4 measures"
        yield row("P13", rows, what, call(rows), peers, 1.0 if length == 100_000 else None)


def p16(size: str) -> Iterator[Row]:
    """Small calls: ten queries of ten items."""
    from sklearn.linear_model import Ridge
    from sklearn.metrics import make_scorer, ndcg_score, r2_score

    rng = np.random.default_rng(0)
    y_true, y_score = rng.choice(5, (10, 10), p=GRADES), rng.normal(size=(10, 10))
    y_true[:, 0] = 1
    calls = 200 if size == "full" else 2

    def loop() -> float:
        values = []
        for grades, scores in zip(y_true, y_score, strict=True):
            gains = 2.0**grades - 1
            discounts = np.log2(np.arange(2, 12))
            best = (np.sort(gains)[::-1] / discounts).sum()
            values.append((gains[np.argsort(-scores, kind="stable")] / discounts).sum() / best)
        return float(np.mean(values))

    def small(what: str, ours: Work, peers: dict[str, Callable[[], Any]]) -> Row:
        return Row("P16", f"10 queries of 10: {what}", ours, peers, calls=calls)

    rows = {"y_true": y_true.ravel(), "y_score": y_score.ravel()}
    rows["groups"] = np.repeat(np.arange(10), 10)
    of_sklearn = {"scikit-learn's ndcg_score": lambda: partial(ndcg_score, y_true, y_score)}
    yield small(
        "evaluate, ndcg", partial(evaluate, **rows, measures="ndcg"), {"a loop": lambda: loop}
    )
    yield small("ndcg_at_k_score", partial(ndcg_at_k_score, y_true, y_score), of_sklearn)
    X = rng.normal(size=(100, 3))
    model = Ridge().fit(X, rows["y_true"])
    own = make_scorer(r2_score)
    yield small(
        "map_scorer",
        partial(map_scorer, model, X, rows["y_true"], groups=rows["groups"]),
        {"a scorer of r2_score": lambda: partial(own, model, X, rows["y_true"])},
    )


ROWS = {
    "P1": p1,
    "P2": p2,
    "P3": p3,
    "P9": p9,
    "P10": p10,
    "P11": p11,
    "P13": p13,
    "P16": p16,
}
