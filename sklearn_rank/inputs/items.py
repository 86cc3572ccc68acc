"""Items of lists, mappings, pairs, dicts and objects, as long tables; and their relevance.

One reader keys the items of both sides by the same rules. It only checks that their numbers are
numbers: all further rules are those of long tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain, count, repeat
from numbers import Number
from operator import index
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, RankingOrderWarning
from sklearn_rank.inputs.arrays import CodedIds, is_hashable
from sklearn_rank.inputs.hits import (
    NO_HITS,
    PROVIDER,
    given_number,
    id_of,
    is_highest_first,
    is_pair,
    negative,
    number_in,
    provider_for,
    roles_in,
    unread_numbers,
)
from sklearn_rank.inputs.options import ReadOptions
from sklearn_rank.inputs.roles import ORDER, Role, item_ids, refuse_unread, unread_columns
from sklearn_rank.inputs.tables import (
    LEAST_RISES,
    Qrels,
    Run,
    count_rising,
    doubt_of_rising,
    first_repeated,
)
from sklearn_rank.support.checks import (
    as_native,
    as_numbers,
    check_flag,
    is_foreign_number,
    is_missing,
    refuse_unordered,
    without_arrays,
)
from sklearn_rank.support.runtime import warn
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import called, safe_repr, safe_text
from sklearn_rank.typing import Array, IntArray

__all__ = ["RelevanceInput"]

SIMPLE_IDS = {str, int}
"""Types of ids that need no closer look."""
_NUMBERS = (int, float, np.number, np.bool_)
_LOOKED = 5
"""Objects of a list whose fields are looked at."""


class Where(NamedTuple):
    """An argument and a query within it; written out only in messages."""

    argument: str
    query: Any

    def __str__(self) -> str:
        return f"{called(self.argument)}[{safe_repr(self.query)}]"


# Containers --------------------------------------------------------------------------------------


def sequence(given: Any, where: Where | str) -> list[Any]:
    """A list of the items of any ordered, finite sequence."""
    if isinstance(given, (list, tuple)):
        return list(given)
    if isinstance(given, Number) and isinstance(where, Where):
        msg = f"{where} is the number {safe_repr(given)}"
        msg += "; pass {query: {item: number}}"
        if isinstance(where.query, tuple):
            msg = f"{where} is a number for a query and an item; pass {{query: {{item: number}}}}"
        elif where.argument == "y_true":
            msg += f", or a list of relevant items, {{query: [{safe_repr(given)}]}}"
        raise TypeError(msg)
    refuse_unordered(given, str(where))
    given = as_native(given, str(where))
    if isinstance(given, Mapping):
        msg = f"{where} is a {type(given).__name__}; pass a list"
        raise TypeError(msg)
    if isinstance(given, np.ndarray) and given.ndim != 1:
        msg = f"{where} should be a 1d array, got an array of shape {given.shape} instead."
        if given.ndim == 2 and isinstance(where, Where):
            msg += f" If these are batches, join them: np.concatenate({called(where.argument)})"
        raise ValueError(msg)
    try:
        return given.tolist() if hasattr(given, "tolist") else list(given)
    except TypeError as error:  # of an object with a length and no items
        msg = f"{where} is a {type(given).__name__}, which has no items to read; pass a list"
        raise TypeError(msg) from error


def _items_of(given: Any, where: Where | str) -> list[Any]:
    """The items of one query; TypeError for what holds more than these."""
    if isinstance(given, (list, tuple)):
        return list(given)
    kind, rows, msg = type(given).__name__, getattr(given, "index", None), ""
    if hasattr(given, "columns") or hasattr(given, "column_names"):
        msg = f"{where} is a {kind}; pass its item column as a list, or one frame for all queries"
    elif hasattr(given, "iloc"):
        are_numbers = getattr(given.dtype, "kind", "O") in "iufb"
        if names_rows(rows) or (are_numbers and type(rows).__name__ != "RangeIndex"):
            msg = f"{where} is a {kind}; pass .to_dict() for {{item: number}}, or .tolist()"
    elif hasattr(given, "keys") and not isinstance(given, Mapping):
        msg = f"{where} is a {kind}; pass its list of hits, or a dict"
    if msg:
        raise TypeError(msg)
    return sequence(given, where)


def are_bare_objects(values: Any) -> bool:
    """Whether this is a list of objects that are neither numbers, text nor collections."""
    if not isinstance(values, (list, tuple)):
        return False
    known = (Number, np.generic, np.ndarray, str, bytes, date, timedelta)
    return bool(values) and not any(
        isinstance(one, known)
        or is_foreign_number(one)
        or one is None
        or hasattr(one, "__len__")
        or hasattr(one, "__next__")
        for one in values
    )


def names_rows(rows: Any) -> bool:
    """Whether the index of a series is more than the row numbers of a table."""
    return rows.name is not None or getattr(rows.dtype, "kind", "O") not in "iu"


# Items and numbers -------------------------------------------------------------------------------


class ItemReader:
    """Reads the items of one evaluation by the same rules on both sides.

    Without a provider items are compared as they are; with one, each is converted exactly once.
    All items of ranked lists have one form.
    """

    def __init__(
        self,
        options: ReadOptions,
        rankings: Iterable[Any] = (),
        judged: Set[type] = frozenset(),
        truths: Iterable[Any] = (),
    ) -> None:
        """``judged`` are the types of judged items, those of ``truths``."""
        self._provider = options.string_provider
        if not (self._provider is None or callable(self._provider)):
            got = safe_repr(self._provider)
            example = "lambda item: item.metadata['source']"
            msg = f"string_provider must be a function of an item, such as {example}, got {got}"
            raise TypeError(msg)
        lists = [ranking for ranking in rankings if isinstance(ranking, (list, tuple))]
        self._lists, self._truths = lists, truths
        first = {type(item): item for item in chain.from_iterable(lists)}
        pairs = [item[0] for item in chain.from_iterable(lists) if is_pair(item)]
        objects = {
            type(item): item for item in (*first.values(), *pairs) if not isinstance(item, NO_HITS)
        }
        self.object = next((item for kind, item in objects.items() if kind not in judged), None)
        if self._provider is not None and self.object is None:
            others = (item for kind, item in first.items() if kind not in judged)
            self.object = next(
                (
                    item
                    for item in others
                    if isinstance(item, Mapping) or given_number(item, {}) is not None
                ),
                None,
            )
        """A ranked object if the ground truth has none; its strings are then used directly."""
        # Objects of both sides are compared as they are, if they can be.
        as_is = {kind for kind in judged if getattr(kind, "__hash__", None) is not None}
        self._by_id = {
            kind for kind, item in objects.items() if kind not in as_is and id_of(item) is not None
        }
        self._odd = next(
            (item for kind, item in first.items() if issubclass(kind, tuple) and not is_pair(item)),
            None,
        )
        """A tuple that is not an id with its score."""
        self._unread = dict[str, set[Any]]()
        # Where scores are passed beside the lists, items need none.
        self._has_relevance = options.relevance is not None
        self._may_be_pairs = not any(issubclass(kind, tuple) for kind in judged)
        self.form, self.are_best_first = "", False
        """What the items are; and whether their order matters in addition to their numbers."""
        if self._provider is not None:
            return  # which reads the ids of pairs and dicts by itself
        # Named tuples of both sides are ids, as other tuples are.
        fields = [getattr(kind, "_fields", ()) for kind in first.keys() - judged]
        if any(issubclass(kind, Mapping) for kind in first) or any(map(item_ids, fields)):
            self.form = "dicts"
        elif pairs and (
            self._may_be_pairs or all(map(_is_scored_tuple, chain.from_iterable(lists)))
        ):
            # Where the ground truth has tuples, pairs are ids, unless they are a tuple and a score.
            self.form = "(id, score) pairs"
        elif any(kind in self._by_id for kind in first):
            self.form = "objects"
        self.are_best_first = bool(self.form)

    def run(self, rankings: Sequence[Any], query_ids: Iterable[Any]) -> Run:
        """The rankings."""
        queries, read = list(query_ids), list[tuple[list[Any], list[Any] | None]]()
        hits: list[list[Any]] = []
        for query, ranking in zip(queries, rankings, strict=True):
            where = Where("y_score", query)
            if isinstance(ranking, Set):
                kind = type(ranking).__name__
                msg = f"{where} is a {kind}, which has no order; are y_true and y_score swapped?"
                raise TypeError(msg)
            if isinstance(ranking, Mapping):
                ranked: Any = list(ranking), list(ranking.values())
            else:
                ranked = self._read(_items_of(ranking, where), where)
            read.append((self._keys(ranked[0], where), ranked[1]))
            hits.append([] if isinstance(ranking, Mapping) else ranked[0])
        if self._provider is not None and not self._has_relevance:
            read = self._with_given_scores(rankings, hits, read)
        self._refuse_unread()
        run: Run = _table(Run, queries, read, "score")
        return run

    def qrels(self, truths: Sequence[Any], query_ids: Iterable[Any] | None) -> Qrels:
        """The judgements per query, or without query ids those shared by all queries."""
        queries, read = [None] if query_ids is None else list(query_ids), []
        for query, truth in zip(queries, truths, strict=True):
            where = "y_true" if query_ids is None else Where("y_true", query)
            grades = None
            if isinstance(truth, Mapping):
                items, grades = list(truth), list(truth.values())
            elif isinstance(truth, Set):
                items = list(truth)
            else:
                items = _items_of(truth, where)
                pair = next(filter(is_pair, items), None)
                if pair is not None and self._provider is None:
                    msg = (
                        f"{where} holds {safe_repr(pair)}, an id and a number; pass {{item: "
                        "grade}, or a set if such pairs are the items"
                    )
                    raise TypeError(msg)
            keys = self._keys(items, where)
            if len(set(keys)) < len(keys):
                rows = first_repeated(keys)
                again = keys[rows[1]]
                if self._provider is not None:
                    both = " and ".join(sorted(safe_repr(items[row]) for row in rows))
                    msg = f"string_provider gives {safe_repr(again)} twice in {where}, for {both}"
                    raise ValueError(msg)
                if isinstance(again, (int, float)):
                    msg = (
                        f"{where} repeats a number; if these are grades, pass 2-D arrays, or rows "
                        "with groups= if lengths differ"
                    )
                    raise ValueError(msg)
            read.append((keys, grades))
        qrels: Qrels = _table(Qrels, queries, read, "grade")
        return qrels

    def _keys(self, items: list[Any], where: Where | str) -> list[Any]:
        """Keys of items: strings of the provider, or the items themselves without NumPy's types."""
        if self._provider is not None:
            return list(map(self._string, items, repeat(where), count()))
        kinds = set(map(type, items))
        if not all(issubclass(kind, NO_HITS) for kind in kinds):
            # A tensor of one number would equal itself alone.
            items = list(without_arrays(items))
            key = self._key
            items = [item if isinstance(item, NO_HITS) else key(item, where) for item in items]
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
                kind = type(item).__name__
                msg = f"{where} holds an unhashable {kind} as an item; pass string_provider"
                if isinstance(item, list):
                    msg += "; if its elements are alternatives, return one string for all of them"
            elif is_missing(item):
                msg = f"{where} holds a missing item ({safe_repr(item)}) at position {position + 1}"
            elif isinstance(item, bool):
                msg = f"{where} holds the bool {item} as an item; pass string_provider"
            if msg:
                raise TypeError(msg)
        return items

    def _string(self, item: Any, where: Where | str, position: int) -> str:
        if isinstance(item, str) and self.object is not None:
            return str(item)  # which an object of the other side is to be equal to
        key = _called(self._provider, item, "string_provider", "item", position, "of", where)
        if not isinstance(key, str):
            what = f"{type(key).__name__} for item {position} of {where}"
            msg = f"string_provider returned {what}, expected str"
            raise TypeError(msg)
        return str(key)

    def _read(self, hits: Sequence[Any], where: object) -> tuple[list[Any], list[Any] | None]:
        """Items and scores of a ranked list; no scores: the items are in order."""
        if self.form == "dicts":
            return self._dicts(hits, where)
        if self.form == "objects":
            items = list(hits)
            names = {kind: number_in(items, kind) for kind in set(map(type, items))}
            read = [(names[type(hit)][0], getattr(hit, names[type(hit)][1], None)) for hit in hits]
            unread = [hit for hit in hits if names[type(hit)][0] is None]
            if not self._has_relevance:
                self._note_unread(unread[:_LOOKED])
            return items, self._scores(read, where)
        if self.form:
            for position, hit in enumerate(hits):
                if not is_pair(hit):
                    raise self._other(hit, position, where)
            return [item for item, _ in hits], [score for _, score in hits]
        return list(hits), None

    def _dicts(self, hits: Sequence[Any], where: object) -> tuple[list[Any], list[Any] | None]:
        items, read = list[Any](), list[tuple[Role | None, Any]]()
        for position, hit in enumerate(hits):
            fields = hit._asdict() if hasattr(hit, "_asdict") else hit
            if not isinstance(fields, Mapping):
                raise self._other(hit, position, where)
            names = tuple(
                n for n, value in fields.items() if isinstance(n, str) and value is not None
            )
            try:
                roles = roles_in(names, ORDER)
            except ColumnRoleError as error:
                msg = f"{where}: {error}. Pass {{id: score}}, or string_provider="
                raise TypeError(msg) from None
            items.append(fields[roles["item"]])
            kind = next((kind for kind in ORDER if kind in roles), None)
            if kind is None and position < _LOOKED:
                self._note_unread([fields])
            read.append((kind, None if kind is None else fields[roles[kind]]))
            for name in () if kind else unread_columns(names, roles, None, ORDER):
                if isinstance(fields[name], (str, Number, np.generic)):
                    self._unread.setdefault(name, set()).add(fields[name])
        return items, self._scores(read, where)

    def _scores(self, read: list[tuple[Role | None, Any]], where: object) -> list[Any] | None:
        """Scores of a list whose items may have a number of one kind each."""
        kinds = {kind for kind, value in read if kind is not None and value is not None}
        numbers = [value for _, value in read if value is not None]
        if not numbers:
            return None
        if len(kinds) > 1 or len(numbers) < len(read):
            first = next(kind for kind in ORDER if kind in kinds)
            n = sum(role == first and value is not None for role, value in read)
            msg = f"{where} has {n} {first}s for {len(read)} items; give each item one, or none"
            raise ValueError(msg)
        (kind,) = kinds
        if kind == "score":
            return numbers
        self.are_best_first &= kind != "rank"
        if kind == "rank" and len(set(numbers)) < len(numbers):
            msg = f"{where} gives several items the same rank; give each a different one"
            raise ValueError(msg)
        return [negative(value) for value in numbers]

    def _note_unread(self, hits: Sequence[Any]) -> None:
        """Remember numbers that are not read although their names say that they order items."""
        for hit in hits:
            for name, value in unread_numbers(hit).items():
                self._unread.setdefault(name, set()).add(0.5 if isinstance(value, str) else value)

    def _refuse_unread(self) -> None:
        """ColumnRoleError if dicts have numbers but no score, or objects have one named so."""
        if not self._unread:
            return
        counts = {name: (values, len(values)) for name, values in self._unread.items()}
        advice = "Name it 'score' (highest first), or pass only the ids, best first"
        where = "a dict of y_score"
        if self.form != "dicts":
            name, where = next(iter(self._unread)), "an object of y_score"
            advice = (
                f"Pass {{item.id: item.{name} for item in ranking}} (highest first), or "
                "only the ids, best first"
            )
        refuse_unread(counts, where, ORDER, advice)

    def _with_given_scores(
        self,
        rankings: Sequence[Any],
        lists: list[list[Any]],
        read: list[tuple[list[Any], list[Any] | None]],
    ) -> list[tuple[list[Any], list[Any] | None]]:
        """The scores of items whose ids the provider makes, if all have one; they order the items.

        A provider only reads ids. A RankingOrderWarning says so if lists have another order.
        """
        every = [*chain.from_iterable(lists)]
        kinds = set(map(type, every))
        if not kinds or any(issubclass(kind, (str, bytes, Number)) for kind in kinds):
            return read
        if not self._may_be_pairs and all(issubclass(kind, tuple) for kind in kinds):
            return read
        names = {kind: number_in(every, kind) for kind in kinds}
        found = [[given_number(hit, names) for hit in hits] for hits in lists]
        if all(one is None for one in chain.from_iterable(found)):
            self._warn_of_unread(lists)
        roles = {None if one is None else one[0] for one in chain.from_iterable(found)}
        if None in roles or len(roles) > 1:
            return read
        (role,) = roles
        scores = [
            [value if role == "score" else negative(value) for _, value in numbers]
            for numbers in found
        ]
        self._warn_of_order(
            scores,
            "Items are ranked by score; to keep the order of the lists, pass the ids themselves",
        )
        return [
            (keys, old if isinstance(ranking, Mapping) else new)
            for (keys, old), ranking, new in zip(read, rankings, scores, strict=True)
        ]

    def _warn_of_unread(self, lists: list[list[Any]]) -> None:
        """Warn of numbers whose name says that they order the items, if the lists differ."""
        first = next(chain.from_iterable(lists), None)
        for name in unread_numbers(first) if first is not None else ():
            found = [[unread_numbers(hit).get(name) for hit in hits] for hits in lists]
            if all(isinstance(one, _NUMBERS) for one in chain.from_iterable(found)):
                if "distance" in name.lower():
                    found = [list(map(negative, numbers)) for numbers in found]
                self._warn_of_order(
                    found,
                    f"Items are ranked in the order of the lists, not by {safe_text(name)}; "
                    "sort the lists, or pass {id: number}",
                    may_rise=not is_highest_first(name),
                )

    def _warn_of_order(
        self, scores: list[list[Any]], what_counts: str, *, may_rise: bool = True
    ) -> None:
        """Warn of lists that have another order than the numbers of their items."""
        numbers = as_numbers([*chain.from_iterable(scores)], "y_score")
        offsets = offsets_of(np.array(list(map(len, scores)), dtype=np.int64))
        if may_rise and doubt_of_rising(numbers, offsets, LEAST_RISES):
            return  # which is said where the rankings are joined
        unsorted = count_rising(numbers, offsets)
        if unsorted:
            msg = (
                f"{unsorted:,} of {len(scores):,} rankings are not in the order of their scores. "
                f"{what_counts}"
            )
            warn(msg, RankingOrderWarning)

    def _other(self, hit: Any, position: int, where: object) -> TypeError:
        return TypeError(
            f"{where} holds {safe_repr(hit)} at position {position + 1}, but other items of "
            f"y_score are {self.form}; pass all items in this form, with a number as score"
        )

    def _key(self, item: Any, where: object) -> Any:
        """Key by which an object is compared; TypeError if it has none."""
        if type(item) in self._by_id:
            name = id_of(item)
            if name is not None:
                return name
        elif getattr(item, "__hash__", None) is not None:
            return item
        provider = self.provider()
        advice = f"; pass string_provider={provider}" if provider else PROVIDER
        msg = f"items of {where} are unhashable {type(item).__name__} objects{advice}"
        raise TypeError(msg)

    def provider(self) -> str:
        """A string_provider that reads items of y_true from ranked objects; or ""."""
        if self.object is None or self._provider is not None:
            return ""
        items = [item[0] if is_pair(item) else item for item in chain.from_iterable(self._lists)]
        truths = [truth for truth in self._truths if hasattr(truth, "__len__")]
        judged = [item for truth in truths if getattr(truth, "ndim", 1) for item in truth]
        name = provider_for(items, {item for item in judged if isinstance(item, str)})
        objects = [item for item in judged if not isinstance(item, NO_HITS)]
        if objects and all(getattr(item, "id", None) is not None for item in objects):
            name = name or "item.id"
        if self.form == "(id, score) pairs":
            name = name.replace("item", "item[0]", 1)
        return name and f"lambda item: {name}"

    def mismatch(self) -> str:
        """Why no ranked object can match a judged item; "" if there are no objects."""
        if self.object is None:
            odd = self._odd if self._provider is None else None
            return "" if odd is None else f"{safe_repr(odd)} is not an (id, score) pair"
        key = "id" if self._provider is None else "string_provider"
        return f"{type(self.object).__name__} objects are compared by their {key}{PROVIDER}"


