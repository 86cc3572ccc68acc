"""Remarks that help to understand a failure; they fail nothing."""

from __future__ import annotations

import numpy as np

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.assessment.findings import Assessment
from pytest_rankmetrics.measuring.evaluation import StrictEvaluation

_CHANCE = 0.45
"""An AUC below this is further from 1/2 than chance takes a useless system."""


def facts(assessment: Assessment) -> list[str]:
    """Remarks on the data, one per line."""
    measured = assessment.measured
    counts = measured.counts
    left_out = [
        (max(counts["undefined"].values(), default=0), "without a defined value"),
        (counts["missing"], "without a ranking"),
        (counts["unjudged"], "without judgements"),
        (counts["tied"], "with a relevant item in a tie"),
    ]
    return [
        *_nothing_found(measured),
        *(f"{formatting.queries(n)} {what}" for n, what in left_out if n),
        *_upside_down(measured),
    ]


def _nothing_found(measured: StrictEvaluation) -> list[str]:
    counts, parts = measured.counts, []
    empty = [measured.query_ids[number] for number in np.flatnonzero(measured.n_ranked == 0)]
    if empty:
        verb = "counts" if len(empty) == 1 else "count"
        parts.append(
            f"{formatting.queries(len(empty))} returned nothing and {verb} as 0 "
            f"({formatting.several(empty)})"
        )
    lost = counts["relevant"] - counts["retrieved"]
    if lost:
        are = "relevant item is" if lost == 1 else "relevant items are"
        parts.append(f"{lost:,} {are} missing from their query's list")
    return ["; ".join(parts)] if parts else []


def _upside_down(measured: StrictEvaluation) -> list[str]:
    return [
        f"{name} is below 0.5: are the scores distances, of which lower is better?"
        for name in measured.names
        if measured.used[name].metric.name in ("auc", "gauc") and measured.value(name) < _CHANCE
    ]
