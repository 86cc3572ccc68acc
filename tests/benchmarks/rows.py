"""P2: rows of learning to rank against torchmetrics, one measure at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sklearn_rank import mean_average_precision_score, ndcg_at_k_score
from tests.benchmarks._measure import Contest, Work

N_QUERIES = {"small": 300, "full": 30_000}


def ltr_rows(size: str) -> dict[str, Any]:
    """Queries of lognormal length between 1 and 1251 rows, grades 0 to 4, float32 scores."""
    rng = np.random.default_rng(0)
    n_queries = N_QUERIES[size]
    lengths = np.clip(np.exp(rng.normal(4.3, 0.9, n_queries)).astype(int), 1, 1251)
    n_rows = int(lengths.sum())
    return {
        "groups": np.repeat(np.arange(n_queries), lengths),
        "y_true": rng.choice(5, n_rows, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
        "y_score": rng.normal(size=n_rows).astype(np.float32),
    }


def contests(size: str) -> Iterator[Contest]:
    """MAP and nDCG of the same rows."""
    rows = ltr_rows(size)
    work = f"{len(rows['y_true']):,} rows of {N_QUERIES[size]:,} queries, one measure"
    for name, ours, peer in (
        ("MAP", mean_average_precision_score, "RetrievalMAP"),
        ("nDCG", ndcg_at_k_score, "RetrievalNormalizedDCG"),
    ):
        peers = _torchmetrics(peer, rows)
        yield Contest(
            "P2",
            f"{work}: {name}",
            lambda ours=ours: ours(**rows, zero_division=np.nan),
            peers,
            dict.fromkeys(peers, 30.0),
        )


def _torchmetrics(metric: str, rows: dict[str, Any]) -> dict[str, Work]:
    try:
        import torch
        from torchmetrics import retrieval
    except ImportError:
        return {}
    graded = metric == "RetrievalNormalizedDCG"
    target = torch.tensor(rows["y_true"] if graded else (rows["y_true"] > 0).astype(int))
    preds, indexes = torch.tensor(rows["y_score"]), torch.tensor(rows["groups"])

    def work() -> Any:
        measure = getattr(retrieval, metric)()
        measure.update(preds, target, indexes=indexes)
        return measure.compute()

    return {f"torchmetrics {metric}": work}
