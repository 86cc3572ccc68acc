"""What new users type, and the words of the error that lead them on.

What is typed is text, so that a row is a line.
"""

import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import pytest_rankmetrics as pr
import sklearn_rank as sr
from sklearn_rank.cli.main import main

TRUTH = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
RUN = {"q1": ["a", "x"], "q2": ["x", "b"], "q3": ["x", "y", "z", "c"]}
ROWS = [{"query": "q1", "retrieved": ["a"], "relevant": ["a"]}]
EV, ONE = sr.evaluate(TRUTH, RUN, ["map", "ndcg@10"]), sr.evaluate(TRUTH, RUN, "mrr")
CHANGE = sr.compare(TRUTH, {"old": RUN, "new": RUN}, ["map", "mrr"])
OF_IR_MEASURES = type("Of", (), {"__module__": "ir_measures.x", "__str__": lambda _: "nDCG@10"})()
NAMES = {
    "Ridge": Ridge,
    "QID": pd.DataFrame({"a": [3.0, 2.0, 1.0], "qid": [1, 1, 1]}),
    "pd": pd,
    "np": np,
    "mrr": CHANGE["mrr"],
    "query": sr.compare(TRUTH, {"old": {q: ["b"] for q in RUN}, "new": RUN}).most_changed()[0],
    "gate": pr.assert_map_at_least(TRUTH, RUN, 0.1),
    "OF_IR_MEASURES": OF_IR_MEASURES,
    "sr": sr,
    "pr": pr,
    "TRUTH": TRUTH,
    "RUN": RUN,
    "ROWS": ROWS,
    "ev": EV,
    "one": ONE,
    "change": CHANGE,
}


def typed(*texts: str, says: str) -> dict[str, str]:
    return dict.fromkeys(texts, says)


WORKS = {
    "dict(one)": {"mrr": (1 + 1 / 2 + 1 / 4) / 3},
    "{**one}": {"mrr": (1 + 1 / 2 + 1 / 4) / 3},
    "f'{one}'.split()[:2]": ["measure", "score"],
    "dict(sr.evaluate(TRUTH, RUN, ['recall_5', 'Success@5', 'recip_rank']))": {
        "recall@5": 1.0, "hit_rate@5": 1.0, "mrr": (1 + 1 / 2 + 1 / 4) / 3
    },
    "str(sr.measure('ndcg(gain=linear)') @ 10)": "ndcg(gain=linear)@10",
    "[*sr.evaluate(TRUTH, RUN, [OF_IR_MEASURES, 'mrr']).scores]": ["ndcg@10", "mrr"],
    "[*sr.evaluate(TRUTH, RUN, OF_IR_MEASURES).scores]": ["ndcg@10"],
    "str(sr.evaluate({1: {2}, 3: {4}}, {1: [2]}, 'mrr')).splitlines()[2]": (
        "2 queries; 1 judged, but no results returned (query 3)"
    ),
    "sr.compare(TRUTH, {'map': RUN, 'mrr': RUN}, ['map', 'mrr'])['mrr'].system": "mrr",
    "pd.Series([one, one]).tolist() == [one, one]": True,
    "pd.DataFrame({'run': [one, one]}).shape": (2, 1),
    "np.array([one, one], dtype=object)[0] is one": True,
    "pd.DataFrame(change)['p'].size": 2,
    "[*ev.to_frame(rows='measures')]": ["measure", "score", "low", "high", "queries"],
    "ev.to_frame(rows='measures')['score'].tolist() == [*ev.scores.values()]": True,
}  # fmt: skip
RESULTS = {
    "ev.map": r"'map'; use result\['map'\]$",
    "ev.ndcg_at_10": r"use result\['ndcg_at_10'\]$",
    "ev.ndcg": r"did you mean 'ndcg@10'\? For a measure: result\['map'\]$",
    "ev.perquery": r"did you mean 'per_query'\?$",
    "ev._ipython_display_": "has no attribute '_ipython_display_'$",
    "change.map": r"'map'; use result\['map'\]$",
    "change.per_query": r"values\('map'\) has the values",
    "change.to_judge": r"evaluations\['new'\]\.to_judge",
    "change['new']": r"'new' is a system; its change is result\[measure, system\]",
    "ev['q1']": r"'q1' is a query, not a measure; to_frame\(\) has a row per query",
    "ev['q7']": "unknown measure 'q7'",
    **typed(
        "one.items()", "one.values()", "one.score", "one.mean()", "one.item()", "one > 0.7",
        "0.7 >= one", "float(one)", "round(one, 2)", "f'{one:.3f}'", "'%.3f' % one",
        "sorted([one, one])",
        says=r"^'Evaluation'.*; result\['mrr'\] is one score, and result.scores has them all$",
    ),
    **typed("one.worst()", "one.best", says=r"sort it with \.sort_values\('mrr'\)$"),
    **typed("ev.p_value", "ev.significant", says=r"'new': new}\)\['map'\]$"),
    **typed("ev.get('map')", "ev.get", says=r"result\['map'\] is one score, and result.scores has"),
    "change.get('map')": r"result\['map'\] has change, low, high",
    **typed(
        "ev.loc['q1']", "ev.head()", "change.describe()", "change.sort_values('p')", "ev.columns",
        says=r"; to_frame\(\) makes a data frame, which has it$",
    ),
    **typed("ev.ci", "ev.std", "ev.intervals", says=r"use confidence_interval\('map'\)$"),
    **typed(
        "change.significant", "change.p_value", "change.p_values", "change.diff", "change.wins",
        "change > 0", "float(change)", "change.ttest", "change.winner",
        says=r"^'Comparison'.*; result\['map'\] has change, low, high, p, significant, better",
    ),
    **typed("change.summary()", "ev.show()", says=r"print\(result\) shows it$"),
}  # fmt: skip


