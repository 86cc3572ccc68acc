"""Problems and refusals on Spark; test_tasks.py has what its tasks do with more of them."""

import polars as pl
import pytest

from sklearn_rank import evaluate
from tests.spark.problems import assert_same, problems, refused

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.RankingDataWarning", "ignore::sklearn_rank.ConventionWarning"
)


@pytest.mark.parametrize("given", problems(14), ids=lambda given: given.label)
def test_spark_gives_the_same_bits_and_counts(given, lazy, small_buckets):
    # Rows of Spark have no order to leave ties in.
    options = given.options | ({"ties": "average"} if given.needs_order else {})
    found = evaluate(lazy(given.truth), lazy(given.run), given.measures, **options)
    truth, run = pl.DataFrame(given.truth), pl.DataFrame(given.run)
    expected = evaluate(truth, run, given.measures, **options)
    assert_same(found, expected)
    assert list(found.query_ids) == sorted(expected.query_ids)


@pytest.mark.parametrize("given", refused(), ids=lambda given: given.label)
def test_spark_refuses_what_memory_refuses(given, lazy):
    with pytest.raises(given.error, match=given.message):
        evaluate(lazy(given.truth), lazy(given.run), "map", **given.options)
