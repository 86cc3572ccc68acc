"""Dictionaries, lists and files: P4, P5, P6, P12, P14 and P15."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from sklearn_rank import compare, evaluate, read_qrels, read_run, scan_qrels, scan_run
from tests.benchmarks.arrays import TWENTY
from tests.benchmarks.harness import Row, Work

MEASURES = ("map", "ndcg@10", "mrr", "p@10", "recall@100")
TREC_MEASURES = {"map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100"}


def p4(size: str) -> Iterator[Row]:
    """{query: {document: score}}, and twenty measures of the same (P9)."""
    rng = random.Random(0)
    queries = [f"q{number}" for number in range(1_000 if size == "full" else 50)]
    run = {query: {f"d{number}": rng.random() for number in range(1_000)} for query in queries}
    qrels = {
        query: {f"d{n}": rng.choice((0, 0, 1, 2)) for n in rng.sample(range(1_500), 50)}
        for query in queries
    }
    work = f"{len(queries):,} queries x 1,000 documents, 50 judged"
    peers = {
        "ir_measures": partial(_ir_measures, run, qrels),
        "pytrec_eval": partial(_pytrec_eval, run, qrels),
        "ranx, building included": partial(_ranx, run, qrels),
    }
    targets = dict(zip(peers, (1 / 4, 1 / 5, 1 / 12), strict=True))
    ours = partial(evaluate, qrels, run, MEASURES)
    yield Row("P4", f"{work}: 5 measures", ours, peers, targets)
    one = "itself, map alone"
    more = partial(evaluate, qrels, run, TWENTY)
    alone = {one: lambda: partial(evaluate, qrels, run, "map")}
    yield Row("P4", f"{work}: 20 measures", more, alone, {one: 1.6})


def _ir_measures(run: Any, qrels: Any) -> Work:
    import ir_measures
    from ir_measures import AP, RR, P, R, nDCG

    measures: list[Any] = [AP, nDCG @ 10, RR, P @ 10, R @ 100]
    return lambda: ir_measures.calc_aggregate(measures, qrels, run)


def _pytrec_eval(run: Any, qrels: Any) -> Work:
    import pytrec_eval

    return lambda: pytrec_eval.RelevanceEvaluator(qrels, TREC_MEASURES).evaluate(run)


def _ranx(run: Any, qrels: Any) -> Work:
    import ranx

    names = ["map", "ndcg@10", "mrr", "precision@10", "recall@100"]
    return lambda: ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names)


def p5(size: str) -> Iterator[Row]:
    """Ranked lists and sets, against looking up each item and nothing more."""
    rng = random.Random(0)
    catalogue = [f"item {number}" for number in range(20_000)]
    n_users = 100_000 if size == "full" else 1_000
    rankings = [rng.sample(catalogue, 100) for _ in range(n_users)]
    truths = [{*rng.sample(ranking, 5), *rng.sample(catalogue, 5)} for ranking in rankings]

    def membership() -> list[Any]:
        pairs = zip(truths, rankings, strict=True)
        return [list(map(truth.__contains__, ranking)) for truth, ranking in pairs]

    name = "the bare membership pass"
    ours = partial(evaluate, truths, rankings, MEASURES)
    work = f"{n_users:,} users x 100 items: 5 measures"
    yield Row("P5", work, ours, {name: lambda: membership}, {name: 1.5})


def p6(size: str) -> Iterator[Row]:
    """A run file and judgements in TREC's format, reading included."""
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = Path(folder, "run.txt"), Path(folder, "qrels.txt")
        n_lines = _write_files(run, qrels, 1_000 if size == "full" else 5)
        peers = {"pytrec_eval and its readers": partial(_pytrec_eval_files, run, qrels)}
        targets = dict.fromkeys(peers, 1 / 5)
        doors = {
            "read": lambda: evaluate(read_qrels(qrels), read_run(run), MEASURES),
            "scanned": lambda: evaluate(scan_qrels(qrels), scan_run(run), MEASURES),
        }
        for door, ours in doors.items():
            work = f"a run file of {n_lines:,} lines, {door}: 5 measures"
            yield Row("P6", work, ours, peers, targets, n_lines)


def _write_files(run: Path, qrels: Path, n_queries: int) -> int:
    rng = random.Random(0)
    with run.open("w") as lines, qrels.open("w") as judgements:
        for query in range(n_queries):
            scores = sorted((rng.random() for _ in range(1_000)), reverse=True)
            documents = rng.sample(range(10**7), 1_000)
            for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1):
                lines.write(f"{query} Q0 doc{document:08d} {rank} {score:.6f} bm25\n")
            for document in rng.sample(documents, 56):
                judgements.write(f"{query} 0 doc{document:08d} {rng.choice((0, 0, 1, 2))}\n")
    return n_queries * 1_000


def _pytrec_eval_files(run: Path, qrels: Path) -> Work:
    import pytrec_eval

    def work() -> Any:
        with qrels.open() as judgements, run.open() as lines:
            judged = pytrec_eval.parse_qrel(judgements)
            evaluator = pytrec_eval.RelevanceEvaluator(judged, TREC_MEASURES)
            return evaluator.evaluate(pytrec_eval.parse_run(lines))

    return work


