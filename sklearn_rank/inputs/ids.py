"""Ids of any type: which can be equal, and codes by which they are compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import count, product, starmap
from numbers import Integral, Number
from operator import countOf
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.support.checks import is_missing
from sklearn_rank.support.runtime import warn
from sklearn_rank.typing import Array, IntArray


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


class PlainIds:
    """Query ids, (n_samples,), that NumPy compares by itself."""

    def __init__(self, values: Array) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, row: int) -> Any:
        return self.values[row]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def take(self, rows: Any) -> PlainIds:
        """The ids of some rows."""
        return PlainIds(self.values[rows])


class CodedIds:
    """Query ids coded by distinct id, so that text and objects are compared only once.

    ``codes``, (n_samples,), are the places of the rows' ids among the ``distinct`` ones.
    """

    def __init__(self, distinct: Array | list[Any], codes: IntArray) -> None:
        self.distinct = distinct
        self.codes = codes

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> Any:
        return self.distinct[int(self.codes[row])]

    def __iter__(self) -> Iterator[Any]:
        return (self.distinct[code] for code in self.codes.tolist())

    def take(self, rows: Any) -> CodedIds:
        """The ids of some rows."""
        return CodedIds(self.distinct, self.codes[rows])

    def named(self, codes: IntArray) -> Array | list[Any]:
        """The ids of some codes."""
        if isinstance(self.distinct, np.ndarray):
            return self.distinct[codes]
        return [self.distinct[code] for code in codes.tolist()]


Ids = PlainIds | CodedIds
"""Ids that were read and checked; nobody looks at them a second time."""


def code_objects(values: Sequence[Any]) -> CodedIds:
    """Ids of any kind, coded in order of first appearance."""
    try:
        distinct, codes = numbered(values, len(values))
    except TypeError as error:
        row = next(row for row, value in enumerate(values) if not _is_hashable(value))
        msg = f"groups holds an unhashable {type(values[row]).__name__} at row {row}"
        raise TypeError(msg) from error
    missing = np.array([is_missing(value) for value in distinct], dtype=bool)
    if missing.any():
        refuse_missing(missing[codes])
    _refuse_mixed_numbers(set(map(type, values)), values)
    return CodedIds(distinct, codes)


def numbered(keys: Iterable[Hashable], n_keys: int) -> tuple[list[Any], IntArray]:
    """Distinct keys in order of first appearance, and the place of each key among them."""
    numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
    # A key that is missing gets the next number, so that a loop in C hashes each key once.
    places = np.fromiter(map(numbers.__getitem__, keys), np.int64, n_keys)
    return list(numbers), places


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def refuse_missing(missing: Any) -> None:
    """ValueError at the first row that is flagged."""
    if missing.any():
        msg = f"groups contains missing values (row {int(np.flatnonzero(missing)[0])})"
        raise ValueError(msg)


def _refuse_mixed_numbers(types: Collection[type], values: Sequence[Any]) -> None:
    """ValueError where 1, 1.0 and True, which are equal keys, could become one query."""
    kinds = {kind for kind in map(_kind_of_number, types) if kind is not None}
    if len(kinds) < 2:
        return
    firsts: dict[str, int] = {}
    for row, value in enumerate(values):
        kind = _kind_of_number(type(value))
        if kind is not None:
            firsts.setdefault(kind, row)
    (first, row), (second, other) = sorted(firsts.items(), key=lambda pair: pair[1])[:2]
    msg = (
        f"groups mixes numbers of several types, {first} (row {row}) and {second} (row {other}): "
        "1, 1.0 and True would be one query; make them one type"
    )
    raise ValueError(msg)


def _kind_of_number(kind: type) -> str | None:
    """What numbers of this type are called; None if it is no type of numbers."""
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, Integral):
        return "int"
    if issubclass(kind, (float, np.floating)):
        return "float"
    return kind.__name__ if issubclass(kind, Number) else None
