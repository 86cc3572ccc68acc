"""The command line, from outside and from inside; the demonstration runs once, end to end."""

import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from unittest.mock import Mock

import pytest

import sklearn_rank
from sklearn_rank import cli
from sklearn_rank.cli import tools
from sklearn_rank.cli.options import build_parser

CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
"""Everything that is no printable character and no line feed."""


def run_python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A Python process whose stdout and stderr are pipes."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, **environment},
        timeout=300,
    )


# Arguments --------------------------------------------------------------------------------------


def test_the_installed_command_helps_and_says_its_version(capsys):
    (command,) = entry_points(group="console_scripts", name="sklearn-rank")
    assert command.load() is cli.main
    version = f"sklearn-rank {sklearn_rank.__version__}\n"
    for argument, start in (("--help", "usage: sklearn-rank"), ("--version", version)):
        with pytest.raises(SystemExit) as end:
            cli.main([argument])
        assert end.value.code == 0
        out, err = capsys.readouterr()
        assert out.startswith(start)
        assert err == ""


def test_every_word_of_format_prints_something_of_its_own(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("t.qrels").write_text("q1 0 a 1\nq1 0 c 0\n")
    for run in ("a.run", "b.run"):
        Path(run).write_text("q1 Q0 a 1 2.0 a\nq1 Q0 b 2 1.0 a\n")
    words = {"evaluate": "t.qrels a.run -q", "compare": "t.qrels a.run b.run"}
    words["judge-next"] = "t.qrels a.run"
    (commands,) = (one for one in build_parser()._actions if isinstance(one.choices, dict))
    asked = set()
    for name, parser in commands.choices.items():
        forms = [one.choices for one in parser._actions if "--format" in one.option_strings]
        printed = set()
        for form in forms[0] if forms else ():
            assert cli.main([name, *words[name].split(), "--format", form]) == 0
            printed.add(capsys.readouterr().out)
            asked.add(name)
        assert "" not in printed, name
        assert len(printed) == len(forms[0] if forms else ()), name
    assert asked == {*words}


def test_nothing_heavy_is_imported_before_a_command_runs():
    heavy = ("numpy", "scipy", "sklearn", "rich", "pydoc_data")
    code = (
        "import sys\n"
        "from sklearn_rank.cli import main\n"
        "try:\n"
        "    main(['--version'])\n"
        "except SystemExit:\n"
        f"    print([name for name in {heavy!r} if name in sys.modules])\n"
    )
    finished = run_python("-c", code)
    assert finished.stdout.splitlines()[-1] == "[]", finished.stderr


ROOT = Path(__file__).parents[2]
COMMANDS = ("evaluate", "compare", "report", "gate", "judge-next", "tune", "audit", "demo")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_a_short_usage_and_examples_that_are_read(command, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([command, "--help"])
    text = capsys.readouterr().out
    assert end.value.code == 0
    usage, _, rest = text.partition("\n\n")
    assert 1 <= len(usage.splitlines()) <= 2
    examples = re.search(r"\nexamples:\n((?:  sklearn-rank .*\n)+)\nguide: https://", rest)[1]
    assert len(examples.splitlines()) == {"audit": 2, "demo": 1}.get(command, 3)
    for line in examples.splitlines():
        words = shlex.split(line.partition(" >")[0])
        assert build_parser().parse_args(words[1:]).command == command
    assert not re.search(r"docs/\w+\.md", text)
    assert max(map(len, text.replace(examples, "").splitlines())) <= 80


def test_the_guide_names_every_word_of_an_option() -> None:
    """A format that is added gets its word in docs/cli.md, in the section of its command."""
    (commands,) = (own for own in build_parser()._actions if own.dest == "command")
    sections = re.split(r"^## ", (ROOT / "docs" / "cli.md").read_text(), flags=re.MULTILINE)
    for command in ("evaluate", "compare", "judge-next"):
        (section,) = (text for text in sections if text.startswith(f"{command}\n"))
        for action in commands.choices[command]._actions:
            if "--format" in action.option_strings:
                assert set(action.choices) <= set(re.findall(r"`([\w-]+)`", section)), command


def test_options_that_commands_share_are_described_once(capsys):
    assert cli.main(["help", "reading"]) == 0
    described = set(re.findall(r"^  (?:-\w(?: N)?, )?(--[\w-]+)", capsys.readouterr().out, re.M))
    for command in ("evaluate", "compare", "report", "gate", "judge-next"):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        named = re.search(r"shared by commands:\n(.*?):\s+see", capsys.readouterr().out, re.DOTALL)[
            1
        ]
        assert set(re.findall(r"--[\w-]+", named)) <= described
    assert {"--qrels-column", "--run-column", "--convention", "--min-rel"} <= described


# Ends -------------------------------------------------------------------------------------------


def test_code_of_the_command_is_the_code_of_the_program(monkeypatch):
    for program, code in ((lambda _: 1, 1), (Mock(side_effect=KeyboardInterrupt), 130)):
        monkeypatch.setattr(tools, "run_demo", program)
        assert cli.main(["demo"]) == code


def test_reader_that_goes_away_is_no_traceback():
    code = (
        "import os, sys\n"
        "from sklearn_rank import cli\n"
        "from sklearn_rank.cli import tools\n"
        "read, write = os.pipe()\n"
        "os.close(read)\n"
        "os.dup2(write, 1)\n"
        "tools.run_demo = lambda _: print('x' * 100_000) or 0\n"
        "sys.exit(cli.main(['demo']))\n"
    )
    finished = run_python("-c", code)
    assert finished.returncode == 2
    assert finished.stderr == ""


def test_python_without_help_pages_is_told_so(monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith("sklearn_rank._demo")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    assert cli.main(["demo"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    told = "the demo needs Python's help pages, but this Python was installed without them"
    assert err == f"sklearn-rank demo: {told}\n"


# The demonstration ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_demo_tunes_compares_and_guards_on_one_screen(tmp_path):
    path = tmp_path / "demo.html"
    code = (
        "import webbrowser\n"
        "from sklearn_rank import cli\n"
        "webbrowser.open = lambda address: print('opened', address)\n"
        f"raise SystemExit(cli.main(['demo', '-o', {str(path)!r}, '--open']))\n"
    )
    finished = run_python("-W", "error", "-c", code, FORCE_COLOR="1")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert CONTROL.search(finished.stdout) is None
    assert finished.stdout.isascii()
    *lines, last = finished.stdout.splitlines()
    assert last == f"opened {path.as_uri()}"
    assert len(lines) <= 32
    assert max(len(line) for line in lines if str(tmp_path) not in line) <= 79
    assert re.search(r"^\{'n_estimators': \d+\} 0\.\d+$", finished.stdout, re.MULTILINE)
    old, new = map(float, re.search(r"map +([\d.]+) -> ([\d.]+)", finished.stdout).groups())
    assert old < new
    assert re.search(r"^FAILED: MAP fell from ", finished.stdout, re.MULTILINE)
    assert path.stat().st_size > 10_000
    path.write_text("mine")
    assert cli.main(["demo", "-o", str(path)]) == 2, "the demo replaces nothing but a report"
    assert path.read_text() == "mine"
