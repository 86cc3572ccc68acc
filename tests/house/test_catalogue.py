"""Every record has a function, a worked value, documentation, bounds and a direction.

A new metric is a kernel, a record, a function and a worked value; scorer, gate, spelling and tables
follow from the record. ``test_a_metric_is_complete`` says what is missing, and where it goes.
"""

import inspect
import math
import re
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import pytest_rankmetrics
import sklearn_rank
from pytest_rankmetrics import assert_metric
from pytest_rankmetrics.options import INI, add_options
from sklearn_rank import evaluate, measure
from sklearn_rank.gates.limits import ARGUMENTS
from sklearn_rank.measures import METRICS
from sklearn_rank.measures.catalogue import Metric
from sklearn_rank.metrics import FUNCTIONS
from sklearn_rank.metrics.shared import DataArguments
from tests.house.test_docs import METRIC_PAGES

ROOT = Path(sklearn_rank.__file__).parent.parent
DOCS = ROOT / "docs"

every_record = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
every_function = pytest.mark.parametrize("metric", FUNCTIONS, ids=lambda metric: metric.name)


CATALOGUE = "sklearn_rank/measures/catalogue.py"


def missing_pieces(metric: Metric) -> list[str]:
    """What a metric lacks, each with the file where it belongs."""
    name, function = metric.name, getattr(FUNCTIONS.get(metric), "__name__", "")
    pieces = [
        f"{CATALOGUE}: the checks of {name!r} lack {parameter!r}, a parameter of its kernel"
        for parameter in metric.defaults
        if parameter not in {*metric.checks, "average", "min_rel"}
    ]
    pieces += [
        f"{CATALOGUE}: the record of {name!r} has no {field}"
        for field in ("symbol", "summary", "reference", "formula")
        if not getattr(metric, field)
    ]
    if function and function not in sklearn_rank.__all__:
        pieces.append(f"sklearn_rank/__init__.py: the public names lack {function!r}")
    if name not in METRIC_PAGES.NOTES:
        pieces.append(f"docs/_metric_pages.py: no question and no example by hand of {name!r}")
    if f"](metric/{name}.md)" not in (DOCS / "metrics.md").read_text():
        pieces.append("docs/: not up to date, run `python docs/_generate.py`")
    return pieces


@every_record
def test_a_metric_is_complete(metric: Metric) -> None:
    missing = missing_pieces(metric)
    assert not missing, "\n".join(["", *missing])


def test_names_and_aliases_do_not_clash() -> None:
    names = [name for metric in METRICS for name in (metric.name, *metric.aliases)]
    assert len(names) == len(set(names))
    assert all(name == name.lower() for name in names)


def parameters_of(metric: Metric) -> dict[str, Any]:
    """Those of its functions; smoothing is of one convention."""
    return {name: value for name, value in metric.defaults.items() if name != "smoothing"}


@every_function
def test_function_is_public_and_carries_the_records_parameters(metric: Metric) -> None:
    function = FUNCTIONS[metric]
    assert getattr(sklearn_rank, function.__name__) is function
    parameters = inspect.signature(function).parameters
    defaults = parameters_of(metric)
    own = {*DataArguments._fields, *defaults, *(["k"] if metric.takes_k else [])}
    assert set(parameters) == {"y_true", "y_score", *own}
    for name in own:
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
    for name, default in defaults.items():
        given = parameters[name].default
        if name == "measures":
            given = tuple(measure(one) for one in given)
        assert given == default, f"{metric.name}: {name} has two defaults"
    for name, default in DataArguments._field_defaults.items():
        assert parameters[name].default == default, f"{metric.name}: {name} has two defaults"
        assert get_type_hints(function)[name] == get_type_hints(DataArguments)[name]


SHARED = [
    "groups, ties, zero_division : optional\n"
    "    Query of each row, order of tied items, and value for queries where the metric is "
    "undefined:\n"
    "    docs/inputs.md#rows, docs/inputs.md#ties, docs/inputs.md#undefined-queries.\n",
    "sample_weight, string_provider, relevance : optional\n"
    "    Query weights and options for reading the data, as for every metric: docs/inputs.md.\n",
]


@every_function
def test_docstring_says_what_the_record_and_the_signature_say(metric: Metric) -> None:
    function = FUNCTIONS[metric]
    doc = inspect.getdoc(function) or ""
    upper = "inf)" if math.isinf(metric.upper) else "1"
    source = metric.reference.split(",")[0].split(" 20")[0]
    expected = [*SHARED, "(n_samples,)", "(n_queries, n_items)", f"In [0, {upper}", source]
    assert [text for text in expected if text not in doc] == []
    documented = dict(re.findall(r"^(\w+) : .*default=(.*)$", doc, re.MULTILINE))
    parameters = list(inspect.signature(function).parameters.values())[2:]
    own = [item for item in parameters if item.name not in DataArguments._fields]
    assert documented == {item.name: repr(item.default).replace("'", '"') for item in own}
    assert {*get_type_hints(function)} == {*inspect.signature(function).parameters, "return"}


