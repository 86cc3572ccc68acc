"""User-defined measures: from a function, or from values measured elsewhere."""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, QueryMismatchError, UnknownMeasureError
from sklearn_rank.kernels.custom import CustomKernel
from sklearn_rank.measures.catalogue import Measure, Metric
from sklearn_rank.measures.grammar import measure as read_measure
from sklearn_rank.support.checks import as_native, check_flag, is_foreign_number, is_missing
from sklearn_rank.support.text import argument, format_list, safe_repr
from sklearn_rank.typing import FloatArray

__all__ = ["measure_from"]

_TAKEN = ("query", "grades", "truth", "n", "ranks", "weight", "cluster", "slices")
"""Names of columns other than measures."""


def measure_from(
    name: str,
    function: Callable[..., Any] | None = None,
    range: tuple[float, float] = (0, 1),
    greater_is_better: bool = True,
) -> Measure:
    """Make a measure from a function, or name values that were measured elsewhere.

    Parameters
    ----------
    name : str
        Letters, digits, ``_``, ``.`` and ``-``, starting with a letter; not the spelling of
        another measure.
    function : callable, default=None
        ``function(grades)``, called for each query with the grades of its ranking in rank order,
        a float64 array of shape (n_ranked,), 0 where an item is irrelevant or unjudged. With a
        second parameter that has no default, ``function(grades, ideal)``, it also gets the grades
        of all relevant items, retrieved or not, highest first. It returns a number in
        ``range``, or NaN if the measure is undefined. None if the values are passed to
        ``evaluate(..., values=)``.
    range : (float, float), default=(0, 1)
        Minimum and maximum of the measure; both may be infinite.
    greater_is_better : bool, default=True
        Direction of the measure.

    Returns
    -------
    measure : Measure
        Accepted wherever a measure is, but not parsed from text. Tied relevant items are refused:
        pass ``ties="stable"`` or ``"docid"``. Two measures are equal if their names, functions,
        ranges and directions are equal.

    Raises
    ------
    InvalidParameterError
        If an argument is invalid, or ``name`` already means another measure. When evaluated, if
        the function returns anything but a number in ``range`` or NaN.

    References
    ----------
    .. [1] MacAvaney et al., Streamlining Evaluation with ir-measures, 2022 (``define``).

    Examples
    --------
    >>> from sklearn_rank import evaluate, measure_from
    >>> first = measure_from("first", lambda grades: len(grades) > 0 and grades[0] > 0)
    >>> evaluate([{"a"}, {"b"}], [["a", "x"], ["x", "b"]], first)["first"]
    0.5
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.\-]{0,99}", name):
        msg = (
            "name must be up to 100 letters, digits, '_', '.' and '-', starting with a letter; got "
            f"{safe_repr(name)}{'; pass measure_from(name, function)' * callable(name)}"
        )
        raise InvalidParameterError(msg)
    try:
        reads_as: object = read_measure(name)
    except UnknownMeasureError:
        reads_as = None
    except ValueError:
        reads_as = "a built-in measure"
    if name in _TAKEN:
        reads_as = "a column of results and baselines"
    if reads_as is not None or name.startswith("neg_"):
        means = reads_as or "the negative of a measure"
        msg = f"name {name!r} already means {means}; choose another name"
        raise InvalidParameterError(msg)
    if function is not None and not callable(function):
        msg = f"function must be callable or None, got {safe_repr(function)}"
        raise InvalidParameterError(msg)
    try:
        lower, upper = map(float, range if isinstance(range, (tuple, list)) else ())
    except (TypeError, ValueError, OverflowError):
        lower = upper = math.nan
    if not lower < upper:
        msg = f"range must be two numbers in increasing order, got {safe_repr(range)}"
        raise InvalidParameterError(msg)
    better = check_flag(greater_is_better, "greater_is_better", "measure_from")
    return _measure_of(CustomKernel(name, function, lower, upper), better)


def _measure_of(kernel: CustomKernel, greater_is_better: bool) -> Measure:
    metric = Metric(
        kernel.name,
        kernel.name,
        kernel,
        "A user-defined measure.",
        "",
        lower=kernel.lower,
        upper=kernel.upper,
        greater_is_better=greater_is_better,
        graded=True,
        takes_k=False,
        takes_ties=kernel.function is None,
        counts_irrelevant=kernel.function is not None,
        is_custom=True,
        is_total=kernel.total is not None,
        is_given=kernel.function is None and kernel.total is None,
    )
    return Measure(metric)


# Values measured elsewhere ------------------------------------------------------------------------


def given_measures(values: Any, lower: Collection[str] = ()) -> dict[Measure, Any]:
    """Measures in ``values`` with their numbers by query; for names in ``lower`` less is better."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        msg = f"values must be {{name or measure: {{query: number}}}}, got {safe_repr(values)}"
        raise InvalidParameterError(msg)
    measures: dict[Measure, Any] = {}
    for key, numbers_of in values.items():
        # A name alone has no direction: it is for shares and scores, in [0, 1].
        measure = key if isinstance(key, Measure) else measure_from(key)
        if key in lower and not isinstance(key, Measure):
            measure = measure_from(key, range=(0, math.inf), greater_is_better=False)
        if not measure.metric.is_given:
            msg = f"values names {measure}, which is computed from rankings; choose another name"
            raise InvalidParameterError(msg)
        if str(measure) in map(str, measures):
            msg = f"values has {measure} twice"
            raise InvalidParameterError(msg)
        numbers_of = as_native(numbers_of, f"values of {measure}")
        is_one = isinstance(numbers_of, (str, bytes)) or getattr(numbers_of, "ndim", 1) == 0
        if is_one or not isinstance(numbers_of, (Mapping, Sequence, np.ndarray)):
            msg = f"values of {measure} must be {{query: number}}, got {safe_repr(numbers_of)}"
            if isinstance(numbers_of, numbers.Real):
                msg += "; gates take a number for the whole run as totals="
            raise InvalidParameterError(msg)
        measures[measure] = numbers_of
    return measures


