"""Hints about data that were probably not meant: swapped arguments, ids that cannot match.

No relevant item of any query was retrieved, or ids of the two sides differ in spelling: each names
what the ids seem to differ in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np

from sklearn_rank.exceptions import RankingDataWarning
from sklearn_rank.rankings.data import RankingData
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import sizes_of
from sklearn_rank.support.text import called, safe_repr, takes

_QUERIES, _ITEMS = 100, 1000
"""Number of ids that are looked at: enough to see a spelling."""
_FIRST = 12
"""Items that were not retrieved after which nothing is looked for in most data."""
_SPELLED = 0.25
"""Share of the relevant items from which their spelling is spoken of; a third is seen surely."""
_FEW_ALIKE = 2
"""Fewer items may have another spelling for a reason, such as "A" and "a" of one list."""
_CHANCE = 10
"""Below this number of queries a miss of all is no surprise, if the ids look alike."""

# Types of ids ------------------------------------------------------------------------------------


def refuse_unequal_types(ranked: set[type], true: set[type], objects: str = "") -> None:
    """TypeError if ids of these types cannot be equal, RankingDataWarning if some cannot.

    ``objects`` says how ranked objects, if any, are compared.
    """
    if not ranked or not true:
        return

    def named(kinds: Iterable[type]) -> str:
        return " and ".join(sorted(kind.__name__ for kind in kinds))

    # Text of objects without a ``__str__`` names no item.
    plain = (Number, str, bytes, tuple)
    others = [kind for kind in ranked | true if not issubclass(kind, plain)]
    are_bare = any(kind.__str__ is object.__str__ for kind in others)
    provider = "string_provider" + ("=lambda item: item.id" if are_bare else " (such as str)")
    # 1 and 1.0 are equal, but floats among ids come from a column with gaps, or are scores.
    mixes = all(any(issubclass(kind, base) for kind in ranked | true) for base in (int, float))
    for name, side, other in (("y_score", ranked, true), ("y_true", true, ranked)):
        ours, theirs = called("y_score"), called("y_true")
        alone = [kind for kind in side if not any(_can_be_equal(kind, one) for one in other)]
        if mixes or len(alone) == len(side):
            both = f"items of {ours} are {named(ranked)}, items of {theirs} are {named(true)}"
            msg = f"{both}; pass {provider} to compare them"
            if objects:
                msg += f" ({objects})"
            if str in ranked & true:
                msg += (
                    ". Rows of a query, an item and a number go in as data frames, "
                    "DataFrame(rows, columns=['query', 'item', 'score'])"
                )
            elif any(issubclass(kind, float) for kind in ranked | true):
                msg += (
                    ". Floats come from a column that had missing values: drop these rows and "
                    "cast it, as by .astype('int64'). If these are grades and scores, pass 2-D "
                    "arrays, or 1-D ones with groups"
                )
            raise TypeError(msg)
        if alone:
            warn(
                f"items of {name} are {named(side)}, those of the other side {named(other)}: no "
                f"{named(alone)} of {name} can match; pass {provider}, or one type of ids",
                RankingDataWarning,
            )


def _can_be_equal(kind: type, other: type) -> bool:
    """Whether objects of two types may be equal: kinds of one thing, or numbers."""
    shared = set(kind.__mro__) & set(other.__mro__) - {object}
    return bool(shared) or (issubclass(kind, Number) and issubclass(other, Number))


# Spelling of ids ---------------------------------------------------------------------------------


def _folded(keys: list[Any]) -> str:
    """Ids without type, case and spaces, each with a mark at its end."""
    if bytes in set(map(type, keys)):
        keys = [k.decode("utf-8", "replace") if isinstance(k, bytes) else k for k in keys]
    text = "\0".join([*map(str, keys), ""])
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    return "".join(text.casefold().split())


def _plain(key: Any) -> str:
    """An id without type, case, spaces, leading zeros and a trailing ".0"."""
    return _folded([key])[:-1].removesuffix(".0").lstrip("0")


def _alike(left: Iterable[Any], right: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Unequal ids of the two sides that have one plain form."""
    right = list(right)
    mine, folded = {key: _plain(key) for key in left}, _folded(right)
    # Most sides have nothing alike, which one joined text shows at once.
    if not any(f"{plain}{end}" in folded for plain in mine.values() for end in ("\0", ".0\0")):
        return []
    by_plain = {_plain(key): key for key in right}
    return [(key, by_plain[plain]) for key, plain in mine.items() if plain in by_plain]


def spelling_hint(left: Collection[Any], right: Collection[Any]) -> str:
    """How many unmatched ids differ only in spelling; "" if none does."""
    alike = _alike(left, right)
    if not alike:
        return ""
    example = " and ".join(map(safe_repr, alike[0]))
    return f". {len(alike):,} of them differ in type, case, spaces or zeros alone, as {example}"


