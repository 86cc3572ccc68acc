"""Insides of other code: what is found in them, and that nothing happens where they change."""

from collections.abc import Callable
from typing import Any

import pytest
import sklearn.metrics

import sklearn_rank
from sklearn_rank.support import insides
from sklearn_rank.support.insides import (
    current_fold,
    drawn_from,
    is_running,
    notes_of_search,
    step_that_changes_x,
    values_above,
)


def called_by(library: str, name: str, function: Callable[[], Any], **local: Any) -> Any:
    """The value of a function that is called by one of a library with these local variables."""
    given = ", ".join(["call", *local])
    code = f"def {name}({given}):\n    return call()\n"
    space: dict[str, Any] = {"__name__": library}
    exec(compile(code, "library.py", "exec"), space)
    return space[name](function, **local)


X, TRAIN, TEST = [[0], [1], [2]], [0, 1], [2]
FOLD = {"X": X, "y": [1, 0, 1], "train": TRAIN, "test": TEST, "X_test": X[2:]}
SEARCH = "sklearn.model_selection._validation"


def test_a_fold_is_read_of_the_frame_of_its_library() -> None:
    part = FOLD["X_test"]
    found = called_by(SEARCH, "_fit_and_score", lambda: current_fold("qid", part, 1), **FOLD)
    assert (found.X, found.train, found.test, found.scored) == (X, TRAIN, TEST, TEST)
    assert not found.permutes_y
    assert called_by(SEARCH, "fit", is_running)
    assert not is_running()
    permuted = called_by(
        SEARCH, "_permutation_test_score", lambda: current_fold("qid", part, 1), **FOLD
    )
    assert (permuted.permutes_y, permuted.shuffles_y) == (True, True)


@pytest.mark.parametrize("changed", ["library", "names of variables", "nothing is passed on"])
def test_nothing_is_found_where_a_library_changes(changed: str) -> None:
    """All that is lost are the warnings that need it."""
    library = "sklearn_2.model_selection" if changed == "library" else SEARCH
    local = {"data": X} if changed == "names of variables" else {"X": X, "y": None}
    local = {} if changed == "nothing is passed on" else local
    other: Any = [[5]] if changed == "library" else X
    assert called_by(library, "score", lambda: current_fold("qid", other, 3), **local) is None
    assert called_by(library, "score", lambda: drawn_from(3), **local) is None
    assert called_by(library, "score", lambda: [*values_above("groups")], **local) == []
    assert called_by(library, "fit", lambda: step_that_changes_x(object(), "qid")) is None
    assert called_by(library, "fit", notes_of_search) == {}
    assert called_by("xgboost.training", "after", insides.callbacks_of_xgboost) == ()


def test_callbacks_are_those_of_the_container() -> None:
    container = type("CallbackContainer", (), {"callbacks": ["stop"]})()
    local = {"self": container}
    found = called_by("xgboost.callback", "after", insides.callbacks_of_xgboost, **local)
    assert found == ["stop"]
    assert called_by("xgboost.core", "after", insides.callbacks_of_xgboost, **local) == ()


def test_scorers_work_without_the_class_of_scikit_learn(monkeypatch: Any) -> None:
    assert isinstance(sklearn_rank.map_scorer, insides.scorer_class())
    monkeypatch.setattr(sklearn.metrics, "make_scorer", None)
    assert insides.scorer_class() is object


def test_a_name_of_scikit_learn_is_answered_for_either_way_of_asking() -> None:
    with pytest.raises(AttributeError, match="it is called 'ndcg_at_k_score' here"):
        getattr(sklearn_rank, "ndcg_score")  # noqa: B009
    with pytest.raises(ImportError, match="it is called 'ndcg_at_k_score' here"):
        exec("from sklearn_rank import ndcg_score")


def test_a_warning_names_the_line_of_the_caller() -> None:
    with pytest.warns(sklearn_rank.UndefinedMetricWarning) as seen:
        sklearn_rank.mean_reciprocal_rank_score([set(), {"a"}], [["a"], ["a"]])
    assert seen[0].filename == __file__
