"""One retrieved item: an id, a pair, a dict, or an object of another library.

In memory, in JSON and in lists of data frames an item is read by the same names: its id, and its
score, distance or rank, of which the first that is present orders the list. The smallest distance
always ranks first.
"""

from __future__ import annotations

import ast
import inspect
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set
from contextlib import suppress
from functools import lru_cache
from numbers import Integral, Number, Real
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
    names_of,
)
from sklearn_rank.support.checks import is_foreign_number
from sklearn_rank.support.text import argument, format_list, safe_repr

NO_HITS = (str, bytes, Number, np.generic, tuple, list, Mapping, Set, type(None))
"""Text, numbers and collections; other ids are objects."""
_ID_ATTRIBUTES = ("node_id", "id")
_ATTRIBUTES = tuple(
    name
    for role in ORDER
    for family in ROLES[role]
    for plain in family.ids.split()
    for name in (plain, f"_{plain}")
)
"""Attributes in which objects have a score, distance or rank."""
PROVIDER = "; pass string_provider=, such as lambda item: item.metadata['source']"


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
            msg = f"{where} has {what}; {say or 'its fields are ' + format_list(names, limit=20)}"
            raise ColumnRoleError(msg)
        roles["item"] = ids[0]
    return roles


@lru_cache(1 << 10)
def roles_in(names: tuple[str, ...], kinds: tuple[Role, ...]) -> Mapping[Role, str]:
    """The roles for recurring names, cached; the caller names none of them."""
    return roles_of_hit(names, kinds, {}, "an item")


def negative(value: Any) -> Any:
    """The score of a distance, exact for Python's numbers and NumPy's."""
    value = value.item() if isinstance(value, np.generic) else value
    return -value if isinstance(value, Real) else value


def is_pair(item: Any) -> bool:
    """Whether an item is an id and a number."""
    if not isinstance(item, (list, tuple)) or len(item) != 2:
        return False
    return isinstance(item[1], (Real, np.number)) and not isinstance(item[1], (bool, np.bool_))


def id_of(item: Any) -> Any:
    """The id that an object has as an attribute, if any."""
    ids = (getattr(item, name, None) for name in _ID_ATTRIBUTES)
    return next((value for value in ids if value is not None), None)


def provider_for(items: Iterable[Any], others: Collection[Any]) -> str:
    """The field of objects whose values are items of the other side the most often; or ""."""
    found: Counter[str] = Counter()
    for item in items:
        fields = {} if isinstance(item, NO_HITS) else _fields_of(item)
        read = {f"item.{name}": value for name, value in fields.items() if name[:1] != "_"}
        for notes in _NOTES:
            if isinstance(fields.get(notes), Mapping):
                read |= {f"item.{notes}[{n!r}]": value for n, value in fields[notes].items()}
        found.update(name for name, one in read.items() if isinstance(one, str) and one in others)
    return max(found, key=found.__getitem__, default="")


_SAYS_SCORE = re.compile(
    "score|similarit|relevan|distance|confidence|probab|(^|_)probs?($|_)|certaint|logit|bm25",
    re.IGNORECASE,
)
"""Names of fields that order items; a price, a page or a year does not."""
_SAYS_HIGH = re.compile(
    r"(.*\.)?(confidence|certainty|probability|similarity|(confidence|relevance|rerank)_?score)",
    re.IGNORECASE,
)
"""Of these, names of numbers of which the highest is best."""
_NOTES = ("metadata", "payload", "meta")
"""Fields in which libraries keep further fields of an item."""


def _fields_of(hit: Any) -> dict[str, Any]:
    """Fields of a dict or of an object of any kind, by name."""
    if isinstance(hit, Mapping):
        return {name: value for name, value in hit.items() if isinstance(name, str)}
    names = [*getattr(type(hit), "model_fields", ()), *getattr(type(hit), "__slots__", ())]
    names += [
        name
        for name in dir(type(hit))
        if _SAYS_SCORE.search(name)
        and isinstance(inspect.getattr_static(type(hit), name, None), property)
    ]
    read = {}
    for name in names:
        with suppress(Exception):  # of a property of theirs
            read[name] = getattr(hit, name)
    return {**read, **getattr(hit, "__dict__", {})}


