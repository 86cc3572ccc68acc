"""Parameters of metrics: which values they take, and how they print."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.graded import DISCOUNTS, GAINS
from sklearn_rank.support.checks import check_number, check_option, refuse_value
from sklearn_rank.support.text import safe_repr

Check = Callable[[Any, str, str], Any]
"""(value, parameter name, owner) -> the value as it is stored."""


# Partial functions instead of lambdas: scorers are stored with their checks, by name.


def one_of(*words: str) -> Check:
    """Check for one of some words."""
    return partial(_check_word, words=words)


def _check_word(value: Any, name: str, owner: str, *, words: tuple[str, ...]) -> Any:
    return check_option(value, name, words, owner)


def number_from(at_least: float, *, above: bool = False) -> Check:
    """Check for a finite number that is at least, or above, a bound."""
    return partial(check_number, at_least=at_least, above=above)


_AT_LEAST_0, ABOVE_0 = number_from(0.0), number_from(0.0, above=True)


def check_gain(value: Any, name: str, owner: str) -> Any:
    """A word or a table, as pairs so that measures stay hashable."""
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if isinstance(value, tuple):
        if not value or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
            msg = f"The '{name}' parameter of {owner} must map grades to gains. Got {value!r}."
            raise InvalidParameterError(msg)
        return tuple(
            sorted(tuple(_AT_LEAST_0(number, name, owner) for number in pair) for pair in value)
        )
    return check_option(value, name, GAINS, owner)


def check_max_grade(value: Any, name: str, owner: str) -> Any:
    """A word or a number above 0."""
    if isinstance(value, str) and value != "query":
        refuse_value(value, name, owner, "'query' or a finite number above 0")
    return value if isinstance(value, str) else ABOVE_0(value, name, owner)


def check_negatives(value: Any, name: str, owner: str) -> Any:
    """One number, or one for each query by position."""
    values = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(values, (list, tuple)):
        return None if values is None else _AT_LEAST_0(values, name, owner)
    return tuple(_AT_LEAST_0(number, name, owner) for number in values)


def check_measures(value: Any, name: str, owner: str) -> Any:
    """A tuple; its owner checks whether it holds two measures that can be combined."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        msg = f"The '{name}' parameter of {owner} must be two measures. Got {safe_repr(value)}."
        raise InvalidParameterError(msg)
    return tuple(value)


def check_recall(value: Any, name: str, owner: str) -> Any:
    """A level of recall, or "11pt" for the eleven classic ones."""
    if isinstance(value, str):
        return check_option(value, name, ("11pt",), owner)
    level = _AT_LEAST_0(value, name, owner)
    if level > 1:
        msg = f"The '{name}' parameter of {owner} must be in [0, 1] or '11pt'. Got {value!r}."
        raise InvalidParameterError(msg)
    return level


def check_persistence(value: Any, name: str, owner: str) -> Any:
    """A number in [0, 1)."""
    try:
        number = _AT_LEAST_0(value, name, owner)
    except InvalidParameterError:
        number = 1.0
    return number if number < 1 else refuse_value(value, name, owner, "a number in [0, 1)")


UNRETRIEVED = one_of("last", "ignore")
BETA = _AT_LEAST_0
PAIRWISE: dict[str, Check] = {
    "unretrieved": UNRETRIEVED,
    "n_negatives": check_negatives,
    "smoothing": _AT_LEAST_0,
}
GAIN: dict[str, Check] = {"gain": check_gain, "discount": one_of(*DISCOUNTS)}


def shown(name: str, value: Any) -> str:
    """``name=value`` as in the spelling of a measure."""
    if name == "measures":
        return ",".join(str(member) for member in value)
    if name == "gain" and isinstance(value, tuple):
        inner = ",".join(f"{_digits(grade)}:{_digits(gain)}" for grade, gain in value)
        return f"{name}={{{inner}}}"
    if isinstance(value, tuple):
        inner = ",".join(map(_digits, value))
        return f"{name}=({inner},)" if len(value) == 1 else f"{name}=({inner})"
    return f"{name}={_digits(value)}"


def _digits(value: Any) -> str:
    """A number in full, whole ones without a decimal point."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)
