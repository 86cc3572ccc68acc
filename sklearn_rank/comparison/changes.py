"""Single queries of a comparison, and what each relevant item has to do with their change."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.evaluation.averaging import on_scale
from sklearn_rank.evaluation.result import text_function, worst_of
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.moves import Moved, part_changes
from sklearn_rank.measures.parameters import ByQuery
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.judged import JudgedRankings
from sklearn_rank.rankings.placements import Hit, Placement, judged_from
from sklearn_rank.support.text import as_text, safe_repr, safe_text
from sklearn_rank.typing import FloatArray, IntArray

Direction = Literal["both", "worse", "better"]
NO_IDS = "items have no ids here; evaluate(..., keep_items=True) keeps those of lists and mappings"


class ItemChange(NamedTuple):
    """What a relevant item has to do with the change of its query."""

    item: Any
    grade: float
    old_rank: float | None
    """Counted from 1, in a tie the mean of its ranks; None where it was not retrieved."""
    new_rank: float | None
    contribution: float
    """Part of the change of the query's value; the sum over all items is the whole. NaN where
    there are no such parts."""


@dataclass(frozen=True)
class QueryChange:
    """One query, as two systems answer it.

    Attributes
    ----------
    query : object
        Its id.
    text : str
        What it asks, if that was told.
    measure, baseline, system : str
        What is compared.
    old, new, difference : float
        Values of the baseline and of the system, and new minus old.
    items : tuple of ItemChange
        Relevant items, those that matter most first; empty without ids of items.
    before, after : Placement
        Both rankings.
    remark : str
        Why the items have no contributions; empty if they have.
    """

    query: Any
    text: str
    measure: str
    baseline: str
    system: str
    old: float
    new: float
    difference: float
    items: tuple[ItemChange, ...]
    before: Placement
    after: Placement
    remark: str = ""

    @property
    def n_old(self) -> int:
        """Length of the baseline's ranking."""
        return self.before.n_ranked

    @property
    def n_new(self) -> int:
        """Length of the system's ranking."""
        return self.after.n_ranked

    def why(self, limit: int = 6) -> str:
        """The items that explain the change, on one line fit for a terminal.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["a", "b"]}, "new": {"q": ["x", "a"]}}
        >>> compared = compare({"q": {"a", "b"}}, runs, measures="dcg")
        >>> compared.most_changed(1)[0].why()
        'b 2->- -0.63; a 1->2 -0.37'
        """
        told = []
        for item, _, old, new, part in self.items:
            if old != new or abs(part) > 0:
                ranks = "->".join("-" if rank is None else f"{rank:g}" for rank in (old, new))
                share = "" if math.isnan(part) else f" {part:+.2g}"
                told.append(f"{safe_text(as_text(item))} {ranks}{share}")
        more = len(told) - limit
        return "; ".join(told[:limit]) + (f"; {more:,} more" if more > 0 else "")


