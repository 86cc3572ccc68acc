"""A suite of one gate, worse and better systems for it, and how to read its baseline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

GATE = """
    from cases import system

    def test_bm25(rank_gate):
        rank_gate.check(*system(), max_drop={"mrr": 0.005})
"""
FILE = "test_it/test_bm25.rank.json"

WORSE = [3] * 15 + [2] * 15
BETTER = [1] * 15 + [2] * 15


def value(suite: Suite, file: str = FILE, measure: str = "mrr") -> float:
    """What a baseline says of a measure."""
    return float(json.loads(suite.baselines()[file])["metrics"][measure]["value"])
