"""Hints about data that were probably not meant: swapped arguments, ids that cannot match.

No relevant item of any query was retrieved, or queries of two sides differ in spelling: each says
what the ids seem to differ in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from numbers import Number
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.inputs.tables import LongTable
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.text import safe_repr, takes

_QUERIES, _ITEMS = 100, 1000
"""Number of ids that are looked at: enough to see a spelling."""
_FIRST = 12
"""Items that were not retrieved after which nothing is looked for in most data."""
_SPELLED = 0.25
"""Share of the relevant items from which their spelling is spoken of; a third is seen surely."""
_FEW_ALIKE = 2
"""Fewer items may have another spelling for a reason, such as "A" beside "a"."""
_CHANCE = 10
"""Below so many queries a miss of all is no surprise, if the ids look alike."""


def called(function: Any, value: Any, name: str, *place: object) -> Any:
    """Result of a function of the caller's; ValueError that names it and where it failed."""
    try:
        return function(value)
    except Exception as error:
        what = f"{type(error).__name__}({safe_repr(str(error))})"
        msg = f"{name} raised {what} on {' '.join(map(str, place))}"
        raise ValueError(msg) from error


# Types of ids ------------------------------------------------------------------------------------


def refuse_unequal_types(ranked: set[type], true: set[type], *, in_tables: bool = False) -> None:
    """TypeError if ids of these types cannot be equal, RankingDataWarning if some cannot."""
    if not ranked or not true:
        return

    def named(kinds: Iterable[type]) -> str:
        return " and ".join(sorted(kind.__name__ for kind in kinds))

    # 1 and 1.0 are equal, but floats among ids come from a column with gaps, or are scores.
    mixes = all(any(issubclass(kind, base) for kind in ranked | true) for base in (int, float))
    for name, side, other in (("y_score", ranked, true), ("y_true", true, ranked)):
        alone = [kind for kind in side if not any(_can_be_equal(kind, one) for one in other)]
        if mixes or len(alone) == len(side):
            msg = (
                f"items of y_score are {named(ranked)}, items of y_true are {named(true)}; "
                f"pass {_provider(ranked | true)} to compare them"
            )
            if in_tables and mixes:
                msg += (
                    ". Floats may come from a column that had missing values: drop these rows and "
                    "cast it, as by .astype('int64')"
                )
            elif any(issubclass(kind, float) for kind in ranked):
                msg += ". If these are grades and scores, pass 2-D arrays, or 1-D ones with groups"
            raise TypeError(msg)
        if alone:
            warn(
                f"items of {name} are {named(side)}, those of the other side {named(other)}: no "
                f"{named(alone)} of {name} can match; pass {_provider(ranked | true)}, "
                "or one type of ids",
                RankingDataWarning,
            )


def _provider(kinds: Iterable[type]) -> str:
    """A remedy; text of objects without a ``__str__`` of their own names no item."""
    others = [kind for kind in kinds if not issubclass(kind, (Number, str, bytes, tuple))]
    if any(kind.__str__ is object.__str__ for kind in others):
        return "string_provider=lambda item: item.id"
    return "string_provider (such as str)"


def _can_be_equal(kind: type, other: type) -> bool:
    """Whether objects of two types may be equal: kinds of one thing, or numbers."""
    shared = set(kind.__mro__) & set(other.__mro__) - {object}
    return bool(shared) or (issubclass(kind, Number) and issubclass(other, Number))


# Spelling of ids ---------------------------------------------------------------------------------


_FORMS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "in type": ("str() of one side", str),
    "in case": ("case folded", str.casefold),
    "in spaces": ("whitespace stripped", lambda text: "".join(text.split())),
    "by a trailing '.0'": ("a trailing '.0' removed", lambda text: text.removesuffix(".0")),
    "by leading zeros": ("leading zeros removed", lambda text: text.lstrip("0")),
    "in Unicode form": ("Unicode NFC", lambda text: unicodedata.normalize("NFC", text)),
    "by a prefix": ("", lambda text: re.split(r"[/\\:#|_-]", text)[-1]),
}
"""Differences of spelling: advice for queries, and the function that removes it."""


