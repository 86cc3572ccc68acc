"""implicit.evaluation, with a model that recommends what the problem ranks."""

import numpy as np
from exchange import alone_and_together, has, ranking, relevant, serve
from implicit.evaluation import ranking_metrics_at_k
from scipy.sparse import csr_matrix

NAMES = {"precision": "precision", "map": "map", "ndcg": "ndcg", "lauc": "auc"}


class Recommender:
    """A model that gives each user the ranking of a query; -1 where that has ended."""

    def __init__(self, rankings):
        self.rankings = rankings

    def recommend(self, users, _rows, N=10, **_options):  # noqa: N803 - implicit's name
        ids = np.full((len(users), N), -1, dtype=np.int32)
        for row, user in zip(ids, users, strict=True):
            items = self.rankings[user][:N]
            row[: len(items)] = items
        return ids, np.zeros(ids.shape, dtype=np.float32)


def solve(problem):
    if has(problem, "unjudged", "missing"):
        return None
    return {
        f"{ours}@{k}": alone_and_together(
            lambda queries, theirs=theirs, k=k: measured(theirs, k, queries), problem["queries"]
        )
        for ours, theirs in NAMES.items()
        for k in (2, 5)
    }


def measured(name, k, queries):
    numbers = {}
    rankings = [[numbers.setdefault(i, len(numbers)) for i in ranking(q)] for q in queries]
    positives = [[numbers.setdefault(i, len(numbers)) for i in relevant(q)] for q in queries]
    rows = [row for row, items in enumerate(positives) for _ in items]
    columns = [item for items in positives for item in items]
    shape = (len(queries), len(numbers))
    test = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    model, train = Recommender(rankings), csr_matrix(shape)
    found = ranking_metrics_at_k(model, train, test, K=k, show_progress=False, num_threads=1)
    return found[name]


if __name__ == "__main__":
    serve("implicit", "implicit", solve)
