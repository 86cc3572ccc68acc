"""Files as lazy frames: the same values as from files that are read, and the same refusals."""

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sklearn_rank import (
    ColumnRoleError,
    EngineOptions,
    FileFormatError,
    InvalidParameterError,
    evaluate,
    read_qrels,
    read_run,
    scan_qrels,
    scan_run,
)
from sklearn_rank.cli import main
from sklearn_rank.engines import polars as polars_engine
from sklearn_rank.files import source as source_module
from tests.engines.problems import assert_same

RUN = {
    "query": ["1", "1", "1", "2", "2"],
    "item": ["7", "8", "9", "7", "5"],
    "score": [0.5, 2.0, 1.0, 3.0, 4.0],
}
QRELS = {"query": ["1", "1", "2", "3"], "item": ["9", "4", "5", "1"], "grade": [2, 1, 1, 1]}


def _trec(folder: Path) -> tuple[Path, Path]:
    run, qrels = folder / "a.run", folder / "a.qrels"
    rows = zip(*RUN.values(), strict=True)
    run.write_text("# made by hand\n" + "".join(f"{q} Q0 {i} 1 {s} x\n" for q, i, s in rows))
    rows = zip(*QRELS.values(), strict=True)
    qrels.write_text("".join(f"{q}\t0\t{i}\t{g}\n" for q, i, g in rows))
    return qrels, run


def _csv(folder: Path) -> tuple[Path, Path]:
    run, qrels = folder / "run.csv", folder / "qrels.csv.gz"
    pl.DataFrame(RUN).write_csv(run)
    qrels.write_bytes(gzip.compress(pl.DataFrame(QRELS).write_csv().encode()))
    return qrels, run


def _json_lines(folder: Path) -> tuple[Path, Path]:
    run, qrels = folder / "run.jsonl", folder / "qrels.jsonl"
    pl.DataFrame(RUN).write_ndjson(run)
    pl.DataFrame(QRELS).write_ndjson(qrels)
    return qrels, run


def _parquet(folder: Path) -> tuple[Path, Path]:
    run, qrels = folder / "run.parquet", folder / "qrels.parquet"
    # Ids are text, also where a file holds integers.
    pl.DataFrame(RUN).with_columns(pl.col("item").cast(pl.Int32)).write_parquet(run)
    pl.DataFrame(QRELS).rename({"query": "user_id"}).write_parquet(qrels)
    return qrels, run


def _arrow(folder: Path) -> tuple[Path, Path]:
    run, qrels = folder / "run.arrow", folder / "qrels.feather"
    pl.DataFrame(RUN).write_ipc(run)
    pl.DataFrame(QRELS).write_ipc(qrels)
    return qrels, run


@pytest.mark.parametrize("write", [_trec, _csv, _json_lines, _parquet, _arrow])
def test_what_is_scanned_is_what_is_read(write, tmp_path, way, monkeypatch):
    monkeypatch.setattr(source_module, "BLOCK_BYTES", 16)
    qrels, run = write(tmp_path)
    measures = ("map", "ndcg@2", "mrr")
    expected = evaluate(read_qrels(qrels), read_run(run), measures)
    assert_same(evaluate(scan_qrels(qrels), scan_run(run), measures), expected)
    # One side may be read, too.
    assert_same(evaluate(read_qrels(qrels), scan_run(run), measures), expected)
    assert_same(evaluate(scan_qrels(qrels), read_run(run), measures), expected)


def test_duckdb_reads_parquet(tmp_path, way):
    qrels, run = _parquet(tmp_path)
    expected = evaluate(read_qrels(qrels), read_run(run), "map")
    scanned = [
        scan(path, engine="duckdb", memory_limit="256MiB")
        for scan, path in ((scan_qrels, qrels), (scan_run, run))
    ]
    assert_same(evaluate(*scanned, "map"), expected)
    with pytest.raises(InvalidParameterError, match="engine='duckdb' reads Parquet here, and"):
        scan_run(_csv(tmp_path)[1], engine="duckdb")


def test_a_pattern_stands_for_many_files(tmp_path):
    qrels, run = _parquet(tmp_path)
    whole = pl.read_parquet(run)
    for number in range(3):
        whole[2 * number : 2 * number + 2].write_parquet(tmp_path / f"part-{number}.parquet")
    expected = evaluate(read_qrels(qrels), read_run(run), "map")
    for paths in (tmp_path / "part-*.parquet", sorted(tmp_path.glob("part-*.parquet"))):
        assert_same(evaluate(scan_qrels(qrels), scan_run(paths), "map"), expected)
    with pytest.raises(FileNotFoundError, match=r"path .* is the name of no file"):
        scan_run(tmp_path / "none-*.parquet")


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.with_columns(pl.col("score").cast(pl.Float32)),
        lambda rows: rows.with_columns(pl.col("item").cast(pl.Int64)),
        lambda rows: rows.select("score", "item", query_id="query"),
        lambda rows: rows.with_columns(tag=pl.lit("a")),
    ],
    ids=["narrow scores", "numbers as ids", "other order and name", "another column"],
)
def test_shards_may_differ_in_what_does_not_count(change, tmp_path):
    qrels, run = _parquet(tmp_path)
    rows = pl.read_parquet(run).cast({"item": pl.String})
    rows[:3].write_parquet(tmp_path / "part-0.parquet")
    change(rows[3:]).write_parquet(tmp_path / "part-1.parquet")
    expected = evaluate(read_qrels(qrels), read_run(run), "map")
    for paths in (tmp_path / "part-*.parquet", sorted(tmp_path.glob("part-*"), reverse=True)):
        assert dict(evaluate(scan_qrels(qrels), scan_run(paths), "map").scores) == expected.scores


