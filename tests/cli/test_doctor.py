"""``sklearn-rank doctor``, ``convert`` and ``measures``."""

import json

import pytest

from sklearn_rank import read_qrels, read_run

CASES = {
    "odd TREC files": (
        "# c\nq1 0 A 1\nq1 0 A 1\nQ2 0 b 0\nq3 0 c -1\n",
        "q1 Q0 a 1 1 t\nq2 Q0 x 1 1 t\nq2 Q0 x 1 1 t\n",
        [
            "3 queries, 4 judgements; grades -1: 1, 0: 1, 1: 2",
            "1 comment lines",
            "no relevant item for 2 queries: 'Q2', 'q3'",
            "negative grades need --convention trec_eval",
            "the item 'A' is judged more than once for query 'q1'",
            "2 judged queries have no ranking: 'Q2', 'q3'",
            "1 ranked queries have no judgements: 'q2'",
            "1 queries of both sides would match with case folded",
            "1 items of both sides would match with case folded",
            "the item 'x' is ranked more than once for query 'q2'",
        ],
    ),
    "columns without a role": (
        "query,item,grade,annotator\nq1,a,1,x\n",
        "query,item,score,title,points\nq1,a,1,x,5\nq1,b,0.5,y,7\n",
        [
            "judged: query from 'query', item from 'item', grade from 'grade'",
            "columns without a role, which are not read: 'annotator'",
            "columns without a role, which are not read: 'title', 'points'",
        ],
    ),
    "queries that are perhaps one": (
        "query,item,grade\nHow ?,a,1\nhow ?,b,1\n7,a,1\n007,a,1\nother,a,1\n",
        "query,item,score\n7,a,1\n",
        [
            "1 queries are written in several ways, but for case folded: 'How ?', 'how ?'",
            "leading zeros removed: '7', '007'",
        ],
    ),
    "repeated items": (
        "query,item,grade\nq1,a,1\n",
        "query,item,score\n" + "".join(f"q{n},a,1\nq{n},a,2\n" for n in range(3)),
        [
            "'a' is ranked more than once for query 'q0', and 2 more queries repeat items",
            "! this cannot be measured: y_score['q1'] holds item 'a' at positions 1 and 2",
        ],
    ),
    "contradictions hide nothing else": (
        "query,item,grade\nq1,a,1\nq1,a,2\nq2,b,0\n",
        "query,item,score\nq1,a,1\nq9,a,1\n",
        [
            "no relevant item for 1 queries: 'q2'",
            "1 ranked queries have no judgements: 'q9'",
            "judges item 'a' twice, with grades 1 and 2",
        ],
    ),
    "empty rankings": (
        '{"query": "p", "relevant": ["a"]}',
        '{"query": "p", "results": ["a"]}\n{"query": "q", "results": []}',
        ["1 rankings are empty: 'q'"],
    ),
}


@pytest.mark.parametrize(("qrels", "run", "findings"), CASES.values(), ids=CASES)
def test_what_is_odd_is_named(qrels, run, findings, command):
    command.write({"odd.qrels.txt": qrels, "odd.run.txt": run})
    text = " ".join(command("doctor odd.qrels.txt odd.run.txt").split())
    assert [finding for finding in findings if finding not in text] == []
    assert "whitespace" not in text


def test_doubts_of_the_order_are_no_success(command):
    command.write({"d.jsonl": '{"query": "q1", "results": [["a", 0.1], ["b", 0.4]]}'})
    text = " ".join(command("doctor t.qrels d.jsonl", 2).split())
    assert "ranked: query from 'query', item from 'results[]'" in text
    assert "! the scores of every ranked list ascend" in text


def test_what_can_be_seen(command):
    command.write({"labels.csv": "query,label\nq1,de\nq2,de\n"})
    text = command("doctor t.qrels two.run --slices labels.csv")
    assert "slices of fewer than 30 queries: 'de (2)'" in text
    assert "1 queries have no label: 'q3'" in text
    assert "ndcg@10 is 0.8770 over 3 queries, 95% interval" in text  # (1 + 1/log2(3) + 1) / 3
    assert "with 80% power; less for similar systems" in text


def test_unjudged_items_and_equal_values_are_told(command):
    command.write({"g.qrels": "q 0 a 1\nq 0 b 0\np 0 a 1\np 0 b 0\n"})
    command.write({"g.run": "q Q0 x 1 2 t\nq Q0 a 2 1 t\np Q0 y 1 2 t\np Q0 a 2 1 t\n"})
    text = command("doctor g.qrels g.run")
    assert "50% of the first 10 items are unjudged, and count as irrelevant" in text
    assert "ndcg@10 is the same for every query" in text
    assert "would be detected" not in text


def test_convert(command):
    text = command("convert run one.run one.jsonl.gz")
    assert text == "one.jsonl.gz: 3 queries, 4 rows\n"
    assert read_run("one.jsonl.gz") == read_run("one.run")
    command("convert qrels t.qrels t.csv")
    assert read_qrels("t.csv") == read_qrels("t.qrels")
    command("convert run one.jsonl.gz back.run --tag new")
    assert read_run("back.run").tag == "new"
    assert "name a file, or /dev/stdout for TREC" in command("convert run one.run -", 2)


def test_measures(command):
    text = command("measures")
    assert all(f"\n{name} " in text for name in ("map", "ndcg", "lag", "hmean"))
    (one,) = json.loads(command("measures lag --json"))
    assert (one["range"], one["cutoff"]) == ("[0, inf), lower is better", False)
