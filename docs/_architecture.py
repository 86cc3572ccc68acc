"""The generated parts of architecture.md: the packages, and the files that one call enters."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from types import FrameType

import numpy as np

from sklearn_rank import ndcg_at_k_score

ROOT = Path(__file__).parent.parent
# From the ground up, and guarded by tests/house/test_layers.py. Rooms of one line may not import
# each other; modules of one room may, in any order that has no circle.
LAYERS = {
    "sklearn_rank": (
        ("exceptions", "typing"),
        ("support",),
        ("tables",),
        ("rankings", "statistics"),
        ("inputs", "kernels"),
        ("files", "measures"),
        ("engines",),
        ("evaluation",),
        ("comparison", "metrics"),
        ("model_selection",),
        ("scorers",),
        ("gates", "rankers"),
        ("view",),
        ("_demo",),
        ("cli",),
        ("__main__",),
    ),
    "pytest_rankmetrics": (
        ("options",),
        ("session",),
        ("gate",),
        ("assertions",),
        ("plugin",),
    ),
}

# Methods that open what stands above their file: a view, or a part of their own room. Nothing
# else imports upwards, in a function body and for types neither.
OPENS = {
    "sklearn_rank.comparison.result": {
        "Comparison.plot": "sklearn_rank.view.plot",
        "Comparison.report": "sklearn_rank.view.systems",
    },
    "sklearn_rank.evaluation.base": {
        "BaseEvaluation.plot": "sklearn_rank.view.plot",
        "BaseEvaluation.report": "sklearn_rank.view.systems",
        "BaseEvaluation.to_dict": "sklearn_rank.evaluation.tables",
        "BaseEvaluation.by_slice": "sklearn_rank.evaluation.tables",
        "BaseEvaluation.to_frame": "sklearn_rank.evaluation.tables",
        "BaseEvaluation._table": "sklearn_rank.evaluation.tables",
    },
    "sklearn_rank.evaluation.result": {
        "Evaluation.condensed": "sklearn_rank.evaluation.repeats",
        "Evaluation._parts": "sklearn_rank.evaluation.repeats",
    },
    "sklearn_rank.gates.verdict": {
        "GateResult.headline": "sklearn_rank.view.words",
        "GateResult.message": "sklearn_rank.view.words",
        "GateResult.brief": "sklearn_rank.view.words",
        "GateResult.as_dict": "sklearn_rank.view.words",
    },
}


def picture() -> str:
    """Both packages from the bottom layer up, one item each."""
    lines = []
    for package, levels in LAYERS.items():
        order = " → ".join(", ".join(f"`{room}`" for room in rooms) for rooms in levels)
        lines.append(fill(f"- {package}: {order}", 100, subsequent_indent="  "))
    return "\n".join(lines)


def walk() -> str:
    """Files that one call of a metric function enters, in order, as a profiler sees them."""
    rng = np.random.default_rng(0)
    y_true, y_score, groups = rng.integers(0, 3, 100), rng.normal(size=100), np.arange(100) // 10
    entered: dict[str, dict[str, None]] = {}
    root = str(ROOT / "sklearn_rank") + "/"

    def enter(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(root):
            file = frame.f_code.co_filename.removeprefix(root)
            entered.setdefault(file.partition("/")[0], {})[f"`{file}`"] = None

    for _ in range(2):  # the first call imports
        entered.clear()
        sys.setprofile(enter)
        try:
            ndcg_at_k_score(y_true, y_score, groups=groups, k=10)
        finally:
            sys.setprofile(None)
    steps = " → ".join(", ".join(files) for files in entered.values())
    return fill(steps, 100, break_long_words=False, break_on_hyphens=False)
