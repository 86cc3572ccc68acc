"""ranx; with ``make_comparable``, without which queries that lack a ranking are an error."""

import numba
from exchange import cutoff, has, serve
from ranx import Qrels, Run, evaluate

numba.set_num_threads(1)
NAMES = {
    "map": "map",
    "mrr": "mrr",
    "precision": "precision",
    "recall": "recall",
    "fbeta": "f1",
    "hit_rate": "hit_rate",
    "rprec": "r-precision",
    "ndcg": "ndcg",
    "ndcg(gain=exp2)": "ndcg_burges",
    "dcg": "dcg",
    "dcg(gain=exp2)": "dcg_burges",
}


def solve(problem):
    if has(problem, "unjudged"):
        return None
    spelled = [
        name if k is None else f"{name}@{k}"
        for name in NAMES
        for k in (None, 2, 5)[: None if name != "rprec" else 1]
    ]
    asked = [theirs(measure) for measure in spelled]
    qrels = Qrels({query["query"]: dict(query["judged"]) for query in problem["queries"]})
    run = Run({query["query"]: dict(query["run"]) for query in problem["queries"] if query["run"]})
    comparable = has(problem, "missing", "blank")
    means = evaluate(qrels, run, asked, make_comparable=comparable)
    names = [query["query"] for query in problem["queries"]]
    return {
        ours: ([run.scores[name][query] for query in names], means[name])
        for ours, name in zip(spelled, asked, strict=True)
    }


def theirs(measure):
    name, _, _ = measure.partition("@")
    k = cutoff(measure)
    return NAMES[name] if k is None else f"{NAMES[name]}@{k}"


if __name__ == "__main__":
    serve("ranx", "ranx", solve)
