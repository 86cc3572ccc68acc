"""P7: rows of Parquet through engines under a limit of memory.

    python -m tests.benchmarks.engines --rows 10,30,100 --limit 2GiB

Each size (in millions of rows, 200 a query, with a fifth as many judgements) is written to a
temporary folder, and each engine reads it in a process of its own. Peaks are those of the process.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rank import EngineOptions, evaluate, scan_qrels, scan_run

MEASURES = ("map", "ndcg@10", "mrr", "recall@100")
ENGINES = ("polars", "duckdb")
_LENGTH, _RELEVANT = 200, 40
"""Rows and relevant items of a query; half of those are retrieved."""
_CHUNK = 5_000
"""Queries written at once."""


def main() -> None:
    """Measure all sizes and engines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="10,30,100", help="millions of rows, by commas")
    parser.add_argument("--limit", default="2GiB")
    parser.add_argument("--one", nargs=2, metavar=("ENGINE", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(*given.one, given.limit)))
        return
    print("engine  million rows  seconds  processor  ns a row  peak MiB")
    for millions in map(float, given.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), int(millions * 1e6))
            for engine in ENGINES:
                found = _in_child(engine, folder, given.limit)
                per_row = found["processor"] / millions * 1e3
                print(
                    f"{engine:7} {millions:12g} {found['wall']:8.1f} {found['processor']:10.1f} "
                    f"{per_row:9.0f} {found['peak']:9.0f}",
                    flush=True,
                )


def _in_child(engine: str, folder: str, limit: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.engines", "--limit", limit]
    done = subprocess.run(
        [*command, "--one", engine, folder], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(engine: Any, folder: str, limit: str) -> dict[str, Any]:
    """One evaluation in this process."""
    files = (Path(folder, "qrels.parquet"), Path(folder, "run.parquet"))
    wall, processor = time.perf_counter(), time.process_time()
    qrels, run = (
        scan(path, engine=engine, memory_limit="400MiB" if engine == "duckdb" else None)
        for scan, path in zip((scan_qrels, scan_run), files, strict=True)
    )
    found = evaluate(qrels, run, MEASURES, engine=EngineOptions(limit))
    return {
        "scores": dict(found.scores),
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def write(folder: Path, n_rows: int) -> None:
    """A run and its judgements, query after query."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(7)
    n_queries = n_rows // _LENGTH
    writers: dict[str, Any] = {}
    for first in range(0, n_queries, _CHUNK):
        ids = np.arange(first, min(first + _CHUNK, n_queries))
        # An odd step modulo a power of two visits each item once.
        start, step = rng.integers(0, 1 << 20, (2, len(ids), 1))
        items = (start + (2 * step + 1) * np.arange(_LENGTH + _RELEVANT // 2)) % (1 << 20)
        tables = {
            "run": {
                "query": np.repeat(ids, _LENGTH),
                "item": items[:, :_LENGTH].ravel(),
                "score": rng.random(len(ids) * _LENGTH),
            },
            "qrels": {
                "query": np.repeat(ids, _RELEVANT),
                "item": items[:, -_RELEVANT:].ravel(),
                "grade": rng.integers(1, 4, len(ids) * _RELEVANT),
            },
        }
        for name, columns in tables.items():
            table = pa.table(columns)
            if name not in writers:
                writers[name] = pq.ParquetWriter(folder / f"{name}.parquet", table.schema)
            writers[name].write_table(table)
    for writer in writers.values():
        writer.close()


if __name__ == "__main__":
    main()
