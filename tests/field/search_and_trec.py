"""What people who run search engines and read TREC's files have reported, and their files."""

import gzip
import json
from math import log2

from sklearn_rank.exceptions import ColumnRoleError, FileFormatError
from tests.field.row import Printed, Refused, Table, Warned

QRELS = "q 0 a 1/q 0 b 0"
RUN = "q Q0 b 1 0.9 t/q Q0 a 2 0.4 t"


def lines(text):
    return text.replace("/", "\n")


def trec(source, want, qrels=QRELS, run=RUN, measure="mrr", **rest):
    files(source, lines(qrels), lines(run), measure, want, "trec", **rest)


def table(source, want, qrels, run, measure="mrr", **rest):
    files(source, lines(qrels), lines(run), measure, want, "csv", **rest)


def engine(name, response, want, **rest):
    files(f"a response of {name}", {"q": {"a": 1}}, {"q": response}, "mrr", want, **rest)


HITS = [{"_id": "b", "_score": 2.0}, {"_id": "a", "_score": 1.0}]
SOURCES = [{"_id": str(n), "_score": 2.0 - n, "_source": {"sku": x}} for n, x in enumerate("ba")]
SCORED = [{"id": "b", "score": 2.0}, {"id": "a", "score": 1.0}]
CASES = "query,item,grade/q,a,1/q,b,0"
RANKED = "query,item,score/q,b,0.9/q,a,0.4"
TWICE = zip("bac", (0.9, 0.5, 0.3), (0.1, 0.8, 0.05), strict=True)
RERANKED = {"q": [{"id": item, "score": score, "rerank": again} for item, score, again in TWICE]}
LTR = "2 qid:1 1:0.5 2:0.1 # a"
ROWS = Table()
row, case, files, call = ROWS.row, ROWS.case, ROWS.files, ROWS.call

