"""What a case of the sweep is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tests.benchmarks._memory import Work

FOUR_MEASURES = ("map", "ndcg@10", "mrr", "precision@10")


class Call(NamedTuple):
    """A call that is ready to be made."""

    work: Work
    n_rows: int
    """Rows, cells or ranked items that it reads."""


@dataclass(frozen=True)
class Case:
    """A type, shape or option."""

    layout: str
    name: str
    make: Callable[[int], Call]
    """Of about so many rows. ImportError where what it needs is not installed."""
    share: float = 1.0
    """Times the rows of the sweep."""


@dataclass(frozen=True)
class Layout:
    """Cases with a common reference."""

    name: str
    reference: Callable[[int], Call]
    cases: tuple[Case, ...]
    share: float = 1.0
    """Python's objects take long to make: fewer rows tell as much."""


def call(work: Callable[..., Any], n_rows: int, *arguments: Any, **options: Any) -> Call:
    """A call with everything bound."""
    return Call(lambda: work(*arguments, **options), n_rows)
