"""The shapes of JSON that people write, one object for each row or each query."""

import gzip
import io
import json
import re

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
    other = {"query": "q1", "contexts": ["d2", "d1"]}
    assert read_run(lines(other)) == RANKED
    assert read_run(lines({**other, "results": ["d1"]})) == {"q1": ["d1"]}


def test_lists_in_the_order_of_another_column_are_no_distances():
    hits = [{"id": n, "score": 9 - n, "rerank": n} for n in range(9)]
    for name, doubts in (("rerank", 0), ("score", 0), (None, 0)):
        assert (
            len(
                read_run(
                    lines({"query": "q", "results": hits}),
                    columns={"score": name} if name else None,
                ).doubts
            )
            == doubts
        )
    alone = [{"id": n, "rerank": n} for n in range(9)]
    assert read_run(lines({"query": "q", "results": alone}), columns={"score": "rerank"}).doubts


HIT = {"id": "a", "_source": {"sku": "s1", "marks": {"new": 0.25}}, "score": 0.5}
NESTED = {
    "_source.sku": ({"query": "q", "results": [HIT]}, {"item": "_source.sku"}, {"q": {"s1": 0.5}}),
    "a number": (
        {"query": "q", "hits": {"hits": [HIT]}},
        {"item": "_source.sku", "score": "_source.marks.new"},
        {"q": {"s1": 0.25}},
    ),
    "a row": ({"query": "q", **HIT}, {"item": "_source.sku"}, {"q": {"s1": 0.5}}),
    "a query": (
        {"request": {"id": "q"}, "results": ["a"]},
        {"query": "request.id"},
        {"q": ["a"]},
    ),
    "a list": ({"query": "q", "out": {"ids": ["a"]}}, {"item": "out.ids"}, {"q": ["a"]}),
    "ids in a list": (
        {"query": "q", "tools": [{"tool_id": "a", "score": 1}]},
        {"item": "tools.tool_id"},
        {"q": {"a": 1}},
    ),
    "a dot in a name": ({"query": "q", "x.y": "a", "score": 2}, {"item": "x.y"}, {"q": {"a": 2}}),
}


@pytest.mark.parametrize("name", NESTED)
def test_names_with_dots_reach_what_is_nested(name):
    one, columns, expected = NESTED[name]
    assert read_run(lines(one), columns=columns) == expected
    listed = io.BytesIO(json.dumps([one]).encode())
    assert read_run(listed, columns=columns) == expected


ABSENT = {
    "list": {"query": "q", "results": [{"id": "a", "score": 0.9, "rerank_score": 0.1}]},
    "numbers": {"q": {"a": 1}},
    "response": {"q": {"hits": {"hits": [{"_id": "a", "_score": 1, "_source": {"x": 1}}]}}},
    "row": {"query": "q", "item": "a", "score": 1},
}


@pytest.mark.parametrize("role", ["query", "item", "score", "distance", "rank"])
@pytest.mark.parametrize("shape", ABSENT)
@pytest.mark.parametrize("name", ["rerank_scor", "_source.y"])
def test_a_named_column_that_is_not_there_is_an_error(shape, role, name):
    if shape in ("numbers", "response") and role == "query":
        return  # the keys are the queries
    message = f"columns sets '{role}' to '{name}', but .* has "
    with pytest.raises(ColumnRoleError, match=message):
        read_run(io.BytesIO(json.dumps(ABSENT[shape]).encode()), columns={role: name})


@pytest.mark.parametrize("number", ["0.5", " 2", "1e1", "-3.25", "+7", "100.000"])
def test_numbers_as_text_are_numbers_where_all_are(number):
    """As OpenSearch writes its ratings, and as CSV has them."""
    rows = {"d1": number, "d2": "1"}
    items = [{"id": item, "x": x} for item, x in rows.items()]
    expected = {"q1": {item: float(x) for item, x in rows.items()}}
    for read, kind in ((read_run, "score"), (read_qrels, "grade")):
        named = [{"id": one["id"], kind: one["x"]} for one in items]
        mixed = [named[0], {"id": "d2", kind: 1}]
        for value in ({"q1": rows}, {"q1": [*rows.items()]}, {"q1": named}, {"q1": mixed}):
            assert read(io.BytesIO(json.dumps(value).encode())) == expected
        flat = [{"query": "q1", "item": one["id"], kind: one[kind]} for one in named]
        assert read(lines(*flat)) == expected
        flat[1][kind] = "0,5"
        with pytest.raises(FileFormatError, match=f"2: {kind} '0,5' of item 'd2' of query 'q1' is"):
            read(lines(*flat))
    ratings = [{"docId": item, "rating": x} for item, x in rows.items()]
    exported = {"judgmentRatings": [{"query": "q1", "ratings": ratings}]}
    assert read_qrels(lines(exported)) == expected


