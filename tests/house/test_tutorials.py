"""The tutorials run as they stand, block by block, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TUTORIALS = sorted(DOCS.glob("tutorial_*.md"))
BLOCK = re.compile(r"^```(python|text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(command: list[str], folder: Path) -> str:
    """Output of a command; some commands of the tutorials fail, and say so."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    hidden = ("PYTEST_ADDOPTS", "PYTHONWARNINGS")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment | {"PATH": programs, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_blocks_of_a_tutorial_print_what_it_shows(page, tmp_path):
    """A block that begins with the name of a file is that file; others go on from each other."""
    script, shown = "", 0
    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        named = re.match(r"# (\w+\.py)\n", text)
        if kind == "python" and named:
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        elif kind == "python":
            script += text
        else:
            command, _, text = text.partition("\n") if kind == "console" else ("", "", text)
            call = command.removeprefix("$ ").split() or [sys.executable, "-c", script]
            lines = run(call, tmp_path).splitlines()
            for line in text.splitlines():
                if line.strip() not in ("", "..."):
                    assert line in lines, f"{line!r} is not printed by {call[:2]}:\n{lines}"
                    del lines[: lines.index(line) + 1]
                    shown += 1
    assert shown >= 3
