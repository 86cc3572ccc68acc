"""Judged items that are not in the index fail a gate; ids that never match have a cause."""

from pathlib import Path
from typing import Any

from pytest_rankmetrics import RankGateFailure, assert_metric, assert_not_worse, expected_failure
from sklearn_rank.cli import main

TRUTH = {"q1": {"a", "gone"}, "q2": {"c"}}
RUN = {"q1": ["a", "b"], "q2": ["c", "b"]}
INDEX = {"a", "b", "c"}
SAID = (
    r"could not measure: 1 of 3 judged items is not in the index \('gone'\): was the corpus "
    r're-chunked\?; pass allow=\{"unknown_items"\} if that is right'
)


def test_a_judged_item_that_is_not_in_the_index_fails_unless_allowed(rank_gate):
    limit: dict[str, Any] = {"at_least": {"map": 0.5}, "known_items": INDEX}
    with expected_failure(match=SAID):
        rank_gate.check(TRUTH, RUN, name="known", **limit)
    with expected_failure(match="1 of 3 judged items is not in the index"):
        assert_not_worse(TRUTH, RUN, RUN, "map", known_items=INDEX)
    limit |= {"known_items": INDEX.__contains__, "allow": {"unknown_items"}}
    assert rank_gate.check(TRUTH, RUN, **limit).counts["unknown_items"] == 1


def test_an_error_of_the_index_is_no_failed_gate():
    with expected_failure(ValueError, match="known_items raised ZeroDivisionError"):
        assert_metric(TRUTH, RUN, "map", at_least=0.5, known_items=lambda item: 1 / 0)


def test_where_nothing_was_found_the_likely_cause_is_named():
    upper = {query: {item.upper() for item in items} for query, items in TRUTH.items()}
    said = r"match\? \(ids seem to differ in case: '\w+' in y_true, '\w' in y_score\)"
    with expected_failure(RankGateFailure, match=said):
        assert_metric(upper, RUN, "map", at_least=0.5)


def test_the_command_takes_a_file_of_ids(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = {
        "t.qrels": "q1 0 a 1\nq1 0 gone 2\nq2 0 c 1\n",
        "new.run": "q1 Q0 a 1 2 new\nq2 Q0 c 1 2 new\n",
        "rank.toml": "[[gate]]\nname = 'g'\nqrels = 't.qrels'\nrun = 'new.run'\n"
        "at_least = { map = 0.1 }\nknown_items = 'index.txt'\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    typed = "t.qrels new.run --name g --at-least map=0.1 --known-items index.txt"
    for words in (typed.split(), ["--config", "rank.toml"]):
        Path("index.txt").write_text("a\nb\nc\n")
        assert main(["gate", *words]) == 2
        assert "1 of 3 judged items is not in the index ('gone')" in capsys.readouterr().out
        Path("index.txt").write_text("a\nc\ngone\n")
        assert main(["gate", *words]) == 0
        Path("index.txt").write_text("\n")
        assert main(["gate", *words]) == 2
        assert "index.txt: holds no id; write one on each line" in capsys.readouterr().err
