"""One record for each rule of ties: types, docstrings, presets and the guide draw on it."""

import inspect
import re
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest

from sklearn_rank import CONVENTIONS, InvalidParameterError, evaluate
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.rankings.ranking import TIE_RULES, TieRule, check_ties
from sklearn_rank.typing import Ties

WORDS = ", ".join(repr(name) for name in TIE_RULES)

every_rule = pytest.mark.parametrize("rule", TIE_RULES.values(), ids=lambda rule: rule.name)


def test_the_type_names_every_rule() -> None:
    assert get_args(Ties) == tuple(TIE_RULES)


def test_presets_name_rules() -> None:
    assert {preset.ties for preset in CONVENTIONS.values()} <= TIE_RULES.keys()


def test_only_rules_are_accepted() -> None:
    message = f"The 'ties' parameter of evaluate must be one of {WORDS}. Got 'random' instead."
    with pytest.raises(InvalidParameterError, match=f"^{re.escape(message)}$"):
        check_ties("random", "evaluate")


@pytest.mark.parametrize("function", [evaluate, *FUNCTIONS.values()], ids=lambda f: f.__name__)
def test_docstrings_that_list_rules_list_them_all(function: Callable[..., Any]) -> None:
    listed = re.search(r"\bties : \{(.*?)\}", inspect.getdoc(function) or "", re.DOTALL)
    if listed is not None:
        assert re.findall(r'"(\w+)"', listed[1]) == list(TIE_RULES)


@every_rule
def test_a_rule_without_ids_orders_arrays_and_one_with_ids_refuses_them(rule: TieRule) -> None:
    grades, scores = np.array([[0, 1]]), np.array([[1.0, 1.0]])
    if rule.by_id:
        with pytest.raises(ValueError, match=rf"^ties='{rule.name}' breaks ties by item ids"):
            evaluate(grades, scores, "mrr", ties=rule.name)
    else:
        expected = {"average": (1 + 1 / 2) / 2, "optimistic": 1.0}.get(rule.name, 1 / 2)
        assert evaluate(grades, scores, "mrr", ties=rule.name)["mrr"] == expected


@every_rule
def test_a_rule_by_place_depends_on_the_order_of_the_input_unless_ids_decide(rule: TieRule) -> None:
    values = {
        evaluate({"q": {"a"}}, {"q": ranking}, "mrr", ties=rule.name)["mrr"]
        for ranking in ({"a": 1.0, "b": 1.0}, {"b": 1.0, "a": 1.0})
    }
    assert len(values) == (2 if rule.by_place and not rule.by_id else 1)
