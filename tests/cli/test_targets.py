"""What the command writes replaces nothing that somebody else has written."""

import os
from pathlib import Path

import pytest

from sklearn_rank.support.disk import write_whole
from tests.cli.conftest import Command

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 x 1 3 new\nq1 Q0 a 2 2 new\nq2 Q0 a 1 2 new\n"
OLD = "q1 Q0 a 1 2 old\nq2 Q0 a 1 2 old\n"


@pytest.fixture(autouse=True)
def files(command: Command) -> Path:
    command.write({"t.qrels": QRELS, "new.run": RUN, "old.run": OLD})
    return command.folder


def test_a_report_does_not_replace_the_judgements(files, command):
    words = "report t.qrels old.run new.run -m mrr -o"
    assert "t.qrels is an input of this call; write to another" in command(f"{words} t.qrels", 2)
    assert (files / "t.qrels").read_text() == QRELS
    (files / "empty.html").touch()
    for _ in range(2):  # an empty file, and a report
        command(f"{words} empty.html")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("report t.qrels old.run new.run -o ./link.qrels", "link.qrels is an input of this call"),
        ("report t.qrels old.run new.run -o notes.md", "exists and is not a report"),
        ("report t.qrels old.run new.run -o b.rank.json", "names a baseline"),
        ("report t.qrels old.run new.run --slices page.html -o page.html", "is an input of this"),
        (
            "gate t.qrels new.run --name g --at-least map=0.1 --markdown new.run",
            "new.run is an input of this call",
        ),
        ("gate --config rank.toml --json rank.toml", "rank.toml is an input of this call"),
        ("report t.qrels old.run new.run -o .", "path must be the name of a file, got '.'"),
    ],
)
def test_no_command_replaces_an_input_or_another_kind_of_file(words, message, files, command):
    (files / "link.qrels").symlink_to("t.qrels")
    toml = '[[gate]]\nname = "g"\nqrels = "t.qrels"\nrun = "new.run"\nat_least = { map = 0.1 }\n'
    page = '<meta name="generator" content="sklearn-rank report">'
    command.write({"notes.md": "to do: judge q2\n"})
    command.write({"rank.toml": toml, "page.html": page})
    before = {path: path.read_bytes() for path in files.iterdir()}
    assert message in command(words, 2)
    assert {path: path.read_bytes() for path in files.iterdir()} == before


def test_the_step_summary_is_no_input_either(files, monkeypatch, command):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(files / "new.run"))
    text = command("gate t.qrels new.run --name g --at-least map=0.1")
    assert "new.run is an input of this call" in text
    assert (files / "new.run").read_text() == RUN


def test_a_report_that_is_the_step_summary_is_written_once(files, monkeypatch, command):
    step = str(files / "step.md")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", step)
    command(f"gate t.qrels new.run --name g --at-least map=0.1 --markdown {step}")
    assert Path(step).read_text().count("### Ranking quality") == 1


def test_a_link_that_leads_elsewhere_is_not_followed(files, command):
    (files / "elsewhere").mkdir()
    (files / "out.html").symlink_to(files / "elsewhere" / "out.html")
    text = command("report t.qrels old.run new.run -o out.html", 2)
    assert "is a link that leads to another folder" in text


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        "report t.qrels old.run new.run -m mrr -o /dev/full",
        "gate t.qrels new.run --name g --at-least map=0.1 --json /dev/full",
        "gate t.qrels new.run --name g --at-least map=0.1 --markdown /dev/full",
    ],
)
def test_a_full_disk_is_an_error_and_no_device_is_replaced(words, command):
    assert "No space left on device" in command(words, 2)
    assert Path("/dev/full").is_char_device()


def test_a_file_is_whole_or_as_it_was(files, monkeypatch):
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(files / "new.run", b"other")
    assert (files / "new.run").read_text() == RUN
    assert not list(files.glob(".*"))
