"""Shapes in which retrievers, evaluators and other programs hand out rankings and judgements."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sklearn_rank import evaluate
from sklearn_rank.exceptions import RankingDataWarning

TRUTH = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.5, "x": 0.5}, "q2": {"c": 1.5, "a": 1.0}}
RANKED = {"q1": ["b", "a", "x"], "q2": ["c", "a"]}
MEASURES = ("map", "ndcg", "mrr")


def _hits(identifier: str, score: str) -> dict[str, Any]:
    return {q: [{identifier: i, score: s} for i, s in run.items()] for q, run in RUN.items()}


@pytest.mark.parametrize(
    ("y_score", "like"),
    [
        ({q: list(run.items()) for q, run in RUN.items()}, RUN),
        ({q: [list(pair) for pair in run.items()] for q, run in RUN.items()}, RUN),
        (_hits("_id", "_score"), RUN),
        (_hits("doc_id", "similarity"), RUN),
        (
            {q: [{"id": item, "_score": None} for item in items] for q, items in RANKED.items()},
            RANKED,
        ),
        (
            {
                q: [{"id": item, "rank": rank} for rank, item in enumerate(items)][::-1]
                for q, items in RANKED.items()
            },
            RANKED,
        ),
    ],
)
def test_hits_of_retrievers(y_score: Any, like: Any) -> None:
    for truth in (TRUTH, {q: set(grades) for q, grades in TRUTH.items()}):
        expected = evaluate(truth, like, MEASURES)
        assert evaluate(truth, y_score, MEASURES).scores == expected.scores
        lists = evaluate(list(truth.values()), list(y_score.values()), MEASURES)
        assert lists.scores == expected.scores


def test_pairs_are_ids_where_the_truth_has_pairs() -> None:
    assert evaluate([{("a", 1)}], [[("x", 1), ("a", 1)]], "mrr")["mrr"] == 0.5
    assert evaluate([{"a"}], [[("x", 1), ("a", 2)]], "mrr")["mrr"] == 1.0


RAGAS = {
    "user_input": ["q1", "q2"],
    "retrieved_context_ids": list(RANKED.values()),
    "reference_context_ids": [["a", "b"], ["c"]],
    "response": ["text", "text"],
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_with_lists(make: Any) -> None:
    expected = evaluate({"q1": ["a", "b"], "q2": ["c"]}, RANKED, "map").scores
    assert evaluate(make(RAGAS), make(RAGAS), "map").scores == expected
    run = {"qid": list(RUN), "doc": [list(r) for r in RUN.values()]}
    scored = make({**run, "score": [list(r.values()) for r in RUN.values()]})
    assert evaluate(TRUTH, scored, "ndcg").scores == evaluate(TRUTH, RUN, "ndcg").scores
    twice = make({"qid": ["q1", "q1"], "doc": [["a"], ["b"]]})
    with pytest.raises(ValueError, match="holds queries more than once: 'q1'"):
        evaluate(TRUTH, twice, "map")


def test_judgements_of_beir_and_streams_of_arrow() -> None:
    qrels = {"query-id": ["q1", "q1", "q2"], "corpus-id": ["a", "b", "c"], "score": [2, 1, 1]}
    expected = evaluate(TRUTH, RUN, MEASURES).scores
    assert evaluate(pd.DataFrame(qrels), RUN, MEASURES).scores == expected
    assert evaluate(pa.table(qrels).to_reader(), RUN, MEASURES).scores == expected


def test_ids_of_mixed_types_are_warned_of() -> None:
    with pytest.warns(RankingDataWarning, match=r"no str of y_score can match") as caught:
        assert evaluate({"q": {1, 2, 3}}, {"q": ["1", 2, "3"]}, "recall")["recall"] == 1 / 3
    assert caught[0].filename == __file__
    with pytest.warns(RankingDataWarning, match=r"no str of y_true can match"):
        evaluate({"q": {1, "2", 3}}, {"q": [1, 2, 3]}, "map")
    evaluate({"q": {1, "a"}}, {"q": ["a", 1]}, "map")


def test_pooled_measures_average_over_ties_of_queries() -> None:
    truth, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}
    for table in (run, dict(reversed(run.items()))):
        assert evaluate(truth, table, "auc(average=pooled)", ties="docid").scores == {
            "auc(average=pooled)": 0.25  # one relevant item is tied, and one was not retrieved
        }
