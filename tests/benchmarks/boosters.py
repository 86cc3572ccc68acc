"""What an iteration costs that is watched by our nDCG@10 instead of the library's own.

    python -m tests.benchmarks.boosters [--queries 10000] [--rows 20] [--trees 15] [--rounds 3]

One thread, processor time, the least of the rounds, in turns: nothing watched, the library's own
measure, ours, and four of ours at once.
"""

import time
from collections.abc import Callable
from typing import Any

import lightgbm as lgb
import numpy as np
import xgboost as xgb

from sklearn_rank import QueryRanker, booster_eval_metric
from tests.benchmarks.harness import numbers_of

OURS = (("ndcg@10",), ("ndcg@10", "map", "mrr", "err"))


def trainings(n_queries: int, n_rows: int, trees: int) -> dict[str, list[Callable[[], Any]]]:
    """For each interface: nothing watched, the library's own measure, ours, four of ours."""
    rng = np.random.default_rng(0)
    X, X_held = rng.normal(size=(2, n_queries * n_rows, 10)).astype(np.float32)
    y, y_held = (
        np.clip((side[:, 0] + rng.normal(size=len(side)) * 1.5).round(), 0, 4)
        for side in (X, X_held)
    )
    y[::n_rows] = y_held[::n_rows] = 1  # no query without a relevant item
    qid, sizes = np.repeat(np.arange(n_queries), n_rows), np.full(n_queries, n_rows)
    lgb_data = lgb.Dataset(X, y, group=sizes, free_raw_data=False).construct()
    lgb_held = lgb.Dataset(X_held, y_held, group=sizes, reference=lgb_data).construct()
    xgb_data, xgb_held = xgb.DMatrix(X, y, qid=qid), xgb.DMatrix(X_held, y_held, qid=qid)

    def lightgbm(metric: str, custom: Any = None) -> None:
        params = {"objective": "lambdarank", "metric": metric, "eval_at": [10], "num_threads": 1}
        lgb.train({**params, "verbose": -1}, lgb_data, trees, [lgb_held], feval=custom)

    def xgboost(metric: str | None, custom: Any = None) -> None:
        own = {"eval_metric": metric} if metric else {"disable_default_eval_metric": 1}
        params = {"objective": "rank:ndcg", "nthread": 1, **own}
        options = {"custom_metric": custom, "verbose_eval": False}
        xgb.train(params, xgb_data, trees, evals=[(xgb_held, "held_out")], **options)

    def xgbranker(metric: str | None) -> None:
        sets: dict[str, Any] = {"eval_set": [(X_held, y_held)], "eval_qid": [qid]} if metric else {}
        ranker = xgb.XGBRanker(n_estimators=trees, n_jobs=1, eval_metric=metric)
        ranker.fit(X, y, qid=qid, **sets, verbose=False)

    def query_ranker(measures: tuple[str, ...]) -> None:
        ranker = QueryRanker(xgb.XGBRanker(n_estimators=trees, n_jobs=1), eval_metric=measures)
        sets: dict[str, Any] = {"eval_X": X_held, "eval_y": y_held, "eval_groups": qid}
        ranker.fit(X, y, groups=qid, **sets, verbose=False)

    return {
        "lgb.train": [
            lambda: lightgbm("None"),
            lambda: lightgbm("ndcg"),
            *(lambda m=m: lightgbm("None", booster_eval_metric(*m)) for m in OURS),
        ],
        "xgb.train": [
            lambda: xgboost(None),
            lambda: xgboost("ndcg@10"),
            *(lambda m=m: xgboost(None, booster_eval_metric(*m)) for m in OURS),
        ],
        "XGBRanker": [
            lambda: xgbranker(None),
            lambda: xgbranker("ndcg@10"),
            *(lambda m=m: query_ranker(m) for m in OURS),
        ],
    }


def main(argv: list[str] | None = None) -> None:
    given = numbers_of(__doc__, argv, queries=10_000, rows=20, trees=15, rounds=3)
    print(f"{given.queries * given.rows:,} rows, ms an iteration (ratio to the library's own)")
    for name, runs in trainings(given.queries, given.rows, given.trees).items():
        seconds: list[list[float]] = [[] for _ in runs]
        for _ in range(given.rounds):
            for run, taken in zip(runs, seconds, strict=True):
                start = time.process_time()
                run()
                taken.append(time.process_time() - start)
        none, own, ours, four = (1e3 * min(taken) / given.trees for taken in seconds)
        print(
            f"{name}: nothing {none:.1f}, own {own:.1f}, ours {ours:.1f} ({ours / own:.2f}), "
            f"four of ours {four:.1f} ({four / own:.2f})"
        )


if __name__ == "__main__":
    main()
