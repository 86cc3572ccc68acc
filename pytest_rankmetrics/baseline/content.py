"""What a baseline holds: whose it is, its measures, values of queries, and where items stood."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from pytest_rankmetrics._support.naming import name_of
from sklearn_rank.support.text import safe_repr, safe_text

DECIMALS = 6
"""Enough to tell apart any two rankings of a million items, and few enough for a readable diff."""

STEP = 10.0**-DECIMALS
"""What the last of them counts."""

MOST_ITEMS = 10**15
"""Ranks and lengths stay below this, where they are exact in every number that holds them."""


class Owner(NamedTuple):
    """A gate, as a baseline knows it."""

    gate: str
    """Node id of the test; the name of a gate over files. "" in a file that does not say."""
    name: str
    """Name of the gate; "" in a file of before names were recorded."""

    @property
    def _is_named_by_its_test(self) -> bool:
        return "::" in self.gate and self.name == name_of(self.gate)

    def matches(self, asking: Owner) -> bool:
        """Whether this is the gate that asks, or nothing says that it is not.

        A name of its own says whose a baseline is, because a run has it once; where a gate is
        called like its test, the test counts. The test of a gate in a fixture is whichever comes
        first, so that only a name can be compared. Files without a name may have moved with their
        module since, when nobody asked whose they were.
        """
        if not self.gate or (not self.name and not asking._is_named_by_its_test):
            return True
        if self.name and self.name != asking.name:
            return False
        if "::" in self.gate and asking._is_named_by_its_test:
            return _is_one_test(self.gate, asking.gate, moved=not self.name)
        return True

    def __str__(self) -> str:
        gate = safe_text(self.gate, limit=300)
        if not self.name or self.name in (self.gate, name_of(self.gate)):
            return gate
        return f"{safe_repr(self.name)} ({gate})"


def _is_one_test(first: str, second: str, *, moved: bool) -> bool:
    """Whether two node ids differ at most in the root of the project; ``moved``: in directories."""
    (file, _, test), (other_file, _, other_test) = first.partition("::"), second.partition("::")
    if moved:
        file, other_file = file.rpartition("/")[2], other_file.rpartition("/")[2]
    longer, shorter = sorted((f"/{file}", f"/{other_file}"), key=len, reverse=True)
    return test == other_test and longer.endswith(shorter)


@dataclass(frozen=True, eq=False)
class StoredQueries:
    """What a baseline knows of its queries: columns, because there may be hundreds of thousands."""

    keys: Sequence[str]
    """Ids of the queries."""
    truths: Sequence[str]
    """Digest of the judgements of each."""
    values: Mapping[str, Sequence[float | None]]
    """By measure, None where undefined; pooled measures have none."""
    ranks: Sequence[Mapping[str, Any] | None]
    """Rank of each relevant item that was retrieved: 3, or "3-5" within a tie."""
    lengths: Sequence[int | None]
    """Length of each ranking; known where ``ranks`` are."""
    grades: Sequence[tuple[float, ...] | None]
    """Grades of ``ranks`` in their order, where items have no ids."""
    weights: Sequence[float | None]
    """Weight of each query in the data; None where none are given."""
    unjudged: Sequence[Mapping[str, Any] | None]
    """Rank of each unjudged item, where gates ask what its grade could change."""
    slices: Sequence[Sequence[str] | None]
    """Labels of each query, where there are slices; None in files of older versions."""

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Where each query stands in the columns."""
        return {key: number for number, key in enumerate(self.keys)}

    @cached_property
    def have_ranks(self) -> bool:
        """Whether the ranks of all queries are stored."""
        return None not in self.ranks

    @cached_property
    def have_unjudged(self) -> bool:
        """Whether it is stored where the unjudged items of all queries stood."""
        return None not in self.unjudged

    def __eq__(self, other: object) -> bool:
        """Whether both know the same of the same queries, in any order."""
        if not isinstance(other, StoredQueries):
            return NotImplemented
        return self.values.keys() == other.values.keys() and self._rows() == other._rows()

    __hash__ = None  # type: ignore[assignment]

    def _rows(self) -> dict[str, tuple[Any, ...]]:
        values = [self.values[name] for name in sorted(self.values)]
        own = (
            *(self.truths, self.ranks, self.lengths, self.grades),
            *(self.weights, self.unjudged, self.slices),
        )
        return dict(zip(self.keys, zip(*own, *values, strict=True), strict=True))


@dataclass(frozen=True)
class StoredUnjudged:
    """How much of the top of the rankings nobody had judged."""

    top: int
    """Ranks that ``share`` is about."""
    share: float
    """Share of the items in them that was unjudged."""
    depth: int | None = None
    """Ranks to which unjudged items are stored, if they are; None: all."""


@dataclass(frozen=True)
class StoredMetric:
    """What a baseline knows of one measure."""

    value: float
    queries: int
    definition: Mapping[str, Any]
    weighted: bool = False
    """Whether queries weigh differently, so that the value is no plain mean."""


@dataclass(frozen=True)
class Baseline:
    """The recorded state of one gate."""

    owner: Owner
    metrics: Mapping[str, StoredMetric]
    queries: StoredQueries
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Values of each slice by measure, and its number of queries."""
    accepted: tuple[Mapping[str, Any], ...] = ()
    """Drops that were accepted, with their reasons."""
    unjudged: StoredUnjudged | None = None
    """None where every item counts as judged, and in files of older versions."""

    seal_fits: bool | None = field(default=None, compare=False)
    """Whether the fingerprint in its file is that of the rest; None: it has none."""

    def is_proved_by_ranks(self, name: str, *, of_judgements: bool) -> bool:
        """Whether the ranks of relevant items tell what the values of a measure have to be."""
        by_relevance = self.metrics[name].definition.get("relevance")
        known = name in self.queries.values and self.queries.have_ranks
        return known and not by_relevance and not of_judgements


def fingerprint(content: Mapping[str, Any]) -> str:
    """Fingerprint of a file's content, in whatever order or layout it stands there.

    It is a checksum against accidents, and no signature: whoever edits a file can make a new one.
    """
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


_TIED = re.compile(r"([1-9][0-9]{0,17})-([1-9][0-9]{0,17})")


def read_rank(rank: Any) -> tuple[int, int]:
    """First and last rank of an item: the same unless it is tied."""
    if type(rank) is int and 1 <= rank < MOST_ITEMS:
        return rank, rank
    match = _TIED.fullmatch(rank) if isinstance(rank, str) else None
    if match is None or int(match[1]) >= int(match[2]):
        msg = f"{rank!r:.40} is not a rank"
        raise ValueError(msg)
    return int(match[1]), int(match[2])


def write_rank(above: int, tied: int) -> int | str:
    """A rank as it is stored and shown."""
    return above + 1 if tied == 1 else f"{above + 1}-{above + tied}"
