"""The shapes of JSON that people write, one object for each row or each query."""

import gzip
import io
import json

import pytest

from sklearn_rank import ColumnRoleError, FileFormatError, evaluate, read_qrels, read_run
from sklearn_rank.exceptions import RankingDataWarning
from tests.files.conftest import qrels_of, run_of


def lines(*objects):
    return io.BytesIO("".join(json.dumps(one) + "\n" for one in objects).encode())


TRUTH = {"q1": {"d1": 1, "d2": 1}}


SCORED = {"q1": {"d1": 3.0, "d2": 1.5}}
RANKED = {"q1": ["d2", "d1"]}


@pytest.mark.parametrize(
    "one",
    [
        {"query": "q1", "relevant_doc_ids": ["d1", "d2"]},
        {"queryId": "q1", "relevantDocIds": ["d1", "d2"], "note": "x"},
        {"id": "q1", "expected_ids": ["d1", "d2"]},
        {"qid": "q1", "relevant": {"d1": 1, "d2": 1}},
        {"qid": "q1", "judgments": [{"doc_id": "d1", "rating": 1}, {"doc_id": "d2", "rating": 1}]},
        {"query_id": "q1", "query": "how?", "gold": ["d1", "d2"], "tags": ["a", "b"]},
    ],
)
def test_judgements_of_one_query(one):
    columns = {"query": "query_id"} if "query_id" in one else None
    assert read_qrels(lines(one), columns=columns) == TRUTH


@pytest.mark.parametrize(
    ("one", "run"),
    [
        ({"qid": "q1", "results": [{"id": "d1", "score": 3}, {"id": "d2", "score": 1.5}]}, SCORED),
        ({"qid": "q1", "hits": [{"_id": "d1", "score": 3}, {"_id": "d2", "score": 1.5}]}, SCORED),
        ({"user": "q1", "recommendations": {"d1": 3, "d2": 1.5}}, SCORED),
        ({"query": "q1", "results": ["d2", "d1"]}, RANKED),
        ({"query": "q1", "results": [{"id": "d1", "rank": 2}, {"id": "d2", "rank": 1}]}, RANKED),
        ({"query": "q1", "results": [["d1", 3], ["d2", 1.5]]}, SCORED),
        ({"query": 7, "doc_ids": [3, "3a"]}, {"7": ["3", "3a"]}),
    ],
)
def test_results_of_one_query(one, run):
    assert read_run(lines(one)) == run


def test_an_object_for_each_row():
    rows = [{"query": "q1", "item": "d1", "score": 3}, {"query": "q1", "item": "d2", "score": 1.5}]
    assert read_run(lines(*rows)) == SCORED
    grades = [{"qid": "q1", "doc": "d1", "label": 1}, {"qid": "q1", "doc": "d2", "label": 1}]
    assert read_qrels(lines(*grades)) == TRUTH
    both = [{**row, "score": 7} for row in grades]
    assert read_qrels(lines(*both)) == TRUTH, "BEIR's score is a grade where nothing else is"


def test_one_value_of_json():
    one = {"query": "q1", "results": {"d1": 3, "d2": 1.5}}
    for value in ([one], one, {"q1": {"d1": 3, "d2": 1.5}}):
        assert read_run(io.BytesIO(json.dumps(value, indent=1).encode())) == SCORED
    listed = io.BytesIO(b'{"q1": ["d1", "d2"]}')
    assert read_qrels(listed) == TRUTH


def test_an_id_beside_a_query_text_is_asked_for():
    one = {"id": "q1", "query": "how?", "relevant": ["d1", "d2"]}
    with pytest.raises(ColumnRoleError, match=r"<file>:1 has 'id' and 'query'; .*: 'id'\}"):
        read_qrels(lines(one))
    assert read_qrels(lines(one), columns={"query": "id"}) == TRUTH


def test_a_list_of_another_name_can_be_given():
    one = {"query": "q1", "answers": ["d1", "d2"]}
    with pytest.raises(ColumnRoleError, match="no column for the role 'item'"):
        read_qrels(lines(one))
    assert read_qrels(lines(one), columns={"item": "answers"}) == TRUTH


