"""Lines of docs/search_tools.md, run on what the packages themselves return."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pytest_rankmetrics import assert_metric, expected_failure
from sklearn_rank import evaluate

PAGE = (Path(__file__).parents[2] / "docs" / "search_tools.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## All queries")[0].split("| --- |")[-1]
ROWS = re.findall(r"^\| ([\w, ]+) \| (.+?) \| `(.+)` \|$", TABLE, re.M)
TEXTS = {"a": "grey cat", "b": "red shoe", "c": "blue shoe"}
"""Documents, of which b is relevant for the query "red shoe" and stands first."""


def bm25s(_: str) -> dict[str, Any]:
    module = pytest.importorskip("bm25s", reason="bm25s is not installed: .ci/versions ecosystem")
    quiet = {"show_progress": False}
    index = module.BM25()
    index.index(module.tokenize([*TEXTS.values()], **quiet), **quiet)
    tokens = module.tokenize(["red shoe"], **quiet)
    return {"answer": index.retrieve(tokens, corpus=[*TEXTS], k=3, **quiet)}


def elasticsearch(_: str) -> dict[str, Any]:
    module = pytest.importorskip(
        "elastic_transport", reason="elasticsearch is not installed: .ci/versions ecosystem"
    )
    hits = [{"_index": "shop", "_id": "b", "_score": 2.1}, {"_index": "shop", "_id": "c"}]
    hits[1]["_score"] = 0.7
    return {"answer": module.ObjectApiResponse(body={"hits": {"hits": hits}}, meta=None)}


def haystack(_: str) -> dict[str, Any]:
    pytest.importorskip("haystack", reason="haystack-ai is not installed: .ci/versions ecosystem")
    from haystack import Document
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    store = InMemoryDocumentStore()
    store.write_documents([Document(id=name, content=text) for name, text in TEXTS.items()])
    return {"answer": InMemoryBM25Retriever(store).run(query="red shoe")}


def langchain(call: str) -> dict[str, Any]:
    pytest.importorskip("langchain_core", reason="langchain-core is not installed: .ci/versions")
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents([Document(id=name, page_content=text) for name, text in TEXTS.items()])
    ask = store.as_retriever().invoke if "invoke" in call else store.similarity_search_with_score
    return {"answer": ask("red shoe")}


def llama_index(_: str) -> dict[str, Any]:
    pytest.importorskip(
        "llama_index.core", reason="llama-index-core is not installed: .ci/versions"
    )
    from llama_index.core import SimpleKeywordTableIndex
    from llama_index.core.llms.mock import MockLLM
    from llama_index.core.schema import TextNode

    nodes = [TextNode(id_=name, text=text) for name, text in TEXTS.items()]
    index = SimpleKeywordTableIndex(nodes, llm=MockLLM())
    return {"answer": index.as_retriever(retriever_mode="simple").retrieve("red")}


def qdrant(_: str) -> dict[str, Any]:
    module = pytest.importorskip("qdrant_client", reason="qdrant-client is not installed: .ci")
    client, models = module.QdrantClient(":memory:"), module.models
    shape = models.VectorParams(size=2, distance=models.Distance.COSINE)
    client.create_collection("shop", vectors_config=shape)
    ids = {"a": 1, "b": 2}
    points = [models.PointStruct(id=ids[own], vector=[1.0, ids[own]]) for own in ids]
    client.upsert("shop", points)
    return {"answer": client.query_points("shop", query=[1.0, 2.0]), "relevant": 2}


def tantivy(_: str) -> dict[str, Any]:
    module = pytest.importorskip("tantivy", reason="tantivy is not installed: .ci/versions")
    builder = module.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("text")
    index = module.Index(builder.build())
    writer = index.writer()
    for name, text in TEXTS.items():
        writer.add_document(module.Document(id=name, text=text))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    return {
        "answer": searcher.search(index.parse_query("red shoe", ["text"]), 10),
        "searcher": searcher,
    }


def sqlite(call: str) -> dict[str, Any]:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE VIRTUAL TABLE pages USING fts5(id UNINDEXED, text)")
        database.executemany("INSERT INTO pages VALUES (?, ?)", TEXTS.items())
        where = "FROM pages WHERE pages MATCH 'red OR shoe'"
        answer = database.execute(call.strip("`").replace("...", where)).fetchall()
    database.close()
    return {"answer": answer}


def solr(_: str) -> dict[str, Any]:
    docs = [{"id": "b", "score": 2.1, "title": "red shoe"}, {"id": "c", "score": 0.7}]
    return {"answer": {"responseHeader": {"status": 0}, "response": {"numFound": 2, "docs": docs}}}


def vespa(_: str) -> dict[str, Any]:
    children = [{"id": "id:shop:page::b", "relevance": 2.1}, {"id": "id:shop:page::c"}]
    children[1]["relevance"] = 0.7
    return {"answer": {"root": {"children": children}}, "relevant": "id:shop:page::b"}


MAKERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "BM25S": bm25s,
    "Elasticsearch, OpenSearch": elasticsearch,
    "Haystack": haystack,
    "LangChain": langchain,
    "LlamaIndex": llama_index,
    "Qdrant": qdrant,
    "Solr": solr,
    "SQLite FTS5": sqlite,
    "Tantivy": tantivy,
    "Vespa": vespa,
}


@pytest.mark.filterwarnings("default")  # of the packages themselves
@pytest.mark.parametrize(("name", "call", "line"), ROWS, ids=[f"{a} {b}" for a, b, _ in ROWS])
def test_a_line_reads_what_the_package_returns(name: str, call: str, line: str) -> None:
    names = MAKERS[name](call)
    run = {"red shoe": eval(line, names)}
    assert len(run["red shoe"]) > 0
    found = evaluate({"red shoe": {names.get("relevant", "b")}}, run, "mrr")["mrr"]
    assert found == (1.0 if name != "LangChain" else pytest.approx(found))


def test_every_line_is_run() -> None:
    assert {name for name, *_ in ROWS} == set(MAKERS)
    assert len(ROWS) == 11


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", ["BEIR", "DeepEval", "ir_datasets", "PyTerrier"])
def test_all_queries_at_once(name: str, tmp_path: Path) -> None:
    expected = {"q1": {"b": 1}}
    if name == "BEIR":
        pytest.importorskip("beir", reason="beir is not installed: .ci/versions ecosystem")
        from beir.datasets.data_loader import GenericDataLoader

        (tmp_path / "qrels").mkdir()
        (tmp_path / "corpus.jsonl").write_text('{"_id": "b", "title": "", "text": "x"}\n')
        (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "x"}\n')
        (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tb\t1\n")
        _, _, qrels = GenericDataLoader(str(tmp_path)).load("test")
        run: Any = {"q1": {"a": 1.0, "b": 0.5}}
    elif name == "DeepEval":
        pytest.importorskip("deepeval", reason="deepeval is not installed: .ci/versions ecosystem")
        from deepeval.test_case import LLMTestCase

        texts = {"actual_output": "x", "context": ["b"], "retrieval_context": ["a", "b"]}
        cases = [LLMTestCase(input="q1", **texts)]
        qrels = {case.input: set(case.context) for case in cases}
        run = {case.input: case.retrieval_context for case in cases}
    elif name == "ir_datasets":
        module = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed: .ci")
        (tmp_path / "qrels").write_text("q1 0 b 1\n")
        dataset = module.create_dataset(qrels_trec=str(tmp_path / "qrels"))
        qrels, run = dataset.qrels_dict(), {"q1": ["a", "b"]}
        assert qrels == expected
        frame = pd.DataFrame(dataset.qrels_iter())
        assert (
            evaluate(
                frame,
                pd.DataFrame({"query_id": ["q1"] * 2, "doc_id": ["a", "b"], "score": [2, 1]}),
                "mrr",
            )["mrr"]
            == 0.5
        )
    else:
        module = pytest.importorskip("pyterrier", reason="python-terrier is not installed: .ci")
        scored = {"qid": ["q1"] * 2, "query": ["x"] * 2, "docno": ["a", "b"], "score": [2.0, 1.0]}
        pipeline = module.Transformer.from_df(pd.DataFrame(scored))
        qrels = pd.DataFrame({"qid": ["q1"], "docno": ["b"], "label": [1]})
        run = pipeline(pd.DataFrame({"qid": ["q1"], "query": ["x"]}))
    assert evaluate(qrels, run, "mrr")["mrr"] == 0.5


def _scores_of_judges(make: Any) -> Any:
    """What Ragas returns as a frame: texts, lists, and numbers with gaps."""
    return make(
        {
            "user_input": ["a", "b", "c"],
            "retrieved_contexts": [["x"], ["y"], ["z"]],
            "response": ["yes", "no", None],
            "faithfulness": [0.5, None, float("nan")],
            "context_recall": [1.0, 0.5, 0.0],
        }
    )


@pytest.mark.parametrize("make", [pd.DataFrame, lambda data: pd.DataFrame(data, dtype=object)])
def test_frames_of_scores_with_gaps_are_values_of_gates(make: Any) -> None:
    """A gap is an undefined query."""
    truth, run = {"a": {"x"}, "b": {"y"}, "c": {"z"}}, {"a": ["x"], "b": ["y"], "c": ["z"]}
    values, least = _scores_of_judges(make), {"faithfulness": 0.5, "context_recall": 0.5}
    found = evaluate(truth, run, "mrr", values=values, zero_division=float("nan"))
    assert found.scores == {"mrr": 1.0, **least}
    assert found.counts["undefined"] == {"mrr": 0, "faithfulness": 2, "context_recall": 0}
    given: Any = {"values": values, "zero_division": float("nan")}
    for name, value in least.items():
        assert_metric(truth, run, name, at_least=value, **given)
    with expected_failure(match="faithfulness is 0.5"):
        assert_metric(truth, run, "faithfulness", at_least=0.6, **given)
