"""Objects of retrievers: real ones (`.ci/versions ecosystem`), and classes of their shapes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from sklearn_rank import RankingDataWarning, RankingOrderWarning, evaluate

IDS, SCORES = ["a.md", "b.md", "c.md"], [0.9, 0.5, 0.5]
TRUTH = {"q": {"b.md"}}
TIED = (1 / 2 + 1 / 3) / 2
"""The reciprocal rank of b.md, which is tied with c.md where scores are read."""


@dataclass(eq=True)  # so that it has no hash, as pydantic's models have none
class Document:
    id: str | None = None
    score: float | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class Node:
    node: Document
    score: float | None = None

    @property
    def node_id(self) -> str | None:
        return self.node.id


@dataclass(frozen=True)
class Frozen:
    id: str


def langchain() -> Any:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.documents import Document as Real

    return lambda name, _: Real(page_content="text", metadata={"source": name})


def llama_index() -> Any:
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core.schema import NodeWithScore, TextNode

    def make(name: str, score: float) -> Any:
        node = TextNode(id_=name, text="text", metadata={"source": name})
        return NodeWithScore(node=node, score=score)

    return make


def haystack() -> Any:
    pytest.importorskip("haystack", reason="haystack-ai is not installed")
    from haystack import Document as Real

    return lambda name, score: Real(id=name, content=name, score=score, meta={"source": name})


def qdrant() -> Any:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from qdrant_client.models import ScoredPoint

    return lambda name, score: ScoredPoint(
        id=name, version=0, score=score, payload={"source": name}
    )


MAKERS: dict[str, tuple[Callable[[], Any], str, float, str]] = {
    # What makes a hit, the path to the name of its source, and MRR by ids, or the error.
    "LangChain": (
        langchain,
        "metadata.source",
        1 / 2,
        "unhashable Document; pass string_provider=",
    ),
    "LlamaIndex": (llama_index, "node.metadata.source", TIED, ""),
    "Haystack": (haystack, "meta.source", TIED, ""),
    "Qdrant": (qdrant, "payload.source", TIED, ""),
    "documents": (
        lambda: lambda name, _: Document(metadata={"source": name}),
        *("metadata.source", 1 / 2, "unhashable Document; pass string_provider="),
    ),
    "scored": (
        lambda: lambda name, score: Document(name, score, {"source": name}),
        *("metadata.source", TIED, ""),
    ),
    "nodes": (
        lambda: lambda name, score: Node(Document(name, metadata={"source": name}), score),
        *("node.metadata.source", TIED, ""),
    ),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_objects_of_retrievers(maker: str) -> None:
    factory, path, by_path, error = MAKERS[maker]
    make = factory()
    hits = [make(name, score) for name, score in zip(IDS, SCORES, strict=True)]
    if error:
        with pytest.raises(TypeError, match=error):
            evaluate(TRUTH, {"q": hits}, "mrr")
    else:
        assert evaluate(TRUTH, {"q": hits}, "mrr")["mrr"] == TIED
        assert evaluate([{"b.md"}], [hits], "mrr")["mrr"] == TIED
    # Texts of the truth pass a path, and a function, as they are.
    assert evaluate(TRUTH, {"q": hits}, "mrr", string_provider=path)["mrr"] == by_path
    assert evaluate(TRUTH, {"q": hits}, "mrr", string_provider=source(path))["mrr"] == 1 / 2
    scored = list(zip(hits, SCORES, strict=True))
    assert evaluate(TRUTH, {"q": scored}, "mrr", string_provider=path)["mrr"] == TIED
    distances = list(zip(hits, [0.1, 0.2, 0.4], strict=True))
    with pytest.warns(RankingOrderWarning, match="^scores rise along 1 of 1"):
        evaluate(TRUTH, {"q": distances}, "mrr", string_provider=path)
    both = {"q": [make("b.md", 0.5)]}
    assert evaluate(both, {"q": hits}, "mrr", string_provider=path)["mrr"] == by_path
    # A function of the whole object finds nothing, which is said at any number of queries.
    with pytest.warns(RankingDataWarning, match=r"compared by their .*pass string_provider="):
        assert evaluate(TRUTH, {"q": hits}, "mrr", string_provider=str)["mrr"] == 0.0


def source(path: str) -> Callable[[Any], str]:
    """The same path, as a function that text would break."""

    def follow(item: Any) -> str:
        for name in path.split("."):
            item = item[name] if isinstance(item, dict) else getattr(item, name)
        return str(item)

    return follow


def test_paths_of_dicts_and_numbers() -> None:
    hits = [{"payload": {"nr": 7}, "score": 0.9}, {"payload": {"nr": 8}, "score": 0.8}]
    found = evaluate({"q": {"8"}}, {"q": hits}, "mrr", string_provider="payload.nr")
    assert found["mrr"] == 1 / 2
    named = [{"meta": {"url": "u1"}}, {"meta": {"url": "u2"}}]
    with pytest.raises(TypeError, match=r"an item has no id; it has 'meta'.*string_provider="):
        evaluate({"q": {"u2"}}, {"q": named}, "mrr")
    with pytest.raises(
        ValueError, match=r"string_provider raised KeyError\(.*url.*\) on item 1 of"
    ):
        evaluate({"q": {"u2"}}, {"q": [named[0], {"meta": {}}]}, "mrr", string_provider="meta.url")


class Link(NamedTuple):
    """Names that would tell an id, of both sides."""

    query_id: str
    doc_id: str


class Scored(NamedTuple):
    doc_id: str
    distance: float


def test_named_tuples_are_ids_of_both_sides_or_read_by_their_names() -> None:
    links = [Link("q", "x"), Link("q", "a")]
    assert evaluate({"q": {Link("q", "a")}}, {"q": links}, "mrr")["mrr"] == 1 / 2
    hits = [Scored("x", 0.1), Scored("a", 0.2), Scored("b", 0.3)]
    assert evaluate({"q": {"a"}}, {"q": hits}, "mrr")["mrr"] == 1 / 2


def test_objects_that_are_ids_themselves_stay_so() -> None:
    ids = [Frozen("a"), Frozen("b")]
    assert evaluate({"q": {Frozen("b")}}, {"q": ids}, "mrr")["mrr"] == 1 / 2
    assert evaluate({"q": {"b"}}, {"q": ids}, "mrr")["mrr"] == 1 / 2
    with pytest.raises(ValueError, match="has 1 scores for 2 items; give each item one, or none"):
        evaluate({"q": {"b"}}, {"q": [Document("a", 0.5), Document("b")]}, "mrr")
    zero = [Document(1, 0.9), Document(0, 0.5)]  # type: ignore[arg-type]
    assert evaluate({"q": {0}}, {"q": zero}, "mrr")["mrr"] == 1 / 2
    linked = [{"id": "a", "url": "u", "title": "t"}, {"id": "b", "url": "v", "title": "t"}]
    assert evaluate({"q": {"b"}}, {"q": linked}, "mrr")["mrr"] == 1 / 2
    numbers = [Document(7, 0.5, {"url": "u7"})]  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="compared by their id; pass string_provider="):
        evaluate({"q": {"u7"}}, {"q": numbers}, "mrr")
