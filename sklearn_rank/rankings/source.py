"""What an input delivers: the waist in blocks of queries, and all that was counted on the way."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, Protocol

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError, ScoresRequiredError
from sklearn_rank.rankings.judged import JudgedRankings, joined
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray


class Pool(Protocol):
    """Makes one ranking of the items of all (or of some) queries by their scores."""

    def __call__(self, queries: IntArray | None = None) -> JudgedRankings:
        """One ranking of the items of all queries, or of the chosen ones."""


@dataclass(frozen=True)
class NoPool:
    """Stands in for a pool where scores do not compare across queries."""

    reason: str

    def __call__(self, queries: IntArray | None = None) -> JudgedRankings:  # noqa: ARG002
        """Refuse, whichever ``queries`` are asked for."""
        msg = f"a pooled measure ranks the items of all queries together: {self.reason}"
        raise ScoresRequiredError(msg)


@dataclass(frozen=True)
class InputCounts:
    """What was found in an input, and all that was left out of it."""

    missing: int = 0
    """Judged queries without a ranking."""
    unjudged: int = 0
    """Ranked queries without judgements, left out."""
    duplicates: int = 0
    """Repeated items, left out by ``duplicates="first"``."""
    missed: int = 0
    """Items of the one shared ground truth that no query retrieved."""
    unjudged_grades: int = 0
    """Judgements of a negative grade, read as "not judged"."""


@dataclass(frozen=True)
class KeptItems:
    """Ids of the items that were read, by query; the waist itself knows places alone."""

    rankings: Mapping[Any, tuple[Collection[Any], Array | None]]
    """Items of each ranking, and their scores; None: in ranked order."""
    truths: Mapping[Any, Mapping[Any, float]]
    """Judged items of each query with their grades."""
    shared: Mapping[Any, float] | None
    """The one ground truth of all queries, instead of ``truths``."""


class QueryColumns(Protocol):
    """Columns of a data frame that say something of its queries."""

    def __contains__(self, name: object) -> bool:
        """Whether there is a column of this name."""

    def labels(self, name: str) -> dict[Any, Any]:
        """{query: label} from a column, which has one label for each query."""


class Block(NamedTuple):
    """Some queries that follow each other, as measures read them."""

    queries: slice
    rankings: JudgedRankings
    by_score: JudgedRankings
    """Ranked by the relevance scores where those were given; else the same object."""


@dataclass(frozen=True)
class Judged:
    """What an input layout delivers: the waist in blocks of queries, as measures read it."""

    query_ids: Sequence[Any] | Array
    parts: tuple[JudgedRankings, ...]
    """Blocks of queries, in the caller's order; kernels run on one at a time, perhaps in threads.
    """
    score_parts: tuple[JudgedRankings, ...]
    """The same blocks ranked by the relevance scores where those were given; else the same objects.
    """
    pool: Pool
    counts: InputCounts = field(default_factory=InputCounts)
    missing: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Numbers of the judged queries without a ranking."""
    left_out: Collection[Any] = ()
    """Ids of queries that were given but not evaluated."""
    keyed: bool = False
    """Whether queries were joined by key, so that nothing of them goes by position."""
    positional: bool = False
    """Whether the queries have no ids but their positions."""
    query_columns: tuple[QueryColumns, ...] = ()
    """Further columns of the data frames that were read."""
    masks_by_score: bool = False
    """Whether cells of a matrix are scored -inf, although nobody said which are candidates."""
    hint: str = ""
    """Why, probably, no relevant item of any query was retrieved."""
    items: KeptItems | None = None
    """Ids of the items, where they were asked for and the layout has any."""

    @cached_property
    def rankings(self) -> JudgedRankings:
        """All queries in one value."""
        return joined(self.parts, self.query_ids)

    @cached_property
    def by_score(self) -> JudgedRankings:
        """All queries in one value, ranked by the relevance scores where those were given."""
        return (
            self.rankings
            if self.score_parts is self.parts
            else joined(self.score_parts, self.query_ids)
        )

    @cached_property
    def is_missing(self) -> BoolArray:
        """(Q,) whether a judged query has no ranking."""
        missing = np.zeros(len(self.query_ids), dtype=bool)
        missing[self.missing] = True
        return missing

    @cached_property
    def _borders(self) -> list[int]:
        return list(accumulate(map(len, self.parts), initial=0))

    def block(self, number: int) -> Block:
        """A block of queries, to be read by one thread alone.

        It is a copy without what the parts have cached: what its measures share with each other
        is forgotten with the block, so that the next one finds its memory free.
        """
        queries = slice(self._borders[number], self._borders[number + 1])
        rankings = by_score = replace(self.parts[number])
        if self.score_parts is not self.parts:
            by_score = replace(self.score_parts[number])
        return Block(queries, rankings, by_score)

    def labels(self, column: str) -> dict[Any, Any]:
        """{query: label} from a column of the data frames that were read."""
        labels: dict[Any, Any] = {}
        tables = [table for table in self.query_columns if column in table]
        if not tables:
            msg = f"no data frame with a column {safe_repr(column)} was given; pass a mapping"
            raise InvalidParameterError(msg)
        for table in tables:
            for query, label in table.labels(column).items():
                if labels.setdefault(query, label) != label:
                    msg = (
                        f"the frames do not agree on column {safe_repr(column)}: query "
                        f"{safe_repr(query)} has {safe_repr(labels[query])} and {safe_repr(label)}"
                    )
                    raise InvalidParameterError(msg)
        return labels

    @cached_property
    def weights(self) -> FloatArray | None:
        """(Q,) weight of each query; None weighs all alike."""
        given = [part.weights for part in self.parts if part.weights is not None]
        return np.concatenate(given) if given else None
