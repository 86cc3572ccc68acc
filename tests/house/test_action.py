"""The action for pull requests: its script passes on exactly what it was given."""

import os
import subprocess
from pathlib import Path

import pytest

ACTION = Path(__file__).parents[2] / ".github" / "actions" / "rank-gate"
SCRIPT = ACTION / "rank-gate.sh"
SPY = '#!/usr/bin/env bash\nprintf "%s\\n" "$@" >"$SPIED"\nexit "${CODE:-0}"\n'


def run(path: Path, **inputs: str) -> tuple[int, list[str]]:
    """Exit code of the script, and the arguments with which it called the command."""
    command = path / "sklearn-rank"
    command.write_text(SPY)
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
        "SPIED": str(path / "spied"),
        "INPUT_PACKAGE": "",
        **inputs,
    }
    done = subprocess.run(["bash", str(SCRIPT)], env=environment, check=False, cwd=path)
    return done.returncode, (path / "spied").read_text().splitlines()


def test_files_and_limits_become_arguments(tmp_path: Path) -> None:
    code, arguments = run(
        tmp_path,
        INPUT_QRELS="q.qrels",
        INPUT_RUN="a run.txt",
        INPUT_NAME="bm25",
        INPUT_BASELINE_DIR="base",
        INPUT_AT_LEAST="map=0.3\n  mrr=0.5  \n\n",
        INPUT_MAX_DROP="ndcg@10=0.005",
        INPUT_SLICES="slices.csv",
        INPUT_ARGUMENTS="--allow=unjudged\n--missing=zero\n--qrels-column item=page url",
        INPUT_MARKDOWN="out.md",
    )
    assert code == 0
    assert arguments == [
        "gate",
        "q.qrels",
        "a run.txt",
        "--name=bm25",
        "--baseline-dir=base",
        "--at-least=map=0.3",
        "--at-least=mrr=0.5",
        "--max-drop=ndcg@10=0.005",
        "--slices=slices.csv",
        "--allow=unjudged",
        "--missing=zero",
        "--qrels-column",
        "item=page url",
        "--markdown=out.md",
    ]


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_code_of_the_command_is_the_code_of_the_step(tmp_path: Path, code: int) -> None:
    assert run(tmp_path, INPUT_CONFIG="rank.toml", CODE=str(code))[0] == code


def test_inputs_are_never_read_as_commands(tmp_path: Path) -> None:
    hostile = "$(touch owned) `touch owned`; touch owned; *"
    _, arguments = run(tmp_path, INPUT_NAME=hostile, INPUT_AT_LEAST=hostile)
    assert arguments == ["gate", f"--name={hostile}", f"--at-least={hostile}"]
    assert not (tmp_path / "owned").exists()


def test_every_input_reaches_the_script() -> None:
    """By an environment variable: text that stands in a script would be run."""
    action, script = (ACTION / "action.yml").read_text(), SCRIPT.read_text()
    inputs = action.partition("inputs:\n")[2].partition("\nruns:")[0]
    names = [
        line.strip()[:-1] for line in inputs.splitlines() if line[:3].strip() and line[0] == " "
    ]
    assert len(names) == 11
    for name in names:
        variable = f"INPUT_{name.upper().replace('-', '_')}"
        assert f"{variable}: ${{{{ inputs.{name} }}}}" in action
        assert variable in script
    assert "inputs." not in action.partition("env:")[0].partition("runs:")[2]
