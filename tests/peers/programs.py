"""Other programs on given problems: ``PYTHON programs.py PROGRAM`` reads and writes JSON.

Runs in the environments of the programs: at the top the standard library alone, and no import of
this package. A function answers a problem by {measure: (value of each query, mean)}: a value is
None where the program leaves the query out, and a mean is None where the program has none. Whatever
a program raises is recorded by its type.
"""

import contextlib
import json
import math
import pkgutil
import sys
import types
import warnings
from importlib.metadata import version

PROGRAMS = {}
"""Name -> function, package, and tags of problems that the program cannot read."""
TOP = (2, 5)
ALL = (None, *TOP)


NAMES = {
    "catboost": "catboost.utils:eval_metric NDCG DCG MAP MRR ERR PFound RecallAt PrecisionAt AUC "
    "QueryAUC",
    "ir_measures": "ir_measures.measures:registry",
    "lenskit": "lenskit.metrics.ranking",
    "lightgbm": "lightgbm:Booster.eval_train ndcg map auc average_precision",
    "pytrec_eval": "pytrec_eval:supported_measures",
    "ranx": "ranx.metrics",
    "recbole": "recbole.evaluator.metrics Hit MRR MAP Recall NDCG Precision GAUC AUC",
    "recommenders": "recommenders.evaluation.python_evaluation",
    "rectools": "rectools.metrics",
    "sklearn": "sklearn.metrics._ranking",
    "spark": "pyspark.mllib.evaluation:RankingMetrics",
    "torchmetrics": "torchmetrics.retrieval",
    "warprec": "warprec.evaluation.metrics.accuracy",
    "xgboost": "xgboost:Booster.eval ndcg map pre auc aucpr",
}
"""Where a program is called; the names of all that it computes, unless they are found there."""


def names_of(program):
    """Those that are told, or public ones of a module, a class or a registry."""
    place, *names = NAMES[program].split()
    if names:
        return names
    found = pkgutil.resolve_name(place)
    if isinstance(found, (types.ModuleType, type)):
        members = vars(found).items()
        found = [name for name, value in members if callable(value) or type(value) is property]
    return sorted(name for name in found if not name.startswith("_"))


def program(package, *skipped):
    def register(function):
        PROGRAMS[function.__name__] = (function, package, set(skipped))
        return function

    return register


def spelled(name, k):
    return name if k is None else f"{name}@{k}"


def ranking(query):
    """Items of a query, best first; ties in the order in which they came."""
    return [item for item, _ in sorted(query["run"] or [], key=lambda pair: -pair[1])]


def labels(query):
    """Grades of the ranked items in the order in which they came."""
    return [max(query["judged"].get(item, 0), 0) for item, _ in query["run"] or []]


def scores(query):
    return [score for _, score in query["run"] or []]


def relevant(query):
    """Relevant items and their grades."""
    return {item: grade for item, grade in query["judged"].items() if grade > 0}


def rows(queries):
    """Grades, scores and query numbers of the ranked items of all queries."""
    return (
        [grade for query in queries for grade in labels(query)],
        [score for query in queries for score in scores(query)],
        [number for number, query in enumerate(queries) for _ in query["run"]],
    )


def attempt(function, *args, **options):
    """A value, or the name of the exception in its place."""
    try:
        return function(*args, **options)
    except Exception as error:
        return type(error).__name__


def grid(function, names, cutoffs, queries):
    """``function(theirs, k, queries)`` of each query alone and of all, for names and cutoffs."""
    return {
        spelled(name, k): (
            [attempt(function, theirs, k, [query]) for query in queries],
            attempt(function, theirs, k, queries),
        )
        for name, theirs in names.items()
        for k in cutoffs
    }


# Programs for arrays ----------------------------------------------------------------------------


@program("catboost", "lists")
def catboost(problem):
    from catboost.utils import eval_metric

    names = {"ndcg": "NDCG", "dcg": "DCG", "ndcg(gain=exp2)": "NDCG:type=Exp", "map": "MAP"}
    names |= {"recall": "RecallAt", "precision": "PrecisionAt", "mrr": "MRR", "err": "ERR"}

    def measured(theirs, k, queries):
        grades, approx, groups = rows(queries)
        joint = ";" if ":" in theirs else ":"
        metric = theirs if k is None else f"{theirs}{joint}top={k}"
        return eval_metric(grades, approx, metric, group_id=groups, thread_count=1)[0]

    whole = {"auc": "AUC:type=Ranking", "gauc": "QueryAUC"}
    queries = problem["queries"]
    return grid(measured, names, ALL, queries) | grid(measured, whole, (None,), queries)


