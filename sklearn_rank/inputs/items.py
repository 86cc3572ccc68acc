"""Items of rankings and of ground truths: ids, scores, grades, duplicates and relevance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain, count, repeat
from numbers import Real
from operator import index
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.inputs.arrays import is_hashable
from sklearn_rank.inputs.hints import called, refuse_unequal_types
from sklearn_rank.inputs.hits import PLAIN, HitReader, is_pair, provider_of
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.tables import (
    best_occurrences,
    first_repeated,
    refuse_duplicate,
    refuse_two_grades,
)
from sklearn_rank.support.checks import EXACT_INTEGER, check_flag, is_missing, refuse_unordered
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import argument, safe_repr
from sklearn_rank.typing import Array

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
    refuse_unordered(given, str(where))
    if isinstance(given, Mapping):
        msg = f"{where} is a {type(given).__name__} where a list is expected"
        raise TypeError(msg)
    if isinstance(given, np.ndarray) and given.ndim != 1:
        msg = f"{where} should be a 1d array, got an array of shape {given.shape} instead."
        raise ValueError(msg)
    return given.tolist() if hasattr(given, "tolist") else list(given)


def refuse_container(given: Any, where: Where | str) -> None:
    """TypeError for what holds more than the items of one query."""
    kind, index, msg = type(given).__name__, getattr(given, "index", None), ""
    if hasattr(given, "columns") or hasattr(given, "column_names"):
        msg = f"{where} is a {kind}; pass the column of its items as a list, or one long frame"
    elif hasattr(given, "iloc") and (names_rows(index) or _are_scores(given)):
        msg = f"{where} is a {kind}; pass .to_dict() for {{item: number}}, or .tolist() for items"
    elif hasattr(given, "keys") and not isinstance(given, Mapping) and index is None:
        msg = f"{where} is a {kind}; pass the list of hits of a response, or a dict"
    if msg:
        raise TypeError(msg)


def names_rows(index: Any) -> bool:
    """Whether the index of a series says more than which rows of a table these were."""
    is_number = getattr(index.dtype, "kind", "O") in "iu"
    return index.name is not None or not is_number


def _are_scores(series: Any) -> bool:
    is_number = getattr(series.dtype, "kind", "O") in "iufb"
    return is_number and type(series.index).__name__ != "RangeIndex"


SIMPLE_IDS = {str, int}
"""Types of ids that need no closer look."""

# Grades and scores -------------------------------------------------------------------------------

_SCORES, _GRADES = (int, float, np.longdouble), (Real, np.bool_)
_EXACT = np.float64(EXACT_INTEGER)
"""In a type of its own, to which half precision is widened."""
Place: TypeAlias = Callable[[], tuple[object, str]]
"""The argument and the item of a number, for messages."""


def _number(value: Any, kinds: Any, what: str, place: Place) -> float:
    """The value as a float, infinite if it is too large."""
    if not isinstance(value, kinds):
        where, item = place()
        is_response = isinstance(value, (Mapping, list))
        advice = "; of a response pass its list of hits" if is_response else "; pass a number"
        msg = f"{where} has {what} {safe_repr(value)} {item}{advice}"
        raise TypeError(msg)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if number != number:
        msg = f"{place()[0]} contains NaN as the {what} {place()[1]}"
        raise ValueError(msg)
    return number


def _place_of(where: object, item: Any) -> tuple[object, str]:
    return where, f"for item {safe_repr(item)}"


def read_scores(values: list[Any], place: Callable[[int], tuple[object, str]]) -> Array:
    """Scores in one dtype, none rounded and none missing; ``place`` names one of them in errors."""
    try:
        scores = np.array(values)
    except (ValueError, OverflowError):
        scores = np.array(values, dtype=object)
    is_plain = scores.ndim == 1 and scores.dtype.kind in "iuf"
    if is_plain and (scores.dtype.kind != "f" or (np.abs(scores) < _EXACT).all()):
        return scores
    read = []
    for row, given in enumerate(values):
        value = given.item() if isinstance(given, np.generic) else given
        number = _number(value, _SCORES, "score", partial(place, row))
        if isinstance(value, int) and number != value:
            where, item = place(row)
            msg = (
                f"{where} mixes floats with the integer {safe_repr(value)}, which float64 "
                f"cannot hold, as the score {item}"
            )
            raise ValueError(msg)
        read.append(number)
    return scores if is_plain else np.array(read)


# Items with care ---------------------------------------------------------------------------------


class ItemReader:
    """Reads the items of one evaluation, so that both sides are keyed by the same rules.

    Without a provider items are compared as they are, and the reader notes their types, because
    ``1`` and ``"1"`` never match. With one, each item is converted exactly once.
    """

    def __init__(self, options: ReadOptions) -> None:
        self.options, self.provider = options, provider_of(options.string_provider)
        self.hits: HitReader | None = None
        self.unjudged_grades = 0
        self.dropped = self.identical = 0
        self.mixes = False
        """Whether some rankings are lists and others {item: score}."""
        self._ranked_types: set[type] = set()
        self._true_types: set[type] = set()

    def rankings(
        self, given: Sequence[Any], query_ids: Iterable[Any], truths: Iterable[Any]
    ) -> list[Any]:
        """Ranked lists, or {item: score} of all queries; of plain ids."""
        self.hits = HitReader(given, truths, self.options.string_provider)
        read = [
            self._ranking(ranking, Where("y_score", query), self.hits)
            for query, ranking in zip(query_ids, given, strict=True)
        ]
        self.hits.refuse_unread()
        self.mixes = len(set(map(type, read))) > 1
        if not self.mixes:
            return read
        # All need scores: those of lists fall with the ranks.
        return [
            run if isinstance(run, dict) else dict(zip(run, range(len(run), 0, -1), strict=True))
            for run in read
        ]

    def _ranking(self, given: Any, where: Where, hits: HitReader) -> list[Any] | dict[Any, Any]:
        if isinstance(given, Set):
            kind = type(given).__name__
            msg = f"{where} is a {kind}, which has no order; are y_true and y_score swapped?"
            raise TypeError(msg)
        scores: list[Any] | None = None
        if isinstance(given, Mapping):
            items, scores = list(given), list(given.values())
        else:
            if not isinstance(given, (list, tuple)):
                refuse_container(given, where)
            items = sequence(given, where)
            if isinstance(given, (list, tuple)):
                items, scores = hits.read(items, where)
        keys = self._keys(items, where, self._ranked_types)
        if self.options.ignore_identical_ids and where.query in keys:
            others = [place for place, key in enumerate(keys) if key != where.query]
            self.identical += len(keys) - len(others)
            items, keys = [items[place] for place in others], [keys[place] for place in others]
            scores = None if scores is None else [scores[place] for place in others]
        if len(set(keys)) == len(keys):
            return keys if scores is None else dict(zip(keys, scores, strict=True))
        if scores is not None:  # all of them are checked, not only those that are kept
            read_scores(scores, lambda place: _place_of(where, items[place]))
        if self.options.duplicates == "raise":
            before, again = first_repeated(keys)
            both = safe_repr(items[again])
            if self.provider is not None and items[before] != items[again]:
                both = f"{safe_repr(items[before])} and {both}, both {safe_repr(keys[again])},"
            refuse_duplicate(where, both, before, again)
        kept = best_occurrences(keys, scores)
        self.dropped += len(keys) - len(kept)
        if scores is None:
            return [keys[place] for place in kept]
        return {keys[place]: scores[place] for place in kept}

    def truth(self, given: Any, where: Where | str) -> dict[Any, float]:
        """The judged items of one query with their grades; 1 for each item of a set or list."""
        grades: list[float] | None = None
        if isinstance(given, Mapping):
            items, grades = list(given), []
            for item, value in given.items():
                grades.append(_number(value, _GRADES, "grade", partial(_place_of, where, item)))
                if math.isinf(grades[-1]):
                    msg = f"{where} contains infinity as the grade for item {safe_repr(item)}"
                    raise ValueError(msg)
        else:
            if not isinstance(given, (list, tuple, Set)):
                refuse_container(given, where)
            items = list(given) if isinstance(given, Set) else sequence(given, where)
            pair = next(filter(is_pair, () if isinstance(given, Set) else items), None)
            if pair is not None and not callable(self.options.string_provider):
                msg = (
                    f"{where} holds {safe_repr(pair)}, an id and a number; pass {{item: grade}}, "
                    "or a set, in which pairs are items"
                )
                raise TypeError(msg)
        keys = self._keys(items, where, self._true_types)
        grades = grades or [1.0] * len(keys)
        judged = dict(zip(keys, grades, strict=True))
        seen: dict[Any, int] = {}
        for place, key in enumerate(keys if len(judged) < len(keys) else ()):
            before = seen.setdefault(key, place)
            if items[before] != items[place]:
                both = " and ".join(sorted(map(safe_repr, (items[before], items[place]))))
                msg = f"string_provider makes {safe_repr(key)} of two items of {where}: {both}"
                raise ValueError(msg)
            if grades[before] != grades[place]:
                refuse_two_grades(where, key, grades[before], grades[place])
        if seen and any(isinstance(key, (int, float)) for key in keys):
            msg = f"{where} repeats a number; if these are grades, pass 2-D arrays"
            raise ValueError(msg)
        negative = [key for key, grade in judged.items() if grade < 0]
        if negative and self.options.negative_grades == "raise":
            named = f"({judged[negative[0]]:g}) for item {safe_repr(negative[0])}"
            advice = f"{argument('convention', 'trec_eval')} reads it as not judged"
            msg = f"{where} contains a negative grade {named}; {advice}"
            raise ValueError(msg)
        self.unjudged_grades += len(negative)
        return {key: grade for key, grade in judged.items() if grade >= 0} if negative else judged

    def _keys(self, items: list[Any], where: Where | str, types: set[type]) -> list[Any]:
        """Keys of items: strings of the provider, or the items themselves without NumPy's types."""
        if self.provider is not None:
            return list(map(self._string, items, repeat(where), count()))
        kinds = set(map(type, items))
        if self.hits is not None and not all(issubclass(kind, PLAIN) for kind in kinds):
            key = self.hits.key
            items = [item if isinstance(item, PLAIN) else key(item, where) for item in items]
            kinds = set(map(type, items))
        if not kinds <= SIMPLE_IDS and any(issubclass(kind, np.generic) for kind in kinds):
            # Text and integers by ways that cost a fifth of ``item()``.
            if kinds == {np.str_}:
                items = list(map(str, items))
            elif all(issubclass(k, np.integer) and k.__name__ != "timedelta64" for k in kinds):
                items = list(map(index, items))
            else:
                items = [item.item() if isinstance(item, np.generic) else item for item in items]
            kinds = set(map(type, items))
        for position, item in enumerate(items if not kinds <= SIMPLE_IDS else ()):
            msg = ""
            if not is_hashable(item):
                msg = f"items of {where} are unhashable {type(item).__name__}; pass string_provider"
            elif is_missing(item):
                msg = f"{where} holds a missing item ({safe_repr(item)}) at position {position + 1}"
            elif isinstance(item, bool):
                msg = f"{where} holds the bool {item} as an item; pass string_provider"
            if msg:
                raise TypeError(msg)
        types |= kinds
        return items

    def _string(self, item: Any, where: Where | str, position: int) -> str:
        is_path = isinstance(self.options.string_provider, str)
        if isinstance(item, str) and (is_path or (self.hits and self.hits.object is not None)):
            return item  # which an object of the other side is to be equal to
        key = called(self.provider, item, "string_provider", "item", position, "of", where)
        if not isinstance(key, str):
            what = f"{type(key).__name__} for item {position} of {where}"
            msg = f"string_provider returned {what}, expected str"
            raise TypeError(msg)
        return key

    def check_types(self) -> None:
        """TypeError if the ids of the two sides cannot be equal, whatever they hold."""
        try:
            refuse_unequal_types(self._ranked_types, self._true_types)
        except TypeError as error:
            objects = self.hits.mismatch() if self.hits is not None else ""
            if objects:
                msg = f"{error} ({objects})"
                raise TypeError(msg) from error
            raise


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


