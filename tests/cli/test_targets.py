"""What the command writes replaces nothing that somebody else has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from sklearn_rank import compare
from sklearn_rank.cli import main

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 x 1 3 new\nq1 Q0 a 2 2 new\nq2 Q0 a 1 2 new\n"
OLD = "q1 Q0 a 1 2 old\nq2 Q0 a 1 2 old\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"t.qrels": QRELS, "new.run": RUN, "old.run": OLD}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_report_does_not_replace_the_judgements(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["report", "t.qrels", "old.run", "new.run", "-m", "mrr", "-o"]
    assert main([*arguments, "t.qrels"]) == 2
    assert "t.qrels is there and no report; write to another file" in capsys.readouterr().err
    assert (files / "t.qrels").read_text() == QRELS
    (files / "empty.html").touch()
    for _ in range(2):  # an empty file, and a report
        assert main([*arguments, "empty.html"]) == 0


def test_nor_does_that_of_a_comparison(files: Path) -> None:
    compared = compare({"q": {"a"}}, {"A": {"q": ["a"]}, "B": {"q": ["x", "a"]}}, measures="mrr")
    with pytest.raises(FileExistsError, match=r"new\.run is there and no report"):
        compared.report(files / "new.run")
    assert (files / "new.run").read_text() == RUN
    for _ in range(2):
        compared.report(files / "page.html", pictures=False)


def test_a_template_does_not_replace_grades_that_were_filled_in(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["judge-next", "t.qrels", "new.run", "-m", "P_2", "--template"]
    for _ in range(2):  # nothing is lost with an empty template
        assert main([*arguments, "todo.csv"]) == 0
    todo = files / "todo.csv"
    todo.write_text(todo.read_text().replace("q1,x,,", "q1,x,2,"))
    filled = todo.read_text()
    assert main([*arguments, "todo.csv"]) == 2
    assert (
        "todo.csv holds grades that were filled in (1); read them first" in capsys.readouterr().err
    )
    assert main([*arguments, "todo.csv", "--filled", "todo.csv"]) == 2
    assert todo.read_text() == filled
    assert main([*arguments, "t.qrels"]) == 2
    assert "t.qrels is there and no template" in capsys.readouterr().err
    assert (files / "t.qrels").read_text() == QRELS