@program("lightgbm", "lists")
def lightgbm(problem):
    """Predictions are given as initial scores to a model of no trees."""
    import lightgbm
    import numpy as np

    def measured(name, k, queries):
        settings = {"objective": "lambdarank", "metric": name, "eval_at": [k], "verbosity": -1}
        settings |= {"min_data_in_leaf": 1, "min_data_in_bin": 1, "feature_pre_filter": False}
        settings |= {"num_threads": 1}
        grades, initial, _ = rows(queries)
        data = lightgbm.Dataset(
            np.arange(len(grades), dtype=float)[:, None],
            label=np.array(grades),
            group=[len(query["run"]) for query in queries],
            init_score=initial,
            params=settings,
        )
        return lightgbm.Booster(settings, data).eval_train()[0][2]

    return grid(measured, {"ndcg": "ndcg", "map": "map"}, TOP, problem["queries"])


@program("scikit-learn", "lists")
def sklearn(problem):
    """Each row of a matrix is a query."""
    import numpy as np
    from sklearn import metrics

    # Queries differ in length, so each is a matrix of its own; scikit-learn takes plain means.
    def mean(values):
        return None if any(isinstance(value, str) for value in values) else np.mean(values)

    pairs = [(np.array([labels(q)]), np.array([scores(q)])) for q in problem["queries"]]
    answers = {}
    for name, function in (("ndcg", metrics.ndcg_score), ("dcg", metrics.dcg_score)):
        for k in ALL:
            values = [attempt(function, *pair, k=k) for pair in pairs]
            answers[spelled(name, k)] = (values, mean(values))
    values = [attempt(metrics.label_ranking_average_precision_score, *pair) for pair in pairs]
    answers["map"] = (values, mean(values))
    values = [attempt(metrics.roc_auc_score, *(side[0] for side in pair)) for pair in pairs]
    answers["gauc"] = (values, None)
    flat = [np.concatenate([pair[side][0] for pair in pairs]) for side in (0, 1)]
    answers["auc(average=pooled)"] = ([], attempt(metrics.roc_auc_score, *flat))
    return answers


@program("torchmetrics", "lists")
def torchmetrics(problem):
    """With the default of its ``empty_target_action``."""
    import torch
    from torchmetrics import retrieval

    names = {"map": "MAP", "mrr": "MRR", "precision": "Precision", "recall": "Recall"}
    names |= {"hit_rate": "HitRate", "ndcg": "NormalizedDCG"}

    def measured(theirs, k, queries):
        metric = getattr(retrieval, f"Retrieval{theirs}")(**({"top_k": k} if k else {}))
        grades, preds, indexes = rows(queries)
        preds = torch.tensor(preds, dtype=torch.float64)
        metric.update(preds, torch.tensor(grades), indexes=torch.tensor(indexes))
        return metric.compute()

    queries = problem["queries"]
    whole = {"rprec": "RPrecision", "gauc": "AUROC"}
    return grid(measured, names, ALL, queries) | grid(measured, whole, (None,), queries)


@program("xgboost-cpu", "lists")
def xgboost(problem):
    """Predictions are given as a base margin to a model of no trees."""
    import numpy as np
    import xgboost

    xgboost.set_config(verbosity=0)

    def measured(theirs, k, queries):
        grades, margin, _ = rows(queries)
        data = xgboost.DMatrix(np.zeros((len(grades), 1)), label=np.array(grades))
        data.set_group([len(query["run"]) for query in queries])
        data.set_base_margin(np.array(margin))
        settings = {"objective": "rank:pairwise", "eval_metric": spelled(theirs, k)}
        booster = xgboost.Booster(settings | {"base_score": 0, "nthread": 1}, [data])
        return float(booster.eval(data).split(":")[-1])

    queries, names = problem["queries"], {"ndcg": "ndcg", "map": "map", "precision": "pre"}
    return grid(measured, names, ALL, queries) | grid(measured, {"auc": "auc"}, (None,), queries)


