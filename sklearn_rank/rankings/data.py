"""Data read from an input: judged rankings, their scores, and counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any, cast

import numpy as np

from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.ranking import Items
from sklearn_rank.rankings.reading import Judgements, Reading
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, BoolArray, FloatArray, IntArray


def no_items(reason: str) -> Items:
    """Replaces items that were dropped."""
    return Items(np.zeros(1, dtype=np.int64), None, np.zeros(0, np.uint8), no_pool=reason)


@dataclass(frozen=True)
class InputCounts:
    """Counts of an input, and of everything left out of it."""

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
    negative_grades: int = 0
    """Negative grades read as irrelevant."""


UNLISTED_UNJUDGED = ("positives", "partial")
"""Assumptions under which items that the ground truth does not name are unjudged. The first belongs
to conventions in which nothing is judged irrelevant: measures use it, but it is not reported."""
ASSUMED = ("", "complete", *UNLISTED_UNJUDGED)
"""Assumptions about items that the ground truth does not name: none if there are no such items
or the truth is a set, which is complete; irrelevant; or unjudged. The last of several prevails."""


class ByQuery(Mapping[Any, Any]):
    """A value for each query, made from columns on access."""

    def __init__(self, query_ids: Iterable[Any], value_of: Callable[[int], Any]) -> None:
        self._query_ids = list(query_ids)
        self._value_of = value_of

    @cached_property
    def _number_of(self) -> dict[Any, int]:
        return {query: number for number, query in enumerate(self._query_ids)}

    def __getitem__(self, query: Any) -> Any:
        return self._value_of(self._number_of[query])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._number_of)

    def __len__(self) -> int:
        return len(self._number_of)


@dataclass(frozen=True, eq=False, repr=False)
class ItemIds:
    """Ids of the items that were read, by query; judged rankings store only ranks."""

    rankings: Mapping[Any, tuple[Collection[Any], Array | None]]
    """Items of each ranking, and their scores; None: in ranked order."""
    truths: Mapping[Any, Mapping[Any, float]]
    """Judged items of each query with their grades."""
    shared: Mapping[Any, float] | None
    """The one ground truth of all queries, instead of ``truths``."""


def one_label_each(column: str, labels: Iterable[tuple[Any, Any]], fault: str) -> dict[Any, Any]:
    """{query: label}; InvalidParameterError, in the words of ``fault``, if a query has several."""
    label_of: dict[Any, Any] = {}
    for query, label in labels:
        before = label_of.setdefault(query, label)
        if before != label:
            msg = fault.format(*map(safe_repr, (column, query, before, label)))
            raise InvalidParameterError(msg)
    return label_of


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Data of all queries, returned by a layout's reader."""

    rankings: JudgedRankings
    items: Items
    """What was ranked."""
    chosen: IntArray | None = None
    """(Q,) numbers of the queries in ``items``; None: they are the same."""
    counts: InputCounts = field(default_factory=InputCounts)
    missing: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Numbers of the judged queries without a ranking."""
    left_out: Collection[Any] = ()
    """Ids of queries that were given but not evaluated."""
    keyed: bool = False
    """Whether queries were joined by key, so that nothing can be given by position."""
    n_shared: int = 0
    """Items of the shared ground truth of all queries; 0: a ground truth per query."""
    positional: bool = False
    """Whether the queries have no ids but their positions."""
    query_columns: tuple[Any, ...] = ()
    """Further columns of the data frames that were read: ``name in columns`` and
    ``columns.labels(name)``, which is {query: label}."""
    masks_by_score: bool = False
    """Whether cells of a matrix are scored -inf, although candidates were not given."""
    hint: str = ""
    """Probable reason why no relevant item of any query was retrieved."""
    read_as: str = ""
    """How items were read, if they could mean something else."""
    assumed: str = ""
    """One of :data:`ASSUMED`."""
    is_told: bool = False
    """Whether the caller set the assumption."""
    ties: str = ""
    """The rule by which tied items were ranked; empty if there are no scores."""
    ids: ItemIds | None = None
    """Ids of the items, if they were requested and the layout has any."""
    clusters: Array | None = None
    """(Q,) cluster label of each query; None: queries are independent."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the reader on which values depend, if available."""
    outside: tuple[tuple[Any, ...], ...] | None = None
    """Relevant items of each query that are not in the collection; None without a collection."""
    judgements: Judgements | None = None
    """Which items are relevant to each query; None if they have no ids."""

    @classmethod
    def of(
        cls,
        items: Items,
        rankings: JudgedRankings,
        **fields: Any,
    ) -> RankingData:
        """Ranked items, their rankings, and further fields."""
        fields.setdefault("assumed", "" if items.n_judged is None else "partial")
        ties = "" if items.scores is None else items.ties
        return cls(rankings, items, ties=ties, **fields)

    @property
    def query_ids(self) -> Sequence[Any] | Array:
        """(Q,) in the caller's order."""
        return self.rankings.query_ids

    @property
    def weights(self) -> FloatArray | None:
        """(Q,) weight of each query; None: equal weights."""
        return self.rankings.weights

    @property
    def reading(self) -> Reading:
        """How these data were read."""
        rules = {"ties": self.ties, "assumed": self.assumed, "relevance": self.has_relevance}
        return Reading({**rules, **self.options}, self.judgements)

    @property
    def has_relevance(self) -> bool:
        """Whether measures that read scores have a ranking of their own."""
        return self.items.relevance is not None

    @cached_property
    def by_score(self) -> JudgedRankings:
        """Rankings by relevance, or the same rankings if items have none."""
        if self.items.relevance is None:
            return self.rankings
        items = self.items.by_relevance()
        if self.chosen is None:
            return items.ranked(self.query_ids, self.weights)
        rankings = items.ranked(np.arange(len(items.offsets) - 1)).take(self.chosen)
        return replace(rankings, query_ids=self.query_ids, weights=self.weights)

    def pool(self, queries: IntArray | None = None) -> JudgedRankings:
        """One ranking of the items of all queries, or of the chosen ones, by their scores."""
        if self.weights is not None and not self.items.no_pool:
            msg = (
                "sample_weight is for queries, but a pooled measure ranks the items of all queries "
                "together; omit one of the two"
            )
            raise InvalidParameterError(msg)
        if self.chosen is not None:
            queries = self.chosen if queries is None else self.chosen[queries]
        return self.items.pool(queries)

    def listed_ids(self) -> list[Any]:
        """Ids of the queries as Python objects, except dates, which NumPy stores more finely."""
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
        fault = "the frames disagree on column {}: query {} has {} and {}"
        return one_label_each(column, labels, fault)
