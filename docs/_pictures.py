"""Draws the pictures of the guide: ``python docs/_pictures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_validate

from sklearn_rank import PrecisionRecallAtKDisplay, QueryKFold

DOCS = Path(__file__).parent


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """60 queries of 30 items, about 5 of which are relevant."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(60), 30)
    X = rng.normal(size=(1800, 4))
    wanted = X[:, 0] * np.sign(X[:, 1]) + 0.5 * X[:, 2] + 0.5 * rng.normal(size=1800)
    y = (wanted > 1).astype(int)
    y[::30] = 1
    return X, y, qid


def precision_recall_at_k(path: Path) -> None:
    """Two models, each over the folds of one cross-validation."""
    X, y, qid = problem()
    _, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
    for ax, model in zip(
        axes, (Ridge(), HistGradientBoostingRegressor(random_state=0)), strict=True
    ):
        found = cross_validate(
            model,
            X,
            y,
            groups=qid,
            cv=QueryKFold(3),
            scoring="r2",
            return_estimator=True,
            return_indices=True,
        )
        PrecisionRecallAtKDisplay.from_cv_results(found, X, y, groups=qid, ax=ax)
        ax.set_title(type(model).__name__)
    axes[0].figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "sklearn-rank"
    precision_recall_at_k(DOCS / "precision_recall_at_k.svg")
