"""What to judge next: the moves are those of evaluating once more with one judgement more."""

import random
from typing import Any

import numpy as np
import pytest

from sklearn_rank import Evaluation, evaluate
from sklearn_rank.evaluation.judge_next import next_to_judge
from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UnknownMeasureError
from sklearn_rank.inputs import RelevanceInput
from sklearn_rank.rankings.placements import unjudged_items

Table = dict[str, dict[str, Any]]


def test_golden() -> None:
    # P@2 of one query: an item at rank 1 or 2 moves it by 1/2, one below by nothing; the mean over
    # two queries by half of that.
    truth = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    run = {"q1": ["x", "a", "y"], "q2": ["a", "b"]}
    ev = evaluate(truth, run, "precision@2", keep_items=True)
    frame = ev.to_judge()
    assert frame.columns.tolist() == ["query", "item", "grade", "rank", "change"]
    rows = frame[["query", "item", "rank", "change"]].to_numpy().tolist()
    assert rows == [["q1", "x", 1, 0.25], ["q2", "b", 2, 0.25]]
    assert frame["grade"].isna().all()


def test_golden_difference() -> None:
    # RR: with x relevant, the new system has 1 instead of 1/2, the old one stays at 1.
    truth = {"q": {"a": 1, "b": 0}}
    new = evaluate(truth, {"q": ["x", "a"]}, "mrr", keep_items=True)
    old = evaluate(truth, {"q": ["a", "y"]}, "mrr", keep_items=True)
    columns = new.to_judge(None, old, backend=None)
    assert list(zip(*columns.values(), strict=True)) == [
        ("q", "x", None, 1, None, 0.5),
        ("q", "y", None, None, 2, 0.0),
    ]


def problem(seed: int) -> tuple[Table, Table, Table]:
    """Incomplete judgements and two systems with ties."""
    rng = random.Random(seed)
    truth: Table = {}
    runs: tuple[Table, Table] = ({}, {})
    for query in ("q1", "q2", "q3"):
        items = list("abcdefg")
        truth[query] = {item: rng.choice((0, 0, 1, 2)) for item in items if rng.random() < 0.5}
        for run in runs:
            ranked = rng.sample(items, rng.randint(1, 7))
            run[query] = {item: float(rng.randint(0, 4)) for item in ranked}
    truth["q1"]["z"] = 2
    return truth, *runs


MEASURES = (
    "ndcg@3",
    "map",
    "precision@2",
    "err@4",
    "hmean(ndcg,map)@3",
    "ndcg(gain=linear)",
    "auc",
    "lag",
)


def value(truth: Table, run: Table, measure: str, zero: float) -> float:
    ev = evaluate(truth, run, measure, zero_division=zero, assume="partial")
    return 0.0 if np.isnan(ev[measure]) else ev[measure]


@pytest.mark.parametrize(
    ("measure", "zero", "of_two"),
    [(measure, zero, False) for measure in MEASURES for zero in (0.0, np.nan)]
    + [(measure, zero, True) for measure in ("ndcg@3", "map", "auc") for zero in (0.0, np.nan)],
)
def test_moves_are_those_of_evaluating_again(measure: str, zero: float, of_two: bool) -> None:
    for seed in range(6):
        truth, run, old = problem(seed)
        options = {"zero_division": zero, "assume": "partial", "keep_items": True}
        new, reference = evaluate(truth, run, measure, **options), None
        if of_two:
            # The other side has its queries in another order, and one of its own.
            other = dict(reversed([*old.items(), ("q4", {"a": 1.0})]))
            reference = evaluate({**truth, "q4": {"a": 1}}, other, measure, **options)
        columns = new.to_judge(None, reference, backend=None)
        highest = max(grade for judged in truth.values() for grade in judged.values()) or 1

        def result(truth: Table, run: Table = run, old: Table = old) -> float:
            known = value(truth, old, measure, zero) if of_two else 0.0
            return value(truth, run, measure, zero) - known

        for query, item, move in zip(
            columns["query"], columns["item"], columns["change"], strict=True
        ):
            graded = {**truth, query: {**truth[query], item: highest}}
            assert move == pytest.approx(result(graded) - result(truth), abs=1e-12)
        assert np.all(np.diff(np.abs(columns["change"])) <= 1e-15), "the largest first"
        sides = [(new, run), *([(reference, old)] if reference else [])]
        depth = 3 if measure.endswith("3") else None
        if measure in ("ndcg@3", "map"):
            assert set(zip(columns["query"], columns["item"], strict=True)) == {
                (query, item)
                for ev, own in sides
                for query in truth
                for item in (top(ev, query, 3) if depth else own[query])
                if item not in truth[query]
            }