BAD = {
    "not JSON": (b'{"query": "q"', "1: is not JSON: .* delimiter: line 2 column 1"),
    "key twice": (b'{"query": "q", "query": "p"}', "1: is not JSON: the key 'query' occurs twice"),
    "NaN": (
        b'{"query": "q", "results": {"a": NaN}}',
        "1: score nan of item 'a' of query 'q' is not a finite",
    ),
    "1e999": (
        b'{"query": "q", "results": {"a": 1e999}}',
        "1: score inf of item .* is not a finite",
    ),
    "huge": (b'{"query":"q","results":[{"id":"a","score":1' + b"0" * 40 + b"}]}", "1: score 1"),
    "digits": (
        b'{"query":"q","results":[{"id":"a","score":' + b"1" * 5000 + b"}]}",
        "1: is not JSON",
    ),
    "deep": (b'{"query":' + b"[" * 100_000 + b"]" * 100_000 + b"}", ".*nested too deeply"),
    "bool": (b'{"query": true, "results": ["a"]}', "1: the query id True is not text"),
    "null": (b'{"query": "q", "results": ["a", null]}', "1: the item id None is not text"),
    "three": (b'{"query": "q", "results": [["a", 1, 2]]}', "1: the item id .* is not text"),
    "float": (b'{"query": "q", "results": [1.5]}', "1: the item id 1.5 is not text"),
    "text": (
        b'{"query": "q", "results": {"a": "3"}}',
        "1: score '3' of item 'a' of query 'q' is not a number",
    ),
    "two lists": (b'{"query": "q", "results": [], "hits": []}', "1: has several lists of items"),
    "mixed": (
        b'{"query": "q", "results": [{"id": "a", "score": 1}, "b"]}',
        "item 'b' of query 'q' has no score",
    ),
    "half": (
        b'{"query": "\\ud800", "results": ["b"]}',
        "1: the query id .*is empty, or half a character",
    ),
    "number": (b'{"query": "q", "results": ["b"]}\n7\n', "2: holds a JSON int, expected an object"),
    "list": (b"[7]", "holds a JSON int, expected an object"),
    "nothing": (b"[]", "holds no rows"),
    "no keys": (b"{}", "holds no rows"),
    "no items": (b'{"q1": [], "q2": {}}', "holds no rows: there is no item for 'q1', 'q2'"),
    "one bare": (b'{"q": {"a": 1}, "p": ["b"]}', "item 'b' of query 'p' has no score, others have"),
    "line": (b'{"query": "q", "results": ["b"]}\n\n{]\n', "3: is not JSON"),
    "later": (
        b'{"query": "q",\n "hits": ["b"]}\n{"query": "p", "hits": [1.5]}',
        "3: the item id 1.5",
    ),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_is_named_by_line(data, message):
    with pytest.raises(FileFormatError, match=f"^<file>:? ?{message}"):
        read_run(io.BytesIO(data))


@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_two_lists_of_one_query_are_not_laid_end_to_end(read):
    key = "results" if read is read_run else "relevant"
    lines = [{"query": "q", key: ["a"]}, {"query": "p", key: ["b"]}, {"query": "q", key: ["c"]}]
    data = "\n".join(map(json.dumps, lines)).encode()
    with pytest.raises(
        FileFormatError,
        match=r"^<file>:3: a second list of items for query 'q' \(the first is in line 1\); join ",
    ):
        read(io.BytesIO(data))
    with pytest.raises(FileFormatError, match=r"^<file>: a second list of items for query 'q'; "):
        read(io.BytesIO(json.dumps(lines).encode()))


@pytest.mark.parametrize("name", ["run.json", "run.json.gz"])
def test_a_file_of_one_json_value_may_be_one_long_line(name, tmp_path):
    """As JSON.stringify writes it."""
    run = {f"q{query}": {f"d{item}": 1.5 for item in range(30)} for query in range(40)}
    data = json.dumps(run).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert read_run(path) == run
    assert read_run(io.BytesIO(data), format="json") == run
    does = "decompresses to" if name.endswith(".gz") else "holds"
    with pytest.raises(FileFormatError, match=f"{does} more than 9,000 bytes; pass max_bytes="):
        read_run(path, max_bytes=9_000)


GOLDEN = {
    "judgments": ({"query_id": "q1", "relevant_docs": ["d1", "d2"]}, {"metadata": {"n": 1}}),
    "queries": ({"id": "q1", "text": "how?", "relevant_ids": ["d1", "d2"]}, {"version": 2}),
    "cases": ({"question": "q1", "expected": {"d1": 1, "d2": 1}}, {"tags": ["a"], "notes": []}),
    "rows": ({"query": "q1", "item": "d1", "grade": 1}, {"about": {"rows": [1]}}),
}


@pytest.mark.parametrize("key", GOLDEN)
@pytest.mark.parametrize("indent", [None, 1])
def test_one_list_of_objects_beside_others_is_the_file(key, indent):
    one, others = GOLDEN[key]
    objects = [one, {**one, "item": "d2"}] if key == "rows" else [one]
    assert qrels_of(json.dumps({**others, key: objects}, indent=indent)) == TRUTH
    if key != "rows":
        two = json.dumps({key: objects, "more": objects, **others}, indent=indent)
        with pytest.raises(FileFormatError, match=r"has lists of queries in .*, 'more'; leave"):
            qrels_of(two)


@pytest.mark.parametrize("others", [{}, {"version": 2}])
def test_queries_inside_of_one_key_are_refused_with_the_way_out(others):
    with pytest.raises(FileFormatError, match=r"inside 'qrels'; write them alone, as .*data\['q"):
        qrels_of(json.dumps({"qrels": {"q1": {"d1": 1}}, **others}))
    assert qrels_of('{"q1": ["d1", "d2"]}') == TRUTH


def test_numbers_of_judgements_may_have_several_names_and_of_rows_none_is_lost():
    mixed = {"q1": [["d1", 1]], "q2": [{"id": "d2", "score": 2}, {"id": "d3", "grade": None}]}
    with pytest.warns(RankingDataWarning, match="1 rows have no grade"):
        assert qrels_of(json.dumps(mixed)) == {"q1": {"d1": 1}, "q2": {"d2": 2}}
    with pytest.raises(FileFormatError, match="item 'd2' of query 'q2' has no grade, others have"):
        qrels_of(json.dumps({"q1": [["d1", 1]], "q2": ["d2"]}))
    hits = {"q1": [{"id": "d1", "score": 1}], "q2": [{"id": "d2", "distance": 2}]}
    with pytest.raises(FileFormatError, match="item 'd2' of query 'q2' has no score, others have"):
        run_of(json.dumps(hits, indent=1))


def test_few_scores_of_mappings_may_rise_by_chance():
    for items, warns in (({"d1": 1.5, "d2": 3}, False), ([["d1", 1.5], ["d2", 3]], True)):
        run = read_run(io.BytesIO(json.dumps({"q1": items}).encode()))
        assert bool(run.doubts) is warns


@pytest.mark.parametrize("large", [1 << 60, 1e300, -(2**70)])
def test_whole_numbers_that_float64_holds_are_scores_and_grades(large):
    scores = {"q1": {"d1": large, "d2": 1}}
    assert run_of(json.dumps(scores)) == scores
    assert qrels_of(json.dumps(scores)) == scores


def test_hits_of_one_query_are_no_list_of_queries():
    hits = [{"id": "d1", "score": 3, "chunks": ["x"]}, {"id": "d2", "score": 1.5, "chunks": []}]
    assert run_of(json.dumps({"q1": hits}, indent=1)) == SCORED


def test_two_open_files_are_not_the_list_of_both_sides(tmp_path):
    one = {"query": "q1", "items": ["d1", "d2"]}
    assert evaluate(read_qrels(lines(one)), read_run(lines(one)), "mrr")["mrr"] == 1.0
    path = tmp_path / "both.jsonl"
    path.write_bytes(lines(one).getvalue())
    with pytest.raises(ColumnRoleError, match="is the list of both the relevant and the retrieved"):
        evaluate(read_qrels(path), read_run(path), "mrr")


# Search engines ---------------------------------------------------------------------------------

HITS = {"hits": {"hits": [{"_id": "d7", "_score": 2.5}, {"_id": "d2", "_score": 1.5}]}}
RATINGS = [{"_index": "i", "_id": "d7", "rating": 2}]
RANK_EVAL = {
    "requests": [
        {"id": "q1", "request": {"query": {}}, "ratings": RATINGS},
        {"id": "q2", "request": {"query": {}}, "ratings": []},
    ],
    "metric": {"precision": {"k": 5}},
}


def test_a_request_of_rank_eval_holds_judgements():
    text = json.dumps(RANK_EVAL)
    assert qrels_of(text) == {"q1": {"d7": 2}, "q2": {}}
    with pytest.raises(FileFormatError, match="'ratings' belongs to judgements, but this is read"):
        run_of(text)


RUN = {"q1": {"d7": 2.5, "d2": 1.5}}
FAILED = {"error": {"type": "parsing_exception"}, "status": 400}
DOCS = [{"id": "d7", "score": 2.5}, {"id": "d2", "score": 1.5}]
SOLR = {"responseHeader": {"status": 0}, "response": {"numFound": 2, "docs": DOCS}}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    "value",
    [
        {"q1": {"took": 3, **HITS}},
        {"query": "q1", **HITS},
        {"q1": SOLR},
        {"query": "q1", **SOLR},
    ],
)
def test_what_search_engines_write(value, indent):
    assert run_of(json.dumps(value, indent=indent)) == RUN