def test_keys_that_occur_twice_are_found_among_texts_with_colons():
    texts = [
        '{"query": "q:1", "item": "a\\": b", "score": 1}',
        '{"query":"q" ,"item" : ":","score":2}',
    ]
    assert run_of("\n".join(texts)) == {"q:1": {'a": b': 1}, "q": {":": 2}}
    for again in ('"score" : 3', '"x": {"y": 1, "y": 2}', '"x": [[{"y": 1, "y": 2}]]'):
        twice = '{"query": "p:", "item": "a", "score": 3, ' + again + "}"
        with pytest.raises(FileFormatError, match=r"3: is not JSON: the key '.*' occurs twice"):
            run_of("\n".join([*texts, twice]))


def test_a_dataset_of_llamaindex_holds_judgements():
    value = {"queries": {"q1": "how?"}, "corpus": {"d1": "x"}, "mode": "text"}
    value["relevant_docs"] = {"q1": ["d1", "d2"]}
    assert qrels_of(json.dumps(value)) == TRUTH
    with pytest.raises(FileFormatError, match="LlamaIndex dataset, which holds judgements"):
        run_of(json.dumps(value))


def test_items_by_grade_as_in_ratings_of_rre():
    one = {"placeholders": {"$query": "q1"}, "relevant_documents": {"3": ["d1"], "1": ["d2", "d3"]}}
    text = json.dumps({"index": "shop", "queries": [one]})
    judged = qrels_of(text, columns={"query": "placeholders.$query"})
    assert judged == {"q1": {"d1": 3, "d2": 1, "d3": 1}}


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
    "bool": (b'{"query": true, "results": ["a"]}', "1: the query id True is not a string or"),
    "null": (b'{"query": "q", "results": ["a", null]}', "1: the item id None of query 'q' is not"),
    "three": (b'{"query": "q", "results": [["a", 1, 2]]}', "1: the item id .* is not a string or"),
    "float": (
        b'{"query": "q", "results": [1.5]}',
        "1: the item id 1.5 of query 'q' is not a string or",
    ),
    "text": (
        b'{"query": "q", "results": {"a": "3", "b": "few"}}',
        "1: score 'few' of item 'b' of query 'q' is not a number",
    ),
    "two lists": (b'{"query": "q", "results": [], "hits": []}', "1: has several lists of items"),
    "mixed": (
        b'{"query": "q", "results": [{"id": "a", "score": 1}, "b"]}',
        "1: item 'b' of query 'q' has no score",
    ),
    "half": (
        b'{"query": "\\ud800", "results": ["b"]}',
        "1: the query id .*is empty, or not valid Unicode",
    ),
    "number": (b'{"query": "q", "results": ["b"]}\n7\n', "2: holds a JSON int, expected an object"),
    "list": (b"[7]", r"data\[0\]: holds a JSON int, expected an object"),
    "second": (b'[{"q": 1}, 7]', r"data\[1\]: holds a JSON int"),
    "nothing": (b"[]", "holds no rows"),
    "no keys": (b"{}", "holds no rows"),
    "no items": (b'{"q1": [], "q2": {}}', "holds no rows: there is no item for 'q1', 'q2'"),
    "one bare": (
        b'{"q": {"a": 1}, "p": ["b"]}',
        "item 'b' of query 'p' has no score, but others have",
    ),
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
        match=r"^<file>:3: a second list of items for query 'q' \(the first is on line 1\); join ",
    ):
        read(io.BytesIO(data))
    with pytest.raises(
        FileFormatError, match=r"data\[2\]: a second list .* query 'q' \(.* data\[0\]\)"
    ):
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


