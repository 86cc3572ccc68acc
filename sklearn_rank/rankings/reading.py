"""How data were read: options, and which items count as relevant. What differs is not compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.support.text import as_text
from sklearn_rank.typing import Array, IntArray

COMPARED = ("ties", "lowest", "ranks")
"""Options that must agree if two readings are compared."""
_UNKNOWN = {None, ""}

# An address, or a set, whose order depends on the hash seed.
FLEETING = re.compile(r" at 0x[0-9a-fA-F]+|\bfrozenset\(\{")


class Judgements:
    """Judged items of Q queries, as one digest per query that is computed on request.

    A digest covers ids and grades of the relevant items in any order, and of items of grade 0 where
    the ground truth is partial.
    """

    def __init__(self, source: Array | JudgedItems | Callable[[], Array]) -> None:
        self._source = source

    def __reduce__(self) -> tuple[Any, ...]:
        return Judgements, (self.digests,)

    @property
    def digests(self) -> Array:
        """(Q,) uint64, the same in every process."""
        if not isinstance(self._source, np.ndarray):
            self._source = self._source()  # the ids need not stay
        return self._source

    def take(self, queries: IntArray) -> Judgements:
        """Those of some queries."""
        return Judgements(lambda: self.digests[queries])

    def are_those_of(self, other: Judgements) -> bool:
        """Whether both have the same items in the same order, by a quick check."""
        mine, others = self._source, other._source
        if not (isinstance(mine, JudgedItems) and isinstance(others, JudgedItems)):
            return self is other
        return (
            mine.n_queries == others.n_queries
            and np.array_equal(mine.offsets, others.offsets)
            and np.array_equal(mine.grades, others.grades)
            and type(mine.ids) is type(others.ids)
            and bool(
                mine.ids == others.ids
                if isinstance(mine.ids, list)
                else mine.ids.equals(others.ids)
            )
        )


class JudgedItems(NamedTuple):
    """Items from which digests are made; query ``i`` has ``offsets[i]:offsets[i+1]``."""

    offsets: IntArray
    ids: Any
    """List, coded ids or Polars series."""
    grades: Array
    n_queries: int | None = None
    """How many queries share the items of the one; None: not shared."""

    def __call__(self) -> Array:
        """(Q,) digests."""
        from hashlib import blake2b

        texts: list[Any] = self.ids if isinstance(self.ids, list) else self.ids.to_list()
        if not set(map(type, texts)) <= {str}:
            texts = list(map(_text, texts))
        borders, digests, grades = list(pairwise(self.offsets.tolist())), [], self.grades
        if (grades[1:] == grades[:-1]).all():
            texts = [*chain.from_iterable(sorted(texts[first:last]) for first, last in borders)]
        else:
            in_order = (sorted(range(*ends), key=texts.__getitem__) for ends in borders)
            order = [*chain.from_iterable(in_order)]
            texts, grades = list(map(texts.__getitem__, order)), grades[order]
        # Lengths tell where an id ends among the characters of all.
        numbers = np.stack((grades, list(map(len, texts))), axis=1)
        content = numbers.astype("<f8").tobytes()
        for first, last in borders:
            ids = "".join(texts[first:last]).encode("utf-8", "surrogatepass")
            digest = blake2b(content[16 * first : 16 * last] + ids, digest_size=8)
            digests.append(digest.digest())
        every = b"".join(digests * (self.n_queries or 1))
        return np.frombuffer(every, dtype=">u8").astype(np.uint64)


def _text(item: Any) -> str:
    """An id as text, the same for equal ids; a float without decimals is written as an int."""
    if isinstance(item, np.generic):
        item = item.item()
    if isinstance(item, (bool, float)) and item == item // 1:
        item = int(item)
    text = as_text(item)
    return str(hash(item)) if FLEETING.search(text) else text


@dataclass(frozen=True, eq=False, repr=False)
class Reading:
    """How the data of an evaluation were read."""

    options: Mapping[str, Any]
    """``ties`` ("" without scores), what was ``assumed``, whether ``relevance`` ranked, and the
    other options of :func:`evaluate` on which values depend, if available."""
    judgements: Judgements | None
    """None where items have no ids."""

    def differences(self, other: Reading) -> Iterator[tuple[str, Any, Any]]:
        """Name and both values of each option that makes the two not comparable."""
        for name in COMPARED:
            here, there = self.options.get(name), other.options.get(name)
            if here != there and not {here, there} & _UNKNOWN:
                yield name, here, there

    def judged_otherwise(self, other: Reading, numbers: IntArray, others: IntArray) -> IntArray:
        """Positions of the queries whose judgements differ between the two."""
        here, there = self.judgements, other.judgements
        if here is None or there is None:
            return np.zeros(0, dtype=np.int64)
        if np.array_equal(numbers, others) and here.are_those_of(there):
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(here.digests[numbers] != there.digests[others])
