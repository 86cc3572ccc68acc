"""The rows of coming_from.md give what they say."""

from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
import sklearn.metrics as theirs
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import sklearn_rank
from sklearn_rank import compare, evaluate
from tests.house.test_docs import ROOT

PAGE = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
GRADES = np.array([[3, 0, 1, 0, 2], [0, 2, 1, 0, 0]])
LABELS = (GRADES > 0).astype(int)
SCORES = np.array([[0.1, 0.9, 0.5, 0.2, 0.8], [0.3, 0.7, 0.2, 0.9, 0.6]])
QRELS = {"a": {"x": 2, "y": 1}, "b": {"z": 1}}
RUN = {"a": {"y": 0.9, "x": 0.5}, "b": {"v": 0.8, "z": 0.1}}
RIGHT = (1 + 1 / 2) / 2
"""The average precisions of these two queries."""
TABLE = pandas.DataFrame(
    [(user, item, grade) for user, items in QRELS.items() for item, grade in items.items()],
    columns=["user_id", "item_id", "weight"],
)
RECO = pandas.DataFrame(
    [(user, item, place + 1) for user in RUN for place, item in enumerate(RUN[user])],
    columns=["user_id", "item_id", "rank"],
)
ROWS = GRADES.ravel(), SCORES.ravel(), np.repeat([0, 1], 5)
NAMES = {
    **{name: getattr(sklearn_rank, name) for name in sklearn_rank.__all__},
    "np": np,
    "pandas": pandas,
    "log2": log2,
    "b": 10,
    "qrels": QRELS,
    "run": RUN,
    "y_true": LABELS,
    "y_score": SCORES,
    "interactions": TABLE,
    "reco": RECO,
    **dict(zip(("target", "preds", "i"), (LABELS.ravel(), *ROWS[1:]), strict=True)),
    "ev": evaluate(QRELS, {"a": ["y", "x"]}, "map", missing="zero"),
}
CALLS = [
    ('evaluate(qrels, run, "map", convention="pytrec_eval")', {"map": RIGHT}),
    (
        'evaluate(qrels, run, ["AP", "nDCG@10"], convention="ir_measures")',
        {"map": RIGHT, "ndcg@10": ((1 + 2 / log2(3)) / (2 + 1 / log2(3)) + 1 / log2(3)) / 2},
    ),
    ('evaluate(qrels, run, "map", convention="ranx")', {"map": RIGHT}),
    ('evaluate(interactions, reco, "map@10", convention="rectools")', {"map@10": RIGHT}),
    (
        'evaluate(target, preds, "map", groups=i, convention="torchmetrics")',
        {"map": theirs.label_ranking_average_precision_score(LABELS, SCORES)},
    ),
    (
        'ndcg_at_k_score(y_true, y_score, k=10, gain="linear")',
        theirs.ndcg_score(LABELS, SCORES, k=10),
    ),
    (
        'dcg_at_k_score(..., gain="linear") * log2(b)',
        theirs.dcg_score(LABELS, SCORES, log_base=10),
    ),
    (
        'ranking_auc_score(..., average="pooled")',
        theirs.roc_auc_score(LABELS.ravel(), SCORES.ravel()),
    ),
    ('np.exp(np.log(ev.per_query["map"].clip(1e-5)).mean())', 1e-5**0.5),
]
"""Calls as the page has them, and their values."""


@pytest.mark.parametrize(("call", "value"), CALLS, ids=[call for call, _ in CALLS])
def test_a_call_of_the_tables_has_the_value_of_the_other_program(call: str, value: Any) -> None:
    assert f"`{call}`" in PAGE
    found = eval(call.replace("...", "y_true, y_score"), dict(NAMES))
    assert getattr(found, "scores", found) == pytest.approx(value, rel=1e-12)


def test_names_that_the_tables_put_beside_each_other_agree() -> None:
    labels, scores = LABELS, SCORES
    ours = evaluate(labels, scores, "map")
    assert ours["map"] == theirs.label_ranking_average_precision_score(labels, scores)
    tied = np.vstack([labels, np.zeros_like(labels[0])]), np.vstack([scores, scores[0]]).round()
    gauc = sklearn_rank.group_auc_score(*tied, ties="pessimistic", zero_division=1)
    assert 1 - gauc == pytest.approx(theirs.label_ranking_loss(*tied))
    samples = theirs.roc_auc_score(labels, scores, average="samples")
    assert sklearn_rank.group_auc_score(labels, scores) == pytest.approx(samples)
    empty = np.vstack([labels, np.zeros_like(labels[0])]), np.vstack([scores, scores[0]])
    counted = evaluate(*empty, "map", convention="sklearn")["map"]
    assert counted == pytest.approx(theirs.label_ranking_average_precision_score(*empty))


def test_tables_and_files_of_the_last_table(tmp_path: Path) -> None:
    compared = compare(QRELS, {"old": RUN, "new": {"a": ["x"], "b": ["z"]}}, ["map", "mrr"])
    table = pandas.DataFrame(compared.scores)
    assert (list(table.index), list(table)) == (["old", "new"], ["map", "mrr"])
    assert table.loc["old", "map"] == RIGHT
    frame = pandas.DataFrame({"query": [*QRELS], "items": [["y", "x"], ["v", "z"]]})
    lists = dict(zip(frame["query"], frame["items"], strict=True))
    assert evaluate(QRELS, lists, "map")["map"] == RIGHT
    path = tmp_path / "letor.txt"
    dump_svmlight_file(np.ones((10, 1)), ROWS[0], str(path), query_id=ROWS[2])
    _, grades, groups = load_svmlight_file(path, query_id=True)
    read = evaluate(grades, ROWS[1], "ndcg", groups=groups)
    assert read["ndcg"] == pytest.approx(evaluate(GRADES, SCORES, "ndcg")["ndcg"])
