"""One record for each metric; with a cutoff and parameters it makes a measure."""

from __future__ import annotations

import copyreg
import math
import re
from typing import Any

from sklearn_rank.exceptions import UnknownMeasureError
from sklearn_rank.kernels import binary, graded, moves, pairwise, recall_levels
from sklearn_rank.measures.parameters import (
    BETA,
    GAIN,
    PAIRWISE,
    UNRETRIEVED,
    check_gain,
    check_max_grade,
    check_measures,
    check_persistence,
    check_recall,
    one_of,
)
from sklearn_rank.measures.record import Measure, Metric
from sklearn_rank.support.checks import check_flag
from sklearn_rank.support.text import closest, safe_repr

__all__ = ["METRICS", "Measure", "Metric", "find_metric"]

MAP = Metric(
    "map",
    "MAP",
    binary.average_precision,
    "Mean over queries of the average precision: precision at each relevant item, averaged.",
    "Voorhees and Harman, TREC: Experiment and Evaluation in Information Retrieval, 2005",
    formula="∑ P@i / min(R, k) over the ranks i ≤ k that hold a relevant item",
    aliases=("ap", "mean_average_precision", "average_precision", "map_cut"),
    checks={"denominator": one_of("min", "relevant", "retrieved", "listed", "k")},
    contributions=moves.average_precision_moves,
)
MAR = Metric(
    "mar",
    "MAR",
    binary.average_recall,
    "Mean over queries of the sum of recall at each relevant item, divided by min(R, k).",
    "WarpRec documentation, Accuracy metrics",
    formula="∑ R@i / min(R, k) over the ranks i ≤ k that hold a relevant item",
    aliases=("mean_average_recall", "average_recall"),
    checks={"normalize": check_flag},
)
MRR = Metric(
    "mrr",
    "MRR",
    binary.reciprocal_rank,
    "Mean over queries of the reciprocal rank of the first relevant item.",
    "Voorhees, The TREC-8 Question Answering Track Report, 1999",
    formula="1 / rank of the first relevant item; 0 if that is beyond k",
    aliases=("rr", "recip_rank", "reciprocal_rank", "mean_reciprocal_rank"),
    parts=binary.reciprocal_rank_parts,
)
PRECISION = Metric(
    "precision",
    "P",
    binary.precision,
    "Share of the first k items that are relevant.",
    "Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, ch. 8",
    formula="h / k",
    aliases=("p", "pre", "prec", "set_p"),
    checks={"denominator": one_of("k", "retrieved")},
    parts=binary.precision_parts,
)
RECALL = Metric(
    "recall",
    "R",
    binary.recall,
    "Share of the relevant items that are among the first k.",
    "Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, ch. 8",
    formula="h / R",
    aliases=("r", "set_r", "set_recall"),
    checks={"denominator": one_of("relevant", "min")},
    parts=binary.recall_parts,
)
FBETA = Metric(
    "fbeta",
    "F",
    binary.f_measure,
    "Weighted harmonic mean of precision and recall of the first k items, per query.",
    "van Rijsbergen, Information Retrieval, 1979, ch. 7",
    formula="(1 + b²) P@k R@k / (b² P@k + R@k)",
    aliases=("f1", "f", "f_measure", "f1_beta", "set_f"),
    checks={"beta": BETA},
    parts=binary.f_measure_parts,
)
HIT_RATE = Metric(
    "hit_rate",
    "HitRate",
    binary.hit_rate,
    "Share of queries with a relevant item among the first k.",
    "Deshpande and Karypis, Item-Based Top-N Recommendation Algorithms, 2004, "
    "doi:10.1145/963770.963776",
    formula="1 if h > 0, else 0",
    aliases=("success", "hit", "hr", "hitrate"),
    parts=binary.hit_rate_parts,
)
ALL_HIT_RATE = Metric(
    "all_hit_rate",
    "AllHitRate",
    recall_levels.all_hit_rate,
    "Share of queries whose relevant items are all among the first k.",
    "Yang et al., HotpotQA: A Dataset for Diverse, Explainable Multi-hop Question Answering, 2018, "
    "doi:10.18653/v1/D18-1259",
    formula="1 if h = R, else 0",
    aliases=("all_hit", "full_recall"),
)
RPREC = Metric(
    "rprec",
    "Rprec",
    recall_levels.r_precision,
    "Precision at R, the number of relevant items.",
    "Buckley and Voorhees, Retrieval System Evaluation, in TREC: Experiment and Evaluation in "
    "Information Retrieval, 2005",
    formula="relevant items among the first R / R",
    aliases=("r_precision",),
    takes_k=False,
    parts=recall_levels.r_precision_parts,
)
IPREC = Metric(
    "iprec",
    "IPrec",
    recall_levels.interpolated_precision,
    "Highest precision at or above a level of recall, or its mean over 11 levels of recall.",
    "Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, ch. 8; "
    "trec_eval 10",
    formula="max P@i over the ranks i with at least round(recall × R) relevant items; mean of 11",
    aliases=("11pt_avg", "iprec_at_recall", "interpolated_precision"),
    takes_k=False,
    checks={"recall": check_recall},
    takes_ties=False,
)
SET_MAP = Metric(
    "set_map",
    "SetMAP",
    recall_levels.set_average_precision,
    "Precision times recall of the first k items, per query.",
    "trec_eval 10",
    formula="h² / (k R)",
    aliases=("set_ap",),
)
DCG = Metric(
    "dcg",
    "DCG",
    graded.dcg,
    "Sum of the gains of the first k items, each divided by the discount of its rank.",
    "Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002, "
    "doi:10.1145/582415.582418",
    formula="∑ (2^g − 1) / log2(i + 1) over the ranks i ≤ k",
    upper=math.inf,
    graded=True,
    checks=GAIN,
    parts=graded.dcg_parts,
)
IDCG = Metric(
    "idcg",
    "IDCG",
    graded.ideal_dcg,
    "DCG of the best order of all relevant items, retrieved or not.",
    "Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques, 2002, "
    "doi:10.1145/582415.582418",
    formula="DCG@k of the best order of all relevant items",
    aliases=("ideal_dcg",),
    upper=math.inf,
    graded=True,
    checks=GAIN,
)
NDCG = Metric(
    "ndcg",
    "nDCG",
    graded.ndcg,
    "DCG divided by the DCG of the best order of all relevant items.",
    "Järvelin and Kekäläinen 2002, doi:10.1145/582415.582418; gain 2^grade - 1 and discount "
    "log2(rank + 1): Burges et al., Learning to Rank using Gradient Descent, 2005, "
    "doi:10.1145/1102351.1102363",
    formula="DCG@k / IDCG@k",
    aliases=("ndcg_cut",),
    graded=True,
    checks=GAIN,
    parts=graded.ndcg_parts,
)
ERR = Metric(
    "err",
    "ERR",
    graded.err,
    "Expected reciprocal of the rank at which a user reading down the list is satisfied.",
    "Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, 2009, "
    "doi:10.1145/1645953.1646033",
    formula="∑ p(i) / i × ∏ (1 − p(j)) over i ≤ k, j < i; p = (2^g − 1) / 2^max",
    aliases=("expected_reciprocal_rank",),
    graded=True,
    checks={"max_grade": check_max_grade},
    parts=graded.err_parts,
)
NERR = Metric(
    "nerr",
    "nERR",
    graded.nerr,
    "ERR divided by the ERR of the best order of all relevant items.",
    "Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, 2009, "
    "doi:10.1145/1645953.1646033",
    formula="ERR@k / ERR@k of the best order",
    aliases=("normalized_expected_reciprocal_rank",),
    graded=True,
    checks={"max_grade": check_max_grade},
    parts=graded.nerr_parts,
)
RBP = Metric(
    "rbp",
    "RBP",
    graded.rbp,
    "Expected gain per item of a reader who continues to the next rank with a fixed probability.",
    "Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, 2008, "
    "doi:10.1145/1416950.1416952",
    formula="(1 − p) ∑ p^(i − 1) over the ranks i ≤ k of relevant items",
    aliases=("rank_biased_precision",),
    checks={"persistence": check_persistence, "gain": check_gain, "max_grade": check_max_grade},
    parts=graded.rbp_parts,
)
LAG = Metric(
    "lag",
    "LAG",
    pairwise.lag,
    "Mean number of irrelevant items above a relevant one; lower is better.",
    "Hayes, Dekhtyar and Sundaram, Advancing Candidate Link Generation for Requirements Tracing, "
    "2006; ArDoCo Metrics",
    formula="irrelevant items above a relevant one, mean over relevant items",
    upper=math.inf,
    greater_is_better=False,
    takes_k=False,
    checks={"unretrieved": UNRETRIEVED},
    averages=("macro", "pooled"),
    parts=pairwise.lag_parts,
    counts_irrelevant=True,
    weights=pairwise.lag_weights,
)
AUC = Metric(
    "auc",
    "AUC",
    pairwise.auc,
    "Share of pairs of a relevant and an irrelevant item in which the relevant one ranks higher.",
    "Fawcett, An Introduction to ROC Analysis, 2006, doi:10.1016/j.patrec.2005.10.010",
    formula="pairs in the right order / R N, a tie counts half; queries weighted by R",
    aliases=("roc_auc",),
    takes_k=False,
    checks=PAIRWISE,
    averages=("positives", "pooled", "macro", "impressions"),
    parts=pairwise.auc_parts,
    by_score=True,
    counts_irrelevant=True,
    weights=pairwise.auc_weights,
)
GAUC = Metric(
    "gauc",
    "GAUC",
    pairwise.auc,
    "Mean over queries of the AUC of each query.",
    "Zhu et al., Optimized Cost per Click in Taobao Display Advertising, 2017, "
    "doi:10.1145/3097983.3098134",
    formula="pairs in the right order / R N, a tie counts half; queries weighted alike",
    aliases=("group_auc",),
    takes_k=False,
    checks=PAIRWISE,
    parts=pairwise.auc_parts,
    by_score=True,
    counts_irrelevant=True,
)
LAUC = Metric(
    "lauc",
    "LAUC",
    pairwise.limited_auc,
    "Area under the ROC curve of the first k items.",
    "Schroeder, Thiele and Lehner, Setting Goals and Choosing Metrics for Recommender System "
    "Evaluations, 2011",
    formula="∑ (N − irrelevant items above) / N over the h hits, / min(R, k)",
    aliases=("limited_auc",),
    checks={"tail": one_of("none", "linear"), **PAIRWISE},
    by_score=True,
    counts_irrelevant=True,
)
JUDGED = Metric(
    "judged",
    "Judged",
    binary.judged,
    "Share of the first k items with a judgement, relevant or not.",
    "MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022, "
    "doi:10.1007/978-3-030-99739-7_38",
    formula="judged items within k / items within k",
    of_judgements=True,
)
UNJUDGED = Metric(
    "unjudged",
    "Unjudged",
    binary.unjudged,
    "Number of unjudged items among the first k; lower is better.",
    "Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, 2004, "
    "doi:10.1145/1008992.1009000",
    formula="items within k without a judgement",
    upper=math.inf,
    greater_is_better=False,
    of_judgements=True,
)
ZERO_RESULTS = Metric(
    "zero_results",
    "ZeroResults",
    binary.zero_results,
    "Share of queries without a result; lower is better.",
    "Rosenfeld and Morville, Search Analytics for Your Site, 2011",
    formula="1 if the ranking is empty, else 0",
    aliases=("zero_result_rate", "no_results"),
    greater_is_better=False,
    takes_k=False,
    of_results=True,
)
FALSE_ANSWERS = Metric(
    "false_answers",
    "FalseAnswers",
    binary.false_answers,
    "Share of the queries without a relevant item that have results; lower is better.",
    "Rajpurkar, Jia and Liang, Know What You Don't Know: Unanswerable Questions for SQuAD, 2018, "
    "doi:10.18653/v1/P18-2124",
    formula="1 if the ranking has an item, else 0; queries with a relevant item are left out",
    greater_is_better=False,
    takes_k=False,
    of_results=True,
)
BPREF = Metric(
    "bpref",
    "bpref",
    recall_levels.bpref,
    "Mean over relevant items of the share of the first R judged irrelevant items below each.",
    "Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, 2004, "
    "doi:10.1145/1008992.1009000; trec_eval 10",
    formula="1/R ∑ 1 − min(n, R) / min(N, R) over relevant items below n of N judged irrelevant",
    takes_k=False,
    takes_ties=False,
    skips_unjudged=True,
)
HMEAN = Metric(
    "hmean",
    "HM",
    binary.harmonic_mean,
    "Weighted harmonic mean of two other measures, per query.",
    "WarpRec documentation, Extended-F1",
    formula="(1 + b²) x y / (b² x + y) of two other measures x, y",
    aliases=("harmonic_mean", "extended_f1"),
    checks={"measures": check_measures, "beta": BETA},
    members=(Measure(PRECISION), Measure(RECALL)),
)

