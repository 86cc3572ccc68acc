"""Folders of files, as Spark and others write them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from sklearn_rank import evaluate, scan_qrels, scan_run
from sklearn_rank.cli import main

RUN = {"query": ["a", "a", "b"], "item": ["x", "y", "y"], "score": [2.0, 1.0, 1.0]}
QRELS = {"query": ["a", "b"], "item": ["y", "y"], "grade": [1, 2]}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    for name, columns in (("run", RUN), ("qrels", QRELS)):
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