# Runs and judgements of TREC
trec("castorini/eval", 1 / 2)
trec("castorini/eval: tabs and spaces", 1 / 2, "q\t0\ta\t1/q  0  b  0")
trec("castorini/eval: negative grades", Refused("negative"), "q 0 a 1/q 0 b -2")
source = "trec_eval:test: -302 is unjudged"
trec(source, 1 / 2, "q 0 a 1/q 0 b -302", options={"convention": "trec_eval"})
trec("trec_eval:test: comments", 1 / 2, "# judged by hand/q 0 a 1")
ranked = gzip.compress(lines(RUN).encode())
files("trectools: .gz", gzip.compress(b"q 0 a 1\n"), ranked, "mrr", 1 / 2, "gz")
trec("trec-car-tools#9", Refused("a.*1.*2"), run="q Q0 a 1 0.9 t/q Q0 a 2 0.4 t")
trec("trectools#52", 1.0, "q 0 a 1/q 0 a 1", "q Q0 a 1 0.9 t", "ndcg")
trec("pyserini#1902", 1.0, "q 0 a 1/q 0 a 1/q 0 a 1", "q Q0 a 1 0.9 t", "map")
trec("trectools#51", 0.0, run="q Q0 z 1 0.9 t", measure="map")
trec("scidocs#13: a constant rank", 1 / 2, run="q Q0 b 0 0.9 t/q Q0 a 0 0.4 t")
trec("trec_eval#49", Refused("CSV"), "q 0 a 0.7/q 0 b 0")
trec("quepid:export of TREC", 7 / log2(3) / 7, "q 0 a 3.0/q 0 b 0.0", measure="ndcg")
trec("anserini#1525", 1 / 2, "q 0 a 2/q 0 b 1/q 0 c 2", measure="recall(min_rel=2)")
trec("anserini#476", Refused("duplicates|first"), run="q Q0 b 1 3 t/q Q0 b 2 2 t/q Q0 a 3 1 t")
run = "q Q0 b 1 3 t/q Q0 b 2 2 t/q Q0 a 3 1 t"
trec("anserini#720: chunks of one document", 1 / 2, run=run, options={"duplicates": "first"})
trec("two judges", Refused("duplicates.*mean|mean"), "q 0 a 1/q 0 a 2")
reading = {"duplicates": "mean"}
wanted = 1.5 / log2(3) / 1.5
trec("two judges", wanted, "q 0 a 1/q 0 a 2", measure="ndcg(gain=linear)", qrels_options=reading)
run = "q Q0 new york 1 0.9 t/q Q0 a 2 0.4 t"
trec("a space in an id", Refused("rank", FileFormatError), run=run)
trec("a rank in words", Refused("rank", FileFormatError), run="q Q0 b first 0.9 t")
ranked = "/".join((f"q{n} Q0 {x} {r} 0 t" for n in range(12) for r, x in ((1, "a"), (2, "b"))))
judged = " /".join(f"q{n} 0 a 1" for n in range(12))
trec("one score for all", Warned((1 + 1 / 2) / 2, "rank"), judged, ranked)
trec("a header", Refused("header"), "query 0 item rel/q 0 a 1")
trec("ir_measures#61: subtopics", Refused("a"), "q 1 a 1/q 2 a 0")
judged = "4 qid:1 # 7555 Rambo\n3 qid:1 # 1370 Rambo III"
wanted = Refused("LTR|qid|SVM|LETOR")
files("LTR: lines of judgements", judged, lines(RUN), "mrr", wanted, "txt trec")
files("rankeval: LETOR", LTR, lines(RUN), "mrr", Refused("LTR|qid|SVM|LETOR"), "txt trec")
judged = "- query: q\n  relevant: [a, b]\n"
files("golden.yaml", judged, {"q": ["a"]}, "mrr", Refused("YAML"), "yaml json")
files("ranx: run.lz4", {"q": {"a": 1}}, b'\x04"M\x18d@\xa7', "mrr", Refused("lz4"), "json lz4")
files("ranx: json", {"q": {"a": 1}}, {"q": {"b": 0.9, "a": 0.1}}, "mrr", 1 / 2)
# Texts that are no table
pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
for form in ("csv", "trec", "json", "jsonl"):
    files(
        f"a pointer of Git LFS: {form}",
        pointer,
        {"q": ["a"]},
        "mrr",
        Refused("LFS"),
        f"{form} json",
    )
    source = f"a conflict of Git: {form}"
    judged = f"<<<<<<< HEAD\n{pointer}=======\n{pointer}>>>>>>> main\n"
    files(source, judged, {"q": ["a"]}, "mrr", Refused("1.*conflict"), f"{form} json")
table("a conflict of Git", Refused("2.*conflict"), CASES.replace("/", "/<<<<<<< HEAD/", 1), RANKED)
files("an error page", "<!DOCTYPE html><p>404", {"q": ["a"]}, "mrr", Refused("HTML"), "json json")
# CSV
table("chorus: three raters", 1 / 2, "query,item,rater1,rater2,grade/q,a,1,0,1", RANKED)
table("quepid#758", Refused("rater1"), "query,item,rater1,rater2/q,a,1,0", RANKED)
table("quepid#265: rows without a rating", Warned(1 / 2, "1"), CASES + "/q,c,", RANKED)
source = "quepid#185: queries without judgements"
table(source, Warned(1 / 2, "undefined", Warning), CASES + "/p,,", RANKED + "/p,a,1")
wanted = Warned(1 / 2, "undefined", Warning)
table("quepid:show.basic.csv: one cell", wanted, CASES + "/p", RANKED + "/p,a,1")
table("WANDS", Refused("Exact"), "query\titem\tlabel/q\ta\tExact/q\tb\tPartial", RANKED)
judged = "query\titem\tlabel/q\ta\tExact/q\tb\tIrrelevant"
table("WANDS", 1 / 2, judged, RANKED, qrels_options={"grades": {"Exact": 2, "Irrelevant": 0}})
judged = "query_id,product_id,esci_label/q,a,E/q,b,I"
reading = {"grades": {"E": 3, "S": 2, "C": 1, "I": 0}}
table("amazon-science/esci-data", 7 / log2(3) / 7, judged, RANKED, "ndcg", qrels_options=reading)
wanted = Refused("points", ColumnRoleError)
reading_run = {"columns": {"score": "points"}}
table("a column that is not there", wanted, CASES, RANKED, run_options=reading_run)
options = {"duplicates": "first"}
table("chunks of a document", 1 / 2, CASES, RANKED + "/q,b,0.2", options=options)
ranked = "query,retrieved_ids/q,\"['b', 'a']\"/p,\"['x', 'c']\""
judged = "query,expected_ids/q,\"['a', 'b']\"/p,\"['c', 'd']\""
table("lists as text", Refused("list"), judged, ranked)
for mark in ("|", ";", ", "):
    ranked = "query,item,rank/q,b,1/q,a,2/p,c,1/p,d,2"
    judged = f'query,item/q,"a{mark}b"/p,"c{mark}d"'
    table(f"a cell of several items: {mark!r}", Refused("list"), judged, ranked)
