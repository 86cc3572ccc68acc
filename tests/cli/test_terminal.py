"""What a terminal shows: messages in the command's words, tables, progress, streams that end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sklearn_rank import cli
from sklearn_rank.cli.options import build_parser
from sklearn_rank.cli.terminal import option_of
from sklearn_rank.support import runtime
from sklearn_rank.support.text import argument, arguments_as, takes
from tests.cli.conftest import ONE, Command


@pytest.mark.parametrize(
    ("of", "name", "value", "option"),
    [
        ("evaluate", "missing", "zero", "missing='zero'"),  # it has --complete
        ("gate", "missing", "zero", "--missing zero"),
        ("gate", "allow", "no_hits", "--allow no_hits"),
        ("evaluate", "min_rel", None, "--min-rel"),
        ("evaluate", "columns", {"score": "my points"}, "--run-column 'score=my points'"),
        ("evaluate", "columns", {"grade": None}, "--qrels-column grade="),
        ("evaluate", "columns", {"query": "id"}, "--run-column query=id"),
        ("evaluate", "columns", None, "--qrels-column and --run-column"),
        ("evaluate", "grades", {"E": ..., "I": ...}, "--grade E=..."),
        ("evaluate", "string_provider", None, "string_provider="),
    ],
)
def test_arguments_of_python_are_options_of_a_command(of, name, value, option):
    files = {"judge-next": ["t.qrels"], "gate": []}.get(of, ["t.qrels", "r.run"])
    arguments = build_parser().parse_args([of, *files])
    arguments.reading = "run"
    python = argument(name, value)
    with arguments_as(option_of(arguments)):
        assert argument(name, value) == option
        assert takes(name) == (option != python)
    assert takes(name)


def on_terminal(command: Command, words: str, width: int) -> list[str]:
    """Lines that a terminal of this width gets."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(width)}
    arguments = [sys.executable, "-m", "sklearn_rank.cli", *words.split()]
    with os.fdopen(leader, "rb", buffering=0) as reading:
        with subprocess.Popen(
            arguments,
            stdout=follower,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=command.folder,
        ) as process:
            os.close(follower)
            drawn = b""
            try:
                while part := reading.read(65536):
                    drawn += part
            except OSError:  # the other end is closed
                pass
        assert process.returncode == 0
    return drawn.decode().replace("\r", "").split("\n")


def test_a_terminal_gets_a_bold_head_and_a_pipe_plain_text(command):
    words = "evaluate t.qrels one.run"
    plain = command.process(words, environment={"TERM": "xterm", "COLUMNS": "100"})
    assert plain.stdout.isascii()
    assert b"\x1b" not in plain.stdout
    assert (plain.returncode, plain.stderr) == (0, b"")
    assert on_terminal(command, words, 100)[0].startswith("\x1b[1mmeasure")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "gone", "kept"),
    [
        (140, [], ["effect", "wins", "ties", "losses", "detectable"]),
        (100, ["effect", "detectable"], ["wins", "losses"]),
        (80, ["effect", "detectable", "ties", "queries"], ["p (Holm)", "wins", "losses"]),
    ],
)
def test_a_narrow_terminal_gets_fewer_columns_and_whole_numbers(width, gone, kept, command):
    lines = on_terminal(command, "compare t.qrels one.run two.run -m ndcg@10 -m map", width)
    head = lines[0]
    assert all(name in head for name in kept)
    assert not any(name in head for name in gone)
    assert bool(gone) == any(line.startswith("hidden columns: effect") for line in lines)
    assert "\u2026" not in "".join(lines)
    assert all(len(line) <= width for line in lines[1:3])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("evalute t.qrels one.run", "did you mean 'evaluate'?"),
        ("evaluate t.qrels one.run --mesure map", "--mesure map; did you mean '--measure'?"),
        ("evaluate t.qrels one.run --format marrkdown", "did you mean 'markdown'?"),
        ("compare t.qrels one.run two.run --alfa=0.1", "did you mean '--alpha'?"),
        ("evaluate t.qrels one.run -m ndcg@10 mrr map@5", "; join measures with commas, as in"),
        ("evaluate t.qrels one.run two.run", "two.run; 'sklearn-rank compare' takes several runs"),
        ("compare t.qrels one.run two.run --html x", "; 'sklearn-rank report' writes an HTML file"),
        ("compare t.qrels one.run two.run --report x", "'sklearn-rank report' writes an HTML file"),
        ("compare t.qrels one.run two.run --slices x", "; 'sklearn-rank report' takes slices"),
        ("evaluate t.qrels one.run --output x", "; redirect the output with > FILE"),
        ("compare t.qrels one.run two.run --metrics map", "; did you mean '--measure'?"),
        ("gate t.qrels one.run --report x", "; did you mean '--html'?"),
        ("gate t.qrels one.run --min map=0.5", "; did you mean '--at-least'?"),
        ("gate t.qrels one.run --fail-under map=0.5", "; did you mean '--at-least'?"),
        ("gate t.qrels one.run --at map=0.5", "unrecognized arguments: --at map=0.5"),
        ("compare t.qrels one.run two.run --stat-test t", "has a paired randomization test"),
        ("report t.qrels one.run --html x.html", "; it writes HTML, to -o FILE"),
        ("report t.qrels one.run --format latex", "; it writes HTML, to -o FILE"),
        ("evaluate t.qrels one.run --format latex", r"to_frame().to_latex(escape=True)"),
        ("gate t.qrels one.run --format json", "pass --json FILE or --markdown FILE"),
        (
            "gate t.qrels one.run --max-drop ndcg@10=0.02,map=1%",
            "takes one MEASURE=NUMBER, got",
        ),
        (
            "gate t.qrels one.run --at-least map=0.2 mrr=0.1",
            "mrr=0.1; an option takes one of these",
        ),
        ("evaluate t.qrels one.run --grade E=3,S=2", "takes one NAME=NUMBER, got 'E=3,S=2'; repe"),
        (
            "evaluate t.qrels one.run --qrels-column query=q,item=d",
            "takes one ROLE=NAME, got",
        ),
        ("evaluate t.qrels one.run --qqqq\x1b[31m", "unrecognized arguments: --qqqq\\x1b[31m"),
    ],
)
def test_what_is_mistyped_is_suggested(words, message, command):
    assert message in command(words, 2)