METRICS = tuple(record for record in list(globals().values()) if isinstance(record, Metric))
"""All records, in the order of this file."""

_BY_NAME = {name: metric for metric in METRICS for name in (metric.name, *metric.aliases)}


def plain(name: str) -> str:
    """A name without case and separators: ``AveragePrecision`` is ``average_precision``."""
    return re.sub(r"[_\-]", "", name.lower())


_BY_PLAIN_NAME = {plain(name): metric for name, metric in _BY_NAME.items()}


_BY_MODEL = "pass a judge model's numbers as values={name: {query: number}}"
_ANY = "measure_from(name, function) makes a measure from a function"
_OF_OTHERS = {
    "it does not depend on judgements: compute it yourself and pass values={name: {query: "
    "number}}, or, to a gate, totals={name: number} for the whole run": """
        averagepopularity catalogcoverage coverage diversity entropy gini giniindex itemcoverage
        latency novelty serendipity
    """,
    _BY_MODEL: """
        answercorrectness answerrelevance answerrelevancy contextentityrecall contextrelevance
        contextrelevancy contextualrelevancy faithfulness groundedness hallucination
    """,
    _ANY: "alphandcg arhr erria fallout infap lift meanrank mr",
    "result.counts has the numbers of items": "numq numrel numrelret numret",
}
_OTHER_WORDS = {
    **{word: told for told, words in _OF_OTHERS.items() for word in words.split()},
    **{
        f"{context}{name}": f"for ids use {name!r}, or {_BY_MODEL}"
        for context in ("context", "contextual")
        for name in ("recall", "precision")
    },
    "hits": "hits@10 of knowledge graphs is 'hit_rate@10'",
    "accuracy": "accuracy@10 of sentence-transformers is 'hit_rate@10'",
    **dict.fromkeys(
        ("alltrec", "official"), "name the measures, as in 'map', 'rprec', 'bpref', 'P_10'"
    ),
    "rbo": "rank_biased_overlap_score(first, second) compares two rankings",
}
"""Measures of other programs, by plain name, and what to use instead."""
_MEANT = {"apk": MAP, "avgprecision": MAP, "mapk": MAP, "normalizeddcg": NDCG, **_BY_PLAIN_NAME}
_AROUND = r"^(?:retrieval|mean|avg|average|idbased|nonllm|top\d+)+|(?:score|metric)$"
"""What other programs write before and after the name of a measure."""


