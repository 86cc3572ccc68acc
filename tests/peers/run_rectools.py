"""RecTools, with its defaults."""

import warnings

import numpy as np
import pandas as pd
from exchange import attempt, has, ranking, relevant, serve
from rectools import Columns, metrics

CLASSES = {
    "map": (metrics.MAP, {}),
    "map(denominator=k)": (metrics.MAP, {"divide_by_k": True}),
    "mrr": (metrics.MRR, {}),
    "precision": (metrics.Precision, {}),
    "recall": (metrics.Recall, {}),
    "fbeta": (metrics.F1Beta, {}),
    "hit_rate": (metrics.HitRate, {}),
    "ndcg": (metrics.NDCG, {}),
}
warnings.simplefilter("ignore")


def solve(problem):
    if has(problem, "unjudged"):
        return None
    shown = [(q["query"], item, rank) for q in problem["queries"] for rank, item in ranked(q)]
    truth = [(q["query"], item) for q in problem["queries"] for item in relevant(q)]
    shown = pd.DataFrame(shown, columns=[Columns.User, Columns.Item, Columns.Rank])
    truth = pd.DataFrame(truth, columns=[Columns.User, Columns.Item])
    answers = {}
    for name, (kind, options) in CLASSES.items():
        for k in (2, 5):
            values = attempt(kind(k=k, **options).calc_per_user, shown, truth)
            if isinstance(values, str):
                continue
            per_query = [values.get(query["query"]) for query in problem["queries"]]
            answers[f"{name}@{k}"] = (per_query, np.mean(values))
    return answers


def ranked(query):
    return enumerate(ranking(query), 1)


if __name__ == "__main__":
    serve("rectools", "rectools", solve)