def test_responses_of_several_searches(tmp_path):
    value = {"took": 3, "responses": [HITS, {"hits": {"hits": []}}]}
    ids = tmp_path / "ids"
    ids.write_text("q 1\n\nq2\n")
    for queries in (["q 1", "q2"], ids, str(ids)):
        assert run_of(json.dumps(value), queries=queries) == {"q 1": RUN["q1"], "q2": {}}
    for queries, given, message in (
        (None, value, "which do not name their queries; pass queries=, a different id for each"),
        (["q1"], value, "holds 2 responses .* in the order of the requests, got 1"),
        (["q1", "q1"], value, "a different id for each in the order of the requests, got 1"),
        (["q1", "q2"], {"responses": [HITS, FAILED]}, "query 'q2' failed: .*'parsing_exc"),
        (None, {"q1": FAILED, "q2": HITS}, "the search of query 'q1' failed"),
        (None, {"q1": {**HITS, "timed_out": True}}, "'q1' failed: 'that it ran out of t"),
        (None, {"q1": {**HITS, "_shards": {"failed": 3}}}, "failed: 'that shards failed'"),
        (None, {"query": "q1", "timed_out": True, **HITS}, "failed: 'that it ran out"),
        (None, {"q1": {**SOLR, "responseHeader": {"partialResults": True}}}, "ran out of time"),
    ):
        with pytest.raises(FileFormatError, match=message):
            run_of(json.dumps(given), queries=queries)


