"""Single queries of a comparison, and each relevant item's part of their change."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, count, pairwise
from operator import itemgetter
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from sklearn_rank.comparison.join import Joined
from sklearn_rank.evaluation.base import BaseEvaluation, item_function, worst_of
from sklearn_rank.exceptions import InvalidParameterError
from sklearn_rank.kernels.moves import Moved, part_changes
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.placements import Hit, Placement, judged_from
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import WithFields, as_text, format_list, safe_text
from sklearn_rank.support.text import count as numbered
from sklearn_rank.typing import FloatArray, IntArray

_Sides = tuple[Placement, Placement]
Direction = Literal["both", "worse", "better"]
NO_IDS = "items have no ids here; evaluate(..., keep_items=True) keeps ids of lists and mappings"


class ItemChange(NamedTuple):
    """A relevant item and its contribution to the change of its query."""

    item: Any
    grade: float
    baseline_rank: float | None
    """Rank from 1 (in a tie, the mean rank); None if the item was not retrieved."""
    new_rank: float | None
    contribution: float
    """Part of the change of the query's value; the parts of all items sum to the whole. NaN if
    there are no such parts."""
    title: str = ""
    """Title of the item, from ``item_text``."""
    baseline_tied: int = 1
    """Number of items that share its rank in the baseline; 1 means no tie."""
    new_tied: int = 1

    @property
    def text(self) -> str:
        """Such as ``Some title 1→3 -0.42``, safe for a terminal; the id if there is no title."""
        old = place_text(self.baseline_rank, self.baseline_tied) or "new"
        new = place_text(self.new_rank, self.new_tied) or "out"
        part = "" if math.isnan(self.contribution) else f" {self.contribution:+.2f}"
        return f"{safe_text(self.title or as_text(self.item))} {old}→{new}{part}"


def place_text(rank: float | None, tied: int) -> str:
    """``3``, ``14-15 (tied)``, or nothing for an item that was not retrieved."""
    if rank is None or tied == 1:
        return "" if rank is None else f"{rank:g}"
    half = (tied - 1) / 2
    return f"{rank - half:g}-{rank + half:g} (tied)"


@dataclass(frozen=True)
class QueryChange(WithFields):
    """One query in two systems.

    Attributes
    ----------
    query : object
        Id of the query.
    text : str
        Text of the query, from ``query_text``.
    measure, baseline, system : str
        Names of the measure and of both systems.
    baseline_value, new, change : float
        Values of the baseline and of the system, and ``new - baseline_value``.
    items : tuple of ItemChange
        Relevant items, largest contribution first; empty without item ids.
    before, after : Placement
        Both rankings.
    remark : str
        Why the items have no contributions; empty if they do.
    """

    query: Any
    text: str
    measure: str
    baseline: str
    system: str
    baseline_value: float
    new: float
    change: float
    items: tuple[ItemChange, ...]
    before: Placement = field(repr=False)
    after: Placement = field(repr=False)
    remark: str = ""

    _ELSEWHERE: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("delta", "diff", "difference"), "use change"),
        **dict.fromkeys(("cause", "explain", "explanation", "reason", "reasons"), "use why()"),
        **dict.fromkeys(("id", "qid", "query_id"), "use query"),
        **dict.fromkeys(("new_value", "score", "value"), "use new"),
        **dict.fromkeys(("old", "old_value"), "use baseline_value"),
    }

    def why(self, limit: int = 6) -> str:
        """The items that explain the change, on one terminal line; ranks if there are no ids.

        The main reason comes first.

        Examples
        --------
        >>> from sklearn_rank import compare
        >>> runs = {"old": {"q": ["a", "b"]}, "new": {"q": ["x", "a"]}}
        >>> compared = compare({"q": {"a", "b"}}, runs, measures="dcg")
        >>> compared.most_changed(1)[0].why()
        'b 2→out -0.63; a 1→2 -0.37'
        """
        is_alone = math.isnan(self.baseline_value)
        if is_alone or (not self.items and self.remark in ("", NO_IDS)):
            return self._ranks()
        lead = cause(self)
        moved = [
            item
            for item in sorted(self.items, key=lambda item: item is not lead)
            if item.baseline_rank != item.new_rank or abs(item.contribution) > 0
        ]
        more = len(moved) - limit
        shown = "; ".join(item.text for item in moved[:limit])
        return shown + (f"; {numbered(more, 'more item')}" if more > 0 else "")

    def _ranks(self) -> str:
        """Ranks of the relevant items: ``1, 4 → 2 of 10 results; not retrieved: 'd7'``."""
        sides = [
            ", ".join(f"{hit.rank:g}" for hit in side.hits) or "none"
            for side in (self.before, self.after)
        ]
        del sides[: math.isnan(self.baseline_value)]
        text = f"{' → '.join(sides)} of {numbered(self.after.n_ranked, 'result')}"
        titles = {item.item: item.title for item in self.items if item.title}
        lost = [titles.get(item, item) for item in self.after.not_retrieved]
        return f"{text}; not retrieved: {format_list(lost, limit=2)}" if lost else text


def cause(change: QueryChange) -> ItemChange | None:
    """The item that explains a change: the largest contribution with the same sign.

    Without contributions, the first item that moved; None if nothing changed or moved.
    """
    parts = [item for item in change.items if not math.isnan(item.contribution)]
    if parts:
        sign = math.copysign(1.0, change.change) if change.change else 0.0
        largest = max(parts, key=lambda item: sign * item.contribution)
        return largest if sign * largest.contribution > 0 else None
    moved = (item for item in change.items if item.baseline_rank != item.new_rank)
    return next(moved, None) if change.change else None


def title_function(texts: Any) -> Callable[[Any], str]:
    """Function from an item to its title in ``item_text``; empty if there is none."""
    look_up = item_function(texts)

    def title_of(item: Any) -> str:
        title = look_up(item)
        title = title.get("title") if isinstance(title, Mapping) else title
        return "" if title is None else str(title)

    return title_of


def lowest_queries(
    evaluation: BaseEvaluation,
    measure: str,
    values: FloatArray,
    most: int,
    texts: tuple[Callable[[Any], str], Callable[[Any], str]],
    system: str = "new",
) -> list[QueryChange]:
    """The queries of one system with the worst values, without a baseline."""
    numbers, rows = worst_of(values, evaluation.scored[measure].measure.metric, most), []
    for number, placement in zip(numbers, evaluation.placements(numbers), strict=True):
        about = (placement.query, texts[0](placement.query), measure, "", system)
        absent = tuple(
            ItemChange(item, math.nan, None, None, math.nan, texts[1](item))
            for item in placement.not_retrieved
        )
        value = (math.nan, float(values[number]), math.nan)
        rows.append(QueryChange(*about, *value, absent, placement, placement))
    return rows


def query_changes(
    joined: Joined,
    measure: str,
    pair: tuple[str, str],
    text_of: Callable[[Any], str],
    numbers: Sequence[int],
    title_of: Callable[[Any], str] = lambda _: "",
) -> list[QueryChange]:
    """Common queries, by number, and the items that explain their changes."""
    systems = joined.systems[pair[0]], joined.systems[pair[1]]
    before, after = (
        joined.systems[name].placements(joined.positions[name][list(numbers)]) for name in pair
    )
    sides = [*zip(before, after, strict=True)]
    columns = [joined.values_per_query(name, measure) for name in pair]
    values = [(float(columns[0][number]), float(columns[1][number])) for number in numbers]
    is_defined = [not math.isnan(new - old) for old, new in values]
    explained = iter(explain_all(joined.measure(measure), systems, [*compress(sides, is_defined)]))
    undefined: Explanation = (), f"{measure} is undefined for this query"
    changes = []
    for number, (old, new), defined, rankings in zip(
        numbers, values, is_defined, sides, strict=True
    ):
        parts, remark = next(explained) if defined else undefined
        items = tuple(item._replace(title=title_of(item.item)) for item in parts)
        query = joined.query_ids[number]
        fields = (text_of(query), measure, *pair, old, new, new - old, items)
        changes.append(QueryChange(query, *fields, *rankings, remark))
    return changes


# Contributions of items --------------------------------------------------------------------------

Explanation = tuple[tuple[ItemChange, ...], str]
"""Relevant items, the largest contributions first, and why they have no contributions."""
_Relevant = tuple[list[dict[Any, Hit]], dict[Any, float]]
"""Hits of both rankings by item, and the grades of all items."""


def explain_all(
    measure: Measure, systems: tuple[BaseEvaluation, BaseEvaluation], queries: Sequence[_Sides]
) -> list[Explanation]:
    """Contributions of the relevant items; they sum exactly to the change of the query.

    The kernels run over all queries at once.
    """
    reason = ""
    if any(len(system.runs) > 1 for system in systems):
        reason = "is a mean over runs, but the ranks come from the first run"
    elif measure.metric.is_given:
        reason = "was measured elsewhere, so no rank explains it"
    elif measure.metric.by_score and systems[1].ranking_data.has_relevance:
        reason = "has no parts by item: it reads relevance scores, whose ranking is not stored"
    if reason:
        return [((), f"{measure} {reason}")] * len(queries)
    least = measure.options.get("min_rel") or 0.0
    relevant = [_relevant(sides, least) for sides in queries]
    named = [(sides, of) for sides, of in zip(queries, relevant, strict=True) if of is not None]
    computed = iter(_contributions(measure, named))
    explained: list[Explanation] = []
    for one in relevant:
        if one is None:
            explained.append(((), NO_IDS))
            continue
        parts, remark = next(computed), ""
        if isinstance(parts, str):
            remark = f"{measure} has no parts by item: {parts}"
            parts = np.full(len(one[1]), math.nan)
        explained.append((_ordered(one, parts), remark))
    return explained


def _relevant(sides: _Sides, least: float) -> _Relevant | None:
    """Items of a query that are relevant for a measure; None if they are unknown."""
    hits = [{hit.item: hit for hit in side.hits if hit.grade >= least} for side in sides]
    if all(side.judged is None for side in sides) or any(None in of_side for of_side in hits):
        return None
    grades: dict[Any, float] = {}
    for side in reversed(sides):
        retrieved = [(hit.item, hit.grade) for hit in side.hits]
        for item, grade in (*retrieved, *(side.judged or {}).items()):
            if grade >= least and grade > 0:
                grades.setdefault(item, grade)
    return hits, grades


def _ordered(relevant: _Relevant, contributions: FloatArray) -> tuple[ItemChange, ...]:
    """The items with their ranks, the largest contributions first, then what moved."""
    hits, grades = relevant
    weighed = []
    for (item, grade), part in zip(grades.items(), contributions.tolist(), strict=True):
        places = [of_side.get(item) for of_side in hits]
        old, new = (None if hit is None else hit.rank for hit in places)
        tied = [1 if hit is None else hit.tied for hit in places]
        first = min((rank for rank in (old, new) if rank is not None), default=math.inf)
        order = (0.0 if math.isnan(part) else -abs(part), old == new, first)
        weighed.append((order, ItemChange(item, grade, old, new, part, "", *tied)))
    return tuple(change for _, change in sorted(weighed, key=itemgetter(0)))


def _contributions(
    measure: Measure, queries: Sequence[tuple[_Sides, _Relevant]]
) -> list[FloatArray | str]:
    """For each query (I,) in the order of its items, or why there are none, as part of a sentence.

    An error in one query does not affect others.
    """
    metric = measure.metric
    if metric.parts is None and metric.contributions is None:
        return ["its value is not a sum over items"] * len(queries)
    if isinstance(measure.options.get("n_negatives"), tuple):
        return ["n_negatives is given by position"] * len(queries)
    if not queries:
        return []
    least = measure.options.get("min_rel")
    options = {"k": measure.k, **measure.kernel_options}
    try:
        rankings = [judged_from([sides[n] for sides, _ in queries]).widened() for n in (0, 1)]
        old, new = (side.at_least(least) if least else side for side in rankings)
        moved = Moved(old, new, *_numbered([relevant for _, relevant in queries]))
        if metric.contributions is not None:
            changes = metric.contributions(moved, **options)
        elif metric.parts is not None:
            was, now = (metric.parts(side, **options) for side in (old, new))
            changes = part_changes(moved, was, now)
    except InvalidParameterError as error:
        if len(queries) == 1:
            return [str(error)]
        return [_contributions(measure, [query])[0] for query in queries]
    return [changes[first:last] for first, last in pairwise(moved.offsets.tolist())]


def _numbered(queries: Sequence[_Relevant]) -> tuple[IntArray, IntArray, IntArray]:
    """Numbers of the hits of both rankings among the items of all queries, and their borders."""
    offsets = offsets_of(np.array([len(grades) for _, grades in queries], dtype=np.int64))
    numbers: tuple[list[int], list[int]] = ([], [])
    for first, (hits, grades) in zip(offsets.tolist(), queries, strict=False):
        number_of = dict(zip(grades, count(first), strict=False))
        for of_side, side in zip(hits, numbers, strict=True):
            side += map(number_of.__getitem__, of_side)
    old, new = (np.array(side, dtype=np.int64) for side in numbers)
    return old, new, offsets
