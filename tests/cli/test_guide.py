"""Every command of the guide prints what the guide says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sklearn_rank.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^`([\w.]+)`:\n\n```text\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL))
COMMANDS = re.findall(
    r"^```console\n\$ sklearn-rank (.*?)\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[one for one, _ in COMMANDS])
def test_the_guide_shows_what_is_printed(command, output, tmp_path, monkeypatch, capsys):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr() == (output, "")


def test_the_guide_has_files_and_commands():
    assert set(FILES) == {"dev.qrels", "bm25.run", "dense.run"}
    assert {command.split()[0] for command, _ in COMMANDS} == {
        *("evaluate", "convert", "measures", "doctor"),
    }


def test_every_option_of_evaluate_that_trec_eval_has_is_in_the_guide():
    for short in "mqclMJ":
        assert f"| `-{short}`, " in PAGE
