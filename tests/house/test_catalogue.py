"""Every record has a function, a scorer, documentation, bounds, direction and property tests."""

from __future__ import annotations

import inspect
import math
from pathlib import Path

import numpy as np
import pytest

import pytest_rankmetrics
import sklearn_rank
from pytest_rankmetrics.session.options import INI, add_options
from sklearn_rank import METRICS, evaluate, measure
from sklearn_rank.measures.catalogue import Metric
from sklearn_rank.metrics import FUNCTIONS
from tests.numbers.invariants import MEASURES

DOCS = Path(sklearn_rank.__file__).parent.parent / "docs"

COMMON = (
    "y_true",
    "y_score",
    "groups",
    "ties",
    "zero_division",
    "sample_weight",
    "string_provider",
    "relevance",
)
SECTIONS = ("Parameters", "Returns", "Raises", "Warns", "References", "Examples")
# Scorers of the records; these three are no quality of a model by themselves, or need no name.
SCORERS = {
    "map": "map_scorer",
    "mar": "mar_scorer",
    "mrr": "mrr_scorer",
    "precision": "precision_scorer",
    "recall": "recall_scorer",
    "fbeta": "f1_scorer",
    "hit_rate": "hit_rate_scorer",
    "ndcg": "ndcg_scorer",
    "err": "err_scorer",
    "nerr": "nerr_scorer",
    "lag": "neg_lag_scorer",
    "auc": "auc_scorer",
    "gauc": "gauc_scorer",
    "lauc": "lauc_scorer",
}
WITHOUT_NAMED_SCORER = {"dcg", "idcg", "hmean"}

every_record = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)


def test_functions_and_records_are_the_same_list() -> None:
    assert set(FUNCTIONS) == set(METRICS)
    assert len(set(FUNCTIONS.values())) == len(METRICS)


