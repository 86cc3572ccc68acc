"""Why no relevant item of any query was retrieved: ids that are written in two ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import islice
from typing import Any

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.long_tables import LongTable
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.text import safe_repr
from sklearn_rank.support.warn import warn
from sklearn_rank.typing import StringProvider

_QUERIES, _ITEMS = 100, 1000
"""How many are looked at: enough to see a spelling, and soon done."""
_CHANCE = 10
"""Below so many queries a miss of all is no surprise, if the ids look alike."""


def _text(item: Any) -> str:
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


_SPELLINGS: tuple[tuple[str, Callable[[Any], set[str]]], ...] = (
    ("in type", lambda item: {_text(item)}),
    ("in case", lambda item: {_text(item).casefold()}),
    ("in spaces", lambda item: {"".join(_text(item).split())}),
    ("by a trailing '.0'", lambda item: {_text(item).removesuffix(".0")}),
    ("by leading zeros", lambda item: {_text(item).lstrip("0")}),
    ("as a tuple and one of its parts", lambda item: _parts(item) if _is_tuple(item) else {item}),
    ("by a prefix", lambda item: {_text(item), re.split(r"[/\\:#|_-]", _text(item))[-1]}),
)
"""What ids may differ in, and how they read without that."""


def _is_tuple(item: Any) -> bool:
    return isinstance(item, tuple)


def _parts(item: tuple[Any, ...]) -> set[Any]:
    return {part for part in item if isinstance(part, (str, int))}


def with_hint(
    judged: RankingData, y_true: Any, y_score: Any, provider: StringProvider | None
) -> RankingData:
    """The same; with a warning and its text where nothing relevant was retrieved at all."""
    if judged.rankings.n_retrieved.any():
        return judged
    queries = [
        (relevant, items)
        for relevant, items in islice(_queries(y_true, y_score), _QUERIES)
        if relevant and items
    ]
    if not queries:
        return judged
    # A provider was promised one call for each item, and has had it.
    cause = likely_cause(queries, "y_score") if provider is None else ""
    if not cause and len(queries) < _CHANCE:
        return judged
    if not cause:
        cause = f"ids look like {_pair(queries[0][0][0], queries[0][1][0], 'y_score')}"
    warn(
        f"no relevant item of any query was retrieved ({cause}), so most measures are 0; "
        "string_provider= can spell the items of both sides alike",
        RankingDataWarning,
    )
    return replace(judged, hint=cause)


Sides = list[tuple[list[Any], list[Any]]]
"""Judged items, and those that they could have met: for each query, or once for all."""


def likely_cause(sides: Sides, other: str) -> str:
    """In what ids of ``y_true`` and of the ``other`` side seem to differ; "" if nothing shows."""
    return next(filter(None, (_met(sides, other, *spelling) for spelling in _SPELLINGS)), "")


def _met(sides: Sides, other: str, what: str, spell: Callable[[Any], set[str]]) -> str:
    """What ids differ in, with an example, if two of one query meet once that is taken away."""
    for relevant, items in sides:
        ranked = {key: item for item in items for key in spell(item) if key != ""}
        for item in relevant:
            for key in spell(item):
                if key in ranked:
                    return f"ids seem to differ {what}: {_pair(item, ranked[key], other)}"
    return ""


def _pair(relevant: Any, ranked: Any, other: str) -> str:
    return f"{safe_repr(relevant)} in y_true, {safe_repr(ranked)} in {other}"


def _queries(y_true: Any, y_score: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """Relevant and ranked items of each query."""
    if isinstance(y_true, Mapping):
        for query in y_true:
            if query in y_score:
                yield _relevant(_of(y_true, query)), _first(_of(y_score, query))
    elif isinstance(y_true, Set):
        shared = _relevant(y_true)
        for ranking in y_score:
            yield shared, _first(ranking)
    else:
        for truth, ranking in zip(y_true, y_score, strict=False):
            yield _relevant(truth), _first(ranking)


def _of(table: Mapping[Any, Any], query: Any) -> Any:
    """What a mapping holds of a query; long tables refuse items that come twice, but not here."""
    return table.distinct(query) if isinstance(table, LongTable) else table[query]


def _relevant(truth: Any) -> list[Any]:
    if isinstance(truth, Mapping):
        return _first(item for item, grade in truth.items() if grade > 0)
    return _first(truth)


def _first(items: Iterable[Any]) -> list[Any]:
    return list(islice(items, _ITEMS))
