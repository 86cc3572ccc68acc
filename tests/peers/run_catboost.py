"""CatBoost's eval_metric."""

from catboost.utils import eval_metric
from exchange import alone_and_together, has, labels, scores, serve

NAMES = {
    "ndcg": "NDCG",
    "dcg": "DCG",
    "ndcg(gain=exp2)": "NDCG:type=Exp",
    "map": "MAP",
    "recall": "RecallAt",
    "precision": "PrecisionAt",
    "mrr": "MRR",
    "err": "ERR",
    "auc": "AUC:type=Ranking",
    "gauc": "QueryAUC",
}


def solve(problem):
    if has(problem, "lists"):
        return None
    answers = {}
    for name, theirs in NAMES.items():
        for k in (None, 2, 5) if name not in {"auc", "gauc"} else (None,):
            joint = ";" if ":" in theirs else ":"
            metric = theirs if k is None else f"{theirs}{joint}top={k}"
            answers[name if k is None else f"{name}@{k}"] = alone_and_together(
                lambda queries, metric=metric: measured(metric, queries), problem["queries"]
            )
    return answers


def measured(metric, queries):
    grades = [grade for query in queries for grade in labels(query)]
    approx = [score for query in queries for score in scores(query)]
    groups = [number for number, query in enumerate(queries) for _ in query["run"]]
    return eval_metric(grades, approx, metric, group_id=groups, thread_count=1)[0]


if __name__ == "__main__":
    serve("catboost", "catboost", solve)