def find_metric(name: str) -> Metric:
    """The record with this name or alias, regardless of case."""
    metric = _BY_NAME.get(name.lower()) or _BY_PLAIN_NAME.get(plain(name))
    if metric is None:
        names = ", ".join(metric.name for metric in METRICS)
        told = hint_of_measure(name) or closest(name.lower(), _BY_NAME) or f"; {_ANY}"
        msg = f"unknown measure {safe_repr(name)}{told}; known measures: {names}"
        raise UnknownMeasureError(msg)
    return metric


def hint_of_measure(name: str, says: str = "did you mean {!r}?") -> str:
    """Hint, from ``;`` on, for another program's name of a measure; "" if there is none."""
    base, cutoff = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    words = dict.fromkeys((plain(name), plain(base.rstrip("@")), re.sub(_AROUND, "", plain(name))))
    for word in words:
        if word in _OTHER_WORDS:
            return f"; {_OTHER_WORDS[word]}"
    meant = _MEANT.get(plain(base)) if cutoff else None
    spelled = f"{meant.name}@{cutoff}" if meant is not None and meant.takes_k else ""
    if base.lower() == "f" and cutoff.strip("0"):
        spelled = f"fbeta(beta={cutoff})"
    spelled = spelled or next((_MEANT[word].name for word in words if word in _MEANT), "")
    return f"; {says.format(spelled)}" if spelled else ""


def _by_name(metric: Metric) -> Any:
    if metric.is_custom:
        return object.__reduce_ex__(metric, 2)
    return find_metric, (metric.name,)


# A copy of a record is the record itself.
copyreg.pickle(Metric, _by_name)