class Changes:
    """Queries of two systems by one measure."""

    def __init__(
        self, joined: Joined, measure: str, pair: tuple[str, str], query_text: Any
    ) -> None:
        self._joined = joined
        self._name = measure
        self._measure = joined.measure(measure)
        self._pair = pair
        self._text = text_function(query_text)
        self._old, self._new = (joined.values_per_query(system, measure) for system in pair)

    def most_changed(self, n: int, direction: Direction) -> list[QueryChange]:
        """Those that moved the mean most, the largest change first."""
        metric = self._measure.metric
        old, new = (on_scale(side, metric.geometric_from) for side in (self._old, self._new))
        gains = np.nan_to_num(new - old, nan=0.0) * (1 if metric.greater_is_better else -1)
        sizes = {"both": np.abs(gains), "worse": -gains, "better": gains}[direction]
        order = np.argsort(-sizes, kind="stable").tolist()
        return self._changes([place for place in order[:n] if sizes[place] > 0])

    def worst(self, n: int) -> list[QueryChange]:
        """Those of the worst values of the second system."""
        return self._changes(worst_of(self._new, self._measure.metric, n))

    def of(self, queries: Iterable[Any]) -> list[QueryChange]:
        """Those of these ids."""
        if isinstance(queries, (str, bytes)):
            msg = f"queries must be a collection of query ids, got the text {safe_repr(queries)}"
            raise InvalidParameterError(msg)
        places = {query: number for number, query in enumerate(self._joined.query_ids)}
        numbers = []
        for query in queries:
            if query not in places:
                msg = f"query {safe_repr(query)} was not compared"
                raise InvalidParameterError(msg)
            numbers.append(places[query])
        return self._changes(numbers)

    def _changes(self, numbers: Sequence[int]) -> list[QueryChange]:
        joined = self._joined
        before, after = (
            joined.systems[system].placements(joined.places[system][list(numbers)])
            for system in self._pair
        )
        explained = self._explained(numbers, list(zip(before, after, strict=True)))
        changes = []
        for number, own, old, new in zip(numbers, explained, before, after, strict=True):
            query, values = joined.query_ids[number], (self._old[number], self._new[number])
            was, now = map(float, values)
            told = (self._text(query), self._name, *self._pair, was, now, now - was)
            changes.append(QueryChange(query, *told, own.items, old, new, own.remark))
        return changes

    def _explained(
        self, numbers: Sequence[int], pairs: list[tuple[Placement, Placement]]
    ) -> list[Explanation]:
        judged = self._joined.systems[self._pair[1]]._judged
        if self._measure.metric.by_score and judged.by_relevance is not None:
            why = "it reads relevance scores, whose ranking is not kept"
            return [Explanation((), f"{self._name} has no parts by item: {why}")] * len(pairs)
        undefined = np.isnan(self._new - self._old)[list(numbers)]
        defined = [pair for pair, left_out in zip(pairs, undefined, strict=True) if not left_out]
        told = iter(explain_all(self._measure, defined))
        nothing = Explanation((), f"{self._name} is undefined for this query")
        return [nothing if left_out else next(told) for left_out in undefined]


# Contributions of items --------------------------------------------------------------------------


class Explanation(NamedTuple):
    """The relevant items of a query, those that matter most first."""

    items: tuple[ItemChange, ...]
    remark: str = ""
    """Why no contributions are told; empty if they are."""


def explain(
    measure: Measure,
    before: Placement,
    after: Placement,
    *,
    key: Callable[[Any], Any] = lambda item: item,
) -> Explanation:
    """Contributions of the relevant items, whose exact sum is the change of the query's value.

    ``key`` makes ids of one kind of those of both placements.
    """
    return explain_all(measure, [(before, after)], key=key)[0]


def explain_all(
    measure: Measure,
    pairs: Sequence[tuple[Placement, Placement]],
    *,
    key: Callable[[Any], Any] = lambda item: item,
) -> list[Explanation]:
    """The same of several queries, whose kernels run over all at once."""
    queries = [_Relevant(measure, before, after, key) for before, after in pairs]
    found = iter(_contributions(measure, [own for own in queries if not own.lacks_ids]))
    explained = []
    for query in queries:
        parts = NO_IDS if query.lacks_ids else next(found)
        if query.lacks_ids:
            explained.append(Explanation((), NO_IDS))
        elif isinstance(parts, str):
            why = f"{measure} has no parts by item: {parts}"
            explained.append(Explanation(query.items(None), why))
        else:
            explained.append(Explanation(query.items(parts)))
    return explained


def _contributions(measure: Measure, queries: list[_Relevant]) -> list[FloatArray | str]:
    """Of each query (I,) in the order of its names, or why there are none, as part of a sentence.

    A fault of one query is not that of others.
    """
    metric = measure.metric
    if metric.parts is None and metric.moves is None:
        return ["its value is no sum over items"] * len(queries)
    if not queries:
        return []
    try:
        old, new = (_rankings(measure, [query.sides[side] for query in queries]) for side in (0, 1))
        if metric.moves is not None:
            return [
                _moved(measure, *own) for own in zip(queries, _each(old), _each(new), strict=True)
            ]
        options = _options(measure, queries)
        was, now = (metric.parts(rankings, **options) for rankings in (old, new))  # type: ignore[misc]
    except InvalidParameterError as error:
        if len(queries) == 1:
            return [str(error)]
        return [_contributions(measure, [query])[0] for query in queries]
    return [
        part_changes(
            was.of(number, old.offsets), now.of(number, new.offsets), *query.numbers, query.n_items
        )
        for number, query in enumerate(queries)
    ]


