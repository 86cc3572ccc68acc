"""Conventions and other options of scorers, and scorers of measures that are values."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from sklearn_rank import (
    InvalidParameterError,
    evaluate,
    get_scorer,
    map_scorer,
    measure,
    ndcg_scorer,
    rank_scorers,
)

RNG = np.random.default_rng(0)
QID = np.repeat(np.arange(8), 6)
X = RNG.normal(size=(48, 2)).round(1)
GRADES = RNG.integers(0, 3, 48)
GRADES[:6] = 0
MODEL = Ridge().fit(X, GRADES)


def test_measures_that_are_values_have_scorers():
    assert get_scorer(measure("map")) == map_scorer
    assert get_scorer(measure("ndcg@10")) == get_scorer("ndcg@10")
    assert repr(get_scorer(measure("lag"))) == "get_scorer('neg_lag')"
    with pytest.raises(TypeError, match="name must be a str or a measure, got int: 3"):
        get_scorer(3)


@pytest.mark.parametrize("convention", ["sklearn", "lightgbm"])
@pytest.mark.parametrize("spelling", ["ndcg@3", "map@3"])
def test_a_scorer_of_a_convention_gives_the_number_of_evaluate(convention, spelling):
    try:
        told = evaluate(
            GRADES, MODEL.predict(X), spelling, groups=QID, convention=convention, ties="stable"
        )[spelling]
    except InvalidParameterError:
        pytest.skip(f"{convention} has no {spelling}")
    scorers = [
        get_scorer(spelling, convention=convention, ties="stable"),
        get_scorer(spelling).with_options(convention=convention, ties="stable"),
        rank_scorers([spelling], convention=convention, ties="stable")[spelling],
    ]
    for scorer in scorers:
        assert scorer(MODEL, X, GRADES, groups=QID) == told


def test_what_is_said_otherwise_stays():
    exponential = ndcg_scorer.with_options(gain="exp2")
    for scorer in (
        exponential.with_options(convention="sklearn"),
        ndcg_scorer.with_options(convention="sklearn", gain="exp2"),
        get_scorer("ndcg(gain=exp2)", convention="sklearn"),
    ):
        assert dict(scorer.measure.options)["gain"] == "exp2"
        assert scorer.options.zero_division == 0.0
    silent = ndcg_scorer.with_options(zero_division=1.0).with_options(convention="sklearn")
    assert silent.options.zero_division == 1.0
    assert silent.measure.options["gain"] == "linear"


def test_unknown_conventions_are_refused():
    with pytest.raises(InvalidParameterError, match="unknown convention 'lightgbn'; did you mean"):
        map_scorer.with_options(convention="lightgbn")


def test_all_scorers_of_a_search_take_the_same_options():
    scorers = rank_scorers(["map", "ndcg@5", "lag"], zero_division=0.0, groups_from="query")
    assert list(scorers) == ["map", "ndcg@5", "neg_lag"]
    for scorer in scorers.values():
        assert scorer.options.zero_division == 0.0
        assert scorer.options.groups_from == "query"


@pytest.mark.parametrize("option", ["k", "gain", "zero_divison"])
def test_options_that_are_not_of_all_scorers_are_refused(option):
    with pytest.raises(InvalidParameterError, match=f"rank_scorers has no option '{option}'"):
        rank_scorers(["map", "ndcg"], **{option: 3})
