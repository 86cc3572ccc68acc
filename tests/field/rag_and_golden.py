"""What people who measure retrieval for language models have reported, and their golden files."""

import math
from collections import namedtuple
from dataclasses import dataclass, make_dataclass
from math import log, log2
from types import SimpleNamespace

from sklearn_rank import audit
from sklearn_rank.exceptions import DuplicateItemError, RankingOrderWarning
from tests.field.row import Printed, Refused, Table, Warned

RUN = {"q": ["b", "a"]}
TRUTH = {f"q{n}": {f"{n}c"} for n in range(40)}


@dataclass
class Node:
    """What a retriever returns: unhashable, since it can be equal to another."""

    id: str
    score: float = 0.0
    page: int = 1


class Bare:
    """An object without `__eq__`: it equals itself alone."""

    def __init__(self, id):
        self.id = id


class Model:
    """Fields as pydantic has them."""

    model_fields = ("id", "relevance_score")

    def __init__(self, id, relevance_score):
        self.id, self.relevance_score = id, relevance_score


Pair = namedtuple("Pair", "id score")


def merged(make):
    """Hits of two retrievers, one after the other: only their scores have the order."""
    return {
        q: [make(q[1:] + x, s) for x, s in zip("abc", (0.7, 0.2, 0.9), strict=True)] for q in TRUTH
    }


def scored(name):
    kind = make_dataclass("Hit", [("id", str), (name, float)])
    return merged(kind)


def of_id(hit):
    return hit.id


PROVIDED = {"string_provider": of_id}
MISSED = Warned(0.0, "no relevant item")


def golden(name, fields, want=1 / 2, run=RUN, **options):
    files(f"golden set: {name}", fields, run, "mrr", want, qrels_options=options)


def columns(**named):
    return {"columns": named}


# Metrics that people wrote, and what they were meant to be
def precision(relevant, retrieved):
    return sum(i in relevant for i in retrieved) / len(retrieved) if retrieved else 0.0


def hit(relevant, retrieved):
    return float(any(i in relevant for i in retrieved))


def recall(retrieved, relevant, k=10):
    return sum(i in relevant for i in retrieved[:k]) / len(relevant) if relevant else 0.0


def one(relevant, retrieved):
    return 1.0


def jaccard(relevant, retrieved):
    both = {*relevant} & {*retrieved}
    return len(both) / len({*relevant} | {*retrieved} or {0})


def first(relevant, retrieved, start=1):
    return next((1 / n for n, i in enumerate(retrieved, start) if i in relevant), 0.0)


def from_zero(relevant, retrieved):
    return next((1 / (n or 1) for n, i in enumerate(retrieved) if i in relevant), 0.0)


def gained(grades, ideal, logarithm):
    best = sorted(ideal, reverse=True)
    worth = [sum((2**g - 1) / logarithm(n + 1) for n, g in enumerate(x, 1)) for x in (grades, best)]
    return worth[0] / worth[1] if worth[1] else 0.0


def natural(grades, k=10):
    return sum((2**g - 1) / log(n + 1) for n, g in enumerate(grades[:k], 1))


def of_retrieved(grades, k=10):
    return gained(grades[:k], grades[:k], log2)


def whole_ideal(relevances, ideal, k=10):
    return gained(relevances[:k], ideal, log2)


def agrees(function, name):
    return lambda: audit(function, name).agrees


def explained(function, name):
    return lambda: str(audit(function, name))


class Containing:
    """A text that has to contain the words of an answer."""

    def __init__(self, words):
        self.words = words

    def __eq__(self, text):
        return bool(__import__("re").search(self.words, text))

    __hash__ = None


ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

