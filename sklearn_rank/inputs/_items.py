"""Items of rankings and of ground truths: keys, duplicates, grades, and ids that cannot meet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Set
from itertools import compress
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._text import safe_repr
from sklearn_rank._validation import EXACT_INTEGER, is_missing, refuse_unordered
from sklearn_rank.exceptions import DuplicateItemError
from sklearn_rank.typing import Array, Duplicates, NegativeGrades, StringProvider


class Ranking(NamedTuple):
    """One query's ranking: keys as given, with scores if it came as {item: score}."""

    keys: list[Any]
    scores: Array | None
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

    # Rankings -----------------------------------------------------------------------------------

    def ranking(self, given: Any, name: str) -> Ranking:
        """The ranking of one query: a ranked list, or {item: score}."""
        if isinstance(given, Mapping):
            keys = self._keys(list(given), name, self._ranked_types)
            scores = _scores(given, name)
            kept = self._without_duplicates(keys, list(given), name, scores)
            if kept is None:
                return Ranking(keys, scores)
            chosen = np.array(kept, dtype=np.int64)
            return Ranking([keys[i] for i in kept], scores[chosen], len(keys) - len(kept))
        items = sequence(given, name)
        keys = self._keys(items, name, self._ranked_types)
        kept = self._without_duplicates(keys, items, name, None)
        if kept is None:
            return Ranking(keys, None)
        return Ranking([keys[i] for i in kept], None, len(keys) - len(kept))

    def _without_duplicates(
        self, keys: list[Any], items: list[Any], name: str, scores: Array | None
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
                    f"{name} holds item {both} at positions {before + 1} and {position + 1}. "
                    "Pass duplicates='first' to keep the best-ranked one."
                )
                raise DuplicateItemError(msg)
            if scores is not None and scores[position] > scores[before]:
                first[key] = position
        self.dropped += len(keys) - len(first)
        return sorted(first.values())

    # Ground truths ------------------------------------------------------------------------------

    def truth(self, given: Any, name: str) -> dict[Any, float]:
        """The judged items of one query with their grades; 1 for each item of a set or list."""
        grades: list[float] | None = None
        if isinstance(given, Mapping):
            items = list(given)
            grades = [_grade(value, name, item) for item, value in given.items()]
        elif isinstance(given, Set):
            items = list(given)
        else:
            items = sequence(given, name)
        keys = self._keys(items, name, self._true_types)
        judged = dict(zip(keys, grades or [1.0] * len(keys), strict=True))
        if len(judged) < len(keys):
            self._refuse_collision(keys, items, grades, name)
        if grades is not None and min(grades, default=0.0) < 0:
            return self._without_negatives(judged, name)
        return judged

    def _refuse_collision(
        self, keys: list[Any], items: list[Any], grades: list[float] | None, name: str
    ) -> None:
        seen: dict[Any, int] = {}
        for position, key in enumerate(keys):
            before = seen.setdefault(key, position)
            if before == position:
                continue
            if items[before] != items[position]:
                msg = (
                    f"string_provider makes {safe_repr(key)} of two items of {name}: "
                    f"{safe_repr(items[before])} and {safe_repr(items[position])}"
                )
                raise ValueError(msg)
            if grades is not None and grades[before] != grades[position]:
                msg = (
                    f"{name} judges item {safe_repr(key)} twice: "
                    f"{grades[before]:g} and {grades[position]:g}"
                )
                raise ValueError(msg)

    def _without_negatives(self, judged: dict[Any, float], name: str) -> dict[Any, float]:
        negative = [key for key, grade in judged.items() if grade < 0]
        if self.negative_grades == "raise":
            msg = (
                f"{name} contains a negative grade ({judged[negative[0]]:g}) "
                f"for item {safe_repr(negative[0])}"
            )
            raise ValueError(msg)
        self.unjudged_grades += len(negative)
        return {key: grade for key, grade in judged.items() if grade >= 0}

    # Keys ---------------------------------------------------------------------------------------

    def _keys(self, items: list[Any], name: str, types: set[type]) -> list[Any]:
        if self.provider is not None:
            return [self._string(item, name, position) for position, item in enumerate(items)]
        found = set(map(type, items))
        if not found <= _PLAIN_TYPES:
            items = self._check_ids(items, name)
            found = set(map(type, items))
        types |= found
        return items

    def _string(self, item: Any, name: str, position: int) -> str:
        provider = self.provider or str
        try:
            key = provider(item)
        except Exception as error:
            msg = (
                f"string_provider raised {type(error).__name__}({safe_repr(str(error))}) "
                f"on item {position} of {name}"
            )
            raise ValueError(msg) from error
        if not isinstance(key, str):
            msg = (
                f"string_provider returned {type(key).__name__} for item {position} of {name}, "
                "expected str"
            )
            raise TypeError(msg)
        return key

    def _check_ids(self, items: list[Any], name: str) -> list[Any]:
        checked = []
        for position, item in enumerate(items):
            if isinstance(item, np.generic):
                item = item.item()
            try:
                hash(item)
            except TypeError:
                msg = f"items of {name} are unhashable {type(item).__name__}; pass string_provider"
                raise TypeError(msg) from None
            if is_missing(item):
                msg = f"{name} holds a missing item ({safe_repr(item)}) at position {position + 1}"
                raise TypeError(msg)
            if isinstance(item, bool):
                msg = f"{name} holds the bool {item} as an item; pass string_provider"
                raise TypeError(msg)
            checked.append(item)
        return checked

    def check_types(self, ranked: str = "y_score", true: str = "y_true") -> None:
        """TypeError if the ids of the two sides cannot be equal, whatever they hold."""
        ranked_names = {kind.__name__ for kind in self._ranked_types}
        true_names = {kind.__name__ for kind in self._true_types}
        if not ranked_names or not true_names:
            return
        if ranked_names.isdisjoint(true_names) or {"int", "float"} <= ranked_names | true_names:
            msg = (
                f"items of {ranked} are {_spoken(ranked_names)}, items of {true} are "
                f"{_spoken(true_names)}; pass string_provider (such as str) to compare them"
            )
            if "float" in ranked_names:
                msg += (
                    ". If these are grades and scores, pass 2-D arrays, or 1-D arrays with groups"
                )
            raise TypeError(msg)


