"""Items of rankings and of ground truths: ids, scores, grades, duplicates and relevance."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from operator import countOf, index
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError
from sklearn_rank.inputs.hints import refuse_unequal_types
from sklearn_rank.inputs.roles import plain_name, role_of
from sklearn_rank.support.checks import (
    EXACT_INTEGER,
    check_flag,
    is_missing,
    refuse_unordered,
)
from sklearn_rank.support.segments import blocks
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, Duplicates, IntArray, NegativeGrades, StringProvider

__all__ = ["RelevanceInput"]


class Where(NamedTuple):
    """An argument and a query within it; written out only in messages."""

    argument: str
    query: Any

    def __str__(self) -> str:
        return f"{self.argument}[{safe_repr(self.query)}]"


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


def _are_strings(items: Collection[Any]) -> bool:
    """Whether all items are strings; to join them is the fastest way to look at their types."""
    try:
        "".join(items)
    except TypeError:
        return False
    return True


ARE_ALL: dict[type, Callable[[Collection[Any]], bool]] = {
    str: _are_strings,
    int: lambda items: countOf(map(type, items), int) == len(items),
}
"""For each type of plain ids whether that is the type of all items."""

# Grades and scores -------------------------------------------------------------------------------


def are_grades(values: Collection[Any]) -> bool:
    """Whether all values are plain numbers that are finite and not negative."""
    if not set(map(type, values)) <= {int, float}:
        return False
    try:
        return math.isfinite(math.fsum(values)) and min(values, default=0) >= 0
    except (OverflowError, ValueError):
        return False  # too large for a float, or infinite both ways


def _grade(value: Any, where: Where | str, item: Any) -> float:
    """The grade as a finite float, or an error that names the item."""
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


_EXACT = np.float64(EXACT_INTEGER)
"""In a type of its own, to which half precision is widened."""
_READ_AT_ONCE = 1 << 12
"""Scores whose objects stay in the processor's cache."""


def read_scores(
    rankings: Sequence[dict[Any, Any]], offsets: IntArray, query_ids: Sequence[Any] | Array
) -> Array:
    """Scores of all {item: score} in one array, none rounded and none missing."""
    arrays: list[Array] = []
    for first, last in blocks(offsets, _READ_AT_ONCE):
        part = rankings[first:last]
        packed = _packed(list(chain.from_iterable(map(dict.values, part))))
        if packed is not None:
            arrays.append(packed)
            continue
        for query, ranking in zip(query_ids[first:last], part, strict=True):
            arrays.append(_score_array(ranking.values(), Where("y_score", query), list(ranking)))
    return _one_dtype(arrays)


def _packed(values: Collection[Any]) -> Array | None:
    """Floats alone, far from integers that they might have rounded; the fastest way to an array."""
    try:
        if type(sum(values)) is not float:
            return None
        scores = np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (TypeError, ValueError, OverflowError, struct.error):
        return None
    # No NaN is among them, and no integer that was rounded.
    is_exact = scores.min() > -_EXACT and scores.max() < _EXACT
    return scores if is_exact else None


def _score_array(values: Collection[Any], where: Where, items: list[Any] | None = None) -> Array:
    """Scores of one ranking in one dtype, none rounded and none missing."""
    packed = _packed(values)
    if packed is not None:
        return packed
    values = list(values)
    try:
        scores = np.array(values or [0.0])[: len(values)]
    except (ValueError, OverflowError):
        scores = np.array(values, dtype=object)
    is_plain = scores.ndim == 1 and scores.dtype.kind in "iuf"
    if is_plain and (scores.dtype.kind != "f" or (np.abs(scores) < _EXACT).all()):
        return scores
    read = []
    for place, value in enumerate(values):
        item = f"at position {place + 1}"
        if items is not None:
            item = f"for item {safe_repr(items[place])}"
        read.append(_score(value, where, item))
    return scores if is_plain else np.array(read)


