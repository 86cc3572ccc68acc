"""Query ids that were read and checked, and the ids of any kind among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Integral, Number
from operator import attrgetter
from typing import Any

import numpy as np

from sklearn_rank.support.arrays import is_missing
from sklearn_rank.typing import Array, IntArray


@dataclass(frozen=True, eq=False)
class PlainIds:
    """Query ids that NumPy compares by itself."""

    values: Array
    """(n_samples,)"""

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, row: int) -> Any:
        return self.values[row]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def take(self, rows: Any) -> PlainIds:
        """The ids of some rows."""
        return PlainIds(self.values[rows])


@dataclass(frozen=True, eq=False)
class CodedIds:
    """Query ids coded by distinct id, so that text and objects are compared only once."""

    distinct: Array | list[Any]
    codes: IntArray
    """(n_samples,) place of each row's id among the ``distinct`` ones."""

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


def code_objects(values: Sequence[Any], types: Collection[type] | None = None) -> CodedIds:
    """Ids of any kind, coded in order of first appearance."""
    types = set(map(type, values)) if types is None else types
    if [(kind.__module__, kind.__name__) for kind in types] == [("uuid", "UUID")]:
        return _from_uuids(values)
    try:
        distinct, codes = numbered(values, len(values))
    except TypeError as error:
        row = next(row for row, value in enumerate(values) if not _is_hashable(value))
        msg = f"groups holds an unhashable {type(values[row]).__name__} at row {row}"
        raise TypeError(msg) from error
    if any(map(is_missing, distinct)):
        refuse_missing(np.fromiter(map(is_missing, values), dtype=bool, count=len(values)))
    _refuse_mixed_numbers(types, values)
    return CodedIds(distinct, codes)


def numbered(keys: Iterable[Hashable], n_keys: int) -> tuple[list[Any], IntArray]:
    """Distinct keys in order of first appearance, and the place of each key among them."""
    numbers: defaultdict[Hashable, int] = defaultdict(count().__next__)
    # A key that is missing gets the next number, so that a loop in C hashes each key once.
    places = np.fromiter(map(numbers.__getitem__, keys), np.int64, n_keys)
    return list(numbers), places


def _from_uuids(values: Sequence[Any]) -> CodedIds:
    """UUIDs, whose own hash and comparison are written in Python, by their integers."""
    _, codes = numbered(map(attrgetter("int"), values), len(values))
    firsts = np.unique(codes, return_index=True)[1]
    return CodedIds([values[row] for row in firsts.tolist()], codes)


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
