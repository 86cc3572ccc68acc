"""RecTools at work in a Python of its own: it wants another NumPy than the rest of us.

Run as a script: takes the data from its standard input, and for each further line answers with
the seconds that the measures took. The Python to run is named by ``RECTOOLS_PYTHON``.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from typing import Any

PYTHON = "RECTOOLS_PYTHON"


def start(truths: list[set[str]], rankings: list[list[str]]) -> Any:
    """A timer of RecTools; ImportError where there is none."""
    python = os.environ.get(PYTHON, sys.executable)
    worker = subprocess.Popen(
        [python, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    orders, answers = worker.stdin, worker.stdout
    assert orders is not None
    assert answers is not None
    if answers.readline() != b"ready\n":
        worker.communicate()
        raise ModuleNotFoundError(name="rectools")
    pickle.dump((truths, rankings), orders)

    def timer(prepare: Any = None) -> float:  # its memory is not this process's to return
        orders.write(b"\n")
        orders.flush()
        return float(answers.readline())

    return timer


def main() -> None:
    """Answers until nothing more is asked."""
    import pandas as pd
    from rectools import Columns
    from rectools.metrics import MAP, MRR, NDCG, Precision, Recall, calc_metrics

    measures = {
        "map": MAP(100),
        "ndcg@10": NDCG(10),
        "mrr": MRR(100),
        "precision@10": Precision(10),
        "recall@100": Recall(100),
    }
    print("ready", flush=True)
    truths, rankings = pickle.load(sys.stdin.buffer)

    def frame(lists: Any) -> dict[str, list[Any]]:
        pairs = [(user, item) for user, items in enumerate(lists) for item in items]
        return {
            Columns.User: [user for user, _ in pairs],
            Columns.Item: [item for _, item in pairs],
        }

    for _ in sys.stdin.buffer:
        start = time.perf_counter()
        ranks = [rank for items in rankings for rank in range(1, len(items) + 1)]
        recommended = pd.DataFrame({**frame(rankings), Columns.Rank: ranks})
        calc_metrics(measures, recommended, pd.DataFrame(frame(truths)))
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