def _check_parallel(scores: Any, rankings: list[Any], dropped: int, *, keyed: bool) -> None:
    """Refuse scores of another layout than the rankings, or of rankings that lost items."""
    error: type[Exception] = ValueError
    msg = ""
    if isinstance(scores, Mapping) != keyed:
        came, needed = "mapping", "a sequence of ranked lists pass a sequence parallel to it"
        if keyed:
            came, needed = "sequence", "mappings pass {query: scores}"
        error, msg = TypeError, f"relevance is a {came}; for {needed}"
    elif not keyed and len(scores) != len(rankings):
        msg = f"relevance has {len(scores)} lists for {len(rankings)} ranked lists"
    elif any(isinstance(ranking, dict) for ranking in rankings):
        error, msg = TypeError, "y_score holds {item: score} rankings, which need no relevance="
    elif dropped:
        msg = (
            "duplicates='first' and ignore_identical_ids cannot drop items of rankings that have "
            "relevance= scores"
        )
    if msg:
        raise error(msg)


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
    _check_parallel(scores, rankings, dropped, keyed=keyed)
    places = [Where("relevance", query) for query in query_ids]
    given = [scores.get(query, ()) for query in query_ids] if keyed else scores
    read = list(map(sequence, given, places))
    for values, ranking, where in zip(read, rankings, places, strict=True):
        if len(values) != len(ranking):
            msg = f"{where} has {len(values)} scores for {len(ranking)} ranked results"
            raise ValueError(msg)
        for position, value in enumerate(values):
            if reading is None:
                break
            if reading.provider is float and isinstance(value, (int, float, np.number)):
                continue  # float() would round large integers
            name = "provider of RelevanceInput"
            values[position] = called(reading.provider, value, name, "score", position, "of", where)
    offsets = offsets_of(np.array(list(map(len, read)), dtype=np.int64))

    def place(number: int) -> tuple[Where, str]:
        query = int(np.searchsorted(offsets, number, side="right")) - 1
        return places[query], f"at position {number - offsets[query] + 1}"

    numbers = read_scores(list(chain.from_iterable(read)), place)
    falls = reading is not None and not reading.higher_is_better
    wrong = numbers[1:] < numbers[:-1] if falls else numbers[1:] > numbers[:-1]
    wrong[offsets[(offsets > 0) & (offsets < len(numbers))] - 1] = False  # of two queries
    if wrong.any():
        last = int(np.flatnonzero(wrong)[0])
        where, at = place(last + 1)
        msg = (
            f"{where} contradicts the order of the ranked results {at}: {numbers[last + 1]} "
            f"{'<' if falls else '>'} {numbers[last]}; sort the results, or say "
            f"RelevanceInput(..., higher_is_better={falls})"
        )
        raise ValueError(msg)
    # Python's own numbers, of which the negative is always exact.
    return read_scores([-value for value in numbers.tolist()], place) if falls else numbers
