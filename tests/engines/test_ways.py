"""Which way rows take: together, or block by block."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank import EngineOptions, InvalidParameterError, evaluate
from sklearn_rank.engines import stream
from sklearn_rank.inputs import RelevanceInput
from sklearn_rank.support import runtime
from tests.engines.problems import assert_same

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
    pytest.mark.filterwarnings("ignore::sklearn_rank.RankingDataWarning"),
]
N = 60


def _data(*, rising: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Sixty queries of ten items; every third is not judged, every fourth has no ranking."""
    rng = np.random.default_rng(0)
    order = np.arange(N) if rising else rng.permutation(N)
    judged, ranked = order[order % 3 > 0], order[order % 4 > 0]
    truth = {"query": np.repeat(judged, 4), "item": np.tile([1, 3, 5, 70], len(judged))}
    truth["grade"] = rng.integers(0, 3, len(truth["query"]))
    run = {"query": np.repeat(ranked, 10), "item": np.tile(np.arange(10), len(ranked))}
    run["score"] = rng.integers(0, 9, len(run["query"])).astype(float)
    return truth, run


@pytest.mark.parametrize("rising", [True, False])
def test_blocks_give_the_same(rising, lazy, monkeypatch):
    truth, run = _data(rising=rising)
    memory = evaluate(pl.DataFrame(truth), pl.DataFrame(run), ("map", "ndcg@3", "judged@3"))
    monkeypatch.setattr(stream, "_SMALL", 0)
    monkeypatch.setattr(stream, "_BLOCK", 40)
    monkeypatch.setattr(stream, "BATCH", 16)
    found = evaluate(lazy(truth), lazy(run), ("map", "ndcg@3", "judged@3"))
    assert_same(found, memory)
    assert list(found.query_ids) == list(memory.query_ids)


def test_what_one_pass_does_not_read_is_refused(lazy, monkeypatch):
    truth, run = _data(rising=True)
    rows = np.arange(len(run["query"]))
    scattered = {name: values[np.argsort(rows % 10)] for name, values in run.items()}
    monkeypatch.setattr(stream, "_SMALL", 0)
    monkeypatch.setattr(stream, "_BLOCK", 40)
    monkeypatch.setattr(stream, "BATCH", 16)
    with pytest.raises(InvalidParameterError, match=r"query \d+ come back .* sort it by query"):
        evaluate(lazy(truth), lazy(scattered), "map")
    monkeypatch.setattr(stream, "_JUDGEMENTS", 1 << 50)
    with pytest.raises(InvalidParameterError, match="y_true takes more than a sixth of the memory"):
        evaluate(lazy(truth), lazy(run), "map")


def test_what_else_is_asked_of_blocks(lazy, way):
    truth, run = _data(rising=True)
    truth["grade"] = np.maximum(truth["grade"], 1)
    run["half"] = run["query"] % 2
    frames = pl.DataFrame(truth), pl.DataFrame(run)
    memory, found = evaluate(*frames, ("map", "auc(average=pooled)")), None
    found = evaluate(lazy(truth), lazy(run), ("map", "auc(average=pooled)"))
    assert dict(found.scores) == dict(memory.scores)
    parts, expected = found.by_slice("half"), memory.by_slice("half")
    assert {k: dict(v.scores) for k, v in parts.items()} == {
        k: dict(v.scores) for k, v in expected.items()
    }
    assert [p.hits for p in found.placements()] == [p.hits for p in memory.placements()]
    kept = evaluate(lazy(truth), lazy(run), "map", keep_items=True)
    assert (
        kept.placements()[0].ranking
        == evaluate(*frames, "map", keep_items=True).placements()[0].ranking
    )


@pytest.mark.parametrize(
    "other",
    [
        lambda truth: pl.DataFrame(truth),
        lambda truth: pl.DataFrame(truth).to_pandas(),
        lambda truth: {
            query: dict(zip(rows["item"], rows["grade"], strict=True))
            for (query,), rows in pl.DataFrame(truth).group_by("query", maintain_order=True)
        },
    ],
    ids=["polars", "pandas", "mapping"],
)
def test_one_side_may_be_in_memory(other, lazy, way):
    truth, run = _data(rising=True)
    expected = evaluate(pl.DataFrame(truth), pl.DataFrame(run), "map")
    assert_same(evaluate(other(truth), lazy(run), "map"), expected)
    assert_same(evaluate(lazy(truth), pl.DataFrame(run), "map"), expected)


def test_what_needs_all_rows_is_refused_where_they_do_not_fit(lazy, monkeypatch):
    monkeypatch.setattr(stream, "_WHOLE", 1 << 50)
    truth, run = _data(rising=True)
    with pytest.raises(InvalidParameterError, match="keep_items needs all rows in memory, which"):
        evaluate(lazy(truth), lazy(run), "map", keep_items=True)
    with pytest.raises(InvalidParameterError, match=r"pooled measure ranks .*: it needs all rows"):
        evaluate(lazy(truth), lazy(run), "auc(average=pooled)")
    relevance: Any = RelevanceInput({1: [1.0]})
    with pytest.raises(InvalidParameterError, match="relevance needs all rows in memory"):
        evaluate(lazy(truth), lazy(run), "map", relevance=relevance)
    assert evaluate(lazy(truth), lazy(run), "map")["map"] > 0


def test_two_engines_are_refused():
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame(_data(rising=True)[0])
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT * FROM frame")
        with pytest.raises(TypeError, match="y_true is a lazy frame of DuckDB, y_score one of Pol"):
            evaluate(relation, frame.lazy(), "map")


def test_arguments_of_other_layouts_are_refused(lazy):
    truth, run = (lazy(side) for side in _data(rising=True))
    with pytest.raises(TypeError, match="groups says which rows belong to a query"):
        evaluate(truth, run, "map", groups=[1])
    with pytest.raises(TypeError, match="engine must be EngineOptions or None, got '2GB'"):
        evaluate(truth, run, "map", engine="2GB")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="y_score is a data frame and y_true a list"):
        evaluate([{"a"}], run, "map")


def test_options():
    assert EngineOptions("512 MiB").n_bytes == 512 * 1024**2
    assert EngineOptions("1.5gb").n_bytes == 1_500_000_000
    assert EngineOptions(1 << 30).n_bytes == 1 << 30
    assert EngineOptions().n_bytes >= 64 << 20
    for limit in ("much", "1KB", 5, True, -1, 2.5):
        with pytest.raises(InvalidParameterError, match="must be at least 64 MiB, as bytes or"):
            EngineOptions(limit)  # type: ignore[arg-type]


def test_decimals_and_wide_integers_of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        truth = connection.sql("SELECT 1 AS query, 2 AS item, sum(1) AS grade")
        run = connection.sql("SELECT 1 AS query, unnest([1, 2]) AS item, 0.5 AS score")
        # Both items are tied: rank 1 or 2, (1 + 1/2) / 2.
        assert evaluate(truth, run, "mrr")["mrr"] == 0.75


@pytest.mark.parametrize("wanted", [True, False])
def test_a_terminal_shows_how_many_rows_were_read(wanted, lazy, monkeypatch, capsys):
    monkeypatch.setattr(stream, "_SMALL", 0)
    monkeypatch.setattr(stream, "BATCH", 16)
    monkeypatch.setattr(runtime, "_PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    truth, run = _data(rising=True)
    found = evaluate(lazy(truth), lazy(run), "map", engine=EngineOptions(progress=wanted))
    assert_same(found, evaluate(pl.DataFrame(truth), pl.DataFrame(run), "map"))
    assert ("rows read: " in capsys.readouterr().err) == wanted
