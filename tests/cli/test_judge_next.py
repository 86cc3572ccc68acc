"""``sklearn-rank judge-next``: a list of items, a template, and the way back into judgements."""

from __future__ import annotations

from pathlib import Path

import pytest

from sklearn_rank import read_qrels
from sklearn_rank.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 x 1 3 new\nq1 Q0 a 2 2 new\nq1 Q0 y 3 1 new\nq2 Q0 a 1 2 new\nq2 Q0 b 2 1 new\n"
OLD = "q1 Q0 a 1 2 old\nq1 Q0 y 2 1 old\nq2 Q0 a 1 2 old\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"t.qrels": QRELS, "new.run": RUN, "old.run": OLD}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_list(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-next", "t.qrels", "new.run", "-m", "P_2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "query  item  rank     move",
        "q1     x        1  +0.2500",
        "q2     b        2  +0.2500",
    ]


def test_a_list_for_a_comparison(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-next", "t.qrels", "new.run", "old.run", "-m", "P_2", "-n", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "query  item  rank  rank_other     move",
        "q1     x        1              +0.2500",
        "q1     y                    2  -0.2500",
    ]


def test_there_and_back(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-next", "t.qrels", "new.run", "-m", "P_2", "--template", "todo.csv"]) == 0
    assert capsys.readouterr().out == "todo.csv: 2 items to judge; fill in their grades\n"
    todo = files / "todo.csv"
    assert todo.read_text() == "query,item,grade,rank,move\nq1,x,,1,0.25\nq2,b,,2,0.25\n"
    todo.write_text(todo.read_text().replace("q1,x,,", "q1,x,2,"))
    # What is filled in counts at once; the other is still to be judged.
    assert main(["judge-next", "t.qrels", "new.run", "-m", "P_2", "--filled", "todo.csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["q2     b        2  +0.2500"]
    assert main(["judge-next", "t.qrels", "--filled", "todo.csv", "--into", "more.qrels"]) == 0
    assert capsys.readouterr().out == "more.qrels: 4 judgements, 1 filled in\n"
    assert read_qrels("more.qrels")["q1"] == {"a": 1, "b": 0, "x": 2}


def test_judgements_without_a_zero_are_complete(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "t.qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    assert main(["judge-next", "t.qrels", "new.run"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("sklearn-rank judge-next: QRELS count as complete, because they hold")
    assert "--assume partial" in error
    assert main(["judge-next", "t.qrels", "new.run", "--assume", "partial", "-n", "1"]) == 0
    assert "q1     x" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["t.qrels"], "RUN is missing: items to judge are those of a run"),
        (["t.qrels", "new.run", "--into", "x.qrels"], "--into writes QRELS with the grades of"),
        (["t.qrels", "new.run", "--filled", "no.csv"], "there is no such file"),
        (["-", "-"], "'-' is standard input, which can be read only once"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], what: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge-next", *words]) == 2
    assert what in capsys.readouterr().err
    assert not (files / "x.qrels").exists()


def test_ids_reach_a_terminal_escaped(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "new.run").write_text("q1 Q0 \x1b[31mx 1 3 new\n")
    assert main(["judge-next", "t.qrels", "new.run"]) == 0
    assert "\x1b" not in capsys.readouterr().out
