"""The command speaks of its options, and refuses what the library and pytest refuse."""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_rank import write_run
from sklearn_rank.cli import main
from sklearn_rank.cli.reading import read_labels
from sklearn_rank.cli.terminal import in_words_of
from sklearn_rank.exceptions import FileFormatError

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 a 1 3 new\nq1 Q0 b 2 2 new\nq2 Q0 a 1 2 new\n"
GATE = ["gate", "t.qrels", "a.run", "--name", "g"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "t.qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], words: list[str], code: int) -> str:
    try:
        ended = main(words)
    except SystemExit as end:
        ended = end.code  # type: ignore[assignment]
    assert ended == code
    return "".join(capsys.readouterr())


# Words ------------------------------------------------------------------------------------------

NAMES = argparse.Namespace(
    qrels="t.qrels",
    qrels_column=[],
    run_column=[],
    missing=None,
    allow=[],
    force=False,
    level=None,
    assume=None,
    measures=(),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pass missing='zero' to count", "Pass --missing zero to count"),
        ("or missing='skip'.", "or --missing skip."),
        ('pass allow={"no_hits"} if', "pass --allow no_hits if"),
        ("or pass overwrite=True", "or pass --force"),
        ("pass min_rel=", "pass --level"),
        ("pass min_rel=2", "pass --level 2"),
        ("refresh with: --rank-update", "refresh with: --update"),
        ("pass columns={'score': 'my points'}", "pass --run-column 'score=my points'"),
        ("pass columns={'grade': None}", "pass --qrels-column grade="),
        ("t.qrels has: columns={'query': 'id'}", "t.qrels has: --qrels-column query=id"),
        ("a.run has: columns={'query': 'id'}", "a.run has: --run-column query=id"),
        ("pass other='zero', ndcg(gain='linear')", "pass other='zero', ndcg(gain='linear')"),
    ],
)
def test_arguments_of_python_become_options(text: str, expected: str) -> None:
    assert in_words_of(NAMES, text) == expected


def test_messages_are_whole(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = files / ("folder" * 20)
    long.mkdir()
    target = long / "report.csv"
    text = said(capsys, ["convert", "run", "a.run", str(target)], 0)
    assert text == f"{target}: 2 queries, 3 rows\n"
    (files / "x.run").write_text("q1 Q0 zz 1 1 t\nq2 Q0 yy 1 1 t\n")
    words = ["gate", "t.qrels", "x.run", "--name", "g", "--at-least", "map=0.1"]
    text = said(capsys, words, 2)
    assert "ids of QRELS and RUN meet" in text
    assert "pass --allow no_hits if that is right" in text
    assert "characters)" not in text


def test_what_could_not_be_measured_ends_with_2_whatever_the_reason(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "x.run").write_text("q1 Q0 zz 1 1 t\nq2 Q0 yy 1 1 t\n")  # nothing relevant
    (files / "y.run").write_text("q7 Q0 zz 1 1 t\n")  # no query in common
    for run in ("x.run", "y.run"):
        words = ["gate", "t.qrels", run, "--name", "g", "--at-least", "map=0.1"]
        assert "could not" in said(capsys, words, 2)
    assert "FAIL" in said(capsys, [*GATE, "--max-drop", "map=0.1"], 1)  # no baseline


def test_doctor_and_evaluate_agree(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "b.run").write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 3 t\nq2 Q0 x 1 2 t\nq2 Q0 a 2 1 t\n")
    table = said(capsys, ["evaluate", "t.qrels", "b.run", "-m", "ndcg@10", "--format", "csv"], 0)
    value = float(table.split(",")[-1])
    found = said(capsys, ["doctor", "t.qrels", "b.run"], 0)
    assert f"ndcg@10 is {value:.4f} over 2 queries" in found


# One policy -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at-least", "map=0.4", "--at-least", "MAP=0.001"], "--at-least names map twice"),
        (["--max-drop", "P_5=0.4", "--max-drop", "p@5=0"], "--max-drop names precision@5 twice"),
        (["--at-least", "map=0.1", "--accept", "--reason", "."], "--accept lowers baselines and"),
        (["--at-least", "map=0.1", "--accept", "--reason", "\u200b"], "--accept lowers baseli"),
        (["--at-least", "map=0.1", "--run-column", "score=zz"], "has no named columns, which -"),
        (["--at-least", "map=0.1", "--run-column", "nope=score"], "has the roles query, item, s"),
        (["--at-least", "map=0.1", "--run-column", "grade=x"], "has the roles query, item, scor"),
    ],
)
def test_what_means_nothing_is_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in said(capsys, [*GATE, *words], 2)


