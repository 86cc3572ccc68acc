"""The problems and refusals of all engines, on Spark."""

from __future__ import annotations

import polars as pl
import pytest

from sklearn_rank import evaluate
from tests.engines.problems import Refused, assert_same, refused
from tests.spark.batches import Batch, batches
from tests.spark.conftest import Make, take_way

pytest.importorskip("pyspark", reason="Spark has an environment of its own: .ci/versions spark")
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.RankingDataWarning",
    "ignore::sklearn_rank.ConventionWarning",
    "ignore::sklearn_rank.RankingDataWarning",
    "ignore:PySpark does not yet fully support pandas:FutureWarning",
)


@pytest.mark.parametrize("given", batches(), ids=lambda given: given.label)
def test_spark_gives_the_same_bits_and_counts(
    given: Batch, lazy: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_way(given.way, monkeypatch)
    found = evaluate(lazy(given.truth), lazy(given.run), given.measures, **given.options)
    truth, run = pl.DataFrame(given.truth), pl.DataFrame(given.run)
    expected = evaluate(truth, run, given.measures, **given.options)
    assert_same(found, expected)
    assert list(found.query_ids) == sorted(expected.query_ids)


def test_all_problems_are_in_the_batches() -> None:
    given = batches()
    seeds = {str(query).partition("-")[0] for batch in given for query in batch.truth["query"]}
    assert len(given) == 14
    assert {f"{seed}" for seed in range(200) if seed % 7 != 1} <= seeds
    assert {batch.options["ties"] for batch in given} >= {
        *("average", "docid", "optimistic", "pessimistic")
    }


@pytest.mark.parametrize("given", refused(), ids=lambda given: given.label)
def test_spark_refuses_what_memory_refuses(given: Refused, lazy: Make) -> None:
    with pytest.raises(given.error, match=given.message):
        evaluate(lazy(given.truth), lazy(given.run), "map", **given.options)