for cells in (("d1 d2", "d3 d4"), ("7 8 9", "3 4"), ("a-1\tb-2", "c-3 d-4"), ("a\nb", "c\nd")):
    ranked = {f"q{n}": cell.split() for n, cell in enumerate(cells)}
    judged = {f"q{n}": {cell} for n, cell in enumerate(cells)}
    row(f"a cell of several items: {cells}", judged, ranked, "mrr", Refused("list|line"))
for mark in (" ", ",", "; ", "\n"):
    judged = {f"q{n}": {f"d{n}", "z"} for n in range(6)}
    ranked = {f"q{n}": [mark.join((f"d{n}", f"d{n + 20}")) if n % 2 else f"d{n}"] for n in range(6)}
    row(f"rankings of one text: {mark!r}", judged, ranked, "mrr", Refused("list|line"))
    judged = {f"q{n}": {mark.join((f"d{n}", f"d{n + 20}"))} for n in range(6)}
    ranked = {f"q{n}": [f"d{n}", "x"] for n in range(6)}
    row(f"truths of one text: {mark!r}", judged, ranked, "mrr", Refused("list|line"))
judged = {f"q{n}": {f"doc{n}|{n + 2}"} for n in range(6)}
ranked = {f"q{n}": [f"doc{n}", f"doc{n}|{n + 2}" if n else "x"] for n in range(6)}
row("a page and its document", judged, ranked, "mrr", 5 / 2 / 6)
judged = {"q0": {"machine learning", "data"}, "q1": {"a b c"}}
ranked = {"q0": ["machine", "learning", "data"], "q1": ["c", "b", "a"]}
wanted = Printed(1 / 4, "'machine learning', whose")
row("phrases and their words", judged, ranked, "recall", wanted)
ranked = 'query,item,rank/q,New York,1/q,"New York, NY",2'
table("ids with a separator", 1 / 2, 'query,item/q,"New York, NY"', ranked)
# Numbers as text in JSON
OF_HITS = [{"docId": "a", "rating": "0.9"}, {"docId": "b", "rating": "0.7"}]
OF_LINES = [
    {"query": "q", "doc_id": x, "grade": grade} for x, grade in (("a", "0.9"), ("b", "0.7"))
]
for qrels, form in (
    ({"q": {"a": "0.9", "b": "0.7"}}, "json json"),
    ([{"query": "q", "ratings": OF_HITS}], "json json"),
    (OF_LINES, "json json"),
    ("\n".join(map(json.dumps, OF_LINES)), "jsonl json"),
):
    wanted = (0.7 + 0.9 / log2(3)) / (0.9 + 0.7 / log2(3))
    files("search-relevance#126", qrels, {"q": ["b", "a"]}, "ndcg(gain=linear)", wanted, form)
