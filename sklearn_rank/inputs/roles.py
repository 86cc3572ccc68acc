"""Which column holds the queries, the items, the scores, the grades: by name, never by position.

Data frames, headers of CSV files and keys of JSON objects are read by this one table. A column has
one role: one that the caller assigns has no second role by its name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain
from numbers import Number
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.support.text import argument, format_list, safe_repr

Role: TypeAlias = Literal["query", "item", "score", "distance", "rank", "grade"]
Columns: TypeAlias = Mapping[str, str | None]
"""The caller's choice: the column of a role, or None if no column has it."""


class Names(NamedTuple):
    """Column names of one role; an id comes before a text."""

    ids: str
    texts: str = ""


ROLES: Mapping[Role, tuple[Names, ...]] = MappingProxyType(
    {
        "query": (
            Names("query_id qid question_id", "query question user_input"),
            Names("topic_id", "topic"),
            Names("user_id", "user"),
            Names("session_id", "session"),
        ),
        "item": (
            Names("item_id", "item url"),
            Names("doc_id docno document_id", "doc document"),
            Names("passage_id pid", "passage"),
            Names("chunk_id", "chunk"),
            Names("corpus_id node_id product_id asin sku"),
            Names("movie_id book_id track_id article_id news_id"),
        ),
        "score": (Names("score prediction similarity sim"),),
        "distance": (Names("distance cosine_distance l2_distance vector_distance dist"),),
        "rank": (Names("rank"),),
        "grade": (
            Names("grade relevance rel label rating weight judgment judgement esci_label"),
            Names("relevance_label relevance_grade"),
        ),
    }
)
"""Names of each role. Case, ``_``, ``-`` and spaces do not count: ``queryId`` is ``query_id``."""

_EITHER = Names("doc_ids item_ids chunk_ids", "docs documents items chunks")
LISTS: Mapping[str, tuple[Names, ...]] = MappingProxyType(
    {
        "relevant": (
            Names(
                "relevant_ids relevant_doc_ids relevant_document_ids relevant_item_ids "
                "relevant_chunk_ids reference_context_ids expected_ids expected_doc_ids "
                "expected_chunk_ids gold_ids gold_doc_ids gold_chunk_ids ground_truth_ids",
                "relevant relevant_docs relevant_documents relevant_items relevant_chunks "
                "relevances reference_contexts expected expected_docs expected_sources gold "
                "ground_truth positives qrels judgements judgments ratings",
            ),
            _EITHER,
        ),
        "retrieved": (
            Names(
                "retrieved_ids retrieved_doc_ids retrieved_document_ids retrieved_item_ids "
                "retrieved_chunk_ids retrieved_context_ids ranked_ids result_ids",
                "results hits ranking ranked retrieved retrieved_docs retrieved_documents "
                "retrieved_chunks retrieved_contexts predictions recommendations",
            ),
            Names("", "contexts"),
            _EITHER,
        ),
    }
)
"""Names of JSON keys that hold all items of a query, by side, as in Ragas and others."""


