"""Ids of queries in the order of responses that do not name them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from sklearn_rank.files.jsons import load_json
from sklearn_rank.files.source import Source, source_of, text_of
from sklearn_rank.inputs.roles import ids_among
from sklearn_rank.support.text import format_list

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
