"""Measures that are sent to where the places are: the same numbers, and no places here."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sklearn_rank import evaluate, measure
from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.data import RankingSizes, refuse_remote

MEASURES = (
    *("map", "ndcg@3", "auc", "auc(average=impressions)", "gauc(n_negatives=9)", "lag", "mrr"),
    *("precision(min_rel=2)@2", "hmean(ndcg,map,beta=0.5)@3", "auc(min_rel=2)"),
)


class Elsewhere:
    """Whole rankings, out of reach but for functions that come pickled, in blocks of queries."""

    def __init__(self, rankings: Any) -> None:
        self.rankings = rankings
        self.released = 0

    def values(self, function: Any, n_values: int) -> list[Any]:
        function = pickle.loads(pickle.dumps(function))
        cuts = [slice(0, 3), slice(3, 4), slice(4, 7)]
        parts = [function(self.rankings.take(cut)) for cut in cuts]
        assert {len(part) for part in parts} == {n_values}
        return [np.concatenate(columns) for columns in zip(*parts, strict=True)]

    def release(self) -> None:
        self.released += 1


def sent_away(evaluation: Evaluation) -> Any:
    judged = evaluation._judged
    rankings = judged.rankings
    grades = np.split(rankings.judged_grades, rankings.judged_offsets[1:-1])
    sizes = RankingSizes.of(
        rankings.query_ids,
        n_ranked=rankings.n_ranked,
        n_relevant=rankings.n_relevant,
        n_retrieved=rankings.n_retrieved,
        n_graded=np.array([(part > 1).sum() for part in grades]),
        in_ties=rankings.in_ties,
        weights=rankings.weights,
    )
    return replace(
        judged, rankings=sizes, remote=Elsewhere(rankings), rank_all=refuse_remote, make_frame=dict
    )


def problem() -> tuple[dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(5)
    truth = {
        f"q{query}": {f"d{item}": int(rng.integers(1, 4)) for item in rng.choice(12, 4, False)}
        for query in range(7)
    }
    run = {
        query: {f"d{item}": float(rng.integers(0, 6)) for item in rng.choice(12, 9, False)}
        for query in [*truth, "unjudged"]
    }
    del run["q3"]
    return truth, run


@pytest.fixture(params=[None, {f"q{number}": number + 0.5 for number in range(7)}])
def here(request):
    return evaluate(*problem(), MEASURES, sample_weight=request.param, zero_division=np.nan)


@pytest.fixture
def away(here):
    judged = sent_away(here)
    scored = score_measures([measure(name) for name in here], judged, np.nan)
    return Evaluation(dict(zip(here, scored, strict=True)), judged)


def test_values_and_counts_are_the_same_of_slices_too(here, away):
    for name in MEASURES:
        assert away.per_query[name].tobytes() == here.per_query[name].tobytes()
        assert repr(away.query_weights(name)) == repr(here.query_weights(name))
        assert away.confidence_interval(name) == here.confidence_interval(name)
    halves = {"first": {"q0", "q1", "q3"}, "second": {"q2", "q5"}}
    parts, others = here.by_slice(halves), away.by_slice(halves)
    for part, other in zip([here, *parts.values()], [away, *others.values()], strict=True):
        assert dict(other.scores) == dict(part.scores)
        assert other.counts == part.counts


def test_places_are_refused(away):
    with pytest.raises(InvalidParameterError, match=r"EngineOptions\(memory_limit="):
        _ = away.rankings
    with pytest.raises(InvalidParameterError, match="stayed where the rows are"):
        away.placements()
    with pytest.raises(InvalidParameterError, match="stayed where the rows are"):
        away._judged.rankings.at_least(2)


def test_grades_and_frames_come_without_places(here, away):
    assert away._judged.remote.released == 1
    some = np.array([0, 2])
    expected = here._judged.rankings
    assert away._judged.rankings.n_graded == expected.n_graded > 0
    assert away._judged.rankings.take(some).n_graded == expected.take(some).n_graded
    frame = away.to_frame("spark")
    assert list(frame) == ["query", *here]
    assert frame["query"] == list(here.query_ids)
    assert frame["map"].tolist() == here.per_query["map"].tolist()
    with pytest.raises(InvalidParameterError, match=r"to_frame\('spark'\) makes a frame of Spark"):
        here.to_frame("spark")


def test_places_of_unjudged_items_are_not_sent():
    truth, run = problem()
    truth["q0"]["d0"] = 0
    here = evaluate(truth, run, "judged@2", zero_division=np.nan)
    judged = sent_away(here)
    unjudged = here._judged.rankings.unjudged
    judged = replace(judged, rankings=replace(judged.rankings, unjudged=unjudged))
    with pytest.raises(InvalidParameterError, match=r"judged@2 reads places of items that are not"):
        score_measures([measure("judged@2")], judged, np.nan)
