"""recommenders.evaluation.python_evaluation; it gives means, so each query is also asked alone.

A query alone that is left out gives 0, which is the mean of no query.
"""

import warnings

import pandas as pd
from exchange import attempt, has, relevant, serve
from recommenders.evaluation import python_evaluation as theirs

NAMES = {
    "map": theirs.map_at_k,
    "precision": theirs.precision_at_k,
    "recall": theirs.recall_at_k,
    "ndcg": theirs.ndcg_at_k,
}
warnings.simplefilter("ignore")


def solve(problem):
    if has(problem, "unjudged"):
        return None
    answers = {}
    for name, function in NAMES.items():
        for k in (2, 5):
            alone = [attempt(measured, function, k, [query]) for query in problem["queries"]]
            counted = [bool(relevant(query)) for query in problem["queries"]]
            values = [value if there else None for value, there in zip(alone, counted, strict=True)]
            answers[f"{name}@{k}"] = (values, attempt(measured, function, k, problem["queries"]))
    return answers


def measured(function, k, queries):
    truth = [
        (q["query"], item, float(grade)) for q in queries for item, grade in relevant(q).items()
    ]
    shown = [(q["query"], item, score) for q in queries for item, score in q["run"] or []]
    return function(
        pd.DataFrame(truth, columns=["userID", "itemID", "rating"]),
        pd.DataFrame(shown, columns=["userID", "itemID", "prediction"]),
        k=k,
    )


if __name__ == "__main__":
    serve("recommenders", "recommenders", solve)
