"""Every measure of which invariants are tested, where each invariant does not hold, and why."""

import math
from itertools import pairwise
from typing import Any

from sklearn_rank import Evaluation, Measure, evaluate, measure
from sklearn_rank.measures import METRICS
from tests.oracles.exact import Ranking
from tests.strategies import as_lists

_SPELLINGS = (
    "map",
    "map@3",
    "map(denominator=relevant)@3",
    "map(denominator=retrieved)",
    "map(denominator=retrieved)@3",
    "map(denominator=k)@3",
    "map(min_rel=2)@3",
    "mar",
    "mar@3",
    "mar(normalize=true)@3",
    "mrr",
    "mrr@3",
    "precision",
    "precision@3",
    "precision(denominator=retrieved)@3",
    "recall",
    "recall@3",
    "recall(denominator=min)@3",
    "fbeta",
    "fbeta(beta=0.5)@3",
    "fbeta(beta=2)@3",
    "hit_rate",
    "hit_rate@3",
    "dcg",
    "dcg(gain=linear)@3",
    "idcg@3",
    "ndcg",
    "ndcg@3",
    "ndcg(gain=linear)@3",
    "ndcg(gain=binary)@3",
    "err",
    "err@3",
    "err(max_grade=4)@3",
    "nerr",
    "nerr@3",
    "rbp",
    "rbp@3",
    "rbp(gain=exp2,persistence=0.5)@3",
    "rbp(gain=linear,max_grade=4)",
    "lag",
    "lag(average=pooled)",
    "lag(unretrieved=ignore)",
    "auc",
    "auc(average=macro)",
    "auc(average=impressions)",
    "auc(n_negatives=1000,average=macro)",
    "gauc",
    "gauc(unretrieved=ignore)",
    "gauc(smoothing=1)",
    "lauc",
    "lauc@3",
    "lauc(tail=linear)@3",
    "lauc(smoothing=1)@3",
    "hmean(ndcg,map)@3",
    "hmean(precision,recall,beta=0.5)@3",
)
_VARIANTS = tuple(map(measure, _SPELLINGS))
ORDER_ONLY = (measure("iprec"), measure("iprec(recall=0.5)"), measure("bpref"))
"""Measures that refuse tied items unless ``ties`` breaks them."""
_DEFAULTS = (
    measure(metric.name, k=k)
    for metric in METRICS
    if metric not in {chosen.metric for chosen in ORDER_ONLY}
    for k in ((None, 3) if metric.takes_k else (None,))
)
_COMMON = {chosen.metric for chosen in _VARIANTS}
MEASURES = (*_VARIANTS, *(chosen for chosen in _DEFAULTS if chosen.metric not in _COMMON))
"""The variants above, and with its defaults each metric that has none there; all allow ties."""
STRICT_MEASURES = (*MEASURES, *ORDER_ONLY)
POOLED = measure("auc(average=pooled)")

NO_CUTOFF = "without a cutoff it divides by the length of the ranking"
BY_HITS = "the divisor is what was found, and finding less can be better"
FORGETS = "unretrieved items do not count, so that retrieving less can be better"
ALL_PAIRS = "it counts the irrelevant items, of which there are more then"

