"""What the options of ``evaluate`` make of a run and of judgements."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank.cli.trec_measures import TrecData, choose, lines_of
from sklearn_rank.engines.options import EngineOptions
from sklearn_rank.evaluation.evaluate import evaluate
from sklearn_rank.evaluation.result import Evaluation
from sklearn_rank.inputs.join import judged_alone, read_columns
from sklearn_rank.inputs.tables import Qrels, Run
from sklearn_rank.measures.catalogue import Measure
from sklearn_rank.measures.conventions import find_convention
from sklearn_rank.measures.grammar import parse_measures
from sklearn_rank.support.segments import offsets_of


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    spellings: tuple[str, ...]
    convention: str
    is_trec: bool
    """Whether lines are to equal those of trec_eval."""
    per_query: bool
    summary: bool
    complete: bool
    level: int | None
    depth: int | None
    judged_only: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace, default: tuple[str, ...]) -> Request:
        """The request of parsed arguments; what means nothing is refused before a file is read."""
        is_trec = arguments.format == "trec" and arguments.convention == "trec_eval"
        request = cls(
            tuple(arguments.measures) or (("official",) if is_trec else default),
            arguments.convention,
            is_trec,
            arguments.per_query,
            not getattr(arguments, "no_summary", False),
            arguments.complete,
            arguments.level,
            arguments.depth,
            arguments.judged_only,
        )
        find_convention(request.convention)
        if not (request.summary or is_trec):
            msg = "--no-summary goes with --convention trec_eval --format trec"
            raise ValueError(msg)
        if is_trec:
            choose(request.spellings)
        else:
            request.measures()
        return request

    def measures(self) -> list[Measure]:
        """Measures with the level of relevance."""
        parsed = parse_measures(list(self.spellings))
        if self.level is None:
            return list(parsed)
        return [measure.with_parameters(min_rel=self.level) for measure in parsed]

    @property
    def missing(self) -> str:
        """What to do about judged queries without a ranking."""
        return "zero" if self.complete else find_convention(self.convention).missing

    def prepared(self, qrels: Qrels, run: Run) -> Run:
        """The run as deep as it is to be read, perhaps of judged items alone."""
        by_id = find_convention(self.convention).ties == "docid"
        if self.depth is not None:
            run = run.top(self.depth, by_id=by_id)
        return judged_alone(run, qrels) if self.judged_only else run


def measure_run(
    request: Request,
    qrels: Any,
    run: Any,
    *,
    keep_items: bool = False,
    engine: EngineOptions | None = None,
) -> Evaluation:
    """Evaluate one run: tables, or lazy frames."""
    if isinstance(run, Run):
        run = request.prepared(qrels, run)
    return evaluate(
        qrels,
        run,
        request.measures(),
        engine=engine,
        convention=request.convention,
        missing=request.missing,  # type: ignore[arg-type]
        keep_items=keep_items,
    )


def measure_trec(request: Request, qrels: Qrels, run: Run) -> str:
    """Lines as trec_eval prints them."""
    ranked = request.prepared(qrels, run)
    missing = request.missing
    order = sorted(qrels.query_ids)
    qrels = qrels.of_queries(order)
    options = {"ties": "docid", "missing": missing, "negative_grades": "unjudged"}
    whole, alone = (
        read_columns(qrels, lists, **options).rankings.widened()  # type: ignore[arg-type]
        for lists in (ranked, judged_alone(ranked, qrels))
    )
    queries = list(whole.query_ids)
    counted = offsets_of((qrels.grades >= 0).astype(np.int64))[qrels.offsets]
    judged = dict(zip(order, np.diff(counted).tolist(), strict=True))
    data = TrecData(
        queries,
        whole,
        alone,
        np.array([judged[query] for query in queries], dtype=np.float64),
        request.level or 1,
        run.tag,
    )
    # With -c, trec_eval counts what is relevant at any level.
    complete = int((qrels.grades > 0).sum()) if request.complete else -1
    lines = lines_of(data, choose(request.spellings), complete_relevant=complete)
    overall = lines.overall if request.summary else []
    return "\n".join([*(lines.per_query if request.per_query else ()), *overall])