@pytest.mark.parametrize("grade", ["nan", "-1", "0", "inf", "x"])
def test_the_highest_grade_is_one(grade: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["judge-next", "t.qrels", "a.run", "--max-grade", grade]
    assert "must be a finite number above 0, got" in said(capsys, words, 2)


def test_an_update_does_not_take_over_a_copied_baseline(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, [*GATE, "--max-drop", "map=0.1", "--update"], 0)
    folder = files / "rank-baselines"
    data = (folder / "g.rank.json").read_bytes()
    (folder / "h.rank.json").write_bytes(data)
    words = ["gate", "t.qrels", "a.run", "--name", "h", "--max-drop", "map=0.1"]
    assert "h.rank.json is a copy of that of the gate 'g'" in said(capsys, [*words, "--update"], 2)
    assert (folder / "h.rank.json").read_bytes() == data
    (folder / "g.rank.json").unlink()  # renamed
    said(capsys, [*words, "--update"], 0)
    said(capsys, words, 0)


def test_a_baseline_of_no_gate_is_named(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, [*GATE, "--max-drop", "map=0.1", "--update"], 0)
    (files / "rank.toml").write_text(
        '[[gate]]\nname = "f"\nqrels = "t.qrels"\nrun = "a.run"\nat_least = { mrr = 0.1 }\n'
        'allow = ["perfect"]\n'
    )
    text = said(capsys, ["gate", "--config", "rank.toml"], 0)
    assert "baselines in rank-baselines of no gate: 'g.rank.json'" in text


@pytest.mark.parametrize("closed", [True, False])
def test_outputs_that_take_less_than_there_is(closed: bool, files: Path) -> None:
    write_run({"q1": {"a": 1}, "q2": {"a": 1}}, "é.run")
    words = [sys.executable, "-m", "sklearn_rank.cli", "evaluate", "t.qrels", "a.run", "é.run"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    if closed:
        code = "import os, sys; os.close(1); os.execv(sys.argv[1], sys.argv[1:])"
        words = [sys.executable, "-c", code, *words]
    done = subprocess.run(words, capture_output=True, check=False, env=environment)
    if closed:
        assert done.returncode == 2
        assert b"the standard output is closed; send it to a file" in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\\xe9.run" in done.stdout


# What is said of queries ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "query,label\nq1,de\nq2,fr\n",
        "lang,qid\nde,q1\nfr,q2\n",
        "query,item count,slice\nq1,3,de\nq2,4,fr\n",
        '{"query": "q1", "label": "de"}\n{"query": "q2", "label": "fr"}\n',
        '{"q1": "de", "q2": "fr"}',
    ],
)
def test_labels_are_read_in_each_form(text: str, files: Path) -> None:
    (files / "labels").write_text(text)
    assert read_labels("labels") == {"q1": "de", "q2": "fr"}


@pytest.mark.parametrize(
    "text", ['{"_id": "q1", "text": "how", "metadata": {}}\n', "query_id\ttext\nq1\thow\n"]
)
def test_texts_are_read_as_beir_has_them(text: str, files: Path) -> None:
    (files / "texts").write_text(text)
    assert read_labels("texts", "--query-text", "text") == {"q1": "how"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("query,item,score\nq1,a,1\n", "label"),
        ("query,item\nq1,a\n", "label"),
        ("query,text\nq1,how\n", "label"),
        ("query,label\nq1,de\n", "text"),
        ("q1,de\nq2,fr\n", "label"),
        ('{"query": "q1", "item": "a"}\n', "text"),
    ],
)
def test_files_without_the_columns_are_refused(text: str, what: str, files: Path) -> None:
    (files / "labels").write_text(text)
    with pytest.raises(FileFormatError, match=f"needs the columns query and {what}, and the"):
        read_labels("labels", "--slices", what)


def test_an_input_may_be_a_stream(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUN.encode())))
    assert said(capsys, ["convert", "run", "-", "/dev/stdout"], 0) == (
        "/dev/stdout: 2 queries, 3 rows\n"
    )