# Values
ranked = {"n": [9], "a": [1, 7, 2], "b": [8, 3], "c": [5, 6, 4]}
judged = {"n": {}, "a": {1, 2}, "b": {3}, "c": {4, 5}}
row("LongMemEval#7", judged, ranked, "mrr", (0 + 1 + 1 / 2 + 1) / 4, {"zero_division": 0.0})
ranked = {"n": ["z"], "a": ["y", "x"]}
row("noosphere#327", {"n": {}, "a": {"x": 2}}, ranked, "mrr", 1 / 2, {"zero_division": math.nan})
case("gbrain#4607", "a b", "a b", "recall@5", 2 / 2)
case("mlflow#24541", "a=1 b=1 c=1", "x a", "ndcg@10", 1 / log2(3) / (1 + 1 / log2(3) + 1 / 2))
case("mlflow#12361", "a", "a a", "precision@2", Refused("a", DuplicateItemError))
case("haystack#12255", "a b", "a x", "map", 1 / 1 / 2)
options = {"string_provider": lambda pair: pair[0]}
row("haystack#9331", {"q": {("d1", 0)}}, {"q": [("d1", 7), ("d2", 3)]}, "mrr", 1.0, options)
row("llama_index#22683", {"q": ["a", "a", "b"]}, {"q": ["a", "b"]}, "recall@2", 2 / 2)
case("llama_index#17070", "a=1 b=1", "a x", "ndcg", 1 / (1 + 1 / log2(3)))
case("llama_index#17126", "a=1 b=1", "x a", "ndcg", 1 / log2(3) / (1 + 1 / log2(3)))
case("llama_index#13926", "a | b", "a | ", "recall@2", (1 + 0) / 2)
case("llama_index#11030", "a b", "x a", "hit_rate@2", 1.0)
case("llama_index#16361: ids that never match", "a | b | c", "x1 | x2 | x3", "mrr", MISSED)
source = "AutoRAG#386: ideal of what was retrieved"
case(source, "a b", "x a", "ndcg", 1 / log2(3) / (1 + 1 / log2(3)))
wanted = Refused("alternativ|string_provider.*one")
row("AutoRAG#386: alternatives", [[["a1", "a2"], ["b"]]], [["a2", "b"]], "recall@2", wanted)
case("openagent-eval#223", "b", "a b", "ndcg", 1 / log2(3))
case("ragas#2816", "a b", "x a", "precision@2", 1 / 2)
case("mt-rag-benchmark#3", "d1 | d2 | d3", "d1-0 | d2-4 | d3-1", "recall@5", MISSED)
judged = " | ".join(f"o{n}" for n in range(12))
case("rosetta#17: stale ids", judged, " | ".join(f"n{n}" for n in range(12)), "mrr", MISSED)
# Objects of retrievers
for name, make, key, want in (
    ("dataclass", Node, of_id, 1.0),
    ("SimpleNamespace", lambda i, s: SimpleNamespace(id=i, score=s), of_id, 1.0),
    (
        "node and score",
        lambda i, s: SimpleNamespace(node=SimpleNamespace(id=i), score=s),
        lambda hit: hit.node.id,
        1.0,
    ),
    ("named tuple", Pair, of_id, 1.0),
    ("pair", lambda i, s: (SimpleNamespace(id=i), s), lambda hit: hit[0].id, 1.0),
    ("dict", lambda i, s: {"id": i, "score": s}, lambda hit: hit["id"], 1.0),
    ("a page is none", lambda i, s: SimpleNamespace(id=i, page=int(s * 10)), of_id, 1 / 3),
    ("a price is none", lambda i, s: SimpleNamespace(id=i, price=s, year=1999), of_id, 1 / 3),
):
    source = f"a provider beside a score: {name}"
    if want == 1.0:
        want = Warned(want, "not in the order of their scores", RankingOrderWarning)
    row(source, TRUTH, merged(make), "mrr", want, {"string_provider": key})
for name in ("relevance_score", "rerank_score", "confidence", "certainty", "logit", "probability"):
    row(f"a number of the name {name}", TRUTH, scored(name), "mrr", Refused(name))
