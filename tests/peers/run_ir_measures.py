"""ir_measures, with the providers that it chooses itself: pytrec_eval, gdeval, and its own."""

import ir_measures
from exchange import serve
from ir_measures import AP, ERR, RR, Bpref, IPrec, P, R, Rprec, SetAP, SetF, Success, nDCG

NAMES = {"map": AP, "precision": P, "recall": R, "hit_rate": Success, "ndcg": nDCG, "mrr": RR}
CUT_ONLY = {"precision", "recall", "hit_rate"}
WHOLE = {
    "fbeta": SetF,
    "rprec": Rprec,
    "set_map": SetAP,
    "bpref": Bpref,
    "iprec(recall=0.1)": IPrec @ 0.1,
}


def solve(problem):
    measures = {name: measure for name, measure in NAMES.items() if name not in CUT_ONLY}
    measures |= WHOLE
    for k in (2, 5):
        measures |= {f"{name}@{k}": measure @ k for name, measure in NAMES.items()}
        measures[f"err@{k}"] = ERR @ k
    # The script behind ERR reads numbers as ids of queries.
    qrels = {query["query"][1:]: query["judged"] for query in problem["queries"]}
    ranked = [query for query in problem["queries"] if query["run"] is not None]
    run = {query["query"][1:]: dict(query["run"]) for query in ranked}
    values = {}
    for found in ir_measures.iter_calc(list(measures.values()), qrels, run):
        values[found.measure, found.query_id] = found.value
    means = ir_measures.calc_aggregate(list(measures.values()), qrels, run)
    return {
        name: ([values.get((measure, query)) for query in qrels], means[measure])
        for name, measure in measures.items()
    }


if __name__ == "__main__":
    serve("ir_measures", "ir-measures", solve)