def test_names_and_aliases_do_not_clash() -> None:
    names = [name for metric in METRICS for name in (metric.name, *metric.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)


def test_scorers_and_records_are_the_same_list() -> None:
    assert set(SCORERS) | WITHOUT_NAMED_SCORER == {metric.name for metric in METRICS}


@every_record
def test_function_is_public_and_carries_the_records_parameters(metric: Metric) -> None:
    function = FUNCTIONS[metric]
    assert getattr(sklearn_rank, function.__name__) is function
    parameters = inspect.signature(function).parameters
    expected = {*COMMON, *metric.defaults, *(("k",) if metric.takes_k else ())}
    assert set(parameters) == expected
    assert all(
        parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in list(parameters)[2:]
    )
    for name, default in metric.defaults.items():
        given = parameters[name].default
        if name == "measures":
            given = tuple(measure(one) for one in given)
        assert given == default, f"{metric.name}: {name} has two defaults"
    assert parameters["ties"].default == "average"
    assert parameters["zero_division"].default == "warn"


@every_record
def test_docstring_says_everything(metric: Metric) -> None:
    doc = inspect.getdoc(FUNCTIONS[metric]) or ""
    missing = [title for title in SECTIONS if f"{title}\n{'-' * len(title)}" not in doc]
    assert not missing
    assert ">>> " in doc
    assert ".. [1]" in doc
    for word in (
        "(n_samples,)",
        "(n_queries, n_items)",
        "ties :",
        "UndefinedMetricWarning",
        "In [0",
    ):
        assert word in doc, word
    upper = "inf)" if math.isinf(metric.upper) else "1"
    assert f"In [0, {upper}" in doc


@every_record
def test_record_is_complete(metric: Metric) -> None:
    assert metric.symbol
    assert metric.summary.endswith(".")
    assert metric.reference
    assert metric.upper in (1.0, math.inf)
    assert set(metric.checks) | {"average", "min_rel"} >= set(metric.defaults)
    assert (metric.weights is not None) == (len(metric.averages) > 1)


@every_record
def test_direction_and_bounds_hold(metric: Metric) -> None:
    """A perfect ranking is at least as good as every other, and both lie within the bounds."""
    grades = np.array([[2, 1, 0, 0, 0, 0]])
    name = measure(metric.name, k=3) if metric.takes_k else measure(metric.name)
    values = [
        evaluate(grades, scores, name)[name]
        for scores in ([[6, 5, 4, 3, 2, 1]], [[1, 2, 3, 4, 5, 6]], [[3, 6, 5, 4, 2, 1]])
    ]
    best = max(values) if metric.greater_is_better else min(values)
    assert values[0] == best
    assert all(0 <= value <= metric.upper for value in values)


@every_record
def test_scorer_draws_on_the_record(metric: Metric) -> None:
    scorer = sklearn_rank.make_rank_scorer(FUNCTIONS[metric])
    assert scorer.measure == measure(metric.name)
    assert scorer._sign == (1 if metric.greater_is_better else -1)
    if metric.name in SCORERS:
        named = getattr(sklearn_rank, SCORERS[metric.name])
        assert named.measure.metric == metric
        assert repr(named) == named.__name__ == SCORERS[metric.name]


@every_record
def test_docs_have_a_row(metric: Metric) -> None:
    page = (DOCS / "metrics.md").read_text()
    assert FUNCTIONS[metric].__name__ in page


@every_record
def test_property_tests_know_the_record(metric: Metric) -> None:
    """The invariants hold for a measure of every record, or say why they do not."""
    assert metric in {measure.metric for measure in MEASURES}


# The plugin ---------------------------------------------------------------------------------------


def assertion_name(metric: Metric) -> str:
    return f"assert_{metric.name}_at_{'least' if metric.greater_is_better else 'most'}"


def test_assertions_and_records_are_the_same_list() -> None:
    named = {name for name in pytest_rankmetrics.__all__ if name.startswith("assert_")}
    others = {"assert_metric", "assert_not_worse"}
    assert named - others == {assertion_name(metric) for metric in METRICS}


@every_record
def test_assertion_carries_the_records_parameters(metric: Metric) -> None:
    function = getattr(pytest_rankmetrics, assertion_name(metric))
    parameters = inspect.signature(function).parameters
    own = [*(("k",) if metric.takes_k else ()), *metric.defaults]
    assert list(parameters)[:3] == ["y_true", "y_score", "threshold"]
    assert set(list(parameters)[3:]) == {*own, "reading"}
    signature = inspect.signature(FUNCTIONS[metric]).parameters
    for name in own:
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default == signature[name].default, name
        assert parameters[name].annotation == signature[name].annotation, name
    doc = inspect.getdoc(function) or ""
    assert f"sklearn_rank.{FUNCTIONS[metric].__name__}" in doc
    assert metric.symbol in doc
    assert ">>> " in doc


@every_record
def test_assertion_judges_by_the_record(metric: Metric) -> None:
    """It measures what the function measures, and fails just beyond it."""
    grades, scores = (
        np.array([[1, 0, 0, 1], [0, 1, 0, 0]]),
        np.array([[4.0, 3, 2, 1], [1, 2, 4, 3]]),
    )
    cutoff = {"k": 2} if metric.takes_k else {}
    value = FUNCTIONS[metric](grades, scores, **cutoff)
    function = getattr(pytest_rankmetrics, assertion_name(metric))
    assert function(grades, scores, value, **cutoff).value == value
    beyond = value + (0.01 if metric.greater_is_better else -0.01)
    with pytest.raises(pytest_rankmetrics.RankGateFailure, match=rf"^{metric.name}"):
        function(grades, scores, beyond, **cutoff)


def test_the_guide_names_every_option_and_setting() -> None:
    page = (DOCS / "gates.md").read_text()
    assert [name for name, *_ in INI if f"| `{name}` |" not in page] == []
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    (group,) = [one for one in parser._groups if one.name == "rankmetrics"]
    names = [name for option in group.options for name in option.names()]
    assert len(names) >= 10
    assert [name for name in names if f"| `{name}" not in page] == []
