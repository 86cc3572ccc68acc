"""Judgements and rankings in each other's place: a warning, though a number comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sklearn_rank import Qrels, compare, evaluate
from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.hints import swap_suspicion

RNG = np.random.default_rng(3)
ITEMS = [f"d{number}" for number in range(12)]
RUN = {q: dict(zip(ITEMS, RNG.random(12).tolist(), strict=True)) for q in range(8)}
QRELS = {q: {item: int(RNG.integers(0, 3)) for item in ITEMS[: 3 + q]} for q in range(8)}
RANKED = {q: sorted(scores, key=scores.__getitem__) for q, scores in RUN.items()}
BM25 = {q: {item: int(1e4 * score) for item, score in run.items()} for q, run in RUN.items()}
GRADES, SCORES = RNG.integers(0, 2, 60), RNG.random(60)
QID = np.repeat(np.arange(6), 10)

SWAPPED: list[tuple[str, Any, Any, dict[str, Any]]] = [
    ("scores", QRELS, RUN, {}),
    ("binary", {q: dict.fromkeys(items, 1) for q, items in QRELS.items()}, RUN, {}),
    ("large integers", QRELS, BM25, {}),
    ("ranked lists", QRELS, RANKED, {}),
    ("lists of dicts", list(QRELS.values()), list(RUN.values()), {}),
    ("rows", GRADES, SCORES, {"groups": QID}),
    ("rows in lists", GRADES.tolist(), SCORES.tolist(), {"groups": QID}),
    ("matrix", GRADES.reshape(6, 10), SCORES.reshape(6, 10), {}),
]


@pytest.mark.parametrize(("what", "truth", "run", "own"), SWAPPED)
def test_swapped_arguments_are_noticed(what: str, truth: Any, run: Any, own: Any) -> None:
    evaluate(truth, run, "ndcg", **own)  # warnings are errors in these tests
    with pytest.warns(RankingDataWarning, match="are they swapped") as caught:
        evaluate(run, truth, "ndcg", **own)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_compare_says_so_too() -> None:
    with pytest.warns(RankingDataWarning, match="are they swapped"):
        compare(RUN, {"a": QRELS, "b": QRELS}, measures="ndcg")


def test_long_tables_are_looked_into() -> None:
    queries = [q for q in RUN for _ in ITEMS]
    scores = [score for run in RUN.values() for score in run.values()]
    table = Qrels.from_columns(queries, ITEMS * len(RUN), grades=scores)
    assert "many different real numbers" in swap_suspicion(table, QRELS)
    assert swap_suspicion(QRELS, table) == ""


def test_ranked_lists_of_the_judged_items_are_noticed() -> None:
    ranked = {q: list(grades) for q, grades in QRELS.items()}
    binary = {q: {i: int(n == 0) for n, i in enumerate(own)} for q, own in QRELS.items()}
    assert "y_true holds ranked lists" in swap_suspicion(ranked, binary)
    assert swap_suspicion(binary, ranked) == ""


@pytest.mark.parametrize(
    ("what", "truth", "run"),
    [
        ("both real", RUN, RUN),
        ("both whole", QRELS, QRELS),
        ("graded by clicks", {q: {"a": 0.5, "b": 0.25, "c": 1.0} for q in RUN}, QRELS),
        ("relevant lists", {q: ["d1"] for q in RUN}, QRELS),
        ("few values", {"q": {"a": 0.1, "b": 0.7}}, {"q": {"a": 1, "b": 0}}),
        ("constant scorer", SCORES, np.zeros(60)),
        ("text", ["a", None], ["b"]),
        ("ragged", [1, [2]], [1, [2]]),
        ("nothing", [], {}),
    ],
)
def test_others_are_not(what: str, truth: Any, run: Any) -> None:
    assert swap_suspicion(truth, run) == ""


@pytest.mark.parametrize("first", [np.inf, -np.inf])
def test_infinite_scores_are_scores(first: float) -> None:
    scores = np.array([first, 1.0, 0.0, 2.0])
    for y_score in (scores, scores.tolist(), list(scores)):
        evaluate([1, 0, 0, 1], y_score, "ndcg", groups=[0, 0, 1, 1])  # warns of nothing
