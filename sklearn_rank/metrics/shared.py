"""Options, docstrings and computation that all metric functions share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypedDict, TypeVar

from sklearn_rank.evaluation.compute import score_measures
from sklearn_rank.evaluation.read import read
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.measures.record import Measure, Metric, refuse_cutoff
from sklearn_rank.support.checks import check_zero_division
from sklearn_rank.typing import StringProvider, Ties, Unretrieved, ZeroDivision

Function = TypeVar("Function", bound=Callable[..., float])

_measure_of = lru_cache(maxsize=64, typed=True)(Measure.of)


class DataOptions(TypedDict, total=False):
    """Options that every metric takes besides its own."""

    groups: Any
    ties: Ties
    zero_division: ZeroDivision
    sample_weight: Any
    string_provider: StringProvider | None
    relevance: Any
    ignore_identical_ids: bool


class BinaryOptions(DataOptions, total=False):
    """Options of metrics for which an item is relevant or not."""

    min_rel: float | None


class PairOptions(BinaryOptions, total=False):
    """Options of metrics of pairs of a relevant and an irrelevant item."""

    unretrieved: Unretrieved
    n_negatives: int | Sequence[int] | Mapping[Any, int] | None


class GradedAtK(DataOptions, total=False):
    """Options of metrics that read grades, with a cutoff."""

    k: int | None


class BinaryAtK(BinaryOptions, GradedAtK, total=False):
    """The same for metrics for which an item is relevant or not."""


class PairsAtK(PairOptions, GradedAtK, total=False):
    """The same for metrics of pairs."""


_DEFAULTS: DataOptions = {
    "groups": None,
    "ties": "average",
    "zero_division": "warn",
    "sample_weight": None,
    "string_provider": None,
    "relevance": None,
    "ignore_identical_ids": False,
}


FUNCTIONS: dict[Metric, Callable[..., float]] = {}
"""The documented function of each metric that has one."""
_KINDS = {
    f"Unpack[{kind.__name__}]": kind
    for kind in (BinaryOptions, PairOptions, GradedAtK, BinaryAtK, PairsAtK)
}


def score(
    metric: Metric,
    y_true: Any,
    y_score: Any,
    *,
    zero_division: ZeroDivision = "warn",
    **options: Any,
) -> float:
    """Mean of a metric over the queries of any layout; ``options`` are its own and the data's."""
    own = {name: options.pop(name) for name in metric.defaults if name in options}
    k = options.pop("k", None) if metric.takes_k else None
    for name, value in options.items():
        if name == "k":
            refuse_cutoff(metric, value)
        if name not in _DEFAULTS:
            owner = FUNCTIONS[metric].__name__ if metric in FUNCTIONS else metric.name
            msg = f"{owner}() got an unexpected keyword argument {name!r}"
            raise TypeError(msg)
    try:
        measure = _measure_of(metric, k, **own)
    except TypeError:  # a table or an array, which has no hash, or an error that comes again
        measure = Measure.of(metric, k, **own)
    undefined = check_zero_division(zero_division, metric.name)
    data = read(y_true, y_score, ReadOptions(metric.name, **options))
    return score_measures([measure], data, undefined)[0].average.value


# Docstrings --------------------------------------------------------------------------------------


def documented(metric: Metric) -> Callable[[Function], Function]:
    """Complete signature and docstring by what all metrics share, and list the function."""

    def complete(function: Function) -> Function:
        signature = inspect.signature(function)
        y_true, y_score, *own, data = signature.parameters.values()
        options = _KINDS[data.annotation].__annotations__
        defaults = {"k": None, **metric.defaults, **_DEFAULTS}
        shared = {
            name: inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults[name],
                annotation=options[name].__forward_arg__,
            )
            for name in defaults
            if name in options
        }
        first = [shared.pop(name) for name in ("groups", "k") if name in shared]
        parameters = [y_true, y_score, *first, *own, *shared.values()]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        if function.__doc__:  # which python -OO leaves out
            names = ["y_true, y_score", *(parameter.name for parameter in parameters[2:])]
            function.__doc__ = _completed(function, metric, names)
        FUNCTIONS[metric] = function
        return function

    return complete


