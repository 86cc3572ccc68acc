"""Three recommenders for the same users: popularity, neighbours and factors.

python docs/examples/three_recommenders.py [picture.svg]
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics.pairwise import cosine_similarity

from sklearn_rank import MeasureAtKDisplay, compare, evaluate

# 300 users of five tastes, 120 items; some items are popular with everybody.
rng = np.random.default_rng(3)
tastes, popularity = rng.dirichlet(np.full(120, 0.3), size=5), rng.dirichlet(np.full(120, 0.5))
taste_of = rng.integers(0, 5, 300)
likes = np.array([0.7 * tastes[taste] + 0.3 * popularity for taste in taste_of])
clicks = rng.random((300, 120)) < np.clip(20 * likes, 0, 0.9)

# Each click is seen, or held back for the test; users who lack one of the two are left out.
held_back = clicks & (rng.random(clicks.shape) < 0.3)
seen = clicks & ~held_back
users = seen.any(axis=1) & held_back.any(axis=1)
seen, held_back = seen[users].astype(float), held_back[users].astype(int)

factors = TruncatedSVD(8, random_state=0)
scores = {
    "most popular": np.tile(seen.sum(axis=0), (len(seen), 1)),
    "neighbours": cosine_similarity(seen) @ seen,
    "factors": factors.inverse_transform(factors.fit_transform(seen)),
}

# Items that a user has seen are not recommended again: candidates= leaves them out.
evaluations = {
    name: evaluate(held_back, score, ("ndcg@10", "recall@10", "hit_rate@5"), candidates=seen == 0)
    for name, score in scores.items()
}
print(compare(evaluations))

shown = MeasureAtKDisplay.from_evaluation(evaluations, "recall", k=20)
if sys.argv[1:]:
    shown.figure_.savefig(sys.argv[1], metadata={"Date": None})
