"""RecBole's metric classes on what its collector hands them: hits and numbers of positives."""

import numpy as np
import torch
from exchange import alone_and_together, has, labels, ranking, relevant, scores, serve
from recbole.evaluator import metrics

# RecBole 1.2 uses names that NumPy 1.24 took away.
float, np.bool = float, bool
NAMES = {
    "map": metrics.MAP,
    "mrr": metrics.MRR,
    "precision": metrics.Precision,
    "recall": metrics.Recall,
    "hit_rate": metrics.Hit,
    "ndcg": metrics.NDCG,
}
WIDTH = 20
"""Items that there are; lists that end earlier are filled up with items that are not relevant."""


def solve(problem):
    if has(problem, "unjudged", "missing"):
        return None
    answers = {}
    for name, kind in NAMES.items():
        for k in (2, 5):
            answers[f"{name}@{k}"] = alone_and_together(
                lambda queries, kind=kind, name=name, k=k: top(kind, name, k, queries),
                problem["queries"],
            )
    if has(problem, "complete"):
        answers["auc"] = alone_and_together(group_auc, problem["queries"])
    return answers


def top(kind, name, k, queries):
    """A measure at k; what RecBole calls ``rec.topk`` is a row of hits and the positives."""
    hits = np.zeros((len(queries), WIDTH + 1), dtype=int)
    for row, query in zip(hits, queries, strict=True):
        grades = relevant(query)
        found = [int(item in grades) for item in ranking(query)]
        row[: len(found)] = found
        row[-1] = len(grades)
    data = {"rec.topk": torch.from_numpy(hits)}
    config = {"topk": [k], "metric_decimal_place": 12}
    used = hits[:, [*range(max(k, 1)), -1]]
    data["rec.topk"] = torch.from_numpy(used)
    return next(iter(kind(config).calculate_metric(data).values()))


def group_auc(queries):
    """``rec.meanrank``: sum of mean ranks of positives, users' items, positives."""
    rows = []
    for query in queries:
        values, grades = np.array(scores(query)), np.array(labels(query)) > 0
        ranks = [(values > v).sum() + ((values == v).sum() + 1) / 2 for v in values]
        rows.append([np.array(ranks)[grades].sum(), len(values), grades.sum()])
    data = {"rec.meanrank": torch.tensor(np.array(rows))}
    return metrics.GAUC({"metric_decimal_place": 12}).calculate_metric(data)["gauc"]


if __name__ == "__main__":
    serve("recbole", "recbole", solve)
