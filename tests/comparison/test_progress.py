"""Resampling takes time, and says on a terminal how far it is; one bar at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sklearn_rank import compare, compare_all, evaluate
from sklearn_rank.support import runtime


def systems() -> dict[str, Any]:
    generator = np.random.default_rng(0)
    truth = (generator.random((40, 6)) < 0.5).astype(int)
    truth[:, 0] = 1
    return {name: evaluate(truth, generator.random((40, 6)), ("map", "mrr")) for name in "abc"}


@pytest.mark.parametrize(
    ("function", "test", "shown"),
    [
        (compare, "permutation", True),
        (compare, "bootstrap", True),
        (compare_all, "tukey", True),
        (compare, "t", False),
    ],
)
def test_a_terminal_shows_how_many_tests_are_done(
    function: Any, test: str, shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    evaluated = systems()
    monkeypatch.setattr(runtime, "_PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    function(evaluated, test=test, n_resamples=9999)
    assert ("tests" in capsys.readouterr().err) == shown


def test_a_step_draws_no_bar_within_the_bar(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(runtime, "_PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    outside = runtime.with_progress([1] * 3, 3, "outside")
    next(outside)  # the first step is over before the bar appears
    for _ in outside:
        assert list(runtime.with_progress([1] * 3, 3, "inside")) == [1] * 3
    shown = capsys.readouterr().err
    assert "outside" in shown
    assert "inside" not in shown
    assert list(runtime.with_progress([1] * 3, 3, "again")) == [1] * 3
    assert "again" in capsys.readouterr().err
