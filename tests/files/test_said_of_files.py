"""What is said of files that people really have, and what is read of them without a word."""

from __future__ import annotations

import io
import json

import pytest

from sklearn_rank import ColumnRoleError, FileFormatError, evaluate, read_qrels, read_run
from sklearn_rank.cli import main
from sklearn_rank.files import text as rows

QRELS = "q1 0 a 1\nq2 0 c 2\n"
RUN = "q1 Q0 a 1 3 t\nq2 Q0 c 1 1 t\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dev.qrels").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)


def run_of(text, form=None, **options):
    return read_run(io.BytesIO(text.encode()), format=form, **options)


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        (QRELS, "trec", r":1: 4 fields instead of 6 .*looks like judgements and is read as a run"),
        ("query,item,score\nq,a,\n", "csv", ":2: the score is empty"),
        ('query,item,score\nq,"a\nb",3\n', "csv", ":2: a quote is not closed in its line; fields"),
        ('query,item,score\nq,"a"b,3\n', "csv", ":2: is not CSV: "),
        ('{"q": {"a": 1}, "p": ["b"]}', "json", "item 'b' of query 'p' has no score, others have"),
        ("{}", "json", "holds no rows"),
        ("PK\x03\x04...", None, "is an archive or a spreadsheet; unpack it, or save it as CSV"),
    ],
)
def test_errors_say_what_to_do(text, form, message):
    with pytest.raises(FileFormatError, match=message):
        run_of(text, form)


def test_a_run_in_place_of_judgements():
    with pytest.raises(FileFormatError, match="looks like a run and is read as judgements: are "):
        read_qrels("bm25.run")


def test_two_columns_of_one_name():
    with pytest.raises(ColumnRoleError, match="has 2 columns of the name 'score'; rename them"):
        run_of("query,item,score,score\nq,a,1,2\n", "csv")
    with pytest.raises(ColumnRoleError, match="has 2 columns of the name 'x'; rename them"):
        run_of("query,item,x,x\nq,a,1,2\n", "csv", columns={"score": "x"})


@pytest.mark.parametrize("index", ["", "index", "Unnamed: 0", "__index_level_0__"])
def test_the_numbers_of_rows_that_pandas_writes_are_no_scores(index):
    assert run_of(f"{index},query,item\n0,q,b\n1,q,a\n", "csv")["q"] == ["b", "a"]


@pytest.mark.parametrize("cell", [" 3", "3 ", " 3 "])
def test_spaces_around_numbers_of_a_table_count_for_no_reader(cell, monkeypatch):
    text = f"query,item,score\nq,a,{cell}\n"
    assert run_of(text, "csv")["q"] == {"a": 3.0}
    monkeypatch.setattr(rows, "polars_or_none", lambda: None)
    assert run_of(text, "csv")["q"] == {"a": 3.0}


def test_pairs_of_id_and_score():
    text = '{"query": "q", "results": [["b", 0.5], [7, 2]]}'
    assert run_of(text, "jsonl")["q"] == {"b": 0.5, "7": 2}


# Queries with nothing ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["jsonl", "json"])
@pytest.mark.parametrize("missing", ["zero", "skip", "raise"])
def test_an_empty_list_is_an_empty_ranking_and_not_a_missing_one(form, missing):
    truth = {"p": {"x": 1}, "q": {}, "r": {"a": 1}}
    ranking = {"q": {"a": 1.0}, "p": {}, "r": {"a": 2.0}}
    if form == "json":
        texts = [json.dumps(table) for table in (truth, ranking)]
    else:
        texts = [
            "\n".join(json.dumps({"query": q, key: items}) for q, items in table.items())
            for table, key in ((truth, "relevant"), (ranking, "results"))
        ]
    qrels = read_qrels(io.BytesIO(texts[0].encode()), format=form)
    run = run_of(texts[1], form)
    assert (dict(qrels), dict(run)) == (truth, ranking)
    options = {"missing": missing, "zero_division": 0.0}
    expected = evaluate(truth, ranking, ["map", "lag"], **options)
    evaluation = evaluate(qrels, run, ["map", "lag"], **options)
    assert evaluation.counts == expected.counts
    assert evaluation.to_dict() == expected.to_dict()


