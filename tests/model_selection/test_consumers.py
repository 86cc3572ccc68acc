"""Everything in scikit-learn that takes ``scoring=``, with every way of telling the query ids.

Each consumer is run in each mode: routing on with ``groups`` as metadata, and routing off with
query ids that X or y carry. The numbers it reports are compared with plain loops. Where a consumer
loses the query ids on the way, it must end in an error and never in NaN. What older versions of
scikit-learn cannot do is written where it is decided, as ``SKLEARN < (1, 8)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import sklearn

from sklearn_rank import RankingConfigError, UndefinedMetricError
from tests.model_selection import consumers
from tests.model_selection.consumer_cases import MODES, SKLEARN, UNTOLD, Case
from tests.model_selection.consumers import Answer

EVERY = frozenset(MODES)
CARRIERS = EVERY - {"metadata"}
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Consumer:
    """A consumer, the modes in which query ids reach the scorer, and the others' error."""

    run: Callable[[Case], Answer]
    works: frozenset[str] = EVERY
    error: type[Exception] = RankingConfigError
    message: str = "query id of e(very|ach) row"
    left_out: frozenset[str] = NONE
    """Modes that make no sense."""
    undefined: bool = False
    """scikit-learn hands over grades that are all 0."""

    def __repr__(self) -> str:
        return self.run.__name__


ARRAYS_ONLY = frozenset({"metadata"})
"""X and y become arrays, so that nothing they carry arrives."""
NO_MODEL_OF_OURS = frozenset({"column of X"})
"""The estimator is scikit-learn's, which takes the column of query ids for a feature."""

CONSUMERS = [
    Consumer(consumers.grid_search),
    Consumer(consumers.grid_search_in_two_processes),
    Consumer(consumers.randomized_search),
    Consumer(consumers.halving_grid_search),
    Consumer(consumers.grid_search_of_several_measures),
    Consumer(consumers.grid_search_under_another_name),
    Consumer(consumers.score_of_a_search),
    Consumer(consumers.pipeline_in_a_search),
    Consumer(consumers.cross_validation),
    # Untold, the inner searches fail as they should; the outer loop reports it in its own words.
    Consumer(consumers.nested_search, error=ValueError),
    # Before 1.8 the outer loop does not pass metadata to the score method of the search.
    Consumer(
        consumers.nested_search_with_its_own_score,
        EVERY if SKLEARN >= (1, 8) else CARRIERS,
        error=ValueError if SKLEARN >= (1, 8) else Exception,
    ),
    Consumer(consumers.learning_curves),
    Consumer(consumers.validation_curves),
    Consumer(consumers.permutation_test),
    Consumer(consumers.feature_elimination, ARRAYS_ONLY),
    # X becomes an array, y stays.
    Consumer(consumers.sequential_selection, frozenset({"metadata", "index of y"})),
    Consumer(consumers.ridge_cv, left_out=NO_MODEL_OF_OURS),
    Consumer(consumers.ridge_cv_leaving_one_out, ARRAYS_ONLY),
    Consumer(consumers.ridge_classifier_cv, ARRAYS_ONLY, left_out=NO_MODEL_OF_OURS),
    # It passes weights of its own making to the scorer, whether or not that takes them.
    Consumer(
        consumers.ridge_classifier_cv_leaving_one_out,
        ARRAYS_ONLY,
        error=TypeError,
        message="query id of every row|unexpected keyword argument 'sample_weight'",
        undefined=True,
    ),
    Consumer(consumers.logistic_regression_cv, ARRAYS_ONLY),
    # Hard labels go straight to the metric function, which sees neither X nor y's index.
    Consumer(consumers.tuned_threshold, ARRAYS_ONLY),
    Consumer(consumers.importance_with_bound_ids),
    Consumer(consumers.importance_without_bound_ids, CARRIERS),
    Consumer(consumers.importance_of_several_measures),
    Consumer(consumers.boosted_regressor, NONE),
    Consumer(consumers.learning_curve_display, CARRIERS),
    Consumer(consumers.validation_curve_display, CARRIERS),
    *([Consumer(consumers.scoring_monitor, NONE)] if SKLEARN >= (1, 9) else []),
    Consumer(consumers.checked_scoring),
]


# RidgeClassifierCV weighs rows by 1 when fitting, and the search in it warns of that since 1.7.
@pytest.mark.filterwarnings("ignore:The scoring map_scorer does not support sample_weight")
@pytest.mark.parametrize(
    ("consumer", "mode"),
    [
        pytest.param(consumer, mode, id=f"{consumer}-{mode}")
        for consumer in CONSUMERS
        for mode in MODES
        if mode not in consumer.left_out
    ],
)
def test_consumers_score_whole_queries_or_refuse(consumer, mode):
    case = MODES[mode]()
    with sklearn.config_context(enable_metadata_routing=case.routing):
        if mode not in consumer.works:
            with pytest.raises(consumer.error, match=consumer.message):
                consumer.run(case)
            return
        if consumer.undefined:
            with pytest.raises(UndefinedMetricError, match="undefined for all 6 queries"):
                consumer.run(case)
            return
        found, expected = consumer.run(case)
    assert np.asarray(found) == pytest.approx(np.asarray(expected), abs=1e-12)


@pytest.mark.filterwarnings("ignore:The scoring map_scorer does not support sample_weight")
@pytest.mark.parametrize("mode", UNTOLD)
@pytest.mark.parametrize("consumer", CONSUMERS, ids=repr)
def test_consumers_refuse_to_score_without_query_ids(consumer, mode):
    case = UNTOLD[mode]()
    with (
        sklearn.config_context(enable_metadata_routing=case.routing),
        pytest.raises(consumer.error, match=consumer.message),
    ):
        consumer.run(case)
