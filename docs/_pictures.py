"""Draw the pictures of the guide: ``python docs/_pictures.py``."""

from __future__ import annotations

import os
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank import Comparison, Evaluation, compare, evaluate

DOCS = Path(__file__).parent
EXAMPLES = DOCS / "examples"
STYLE = DOCS / "matplotlibrc"

SYSTEMS = {"words": 1.2, "vectors": 1.9, "both": 2.1, "both, reranked": 3.0}
"""Made-up search engines, and how strongly their scores depend on the grades."""


def evaluations() -> dict[str, Evaluation]:
    """Each system on 80 queries of 40 items with grades from 0 to 3."""
    rng = np.random.default_rng(1)
    grades = np.where(rng.random((80, 40)) < 0.15, rng.integers(1, 4, (80, 40)), 0)
    grades[:, 0] = 1
    noise = rng.normal(size=(80, 40))
    return {
        name: evaluate(
            grades,
            strength * (grades > 0) * rng.random((80, 40)) * 2 + noise,
            ("map", "ndcg@10", "precision@5"),
        )
        for name, strength in SYSTEMS.items()
    }


def draw_systems(comparison: Comparison) -> None:
    """Draw the picture with the code of the page."""
    page = (DOCS / "pictures.md").read_text(encoding="utf-8")
    section = page.partition("\n## Systems and intervals\n")[2].partition("\n## ")[0]
    code = "".join(one.source for one in DocTestParser().get_examples(section))
    exec(code, {"comparison": comparison})


def draw_all(folder: Path = DOCS) -> None:
    """Write a file for each picture of pictures.md."""
    systems = evaluations()
    pair = compare({name: systems[name] for name in ("vectors", "both")})
    pictures = {
        "measure_at_k": lambda: compare(systems).plot("at_k", measure="ndcg"),
        "roc": lambda: compare(systems).plot("roc", average="macro"),
        "precision_recall": lambda: compare(systems).plot("precision_recall", average="macro"),
        "systems": lambda: draw_systems(compare(systems)),
        "differences": lambda: pair.plot("changes", measure="ndcg@10"),
    }
    with mpl.rc_context(fname=STYLE):
        for name, draw in pictures.items():
            draw()
            plt.savefig(folder / f"{name}.svg", metadata={"Date": None})
            plt.close("all")


def run_example() -> None:
    """Run the script that draws the picture of early_stopping.md."""
    command = [sys.executable, EXAMPLES / "early_stopping.py", DOCS / "early_stopping.svg"]
    subprocess.run(command, check=True, env={**os.environ, "MATPLOTLIBRC": str(STYLE)})


if __name__ == "__main__":
    mpl.use("svg")
    draw_all()
    run_example()