# On the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("q1,de\n", "labels:1: needs the columns query and label, and the first line has 'q1', 'd"),
        ("query,label\nq1,de\nq1,fr\n", "labels:3: query 'q1' has the labels 'de' and 'fr'"),
        ("query,label\nq1\n", "labels:2: 1 fields instead of 2"),
        ('{"q1": ["de"]}', "labels: the label of query 'q1' is not text"),
        ('{"q1": "de", "q1": "fr"}', "labels: is not JSON: the key 'q1' stands twice"),
        ("query,label\nq77,de\n", "--slices gives none of the queries a label"),
        ("query,label\nq1,\n", "labels: gives no query a label"),
        ("", "labels:1: needs the columns query and label, and the first line has nothing"),
    ],
)
def test_labels_that_are_no_labels(labels, message, tmp_path, capsys):
    (tmp_path / "labels").write_text(labels)
    assert main(["evaluate", "dev.qrels", "bm25.run", "--slices", "labels"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:1 of 2 queries have no label")
def test_an_empty_label_is_none(tmp_path, capsys):
    (tmp_path / "labels").write_text("query,label\nq1,\nq2,x\n")
    assert main(["evaluate", "dev.qrels", "bm25.run", "--slices", "labels", "-m", "mrr"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[1] for line in lines if line.startswith("mrr ")] == ["all", "x"]


def test_labels_may_hold_line_separators(tmp_path, capsys):
    (tmp_path / "labels").write_text("query,label\nq1,d\u2028e\nq2,x\n", encoding="utf-8")
    assert main(["evaluate", "dev.qrels", "bm25.run", "--slices", "labels", "-m", "mrr"]) == 0
    assert "d\\u2028e" in capsys.readouterr().out


def test_the_command_speaks_of_its_own_options(tmp_path, capsys):
    (tmp_path / "minus.qrels").write_text("q1 0 a 1\nq1 0 b -1\n")
    (tmp_path / "twice.run").write_text("q1 Q0 a 1 3 t\nq1 Q0 a 1 1 t\n")
    assert main(["evaluate", "minus.qrels", "bm25.run"]) == 2
    err = capsys.readouterr().err
    assert "QRELS contains a negative grade (-1) at item 'b' of query 'q1'; --convention " in err
    assert main(["evaluate", "dev.qrels", "twice.run"]) == 2
    assert capsys.readouterr().err.endswith("at positions 1 and 2. Keep one of them.\n")


def test_a_gate_is_told_its_option_and_a_table_its_key(tmp_path, capsys):
    (tmp_path / "part.run").write_text("q1 Q0 a 1 3 t\n")
    assert main(["gate", "dev.qrels", "part.run", "--name", "g", "--at-least", "map=0.1"]) == 2
    assert "Pass --missing zero to count them as empty" in capsys.readouterr().out
    (tmp_path / "rank.toml").write_text(
        '[[gate]]\nname = "g"\nqrels = "dev.qrels"\nrun = "part.run"\nat_least = { map = 0.1 }\n'
    )
    assert main(["gate", "--config", "rank.toml"]) == 2
    assert "Pass missing='zero' to count them as empty" in capsys.readouterr().out


@pytest.mark.filterwarnings("default")
def test_warnings_are_lines_of_the_command(tmp_path, capsys):
    (tmp_path / "other.run").write_text("q1 Q0 A 1 3 t\nq2 Q0 C 1 1 t\n")
    assert main(["evaluate", "dev.qrels", "other.run", "-m", "mrr"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("sklearn-rank evaluate: warning: no relevant item of any query was ret")
    assert "'a' in QRELS, 'A' in RUN), so most measures are 0\n" in err


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"\xff\xfe", "rank.toml: is not UTF-8 text"), (b"[[gate", "rank.toml: is not TOML: ")],
)
def test_settings_that_are_no_toml(data, message, tmp_path, capsys):
    (tmp_path / "rank.toml").write_bytes(data)
    assert main(["gate", "--config", "rank.toml"]) == 2
    assert message in capsys.readouterr().err
