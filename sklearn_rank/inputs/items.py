"""Items of rankings and of ground truths: ids, scores, grades, duplicates and relevance."""

from __future__ import annotations

import math
import struct
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from operator import index
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import DuplicateItemError
from sklearn_rank.inputs.ids import ARE_ALL, refuse_unequal_types
from sklearn_rank.inputs.roles import plain_name, role_of
from sklearn_rank.support.checks import (
    EXACT_INTEGER,
    MISSING_TYPES,
    check_flag,
    is_missing,
    refuse_unordered,
)
from sklearn_rank.support.segments import blocks
from sklearn_rank.support.text import format_list, safe_repr
from sklearn_rank.typing import Array, Duplicates, IntArray, NegativeGrades, StringProvider

__all__ = ["RelevanceInput"]


class Where(NamedTuple):
    """Which argument, and the query within it; written out only in messages."""

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


# Grades and scores -------------------------------------------------------------------------------


def are_grades(values: Collection[Any]) -> bool:
    """Whether all values are plain numbers that are finite and not negative."""
    if not set(map(type, values)) <= {int, float}:
        return False
    try:
        return math.isfinite(math.fsum(values)) and min(values, default=0) >= 0
    except (OverflowError, ValueError):
        return False  # too large for a float, or infinite both ways


def grade_of(value: Any, where: Where | str, item: Any) -> float:
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
            where = Where("y_score", query)
            arrays.append(score_array(ranking.values(), where, item_at(ranking)))
    scores = _one_dtype(arrays)
    _check_scores(scores, rankings, offsets, query_ids)
    return scores


_READ_AT_ONCE = 1 << 12
"""Scores whose objects stay in the processor's cache."""


def _packed(values: Collection[Any]) -> Array | None:
    """Floats alone, which add up to a float; packing them is the fastest way into an array."""
    try:
        if type(sum(values)) is float:
            return np.frombuffer(struct.pack(f"{len(values)}d", *values))
    except (TypeError, ValueError, OverflowError, struct.error):
        pass
    return None


def score_array(values: Collection[Any], where: Where, place_of: Callable[[int], str]) -> Array:
    """Scores of one ranking in one dtype; NaN and rounding are checked later."""
    packed = _packed(values)
    if packed is not None:
        return packed
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


def _one_dtype(arrays: Sequence[Array]) -> Array:
    """All scores in one array, none rounded on the way."""
    filled = [array for array in arrays if len(array)]
    if len({array.dtype for array in filled}) > 1:
        for array in filled:
            largest = np.abs(array.astype(np.float64)).max()
            if array.dtype.kind in "iu" and largest >= EXACT_INTEGER:
                msg = "scores mix floats with integers that float64 cannot hold; pass one dtype"
                raise ValueError(msg)
    return np.concatenate(filled) if filled else np.zeros(0)


def _check_scores(
    scores: Array,
    rankings: Sequence[Mapping[Any, Any]],
    offsets: IntArray,
    query_ids: Sequence[Any] | Array,
) -> None:
    """ValueError if a score is NaN, or an integer that its dtype cannot hold."""
    if scores.dtype.kind != "f" or not len(scores):
        return
    if scores.min() > -EXACT_INTEGER and scores.max() < EXACT_INTEGER:
        return
    wrong = np.flatnonzero(np.isnan(scores))
    if len(wrong):
        number = int(np.searchsorted(offsets, wrong[0], side="right")) - 1
        item = list(rankings[number])[int(wrong[0] - offsets[number])]
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        where = Where("y_score", query_ids[number])
        msg = f"{where} contains NaN as the score of item {safe_repr(item)}{more}"
        raise ValueError(msg)
    for query, ranking in zip(query_ids, rankings, strict=True):
        _refuse_rounded(ranking.values(), Where("y_score", query), item_at(ranking))


def _refuse_rounded(values: Iterable[Any], where: Where, place_of: Callable[[int], str]) -> None:
    """ValueError at the first integer that float64 cannot hold."""
    for place, value in enumerate(values):
        _score(value, where, place_of, place)


