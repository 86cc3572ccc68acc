"""What an iteration costs that is watched by our nDCG@10 instead of the library's own.

    python -m tests.benchmarks.boosters [--queries 10000] [--rows 20] [--trees 15] [--rounds 3]

One thread, processor time, the least of the rounds, in turns: nothing watched, the library's own
measure, ours, and four of ours at once.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import lightgbm as lgb
import numpy as np
import xgboost as xgb

from sklearn_rank import QueryRanker, lightgbm_eval_metric, xgboost_eval_metric

FOUR = ("ndcg@10", "map", "mrr", "err")


class Data:
    """Rows to learn from and rows that are watched, as each library wants them."""

    def __init__(self, n_queries: int, n_rows: int) -> None:
        rng = np.random.default_rng(0)
        shape = (n_queries * n_rows, 10)
        self.X, self.X_held = (rng.normal(size=shape).astype(np.float32) for _ in range(2))
        self.y, self.y_held = (self._grades(X, n_rows, rng) for X in (self.X, self.X_held))
        self.qid = np.repeat(np.arange(n_queries), n_rows)
        sizes = np.full(n_queries, n_rows)
        self.lgb = lgb.Dataset(self.X, self.y, group=sizes, free_raw_data=False).construct()
        self.lgb_held = lgb.Dataset(self.X_held, self.y_held, group=sizes, reference=self.lgb)
        self.lgb_held.construct()
        self.xgb = xgb.DMatrix(self.X, self.y, qid=self.qid)
        self.xgb_held = xgb.DMatrix(self.X_held, self.y_held, qid=self.qid)

    @staticmethod
    def _grades(X: Any, n_rows: int, rng: np.random.Generator) -> Any:
        grades = np.clip((X[:, 0] + rng.normal(size=len(X)) * 1.5).round(), 0, 4)
        grades[::n_rows] = 1  # no query without a relevant item
        return grades

    def lightgbm(self, trees: int, metric: str, feval: Any) -> None:
        params = {"objective": "lambdarank", "metric": metric, "eval_at": [10], "num_threads": 1}
        lgb.train({**params, "verbose": -1}, self.lgb, trees, [self.lgb_held], feval=feval)

    def xgboost(self, trees: int, metric: str, custom: Any) -> None:
        params: dict[str, Any] = {"objective": "rank:ndcg", "nthread": 1}
        own = {"disable_default_eval_metric": 1} if metric == "None" else {"eval_metric": metric}
        xgb.train(
            {**params, **own},
            self.xgb,
            trees,
            evals=[(self.xgb_held, "held_out")],
            custom_metric=custom,
            verbose_eval=False,
        )

    def xgbranker(self, trees: int, metric: str, measures: Any) -> None:
        held_out = (self.X_held, self.y_held)
        if measures is None:
            own = {} if metric == "None" else {"eval_metric": metric}
            ranker = xgb.XGBRanker(n_estimators=trees, n_jobs=1, **own)
            sets: dict[str, Any] = {"eval_set": [held_out], "eval_qid": [self.qid]}
            ranker.fit(self.X, self.y, qid=self.qid, **(sets if own else {}), verbose=False)
            return
        ranker = QueryRanker(xgb.XGBRanker(n_estimators=trees, n_jobs=1), eval_metric=measures)
        ranker.fit(
            self.X,
            self.y,
            groups=self.qid,
            eval_set=[held_out],
            eval_groups=[self.qid],
            verbose=False,
        )


def ways(data: Data, trees: int) -> dict[str, list[Callable[[], None]]]:
    """For each door: nothing watched, the library's own measure, ours, four of ours."""
    return {
        "lgb.train": [
            lambda: data.lightgbm(trees, "None", None),
            lambda: data.lightgbm(trees, "ndcg", None),
            lambda: data.lightgbm(trees, "None", lightgbm_eval_metric("ndcg@10")),
            lambda: data.lightgbm(trees, "None", lightgbm_eval_metric(*FOUR)),
        ],
        "xgb.train": [
            lambda: data.xgboost(trees, "None", None),
            lambda: data.xgboost(trees, "ndcg@10", None),
            lambda: data.xgboost(trees, "None", xgboost_eval_metric("ndcg@10")),
            lambda: data.xgboost(trees, "None", xgboost_eval_metric(*FOUR)),
        ],
        "XGBRanker": [
            lambda: data.xgbranker(trees, "None", None),
            lambda: data.xgbranker(trees, "ndcg@10", None),
            lambda: data.xgbranker(trees, "None", "ndcg@10"),
            lambda: data.xgbranker(trees, "None", list(FOUR)),
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--trees", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    data = Data(options.queries, options.rows)
    print(f"{options.queries * options.rows:,} rows, ms an iteration (ratio to the library's own)")
    for door, runs in ways(data, options.trees).items():
        least = [float("inf")] * len(runs)
        for _ in range(options.rounds):
            for place, run in enumerate(runs):
                start = time.process_time()
                run()
                least[place] = min(least[place], time.process_time() - start)
        none, own, ours, four = (1e3 * seconds / options.trees for seconds in least)
        print(
            f"{door}: nothing {none:.1f}, own {own:.1f}, ours {ours:.1f} ({ours / own:.2f}), "
            f"four of ours {four:.1f} ({four / own:.2f})"
        )


if __name__ == "__main__":
    main()
