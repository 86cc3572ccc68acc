"""One gate with a place for its baseline, judged without pytest."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sklearn_rank.gates.gate import judge_beside, judge_gate
from sklearn_rank.gates.limits import Settings, read_arguments
from sklearn_rank.gates.verdict import BaselineFile, GateResult
from sklearn_rank.view.gate_page import section_of
from sklearn_rank.view.reports import json_text, markdown
from sklearn_rank.view.summary import GateRun, Summary, summary_lines


def show(result: GateResult) -> None:
    """Every view of a verdict: none fails, and none says another state or headline."""
    record = {"nodeid": "test_x", **result.as_dict()}
    run = GateRun(record, "test_x", section=section_of(result))
    assert (record["state"], record["headline"]) == (result.state, result.headline)
    summary = Summary((run,))
    assert bool(summary.failed) is not result.passed
    assert json.loads(json_text(summary))["gates"][0]["state"] == result.state
    assert markdown(summary).startswith("### ")
    assert summary_lines(summary)


class Gate:
    """A gate whose baseline is a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "gate.rank.json"
        self.place = BaselineFile(
            path=self.path,
            shown="gate.rank.json",
            update="pytest --rank-update",
            accept="pytest --rank-accept",
        )
        self.settings = Settings()

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        *,
        update: bool = False,
        accept: bool = False,
        **arguments: Any,
    ) -> GateResult:
        """The verdict."""
        policy = read_arguments({"name": "test_x", **arguments}, self.settings)
        writes: Any = "accept" if accept else "update" if update else ""
        result = judge_gate(y_true, y_score, policy, replace(self.place, writes=writes))
        show(result)
        return result

    def record(self, y_true: Any, y_score: Any, **arguments: Any) -> GateResult:
        """Record a baseline, whatever there was."""
        self.path.unlink(missing_ok=True)
        result = self(y_true, y_score, update=True, **arguments)
        assert result.written == "new", result.headline
        return result

    def elsewhere(self) -> None:
        """From now on the baseline is that of the target branch."""
        self.place = replace(self.place, elsewhere="../base")


def beside(y_true: Any, y_score: Any, y_baseline: Any, **arguments: Any) -> GateResult:
    """Compare two systems without a file."""
    policy = read_arguments({"name": "x", **arguments}, Settings())
    return judge_beside(y_true, y_score, y_baseline, policy, policy)


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


def rules(result: GateResult) -> list[str]:
    """The rules that fired, and remarks."""
    return [own.rule for own in result.findings]
