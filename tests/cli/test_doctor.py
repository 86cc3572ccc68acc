"""What ``sklearn-rank doctor`` finds: everything odd at once, whatever else is wrong."""

from __future__ import annotations

import pytest

from sklearn_rank.cli import main


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def findings(capsys, tmp_path, qrels, run=None, *options):
    (tmp_path / "dev.csv").write_text(qrels)
    files = ["dev.csv"]
    if run is not None:
        (tmp_path / "bm25.csv").write_text(run)
        files.append("bm25.csv")
    assert main(["doctor", *files, *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_columns_without_a_role_are_named(tmp_path, capsys):
    text = findings(
        capsys,
        tmp_path,
        "query,item,grade,annotator\nq1,a,1,x\n",
        "query,item,score,title,points\nq1,a,1,x,5\nq1,b,0.5,y,7\n",
    )
    assert "columns without a role, which are not read: 'annotator'" in text
    assert "columns without a role, which are not read: 'title', 'points'" in text


def test_queries_that_are_perhaps_one(tmp_path, capsys):
    qrels = "query,item,grade\nHow ?,a,1\nhow ?,b,1\n7,a,1\n007,a,1\nother,a,1\n"
    text = findings(capsys, tmp_path, qrels)
    assert "1 queries are written in several ways, but for case folded: 'How ?', 'how ?'" in text
    assert "leading zeros removed: '7', '007'" in text
    assert "whitespace" not in text


def test_how_many_queries_repeat_items(tmp_path, capsys):
    run = "query,item,score\n" + "".join(f"q{n},a,1\nq{n},a,2\n" for n in range(3))
    text = findings(capsys, tmp_path, "query,item,grade\nq1,a,1\n", run)
    assert (
        "the item 'a' is ranked more than once for query 'q0', and 2 more queries repeat items"
        in text
    )
    assert "! this cannot be measured: y_score['q1'] holds item 'a' at positions 1 and 2" in (
        " ".join(text.split())
    )


def test_judgements_that_contradict_each_other_hide_nothing_else(tmp_path, capsys):
    qrels = "query,item,grade\nq1,a,1\nq1,a,2\nq2,b,0\n"
    text = findings(capsys, tmp_path, qrels, "query,item,score\nq1,a,1\nq9,a,1\n")
    assert "no relevant item for 1 queries: 'q2'" in text
    assert "1 ranked queries have no judgements: 'q9'" in text
    assert "judges item 'a' twice, with grades 1 and 2" in text


def test_empty_rankings_are_named(tmp_path, capsys):
    (tmp_path / "q.jsonl").write_text('{"query": "p", "relevant": ["a"]}')
    (tmp_path / "r.jsonl").write_text(
        '{"query": "p", "results": ["a"]}\n{"query": "q", "results": []}'
    )
    assert main(["doctor", "q.jsonl", "r.jsonl"]) == 0
    out, err = capsys.readouterr()
    assert "1 rankings are empty: 'q'" in out
    assert err == ""
