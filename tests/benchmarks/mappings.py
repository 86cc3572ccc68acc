"""{query: {document: score}}: P4 against the programs that take it, and P9."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn_rank import evaluate
from tests.benchmarks._measure import Contest, Peer, Target, Timer, wall
from tests.benchmarks.rows import TWENTY

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


def contests(row: str, size: str) -> Iterator[Contest]:
    """Five measures of one run, and what more of them cost."""
    run, qrels = run_and_qrels(size)
    work = f"{len(run):,} queries x {N_DOCUMENTS:,} documents, {N_JUDGED} judged"
    if row == "P9":
        one = Peer("itself, map alone", lambda: wall(partial(evaluate, qrels, run, "map")), _FEW)
        ours = partial(evaluate, qrels, run, TWENTY)
        yield Contest(row, f"{work}: {len(TWENTY)} measures", ours, (one,))
        return
    yield Contest(
        row,
        f"{work}: {len(MEASURES)} measures",
        partial(evaluate, qrels, run, MEASURES),
        (
            Peer("ir_measures", partial(_ir_measures, run, qrels), Target(times=1 / 4)),
            Peer("pytrec_eval", partial(_pytrec_eval, run, qrels), Target(times=1 / 5)),
            Peer("ranx, building included", partial(_ranx, run, qrels), Target(times=1 / 12)),
        ),
    )


_FEW = Target(times=1.6)


def _ir_measures(run: Run, qrels: Qrels) -> Timer:
    import ir_measures
    from ir_measures import AP, RR, P, R, nDCG

    measures: list[Any] = [AP, nDCG @ 10, RR, P @ 10, R @ 100]
    return wall(lambda: ir_measures.calc_aggregate(measures, qrels, run))


def _pytrec_eval(run: Run, qrels: Qrels) -> Timer:
    import pytrec_eval

    names = {"map", "ndcg_cut_10", "recip_rank", "P_10", "recall_100"}
    return wall(lambda: pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run))


def _ranx(run: Run, qrels: Qrels) -> Timer:
    import ranx

    names = ["map", "ndcg@10", "mrr", "precision@10", "recall@100"]
    return wall(lambda: ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names))