WRONG = {
    "an id": {"query": "q9", "relevant": ["a", None]},
    "a grade": {"query": "q9", "relevant": {"a": "good"}},
    "no list": {"query": "q9", "note": "x"},
    "no query": {"id": None, "relevant": ["a"]},
    "no object": 7,
    "no grade": {"query": "q9", "relevant": ["a", "b"]},
    "another id": {"query": "q9", "relevant": [{"doc_id": "a", "id": "b", "grade": 1}]},
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("wrap", [False, True])
def test_a_fault_in_an_array_has_a_place(what, wrap):
    values = [{"query": f"q{n}", "relevant": {"a": 1, "b": 0}} for n in range(9)]
    whole = [*values, WRONG[what], *({"query": f"p{n}", "relevant": ["a"]} for n in range(9))]
    place = "data[9]"
    if wrap:
        whole, place = {"version": 1, "queries": whole}, "data['queries'][9]"
        if what in ("no query", "no object"):
            return  # not a list of queries
    with pytest.raises((FileFormatError, ColumnRoleError), match=re.escape(place)):
        qrels_of(json.dumps(whole))


@pytest.mark.parametrize("columns", [{"query": "ask"}, {"query": "ask.text"}])
def test_a_wrapped_list_is_found_by_the_names_that_the_caller_gives(columns):
    ask = "q1" if columns["query"] == "ask" else {"text": "q1"}
    value = {"case_name": "x", "cases": [{"ask": ask, "ratings": {"d1": 1, "d2": 1}}]}
    assert qrels_of(json.dumps(value), columns=columns) == TRUTH
    with pytest.raises((FileFormatError, ColumnRoleError)):
        qrels_of(json.dumps(value))


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
        with pytest.raises(
            FileFormatError, match=r"has lists of queries in .*, 'more'; leave only"
        ):
            qrels_of(two)


@pytest.mark.parametrize("others", [{}, {"version": 2}])
def test_queries_inside_of_one_key_are_refused_with_the_way_out(others):
    with pytest.raises(FileFormatError, match=r"inside 'qrels'; write only these, with .*data\['q"):
        qrels_of(json.dumps({"qrels": {"q1": {"d1": 1}}, **others}))
    assert qrels_of('{"q1": ["d1", "d2"]}') == TRUTH


def test_numbers_of_judgements_may_have_several_names_and_of_rows_none_is_lost():
    mixed = {"q1": [["d1", 1]], "q2": [{"id": "d2", "score": 2}, {"id": "d3", "grade": None}]}
    with pytest.warns(RankingDataWarning, match="1 rows have no grade"):
        assert qrels_of(json.dumps(mixed)) == {"q1": {"d1": 1}, "q2": {"d2": 2}}
    with pytest.raises(
        FileFormatError, match="item 'd2' of query 'q2' has no grade, but others have"
    ):
        qrels_of(json.dumps({"q1": [["d1", 1]], "q2": ["d2"]}))
    hits = {"q1": [{"id": "d1", "score": 1}], "q2": [{"id": "d2", "distance": 2}]}
    with pytest.raises(
        FileFormatError, match="item 'd2' of query 'q2' has no score, but others have"
    ):
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
    with pytest.raises(ColumnRoleError, match="is read as both the relevant and the retrieved"):
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
    rre = {"index": "x", "queries": [{"placeholders": {}, "relevant_documents": {"3": ["a"]}}]}
    with pytest.raises(FileFormatError, match=r"RRE ratings; name .*'placeholders.\$query'"):
        qrels_of(json.dumps(rre))


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
        (["q1"], value, "holds 2 _msearch responses, .* requests .got 1"),
        (["q1", "q1"], value, "a different id for each, in the order of the requests .got 1"),
        (["q1", "q2"], {"responses": [HITS, FAILED]}, "query 'q2' failed: .*'parsing_exc"),
        (None, {"q1": FAILED, "q2": HITS}, "the search of query 'q1' failed"),
        (None, {"q1": {**HITS, "timed_out": True}}, "'q1' failed: it ran out of t"),
        (None, {"q1": {**HITS, "_shards": {"failed": 3}}}, "failed: some shards failed"),
        (None, {"query": "q1", "timed_out": True, **HITS}, "failed: it ran out"),
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
    ],
)
def test_other_shapes_of_json_are_refused(value, read):
    for text in (json.dumps(value), json.dumps(value, indent=1)):
        with pytest.raises((FileFormatError, ColumnRoleError)):
            read(text)


