"""Types of item ids: which are plain, and which can never be equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import product, starmap
from numbers import Number
from operator import countOf
from typing import Any

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.support.warn import warn


def _are_strings(items: Collection[Any]) -> bool:
    """Whether all items are strings; to join them is the fastest way to look at their types."""
    try:
        "".join(items)
    except TypeError:
        return False
    return True


def _are_integers(items: Collection[Any]) -> bool:
    return countOf(map(type, items), int) == len(items)


ARE_ALL: dict[type, Callable[[Collection[Any]], bool]] = {str: _are_strings, int: _are_integers}
"""For each type of plain ids whether that is the type of all items."""


def refuse_unequal_types(ranked: set[type], true: set[type]) -> None:
    """TypeError if ids of these types cannot be equal, whatever they hold."""
    pairs, both = list(product(ranked, true)), ranked | true
    names = _names(both)
    # 1 and 1.0 are equal, but floats among ids come from a column with gaps, or are scores.
    mixed = _kinds(both, float) and _kinds(both, int)
    if not pairs or not (mixed or not any(starmap(_can_be_equal, pairs))):
        if pairs:
            _warn_of_mixed(ranked, true, names)
        return
    msg = (
        f"items of y_score are {_spoken(ranked, names)}, items of y_true are "
        f"{_spoken(true, names)}; pass string_provider (such as str) to compare them"
    )
    if _kinds(ranked, float):
        msg += ". If these are grades and scores, pass 2-D arrays, or 1-D arrays with groups"
    raise TypeError(msg)


def _warn_of_mixed(ranked: set[type], true: set[type], names: Mapping[type, str]) -> None:
    """RankingDataWarning if some items of one side can never equal one of the other."""
    for side, other, name in ((ranked, true, "y_score"), (true, ranked, "y_true")):
        alone = [kind for kind in side if not any(_can_be_equal(kind, other_) for other_ in other)]
        if alone:
            warn(
                f"items of {name} are {_spoken(side, names)}, those of the other side "
                f"{_spoken(other, names)}: no {_spoken(alone, names)} of {name} can match; "
                "pass string_provider (such as str), or one type of ids",
                RankingDataWarning,
            )


def _kinds(types: Iterable[type], base: type) -> list[type]:
    return [kind for kind in types if issubclass(kind, base)]


def _can_be_equal(kind: type, other: type) -> bool:
    """Whether objects of two types may be equal: kinds of one thing, or numbers."""
    shared = set(kind.__mro__) & set(other.__mro__) - {object}
    return bool(shared) or (issubclass(kind, Number) and issubclass(other, Number))


def _names(types: Iterable[type]) -> dict[type, str]:
    """Names of types, with their modules where names alone do not tell them apart."""
    times = Counter(kind.__name__ for kind in types)
    return {
        kind: kind.__name__ if times[kind.__name__] == 1 else f"{kind.__module__}.{kind.__name__}"
        for kind in types
    }


def _spoken(types: Iterable[type], names: Mapping[type, str]) -> str:
    return " and ".join(sorted(names[kind] for kind in types))
