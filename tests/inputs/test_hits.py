"""Objects in the shapes of retrievers; real ones are read in test_retrievers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from sklearn_rank import RankingDataWarning, evaluate

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


SHAPES: dict[str, tuple[Callable[[str, float], Any], float | None]] = {
    # What makes a hit, and MRR by ids; None: such objects have none.
    "documents": (lambda name, _: Document(metadata={"source": name}), None),
    "scored": (lambda name, score: Document(name, score, {"source": name}), TIED),
    "nodes": (lambda name, score: Node(Document(name, metadata={"source": name}), score), TIED),
}


def source(hit: Any) -> str:
    """The name in the metadata of a hit, which text would break."""
    return str(getattr(hit, "node", hit).metadata["source"])


@pytest.mark.parametrize("shape", SHAPES)
def test_objects_of_retrievers(shape: str) -> None:
    make, by_id = SHAPES[shape]
    hits = [make(name, score) for name, score in zip(IDS, SCORES, strict=True)]
    for sides in ((TRUTH, {"q": hits}), ([{"b.md"}], [hits])):
        if by_id is None:
            with pytest.raises(TypeError, match=r"unhashable Document; pass string_provider="):
                evaluate(*sides, "mrr")
        else:
            assert evaluate(*sides, "mrr")["mrr"] == by_id
        # Texts of the truth pass the function as they are.
        assert evaluate(*sides, "mrr", string_provider=source)["mrr"] == 1 / 2
    both = {"q": [make("b.md", 0.5)]}
    assert evaluate(both, {"q": hits}, "mrr", string_provider=source)["mrr"] == 1 / 2
    # A function of the whole object finds nothing, which is said at any number of queries.
    with pytest.warns(RankingDataWarning, match=r"compared by their .*pass string_provider="):
        assert evaluate(TRUTH, {"q": hits}, "mrr", string_provider=str)["mrr"] == 0.0


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
