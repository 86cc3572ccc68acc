"""Single queries of a comparison, and the part of each relevant item in their change."""

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
    """A relevant item, and its part of the change of its query."""

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
        Its text, from ``query_text``.
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
        shown = []
        for item, _, old, new, part in self.items:
            if old != new or abs(part) > 0:
                ranks = "->".join("-" if rank is None else f"{rank:g}" for rank in (old, new))
                share = "" if math.isnan(part) else f" {part:+.2g}"
                shown.append(f"{safe_text(as_text(item))} {ranks}{share}")
        more = len(shown) - limit
        return "; ".join(shown[:limit]) + (f"; {more:,} more" if more > 0 else "")


class Changes:
    """Queries of two systems by one measure."""

    def __init__(
        self, joined: Joined, measure: str, pair: tuple[str, str], query_text: Any
    ) -> None:
        self._joined, self._name, self.pair = joined, measure, pair
        self._measure = joined.measure(measure)
        self._text = text_function(query_text)
        self._old, self._new = (joined.values_per_query(system, measure) for system in pair)

    def most_changed(self, n: int, direction: Direction) -> list[QueryChange]:
        """Queries that moved the mean most, the largest change first."""
        metric = self._measure.metric
        old, new = (on_scale(side, metric.geometric_from) for side in (self._old, self._new))
        gains = np.nan_to_num(new - old, nan=0.0) * (1 if metric.greater_is_better else -1)
        sizes = {"both": np.abs(gains), "worse": -gains, "better": gains}[direction]
        order = np.argsort(-sizes, kind="stable").tolist()
        return self._changes([place for place in order[:n] if sizes[place] > 0])

    def worst(self, n: int) -> list[QueryChange]:
        """Queries with the worst values of the second system."""
        return self._changes(worst_of(self._new, self._measure.metric, n))

    def of(self, queries: Iterable[Any]) -> list[QueryChange]:
        """Queries with these ids."""
        if isinstance(queries, (str, bytes)):
            msg = f"queries must be a collection of query ids, got the text {safe_repr(queries)}"
            raise InvalidParameterError(msg)
        places = {query: number for number, query in enumerate(self._joined.query_ids)}
        wanted = list(queries)
        for query in wanted:
            if query not in places:
                msg = f"query {safe_repr(query)} was not compared"
                raise InvalidParameterError(msg)
        return self._changes([places[query] for query in wanted])

    def _changes(self, numbers: Sequence[int]) -> list[QueryChange]:
        joined = self._joined
        before, after = (
            joined.systems[system].placements(joined.places[system][list(numbers)])
            for system in self.pair
        )
        values = [(float(self._old[number]), float(self._new[number])) for number in numbers]
        defined = [
            (was, now)
            for was, now, (old, new) in zip(before, after, values, strict=True)
            if not math.isnan(new - old)
        ]
        judged = joined.systems[self.pair[1]]._judged
        if self._measure.metric.by_score and judged.by_relevance is not None:
            why = "it reads relevance scores, whose ranking is not kept"
            found = [Explanation((), f"{self._name} has no parts by item: {why}")] * len(defined)
        else:
            found = explain_all(self._measure, defined)
        explained, changes = iter(found), []
        undefined = Explanation((), f"{self._name} is undefined for this query")
        for number, was, now, (old, new) in zip(numbers, before, after, values, strict=True):
            own = undefined if math.isnan(new - old) else next(explained)
            query = joined.query_ids[number]
            fields = (self._text(query), self._name, *self.pair, old, new, new - old)
            changes.append(QueryChange(query, *fields, own.items, was, now, own.remark))
        return changes


# Contributions of items --------------------------------------------------------------------------


class Explanation(NamedTuple):
    """The relevant items of a query, those that matter most first."""

    items: tuple[ItemChange, ...]
    remark: str = ""
    """Why the items have no contributions; empty if they have."""


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
    queries = [_Relevant(measure, sides, key) for sides in pairs]
    found = iter(_contributions(measure, [own for own in queries if not own.lacks_ids]))
    explained = []
    for query in queries:
        parts = None if query.lacks_ids else next(found)
        if parts is None:
            explained.append(Explanation((), NO_IDS))
        elif isinstance(parts, str):
            remark = f"{measure} has no parts by item: {parts}"
            explained.append(Explanation(query.items([math.nan] * query.n_items), remark))
        else:
            explained.append(Explanation(query.items(parts.tolist())))
    return explained


