"""The recipe of the guide runs as it is written, and no value of ours moves the settings."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin.conftest import CASES, LEAN
from tests.plugin.one_gate import GATE, WORSE, git

GUIDE = Path(__file__).parents[2] / "docs" / "gates.md"


def recipe() -> list[str]:
    """The commands of the recipe, for a change that is to be merged into main."""
    page = GUIDE.read_text(encoding="utf-8").partition("## The CI recipe")[2]
    block = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert block is not None
    commands = re.findall(r"^- run: (.+)$", block[1], re.MULTILINE)
    assert len(commands) == 2
    return [command.replace("${{ github.base_ref }}", "main") for command in commands]


class Checkout:
    """A clone of a project with a recorded gate, on a branch of its own, as CI checks it out."""

    def __init__(self, tmp_path: Path) -> None:
        origin = tmp_path / "origin"
        self.path = tmp_path / "ci" / "project"
        (origin / "tests").mkdir(parents=True)
        (tmp_path / "bin").mkdir()
        shim = tmp_path / "bin" / "pytest"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pytest "$@"\n')
        shim.chmod(0o755)
        self.environment = {
            **{name: value for name, value in os.environ.items() if name[:4] != "GIT_"},
            "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTEST_ADDOPTS": LEAN,
            "CI": "",
            "GITHUB_STEP_SUMMARY": str(tmp_path / "ci" / "step.md"),
        }
        self.environment.pop("PYTEST_CURRENT_TEST", None)
        (origin / "pytest.ini").write_text("[pytest]\nrank_required = test_bm25\n")
        (origin / "tests" / "cases.py").write_text(CASES, encoding="utf-8")
        lines = [line.removeprefix("    ") for line in GATE.strip("\n").split("\n")]
        (origin / "tests" / "test_it.py").write_text("\n".join(lines) + "\n")
        (origin / "tests" / "ranks.json").write_text(json.dumps([2] * 30))
        self.run("pytest --rank-update", origin)
        git(origin, "init", "-q", "-b", "main")
        git(origin, "add", ".")
        git(origin, "commit", "-q", "-m", "all")
        self.path.parent.mkdir(exist_ok=True)
        git(tmp_path, "clone", "-q", str(origin), str(self.path))
        git(self.path, "checkout", "-q", "-b", "change")

    def run(self, command: str, directory: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            shell=True,
            cwd=directory or self.path,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def system(self, ranks: list[int]) -> None:
        (self.path / "tests" / "ranks.json").write_text(json.dumps(ranks))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_recipe_of_the_guide_runs_and_stops_a_lowered_baseline(checkout):
    worktree, gates = recipe()
    assert checkout.run(worktree).returncode == 0
    for _ in range(2):  # the second time all files exist
        done = checkout.run(gates)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "rootdir: " + str(checkout.path) in done.stdout
        assert "configfile: pytest.ini" in done.stdout
        report = json.loads((checkout.path / "rank.json").read_text())
        assert report["required"] == ["test_bm25"]
        assert [gate["state"] for gate in report["gates"]] == ["pass"]
    assert (checkout.path.parent / "step.md").read_text().count("### Ranking quality") == 1 + 2
    # A change that is worse and lowers the baseline beside it.
    checkout.system(WORSE)
    lowered = checkout.run("pytest --rank-accept='*'")
    assert lowered.returncode == 0, lowered.stdout
    assert checkout.run("pytest").returncode == 0
    done = checkout.run(gates)
    assert done.returncode == 1
    assert "MRR fell from 0.500 to 0.417" in done.stdout
