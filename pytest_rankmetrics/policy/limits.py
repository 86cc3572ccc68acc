"""One limit at a time: a number of the right kind, direction and size, or a refusal."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from numbers import Real
from typing import Any

from pytest_rankmetrics.policy.verdicts import SLACK
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.support.text import safe_repr


def check_at_least(value: Any, measure: Measure, name: str = "at_least") -> float:
    """A threshold from below, for measures of which greater is better."""
    number = _number(value, f"{name} of {measure}")
    if not measure.metric.greater_is_better:
        msg = f"less is better for {measure}: limit it by at_most, not by at_least"
        raise InvalidParameterError(msg)
    if number <= SLACK:
        msg = (
            f"{name} of {measure} must be above 0 by more than the tolerance of {SLACK:g}, or "
            f"every value meets it; got {number!r}"
        )
        raise InvalidParameterError(msg)
    _check_reachable(number, measure, name)
    return number


def check_at_most(value: Any, measure: Measure, name: str = "at_most") -> float:
    """A threshold from above, for measures of which less is better."""
    number = _number(value, f"{name} of {measure}")
    if measure.metric.greater_is_better:
        msg = f"greater is better for {measure}: limit it by at_least, not by at_most"
        raise InvalidParameterError(msg)
    if number < 0:
        msg = f"{name} of {measure} must be at least 0, which is its least value; got {number!r}"
        raise InvalidParameterError(msg)
    return number


def check_drop(value: Any, measure: Measure, name: str = "max_drop") -> float:
    """An allowed drop, in units of the measure."""
    number = _number(value, f"{name} of {measure}")
    upper = measure.metric.upper
    if number < 0 or number >= upper:
        hint = "; it is in units of the measure, 0.05 for 5 points of a hundred"
        msg = (
            f"{name} of {measure} must be in [0, {upper:g}), got {number!r}"
            f"{hint if number >= upper else '; it says how much worse is allowed'}"
        )
        raise InvalidParameterError(msg)
    return number


def check_hard_drop(value: Any, measures: Iterable[Measure], name: str = "hard_drop") -> float:
    """A drop that is never excused; 0 means that there is none, as in the settings."""
    if isinstance(value, float) and value == math.inf:
        return math.inf
    number = _number(value, name)
    if number < 0:
        msg = f"{name} must be at least 0, got {number!r}"
        raise InvalidParameterError(msg)
    if number == 0:
        return math.inf
    upper = max((measure.metric.upper for measure in measures), default=math.inf)
    if number >= upper:
        msg = (
            f"{name} must be below {upper:g}, or no drop exceeds it; got {number!r} "
            "(0 switches it off)"
        )
        raise InvalidParameterError(msg)
    return number


def refuse_empty(given: Collection[Any], name: str, what: str) -> None:
    """InvalidParameterError for an empty collection of limits."""
    if not given:
        msg = f"{name} is empty; leave it out, or name at least one {what}"
        raise InvalidParameterError(msg)


def _number(value: Any, name: str) -> float:
    """A finite float from any real number; bool and text are refused."""
    if hasattr(value, "dtype") and getattr(value, "ndim", 0) == 0 and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        msg = f"{name} must be a number, got {type(value).__name__}: {safe_repr(value)}"
        raise InvalidParameterError(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        msg = f"{name} must be finite, got {number!r}"
        raise InvalidParameterError(msg)
    return number


def _check_reachable(number: float, measure: Measure, name: str) -> None:
    upper = measure.metric.upper
    if number > upper:
        hint = f"; for {number:g} % write {number / 100:g}" if 2 <= number <= 100 else ""
        msg = f"{name} of {measure} must be at most {upper:g}, its greatest value; got {number!r}"
        raise InvalidParameterError(msg + hint)


def check_slice_drop(value: Any, upper: float) -> float:
    """An allowed drop of a slice, below ``upper``."""
    number = _number(value, "max_slice_drop")
    if not 0 <= number < upper:
        msg = f"max_slice_drop must be in [0, {upper:g}), in units of the measure; got {number!r}"
        raise InvalidParameterError(msg)
    return number


def check_count(value: Any, name: str) -> int | None:
    """A whole number of at least 0, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        msg = f"{name} must be an int of at least 0, got {safe_repr(value)}"
        raise InvalidParameterError(msg)
    return int(value.__index__())


def check_queries(value: Any, name: str) -> tuple[Any, ...] | None:
    """Some query ids; an empty collection would ask for nothing."""
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        msg = f"{name} must be a collection of query ids, got {safe_repr(value)}"
        raise InvalidParameterError(msg)
    queries = tuple(value)
    if not queries:
        msg = f"{name} is empty; leave it out or name at least one query"
        raise InvalidParameterError(msg)
    return queries
