"""P7: rows of Parquet through engines under a limit of memory.

    python -m tests.benchmarks.engines --rows 10,30,100 --limit 2GiB
    python -m tests.benchmarks.engines --rows 30 --order shuffled --engines polars

Each size (in millions of rows, 200 a query, with a fifth as many judgements) is written to a
temporary folder, and each engine reads it in a process of its own, which is killed as soon as its
resident memory passes the limit. That is what a container does; RLIMIT_AS and RLIMIT_DATA count
address space, of which the libraries' allocators set aside three times what they use. Peaks are
the system's own high-water mark (VmHWM), pages of mapped files included, so that nothing is missed
between two looks.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rank import EngineOptions, evaluate, scan_qrels, scan_run
from sklearn_rank.typing import Array, IntArray

MEASURES = ("map", "ndcg@10", "mrr", "recall@100")
ENGINES = ("polars", "duckdb")
ORDERS = ("sorted", "shuffled")
_LENGTH, _RELEVANT = 200, 40
"""Rows and relevant items of a query; half of those are retrieved."""
_BETWEEN = 0.05
"""Seconds between two looks at a process."""
_CHUNK = 1_000_000
"""Rows written at once."""
_OF_LIMIT = 5
"""Part of the limit that buffers of DuckDB may take, which are its connection's and not ours."""


def main() -> None:
    """Measure all sizes and engines."""
    given = _arguments()
    if given.child:
        print(json.dumps(measure(*given.child, limit=given.limit)))
        return
    print("engine  million rows  seconds  processor  ns a row  of the first  peak MiB  map")
    first: dict[str, float] = {}
    for millions in map(float, given.rows.split(",")):
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            write(Path(folder), int(millions * 1e6), given.order)
            for engine in given.engines.split(","):
                seen = _in_child(engine, folder, given)
                per_row = seen["processor"] / millions * 1e3
                ratio = per_row / first.setdefault(engine, per_row)
                print(
                    f"{engine:7} {millions:12g} {seen['wall']:8.1f} {seen['processor']:10.1f} "
                    f"{per_row:9.0f} {ratio:13.2f} {seen['peak'] / (1 << 20):9.0f}",
                    f" {seen['scores']['map']:.6f}",
                    flush=True,
                )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="10,30,100", help="millions of rows, by commas")
    parser.add_argument("--limit", default="2GiB", help="of memory, for engine and process")
    parser.add_argument("--engines", default=",".join(ENGINES), help="by commas")
    parser.add_argument("--order", default="sorted", choices=ORDERS, help="of the rows of the run")
    parser.add_argument("--folder", help="where files go; default: the system's place for them")
    parser.add_argument("--child", nargs=2, metavar=("ENGINE", "FOLDER"), help=argparse.SUPPRESS)
    return parser.parse_args()


def _in_child(engine: str, folder: str, given: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.engines", "--limit", given.limit]
    limit = EngineOptions(given.limit).n_bytes
    with subprocess.Popen(
        [*command, "--child", engine, folder], stdout=subprocess.PIPE, text=True
    ) as child:
        while child.poll() is None:
            if _peak_of(child.pid) > limit:
                child.kill()
                sys.exit(f"{engine} takes more than {given.limit}")
            time.sleep(_BETWEEN)
        assert child.stdout is not None
        seen: dict[str, Any] = json.loads(child.stdout.read())
    if seen["peak"] > limit:
        sys.exit(f"{engine} took more than {given.limit}")
    return seen


def _peak_of(process: int | str) -> int:
    """Most bytes of memory that a process has had so far; Linux alone tells. 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    peaks = (line.split() for line in lines if line.startswith("VmHWM:"))
    return next((int(fields[1]) << 10 for fields in peaks), 0)


def measure(engine: str, folder: str, *, limit: str) -> dict[str, Any]:
    """One evaluation in this process."""
    options = EngineOptions(limit, temp_directory=folder)
    with tempfile.TemporaryDirectory() as small:
        write(Path(small), 1_000, "sorted")
        _evaluate(engine, small, options)  # imports the libraries and starts their threads
    wall, processor = time.perf_counter(), time.process_time()
    scores = _evaluate(engine, folder, options)
    return {
        "scores": scores,
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "peak": _peak_of("self"),
    }


def _evaluate(engine: Any, folder: str, options: EngineOptions) -> dict[str, float]:
    files = (Path(folder, "qrels.parquet"), Path(folder, "run.parquet"))
    buffers = options.n_bytes // _OF_LIMIT if engine == "duckdb" else None
    qrels, run = (
        scan(path, engine=engine, memory_limit=buffers)
        for scan, path in zip((scan_qrels, scan_run), files, strict=True)
    )
    return dict(evaluate(qrels, run, MEASURES, engine=options).scores)


def write(folder: Path, n_rows: int, order: str) -> None:
    """A run and its judgements: the same rows query after query, or shuffled throughout."""
    rng = np.random.default_rng(7)
    n_queries = n_rows // _LENGTH
    # An odd step modulo a power of two visits each item once.
    start, step = rng.integers(0, 1 << 20, (2, n_queries), dtype=np.uint32)

    def table(number: IntArray, length: int, first: int) -> dict[str, Array]:
        query, place = np.divmod(number, length)
        item = (start[query] + (2 * step[query] + 1) * (place.astype(np.uint32) + first)) % (
            1 << 20
        )
        return {"query": query.astype(np.int64), "item": item.astype(np.int64)}

    for numbers in _numbers(n_queries * _LENGTH, order, rng):
        columns = table(numbers, _LENGTH, 0)
        _append(folder / "run.parquet", columns | {"score": _uniform(numbers)})
    for numbers in _numbers(n_queries * _RELEVANT, order, rng):
        columns = table(numbers, _RELEVANT, _LENGTH - _RELEVANT // 2)
        _append(folder / "qrels.parquet", columns | {"grade": numbers % 3 + 1})
    for writer in _WRITERS.values():
        writer.close()
    _WRITERS.clear()


_WRITERS: dict[Path, Any] = {}


def _append(path: Path, columns: dict[str, Array]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pa.table(columns)
    if path not in _WRITERS:
        _WRITERS[path] = pq.ParquetWriter(path, rows.schema)
    _WRITERS[path].write_table(rows)


def _numbers(n_rows: int, order: str, rng: np.random.Generator) -> Iterator[IntArray]:
    """Numbers of the rows, some at a time."""
    shuffled = rng.permutation(np.arange(n_rows, dtype=np.int32)) if order == "shuffled" else None
    for first in range(0, n_rows, _CHUNK):
        last = min(first + _CHUNK, n_rows)
        yield np.arange(first, last) if shuffled is None else shuffled[first:last].astype(np.int64)


def _uniform(numbers: IntArray) -> Array:
    """A score for each row by its number, whatever the order of the rows (SplitMix64)."""
    bits = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return (bits >> np.uint64(11)) * 2.0**-53


if __name__ == "__main__":
    main()