def p12(size: str) -> Iterator[Row]:
    """Gates against the evaluation that they need."""
    from pytest_rankmetrics import assert_map_at_least
    from pytest_rankmetrics.gates.files import FileGate, FileSession, judge_files

    rng = random.Random(0)
    catalogue = [f"item {number}" for number in range(20_000)]
    names = [f"q{number}" for number in range(10_000 if size == "full" else 500)]
    rankings = {name: rng.sample(catalogue, 50) for name in names}
    truths = {name: {*rng.sample(ranked, 5)} for name, ranked in rankings.items()}
    scores = {
        name: {item: 1.0 / place for place, item in enumerate(items, 1)}
        for name, items in rankings.items()
    }
    peer = "evaluate of the same"
    layouts: dict[str, Any] = {"lists": rankings, "{item: score}": scores}
    for layout, results in layouts.items():
        ours = partial(assert_map_at_least, truths, results, 0.01)
        bare = partial(evaluate, truths, results, "map")
        work = f"a passing gate, {len(names):,} x 50, {layout}"
        yield Row("P12", work, ours, {peer: lambda bare=bare: bare}, {peer: 1.0})
    measures = ("map", "ndcg@10")
    gate = FileGate("gate", lambda: (truths, rankings), {"max_drop": dict.fromkeys(measures, 0.01)})

    def judge(folder: Path, *, update: bool) -> None:
        outside = {name: value for name, value in os.environ.items() if name != "CI"}
        with mock.patch.dict(os.environ, outside, clear=True):
            (run,) = judge_files([gate], FileSession(folder, update=update)).gates
        if run.failed:
            raise RuntimeError(run.record["headline"])

    def record() -> None:
        with tempfile.TemporaryDirectory() as folder:
            judge(Path(folder), update=True)

    bare = partial(evaluate, truths, rankings, measures)
    with tempfile.TemporaryDirectory() as kept:
        judge(Path(kept), update=True)
        works = {"recording": record, "comparing": partial(judge, Path(kept), update=False)}
        for what, ours in works.items():
            work = f"{what} a gate, {len(names):,} x 50"
            yield Row("P12", work, ours, {peer: lambda: bare}, {peer: 3.0})


def p14(size: str) -> Iterator[Row]:
    """Exact bounds where half of each ranking is unjudged."""
    rng = random.Random(0)
    items = [f"d{number}" for number in range(20)]
    truth = {
        query: {item: rng.choice([0, 0, 0, 1, 2]) for item in rng.sample(items, 10)}
        for query in range(10_000 if size == "full" else 200)
    }
    rankings = {query: rng.sample(items, 20) for query in truth}
    bare = partial(evaluate, truth, rankings, "ndcg@10", zero_division=0.0)
    work = f"bounds of ndcg@10, {len(truth):,} queries, 10 unjudged items each"
    yield Row(
        "P14", work, partial(bare().bounds, "ndcg@10"), {"evaluate of the same": lambda: bare}
    )


def p15(size: str) -> Iterator[Row]:
    """Many systems compared in many measures, evaluation included."""
    n_systems, n_queries = (20, 10_000) if size == "full" else (3, 100)
    rng = np.random.default_rng(0)
    truth = (rng.random((n_queries, 30)) < 0.15).astype(int)
    truth[:, 0] = 1
    common = 0.3 * truth + rng.random(truth.shape)
    runs = {f"system {n}": common + rng.random(truth.shape) for n in range(n_systems)}
    measures = ("map", "ndcg@10", "mrr", "precision@10", "recall@10")
    measures = (*measures, "err@10", "hit_rate@5", "rprec", "f1@10", "lag")
    work = f"{n_systems} systems, {n_queries:,} queries of 30, 10 measures"
    ours = partial(compare, truth, runs, measures=measures)
    peers = {"ranx.compare": partial(_ranx_compare, truth, runs)}
    yield Row("P15", work, ours, peers, dict.fromkeys(peers, 1 / 3))


def _ranx_compare(truth: Any, runs: dict[str, Any]) -> Work:
    import ranx

    items = [f"d{number}" for number in range(30)]

    def by_query(rows: Any) -> dict[str, dict[str, Any]]:
        return {f"q{n}": dict(zip(items, row, strict=True)) for n, row in enumerate(rows.tolist())}

    judged = {q: {d: g for d, g in grades.items() if g} for q, grades in by_query(truth).items()}
    qrels, own = ranx.Qrels(judged), [ranx.Run(by_query(s), name=n) for n, s in runs.items()]
    # In the places of ERR and LAG, which it lacks, measures of about the same cost.
    names = ["map", "ndcg@10", "mrr", "precision@10", "recall@10"]
    names += ["dcg@10", "hit_rate@5", "r-precision", "f1@10", "ndcg_burges@10"]
    return lambda: ranx.compare(qrels, own, names, stat_test="student")


ROWS = {"P4": p4, "P5": p5, "P6": p6, "P12": p12, "P14": p14, "P15": p15}
