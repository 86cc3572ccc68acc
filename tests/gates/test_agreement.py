"""A gate, the comparison and its page never disagree about the same data."""

from typing import Any

import numpy as np
import pytest

from sklearn_rank import compare
from sklearn_rank.gates.gate import verdict_on
from sklearn_rank.view.reports import markdown
from sklearn_rank.view.summary import GateRun, Summary
from sklearn_rank.view.systems import compared_section, verdict_of
from sklearn_rank.view.words import would
from tests.gates.conftest import beside
from tests.plugin.cases import names, results, truth

N = 40
SLICES = {query: "head" if n < 15 else "tail" for n, query in enumerate(names(N))}
LIMITS: dict[str, Any] = {"max_drop": {"mrr": 0.02, "recall@3": 0.02}}


def pair(seed: int) -> tuple[Any, Any]:
    """An old and a new system, of which some queries moved, more often down."""
    rng = np.random.default_rng(seed)
    old = rng.integers(1, 6, N)
    moved = rng.random(N) < rng.choice([0.0, 0.05, 0.2, 0.6])
    new = np.where(moved, np.clip(old + rng.integers(-2, 4, N), 1, 10), old)
    return results(old.tolist()), results(new.tolist())


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_gate_page_and_comment_agree(first: int) -> None:
    for seed in range(first, first + 50):
        check(seed)


def check(seed: int) -> None:
    old, new = pair(seed)
    limits = {**LIMITS, "max_slice_drop": 0.05} if seed % 2 else LIMITS
    options = {**limits, "slices": SLICES}
    measures = tuple(LIMITS["max_drop"])
    gate = beside(truth(N), new, old, **options)
    compared = compare(truth(N), {"old": old, "new": new}, measures=measures)
    verdict = verdict_on(compared, **options)
    assert (verdict.state, verdict.passed) == (gate.state, gate.passed)
    for one, other in zip(
        (*verdict.measures.values(), *verdict.slices),
        (*gate.measures.values(), *gate.slices),
        strict=True,
    ):
        assert (one.state, one.change, one.label) == (other.state, other.change, other.label)
    assert ("would be red" in would(verdict)) is not gate.passed
    # The page that is given the verdict, and the comment.
    section = compared_section(compared, compared.by_slice(SLICES), gate=verdict)
    page = verdict_of(compared, section, gate=verdict)
    assert (page.kind == "worse") is not gate.passed
    text = markdown(Summary(gates=(GateRun({**gate.as_dict(), "nodeid": ""}, ""),)))
    assert text.startswith("### Ranking quality: \u274c ") is not gate.passed
    # Without limits p is the same: a loss that compare finds at .05 is a loss at .10.
    for row in compared.rows:
        drop = gate.measures[row.measure].drop
        assert drop is None or drop.p_holm == pytest.approx(row.p_holm)
