"""Every command of the guide prints what the guide says."""

import re
import shlex
from pathlib import Path

import pytest

from sklearn_rank.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
FILES = dict(
    re.findall(r"^`([\w.]+)`:\n\n```(?:text|toml|python)\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)
)
COMMANDS = re.findall(
    r"^```console\n\$ sklearn-rank (.*?)\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL
)


OWN = [pair for pair in COMMANDS if not pair[0].startswith("gate ")]
GATES = [pair for pair in COMMANDS if pair[0].startswith("gate ")]


@pytest.mark.parametrize(("command", "output"), OWN, ids=[command for command, _ in OWN])
def test_the_guide_shows_what_is_printed(command, output, tmp_path, monkeypatch, capsys):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == command.startswith("audit ")
    assert capsys.readouterr() == (output, "")


def test_gates_of_the_guide_follow_each_other(tmp_path, monkeypatch, capsys):
    """The first one writes the baseline of the others."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    for command, output in GATES:
        assert main(shlex.split(command)) == ("FAILED" in output)
        out, err = capsys.readouterr()
        pattern = re.escape(output).replace(re.escape("...\n"), r"(?:.*\n)*?")
        assert err == ""
        assert re.fullmatch(pattern, out), out
    assert len(GATES) == 3


def test_the_guide_has_files_and_commands():
    data = {"dev.qrels", "bm25.run", "dense.run", "rank.toml"}
    assert set(FILES) == {*data, "mymetrics.py"}
    assert {command.split()[0] for command, _ in COMMANDS} == {
        "evaluate",
        "compare",
        "report",
        "gate",
        "judge-next",
        "audit",
    }


def test_every_option_of_evaluate_that_trec_eval_has_is_in_the_guide():
    for short in "mqcl":
        assert f"| `-{short}`, " in PAGE