_PLAIN_TYPES = {str, int}


def sequence(given: Any, name: str) -> list[Any]:
    """A list of the items of any ordered, finite sequence."""
    refuse_unordered(given, name)
    if isinstance(given, Mapping):
        msg = f"{name} is a {type(given).__name__} where a list is expected"
        raise TypeError(msg)
    if isinstance(given, (list, tuple)):
        return list(given)
    if isinstance(given, np.ndarray) and given.ndim != 1:
        msg = f"{name} should be a 1d array, got an array of shape {given.shape} instead."
        raise ValueError(msg)
    return given.tolist() if hasattr(given, "tolist") else list(given)


def hits_of(keys: list[Any], truth: Mapping[Any, float]) -> tuple[list[int], list[float]]:
    """Positions in a ranking of its relevant items, ascending, and their grades."""
    places = list(compress(range(len(keys)), map(truth.__contains__, keys)))
    grades = [truth[keys[place]] for place in places]
    if min(grades, default=1.0) <= 0:
        kept = [pair for pair in zip(places, grades, strict=True) if pair[1] > 0]
        return [place for place, _ in kept], [grade for _, grade in kept]
    return places, grades


def relevant_grades(truth: Mapping[Any, float]) -> list[float]:
    """Grades above 0 of a query's judged items."""
    return [grade for grade in truth.values() if grade > 0]


def _grade(value: Any, name: str, item: Any) -> float:
    if isinstance(value, (Real, np.bool_)):
        number = float(value)
    else:
        msg = f"{name} has grade {safe_repr(value)} for item {safe_repr(item)}; pass a number"
        raise TypeError(msg)
    if not math.isfinite(number):
        msg = f"{name} contains {_spoken_number(number)} as the grade of item {safe_repr(item)}"
        raise ValueError(msg)
    return number


def _scores(given: Mapping[Any, Any], name: str) -> Array:
    values = list(given.values())
    return score_array(values, name, lambda place: list(given)[place])


def score_array(values: list[Any], name: str, item_at: Callable[[int], Any]) -> Array:
    """Scores in one exact dtype; TypeError for what is no number, ValueError for NaN."""
    kinds = set(map(type, values))
    if kinds == {float}:
        scores = np.array(values)
    elif kinds <= {int}:
        scores = np.array(values, dtype=None if values else np.float64)
        if scores.dtype.kind == "O":
            msg = f"{name} holds integers beyond 64 bits as scores; pass floats"
            raise ValueError(msg)
    else:
        scores = np.array([_score(v, name, item_at, i) for i, v in enumerate(values)])
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        wrong = np.flatnonzero(np.isnan(scores)).tolist()
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        msg = f"{name} contains NaN as the score of item {safe_repr(item_at(wrong[0]))}{more}"
        raise ValueError(msg)
    return scores


def _score(value: Any, name: str, item_at: Callable[[int], Any], place: int) -> float:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float)):
        item = safe_repr(item_at(place))
        msg = f"{name} has score {safe_repr(value)} for item {item}; pass a number"
        raise TypeError(msg)
    number = float(value)
    if isinstance(value, int) and abs(value) > EXACT_INTEGER and int(number) != value:
        msg = (
            f"{name} mixes floats with the integer {value}, which float64 cannot hold, "
            f"as the score of item {safe_repr(item_at(place))}"
        )
        raise ValueError(msg)
    return number


def _spoken(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


def _spoken_number(value: float) -> str:
    return "NaN" if math.isnan(value) else "infinity"
