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


class Chunk:
    """Its id is in the metadata."""

    def __init__(self, id):
        self.metadata = {"source": "f", "chunk_id": id}


class Model:
    """Fields as pydantic has them."""

    model_fields = ("id", "relevance_score")

    def __init__(self, id, relevance_score):
        self.id, self.relevance_score = id, relevance_score


Pair = namedtuple("Pair", "id score")


def merged(make):
    """Hits of two retrievers, one after the other: only their scores have the order."""
    scores = {"a": 0.7, "b": 0.2, "c": 0.9}
    return {q: [make(q[1:] + item, score) for item, score in scores.items()] for q in TRUTH}


def of_id(hit):
    return hit.id


def of_node(hit):
    return hit.node.id


PROVIDED = {"string_provider": of_id}
MISSED = Warned(0.0, "no relevant item")


def golden(name, judged, want=1 / 2, **columns):
    """A golden set of one query; columns by role."""
    options = {"columns": columns} if columns else {}
    files(f"golden set: {name}", [judged], RUN, "mrr", want, qrels_options=options)


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
FOLDS = {"scorer": "a poor candidate of a search may find nothing in a fold of few queries"}
judged = {"q0": {"a"}, "q1": {"b"}, "q2": {"c"}}
ranked = {"q0": ["x1"], "q1": ["x2"], "q2": ["x3"]}
row("llama_index#16361: ids that never match", judged, ranked, "mrr", MISSED, {}, FOLDS)
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
    ("node and score", lambda i, s: SimpleNamespace(node=Bare(i), score=s), of_node, 1.0),
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
    kind = make_dataclass("Hit", [("id", str), (name, float)])
    row(f"a number of the name {name}", TRUTH, merged(kind), "mrr", Refused(name))
chunks = merged(lambda i, s: SimpleNamespace(id=None, metadata={"source": "f", "chunk_id": i}))
wanted = Refused(r"; pass string_provider=lambda item: item\.metadata\['chunk_id'\]$")
row("chunks whose id is in their metadata", TRUTH, chunks, "mrr", wanted)
chunks = {q: [(hit, 0.9 / n) for n, hit in enumerate(hits, 1)] for q, hits in chunks.items()}
wanted = Refused(r"=lambda item: item\[0\]\.metadata\['chunk_id'\]$")
row("pairs of such a chunk and a score", TRUTH, chunks, "mrr", wanted)
chunks = merged(lambda i, s: Chunk(i))
wanted = Refused(
    r"are str; pass string_provider=lambda item: item\.metadata\['chunk_id'\] to [^(]+$"
)
row("hashable chunks without an id", TRUTH, chunks, "mrr", wanted)
rising = {
    q: [SimpleNamespace(id=q[1:] + i, confidence=s) for i, s in (("c", 0.1), ("a", 0.5))]
    for q in TRUTH
}
wanted = Warned(1.0, "in the order of the lists, not by confidence", RankingOrderWarning)
row("a provider beside confidence, worst first", TRUTH, rising, "mrr", wanted, PROVIDED)
row("fields of a pydantic model", TRUTH, merged(Model), "mrr", Refused("relevance_score"))
ranked = merged(lambda i, s: SimpleNamespace(id=i, metadata={"distance": s}))
row("metadata of a hit", TRUTH, ranked, "mrr", Refused("distance"))
ranked = merged(lambda i, s: {"id": i, "metadata": {"score": s}})
row("metadata of a dict", TRUTH, ranked, "mrr", Refused("score"))
row("objects with an id alone", {"q": {"a"}}, {"q": [Bare("b"), Bare("a")]}, "mrr", 1 / 2)
row("one query of objects that found nothing", {"q": {"a"}}, {"q": [Bare("b")]}, "mrr", 0.0)
source = "haystack: objects without __eq__"
row(source, [{Bare("a")}], [[Bare("a"), Bare("b")]], "mrr", Refused("__eq__|string_provider"))
source, told = "a list of objects as one truth", {"scorer": "y has a truth per query"}
golds, ranked = [*map(Node, "abc")], [[Node("x"), Node("a")], [Node("b"), Node("c")]]
row(source, golds, ranked, "map", (3 / 4 + 1) / 2, PROVIDED, told)
row(source, golds, ranked, "map", Refused("__eq__|set\\(y_true\\)|string_provider="), {}, told)
row("that truth in a list", [golds], ranked, "map", Refused("one list for 2.*y_true"), {}, told)
wanted = Refused("\\[\\[x\\] for x in y_true\\].*if all are one truth")
row("an object for each query", golds[:2], ranked, "map", wanted, PROVIDED, told)
ranked = [[{"k": "x"}, {"k": "a"}], [{"k": "b"}]]
options = {"string_provider": lambda hit: hit["k"]}
row("dicts without scores", [{"a"}, {"b"}], ranked, "mrr", (1 / 2 + 1) / 2, options)
LABELS = {"scorer": "texts in y are labels there"}
row("a list of texts as one truth", ["a", "b"], [["a"], ["b"]], "map", Refused("set"), {}, LABELS)
wanted = Refused("text|hash|string_provider")
source = "textstack#306: relevance by text"
row(source, [[Containing("Paris")]], [["It is Rome.", "It is Paris."]], "mrr", wanted)
# Golden files
golden("expected_sources", {"question": "q", "expected_sources": ["a"]})
fields = {"meta": {"v": 1}, "sessions": 3, "queries": [{"query": "q", "relevant": ["a"]}]}
files("golden set: wrapped, with meta", fields, RUN, "mrr", 1 / 2)
golden("q, relevant", {"q": "q", "relevant": ["a"]}, Refused("'query': 'q'|query=q"))
golden("q, relevant", {"q": "q", "relevant": ["a"]}, query="q")
golden("expected_files", {"query": "q", "expected_files": ["a"]}, Refused("expected_files"))
for name, value in (("expected_files", ["a"]), ("expect_any", ["a"]), ("expected_doc_id", "a")):
    golden(name, {"query": "q", name: value}, item=name)