EXCEPTIONS: dict[str, dict[str, str]] = {
    "a better item moving up never hurts": {"map(denominator=retrieved)@3": BY_HITS},
    "an irrelevant item on top never helps": {
        "map(denominator=retrieved)@3": BY_HITS,
        "lauc(tail=linear)@3": "the more unread irrelevant items, the longer the straight line",
    },
    "dropping a relevant item never helps": {
        "map(denominator=retrieved)": BY_HITS,
        "map(denominator=retrieved)@3": BY_HITS,
        "lag(unretrieved=ignore)": FORGETS,
        "gauc(unretrieved=ignore)": FORGETS,
    },
    "answering less never helps": {
        "auc(average=impressions)": "a query weighs by the length of its ranking",
    },
    "one more missed relevant item never helps": {
        "idcg@3": "it says what could be gained, which rises",
        "rprec": "it reads one rank more then",
    },
    "irrelevant items at the end change nothing": {
        "bpref": "it divides by the number of judged irrelevant items",
        **dict.fromkeys(("precision", "fbeta", "set_map"), NO_CUTOFF),
        "precision(denominator=retrieved)@3": "it divides by the length of a short ranking",
        **dict.fromkeys(("lag", "lag(average=pooled)"), "missed items stand below the new ones"),
        **{name: ALL_PAIRS for name in _SPELLINGS if "auc" in name and "n_negatives" not in name},
    },
    "a cutoff beyond the end is none": {
        **dict.fromkeys(("precision", "precision@3", "set_map", "set_map@3"), "it divides by k"),
        **dict.fromkeys(("fbeta", "fbeta(beta=0.5)@3", "fbeta(beta=2)@3"), "it divides by k"),
        "map(denominator=k)@3": "it divides by k, and there is no such measure without",
        "hmean(precision,recall,beta=0.5)@3": "one of its members divides by k",
    },
    "the mean weighs all queries alike": {
        "lag(average=pooled)": "queries weigh by their relevant items",
        "auc": "queries weigh by their relevant items",
        "auc(average=impressions)": "queries weigh by their lengths",
        **dict.fromkeys(map(str, ORDER_ONLY), "some items of these queries are tied"),
    },
}
NEVER_FALLS_WITH_K = (
    "map(denominator=relevant)",
    "mrr",
    "recall",
    "hit_rate",
    "dcg",
    "dcg(gain=linear)",
    "idcg",
    "err",
    "err(max_grade=4)",
    "rbp",
    "rbp(gain=linear,max_grade=4)",
)
"""All others may fall: their divisor grows with k, or their ideal does."""

SLACK = 1e-12


def not_excepted(invariant: str) -> list[Measure]:
    """Every measure for which the invariant is to hold."""
    excepted = [measure(name) for name in EXCEPTIONS[invariant]]
    return [chosen for chosen in STRICT_MEASURES if chosen not in excepted]


def evaluated(
    y_true: Any, y_score: Any, chosen: Any = (*MEASURES, POOLED), **options: Any
) -> Evaluation:
    return evaluate(y_true, y_score, chosen, **{"zero_division": math.nan, **options})


def bits(found: Evaluation) -> dict[str, Any]:
    """Everything computed, with each float as its bits."""
    ids = list(found.query_ids)
    return {
        "scores": {name: float(value).hex() for name, value in found.scores.items()},
        "per_query": {
            name: {query: value.hex() for query, value in zip(ids, values.tolist(), strict=True)}
            for name, values in found.per_query.items()
        },
    }


def places(*args: Any, **options: Any) -> list[Any]:
    """All that kernels see; judged grades are in no order."""
    places = evaluate(*args, measures="map", zero_division=math.nan, **options).rankings
    judged = [
        sorted(places.relevant_grades[first:last].tolist())
        for first, last in pairwise(places.relevant_offsets.tolist())
    ]
    columns = (places.offsets, places.above, places.tied, places.grades, places.n_ranked)
    return [list(places.query_ids), *(column.tolist() for column in columns), judged]


def values_in_order(found: Evaluation) -> dict[str, list[str]]:
    """Values of the queries by position, for layouts that name them differently."""
    values = {name: [v.hex() for v in given.tolist()] for name, given in found.per_query.items()}
    return values | {name: [value.hex()] for name, value in found.scores.items() if name == POOLED}


def several(rankings: list[Ranking], measures: list[Measure]) -> dict[Measure, list[float]]:
    """Values of each measure, one for each ranking."""
    found = evaluated(*as_lists(rankings), measures).per_query
    return {chosen: found[chosen].tolist() for chosen in measures}


def assert_not_better(worse: float, better: float, chosen: Measure) -> None:
    """Both defined: ``worse`` is no better than ``better``."""
    if math.isnan(worse) or math.isnan(better):
        return
    if chosen.metric.greater_is_better:
        assert worse <= better + SLACK, chosen
    else:
        assert worse >= better - SLACK, chosen
