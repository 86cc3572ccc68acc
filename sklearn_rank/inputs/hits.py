"""One retrieved item as people hold it: an id, a pair, a dict, or an object of another library.

Memory, JSON and the lists of data frames read an item by the same names: its id, and its score,
distance or rank, of which the first that is there orders the list. A distance ranks the least
first, wherever it is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import chain
from numbers import Number, Real
from typing import Any

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.inputs.roles import (
    ORDER,
    ROLES,
    Columns,
    Role,
    find_roles,
    item_ids,
    refuse_unread,
    unread_columns,
)
from sklearn_rank.support.text import argument, format_list, safe_repr
from sklearn_rank.typing import StringProvider

PLAIN = (str, bytes, Number, np.generic, tuple, list, Mapping, Set, type(None))
"""Text, numbers and collections; other ids are objects."""
_IDS = ("node_id", "id")
_NUMBERS = tuple(
    name
    for role in ORDER
    for family in ROLES[role]
    for plain in family.ids.split()
    for name in (plain, f"_{plain}")
)
"""Attributes in which objects have a score, distance or rank."""
_PROVIDER = "; pass string_provider=, such as lambda item: item.metadata['source']"


@lru_cache(1 << 10)
def _roles_in(names: tuple[str, ...], kinds: tuple[Role, ...]) -> Mapping[Role, str]:
    return roles_of_hit(names, kinds, {}, "an item")


def roles_of_hit(
    names: Collection[str], kinds: tuple[Role, ...], columns: Columns, where: str
) -> dict[Role, str]:
    """The names of an item's id and numbers in a list; ColumnRoleError unless one is the id.

    ``id`` is not ambiguous there. ``columns`` maps roles to the caller's names.
    """
    given = {role: name for role, name in columns.items() if name is None or name in names}
    required: tuple[Role, ...] = ("item",) if "item" in given else ()
    roles = find_roles(names, required, kinds, columns=given, where=where)
    if "item" not in roles:
        ids = item_ids(names)
        if len(ids) != 1:
            what = f"several ids: {format_list(ids)}" if ids else "no id"
            say = f"choose one: {argument('columns', {'item': ids[0]})}" if ids else ""
            msg = f"{where} has {what}; {say or 'it has ' + format_list(names, limit=20)}"
            raise ColumnRoleError(msg)
        roles["item"] = ids[0]
    return roles


class HitReader:
    """Reads the ranked lists of one evaluation; all items have the same form."""

    def __init__(
        self, rankings: Iterable[Any], judged: set[type], provider: StringProvider | None
    ) -> None:
        """``judged`` are the types of judged items."""
        lists = [ranking for ranking in rankings if isinstance(ranking, (list, tuple))]
        first = {type(item): item for item in chain.from_iterable(lists)}
        pairs = [item[0] for item in chain.from_iterable(lists) if is_pair(item)]
        objects = {
            type(item): item for item in (*first.values(), *pairs) if not isinstance(item, PLAIN)
        }
        self.object = next((item for kind, item in objects.items() if kind not in judged), None)
        """A ranked object where the ground truth has none, whose texts are then used directly."""
        # Objects of both sides are compared as they are, if they can be.
        as_is = {kind for kind in judged if getattr(kind, "__hash__", None) is not None}
        self._by_id = {
            kind for kind, item in objects.items() if kind not in as_is and _id_of(item) is not None
        }
        self._provider, self._unread = provider, dict[str, set[Any]]()
        self.form, self.are_best_first = "", False
        """What the items are; and whether their order matters in addition to their numbers."""
        if provider is not None:
            return  # which reads pairs and dicts by itself
        # Named tuples of both sides are ids, as other tuples are.
        fields = [getattr(kind, "_fields", ()) for kind in first.keys() - judged]
        if any(issubclass(kind, Mapping) for kind in first) or any(map(item_ids, fields)):
            self.form = "dicts"
        elif pairs and not any(issubclass(kind, tuple) for kind in judged):
            # Where the ground truth has tuples, pairs are ids themselves.
            self.form = "(id, score) pairs"
        elif any(kind in self._by_id for kind in first):
            self.form = "objects"
        self.are_best_first = bool(self.form)

    def read(self, hits: Sequence[Any], where: object) -> tuple[list[Any], list[Any] | None]:
        """Items and scores of a ranked list; no scores: the items are in order."""
        if self.form == "dicts":
            return self._dicts(hits, where)
        if self.form == "objects":
            items = list(hits)
            names = {kind: _number_in(items, kind) for kind in set(map(type, items))}
            read = [(names[type(hit)][0], getattr(hit, names[type(hit)][1], None)) for hit in hits]
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
                roles = _roles_in(names, ORDER)
            except ColumnRoleError as error:
                msg = f"{where}: {error}. Pass {{id: score}}, or string_provider="
                raise TypeError(msg) from None
            items.append(fields[roles["item"]])
            kind = next((kind for kind in ORDER if kind in roles), None)
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

    def refuse_unread(self) -> None:
        """ColumnRoleError if dicts without a score have other numbers."""
        counts = {name: (values, len(values)) for name, values in self._unread.items()}
        advice = "Name it score (the greatest ranks first), or pass the ids alone, best first"
        refuse_unread(counts, "a dict of y_score", ORDER, advice)

    def _other(self, hit: Any, position: int, where: object) -> TypeError:
        return TypeError(
            f"{where} holds {safe_repr(hit)} at position {position + 1}, and other items of "
            f"y_score are {self.form}; pass one, with a number as score, for each item"
        )

    def key(self, item: Any, where: object) -> Any:
        """Key by which an object is compared; TypeError if it has none."""
        if type(item) in self._by_id:
            name = _id_of(item)
            if name is not None:
                return name
        elif getattr(item, "__hash__", None) is not None:
            return item
        msg = f"items of {where} are unhashable {type(item).__name__}{_PROVIDER}"
        raise TypeError(msg)

    def mismatch(self) -> str:
        """Why no ranked object can match a judged item; "" if there are no objects."""
        if self.object is None:
            return ""
        key = "id" if self._provider is None else "string_provider"
        return f"{type(self.object).__name__} objects are compared by their {key}{_PROVIDER}"


def negative(value: Any) -> Any:
    """The score of a distance, exact for Python's numbers and NumPy's."""
    value = value.item() if isinstance(value, np.generic) else value
    return -value if isinstance(value, Real) else value


def is_pair(item: Any) -> bool:
    """Whether an item is an id and a number."""
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    return isinstance(item[1], (Real, np.number)) and not isinstance(item[1], (bool, np.bool_))


def _id_of(item: Any) -> Any:
    ids = (getattr(item, name, None) for name in _IDS)
    return next((value for value in ids if value is not None), None)


def _number_in(hits: Iterable[Any], kind: type) -> tuple[Role | None, str]:
    """Kind and attribute of the number that objects of a class have."""
    for name in _NUMBERS:
        if any(type(hit) is kind and getattr(hit, name, None) is not None for hit in hits):
            role = next(role for role in ORDER if name.lstrip("_") in ROLES[role][0].ids.split())
            return role, name
    return None, ""
