"""The scorers of a multimetric search read each fold once, and tell what each would tell alone."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import check_scoring

from sklearn_rank import RankingDataWarning, map_scorer, rank_scorers
from sklearn_rank.model_selection import scorer as module
from tests.model_selection.cases import QID, QUIET, Says, X, Y

NAMES = ("ndcg@3", "map", "mrr", "precision@2", "recall@5")
"""The first reads less of the rankings than the second."""


@pytest.fixture
def reads(monkeypatch):
    """Layouts, each time that rankings are made."""
    layouts = []
    read_layout = module.read_layout

    def counted(name, *arguments, **told):
        layouts.append(name)
        return read_layout(name, *arguments, **told)

    monkeypatch.setattr(module, "read_layout", counted)
    return layouts


SCORES = np.random.default_rng(3).integers(0, 9, len(Y)).astype(float)
LAYOUTS = {
    "rows": (SCORES, X, Y, {"groups": QID}),
    "lists": ([["a", "b"], ["b", "a"]], np.zeros((2, 1)), [{"a"}, {"a", "c"}], {}),
    "matrix": (
        np.array([[0.3, 0.1, 0.1], [0.2, 0.4, 0.3]]),
        np.zeros((2, 1)),
        np.array([[0, 1, 1], [1, 0, 0]]),
        {},
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_fold_is_read_once_for_all_its_scorers(reads, layout):
    answers, rows, y, metadata = LAYOUTS[layout]
    model, scorers = Says(answers), rank_scorers(NAMES)
    together = check_scoring(model, scoring=scorers)(model, rows, y, **metadata)
    assert reads == [layout]
    assert model.asked == 1
    assert together == {
        name: scorer(model, rows, y, **metadata) for name, scorer in scorers.items()
    }


def test_scorers_that_read_otherwise_share_nothing(reads):
    model = Says(SCORES)
    scorers = {
        "average": map_scorer,
        "stable": map_scorer.with_options(ties="stable"),
        "one query": map_scorer.with_options(one_query=True),
        "bound": map_scorer.bind(QID),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        together = check_scoring(model, scoring=scorers)(model, X, Y, groups=QID)
        alone = {name: scorer(model, X, Y, groups=QID) for name, scorer in scorers.items()}
    assert together == alone
    assert len(reads) == 2 * len(scorers)


def test_data_that_changed_between_two_calls_are_read_again():
    grades = Y.copy()
    model = Says(SCORES)
    scoring = check_scoring(model, scoring={"map": QUIET, "again": QUIET})
    before = scoring(model, X, grades, groups=QID)
    grades[:] = 0
    grades[::2] = 1
    after = scoring(model, X, grades, groups=QID)
    assert after["map"] == QUIET(model, X, grades, groups=QID) != before["map"]


def warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(warning.category, str(warning.message)) for warning in caught]


@pytest.mark.parametrize(
    ("answers", "y", "metadata"),
    [([["A"], ["B"]], [{"a"}, {"b"}], {}), (SCORES[:2], [1, 1], {"groups": ["a", "b"]})],
    ids=["spelling", "row ids"],
)
def test_a_fault_of_the_data_is_told_once_by_all_scorers(answers, y, metadata):
    scorers = rank_scorers(["map", "mrr"])
    arguments = (Says(answers), X[:2], y)
    together = warnings_of(
        lambda: check_scoring(arguments[0], scoring=scorers)(*arguments, **metadata)
    )
    alone = warnings_of(lambda: [one(*arguments, **metadata) for one in scorers.values()])
    assert [category for category, _ in alone] == [RankingDataWarning] * 2
    assert together == alone[:1]