@every_record
def test_scorer_draws_on_the_record(metric: Metric) -> None:
    scorer = sklearn_rank.make_rank_scorer(FUNCTIONS.get(metric, metric.name))
    assert scorer.measure == measure(metric.name)
    assert scorer._sign == (1 if metric.greater_is_better else -1)


def test_scorers_with_a_name_of_their_own_are_those_of_records() -> None:
    named = {name for name in sklearn_rank.__all__ if name.endswith("_scorer")}
    scorers = [getattr(sklearn_rank, name) for name in named - {"get_scorer", "make_rank_scorer"}]
    assert len({scorer.measure.metric.name for scorer in scorers}) == len(scorers) == 14
    assert {repr(scorer) for scorer in scorers} == {scorer.__name__ for scorer in scorers} < named


# The plugin ---------------------------------------------------------------------------------------


def assertion_name(metric: Metric) -> str:
    return f"assert_{metric.name}_at_{'least' if metric.greater_is_better else 'most'}"


NAMED = [metric for metric in METRICS if assertion_name(metric) in pytest_rankmetrics.__all__]
"""Metrics with an assertion of their own; assert_metric gates every one."""


def test_an_assertion_by_name_is_that_of_a_record() -> None:
    named = {name for name in pytest_rankmetrics.__all__ if name.startswith("assert_")}
    own = set(map(assertion_name, NAMED))
    assert named == own | {"assert_metric", "assert_not_worse"}
    assert set(NAMED) <= set(FUNCTIONS), "what is gated by name has a function, too"


@every_record
def test_every_metric_has_a_gate(metric: Metric) -> None:
    """By its record alone: at its own value it passes, just beyond it fails."""
    if metric.name == "idcg":  # of the judgements alone: a gate would limit nothing
        return
    # One query fails every metric and one passes all but the strictest: no value is 0 or 1.
    grades: Any = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 1, 0, 0]])
    scores: Any = np.array([[4.0, 3, 2, 1], [1, 2, 4, 3], [1, 3, 4, 2]])
    if metric.of_judgements:  # which arrays do not lack
        grades, scores = [{"a": 1, "b": 0}], [["a", "x"]]
    elif metric.of_results:  # which arrays always have
        grades, scores = [{"a": 1}, {"b": 1}, {"c": 0}, {"d": 0}], [["a"], [], ["c"], []]
    name = f"{metric.name}@2" if metric.takes_k else metric.name
    value = evaluate(grades, scores, name)[name]
    limit = "at_least" if metric.greater_is_better else "at_most"
    assert assert_metric(grades, scores, name, **{limit: value}).passed
    beyond = value + (0.01 if metric.greater_is_better else -0.01)
    with pytest_rankmetrics.expected_failure(match=rf"^{metric.symbol}"):
        assert_metric(grades, scores, name, **{limit: beyond})


@pytest.mark.parametrize("metric", NAMED, ids=lambda metric: metric.name)
def test_assertion_carries_the_records_parameters(metric: Metric) -> None:
    function, scored = getattr(pytest_rankmetrics, assertion_name(metric)), FUNCTIONS[metric]
    parameters = inspect.signature(function).parameters
    own = [*(("k",) if metric.takes_k else ()), *parameters_of(metric)]
    assert list(parameters)[:3] == ["y_true", "y_score", "threshold"]
    assert set(list(parameters)[3:]) == {*own, "reading"}
    signature = inspect.signature(scored).parameters
    assert {name: parameters[name] for name in own} == {name: signature[name] for name in own}
    doc = inspect.getdoc(function) or ""
    assert all(text in doc for text in (f"sklearn_rank.{scored.__name__}", metric.symbol))
    # It measures what the function measures.
    sides = np.array([[1, 1, 0, 0], [0, 1, 0, 0]]), np.array([[4.0, 3, 2, 1], [1, 2, 4, 3]])
    cutoff = {"k": 2} if metric.takes_k else {}
    value = scored(*sides, **cutoff)
    assert function(*sides, value, **cutoff).value == value


def test_the_guide_names_every_option_setting_and_keyword() -> None:
    page = (DOCS / "gates_reference.md").read_text()
    guide = page + (DOCS / "gates.md").read_text()
    keywords = ARGUMENTS
    assert [name for name in keywords if not re.search(rf"\b{name}(=|`)", guide)] == []
    rows = [f"| `{name}` | {_in_a_file(default)}".rstrip() for name, _, default, _ in INI]
    assert [row for row in rows if f"\n{row} |" not in page] == []
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    (group,) = [one for one in parser._groups if one.name == "rankmetrics"]
    names = [name for option in group.options for name in option.names()]
    assert len(names) >= 7
    assert [name for name in names if f"| `{name}" not in page] == []


def _in_a_file(default: object) -> str:
    """A default as an ini file has it."""
    if isinstance(default, bool):
        return str(default).lower()
    return "" if default in ("", []) else str(default)