def spelling_hint(left: Iterable[Any], right: Iterable[Any]) -> str:
    """Number of unmatched ids of two sides that match after the first change of spelling."""
    left, right = list(left), list(right)
    for advice, form in _FORMS.values() if left and right else ():
        number = len({form(str(key)) for key in left} & {form(str(key)) for key in right})
        if number and advice:
            return f". With {advice}, {number:,} of them would match"
    return ""


def warn_of_spelling(missing: Collection[Any], unjudged: Collection[Any]) -> None:
    """RankingDataWarning where queries of the two sides differ in spelling alone."""
    hint = spelling_hint(missing, unjudged)
    if hint:
        warn(
            f"{len(missing):,} judged queries have no ranking, and {len(unjudged):,} ranked ones "
            f"no judgements{hint}",
            RankingDataWarning,
        )


def with_mismatch_hint(
    judged: RankingData, pairs: Iterable[tuple[Collection[Any], Collection[Any]]]
) -> RankingData:
    """Data with a warning, and its text, where no or few relevant items were retrieved.

    ``pairs`` are the ground truth and the ranking of each query, as they were read.
    """
    rankings = judged.rankings
    n_hits, n_relevant = int(rankings.n_hits.sum()), int(rankings.n_relevant.sum())
    if n_hits or not (n_relevant or judged.counts.missed):
        if n_hits <= (1 - _SPELLED) * n_relevant:
            _warn_of_spelling(map(_items_of, pairs))
        return replace(judged, hint="") if judged.hint else judged
    some = islice(map(_items_of, pairs), _QUERIES)
    sides = [(relevant, ranked) for relevant, ranked in some if relevant and ranked]
    cause = judged.hint or _likely_mismatch(sides)
    if not cause and len(sides) < _CHANCE:
        return judged
    cause = cause or f"ids look like {_pair(sides[0][0][0], sides[0][1][0])}"
    warn(
        f"no relevant item of any query was retrieved ({cause}), so most measures are 0"
        + "; string_provider= can spell the items of both sides alike" * takes("string_provider"),
        RankingDataWarning,
    )
    return replace(judged, hint=cause)


def _warn_of_spelling(pairs: Iterator[tuple[list[Any], list[Any]]]) -> None:
    """RankingDataWarning where many judged items that were not retrieved are, in other spelling."""
    n_relevant, n_lost, alike = 0, 0, list[tuple[Any, Any]]()
    for relevant, ranked in islice(pairs, _QUERIES):
        if n_lost >= _FIRST and not alike:
            return  # of a third of the items, some would show
        n_relevant += len(relevant)
        retrieved = set(ranked)
        lost = {_plain(item): item for item in relevant if item not in retrieved}
        n_lost += len(lost)
        if lost:
            judged = set(relevant)
            others = {_plain(item): item for item in ranked if item not in judged}
            alike += [(item, others[key]) for key, item in lost.items() if key in others]
    if len(alike) >= max(_SPELLED * n_relevant, _FEW_ALIKE):
        warn(
            f"{len(alike):,} of {n_relevant:,} relevant items seem to be retrieved in another "
            f"spelling, as {_pair(*alike[0])}; spell both sides alike, as by string_provider=",
            RankingDataWarning,
        )


def _plain(item: Any) -> str:
    """An id without type, case, spaces, leading zeros and a trailing ".0"."""
    text = str(item)
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    return "".join(text.casefold().split()).removesuffix(".0").lstrip("0")


def _likely_mismatch(sides: Iterable[tuple[list[Any], list[Any]]]) -> str:
    """In what judged and ranked items differ; "" if nothing shows."""

    def text(item: Any) -> str:
        return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)

    for what, (_, form) in _FORMS.items():
        for relevant, items in sides:
            ranked = {form(text(item)): item for item in items}
            for item in relevant:
                key = form(text(item))
                if key and key in ranked:
                    return f"ids seem to differ {what}: {_pair(item, ranked[key])}"
    return ""


def _pair(relevant: Any, ranked: Any) -> str:
    return f"{safe_repr(relevant)} in y_true, {safe_repr(ranked)} in y_score"


