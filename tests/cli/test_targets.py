"""What the command writes replaces nothing that somebody else has written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_rank import compare, read_qrels, write_qrels, write_run, write_template
from sklearn_rank.cli import main
from sklearn_rank.support.disk import write_whole

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 x 1 3 new\nq1 Q0 a 2 2 new\nq2 Q0 a 1 2 new\n"
OLD = "q1 Q0 a 1 2 old\nq2 Q0 a 1 2 old\n"


def words_of(text: str) -> list[str]:
    return text.split()


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
    assert "t.qrels is an input of this call; write to another file" in capsys.readouterr().err
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
    assert main([*arguments, "old.run"]) == 2
    assert "old.run is there and no template" in capsys.readouterr().err
    assert (files / "old.run").read_text() == OLD


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("convert run new.run new.run --force", "new.run is an input of this call"),
        ("convert run new.run ./link.run", "link.run is an input of this call"),
        ("convert run new.run old.run", "old.run is there; write to another file, or pass --force"),
        ("convert run new.run t.qrels --force", "t.qrels is there and no run"),
        ("convert qrels t.qrels old.run --force", "old.run is there and no judgements"),
        ("convert run new.run base.rank.json --force", "base.rank.json names a baseline"),
        ("convert run new.run new.xlsx", ".xlsx files are not written; the suffixes are .run"),
        ("judge-next t.qrels --filled todo.csv --into t.qrels --force", "is an input of this call"),
        ("judge-next t.qrels --filled todo.csv --into todo.csv --force", "is an input of this c"),
        ("judge-next t.qrels --filled todo.csv --into old.run --force", "is there and no judgem"),
        ("judge-next t.qrels --filled todo.csv --into notes.md --force", "is there and no judgem"),
        ("report t.qrels old.run new.run --slices page.html -o page.html", "is an input of this"),
        (
            "gate t.qrels new.run --name g --at-least map=0.1 --markdown new.run",
            "new.run is an input of this call",
        ),
        (
            "gate t.qrels new.run --name g --at-least map=0.1 --known-items ids.txt --json ids.txt",
            "ids.txt is an input of this call",
        ),
        ("gate --config rank.toml --junit rank.toml", "rank.toml is an input of this call"),
    ],
)
def test_no_command_replaces_an_input_or_another_kind_of_file(
    words: str, message: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "link.run").symlink_to("new.run")
    (files / "todo.csv").write_text("query,item,grade\nq1,x,2\n")
    (files / "ids.txt").write_text("a\nb\nx\n")
    (files / "notes.md").write_text("to do: judge q2\n")
    (files / "rank.toml").write_text(
        '[[gate]]\nname = "g"\nqrels = "t.qrels"\nrun = "new.run"\nat_least = { map = 0.1 }\n'
    )
    report = '<meta name="generator" content="sklearn-rank report">'
    (files / "page.html").write_text(report)
    before = {path: path.read_bytes() for path in files.iterdir()}
    assert main(words_of(words)) == 2
    assert message in capsys.readouterr().err
    assert {path: path.read_bytes() for path in files.iterdir()} == before


def test_the_step_summary_is_no_input_either(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "new.run"))
    assert main(words_of("gate t.qrels new.run --name g --at-least map=0.1")) == 0
    assert "new.run is an input of this call" in capsys.readouterr().out
    assert (files / "new.run").read_text() == RUN


def test_what_is_there_is_replaced_where_somebody_says_so(files: Path) -> None:
    (files / "empty.csv").touch()
    assert main(words_of("convert run new.run empty.csv")) == 0
    assert main(words_of("convert run old.run empty.csv")) == 2
    assert main(words_of("convert run old.run empty.csv --force")) == 0
    assert "old" not in (files / "empty.csv").read_text()
    with pytest.raises(FileExistsError, match=r"is there; write to another file, or pass overwri"):
        write_qrels({"q": {"a"}}, files / "t.qrels")
    with pytest.raises(FileExistsError, match="is there and no run"):
        write_run({"q": ["a"]}, files / "t.qrels", overwrite=True)
    write_qrels({"q": {"a"}}, files / "t.qrels", overwrite=True)
    assert dict(read_qrels(files / "t.qrels")) == {"q": {"a": 1}}


def test_a_template_does_not_replace_comments(files: Path) -> None:
    rows = compare_frame()
    write_template(rows, files / "todo.csv")
    text = (files / "todo.csv").read_text()
    (files / "todo.csv").write_text(text.replace("grade", "grade,comment").replace(",\n", ",,hm\n"))
    with pytest.raises(FileExistsError, match=r"holds columns that were added \('comment'\)"):
        write_template(rows, files / "todo.csv")


def compare_frame() -> object:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"query": ["q1"], "item": ["x"]})


def test_a_link_that_leads_elsewhere_is_not_followed(files: Path) -> None:
    (files / "elsewhere").mkdir()
    (files / "out.run").symlink_to(files / "elsewhere" / "out.run")
    with pytest.raises(FileExistsError, match="is a link that leads to another folder"):
        write_run({"q": ["a"]}, files / "out.run")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        "convert run new.run /dev/full",
        "report t.qrels old.run new.run -m mrr -o /dev/full",
        "judge-next t.qrels new.run -m P_2 --template /dev/full",
        "gate t.qrels new.run --name g --at-least map=0.1 --json /dev/full",
        "gate t.qrels new.run --name g --at-least map=0.1 --markdown /dev/full",
        "gate t.qrels new.run --name g --at-least map=0.1 --junit /dev/full",
    ],
)
def test_a_full_disk_is_an_error_and_no_device_is_replaced(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words_of(words)) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("target", ["/dev/full", None])
def test_an_output_that_cannot_be_written_ends_with_2(target: str | None, files: Path) -> None:
    words = [sys.executable, "-m", "sklearn_rank.cli", "evaluate", "t.qrels", "new.run"]
    code = "import os, subprocess, sys; os.close(1); sys.exit(subprocess.call(sys.argv[1:]))"
    if target is None:
        words = [sys.executable, "-c", code, *words]
    with open(target or os.devnull, "wb") as out:
        done = subprocess.run(words, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("sklearn-rank evaluate: ")


def test_a_file_is_whole_or_as_it_was(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(files / "new.run", b"other")
    assert (files / "new.run").read_text() == RUN
    assert not list(files.glob(".*"))
