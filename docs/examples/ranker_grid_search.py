"""A grid search over a ranker, with an interval over queries for each candidate.

python docs/examples/ranker_grid_search.py [picture.svg]
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from lightgbm import LGBMRanker
from sklearn.model_selection import GridSearchCV

from sklearn_rank import QueryKFold, QueryRanker, SearchResultsDisplay, rank_scorers
from sklearn_rank.displays import plot_style

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
    # spread=True notes how the queries of each fold vary: that is what the intervals are made of.
    scoring=rank_scorers(["ndcg@10"], spread=True),
    refit="ndcg@10",
    cv=QueryKFold(3),
)
search.fit(X, y)
print(search.best_params_, f"nDCG@10 {search.best_score_:.3f}")

with plot_style():
    shown = SearchResultsDisplay.from_cv_results(
        search.cv_results_, param="ranker__num_leaves", lines="ranker__learning_rate"
    )
    if sys.argv[1:]:
        shown.figure_.savefig(sys.argv[1], metadata={"Date": None})
