"""What a scorer adds to ``predict`` and ``evaluate`` called by hand.

    python -m tests.benchmarks.scorer_overhead [--queries 30000] [--rows 100] [--rounds 9]

A round runs scorer, by hand, by hand, scorer in one process, so that what one run leaves behind in
memory burdens both alike; the figure is the median of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge

from sklearn_rank import evaluate, map_scorer


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def one_round(scorer: Callable[[], object], by_hand: Callable[[], object]) -> tuple[float, float]:
    first, second, third, fourth = map(seconds, (scorer, by_hand, by_hand, scorer))
    return (first + fourth) / 2, (second + third) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=30_000)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    n = options.queries * options.rows
    qid = np.repeat(np.arange(options.queries), options.rows)
    y = (rng.random(n) < 0.1).astype(np.int64)
    y[:: options.rows] = 1  # no undefined query
    X = rng.normal(size=(n, 5)) + y[:, np.newaxis]
    frame = pd.DataFrame(X, index=pd.Index(qid, name="qid"))
    model = Ridge().fit(X, y)
    framed = Ridge().fit(frame.rename(columns=str), y)
    named = frame.rename(columns=str)
    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "groups passed": (
            lambda: map_scorer(model, X, y, groups=qid),
            lambda: evaluate(y, model.predict(X), "map", groups=qid)["map"],
        ),
        "index of X": (
            lambda: map_scorer(framed, named, y),
            lambda: evaluate(y, framed.predict(named), "map", groups=qid)["map"],
        ),
    }
    print(f"{options.queries:,} queries of {options.rows} rows, {options.rounds} rounds")
    for name, (scorer, by_hand) in ways.items():
        if scorer() != by_hand():
            raise SystemExit(f"{name}: the two ways differ")
        pairs = [one_round(scorer, by_hand) for _ in range(options.rounds)]
        ratio = statistics.median(one / other for one, other in pairs)
        times = [statistics.median(column) for column in zip(*pairs, strict=True)]
        print(
            f"{name}: scorer {times[0] * 1e3:.0f} ms, by hand {times[1] * 1e3:.0f} ms, "
            f"ratio {ratio:.3f}"
        )


if __name__ == "__main__":
    main()