@pytest.mark.parametrize("of_two", [False, True])
def test_items_within_the_first_ranks_of_a_system(of_two: bool) -> None:
    for seed in range(20):
        truth, *runs = problem(seed)
        options = {"assume": "partial", "keep_items": True, "zero_division": 0.0}
        systems = [evaluate(truth, run, "map", **options) for run in runs[: 1 + of_two]]
        columns = next_to_judge(systems, None, None)
        wanted = {query: set.union(*(top(one, query, 2) for one in systems)) for query in truth}
        pairs = zip(columns["query"], columns["item"], strict=True)
        rows = [row for row, (query, item) in enumerate(pairs) if item in wanted[query]]
        found = next_to_judge(systems, None, None, within=2)
        assert found == {name: [column[row] for row in rows] for name, column in columns.items()}


def top(ev: Evaluation, query: str, k: int) -> set[str]:
    """Unjudged items of a query that may stand within the first k."""
    number = list(ev.query_ids).index(query)
    (items,), positions = unjudged_items(ev.ranking_data, [number]), ev.rankings.unjudged.positions
    above = positions.take(slice(number, number + 1)).above
    return {item for item, n_above in zip(items, above, strict=True) if n_above < k}


def test_weights_count() -> None:
    truth = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}}
    run = {"q1": ["x", "a"], "q2": ["y", "a"]}
    weights = {"q1": 1.0, "q2": 3.0}
    ev = evaluate(truth, run, "precision@2", sample_weight=weights, keep_items=True)
    columns = ev.to_judge(backend=None)
    assert columns["item"] == ["y", "x"]
    assert columns["change"] == [0.5 * 3 / 4, 0.5 * 1 / 4]


def test_a_query_that_would_be_defined_counts() -> None:
    # Left out now; with x relevant it has an RR of 1, and the mean of 1/2 rises to 3/4.
    truth = {"q1": {"a": 1}, "q2": {"b": 0}}
    run = {"q1": ["b", "a"], "q2": ["x", "b"]}
    ev = evaluate(truth, run, "mrr", zero_division=np.nan, keep_items=True)
    columns = ev.to_judge(backend=None)
    # With b of q1 relevant, the mean of one query rises from 1/2 to 1.
    assert list(zip(columns["query"], columns["item"], columns["change"], strict=True)) == [
        ("q1", "b", 0.5),
        ("q2", "x", 0.25),
    ]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_all_libraries(backend: Any) -> None:
    ev = evaluate({"q": {"a": 1, "b": 0}}, {"q": ["x", "a"]}, "mrr", keep_items=True)
    assert list(map(str, ev.to_judge(1, backend=backend)["item"])) == ["x"]
    complete = evaluate({"q": {"a"}}, {"q": ["x", "a"]}, "mrr", keep_items=True)
    assert complete.to_judge(backend=backend).shape == (0, 5)
    for n in (0, 1.5, True, "3"):
        with pytest.raises(InvalidParameterError, match="'n' parameter of to_judge must be an int"):
            ev.to_judge(n)  # type: ignore[arg-type]


def test_what_means_nothing_is_refused() -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 2.0, "a": 1.0, "b": 0.5}}
    with pytest.raises(InvalidParameterError, match="item ids were not stored; pass keep_items"):
        evaluate(truth, run, "mrr").to_judge()
    ev = evaluate(truth, run, ("mrr", "auc(average=pooled)"), keep_items=True)
    with pytest.raises(InvalidParameterError, match="ranks the items of all queries together"):
        ev.to_judge(measure="auc(average=pooled)")
    with pytest.raises(UnknownMeasureError, match="'map' was not evaluated"):
        ev.to_judge(measure="map")
    with pytest.raises(InvalidParameterError, match="depends on which items are judged; pass"):
        evaluate(truth, run, "bpref", keep_items=True).to_judge()
    twice = evaluate(
        truth, {"q": list("xab")}, "mrr", relevance={"q": [3.0, 2.0, 1.0]}, keep_items=True
    )
    with pytest.raises(InvalidParameterError, match="if relevance= ranks them a second time"):
        twice.to_judge()
    tied = {"q": {"x": 2.0, "a": 2.0}}
    assert len(evaluate(truth, tied, "mrr", ties="stable", keep_items=True).to_judge()) == 1
    with pytest.raises(InvalidParameterError, match="evaluate with ties='average', 'stable' or"):
        evaluate(truth, tied, "mrr", ties="optimistic", keep_items=True).to_judge()
    other = evaluate({"r": {"a": 1, "b": 0}}, {"r": ["x"]}, "mrr", keep_items=True)
    with pytest.raises(QueryMismatchError, match="the evaluations have no query in common"):
        ev.to_judge(baseline=other)


