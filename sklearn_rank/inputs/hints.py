"""Hints about data that were probably not meant: swapped arguments, ids that cannot match.

No relevant item of any query was retrieved, judged items are not in the index, queries of two
sides differ in spelling: each says what the ids seem to differ in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from sklearn_rank.exceptions import (
    InvalidParameterError,
    RankingDataWarning,
    UnknownItemsWarning,
)
from sklearn_rank.inputs.tables import LongTable, Qrels, as_list, take_ids
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import StringProvider

_QUERIES, _ITEMS = 100, 1000
"""How many are looked at: enough to see a spelling, and soon done."""
_CHANCE = 10
"""Below so many queries a miss of all is no surprise, if the ids look alike."""


def _text(item: Any) -> str:
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


_FORMS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("in type", "str() of one side", str),
    ("in case", "case folded", str.casefold),
    ("in spaces", "whitespace stripped", lambda text: "".join(text.split())),
    ("by a trailing '.0'", "a trailing '.0' removed", lambda text: text.removesuffix(".0")),
    ("by leading zeros", "leading zeros removed", lambda text: text.lstrip("0")),
    ("in Unicode form", "Unicode NFC", lambda text: unicodedata.normalize("NFC", text)),
)
"""What ids may differ in, how to say that it is taken away, and how they read without it."""


def _parts(item: Any) -> set[Any]:
    """Parts of a tuple that may be an id of the other side."""
    if not isinstance(item, tuple):
        return {item}
    return {part for part in item if isinstance(part, (str, int))}


_SPELLINGS: tuple[tuple[str, Callable[[Any], set[Any]]], ...] = (
    *((what, lambda item, form=form: {form(_text(item))}) for what, _, form in _FORMS),
    ("as a tuple and one of its parts", _parts),
    ("by a prefix", lambda item: {_text(item), re.split(r"[/\\:#|_-]", _text(item))[-1]}),
)


def with_mismatch_hint(
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
    cause = likely_mismatch(queries, "y_score") if provider is None else ""
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


def likely_mismatch(sides: Sides, other: str) -> str:
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
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(y_true, Mapping):
        shared = (query for query in y_true if query in y_score)
        pairs = ((_of(y_true, query), _of(y_score, query)) for query in shared)
    elif isinstance(y_true, Set):
        pairs = ((y_true, ranking) for ranking in y_score)
    else:
        pairs = zip(y_true, y_score, strict=False)
    for truth, ranking in pairs:
        relevant = truth
        if isinstance(truth, Mapping):
            relevant = (item for item, grade in truth.items() if grade > 0)
        yield _first(relevant), _first(ranking)


def _of(table: Mapping[Any, Any], query: Any) -> Any:
    """What a mapping holds of a query; long tables refuse items that come twice, but not here."""
    return table.distinct(query) if isinstance(table, LongTable) else table[query]


def _first(items: Iterable[Any]) -> list[Any]:
    return [item for item in islice(items, _ITEMS) if getattr(item, "__hash__", None)]


# Swapped arguments -------------------------------------------------------------------------------

_VALUES = 10_000
"""Numbers looked at of each side."""
_MOST_GRADE, _FEW_GRADES, _MANY_SCORES = 10, 6, 10
"""Grades are few, and small whole numbers; scores are many."""


def swap_suspicion(y_true: Any, y_score: Any) -> str:
    """Why judgements and rankings seem to be swapped, and how to call; "" if nothing shows.

    Looks at a sample of the values; frames are passed as long tables.
    """
    first = _first_of(y_score)
    if isinstance(first, (float, np.floating)) and not float(first).is_integer():
        return ""  # most often, and at once
    grades: list[Any] = []
    for value in _numbers(y_score):  # ends with the first value that is no grade
        if not isinstance(value, (int, float)) or not 0 <= value <= _MOST_GRADE or value % 1:
            return ""
        grades.append(value)
    distinct = set(grades)
    has_ids = isinstance(y_score, Mapping) or isinstance(first, Mapping)
    if len(distinct) > _FEW_GRADES or 2 * len(distinct) > len(grades) or not any(distinct):
        return ""
    if not has_ids and len(distinct) == 1:
        return ""
    scores = list(_numbers(y_true))
    if scores:
        if not all(isinstance(score, (int, float)) for score in scores):
            return ""
        n_distinct = len(set(scores))
        large = max(scores) > _MOST_GRADE**2
        if n_distinct <= max(_MANY_SCORES, len(scores) // 2) or not (
            large or sum(map(_has_fraction, scores)) > len(scores) // 2
        ):
            return ""
        found = "many different real numbers, as scores are"
    else:
        truths, rankings = (list(islice(_per_query(side), _QUERIES)) for side in (y_true, y_score))
        if len(truths) < 2 or not all(isinstance(truth, (list, tuple)) for truth in truths):
            return ""
        lengths, judged = list(map(len, truths)), list(map(len, rankings))
        cut = len(set(lengths)) == 1 < len(set(judged)) and lengths[0] >= _MANY_SCORES // 2
        longer = sum(lengths) * len(judged) > 2 * sum(judged) * len(lengths)
        alike = 0 in distinct and all(map(_same_items, truths, rankings))
        if not (cut or longer or alike):
            return ""
        found = "ranked lists"
    return (
        f"y_true holds {found}, and y_score few small whole numbers, as grades are: are they "
        "swapped? Judgements come first: (y_true, y_score)"
    )


def _same_items(truth: Collection[Any], ranking: Any) -> bool:
    """Whether all that is called relevant is ranked, and nothing else."""
    try:
        return len(truth) > 1 and isinstance(ranking, Mapping) and set(truth) == ranking.keys()
    except TypeError:
        return False


def _has_fraction(score: float) -> bool:
    """Infinities included; without the warning that NumPy gives of their remainder."""
    return isinstance(score, float) and not score.is_integer()


def _numbers(side: Any) -> Iterator[Any]:
    """Some grades or scores of one side, in any layout."""
    column = getattr(side, "grades", getattr(side, "scores", None))
    if isinstance(side, LongTable):
        if column is not None:
            yield from column[:_VALUES].tolist()
        return
    first = _first_of(side)
    if isinstance(first, Mapping):
        rankings = (ranking for ranking in _per_query(side) if isinstance(ranking, Mapping))
        numbers = chain.from_iterable(ranking.values() for ranking in rankings)
        yield from islice(numbers, _VALUES)
    elif not isinstance(side, (Mapping, Set)) and isinstance(first, (int, float, np.number)):
        values = side[:_VALUES]
        yield from values if isinstance(values, (list, tuple)) else np.asarray(values).tolist()
    elif isinstance(side, np.ndarray) and side.ndim == 2:
        yield from side[:_QUERIES].ravel()[:_VALUES].tolist()


def _per_query(side: Any) -> Iterable[Any]:
    """Truths or rankings; mappings of other types may read each of them from a disk."""
    if isinstance(side, Mapping):
        return side.values() if type(side) is dict else ()
    return side if isinstance(side, (list, tuple)) else ()


def _first_of(side: Any) -> Any:
    if isinstance(side, np.ndarray):
        return side.flat[0] if side.ndim == 1 and side.size else None
    if hasattr(side, "iloc"):
        return side.iloc[0] if len(side) else None
    return next(iter(_per_query(side)), None)


# Spelling of ids ---------------------------------------------------------------------------------


def spelling_hint(left: Iterable[Any], right: Iterable[Any]) -> str:
    """How many ids of two sides that do not meet would, by the first change of spelling."""
    for change, number in almost_equal(left, right).items():
        return f". With {change}, {number:,} of them would meet"
    return ""


def almost_equal(left: Iterable[Any], right: Iterable[Any]) -> dict[str, int]:
    """How many ids of two sides would meet by which change of spelling."""
    left, right = list(left), list(right)
    common = {
        change: len({form(str(key)) for key in left} & {form(str(key)) for key in right})
        for _, change, form in _FORMS
    }
    return {change: number for change, number in common.items() if number}


def equal_but_for(ids: Iterable[Any]) -> dict[str, list[tuple[Any, ...]]]:
    """Ids of one side that are equal after a change of spelling, by that change."""
    ids = list(ids)
    groups: dict[str, list[tuple[Any, ...]]] = {}
    for _, change, form in _FORMS:
        alike: dict[Any, list[Any]] = {}
        for key in ids:
            alike.setdefault(form(str(key)), []).append(key)
        groups[change] = [tuple(group) for group in alike.values() if len(group) > 1]
    return {change: pairs for change, pairs in groups.items() if pairs}


# Items that are not in the index -----------------------------------------------------------------

_COMPARED = 100_000
"""Items of the index in which a judged one is looked for in another spelling: a second's work."""