def item_at(items: Iterable[Any]) -> Callable[[int], str]:
    """Says in an error which item has the score at a place; reads the items only then."""
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
            self.ranking(ranking, Where("y_score", query))
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

    def ranking(self, given: Any, where: Where) -> list[Any] | dict[Any, Any]:
        """The ranking of one query: a ranked list, or {item: score}."""
        if isinstance(given, Mapping):
            items, values = list(given), list(given.values())
            keys = self._keys(items, where, self._ranked_types)
            if len(set(keys)) == len(keys):
                return dict(zip(keys, values, strict=True))
            # All of them are checked, not only those that are kept.
            all_of_them = [dict(zip(items, values, strict=True))]
            read_scores(all_of_them, np.array([0, len(items)]), [where.query])
            kept = self.without_duplicates(keys, items, where, values)
            return {keys[place]: values[place] for place in kept}
        if isinstance(given, Set):
            kind = type(given).__name__
            msg = f"{where} is a {kind}, which has no order; are y_true and y_score swapped?"
            raise TypeError(msg)
        items = sequence(given, where)
        keys = self._keys(items, where, self._ranked_types)
        if len(set(keys)) == len(keys):
            return keys
        return [keys[place] for place in self.without_duplicates(keys, items, where, None)]

    def without_duplicates(
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
        if self.provider is None and type(given) is dict and are_grades(given.values()):
            kind = type(next(iter(given), None))
            if kind in ARE_ALL and ARE_ALL[kind](given):
                self._true_types.add(kind)
                return given
        grades: list[float] | None = None
        if isinstance(given, Mapping):
            items = list(given)
            grades = [grade_of(value, where, item) for item, value in given.items()]
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

    def refuse_ids(self, items: list[Any], where: Where) -> None:
        """TypeError at the first item that cannot be an id."""
        for position, item in enumerate(items):
            _check_id(item, where, position)

    # Keys ---------------------------------------------------------------------------------------

    def _keys(self, items: list[Any], where: Where | str, types: set[type]) -> list[Any]:
        if self.provider is not None:
            return [self._string(item, where, position) for position, item in enumerate(items)]
        kinds = set(map(type, items))
        if not kinds <= ARE_ALL.keys():
            items, kinds = self._check_ids(items, kinds, where)
        types |= kinds
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

    def _check_ids(
        self, items: list[Any], kinds: set[type], where: Where | str
    ) -> tuple[list[Any], set[type]]:
        if any(issubclass(kind, np.generic) for kind in kinds):
            items = _as_plain(items, kinds)
            kinds = set(map(type, items))
            if kinds <= ARE_ALL.keys():
                return items, kinds
        # Types tell in one pass whether each item has to be looked at.
        if any(map(_is_suspect, kinds)) or not _are_hashable(items):
            for position, item in enumerate(items):
                _check_id(item, where, position)
        return items, kinds

    def check_types(self) -> None:
        """TypeError if the ids of the two sides cannot be equal, whatever they hold."""
        refuse_unequal_types(self._ranked_types, self._true_types)


# Rankings as retrievers return them ---------------------------------------------------------------


def read_hits(rankings: list[Any], truths: Iterable[Any], reader: ItemReader) -> list[Any]:
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
    read = _hits_of if is_hit else _pairs_of
    return [
        read(ranking, number, reader) if isinstance(ranking, (list, tuple)) else ranking
        for number, ranking in enumerate(rankings)
    ]


def _is_pair(item: Any) -> bool:
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    return isinstance(item[1], (Real, np.number)) and not isinstance(item[1], (bool, np.bool_))


def _pairs_of(ranking: Sequence[Any], number: int, reader: ItemReader) -> Any:
    if not all(map(_is_pair, ranking)):
        return ranking
    return _scored([item for item, _ in ranking], [score for _, score in ranking], number, reader)


def _hits_of(ranking: Sequence[Any], number: int, reader: ItemReader) -> Any:
    """Objects with an id and a score, or a rank, or in ranked order."""
    columns: dict[str, list[Any]] = {"item": [], "score": [], "rank": []}
    kept: dict[str, list[int]] = {role: [] for role in columns}
    for place, hit in enumerate(ranking):
        if not isinstance(hit, Mapping):
            return ranking
        for key, value in hit.items():
            plain = plain_name(key) if isinstance(key, str) else ""
            role = "item" if plain == "id" else role_of(plain)
            if role in columns and value is not None:
                columns[role].append(value)
                kept[role].append(place)
    items, scores, ranks = columns.values()
    each = list(range(len(ranking)))
    if kept["item"] != each:
        keys = format_list(ranking[0])
        msg = (
            f"query {number} of y_score holds dicts without one id each ({keys}); the id is called "
            '"id", "_id" or as in a data frame ("doc_id"); pass {id: score} per query'
        )
        raise TypeError(msg)
    role = "score" if scores else "rank"
    if kept[role] and kept[role] != each:
        told = f"{len(columns[role])} {role}s for {len(items)} items"
        msg = f"query {number} of y_score has {told}; give each item one, or none"
        raise ValueError(msg)
    if scores:
        return _scored(items, scores, number, reader)
    if ranks:
        _check_ranks(ranks, number)
        return [items[place] for place in sorted(each, key=ranks.__getitem__)]
    return items


def _check_ranks(ranks: list[Any], number: int) -> None:
    """TypeError or ValueError unless they order the items, in which text and NaN would err."""
    for rank in ranks:
        if not isinstance(rank, (Real, np.number)) or isinstance(rank, bool):
            msg = f"query {number} of y_score has rank {safe_repr(rank)}; pass a number"
            raise TypeError(msg)
        if rank != rank:
            msg = f"query {number} of y_score has rank NaN; pass a number"
            raise ValueError(msg)
    if len(set(ranks)) < len(ranks):
        twice = next(rank for place, rank in enumerate(ranks) if rank in ranks[:place])
        msg = f"query {number} of y_score has two items of rank {twice}"
        raise ValueError(msg)


def _scored(items: list[Any], scores: list[Any], number: int, reader: ItemReader) -> Any:
    """{item: score}; of an item that comes twice the best score, if that is allowed."""
    where = Where("y_score", number)
    try:
        table = dict(zip(items, scores, strict=True))
    except TypeError:
        reader.refuse_ids(items, where)
        raise
    if len(table) == len(items):
        return table
    kept = reader.without_duplicates(items, items, where, scores)
    return {items[place]: scores[place] for place in kept}


def _as_plain(items: list[Any], kinds: set[type]) -> list[Any]:
    """NumPy's scalars as Python's; those of ids by ways that cost a fifth of ``item()``."""
    if kinds == {np.str_}:
        return list(map(str, items))
    if all(issubclass(kind, np.integer) and not issubclass(kind, np.timedelta64) for kind in kinds):
        return list(map(index, items))
    return [item.item() if isinstance(item, np.generic) else item for item in items]


def _is_suspect(kind: type) -> bool:
    """Whether items of a type may be refused for what they are, or for what they hold."""
    return (
        issubclass(kind, (bool, float, np.floating, type(None))) or kind.__name__ in MISSING_TYPES
    )


def _are_hashable(items: list[Any]) -> bool:
    try:
        deque(map(hash, items), maxlen=0)
    except TypeError:
        return False
    return True


def _check_id(item: Any, where: Where | str, position: int) -> None:
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
    scores = relevance.scores if isinstance(relevance, RelevanceInput) else relevance
    if not isinstance(scores, Mapping):
        scores = sequence(scores, "relevance")
    if isinstance(scores, Mapping) != keyed:
        msg = (
            "relevance is a sequence; for mappings pass {query: scores}"
            if keyed
            else "relevance is a mapping; for a sequence of ranked lists pass a sequence parallel "
            "to it"
        )
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
            _query_scores(relevance, own, len(ranking), Where("relevance", query))
            for query, own, ranking in zip(query_ids, given, rankings, strict=True)
        ]
    )


