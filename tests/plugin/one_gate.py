"""A suite of one gate, worse and better systems for it, and how to read its baseline."""

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_rankmetrics import assert_not_worse
from tests.plugin.cases import Ranks, case

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite


def gate_of(
    limits: str = 'max_drop={"mrr": 0.005}', data: str = "*system()", name: str = "test_bm25"
) -> str:
    """A suite of one gate, with any of the names of ``cases``."""
    return f"""
from cases import case, names, ranking, results, system, truth

def {name}(rank_gate):
    rank_gate.check({data}, {limits})
"""


GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""
FILE = "test_it/test_bm25.rank.json"

WORSE = [3] * 15 + [2] * 15
BETTER = [1] * 15 + [2] * 15


def not_worse(new: Ranks, old: Ranks, measures: Any = "mrr", **options: Any) -> Any:
    """Compare two systems of ``cases``."""
    truth, reference = case(old)
    return assert_not_worse(truth, case(new)[1], reference, measures, **options)


def value(suite: "Suite", file: str = FILE, measure: str = "mrr") -> float:
    """What a baseline says of a measure."""
    return float(json.loads(suite.baselines()[file])["measures"][measure]["value"])


def git(directory: Path, *arguments: str) -> str:
    """Run git as somebody, away from the settings of whoever runs this."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=directory, check=True, capture_output=True, text=True
    )
    return done.stdout
