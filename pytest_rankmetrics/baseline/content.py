"""Content of a baseline: owner, measures, values of queries, and ranks of items."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from pytest_rankmetrics._support.naming import name_of
from sklearn_rank.support.text import safe_repr, safe_text

DECIMALS = 6
"""Enough to tell apart any two rankings of a million items, and few enough for a readable diff."""

STEP = 10.0**-DECIMALS
"""Value of one unit of the last decimal."""

MOST_ITEMS = 10**15
"""Ranks and lengths stay below this, where they are exact in every number that holds them."""

Row = Mapping[str, Any]
"""An object of the file, as JSON has it."""


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


@dataclass(frozen=True)
class Baseline:
    """The recorded state of one gate; its parts are those of the file."""

    owner: Owner
    metrics: Mapping[str, Row]
    """By measure: ``value``, its number of ``queries``, its ``definition``, and ``weighted`` where
    queries weigh differently, so that the value is no plain mean."""
    queries: Mapping[str, Row]
    """By id: ``truth``, a digest of the judgements; the value of each measure that is not pooled,
    None where it is undefined; and as far as they are recorded ``ranks``, {retrieved relevant item:
    3, or "3-5" within a tie}, ``n``, the length of the ranking, ``grades`` of ``ranks`` where items
    have no ids, ``weight``, ``cluster``, its label, ``unjudged``, {unjudged item: rank}, and
    ``slices``, its labels."""
    slices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Values of each slice by measure, and its number of queries."""
    accepted: tuple[Row, ...] = ()
    """Drops that were accepted, with their reasons."""
    unjudged: Row | None = None
    """``share`` of the items in the ``top`` ranks that nobody had judged, and the ``depth`` of the
    ranks that are stored, if they are; None where all count as judged, and in older files."""
    seal_fits: bool | None = field(default=None, compare=False)
    """Whether the fingerprint in its file is that of the rest; None: it has none."""


def fingerprint(content: Row) -> str:
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
