"""JSON: one object for each row or for each query, in the shapes that people write.

Rows: ``{"query": "q1", "item": "d7", "score": 3.2}``. Queries: ``{"query": "q1", "results":
["d7", "d9"]}``, where an element is an id, an id and its number as ``["d7", 3.2]``, or an object
with an id and perhaps a score, rank or grade, and where ``{"d7": 3.2}`` stands for scored items. A
file of one JSON value holds a list of such objects, {query: items}, or what Elasticsearch,
OpenSearch and MTEB write. Keys are recognised as column names are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn, TypeAlias

import numpy as np

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from sklearn_rank.files.source import Block, Source, check_id
from sklearn_rank.files.text import EXACT, INEXACT, Rows, is_exact
from sklearn_rank.inputs.hits import roles_of_hit
from sklearn_rank.inputs.roles import (
    GRADE,
    ORDER,
    Columns,
    Role,
    find_roles,
    is_known,
    lists_beside,
    lists_of,
    plain_name,
    text_grades,
    unread_columns,
    wanted_of,
)
from sklearn_rank.inputs.tables import LEAST_RISES, doubt_of_rising
from sklearn_rank.support.segments import offsets_of
from sklearn_rank.support.text import format_list, safe_repr

_IDS = ("id", "_id")
"""Names of an id inside of a list of items, where they are unambiguous."""

_Row: TypeAlias = "tuple[str, str, float | None]"
"""Query, item, and the number: None where there is none, NaN where a grade is null."""


def add_json(
    rows: Rows, blocks: Iterable[Block], columns: Columns | None, *, is_lines: bool
) -> Iterator[None]:
    """Rows of a file that is one JSON value, or has an object on each line."""
    source, reader = rows.source, _Reader(rows, columns or {})
    objects: Iterable[tuple[int | None, Any]]
    if is_lines:
        objects = (
            (line, load_json(source, line, data))
            for block in blocks
            for line, data in enumerate(block.data.split(b"\n")[:-1], block.first_line)
            if data.strip()
        )
    else:
        value = load_json(source, None, b"".join(block.data for block in blocks))
        objects = ((None, element) for element in _objects(rows, value))
    found: list[_Row] = []
    for line, value in objects:
        found += reader.read(line, value)
    rated = [row for row in found if row[2] == row[2]]
    rows.n_unrated = len(found) - len(rated)
    bare = next((row for row in rated if row[2] is None), None)
    if bare is not None:
        if any(number is not None for _, _, number in found):
            where = f"item {safe_repr(bare[1])} of query {safe_repr(bare[0])}"
            source.fail(None, f"{where} has no {rows.role}, others have one")
        rows.n_rows, rows.spare = len(rated), reader.spare
        rows.refuse_spare()
        rows.n_rows = 0
    queries, items, numbers = map(list, zip(*rated, strict=True)) if rated else ([], [], [])
    if rows.role in ("score", "distance"):
        scores = np.array(reader.scores, np.float64) * (1 if rows.role == "score" else -1)
        doubt = doubt_of_rising(
            scores,
            offsets_of(np.array(reader.sizes, np.int64)),
            1 if reader.are_lists else LEAST_RISES,
        )
        rows.doubts = (doubt,) if doubt else ()
    rows.unread, rows.all_queries = tuple(reader.unread), list(reader.all_queries)
    ranks = reader.ranks if len(reader.ranks) == len(rated) else None
    rows.add(queries, items, numbers if numbers and bare is None else None, ranks)
    yield


# Shapes of a whole file -------------------------------------------------------------------------


def looks_like_lines(text: str) -> bool:
    """Whether a first line is an object of its own, with a key that has a role."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and _is_query_or_row(value)


def _is_query_or_row(value: Mapping[str, Any]) -> bool:
    return any(map(is_known, value))


