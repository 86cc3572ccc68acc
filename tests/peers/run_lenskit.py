"""LensKit, list by list; a summary over lists leaves out those without a value, as here."""

import warnings

import numpy as np
from exchange import attempt, has, ranking, relevant, serve
from lenskit.data import ItemList
from lenskit.metrics.ranking import (
    DCG,
    NDCG,
    AveragePrecision,
    Hit,
    Precision,
    Recall,
    RecipRank,
)

CLASSES = {
    "map": (AveragePrecision, {}),
    "precision": (Precision, {}),
    "recall": (Recall, {}),
    "mrr": (RecipRank, {}),
    "hit_rate": (Hit, {}),
    "ndcg": (NDCG, {}),
    "ndcg(gain=linear)": (NDCG, {"gain": "rating"}),
    "dcg": (DCG, {}),
    "dcg(gain=linear)": (DCG, {"gain": "rating"}),
}
warnings.simplefilter("ignore")


def solve(problem):
    if has(problem, "unjudged", "missing"):
        return None
    answers = {}
    for name, (kind, options) in CLASSES.items():
        for k in (None, 2, 5):
            metric = kind(k, **options)
            values = [attempt(measured, metric, query) for query in problem["queries"]]
            failed = any(isinstance(value, str) for value in values)
            mean = None if failed else np.nanmean(values)
            answers[name if k is None else f"{name}@{k}"] = (values, mean)
    return answers


def measured(metric, query):
    grades = relevant(query)
    truth = ItemList(item_ids=list(grades), rating=list(map(float, grades.values())))
    return metric.measure_list(ItemList(item_ids=ranking(query), ordered=True), truth)


if __name__ == "__main__":
    serve("lenskit", "lenskit", solve)