def test_a_terminal_sees_what_goes_on(capsys, monkeypatch):
    with runtime.waiting("reading"):
        pass
    assert capsys.readouterr().err == "", "nothing elsewhere"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with runtime.waiting("reading [bold]a\x1b.run"):
        pass
    text = capsys.readouterr().err
    # Markup and control characters of a name are shown, not obeyed.
    assert "reading [bold]a" in text
    assert "a\x1b.run" not in text


# Streams ----------------------------------------------------------------------------------------


def test_an_output_without_all_characters_gets_escapes(command):
    command.write({"é.run": "q1 Q0 a 1 1 t\n"})
    environment = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = command.process("compare t.qrels one.run é.run", environment=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\xe9.run" in done.stdout


CLOSED = "import os, subprocess, sys; os.close(1); sys.exit(subprocess.call(sys.argv[1:]))"


@pytest.mark.parametrize("target", ["/dev/full", None])
def test_an_output_that_cannot_be_written_ends_with_2(target, command):
    if target and not Path(target).exists():
        pytest.skip("the system has no /dev/full")
    prefix = [] if target else [sys.executable, "-c", CLOSED]
    with open(target or os.devnull, "wb") as out:
        done = command.process("evaluate t.qrels one.run", prefix=prefix, stdout=out)
    assert done.returncode == 2, done.stderr
    assert b"Traceback" not in done.stderr
    assert done.stderr.startswith(b"sklearn-rank evaluate: ")
    assert target or b"standard output is closed; send it to a file" in done.stderr


# Files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("evaluate gone.qrels one.run", "evaluate: QRELS 'gone.qrels' cannot be read: there"),
        ("evaluate t.qrels folder", "evaluate: RUN 'folder' cannot be read: it is a folder"),
        ("evaluate t.qrels empty.run", "evaluate: empty.run: is empty"),
        ("evaluate t.qrels one.run --slices x", "--slices 'x' cannot be read: there is no such"),
        ("evaluate - -", "'-' is standard input, which can be read only once"),
        ("evaluate t.qrel one.run", "; did you mean 't.qrels'"),
        ("judge-next t.qrels gone", "judge-next: RUN 'gone' cannot be read"),
        ("report t.qrels one.run -o no/x.html", "path 'no/x.html' cannot be written: there is no"),
        ("gate t.qrels gone --name n --at-least map=1", "RUN 'gone' cannot be read"),
        ("gate - - --name n --at-least map=1", "'-' is standard input, which can be read only"),
        ("gate --config gone.toml", "--config 'gone.toml' cannot be read: there is no such file"),
    ],
)
def test_a_file_is_named_as_the_usage_does(words, message, command):
    command.write({"empty.run": ""})
    (command.folder / "folder").mkdir()
    text = command(words, 2)
    assert message in text
    assert "Errno" not in text


def test_ids_and_files_are_named_as_they_are(command: Command) -> None:
    """The command calls the data QRELS and RUN, and changes no text: an item may be ``y_true``."""
    twice = "q1 Q0 y_true 1 2 t\nq1 Q0 y_true 2 1 t\n"
    command.write({"q": "q1 0 y_true 1\n", "r": twice, "my_y_score.run": ONE})
    assert "RUN['q1'] holds item 'y_true' at positions 1 and 2" in command("evaluate q r", code=2)
    error = command("evaluate my_y_score_gone.run my_y_score.run", code=2)
    assert "QRELS 'my_y_score_gone.run' cannot be read" in error
    assert "did you mean 'my_y_score.run'?" in error


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "q.json", "a.json", "-q", "--slices", "s.csv"],
        ["evaluate", "q.json", "a.json", "-q", "--format", "trec"],
        ["evaluate", "q.json", "a.json", "-q", "--format", "markdown"],
        ["compare", "q.json", "a.json", "::error::b.json"],
        ["compare", "q.json", "a.json", "::error::b.json", "--changed", "3"],
        ["compare", "q.json", "a.json", "::error::b.json", "--format", "markdown"],
    ],
    ids=" ".join,
)
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names of files")
def test_no_id_is_a_command_to_the_job_whose_log_it_is(command, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.chdir(tmp_path)
    bad = {f"::error::{n}": {"::warning::x": 1} for n in range(3)} | {"##[error]q": {"##[x": 1}}
    (tmp_path / "q.json").write_text(json.dumps(bad))
    (tmp_path / "a.json").write_text(
        json.dumps({q: {"b": 2.0, **found} for q, found in bad.items()})
    )
    (tmp_path / "::error::b.json").write_text(
        json.dumps({q: {"b": 0.5, **found} for q, found in bad.items()})
    )
    rows = "".join(f"{query},::error::{query}\n" for query in bad)
    (tmp_path / "s.csv").write_text(f"query,slice\n{rows}")
    assert cli.main(command) == 0
    shown = capsys.readouterr().out
    assert "error" in shown
    assert not [line for line in shown.splitlines() if line.strip().startswith("::")]
    assert "##[" not in shown