class Corpus:
    """The items of an index: a collection of ids, or a function that says whether it has one."""

    def __init__(self, given: Any) -> None:
        self._ids: Collection[Any] = () if callable(given) else _ids(given)
        self._has = _guarded(given) if callable(given) else self._ids.__contains__

    def unknown(self, judged: Iterable[Any]) -> list[Any]:
        """Items that the index does not have."""
        return [item for item in judged if not self._has(item)]

    def cause(self, unknown: list[Any]) -> str:
        """In what the ids of judgements and index seem to differ; "" if that is not to be seen."""
        return likely_mismatch([(unknown, list(islice(self._ids, _COMPARED)))], "known_items")


def _guarded(given: Callable[[Any], Any]) -> Callable[[Any], bool]:
    """The caller's function; what it raises names the item."""

    def has(item: Any) -> bool:
        try:
            return bool(given(item))
        except Exception as error:
            what = f"{type(error).__name__}({safe_repr(str(error))})"
            msg = f"known_items raised {what} on item {safe_repr(item)}"
            raise ValueError(msg) from error

    return has


def _ids(given: Any) -> set[Any]:
    """Ids of the index; a string is one id, not several."""
    for name in ("to_list", "tolist", "to_pylist"):
        if hasattr(given, name):
            given = getattr(given, name)()
            break
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        msg = f"known_items must be a collection of item ids or a function, got {safe_repr(given)}"
        raise TypeError(msg)
    try:
        ids = set(given)
    except TypeError:
        kinds = (type(item).__name__ for item in given if getattr(item, "__hash__", None) is None)
        msg = (
            f"known_items holds an unhashable {next(kinds, 'item')}; pass ids as they are "
            "compared, or a function that says whether an item is known"
        )
        raise TypeError(msg) from None
    if not ids:
        msg = "known_items is empty: no judged item could be in the index; leave it out"
        raise InvalidParameterError(msg)
    return ids


def with_unknown_counted(judged: RankingData, y_true: Any, corpus: Corpus) -> RankingData:
    """The same, and what the index lacks is counted; with a warning that names some of it."""
    items = list(dict.fromkeys(_judged_items(judged, y_true)))
    unknown = corpus.unknown(items)
    if not unknown:
        return judged
    cause = corpus.cause(unknown)
    verb = "is" if len(unknown) == 1 else "are"
    warn(
        f"{len(unknown):,} of {len(items):,} judged items {verb} not in the index "
        f"({format_list(unknown)}{f'; {cause}' if cause else ''}): was the corpus re-chunked?",
        UnknownItemsWarning,
    )
    return replace(judged, counts=replace(judged.counts, unknown_items=len(unknown)))


def _judged_items(judged: RankingData, y_true: Any) -> Iterable[Any]:
    """Judged items as they are compared, in the order of the judgements."""
    if isinstance(y_true, Qrels) and judged.items is None:
        ids = take_ids(y_true.item_ids, np.flatnonzero(y_true.grades >= 0))
        return ids if isinstance(ids, list) else as_list(ids.unique(maintain_order=True))
    kept = judged.items
    if kept is None:
        return ()
    return chain.from_iterable(kept.truths.values()) if kept.shared is None else kept.shared
