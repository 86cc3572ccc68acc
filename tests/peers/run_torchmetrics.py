"""torchmetrics.retrieval, with the default of its ``empty_target_action``."""

import torch
from exchange import alone_and_together, has, labels, scores, serve
from torchmetrics import retrieval

CLASSES = {
    "map": retrieval.RetrievalMAP,
    "mrr": retrieval.RetrievalMRR,
    "precision": retrieval.RetrievalPrecision,
    "recall": retrieval.RetrievalRecall,
    "hit_rate": retrieval.RetrievalHitRate,
    "ndcg": retrieval.RetrievalNormalizedDCG,
    "rprec": retrieval.RetrievalRPrecision,
    "gauc": retrieval.RetrievalAUROC,
}


def solve(problem):
    if has(problem, "lists"):
        return None
    answers = {}
    for name, kind in CLASSES.items():
        for k in (None, 2, 5) if name not in ("gauc", "rprec") else (None,):
            spelled = name if k is None else f"{name}@{k}"
            answers[spelled] = alone_and_together(
                lambda queries, kind=kind, k=k: measured(
                    kind(**({"top_k": k} if k else {})), queries
                ),
                problem["queries"],
            )
    return answers


def measured(metric, queries):
    indexes = [number for number, query in enumerate(queries) for _ in query["run"]]
    grades = [grade for query in queries for grade in labels(query)]
    preds = [score for query in queries for score in scores(query)]
    metric.update(
        torch.tensor(preds, dtype=torch.float64),
        torch.tensor(grades),
        indexes=torch.tensor(indexes),
    )
    return metric.compute()


if __name__ == "__main__":
    serve("torchmetrics", "torchmetrics", solve)
