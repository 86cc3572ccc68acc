"""Rows through Spark: both ways, measures in the executors, and Spark's own RankingEvaluator.

    python -m tests.benchmarks.spark --rows 10,50 --data even,skew,judged --ways auto,peer

Rows (in millions, a thousand a query, ids of text) are written to a temporary folder by Spark, and
read by a session of two threads whose driver, which is everything here, has 1 GiB. A tenth of the
queries is evaluated first, which compiles the JVM's code. Processor seconds are those of the
process and all below it; other work on the machine hardly changes them.

- ``even``: 1,000 rows and 15 relevant items a query.
- ``skew``: one in a hundred queries has half of all rows.
- ``judged``: every row is judged, most are relevant: they do not fit the driver.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sklearn_rank import EngineOptions, evaluate

MEASURES = ("map", "ndcg@10", "precision@10", "recall@10")
WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "count": {"way": "count"},
    "window": {"way": "window"},
    "executors": {"waist": "executors"},
}
_PEER = {
    "map": ("meanAveragePrecision", None),
    "ndcg@10": ("ndcgAtK", 10),
    "precision@10": ("precisionAtK", 10),
    "recall@10": ("recallAtK", 10),
}
_LENGTH, _RELEVANT = 1000, 15
_SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "16",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def main() -> None:
    """Measure all sizes and kinds of data, each in a session of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="10", help="millions of rows, by commas")
    parser.add_argument("--data", default="even", help="even, skew, judged")
    parser.add_argument("--ways", default="count,window,executors,peer", help="and auto")
    parser.add_argument("--folder", help="where data is and stays, for the next time")
    parser.add_argument("--child", nargs=2, metavar=("DATA", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        _measure(*given.child, float(given.rows), given.ways.split(","))
        return
    print("data    million rows  way         seconds  processor  values", flush=True)
    for rows in given.rows.split(","):
        for data in given.data.split(","):
            with tempfile.TemporaryDirectory() as folder:
                command = [sys.executable, "-m", "tests.benchmarks.spark", "--rows", rows]
                command += ["--ways", given.ways, "--child", data, given.folder or folder]
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def _measure(data: str, folder: str, millions: float, ways: list[str]) -> None:
    """All ways on one data set, in this process."""
    session = _session(folder)
    at = Path(folder, f"{data}{millions:g}")
    if not at.exists():
        _write(session, at, data, int(millions * 1e6))
    whole = [session.read.parquet(str(at / side)) for side in ("qrels", "run")]
    tenth = [side.filter("hash(query_id) % 10 = 0") for side in whole]
    for way in ways:
        run = _peer if way == "peer" else _ours(WAYS[way])
        run(session, *tenth)
        wall, processor = time.perf_counter(), _processor_seconds()
        values = run(session, *whole)
        wall, processor = time.perf_counter() - wall, _processor_seconds() - processor
        shown = " ".join(f"{value:.12g}" for value in values)
        print(
            f"{data:7} {millions:12g}  {way:10} {wall:8.1f} {processor:10.1f}  {shown}", flush=True
        )
    session.stop()


def _session(folder: str) -> Any:
    from pyspark.sql import SparkSession

    # Workers of Python import the package from here.
    os.environ["PYTHONPATH"] = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.local.dir", folder)
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def _write(session: Any, at: Path, data: str, n_rows: int) -> None:
    """Files of a run and of its judgements."""
    query = f"id div {_LENGTH}"
    if data == "skew":
        query = f"IF(id % 2 = 0, id div {100 * _LENGTH} * 100, {query})"
    rows = session.range(n_rows).selectExpr(
        f"concat('q', {query}) AS query_id",
        "concat('d', id * 7919 % 1000000007) AS doc_id",
        "rand(7) AS score",
        "pmod(xxhash64(id), 1000) AS chance",
    )
    # Of the relevant items a sixth was not retrieved.
    judged = "true" if data == "judged" else f"chance < {_RELEVANT * 1.2:g} * 4 / 3"
    qrels = rows.filter(judged).selectExpr(
        "query_id",
        "IF(chance % 6 = 0, concat(doc_id, '.5'), doc_id) AS doc_id",
        "chance % 4 AS grade",
    )
    qrels.write.parquet(str(at / "qrels"))
    rows.select("query_id", "doc_id", "score").write.parquet(str(at / "run"))


def _ours(options: dict[str, Any]) -> Callable[..., list[float]]:
    def run(session: Any, qrels: Any, run: Any) -> list[float]:
        engine = EngineOptions(**options)
        found = evaluate(qrels, run, MEASURES, convention="spark", ties="average", engine=engine)
        return [found[name] for name in MEASURES]

    return run


def _peer(session: Any, qrels: Any, run: Any) -> list[float]:
    """Spark's own, which reads an array of ranked and one of relevant items, both of numbers."""
    from pyspark.ml.evaluation import RankingEvaluator

    item = "double(substring(doc_id, 2))"
    text = f"""
      SELECT coalesce(prediction, array()) AS prediction, label
      FROM (SELECT query_id, collect_list({item}) AS label
            FROM {{qrels}} WHERE grade > 0 GROUP BY query_id)
      LEFT JOIN (
        SELECT query_id, transform(
          sort_array(collect_list(struct(score, {item} AS item)), false), row -> row.item
        ) AS prediction FROM {{run}} GROUP BY query_id
      ) USING (query_id)"""
    arrays = session.sql(text, qrels=qrels, run=run).persist()
    values = []
    for name, k in _PEER.values():
        evaluator = RankingEvaluator(metricName=name, **({} if k is None else {"k": k}))
        values.append(evaluator.evaluate(arrays))
    arrays.unpersist()
    return values


def _processor_seconds() -> float:
    """Of this process and all below it, by what Linux says of them."""
    return sum(_ticks(pid) for pid in _family(os.getpid())) / os.sysconf("SC_CLK_TCK")


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            yield from _family(int(child))


def _ticks(pid: int) -> int:
    """User and system time, that of children who have ended included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15]))


if __name__ == "__main__":
    main()