# Condensed lists and ids of unjudged items: equal to lists from which the caller took them --------

CONDENSED = ("map", "ndcg@3", "mrr", "precision@2", "recall@4", "err", "lag", "gauc", "rprec")
RULES = ("average", "stable", "docid", "optimistic", "pessimistic")


def incomplete(seed: int, *, scored: bool) -> tuple[dict[str, dict[str, int]], dict[str, Any]]:
    """Queries of which some items are unjudged, scores with ties; one truth is complete."""
    rng = random.Random(seed)
    truth: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for query in ("q1", "q2", "q3"):
        items = list("abcdefgh")[: rng.randint(1, 8)]
        rng.shuffle(items)
        truth[query] = {item: rng.choice((0, 0, 1, 2)) for item in items if rng.random() < 0.6}
        truth[query] |= {"z": 0, "a": 1}
        run[query] = {item: float(rng.randint(0, 3)) for item in items} if scored else items
    return truth, run


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("scored", [True, False], ids=["scores", "lists"])
def test_values_are_those_of_lists_without_unjudged_items(ties: str, scored: bool) -> None:
    for seed in range(40):
        truth, run = incomplete(seed, scored=scored)
        alone = {
            query: {item: score for item, score in items.items() if item in truth[query]}
            if scored
            else [item for item in items if item in truth[query]]
            for query, items in run.items()
        }
        options = {"ties": ties, "zero_division": np.nan, "keep_items": True}
        whole = evaluate(truth, run, CONDENSED, **options)
        lists = evaluate(truth, alone, CONDENSED, **options)
        short = whole.condensed()
        for name in CONDENSED:
            np.testing.assert_allclose(short.per_query[name], lists.per_query[name], atol=1e-14)
        assert short.counts == {**lists.counts, "unjudged_items": 0}
        assert short.placements() == lists.placements()
        assert short.condensed()["map"] == pytest.approx(short["map"], nan_ok=True)


@pytest.mark.parametrize("ties", RULES)
@pytest.mark.parametrize("scored", [True, False], ids=["scores", "lists"])
def test_unjudged_items_are_named_in_the_order_of_their_places(ties: str, scored: bool) -> None:
    for seed in range(40):
        truth, run = incomplete(seed, scored=scored)
        ev = evaluate(truth, run, "map", ties=ties, keep_items=True)
        placements = ev.placements()
        offsets, above, tied = ev.rankings.unjudged.positions
        for number, own in enumerate(unjudged_items(ev.ranking_data)):
            placement, rows = placements[number], slice(*offsets[number : number + 2])
            assert set(own) == set(run[placement.query]) - set(truth[placement.query])
            for item, first, size in zip(own, above[rows], tied[rows], strict=True):
                # Its id stands where its place says.
                assert item in placement.ranking[first : first + size]


def test_a_complete_truth_is_left_alone() -> None:
    ev = evaluate({"q": {"a"}}, {"q": ["x", "a"]}, "mrr")
    assert ev.condensed() is ev
    assert list(unjudged_items(ev.ranking_data)) == [[]]


def test_pooled_measures_are_refused_by_name() -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 2.0, "a": 1.0, "b": 0.5}}
    ev = evaluate(truth, run, "auc(average=pooled)", keep_items=True)
    with pytest.raises(InvalidParameterError, match="condensed lists have no scores"):
        ev.condensed()


def test_relevance_scores_and_rankings_without_ids() -> None:
    truth, run = {"q": {"a": 1, "b": 0}}, {"q": ["x", "a", "b"]}
    assert evaluate(truth, run, "mrr@1").condensed()["mrr@1"] == 1.0
    relevance = RelevanceInput({"q": [3.0, 3.0, 1.0]})
    ev = evaluate(truth, run, ("mrr", "gauc"), relevance=relevance, keep_items=True)
    assert ev.scores == {"mrr": 0.5, "gauc": 0.75}
    assert evaluate(truth, run, both := "hmean(gauc,mrr)", relevance=relevance)[both] == 0.6
    assert ev.condensed().scores == dict.fromkeys(ev, 1.0)
