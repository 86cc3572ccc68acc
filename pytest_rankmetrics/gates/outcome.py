"""Judgements as results for the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.assessment.result import Explanation, GateResult
from pytest_rankmetrics.policy.verdicts import UNREMARKABLE, Verdict
from pytest_rankmetrics.report.message import headline, message
from pytest_rankmetrics.report.queries import queries_data, worst_queries
from pytest_rankmetrics.session import current


def result_of(
    assessment: Assessment,
    name: str,
    *,
    footer: Sequence[str] = (),
    baseline: str = "",
    verdict: Verdict | None = None,
) -> GateResult:
    """A assessment as a result; its long message is made when it is read."""
    measured = assessment.measured
    columns = {own: measured.per_query(own) for own in measured.names}
    own = assessment.verdict if verdict is None else verdict
    undecided = [text.full for text in assessment.findings if text.verdict is Verdict.CANNOT_TELL]
    warned = [text.full for text in assessment.findings if text.verdict is Verdict.WARN]
    # What is allowed is still said; what fails is in the headline.
    noted = undecided if assessment.undecided_is_allowed else []
    noted = [*noted, assessment.new_unjudged] if assessment.new_unjudged else noted
    warned += [] if assessment.undecided_is_allowed or assessment.undecided_fails else undecided
    return GateResult(
        name=name,
        verdict=own,
        headline=headline(assessment),
        metrics=assessment.metric_results,
        slices=tuple(assessment.slice_results),
        queries=len(measured),
        counts=measured.counts,
        query_ids=tuple(measured.query_ids),
        per_query={
            own: tuple(values.tolist()) for own, values in columns.items() if values is not None
        },
        warnings=tuple(warned),
        notes=(*assessment.notes, *noted),
        undecided_fails=assessment.undecided_fails,
        baseline=baseline,
        nodeid=current.running().own,
        explain=partial(_explained, assessment, own, list(footer)),
        look_up=partial(_by_query, assessment),
    )


def _by_query(assessment: Assessment) -> Mapping[str, Any] | None:

    return queries_data(assessment)


def _explained(assessment: Assessment, verdict: Verdict, footer: list[str]) -> Explanation:
    worst = worst_queries(assessment)
    text = message(assessment, worst, footer)
    if worst is None or verdict in UNREMARKABLE:
        return Explanation(text)
    return Explanation(text, worst.rows, worst.metric)
