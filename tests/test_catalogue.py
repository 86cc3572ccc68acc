"""Every record has a function, a scorer, documentation, bounds, direction and property tests."""

from __future__ import annotations

import inspect
import math
from pathlib import Path

import numpy as np
import pytest

import sklearn_rank
from sklearn_rank import METRICS, evaluate, measure
from sklearn_rank.measures import Metric
from sklearn_rank.metrics import FUNCTIONS

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
    """The invariants are parametrised over all records, not over a list that someone keeps."""
    text = (Path(__file__).parent / "test_invariants.py").read_text()
    assert "METRICS" in text
