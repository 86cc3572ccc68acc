"""Rankings whose ties were broken by different rules are neither compared nor merged."""

from __future__ import annotations

import pytest

from sklearn_rank import Evaluation, compare, evaluate
from sklearn_rank.exceptions import InvalidParameterError

TRUTH = {"q1": {"a"}, "q2": {"b"}}
TIED = {"q1": {"a": 1.0, "x": 1.0}, "q2": {"b": 1.0, "x": 1.0}}
ORDERED = {"q1": ["a", "x"], "q2": ["x", "b"]}


def test_systems_of_different_tie_rules_are_refused() -> None:
    lucky, fair = evaluate(TRUTH, TIED, "mrr", ties="optimistic"), evaluate(TRUTH, TIED, "mrr")
    assert (lucky["mrr"], fair["mrr"]) == (1.0, (1 + 1 / 2) / 2)
    message = r"ties='average' for 'baseline' and ties='optimistic' for 'system'; evaluate all"
    with pytest.raises(InvalidParameterError, match=message):
        compare(fair, lucky)
    with pytest.raises(InvalidParameterError, match="evaluate all systems in one way"):
        compare(fair, lucky.by_slice({"q1": "all", "q2": "all"})["all"])


def test_ranked_lists_have_no_ties_and_go_with_any_rule() -> None:
    lists = evaluate(TRUTH, ORDERED, "mrr", ties="average")
    lucky = evaluate(TRUTH, TIED, "mrr", ties="optimistic")
    assert compare(lists, lucky)["mrr"].difference == 1.0 - (1 + 1 / 2) / 2


def test_parts_of_different_tie_rules_are_not_merged() -> None:
    parts = [
        evaluate({q: TRUTH[q]}, {q: TIED[q]}, "mrr", ties=ties)
        for q, ties in (("q1", "average"), ("q2", "pessimistic"))
    ]
    with pytest.raises(InvalidParameterError, match=r"different rules, 'average', 'pessimistic'"):
        Evaluation.merge(*parts)