# Programs for qrels and runs --------------------------------------------------------------------


def _ir_measures(problem, measures, calc):
    """Values of ``calc(measures, qrels, run)``; gdeval reads numbers as ids of queries."""
    qrels = {query["query"][1:]: query["judged"] for query in problem["queries"]}
    run = {q["query"][1:]: dict(q["run"]) for q in problem["queries"] if q["run"] is not None}
    found, means = calc(list(measures.values()), qrels, run)
    values = {(one.measure, one.query_id): one.value for one in found}
    return {
        name: ([values.get((measure, query)) for query in qrels], means[measure])
        for name, measure in measures.items()
    }


@program("ir-measures")
def ir_measures(problem):
    """With the providers that it chooses itself: pytrec_eval, gdeval, and its own."""
    import ir_measures
    from ir_measures import AP, ERR, RR, Bpref, IPrec, P, R, Rprec, SetAP, SetF, Success, nDCG

    def calc(*given):
        return list(ir_measures.iter_calc(*given)), ir_measures.calc_aggregate(*given)

    measures = {"map": AP, "ndcg": nDCG, "mrr": RR, "fbeta": SetF, "rprec": Rprec}
    measures |= {"set_map": SetAP, "bpref": Bpref, "iprec(recall=0.1)": IPrec @ 0.1}
    cut = {"map": AP, "precision": P, "recall": R, "hit_rate": Success, "ndcg": nDCG, "mrr": RR}
    for k in TOP:
        measures |= {f"{name}@{k}": measure @ k for name, measure in cut.items()}
        measures[f"err@{k}"] = ERR @ k
    return _ir_measures(problem, measures, calc)


@program("pytrec-eval-terrier")
def pytrec_eval(problem):
    """trec_eval's C, called from Python."""
    import pytrec_eval

    answers = {"map": "map", "mrr": "recip_rank", "ndcg": "ndcg", "fbeta": "set_F"}
    answers |= {"precision": "set_P", "recall": "set_recall", "rprec": "Rprec"}
    answers |= {"set_map": "set_map", "bpref": "bpref", "iprec": "11pt_avg"}
    answers |= {"iprec(recall=0.5)": "iprec_at_recall_0.50"}
    cut = {"map": "map_cut", "precision": "P", "recall": "recall", "hit_rate": "success"}
    cut |= {"ndcg": "ndcg_cut"}
    asked = {name.replace("_0.50", ".0.5") for name in answers.values()}
    asked |= {f"{name}.2,5" for name in cut.values()}
    qrels = {query["query"]: query["judged"] for query in problem["queries"]}
    run = {q["query"]: dict(q["run"]) for q in problem["queries"] if q["run"] is not None}
    results = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
    answers |= {f"{name}@{k}": f"{theirs}_{k}" for name, theirs in cut.items() for k in TOP}
    return {
        ours: (
            [results[query][theirs] if query in results else None for query in qrels],
            sum(result[theirs] for result in results.values()) / len(results),
        )
        for ours, theirs in answers.items()
    }


@program("ranx", "unjudged")
def ranx(problem):
    """With ``make_comparable``, without which queries that lack a ranking are an error."""
    import numba
    from ranx import Qrels, Run, evaluate

    numba.set_num_threads(1)
    names = {"map": "map", "mrr": "mrr", "precision": "precision", "recall": "recall"}
    names |= {"fbeta": "f1", "hit_rate": "hit_rate", "rprec": "r-precision", "ndcg": "ndcg"}
    names |= {"ndcg(gain=exp2)": "ndcg_burges", "dcg": "dcg", "dcg(gain=exp2)": "dcg_burges"}
    asked = {
        spelled(name, k): spelled(theirs, k)
        for name, theirs in names.items()
        for k in (ALL if name != "rprec" else (None,))
    }
    qrels = Qrels({query["query"]: dict(query["judged"]) for query in problem["queries"]})
    run = Run({query["query"]: dict(query["run"]) for query in problem["queries"] if query["run"]})
    comparable = bool({"missing", "blank"} & set(problem["tags"]))
    means = evaluate(qrels, run, list(asked.values()), make_comparable=comparable)
    queries = [query["query"] for query in problem["queries"]]
    return {
        ours: ([run.scores[theirs][query] for query in queries], means[theirs])
        for ours, theirs in asked.items()
    }