@lru_cache(1 << 12)
def plain_name(name: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[\s_\-.]", "", name.casefold())


@cache
def _plain(names: str) -> frozenset[str]:
    return frozenset(map(plain_name, names.split()))


def _are_of(names: Iterable[str], families: Iterable[Names]) -> list[str]:
    """The names in these families; names of texts only if a family has no id."""
    plain, matching = {name: plain_name(name) for name in names}, list[str]()
    for family in families:
        ids = [name for name in plain if plain[name] in _plain(family.ids)]
        matching += ids or [name for name in plain if plain[name] in _plain(family.texts)]
    return matching


def role_of(name: str) -> Role | None:
    """The role of a column with this name, if any."""
    return _roles().get(plain_name(name))


@cache
def _roles() -> dict[str, Role]:
    roles: dict[str, Role] = {}
    for role, families in ROLES.items():
        for plain in chain.from_iterable(map(_plain, chain.from_iterable(families))):
            roles.setdefault(plain, role)
    return roles


def names_of(names: Iterable[str], role: Role) -> list[str]:
    """The names that have a role; there should be one."""
    return _are_of(names, ROLES[role])


def ids_among(names: list[str], role: Role, others: Collection[str] = ()) -> list[str]:
    """Names of ids; ambiguous ones only if there is no other."""
    matching = names_of(names, role)
    certain = [name for name in matching if plain_name(name) not in others]
    return certain or [name for name in names if name in ("_id", "id")] or matching


def item_ids(names: Iterable[str]) -> list[str]:
    """Names of an item's id in a list, where ``id`` is not ambiguous."""
    bare = [name for name in names if plain_name(name) == "id"]
    ids = {name for family in ROLES["item"] for name in _plain(family.ids)}
    return bare + [n for n in names_of(names, "item") if not bare or plain_name(n) in ids]


def lists_of(names: Iterable[str], side: str) -> list[str]:
    """Names of columns with all items of a query; those for one side before general ones."""
    names, (first, *others) = list(names), LISTS[side]
    return _are_of(names, (first,)) or _are_of(names, others)


def find_roles(
    names: Iterable[str],
    required: Iterable[Role],
    optional: Iterable[Role] = (),
    *,
    columns: Columns | None = None,
    where: str,
) -> dict[Role, str]:
    """The column of each role: the one given, else the only one whose name has that role.

    ColumnRoleError if a required role has no column, or any role several.
    """
    names, required, given = list(names), tuple(required), check_columns(columns)
    there = format_list(names, limit=20) or "none"
    named: dict[Role, str] = {}
    msg = ""
    for name, said in given.items():
        if said is not None and said not in names:
            msg = f"columns sets {name!r} to {safe_repr(said)}, but {where} has {there}"
            raise ColumnRoleError(msg)
    free = [name for name in names if name not in given.values()]
    for role in (*required, *optional):
        matching = names_of(free, role)
        column = given[role] if role in given else next(iter(matching), None)
        if column is not None:
            named[role] = column
        if column is None and role in required and role not in given:
            spare = [name for name in free if not is_known(name) and _resembles(name, role)]
            families = (f"{family.ids} {family.texts}" for family in ROLES[role])
            msg = (
                f"{where} has no column for the role {role!r}; its columns are {there}. Known "
                f"names: {', '.join(' '.join(families).split())}. For another name pass "
                f"{argument('columns', {role: spare[0] if len(spare) == 1 else '...'})}"
            )
            lists = [name for name in free if any(lists_of([name], side) for side in LISTS)]
            if role == "item" and lists:
                what = f"{safe_repr(lists[0])} is a name for lists"
                msg += f". {what}: write a row for each item, or JSON with lists"
        elif role not in given and len(set(matching)) > 1:
            msg = (
                f"{where} has several columns for the role {role!r}: {format_list(matching)}. "
                f"Choose one: {argument('columns', {role: column})}"
            )
        elif column is not None and names.count(column) > 1:
            times = f"{names.count(column)} columns named {safe_repr(column)}"
            msg = f"{where} has {times}; rename them"
        if msg:
            raise ColumnRoleError(msg)
    return named


def _resembles(name: str, role: Role) -> bool:
    """Whether a name resembles one of a role: a part of it, or longer, such as ``gold_doc``."""
    text = plain_name(name)
    known = {n for family in ROLES[role] for names in family for n in _plain(names)}
    return bool(text) and any(text in one or (one in text and len(one) > 2) for one in known)


def is_known(name: str) -> bool:
    """Whether a name has a role, or names a list of items on any side."""
    return role_of(name) is not None or any(lists_of([name], side) for side in LISTS)


def are_records(side: Any) -> bool:
    """Whether these are dicts or named tuples with a query and an item, like rows of a table."""
    if hasattr(side[0], "_asdict"):  # named tuples
        keys = side[0]._fields
        if not all(type(row) is type(side[0]) for row in side):
            return False
    elif not isinstance(side[0], dict):
        return False
    else:
        keys = side[0].keys()
        if not all(isinstance(row, dict) and row.keys() == keys for row in side):
            return False
    return {"query", "item"} <= {role_of(key) for key in keys if isinstance(key, str)}


def are_columns(*sides: Any) -> bool:
    """Whether dicts hold columns of equal length by name, one of them a grade or an order."""
    roles: set[Role | None] = set()
    for side in sides:
        if type(side) is not dict:
            return False
        here: set[Role] = set()
        n_rows = 0
        for key, column in side.items():  # mappings of many queries end at the first
            role = role_of(key) if isinstance(key, str) else None
            size = len(column) if isinstance(column, (list, tuple)) else 0
            if role is None or size == 0 or size != (n_rows or size):
                return False
            here.add(role)
            n_rows = size
        if not {"query", "item"} <= here:
            return False
        roles |= here
    return not roles <= {"query", "item"}


def check_columns(columns: Columns | None) -> Columns:
    """The columns by role, without those set to None; ColumnRoleError if invalid."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        msg = f"columns must be a mapping of role to column name, got {safe_repr(columns)}"
        raise ColumnRoleError(msg)
    msg = ""
    role_by_name: dict[str, str] = {}
    for role, name in columns.items():
        if role not in ROLES:
            msg = f"columns= has the unknown role {safe_repr(role)}; roles: {', '.join(ROLES)}"
        elif name is None and role in ("query", "item"):
            msg = f"columns sets {role!r} to None (no such column), but every row needs one"
        elif name is not None and not isinstance(name, str):
            msg = f"columns sets {role!r} to {safe_repr(name)}, which is not the name of a column"
        elif name is not None and role_by_name.setdefault(name, role) != role:
            both = f"{role_by_name[name]!r} and to {role!r}"
            msg = f"columns gives {safe_repr(name)} to {both}, but a column can have one role only"
        if msg:
            raise ColumnRoleError(msg)
    return columns


ORDER: tuple[Role, ...] = ("score", "distance", "rank")
"""A run has one of these roles; without them the order of its rows ranks the items."""
GRADE: tuple[Role, ...] = ("grade",)
"""The role without which every judged item is relevant."""


def wanted_of(kinds: tuple[Role, ...], columns: Columns | None) -> tuple[Role, ...]:
    """The roles for which the caller names a column; all roles if there are none."""
    return tuple(kind for kind in kinds if (columns or {}).get(kind)) or kinds


_INDEX = re.compile(r"|index|Unnamed: \d+|__index_level_\d+__")
"""Names under which pandas writes and reads the numbers of rows, which mean nothing."""
_ID = re.compile(r"(.*[_\-. ])?(?i:id)|.*[a-z]I[dD]")
"""Names of ids, whose values are neither grades nor scores if nearly all of them differ."""
_ALL_DIFFER = 0.9
FEW_TEXTS = 12
"""Grades are few."""
_NUMBER_TEXT = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)(e[-+]?\d+)?\s*%?\s*|true|false", re.I)
"""Text of a number, or a flag."""
_FLAGS = ("true", "false")
_KINDS = ("numbers", "flags", "strings")
"""What columns hold that may be grades; strings are not scores."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T].*)?")
_SHOWN = 6