def _objects(rows: Rows, value: Any) -> list[Any]:
    """The objects of a file of one value."""
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        rows.source.fail(None, f"holds a JSON {type(value).__name__}, expected a list or an object")
    for shape in (_requests, _details, _responses, _ratings, _predictions):
        try:
            found = shape(rows, value)
        except FileFormatError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError):
            rows.source.fail(None, f"is not what it seems: {shape.__doc__}")
        if found is not None:
            return [{"query": query, "items": items} for query, items in found.items()]
    nested = [isinstance(part, (list, dict)) for part in value.values()]
    if _is_query_or_row(value) or not any(nested):
        return [value] if value else []
    if not all(nested):
        what = "a run" if rows.is_run else "judgements"
        rows.source.fail(
            None,
            f"has the keys {format_list(value)}, which are not the shape of {what}: "
            "{query: items}, or a list of objects with a query and its items",
        )
    return [{"query": query, "items": items} for query, items in value.items()]


# Of search engines and MTEB ----------------------------------------------------------------------


def _requests(rows: Rows, value: dict[str, Any]) -> dict[str, Any] | None:
    """Judgements in a request of Elasticsearch's _rank_eval."""
    requests = value.get("requests")
    if not isinstance(requests, list) or not all(
        isinstance(request, dict) and {"id", "ratings"} <= request.keys() for request in requests
    ):
        return None
    if rows.is_run:
        rows.source.fail(None, "is a _rank_eval request, which holds judgements and no ranking")
    return {request["id"]: request["ratings"] for request in requests}


def _details(rows: Rows, value: dict[str, Any]) -> dict[str, Any] | None:
    """Hits, or the ratings of rated ones, in a response of _rank_eval."""
    details = value.get("details")
    if "metric_score" not in value or not isinstance(details, dict):
        return None
    _refuse_failed(rows, value.get("failures") or {})
    hits = {query: detail["hits"] for query, detail in details.items()}
    if rows.is_run:
        return {query: [hit["hit"] for hit in detail] for query, detail in hits.items()}
    return {
        query: {hit["hit"]["_id"]: hit["rating"] for hit in detail if hit.get("rating") is not None}
        for query, detail in hits.items()
    }


def _responses(rows: Rows, value: dict[str, Any]) -> dict[str, Any] | None:
    """Hits of {query: response}, or of _msearch, whose responses stand in the order of queries."""
    responses = value.get("responses")
    if isinstance(responses, list):
        if rows.queries is None:
            what = "holds responses of _msearch, which do not name their queries"
            rows.source.fail(None, f"{what}; pass queries=, their ids in the order of the requests")
        if len(rows.queries) != len(responses):
            numbers = f"{len(responses):,} responses for {len(rows.queries):,} queries"
            rows.source.fail(None, f"holds {numbers}")
        again = [query for query in rows.queries if rows.queries.count(query) > 1]
        if again:
            rows.source.fail(None, f"is of queries that repeat the id {safe_repr(again[0])}")
        value = dict(zip(rows.queries, responses, strict=True))
    if not value or not all(map(_is_response, value.values())):
        return None
    _refuse_failed(
        rows, {query: response["error"] for query, response in value.items() if "error" in response}
    )
    return {query: response["hits"]["hits"] for query, response in value.items()}


def _is_response(value: Any) -> bool:
    hits = value.get("hits") if isinstance(value, dict) else None
    has_hits = isinstance(hits, dict) and isinstance(hits.get("hits"), list)
    return has_hits or (isinstance(value, dict) and "error" in value)


def _refuse_failed(rows: Rows, errors: Mapping[str, Any]) -> None:
    if errors:
        query, error = next(iter(errors.items()))
        what = f"{len(errors):,} searches failed: {format_list(errors)}"
        rows.source.fail(None, f"{what}; that of {safe_repr(query)} says {safe_repr(error)}")