FIELDS = {
    "mrr.p_value": "'Change' object has no attribute 'p_value'; use p, or p_holm$",
    "mrr['p']": r"'Change' object is not subscriptable; use \.p$",
    "mrr['pvalue']": "not subscriptable; use p, or p_holm$",
    "mrr.changes": r"; did you mean 'change'\?$",
    "mrr.__nothing__": "has no attribute '__nothing__'$",
    **typed("mrr.ci", "mrr.confidence_interval", "mrr.interval", says="; use low and high$"),
    **typed("mrr.delta", "mrr.diff", says="; use change$"),
    **typed("query.delta", "query['diff']", says="^'QueryChange' .*; use change$"),
    "query.reason": r"; use why\(\)$",
    "query.after.ranks": r"^'Placement' .*; use \[hit.rank for hit in placement.hits\]$",
    "gate.ok": "^'GateResult' .*; use passed$",
    "gate.p_value": r"; use measures\[name\].drop$",
    "ev.per_query.head()": r"^'ByMeasure'.*; the evaluation's to_frame\(\) makes a data frame",
}
FRAMES = {
    **typed(
        "pd.DataFrame(ev)", "np.asarray(ev)",
        "pd.DataFrame(ev.by_slice({'q1': 1, 'q2': 2, 'q3': 2}))",
        says=r"not an array; to_frame\(\) makes .*, of slices by_slice\(...\).to_frame\(\)$",
    ),
    "ev.to_frame(rows='slices')": r"'rows' parameter of to_frame must be",
    "ev.to_latex()": r"; use to_frame\(\).to_latex\(escape=True\)$",
}  # fmt: skip
QUERIES = {
    "one.compare(one)": r"; use compare\(y_true, {'old': old, 'new': new}\)\['mrr'\]$",
    "ev.query": r"; to_frame\(\) has a row per query, placements\(\) its ranks$",
    "ev.placements('q3')": r"positions from 0, got 'q3'; pass \[2\], its position in query_ids$",
    "ev.placements(['q9'])": "positions from 0, got 'q9'$",
    **typed("change.query", "change.items", says=r"; values\('map'\) .*most_changed\(\) the items"),
    "change['q2']": r"'q2' is a query, not a measure; values\('map'\) has the values of query_ids",
    "sr.evaluate(TRUTH, RUN, groupby='market')": r"by_slice\(slices\) measures each slice$",
    "sr.evaluate(TRUTH, RUN, ['map', 'average_precision'])": "map twice; 'average_precision' is m",
    "sr.evaluate(TRUTH, RUN, ['roc_auc', 'auc'])": "measures has auc twice; 'roc_auc' is auc$",
    "sr.evaluate([1, -9], [2.0, 1.0], groups=[1, 1])": "padding, pass candidates=y_true >= 0$",
    "sr.ranking_auc_score([1, -9], [2.0, 1.0], groups=[1, 1])": (
        r"; evaluate\(..., candidates=y_true >= 0\) leaves out padding$"
    ),
    "sr.evaluate(TRUTH, RUN, ['map', 'map'])": "measures has map twice$",
    "sr.compare(TRUTH, [RUN, RUN], correction='bonferroni')": "; p_holm is corrected by Holm's",
    "ev.plot(title='x')": r"^Evaluation.plot\(\) got .*'title'; set it on the display's ax_$",
    "ev.plot(figsize=(3, 2))": r"; pass ax=plt.subplots\(figsize=\(6, 4\)\)\[1\]$",
    "change.plot('at_k', label='x')": "; names are the keys of {name: evaluation}$",
    "sr.MeasureAtKDisplay.from_predictions(TRUTH, RUN, title='x')": "set it on the display's ax_",
}
SKLEARN = {
    "from sklearn_rank import roc_auc_score": "scikit-learn's values with average='pooled'$",
    "sr.average_precision_score": "_score' here, and gives .* values if groups= has one query$",
    "from sklearn_rank.metrics import ndcg_score": "'ndcg_at_k_score'|'ndcg'",
    "from sklearn_rank.metrics import NDCG": r"; evaluate\(y_true, y_score, 'ndcg'\) computes it$",
    "from sklearn_rank import EarlyStopping": r"; booster_eval_metric\('map'\) stops boosters",
    "sr.LeaveOneOut": r"; QueryKFold\(n_queries\) leaves one query out$",
    "sr.Metric": r"; measure\('ndcg@10'\) makes a Measure$",
    "sr.map_scorer(None, [[1]], [1], qid=['q'])": r"^map_scorer\(\) got .*'qid'; pass groups=$",
    "sr.ndcg_scorer(None, [[1]], [1], k=5)": r"; use with_options\(\), as in with_options\(k=5\)$",
    "sr.map_scorer(None, [[1]], [1], sample_weight=[1])": "; pass query_weight=$",
    "sr.cross_val_compare({}, [[1]], [1], scoring='map')": "; use measures=$",
}
OTHER_MEASURES = {
    "sr.measure('ndcg at 10')": r"did you mean 'ndcg@10'\?$",
    "sr.measure('ndcg@[5,10]')": r"several are written 'ndcg@5,10'$",
    "sr.measure('context_recall@5')": "for ids use 'recall', or pass a judge model's numbers as v",
    "sr.measure('contextual_recall@5')": "for ids use 'recall', or pass a judge model's numbers",
    "sr.measure('contextual_precision')": "for ids use 'precision', or pass a judge model's",
    "sr.measure('context_precision')": "for ids use 'precision', or pass a judge model's",
    "sr.measure('avg_precision')": r"did you mean 'map'\?; known",
    "sr.measure('retrieval_normalized_dcg')": r"did you mean 'ndcg'\?; known",
    "sr.measure('top5_accuracy')": "'hit_rate@10'; known",
    "sr.measure('all_trec')": "name the measures, as in 'map', 'rprec', 'bpref', 'P_10'",
    "sr.measure('num_rel_ret')": "result.counts has the numbers of items",
    **typed(
        "sr.measure('RetrievalRecall@5')", "sr.measure('mean_recall@5')",
        "sr.measure('recall_score')", says=r"did you mean 'recall'\?; known",
    ),
    **typed(
        "sr.measure('faithfulness')", "sr.measure('answer_relevancy')",
        says=r"; pass a judge model's numbers as values=\{name: \{query: number\}\};",
    ),
    **typed(
        "sr.measure('RetrievalFallOut')", "sr.measure('alpha_nDCG@20')", "sr.measure('MR')",
        "sr.measure('my_own')", says=r"; measure_from\(name, function\) makes a measure",
    ),
    **typed(
        "sr.measure('coverage@10')", "sr.measure('Gini')", "sr.measure('ItemCoverage')",
        says="it does not depend on judgements: compute it yourself",
    ),
}  # fmt: skip
OTHER_NAMES = {
    "from sklearn_rank import coverage": "does not depend on judgements: compute it yourself",
    "from sklearn_rank import recall": "it is called 'recall_at_k_score' here$",
    "from sklearn_rank import recall_at_5": r"; evaluate\(y_true, y_score, 'recall@5'\) comp",
    "from sklearn_rank import AP": r"; evaluate\(y_true, y_score, 'map'\) computes it$",
    "from sklearn_rank import RetrievalNormalizedDCG": r"y_score, 'ndcg'\) computes it$",
    "from sklearn_rank import compute_mrr": r"y_score, 'mrr'\) computes it$",
    "from sklearn_rank import faithfulness": "pass a judge model's numbers as values",
    "from sklearn_rank import train_test_split": r"next\(QueryKFold\(5\).split\(X, y, groups\)\)",
    "from sklearn_rank import leave_one_out": "pass what is held out as y_true",
    "from sklearn_rank import cross_val_score": "as in scoring=map_scorer$",
    "from sklearn_rank import wilcoxon": r"; compare\(y_true, {'old': old, 'new': new}\) tests",
    "from sklearn_rank import load_run": "; it is called 'read_run' here$",
    "from sklearn_rank import fuse": "; it is called 'RankFusion' here$",
    "from sklearn_rank import report": r"; it is a method of results, as in evaluate\(y_true",
    "from sklearn_rank import evaluat": r"; did you mean 'evaluate'\?$",
    "from sklearn_rank import rank_gate": "in pytest_rankmetrics$",
    **typed(
        "from sklearn_rank import Evaluator", "sr.RankEvaluator", "sr.evaluate_run",
        "from sklearn_rank import calc_aggregate", "sr.RelevanceEvaluator",
        says=r"; evaluate\(y_true, y_score, \['map', 'ndcg@10'\]\) returns scores",
    ),
    "sr.__nothing__": "has no attribute '__nothing__'$",
    "pr.assert_recall_at_k_at_least": "called 'assert_recall_at_least' here, and takes k=$",
    "pr.assert_ndcg_at_10": "called 'assert_ndcg_at_least' here, and takes k=$",
    "pr.assert_mean_average_precision_above": "called 'assert_map_at_least' here, and takes k=$",
    "pr.assert_lag_at_least": "called 'assert_lag_at_most' here$",
    "pr.assert_rbp_at_least": r"; use assert_metric\(y_true, y_score, 'rbp', at_least=...\)",
    "pr.assert_no_regression": "; it is called 'assert_not_worse' here",
    "from pytest_rankmetrics import evaluate": "; it is in sklearn_rank$",
    "from pytest_rankmetrics import assert_at_least": r"assert_metric\(.*, at_least=...\)$",
    "from pytest_rankmetrics import rank_gate": "; it is a fixture: name it as an argument",
}  # fmt: skip
RELEVANT = r"{row\['query'\]: row\['relevant'\] for row in y_true}"
RETRIEVED = r"{row\['query'\]: row\['retrieved'\] for row in "
BOTH = f"hold records; pass {RELEVANT} and {RETRIEVED}"
CALLS = {
    "sr.evaluate(np.eye(2), np.zeros((2, 2, 2)), 'map')": r"pass y_score\[:, :, 1\]",
    "sr.evaluate(TRUTH, RUN, 'auc', n_negatives=9)": r"as in 'auc\(n_negatives=1000\)'$",
    "sr.evaluate(TRUTH, RUN, 'map', threshold=0.5)": "of scores, cut the rankings$",
    **typed(
        "sr.evaluate(TRUTH, RUN, 'ndcg_cut')",
        "sr.evaluate(TRUTH, RUN, ['map', 'map_cut'])",
        says="_cut' has several cutoffs in trec_eval; name them, as in '(map|ndcg)_cut.5,10'$",
    ),
    "sr.leave_one_out_split": "pass what is held out as y_true",
    **typed(
        "sr.evaluate(ROWS, ROWS)",
        "sr.compare(ROWS, {'old': ROWS, 'new': ROWS})",
        says=BOTH + "y_score}$",
    ),
    "sr.evaluate(ROWS, 'mrr')": BOTH + "y_true}$",
    "sr.evaluate(ROWS, RUN)": r"y_true holds records; pass {row\['query'\]: row\['rel.*_true}$",
    "sr.evaluate(TRUTH, ROWS)": r"y_score holds records; pass {row\['query'\]: row\['ret.*_score}$",
    "sr.evaluate([{'a'}], [{'results': ['a']}])": r"pass \[row\['results'\] for row in y_score\]$",
    "sr.evaluate({'q1': {'relevant': ['a']}}, RUN)": r"pass {query: row\['relevant'\] for query",
    "sr.evaluate(TRUTH, 'mrr')": "a str, 'mrr'; the order is y_true, y_score, measures$",
    "sr.evaluate([sr.measure('map')], TRUTH, RUN)": "the order is y_true, y_score, measures$",
    "sr.recall_at_k_score(TRUTH, RUN, 5)": r"^recall_at_k_score\(\) takes further .* as in k=5$",
    "sr.rank_biased_overlap_score(['a'], ['a'])": r"of one query pass \[first\] and \[second\]$",
    "sr.evaluate(TRUTH, RUN, cutoffs=[5, 10])": "; put it in the measure, as in 'ndcg@10'$",
    "sr.evaluate(TRUTH, RUN, return_mean=False)": r"; evaluate\(...\).per_query has the values$",
    "sr.evaluate(TRUTH, RUN, key=str)": "; use string_provider=$",
    "sr.recall_at_k_score(TRUTH, RUN, k=5, key=str)": "; use string_provider=$",
    "sr.compare(TRUTH, RUN, by='system')": r"{name: part for name, part in frame.groupby\(colu",
    "sr.evaluate(TRUTH, RUN, make_comparable=True)": "; use missing=",
    "sr.compare(TRUTH, runs=[RUN, RUN])": "; systems are y_score, {name: ranking}$",
    "sr.compare(TRUTH, {'a': RUN, 'b': RUN}, test='t')": "; the test is a paired randomization",
    "sr.compare(TRUTH, {'base': ev, 'new': RUN})": (
        r"^system 'base' is a .*: compare\({'base': base, 'new': evaluate\(y_true, run\)}\)$"
    ),
    "sr.rank_scorers('map', 'ndcg@10')": r"takes one list of measures, as in \['map', 'ndcg@10'\]$",
    "sr.Qrels(TRUTH)": r"^a dict is passed as it is, to evaluate\(y_true, y_score\)$",
    "sr.Run(RUN)": r"^a dict is passed as it is",
    "sr.evaluate(TRUTH, RUN, ['ndcg', 10])": "; a cutoff is written 'ndcg@10'$",
    "sr.evaluate(TRUTH, RUN, {'ndcg': 10})": "; a cutoff is written 'ndcg@10'$",
    "sr.evaluate(TRUTH, RUN, max)": r"; measure_from\(name, function\) makes one from a function$",
    "sr.measure('ndcg').calc_aggregate(TRUTH, RUN)": r"; evaluate\(y_true, y_score, measure\) comp",
    "sr.measure('ndcg') @ 5 @ 10": "k is set twice for 'ndcg@5'$",
    "ev.per_query['q1']": r"a query's values are in to_frame\(\), evaluated: map, ndcg@10$",
    "sr.ndcg_at_k_score(y_true=TRUTH, y_pred=RUN)": "; rankings are y_score$",
    "sr.ndcg_at_k_score(TRUTH, RUN, average=None)": "per_query has the values$",
    "sr.read_run(RUN)": r"in memory goes to evaluate\(y_true, y_score\) as it is$",
    "pr.assert_metric(TRUTH, RUN, 'mrr', 0.7)": r"^assert_metric\(\) .* as in at_least=0.7$",
    "pr.assert_map_at_least(TRUTH, RUN, 0.5, 10)": r"^assert_map_at_least\(\) .* as in k=10$",
    "pr.assert_not_worse(TRUTH, RUN, {}, 'mrr', 0.1)": r"as in max_drop=0.1$",
    "pr.assert_metric('mrr', TRUTH, RUN, at_least=0.7)": "the order is y_true, y_score, measure$",
    "pr.assert_metric(TRUTH, RUN, {'mrr': 0.7})": "the order is y_true, y_score, measure$",
    "sr.audit(len, 'ndcg@10', convention='sklearn')": r"as in 'ndcg\(gain=linear\)@10'$",
    "sr.audit(len, 'ndcg@10', duplicates='max')": "must be one of 'first', 'raise'",
    "sr.audit(len, 'ndcg', k=10)": "put it in the measure, as in 'ndcg@10'$",
}


