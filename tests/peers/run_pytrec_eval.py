"""pytrec_eval-terrier: trec_eval's C, called from Python."""

import pytrec_eval
from exchange import serve

NAMES = {
    "map": "map",
    "mrr": "recip_rank",
    "ndcg": "ndcg",
    "fbeta": "set_F",
    "precision": "set_P",
    "recall": "set_recall",
    "rprec": "Rprec",
    "set_map": "set_map",
    "bpref": "bpref",
    "iprec": "11pt_avg",
    "iprec(recall=0.5)": "iprec_at_recall_0.50",
}
CUT = {"map": "map_cut", "precision": "P", "recall": "recall", "hit_rate": "success"}
CUT["ndcg"] = "ndcg_cut"
CUTOFFS = (2, 5)


def solve(problem):
    qrels = {query["query"]: query["judged"] for query in problem["queries"]}
    ranked = [query for query in problem["queries"] if query["run"] is not None]
    run = {query["query"]: dict(query["run"]) for query in ranked}
    asked = {name.replace("_0.50", ".0.5") for name in NAMES.values()}
    asked |= {f"{cut}.2,5" for cut in CUT.values()}
    results = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
    answers = dict(NAMES) | {f"{name}@{k}": f"{CUT[name]}_{k}" for name in CUT for k in CUTOFFS}
    return {
        ours: (
            [results[query][theirs] if query in results else None for query in qrels],
            sum(result[theirs] for result in results.values()) / len(results),
        )
        for ours, theirs in answers.items()
    }


if __name__ == "__main__":
    serve("pytrec_eval", "pytrec-eval-terrier", solve)
