"""Long tables: the numbers, counts and errors of mappings, joined by column."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from sklearn_rank import DuplicateItemError, Qrels, Run, evaluate

MEASURES = ("map", "ndcg@10", "mrr", "precision@3", "auc(average=pooled)", "gauc", "lag")
IDS = ["a", "b", "c", "é", "z", "10", "9", "ü1", "\U0001f600", "d1", "\uffee"]


def columns(mapping, make):
    """Columns of query, item and number, rows of the queries one after the other."""
    rows = [(query, item, value) for query, one in mapping.items() for item, value in one.items()]
    return make([row[0] for row in rows]), make([row[1] for row in rows]), [row[2] for row in rows]


def tables(truth, ranking, make):
    queries, items, grades = columns(truth, make)
    qrels = Qrels.from_columns(queries, items, grades=grades)
    queries, items, scores = columns(ranking, make)
    return qrels, Run.from_columns(queries, items, scores=scores)


def problem(seed):
    """A truth and a ranking with ties, missing and unjudged queries, grades of 0."""
    rng = random.Random(seed)
    truth = {
        f"q{n}": {item: rng.choice([0, 1, 2]) for item in rng.sample(IDS, rng.randint(1, 6))}
        for n in rng.sample(range(7), 6)
    }
    ranking = {
        f"q{n}": {item: rng.choice([0.5, 2.0, rng.random()]) for item in rng.sample(IDS, 8)}
        for n in rng.sample(range(9), 7)
    }
    return truth, ranking


MAKERS = [pytest.param(list, id="list"), pytest.param(pl.Series, id="polars")]


@pytest.mark.parametrize("make", MAKERS)
def test_ranks_order_the_rows_and_leave_no_scores(make):
    run = Run.from_columns(make(["q", "q", "q"]), make(["a", "b", "c"]), ranks=[3, 1, 2])
    assert run["q"] == ["b", "c", "a"]
    qrels = Qrels.from_columns(make(["q"]), make(["a"]))
    assert evaluate(qrels, run, "mrr")["mrr"] == 1 / 3


@pytest.mark.parametrize("make", MAKERS)
def test_an_item_that_stands_twice_is_refused_or_kept_once(make):
    run = Run.from_columns(
        make(["p", "q", "q", "q"]), make(["a", "a", "b", "a"]), scores=[1, 1, 2, 3]
    )
    qrels = Qrels.from_columns(make(["p", "q"]), make(["a", "a"]))
    with pytest.raises(DuplicateItemError, match=r"y_score\['q'\] holds item 'a' at positions 1"):
        evaluate(qrels, run, "mrr")
    evaluation = evaluate(qrels, run, "mrr", duplicates="first")
    assert evaluation.per_query["mrr"].tolist() == [1.0, 1.0]
    assert evaluation.counts["duplicates"] == 1
    with pytest.raises(DuplicateItemError, match="query 'q' holds item 'a' at positions 1 and 3"):
        run["q"]


@pytest.mark.parametrize("make", MAKERS)
def test_judgements_may_repeat_but_not_contradict_each_other(make):
    run = Run.from_columns(make(["q", "q"]), make(["b", "a"]), scores=[2.0, 1.0])
    same = Qrels.from_columns(make(["q", "q"]), make(["a", "a"]), grades=[1, 1])
    assert evaluate(same, run, ["recall", "mrr"]).scores == {"recall": 1.0, "mrr": 0.5}
    other = Qrels.from_columns(make(["q", "q"]), make(["a", "a"]), grades=[1, 2])
    with pytest.raises(ValueError, match=r"y_true\['q'\] judges item 'a' twice, .* 1 and 2"):
        evaluate(other, run, "mrr")


def test_nan_scores_and_negative_grades_are_named():
    qrels = Qrels.from_columns(["q"], ["a"])
    run = Run.from_columns(["q", "q"], ["a", "b"], scores=[1.0, np.nan])
    with pytest.raises(ValueError, match="y_score contains NaN at item 'b' of query 'q'"):
        evaluate(qrels, run, "mrr")
    negative = Qrels.from_columns(["q", "q"], ["a", "b"], grades=[1, -1])
    run = Run.from_columns(["q", "q"], ["a", "b"], scores=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"y_true contains a negative grade \(-1\) at item 'b'"):
        evaluate(negative, run, "mrr")
    evaluation = evaluate(negative, run, "mrr", convention="trec_eval")
    assert (evaluation["mrr"], evaluation.counts["unjudged_grades"]) == (0.5, 1)


@pytest.mark.parametrize("make", MAKERS)
def test_missing_ids_are_refused(make):
    with pytest.raises(ValueError, match=r"items contains missing values \(row 1\)"):
        Run.from_columns(make(["q", "q"]), make(["a", None]))


def test_a_table_is_the_mapping_that_it_stands_for():
    qrels, run = tables({"q": {"a": 1}, "p": {"b": 0}}, {"q": {"a": 0.5, "b": 0.25}}, list)
    assert run == {"q": {"a": 0.5, "b": 0.25}}
    assert qrels == {"q": {"a": 1}, "p": {"b": 0}}
    assert "x" not in run
    assert [] not in run
    assert repr(run) == "<Run of 1 queries and 2 rows>"


def test_items_can_be_kept_and_a_provider_be_used():
    truth, ranking = problem(5)
    made = tables(truth, ranking, list)
    kept = evaluate(*made, "map", keep_items=True, zero_division=0.0)
    assert (
        kept.placements()
        == evaluate(truth, ranking, "map", keep_items=True, zero_division=0.0).placements()
    )
    upper = evaluate(*made, "map", string_provider=str.upper, zero_division=0.0)
    assert upper["map"] == kept["map"]


def test_rows_that_share_a_hash_are_compared_as_text(monkeypatch):
    """With one hash for all, the result is the same and only slower."""
    from sklearn_rank.inputs import tables as id_columns

    monkeypatch.setattr(id_columns, "_hashes", lambda ids, queries: queries.astype(np.uint64) * 0)
    truth, ranking = problem(2)
    expected = evaluate(truth, ranking, MEASURES, zero_division=0.0)
    evaluation = evaluate(*tables(truth, ranking, pl.Series), MEASURES, zero_division=0.0)
    assert dict(evaluation.scores) == dict(expected.scores)