def total_measures(totals: Any, greater: Collection[str]) -> list[Measure]:
    """Measures for numbers of the whole run; lower is better for names not in ``greater``."""
    if totals is not None and not isinstance(totals, Mapping):
        msg = f"totals must be {{name: number}}, got {safe_repr(totals)}"
        raise InvalidParameterError(msg)
    measures = []
    for key, value in (totals or {}).items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            msg = f"totals of {key} must be one number for the whole run, got {safe_repr(value)}"
            raise InvalidParameterError(msg)
        is_named = not isinstance(key, Measure)
        measure = measure_from(key, range=(-math.inf, math.inf)) if is_named else key
        better = key in greater if is_named else measure.metric.greater_is_better
        total = float(value) if math.isfinite(value) else math.nan
        kernel = replace(cast("CustomKernel", measure.metric.kernel), total=total)
        measures.append(_measure_of(kernel, better))
    return measures


def numbers_by_query(
    measure: Measure, given: Any, query_ids: Sequence[Any], left_out: Any, *, keyed: bool
) -> FloatArray:
    """(Q,) the given numbers in the order of the queries; NaN if one is None or NaN.

    ``keyed`` queries have ids, by which they are joined, and no order.
    """
    if not isinstance(given, Mapping):
        if keyed:
            msg = (
                f"values of {measure} are a {type(given).__name__}, but these queries are joined "
                "by id, not by position; pass {query: number}"
            )
            raise TypeError(msg)
        if len(given) != len(query_ids):
            msg = f"values of {measure}: {len(given):,} numbers for {len(query_ids):,} queries"
            raise QueryMismatchError(msg)
        given = dict(zip(query_ids, given, strict=True))
    given_queries = {*query_ids, *left_out}
    missing = [query for query in query_ids if query not in given]
    unknown = [query for query in given if query not in given_queries]
    if missing or unknown:
        what = "no number for" if missing else "numbers for queries that are not evaluated:"
        msg = f"values of {measure}: {what} {format_list(missing or unknown)}"
        raise QueryMismatchError(msg)
    lower, upper, numbers_read = measure.metric.lower, measure.metric.upper, []
    for query in query_ids:
        value = given[query]
        value = value.item() if is_foreign_number(value) else value
        if is_missing(value):
            numbers_read.append(math.nan)
            continue
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        value = value.item() if isinstance(value, np.generic) else value
        if not (is_number and abs(value) <= sys.float_info.max and lower <= value <= upper):
            msg = (
                f"values of {measure}: query {safe_repr(query)} must have a finite number in "
                f"[{lower:g}, {upper:g}], got {safe_repr(value)}"
            )
            if (lower, upper) == (0, 1):
                name = f"measure_from({str(measure)!r}, range=(0, float('inf')), "
                msg += f"; for other numbers pass {name}greater_is_better=...) as the key; "
                msg += f"in a gate, if lower is better, a limit {argument('at_most')} is enough"
            raise InvalidParameterError(msg)
        numbers_read.append(float(value))
    return np.array(numbers_read, dtype=np.float64)