def _query_scores(relevance: Any, given: Any, n_ranked: int, name: Where) -> Array:
    """Scores of one query, greater for what stands higher, checked against the order."""
    values = sequence(given, name)
    if len(values) != n_ranked:
        msg = f"{name} has {len(values)} scores for {n_ranked} ranked results"
        raise ValueError(msg)
    falls = isinstance(relevance, RelevanceInput) and not relevance.higher_is_better
    if isinstance(relevance, RelevanceInput) and not _stay(relevance, values):
        values = [_provided(relevance, value, name, i) for i, value in enumerate(values)]
    scores = score_array(values, name, _at_position)
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        msg = f"{name} contains NaN at position {int(np.flatnonzero(np.isnan(scores))[0]) + 1}"
        raise ValueError(msg)
    if scores.dtype.kind == "f" and (np.abs(scores) >= EXACT_INTEGER).any():
        _refuse_rounded(values, name, _at_position)
    wrong = np.flatnonzero(scores[1:] < scores[:-1] if falls else scores[1:] > scores[:-1])
    if len(wrong):
        place = int(wrong[0])
        sign = "<" if falls else ">"
        msg = (
            f"{name} contradicts the order of the ranked results at position {place + 2}: "
            f"{scores[place + 1]} {sign} {scores[place]}; sort the results, or say "
            f"RelevanceInput(..., higher_is_better={falls})"
        )
        raise ValueError(msg)
    if not falls:
        return scores
    # Python's own numbers, of which the negative is always exact.
    return score_array([-value for value in scores.tolist()], name, _at_position)


def _at_position(place: int) -> str:
    return f"at position {place + 1}"


def _stay(relevance: RelevanceInput, values: list[Any]) -> bool:
    """Whether the provider would leave all values as they are."""
    return relevance.provider is float and set(map(type, values)) <= {int, float}


def _provided(relevance: RelevanceInput, value: Any, name: Where, position: int) -> Any:
    if relevance.provider is float and isinstance(value, (int, np.integer, np.floating)):
        return value  # float() would round large integers
    try:
        return relevance.provider(value)
    except Exception as error:
        msg = (
            f"provider of RelevanceInput raised {type(error).__name__}({safe_repr(str(error))}) "
            f"on score {position} of {name}"
        )
        raise ValueError(msg) from error
