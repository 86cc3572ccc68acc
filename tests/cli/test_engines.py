"""``sklearn-rank evaluate --engine``: files larger than memory on the command line."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from sklearn_rank.cli import evaluate, main
from sklearn_rank.engines import stream

RUN = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 a 1 1 t\n"
QRELS = "q1 0 b 1\nq2 0 a 2\nq3 0 z 1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "a.qrels").write_text(QRELS)
    return str(tmp_path / "a.qrels"), str(tmp_path / "a.run")


@pytest.fixture
def parquet(tmp_path: Path) -> tuple[str, str]:
    rows = [line.split() for line in RUN.splitlines()]
    run = {"query": [r[0] for r in rows], "doc": [r[2] for r in rows], "score": [3.0, 2.0, 1.0]}
    pl.DataFrame(run).write_parquet(tmp_path / "run.parquet")
    qrels = {"query": ["q1", "q2", "q3"], "doc": ["b", "a", "z"], "grade": [1, 2, 1]}
    pl.DataFrame(qrels).write_parquet(tmp_path / "qrels.parquet")
    return str(tmp_path / "qrels.parquet"), str(tmp_path / "run.parquet")


def output(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["evaluate", *arguments]) == code
    said = capsys.readouterr()
    return said.err if code else said.out


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_engines_print_what_memory_prints(
    engine: str,
    files: tuple[str, str],
    parquet: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "_SMALL", 0)
    qrels, run = parquet
    asked = ("-m", "map", "-m", "ndcg@10", "-q", "--format", "csv")
    expected = output(capsys, qrels, run, *asked, "--engine", "memory")
    assert output(capsys, qrels, run, *asked, "--engine", engine) == expected
    # Judgements in another format are read in memory.
    limit = ("--memory-limit", "1GB")
    found = output(capsys, files[0], run, *asked, "--engine", engine, *limit)
    assert found == expected


def test_text_streams_through_polars(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    expected = output(capsys, *files, "--engine", "memory")
    assert output(capsys, *files, "--engine", "polars") == expected
    said = output(capsys, *files, "--engine", "duckdb", code=2)
    assert "--engine duckdb reads Parquet here, and" in said


@pytest.mark.parametrize("option", [("-M", "2"), ("-J",), ("--format", "trec")])
def test_what_memory_alone_can(
    option: tuple[str, ...], files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = output(capsys, *files, *option, "--engine", "polars", code=2)
    assert "--engine polars does not go with -" in said
    assert output(capsys, *files, *option)


def test_large_files_are_not_read_at_once(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    scan_run = evaluate.scan_run
    monkeypatch.setattr(
        evaluate,
        "scan_run",
        lambda path, **own: asked.append(own["engine"]) or scan_run(path, **own),
    )
    output(capsys, *files)
    assert asked == []
    monkeypatch.setattr(evaluate, "_GROWTH", 1 << 40)
    output(capsys, *files)
    assert asked == ["polars"]


def test_a_limit_that_is_none(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    said = output(capsys, *files, "--memory-limit", "much", code=2)
    assert "must be at least 64 MiB" in said
