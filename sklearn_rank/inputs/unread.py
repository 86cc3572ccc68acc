"""Columns of unknown names that may hold what no known column holds: asked about, not passed over.

Nobody sees from a score that grades or scores were left unread. Data frames and files follow this
one rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.inputs.roles import Columns, Role
from sklearn_rank.support.arrays import is_missing
from sklearn_rank.support.text import safe_repr

ORDER: tuple[Role, ...] = ("score", "rank")
"""Roles of which a run has one; without them the order of its rows ranks the items."""
GRADE: tuple[Role, ...] = ("grade",)
"""The role without which every judged item is relevant."""


_INDEX = re.compile(r"|index|Unnamed: \d+|__index_level_\d+__")
"""Names under which pandas writes and reads the numbers of rows, which mean nothing."""


@dataclass
class UnreadColumn:
    """What is known of a column after the rows that were added."""

    name: str
    is_text: bool = False
    varies: bool = False
    """Whether a query has several values. What does not vary says something of the query, such as
    an age, and orders nothing."""
    n_values: int = 0
    of_query: dict[Any, Any] = field(default_factory=dict)

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


def suspects(
    names: Iterable[str],
    named: Mapping[Role, str],
    columns: Columns | None,
    roles: Collection[Role],
) -> list[UnreadColumn]:
    """The columns to be watched: none if one of the roles has a column, or is said to have none."""
    if any(role in named or role in (columns or {}) for role in roles):
        return []
    others = (name for name in names if name not in named.values())
    return [UnreadColumn(name) for name in others if not _INDEX.fullmatch(name)]


def refuse_unread(columns: Iterable[UnreadColumn], where: str, roles: tuple[Role, ...]) -> None:
    """ColumnRoleError if one of the columns may be what the roles want."""
    column = next((column for column in columns if column.may_be(roles)), None)
    if column is None:
        return
    wanted = " or ".join(map(repr, roles))
    if roles == GRADE:
        otherwise, note = "every row would be relevant", ""
    else:
        otherwise = "the order of the rows would rank the items"
        note = " (the greatest score ranks first)"
    named = f"columns={{{roles[0]!r}: {safe_repr(column.name)}}}"
    msg = (
        f"{where} has no column for the role {wanted}, but {safe_repr(column.name)} holds numbers; "
        f"without them {otherwise}. Pass {named}{note} or rename the column; if they say nothing "
        f"of that, leave the column out or pass columns={{{roles[0]!r}: None}}"
    )
    raise ColumnRoleError(msg)
