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

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.source import Block, FileRows, Request, Source, check_id, source_of, text_of
from sklearn_rank.files.text import EXACT, INEXACT, is_exact
from sklearn_rank.inputs.hits import roles_of_hit
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    Columns,
    Role,
    find_roles,
    ids_among,
    is_known,
    lists_beside,
    lists_of,
    names_of,
    plain_name,
    refuse_unread,
    text_grades,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import LEAST_RISES, doubt_of_rising
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import format_list, safe_repr

_IDS = ("id", "_id")
"""Names of an id inside of a list of items, where they are unambiguous."""


def read_json(request: Request, blocks: Iterable[Block], *, is_lines: bool) -> FileRows:
    """Rows of a file that is one JSON value, or has an object on each line."""
    reader, source = _Reader(request), request.source
    if is_lines:
        for block in blocks:
            for line, data in enumerate(block.data.split(b"\n"), block.first_line):
                value = load_json(source, line, data) if data.strip() else None
                for one in _wrapped(request, value) or ([] if value is None else [value]):
                    reader.add(line, one)
    else:
        value = load_json(source, None, b"".join(block.data for block in blocks))
        for one in _objects(request, value):
            reader.add(None, one)
    return reader.read()


def looks_like_lines(text: str) -> bool:
    """Whether a first line is an object of its own, with a key that has a role."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and any(map(is_known, value))


# Shapes of a whole file -------------------------------------------------------------------------


def _objects(request: Request, value: Any) -> list[Any]:
    """The objects of a file of one value."""
    fail = request.source.fail
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        fail(None, f"holds a JSON {type(value).__name__}, expected a list or an object")
    for shape in (_requests, _details, _responses, _ratings, _predictions):
        try:
            found = shape(request, value)
        except FileFormatError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError):
            fail(None, f"is not what it seems: {shape.__doc__}")
        if found is not None:
            return [{"query": query, "items": items} for query, items in found.items()]
    wrapped = _wrapped(request, value)
    if wrapped is not None:
        return wrapped
    nested = [isinstance(part, (list, dict)) for part in value.values()]
    if any(map(is_known, value)) or not any(nested):
        return [value] if value else []
    if not all(nested):
        what = "a run" if request.is_run else "judgements"
        fail(
            None,
            f"has the keys {format_list(value)}, which are not the shape of {what}: "
            "{query: items}, or a list of objects with a query and its items",
        )
    return [{"query": query, "items": items} for query, items in value.items()]


def _wrapped(request: Request, value: Any) -> list[Any] | None:
    """The only list of objects that name a query, which stands beside facts about the file."""
    if not isinstance(value, dict) or names_of(
        [key for key, part in value.items() if not isinstance(part, (list, dict))], "query"
    ):
        return None
    side, other = ("retrieved", "relevant")[:: 1 if request.is_run else -1]

    def names_query(one: Any) -> bool:
        if not isinstance(one, dict):
            return False
        nested = [key for key, part in one.items() if isinstance(part, (list, dict))]
        lists = [key for key in nested if lists_of([key], side) and not lists_of([key], other)]
        return bool(names_of(one, "query") or (lists and set(_IDS) & one.keys()))

    lists = [
        key
        for key, part in value.items()
        if isinstance(part, list) and part and all(map(names_query, part))
    ]
    if len(lists) > 1:
        request.source.fail(None, f"has lists of queries in {format_list(lists)}; leave one")
    return value[lists[0]] if lists else None


def _requests(request: Request, value: dict[str, Any]) -> dict[str, Any] | None:
    """Judgements in a request of Elasticsearch's _rank_eval."""
    requests = value.get("requests")
    if not isinstance(requests, list) or not all(
        isinstance(one, dict) and {"id", "ratings"} <= one.keys() for one in requests
    ):
        return None
    if request.is_run:
        request.source.fail(None, "is a _rank_eval request, which holds judgements and no ranking")
    return {one["id"]: one["ratings"] for one in requests}


def _details(request: Request, value: dict[str, Any]) -> dict[str, Any] | None:
    """Hits, or the ratings of rated ones, in a response of _rank_eval."""
    details = value.get("details")
    if "metric_score" not in value or not isinstance(details, dict):
        return None
    _refuse_failed(request, value.get("failures") or {})
    hits = {query: detail["hits"] for query, detail in details.items()}
    if request.is_run:
        return {query: [hit["hit"] for hit in detail] for query, detail in hits.items()}
    return {
        query: {hit["hit"]["_id"]: hit["rating"] for hit in detail if hit.get("rating") is not None}
        for query, detail in hits.items()
    }


