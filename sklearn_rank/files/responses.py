"""Stored responses of search engines: where each has its hits, and what it calls their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from sklearn_rank.inputs.roles import LISTS, Columns, lists_of


class _Absent:
    """Marks a missing key where None is a value."""


ABSENT = _Absent()


class _Response(NamedTuple):
    """How the responses of an engine are recognised and read."""

    path: str
    """Path of the list of hits."""
    mark: str = ""
    """A key that every hit has, if the path alone is ambiguous."""
    columns: Columns = MappingProxyType({})
    """Columns of hits whose names are not recognised."""
    sign: str = ""
    """A key of the response that serves as well as the mark."""


_RESPONSES = (
    _Response("hits.hits"),  # Elasticsearch, OpenSearch
    _Response("response.docs"),  # Solr
    _Response("value", "@search.score", {"score": "@search.score"}, "@odata.context"),  # Azure
    _Response("root.children", "relevance", {"score": "relevance"}),  # Vespa
    _Response("matches", "id"),  # Pinecone
    _Response("result.hits", "_id"),
    _Response("result.points", "id"),  # Qdrant
    _Response("result", "id"),
    _Response(  # Weaviate
        "data.Get.*",
        "_additional",
        {
            "item": "_additional.id",
            "score": "_additional.score",
            "distance": "_additional.distance",
        },
    ),
    _Response("hits", "hit", {"item": "hit._id", "score": "hit._score"}),  # details of _rank_eval
    _Response("hits", "objectID", {"item": "objectID"}),  # Algolia
    _Response("hits", "document", {"item": "document.id", "score": "text_match"}),  # Typesense
    _Response("hits", "_rankingScore", {"score": "_rankingScore"}, "processingTimeMs"),
    _Response("hits", "id"),  # Meilisearch
)
FIRST_KEYS = {response.path.partition(".")[0] for response in _RESPONSES}


def reach(value: Any, path: str) -> Any:
    """The value under a key, or under keys joined by dots; ABSENT if there is none."""
    if not isinstance(value, dict):
        return ABSENT
    if path in value:
        return value[path]
    if path == "*" and len(value) == 1:
        return next(iter(value.values()))
    first, dot, rest = path.partition(".")
    return reach(value.get(first), rest) if dot else ABSENT


def hits_of(response: Mapping[str, Any]) -> tuple[list[Any], Columns] | None:
    """The hits of an engine's response and the names of their columns; None for others."""
    if response.keys().isdisjoint(FIRST_KEYS):
        return None
    named = [*chain.from_iterable(lists_of(response, side) for side in LISTS)]
    for path, mark, columns, sign in _RESPONSES:
        hits = reach(response, path)
        if not isinstance(hits, list) or (mark and {*named} - {path}):
            continue
        is_one = not mark or sign in response
        if is_one or all(isinstance(hit, dict) and mark in hit for hit in hits):
            return hits, columns
    root = response.get("root")  # Vespa's, which has no list where it found nothing
    return ([], {}) if isinstance(root, dict) and "relevance" in root else None


def is_response(value: Any) -> bool:
    """Whether this is a response, or the error of a search."""
    return isinstance(value, dict) and (hits_of(value) is not None or bool(failure_of(value)))


def failure_of(response: Mapping[str, Any]) -> Any:
    """Why a search lacks hits; empty if it does not, or is no search."""
    if isinstance(response.get("error"), dict):
        return response["error"]
    if hits_of(response) is None:
        return ""
    header, shards = response.get("responseHeader"), response.get("_shards")
    is_partial = isinstance(header, dict) and header.get("partialResults")
    if response.get("timed_out") or is_partial:
        return "it ran out of time, so hits are missing"
    return "some shards failed" if isinstance(shards, dict) and shards.get("failed") else ""


def unreadable(value: Any) -> str:
    """What a response is whose hits have no ids of their own; "" for others."""
    if isinstance(reach(value, "data.Get"), dict) and hits_of(value) is None:
        how = "request _additional { id score }, or save the list of hits"
        return f"is a Weaviate response without the ids of its hits; {how}"
    ids = value.get("ids") if isinstance(value, dict) else None
    if isinstance(ids, list) and value.keys() & {"distances", "metadatas", "documents"}:
        part = "dict(zip(response['ids'][0], response['distances'][0]))"
        return f"is a Chroma response, with separate ids and distances; save {{query: {part}}}"
    return ""