def _score(value: Any, where: Where, item: str) -> float:
    """The score as a float, or an error that names the item."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (int, float, np.longdouble)):
        msg = f"{where} has score {safe_repr(value)} {item}; pass a number"
        raise TypeError(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if number != number:
        msg = f"{where} contains NaN as the score {item}"
        raise ValueError(msg)
    if isinstance(value, int) and number != value:
        msg = (
            f"{where} mixes floats with the integer {safe_repr(value)}, which float64 cannot hold, "
            f"as the score {item}"
        )
        raise ValueError(msg)
    return number


def _one_dtype(arrays: Sequence[Array]) -> Array:
    """All scores in one array, none rounded on the way."""
    filled = [array for array in arrays if len(array)]
    if len({array.dtype for array in filled}) > 1:
        for array in filled:
            if array.dtype.kind not in "iu" or np.abs(array.astype(np.float64)).max() < _EXACT:
                continue
            if any(float(value) != value for value in array.tolist()):
                msg = "scores mix floats with integers that float64 cannot hold; pass one dtype"
                raise ValueError(msg)
    return np.concatenate(filled) if filled else np.zeros(0)


# Items with care ---------------------------------------------------------------------------------


class ItemReader:
    """Reads the items of one evaluation, so that both sides are keyed by the same rules.

    Without a provider items are compared as they are, and the reader notes their types, because
    ``1`` and ``"1"`` never match. With one, each item is converted exactly once.
    """

    def __init__(
        self,
        provider: StringProvider | None,
        duplicates: Duplicates = "raise",
        negative_grades: NegativeGrades = "raise",
        *,
        keeps: bool = False,
    ) -> None:
        if provider is not None and not callable(provider):
            msg = f"string_provider must be a function of an item, got {safe_repr(provider)}"
            raise TypeError(msg)
        self.provider = provider
        self.duplicates = duplicates
        self.negative_grades = negative_grades
        self.keeps = keeps
        self.unjudged_grades = 0
        self.dropped = 0
        self.mixes = False
        """Whether some rankings are lists and others {item: score}."""
        self._ranked_types: set[type] = set()
        self._true_types: set[type] = set()

    def rankings(self, given: Iterable[Any], query_ids: Iterable[Any]) -> list[Any]:
        """Ranked lists or {item: score} of plain ids; all of one kind, so that all have scores."""
        read = [
            self._ranking(ranking, Where("y_score", query))
            for query, ranking in zip(query_ids, given, strict=True)
        ]
        self.mixes = len(set(map(type, read))) > 1
        if not self.mixes:
            return read
        return [
            dict(zip(ranking, range(len(ranking), 0, -1), strict=True))
            if isinstance(ranking, list)
            else ranking
            for ranking in read
        ]

    def _ranking(self, given: Any, where: Where) -> list[Any] | dict[Any, Any]:
        if isinstance(given, Set):
            kind = type(given).__name__
            msg = f"{where} is a {kind}, which has no order; are y_true and y_score swapped?"
            raise TypeError(msg)
        is_scored = isinstance(given, Mapping)
        items = list(given) if is_scored else sequence(given, where)
        keys = self._keys(items, where, self._ranked_types)
        if is_scored:
            return self.scored(keys, list(given.values()), where, items)
        if len(set(keys)) == len(keys):
            return keys
        return [keys[place] for place in self._without_duplicates(keys, items, where, None)]

    def scored(
        self, keys: list[Any], scores: list[Any], where: Where, items: list[Any]
    ) -> dict[Any, Any]:
        """{item: score}; of an item that comes twice the best score, if that is allowed."""
        table = dict(zip(keys, scores, strict=True))
        if len(table) == len(keys):
            return table
        _score_array(scores, where, items)  # all of them are checked, not only those that are kept
        kept = self._without_duplicates(keys, items, where, scores)
        return {keys[place]: scores[place] for place in kept}

    def _without_duplicates(
        self, keys: list[Any], items: list[Any], where: Where, scores: list[Any] | None
    ) -> list[int]:
        """Positions of the best-ranked occurrence of each item, or DuplicateItemError."""
        first: dict[Any, int] = {}
        for position, key in enumerate(keys):
            before = first.setdefault(key, position)
            if before == position:
                continue
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

    def truth(self, given: Any, where: Where | str) -> dict[Any, float]:
        """The judged items of one query with their grades; 1 for each item of a set or list."""
        grades: list[float] | None = None
        if isinstance(given, Mapping):
            items = list(given)
            grades = [_grade(value, where, item) for item, value in given.items()]
        else:
            items = list(given) if isinstance(given, Set) else sequence(given, where)
        keys = self._keys(items, where, self._true_types)
        judged = dict(zip(keys, grades or [1.0] * len(keys), strict=True))
        if len(judged) < len(keys):
            self._refuse_collision(keys, items, grades, where)
        negative = [key for key, grade in judged.items() if grade < 0]
        if not negative:
            return judged
        if self.negative_grades == "raise":
            msg = (
                f"{where} contains a negative grade ({judged[negative[0]]:g}) "
                f"for item {safe_repr(negative[0])}"
            )
            raise ValueError(msg)
        self.unjudged_grades += len(negative)
        return {key: grade for key, grade in judged.items() if grade >= 0}

    def _refuse_collision(
        self, keys: list[Any], items: list[Any], grades: list[float] | None, where: Where | str
    ) -> None:
        """ValueError if two items have one key, two grades, or seem to be grades themselves."""
        seen: dict[Any, int] = {}
        for position, key in enumerate(keys):
            before = seen.setdefault(key, position)
            if items[before] != items[position]:
                both = " and ".join(sorted(map(safe_repr, (items[before], items[position]))))
                msg = f"string_provider makes {safe_repr(key)} of two items of {where}: {both}"
                raise ValueError(msg)
            if grades is not None and grades[before] != grades[position]:
                both = f"{grades[before]:g} and {grades[position]:g}"
                msg = f"{where} judges item {safe_repr(key)} twice: {both}"
                raise ValueError(msg)
        if any(isinstance(key, (int, float)) for key in keys):
            msg = f"{where} repeats a number; if these are grades, pass 2-D arrays"
            raise ValueError(msg)

    def _keys(self, items: list[Any], where: Where | str, types: set[type]) -> list[Any]:
        """By what items are compared: strings of the provider, or themselves without NumPy."""
        if self.provider is not None:
            return [self._string(item, where, position) for position, item in enumerate(items)]
        kinds = set(map(type, items))
        if not kinds <= ARE_ALL.keys() and any(issubclass(kind, np.generic) for kind in kinds):
            # Text and integers by ways that cost a fifth of ``item()``.
            if kinds == {np.str_}:
                items = list(map(str, items))
            elif all(issubclass(k, np.integer) and k.__name__ != "timedelta64" for k in kinds):
                items = list(map(index, items))
            else:
                items = [item.item() if isinstance(item, np.generic) else item for item in items]
            kinds = set(map(type, items))
        if not kinds <= ARE_ALL.keys():
            for position, item in enumerate(items):
                check_id(item, where, position)
        types |= kinds
        return items

    def _string(self, item: Any, where: Where | str, position: int) -> str:
        provider = self.provider or str
        try:
            key = provider(item)
        except Exception as error:
            what = f"{type(error).__name__}({safe_repr(str(error))})"
            msg = f"string_provider raised {what} on item {position} of {where}"
            raise ValueError(msg) from error
        if not isinstance(key, str):
            what = f"{type(key).__name__} for item {position} of {where}"
            msg = f"string_provider returned {what}, expected str"
            raise TypeError(msg)
        return key

    def check_types(self) -> None:
        """TypeError if the ids of the two sides cannot be equal, whatever they hold."""
        refuse_unequal_types(self._ranked_types, self._true_types)


def check_id(item: Any, where: Where | str, position: int) -> None:
    """TypeError for an item that cannot be the key of anything."""
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


# Rankings as retrievers return them ---------------------------------------------------------------


def read_hits(
    rankings: list[Any], truths: Iterable[Any], query_ids: Iterable[Any], reader: ItemReader
) -> list[Any]:
    """Rankings of (id, score) pairs, or of {"id": ..., "score": ...}, as {id: score}.

    Pairs are ids themselves where the ground truth has tuples, and for a provider.
    """
    filled = (ranking for ranking in rankings if isinstance(ranking, (list, tuple)) and ranking)
    first = next(filled, (None,))[0]
    is_hit = isinstance(first, Mapping)
    if reader.provider is not None or not (is_hit or _is_pair(first)):
        return rankings
    if not is_hit and any(isinstance(item, tuple) for truth in truths for item in truth):
        return rankings
    read: list[Any] = []
    for query, ranking in zip(query_ids, rankings, strict=True):
        where = Where("y_score", query)
        if not isinstance(ranking, (list, tuple)):
            read.append(ranking)
        elif is_hit and all(isinstance(hit, Mapping) for hit in ranking):
            read.append(_read_objects(ranking, where, reader))
        elif not is_hit and all(map(_is_pair, ranking)):
            items, scores = [item for item, _ in ranking], [score for _, score in ranking]
            read.append(_read_scored(items, scores, where, reader))
        else:
            read.append(ranking)
    return read


def _is_pair(item: Any) -> bool:
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    return isinstance(item[1], (Real, np.number)) and not isinstance(item[1], (bool, np.bool_))


def _read_objects(ranking: Sequence[Any], where: Where, reader: ItemReader) -> Any:
    """Objects with an id and a score, or a rank, or in ranked order."""
    columns: dict[str, list[tuple[int, Any]]] = {"item": [], "score": [], "rank": []}
    for place, hit in enumerate(ranking):
        for key, value in hit.items():
            plain = plain_name(key) if isinstance(key, str) else ""
            role = "item" if plain == "id" else role_of(plain)
            if role in columns and value is not None:
                columns[role].append((place, value))
    each = list(range(len(ranking)))
    order = "score" if columns["score"] else "rank"
    for name in ("item", order):
        found = [place for place, _ in columns[name]]
        if found == each or (name != "item" and not found):
            continue
        if name == "item":
            msg = (
                f"{where} holds dicts without one id each ({format_list(ranking[0])}); the id is "
                'called "id", "_id" or as in a data frame ("doc_id"); pass {id: score} per query'
            )
            raise TypeError(msg)
        told = f"{len(found)} {name}s for {len(ranking)} items"
        msg = f"{where} has {told}; give each item one, or none"
        raise ValueError(msg)
    items, values = ([value for _, value in columns[name]] for name in ("item", order))
    if order == "score":
        return _read_scored(items, values, where, reader)
    if not values:
        return items
    for rank in values:
        is_number = isinstance(rank, (Real, np.number)) and not isinstance(rank, bool)
        if not is_number or rank != rank:
            msg = f"{where} has rank {safe_repr(rank)}; pass a number"
            raise ValueError(msg) if is_number else TypeError(msg)
    if len(set(values)) < len(values):
        twice = next(rank for place, rank in enumerate(values) if rank in values[:place])
        msg = f"{where} has two items of rank {twice}"
        raise ValueError(msg)
    return [items[place] for place in sorted(each, key=values.__getitem__)]


def _read_scored(items: list[Any], scores: list[Any], where: Where, reader: ItemReader) -> Any:
    for position, item in enumerate(items):
        if type(item) not in ARE_ALL:
            check_id(item, where, position)
    return reader.scored(items, scores, where, items)


# Relevance scores of ranked lists ---------------------------------------------------------------


@dataclass(frozen=True)
class RelevanceInput:
    """Relevance scores of ranked results, how to read them, and which way is better.

    Parameters
    ----------
    scores : sequence of sequences, or mapping of query to sequence
        For each query one score for each ranked result, in the same order.
    provider : callable, default=float
        Turns an element of ``scores`` into a number; ``float`` leaves numbers as they are.
    higher_is_better : bool, default=True
        False for distances. The order of the ranked results stands as given; scores that
        contradict it are an error.

    Raises
    ------
    TypeError
        If ``provider`` is not callable.
    InvalidParameterError
        If ``higher_is_better`` is not a bool.

    References
    ----------
    .. [1] ArDoCo, Rank Metrics, https://github.com/ArDoCo/Metrics

    Examples
    --------
    Ties between scores matter to the measures that read scores, such as AUC:

    >>> from sklearn_rank import group_auc_score
    >>> from sklearn_rank.inputs import RelevanceInput
    >>> distances = RelevanceInput([["0.1", "0.4", "0.4"]], higher_is_better=False)
    >>> group_auc_score([{"b"}], [["a", "b", "c"]], relevance=distances)
    0.25
    """

    scores: Any
    provider: Callable[[Any], float] = float
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        if not callable(self.provider):
            msg = f"provider must be a function of a score, got {safe_repr(self.provider)}"
            raise TypeError(msg)
        check_flag(self.higher_is_better, "higher_is_better", "RelevanceInput")


def relevance_scores(
    relevance: Any,
    rankings: list[Any],
    query_ids: Sequence[Any] | Array,
    dropped: int,
    *,
    keyed: bool,
) -> Array:
    """Scores of all ranked results in one array, checked against their order."""
    reading = relevance if isinstance(relevance, RelevanceInput) else None
    scores = relevance if reading is None else reading.scores
    if not isinstance(scores, Mapping):
        scores = sequence(scores, "relevance")
    if isinstance(scores, Mapping) != keyed:
        came, needed = "mapping", "a sequence of ranked lists pass a sequence parallel to it"
        if keyed:
            came, needed = "sequence", "mappings pass {query: scores}"
        msg = f"relevance is a {came}; for {needed}"
        raise TypeError(msg)
    if not keyed and len(scores) != len(rankings):
        msg = f"relevance has {len(scores)} lists for {len(rankings)} ranked lists"
        raise ValueError(msg)
    if any(isinstance(ranking, dict) for ranking in rankings):
        msg = "y_score holds {item: score} rankings, which need no relevance="
        raise TypeError(msg)
    if dropped:
        msg = "duplicates='first' cannot drop items of rankings that have relevance= scores"
        raise ValueError(msg)
    given = [scores.get(query, ()) for query in query_ids] if keyed else scores
    return _one_dtype(
        [
            _falling_scores(reading, own, len(ranking), Where("relevance", query))
            for query, own, ranking in zip(query_ids, given, rankings, strict=True)
        ]
    )


def _falling_scores(
    reading: RelevanceInput | None, given: Any, n_ranked: int, where: Where
) -> Array:
    """Scores of one query, greater for what stands higher, checked against the order."""
    values = sequence(given, where)
    if len(values) != n_ranked:
        msg = f"{where} has {len(values)} scores for {n_ranked} ranked results"
        raise ValueError(msg)
    provider = None if reading is None else reading.provider
    for position, value in enumerate(values):
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        if provider is None or (provider is float and is_number):
            continue  # float() would round large integers
        try:
            values[position] = provider(value)
        except Exception as error:
            what = f"{type(error).__name__}({safe_repr(str(error))})"
            msg = f"provider of RelevanceInput raised {what} on score {position} of {where}"
            raise ValueError(msg) from error
    scores = _score_array(values, where)
    falls = reading is not None and not reading.higher_is_better
    wrong = np.flatnonzero(scores[1:] < scores[:-1] if falls else scores[1:] > scores[:-1])
    if len(wrong):
        place = int(wrong[0])
        sign = "<" if falls else ">"
        msg = (
            f"{where} contradicts the order of the ranked results at position {place + 2}: "
            f"{scores[place + 1]} {sign} {scores[place]}; sort the results, or say "
            f"RelevanceInput(..., higher_is_better={falls})"
        )
        raise ValueError(msg)
    if not falls:
        return scores
    # Python's own numbers, of which the negative is always exact.
    return _score_array([-value for value in scores.tolist()], where)
