"""gdeval.pl of the TREC Web Track, as ir_measures ships it; needs perl and numeric query ids."""

import ir_measures
from exchange import serve
from ir_measures import ERR, nDCG


def solve(problem):
    measures = {f"err(max_grade=4)@{k}": ERR @ k for k in (2, 5)}
    measures |= {f"ndcg@{k}": nDCG(dcg="exp-log2") @ k for k in (2, 5)}
    qrels = {query["query"][1:]: query["judged"] for query in problem["queries"]}
    run = {query["query"][1:]: dict(query["run"]) for query in problem["queries"] if query["run"]}
    provider = ir_measures.providers.registry["gdeval"]
    values = {}
    evaluator = provider.evaluator(list(measures.values()), qrels)
    for found in evaluator.iter_calc(run):
        values[found.measure, found.query_id] = found.value
    means = evaluator.calc_aggregate(run)
    return {
        name: ([values.get((measure, query)) for query in qrels], means[measure])
        for name, measure in measures.items()
    }


if __name__ == "__main__":
    serve("gdeval", "ir-measures", solve)
