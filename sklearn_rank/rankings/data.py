"""What an input delivers: the waist, and all that was counted on the way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, Protocol, cast

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.remote import RemoteRankings
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
        raise InvalidParameterError(msg)


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
    unknown_items: int = 0
    """Judged items that are not in the index, of which the caller said what it holds."""


ASSUMED = ("", "complete", "partial")
"""What a reader assumes of items that the ground truth does not name: nothing where there are none
or the truth is a set, which is complete; that they are irrelevant; or that nobody judged them. Of
several the last prevails."""


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


def one_label_each(column: str, labels: Iterable[tuple[Any, Any]], fault: str) -> dict[Any, Any]:
    """{query: label}; InvalidParameterError, in the words of ``fault``, if a query has several."""
    label_of: dict[Any, Any] = {}
    for query, label in labels:
        known = label_of.setdefault(query, label)
        if known != label:
            msg = fault.format(*map(safe_repr, (column, query, known, label)))
            raise InvalidParameterError(msg)
    return label_of


@dataclass(frozen=True)
class RankingData:
    """What an input layout delivers: all queries, whole."""

    rankings: JudgedRankings
    pool: Pool
    by_relevance: JudgedRankings | None = None
    """The same queries ranked by the relevance scores of their items, where those were given."""
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
    assumed: str = ""
    """One of :data:`ASSUMED`."""
    ties: str = ""
    """The rule by which tied items were ranked; empty where there are no scores."""
    items: KeptItems | None = None
    """Ids of the items, where they were asked for and the layout has any."""
    rank_all: Callable[[], JudgedRankings] | None = None
    """Ranks once more, with all hits, where ``rankings`` store those above a cutoff alone."""
    remote: RemoteRankings | None = None
    """Where places are if they are not here; ``rankings`` then hold sizes alone."""
    count_scores: Callable[[str], int] | None = None
    """Counts scores that conventions speak of, where they are not in the caller's own hands."""
    make_frame: Callable[[Mapping[str, Any]], Any] | None = None
    """Makes a frame of the engine that was read, of columns in memory."""

    @property
    def query_ids(self) -> Sequence[Any] | Array:
        """(Q,) in the caller's order."""
        return self.rankings.query_ids

    @property
    def weights(self) -> FloatArray | None:
        """(Q,) weight of each query; None weighs all alike."""
        return self.rankings.weights

    @cached_property
    def whole(self) -> JudgedRankings:
        """The rankings with all hits; ValueError if the caller has changed the scores since."""
        if self.rank_all is None:
            return self.rankings
        whole = self.rank_all()
        if not self.rankings.is_top_of(whole):
            msg = (
                "the arrays that were evaluated have changed since, and places below the cutoff "
                "were not kept; pass copies, or keep_items=True to keep all places"
            )
            raise ValueError(msg)
        return whole

    @property
    def by_score(self) -> JudgedRankings:
        """What measures of scores read: ranked by relevance, or the same rankings."""
        return self.rankings if self.by_relevance is None else self.by_relevance

    def listed_ids(self) -> list[Any]:
        """Ids of the queries as Python's objects, but for dates, which have finer units here."""
        query_ids = self.query_ids
        if isinstance(query_ids, np.ndarray) and query_ids.dtype.kind not in "mM":
            return cast("list[Any]", query_ids.tolist())
        return list(query_ids)

    @cached_property
    def is_missing(self) -> BoolArray:
        """(Q,) whether a judged query has no ranking."""
        missing = np.zeros(len(self.query_ids), dtype=bool)
        missing[self.missing] = True
        return missing

    def labels(self, column: str) -> dict[Any, Any]:
        """{query: label} from a column of the data frames that were read."""
        tables = [table for table in self.query_columns if column in table]
        if not tables:
            msg = f"no data frame with a column {safe_repr(column)} was given; pass a mapping"
            raise InvalidParameterError(msg)
        labels = chain.from_iterable(table.labels(column).items() for table in tables)
        fault = "the frames do not agree on column {}: query {} has {} and {}"
        return one_label_each(column, labels, fault)
