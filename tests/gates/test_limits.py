"""Limits: those that everything or nothing meets are refused before anything is measured."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import InvalidParameterError
from sklearn_rank.gates.limits import Settings, read_arguments

DROP: dict[str, Any] = {"max_drop": {"map": 0.02}}
SLICED: dict[str, Any] = {**DROP, "slices": {"q001": "s"}}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    # limits of nothing
    "nothing": ({}, "the gate has no limit"),
    "shown": ({"measures": ("mrr",)}, "the gate has no limit"),
    "at_least": ({**DROP, "at_least": {}}, "at_least is empty"),
    "at_most": ({**DROP, "at_most": {}}, "at_most is empty"),
    "max_drop": ({"max_drop": {}}, "max_drop is empty"),
    "hard_drop": ({**DROP, "hard_drop": {}}, "hard_drop is empty"),
    "max_slice_drop": ({**SLICED, "max_slice_drop": {}}, "max_slice_drop must be a number"),
    "slice_at_least": ({**SLICED, "slice_at_least": {}}, "slice_at_least is empty"),
    "a slice": ({**SLICED, "slice_at_least": {"s": {}}}, "slice_at_least is empty"),
    "hard_drop alone": ({"at_least": {"map": 0.1}, "hard_drop": 0.1}, "hard_drop needs max_drop="),
    "slices alone": ({**DROP, "max_slice_drop": 0.1}, "slice limits need slices="),
    "no drop": ({"slices": {"q": "s"}, "max_slice_drop": 0.1}, "max_slice_drop needs max_drop="),
    "a dict": ({"measures": {"map": 0.8}}, r"are named, as in at_least=\{'map': 0\.8\}$"),
    "measures": ({"measures": 0.02}, "limits are named, as in max_drop=0.02$"),
    # percent, and what every value or none meets
    "percent": ({"at_least": {"mrr": 93}}, "must be at most 1.*for 93 % write 0.93"),
    "above": ({"at_least": {"mrr": 1.0001}}, "must be at most 1, which is its maximum"),
    "zero": ({"at_least": {"mrr": 0}}, "above 0 by more than the tolerance of 1e-09"),
    "the tolerance": ({"at_least": {"map": 1e-9}}, "above 0 by more than the tolerance of 1e-09"),
    "dcg": ({"at_least": {"dcg@10": 0}}, "at_least of dcg@10 must be above 0"),
    "lag below 0": ({"at_most": {"lag": -1}}, "at_most of lag must be at least 0"),
    "of a slice": ({**SLICED, "slice_at_least": {"s": {"mrr": 75}}}, "slice_at_least of mrr must"),
    "idcg": ({"at_least": {"idcg@5": 0.1}}, "at_least of idcg@5 has no effect: the measure does"),
    # the wrong direction
    "lag": ({"at_least": {"lag": 0.1}}, "lower is better for lag: limit it by at_most, not by"),
    "map": ({"at_most": {"map": 0.9}}, "higher is better for map: limit it by at_least, not by"),
    # tolerances that are none
    "a negative drop": ({"max_drop": {"mrr": -0.005}}, r"max_drop of mrr must be in \[0, 1\)"),
    "a drop of 5": ({"max_drop": {"mrr": 5}}, "in units of the measure, such as 0.05 for 5 points"),
    "a drop of 1": ({"max_drop": {"mrr": 1}}, r"max_drop of mrr must be in \[0, 1\)"),
    "NaN": ({"max_drop": {"mrr": math.nan}}, "max_drop of mrr must be finite"),
    "hard_drop below 0": ({**DROP, "hard_drop": -0.1}, r"hard_drop of map must be in \[0, 1\)"),
    "hard_drop of 1": ({**DROP, "hard_drop": {"map": 1}}, r"got 1\.0; pass math.inf to"),
    "hard below max": (
        {**DROP, "hard_drop": 0.01},
        "is 0.01, below its max_drop 0.02",
    ),
    "hard of 0": ({**DROP, "hard_drop": 0}, "is 0, below its max_drop 0.02"),
    "slice drop of 5": ({**SLICED, "max_slice_drop": 5}, r"max_slice_drop must be in \[0, 1\)"),
    # names
    "a measure": ({"at_least": {"nrr": 0.5}}, "nrr"),
    "twice": ({"at_least": {"mrr": 0.5, "RR": 0.5}}, "at_least names mrr twice"),
    "hard of 0, where one has": (
        {"max_drop": {"mrr": 0.0, "map": 0.02}, "hard_drop": 0.0},
        r"hard_drop of map is 0, .*its max_drop 0\.02; raise it, or give each measure its own",
    ),
    "hard_drop of another": ({**DROP, "hard_drop": {"mrr": 0.1}}, "mrr, which has no max_drop"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_limit_that_cannot_be_meant_is_refused(name):
    limits, complaint = REFUSED[name]
    with pytest.raises(InvalidParameterError, match=complaint):
        read_arguments(limits, Settings())


MEANT = {
    "min": "did you mean 'at_least'",
    "max": "did you mean 'at_most'",
    "k": "a measure names it",
}


@pytest.mark.parametrize(("name", "meant"), MEANT.items())
def test_limits_by_other_names_are_suggested(name, meant):
    limits: Any = {name: {"map": 0.5}}
    with pytest.raises(TypeError, match=f"argument '{name}'; {meant}"):
        read_arguments(limits, Settings())


def test_limits_just_within_their_range_are_taken():
    below = math.nextafter(1, 0)
    limits: Any = {"max_drop": {"map": below}, "hard_drop": {"map": below}}
    policy = read_arguments({**limits, "at_least": {"map": 1}, "at_most": {"lag": 0}}, Settings())
    assert policy.limits.max_drop == policy.limits.hard_drop == {"map": below}
    assert read_arguments({**DROP, "hard_drop": math.inf}, Settings()).limits.hard_drop == {
        "map": math.inf
    }
    wide: dict[str, Any] = {"max_drop": {"map": 0.4}}
    # A default never judges a drop that the gate allows.
    assert read_arguments(wide, Settings(hard_drop=0.1)).limits.hard_drop == {"map": 0.4}
    assert read_arguments(DROP, Settings(hard_drop=0.1)).limits.hard_drop == {"map": 0.1}


@pytest.mark.parametrize("measure", ["lag", "dcg@10"])
def test_measures_without_an_upper_bound_have_no_default_hard_drop(measure):
    policy = read_arguments({"max_drop": {measure: 0.5}}, Settings())
    assert policy.limits.hard_drop == {measure: math.inf}
    policy = read_arguments({"max_drop": {measure: 0.5}, "hard_drop": 2}, Settings())
    assert policy.limits.hard_drop == {measure: 2.0}


NUMBERS = ["1e-3", "95%", True, None, np.array([0.5]), [0.5], pd.NA, pd.NaT, 0.5j, b"0.5"]


@pytest.mark.parametrize("value", [*NUMBERS, np.True_, 10**400, math.nan], ids=lambda own: None)
def test_a_threshold_is_a_number(value):
    with pytest.raises(InvalidParameterError, match="at_least"):
        read_arguments({"at_least": {"mrr": value}}, Settings())


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_scalars_of_numpy_are_numbers(kind):
    policy = read_arguments({"at_least": {"mrr": kind(0.75)}}, Settings())
    assert type(policy.limits.at_least["mrr"]) is float


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"alpha": 5}, r"alpha must be a number in \(0, 1\)"),
        ({"alpha": True}, "alpha must be"),
        ({"slice_alpha": 0}, "slice_alpha must be"),
        ({"hard_drop": 1.0}, "hard_drop must be"),
        ({"min_slice_size": 1}, "min_slice_size must be an int of at least 2"),
        ({"strict": "yes"}, "strict must be a bool"),
    ],
)
def test_a_setting_has_a_rule(given, rule):
    with pytest.raises(InvalidParameterError, match=rule):
        Settings(**given)
