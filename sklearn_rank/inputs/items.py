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
from sklearn_rank.inputs.hints import refuse_unequal_types
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


SIMPLE_IDS = {str, int}
"""Types of ids that need no closer look."""

# Containers --------------------------------------------------------------------------------------


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


def _items_of(given: Any, where: Where | str) -> list[Any]:
    """The items of one query; TypeError for what holds more than these."""
    if isinstance(given, (list, tuple)):
        return list(given)
    kind, rows, msg = type(given).__name__, getattr(given, "index", None), ""
    if hasattr(given, "columns") or hasattr(given, "column_names"):
        msg = f"{where} is a {kind}; pass the column of its items as a list, or one long frame"
    elif hasattr(given, "iloc"):
        are_numbers = getattr(given.dtype, "kind", "O") in "iufb"
        if names_rows(rows) or (are_numbers and type(rows).__name__ != "RangeIndex"):
            msg = f"{where} is a {kind}; pass .to_dict() for {{item: number}}, or .tolist()"
    elif hasattr(given, "keys") and not isinstance(given, Mapping):
        msg = f"{where} is a {kind}; pass the list of hits of a response, or a dict"
    if msg:
        raise TypeError(msg)
    return sequence(given, where)


def names_rows(rows: Any) -> bool:
    """Whether the index of a series says more than which rows of a table these were."""
    return rows.name is not None or getattr(rows.dtype, "kind", "O") not in "iu"


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
        advice = "of a response pass its list of hits" if is_response else "pass a number"
        msg = f"{where} has {what} {safe_repr(value)} {item}; {advice}"
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


_NO_HITS = HitReader((), (), None)

# Items with care ---------------------------------------------------------------------------------


class ItemReader:
    """Reads the items of one evaluation, so that both sides are keyed by the same rules.

    Without a provider items are compared as they are, and the reader notes their types, because
    ``1`` and ``"1"`` never match. With one, each item is converted exactly once.
    """

    def __init__(self, options: ReadOptions) -> None:
        self.options, self.provider = options, provider_of(options.string_provider)
        self.unjudged_grades = self.n_dropped = self.n_identical = 0
        self.mixes = False
        """Whether some rankings are lists and others {item: score}."""
        self._hits = _NO_HITS
        self._types: dict[str, set[type]] = {"y_score": set(), "y_true": set()}

    @property
    def are_best_first(self) -> bool:
        """Whether scored items came in lists, whose order is to agree."""
        return self._hits.are_best_first

    def rankings(
        self, given: Sequence[Any], query_ids: Iterable[Any], truths: Iterable[Any]
    ) -> list[Any]:
        """Ranked lists, or {item: score} of all queries; of plain ids."""
        self._hits = HitReader(given, truths, self.options.string_provider)
        read = [
            self._ranking(ranking, Where("y_score", query))
            for query, ranking in zip(query_ids, given, strict=True)
        ]
        self._hits.refuse_unread()
        self.mixes = len(set(map(type, read))) > 1
        if not self.mixes:
            return read
        # All need scores: those of lists fall with the ranks.
        return [
            run if isinstance(run, dict) else dict(zip(run, range(len(run), 0, -1), strict=True))
            for run in read
        ]

    def _ranking(self, given: Any, where: Where) -> list[Any] | dict[Any, Any]:
        if isinstance(given, Set):
            kind = type(given).__name__
            msg = f"{where} is a {kind}, which has no order; are y_true and y_score swapped?"
            raise TypeError(msg)
        scores: list[Any] | None = None
        if isinstance(given, Mapping):
            items, scores = list(given), list(given.values())
        else:
            items = _items_of(given, where)
            if isinstance(given, (list, tuple)):
                items, scores = self._hits.read(items, where)
        keys = self._keys(items, where)
        rows: Sequence[int] = range(len(keys))
        if self.options.ignore_identical_ids and where.query in keys:
            rows = [row for row in rows if keys[row] != where.query]
            self.n_identical += len(keys) - len(rows)
        if len(set(keys)) < len(keys) and len({keys[row] for row in rows}) < len(rows):
            if scores is not None:  # all of them are checked, not only those that stay
                read_scores(scores, lambda row: _place_of(where, items[row]))
            chosen = [keys[row] for row in rows]
            if self.options.duplicates == "raise":
                before, again = first_repeated(chosen)
                both = [safe_repr(items[rows[place]]) for place in (before, again)]
                named = both[1]
                if self.provider is not None and both[0] != both[1]:
                    named = f"{both[0]} and {both[1]}, both {safe_repr(chosen[again])},"
                refuse_duplicate(where, named, before, again)
            best = best_occurrences(chosen, scores and [scores[row] for row in rows])
            self.n_dropped += len(rows) - len(best)
            rows = [rows[place] for place in best]
        if scores is None:
            return keys if len(rows) == len(keys) else [keys[row] for row in rows]
        return {keys[row]: scores[row] for row in rows}

    def truth(self, given: Any, where: Where | str) -> dict[Any, float]:
        """The judged items of one query with their grades; 1 for each item of a set or list."""
        if isinstance(given, Mapping):
            items, grades = list(given), list[float]()
            for item, value in given.items():
                grades.append(_number(value, _GRADES, "grade", partial(_place_of, where, item)))
                if math.isinf(grades[-1]):
                    msg = f"{where} contains infinity as the grade for item {safe_repr(item)}"
                    raise ValueError(msg)
        else:
            items = list(given) if isinstance(given, Set) else _items_of(given, where)
            grades = [1.0] * len(items)
            pair = next(filter(is_pair, () if isinstance(given, Set) else items), None)
            if pair is not None and not callable(self.options.string_provider):
                msg = (
                    f"{where} holds {safe_repr(pair)}, an id and a number; pass {{item: grade}}, "
                    "or a set, in which pairs are items"
                )
                raise TypeError(msg)
        keys = self._keys(items, where)
        judged = dict(zip(keys, grades, strict=True))
        if len(judged) < len(keys):
            self._check_repeated(keys, items, grades, where)
        negative = [key for key, grade in judged.items() if grade < 0]
        if negative and self.options.negative_grades == "raise":
            named = f"({judged[negative[0]]:g}) for item {safe_repr(negative[0])}"
            advice = f"{argument('convention', 'trec_eval')} reads it as not judged"
            msg = f"{where} contains a negative grade {named}; {advice}"
            raise ValueError(msg)
        self.unjudged_grades += len(negative)
        return {key: grade for key, grade in judged.items() if grade >= 0} if negative else judged

    def _check_repeated(
        self, keys: list[Any], items: list[Any], grades: list[float], where: Where | str
    ) -> None:
        """ValueError for keys that are of several items, or of one with several grades."""
        seen: dict[Any, int] = {}
        for row, key in enumerate(keys):
            before = seen.setdefault(key, row)
            if items[before] != items[row]:
                both = " and ".join(sorted(map(safe_repr, (items[before], items[row]))))
                msg = f"string_provider makes {safe_repr(key)} of two items of {where}: {both}"
                raise ValueError(msg)
            if grades[before] != grades[row]:
                refuse_two_grades(where, key, grades[before], grades[row])
        if any(isinstance(key, (int, float)) for key in keys):
            msg = f"{where} repeats a number; if these are grades, pass 2-D arrays"
            raise ValueError(msg)

    def _keys(self, items: list[Any], where: Where | str) -> list[Any]:
        """Keys of items: strings of the provider, or the items themselves without NumPy's types."""
        if self.provider is not None:
            return list(map(self._string, items, repeat(where), count()))
        kinds = set(map(type, items))
        if not all(issubclass(kind, PLAIN) for kind in kinds):
            key = self._hits.key
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
        self._types[where if isinstance(where, str) else where.argument] |= kinds
        return items

    def _string(self, item: Any, where: Where | str, position: int) -> str:
        is_path = isinstance(self.options.string_provider, str)
        if isinstance(item, str) and (is_path or self._hits.object is not None):
            return str(item)  # which an object of the other side is to be equal to
        key = called(self.provider, item, "string_provider", "item", position, "of", where)
        if not isinstance(key, str):
            what = f"{type(key).__name__} for item {position} of {where}"
            msg = f"string_provider returned {what}, expected str"
            raise TypeError(msg)
        return str(key)

    def mismatch(self) -> str:
        """Why no ranked object may be a judged item; "" where there are none."""
        return self._hits.mismatch()

    def check_types(self) -> None:
        """TypeError if the ids of the two sides cannot be equal, whatever they hold."""
        refuse_unequal_types(self._types["y_score"], self._types["y_true"], self.mismatch())