files("scores as text", {"q": {"a": 1}}, {"q": {"a": "0.9", "b": "10.5"}}, "mrr", 1 / 2)
# Objects by query
ANSWERS = {"q": {"latency": 3, "retrieved": ["b", "a"]}, "p": {"latency": 2, "retrieved": ["b"]}}
GOLD = {
    "q": {"question": "who", "relevant_ids": ["a"]},
    "p": {"answer": "x", "relevant_ids": ["b"]},
}
files("fields by query", GOLD, ANSWERS, "mrr", (1 / 2 + 1) / 2)
judged = {"q": {"relevant": ["a"], "irrelevant": ["b"]}, "p": {"relevant": ["b"], "irrelevant": []}}
files("lists by query and label", judged, ANSWERS, "mrr", (1 / 2 + 1) / 2)
reading = {"grades": {"relevant": 1, "irrelevant": 0}}
files("grades by label", judged, ANSWERS, "mrr", (1 / 2 + 1) / 2, qrels_options=reading)
hits = [{"id": "b", "score": 2}, {"id": "a", "score": 1}]
for name in ("hits", "results", "docs", "documents"):
    ranked = {"q": {name: hits, "took": 3}, "p": {name: hits[:1], "took": 2}}
    files(f"hits by query: {name}", GOLD, ranked, "mrr", (1 / 2 + 1) / 2)
for name in ("points", "data", "ResultItems"):
    ranked = {"q": {name: hits}, "p": {name: []}}
    files(
        f"hits by query: {name}", GOLD, ranked, "mrr", Refused(f"^(?!.*score of|.*swapped).*{name}")
    )
    ranked = {"q": {name: hits}, "p": {name: hits[:1]}}
    reading_run = {"columns": {"item": name}}
    files(f"hits by query: {name}", GOLD, ranked, "mrr", (1 / 2 + 1) / 2, run_options=reading_run)
judged = [{"query": "q", "expected": {"doc_ids": ["a"], "min": 1}}]
wanted = Refused("expected\\.doc_ids")
files("a list within an object", judged, {"q": ["b", "a"]}, "mrr", wanted)
judged = [{"query": "q", "expected": {"doc_ids": ["a"]}}]
files("a list within an object", judged, {"q": ["b", "a"]}, "mrr", wanted)
files("an item for each query", {"q": "a", "p": "b"}, ANSWERS, "mrr", Refused(r"\['a'\]"))
for name, role in (("position", "rank"), ("vec_dist", "distance"), ("rerank_score", "score")):
    ranked = {"q": [{"id": x, name: y} for x, y in (("b", 1), ("a", 2))]}
    wanted = Refused(f"'{role}': '{name}'|{role}={name}")
    files(f"a number of the name {name}", {"q": ["a"]}, ranked, "mrr", wanted)
# Names of fields in JSON
for role in ("score", "item", "query"):
    wanted = Refused("rerank_scor", ColumnRoleError)
    source = f"a field that no hit has: {role}"
    reading_run = {"columns": {role: "rerank_scor"}}
    files(source, {"q": {"a": 1}}, RERANKED, "mrr", wanted, run_options=reading_run)
