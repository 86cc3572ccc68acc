"""A gate, the comparison and its page never disagree about the same data."""

from typing import Any

import numpy as np
import pytest

from sklearn_rank import compare
from sklearn_rank.gates.gate import verdict_on
from sklearn_rank.gates.verdict import RankGateFailure
from sklearn_rank.view.reports import markdown
from sklearn_rank.view.summary import GateRun, Summary
from sklearn_rank.view.systems import compared_section, report_of, verdict_of
from sklearn_rank.view.words import would
from tests.gates.conftest import beside
from tests.gates.drawn import drawn
from tests.plugin.cases import names, results, truth
from tests.strategies import examples

N = 40
SLICES = {query: "head" if n < 15 else "tail" for n, query in enumerate(names(N))}
LIMITS: dict[str, Any] = {"max_drop": {"mrr": 0.02, "recall@3": 0.02, "lag": 0.3}}


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
    assert verdict.headline == gate.headline
    said = would(verdict)
    assert ("would be red" in said) is not gate.passed
    assert ("pass with an unconfirmed drop" in said) is (gate.state == "not confirmed")
    # The page that is given the verdict, and the comment.
    section = compared_section(compared, compared.by_slice(SLICES), gate=verdict)
    page = verdict_of(compared, section, gate=verdict)
    assert (page.kind == "worse") is not gate.passed
    # One first sentence for all.
    assert page.sentence == f"Gate {'passed' if gate.passed else 'failed'}: {gate.headline}"
    text = markdown(Summary(gates=(GateRun({**gate.as_dict(), "nodeid": ""}, ""),)))
    assert text.startswith("### Ranking quality: \u274c ") is not gate.passed
    # Without limits p is the same: a loss that compare finds at .05 is a loss at .10.
    for row in compared.rows:
        drop = gate.measures[row.measure].drop
        assert drop is None or drop.p_holm == pytest.approx(row.p_holm)


@pytest.mark.parametrize("seed", range(examples(50).max_examples))
@pytest.mark.filterwarnings("ignore")
def test_compare_report_and_gate_agree_where_data_is_refused_too(seed: int) -> None:
    problem = drawn(seed)
    drops = {
        name: drop
        for name, drop in problem.limits.get("max_drop", {}).items()
        if name not in ("ms", "coverage", "clicks")
    } or {"mrr": 0.02, "auc(average=pooled)": 0.02}
    names = ("slices", "max_slice_drop", "allow")
    limits = {name: problem.limits[name] for name in names if name in problem.limits}
    if any("pooled" in name for name in drops):
        limits.pop("max_slice_drop", None)
    systems = {"baseline": problem.old, "new": problem.new}
    gate, refused = None, None
    try:
        gate = beside(problem.truth, problem.new, problem.old, max_drop=drops, **limits)
    except (ValueError, RankGateFailure) as error:
        refused = error
    try:
        compared = compare(problem.truth, systems, measures=[*drops])
    except ValueError:
        assert gate is None
        return
    verdict = verdict_on(compared, max_drop=drops, **limits)
    if gate is None:
        assert not verdict.passed, refused
        assert "could not measure: " in verdict.headline
    else:
        assert (verdict.state, verdict.headline) == (gate.state, gate.headline)
    allowed = limits.pop("allow", ())
    page = report_of(compared, max_drop=drops, **limits).verdict
    strict = verdict_on(compared, max_drop=drops, **limits)
    said = "passed" if strict.passed else "failed"
    assert page.sentence == f"Gate {said}: {strict.headline}"
    assert (page.kind == "worse") is not strict.passed
    assert strict.passed <= verdict.passed, allowed
    # What a page without limits says of the usual gate.
    usual = {name: 0.02 for name in drops if compared.measure(name).metric.upper == 1}
    if not usual or (limits.get("slices") and any("pooled" in name for name in usual)):
        return
    given = {"measures": [*drops], "max_drop": usual}
    if "slices" in limits:
        given |= {"slices": limits["slices"], "max_slice_drop": 0.02}
    try:
        passes = beside(problem.truth, problem.new, problem.old, **given).passed
    except (ValueError, RankGateFailure):
        passes = False
    details = report_of(compared, slices=limits.get("slices")).verdict.details
    (told,) = (text for text in details if text.startswith("A gate "))
    assert ("would pass" in told) is passes
