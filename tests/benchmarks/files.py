"""P6: a run and judgements in TREC's text format, reading included."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from sklearn_rank import evaluate, read_qrels, read_run, scan_qrels, scan_run
from tests.benchmarks import _scratch
from tests.benchmarks._measure import Contest, Peer, Target, Timer, wall
from tests.benchmarks.mappings import MEASURES

N_QUERIES = {"small": 5, "full": 1_000}
N_DOCUMENTS, N_JUDGED = 1_000, 56


def contests(row: str, size: str) -> Iterator[Contest]:
    """Both files, to the five measures."""
    folder = _scratch.folder()
    run, qrels = folder / "run.txt", folder / "qrels.txt"
    n_lines = _write(run, qrels, N_QUERIES[size])
    ways = (
        ("", partial(_ours, run, qrels), 5),
        (", scanned", partial(_scanned, run, qrels), 8),
        (", by scan_csv of Polars", partial(_by_polars, run, qrels), 8),
    )
    for how, ours, times in ways:
        yield Contest(
            row,
            f"a run file of {n_lines:,} lines{how}: {len(MEASURES)} measures",
            ours,
            (
                Peer(
                    "pytrec_eval and its readers",
                    partial(_pytrec_eval, run, qrels),
                    Target(1 / times),
                ),
                Peer("Polars, reading the run alone", partial(_polars, run)),
            ),
            n_rows=n_lines,
        )


def _write(run: Path, qrels: Path, n_queries: int) -> int:
    rng = random.Random(0)
    with run.open("w") as lines, qrels.open("w") as judgements:
        for query in range(n_queries):
            scores = sorted((rng.random() for _ in range(N_DOCUMENTS)), reverse=True)
            documents = rng.sample(range(10**7), N_DOCUMENTS)
            for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1):
                lines.write(f"{query} Q0 doc{document:08d} {rank} {score:.6f} bm25\n")
            for document in rng.sample(documents, N_JUDGED):
                judgements.write(f"{query} 0 doc{document:08d} {rng.choice((0, 0, 1, 2))}\n")
    return n_queries * N_DOCUMENTS


def _ours(run: Path, qrels: Path) -> Any:
    return evaluate(read_qrels(qrels), read_run(run), MEASURES)


def _scanned(run: Path, qrels: Path) -> Any:
    """Streamed through the strict readers, as what is larger than memory."""
    return evaluate(scan_qrels(qrels), scan_run(run), MEASURES)


def _by_polars(run: Path, qrels: Path) -> Any:
    """Streamed through the reader of Polars, which checks less."""
    import polars as pl

    def scan(path: Path, schema: dict[str, Any]) -> Any:
        return pl.scan_csv(
            path, schema=schema, has_header=False, separator=" ", quote_char=None
        ).select("query", "item", pl.col("grade" if "grade" in schema else "score"))

    text = pl.String
    ranked = {"query": text, "Q0": text, "item": text, "rank": text, "score": pl.Float64}
    judged = {"query": text, "0": text, "item": text, "grade": pl.Int64}
    return evaluate(scan(qrels, judged), scan(run, {**ranked, "tag": text}), MEASURES)


def _pytrec_eval(run: Path, qrels: Path) -> Timer:
    import pytrec_eval

    names = {"map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100"}

    def work() -> Any:
        with qrels.open() as judgements, run.open() as lines:
            evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(judgements), names)
            return evaluator.evaluate(pytrec_eval.parse_run(lines))

    return wall(work)


def _polars(run: Path) -> Timer:
    import polars as pl

    return wall(partial(pl.read_csv, run, separator=" ", has_header=False))
