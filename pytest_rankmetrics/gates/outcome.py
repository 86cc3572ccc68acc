"""Judgements as results for the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pytest_rankmetrics.judging.findings import Judgement
from pytest_rankmetrics.judging.result import Explanation, GateResult
from pytest_rankmetrics.policy.verdicts import UNREMARKABLE, Verdict
from pytest_rankmetrics.report.message import headline, message
from pytest_rankmetrics.report.worst import worst_queries
from pytest_rankmetrics.session import current


def result_of(
    judgement: Judgement,
    name: str,
    *,
    footer: Sequence[str] = (),
    baseline: str = "",
    verdict: Verdict | None = None,
) -> GateResult:
    """A judgement as a result; its long message is made when it is read."""
    measured = judgement.measured
    columns = {own: measured.per_query(own) for own in measured.names}
    own = judgement.verdict if verdict is None else verdict
    doubts = [text.full for text in judgement.findings if text.verdict is Verdict.CANNOT_TELL]
    warned = [text.full for text in judgement.findings if text.verdict is Verdict.WARN]
    # What is allowed is still said; what fails is in the headline.
    noted = doubts if judgement.doubt_is_allowed else []
    noted = [*noted, judgement.new_holes] if judgement.new_holes else noted
    warned += [] if judgement.doubt_is_allowed or judgement.doubt_fails else doubts
    return GateResult(
        name=name,
        verdict=own,
        headline=headline(judgement),
        metrics=judgement.metric_results,
        slices=tuple(judgement.slice_results),
        queries=len(measured),
        counts=measured.counts,
        query_ids=tuple(measured.query_ids),
        per_query={
            own: tuple(values.tolist()) for own, values in columns.items() if values is not None
        },
        warnings=tuple(warned),
        notes=(*judgement.notes, *noted),
        doubt_fails=judgement.doubt_fails,
        baseline=baseline,
        nodeid=current.running().own,
        explain=partial(_explained, judgement, own, list(footer)),
        look_up=partial(_by_query, judgement),
    )


def _by_query(judgement: Judgement) -> Mapping[str, Any] | None:
    from pytest_rankmetrics.report.queries import queries_data

    return queries_data(judgement)


def _explained(judgement: Judgement, verdict: Verdict, footer: list[str]) -> Explanation:
    worst = worst_queries(judgement)
    text = message(judgement, worst, footer)
    if worst is None or verdict in UNREMARKABLE:
        return Explanation(text)
    return Explanation(text, worst.rows, worst.metric)
