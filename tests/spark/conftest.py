"""Sessions of Spark: one for all tests, on two threads of this machine."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Make = Callable[[dict[str, Any]], Any]

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    # Each plan runs for a moment: to compile it well takes longer than to run it.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent:
            pandas = "ignore:PySpark does not yet fully support pandas:FutureWarning"
            item.add_marker(pytest.mark.filterwarnings(pandas))


def start(*, connect: bool) -> Any:
    """A session, with Connect or without."""
    reason = "Spark has an environment of its own: .ci/spark"
    pytest.importorskip("pyspark", reason=reason)
    # Workers import the package from here, and know the interpreter of the tests.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
    with warnings.catch_warnings():
        # Of versions of pandas, and of settings that a remote session cannot change.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder
        for name, value in SETTINGS.items():
            builder = builder.config(name, value)
        builder = builder.remote("local[2]") if connect else builder.master("local[2]")
        return builder.getOrCreate()


def makes_frames(session: Any) -> Make:
    """Makes a frame of columns."""
    import polars as pl

    def make(columns: dict[str, Any]) -> Any:
        return session.createDataFrame(pl.DataFrame(columns).to_arrow())

    return make


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """A Classic session, whose JVM has compiled what the next test runs."""
    session = start(connect=False)
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def lazy(session: Any) -> Make:
    """Makes a frame of Spark of columns."""
    return makes_frames(session)


@pytest.fixture
def small_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket has a few rows, so that tasks share the queries."""
    from sklearn_rank.engines import spark

    monkeypatch.setattr(spark, "ROWS_OF_BUCKET", 100)
