"""Peers' own tests on our functions: ``PYTHON tests/peers/suites.py PEER FOLDER``.

PYTHON has the peer, pytest and this package; FOLDER is the peer's source, whose tests run as they
stand (``.ci/versions suites`` sets up both). A shim puts ours in the place of theirs, under the
convention of the peer.
"""

import contextlib
import functools
import io
import re
import shlex
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import issparse

from sklearn_rank import CONVENTIONS, InvalidParameterError, UnknownMeasureError, evaluate, measure
from sklearn_rank.cli import main as command

SHIMS = {}
"""Peer -> the function that puts ours in the place of theirs."""
TESTS = {
    "ir_measures": ("tests/test_pytrec_eval.py",),
    "lenskit": tuple(
        f"tests/eval/test_rank_{name}.py" for name in ("hit", "map", "mrr", "precision", "recall")
    ),
    "pytrec_eval": ("tests/pytrec_eval_tests.py",),
    "ranx": ("tests/unit/ranx/metrics_test.py", "tests/unit/ranx/metrics/*_test.py"),
    "recommenders": ("tests/unit/recommenders/evaluation/test_python_evaluation.py",),
    "rectools": ("tests/metrics/test_ranking.py", "tests/metrics/test_classification.py"),
    "sklearn": ("metrics/tests/test_ranking.py",),
}
"""Files of tests in the peer's source; scikit-learn installs its own."""
APART = {
    "lenskit": "not empty_none",  # a warning here: LensKit leaves an empty list out
    "pytrec_eval": "not nicknames and not measure_params",
    "ranx": "not hits and not bpref and not biased",
    "recommenders": "_k and not top_k",
    "rectools": "not duplicates",  # which count twice there, and are an error here
    # LRAP of tied items, and errors where a query has one document, are scikit-learn's own.
    "sklearn": "(dcg or avp or avg_precision) and not (toy or ties or alternative or error)",
}
"""Peer -> pytest's -k, without tests of known differences and of what is no measure here."""


def shim(function):
    SHIMS[function.__name__] = function
    return function


def place(function, name, *modules):
    """Put a function in the place of one of the modules' own."""
    for module in filter(None, modules):
        if not isinstance(getattr(module, name, module), types.ModuleType):
            setattr(module, name, function)


def spelled(name, k):
    return f"{name}@{k}" if k else name


def scored(peer, spec, *sides, judged_only=False, **options):
    """Mean and {query: value} of a measure; a test of what is not offered is skipped."""
    try:
        found = evaluate(*sides, spec, convention=peer, **options)
    except (UnknownMeasureError, InvalidParameterError) as error:
        pytest.skip(str(error))
    found = found.condensed() if judged_only else found
    (mean,), (numbers,) = found.scores.values(), found.per_query.values()
    return mean, dict(zip(found.query_ids, numbers.tolist(), strict=True))


@shim
def ir_measures():
    """The provider of trec_eval's measures."""
    import ir_measures
    from ir_measures import providers, util

    class Evaluator(providers.Evaluator):
        def __init__(self, measures, qrels):
            self.qrels = util.QrelsConverter(qrels).as_dict_of_dict()
            super().__init__(measures, set(self.qrels))

        def _iter_calc(self, run):
            run = util.RunConverter(run).as_dict_of_dict()
            for one in self.measures:
                text = re.sub(r",?judged_only=True", "", str(one)).replace("()", "")
                options = {"judged_only": "judged_only" in str(one)}
                values = scored("ir_measures", text, self.qrels, run, **options)[1]
                for query, value in values.items():
                    yield ir_measures.Metric(query, one, round(value, 14))

    providers.PytrecEvalProvider._evaluator = lambda _, *given: Evaluator(*given)


@shim
def lenskit():
    """One list at a time."""
    from lenskit.metrics import ranking

    def ours(name):
        def measure_list(self, recs, test):
            sides = [set(test.ids().tolist())], [recs.ids().tolist()]
            return scored("lenskit", spelled(name, self.n), *sides)[1][0]

        return measure_list

    names = {"AveragePrecision": "map", "Precision": "precision", "Recall": "recall"}
    for theirs, name in (names | {"RecipRank": "mrr", "Hit": "hit_rate"}).items():
        getattr(ranking, theirs).measure_list = ours(name)


@shim
def pytrec_eval():
    import pytrec_eval

    class RelevanceEvaluator:
        def __init__(self, qrels, measures, relevance_level=1):
            self.qrels, self.measures, self.level = qrels, measures, relevance_level

        def evaluate(self, run):
            found = {query: {} for query in self.qrels if query in run}
            if not found:
                return {}
            for name, _, cutoffs in (spec.partition(".") for spec in self.measures):
                for k in cutoffs.split(","):
                    wanted = measure(spelled(name, k))
                    if self.level > 1 and not wanted.metric.graded:
                        wanted = wanted.with_parameters(min_rel=self.level)
                    values = scored("pytrec_eval", str(wanted), self.qrels, run)[1]
                    for query, value in values.items():
                        found[query][f"{name}_{k}" if k else name] = value
            return found

    pytrec_eval.RelevanceEvaluator = RelevanceEvaluator