def test_shards_have_scores_all_or_none(tmp_path):
    _parquet(tmp_path)
    rows = pl.read_parquet(tmp_path / "run.parquet")
    rows.drop("score").write_parquet(tmp_path / "run-2.parquet")
    message = "run.parquet: holds the columns 'query', 'item', 'score', and .*-2"
    with pytest.raises(FileFormatError, match=message):
        scan_run(tmp_path / "run*.parquet")


def test_a_scan_of_text_takes_part_in_a_query(tmp_path):
    run = scan_run(_trec(tmp_path)[1])
    assert run.filter(pl.col("score") > 1).select("item").collect().to_series().to_list() == [
        *("8", "7", "5")
    ]
    assert run.head(2).collect().height == 2
    both = scan_run([_trec(tmp_path)[1]] * 2)
    assert both.head(6).collect().height == 6


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 Q0 d 1 x t", "a.run:3: score 'x' is not a number"),
        ("1  Q0 d 1 2.5", "a.run:3: 5 fields instead of 6 fields"),
        ("1 Q0 d 1 nan t", "a.run:3: score 'nan' is not a number"),
    ],
)
def test_a_broken_line_is_named_when_it_is_reached(line, message, tmp_path, monkeypatch):
    # Blocks of two lines: the first is looked at when the file is named.
    monkeypatch.setattr(source_module, "BLOCK_BYTES", 28)
    path = tmp_path / "a.run"
    path.write_text(f"1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n{line}\n")
    run = scan_run(path, format="trec")
    with pytest.raises(FileFormatError, match=message):
        evaluate({"1": {"a"}}, run, "map")


def test_files_that_cannot_be_scanned(tmp_path):
    with pytest.raises(FileNotFoundError, match="cannot be read: "):
        scan_run(tmp_path / "absent.run")
    (tmp_path / "empty.run").write_text("")
    with pytest.raises(FileFormatError, match="is empty"):
        scan_qrels(tmp_path / "empty.run")
    with pytest.raises(InvalidParameterError, match="The 'engine' parameter of scan_run"):
        scan_run(tmp_path / "empty.run", engine="sqlite")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameterError, match="'memory_limit' parameter of EngineOptions"):
        scan_run(tmp_path / "empty.run", memory_limit="much")
    assert EngineOptions(memory_limit="64MiB").n_bytes == EngineOptions(64 << 20).n_bytes == 1 << 26
    with pytest.raises(InvalidParameterError, match="at least 64 MiB"):
        EngineOptions(memory_limit=(64 << 20) - 1)


def test_numbers_of_an_unknown_name_are_asked_about(tmp_path, way):
    path = tmp_path / "run.parquet"
    pl.DataFrame(RUN).rename({"score": "points"}).write_parquet(path)
    with pytest.raises(ColumnRoleError, match="which may be 'points'"):
        evaluate({"1": {"9"}}, scan_run(path), "map")
    # The order of the rows ranks: 9 is third, (1/3) / 1.
    unnamed: dict[str, Any] = {"score": None}
    assert evaluate({"1": {"9"}}, scan_run(path, columns=unnamed), "map")["map"] == 1 / 3


# Folders of files, as Spark and others write them ------------------------------------------------

ROWS = {"query": ["a", "a", "b"], "item": ["x", "y", "y"], "score": [2.0, 1.0, 1.0]}
JUDGED = {"query": ["a", "b"], "item": ["y", "y"], "grade": [1, 2]}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    for name, columns in (("run", ROWS), ("qrels", JUDGED)):
        parts = tmp_path / f"{name}.parquet" / "day=1"
        parts.mkdir(parents=True)
        frame = pl.DataFrame(columns)
        frame.head(1).write_parquet(parts / "part-1.parquet")
        frame.tail(-1).write_parquet(parts.parent / "part-2.parquet")
        (parts.parent / "_SUCCESS").touch()
        (parts / ".part-1.parquet.crc").write_text("checksum")
    return str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet")


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_folder_is_all_its_files(engine, folders):
    qrels, run = folders
    # (1/2 + 1) / 2
    assert evaluate(scan_qrels(qrels, engine=engine), scan_run(run, engine=engine), "mrr")[
        "mrr"
    ] == pytest.approx(0.75, rel=0, abs=0)
    assert scan_run(f"{run[:-8]}*", engine="polars").collect().height == 3


@pytest.mark.parametrize("options", [(), ("--engine", "duckdb")])
def test_the_command_line_takes_folders(options, folders, capsys):
    assert main(["evaluate", *folders, "-m", "mrr", "--format", "csv", *options]) == 0
    assert "0.75" in capsys.readouterr().out


def test_an_empty_folder_is_no_run(tmp_path):
    with pytest.raises(FileNotFoundError, match="is a folder without files"):
        scan_run(tmp_path)


def test_duckdb_ranks_the_least_distance_first(tmp_path):
    qrels, _ = _parquet(tmp_path)
    path = tmp_path / "distances.parquet"
    columns = {name: values for name, values in RUN.items() if name != "score"}
    pl.DataFrame({**columns, "distance": RUN["score"]}).write_parquet(path)
    found = evaluate(scan_qrels(qrels, engine="duckdb"), scan_run(path, engine="duckdb"), "mrr")
    assert_same(found, evaluate(read_qrels(qrels), read_run(path), "mrr"))


def test_the_row_of_a_missing_id_is_counted_over_all_batches(in_blocks, monkeypatch):
    monkeypatch.setattr(polars_engine, "BATCH", 2)
    queries = ["a"] * 6 + [None]
    run = pl.DataFrame({"query": queries, "item": [*"tuvwxyz"], "score": [1.0] * 7}).lazy()
    with pytest.raises(ValueError, match=r"'query' of y_score contains missing values \(row 6\)"):
        evaluate({"a": {"t"}}, run, "map")