def _is_scored_tuple(item: Any) -> bool:
    return (
        is_pair(item) and isinstance(item[0], tuple) and isinstance(item[1], (float, np.floating))
    )


def _table(
    kind: Any, queries: list[Any], read: list[tuple[list[Any], list[Any] | None]], what: str
) -> Any:
    """A long table of keys and numbers by query; numbers belong to all items or to none."""
    argument, plural = {"grade": "y_true", "score": "y_score"}[what], f"{what}s"
    offsets = offsets_of(np.array([len(keys) for keys, _ in read], dtype=np.int64))
    ids = CodedIds.of([*chain.from_iterable(keys for keys, _ in read)])
    with_numbers = {
        numbers is not None: query
        for query, (keys, numbers) in zip(queries, read, strict=True)
        if keys
    }
    if len(with_numbers) > 1:
        have, lack = (Where(argument, with_numbers[has]) for has in (True, False))
        msg = f"items of {have} have {plural}, but items of {lack} do not; pass one form for all"
        raise TypeError(msg)
    # An empty dict has no numbers that the items of others would lack.
    have_numbers = True in with_numbers or not with_numbers
    if not have_numbers or all(numbers is None for _, numbers in read):
        ones = {plural: np.ones(len(ids))} if what == "grade" else {}
        return kind(queries, offsets, ids, **ones)
    numbers = [*chain.from_iterable(numbers or () for _, numbers in read)]
    numbers = list(without_arrays(numbers))
    made = kind(queries, offsets, ids, **{plural: np.zeros(0)})
    wrong = {one for one in set(map(type, numbers)) if not issubclass(one, _NUMBERS)}
    if wrong:
        rows = [row for row, number in enumerate(numbers) if type(number) in wrong]
        # A list or dict says what the others are: fields of a record or of a response.
        row = next((row for row in rows if isinstance(numbers[row], (Mapping, list))), rows[0])
        advice = "pass a number"
        if isinstance(numbers[row], (Mapping, list)):
            advice = "if this is a response, pass its list of hits"
            if what == "grade":
                advice = "pass {item: grade}, or only the items; read_qrels reads files of records"
        elif isinstance(numbers[row], str) and not any(
            isinstance(id_, str) for id_ in ids.distinct
        ):
            advice = "pass a number; if this is {rank: item}, pass list(ranking.values())"
        shown = safe_repr(numbers[row])
        msg = f"{argument} has the {what} {shown} for {made.name_row(row)}; {advice}"
        raise TypeError(msg)
    return kind(queries, offsets, ids, **{plural: as_numbers(numbers, argument)})


