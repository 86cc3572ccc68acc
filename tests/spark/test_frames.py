"""Frames of all kinds of ids, names, sizes and sessions; and what they find when we have gone."""

from __future__ import annotations

import gc
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from sklearn_rank import ColumnRoleError, InvalidParameterError, evaluate
from sklearn_rank.engines.read import read_any
from tests.engines.problems import assert_same
from tests.spark.conftest import Make

pytest.importorskip("pyspark", reason="Spark has an environment of its own: .ci/versions spark")
pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning"
)
TRUTH = {"query": list("aabb"), "item": list("xyxz"), "grade": [1, 0, 2, 1]}
RUN = {"query": list("aaabbb"), "item": list("xyzxyz"), "score": [1.0, 2.0, -math.inf] * 2}
MEASURES = ["map", "ndcg@3"]
SCORE = {"score": "score"}


def times(hour: int) -> datetime:
    """Around the hour that clocks of Europe skip."""
    return datetime(2020, 3, 29, hour, 30, tzinfo=UTC)


IDS: dict[str, tuple[list[Any], list[Any]]] = {
    "bytes": ([b"a\xff", b"b"], [b"x", b"", b"\x00"]),
    "decimals": ([Decimal("1.5"), Decimal("2.5")], [Decimal(1), Decimal(2), Decimal(3)]),
    "dates": ([date(2020, 1, 1), date(2021, 1, 1)], [date(2020, 1, day) for day in (1, 2, 3)]),
    "timestamps": ([times(0), times(1)], [times(1), times(2), times(3)]),
    "booleans": ([True, False], [1, 2, 3]),
}


@pytest.mark.parametrize("kind", IDS)
def test_ids_of_any_type(kind: str, way: str, lazy: Make) -> None:
    queries, items = IDS[kind]
    codes = {
        "query": dict(zip("ab", queries, strict=True)),
        "item": dict(zip("xyz", items, strict=True)),
    }
    sides = [
        {
            name: [codes[name][value] for value in values] if name in codes else values
            for name, values in columns.items()
        }
        for columns in (TRUTH, RUN)
    ]
    found = evaluate(*map(lazy, sides), MEASURES)
    expected = evaluate(*map(pl.DataFrame, sides), MEASURES)
    assert_same(found, expected)
    assert {type(query) for query in found.query_ids} == {type(queries[0])}


def test_names_with_dots_spaces_and_quotes(remote: None, lazy: Make) -> None:
    names = {"query": "que.ry id", "item": "it`em.", "grade": "`grade`", "score": "sc ore.x"}
    truth, run = (
        lazy({names[name]: values for name, values in columns.items()}) for columns in (TRUTH, RUN)
    )
    truth = truth.selectExpr("*", "`que.ry id` AS `seg.ment ``1`")
    expected = evaluate(pl.DataFrame(TRUTH), pl.DataFrame(RUN), MEASURES)
    found = evaluate(truth, run, MEASURES, columns=names)
    assert_same(found, expected)
    assert list(found.by_slice("seg.ment `1")) == ["a", "b"]


def test_one_name_twice(lazy: Make) -> None:
    spare = lazy(RUN).selectExpr("*", "1 AS spare", "2 AS spare")
    assert evaluate(lazy(TRUTH), spare, "map")["map"] == pytest.approx(
        # (1/2 + (1/2 + 2/3) / 2) / 2
        13 / 24
    )
    for twice in ("score AS score", "score AS Score"):
        with pytest.raises(
            ColumnRoleError, match="of y_score are of one name to Spark, and 'score"
        ):
            evaluate(lazy(TRUTH), lazy(RUN).selectExpr("*", twice), "map", columns=SCORE)
    parts = lazy(TRUTH).selectExpr("*", "1 AS part", "2 AS part")
    found = evaluate(parts, lazy(RUN), "map")
    with pytest.raises(ColumnRoleError, match="columns 'part', 'part' of y_true"):
        found.by_slice("part")