@shim
def ranx():
    """Typed lists of (id, grade) or (id, score), best first."""
    from ranx import metrics

    def ours(name):
        def computed(qrels, run, k=0, rel_lvl=1):
            truth = [{item: grade for item, grade in side if grade >= rel_lvl} for side in qrels]
            lists = [[item for item, _ in side] for side in run]
            values = scored("ranx", spelled(name, k), truth, lists, duplicates="first")[1]
            return np.array(list(values.values()))

        return computed

    names = {"average_precision": "map", "f1": "f1", "hit_rate": "hit_rate", "dcg": "dcg"}
    names |= {"precision": "precision", "recall": "recall", "r_precision": "rprec"}
    names |= {"reciprocal_rank": "mrr", "dcg_burges": "dcg(gain=exp2)"}
    names |= {"ndcg": "ndcg", "ndcg_burges": "ndcg(gain=exp2)"}
    for theirs, name in names.items():
        place(ours(name), theirs, metrics, sys.modules.get(f"ranx.metrics.{theirs}"))


@shim
def recommenders():
    """Frames whose columns are named by options."""
    from recommenders.evaluation import python_evaluation

    def ours(name):
        def computed(
            rating_true,
            rating_pred,
            col_user="userID",
            col_item="itemID",
            col_prediction="prediction",
            k=10,
            score_type="binary",
            **_,
        ):
            graded = score_type == "raw"
            truth = rating_true[[col_user, col_item, *["rating"] * graded]]
            spec = spelled("ndcg(gain=linear)" if graded else name, k)
            run = rating_pred[[col_user, col_item, col_prediction]]
            columns = {"query": col_user, "item": col_item, "score": col_prediction}
            options = {"columns": columns, "missing": "skip", "duplicates": "first"}
            return scored("recommenders", spec, truth, run, **options)[0]

        return computed

    for name in ("map", "precision", "recall", "ndcg"):
        place(ours(name), f"{name}_at_k", python_evaluation)


@shim
def rectools():
    """Frames of recommendations with ranks, and of interactions."""
    import pandas as pd
    from rectools import Columns, metrics

    def ours(name):
        def calc_per_user(self, reco, interactions, *_):
            if self.debias_config is not None:
                interactions = metrics.debias_interactions(interactions, self.debias_config)
            pairs, values = interactions[[Columns.User, Columns.Item]], {}
            if len(pairs):
                values = scored("rectools", spelled(name(self), self.k), pairs, reco)[1]
            index = pd.Index(sorted(values), name=Columns.User, dtype=pairs[Columns.User].dtype)
            return pd.Series(values, index=index, dtype=float)

        return calc_per_user

    names = {"MRR": lambda _: "mrr", "Recall": lambda _: "recall"}
    names["MAP"] = lambda own: "map(denominator=k)" if own.divide_by_k else "map"
    names["F1Beta"] = lambda own: f"fbeta(beta={own.beta})"
    names["HitRate"] = lambda _: "hit_rate"
    names["Precision"] = lambda own: "recall(denominator=min)" if own.r_precision else "precision"
    for theirs, name in names.items():
        getattr(metrics, theirs).calc_per_user = ours(name)


@shim
def sklearn():
    """Matrices; ``ignore_ties`` orders tied columns from right to left."""
    from sklearn import metrics

    def ours(name, y_true, y_score, *, k=None, sample_weight=None, ignore_ties=False):
        sides, options = (
            [y_true if issparse(y_true) else np.asarray(y_true), np.asarray(y_score)],
            {},
        )
        if ignore_ties:
            sides, options = [side[:, ::-1] for side in sides], {"ties": "stable"}
        return scored("sklearn", spelled(name, k), *sides, sample_weight=sample_weight, **options)[
            0
        ]

    place(functools.partial(ours, "ndcg"), "ndcg_score", metrics)
    place(functools.partial(ours, "dcg"), "dcg_score", metrics)
    place(functools.partial(ours, "map"), "label_ranking_average_precision_score", metrics)


TREC_LINES = ("--convention", "trec_eval", "--format", "trec")


def trec_eval(folder):
    """Values of the calls of trec_eval's ``make quicktest``, of the measures that are here."""
    wrong = 0
    for line in (folder / "Makefile").read_text().partition("longtest:")[0].splitlines():
        call = re.fullmatch(r"\t\./trec_eval (.*) \| diff - (\S+)", line)
        if call is None or re.search("prefs|qrels_jg|-Z", call[1]):
            continue
        *options, qrels, run = shlex.split(call[1])
        kept = [word for word in options if re.fullmatch(r"-[qcJ]|-[lM]\d+", word)]
        level = dict.fromkeys(("min_rel",), 2) if "-l2" in kept else {}
        names, theirs = {}, {}
        for text in (folder / call[2]).read_text().splitlines():
            name, query, value = text.split("\t")
            with contextlib.suppress(ValueError):  # counts, and measures that are not offered
                one = str(CONVENTIONS["trec_eval"].apply(measure(name)).with_parameters(**level))
                names[one], theirs[one, query] = name, float(value)
        wanted = [word for name in names.values() for word in ("-m", name.strip())]
        files = [str(folder / path) for path in (qrels, run)]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            command(["evaluate", *TREC_LINES, *kept, *wanted, *files])
        ours = {}
        for text in out.getvalue().splitlines():
            name, query, value = text.split("\t")
            ours[str(CONVENTIONS["trec_eval"].apply(measure(name))), query] = float(value)
        differing = sum(abs(ours[key] - value) > 5e-5 for key, value in theirs.items())
        sys.stdout.write(f"{call[1]}: {len(theirs)} values, {differing} differ\n")
        wrong += differing
    return wrong > 0


def main(peer, folder):
    if peer == "trec_eval":
        return trec_eval(folder)
    warnings.simplefilter("ignore")
    SHIMS[peer]()
    files = [str(path) for name in TESTS[peer] for path in sorted(folder.glob(name))]
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={folder}"]
    return pytest.main([*files, *options, "-k", APART.get(peer, "")])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]).resolve()))