def _completed(function: Function, metric: Metric, names: list[str]) -> str:
    own = sections(function.__doc__ or "")
    own["Examples"] = f">>> from sklearn_rank import {function.__name__}\n{own['Examples']}"
    entries = {**PARAMETERS, **entries_of(own.pop("Parameters", ""))}
    parts = {
        "Parameters": "\n".join(entries[name] for name in names),
        "Returns": own.pop("Returns", _RETURNS),
        "Raises": "\n".join(filter(None, (_RAISES, own.pop("Raises", "")))),
        "Warns": own.pop("Warns", _WARNS_OF_PAIRS if "n_negatives" in metric.checks else _WARNS),
        "References": own.pop("References", f".. [1] {metric.reference}."),
    }
    text = own.pop("") + "".join(
        f"\n\n{title}\n{'-' * len(title)}\n{body}" for title, body in {**parts, **own}.items()
    )
    return text.replace("\n", "\n    ").replace("\n    \n", "\n\n") + "\n    "


def sections(doc: str) -> dict[str, str]:
    """Parts of a docstring by their titles, without indentation; what comes first has none."""
    plain = inspect.cleandoc(doc)  # indented or, since Python 3.13, not
    # A function's own docstring ends with examples that have no title.
    titled = re.sub(r"\n\n(?=>>> )", "\n\nExamples\n--------\n", plain, count=1)
    parts = re.split(r"\n\n(\w+)\n-+\n", titled)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries_of(body: str) -> dict[str, str]:
    """Entries of a list of parameters, by name."""
    return {entry.split(" : ")[0]: entry for entry in re.split(r"\n(?=\S)", body) if entry}


PARAMETERS = entries_of(
    """\
y_true, y_score : arrays of shape (n_samples,) or (n_queries, n_items), or other layouts
    Ground truth, and scores or ranked lists, in one of the layouts of docs/inputs.md.
groups : array-like of shape (n_samples,), default=None
    Query id of each row; needed for rows, refused elsewhere: docs/inputs.md#rows.
k : int, default=None
    Cutoff, in ranks; None reads the whole ranking.
gain : {"exp2", "linear", "binary"}, mapping or callable, default="exp2"
    2^grade - 1, the grade, 1, a table, or a function: docs/metrics.md#gains-and-discounts.
discount : {"log2"} or callable, default="log2"
    Divisor of a gain, log2(rank + 1) or a function: docs/metrics.md#gains-and-discounts.
max_grade : {"query"} or float, default="query"
    The query's highest grade, or a number, without which queries do not compare.
persistence : float, default=0.8
    Probability that a reader goes on to the next rank, in [0, 1).
unretrieved : {"last", "ignore"}, default="last"
    A relevant item that its ranking lacks stands below everything, or does not count.
n_negatives : int, sequence of shape (n_queries,) or mapping, default=None
    Irrelevant items of each query; None counts its ranking's: docs/inputs.md#weights.
min_rel : float, default=None
    Lowest grade that counts as relevant; None takes every grade above 0.
ties : {"average", "stable", "docid", "optimistic", "pessimistic"}, default="average"
    Order of equally scored items; by default the exact expectation: docs/inputs.md#ties.
zero_division : {"warn", "raise"} or {nan, 0.0, 1.0}, default="warn"
    How to treat queries where the measure is undefined: docs/inputs.md#undefined-queries.
sample_weight : array-like of shape (n_queries,) or (n_samples,), or mapping, default=None
    Weight of each query: docs/inputs.md#weights.
string_provider : callable, default=None
    Turns items of lists into the strings to compare: docs/inputs.md#string-provider.
relevance : sequence of sequences, mapping or RelevanceInput, default=None
    Scores of the items of ranked lists: docs/inputs.md#relevance.
ignore_identical_ids : bool, default=False
    Leave out of a ranking the item with the id of its query: docs/inputs.md#identical-ids."""
)
"""Entries of the parameters that several metrics take."""

_RETURNS = """\
score : float
    In [0, 1], dimensionless; 1 is best."""
_RAISES = """\
ValueError, TypeError
    If the data are refused: docs/inputs.md#errors.
InvalidParameterError
    If a parameter has a value that its rule does not allow."""
_WARNS = """\
UndefinedMetricWarning
    If a query has no relevant item."""
_WARNS_OF_PAIRS = """\
UndefinedMetricWarning
    If a query has no relevant item, no irrelevant one, or, with ``unretrieved="ignore"``,
    retrieved nothing relevant."""
