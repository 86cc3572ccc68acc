"""The page of public names: what each is, and how it is called."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection
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

Of the metric functions the parameters of their own are shown; `...` stands for `groups=None`,
`ties='average'`, `zero_division='warn'`, `sample_weight=None`, `string_provider=None` and
`relevance=None`, which all of them take by name ([Inputs](inputs.md)).
"""

GROUPS: dict[str, tuple[str, ...]] = {
    "Metrics": ("metrics.scores", "metrics.overlap"),
    "Curves": ("metrics.curves",),
    "Evaluation": (
        "evaluation.evaluate",
        "evaluation.result",
        "bounds.unjudged",
        "evaluation.bounds",
        "evaluation.combine",
    ),
    "Comparison": ("comparison.compare", "comparison.result"),
    "Measures": ("measures.grammar", "measures.catalogue"),
    "Conventions": ("measures.conventions",),
    "Scorers": ("scorers",),
    "Model selection": (
        "model_selection.splits",
        "rankers.ranker",
        "rankers.eval_metrics",
    ),
    "Displays": (
        "displays.lines",
        "displays.queries",
        "displays.forest",
        "displays.search",
    ),
    "Inputs": ("inputs.tables",),
    "Files": ("files.read", "files.write"),
    "Larger than memory": ("engines.scan", "engines.read"),
    "Errors and warnings": ("exceptions",),
    "Version": ("the package",),
}
"""Titles of the page, with the modules whose public names stand under each."""

METRICS = tuple(title for title in GROUPS if title.startswith("Metrics"))

SHARED = ("groups", "ties", "zero_division", "sample_weight", "string_provider", "relevance")
"""Parameters of every metric function: said once, so that each one's own are seen."""

CONSTANTS = {
    "METRICS": "All records, one `Metric` for each metric.",
    "CONVENTIONS": "The presets by name.",
    "UndefinedMetricWarning": "scikit-learn's own warning: a metric is undefined for a query.",
    "IntervalMethod": "The words for methods of intervals, as a type.",
    "Correction": "The words for corrections of p-values, as a type.",
    "__version__": "Version of the distribution.",
}
"""What names without a docstring of their own are."""

MODULES = {
    "sklearn_rank.displays": None,
    "sklearn_rank.evaluation": ["evaluate_placements"],
    "sklearn_rank.inputs": ["RelevanceInput"],
    "sklearn_rank.measures": ["METRICS", "Metric"],
    "sklearn_rank.statistics": None,
}
"""Public modules beside the package itself, with the names that it has not; None: all."""


MADE_BY_USERS = {
    "Convention",
    "EngineOptions",
    "QueryKFold",
    "QueryRanker",
    "Qrels",
    "RelevanceInput",
    "Run",
}
"""Classes of which users make instances."""

WITH_METHODS = {
    "Combination",
    "Comparison",
    "Evaluation",
    "ForestDisplay",
    "MeasureAtKDisplay",
    "MeasureCorrelationDisplay",
    "PrecisionRecallAtKDisplay",
    "QueryDifferencesDisplay",
    "QueryDistributionDisplay",
    "RankGate",
    "RankRegressionFixture",
    "RankingPrecisionRecallCurveDisplay",
    "RankingRocCurveDisplay",
    "RankingScorer",
    "SearchResultsDisplay",
}
"""Classes whose methods users call."""

PACKAGES = ("sklearn_rank", "pytest_rankmetrics")


def api_page() -> str:
    """All public names, with their signatures and the first lines of their docstrings."""
    sections = [*_core(), *_modules(), *_plugin()]
    tables = [f"## {title}\n\n{_names(module, names, title)}" for title, module, names in sections]
    return "\n\n".join([_API.rstrip(), *tables]) + "\n"


def _core() -> list[tuple[str, ModuleType, list[str]]]:
    home_of = {
        name: sklearn_rank._HOME_OF.get(name, "the package") for name in sklearn_rank.__all__
    }
    untitled = set(home_of.values()).difference(*GROUPS.values())
    if untitled:
        msg = f"GROUPS of docs/_api.py has no title for the public names of {sorted(untitled)}"
        raise LookupError(msg)
    return [
        (title, sklearn_rank, [name for home in homes for name in home_of if home_of[name] == home])
        for title, homes in GROUPS.items()
    ]


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


def _names(module: ModuleType, names: list[str], title: str) -> str:
    rows = []
    for name in names:
        value = getattr(module, name)
        call = _own_call(value) if title in METRICS else _call(name, value)
        rows.append([f"`{name}`", _what(module, name), call])
        rows += _methods(value) if name in WITH_METHODS else []
    return table(["name", "what it is", "parameters"], rows)


def _methods(owner: type) -> list[list[str]]:
    """What users call on an object, inherited or not; routing is what scikit-learn calls."""
    own = [kind for kind in reversed(owner.__mro__) if kind.__module__.startswith(PACKAGES)]
    names = [name for kind in own for name in vars(kind)]
    functions = {name: getattr(owner, name) for name in names if not name.startswith("_")}
    return [
        [f"`{owner.__name__}.{name}`", _first_line(function), _signature(function)]
        for name, function in functions.items()
        if inspect.isroutine(function) and callable(function) and name != "get_metadata_routing"
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


def _own_call(metric: Callable[..., object]) -> str:
    """Parameters of a metric function without those that all of them take."""
    return _signature(metric, without=SHARED).replace(")`", ", ...)`").replace("*, ...", "...")


def _signature(function: Callable[..., object], without: Collection[str] = ()) -> str:
    """Parameters and defaults, without types."""
    bare = [
        item.replace(annotation=item.empty)
        for item in inspect.signature(function).parameters.values()
        if item.name not in ("self", "cls", *without)
    ]
    text = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", str(inspect.Signature(bare)))
    return f"`{text.replace('<factory>', '{}')}`".replace("|", "\\|")
