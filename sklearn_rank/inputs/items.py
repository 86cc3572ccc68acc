"""Items of rankings and of ground truths: keys, duplicates, grades, and ids that cannot meet."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from itertools import product, starmap
from numbers import Number, Real
from operator import countOf
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError
from sklearn_rank.support.arrays import EXACT_INTEGER, is_missing, refuse_unordered
from sklearn_rank.support.text import safe_repr
from sklearn_rank.typing import Array, Duplicates, IntArray, NegativeGrades, StringProvider


class Where(NamedTuple):
    """Which argument, and the query within it; written out only in messages."""

    argument: str
    query: Any

    def __str__(self) -> str:
        return f"{self.argument}[{safe_repr(self.query)}]"


class Ranking(NamedTuple):
    """One query's ranking: a ranked list of keys, or {key: score} with its scores as an array.

    A mapping holds the scores as they were given, the array may have rounded them:
    :func:`check_scores` compares the two.
    """

    items: Sequence[Any] | Mapping[Any, Any]
    scores: Array | None
    where: Where
    dropped: int = 0


class ItemReader:
    """Reads the items of one evaluation, so that both sides are keyed by the same rules.

    Without a provider items are compared as they are, and the reader notes their types, because
    ``1`` and ``"1"`` never meet. With one, each item is converted exactly once.
    """

    def __init__(
        self,
        provider: StringProvider | None,
        duplicates: Duplicates = "raise",
        negative_grades: NegativeGrades = "raise",
    ) -> None:
        if provider is not None and not callable(provider):
            msg = f"string_provider must be a function of an item, got {safe_repr(provider)}"
            raise TypeError(msg)
        self.provider = provider
        self.duplicates = duplicates
        self.negative_grades = negative_grades
        self.unjudged_grades = 0
        self.dropped = 0
        self._ranked_types: set[type] = set()
        self._true_types: set[type] = set()

    @property
    def takes_ids_alone(self) -> bool:
        """Whether items may be read without their reader, where there is nothing to say of them."""
        return self.provider is None

    # Rankings -----------------------------------------------------------------------------------

    def ranking(self, given: Any, where: Where) -> Ranking:
        """The ranking of one query: a ranked list, or {item: score}."""
        if isinstance(given, Mapping):
            return self._scored_ranking(given, where)
        if isinstance(given, Set):
            kind = type(given).__name__
            msg = f"{where} is a {kind}, which has no order; are y_true and y_score swapped?"
            raise TypeError(msg)
        items = sequence(given, where)
        keys = self._keys(items, where, self._ranked_types)
        kept = self._without_duplicates(keys, items, where, None)
        if kept is None:
            return Ranking(keys, None, where)
        return Ranking([keys[i] for i in kept], None, where, len(keys) - len(kept))

    def _scored_ranking(self, given: Mapping[Any, Any], where: Where) -> Ranking:
        values = given.values() if type(given) is dict else list(given.values())
        scores = score_array(values, where, _item_at(given))
        if self.provider is None:
            kind = self._kind_of(given)
            if kind is not None:
                self._ranked_types.add(kind)
                return Ranking(given, scores, where)
        items, values = list(given), list(values)
        keys = self._keys(items, where, self._ranked_types)
        kept = self._without_duplicates(keys, items, where, values)
        if kept is None:
            return Ranking(dict(zip(keys, values, strict=True)), scores, where)
        # All of them are checked, not only those that are kept.
        check_scores(scores, [Ranking(given, scores, where)], np.array([0, len(scores)]))
        scores = scores[np.array(kept, dtype=np.int64)]
        best = {keys[i]: values[i] for i in kept}
        return Ranking(best, scores, where, len(keys) - len(kept))

    def _without_duplicates(
        self, keys: list[Any], items: list[Any], where: Where, scores: list[Any] | None
    ) -> list[int] | None:
        """Positions of the best-ranked occurrence of each item; None if none repeats."""
        if len(set(keys)) == len(keys):
            return None
        first: dict[Any, int] = {}
        for position, key in enumerate(keys):
            if key not in first:
                first[key] = position
                continue
            before = first[key]
            if self.duplicates == "raise":
                both = safe_repr(items[position])
                if self.provider is not None and items[before] != items[position]:
                    both = f"{safe_repr(items[before])} and {both}, both {safe_repr(key)},"
                msg = (
                    f"{where} holds item {both} at positions {before + 1} and {position + 1}. "
                    "Pass duplicates='first' to evaluate to keep the best-ranked one."
                )
                raise DuplicateItemError(msg)
            if scores is not None and scores[position] > scores[before]:
                first[key] = position
        self.dropped += len(keys) - len(first)
        return sorted(first.values())

    # Ground truths ------------------------------------------------------------------------------

    def truth(self, given: Any, where: Where | str) -> dict[Any, float]:
        """The judged items of one query with their grades; 1 for each item of a set or list."""
        if self.provider is None and type(given) is dict and are_grades(given.values()):
            kind = self._kind_of(given)
            if kind is not None:
                self._true_types.add(kind)
                return given
        grades: list[float] | None = None
        if isinstance(given, Mapping):
            items = list(given)
            grades = [_grade(value, where, item) for item, value in given.items()]
        elif isinstance(given, Set):
            items = list(given)
        else:
            items = sequence(given, where)
        keys = self._keys(items, where, self._true_types)
        if grades is None:
            judged = dict.fromkeys(keys, 1.0)
        else:
            judged = dict(zip(keys, grades, strict=True))
        if len(judged) < len(keys):
            self._refuse_collision(keys, items, grades, where)
            if any(isinstance(key, (int, float)) for key in keys):
                msg = f"{where} repeats a number; if these are grades, pass 2-D arrays"
                raise ValueError(msg)
        if grades and min(grades) < 0:
            return self._without_negatives(judged, where)
        return judged

    def _refuse_collision(
        self, keys: list[Any], items: list[Any], grades: list[float] | None, where: Where | str
    ) -> None:
        seen: dict[Any, int] = {}
        for position, key in enumerate(keys):
            before = seen.setdefault(key, position)
            if before == position:
                continue
            if items[before] != items[position]:
                msg = (
                    f"string_provider makes {safe_repr(key)} of two items of {where}: "
                    f"{' and '.join(sorted(map(safe_repr, (items[before], items[position]))))}"
                )
                raise ValueError(msg)
            if grades is not None and grades[before] != grades[position]:
                msg = (
                    f"{where} judges item {safe_repr(key)} twice: "
                    f"{grades[before]:g} and {grades[position]:g}"
                )
                raise ValueError(msg)

    def _without_negatives(self, judged: dict[Any, float], where: Where | str) -> dict[Any, float]:
        negative = [key for key, grade in judged.items() if grade < 0]
        if self.negative_grades == "raise":
            msg = (
                f"{where} contains a negative grade ({judged[negative[0]]:g}) "
                f"for item {safe_repr(negative[0])}"
            )
            raise ValueError(msg)
        self.unjudged_grades += len(negative)
        return {key: grade for key, grade in judged.items() if grade >= 0}

    # Keys ---------------------------------------------------------------------------------------

    def _kind_of(self, items: Collection[Any]) -> type | None:
        """``str`` or ``int``, if that is what all items are; else None, as for no items."""
        kind = type(next(iter(items), None))
        return kind if kind in ARE_ALL and ARE_ALL[kind](items) else None

    def _keys(self, items: list[Any], where: Where | str, types: set[type]) -> list[Any]:
        if self.provider is not None:
            return [self._string(item, where, position) for position, item in enumerate(items)]
        found = set(map(type, items))
        if not found <= ARE_ALL.keys():
            items = self._check_ids(items, where)
            found = set(map(type, items))
        types |= found
        return items

    def _string(self, item: Any, where: Where | str, position: int) -> str:
        provider = self.provider or str
        try:
            key = provider(item)
        except Exception as error:
            msg = (
                f"string_provider raised {type(error).__name__}({safe_repr(str(error))}) "
                f"on item {position} of {where}"
            )
            raise ValueError(msg) from error
        if not isinstance(key, str):
            msg = (
                f"string_provider returned {type(key).__name__} for item {position} of {where}, "
                "expected str"
            )
            raise TypeError(msg)
        return key

    def _check_ids(self, items: list[Any], where: Where | str) -> list[Any]:
        checked = []
        for position, item in enumerate(items):
            if isinstance(item, np.generic):
                item = item.item()
            try:
                hash(item)
            except TypeError:
                msg = f"items of {where} are unhashable {type(item).__name__}; pass string_provider"
                raise TypeError(msg) from None
            if is_missing(item):
                msg = f"{where} holds a missing item ({safe_repr(item)}) at position {position + 1}"
                raise TypeError(msg)
            if isinstance(item, bool):
                msg = f"{where} holds the bool {item} as an item; pass string_provider"
                raise TypeError(msg)
            checked.append(item)
        return checked

    def check_types(self, ranked: str = "y_score", true: str = "y_true") -> None:
        """TypeError if the ids of the two sides cannot be equal, whatever they hold."""
        pairs = list(product(self._ranked_types, self._true_types))
        both = self._ranked_types | self._true_types
        # 1 and 1.0 are equal, but floats among ids come from a column with gaps, or are scores.
        floats, integers = _kinds(both, float), _kinds(both, int)
        if pairs and ((floats and integers) or not any(starmap(_can_be_equal, pairs))):
            names = _names(both)
            msg = (
                f"items of {ranked} are {_spoken(self._ranked_types, names)}, items of {true} are "
                f"{_spoken(self._true_types, names)}; "
                "pass string_provider (such as str) to compare them"
            )
            if _kinds(self._ranked_types, float):
                msg += (
                    ". If these are grades and scores, pass 2-D arrays, or 1-D arrays with groups"
                )
            raise TypeError(msg)


def _are_strings(items: Collection[Any]) -> bool:
    """Whether all items are strings; to join them is the fastest way to look at their types."""
    try:
        "".join(items)
    except TypeError:
        return False
    return True


def _are_integers(items: Collection[Any]) -> bool:
    return countOf(map(type, items), int) == len(items)


ARE_ALL: dict[type, Callable[[Collection[Any]], bool]] = {str: _are_strings, int: _are_integers}
"""For each type of plain ids whether that is the type of all items."""


def sequence(given: Any, where: Where | str) -> list[Any]:
    """A list of the items of any ordered, finite sequence."""
    if isinstance(given, (list, tuple)):
        return list(given)
    name = str(where)
    refuse_unordered(given, name)
    if isinstance(given, Mapping):
        msg = f"{name} is a {type(given).__name__} where a list is expected"
        raise TypeError(msg)
    if isinstance(given, np.ndarray) and given.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {given.shape} instead."
        raise ValueError(msg)
    return given.tolist() if hasattr(given, "tolist") else list(given)


def are_grades(values: Collection[Any]) -> bool:
    """Whether all values are plain numbers that are finite and not negative."""
    if not set(map(type, values)) <= {int, float}:
        return False
    try:
        return math.isfinite(math.fsum(values)) and min(values, default=0) >= 0
    except (OverflowError, ValueError):
        return False  # too large for a float, or infinite both ways


def _grade(value: Any, where: Where | str, item: Any) -> float:
    if not isinstance(value, (Real, np.bool_)):
        msg = f"{where} has grade {safe_repr(value)} for item {safe_repr(item)}; pass a number"
        raise TypeError(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        what = "NaN" if math.isnan(number) else "infinity"
        msg = f"{where} contains {what} as the grade of item {safe_repr(item)}"
        raise ValueError(msg)
    return number


def score_array(values: Collection[Any], where: Where, place_of: Callable[[int], str]) -> Array:
    """Scores in one dtype; whether they are NaN or were rounded is checked for all at once."""
    try:
        # Floats alone add up to a float; packing them is the fastest way into an array.
        if type(sum(values)) is float:
            return np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (TypeError, ValueError, OverflowError, struct.error):
        pass
    values = list(values)
    try:
        scores = np.array(values)
    except (ValueError, OverflowError):
        scores = np.array(values, dtype=object)
    if scores.dtype.kind in "iuf" and scores.ndim == 1:
        return scores
    if not values:
        return np.zeros(0)
    return np.array([_score(v, where, place_of, i) for i, v in enumerate(values)])


def check_scores(scores: Array, rankings: Sequence[Ranking], offsets: IntArray) -> None:
    """ValueError if a score of {item: score} is NaN, or an integer that its dtype cannot hold."""
    if scores.dtype.kind != "f" or not len(scores):
        return
    low, high = scores.min(), scores.max()
    if low > -EXACT_INTEGER and high < EXACT_INTEGER:
        return
    wrong = np.flatnonzero(np.isnan(scores))
    if len(wrong):
        query = int(np.searchsorted(offsets, wrong[0], side="right")) - 1
        item = list(rankings[query].items)[int(wrong[0] - offsets[query])]
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        where = rankings[query].where
        msg = f"{where} contains NaN as the score of item {safe_repr(item)}{more}"
        raise ValueError(msg)
    for ranking in rankings:
        if isinstance(ranking.items, Mapping):
            refuse_rounded(ranking.items.values(), ranking.where, _item_at(ranking.items))


def refuse_rounded(values: Iterable[Any], where: Where, place_of: Callable[[int], str]) -> None:
    """ValueError at the first integer that float64 cannot hold."""
    for place, value in enumerate(values):
        _score(value, where, place_of, place)


def _item_at(items: Iterable[Any]) -> Callable[[int], str]:
    return lambda place: f"for item {safe_repr(list(items)[place])}"


def _score(value: Any, where: Where, place_of: Callable[[int], str], place: int) -> float:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float, np.longdouble)):
        msg = f"{where} has score {safe_repr(value)} {place_of(place)}; pass a number"
        raise TypeError(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if isinstance(value, int) and number != value:
        msg = (
            f"{where} mixes floats with the integer {safe_repr(value)}, which float64 cannot hold, "
            f"as the score {place_of(place)}"
        )
        raise ValueError(msg)
    return number


def _kinds(types: Iterable[type], base: type) -> list[type]:
    return [kind for kind in types if issubclass(kind, base)]


def _can_be_equal(one: type, other: type) -> bool:
    """Whether objects of two types may be equal: kinds of one thing, or numbers."""
    shared = set(one.__mro__) & set(other.__mro__) - {object}
    return bool(shared) or (issubclass(one, Number) and issubclass(other, Number))


def _names(types: Iterable[type]) -> dict[type, str]:
    """Names of types, with their modules where names alone do not tell them apart."""
    times = Counter(kind.__name__ for kind in types)
    return {
        kind: kind.__name__ if times[kind.__name__] == 1 else f"{kind.__module__}.{kind.__name__}"
        for kind in types
    }


def _spoken(types: Iterable[type], names: Mapping[type, str]) -> str:
    return " and ".join(sorted(names[kind] for kind in types))
