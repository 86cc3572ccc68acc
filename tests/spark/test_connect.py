"""The same through Spark Connect, whose sessions reach a server."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank import evaluate
from tests.spark.conftest import Make, makes_frames, start
from tests.spark.problems import assert_same, refused
from tests.spark.test_frames import MANY, frames


@pytest.fixture(scope="session")
def lazy() -> Iterator[Make]:
    session: Any = start(connect=True)
    assert "connect" in type(session).__module__
    yield makes_frames(session)
    session.stop()


def test_connect_gives_the_same_bits_and_counts(small_buckets, lazy):
    truth, run = frames()
    options: dict[str, Any] = {"ties": "docid", "zero_division": np.nan}
    found = evaluate(lazy(truth), lazy(run), MANY, **options)
    assert_same(found, evaluate(pl.DataFrame(truth), pl.DataFrame(run), MANY, **options))


def test_connect_refuses_the_same(lazy):
    given = next(given for given in refused() if given.label == "duplicate")
    with pytest.raises(given.error, match=given.message):
        evaluate(lazy(given.truth), lazy(given.run), "map")
