"""Numbers of a whole run, and allowed drops that are shares of the old value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_rankmetrics import assert_not_worse
from sklearn_rank import InvalidParameterError
from sklearn_rank.gates.gate import judge_gate
from sklearn_rank.gates.limits import Settings, read_arguments
from sklearn_rank.gates.verdict import BaselineFile, GateResult, State

TRUTH = {f"q{n}": {"a": 1} for n in range(20)}
RUN = {query: ["a", "x"] for query in TRUTH}


def gate(folder: Path, *, update: bool = False, run: Any = RUN, **arguments: Any) -> GateResult:
    policy = read_arguments({"name": "g", **arguments}, Settings())
    path = folder / "g.rank.json"
    file = BaselineFile(path, "g.rank.json", "", "", writes="update" if update else "")
    return judge_gate(TRUTH, run, policy, file)


def sentences(result: GateResult) -> str:
    from sklearn_rank.view.words import headline

    return headline(result)


def test_limits_of_totals(tmp_path: Path) -> None:
    limits = {"at_most": {"p95_ms": 200}, "at_least": {"coverage": 0.5}}
    good = gate(tmp_path, totals={"p95_ms": 180.0, "coverage": 0.6}, **limits)
    assert good.state is State.PASS
    assert good.measures["p95_ms"].value == 180.0
    assert good.measures["coverage"].greater_is_better
    bad = gate(tmp_path, totals={"p95_ms": 201, "coverage": 0.6}, **limits)
    assert bad.state is State.FAIL
    assert "p95_ms is 201" in sentences(bad)


@pytest.mark.parametrize(
    ("drop", "now", "state"),
    [
        (10, 190.0, State.PASS),
        (10, 190.5, State.FAIL),
        ("10%", 198.0, State.PASS),
        ("10%", 198.5, State.FAIL),
        ("10%", 100.0, State.IMPROVED),
    ],
)
def test_allowed_drops_of_totals(tmp_path: Path, drop: Any, now: float, state: State) -> None:
    """No test: one number beyond the allowed drop is red."""
    limits: Any = {"max_drop": {"p95_ms": drop, "mrr": 0.02}, "slices": dict.fromkeys(TRUTH, "s")}
    limits |= {"max_slice_drop": 0.02}
    new = gate(tmp_path, update=True, totals={"p95_ms": 180.0}, **limits)
    assert new.written == "new"
    found = gate(tmp_path, totals={"p95_ms": now}, **limits)
    assert found.measures["p95_ms"].state is state
    assert found.measures["p95_ms"].baseline_value == 180.0


def test_values_limited_from_above_are_costs(tmp_path: Path) -> None:
    """at_most says the direction, as at_least does of totals; a name without it is a share."""
    old, new = ({q: ms + 5 * n for n, q in enumerate(TRUTH)} for ms in (50.0, 90.0))
    limits: Any = {"at_most": {"ms": 100}, "max_drop": {"ms": 30}}
    assert gate(tmp_path, update=True, values={"ms": old}, **limits).written == "new"
    row = gate(tmp_path, values={"ms": new}, **limits).measures["ms"]
    mean = 90 + 5 * 19 / 2  # 137.5
    assert (row.value, row.greater_is_better, row.state) == (mean, False, State.FAIL)
    assert row.change == 40
    assert row.drop is not None
    assert row.drop.clauses
    with pytest.raises(InvalidParameterError, match=r"in \[0, 1\], got 50.0; .* at_most="):
        gate(tmp_path, values={"ms": old}, at_least={"ms": 0.5})
    with pytest.raises(InvalidParameterError, match=r"in \[0, inf\], got -1"):
        gate(tmp_path, values={"ms": dict.fromkeys(TRUTH, -1)}, at_most={"ms": 100})


def test_shares_are_of_the_old_value(tmp_path: Path) -> None:
    """MRR .75 with half the queries at rank 2; three more lose .5 each: .075 of .75 is 10%."""
    old = {query: ["a"] if n % 2 else ["x", "a"] for n, query in enumerate(TRUTH)}
    new = {query: ["x", "a"] if n in (1, 3, 5) else old[query] for n, query in enumerate(TRUTH)}
    gate(tmp_path, update=True, run=old, max_drop={"mrr": "2%"})
    for allowed, state in (("10%", State.PASS), ("9.9%", State.FAIL)):
        found = gate(tmp_path, run=new, max_drop={"mrr": allowed})
        assert found.state is state, sentences(found)
        assert found.measures["mrr"].allowed == pytest.approx(float(allowed[:-1]) / 100 * 0.75)
    assert assert_not_worse(TRUTH, new, old, "mrr", max_drop="10%").passed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_drop": {"mrr": "100%"}}, "max_drop of mrr must be in [0%, 100%), got 100%"),
        ({"max_drop": {"mrr": "two%"}}, "max_drop of mrr must be a number, got str: 'two%'"),
        ({"max_drop": {"mrr": 0.1}, "values": 3}, "values must be {name or measure: "),
        (
            {"at_most": {"ms": 1}, "totals": {"ms": "1"}},
            "totals of ms must be one number for the whole run",
        ),
        ({"at_most": {"mrr": 1}, "totals": {"mrr": 1}}, "name 'mrr' already means mrr"),
    ],
)
def test_wrong_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        read_arguments(arguments, Settings())
    assert message in str(caught.value)
