"""The report for machines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_rankmetrics._support.builtins import plain
from pytest_rankmetrics.report.summary import Summary
from sklearn_rank.support.disk import JSON_REPORT, check_target, write_whole

FORMAT = "rank-report/1"


def write_json(summary: Summary, path: Path) -> None:
    """``--rank-json``: everything, as one object."""
    check_target(path, JSON_REPORT)
    text = json.dumps(report(summary), indent=1, allow_nan=False, sort_keys=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode())


def report(summary: Summary) -> dict[str, Any]:
    """The content of the JSON report."""
    gates = [
        {**run.record, "test_passed": run.test_passed, "tries": run.tries} for run in summary.gates
    ]
    gates.sort(key=lambda gate: (gate["nodeid"], gate["name"]))
    content = {
        "format": FORMAT,
        "gates": gates,
        "settings": summary.settings,
        "required": summary.required,
        "problems": summary.problems,
        "unused": summary.unused,
    }
    result: dict[str, Any] = plain(content)
    return result