fields = {"query": "q", "gold_chunk_ids": ["a"], "gold_pages": [3]}
golden("gold_chunk_ids, gold_pages", fields, Refused("gold_pages"))
golden("gold_chunk_ids, gold_pages", fields, grade=None)
fields = [{"query": "q", "expected_pages": [1]}, {"query": "r"}]
reading = {"columns": {"item": "expected_pages"}}
files("golden set: expected_pages", fields, RUN, "mrr", Refused(r"'r'|\[1\]"), "json", reading)
fields = [{"query": "q", "relevant_ids": ["a"]}, {"query": "r", "relevant_ids": None}]
wanted = Warned(1 / 2, "undefined", Warning)
files("golden set: null is none", fields, {"q": ["b", "a"], "r": ["x"]}, "mrr", wanted)
for name, value in (
    ("expected_source", "a"),
    ("docs_wanted", ["a"]),
    ("labels", [{"tool_id": "a", "relevance": 2}]),
    ("best", ["a"]),
    ("must_contain", "Paris"),
    ("must_contain_any", ["Paris"]),
    ("section_contains", "Intro"),
):
    fields = {"query": "q", name: value, "should_refuse": False, "notes": "x"}
    golden(name, fields, Refused(f"^(?!.*=(should_refuse|notes)).*{name}"))
fields = {"queries": {"q": "?"}, "corpus": {"a": "."}, "relevant_docs": {"q": ["a"]}, "mode": "x"}
files("LlamaIndex: queries, corpus, relevant_docs", fields, RUN, "mrr", 1 / 2)
fields = [{"user_input": "q", "reference_context_ids": ["a"]}]
files("Ragas: contexts", fields, [{"user_input": "q", "contexts": ["b", "a"]}], "mrr", 1 / 2)
judged, reading = (
    "query,expected_ids\nq,\"['a']\"\n",
    {"columns": {"item": "expected_ids", "grade": None}},
)
ranked, again = "query,retrieved_ids\nq,\"['b', 'a']\"\n", {"columns": {"item": "retrieved_ids"}}
files("Ragas: to_csv", judged, ranked, "mrr", Refused("list"), "csv", reading, again)
judged = [{"id": f"g{n}", "question": f"how {n}", "gold_ids": ["a"]} for n in "12"]
ranked = [{"question": f"how {n}", "retrieved": ["b", "a"]} for n in "12"]
told = Refused(
    r"by 'id', .* by 'question'; pass (--qrels-column query=question|col.*'} to read_qrels)$"
)
files("golden set: id beside question, a run by question", judged, ranked, "mrr", told)
reading = {"columns": {"query": "question"}}
files("golden set: id beside question, by question", judged, ranked, "mrr", 1 / 2, "json", reading)
by_id = {"g1": ["b", "a"], "g2": ["b", "a"]}
files("golden set: id beside question, a run by id", judged, by_id, "mrr", 1 / 2)
# Metrics written at home
WRONG = {precision: "recall hit_rate", hit: "recall precision", one: "recall hit_rate bpref"}
for function, names in {**WRONG, jaccard: "recall", recall: "recall@10"}.items():
    for name in names.split():
        source = f"memorybench#67: {function.__name__} as {name}"
        call(source, {"audit": lambda f=function, m=name: audit(f, m).agrees}, False)
for function, name, words in (
    (hit, "recall@10", "hit_rate"),
    (natural, "dcg@10", "logarithm is natural"),
    (from_zero, "mrr", "from 0"),
    (of_retrieved, "ndcg@10", "from the retrieved"),
    (whole_ideal, "ndcg@10", "ideal DCG has no cutoff"),
):
    found = {"audit": lambda f=function, m=name: audit(f, m)}
    call(f"audit: {function.__name__} as {name}", found, Printed(None, words))
# Reranked lists that keep the scores of the retriever
found = [
    [{"id": f"{n}c", "score": 0.5}, *({"id": f"x{r}", "score": 0.9 - r / 9} for r in range(4))]
    for n in range(6)
]
wanted = Printed(1 / 5, "ranked by score, although 6 of 6 lists have another order")
row("lists in another order than their scores", [{f"{n}c"} for n in range(6)], found, "mrr", wanted)