class _Relevant:
    """Items that are relevant for a measure in both rankings of a query."""

    def __init__(
        self,
        measure: Measure,
        sides: tuple[Placement, Placement],
        key: Callable[[Any], Any],
    ) -> None:
        self.sides = sides
        least = measure.options.get("min_rel") or 0.0
        # In the order of the judged rankings.
        self._hits: list[dict[Any, Hit]] = [
            {
                key(hit.item): hit
                for hit in sorted(side.hits, key=lambda hit: (hit.above, -hit.grade))
                if hit.grade >= least
            }
            for side in sides
        ]
        self.lacks_ids = all(side.judged is None for side in sides) or any(
            hit.item is None for hits in self._hits for hit in hits.values()
        )
        """Whether nobody knows which items the hits are."""
        self._items: dict[Any, tuple[Any, float]] = {}
        before, after = sides
        for side in (after, before):
            hits = [(hit.item, hit.grade) for hit in side.hits]
            for item, grade in (*hits, *(side.judged or {}).items()):
                if grade >= least and grade > 0:
                    self._items.setdefault(key(item), (item, grade))
        for item, grade in (after.judged or {}).items():
            if key(item) in self._items:  # the ids of the data, rather than those of a baseline
                self._items[key(item)] = (item, grade)
        self.n_items = len(self._items)

    def hit_numbers(self) -> tuple[IntArray, IntArray]:
        """(H,) which items the hits of each side are."""
        places = {name: number for number, name in enumerate(self._items)}
        old, new = (np.array([places[name] for name in hits], np.int64) for hits in self._hits)
        return old, new

    def items(self, contributions: Sequence[float]) -> tuple[ItemChange, ...]:
        """The items with their ranks, the largest contributions first, then what moved."""
        weighed = []
        for (name, of), part in zip(self._items.items(), contributions, strict=True):
            old, new = (hits[name].rank if name in hits else None for hits in self._hits)
            first = min((rank for rank in (old, new) if rank is not None), default=math.inf)
            order = (0.0 if math.isnan(part) else -abs(part), old == new, first)
            weighed.append((order, ItemChange(*of, old, new, part)))
        return tuple(change for _, change in sorted(weighed, key=lambda pair: pair[0]))


def _contributions(measure: Measure, queries: list[_Relevant]) -> list[FloatArray | str]:
    """Of each query (I,) in the order of its items, or why there are none, as part of a sentence.

    A fault of one query is not that of others.
    """
    metric = measure.metric
    if metric.parts is None and metric.moves is None:
        return ["its value is no sum over items"] * len(queries)
    if not queries:
        return []
    try:
        old, new = (_rankings(measure, [query.sides[side] for query in queries]) for side in (0, 1))
        found: list[FloatArray | str] = []
        if metric.moves is None:
            options = _options(measure, queries)
            was, now = (metric.parts(rankings, **options) for rankings in (old, new))  # type: ignore[misc]
            for number, query in enumerate(queries):
                parts = was.of(number, old.offsets), now.of(number, new.offsets)
                found.append(part_changes(*parts, *query.hit_numbers(), query.n_items))
            return found
        for number, query in enumerate(queries):
            one = slice(number, number + 1)
            moved = Moved(old.take(one), new.take(one), *query.hit_numbers(), query.n_items)
            found.append(metric.moves(moved, **_options(measure, [query])))
    except InvalidParameterError as error:
        if len(queries) == 1:
            return [str(error)]
        return [_contributions(measure, [query])[0] for query in queries]
    return found


def _rankings(measure: Measure, sides: Sequence[Placement]) -> JudgedRankings:
    rankings = judged_from(sides).rankings.widened()
    least = measure.options.get("min_rel")
    return rankings.at_least(least) if least else rankings


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
