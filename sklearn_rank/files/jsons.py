"""JSON: one object for each row or for each query, in the shapes that people write.

Rows: ``{"query": "q1", "item": "d7", "score": 3.2}``. Queries: ``{"query": "q1", "results":
["d7", "d9"]}``, where an element is an id, an id and its number as ``["d7", 3.2]``, or an object
with an id and perhaps a score, rank or grade, and where ``{"d7": 3.2}`` stands for scored items. A
file of one JSON value holds a list of such objects, perhaps beside others, {query: items}, or what
Elasticsearch, OpenSearch, Solr and MTEB write. Keys are recognised as column names are.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError
from sklearn_rank.files.source import Block, FileRows, Request, Source, check_id, source_of, text_of
from sklearn_rank.files.tables import EXACT, fault_of
from sklearn_rank.inputs.hits import roles_of_hit
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    Role,
    find_roles,
    ids_among,
    is_known,
    lists_beside,
    lists_of,
    names_of,
    plain_name,
    refuse_unread,
    refuse_unread_lists,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import LEAST_RISES, doubt_of_rising
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import argument, format_list, safe_repr

_IDS = {"id", "_id"}
"""Names of an id inside of a list of items, where they are unambiguous."""


def read_json(request: Request, blocks: Iterable[Block], *, is_lines: bool) -> FileRows:
    """Rows of a file that is one JSON value, or has an object on each line."""
    reader, source = _Reader(request), request.source
    if not is_lines:
        value = load_json(source, None, b"".join(block.data for block in blocks))
        reader.add_file(value)
        return reader.read()
    for block in blocks:
        for line, data in enumerate(block.data.split(b"\n"), block.first_line):
            if data.strip():
                value = load_json(source, line, data)
                for one in _wrapped(value, request) or [value]:
                    reader.add(line, one)
    return reader.read()


def looks_like_lines(text: str) -> bool:
    """Whether a first line is an object of its own, with a key that has a role."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and any(map(is_known, value))


def _nested(value: Mapping[Any, Any]) -> list[str]:
    return [key for key, part in value.items() if isinstance(part, (list, dict))]


# Shapes of a whole file -------------------------------------------------------------------------


def _wrapped(value: Any, request: Request) -> list[Any]:
    """The only list of objects that name a query, which stands beside facts about the file."""
    side, other = ("retrieved", "relevant")[:: 1 if request.is_run else -1]

    def names_query(one: Any) -> bool:
        if not isinstance(one, dict) or names_of(one, "query"):
            return isinstance(one, dict)
        lists = {*lists_of(_nested(one), side)} - {*lists_of(_nested(one), other)}
        return bool(lists and _IDS & one.keys())

    parts = value if isinstance(value, dict) else {}
    lists = [key for key, part in parts.items() if isinstance(part, list) and part]
    lists = [key for key in lists if all(map(names_query, parts[key]))]
    if not lists or names_of(parts.keys() - _nested(parts), "query"):
        return []
    if len(lists) > 1:
        request.source.fail(None, f"has lists of queries in {format_list(lists)}; leave one")
    return list(parts[lists[0]])


