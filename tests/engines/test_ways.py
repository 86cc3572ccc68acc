"""Which way rows take: together, block by block, or by way of files."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from sklearn_rank import EngineOptions, InvalidParameterError, UnknownItemsWarning, evaluate
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


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ways that were taken."""
    names: list[str] = []
    owners: dict[str, Any] = {"_whole_queries": stream, "_add_parts": stream._Reading}
    for name, owner in owners.items():
        call = getattr(owner, name)

        def noted(*args: Any, _call: Any = call, _name: str = name) -> Any:
            names.append(_name)
            return _call(*args)

        monkeypatch.setattr(owner, name, noted)
    monkeypatch.setattr(stream, "_N_PARTS", 3)
    monkeypatch.setattr(stream, "BATCH", 16)
    return names


@pytest.mark.parametrize(
    ("rising", "shuffled", "fits", "expected"),
    [
        (True, False, True, ["_whole_queries"]),
        (False, False, True, ["_whole_queries"]),
        (False, True, True, ["_whole_queries", "_add_parts"]),
        (True, False, False, ["_add_parts"]),
        (False, True, False, ["_add_parts"]),
    ],
)
def test_every_way_gives_the_same(rising, shuffled, fits, expected, lazy, taken, monkeypatch):
    truth, run = _data(rising=rising)
    if shuffled:
        order = np.random.default_rng(1).permutation(len(run["query"]))
        run = {name: values[order] for name, values in run.items()}
    memory = evaluate(pl.DataFrame(truth), pl.DataFrame(run), ("map", "ndcg@3", "judged@3"))
    monkeypatch.setattr(stream, "_SMALL", 0)
    monkeypatch.setattr(stream, "_BLOCK", 40)
    if not fits:
        monkeypatch.setattr(stream, "_JUDGEMENTS", 1 << 50)
    found = evaluate(lazy(truth), lazy(run), ("map", "ndcg@3", "judged@3"))
    assert_same(found, memory)
    assert list(found.query_ids) == list(memory.query_ids)
    # Once for the rankings, once for the places of unjudged items.
    assert taken == expected * 2


def test_judgements_that_do_not_fit_are_not_held_while_rows_stream(lazy, monkeypatch):
    held = []
    gathered = stream._Reading._gathered

    def noted(self: Any, truth: Any, *args: Any, **kwargs: Any) -> Any:
        held.append((truth.rest is None, truth.frame.height))
        return gathered(self, truth, *args, **kwargs)

    monkeypatch.setattr(stream._Reading, "_gathered", noted)
    monkeypatch.setattr(stream, "_SMALL", 0)
    truth, run = _data(rising=True)
    evaluate(lazy(truth), lazy(run), "ndcg@3")
    monkeypatch.setattr(stream, "_JUDGEMENTS", 1 << 50)
    evaluate(lazy(truth), lazy(run), "ndcg@3")
    assert held == [(True, len(truth["query"])), (False, 0)]


def test_a_part_that_is_too_large_is_parted_again(lazy, taken, monkeypatch):
    truth, run = _data(rising=False)
    monkeypatch.setattr(stream, "_SMALL", 0)
    monkeypatch.setattr(stream, "_BLOCK", 40)
    monkeypatch.setattr(stream, "_PART_OF_LIMIT", 1 << 50)
    order = np.random.default_rng(1).permutation(len(run["query"]))
    run = {name: values[order] for name, values in run.items()}
    parted: list[int] = []

    class Noted(stream.Partitions):
        def __init__(self, *args: Any) -> None:
            parted.append(args[3])
            super().__init__(*args)

    monkeypatch.setattr(stream, "Partitions", Noted)
    found = evaluate(lazy(truth), lazy(run), "map")
    assert_same(found, evaluate(pl.DataFrame(truth), pl.DataFrame(run), "map"))
    assert set(parted) == {0, 1, 2, 3}


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


def test_known_items_are_counted(lazy, way):
    truth, run = _data(rising=True)
    if way == "parts":
        with pytest.raises(InvalidParameterError, match="known_items needs all judgements in"):
            evaluate(lazy(truth), lazy(run), "map", known_items=range(60))
        return
    with pytest.warns(UnknownItemsWarning, match="1 of 4 judged items is not in the index"):
        evaluate(lazy(truth), lazy(run), "map", known_items=range(60))


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
    with pytest.raises(InvalidParameterError, match=r"a directory that exists\. Got '/no/"):
        EngineOptions(temp_directory="/no/such/place")


def test_decimals_and_wide_integers_of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        truth = connection.sql("SELECT 1 AS query, 2 AS item, sum(1) AS grade")
        run = connection.sql("SELECT 1 AS query, unnest([1, 2]) AS item, 0.5 AS score")
        # Both items are tied: rank 1 or 2, (1 + 1/2) / 2.
        assert evaluate(truth, run, "mrr")["mrr"] == 0.75


def test_temporary_files_go_where_they_are_told_and_are_gone_afterwards(
    lazy, tmp_path, taken, monkeypatch
):
    monkeypatch.setattr(stream, "_SMALL", 0)
    monkeypatch.setattr(stream, "_JUDGEMENTS", 1 << 50)
    seen: list[int] = []
    flush = stream.Partitions._flush

    def noted(self: stream.Partitions, part: int) -> None:
        flush(self, part)
        seen.append(sum(1 for _ in tmp_path.rglob("*.arrow")))

    monkeypatch.setattr(stream.Partitions, "_flush", noted)
    truth, run = _data(rising=False)
    evaluate(lazy(truth), lazy(run), "map", engine=EngineOptions(temp_directory=tmp_path))
    assert max(seen) > 0
    assert list(tmp_path.iterdir()) == []


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
