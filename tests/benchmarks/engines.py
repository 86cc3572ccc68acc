"""P7: rows of Parquet through engines under a limit of memory.

    python -m tests.benchmarks.engines --rows 10,30,100 --limit 2GiB

Each size (in millions of rows, 200 a query, with a fifth as many judgements) is written to a
temporary folder, and each engine reads it in a process of its own, which is killed as soon as its
resident memory passes the limit. That is what a container does; RLIMIT_AS and RLIMIT_DATA count
address space, of which the libraries' allocators set aside three times what they use. Peaks are
the system's own high-water mark (VmHWM), pages of mapped files included, so that nothing is missed
between two looks.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rank import EngineOptions, evaluate, scan_qrels, scan_run

MEASURES = ("map", "ndcg@10", "mrr", "recall@100")
LENGTH, RELEVANT = 200, 40
"""Rows and relevant items of a query; half of those are retrieved."""
CHUNK = 1_000_000
"""Rows written at once."""


def main() -> None:
    """Measure all sizes and engines."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="10,30,100", help="millions of rows, by commas")
    parser.add_argument("--limit", default="2GiB", help="of memory, for engine and process")
    parser.add_argument("--engines", default="polars,duckdb", help="by commas")
    parser.add_argument("--folder", help="where files go; default: the system's place for them")
    parser.add_argument("--child", nargs=2, metavar=("ENGINE", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measure(*given.child, EngineOptions(given.limit, given.child[1]))))
        return
    print("engine  million rows  seconds  processor  ns a row  of the first  peak MiB  map")
    first: dict[str, float] = {}
    for millions in map(float, given.rows.split(",")):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            write(Path(folder), int(millions * 1e6))
            for engine in given.engines.split(","):
                seen = _in_child(engine, folder, given.limit)
                per_row = seen["processor"] / millions * 1e3
                ratio = per_row / first.setdefault(engine, per_row)
                print(
                    f"{engine:7} {millions:12g} {seen['wall']:8.1f} {seen['processor']:10.1f} "
                    f"{per_row:9.0f} {ratio:13.2f} {seen['peak'] / (1 << 20):9.0f}",
                    f" {seen['map']:.6f}",
                    flush=True,
                )


def _in_child(engine: str, folder: str, limit: str) -> dict[str, float]:
    """What a process of its own measures."""
    command = [sys.executable, "-m", "tests.benchmarks.engines", "--limit", limit]
    n_bytes = EngineOptions(limit).n_bytes
    with subprocess.Popen([*command, "--child", engine, folder], stdout=subprocess.PIPE) as child:
        while child.poll() is None:
            if _peak_of(child.pid) > n_bytes:
                child.kill()
                sys.exit(f"{engine} takes more than {limit}")
            time.sleep(0.05)
        assert child.stdout is not None
        seen: dict[str, float] = json.loads(child.stdout.read())
    if seen["peak"] > n_bytes:
        sys.exit(f"{engine} took more than {limit}")
    return seen


def _peak_of(process: int | str) -> int:
    """Most bytes of memory that a process has had so far; Linux alone tells. 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    peaks = (line.split() for line in lines if line.startswith("VmHWM:"))
    return next((int(fields[1]) << 10 for fields in peaks), 0)


def measure(engine: Any, folder: str, options: EngineOptions) -> dict[str, float]:
    """One evaluation in this process, after a small one, which imports and starts threads."""
    # A fifth for buffers of DuckDB, which are its connection's and not ours.
    buffers = options.n_bytes // 5 if engine == "duckdb" else None
    with tempfile.TemporaryDirectory() as small:
        write(Path(small), 1_000)
        for at in (small, folder):
            wall, processor = time.perf_counter(), time.process_time()
            qrels, run = (
                scan(Path(at, name), engine=engine, memory_limit=buffers)
                for scan, name in ((scan_qrels, "qrels.parquet"), (scan_run, "run.parquet"))
            )
            scores = evaluate(qrels, run, MEASURES, engine=options).scores
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
    return {"map": scores["map"], "wall": wall, "processor": processor, "peak": _peak_of("self")}


def write(folder: Path, n_rows: int) -> None:
    """A run and its judgements, query after query."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(7)
    n_queries = n_rows // LENGTH
    # An odd step modulo a power of two visits each item once.
    start, step = rng.integers(0, 1 << 20, (2, n_queries), dtype=np.uint32)
    for name, length, first in (("run", LENGTH, 0), ("qrels", RELEVANT, LENGTH - RELEVANT // 2)):
        order = np.arange(n_queries * length, dtype=np.int32)
        writer = None
        for at in range(0, len(order), CHUNK):
            numbers = order[at : at + CHUNK].astype(np.int64)
            query, place = np.divmod(numbers, length)
            item = start[query] + (2 * step[query] + 1) * (place.astype(np.uint32) + first)
            number = ("score", _uniform(numbers)) if name == "run" else ("grade", numbers % 3 + 1)
            items = (item % (1 << 20)).astype(np.int64)
            rows = pa.table({"query": query, "item": items, number[0]: number[1]})
            writer = writer or pq.ParquetWriter(folder / f"{name}.parquet", rows.schema)
            writer.write_table(rows)
        assert writer is not None
        writer.close()


def _uniform(numbers: Any) -> Any:
    """A score for each row by its number, whatever the order of the rows (SplitMix64)."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)) * 2.0**-53


if __name__ == "__main__":
    main()
