"""Scorers in files of skops, which reads nothing that has no name."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

import sklearn_rank
from sklearn_rank import QueryKFold, map_scorer
from sklearn_rank.measures import METRICS
from sklearn_rank.model_selection.scorer import RankingScorer
from tests.model_selection.cases import FRAME, Y

skops = pytest.importorskip("skops.io", reason="skops is not installed")
READY = sorted(
    name
    for name in sklearn_rank.__all__
    if isinstance(getattr(sklearn_rank, name, None), RankingScorer)
)


def journey(value):
    data = skops.dumps(value)
    types = skops.get_untrusted_types(data=data)
    assert not any("lambda" in name for name in types)
    return skops.loads(data, trusted=types)


@pytest.mark.parametrize("name", READY)
def test_every_ready_scorer_is_read(name):
    scorer = getattr(sklearn_rank, name)
    read = journey(scorer)
    assert read == scorer
    assert repr(read) == repr(scorer)
    model = Ridge().fit(FRAME, Y)
    assert read(model, FRAME, Y) == scorer(model, FRAME, Y)


def test_there_are_ready_scorers():
    assert len(READY) == 14


def test_a_fitted_search_is_read():
    search = GridSearchCV(Ridge(), {"alpha": [1, 10]}, scoring=map_scorer, cv=QueryKFold(3))
    search.fit(FRAME, Y)
    read = journey(search)
    assert read.score(FRAME, Y) == search.score(FRAME, Y)
    assert np.array_equal(read.predict(FRAME), search.predict(FRAME))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_checks_of_parameters_have_names(metric):
    for check in metric.checks.values():
        function = getattr(check, "func", check)
        assert function.__name__ != "<lambda>"
        assert "<locals>" not in function.__qualname__