def _of_programs(value: dict[str, Any], request: Request) -> dict[str, Any] | None:
    """{query: items} of what search engines and MTEB write; None for other shapes."""
    fail, requests, details = request.source.fail, value.get("requests"), value.get("details")
    responses, ratings = value.get("responses"), value.get("judgmentRatings")
    if isinstance(requests, list) and all({"id", "ratings"} <= one.keys() for one in requests):
        if request.is_run:
            fail(None, "is a _rank_eval request, which holds judgements and no ranking")
        return {one["id"]: one["ratings"] for one in requests}
    if "metric_score" in value and isinstance(details, dict):  # a response of _rank_eval
        _refuse_failed(value.get("failures") or {}, request)
        hits = {query: detail["hits"] for query, detail in details.items()}
        if request.is_run:
            return {query: [hit["hit"] for hit in each] for query, each in hits.items()}
        rated = {
            q: [hit for hit in each if hit.get("rating") is not None] for q, each in hits.items()
        }
        return {q: {hit["hit"]["_id"]: hit["rating"] for hit in each} for q, each in rated.items()}
    if isinstance(ratings, list) and not request.is_run:  # of OpenSearch, with numbers in quotes
        return {
            entry["query"]: {one["docId"]: json.loads(one["rating"]) for one in entry["ratings"]}
            for entry in ratings
        }
    if "mteb_model_meta" in value:
        parts = {
            f"{subset}/{split}": run
            for subset, splits in value.items()
            if subset != "mteb_model_meta"
            for split, run in splits.items()
        }
        if len(parts) != 1:
            fail(None, f"holds predictions of {format_list(parts)}; leave one in a file")
        return dict(next(iter(parts.values())))
    if isinstance(responses, list):  # of _msearch, in the order of the requests
        queries = request.queries
        if queries is None:
            what = "holds responses of _msearch, which do not name their queries"
            how = f"pass {argument('queries')}, their ids in the order of the requests"
            fail(None, f"{what}; {how}")
        if len(queries) != len(responses):
            fail(None, f"holds {len(responses):,} responses for {len(queries):,} queries")
        if len(set(queries)) < len(queries):
            again = next(query for query in queries if queries.count(query) > 1)
            fail(None, f"is of queries that repeat the id {safe_repr(again)}")
        value = dict(zip(queries, responses, strict=True))
    failed = {query: _failure(part) for query, part in value.items() if _failure(part)}
    if not value or not all(q in failed or _hits(part) is not None for q, part in value.items()):
        return None
    _refuse_failed(failed, request)
    return {query: _hits(part) for query, part in value.items()}


def _hits(value: Any) -> list[Any] | None:
    """Hits of a response of Elasticsearch or Solr; None for what is none."""
    for outer, inner in (("hits", "hits"), ("response", "docs")):
        part = value.get(outer) if isinstance(value, dict) else None
        if isinstance(part, dict) and isinstance(part.get(inner), list):
            return list(part[inner])
    return None


def _failure(response: Any) -> Any:
    """Why a search has not all of its hits; empty if it has, or is none."""
    if not isinstance(response, dict) or (_hits(response) is None and "error" not in response):
        return ""
    parts = [response.get(key) for key in ("responseHeader", "_shards")]
    header, shards = (part if isinstance(part, dict) else {} for part in parts)
    if response.get("timed_out") or header.get("partialResults"):
        return "that it ran out of time, so that hits are missing"
    n_failed = shards.get("failed", 0)
    return response.get("error", f"that {n_failed} shards failed" if n_failed else "")


def _refuse_failed(errors: Mapping[str, Any], request: Request) -> None:
    for query, error in errors.items():
        what = f"{len(errors):,} searches failed: {format_list(errors)}"
        request.source.fail(None, f"{what}; that of {safe_repr(query)} says {safe_repr(error)}")


# Objects ----------------------------------------------------------------------------------------