# Programs for recommenders ----------------------------------------------------------------------


@program("lenskit", "unjudged", "missing")
def lenskit(problem):
    """List by list; a summary over lists leaves out those without a value, as here."""
    import numpy as np
    from lenskit.data import ItemList
    from lenskit.metrics import ranking as metrics

    names = {"map": "AveragePrecision", "precision": "Precision", "recall": "Recall"}
    names |= {"mrr": "RecipRank", "hit_rate": "Hit", "ndcg": "NDCG", "ndcg(gain=linear)": "NDCG"}
    names |= {"dcg": "DCG", "dcg(gain=linear)": "DCG", "rbp": "RBP"}

    def measured(metric, query):
        grades = relevant(query)
        truth = ItemList(item_ids=list(grades), rating=list(map(float, grades.values())))
        return metric.measure_list(ItemList(item_ids=ranking(query), ordered=True), truth)

    answers = {}
    for name, theirs in names.items():
        options = {"gain": "rating"} if "linear" in name else {}
        for k in ALL:
            metric = getattr(metrics, theirs)(k, **options)
            values = [attempt(measured, metric, query) for query in problem["queries"]]
            failed = any(isinstance(value, str) for value in values)
            answers[spelled(name, k)] = (values, None if failed else np.nanmean(values))
    return answers


@program("recbole", "unjudged", "missing")
def recbole(problem):
    """Its metric classes on what its collector hands them: hits and numbers of positives."""
    import numpy as np
    import torch

    for kind in (bool, float):  # RecBole 1.2 uses names that NumPy 1.24 took away
        vars(np).setdefault(kind.__name__, kind)
    from recbole.evaluator import metrics

    names = {"map": metrics.MAP, "mrr": metrics.MRR, "precision": metrics.Precision}
    names |= {"recall": metrics.Recall, "hit_rate": metrics.Hit, "ndcg": metrics.NDCG}

    def top(kind, k, queries):
        """What RecBole calls ``rec.topk`` is a row of hits and the positives."""
        # Lists that end earlier are filled up with items that are not relevant.
        hits = np.zeros((len(queries), 21), dtype=int)
        for row, query in zip(hits, queries, strict=True):
            grades = relevant(query)
            found = [int(item in grades) for item in ranking(query)]
            row[: len(found)] = found
            row[-1] = len(grades)
        data = {"rec.topk": torch.from_numpy(hits[:, [*range(k), -1]])}
        config = {"topk": [k], "metric_decimal_place": 12}
        return next(iter(kind(config).calculate_metric(data).values()))

    def group_auc(kind, _, queries):
        """``rec.meanrank``: sum of mean ranks of positives, users' items, positives."""
        users = []
        for query in queries:
            values, grades = np.array(scores(query)), np.array(labels(query)) > 0
            ranks = [(values > v).sum() + ((values == v).sum() + 1) / 2 for v in values]
            users.append([np.array(ranks)[grades].sum(), len(values), grades.sum()])
        data = {"rec.meanrank": torch.tensor(np.array(users))}
        return kind({"metric_decimal_place": 12}).calculate_metric(data)["gauc"]

    answers = grid(top, names, TOP, problem["queries"])
    if "complete" in problem["tags"]:
        answers |= grid(group_auc, {"auc": metrics.GAUC}, (None,), problem["queries"])
    return answers


@program("recommenders", "unjudged")
def recommenders(problem):
    """It gives means, so each query is also asked alone; 0 is the mean of no query."""
    import pandas as pd
    from recommenders.evaluation import python_evaluation

    names = {"map": "map_at_k", "precision": "precision_at_k", "recall": "recall_at_k"}
    names |= {"ndcg": "ndcg_at_k"}

    def measured(theirs, k, queries):
        truth = [(q["query"], d, float(grade)) for q in queries for d, grade in relevant(q).items()]
        shown = [(q["query"], item, score) for q in queries for item, score in q["run"] or []]
        return getattr(python_evaluation, theirs)(
            pd.DataFrame(truth, columns=["userID", "itemID", "rating"]),
            pd.DataFrame(shown, columns=["userID", "itemID", "prediction"]),
            k=k,
        )

    queries = problem["queries"]
    return {
        name: ([v if relevant(q) else None for v, q in zip(values, queries, strict=True)], mean)
        for name, (values, mean) in grid(measured, names, TOP, queries).items()
    }


