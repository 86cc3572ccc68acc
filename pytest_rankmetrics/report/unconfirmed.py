"""What a run could not decide: its last lines, for these gates may have passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_rankmetrics._support import formatting
from pytest_rankmetrics.report.summary import GateRun

_TITLES = {"warn": "NOT CONFIRMED", "cannot tell": "CANNOT TELL"}


def unconfirmed(gates: Iterable[GateRun]) -> list[str]:
    """One line for each such drop, with what so many queries could have confirmed."""
    return [
        _line(formatting.shown(run.record["name"], limit=60), metric)
        for run in gates
        for metric in run.record["metrics"].values()
        if metric["verdict"] in _TITLES and metric["change"] is not None
    ]


def _line(gate: str, metric: Mapping[str, Any]) -> str:
    was, change, n = metric["baseline"], metric["change"], metric["compared"]
    reach = metric["change_bounds"]
    parts = [metric["reason"]] if metric["verdict"] == "cannot tell" else []
    parts += [formatting.reach(reach)] if reach else [formatting.p_phrase(metric["p"]), f"n={n}"]
    if metric["detectable"] and not reach:
        parts.append(
            f"{formatting.queries(n)} confirm drops of {metric['detectable']:.4f} in 4 cases of 5"
        )
    said = ", ".join(filter(None, parts))
    allowed = -metric["allowed"] if metric["greater_is_better"] else metric["allowed"]
    return (
        f"{_TITLES[metric['verdict']]}: {gate} {metric['name']} {was:.4f} -> {was + change:.4f} "
        f"({formatting.signed(change)}, allowed {formatting.signed(allowed)}): {said}"
    )