def unread_numbers(hit: Any) -> dict[str, Any]:
    """Numbers of an item whose names say that they order it, by name; also within metadata."""
    fields = _fields_of(hit)
    found = {name: value for name, value in fields.items() if _orders(name, value)}
    for notes in _NOTES:
        if fields.get(notes) is not None:
            within = _fields_of(fields[notes]).items()
            found |= {f"{notes}.{name}": value for name, value in within if _orders(name, value)}
    return found


def is_highest_first(name: str) -> bool:
    """Whether a name says that the highest number ranks first."""
    return _SAYS_HIGH.fullmatch(name) is not None


def _orders(name: str, value: Any) -> bool:
    if not _SAYS_SCORE.search(name) or isinstance(value, (bool, np.bool_)):
        return False
    if isinstance(value, str):
        with suppress(ValueError):
            return math.isfinite(float(value))
        return False
    return isinstance(value, (Real, np.number)) or is_foreign_number(value)


def given_number(hit: Any, names: Mapping[type, tuple[Role | None, str]]) -> Any:
    """Kind and value of the number of an item whose id a provider reads; or None.

    A pair of plain values may be an id, such as a document and a page; fractions are scores.
    """
    if is_pair(hit) and not hasattr(hit, "_fields"):
        is_score = not isinstance(hit[0], NO_HITS) or not isinstance(hit[1], (Integral, np.integer))
        return ("score", hit[1]) if is_score else None
    fields = hit._asdict() if hasattr(hit, "_asdict") else hit
    if isinstance(fields, Mapping):
        filled = tuple(n for n, value in fields.items() if isinstance(n, str) and value is not None)
        found = _orders_in(filled)
        return (found[0], fields[found[1]]) if found else None
    role, name = names.get(type(hit), (None, ""))
    value = getattr(hit, name, None) if role else None
    return None if value is None else (role, value)


@lru_cache(1 << 10)
def _orders_in(names: tuple[str, ...]) -> tuple[Role, str] | None:
    """The role and name of the number that orders dicts of these keys."""
    for role in ORDER:
        found = names_of(names, role)
        if len(found) == 1:
            return role, found[0]
    return None


def number_in(hits: Iterable[Any], kind: type) -> tuple[Role | None, str]:
    """Kind and attribute of the number that objects of a class have."""
    for name in _ATTRIBUTES:
        if any(type(hit) is kind and getattr(hit, name, None) is not None for hit in hits):
            role = next(role for role in ORDER if name.lstrip("_") in ROLES[role][0].ids.split())
            return role, name
    return None, ""


# Lists as text -----------------------------------------------------------------------------------


def list_in_text(text: Any) -> list[Any] | None:
    """The items of a list that was written as one text, as ``to_csv`` of pandas writes cells.

    None for other texts, and for ``[1]`` and ``('a', 'b')``, which may be ids.
    """
    if not isinstance(text, str) or text[:1] + text[-1:] not in ("[]", "{}"):
        return None
    of_numpy = re.sub(r"(?<=['\"\d])\s+(?=['\"\d])", ", ", text)  # "['a' 'b']", "[1 2]"
    for parse in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            parsed = parse(of_numpy)
            if isinstance(parsed, (list, set)):
                items = list(parsed)
                is_id = len(items) == 1 and not isinstance(items[0], str)
                return None if is_id else items
    return None


def list_among(items: Any) -> tuple[int, str] | None:
    """Position of the first list that was written as text, and what is wrong with it."""
    if hasattr(items, "str"):  # of Polars
        if str(items.dtype) != "String" or not items.str.contains(r"^[\[{].*[\]}]$").any():
            return None
    else:  # nearly always there is none, which is seen at once
        kinds = set(map(type, items))
        if str not in kinds or (kinds == {str} and not re.search(r"[\[{]", "".join(items))):
            return None
    for position, text in enumerate(items):
        parsed = list_in_text(text)
        if parsed is not None:
            row = f"write a row for each item of {safe_repr(parsed)}, or JSON with lists"
            return position, f"the item id {safe_repr(text)} is the text of a list; {row}"
    return None
