"""Print the tables of tutorial_hybrid.md: what tuning seems to gain, and what it gains.

The settings learn nothing from queries, so the nested search of `cross_val_compare` can be computed
from the values of each setting per query: a fold takes the setting that is best on the others. Run
as `python docs/_tuning.py [REPETITIONS]`; 1,000 take some minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from _markdown import table

from sklearn_rank import Change, RankFusion, compare, evaluate
from sklearn_rank.model_selection.cross_val_compare import confirmed
from sklearn_rank.typing import FloatArray

SIZES = (25, 60, 200)
FOLDS = 5
GRID = [([w, 1 - w], k) for w in (0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9) for k in (10, 60)]
EQUAL = GRID.index(([0.5, 0.5], 60))

Problem = Callable[[int, np.random.Generator], tuple[Any, list[Any], int]]


def noise(n: int, rng: np.random.Generator) -> tuple[Any, list[Any], int]:
    """Truths, and rankings of 21 settings of equal strength; the first is the default."""
    relevant = rng.random((n, 10)) < 0.2
    relevant[:, 0] |= ~relevant.any(axis=1)
    signal = relevant + 0.6 * rng.normal(size=(n, 10))
    return relevant.astype(int), [signal + rng.normal(size=(n, 10)) for _ in range(21)], 0


def fusion(n: int, rng: np.random.Generator) -> tuple[Any, list[Any], int]:
    """Truths, and two runs of equal strength fused with each setting of the grid."""
    truths, runs = {}, ({}, {})
    for query in range(n):
        relevant = np.zeros(60)
        relevant[rng.choice(60, 4, replace=False)] = 1
        truths[query] = set(np.flatnonzero(relevant).tolist())
        for run in runs:
            scores = 1.2 * relevant + rng.normal(size=60)
            run[query] = {item: float(scores[item]) for item in np.argsort(-scores)[:40].tolist()}
    queries, shared = list(truths), RankFusion(list(runs)).fit(list(truths))
    settings = []
    for weights, k in GRID:
        fused = shared.__sklearn_clone__().set_params(weights=weights, k=k).fit(queries)
        settings.append(dict(zip(queries, fused.predict(queries), strict=True)))
    return truths, settings, EQUAL


def compared(truths: Any, old: Any, new: Any, measure: str) -> Change:
    """One change, tested."""
    return compare(truths, {"default": old, "tuned": new}, measure)[measure]


def repetition(
    problem: Problem, n: int, measure: str, rng: np.random.Generator
) -> tuple[Change, Change]:
    """The change on the tuning queries, and the change on held-out queries."""
    truths, settings, default = problem(n, rng)
    values: FloatArray = np.array(
        [evaluate(truths, one, measure).per_query[measure] for one in settings]
    )
    best, folds = int(values.mean(axis=1).argmax()), np.arange(n) % FOLDS
    chosen = [int(values[:, folds != fold].mean(axis=1).argmax()) for fold in range(FOLDS)]
    parts = [settings[chosen[fold]][query] for query, fold in enumerate(folds.tolist())]
    held_out: Any = dict(enumerate(parts)) if isinstance(truths, dict) else np.array(parts)
    return (
        compared(truths, settings[default], settings[best], measure),
        confirmed(compared(truths, settings[default], held_out, measure), FOLDS),
    )


def row(problem: Problem, n: int, measure: str, repetitions: int) -> list[str]:
    """Gains seen and held out with ``n`` queries, and how often each is called better."""
    rng = np.random.default_rng(n)
    pairs = [repetition(problem, n, measure, rng) for _ in range(repetitions)]
    cells = [str(n)]
    for changes in zip(*pairs, strict=True):
        called = sum(one.significant and one.change > 0 for one in changes)
        cells.append(f"{np.mean([one.change for one in changes]):+.3f}")
        cells.append(f"{100 * called / repetitions:.1f} %")
    return [*cells, f"{repetitions:,}"]


TITLES = ["queries", "seen", "called better", "held out", "called better ", "repetitions"]


def main(repetitions: int) -> None:
    """Print both tables."""
    for problem, measure in ((noise, "map"), (fusion, "ndcg@10")):
        rows = [row(problem, n, measure, repetitions) for n in SIZES]
        print(f"{problem.__name__}, {measure}\n{table(TITLES, rows)}\n", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
