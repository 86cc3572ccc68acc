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
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate, chain, compress, islice, repeat
from operator import and_, itemgetter, not_
from typing import Any, TypeAlias

import msgspec
import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.responses import (
    ABSENT,
    FIRST_KEYS,
    failure_of,
    hits_of,
    is_response,
    reach,
    unreadable,
)
from sklearn_rank.files.source import FileRows, Place, Source
from sklearn_rank.files.tables import fault_of, numbers_of_texts, polars_for
from sklearn_rank.inputs.arrays import CodedIds
from sklearn_rank.inputs.hits import list_among, roles_of_hit
from sklearn_rank.inputs.roles import (
    GRADE,
    LISTS,
    ORDER,
    Columns,
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

_Object: TypeAlias = Mapping[str, Any]
_ID_KEYS = {"id", "_id"}
"""Names of an id inside of a list of items, where they are unambiguous."""
_TEXTS = ("question", "userinput")
"""Names of the text of a query, if there is also an id."""
_COLLECTIONS = (list, dict)


def read_json(source: Source, data: bytes) -> FileRows:
    """Rows of a file with one JSON value, or with one object per line."""
    values = _decoded(data)
    if values is not None:
        with suppress(FileFormatError, ColumnRoleError):
            return _read(source, values, (), len(data))
    # One by one, so that a fault has a place.
    lines, values = list[Place](), list[Any]()
    for line, value in json_values(source, data.decode()):
        lines.append(line)
        values.append(value)
    return _read(source, values, lines, len(data))


def _read(source: Source, values: list[Any], places: Sequence[Place], n_bytes: int) -> FileRows:
    """Rows of values, and the lines on which they start, if known."""
    if len(values) == 1:
        objects, name = _objects(source, values[0])
        if objects and objects[0] is not values[0]:
            places = [f"{name}[{n}]" for n in range(len(objects))] if places and name else ()
        values = objects
    reader = _Reader(source, n_bytes)
    reader.add_all(places or [None] * len(values), values)
    return reader.read()


# Shapes of a whole file -------------------------------------------------------------------------


def _objects(source: Source, value: Any) -> tuple[list[Any], str]:
    """The objects of a file with one value, each a query or a row, and what holds them."""
    if not isinstance(value, dict):
        return (value, "data") if isinstance(value, list) else ([value], "")
    if isinstance(value.get("responses"), list):  # of _msearch, in the order of the requests
        value = _by_query(source, value["responses"])
    elif _is_dataset(value):
        if source.is_run:
            source.fail(None, "is a LlamaIndex dataset, which holds judgements but no rankings")
        value = value["relevant_docs"]
    elif not all(map(is_response, value.values())):
        if is_response(value) or _list_at(value, source.columns.get("item") or "")[0] is not None:
            return [value], ""
        _refuse_wrapper(source, value)
        _refuse_rre(source, value)
        objects, name = _wrapped(source, value)
        if not (objects or source.columns or _nested(value) or any(map(is_known, value))):
            for query, item in islice(value.items(), 1):
                say = f"{{{safe_repr(query)}: [{safe_repr(item)}]}}"
                source.fail(None, f"has a single value for each key, not a list; write {say}")
        if objects or any(map(is_known, value)) or not _nested(value):
            return objects or ([value] if value else []), name
    if len(_nested(value)) < len(value):
        what = f"has the keys {format_list(value)}, which do not form"
        side = "a run" if source.is_run else "judgements"
        how = "write {query: items}, or a list of objects with a query"
        if {"format", "seal", "queries"} <= value.keys():
            how = "it is the baseline of a gate: compare with it by 'sklearn-rank gate'"
        source.fail(None, f"{what} {side}; {how}")
    objects = [
        {**(items if _has_list(source, items) else {"items": items}), "query": query}
        for query, items in value.items()
    ]
    return objects, ""


def _has_list(source: Source, value: Any) -> bool:
    """Whether this is an object of a query with its list of items, not {item: number}."""
    if is_response(value):
        return True
    nested = _nested(value) if isinstance(value, dict) and source.grades is None else ()
    lists = [value[key] for key in nested if isinstance(value[key], list)]
    side = "retrieved" if source.is_run else "relevant"
    return bool(lists_of(nested, side)) or any(
        all(isinstance(one, dict) for one in part) for part in lists if part or source.is_run
    )


def _refuse_rre(source: Source, value: _Object) -> None:
    """FileFormatError for ratings of RRE, whose queries have no key of a known name."""
    for part in value.values():
        is_one = isinstance(part, list) and part and "query" not in source.columns
        if is_one and all(isinstance(one, dict) and "relevant_documents" in one for one in part):
            say = argument("columns", {"query": "placeholders.$query"})
            source.fail(None, f"holds RRE ratings; name the key of its queries, as in {say}")


def _is_dataset(value: _Object) -> bool:
    """Whether this is LlamaIndex' EmbeddingQAFinetuneDataset."""
    parts = (value.get(name) for name in ("queries", "corpus", "relevant_docs"))
    return all(isinstance(part, dict) for part in parts)


def _refuse_wrapper(source: Source, value: dict[str, Any]) -> None:
    """FileFormatError for ``{"qrels": {query: items}}``, whose only object holds the queries."""
    what = next(filter(None, map(unreadable, (value, *value.values()))), "")
    if what:
        source.fail(None, what)
    nested = _nested(value)
    inner: Any = value[nested[0]] if len(nested) == 1 else None
    are_queries = isinstance(inner, dict) and 0 < len(inner) == len(_nested(inner))
    if are_queries and not any(map(is_known, inner)):
        key = safe_repr(nested[0])
        how = f"write only these, with json.dump(data[{key}], file)"
        if len(inner) == 1:
            how += f", or, if {key} is a query, write its items as a list, not inside an object"
        source.fail(None, f"holds the queries inside {key}; {how}")


def _by_query(source: Source, responses: list[Any]) -> dict[str, Any]:
    """{query: response} by the ids that the caller gives."""
    queries = source.queries or ()
    if not len({*queries}) == len(queries) == len(responses):
        what = f"holds {len(responses):,} _msearch responses, which do not name their queries"
        how = f"{argument('queries')}, a different id for each, in the order of the requests"
        source.fail(None, f"{what}; pass {how} (got {len({*queries}):,})")
    return dict(zip(queries, responses, strict=True))


def _wrapped(source: Source, value: dict[str, Any]) -> tuple[list[Any], str]:
    """The only list of objects that name a query, among facts about the file, and its place."""
    given = source.columns.get("query")

    def names_query(one: Any) -> bool:
        if not isinstance(one, dict):
            return False
        if names_of(one, "query") or (given and reach(one, given) is not ABSENT):
            return True
        sides = ({*lists_of(_nested(one), side)} for side in LISTS)
        return bool(_ID_KEYS & one.keys() and set.symmetric_difference(*sides))

    lists = [key for key, part in value.items() if isinstance(part, list) and part]
    lists = [key for key in lists if all(map(names_query, value[key]))]
    plain = value.keys() - _nested(value)
    if not lists or given in plain or names_of(plain, "query"):
        return [], ""
    if len(lists) > 1:
        source.fail(None, f"has lists of queries in {format_list(lists)}; leave only one")
    return list(value[lists[0]]), f"data[{safe_repr(lists[0])}]"


def _nested(value: Mapping[Any, Any]) -> list[str]:
    return [key for key, part in value.items() if isinstance(part, _COLLECTIONS)]


# Objects ----------------------------------------------------------------------------------------


class _Reader:
    """Turns objects into columns, by the same keys for the whole file."""

    def __init__(self, source: Source, n_bytes: int) -> None:
        self.source, self.columns, self.n_bytes = source, source.columns, n_bytes
        self.side, self.other = ("retrieved", "relevant")[:: 1 if source.is_run else -1]
        self.missing = ORDER if source.is_run else GRADE
        self.kinds = wanted_of(self.missing, self.columns)
        """Roles of the number of a row; the first wins. BEIR calls a grade ``score``."""
        if not source.is_run and "grade" not in self.columns:
            self.kinds = ("grade", "score")
        self.rows: list[_Object] = []
        self.places: list[Place] = []
        """Places of the rows."""
        self.lists: dict[str, tuple[Place, list[Any] | dict[str, Any]]] = {}
        """Place of each query, and its items: ids, pairs or objects, or their numbers by id."""
        self.query_key = ""
        """Key of the queries; not an id that is the only name of the query."""
        self.key = ""
        """Key of the last list."""
        self.shapes: dict[tuple[Any, ...], tuple[str, str]] = {}
        """Keys of the query and of the list, by the keys and types of an object with one list."""
        self.id_column: Columns = {}
        """The name of the ids in lists, if the caller gives one."""
        self.hit_columns: Columns = {}
        """Columns of a search engine's hits whose names are not recognised."""

    def add_all(self, places: Sequence[Place], values: list[Any]) -> None:
        """Add the rows of objects, and the items of queries."""
        if {*map(type, values)} == {dict}:
            cells = chain.from_iterable(map(dict.values, values))
            if {*map(type, cells)}.isdisjoint(_COLLECTIONS):
                self.places, self.rows = [*places], values
                return
        for place, value in zip(places, values, strict=True):
            shape = (*value, *map(type, value.values())) if type(value) is dict else ()
            if shape in self.shapes:
                query, items = self.shapes[shape]
                self._add_list(place, value[query], items, value[items])
            else:
                self._add(place, value, shape)

    def _add(self, place: Place, value: Any, shape: tuple[Any, ...]) -> None:
        """Add the row of an object, or the items of a query, whose keys are not known."""
        fail = self.source.fail
        if not isinstance(value, dict):
            fail(place, f"holds a JSON {type(value).__name__}, expected an object")
        failure = failure_of(value)
        if failure:
            query = f" of query {safe_repr(value['query'])}" if "query" in value else ""
            reason = failure if isinstance(failure, str) else safe_repr(failure)
            fail(place, f"the search{query} failed: {reason}")
        if unreadable(value):
            fail(place, unreadable(value))
        nested, response = _nested(value), hits_of(value)
        plain = [key for key in value if key not in nested]
        if response is not None:
            hits, columns = response
            self.hit_columns = {**columns, **self.hit_columns} if hits else self.hit_columns
            value, nested = {**{key: value[key] for key in plain}, "hits": hits}, ["hits"]
        given = self.columns.get("item") or ""
        items, inner = _list_at(value, given)
        if items is not None:
            self.id_column = {"item": inner} if inner else {}
            query = reach(value, self._query_key(place, value))
            self._refuse_numbers_apart(place, value, given, items)
            self._add_list(place, query, given, items)
            return
        lists = lists_of(nested, self.side)
        if len(lists) > 1:
            say = f"Choose one: {argument('columns', {'item': lists[0]})}"
            fail(place, f"has several lists of items: {format_list(lists)}. {say}")
        if lists:
            self.id_column = {"item": given} if given else {}
            name = self._query_key(place, value)
            items = value[lists[0]]
            self._refuse_numbers_apart(place, value, lists[0], items)
            self._add_list(place, reach(value, name), lists[0], items)
            if nested == lists and name in value and not FIRST_KEYS & value.keys():
                self.shapes[shape] = name, lists[0]
            return
        swapped = lists_of(nested, self.other)
        if swapped and given not in plain and not names_of(plain, "item"):
            kinds = ("a run", "judgements")[:: -1 if self.source.is_run else 1]
            what = "{} belongs to {}, but this is read as {}".format(safe_repr(swapped[0]), *kinds)
            rest = [name for name in nested if name not in swapped]
            say = argument("columns", {"item": rest[0] if len(rest) == 1 else "..."})
            fail(place, f"{what}; are the two files swapped? If not, name the list of items: {say}")
        self.rows.append(value)
        self.places.append(place)

    def _add_list(self, place: Place, query: Any, key: str, items: Any) -> None:
        """Add the items of the list under a key."""
        query = self._id(place, query, "query")
        if query in self.lists:  # their order is ambiguous
            first = self.lists[query][0]
            line = f"on line {first}" if isinstance(first, int) else first
            before = f" (the first is {line})" if first else ""
            again = f"a second list of items for query {safe_repr(query)}{before}"
            self.source.fail(place, f"{again}; join them, or give the queries different ids")
        self.key = key
        self.lists[query] = place, self._by_grade(place, key, items)

    def _by_grade(self, place: Place, key: str, items: Any) -> Any:
        """Pairs of {grade: [items]}, as RRE writes judgements; other items as they are."""
        if self.source.is_run or not isinstance(items, dict):
            return items
        named = lists_of(_nested(items), self.side)
        if named and self.source.grades is None:
            say = argument("columns", {"item": f"{key}.{named[0]}"})
            self.source.fail(place, f"has its list of items inside {safe_repr(key)}; pass {say}")
        if not all(isinstance(ids, list) for ids in items.values()):
            return items
        return [[item, grade] for grade, ids in items.items() for item in ids]

    def _refuse_numbers_apart(self, place: Place, value: _Object, key: str, items: Any) -> None:
        """FileFormatError for a second list with a number for each item of bare ids."""
        others = [name for name in _nested(value) if value[name] is not items]
        is_said = not self.columns.keys().isdisjoint(self.missing)
        if is_said or not {*map(type, items)}.isdisjoint(_COLLECTIONS) or isinstance(items, dict):
            return
        for name in others:
            numbers = value[name] if len(value[name]) == len(items) else ()
            if numbers and all(type(number) in (int, float) for number in numbers):
                what = f"has a list {safe_repr(name)} with a number for each item"
                say = f"write them with their items, as {{{key!r}: {{'d7': 3.2}}}}"
                none = argument("columns", {self.missing[0]: None})
                self.source.fail(place, f"{what}; {say}, or pass {none} to ignore them")

    def _query_key(self, place: Place, value: _Object) -> str:
        """The key of the query's id in an object with a list of items."""
        given, where = self.columns.get("query"), self.source.at(place)
        if given and reach(value, given) is not ABSENT:
            self.query_key = given if given not in _ID_KEYS else ""
            return given
        names = [key for key in value if not isinstance(value[key], _COLLECTIONS)]
        among, ids = ids_among(names, "query", _TEXTS), [key for key in names if key in _ID_KEYS]
        if given or len(among) != 1:
            columns = {role: name for role, name in self.columns.items() if name in names}
            columns |= {"query": given} if given else {}
            return find_roles(names, ("query",), columns=columns, where=where)["query"]
        if ids and plain_name(among[0]) == "query":
            both = f"{safe_repr(ids[0])} and {safe_repr(among[0])}"
            say = f"choose the id of the query: {argument('columns', {'query': ids[0]})}"
            msg = f"{where} has {both}; {say}"
            raise ColumnRoleError(msg)
        if not ids or among[0] not in ids or names_of(names, "query"):
            self.query_key = among[0]
        return among[0]

    # Columns of all objects ----------------------------------------------------------------------

    def read(self) -> FileRows:
        """All rows, by keys that have one meaning in all of them."""
        if self.lists:
            self._take_null_lists()
            return self._read_lists()
        if not self.rows:
            return FileRows({}, {})
        cells, where = _Cells(self.rows, self.columns), self.source.name
        ids: tuple[Role, ...] = ("query", "item")
        with _odd_keys_named(cells, self.places):
            roles = find_roles(cells.keys, ids, self.kinds, columns=self.columns, where=where)
        bare = self._take_bare_rows(cells, roles)
        if bare:
            cells = _Cells(self.rows, self.columns)
        if not self.rows:
            return FileRows({}, {}, queries=bare)
        queries = self._ids(cells.of(roles["query"]), "query", self.places)
        with _odd_keys_named(cells, self.places):
            rows = self._columns(queries, cells, roles, self.places)
        every = [*dict.fromkeys(queries), *bare] if bare else ()
        return rows._replace(names=roles, queries=every)

    def _read_lists(self) -> FileRows:
        """The rows of lists, each of a query."""
        parts, queries = [items for _, items in self.lists.values()], list(self.lists)
        sizes = list(map(len, parts))
        if not any(sizes):
            return FileRows({}, {}, queries=queries)
        given = {role: name for role, name in self.columns.items() if role not in ("query", "item")}
        given |= self.id_column
        cells = self._cells_of(parts, {**self.hit_columns, **given})
        where = f"an item of {self.source.name}"
        for role, name in given.items():
            if name is not None and name not in cells.keys:
                listed = format_list(cells.keys, limit=20)
                msg = f"columns sets {role!r} to {safe_repr(name)}, but {where} has {listed}"
                raise ColumnRoleError(msg)
        places = _PlacesOfItems([place for place, _ in self.lists.values()], sizes)
        named = [query for query, size in zip(queries, sizes, strict=True) if size]
        numbers = np.repeat(np.arange(len(named)), [size for size in sizes if size])
        with _odd_keys_named(cells, places):
            roles = roles_of_hit(cells.keys, self.kinds, {**self.hit_columns, **given}, where)
            rows = self._columns(CodedIds(named, numbers), cells, roles, places, sizes)
        named_by: dict[Role, str] = {"item": f"{self.key}[]"}
        named_by |= {"query": self.query_key} if self.query_key else {}
        return rows._replace(names=roles | named_by, queries=queries)

    def _take_null_lists(self) -> None:
        """Read rows among lists as queries whose list is null, so without items."""
        given = self.columns.get("item")
        for place, row in zip(self.places, self.rows, strict=True):
            lists = [given] if given in row else lists_of(row, self.side)
            if not lists or any(row[str(name)] is not None for name in lists):
                query = next((row[name] for name in names_of(row, "query")), None)
                whose = "" if query is None else f"query {safe_repr(query)} "
                self.source.fail(place, f"{whose}has no list of items, but other objects have one")
            self._add_list(place, reach(row, self._query_key(place, row)), str(lists[0]), [])

    def _take_bare_rows(self, cells: _Cells, roles: Mapping[Role, str]) -> list[str]:
        """Remove the rows without item and number that stand for a query without items."""
        items, queries = cells.of(roles["item"]), cells.of(roles["query"])
        if None not in items:
            return []
        numbers = [cells.of(roles[kind]) for kind in self.kinds if kind in roles]
        is_bare = [item is None for item in items]
        for column in numbers:
            has_none = [number is None or number is ABSENT for number in column]
            is_bare = list(map(and_, is_bare, has_none))
        named = {query for query, bare in zip(queries, is_bare, strict=True) if not bare}
        is_bare = [
            bare and query not in named for bare, query in zip(is_bare, queries, strict=True)
        ]
        taken = compress(zip(self.places, queries, strict=True), is_bare)
        bare = [self._id(place, query, "query") for place, query in taken]
        rows = compress(zip(self.rows, self.places, strict=True), map(not_, is_bare))
        self.rows, self.places = (
            map(list, zip(*rows, strict=True)) if len(bare) < len(items) else ([], [])
        )
        return bare

    def _cells_of(self, parts: list[Any], columns: Columns) -> _Cells:
        """The columns of the items of lists: ids, ids with numbers, or objects."""
        number = self.missing[0]
        if {*map(type, parts)} == {dict}:
            values = chain.from_iterable(map(dict.values, parts))
            return _Cells.of_table({"id": [*chain.from_iterable(parts)], number: [*values]})
        parts = [list(map(list, part.items())) if type(part) is dict else part for part in parts]
        elements = list(chain.from_iterable(parts))
        kinds = {*map(type, elements)}
        if kinds <= {str, int}:
            return _Cells.of_table({"id": elements})
        if kinds == {list} and {*map(len, elements)} == {2}:
            ids, numbers = [one[0] for one in elements], [one[1] for one in elements]
            return _Cells.of_table({"id": ids, number: numbers})
        rows = list[_Object]()
        for one in elements:
            is_pair = isinstance(one, list) and len(one) == 2
            row = dict(zip(("id", number), one, strict=True)) if is_pair else one
            rows.append(row if isinstance(row, dict) else {"id": row})
        return _Cells(rows, columns)

    def _columns(
        self,
        queries: list[str] | CodedIds,
        cells: _Cells,
        roles: Mapping[Role, str],
        places: Sequence[Place],
        sizes: Sequence[int] = (),
    ) -> FileRows:
        """The columns that are read, and doubts about their order."""
        kinds = [kind for kind in self.kinds if kind in roles]
        if not kinds and not self.hit_columns:  # an engine's order of hits is known
            self._refuse_unread(cells, roles)
        if self.source.is_run:  # of which all rows have one kind of number
            kinds = kinds[:1]
        items = self._ids(cells.of(roles["item"]), "item", places, queries if sizes else ())
        pl = polars_for(self.n_bytes)
        column = items if pl is None else pl.Series("id", items, dtype=pl.String)
        read: dict[Role, Any] = {"query": queries, "item": column}
        values = self._numbers(read, {kind: cells.of(roles[kind]) for kind in kinds}, places)
        if values is None:
            return FileRows(read, {})
        if not self.source.is_run:
            return FileRows(read | {"grade": values}, {})
        read[kinds[0]] = values
        if kinds[0] == "rank":
            return FileRows(read, {})
        ranks = cells.of(roles["rank"]) if "rank" in roles else [None]
        if {*map(type, ranks)} <= {int, float} and max(map(abs, ranks)) < EXACT_INTEGER:
            read["rank"] = np.array(ranks, dtype=np.float64)
        named = self.columns.get(kinds[0])
        if not sizes or (named and names_of(cells.keys, kinds[0]) not in ([], [named])):
            return FileRows(read, {})  # lists in the order of another column
        are_lists = all(isinstance(items, list) for _, items in self.lists.values())
        scores = (values if kinds[0] == "score" else negated(values)).astype(np.float64)
        offsets = offsets_of(np.array(sizes, np.int64))
        doubt = doubt_of_rising(scores, offsets, 1 if are_lists else LEAST_RISES)
        if are_lists:
            return FileRows(read, {}, (doubt,) if doubt else ())
        return FileRows(read, {}, rising=doubt)

    def _refuse_unread(self, cells: _Cells, roles: Mapping[Role, str]) -> None:
        """ColumnRoleError if a key without a role may be the number that is missing."""
        unread = {}
        for key in unread_columns(cells.keys, roles, self.columns, self.missing):
            values = [cell for cell in cells.of(key) if cell is not ABSENT]
            texts = {cell for cell in values if isinstance(cell, (str, int, float))}
            unread[key] = texts, len(cells)
        refuse_unread(unread, self.source.name, self.missing)

    # Cells ---------------------------------------------------------------------------------------

    def _numbers(
        self, read: Mapping[Role, Any], numbers: dict[Role, list[Any]], places: Sequence[Place]
    ) -> Array | None:
        """The number of each row; none if no row has one."""
        kinds, columns = list(numbers), list(numbers.values())
        if not kinds:
            return None
        if self.source.grades is None:
            columns = list(map(numbers_of_texts, columns))
        if len(columns) == 1 and {*map(type, columns[0])} <= {int, float}:
            values = np.array(columns[0])
            if values.dtype.kind in "if" and np.abs(values).max() <= EXACT_INTEGER:
                return values
        result = list[float | None]()
        for n, (query, item) in enumerate(zip(read["query"], read["item"], strict=True)):
            cells = (cells[n] for cells in columns)
            here = [(k, cell) for k, cell in zip(kinds, cells, strict=True) if cell is not ABSENT]
            kind, value = here[0] if here else (None, None)
            result.append(self._number(places[n], _name(query, item), kind, value))
        if None not in result:
            return np.array(result)
        if {*result} != {None}:
            at = result.index(None)
            shown = _name(read["query"][at], read["item"][at])
            self.source.fail(places[at], f"{shown} has no {kinds[0]}, but others have one")
        return None

    def _number(self, place: Place, item: str, kind: Role | None, value: Any) -> float | None:
        """The number of a row; None: it has none, NaN: its grade is null."""
        if value is None:  # not rated; a run is sorted by something else than the score
            return None if kind is None or self.source.is_run else math.nan
        if isinstance(value, str) and self.source.grades is not None:
            return self.source.grade_of(place, value)
        problem = fault_of(value, is_grade=not self.source.is_run)
        if problem:
            self.source.fail(place, f"{kind} {safe_repr(value)} of {item} {problem}")
        return value if abs(value) <= EXACT_INTEGER else float(value)

    def _ids(
        self, values: list[Any], role: str, places: Sequence[Place], queries: Iterable[str] = ()
    ) -> list[str]:
        """Ids as text; ``queries`` are those of items in lists."""
        kinds = {*map(type, values)}
        if kinds <= {str, int}:
            texts = values if int not in kinds else list(map(str, values))
            with suppress(UnicodeEncodeError):
                letters = "".join(texts)
                if "" not in texts and letters.encode():
                    may_be = role == "item" and ("[" in letters or "{" in letters)
                    found = list_among(texts) if may_be else None
                    if found:
                        self.source.fail(places[found[0]], found[1])
                    return texts
        of_queries = [f" of query {safe_repr(query)}" for query in queries] or repeat("")
        rows = zip(range(len(values)), values, of_queries)  # noqa: B905 - one may be endless
        return [self._id(places[n], value, role, of_query) for n, value, of_query in rows]

    def _id(self, place: Place, value: Any, role: str, of_query: str = "") -> str:
        """An id as text; whole numbers are written out."""
        value = None if value is ABSENT else value
        text, what = str(value), f"the {role} id {safe_repr(value)}{of_query}"
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            self.source.fail(place, f"{what} is not a string or an integer")
        if not text or (not text.isascii() and re.search("[\ud800-\udfff]", text)):
            self.source.fail(place, f"{what} is empty, or not valid Unicode")
        return text


class _Cells:
    """Columns of objects by key, or by keys joined by dots that the caller names."""

    def __init__(self, rows: list[_Object], columns: Columns) -> None:
        self._rows = rows
        self._table: Mapping[str, list[Any]] = {}
        self.keys = list(dict.fromkeys(chain.from_iterable(rows)))
        for name in columns.values():
            if name and "." in name and name not in self.keys:
                cells = (reach(row, name) for row in rows)
                self.keys += [name] if any(cell is not ABSENT for cell in cells) else []

    @classmethod
    def of_table(cls, table: Mapping[str, list[Any]]) -> _Cells:
        """Columns that exist already."""
        cells = cls([], {})
        cells._table, cells.keys = table, list(table)
        return cells

    def __len__(self) -> int:
        return len(self._rows) or max(map(len, self._table.values()))

    def of(self, key: str) -> list[Any]:
        """The values of a key, ABSENT where an object does not have it."""
        if key in self._table:
            return self._table[key]
        if "." in key:
            return [reach(row, key) for row in self._rows]
        try:
            return list(map(itemgetter(key), self._rows))
        except KeyError:
            return [row.get(key, ABSENT) for row in self._rows]


class _PlacesOfItems(Sequence[Place]):
    """The place of each item: that of its list."""

    def __init__(self, places: list[Place], sizes: list[int]) -> None:
        self._places, self._ends = places, list(accumulate(sizes))

    def __len__(self) -> int:
        return self._ends[-1]

    def __getitem__(self, n: Any) -> Any:
        return self._places[bisect_right(self._ends, n)]


@contextmanager
def _odd_keys_named(cells: _Cells, places: Sequence[Place]) -> Iterator[None]:
    """Add the place of a key that few objects have to an error that it may have caused."""
    try:
        yield
    except ColumnRoleError as error:
        for key in cells.keys:
            here = [n for n, cell in enumerate(cells.of(key)) if cell is not ABSENT]
            if 4 * len(here) <= len(cells) and places[here[0]]:
                place = places[here[0]]
                where = f"line {place}" if isinstance(place, int) else place
                msg = f"{error} ({safe_repr(key)} is in {where}, but not in most objects)"
                raise ColumnRoleError(msg) from None
        raise


def _list_at(value: _Object, path: str) -> tuple[Any, str]:
    """The list of items on a path of keys, and the rest of the path, which is within an item."""
    first, _, rest = path.partition(".")
    part = value.get(path, value.get(first) if rest else None)
    if path in value or not rest:
        return (part, "") if isinstance(part, _COLLECTIONS) else (None, "")
    if isinstance(part, list):
        return part, rest
    return _list_at(part, rest) if isinstance(part, dict) else (None, "")


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


_LINES = msgspec.json.Decoder()
_KEY = re.compile(rb'"\s*:')
"""The end of a key, or a part of a text."""


def _decoded(data: bytes) -> list[Any] | None:
    """The values of a file at once; None if they may have faults to name.

    A key that occurs twice in the text occurs only once in the values.
    """
    try:
        values = _LINES.decode_lines(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    n_keys, level = 0, values
    while level:
        objects = [part for part in level if type(part) is dict]
        lists = [part for part in level if type(part) is list]
        n_keys += sum(map(len, objects))
        parts = chain.from_iterable(map(dict.values, objects))
        level = [part for part in parts if type(part) in _COLLECTIONS]
        for part in lists:
            level += [] if {*map(type, part)}.isdisjoint(_COLLECTIONS) else part
    are_all = n_keys == data.count(b":") or n_keys == len(_KEY.findall(data))
    return values if are_all else None


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
