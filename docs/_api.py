"""The page of public names: what each is, and how it is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from types import ModuleType

from _markdown import markdown, table

import pytest_rankmetrics
import sklearn_rank
from sklearn_rank import scorers

_API = """\
# Public names

<!-- Written by docs/_generate.py; change a docstring or `__all__`, and run it. -->

What is listed without a module is imported from `sklearn_rank` itself. `help(name)` shows the
parameters with their shapes and defaults, what is returned, the errors and, of functions, an
example. Names that begin with an underscore are not public, nor are modules that are not named
here.
"""

GROUPS = {
    "evaluation": "Evaluation",
    "metrics.binary": "Metrics of relevant items",
    "metrics.graded": "Metrics of grades",
    "metrics.pairwise": "Metrics of pairs",
    "metrics.recall_levels": "Metrics as deep as there are relevant items",
    "metrics.combined": "Metrics made of others",
    "metrics.curves": "Curves",
    "scorers": "Scorers",
    "measures": "Measures",
    "grammar": "Measures",
    "conventions": "Conventions",
    "files.read": "Reading files",
    "files.write": "Writing files",
    "inputs.long_tables": "Long tables",
    "inputs.relevance": "Inputs",
    "exceptions": "Errors and warnings",
}
"""Title under which api.md lists the names of a module; the module's name where none is given."""

CONSTANTS = {
    "METRICS": "All records, one `Metric` for each metric.",
    "CONVENTIONS": "The presets by name.",
    "UndefinedMetricWarning": "scikit-learn's own warning: a metric is undefined for a query.",
    "IntervalMethod": "The words for methods of intervals, as a type.",
    "__version__": "Version of the distribution.",
}
"""What names without a docstring of their own are."""

MODULES = {
    "sklearn_rank.evaluation": ["evaluate_placements"],
    "sklearn_rank.statistics": None,
}
"""Public modules beside the package itself, with the names that it has not; None: all."""


MADE_BY_USERS = {"QueryKFold", "QueryRanker", "Qrels", "RelevanceInput", "Run"}
"""Classes of which users make instances."""

WITH_METHODS = {"PrecisionRecallAtKDisplay", "RankGate", "RankRegressionFixture"}
"""Classes that are used by their methods alone."""


def api_page() -> str:
    """All public names, with their signatures and the first lines of their docstrings."""
    sections = [*_core(), *_modules(), *_plugin()]
    tables = [f"## {title}\n\n{_names(module, names)}" for title, module, names in sections]
    return "\n\n".join([_API.rstrip(), *tables]) + "\n"


def _core() -> list[tuple[str, ModuleType, list[str]]]:
    groups: dict[str, list[str]] = {title: [] for title in GROUPS.values()}
    for name in sklearn_rank.__all__:
        home = sklearn_rank._HOME_OF.get(name, "the package")
        groups.setdefault(GROUPS.get(home, home), []).append(name)
    return [(title, sklearn_rank, names) for title, names in groups.items() if names]


def _modules() -> list[tuple[str, ModuleType, list[str]]]:
    sections = []
    for path, names in MODULES.items():
        module = import_module(path)
        sections.append((f"In `{path}`", module, names or list(module.__all__)))
    return sections


def _plugin() -> list[tuple[str, ModuleType, list[str]]]:
    names = pytest_rankmetrics.__all__
    assertions = [name for name in names if name.startswith("assert_")]
    others = [name for name in names if name not in assertions]
    return [
        ("Assertions, in `pytest_rankmetrics`", pytest_rankmetrics, assertions),
        ("Gates, in `pytest_rankmetrics`", pytest_rankmetrics, others),
    ]


def _names(module: ModuleType, names: list[str]) -> str:
    rows = []
    for name in names:
        value = getattr(module, name)
        rows.append([f"`{name}`", _what(module, name), _call(name, value)])
        rows += _methods(value) if name in WITH_METHODS else []
    return table(["name", "what it is", "parameters"], rows)


def _methods(owner: type) -> list[list[str]]:
    functions = [getattr(owner, name) for name in vars(owner) if not name.startswith("_")]
    return [
        [f"`{owner.__name__}.{function.__name__}`", _first_line(function), _signature(function)]
        for function in functions
        if inspect.isroutine(function)
    ]


def _first_line(value: object) -> str:
    return markdown(value, "\n\n").replace("\n", " ")


def _what(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if name in CONSTANTS:
        return CONSTANTS[name]
    if isinstance(value, scorers.RankingScorer):
        negated = (
            "" if value.measure.metric.greater_is_better else "; negated, so greater is better"
        )
        return f"Scorer of `{value.measure}`{negated}."
    return _first_line(value)


def _call(name: str, value: object) -> str:
    """Parameters of what users call; results, records and gates are made for them."""
    if isinstance(value, scorers.RankingScorer):
        return "`(estimator, X, y, **metadata)`"
    return _signature(value) if inspect.isfunction(value) or name in MADE_BY_USERS else ""


def _signature(function: Callable[..., object]) -> str:
    """Parameters and defaults, without types."""
    bare = [
        item.replace(annotation=item.empty)
        for item in inspect.signature(function).parameters.values()
        if item.name != "self"
    ]
    return f"`{inspect.Signature(bare)}`".replace("|", "\\|").replace("<class 'float'>", "float")