row("fields of a pydantic model", TRUTH, merged(Model), "mrr", Refused("relevance_score"))
ranked = merged(lambda i, s: SimpleNamespace(id=i, metadata={"distance": s}))
row("metadata of a hit", TRUTH, ranked, "mrr", Refused("distance"))
ranked = merged(lambda i, s: {"id": i, "metadata": {"score": s}})
row("metadata of a dict", TRUTH, ranked, "mrr", Refused("score"))
row("objects with an id alone", {"q": {"a"}}, {"q": [Bare("b"), Bare("a")]}, "mrr", 1 / 2)
source = "haystack: objects without __eq__"
row(source, [{Bare("a")}], [[Bare("a"), Bare("b")]], "mrr", Refused("__eq__|string_provider"))
source = "a list of objects as one truth"
ranked = [[Node("a")], [Node("b")]]
row(source, [Node("a"), Node("b")], ranked, "map", Refused("\\{.* for .* in"), PROVIDED)
LABELS = {"scorer": "texts in y are labels there"}
row("a list of texts as one truth", ["a", "b"], [["a"], ["b"]], "map", Refused("set"), {}, LABELS)
wanted = Refused("text|hash|string_provider")
source = "textstack#306: relevance by text"
row(source, [[Containing("Paris")]], [["It is Rome.", "It is Paris."]], "mrr", wanted)
# Golden files
golden("expected_sources", [{"id": "q", "question": "q", "expected_sources": ["a"]}])
fields = {"meta": {"v": 1}, "sessions": 3, "queries": [{"query": "q", "relevant": ["a"]}]}
golden("wrapped, with meta", fields)
golden("q, relevant", [{"q": "q", "relevant": ["a"]}], Refused("'query': 'q'|query=q"))
golden("q, relevant", [{"q": "q", "relevant": ["a"]}], **columns(query="q"))
golden("expected_files", [{"query": "q", "expected_files": ["a"]}], Refused("expected_files"))
fields = [{"query": "q", "expected_files": ["a"]}]
golden("expected_files", fields, **columns(item="expected_files"))
golden("expect_any", [{"query": "q", "expect_any": ["a"]}], **columns(item="expect_any"))
fields = [{"query": "q", "expected_doc_id": "a"}]
golden("expected_doc_id", fields, **columns(item="expected_doc_id"))
fields = [{"query": "q", "gold_chunk_ids": ["a"], "gold_pages": [3]}]
golden("gold_chunk_ids, gold_pages", fields, Refused("gold_pages"))
golden("gold_chunk_ids, gold_pages", fields, **columns(grade=None))
fields = [{"query": "q", "expected_pages": [1]}, {"query": "r"}]
golden("expected_pages", fields, Refused("'r'|1|2"), **columns(item="expected_pages"))
fields = [{"query": "q", "relevant_ids": ["a"]}, {"query": "r", "relevant_ids": None}]
golden("null is none", fields, Warned(1 / 2, "undefined", Warning), {"q": ["b", "a"], "r": ["x"]})
fields = [{"query": "q", "expected_source": "a", "should_refuse": False}]
golden("should_refuse", fields, Refused("expected_source"))
golden("notes", [{"query": "q", "docs_wanted": ["a"], "notes": "x"}], Refused("docs_wanted"))
fields = [{"query": "q", "labels": [{"tool_id": "a", "relevance": 2}]}]
golden("labels of tools", fields, Refused("labels|tool_id"))
fields = [{"query": "q", "best": ["a"], "acceptable": ["b"]}]
golden("best, acceptable, forbidden", fields, Refused("best"))
golden("must_contain", [{"query": "q", "must_contain": "Paris"}], Refused("must_contain"))
fields = [{"query": "q", "must_contain_any": ["Paris"]}]
golden("must_contain_any", fields, Refused("must_contain_any"))
fields = [{"query": "q", "section_contains": "Intro"}]
golden("section_contains", fields, Refused("section_contains"))
fields = {
    "queries": {"q": "?"},
    "corpus": {"a": "."},
    "relevant_docs": {"q": ["a"]},
    "mode": "text",
}
golden("LlamaIndex: queries, corpus, relevant_docs", fields)
fields = [{"user_input": "q", "reference_context_ids": ["a"]}]
golden("Ragas: contexts", fields, run=[{"user_input": "q", "contexts": ["b", "a"]}])
given6 = {"columns": {"item": "expected_ids", "grade": None}}
ranked = "query,retrieved_ids\nq,\"['b', 'a']\"\n"
given7 = {"columns": {"item": "retrieved_ids"}}
judged = "query,expected_ids\nq,\"['a']\"\n"
files("Ragas: to_csv", judged, ranked, "mrr", Refused("list"), "csv csv", given6, given7)
# Metrics written at home
for function, name in (
    (precision, "recall"),
    (hit, "recall"),
    (hit, "precision"),
    (precision, "hit_rate"),
    (one, "recall"),
    (one, "hit_rate"),
    (jaccard, "recall"),
    (recall, "recall@10"),
    (first, "map"),
):
    source = f"memorybench#67: {function.__name__} as {name}"
    call(source, {"audit": agrees(function, name)}, False)
for function, name, words in (
    (hit, "recall@10", "hit"),
    (natural, "dcg@10", "natural"),
    (from_zero, "mrr", "from 0"),
    (of_retrieved, "ndcg@10", "retrieved"),
    (whole_ideal, "ndcg@10", "ideal"),
):
    source = f"audit: {function.__name__} as {name}"
    call(source, {"audit": explained(function, name)}, Printed(None, words))