def called(function: Any, value: Any, name: str, *place: object) -> Any:
    """Result of a function of the caller's; ValueError that names it and where it failed."""
    try:
        return function(value)
    except Exception as error:
        what = f"{type(error).__name__}({safe_repr(str(error))})"
        msg = f"{name} raised {what} on {' '.join(map(str, place))}"
        raise ValueError(msg) from error


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
    n_dropped: int,
    *,
    keyed: bool,
) -> Array:
    """Scores of all ranked results in one array, checked against their order."""
    reading = relevance if isinstance(relevance, RelevanceInput) else None
    scores = relevance if reading is None else reading.scores
    if not isinstance(scores, Mapping):
        scores = sequence(scores, "relevance")
    msg, error = "", TypeError
    if isinstance(scores, Mapping) != keyed:
        came, needed = "mapping", "a sequence of ranked lists pass a sequence parallel to it"
        if keyed:
            came, needed = "sequence", "mappings pass {query: scores}"
        msg = f"relevance is a {came}; for {needed}"
    elif any(isinstance(ranking, dict) for ranking in rankings):
        msg = "y_score holds {item: score} rankings, which need no relevance="
    elif not keyed and len(scores) != len(rankings):
        error = ValueError  # type: ignore[assignment]
        msg = f"relevance has {len(scores)} lists for {len(rankings)} ranked lists"
    elif n_dropped:
        error = ValueError  # type: ignore[assignment]
        msg = (
            "duplicates='first' and ignore_identical_ids cannot drop items of rankings that have "
            "relevance= scores"
        )
    if msg:
        raise error(msg)
    places = [Where("relevance", query) for query in query_ids]
    lists = [scores.get(query, ()) for query in query_ids] if keyed else scores
    read = list(map(sequence, lists, places))
    for values, ranking, where in zip(read, rankings, places, strict=True):
        if len(values) != len(ranking):
            msg = f"{where} has {len(values)} scores for {len(ranking)} ranked results"
            raise ValueError(msg)
        for position, value in enumerate(values if reading is not None else ()):
            assert reading is not None
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