@pytest.mark.parametrize("typed", WORKS)
def test_it_works(typed: str) -> None:
    assert eval(typed, {**NAMES}) == WORKS[typed]


LEADS_ON = {
    **RESULTS,
    **FIELDS,
    **FRAMES,
    **QUERIES,
    **SKLEARN,
    **OTHER_MEASURES,
    **OTHER_NAMES,
    **CALLS,
}


@pytest.mark.parametrize("typed", LEADS_ON)
def test_the_error_leads_on(typed: str) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, ImportError), match=LEADS_ON[typed]):
        exec(typed, {**NAMES})


WARNED = {
    "sr.map_scorer(Ridge().fit(QID, [1, 0, 0]), QID, [1, 0, 0])": (
        r"^Ridge was fitted on the query ids, the column 'qid'.*; pass X.set_index\('qid'\)"
    ),
    "sr.evaluate({'q': {'a'}}, {'q': {'map': 0.5, 'ndcg@10': 0.6}})": (
        r"y_score holds values of measures, such as 'map'\).*; pass rankings of items$"
    ),
    "sr.evaluate(TRUTH, {q: ['m17'] for q in TRUTH})": (
        "so most measures are 0; spell ids alike on both sides, for example with"
    ),
    "sr.evaluate({'a', 'z'}, [['a', 'x'], ['b', 'a']], 'recall')": (
        "not even in the denominator of recall; pass a ground truth per query$"
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning")
@pytest.mark.parametrize("typed", WARNED)
def test_the_warning_leads_on(typed: str) -> None:
    with pytest.warns(sr.RankingDataWarning, match=WARNED[typed]):
        exec(typed, {**NAMES})


QRELS = "".join(f"q{n} 0 d{n} 1\n" for n in range(5))
OLD = "".join(f"q{n} Q0 d{n} 1 2 x\n" for n in range(5))
COMMANDS = {
    "gate qrels run --name x --baseline run": "; --baseline-dir names the directory of baselines, ",
    "gate qrels run --name x --baseline-dir run": "is a file; record a run as the baseline by 'skl",
    "gate qrels run run": "; --update records a baseline, and 'sklearn-rank compare' takes two",
    "compare qrels run --baseline run": "--baseline; files need no option, see the usage$",
    "report x.rank.json": "; x.rank.json is the baseline of a gate: compare with it by 'skl",
    "compare x.rank.json y.rank.json": "NEW; x.rank.json is the baseline of a gate: compare with",
    "evaluate --qrels qrels --run run": "; files need no option, see the usage$",
    "evaluate qrels run --qrels-column qrels": "got 'qrels'; files need no option$",
    "evaluate qrels miss": "so most measures are 0; spell ids alike on both sides$",
    "evaluate qrels run -m context_recall@5": "; for ids use 'recall'",
}


@pytest.mark.parametrize("typed", COMMANDS)
def test_the_command_leads_on(
    typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"qrels": QRELS, "run": OLD, "miss": re.sub(r"d\d", "other", OLD)}
    for name, text in files.items():
        Path(name).write_text(text)
    with suppress(SystemExit):
        main(typed.split())
    assert re.search(COMMANDS[typed], capsys.readouterr().err.strip())
