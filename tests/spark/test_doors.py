"""Files, the command line, assertions, gates, slices and comparisons on Spark."""

from pathlib import Path

import polars as pl
import pytest

from sklearn_rank import (
    EngineOptions,
    compare,
    evaluate,
    r_precision_score,
    scan_qrels,
    scan_run,
)
from sklearn_rank.cli import main
from tests.engines.problems import assert_same

TRUTH = {"query": ["a", "a", "b"], "item": ["x", "y", "x"], "grade": [1, 1, 1]}
RUN = {"query": ["a", "a", "b", "b"], "item": ["x", "y", "y", "x"], "score": [2.0, 1.0, 2.0, 1.0]}
GATE = """
    import polars as pl
    import pytest
    from pyspark.sql import SparkSession

    @pytest.mark.filterwarnings("ignore::FutureWarning")
    @pytest.mark.parametrize(
        "limits", [{"at_least": {"mrr": 0.75}}, {"at_least": {"mrr": 0.8}}, {"max_drop": 0.1}]
    )
    def test_it(limits, rank_gate):
        read = SparkSession.builder.getOrCreate().read.parquet
        rank_gate.check(read("QRELS"), read("RUN"), **limits)
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    """Parquet as Spark writes it, of several files beside a mark of success."""
    for name, columns in (("qrels", TRUTH), ("run", RUN)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "_SUCCESS").touch()
        frame = pl.DataFrame(columns)
        frame.head(1).write_parquet(tmp_path / name / "part-0.parquet")
        frame.tail(-1).write_parquet(tmp_path / name / "part-1.parquet")
    return str(tmp_path / "qrels"), str(tmp_path / "run")


def test_files_and_folders(session, folders, tmp_path):
    qrels, run = folders
    expected = evaluate(pl.DataFrame(TRUTH), pl.DataFrame(RUN), ["mrr", "map"])
    found = evaluate(
        scan_qrels(qrels, engine="spark"), scan_run(f"{run}/*.parquet", engine="spark"), "mrr"
    )
    assert found["mrr"] == expected["mrr"]
    pl.DataFrame({"who.is": ["a"], "wh`at": [7], "points": [1.5]}).write_parquet(tmp_path / "o.pq")
    columns = {"query": "who.is", "item": "wh`at", "score": "points"}
    scanned = scan_run(tmp_path / "o.pq", columns=columns, engine="spark")
    assert scanned.toArrow().to_pylist() == [{"query": "a", "item": "7", "score": 1.5}]


def test_the_command_line(session, folders, tmp_path, capsys):
    asked = ("-m", "map", "-m", "ndcg@10", "-q", "--format", "csv")
    assert main(["evaluate", *folders, *asked, "--engine", "polars"]) == 0
    expected = capsys.readouterr().out
    assert main(["evaluate", *folders, *asked, "--engine", "spark"]) == 0
    assert capsys.readouterr().out == expected
    # What Spark refuses is said like all else, without a traceback.
    twice = pl.DataFrame({**RUN, "item": ["x", "x", "y", "x"]})
    twice.write_parquet(tmp_path / "twice.parquet")
    named = [folders[0], str(tmp_path / "twice.parquet")]
    assert main(["evaluate", *named, "--engine", "spark"]) == 2
    said = capsys.readouterr().err
    assert "sklearn-rank evaluate: RUN['a'] holds item 'x'" in said
    (tmp_path / "a.run").write_text("q1 Q0 a 1 3 t\n")
    assert main(["evaluate", folders[0], str(tmp_path / "a.run"), "--engine", "spark"]) == 2
    assert "--engine spark reads Parquet here, and" in capsys.readouterr().err


def test_gates_hold_limits_and_refuse_baselines(session, folders, pytester, monkeypatch):
    qrels, run = folders
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:cacheprovider -p no:asyncio")
    path = pytester.path / "test_it.py"
    path.write_text(
        "\n".join(line[4:] for line in GATE.splitlines())
        .replace("QRELS", qrels)
        .replace("RUN", run)
    )
    result = pytester.runpytest_inprocess()
    # (1 + 1/2) / 2; a baseline holds ids of items, which stay in Spark.
    result.assert_outcomes(passed=1, failed=2)
    said = result.stdout.str()
    assert "MRR is 0.750, below the 0.800 required" in said
    assert "in memory, as gates with a baseline do, and those of a frame of Spark stay" in said


def test_comparisons_slices_and_frames(lazy):
    worse = {**RUN, "score": [1.0, 2.0, 2.0, 1.0]}
    truth = {**TRUTH, "part": ["u", "u", "v"]}
    first = evaluate(lazy(truth), lazy(RUN), ["mrr", "map"])
    second = evaluate(lazy(truth), lazy(worse), ["mrr", "map"])
    in_memory = [
        evaluate(pl.DataFrame(truth), pl.DataFrame(run), ["mrr", "map"]) for run in (RUN, worse)
    ]
    assert_same(first, in_memory[0])
    assert str(compare(first, second)) == str(compare(*in_memory))
    assert {label: part["mrr"] for label, part in second.by_slice("part").items()} == {
        "u": 1.0,
        "v": 0.5,
    }
    assert r_precision_score(lazy(TRUTH), lazy(RUN)) == 0.5


def test_a_terminal_is_told(lazy, capsys, monkeypatch):
    quiet = EngineOptions(progress=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    evaluate(lazy(TRUTH), lazy(RUN), "mrr", engine=quiet)
    assert "Spark" not in capsys.readouterr().err
    evaluate(lazy(TRUTH), lazy(RUN), "mrr")
    said = capsys.readouterr().err
    for doing in ("counts rows", "ranks queries"):
        assert f"Spark {doing}" in said
