"""Assertions, gates, slices and comparisons on Spark."""

from pathlib import Path

import polars as pl
import pytest

from sklearn_rank import compare, evaluate, r_precision_score
from tests.spark.problems import assert_same

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
    assert "in memory, as gates with a baseline do, but those of a Spark frame stay" in said


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
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    evaluate(lazy(TRUTH), lazy(RUN), "mrr")
    said = capsys.readouterr().err
    for doing in ("counts rows", "ranks queries"):
        assert f"Spark {doing}" in said
