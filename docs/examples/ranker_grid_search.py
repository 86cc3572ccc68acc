"""A grid search over a ranker, and a picture of its table.

python docs/examples/ranker_grid_search.py [picture.svg]
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV

from sklearn_rank import QueryKFold, QueryRanker, get_scorer

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(90), 15)
features = rng.normal(size=(len(qid), 5))
wanted = features[:, 0] * np.sign(features[:, 1]) + 0.5 * features[:, 2] + rng.normal(size=len(qid))
y = np.digitize(wanted, [0.8, 1.6])
y[::15] = 1  # every query has a relevant item
X = pd.DataFrame(features, columns=list("abcde"), index=pd.Index(qid, name="qid"))

search = GridSearchCV(
    QueryRanker(LGBMRanker(n_estimators=30, n_jobs=1, verbose=-1)),
    {"ranker__num_leaves": [2, 4, 8, 16, 32], "ranker__learning_rate": [0.05, 0.2]},
    scoring=get_scorer("ndcg@10"),
    cv=QueryKFold(3),
)
search.fit(X, y)
print(search.best_params_, f"nDCG@10 {search.best_score_:.3f}")

table = pd.DataFrame(search.cv_results_)
figure, ax = plt.subplots()
for rate, rows in table.groupby("param_ranker__learning_rate"):
    # Few folds: their standard deviation shows little about other queries.
    ax.errorbar(
        rows["param_ranker__num_leaves"],
        rows["mean_test_score"],
        yerr=rows["std_test_score"],
        label=f"learning rate {rate}",
    )
ax.set_xscale("log", base=2)
ax.set(xlabel="num_leaves", ylabel="nDCG@10 (mean, sd of 3 folds)")
ax.legend(loc="lower right")
if sys.argv[1:]:
    figure.savefig(sys.argv[1], metadata={"Date": None})
