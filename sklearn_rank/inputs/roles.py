"""Which column holds the queries, the items, the scores, the grades: by name, never by place.

Data frames, headers of CSV files and keys of JSON objects are read by this one table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Number
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.support.checks import is_missing
from sklearn_rank.support.text import format_list, safe_repr

Role: TypeAlias = Literal["query", "item", "score", "rank", "grade"]
Columns: TypeAlias = Mapping[str, str | None]
"""Answer of a caller: the column of a role, or None if no column has it."""

ROLES: Mapping[Role, tuple[str, ...]] = MappingProxyType(
    {
        "query": (
            *("query", "query_id", "qid", "topic", "topic_id"),
            *("user", "user_id", "session", "session_id", "user_input"),
        ),
        "item": (
            *("item", "item_id", "doc", "doc_id", "docno", "document", "document_id"),
            *("corpus_id", "passage_id", "pid", "product_id"),
        ),
        "score": ("score", "prediction", "similarity", "sim"),
        "rank": ("rank",),
        "grade": ("grade", "relevance", "rel", "label", "rating", "weight"),
    }
)
"""Names of each role. Case, ``_``, ``-`` and spaces do not count: ``queryId`` is ``query_id``."""

LIST_COLUMNS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "y_true": frozenset(
            {"relevant", "relevantids", "relevantdocs", "relevantdocids", "groundtruth"}
            | {"referencecontextids", "referencecontexts", "qrels", "expected", "expectedids"}
        ),
        "y_score": frozenset(
            {"results", "hits", "ranking", "retrieved", "retrievedids", "retrieveddocs"}
            | {"retrievedcontextids", "retrievedcontexts", "predictions", "recommendations"}
        ),
    }
)
"""Plain names of columns that hold all items of a query, as Ragas and others have them."""

_PLAIN = {role: frozenset(name.replace("_", "") for name in names) for role, names in ROLES.items()}


def role_of(name: str) -> Role | None:
    """The role that a column of this name has, if any."""
    plain = plain_name(name)
    return next((role for role, names in _PLAIN.items() if plain in names), None)


def plain_name(name: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[\s_\-.]", "", name.casefold())


def find_roles(
    names: Iterable[str],
    required: Iterable[Role],
    optional: Iterable[Role] = (),
    *,
    columns: Columns | None = None,
    where: str,
) -> dict[Role, str]:
    """The column of each role: the one given, else the only one with a name of that role.

    ColumnRoleError if there is none for a required role, or several for any.
    """
    names, required, given = list(names), tuple(required), check_columns(columns)
    there = format_list(names, limit=20) or "none"
    named: dict[Role, str] = {}
    msg = ""
    for name, said in given.items():
        if said is not None and said not in names:
            msg = f"columns says that {name!r} is {safe_repr(said)}, but {where} has {there}"
            raise ColumnRoleError(msg)
    for role in (*required, *optional):
        matching = [name for name in names if plain_name(name) in _PLAIN[role]]
        column = given[role] if role in given else next(iter(matching), None)
        if column is not None:
            named[role] = column
        if column is None and role in required and role not in given:
            spare = next((name for name in names if name not in named.values()), "...")
            msg = (
                f"{where} has no column for the role {role!r}; its columns are {there}. Known "
                f"names: {', '.join(ROLES[role])}. For another one pass "
                f"columns={{{role!r}: {safe_repr(spare)}}}"
            )
        elif role not in given and len(set(matching)) > 1:
            msg = (
                f"{where} has several columns for the role {role!r}: {format_list(matching)}. "
                f"Say which one: columns={{{role!r}: {safe_repr(column)}}}"
            )
        elif column is not None and names.count(column) > 1:
            times = f"{names.count(column)} columns of the name {safe_repr(column)}"
            msg = f"{where} has {times}; rename them"
        if msg:
            raise ColumnRoleError(msg)
    return named


def check_columns(columns: Columns | None) -> Columns:
    """The columns of roles, none for None; ColumnRoleError for what names no columns of roles."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        msg = f"columns must be a mapping of role to column name, got {safe_repr(columns)}"
        raise ColumnRoleError(msg)
    msg = ""
    for role, name in columns.items():
        if role not in ROLES:
            msg = f"columns names the unknown role {safe_repr(role)}; roles: {', '.join(ROLES)}"
        elif name is None and role in ("query", "item"):
            msg = f"columns says that no column is the {role}, but every row needs one"
        if msg:
            raise ColumnRoleError(msg)
    return columns


ORDER: tuple[Role, ...] = ("score", "rank")
"""Roles of which a run has one; without them the order of its rows ranks the items."""
GRADE: tuple[Role, ...] = ("grade",)
"""The role without which every judged item is relevant."""
_INDEX = re.compile(r"|index|Unnamed: \d+|__index_level_\d+__")
"""Names under which pandas writes and reads the numbers of rows, which mean nothing."""


@dataclass
class UnusedColumn:
    """Statistics of a column over the added rows.

    What does not vary within queries says something of them, such as an age, and orders nothing.
    """

    name: str
    varies: bool = False
    """Whether a query has several values."""
    n_values: int = 0
    of_query: dict[Any, Any] = field(default_factory=dict)
    is_text: bool = False

    def add(self, queries: Iterable[Any], values: Iterable[Any]) -> None:
        """Values of some rows; nothing more is asked after the first text."""
        if self.is_text:
            return
        for query, value in zip(queries, values, strict=True):
            if is_missing(value):
                continue
            if not isinstance(value, Number):
                self.is_text = True
                return
            self.n_values += 1
            if not self.varies:
                self.varies = self.of_query.setdefault(query, value) != value

    def may_be(self, roles: Collection[Role]) -> bool:
        """Whether this may be what the roles want.

        With one row for each query nothing tells a grade from a property of the query; it is asked
        about unless all rows agree. One row needs no order.
        """
        if self.is_text:
            return False
        is_alone = self.n_values == len(self.of_query) and len({*self.of_query.values()}) > 1
        return self.varies or ("grade" in roles and is_alone)


def candidates_of(
    names: Iterable[str],
    named: Mapping[Role, str],
    columns: Columns | None,
    roles: Collection[Role],
) -> list[UnusedColumn]:
    """The columns to be watched: none if one of the roles has a column, or is said to have none."""
    if any(role in named or role in (columns or {}) for role in roles):
        return []
    others = (name for name in names if name not in named.values())
    return [UnusedColumn(name) for name in others if not _INDEX.fullmatch(name)]


def refuse_unused(columns: Iterable[UnusedColumn], where: str, roles: tuple[Role, ...]) -> None:
    """ColumnRoleError if one of the columns may be what the roles want."""
    column = next((column for column in columns if column.may_be(roles)), None)
    if column is None:
        return
    otherwise = "the order of the rows would rank the items"
    note = " (the greatest score ranks first)"
    if roles == GRADE:
        otherwise, note = "every row would be relevant", ""
    msg = (
        f"{where} has no column for the role {' or '.join(map(repr, roles))}, but "
        f"{safe_repr(column.name)} holds numbers; without them {otherwise}. Pass "
        f"columns={{{roles[0]!r}: {safe_repr(column.name)}}}{note} or rename the column; if they "
        f"say nothing of that, leave the column out or pass columns={{{roles[0]!r}: None}}"
    )
    raise ColumnRoleError(msg)
