"""The recipes of docs/ecosystem.md, run from the page, beside plain searches.

What is light is part of the extra "test"; the others are installed by `.ci/versions ecosystem`.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from sklearn_rank import (
    RankingConfigError,
    RankingDataWarning,
    SearchStopped,
    map_scorer,
    rank_scorers,
)

PAGE = Path(__file__).parents[2] / "docs" / "ecosystem.md"
SECTIONS = {
    title: "\n".join(re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S))
    for title, text in re.findall(
        r"^#+ ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), flags=re.M | re.S
    )
}
DATA = SECTIONS.pop("Around scikit-learn")


def run(title: str) -> dict:
    """Names that a section of the page leaves behind."""
    names: dict = {}
    exec(compile(DATA + "\n" + SECTIONS[title], f"{PAGE}#{title}", "exec"), names)
    return names


def needs(*modules: str) -> None:
    for module in modules:
        pytest.importorskip(module, reason=f"{module} is not installed (.ci/versions ecosystem)")


def plain(names: dict, alpha: float) -> float:
    model = Ridge(alpha=alpha)
    return cross_val_score(model, names["X"], names["y"], scoring=map_scorer, cv=names["cv"]).mean()


def plain_search(names: dict) -> GridSearchCV:
    search = GridSearchCV(Ridge(), names["grid"], scoring=map_scorer, cv=names["cv"])
    return search.fit(names["X"], names["y"])


TESTED = {
    *("Optuna", "OptunaSearchCV", "mlxtend", "imbalanced-learn", "feature-engine", "skops"),
    *("MLflow", "dask-ml", "Dask and Ray"),
}


def test_every_section_is_tested():
    assert set(SECTIONS) == TESTED


@pytest.fixture
def quiet_optuna():
    optuna = pytest.importorskip("optuna", reason="optuna is not installed")
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(level)


def test_an_objective_of_optuna(quiet_optuna):
    names = run("Optuna")
    assert len(names["study"].trials) == 3
    for trial in names["study"].trials:
        assert trial.value == pytest.approx(plain(names, trial.params["alpha"]), abs=1e-12)


# optuna-integration says that it is experimental, and calls what optuna has deprecated.
@pytest.mark.filterwarnings("ignore:.*experimental", "ignore:.*optuna.terminator:FutureWarning")
def test_a_search_of_optuna(quiet_optuna):
    needs("optuna_integration")
    names = run("OptunaSearchCV")
    found, X, y = names["found"], names["X"], names["y"]
    assert found.best_score_ == pytest.approx(plain(names, found.best_params_["alpha"]))
    found.set_params(subsample=0.5, scoring=map_scorer.with_options(zero_division=np.nan))
    with pytest.warns(RankingDataWarning, match="single rows are drawn") as caught:
        found.fit(X, y)
    assert sum(issubclass(one.category, RankingDataWarning) for one in caught) == 1
    found.set_params(subsample=1.0, scoring=map_scorer, cv=3)
    with pytest.raises(SearchStopped, match="map_scorer needs the query id of every row"):
        found.fit(X.to_numpy(), y.to_numpy())


def test_feature_selection_of_mlxtend():
    needs("mlxtend")
    names = run("mlxtend")
    scores = {}
    for columns in (("match", "clicks"), ("match", "noise"), ("clicks", "noise")):
        folds = cross_val_score(
            Ridge(), names["X"][list(columns)], names["y"], scoring=map_scorer, cv=names["cv"]
        )
        scores[columns] = folds.mean()
    selector = names["selector"]
    assert selector.k_score_ == pytest.approx(scores[selector.k_feature_names_], abs=1e-12)
    with pytest.raises(
        RankingConfigError, match="The data carry 'qid', but a step on the way made a ndarray of X"
    ):
        selector.fit(names["X"], names["y"].to_numpy())


def test_resampling_of_imbalanced_learn():
    needs("imblearn")
    names = run("imbalanced-learn")
    X, y, found = names["X"], names["y"], names["found"]
    best = found.best_estimator_
    values = []
    for train, test in names["cv"].split(X):
        model = best.fit(X.iloc[train], y.iloc[train])
        values.append(map_scorer(model, X.iloc[test], y.iloc[test]))
    assert found.best_score_ == pytest.approx(np.mean(values), abs=1e-12)


# Under pandas 3.1 feature-engine sorts in place, which is deprecated there.
@pytest.mark.filterwarnings("ignore:The inplace keyword in Series.sort_values")
def test_feature_elimination_of_feature_engine():
    needs("feature_engine")
    names = run("feature-engine")
    selector = names["selector"]
    assert selector.initial_model_performance_ == pytest.approx(plain(names, 1.0), abs=1e-12)
    assert "match" not in selector.features_to_drop_


def test_a_search_in_a_file_of_skops():
    needs("skops")
    names = run("skops")
    assert names["read"].score(names["X"], names["y"]) == names["search"].score(
        names["X"], names["y"]
    )
    own = [kind for kind in names["types"] if kind.startswith("sklearn_rank.")]
    assert set(names["types"]) - set(own) <= {"functools.partial", "builtins.frozenset"}


@pytest.mark.filterwarnings("ignore")  # of MLflow and what it imports
def test_a_search_in_a_model_of_mlflow(tmp_path, monkeypatch):
    needs("mlflow", "skops")
    monkeypatch.chdir(tmp_path)
    names = run("MLflow")
    assert names["read"].score(names["X"], names["y"]) == names["search"].score(
        names["X"], names["y"]
    )
    assert names["logged"]["ndcg_at_10"] == names["ev"]["ndcg@10"]
    candidates = names["candidates"].dropna(subset=["params.alpha"])
    found = set(candidates["metrics.mean_test_ndcg_at_10"].dropna())
    assert found == set(names["several"].cv_results_["mean_test_ndcg_at_10"])


@pytest.mark.filterwarnings("ignore")  # of dask-ml and what it imports
def test_a_search_of_dask_ml():
    needs("dask_ml")
    names = run("dask-ml")
    assert names["found"].best_score_ == pytest.approx(plain_search(names).best_score_, abs=1e-12)
    # Without ids it ends, whatever its error score.
    options = {"cv": KFold(3), "scheduler": "sync", "error_score": np.nan}
    for scoring, refit in ((map_scorer, True), (rank_scorers(["map"]), "map")):
        search = names["DaskGridSearchCV"](
            Ridge(), names["grid"], scoring=scoring, refit=refit, **options
        )
        with pytest.raises(SearchStopped, match="needs the query id of every row"):
            search.fit(names["X"].to_numpy(), names["y"].to_numpy())


@pytest.mark.filterwarnings("ignore")  # of Ray and what it imports
def test_a_search_in_ray():
    needs("ray")
    names = run("Dask and Ray")
    assert names["found"].best_score_ == pytest.approx(plain_search(names).best_score_, abs=1e-12)
