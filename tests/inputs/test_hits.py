"""Objects in the shapes of retrievers; real ones are read in test_retrievers."""

import dataclasses
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from sklearn_rank import RankingDataWarning, RankingOrderWarning, evaluate
from sklearn_rank.exceptions import ColumnRoleError

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
            with pytest.raises(
                TypeError, match=r"unhashable Document objects; pass string_provider="
            ):
                evaluate(*sides, "mrr")
        else:
            assert evaluate(*sides, "mrr")["mrr"] == by_id
        # Texts of the truth pass the function as they are, and scores are read without it, too.
        assert evaluate(*sides, "mrr", string_provider=source)["mrr"] == (by_id or 1 / 2)
    both = {"q": [make("b.md", 0.5)]}
    assert evaluate(both, {"q": hits}, "mrr", string_provider=source)["mrr"] == (by_id or 1 / 2)
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


# Scores beside what a provider reads, and numbers of unknown names -------------------------------

TWO = {"q": {"best"}}
"""The best item comes second in each list."""


def of_two(make: Callable[[str, float], Any]) -> dict[str, list[Any]]:
    return {"q": [make("other", 0.25), make("best", 0.75)]}


PROVIDED: dict[str, tuple[Callable[[str, float], Any], Callable[[Any], str]]] = {
    "objects": (lambda i, s: SimpleNamespace(key=i, score=s), lambda hit: hit.key),
    "dicts": (lambda i, s: {"key": i, "score": s}, lambda hit: hit["key"]),
    "pairs of an object": (lambda i, s: (SimpleNamespace(key=i), s), lambda hit: hit[0].key),
    "pairs of a text": (lambda i, s: (i, s), lambda hit: hit[0]),
    "distances": (lambda i, s: SimpleNamespace(key=i, distance=1 - s), lambda hit: hit.key),
}


@pytest.mark.parametrize("form", PROVIDED)
def test_a_provider_reads_ids_and_scores_order_the_items(form: str) -> None:
    make, provider = PROVIDED[form]
    unsorted = of_two(make)
    with pytest.warns(RankingOrderWarning, match="1 of 1 rankings are not in the order of their"):
        assert evaluate(TWO, unsorted, "mrr", string_provider=provider)["mrr"] == 1.0
    by_score = {"q": unsorted["q"][::-1]}
    assert evaluate(TWO, by_score, "mrr", string_provider=provider)["mrr"] == 1.0
    # Scores that are passed beside the lists keep these in their order.
    beside = {"string_provider": provider, "relevance": {"q": [0.9, 0.1]}}
    assert evaluate(TWO, unsorted, "mrr", **beside)["mrr"] == 1 / 2


def objects_of(items: list[Any]) -> Any:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


@pytest.mark.parametrize("form", [tuple, pd.Series, deque, objects_of])
def test_scores_order_the_items_of_other_lists_too(form: Any) -> None:
    make, provider = PROVIDED["objects"]
    several = {"q": form(of_two(make)["q"]), "other": of_two(make)["q"]}
    with pytest.warns(RankingOrderWarning, match="2 of 2 rankings are not in the order of their"):
        ev = evaluate({**TWO, "other": {"best"}}, several, "mrr", string_provider=provider)
    assert ev["mrr"] == 1.0


def test_a_provider_of_documents_and_pages_keeps_the_order() -> None:
    run = [[("doc", 3), ("doc", 7)]]
    for truth in ({("doc", 7)}, {"doc 7"}):
        name = lambda item: item if isinstance(item, str) else "doc {1}".format(*item)  # noqa: E731
        assert evaluate([truth], run, "mrr", string_provider=name)["mrr"] == 1 / 2


ORDERS = (
    "relevance_score",
    "rerank_score",
    "confidence",
    "certainty",
    "bm25",
    "logit",
    "relevance",
)
UNREAD: dict[str, Callable[[str, str, Any], Any]] = {
    "object": lambda i, name, s: SimpleNamespace(id=i, **{name: s}),
    "dataclass": lambda i, name, s: dataclasses.make_dataclass("Hit", ["id", name])(i, s),
    "metadata": lambda i, name, s: SimpleNamespace(id=i, metadata={name: s, "page": 3}),
    "metadata object": lambda i, name, s: SimpleNamespace(
        id=i, metadata=SimpleNamespace(**{name: s})
    ),
    "text": lambda i, name, s: SimpleNamespace(id=i, **{name: str(s)}),
    "dict in dict": lambda i, name, s: {"id": i, "metadata": {name: s}},
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("form", UNREAD)
def test_a_number_whose_name_says_score_is_refused(form: str, name: str) -> None:
    run = of_two(lambda item, score: UNREAD[form](item, name, score))
    with pytest.raises(ColumnRoleError, match=rf"may be '(metadata\.)?{name}' \(numbers\)"):
        evaluate(TWO, run, "mrr")


@pytest.mark.parametrize("name", ["price", "page", "year", "line", "n_pages", "version", "size"])
def test_other_numbers_of_objects_are_nobody_s_business(name: str) -> None:
    run = of_two(lambda item, score: SimpleNamespace(id=item, **{name: 10 * score}))
    assert evaluate(TWO, run, "mrr")["mrr"] == 1 / 2
    assert evaluate(TWO, run, "mrr", string_provider=lambda hit: hit.id)["mrr"] == 1 / 2


def test_an_unread_score_beside_a_provider_warns_only_where_lists_are_not_sorted_by_it() -> None:
    options = {"string_provider": lambda hit: hit.id}
    for name, numbers in (("rerank_score", (0.9, 0.1)), ("l2_distances", (0.1, 0.9))):
        hits = [
            SimpleNamespace(id=i, **{name: n}) for i, n in zip(("x", "best"), numbers, strict=True)
        ]
        assert evaluate(TWO, {"q": hits}, "mrr", **options)["mrr"] == 1 / 2
        with pytest.warns(RankingOrderWarning, match=f"not by {name}; sort the lists"):
            assert evaluate(TWO, {"q": hits[::-1]}, "mrr", **options)["mrr"] == 1.0