def warn_of_spelling(missing: Collection[Any], unjudged: Collection[Any]) -> None:
    """RankingDataWarning if queries of the two sides differ only in spelling."""
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
    """Data with a warning, and its text, if no or few relevant items were retrieved.

    ``pairs`` are the ground truth and the ranking of each query, as they were read.
    """
    rankings = judged.rankings
    n_hits, n_relevant = int(rankings.n_hits.sum()), int(rankings.n_relevant.sum())
    is_miss = not n_hits and (n_relevant > 0 or judged.counts.missed > 0)
    cause, judged = judged.hint, replace(judged, hint="") if judged.hint else judged
    if not is_miss and n_hits > (1 - _SPELLED) * n_relevant:
        return judged
    n_looked, n_lost, alike, example = 0, 0, list[tuple[Any, Any]](), ""
    n_both = 0
    for relevant, ranked in map(_items_of, islice(pairs, _QUERIES)):
        if n_lost >= _FIRST and not alike and not is_miss:
            return judged  # of a third of the items, some would show
        retrieved, true = set(ranked), set(relevant)
        lost = [item for item in relevant if item not in retrieved]
        n_looked, n_lost = n_looked + len(relevant), n_lost + len(lost)
        if lost and ranked:
            n_both += 1
            alike += _alike(lost, (item for item in ranked if item not in true))
            example = example or _pair(lost[0], ranked[0])
    spelled = f"ids seem to differ in spelling: {_pair(*alike[0])}" if alike else ""
    if not is_miss:
        if len(alike) >= max(_SPELLED * n_looked, _FEW_ALIKE):
            warn(
                f"{len(alike):,} of {n_looked:,} relevant items seem to be retrieved in another "
                f"spelling, as {_pair(*alike[0])}; spell both sides alike, as by string_provider=",
                RankingDataWarning,
            )
        return judged
    cause = cause or spelled
    if not cause and n_both < _CHANCE:
        return judged
    cause = cause or f"ids look like {example}"
    warn(
        f"no relevant item of any query was retrieved ({cause}), so most measures are 0"
        + "; string_provider= can spell the items of both sides alike" * takes("string_provider"),
        RankingDataWarning,
    )
    return replace(judged, hint=cause)


def _pair(relevant: Any, ranked: Any) -> str:
    sides = called("y_true"), called("y_score")
    return f"{safe_repr(relevant)} in {sides[0]}, {safe_repr(ranked)} in {sides[1]}"


def _items_of(pair: tuple[Collection[Any], Collection[Any]]) -> tuple[list[Any], list[Any]]:
    """Some relevant and some ranked items of a query."""
    truth, ranking = pair
    relevant: Iterable[Any] = truth
    if isinstance(truth, Mapping):
        relevant = (item for item, grade in truth.items() if grade > 0)
    return list(islice(relevant, _ITEMS)), list(islice(ranking, _ITEMS))


# Swapped arguments -------------------------------------------------------------------------------

_FIRST_VALUES, _VALUES = 100, 10_000
"""Numbers looked at of each side; the first of them show that most scores are no grades."""
_MOST_GRADE, _FEW_GRADES, _MANY_SCORES = 10, 6, 10
"""Grades are few, and small whole numbers; scores are many."""


def swap_suspicion(data: RankingData, y_true: Any) -> str:
    """Why judgements and rankings seem to be swapped, and the right call; "" if they do not."""
    rankings = data.rankings
    if data.items.scores is None or not len(rankings.judged_grades):
        return ""
    scores, grades = data.items.scores[:_VALUES], rankings.judged_grades[:_VALUES]
    for part in (scores[:_FIRST_VALUES], scores):
        if not len(part) or part.min() < 0 or part.max() > _MOST_GRADE or (part % 1).any():
            return ""
    values, different = np.unique(scores), np.unique(grades)
    if len(values) > min(_FEW_GRADES, len(scores) // 2) or values[-1] == 0:
        return ""
    if len(different) > 1:
        what = "many different real numbers, as scores are"
        are_scores = (
            different[-1] > _MOST_GRADE**2 or np.count_nonzero(grades % 1) > len(grades) / 2
        )
        is_swapped = are_scores and len(different) > max(_MANY_SCORES, len(grades) // 2)
    else:
        what, lengths, judged = "ranked lists", rankings.n_relevant, sizes_of(data.items.offsets)
        is_cut = (lengths == lengths[0]).all() and not (judged == judged[0]).all()
        is_swapped = _are_lists(y_true) and (
            (is_cut and lengths[0] >= _MANY_SCORES // 2)
            or lengths.sum() > 2 * judged.sum()
            or (values[0] == 0 and ((lengths == judged) & (lengths == rankings.n_hits)).all())
        )
    if not is_swapped or (data.judgements is None and len(values) == 1):
        return ""
    true, score = called("y_true"), called("y_score")
    return (
        f"{true} holds {what}, and {score} few small whole numbers, as grades are: are they "
        f"swapped? Judgements come first: ({true}, {score})"
    )


def _are_lists(y_true: Any) -> bool:
    """Whether the ground truth of each of several queries is a list."""
    truths = list(
        y_true.values() if type(y_true) is dict else y_true if type(y_true) is list else ()
    )
    return len(truths) > 1 and all(isinstance(truth, (list, tuple)) for truth in truths[:_QUERIES])
