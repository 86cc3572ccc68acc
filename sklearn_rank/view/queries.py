"""The queries of a page, with their items, as data for its script."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, repeat, zip_longest
from typing import Any

import numpy as np

from sklearn_rank.comparison.changes import ItemChange, explain_all
from sklearn_rank.evaluation.base import BaseEvaluation
from sklearn_rank.measures.record import Measure
from sklearn_rank.rankings.placements import Placement
from sklearn_rank.support.text import as_text, safe_text
from sklearn_rank.typing import FloatArray, IntArray
from sklearn_rank.view.page import Number, script_json

MOST_BYTES = 4_500_000
"""Bytes for the items of all queries of a page, which the script reads query by query."""
MOST_QUERIES = 1_500
"""Queries with the largest changes, whose items are written; nobody opens more."""
MOST_ITEMS = 60
"""Items of a query: the first ranks of all systems, then the largest contributions."""
MOST_CHARACTERS = 300
"""Characters of an id, the text of a query or the title of an item."""
MOST_OF_PASSAGE = 1200
"""Characters of the text of an item."""
TOP = 10
"""Ranks of a query shown side by side."""
MOST_EXPLAINED = 256
"""Queries with the largest changes, whose change is divided among their items."""
_AT_ONCE = 256
"""Queries that are looked up at once: a page has room for the items of a few thousand."""
Systems = Mapping[str, tuple[BaseEvaluation, IntArray]]
"""Evaluations with the numbers of the queries in each; the baseline first."""
Values = Mapping[Measure, Sequence[FloatArray]]
"""For each measure, one column per system."""
Texts = tuple[Callable[[Any], str], Callable[[Any], Any]]
"""Functions from a query to its text, and from an item to its title, or a mapping of facts."""
_LINKS = {"url": ("https://", "http://"), "image": ("data:image/", "https://", "http://")}
"""Starts of addresses that a page shows."""
_PAGE_DIGITS = 6
"""Two more than are shown, so that contributions add up to the change."""


def queries_data(
    systems: Systems,
    ids: Sequence[Any],
    values: Values,
    labels: Sequence[Sequence[str]],
    texts: Texts,
    *,
    to_judge: Sequence[Any] = (),
    show: Mapping[str, Any] | None = None,
    room: int = MOST_BYTES,
) -> dict[str, Any]:
    """All queries, and in ``lines`` the items of as many queries as fit.

    ``labels`` are slices by query, ``to_judge`` the queries whose unjudged items matter most, and
    ``show`` is the first view: ``measure`` and ``system`` by number, ``slice``, ``which`` queries.
    """
    order, lines = by_change(values, labels)[:MOST_QUERIES], [""] * len(ids)
    written = 0
    for number, line in zip(order, _lines(systems, values, order, texts[1]), strict=True):
        room -= len(line)
        if room < 0:
            break
        lines[number] = line
        written += 1
    names, query_texts = list(map(as_text, ids)), [_shown(texts[0](query)) for query in ids]
    slices = list(dict.fromkeys(label for group in labels for label in group))
    number_of = {query: number for number, query in enumerate(ids)}
    return {
        "systems": list(map(_shown, systems)),
        "measures": [measure.title for measure in values],
        "greater": [measure.metric.greater_is_better for measure in values],
        # Measured elsewhere: no rank explains them.
        "given": [measure.metric.is_given for measure in values],
        "queries": list(map(_shown, names)),
        # Ids that are shown differently, for exported judgements.
        "raw": {n: name for n, name in enumerate(names) if _shown(name) != name},
        "texts": query_texts if any(query_texts) else [],
        "slices": list(map(_shown, slices)),
        "labels": [[slices.index(label) for label in group] for group in labels],
        "values": [
            [list(map(rounded, c.tolist())) for c in columns] for columns in values.values()
        ],
        "lengths": [one.n_ranked[at].tolist() for one, at in systems.values()],
        "show": {"measure": 0, "slice": "", "which": "", **(show or {})},
        "toJudge": [number_of[query] for query in to_judge if query in number_of],
        "leftOut": len(ids) - written,
        "isRepeated": any(len(one.runs) > 1 for one, _ in systems.values()),
        "lines": lines,
    }


def by_change(values: Values, labels: Sequence[Sequence[str]] = ()) -> list[int]:
    """Numbers of the queries, in the order in which their items get room on the page.

    It is the order of a page's lists: the largest losses and gains in each measure, over all
    queries and in each slice, one of each in turn; without a comparison, the worst values.
    """
    lists = []
    for measure, (old, *others) in values.items():
        sign = 1 if measure.metric.greater_is_better else -1
        worse = [np.nan_to_num(sign * (new - old)) for new in others] or [np.nan_to_num(sign * old)]
        lists += [*worse, *([-losses for losses in worse] if others else [])]
    slices = dict.fromkeys(label for group in labels for label in group)
    members = [np.array([label in group for group in labels]) for label in slices]
    ranked = []
    for keys in lists:
        order = np.argsort(keys, kind="stable")
        ranked += [order, *(order[is_member[order]] for is_member in members)]
    turns = chain.from_iterable(zip_longest(*(order.tolist() for order in ranked)))
    return list(dict.fromkeys(number for number in turns if number is not None))


def _lines(
    systems: Systems, values: Values, order: Sequence[int], text_of: Callable[[Any], Any]
) -> Iterator[str]:
    """JSON of the items of each query; empty if their ids were not stored."""
    (baseline, _), *others = systems.values()
    starts = range(0, len(order), _AT_ONCE)
    for first in starts:
        chunk = order[first : first + _AT_ONCE]
        old, *rest = (one.placements(at[chunk]) for one, at in systems.values())
        explained = [
            [
                iter(explain_all(measure, (baseline, one), [*zip(old, new, strict=True)]))
                for (one, _), new in zip(others, rest, strict=True)
            ]
            for measure in (values if first < MOST_EXPLAINED else ())
        ]
        for sides in zip(old, *rest, strict=True):
            changes = [[next(of)[0] for of in row] for row in explained]
            if all(side.judged is None for side in sides):
                yield ""
            else:
                yield script_json(items_of(sides, changes, text_of))


def items_of(
    sides: Sequence[Placement],
    changes: Sequence[Sequence[Iterable[ItemChange]]] = (),
    text_of: Callable[[Any], Any] = lambda _: "",
) -> list[Any]:
    """Numbers of ranks whose items were stored, and a row for each item that is shown.

    The items are the first of every ranking and all relevant ones, top ranks and large
    contributions first; a row has id, facts, grade, ranks, contributions, scores and raw id.
    ``changes`` are item changes, measure by measure, in every ranking but the first.
    """
    top = dict.fromkeys(item for side in sides for item in side.ranking[:TOP])
    grades: dict[Any, float] = {}
    names = dict(top)
    for side in sides:
        grades.update(side.judged or {})
        names.update(dict.fromkeys(hit.item for hit in side.hits))
    names.update(dict.fromkeys(item for item, grade in grades.items() if grade > 0))
    ranks_of, scores_of = [], []
    for side in sides:
        rank_of: dict[Any, Number] = dict(zip(side.ranking, count(1)))
        rank_of.update((hit.item, hit.rank) for hit in side.hits)  # in a tie, the mean rank
        ranks_of.append(rank_of)
        scores_of.append(dict(zip(side.ranking, side.scores, strict=False)))
    shares: dict[Any, list[list[Number]]] = {
        item: [[None] * (len(sides) - 1) for _ in changes] for item in names
    }
    largest = dict.fromkeys(names, 0.0)
    for nth, systems in enumerate(changes):
        for number, of_system in enumerate(systems):
            for change in of_system:
                if change.item in shares and math.isfinite(change.contribution):
                    shares[change.item][nth][number] = rounded(change.contribution)
                    largest[change.item] = max(largest[change.item], abs(change.contribution))
    items = sorted(names, key=lambda item: (item not in top, -largest[item]))[:MOST_ITEMS]
    raws = list(map(as_text, items))
    columns = (
        map(_shown, raws),
        (_facts(text_of(item)) for item in items),
        map(rounded, map(grades.get, items)),
        zip(*(map(ranks.get, items) for ranks in ranks_of), strict=True),
        map(shares.__getitem__, items),
    )
    rows: list[list[Any]] = list(map(list, zip(*columns, strict=True)))
    points: Iterable[Sequence[Number]] = repeat(())
    if any(scores_of):
        points = zip(*(map(rounded, map(scores.get, items)) for scores in scores_of), strict=True)
    for row, raw, scored in zip(rows, raws, points, strict=False):
        is_scored = any(point is not None for point in scored)
        if is_scored or raw != row[0]:
            row.append(scored if is_scored else ())
        if raw != row[0]:
            row.append(raw)
    depths = [None if len(side.ranking) >= side.n_ranked else len(side.ranking) for side in sides]
    return [depths, rows]


# Data of the script ------------------------------------------------------------------------------


def _facts(text: Any) -> str | dict[str, str]:
    """Title of an item, or its other fields; links that are not http(s) are left out."""
    if not text:
        return ""
    if not isinstance(text, Mapping):
        return safe_text(str(text), limit=MOST_OF_PASSAGE)
    given = {name: str(text[name]) for name in ("title", "text", "url", "image") if text.get(name)}
    facts = {}
    for name, value in given.items():
        if name not in _LINKS:
            facts[name] = safe_text(value, limit=MOST_OF_PASSAGE)
        elif value.startswith(_LINKS[name]) and value.isprintable():
            facts[name] = value
    return facts


def size_of(data: Mapping[str, Any]) -> int:
    """Bytes of the items."""
    return sum(map(len, data["lines"]))


def without_items(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data without its items, which no longer fit on the page."""
    n_queries = len(data["lines"])
    return {**data, "lines": [""] * n_queries, "leftOut": n_queries}


def rounded(value: Any) -> Number:
    """A rounded number; a whole number without a decimal point."""
    if value is None or not math.isfinite(value):
        return None
    cut = round(float(value), _PAGE_DIGITS)
    return int(cut) if cut.is_integer() and abs(cut) < 2**53 else cut


def _shown(text: str) -> str:
    return safe_text(text, limit=MOST_CHARACTERS)


def numbers(values: Iterable[float]) -> Sequence[Number]:
    """Numbers, with None for non-finite ones."""
    return [value if math.isfinite(value) else None for value in values]