class _Reader:
    """Turns objects into rows, by the same keys for all of a file."""

    def __init__(self, request: Request) -> None:
        self.request, self.source, self.is_run = request, request.source, request.is_run
        self.columns, self.missing = request.columns or {}, ORDER if self.is_run else GRADE
        self.kinds = wanted_of(self.missing, self.columns)
        """Roles of the number of a row; the first wins. BEIR calls a grade ``score``."""
        if not self.is_run and "grade" not in self.columns:
            self.kinds = ("grade", "score")
        self.rows: list[tuple[int | None, str | None, Mapping[str, Any]]] = []
        """Line, query, unless the row names it, and keys with their values."""
        self.sizes: dict[str, int] = {}
        """Items of each list."""
        self.lines: dict[str, int | None] = {}
        """Line of the list of each query."""
        self.keys_of_rows: set[tuple[str, ...]] = set()
        self.key, self.names, self.are_lists = "", dict[Role, str](), True

    def add_file(self, value: Any) -> None:
        """Add the rows of a file of one value."""
        for one in value if isinstance(value, list) else self._objects(value):
            self.add(None, one)

    def _objects(self, value: Any) -> list[Any]:
        """The objects with a query, or for a row, of a file of one object."""
        fail = self.source.fail
        if not isinstance(value, dict):
            fail(None, f"holds a JSON {type(value).__name__}, expected a list or an object")
        try:
            found = _of_programs(value, self.request)
        except (KeyError, TypeError, AttributeError, json.JSONDecodeError):
            what = f"has keys of Elasticsearch, OpenSearch or MTEB ({format_list(value)})"
            fail(None, f"{what} and is not what these programs write")
        if found is None:
            wrapped = _wrapped(value, self.request)
            if wrapped or any(map(is_known, value)) or not _nested(value):
                return wrapped or ([value] if value else [])
            found = value
        if len(_nested(found)) < len(found):
            what = "a run" if self.is_run else "judgements"
            fail(
                None,
                f"has the keys {format_list(value)}, which are not the shape of {what}: "
                "{query: items}, or a list of objects with a query and its items",
            )
        return [{"query": query, "items": items} for query, items in found.items()]

    def add(self, line: int | None, value: Any) -> None:
        """Add the rows of one object."""
        fail, where = self.source.fail, f"{self.source.name}:{line}" if line else self.source.name
        side, other = ("retrieved", "relevant")[:: 1 if self.is_run else -1]
        if not isinstance(value, dict):
            fail(line, f"holds a JSON {type(value).__name__}, expected an object")
        if _failure(value):
            fail(line, f"is a search that failed: it says {safe_repr(_failure(value))}")
        hits = _hits(value)
        value = value if hits is None else {**value, "hits": hits}
        nested, keys = _nested(value), tuple(value)
        if not nested and keys in self.keys_of_rows:
            self.rows.append((line, None, value))
            return
        plain = [key for key in value if key not in nested]
        lists = ["hits"] if hits is not None else lists_of(nested, side)
        if self.columns.get("item") in nested:  # which names the list then
            lists = [str(self.columns["item"])]
        if len(lists) > 1:
            say = f"Say which one: {argument('columns', {'item': lists[0]})}"
            fail(line, f"has several lists of items: {format_list(lists)}. {say}")
        if not lists:
            if self.columns.get("item") not in plain and not names_of(plain, "item"):
                for key in lists_of(plain, side):
                    both = f"{safe_repr(key)} is {safe_repr(value[key])}"
                    fail(line, f"{both}, and a list of items is wanted")
                for key in lists_of(nested, other):
                    kinds = ("a run", "judgements")[:: -1 if self.is_run else 1]
                    what = "{} belongs to {}, but this is read as {}".format(safe_repr(key), *kinds)
                    fail(line, f"{what}; are the two files swapped?")
            self.rows.append((line, None, value))
            self.keys_of_rows.add(keys)
            return
        self.key, query_key = lists[0], self._query_key(plain, where)
        query = self._id(line, value[query_key], "query")
        if query in self.lines:  # nothing says which of the two ranks above
            before = f" (the first is in line {self.lines[query]})" if line else ""
            again = f"a second list of items for query {safe_repr(query)}{before}"
            fail(line, f"{again}; join them, or give the queries ids of their own")
        self.names["query"], self.lines[query], items = query_key, line, value[self.key]
        self.sizes[query], self.are_lists = len(items), self.are_lists and isinstance(items, list)
        pairs = (
            list(items.items())
            if isinstance(items, dict)
            else self._pairs(line, where, value, nested)
        )
        for element in pairs or items:
            row = element if isinstance(element, dict) else {"id": element}
            if isinstance(element, (list, tuple)) and len(element) == 2:
                row = dict(zip(("id", self.missing[0]), element, strict=True))
            self.rows.append((line, query, row))

    def _pairs(
        self, line: int | None, where: str, value: Mapping[str, Any], nested: list[str]
    ) -> list[Any]:
        """Items with the scores or grades of a list that is as long as theirs; none without one."""
        for kind in self.kinds:
            name = self.columns.get(kind) or next(iter(lists_beside(nested, self.key, kind)), "")
            if name not in nested or name == self.key or not isinstance(value[name], list):
                continue
            sizes = [len(value[self.key]), len(value[name])]
            if sizes[0] != sizes[1]:
                self.source.fail(line, "has {:,} items and {:,} numbers of them".format(*sizes))
            rows = zip(value[self.key], value[name], strict=True)
            return [{"id": item, kind: number} for item, number in rows]
        others = {key: [value[key]] for key in nested if isinstance(value[key], list)}
        others.pop(self.key, None)
        refuse_unread_lists(others, [value[self.key]], where, self.columns, self.missing)
        return []

    def _query_key(self, names: list[str], where: str) -> str:
        """The key of the query's id beside a list of items."""
        given = {role: key for role, key in self.columns.items() if key is None or key in names}
        found = find_roles(names, (), ("query",), columns=given, where=where).get("query")
        ids = [] if "query" in given else [key for key in names if key in _IDS]
        text = plain_name(found or "question")
        if ids and text == "query":
            msg = (
                f"{where} has {safe_repr(ids[0])} and {safe_repr(found)}; say which is the id of "
                f"the query: {argument('columns', {'query': ids[0]})}"
            )
            raise ColumnRoleError(msg)
        if len(ids) == 1 and text in ("question", "userinput"):
            return ids[0]
        return found or find_roles(names, ("query",), columns=given, where=where)["query"]

    def read(self) -> FileRows:
        """All rows, by keys that have one meaning in all of them."""
        where, roles_of = self.source.name, dict[bool, Mapping[Role, str]]()
        for in_list in {query is not None for _, query, _ in self.rows}:
            rows = [row for _, query, row in self.rows if (query is not None) is in_list]
            keys = list(dict.fromkeys(key for row in rows for key in row))
            if in_list:
                roles = roles_of_hit(keys, self.kinds, self.columns, f"an item of {where}")
                self.names["item"] = f"{self.key}[]"
            else:
                ids: tuple[Role, ...] = ("query", "item")
                roles = find_roles(keys, ids, self.kinds, columns=self.columns, where=where)
                self.names |= roles
            roles_of[in_list] = roles
            if not any(kind in roles for kind in self.kinds):
                spare = unread_columns(keys, roles, self.columns, self.missing)
                values = [[row[key] for row in rows if key in row] for key in spare]
                plain = [{v for v in cells if isinstance(v, (str, int, float))} for cells in values]
                unread = {key: (texts, len(rows)) for key, texts in zip(spare, plain, strict=True)}
                refuse_unread(unread, where, self.missing)
        table = [self._row(*row, roles_of[row[1] is not None]) for row in self.rows]
        columns = list(zip(*table, strict=True)) or [(), (), (), (), ()]
        queries, items, kinds, numbers, ranks = map(list, columns)
        found: dict[Role, Any] = {"query": queries, "item": items}
        kind: Role = next(filter(None, kinds), self.missing[0])
        if self.is_run:  # of which all rows have one kind of number
            pairs = zip(kinds, numbers, strict=True)
            numbers = [number if role == kind else None for role, number in pairs]
        doubt = ""
        if None in numbers and set(numbers) != {None}:
            at = numbers.index(None)
            row = f"item {safe_repr(items[at])} of query {safe_repr(queries[at])}"
            self.source.fail(None, f"{row} has no {kind}, others have one")
        elif numbers and None not in numbers:
            found[kind if self.is_run else "grade"] = np.array(numbers)
            if kind != "rank" and not np.isnan(ranks).any():
                found["rank"] = np.array(ranks)
            if self.is_run and kind != "rank" and sum(self.sizes.values()) == len(items):
                scores = np.array(numbers, np.float64) * (1 if kind == "score" else -1)
                offsets = offsets_of(np.array(list(self.sizes.values()), np.int64))
                doubt = doubt_of_rising(scores, offsets, 1 if self.are_lists else LEAST_RISES)
        return FileRows(found, self.names, (doubt,) if doubt else (), list(self.lines))

    def _row(
        self,
        line: int | None,
        query: str | None,
        row: Mapping[str, Any],
        roles: Mapping[Role, str],
    ) -> tuple[str, str, Role | None, float | None, float]:
        """Query, item, kind and number (None: none is there; NaN: a grade is null), rank or NaN."""
        if query is None:
            query = self._id(line, row.get(roles["query"]), "query")
            self.lines.setdefault(query, line)
        item = self._id(line, row.get(roles["item"]), "item")
        kind = next((kind for kind in self.kinds if roles.get(kind) in row), None)
        value: Any = None if kind is None else row[roles[kind]]
        rank = row.get(roles.get("rank", ""))
        is_rank = isinstance(rank, (int, float)) and not isinstance(rank, bool)
        at = float(rank) if is_rank and abs(rank) < EXACT else math.nan  # type: ignore[arg-type]
        if value is None:  # not rated; a run is sorted by something else than the score
            return query, item, kind, None if self.is_run or kind is None else math.nan, at
        if isinstance(value, str) and self.request.grades is not None:
            return query, item, kind, self.request.grade_of(line, value), at
        problem = fault_of(value, is_grade=not self.is_run)
        if problem:
            what = f"{kind} {safe_repr(value)} of item {safe_repr(item)} of query"
            self.source.fail(line, f"{what} {safe_repr(query)} {problem}")
        return query, item, kind, value if abs(value) <= EXACT else float(value), at

    def _id(self, line: int | None, value: Any, what: str) -> str:
        """Ids are text; a whole number is written as it would be there."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            self.source.fail(line, f"the {what} id {safe_repr(value)} is not text")
        if any("\ud800" <= character <= "\udfff" for character in str(value)):
            self.source.fail(line, f"the {what} id {safe_repr(value)} holds half of a character")
        return check_id(self.source, line, str(value), f"{what} id")


# JSON itself ------------------------------------------------------------------------------------


def load_json(source: Source, line: int | None, data: bytes) -> Any:
    """A JSON value without what JSON does not have: repeated keys, NaN, infinities."""
    try:
        return json.loads(data, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except RecursionError:
        source.fail(line, "is nested too deeply")
    except ValueError as error:
        source.fail(line, f"is not JSON: {error}")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result, problem = dict(pairs), ""
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        problem = f"the key {safe_repr(repeated)} stands twice"
    elif any(isinstance(value, float) and not math.isfinite(value) for value in result.values()):
        problem = "a number is too large"
    if problem:
        raise ValueError(problem)
    return result


def _refuse_constant(text: str) -> NoReturn:
    msg = f"{text} is not a number in JSON"
    raise ValueError(msg)


# Ids of queries in the order of responses that do not name them ---------------------------------

_BODY = ("query", "knn", "retriever", "params")
"""Keys of objects in a search request that its header lacks."""
_OPTIONS = {
    *("operator", "type", "analyzer", "minimum_should_match", "fuzziness", "zero_terms_query"),
    *("fields", "default_field", "default_operator", "boost_mode", "score_mode", "field"),
}
"""Keys of texts beside the text of a query."""


def read_ids(path: str | os.PathLike[str], option: str) -> list[str]:
    """Ids of queries: one a line, of JSON lines, or of the requests of ``_msearch``."""
    source, ids = source_of(path, option), list[str]()
    lines = [line for line in enumerate(text_of(path, option).splitlines(), 1) if line[1].strip()]
    values: list[Any] = [load_json(source, n, s.encode()) if s[0] == "{" else s for n, s in lines]
    bodies = [
        isinstance(value, dict) and any(isinstance(value.get(key), dict) for key in _BODY)
        for value in values
    ]
    earlier: list[Any] = [{}, *values[:-1]]
    for (line, _), value, before, is_body in zip(lines, values, earlier, bodies, strict=True):
        if is_body:
            header = before if isinstance(before, dict) else {}
            ids.append(_id_of_request(source, line, header, value))
        elif any(bodies):
            continue
        elif isinstance(value, dict):
            names = ids_among(list(value), "query")
            if len(names) != 1:
                source.fail(line, f"has the keys {format_list(value)}, of which one is the query")
            ids.append(str(value[names[0]]))
        else:
            ids.append(value)
    return ids


def _id_of_request(source: Source, line: int, header: dict[str, Any], body: dict[str, Any]) -> str:
    """An id of header or body, else the only ``_name``, else the text that is searched."""
    for part in (header, {} if "params" in body else body):  # whose id is that of a template
        keys = [key for key, value in part.items() if isinstance(value, (str, int))]
        ids = ids_among(keys, "query")
        if len(ids) == 1:
            return str(part[ids[0]])
    texts = [pair for key in _BODY for pair in _texts(key, body.get(key))]
    for wanted in ({"_name"}, {"query"}, {key for key, _ in texts} - _OPTIONS):
        found = {text for key, text in texts if key in wanted}
        if len(found) == 1:
            return found.pop()
    return source.fail(line, "does not name its query; give the header or the body an id, or _name")


def _texts(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """The texts of a part of a request, with their keys."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict) or (isinstance(value, list) and key not in _OPTIONS):
        parts = value.items() if isinstance(value, dict) else ((key, one) for one in value)
        for name, part in parts:
            yield from _texts(name, part)
