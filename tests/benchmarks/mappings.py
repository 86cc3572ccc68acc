"""P4: {query: {document: score}} against the programs that take it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sklearn_rank import evaluate
from tests.benchmarks._measure import Contest, Work

N_QUERIES = {"small": 50, "full": 1_000}
N_DOCUMENTS, N_JUDGED = 1_000, 50
MEASURES = ("map", "ndcg@10", "mrr", "p@10", "recall@100")

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def run_and_qrels(size: str) -> tuple[Run, Qrels]:
    """Random scores, and judgements of which two thirds were retrieved."""
    rng = random.Random(0)
    queries = range(N_QUERIES[size])
    run = {f"q{q}": {f"d{d}": rng.random() for d in range(N_DOCUMENTS)} for q in queries}
    qrels = {
        f"q{q}": {
            f"d{document}": rng.choice((0, 0, 1, 2))
            for document in rng.sample(range(N_DOCUMENTS * 3 // 2), N_JUDGED)
        }
        for q in queries
    }
    return run, qrels


def contests(size: str) -> Iterator[Contest]:
    """Five measures of one run."""
    run, qrels = run_and_qrels(size)
    peers = {**_ir_measures(run, qrels), **_pytrec_eval(run, qrels), **_ranx(run, qrels)}
    yield Contest(
        "P4",
        f"{len(run):,} queries x {N_DOCUMENTS:,} documents, {N_JUDGED} judged: 5 measures",
        lambda: evaluate(qrels, run, MEASURES),
        peers,
        {"ir_measures": 4.0, "pytrec_eval": 5.0, "ranx, building included": 12.0},
    )


def _ir_measures(run: Run, qrels: Qrels) -> dict[str, Work]:
    try:
        import ir_measures
    except ImportError:
        return {}
    from ir_measures import AP, RR, P, R, nDCG

    measures: list[Any] = [AP, nDCG @ 10, RR, P @ 10, R @ 100]
    return {"ir_measures": lambda: ir_measures.calc_aggregate(measures, qrels, run)}


def _pytrec_eval(run: Run, qrels: Qrels) -> dict[str, Work]:
    try:
        import pytrec_eval
    except ImportError:
        return {}
    names = {"map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100"}
    return {"pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)}


def _ranx(run: Run, qrels: Qrels) -> dict[str, Work]:
    try:
        import ranx
    except ImportError:
        return {}
    names = ["map", "ndcg@10", "mrr", "precision@10", "recall@100"]
    return {
        "ranx, building included": lambda: ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names)
    }