def _responses(request: Request, value: dict[str, Any]) -> dict[str, Any] | None:
    """Hits of {query: response}, or of _msearch, whose responses stand in the order of queries."""
    responses, fail = value.get("responses"), request.source.fail
    if isinstance(responses, list):
        if request.queries is None:
            what = "holds responses of _msearch, which do not name their queries"
            fail(None, f"{what}; pass queries=, their ids in the order of the requests")
        if len(request.queries) != len(responses):
            n_queries = f"{len(request.queries):,} queries"
            fail(None, f"holds {len(responses):,} responses for {n_queries}")
        again = [query for query in request.queries if request.queries.count(query) > 1]
        if again:
            fail(None, f"is of queries that repeat the id {safe_repr(again[0])}")
        value = dict(zip(request.queries, responses, strict=True))
    if not value or not all(map(_is_response, value.values())):
        return None
    failures = {query: _failure(response) for query, response in value.items()}
    _refuse_failed(request, {query: why for query, why in failures.items() if why})
    return {query: _hits(response) for query, response in value.items()}


def _hits(value: Any) -> list[Any] | None:
    """Hits of a response of Elasticsearch or Solr; None for what is none."""
    for outer, inner in (("hits", "hits"), ("response", "docs")):
        part = value.get(outer) if isinstance(value, dict) else None
        if isinstance(part, dict) and isinstance(part.get(inner), list):
            hits: list[Any] = part[inner]
            return hits
    return None


def _is_response(value: Any) -> bool:
    return _hits(value) is not None or (isinstance(value, dict) and "error" in value)


def _failure(response: Mapping[str, Any]) -> Any:
    """Why a search has not all of its hits; empty if it has."""
    header, shards = (response.get(key) or {} for key in ("responseHeader", "_shards"))
    n_failed = shards.get("failed", 0)
    if response.get("timed_out") or header.get("partialResults"):
        return "that it ran out of time, so that hits are missing"
    return response.get("error", f"that {n_failed} shards failed" if n_failed else "")


def _refuse_failed(request: Request, errors: Mapping[str, Any]) -> None:
    if errors:
        query, error = next(iter(errors.items()))
        what = f"{len(errors):,} searches failed: {format_list(errors)}"
        request.source.fail(None, f"{what}; that of {safe_repr(query)} says {safe_repr(error)}")


def _ratings(request: Request, value: dict[str, Any]) -> dict[str, Any] | None:
    """Judgements as OpenSearch lists them, with numbers in quotes."""
    lists = value.get("judgmentRatings")
    if not isinstance(lists, list) or request.is_run:
        return None
    return {
        entry["query"]: {one["docId"]: json.loads(one["rating"]) for one in entry["ratings"]}
        for entry in lists
    }


def _predictions(request: Request, value: dict[str, Any]) -> dict[str, Any] | None:
    """A run in the predictions of MTEB, by subset and split."""
    if "mteb_model_meta" not in value:
        return None
    parts = {
        f"{subset}/{split}": run
        for subset, splits in value.items()
        if subset != "mteb_model_meta"
        for split, run in splits.items()
    }
    if len(parts) != 1:
        request.source.fail(None, f"holds predictions of {format_list(parts)}; leave one in a file")
    run: dict[str, Any] = next(iter(parts.values()))
    return run


# One object -------------------------------------------------------------------------------------