def _items_of(pair: tuple[Collection[Any], Collection[Any]]) -> tuple[list[Any], list[Any]]:
    """Some relevant and some ranked items of a query."""
    truth, ranking = pair
    relevant: Iterable[Any] = truth
    if isinstance(truth, Mapping):
        relevant = (item for item, grade in truth.items() if grade > 0)
    return list(islice(relevant, _ITEMS)), list(islice(ranking, _ITEMS))


# Swapped arguments -------------------------------------------------------------------------------

_VALUES = 10_000
"""Numbers looked at of each side."""
_MOST_GRADE, _FEW_GRADES, _MANY_SCORES = 10, 6, 10
"""Grades are few, and small whole numbers; scores are many."""


def swap_suspicion(y_true: Any, y_score: Any) -> str:
    """Why judgements and rankings seem to be swapped, and how to call; "" if nothing shows.

    Looks at a sample of the values; frames are passed as long tables.
    """
    grades = []
    for value in _numbers(y_score):  # ends with the first value that is no grade
        if not isinstance(value, (int, float)) or not 0 <= value <= _MOST_GRADE or value % 1:
            return ""
        grades.append(value)
    distinct = set(grades)
    if len(distinct) > _FEW_GRADES or 2 * len(distinct) > len(grades) or not any(distinct):
        return ""
    has_ids = isinstance(y_score, Mapping) or isinstance(next(iter(y_score), None), Mapping)
    if not has_ids and len(distinct) == 1:
        return ""
    scores = list(_numbers(y_true))
    if scores:
        if not all(isinstance(score, (int, float)) for score in scores):
            return ""
        # Infinities have a fraction here, for which % would warn.
        n_real = sum(isinstance(score, float) and not score.is_integer() for score in scores)
        are_scores = max(scores) > _MOST_GRADE**2 or n_real > len(scores) // 2
        what = "many different real numbers, as scores are"
        is_swapped = are_scores and len(set(scores)) > max(_MANY_SCORES, len(scores) // 2)
    else:
        truths, rankings = (list(islice(_per_query(side), _QUERIES)) for side in (y_true, y_score))
        if len(truths) < 2 or not all(isinstance(truth, (list, tuple)) for truth in truths):
            return ""
        lengths, judged = list(map(len, truths)), list(map(len, rankings))
        cut = len(set(lengths)) == 1 < len(set(judged)) and lengths[0] >= _MANY_SCORES // 2
        longer = sum(lengths) * len(judged) > 2 * sum(judged) * len(lengths)
        what = "ranked lists"
        is_swapped = cut or longer or (0 in distinct and all(map(_same_items, truths, rankings)))
    if not is_swapped:
        return ""
    return (
        f"y_true holds {what}, and y_score few small whole numbers, as grades are: are they "
        "swapped? Judgements come first: (y_true, y_score)"
    )


def _same_items(truth: Collection[Any], ranking: Any) -> bool:
    """Whether all that is called relevant is ranked, and nothing else."""
    try:
        return len(truth) > 1 and isinstance(ranking, Mapping) and set(truth) == ranking.keys()
    except TypeError:
        return False


def _numbers(side: Any) -> Iterable[Any]:
    """Some grades or scores of one side, in any layout."""
    if isinstance(side, LongTable):
        column = getattr(side, "grades", getattr(side, "scores", None))
        return () if column is None else column[:_VALUES].tolist()
    if hasattr(side, "iloc") and hasattr(side, "tolist"):  # a series
        side = side.to_numpy()
    if isinstance(side, np.ndarray):
        return side.flat[:_VALUES].tolist()
    queries = _per_query(side)
    first = next(iter(queries), None)
    if isinstance(first, Mapping):
        tables = (table.values() for table in queries if isinstance(table, Mapping))
        return islice(chain.from_iterable(tables), _VALUES)
    is_flat = isinstance(first, (int, float, np.number)) and not isinstance(side, Mapping)
    return islice(queries, _VALUES) if is_flat else ()


def _per_query(side: Any) -> Collection[Any]:
    """Truths or rankings; mappings of other types may read each of them from a disk."""
    if isinstance(side, Mapping):
        return side.values() if type(side) is dict else ()
    return side if isinstance(side, (list, tuple)) else ()