def test_settings_of_the_session_count_for_nothing_and_stay(
    session: Any, way: str, lazy: Make
) -> None:
    expected = evaluate(pl.DataFrame(TRUTH), pl.DataFrame(RUN), MEASURES)
    settings = {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.session.timeZone": "America/St_Johns",
        "spark.sql.caseSensitive": "true",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "2",
    }
    own = {name: session.conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            session.conf.set(name, value)
        before = session.conf.getAll
        told_apart = lazy(RUN).selectExpr("*", "'text' AS Score")
        found = evaluate(lazy(TRUTH), told_apart, MEASURES, columns=SCORE)
        assert_same(found, expected)
        assert session.conf.getAll == before
    finally:
        for name, value in own.items():
            session.conf.set(name, value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((4, 0), "no query in common: 'a', 'b' against none"),
        ((0, 6), "no queries to evaluate: y_true is empty"),
        ((0, 0), "no queries to evaluate: y_true is empty"),
    ],
)
def test_empty_frames_are_refused_as_in_memory(
    rows: tuple[int, int], message: str, lazy: Make
) -> None:
    for make in (lazy, pl.DataFrame):
        truth, run = (make(side).limit(n) for side, n in zip((TRUTH, RUN), rows, strict=True))
        with pytest.raises(ValueError, match=message):
            evaluate(truth, run, "map")


@pytest.mark.parametrize("n_partitions", [1, 1000])
def test_one_partition_or_a_thousand(n_partitions: int, lazy: Make) -> None:
    expected = evaluate(pl.DataFrame(TRUTH), pl.DataFrame(RUN), MEASURES)
    run = lazy(RUN).repartition(n_partitions)
    assert_same(evaluate(lazy(TRUTH), run, MEASURES), expected)


def test_nothing_stays_cached_and_what_was_cached_stays(
    session: Any, remote: None, lazy: Make
) -> None:
    truth, run = lazy(TRUTH), lazy({**RUN, "pages": [7.0] * 6})
    run.cache()
    n_cached = _n_cached(session)
    read = read_any(truth, run, columns={"score": "score"})
    # Found once, and kept for the measures.
    assert _is_cached(read.remote.parts)
    assert _n_cached(session) > n_cached
    del read
    gc.collect()
    with pytest.raises(InvalidParameterError, match="reads places of items that are not relevant"):
        evaluate(truth, run, "judged@3")
    with pytest.raises(ValueError, match="sample_weight has no weight for 1 queries"):
        evaluate(truth, run, "map", sample_weight={"a": 1.0})
    gc.collect()
    assert evaluate(truth, run, "map").to_frame("spark").count() == 2
    # A column of unknown name was looked at, too.
    ranks = lazy({**RUN, "score": [1, 2, 3] * 2, "pages": [7.0] * 6})
    ranks.cache()
    evaluate(truth, ranks.withColumnRenamed("score", "rank"), "map")
    assert _is_cached(run)
    assert _is_cached(ranks)
    run.unpersist()
    ranks.unpersist()
    assert _n_cached(session) == 0
    assert session.catalog.listTables() == []


def _n_cached(session: Any) -> int:
    return len(list(session.sparkContext._jsc.getPersistentRDDs().keySet()))


def _is_cached(frame: Any) -> bool:
    plan = frame.selectExpr("*")._jdf.queryExecution().executedPlan().toString()
    return "InMemoryTableScan" in plan


def test_rows_that_change_between_readings_are_refused(session: Any, lazy: Make) -> None:
    def more(batches: Any) -> Any:
        """Fewer rows than there were the time before."""
        import time

        for batch in batches:
            yield batch.slice(0, batch.num_rows - time.time_ns() // 1000 % 1000)

    run = session.range(0, 5000, 1, 1).selectExpr(
        "'a' AS query", "string(id) AS item", "1D AS score"
    )
    truth = lazy({"query": ["a"], "item": ["0"], "grade": [1]})
    changing = run.mapInArrow(more, run.schema)
    message = "y_score had other rows when it was read once more"
    with pytest.raises(ValueError, match=message):
        evaluate(truth, changing, "map")


def test_streams_and_other_sessions_are_refused(session: Any, lazy: Make) -> None:
    stream = session.readStream.format("rate").load()
    stream = stream.selectExpr("string(value) AS query", "string(value) AS item", "1D AS score")
    with pytest.raises(TypeError, match="y_score is a stream, which has no last row"):
        evaluate(lazy(TRUTH), stream, "map")
    other = session.newSession()
    run = other.createDataFrame(pl.DataFrame(RUN).to_arrow())
    with pytest.raises(InvalidParameterError, match="are frames of two sessions of Spark"):
        evaluate(lazy(TRUTH), run, "map")
    # What tells that a session is stopped is there while it runs.
    assert session.sparkContext._jsc is not None