judged = [{"query": "q", "relevant": [{"id": "a", "votes": 1}]}]
wanted = Refused("vote", ColumnRoleError)
source = "a field that no judgement has"
files(source, judged, RERANKED, "mrr", wanted, qrels_options={"columns": {"grade": "vote"}})
reading_run = {"columns": {"score": "rerank"}}
files("a field by its name", {"q": {"a": 1}}, RERANKED, "mrr", 1.0, run_options=reading_run)
engine("Elasticsearch", {"hits": {"hits": HITS}}, 1 / 2)
reading_run = {"columns": {"item": "_source.sku"}}
name = "Elasticsearch, by a dotted name"
engine(name, {"hits": {"hits": SOURCES}}, 1 / 2, run_options=reading_run)
name = "Elasticsearch, by a name that is not there"
wanted = Refused("_source.skuu", ColumnRoleError)
reading_run = {"columns": {"item": "_source.skuu"}}
engine(name, {"hits": {"hits": SOURCES}}, wanted, run_options=reading_run)
response = {"timed_out": True, "hits": {"hits": HITS}}
engine("Elasticsearch, timed out", response, Refused("ran out of time|timed out"))
engine("Solr", {"responseHeader": {}, "response": {"docs": SCORED}}, 1 / 2)
engine("Azure", {"value": [{"@search.score": 2.0 - n, "id": x} for n, x in enumerate("ba")]}, 1 / 2)
hits = [{"id": "b", "relevance": 2.0}, {"id": "a", "relevance": 1.0}]
engine("Vespa", {"root": {"children": hits}}, 1 / 2)
engine("Chroma", {"ids": [["b", "a"]], "distances": [[0.1, 0.2]]}, Refused("Chroma"))
hits = [{"_additional": {"id": x, "distance": 0.1 + n}} for n, x in enumerate("ba")]
engine("Weaviate", {"data": {"Get": {"Doc": hits}}}, 1 / 2)
engine("Algolia", {"hits": [{"objectID": "b"}, {"objectID": "a"}], "nbHits": 2}, 1 / 2)
engine("Meilisearch", {"hits": [{"id": "b"}, {"id": "a"}], "processingTimeMs": 2}, 1 / 2)
hits = [{"document": {"id": x}, "text_match": 5 - n} for n, x in enumerate("ba")]
engine("Typesense", {"hits": hits, "found": 2}, 1 / 2)
engine("Qdrant", {"result": {"points": SCORED}}, 1 / 2)
engine("Pinecone", {"matches": SCORED, "namespace": ""}, 1 / 2)
judged = {"case_name": "c", "queries": [{"query_text": "q", "ratings": {"a": 1}}]}
reading = {"columns": {"query": "query_text"}}
files("quepid: case export", judged, {"q": ["b", "a"]}, "mrr", 1 / 2, qrels_options=reading)
judged = [{"query": "q", "ratings": {"a": 1, "b": 0}}]
files("quepid: JSON export", judged, {"q": ["b", "a"]}, "mrr", 1 / 2)
judged = {
    "index": "x",
    "queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"3": ["a"]}}],
}
files("chorus: RRE", judged, {"q": ["a"]}, "mrr", Refused("RRE"))
judged = {"requests": [{"id": "q", "ratings": [{"_index": "i", "_id": "a", "rating": 1}]}]}
files("elasticsearch: _rank_eval", judged, {"q": ["b", "a"]}, "mrr", 1 / 2)
# Faults of one object among many
for bad in ([None], [["a"]], 3, [""], [{"grade": 1}], {"a": "x"}):
    judged = [{"query": f"q{n}", "relevant_ids": bad if n == 7 else ["a"]} for n in range(9)]
    files(f"one bad object: {json.dumps(bad)}", judged, {"q1": ["a"]}, "mrr", Refused(r"q7|\[7\]"))
# Values
case("search-relevance#39", "a b c", "a x", "map@2", 1 / 1 / 2)
case("rated-ranking-evaluator#71", "a=3 b=3", "a b", "ndcg@10", 1.0)
case("quepid#77", "a=0 b=0 c=1", "c a b", "ndcg@3", 1.0)
case("quepid#77", "a=1", "a", "err(max_grade=4)", (2**1 - 1) / 2**4)
case("quepid#234", "a=2 b=1", "a b", "ndcg@10", 1.0)
case("pyvespa#1003", "d12", "d1 d12", "mrr", 1 / 2)
case("elasticsearch#21408", "a=1 b=0", "b x a", "judged@2", 1 / 2)
case("search-relevance#66", "a | b", "a | ", "mrr", (1 + 0) / 2)