def _called(function: Any, value: Any, name: str, *where: object) -> Any:
    """Result of a function of the caller's; ValueError that names it and where it failed."""
    try:
        return function(value)
    except Exception as error:
        what = f"{type(error).__name__}({safe_repr(str(error))})"
        msg = f"{name} raised {what} on {' '.join(map(str, where))}"
        if is_pair(value):
            msg += "; each item is a pair, so pass a function of its first element, item[0]"
        raise ValueError(msg) from error


# Relevance scores of ranked lists ---------------------------------------------------------------


@dataclass(frozen=True)
class RelevanceInput:
    """Relevance scores of ranked results, how to read them, and whether higher is better.

    Parameters
    ----------
    scores : sequence of sequences, or mapping of query to sequence
        For each query, one score per ranked result, in the same order.
    provider : callable, default=float
        Turns an element of ``scores`` into a number; ``float`` leaves numbers as they are.
    higher_is_better : bool, default=True
        False for distances. The order of the ranked results does not change; scores that
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
    relevance: Any, query_ids: Sequence[Any] | Array, offsets: IntArray, *, keyed: bool
) -> Array:
    """Scores of all ranked results in one array, checked against their order."""
    reading = relevance if isinstance(relevance, RelevanceInput) else None
    scores = relevance if reading is None else reading.scores
    if not isinstance(scores, Mapping):
        scores = as_native(scores, "relevance")
        is_2d = isinstance(scores, np.ndarray) and scores.ndim == 2
        scores = scores.tolist() if is_2d else sequence(scores, "relevance")
    if isinstance(scores, Mapping) != keyed:
        came, needed = "mapping", "a sequence of ranked lists pass one list of scores for each"
        if keyed:
            came, needed = "sequence", "mappings pass {query: scores}"
        msg = f"relevance is a {came}; for {needed}"
        raise TypeError(msg)
    if not keyed and len(scores) != len(query_ids):
        msg = f"relevance has {len(scores)} lists for {len(query_ids)} ranked lists"
        raise ValueError(msg)
    lists = [scores.get(query, ()) for query in query_ids] if keyed else scores
    read = list[Any]()
    for query, values, size in zip(query_ids, lists, np.diff(offsets), strict=True):
        where = Where("relevance", query)
        values = sequence(values, where)
        if len(values) != size:
            msg = f"{where} has {len(values)} scores for {size} ranked results"
            raise ValueError(msg)
        for position, value in enumerate(values):
            is_number = isinstance(value, _NUMBERS)
            # float() would round large integers.
            if reading is not None and not (is_number and reading.provider is float):
                name = "provider of RelevanceInput"
                value = _called(reading.provider, value, name, "score", position, "of", where)
                is_number = isinstance(value, _NUMBERS)
            if not is_number or value != value:
                what = f"the score {safe_repr(value)} at position {position + 1}"
                msg = f"{where} has {what}; pass a number"
                raise ValueError(msg) if is_number else TypeError(msg)
            read.append(value)
    numbers = as_numbers(read, "relevance")
    falls = reading is not None and not reading.higher_is_better
    wrong = numbers[1:] < numbers[:-1] if falls else numbers[1:] > numbers[:-1]
    wrong[offsets[(offsets > 0) & (offsets < len(numbers))] - 1] = False  # of two queries
    if wrong.any():
        last = int(np.flatnonzero(wrong)[0])
        number = int(np.searchsorted(offsets, last, side="right")) - 1
        msg = (
            f"{Where('relevance', query_ids[number])} contradicts the order of the ranked results "
            f"at position {last - offsets[number] + 2}: {numbers[last + 1]} "
            f"{'<' if falls else '>'} {numbers[last]}; sort the results, or pass "
            f"RelevanceInput(..., higher_is_better={falls})"
        )
        raise ValueError(msg)
    # Python numbers, whose negative is always exact.
    return as_numbers([-value for value in numbers.tolist()], "relevance") if falls else numbers