def _ratings(rows: Rows, value: dict[str, Any]) -> dict[str, Any] | None:
    """Judgements as OpenSearch lists them, with numbers in quotes."""
    lists = value.get("judgmentRatings")
    if not isinstance(lists, list) or rows.is_run:
        return None
    return {
        entry["query"]: {one["docId"]: json.loads(one["rating"]) for one in entry["ratings"]}
        for entry in lists
    }


def _predictions(rows: Rows, value: dict[str, Any]) -> dict[str, Any] | None:
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
        rows.source.fail(None, f"holds predictions of {format_list(parts)}; leave one in a file")
    run: dict[str, Any] = next(iter(parts.values()))
    return run


# One object -------------------------------------------------------------------------------------


class _Reader:
    """Turns objects into rows, by the same keys for all of a file."""

    def __init__(self, rows: Rows, columns: Columns) -> None:
        self.rows, self.source, self.is_run, self.columns = rows, rows.source, rows.is_run, columns
        rows.role = "score" if rows.is_run else "grade"
        self.kinds = wanted_of(ORDER if rows.is_run else GRADE, columns)
        """Roles of the number of a row; the first wins."""
        if not rows.is_run and "grade" not in columns:
            self.kinds = ("grade", "score")  # as BEIR calls it
        self.spare: dict[str, set[Any]] = {}
        """Different values of keys that may hold a number that is lacking."""
        self.all_queries: dict[str, int | None] = {}
        """With the line of their list of items."""
        self.has_list: set[str] = set()
        self.unread: dict[str, None] = {}
        """Keys that have no role."""
        self.inside = ""
        """The list of items, as ``hits[]``."""
        self.ranks: list[float] = []
        """Of rows that have a score, too."""
        self.scores: list[float] = []
        """Numbers of the items of lists, and how many each list has."""
        self.sizes: list[int] = []
        self.are_lists = True

    def read(self, line: int | None, value: Any) -> Iterator[_Row]:
        """Rows of one object."""
        fail = partial(self.source.fail, line)
        if not isinstance(value, dict):
            fail(f"holds a JSON {type(value).__name__}, expected an object")
        where = f"{self.source.name}:{line}" if line else self.source.name
        nested = [key for key, items in value.items() if isinstance(items, (list, dict))]
        side, other = ("retrieved", "relevant") if self.is_run else ("relevant", "retrieved")
        if _is_response(value) and "hits" in value:
            value = {**value, "hits": value["hits"]["hits"]}
        lists = lists_of(nested, side)
        if self.columns.get("item") in nested:  # which names the list then
            lists = [str(self.columns["item"])]
        if len(lists) > 1:
            fail(
                f"has several lists of items: {format_list(lists, limit=20)}. Say which one: "
                f"columns={{'item': {safe_repr(lists[0])}}}"
            )
        if not lists:
            for key in lists_of(nested, other):
                kinds = ("judgements", "a run") if self.is_run else ("a run", "judgements")
                what = "{} belongs to {}, but this is read as {}".format(safe_repr(key), *kinds)
                fail(f"{what}; are the two files swapped?")
            yield self._row(line, value, where)
            return
        query_key = self._query_key(value, where)
        query = self._id(line, value[query_key], "query")
        if query in self.has_list:  # nothing says which of the two ranks above
            before = f" (the first is in line {self.all_queries[query]})" if line else ""
            again = f"a second list of items for query {safe_repr(query)}{before}"
            fail(f"{again}; join them, or give the queries ids of their own")
        self.has_list.add(query)
        self.all_queries[query] = line
        self.inside = f"{lists[0]}[]"
        self.rows.roles.update({"query": query_key, "item": self.inside})
        elements = value[lists[0]]
        numbers = self._numbers_beside(line, value, lists[0], nested)
        scores: list[float] = []
        for place, element in enumerate(
            map(list, elements.items()) if isinstance(elements, dict) else elements
        ):
            if isinstance(element, dict):
                row = self._row(line, element, f"an item of {where}", query)
            elif isinstance(element, list) and len(element) == 2:
                item = self._id(line, element[0], "item")
                row = query, item, self._number(line, element[1], query, item)
            else:
                item = self._id(line, element, "item")
                row = query, item, None
                if numbers is not None:
                    row = query, item, self._number(line, numbers[place], query, item)
            scores += [] if row[2] is None else [row[2]]
            yield row
        self.are_lists &= isinstance(elements, list)
        self.scores += scores
        self.sizes.append(len(scores))

    def _numbers_beside(
        self, line: int | None, value: dict[str, Any], key: str, nested: list[str]
    ) -> list[Any] | None:
        """Scores or grades that stand in a list of their own, as long as that of the items."""
        for kind in self.kinds:
            beside = self.columns.get(kind) or next(iter(lists_beside(nested, key, kind)), "")
            numbers = value[beside] if beside in nested and beside != key else None
            if not isinstance(numbers, list):
                continue
            if len(numbers) != len(value[key]):
                self.source.fail(
                    line, f"has {len(value[key]):,} items and {len(numbers):,} numbers of them"
                )
            self.rows.role, self.rows.roles[kind] = kind, f"{beside}[]"
            return numbers
        return None

    def _query_key(self, value: dict[str, Any], where: str) -> str:
        """The key of the query's id beside a list of items."""
        names = [key for key, part in value.items() if not isinstance(part, (list, dict))]
        given = self._columns_in(names)
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

    def _columns_in(self, keys: Collection[str]) -> Columns:
        """The columns that the caller names and that are among some keys."""
        return {r: key for r, key in self.columns.items() if key is None or key in keys}

    def _row(
        self, line: int | None, value: dict[str, Any], where: str, query: str | None = None
    ) -> _Row:
        """The row of an object, which names its query or is in the list of one."""
        wanted = ORDER if self.is_run else GRADE
        if query is None:
            required: tuple[Role, ...] = ("query", "item")
            roles = find_roles(value, required, self.kinds, columns=self.columns, where=where)
            query = self._id(line, value[roles["query"]], "query")
            self.all_queries.setdefault(query, line)
        else:
            roles = roles_of_hit(value, self.kinds, self.columns, where)
        item = self._id(line, value[roles["item"]], "item")
        unread = [key for key in value if key not in roles.values()]
        self.unread.update(dict.fromkeys(unread))
        inside = f"{self.inside}." if "query" not in roles else ""
        self.rows.roles.update({role: inside + key for role, key in roles.items()})
        kind = next((kind for kind in self.kinds if kind in roles), None)
        if kind is None:
            for key in unread_columns(unread, {}, self.columns, wanted):
                if isinstance(value[key], (str, int, float)):
                    self.spare.setdefault(key, set()).add(value[key])
            return query, item, None
        if self.is_run:
            self.rows.role = kind
        number = value[roles[kind]]
        if number is None:  # not rated, or sorted by something else than the score
            return query, item, None if self.is_run else math.nan
        if kind != "rank" and "rank" in roles:
            rank = value[roles["rank"]]
            is_number = isinstance(rank, (int, float)) and not isinstance(rank, bool)
            self.ranks.append(float(rank) if is_number and abs(rank) < EXACT else math.nan)
        return query, item, self._number(line, number, query, item)

    def _number(self, line: int | None, value: Any, query: str, item: str) -> float:
        problem = ""
        if self.rows.grades is not None and isinstance(value, str):
            return self.rows.grade_of(line, value)
        if isinstance(value, bool) and not self.is_run:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            problem = "is not a number"
            if isinstance(value, str) and not self.is_run:
                problem += f"; pass grades={text_grades([value])}, a number for each text"
        elif isinstance(value, int) and not is_exact(value):
            problem = INEXACT
        if problem:
            what = f"{self.rows.role} {safe_repr(value)} of item {safe_repr(item)} of query"
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
