"""Names and types of columns that engines, or Polars itself, would stumble over."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from sklearn_rank import evaluate
from tests.engines.problems import assert_same

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning")
# Neither side's rows lie together, so that every way is gone to its end.
TRUTH: dict[str, Any] = {"query": [2, 1, 2, 1], "item": [12, 11, 10, 10], "grade": [1, 0, 2, 1]}
RUN: dict[str, Any] = {
    "query": [2, 1, 2, 1, 2, 1],
    "item": [10, 10, 11, 11, 12, 12],
    "score": [0.3, 0.1, 0.2, 0.2, 0.1, 0.3],
}
MEASURES = ("map", "ndcg@3")
# Query 1: its one relevant item is third. Query 2: both are found, first and third.
MAP = (1 / 3 + (1 + 2 / 3) / 2) / 2


NAMES = {
    "patterns": {"query": "*", "item": "^q.*$", "score": "^.*$"},
    "our own": {"query": "row", "item": "part", "score": "column"},
    "quotes": {"query": 'a "b"', "item": "a\nb", "score": "count(*)"},
}


@pytest.mark.parametrize("names", NAMES)
def test_names_are_no_patterns(names, lazy, in_blocks):
    truth, run = (
        {NAMES[names].get(role, role): values for role, values in columns.items()}
        for columns in (TRUTH, RUN)
    )
    found = evaluate(lazy(truth), lazy(run), MEASURES, columns=NAMES[names])
    assert found["map"] == pytest.approx(MAP, rel=1e-15)
    memory = evaluate(pl.DataFrame(truth), pl.DataFrame(run), MEASURES, columns=NAMES[names])
    assert_same(found, memory)


KINDS = {
    "bytes": lambda number: bytes([number]),
    "date": lambda number: date(2020, 1, number),
    "instant": lambda number: datetime(2020, 1, number, tzinfo=UTC),
    "time": time,
    "decimal": lambda number: Decimal(number) / 10,
    "float": float,
    "beyond int64": lambda number: 2**63 + number,
}


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_any_type(kind, lazy, in_blocks):
    change = KINDS[kind]
    truth, run = (
        {**columns, **{role: list(map(change, columns[role])) for role in ("query", "item")}}
        for columns in (TRUTH, RUN)
    )
    found = evaluate(lazy(truth), lazy(run), MEASURES)
    assert found["map"] == pytest.approx(MAP, rel=1e-15)
    assert_same(found, evaluate(pl.DataFrame(truth), pl.DataFrame(run), MEASURES))


@pytest.mark.parametrize("role", ["query", "item"])
@pytest.mark.parametrize("values", [[[1]] * 4, [{"a": 1}] * 4], ids=["lists", "structures"])
def test_nested_ids_are_refused(role, values, lazy):
    truth = {**TRUTH, role: values}
    message = rf"column '{role}' of y_true has dtype (List|Struct).*, which is no id; pass numbers"
    for judgements in (lazy(truth), pl.DataFrame(truth)):
        with pytest.raises(TypeError, match=message):
            evaluate(judgements, lazy(RUN), "map")
    if role == "query" or values[0] != [1]:  # lists of items are read in memory
        with pytest.raises(TypeError, match=message):
            evaluate(pl.DataFrame(truth), pl.DataFrame(RUN), "map")


def test_times_that_python_does_not_tell_apart_are_refused(in_blocks):
    truth, run = (
        pl.DataFrame(columns).with_columns(pl.col("query").cast(pl.Datetime("ns")))
        for columns in (TRUTH, RUN)
    )
    message = "column 'query' of y_(true|score) holds times finer than a microsecond"
    for sides in ((truth, run), (truth.lazy(), run.lazy())):
        with pytest.raises(ValueError, match=message):
            evaluate(*sides, "map")
    finer = [side.with_columns(pl.col("query").cast(pl.Int64) * 1000) for side in (truth, run)]
    whole = [side.with_columns(pl.col("query").cast(pl.Datetime("ns"))) for side in finer]
    assert evaluate(whole[0].lazy(), whole[1].lazy(), "map")["map"] == pytest.approx(MAP, rel=1e-15)


SQL = {
    "interval": "to_days(q::INTEGER)",
    "bits": "q::BIT",
    "uuid": "('00000000-0000-0000-0000-00000000000' || q)::UUID",
    "enum": "q::TEXT::ENUM('1', '2')",
    "blob": "q::TEXT::BLOB",
    "hugeint": "q::HUGEINT",
    "json": "q::TEXT::JSON",
    "union": "union_value(a := q)",
    "timestamptz": "make_timestamp(2020, 1, q, 0, 0, 0.0)::TIMESTAMPTZ",
}


@pytest.mark.parametrize("kind", SQL)
def test_types_of_duckdb(kind, in_blocks):
    with duckdb.connect() as connection:
        sides = []
        for columns, number in ((TRUTH, "grade"), (RUN, "score")):
            frame = pl.DataFrame(columns).rename({"query": "q"}).to_arrow()  # noqa: F841
            sides.append(connection.sql(f"SELECT {SQL[kind]} AS query, item, {number} FROM frame"))
        assert evaluate(*sides, "map")["map"] == pytest.approx(MAP, rel=1e-15)


@pytest.mark.parametrize("kind", [pl.Float64, pl.UInt64, pl.Boolean], ids=str)
def test_queries_of_two_types_that_are_equal_as_keys(kind, lazy, way):
    n_queries = 2 if kind == pl.Boolean else 30
    queries = pl.Series("query", np.repeat(np.arange(n_queries), 3))
    truth = pl.DataFrame([queries]).with_columns(item=pl.lit(11), grade=1).gather_every(3)
    items = pl.Series("item", [10, 11, 12] * n_queries)
    run = pl.DataFrame([queries.cast(kind), items]).with_columns(rank=pl.col("item") - 9)
    found = evaluate(lazy(truth.to_dict()), lazy(run.to_dict()), MEASURES)
    assert_same(found, evaluate(truth, run, MEASURES))
    assert found["map"] == 1 / 2
