"""JSON: one object for each row or for each query, in the shapes that people write.

Rows: ``{"query": "q1", "item": "d7", "score": 3.2}``. Queries: ``{"query": "q1", "results":
["d7", "d9"]}``, where an element is an id, an id and its number as ``["d7", 3.2]``, or an object
with an id and perhaps a score, rank or grade, and where ``{"d7": 3.2}`` means scored items. A
file holds such objects one after the other, as JSON Lines do, or one value: a list of them, perhaps
among other keys, {query: items}, or responses of Elasticsearch, OpenSearch and Solr. Keys are
recognised as column names are.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.files.source import FileRows, Source
from sklearn_rank.files.tables import fault_of
from sklearn_rank.inputs.hits import roles_of_hit
from sklearn_rank.inputs.roles import (
    GRADE,
    LISTS,
    ORDER,
    Role,
    find_roles,
    ids_among,
    is_known,
    lists_of,
    names_of,
    plain_name,
    refuse_unread,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import LEAST_RISES, doubt_of_rising
from sklearn_rank.support.checks import EXACT_INTEGER, negated
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import argument, format_list, safe_repr
from sklearn_rank.typing import Array

_Row: TypeAlias = Mapping[str, Any]
_IDS = {"id", "_id"}
"""Names of an id inside of a list of items, where they are unambiguous."""
_TEXTS = ("question", "userinput")
"""Names of queries that are texts where an id is there."""


def read_json(source: Source, text: str) -> FileRows:
    """Rows of a file with one JSON value, or with one object per line."""
    values: list[tuple[int | None, Any]] = list(json_values(source, text))
    if len(values) == 1:
        line, value = values[0]
        objects = _objects(source, value)
        values = [(line if one is value else None, one) for one in objects]
    reader = _Reader(source)
    for line, value in values:
        reader.add(line, value)
    return reader.read()


# Shapes of a whole file -------------------------------------------------------------------------


def _objects(source: Source, value: Any) -> list[Any]:
    """The objects with a query, or for a row, of a file of one value."""
    if not isinstance(value, dict):
        return value if isinstance(value, list) else [value]
    if isinstance(value.get("responses"), list):  # of _msearch, in the order of the requests
        value = _by_query(source, value["responses"])
    elif not all(map(_is_response, value.values())):
        _refuse_wrapper(source, value)
        objects = _wrapped(source, value)
        if objects or any(map(is_known, value)) or not _nested(value):
            return objects or ([value] if value else [])
    if len(_nested(value)) < len(value):
        what = f"has the keys {format_list(value)}, which are not the shape of"
        side = "a run" if source.is_run else "judgements"
        source.fail(None, f"{what} {side}: {{query: items}}, or a list of objects with a query")
    return [
        {"query": query, **(items if _is_response(items) else {"items": items})}
        for query, items in value.items()
    ]


def _refuse_wrapper(source: Source, value: dict[str, Any]) -> None:
    """FileFormatError for ``{"qrels": {query: items}}``, whose only object holds the queries."""
    nested = _nested(value)
    inner: Any = value[nested[0]] if len(nested) == 1 else None
    are_queries = isinstance(inner, dict) and 0 < len(inner) == len(_nested(inner))
    if are_queries and not any(map(is_known, inner)):
        key = safe_repr(nested[0])
        how = f"write them alone, as json.dump(data[{key}], file)"
        source.fail(None, f"holds the queries inside {key}; {how}")


def _by_query(source: Source, responses: list[Any]) -> dict[str, Any]:
    """{query: response} by the ids that the caller gives."""
    queries = source.queries or ()
    if not len({*queries}) == len(queries) == len(responses):
        what = f"holds {len(responses):,} responses of _msearch, which do not name their queries"
        how = f"{argument('queries')}, a different id for each in the order of the requests"
        source.fail(None, f"{what}; pass {how}, got {len({*queries}):,}")
    return dict(zip(queries, responses, strict=True))


def _wrapped(source: Source, value: dict[str, Any]) -> list[Any]:
    """The only list of objects that name a query, among facts about the file."""

    def names_query(one: Any) -> bool:
        if not isinstance(one, dict) or names_of(one, "query"):
            return isinstance(one, dict)
        sides = ({*lists_of(_nested(one), side)} for side in LISTS)
        return bool(_IDS & one.keys() and set.symmetric_difference(*sides))

    lists = [key for key, part in value.items() if isinstance(part, list) and part]
    lists = [key for key in lists if all(map(names_query, value[key]))]
    if not lists or names_of(value.keys() - _nested(value), "query"):
        return []
    if len(lists) > 1:
        source.fail(None, f"has lists of queries in {format_list(lists)}; leave one")
    return list(value[lists[0]])


def _nested(value: Mapping[Any, Any]) -> list[str]:
    return [key for key, part in value.items() if isinstance(part, (list, dict))]


def _hits(response: Mapping[str, Any]) -> list[Any] | None:
    """Hits of a response of Elasticsearch or Solr; None for what is none."""
    for outer, inner in (("hits", "hits"), ("response", "docs")):
        part = response.get(outer)
        if isinstance(part, dict) and isinstance(part.get(inner), list):
            return list(part[inner])
    return None


def _is_response(value: Any) -> bool:
    return isinstance(value, dict) and (_hits(value) is not None or bool(_failure(value)))


def _failure(response: dict[str, Any]) -> Any:
    """Why a search has not all of its hits; empty if it has, or is none."""
    if isinstance(response.get("error"), dict):
        return response["error"]
    if _hits(response) is None:
        return ""
    header, shards = response.get("responseHeader"), response.get("_shards")
    is_partial = isinstance(header, dict) and header.get("partialResults")
    if response.get("timed_out") or is_partial:
        return "that it ran out of time, so that hits are missing"
    return "that shards failed" if isinstance(shards, dict) and shards.get("failed") else ""


# Objects ----------------------------------------------------------------------------------------


class _Reader:
    """Turns objects into rows, by the same keys for all of a file."""

    def __init__(self, source: Source) -> None:
        self.source, self.columns = source, source.columns
        self.side, self.other = ("retrieved", "relevant")[:: 1 if source.is_run else -1]
        self.missing = ORDER if source.is_run else GRADE
        self.kinds = wanted_of(self.missing, self.columns)
        """Roles of the number of a row; the first wins. BEIR calls a grade ``score``."""
        if not source.is_run and "grade" not in self.columns:
            self.kinds = ("grade", "score")
        self.rows: list[tuple[int | None, str | None, _Row]] = []
        """Line, query, unless the row names it, and keys with their values."""
        self.lists: dict[str, tuple[int | None, int]] = {}
        """Line and number of items of the list of each query."""
        self.key, self.are_lists = "", True

    def add(self, line: int | None, value: Any) -> None:
        """Add the rows of one object."""
        fail = self.source.fail
        if not isinstance(value, dict):
            fail(line, f"holds a JSON {type(value).__name__}, expected an object")
        if _failure(value):
            query = f" of query {safe_repr(value['query'])}" if "query" in value else ""
            fail(line, f"the search{query} failed: {safe_repr(_failure(value))}")
        nested, hits = _nested(value), _hits(value)
        plain = [key for key in value if key not in nested]
        if hits is not None:
            value, nested = {**{key: value[key] for key in plain}, "hits": hits}, ["hits"]
        given = self.columns.get("item")
        lists = [given] if given in nested else lists_of(nested, self.side)
        if len(lists) > 1:
            say = f"Choose one: {argument('columns', {'item': lists[0]})}"
            fail(line, f"has several lists of items: {format_list(lists)}. {say}")
        if lists:
            self._add_list(line, value, str(lists[0]), plain, nested)
            return
        swapped = lists_of(nested, self.other)
        if swapped and given not in plain and not names_of(plain, "item"):
            kinds = ("a run", "judgements")[:: -1 if self.source.is_run else 1]
            what = "{} belongs to {}, but this is read as {}".format(safe_repr(swapped[0]), *kinds)
            rest = [name for name in nested if name not in swapped]
            say = argument("columns", {"item": rest[0] if len(rest) == 1 else "..."})
            fail(line, f"{what}; are the two files swapped? If not, name the list of items: {say}")
        self.rows.append((line, None, value))

    def _add_list(
        self, line: int | None, value: dict[str, Any], key: str, plain: list[str], nested: list[str]
    ) -> None:
        """Add the items of the list under a key."""
        where = f"{self.source.name}:{line}" if line else self.source.name
        query = self._id(line, value[self._query_key(plain, where)], "query")
        if query in self.lists:  # their order is ambiguous
            before = f" (the first is in line {self.lists[query][0]})" if line else ""
            again = f"a second list of items for query {safe_repr(query)}{before}"
            self.source.fail(line, f"{again}; join them, or give the queries different ids")
        items = value[key]
        self.key, self.lists[query] = key, (line, len(items))
        self.are_lists = isinstance(items, list)
        rows = list(items if self.are_lists else items.items())
        is_bare = not any(isinstance(row, (list, dict)) for row in rows)
        for name in nested if is_bare and not self.columns.keys() & {*self.missing} else ():
            numbers = value[name] if name != key and len(value[name]) == len(rows) else ()
            if numbers and all(type(number) in (int, float) for number in numbers):
                what = f"has a list {safe_repr(name)} of a number for each item"
                say = f"write them with their items, as {{{key!r}: {{'d7': 3.2}}}}"
                none = argument("columns", {self.missing[0]: None})
                self.source.fail(line, f"{what}; {say}, or pass {none}")
        for row in rows:
            if isinstance(row, (list, tuple)) and len(row) == 2:
                row = dict(zip(("id", self.missing[0]), row, strict=True))
            self.rows.append((line, query, row if isinstance(row, dict) else {"id": row}))

    def _query_key(self, names: list[str], where: str) -> str:
        """The key of the query's id in an object with a list of items."""
        given = {role: key for role, key in self.columns.items() if key is None or key in names}
        among, ids = ids_among(names, "query", _TEXTS), [key for key in names if key in _IDS]
        if "query" in given or len(among) != 1:
            return find_roles(names, ("query",), columns=given, where=where)["query"]
        if ids and plain_name(among[0]) == "query":
            both = f"{safe_repr(ids[0])} and {safe_repr(among[0])}"
            say = f"choose the id of the query: {argument('columns', {'query': ids[0]})}"
            msg = f"{where} has {both}; {say}"
            raise ColumnRoleError(msg)
        return among[0]

    def read(self) -> FileRows:
        """All rows, by keys that have one meaning in all of them."""
        source, rows = self.source, [row for _, _, row in self.rows]
        if not rows:
            return FileRows({}, {}, queries=list(self.lists))
        roles = self._roles(rows)
        names = roles | {"item": f"{self.key}[]"} if self.lists else roles
        kinds = {kind: roles[kind] for kind in self.kinds if kind in roles}
        if source.is_run:  # of which all rows have one kind of number
            kinds = dict(list(kinds.items())[:1])
        read: dict[Role, Any] = {"query": [], "item": []}
        numbers = list[float | None]()
        for line, query, row in self.rows:
            if query is None and self.lists:
                source.fail(line, "has no list of items, as other objects have")
            query = self._id(line, row.get(roles["query"]), "query") if query is None else query
            item = self._id(line, row.get(roles["item"]), "item")
            read["query"].append(query)
            read["item"].append(item)
            numbers.append(self._number(line, (query, item), row, kinds))
        doubts: tuple[str, ...] = ()
        rising = ""
        if None not in numbers:
            kind = next(iter(kinds))
            read[kind if source.is_run else "grade"] = values = np.array(numbers)
            if source.is_run and kind != "rank":
                doubt = self._doubt(values if kind == "score" else negated(values))
                doubts, rising = ((doubt,), "") if doubt and self.are_lists else ((), doubt)
                ranks: list[Any] = [row.get(roles.get("rank", "")) for row in rows]
                if {*map(type, ranks)} <= {int, float} and max(map(abs, ranks)) < EXACT_INTEGER:
                    read["rank"] = np.array(ranks, dtype=np.float64)
        elif set(numbers) != {None}:
            at = numbers.index(None)
            shown = _name(read["query"][at], read["item"][at])
            source.fail(None, f"{shown} has no {next(iter(kinds))}, others have one")
        return FileRows(read, names, doubts, rising, list(self.lists))

    def _roles(self, rows: list[_Row]) -> dict[Role, str]:
        """Keys of the roles of rows, or of the items of lists."""
        keys, where = list(dict.fromkeys(chain.from_iterable(rows))), self.source.name
        if self.lists:
            roles = roles_of_hit(keys, self.kinds, self.columns, f"an item of {where}")
        else:
            ids: tuple[Role, ...] = ("query", "item")
            roles = find_roles(keys, ids, self.kinds, columns=self.columns, where=where)
        if not any(kind in roles for kind in self.kinds):
            unread = {}
            for key in unread_columns(keys, roles, self.columns, self.missing):
                cells = {row[key] for row in rows if isinstance(row.get(key), (str, int, float))}
                unread[key] = cells, len(rows)
            refuse_unread(unread, where, self.missing)
        return roles

    def _doubt(self, scores: Array) -> str:
        """Why scores may be distances, by the order of the lists; or ""."""
        if not self.lists:
            return ""
        offsets = offsets_of(np.array([size for _, size in self.lists.values()], np.int64))
        least = 1 if self.are_lists else LEAST_RISES
        return doubt_of_rising(scores.astype(np.float64), offsets, least)

    def _number(
        self, line: int | None, ids: tuple[str, str], row: _Row, keys: dict[Role, str]
    ) -> float | None:
        """The number of a row; None: it has none, NaN: its grade is null."""
        kind = next((kind for kind, key in keys.items() if key in row), None)
        value: Any = None if kind is None else row[keys[kind]]
        if value is None:  # not rated; a run is sorted by something else than the score
            return None if kind is None or self.source.is_run else math.nan
        if isinstance(value, str) and self.source.grades is not None:
            return self.source.grade_of(line, value)
        problem = fault_of(value, is_grade=not self.source.is_run)
        if problem:
            self.source.fail(line, f"{kind} {safe_repr(value)} of {_name(*ids)} {problem}")
        return value if abs(value) <= EXACT_INTEGER else float(value)

    def _id(self, line: int | None, value: Any, role: str) -> str:
        """Ids are text; a whole number is written as it would be there."""
        text = str(value)
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            self.source.fail(line, f"the {role} id {safe_repr(value)} is not text")
        if not text or (not text.isascii() and re.search("[\ud800-\udfff]", text)):
            self.source.fail(line, f"the {role} id {safe_repr(text)} is empty, or half a character")
        return text


def _name(query: str, item: str) -> str:
    return f"item {safe_repr(item)} of query {safe_repr(query)}"


# JSON itself ------------------------------------------------------------------------------------


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ."""
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        msg = f"the key {safe_repr(repeated)} occurs twice"
        raise ValueError(msg)
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
_BLANK = re.compile(r"\s*")


def json_values(source: Source, text: str) -> Iterator[tuple[int, Any]]:
    """The values of a file, one by one, and the lines on which they start."""
    start, end, line = 0, 0, 1
    while (start := _BLANK.match(text, end).end()) < len(text):  # type: ignore[union-attr]
        line += text.count("\n", end, start)
        try:
            value, end = _DECODER.raw_decode(text, start)
        except RecursionError:
            source.fail(line, "is nested too deeply")
        except ValueError as error:
            source.fail(line, f"is not JSON: {error}")
        yield line, value
        line += text.count("\n", start, end)
