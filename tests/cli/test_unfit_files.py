"""What is said of files whose names fit nothing, or that stand in the wrong place."""

from __future__ import annotations

import pytest

from sklearn_rank.cli import main

QRELS = '{"query": "q1", "relevant_doc_ids": ["a"]}\n'
RUN = '{"query_id": "q1", "results": [{"id": "a", "score": 1.5}]}\n'


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.jsonl").write_text(QRELS)
    (tmp_path / "run.jsonl").write_text(RUN)
    (tmp_path / "films.csv").write_text("user,film,rating\nu1,a,1\n")


@pytest.mark.parametrize("command", ["evaluate", "doctor"])
def test_swapped_files_of_json_are_recognised(command, capsys):
    assert main([command, "run.jsonl", "qrels.jsonl"]) == 2
    assert capsys.readouterr().err == (
        f"sklearn-rank {command}: run.jsonl:1: 'results' belongs to a run, but this is read as "
        "judgements; are the two files swapped?\n"
    )


def test_judgements_in_place_of_a_run_are_recognised(capsys):
    assert main(["evaluate", "qrels.jsonl", "qrels.jsonl"]) == 2
    assert "'relevant_doc_ids' belongs to judgements, but" in capsys.readouterr().err


def test_an_unknown_column_is_answered_by_the_option_that_names_it(capsys):
    assert main(["evaluate", "films.csv", "run.jsonl", "-m", "mrr"]) == 2
    message = capsys.readouterr().err
    assert "no column for the role 'item'" in message
    assert "For another one pass --qrels-column item=film\n" in message
    named = ["--qrels-column", "item=film", "--run-column", "item=film"]
    assert main(["evaluate", "films.csv", "films.csv", "-m", "mrr", *named]) == 0
