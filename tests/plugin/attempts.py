"""Tries to pass a gate that must not pass."""

from __future__ import annotations

import re

import pytest

from tests.plugin.conftest import Suite, said


def attempt(suite: Suite, body: str) -> pytest.RunResult:
    """Run tests with the data and the assertions of this file at hand, each a try to pass."""
    suite.write(test_it=HEAD + body)
    return suite.run("--tb=short")


HEAD = """
    import math
    import numpy as np
    import pandas as pd
    import pytest
    from cases import case, names, ranking, results, system, truth
    from pytest_rankmetrics import (
        assert_auc_at_least, assert_lag_at_most, assert_map_at_least, assert_metric,
        assert_mrr_at_least, assert_ndcg_at_least, assert_not_worse, assert_recall_at_least,
    )
"""


def refused(suite: Suite, calls: dict[str, str], complaint: str) -> None:
    """Each call fails, and what is said of it matches."""
    body = "".join(
        f"\n    def test_{name}(rank_gate):\n        {call}\n" for name, call in calls.items()
    )
    result = attempt(suite, body)
    result.assert_outcomes(failed=len(calls))
    assert result.ret == 1
    reports = re.split(r"\n_{3,} test_", said(result))[1:]
    assert len(reports) == len(calls)
    for report in reports:
        own = "\n".join(line for line in report.splitlines() if line.startswith("E "))
        assert re.search(complaint, own), f"{complaint!r} not in:\n{report}"
