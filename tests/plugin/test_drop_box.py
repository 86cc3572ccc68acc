"""One verdict over all grades of the unjudged items agrees with that of every single grading."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from pytest_rankmetrics import RankGateWarning, assert_not_worse, expected_failure
from pytest_rankmetrics.assessment.box import DropBox, assess_boxes
from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import (
    TOO_FEW,
    UNJUDGED,
    Decision,
    Rule,
    Verdict,
    assess_change,
)
from sklearn_rank.statistics.differences import Differences, correct_p_values

GREEN = {Verdict.PASS, Verdict.IMPROVED}


def judged(
    drops: list[np.ndarray], weights: np.ndarray | None, rules: list[Rule], settings: Settings
) -> list[Decision]:
    """Verdicts of one grading on several measures, as a complete gate finds them."""
    paired = [
        Differences.of(-values if weights is None else -values * weights)
        if settings.test == "permutation"
        else Differences.of(-values, weights=weights)
        for values in drops
    ]
    p_values = correct_p_values(
        [one.p(settings.test, "less") for one in paired], settings.correction
    )  # type: ignore[arg-type]
    return [
        assess_change(
            float(np.average(values, weights=weights)),
            len(one),
            p,
            own,
            can_confirm=one.p_floor("less") * len(drops) <= settings.alpha,
        )
        for values, one, p, own in zip(drops, paired, p_values, rules, strict=True)
    ]


def agrees(decision: Decision, found: set[Verdict]) -> bool:
    """Whether a verdict says nothing that some grading contradicts."""
    if decision.verdict is Verdict.CANNOT_TELL and decision.reason == UNJUDGED:
        return True
    if decision.verdict is Verdict.WARN or decision.reason == TOO_FEW:
        return found <= {*GREEN, decision.verdict}
    return found <= (GREEN if decision.verdict in GREEN else {decision.verdict})


@pytest.mark.parametrize("kind", ["t", "weighted", "two measures", "permutation"])
def test_no_grading_disagrees(kind):
    settings = Settings(test="permutation" if kind == "permutation" else "t", min_queries=5)
    rng, certain, needless = np.random.default_rng(0), 0, 0
    for _ in range(30):
        n = 12 if kind == "permutation" else 30
        weights = rng.uniform(0.2, 3, n) if kind == "weighted" else None
        boxes, corners = [], []
        for _ in range(2 if kind == "two measures" else 1):
            low = np.where(rng.random(n) < 0.5, 0, rng.normal(rng.normal(0, 0.03), 0.05, n))
            high, open_ = low.copy(), rng.choice(n, 4, replace=False)
            high[open_] += rng.uniform(0, rng.choice([0.02, 0.2, 1]), 4)
            boxes.append((low, high))
            own = []
            for chosen in itertools.product([0, 1, 0.5], repeat=4):
                drops = low.copy()
                drops[open_] += np.array(chosen) * (high - low)[open_]
                own.append(drops)
            corners.append(own)
        hard = rng.choice([0.03, math.inf])
        rules = [Rule(0.005, hard, settings.min_queries, settings.alpha, settings.confirm)]
        rules *= len(boxes)
        made = {
            number: DropBox.of(ends, weights, np.zeros(n, bool))
            for number, ends in enumerate(boxes)
        }
        named = dict(enumerate(rules))
        found_all = assess_boxes(
            made, named, settings, lambda floor, tests: floor * tests <= settings.alpha
        )
        decisions = [found_all[number] for number in made]
        found: list[set[Verdict]] = [set() for _ in boxes]
        for drops in zip(*corners, strict=True):
            for own_set, single in zip(
                found, judged(list(drops), weights, rules, settings), strict=True
            ):
                own_set.add(single.verdict)
        for decision, verdicts in zip(decisions, found, strict=True):
            assert agrees(decision, verdicts), (decision, verdicts)
            certain += decision.verdict is not Verdict.CANNOT_TELL
            shared = verdicts <= GREEN or verdicts == {Verdict.FAIL} or Verdict.FAIL not in verdicts
            needless += decision.reason == UNJUDGED and shared
    assert certain > 10
    assert needless <= 2


# Two ends do not say what lies between -----------------------------------------------------------

TRUTH = {f"q{n:02d}": {"a": 1, **{f"z{i}": 0 for i in range(12)}} for n in range(30)}


def ranking(place: int, unjudged: int | None = None) -> list[str]:
    items = [f"z{i}" for i in range(10)]
    items[place - 1] = "a"
    if unjudged is not None:
        items[unjudged - 1] = "new"
    return items


def compare(old: dict[str, list[str]], new: dict[str, list[str]], **options: Any) -> Any:
    return assert_not_worse(
        TRUTH, new, old, "mrr@10", unjudged="bounds", allow={"cannot_tell"}, **options
    )


def test_what_no_grading_confirms_is_not_confirmed():
    old, new = {q: ranking(2) for q in TRUTH}, {q: ranking(2) for q in TRUTH}
    for number in range(12):
        place = (1, 3) if number % 2 else (3, 1)
        old[f"q{number:02d}"], new[f"q{number:02d}"] = map(ranking, place)
    old["q20"] = ranking(2, 1)
    with pytest.warns(RankGateWarning, match="not significant for any grading"):
        result = compare(old, new, max_drop=0.01)
    assert result.verdict is Verdict.WARN
    assert result.metrics["mrr@10"].reason == "not confirmed"


def test_a_drop_that_every_grading_confirms_fails():
    old, new = {q: ranking(2) for q in TRUTH}, {q: ranking(3) for q in TRUTH}
    old["q00"], new["q01"] = ranking(2, 1), ranking(3, 2)
    with expected_failure(match=r"MRR@10 fell from 0\.500 to 0\.333"):
        compare(old, new, hard_drop=0.9)
