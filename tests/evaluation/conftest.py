"""An evaluation of the queries of cases.py."""

import pytest

from sklearn_rank import evaluate
from tests.evaluation.cases import RUN, TRUTH


@pytest.fixture
def evaluation():
    return evaluate(TRUTH, RUN, ("mrr", "recall@1", "lag"))