class _Reader:
    """Turns objects into rows, by the same keys for all of a file."""

    def __init__(self, request: Request) -> None:
        self.request, self.source, self.is_run = request, request.source, request.is_run
        self.columns = request.columns or {}
        self.kinds = wanted_of(ORDER if self.is_run else GRADE, self.columns)
        """Roles of the number of a row; the first wins."""
        if not self.is_run and "grade" not in self.columns:
            self.kinds = ("grade", "score")  # as BEIR calls it
        self.missing = ORDER if self.is_run else GRADE
        """Roles of the number that a row should have."""
        self.kind: Role = self.kinds[0] if self.kinds else "score"
        self.rows: list[tuple[str, str, float | None, float]] = []
        """Query, item, number (None: there is none; NaN: a grade is null), and rank beside it."""
        self.names: dict[Role, str] = {}
        self.queries: dict[str, int | None] = {}
        """With the line of their list of items."""
        self.sizes: dict[str, int] = {}
        """Items of each list."""
        self.are_lists = True
        self.spare: dict[str, set[Any]] = {}
        """Different values of keys that may hold a number that is lacking."""

    def read(self) -> FileRows:
        """All rows that were added."""
        columns = list(zip(*self.rows, strict=True)) or [(), (), (), ()]
        queries, items, numbers, ranks = map(list, columns)
        found: dict[Role, Any] = {"query": queries, "item": items}
        bare = numbers.index(None) if None in numbers else -1
        if bare >= 0:
            if any(number is not None for number in numbers):
                where = f"item {safe_repr(items[bare])} of query {safe_repr(queries[bare])}"
                self.source.fail(None, f"{where} has no {self.kind}, others have one")
            unread = {key: (values, len(items)) for key, values in self.spare.items()}
            refuse_unread(unread, self.source.name, self.missing)
            return FileRows(found, self.names, (), list(self.queries))
        kind: Role = self.kind if self.is_run else "grade"
        found[kind] = np.array(numbers) if numbers else np.zeros(0)
        if kind != "rank" and not np.isnan(ranks).any():
            found["rank"] = np.array(ranks)
        doubt = ""
        if kind in ("score", "distance") and sum(self.sizes.values()) == len(items):
            offsets = offsets_of(np.array(list(self.sizes.values()), np.int64))
            scores = found[kind].astype(np.float64) * (1 if kind == "score" else -1)
            doubt = doubt_of_rising(scores, offsets, 1 if self.are_lists else LEAST_RISES)
        return FileRows(found, self.names, (doubt,) if doubt else (), list(self.queries))

    def add(self, line: int | None, value: Any) -> None:
        """Add the rows of one object."""
        source, side, other = self.source, "retrieved", "relevant"
        side, other = (side, other) if self.is_run else (other, side)
        if not isinstance(value, dict):
            source.fail(line, f"holds a JSON {type(value).__name__}, expected an object")
        where = f"{source.name}:{line}" if line else source.name
        hits = _hits(value)
        if hits is not None:
            if _failure(value):
                source.fail(line, f"is a search that failed: it says {safe_repr(_failure(value))}")
            value = {**value, "hits": hits}
        nested = [key for key, part in value.items() if isinstance(part, (list, dict))]
        plain = [key for key in value if key not in nested]
        lists = ["hits"] if hits is not None else lists_of(nested, side)
        if self.columns.get("item") in nested:  # which names the list then
            lists = [str(self.columns["item"])]
        if len(lists) > 1:
            say = f"columns={{'item': {safe_repr(lists[0])}}}"
            lists_there = format_list(lists, limit=20)
            source.fail(line, f"has several lists of items: {lists_there}. Say which one: {say}")
        if not lists:
            if self.columns.get("item") not in plain and not names_of(plain, "item"):
                self._refuse_other(line, lists_of(plain, side), lists_of(nested, other), value)
            self._add_row(line, value, where)
            return
        query_key = self._query_key(plain, where)
        query = self._id(line, value[query_key], "query")
        if query in self.sizes:  # nothing says which of the two ranks above
            before = f" (the first is in line {self.queries[query]})" if line else ""
            again = f"a second list of items for query {safe_repr(query)}{before}"
            source.fail(line, f"{again}; join them, or give the queries ids of their own")
        self.queries[query] = line
        self.names.update({"query": query_key, "item": f"{lists[0]}[]"})
        items = value[lists[0]]
        self.sizes[query], self.are_lists = len(items), self.are_lists and isinstance(items, list)
        numbers = self._numbers_beside(line, value, lists[0], nested)
        pairs = map(list, items.items()) if isinstance(items, dict) else items
        for place, element in enumerate(pairs):
            if isinstance(element, dict):
                self._add_row(line, element, f"an item of {where}", query, f"{lists[0]}[].")
                continue
            is_pair = isinstance(element, list) and len(element) == 2
            item = self._id(line, element[0] if is_pair else element, "item")
            number = element[1] if is_pair else None if numbers is None else numbers[place]
            if is_pair or numbers is not None:
                number = self._number(line, number, query, item)
            self.rows.append((query, item, number, math.nan))

    def _refuse_other(
        self, line: int | None, texts: list[str], others: list[str], value: Mapping[str, Any]
    ) -> None:
        """FileFormatError for a text in place of a list, and for lists of the other side alone."""
        if texts:
            key, text = safe_repr(texts[0]), safe_repr(value[texts[0]])
            self.source.fail(line, f"{key} is {text}, and a list of items is wanted: [{text}]")
        for key in others:
            this, other = ("a run", "judgements")[:: 1 if self.is_run else -1]
            what = f"{safe_repr(key)} belongs to {other}, but this is read as {this}"
            self.source.fail(line, f"{what}; are the two files swapped?")

    def _numbers_beside(
        self, line: int | None, value: Mapping[str, Any], key: str, nested: list[str]
    ) -> list[Any] | None:
        """Scores or grades that stand in a list of their own, as long as that of the items."""
        for kind in self.kinds:
            beside = self.columns.get(kind) or next(iter(lists_beside(nested, key, kind)), "")
            numbers = value[beside] if beside in nested and beside != key else None
            if not isinstance(numbers, list):
                continue
            if len(numbers) != len(value[key]):
                both = f"{len(value[key]):,} items and {len(numbers):,} numbers of them"
                self.source.fail(line, f"has {both}")
            self.kind, self.names[kind] = kind, f"{beside}[]"
            return numbers
        return None

    def _query_key(self, names: list[str], where: str) -> str:
        """The key of the query's id beside a list of items."""
        given: Columns = {r: k for r, k in self.columns.items() if k is None or k in names}
        found = find_roles(names, (), ("query",), columns=given, where=where).get("query")
        ids = [key for key in names if key in _IDS]
        text = "" if found is None or "query" in given else plain_name(found)
        if ids and text == "query":
            msg = (
                f"{where} has {safe_repr(ids[0])} and {safe_repr(found)}; say which is the id of "
                f"the query: columns={{'query': {safe_repr(ids[0])}}}"
            )
            raise ColumnRoleError(msg)
        if len(ids) == 1 and (found is None or text in ("question", "userinput")):
            return ids[0]
        return found or find_roles(names, ("query",), columns=given, where=where)["query"]

    def _add_row(
        self,
        line: int | None,
        value: Mapping[str, Any],
        where: str,
        query: str | None = None,
        inside: str = "",
    ) -> None:
        """Add the row of an object, which names its query or is in the list of one."""
        if query is None:
            wanted: tuple[Role, ...] = ("query", "item")
            roles = find_roles(value, wanted, self.kinds, columns=self.columns, where=where)
            query = self._id(line, value[roles["query"]], "query")
            self.queries.setdefault(query, line)
        else:
            roles = roles_of_hit(value, self.kinds, self.columns, where)
        item = self._id(line, value[roles["item"]], "item")
        self.names.update({role: inside + key for role, key in roles.items()})
        kind = next((kind for kind in self.kinds if kind in roles), None)
        number, rank = None, math.nan
        if kind is None:
            unread = [key for key in value if key not in roles.values()]
            for key in unread_columns(unread, {}, self.columns, self.missing):
                if isinstance(value[key], (str, int, float)):
                    self.spare.setdefault(key, set()).add(value[key])
        elif value[roles[kind]] is not None:
            self.kind, number = kind, self._number(line, value[roles[kind]], query, item)
        elif not self.is_run:  # not rated; a run is sorted by something else than the score
            number = math.nan
        place = value.get(roles.get("rank", ""))
        if isinstance(place, (int, float)) and not isinstance(place, bool) and abs(place) < EXACT:
            rank = float(place)
        self.rows.append((query, item, number, rank))

    def _number(self, line: int | None, value: Any, query: str, item: str) -> float:
        problem = ""
        if isinstance(value, str) and self.request.grades is not None:
            return self.request.grade_of(line, value)
        if isinstance(value, bool) and not self.is_run:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            problem = "is not a number"
            if isinstance(value, str) and not self.is_run:
                problem += f"; pass grades={text_grades([value])}, a number for each text"
        elif isinstance(value, int) and not is_exact(value):
            problem = INEXACT
        if problem:
            what = f"{self.kind} {safe_repr(value)} of item {safe_repr(item)} of query"
            self.source.fail(line, f"{what} {safe_repr(query)} {problem}")
        return value if abs(value) <= EXACT else float(value)

    def _id(self, line: int | None, value: Any, what: str) -> str:
        """Ids are text; a whole number is written as it would be there."""
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            self.source.fail(line, f"the {what} id {safe_repr(value)} is not text")
        try:
            str(value).encode()
        except UnicodeEncodeError:
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
    result = dict(pairs)
    problem = ""
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
    source, ids, header = source_of(path, option), list[str](), dict[str, Any]()
    lines = [line for line in enumerate(text_of(path, option).splitlines(), 1) if line[1].strip()]
    values: list[tuple[int, Any]] = [
        (n, load_json(source, n, s.encode()) if s[0] == "{" else s) for n, s in lines
    ]
    has_requests = any(_is_body(value) for _, value in values)
    for number, value in values:
        if _is_body(value):
            ids.append(_id_of_request(source, number, header, value))
        elif isinstance(value, dict) and not has_requests:
            names = ids_among(list(value), "query")
            if len(names) != 1:
                source.fail(number, f"has the keys {format_list(value)}, of which one is the query")
            ids.append(str(value[names[0]]))
        elif not has_requests:
            ids.append(value)
        header = value if isinstance(value, dict) else {}
    return ids


def _is_body(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), dict) for key in _BODY)


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
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _texts(name, part)
    elif isinstance(value, list) and key not in _OPTIONS:
        for part in value:
            yield from _texts(key, part)
    elif isinstance(value, str):
        yield key, value