@pytest.mark.parametrize("read", [run_of, qrels_of])
@pytest.mark.parametrize(
    "value",
    [
        HITS,
        {"q": 7, "r": []},
        {"metric_score": 1.0, "details": {"q": {}}},
        {"mteb_model_meta": {"model_name": "m"}, "default": {"test": RUN}},
        {"judgmentRatings": [{"query": "q"}]},
        {"judgmentRatings": [{"query": "q", "ratings": [{"docId": "d", "rating": "2.0"}]}]},
    ],
)
def test_other_shapes_of_json_are_refused(value, read):
    for text in (json.dumps(value), json.dumps(value, indent=1)):
        with pytest.raises((FileFormatError, ColumnRoleError)):
            read(text)


def test_a_search_without_scores_is_a_ranking():
    hits = [{"_id": "b", "_score": None}, {"_id": "a", "_score": None}]
    assert run_of(json.dumps({"qid": "q", "hits": hits})) == {"q": ["b", "a"]}
    hits[0]["_score"] = 1.0
    with pytest.raises(FileFormatError, match="item 'a' of query 'q' has no score, others have"):
        run_of(json.dumps({"qid": "q", "hits": hits}))


# Queries with nothing ----------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["zero", "skip", "raise"])
def test_an_empty_list_is_an_empty_ranking_and_not_a_missing_one(missing):
    truth = {"p": {"x": 1}, "q": {}, "r": {"a": 1}}
    ranking = {"q": {"a": 1.0}, "p": {}, "r": {"a": 2.0}}
    qrels = read_qrels(lines(*({"query": q, "relevant": own} for q, own in truth.items())))
    run = read_run(io.BytesIO(json.dumps(ranking).encode()))
    assert (dict(qrels), dict(run)) == (truth, ranking)
    options = {"missing": missing, "zero_division": 0.0}
    expected = evaluate(truth, ranking, ["map", "lag"], **options)
    evaluation = evaluate(qrels, run, ["map", "lag"], **options)
    assert evaluation.counts == expected.counts
    assert evaluation.to_dict() == expected.to_dict()