@program("rectools", "unjudged")
def rectools(problem):
    """With its defaults."""
    import numpy as np
    import pandas as pd
    from rectools import Columns, metrics

    names = {"map": "MAP", "map(denominator=k)": "MAP", "mrr": "MRR", "precision": "Precision"}
    names |= {"recall": "Recall", "fbeta": "F1Beta", "hit_rate": "HitRate", "ndcg": "NDCG"}
    queries = problem["queries"]
    shown = [(q["query"], item, at) for q in queries for at, item in enumerate(ranking(q), 1)]
    truth = [(q["query"], item) for q in queries for item in relevant(q)]
    shown = pd.DataFrame(shown, columns=[Columns.User, Columns.Item, Columns.Rank])
    truth = pd.DataFrame(truth, columns=[Columns.User, Columns.Item])
    answers = {}
    for name, theirs in names.items():
        options = {"divide_by_k": True} if "denominator" in name else {}
        for k in TOP:
            metric = getattr(metrics, theirs)(k=k, **options)
            values = attempt(metric.calc_per_user, shown, truth)
            if not isinstance(values, str):
                per_query = [values.get(query["query"]) for query in queries]
                answers[spelled(name, k)] = (per_query, np.mean(values))
    return answers


@program("warprec", "lists")
def warprec(problem):
    """Its metric classes on scores of users and items; others than a user's are -inf, as seen."""
    import torch
    from warprec.evaluation.metrics import accuracy

    names = {"map": accuracy.MAP, "mar": accuracy.MAR, "mrr": accuracy.MRR, "fbeta": accuracy.F1}
    names |= {"precision": accuracy.Precision, "recall": accuracy.Recall, "lauc": accuracy.LAUC}
    names |= {"hit_rate": accuracy.HitRate, "ndcg": accuracy.nDCG}
    names["ndcg(gain=binary)"] = accuracy.nDCGRendle2020
    queries = problem["queries"]
    preds, ground = torch.full((len(queries), 30), -torch.inf), torch.zeros(len(queries), 30)
    for row, query in enumerate(queries):
        preds[row, : len(query["run"])] = torch.tensor(scores(query))
        ground[row, : len(query["run"])] = torch.tensor(labels(query), dtype=torch.float)

    def measured(kind, k):
        metric = kind(k=k, num_users=len(queries), num_items=preds.shape[1])
        metric.update(preds, user_indices=torch.arange(len(queries)), ground=ground)
        (found,) = metric.compute().values()
        if isinstance(found, float):
            return [], found
        return found.tolist(), found.nanmean().item()

    answers = {spelled(name, k): measured(kind, k) for name, kind in names.items() for k in TOP}
    return answers | {"gauc": measured(accuracy.GAUC, None), "auc": measured(accuracy.AUC, None)}


@program("pyspark", "unjudged", "missing")
def spark(problem):
    """Spark's RankingMetrics; it gives means of all queries only."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    pairs = [(ranking(query), list(relevant(query))) for query in problem["queries"]]
    metrics = RankingMetrics(builder.getOrCreate().sparkContext.parallelize(pairs, 1))
    answers = {"map": ([], attempt(lambda: metrics.meanAveragePrecision))}
    names = {"map": "meanAveragePrecisionAt", "precision": "precisionAt", "recall": "recallAt"}
    for k in TOP:
        for name, theirs in (names | {"ndcg": "ndcgAt"}).items():
            answers[f"{name}@{k}"] = ([], attempt(getattr(metrics, theirs), k))
    return answers


def _plain(value):
    if value is None or isinstance(value, str):
        return value
    value = float(value)
    return "nan" if math.isnan(value) else round(value, 12)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    solve, package, skipped = PROGRAMS[sys.argv[1]]
    found = {}
    for given in json.load(sys.stdin):
        if skipped.isdisjoint(given["tags"]):
            with contextlib.redirect_stdout(sys.stderr):
                answer = solve(given)
            found[given["name"]] = {
                measure: [[_plain(value) for value in values], _plain(mean)]
                for measure, (values, mean) in answer.items()
            }
    answer = {"version": version(package), "call": NAMES[sys.argv[1]].split()[0], "values": found}
    json.dump({**answer, "names": names_of(sys.argv[1])}, sys.stdout)
