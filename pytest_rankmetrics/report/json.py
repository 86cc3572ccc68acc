"""Reports for machines and for the summary page of a CI run."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rankmetrics._support.builtins import plain

if TYPE_CHECKING:
    from pytest_rankmetrics.session.session import Session

FORMAT = "rank-report/1"
_LEFT_OUT = ("rank_records",)


def write_json(session: Session) -> None:
    """``--rank-json``: everything, as one object."""
    if not session.options.json:
        return
    path = Path(session.config.invocation_params.dir, session.options.json)
    text = json.dumps(report(session), indent=1, allow_nan=False, sort_keys=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def report(session: Session) -> dict[str, Any]:
    """The content of the JSON report."""
    gates = [
        {**record, "test_passed": test.passed, "tries": test.tries}
        for test, record in session.gates()
    ]
    gates.sort(key=lambda gate: (gate["nodeid"], gate["name"]))
    content = {
        "format": FORMAT,
        "gates": gates,
        "settings": asdict(session.options.settings),
        "required": list(session.options.required),
        "problems": session.problems,
        "unused": session.unused,
    }
    result: dict[str, Any] = plain(content)
    return result


def write_markdown(session: Session) -> None:
    """``--rank-markdown``, or the step summary of a CI run; only if a gate ran or should have."""
    target = session.options.markdown
    if target == "auto":
        target = os.environ.get("GITHUB_STEP_SUMMARY", "")
    if target in ("", "none") or not (session.problems or any(True for _ in session.gates())):
        return
    from pytest_rankmetrics.report.markdown import markdown

    path = Path(session.config.invocation_params.dir, target)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(markdown(session))
