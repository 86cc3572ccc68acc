"""The command line, from outside and from inside; the demonstration runs once, end to end."""

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from unittest.mock import Mock

import pytest

import sklearn_rank
from sklearn_rank import cli
from sklearn_rank.cli import tools

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
    assert err == "sklearn-rank demo: this Python was installed without its help pages\n"


# The demonstration ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo() -> subprocess.CompletedProcess[str]:
    """The finished demonstration, run with warnings as errors and colour asked for."""
    return run_python("-W", "error", "-m", "sklearn_rank.cli", "demo", FORCE_COLOR="1")


@pytest.mark.slow
def test_demo_prints_plain_text(demo):
    assert (demo.returncode, demo.stderr) == (0, "")
    assert CONTROL.search(demo.stdout) is None
    assert demo.stdout.isascii()
    lines = demo.stdout.splitlines()
    assert max(len(line) for line in lines if not line.startswith("    ")) <= 79


@pytest.mark.slow
def test_demo_measures_held_out_queries_with_intervals_and_counts(demo):
    rows = re.findall(
        r"^    (\S+) +(\d\.\d{4})  (\d\.\d{4})\.\.(\d\.\d{4}) +(\d+)$", demo.stdout, re.M
    )
    assert [name for name, *_ in rows] == [
        *("map", "mrr", "recall@10", "ndcg@10"),
        *("map", "mrr", "ndcg@10", "precision@10", "gauc"),
    ]
    for _, score, low, high, _ in rows:
        assert 0 <= float(low) < float(score) < float(high) <= 1
    held_out = re.search(r"Tuned on (\d+) queries; (\d+) are held out", demo.stdout)
    assert {queries for *_, queries in rows[:4]} == {held_out[2]}
    assert {queries for *_, queries in rows[4:]} == {"80"}
    assert "    80 queries\n" in demo.stdout


@pytest.mark.slow
def test_demo_ends_with_a_gate_that_fails_on_a_broken_retriever(demo):
    (measured,) = map(float, re.findall(r"help pages \(MAP (0\.\d+),", demo.stdout))
    (threshold,) = map(float, re.findall(r"at_least\(y_true, y_score, (0\.\d\d)\)", demo.stdout))
    assert 0 <= measured - threshold < 0.01
    failure = demo.stdout.partition("whoever is on call reads:")[2]
    broken = re.search(r"^    MAP is (0\.\d{3}), below the (0\.\d{3}) required", failure, re.M)
    assert float(broken[1]) < float(broken[2]) == threshold
    assert "worst queries by map" in failure
    for page in re.findall(r"docs/\w+\.md", failure):
        assert (Path(__file__).parents[2] / page).is_file()


# Its honesty ------------------------------------------------------------------------------------


def test_digits_share_no_query_between_training_and_held_out():
    from sklearn_rank._demo import read_pairs

    own, held_out = (set(query.tolist()) for _, _, query in read_pairs())
    assert (len(own), len(held_out), own & held_out) == (80, 80, set())


def test_related_pages_are_those_that_help_names():
    from sklearn_rank._demo import read_help_pages

    texts, related = read_help_pages()
    # help("while") ends with: Related help topics: break, continue, if, TRUTHVALUE
    assert related["while"] == {"break", "continue", "if", "truth"}
    assert (len(texts) >= 70, len(related) >= 50) == (True, True)
    for page, others in related.items():
        assert others
        assert page not in others
        assert {page, *others} <= texts.keys()
