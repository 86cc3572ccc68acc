"""One training run, watched twice: by LightGBM's default metrics, and by the measure of the search.

python docs/examples/early_stopping.py [picture.svg]
"""

from __future__ import annotations

import sys

import lightgbm as lgb
import matplotlib.pyplot as plt
import numpy as np

from sklearn_rank import booster_eval_metric

PARAMS = {
    "objective": "lambdarank",
    "label_gain": [0, 1, 3, 7],
    "learning_rate": 0.1,
    "num_leaves": 15,
    "num_threads": 1,
    "verbose": -1,
}
OURS = {**PARAMS, "metric": "None"}
TREES, PATIENCE = 80, 10


def problem(n_queries: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, grades from 0 to 3, and sizes of queries; each query has a relevant item."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 40, n_queries)
    X = rng.normal(size=(sizes.sum(), 6)).round(1)
    wanted = X[:, 0] * np.sign(X[:, 1]) + 0.5 * X[:, 2] + rng.normal(size=len(X))
    grades = np.digitize(wanted, [1.2, 2.0, 2.8])
    grades[np.cumsum(sizes) - 1] = 1
    return X, grades, sizes


def stopped(params: dict, feval: object = None) -> int:
    """Number of trees that early stopping keeps."""
    model = lgb.train(
        params,
        DATA,
        TREES,
        [HELD_OUT],
        feval=feval,
        callbacks=[lgb.early_stopping(PATIENCE, verbose=False)],
    )
    return model.best_iteration


X, y, sizes = problem(150, seed=1)
DATA = lgb.Dataset(X, y, group=sizes)
X, y, sizes = problem(100, seed=101)
HELD_OUT = lgb.Dataset(X, y, group=sizes, reference=DATA)

noted: dict = {}
metric = booster_eval_metric("map@10")
lgb.train(OURS, DATA, TREES, [HELD_OUT], feval=metric, callbacks=[lgb.record_evaluation(noted)])
values = noted["valid_0"]["map@10"]

by_default = stopped(PARAMS)  # nDCG at 1, 2, 3, 4 and 5: the first that stops rising
by_measure = stopped(OURS, metric)
print(f"stopped by LightGBM's default: {by_default} trees, MAP@10 {values[by_default - 1]:.3f}")
print(f"stopped by MAP@10: {by_measure} trees, MAP@10 {values[by_measure - 1]:.3f}")

figure, ax = plt.subplots()
(line,) = ax.plot(range(1, TREES + 1), values)
stops = ((by_default, "by nDCG@1 to 5", -14), (by_measure, "by MAP@10", 5))
for tree, told, above in stops:
    ax.plot(tree, values[tree - 1], "o", color=line.get_color(), markersize=7)
    ax.annotate(
        f"stops here {told}",
        (tree, values[tree - 1]),
        xytext=(10, above),
        textcoords="offset points",
    )
ax.set(title="One training, watched by two metrics", xlabel="trees", ylabel="MAP@10, held out")
if sys.argv[1:]:
    figure.savefig(sys.argv[1], metadata={"Date": None})
