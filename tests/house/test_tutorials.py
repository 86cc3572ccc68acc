"""The tutorials run as they stand, block by block, in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV

from sklearn_rank import QueryKFold, cross_val_compare, get_scorer
from tests.house.test_docs import load

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


def test_the_tables_of_hybrid_search_are_those_of_cross_val_compare():
    """Their script takes the choice of each fold from values per query."""
    script = load("_tuning")
    assert len(script.row(script.noise, 25, "map", 2)) == len(script.TITLES)
    truths, settings, _ = script.fusion(25, np.random.default_rng(0))
    _, held_out = script.repetition(script.fusion, 25, "ndcg@10", np.random.default_rng(0))

    class Saved(BaseEstimator):
        def __init__(self, number=script.EQUAL):
            self.number = number

        def fit(self, X, y=None):
            return self

        def predict(self, X):
            return [settings[self.number][query] for query in X]

    grid = {"number": list(range(len(settings)))}
    search = GridSearchCV(Saved(), grid, scoring=get_scorer("ndcg@10"), cv=QueryKFold(5))
    models = {"default": Saved(), "tuned": search}
    found = cross_val_compare(models, list(truths), list(truths.values()), measures="ndcg@10")
    # As text: what is undefined on both sides is not equal to itself.
    assert repr(found["ndcg@10"]) == repr(held_out)


@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_blocks_of_a_tutorial_print_what_it_shows(page, tmp_path):
    """A block that begins with the name of a file is that file; others go on from each other."""
    script, expected, shown = "", list[str](), 0

    def check(call: list[str], lines: list[str]) -> int:
        printed = run(call, tmp_path).splitlines()
        for line in lines:
            assert line in printed, f"{line!r} is not printed by {call[:2]}:\n{printed}"
            del printed[: printed.index(line) + 1]
        return len(lines)

    for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        named = re.match(r"# (\w+\.py)\n", text)
        if kind == "python" and named:
            (tmp_path / named[1]).write_text(text, encoding="utf-8")
        elif kind == "python":
            script += text
        elif kind == "text":
            expected += shown_lines(text)
        else:
            if expected:  # by the blocks so far, whose files a command may read
                shown += check([sys.executable, "-c", script], expected)
                expected = []
            command, _, text = text.partition("\n")
            shown += check(command.removeprefix("$ ").split(), shown_lines(text))
    if expected:
        shown += check([sys.executable, "-c", script], expected)
    assert shown >= 3


def shown_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip() not in ("", "...")]