def text_grades(values: Iterable[Any]) -> str:
    """``grades={'E': ..., 'I': ...}`` for texts to convert to grades."""
    texts = sorted({value for value in values if isinstance(value, str)})
    return argument("grades", dict.fromkeys(texts[:_SHOWN], ...))


def unread_columns(
    names: Iterable[str],
    named: Mapping[Role, str],
    columns: Columns | None,
    kinds: Collection[Role],
    labels: Collection[str] = (),
) -> list[str]:
    """Columns without a role, if none has, or is given, one of ``kinds``.

    ``labels`` are columns that the caller names for slices or clusters. Further columns named
    like queries or items, such as a text, are data.
    """
    if any(kind in named or kind in (columns or {}) for kind in kinds):
        return []
    used = {*named.values(), *(columns or {}).values(), *labels}
    return [
        name
        for name in names
        if name not in used
        and not _INDEX.fullmatch(name)
        and role_of(name) not in ("query", "item")
    ]


def is_id_name(name: str) -> bool:
    """Whether a name is that of ids, which should be distinct."""
    return _ID.fullmatch(name) is not None


def refuse_unread(
    unread: Mapping[str, tuple[Collection[Any], int]],
    where: str,
    kinds: tuple[Role, ...],
    advice: str = "",
) -> None:
    """ColumnRoleError if a column without a role may be the missing grade or score.

    Any column of numbers or flags may be; for grades also one of at most 12 distinct texts.
    ``unread`` holds the distinct non-missing values of each column and the number of values.
    """
    doubtful = {name: _may_be(name, *values) for name, values in unread.items()}
    doubtful = {
        n: what for n, what in doubtful.items() if what in _KINDS[: 3 if kinds == GRADE else 2]
    }
    if not doubtful:
        return
    first = min(doubtful, key=lambda name: _KINDS.index(doubtful[name]))
    likely = [name for name in doubtful if any(_resembles(name, kind) for kind in kinds)]
    if not likely and doubtful[first] != "flags":  # which may be facts of any kind
        likely = [name for name, what in doubtful.items() if what == doubtful[first]]
    proposed = likely[0] if len(likely) == 1 else "..."
    role = _order_of(proposed) if kinds == ORDER else kinds[0]
    wanted = " or ".join(repr(kind) for kind in kinds if kind != "distance")
    otherwise, note = "the order of the rows would rank the items", _RANKS_FIRST.get(role, "")
    if kinds == GRADE:
        otherwise, note = "every row would be relevant", ""
    if kinds == GRADE and doubtful[first] == "strings":
        texts = text_grades(unread[first][0])
        note = (
            f" and {texts}, a number for each string (in a frame, map them: "
            f"frame[{safe_repr(first)}].map({{...}}))"
        )
    listed = ", ".join(f"{safe_repr(name)} ({what})" for name, what in doubtful.items())
    advice = advice or (
        f"Pass {argument('columns', {role: proposed})}{note}, or "
        f"{argument('columns', {kinds[0]: None})} if no column has it"
    )
    msg = (
        f"{where} has no column for the role {wanted}; it may be {listed}. Without it "
        f"{otherwise}. {advice}"
    )
    raise ColumnRoleError(msg)


_RANKS_FIRST = {"score": " (highest first)", "distance": " (lowest first)"}


def _order_of(name: str) -> Role:
    """The role of a number that orders items, by a part of its name."""
    text = plain_name(name)
    if "dist" in text:
        return "distance"
    is_rank = re.search("(?<!re)rank|position|^pos$", text) and "score" not in text
    return "rank" if is_rank else "score"


def _may_be(name: str, values: Collection[Any], n_values: int) -> str:
    """What the values of a column are that may be grades or scores; "" if they are not."""
    if is_id_name(name) and len(values) >= _ALL_DIFFER * n_values:
        return ""
    texts = [v for v in values if isinstance(v, str) and not _DATE.fullmatch(v)]
    n_numbers = sum(map(bool, map(_NUMBER_TEXT.fullmatch, texts)))
    flags = [v for v in values if isinstance(v, (bool, np.bool_)) or str(v).lower() in _FLAGS]
    if flags and len(flags) == len(values):
        return "flags"
    if any(isinstance(value, (Number, np.number, np.bool_)) for value in values):
        return "numbers"
    if texts and n_numbers >= len(texts) / 2:
        return "numbers"
    return "strings" if 0 < len(texts) <= FEW_TEXTS else ""
