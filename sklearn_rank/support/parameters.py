"""Is this parameter acceptable? One sentence per rule, and each rule has its home here."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, RankingConfigError
from sklearn_rank.support.text import safe_repr


def check_cutoff(k: Any, owner: str) -> int | None:
    """``k`` as a plain integer, or None for the whole ranking."""
    if k is None:
        return None
    if not _is_integer(k) or k < 1:
        msg = (
            f"The 'k' parameter of {owner} must be an int in the range [1, inf) or None. "
            f"Got {safe_repr(k)} instead."
        )
        raise InvalidParameterError(msg)
    return int(k)


def check_integer(value: Any, name: str, owner: str, *, at_least: int) -> int:
    """``value`` as a plain integer of at least a bound."""
    if not _is_integer(value) or value < at_least:
        msg = (
            f"The '{name}' parameter of {owner} must be an int in the range [{at_least}, inf). "
            f"Got {safe_repr(value)} instead."
        )
        raise InvalidParameterError(msg)
    return int(value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def check_seed(value: Any, name: str, owner: str) -> np.random.Generator:
    """The generator itself, or one that starts from the given seed."""
    if isinstance(value, np.random.Generator):
        return value
    if not _is_integer(value) or value < 0:
        msg = (
            f"The '{name}' parameter of {owner} must be an int of at least 0 or a "
            f"numpy.random.Generator. Got {safe_repr(value)} instead."
        )
        raise InvalidParameterError(msg)
    return np.random.default_rng(int(value))


def check_option(value: Any, name: str, allowed: Collection[str], owner: str) -> str:
    """``value`` if it is one of the ``allowed`` words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        msg = (
            f"The '{name}' parameter of {owner} must be one of {words}. "
            f"Got {safe_repr(value)} instead."
        )
        raise InvalidParameterError(msg)
    return value


def check_number(value: Any, name: str, owner: str, *, at_least: float, above: bool = False) -> Any:
    """``value`` as a finite number of at least (or above) a bound; integers stay integers."""
    bad = (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, Real)
        or not _is_finite(value)
        or value < at_least
        or (above and value == at_least)
    )
    if bad:
        bracket = "(" if above else "["
        msg = (
            f"The '{name}' parameter of {owner} must be a finite number in the range "
            f"{bracket}{at_least:g}, inf). Got {safe_repr(value)} instead."
        )
        raise InvalidParameterError(msg)
    return int(value) if isinstance(value, Integral) else float(value)


def _is_finite(value: Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_flag(value: Any, name: str, owner: str) -> bool:
    """``value`` as a plain bool; 0, 1 and words are refused."""
    if not isinstance(value, (bool, np.bool_)):
        msg = f"The '{name}' parameter of {owner} must be a bool. Got {safe_repr(value)} instead."
        raise InvalidParameterError(msg)
    return bool(value)


def check_zero_division(value: Any, owner: str) -> str | float:
    """``zero_division`` as "warn", "raise" or a number, of which NaN leaves the query out."""
    if isinstance(value, str) and value in ("warn", "raise"):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        number = None
    else:
        number = float(value)
    if number is None or not (math.isnan(number) or number in (0.0, 1.0)):
        msg = (
            f"The 'zero_division' parameter of {owner} must be one of 'warn', 'raise', nan, 0.0, "
            f"1.0. Got {safe_repr(value)} instead."
        )
        raise InvalidParameterError(msg)
    return number


def check_query_name(name: Any, parameter: str) -> str:
    """RankingConfigError if this cannot name a column or index level that holds query ids."""
    if not isinstance(name, str):
        msg = f"{parameter} must be the name of a column or index level, got {safe_repr(name)}"
        raise RankingConfigError(msg)
    return name
