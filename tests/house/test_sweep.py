"""The sweep: what it calls too much, and that its cases are what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from rich.progress import Progress

from tests.benchmarks._memory import Work
from tests.benchmarks._runs import Swept
from tests.benchmarks.sweep import run
from tests.benchmarks.sweep.case import Call, Case, Layout
from tests.benchmarks.sweep.reasons import REASONS
from tests.benchmarks.sweep.rows import IDS, SCATTERED, SCORES, equal_lengths, rows_of
from tests.benchmarks.sweep.run import LAYOUTS, most_growth

MILLION = 1_000_000
ROWS = 400_000


def swept(monkeypatch: pytest.MonkeyPatch, *seconds: float, size: str = "full") -> Swept:
    """A case that takes so many seconds, at a quarter of its rows, and its reference."""
    calls: list[tuple[Work, ...]] = []

    def told(works: tuple[Work, ...], rounds: int, budget: float) -> tuple[float, ...]:
        calls.append(works)
        return seconds

    monkeypatch.setattr(run, "least", told)
    case = Case("rows", "a case", lambda n: Call(list, n))
    monkeypatch.setattr(run, "REASONS", {("rows", "a case"): "because"})
    layout = Layout("rows", lambda n: Call(list, n), (case,))
    monkeypatch.setattr(run, "LAYOUTS", (layout,))
    (figures,) = run.sweep(size, 1, Progress(disable=True))
    assert len(calls) == 1
    return figures


def test_a_case_beside_its_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = swept(monkeypatch, 0.06, 0.015, 0.02)
    assert (figures.n_rows, figures.ns_row) == (ROWS, pytest.approx(150.0))
    assert (figures.ratio, figures.growth) == pytest.approx((3.0, 4.0))
    assert (figures.too_much, figures.too_fast) == (False, False)


@pytest.mark.parametrize(
    ("seconds", "too_much", "too_fast"),
    [
        ((0.099, 0.025, 0.02), False, False),
        ((0.101, 0.025, 0.02), True, False),  # more than five times the reference
        ((0.06, 0.012, 0.02), False, False),  # five times the time: caches, and the logarithm
        ((0.06, 0.01, 0.02), False, True),  # six times
        ((0.16, 0.01, 0.02), True, True),  # sixteen times: quadratic
    ],
)
def test_limits(
    monkeypatch: pytest.MonkeyPatch,
    seconds: tuple[float, ...],
    too_much: bool,
    too_fast: bool,
) -> None:
    figures = swept(monkeypatch, *seconds)
    assert (figures.too_much, figures.too_fast) == (too_much, too_fast)


def test_small_sizes_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = swept(monkeypatch, 16.0, 1.0, 1.0, size="small")
    assert (figures.too_much, figures.too_fast, figures.reason) == (False, False, "because")


def test_growth_of_n_log_n() -> None:
    whole = 4 * math.log(4 * MILLION) / math.log(MILLION)  # 4.4
    assert most_growth(MILLION, 4 * MILLION) == pytest.approx(1.25 * whole)
    assert most_growth(1, 4) > 4  # one row: no logarithm to divide by


def test_cases_without_their_library_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(n: int) -> Call:
        raise ModuleNotFoundError(name="polars")

    layout = Layout("rows", lambda n: Call(list, n), (Case("rows", "a case", absent),))
    monkeypatch.setattr(run, "LAYOUTS", (layout,))
    assert run.sweep("small", 1, Progress(disable=True)) == []


def test_a_case_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise ValueError("no")

    layout = Layout(
        "rows", lambda n: Call(list, n), (Case("rows", "a case", lambda n: Call(fails, n)),)
    )
    monkeypatch.setattr(run, "LAYOUTS", (layout,))
    with pytest.raises(ValueError, match="no") as caught:
        run.sweep("small", 1, Progress(disable=True))
    assert caught.value.__notes__ == ["in the case 'a case' of rows"]


def test_no_two_cases_have_one_name() -> None:
    names = [(layout.name, case.name) for layout in LAYOUTS for case in layout.cases]
    assert len(names) == len(set(names)) >= 130


def test_reasons_are_of_cases() -> None:
    assert {*REASONS} <= {(layout.name, case.name) for layout in LAYOUTS for case in layout.cases}


def test_scattered_ids_are_among_the_types() -> None:
    assert set(SCATTERED) <= set(IDS)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_all_types_keep_most_places(name: str) -> None:
    """A case of a type is to cost what the type costs, not what ties cost."""
    values = rows_of(10_000)["y_score"]
    converted = np.asarray(SCORES[name](values), dtype=np.float64)
    positive = values > 0  # unsigned integers hold no others
    distinct = len(np.unique(converted[positive])) / positive.sum()
    assert distinct > {"float16": 0.2, "int8": 0.003}.get(name, 0.9)


def test_queries_of_one_length() -> None:
    rows = equal_lengths(10, 100)
    assert np.bincount(rows["groups"]).tolist() == [10] * 10
