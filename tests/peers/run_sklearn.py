"""scikit-learn's ranking metrics; each row of a matrix is a query."""

import warnings

import numpy as np
from exchange import attempt, has, labels, scores, serve
from sklearn import metrics

warnings.simplefilter("ignore")


def solve(problem):
    if has(problem, "lists"):
        return None
    rows = [(np.array([labels(query)]), np.array([scores(query)])) for query in problem["queries"]]
    answers = {}
    for name, function in (("ndcg", metrics.ndcg_score), ("dcg", metrics.dcg_score)):
        for k in (None, 2, 5):
            values = [attempt(function, *row, k=k) for row in rows]
            answers[name if k is None else f"{name}@{k}"] = (values, mean(values))
    values = [attempt(metrics.label_ranking_average_precision_score, *row) for row in rows]
    answers["map"] = (values, mean(values))
    values = [attempt(metrics.roc_auc_score, *(side[0] for side in row)) for row in rows]
    answers["gauc"] = (values, None)
    flat = [np.concatenate([row[side][0] for row in rows]) for side in (0, 1)]
    answers["auc(average=pooled)"] = ([], attempt(metrics.roc_auc_score, *flat))
    return answers


def mean(values):
    """Queries differ in length, so each is a matrix of its own; scikit-learn takes plain means."""
    return None if any(isinstance(value, str) for value in values) else np.mean(values)


if __name__ == "__main__":
    serve("sklearn", "scikit-learn", solve)