TWO = ((2.5, "d7"), (1.5, "d2"))
ENGINES = {
    "Azure": ({"value": [{"@search.score": s, "id": d} for s, d in TWO]}, RUN),
    "Vespa": ({"root": {"children": [{"id": d, "relevance": s} for s, d in TWO]}}, RUN),
    "Pinecone": ({"matches": [{"id": d, "score": s} for s, d in TWO], "namespace": ""}, RUN),
    "Qdrant": ({"result": [{"id": d, "score": s} for s, d in TWO], "status": "ok"}, RUN),
    "Qdrant's points": ({"result": {"points": [{"id": d, "score": s} for s, d in TWO]}}, RUN),
    "Weaviate": (
        {"data": {"Get": {"Doc": [{"_additional": {"id": d, "score": str(s)}} for s, d in TWO]}}},
        RUN,
    ),
    "Typesense": ({"hits": [{"document": {"id": d}, "text_match": s} for s, d in TWO]}, RUN),
    "Meilisearch": (
        {"hits": [{"id": d, "_rankingScore": s} for s, d in TWO], "query": "shoes"},
        RUN,
    ),
    "Meilisearch, without scores": (
        {"hits": [{"id": d} for _, d in TWO], "query": "shoes", "estimatedTotalHits": 2},
        {"q1": ["d7", "d2"]},
    ),
    "Algolia": (
        {"hits": [{"objectID": d, "price": 3} for _, d in TWO], "query": "shoes"},
        {"q1": ["d7", "d2"]},
    ),
    "details of _rank_eval": (
        {"hits": [{"hit": {"_id": d, "_score": s}, "rating": 1} for s, d in TWO]},
        RUN,
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_responses_of_other_engines(engine):
    response, expected = ENGINES[engine]
    assert run_of(json.dumps({"q1": response})) == expected
    both = expected | {"q2": expected["q1"]}
    assert run_of(json.dumps({"q1": response, "q2": response})) == both
    assert run_of(json.dumps({**response, "query": "q1"})) == expected
    lines = [json.dumps({**response, "query": query}) for query in ("q1", "q2")]
    assert run_of("\n".join(lines)) == both


def test_responses_in_several_parts_say_what_to_save():
    chroma = {"ids": [["d7"]], "distances": [[0.1]], "documents": [["x"]]}
    for value in (chroma, {"q1": chroma}, {"query": "q1", **chroma}):
        with pytest.raises(
            FileFormatError, match=r"a Chroma response, .*; save \{query: dict\(zip"
        ):
            run_of(json.dumps(value))
    weaviate = {"data": {"Get": {"Doc": [{"title": "x"}]}}}
    for value in (weaviate, {"q1": weaviate}, {"query": "q1", **weaviate}):
        with pytest.raises(
            FileFormatError, match=r"a Weaviate response without the ids .* list of hits"
        ):
            run_of(json.dumps(value))


def test_own_lists_beside_keys_of_engines():
    empty = [{"query": "q1", "hits": []}, {"query": "q2", "hits": [{"id": "a", "bm25": 3}]}]
    with pytest.raises(ColumnRoleError, match=r"it may be 'bm25' \(numbers\)"):
        run_of(json.dumps(empty))
    for name in ("result", "matches", "value"):
        one = {"query": "q1", "relevant": ["d1", "d2"], name: []}
        assert qrels_of(json.dumps(one)) == TRUTH


def test_a_search_without_scores_is_a_ranking():
    hits = [{"_id": "b", "_score": None}, {"_id": "a", "_score": None}]
    assert run_of(json.dumps({"qid": "q", "hits": hits})) == {"q": ["b", "a"]}
    hits[0]["_score"] = 1.0
    with pytest.raises(
        FileFormatError, match="item 'a' of query 'q' has no score, but others have"
    ):
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


def test_null_is_nothing_for_a_query():
    listed = [{"query": "q1", "relevant": ["d1", "d2"]}, {"query": "q2", "relevant": None}]
    rows = [{"query": "q1", "item": item, "grade": 1} for item in ("d1", "d2")]
    rows.append({"query": "q2", "item": None, "grade": None})
    for values in (listed, rows):
        assert qrels_of(json.dumps(values)) == {**TRUTH, "q2": {}}
        assert read_qrels(lines(*values)) == {**TRUTH, "q2": {}}
    unsaid = {"query": "q2", "item": None, "grade": 1}
    again = {"query": "q1", "item": None}
    for row in (unsaid, again):
        with pytest.raises(FileFormatError, match="3: the item id None is not a string or"):
            read_qrels(lines(*rows[:2], row))