def _each(rankings: JudgedRankings) -> list[JudgedRankings]:
    return [rankings.take(slice(number, number + 1)) for number in range(len(rankings))]


def _moved(
    measure: Measure, query: _Relevant, old: JudgedRankings, new: JudgedRankings
) -> FloatArray | str:
    assert measure.metric.moves is not None
    try:
        moved = Moved(old, new, *query.numbers, query.n_items)
        return measure.metric.moves(moved, **_options(measure, [query]))
    except InvalidParameterError as error:
        return str(error)


def _options(measure: Measure, queries: list[_Relevant]) -> dict[str, Any]:
    """Parameters of the kernel, for these queries alone."""
    own = {
        name: value for name, value in measure.options.items() if name not in ("average", "min_rel")
    }
    negatives = own.get("n_negatives")
    if isinstance(negatives, tuple):
        msg = "n_negatives is given by position"
        raise InvalidParameterError(msg)
    if isinstance(negatives, ByQuery):
        ids = [query.sides[1].query for query in queries]
        own["n_negatives"] = negatives.of(ids, "n_negatives")
    return {"k": measure.k, **own}


def _rankings(measure: Measure, sides: Sequence[Placement]) -> JudgedRankings:
    rankings = judged_from(sides).rankings.widened()
    least = _least(measure)
    return rankings.at_least(least) if least else rankings


def _least(measure: Measure) -> float:
    """The least grade that is relevant."""
    return measure.options.get("min_rel") or 0.0


class _Relevant:
    """What is relevant for a measure in both rankings of a query."""

    def __init__(
        self, measure: Measure, before: Placement, after: Placement, key: Callable[[Any], Any]
    ) -> None:
        self.sides = before, after
        least = _least(measure)
        # In the order of the judged rankings.
        self._hits: list[dict[Any, Hit]] = [
            {
                key(hit.item): hit
                for hit in sorted(side.hits, key=lambda hit: (hit.above, -hit.grade))
                if hit.grade >= least
            }
            for side in self.sides
        ]
        known = any(side.judged is not None for side in self.sides)
        self.lacks_ids = not known or any(
            hit.item is None for side in self.sides for hit in side.hits if hit.grade >= least
        )
        """Whether nobody knows which items the hits are."""
        self._names: dict[Any, tuple[Any, float]] = {}
        for side in (after, before):
            for item, grade in (
                *((hit.item, hit.grade) for hit in side.hits),
                *(side.judged or {}).items(),
            ):
                if grade >= least and grade > 0:
                    self._names.setdefault(key(item), (item, grade))
        for item, grade in (after.judged or {}).items():
            if key(item) in self._names:  # the ids of the data, rather than those of a baseline
                self._names[key(item)] = (item, grade)

    @property
    def n_items(self) -> int:
        """Relevant items, retrieved or not."""
        return len(self._names)

    @property
    def numbers(self) -> tuple[IntArray, IntArray]:
        """(H,) which items the hits of each side are."""
        places = {name: number for number, name in enumerate(self._names)}
        old, new = (np.array([places[name] for name in hits], np.int64) for hits in self._hits)
        return old, new

    def items(self, contributions: FloatArray | None) -> tuple[ItemChange, ...]:
        """The items with their ranks, the largest contributions first, then what moved."""
        values = [math.nan] * self.n_items if contributions is None else contributions.tolist()
        changes = []
        for (name, (item, grade)), value in zip(self._names.items(), values, strict=True):
            old, new = (hits[name].rank if name in hits else None for hits in self._hits)
            changes.append(ItemChange(item, grade, old, new, value))
        return tuple(sorted(changes, key=_weight))


def _weight(change: ItemChange) -> tuple[float, bool, float]:
    size = 0.0 if math.isnan(change.contribution) else -abs(change.contribution)
    ranks = [rank for rank in (change.old_rank, change.new_rank) if rank is not None]
    return size, change.old_rank == change.new_rank, min(ranks, default=math.inf)
