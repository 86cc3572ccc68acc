"""Gates with unjudged items: a simulation of the three policies.

``python -m tests.benchmarks.unjudged [--gates 100] [--seed 0]`` prints a Markdown table. Each gate
has 100 queries with the top 10 of the old system judged; a new system is better, as good or worse.
The same gate with every item judged says what is right, and each policy is held against it.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytest_rankmetrics import RankGateFailure, RankGateWarning, assert_not_worse
from pytest_rankmetrics.assessment.result import GateResult
from sklearn_rank import evaluate

QUERIES = 100
ITEMS = 60
"""Candidates of a query."""
GRADES = np.array([0, 1, 2, 3])
SHARES = np.array([0.80, 0.10, 0.06, 0.04])
"""How many of them have which grade."""
JUDGED = 10
"""Ranks of the old system that somebody judged."""
MEASURE = "ndcg@10"
MAX_DROP = 0.005
POLICIES = ("irrelevant", "condense", "bounds")
OLD_NOISE = 1.6

Judgements = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, list[str]]


@dataclass(frozen=True)
class System:
    """A new system: scores are grades plus noise of its own."""

    name: str
    noise: float
    depth: int = ITEMS
    """So many of the old system's first items it ranks anew; the others it does not return."""


SYSTEMS = (
    System("another retriever, better", 1.15),
    System("another retriever, as good", OLD_NOISE),
    System("another retriever, worse", 2.2),
    System("a reranker of 11, better", 1.0, JUDGED + 1),
    System("a reranker of 11, as good", 3.5, JUDGED + 1),
    System("a reranker of 11, worse", 30.0, JUDGED + 1),
)


@dataclass(frozen=True)
class Problem:
    """Two systems, what is judged, and what would be if everything were."""

    complete: Judgements
    partial: Judgements
    old: Rankings
    new: Rankings


def problem(system: System, rng: np.random.Generator) -> Problem:
    """One gate's data."""
    grades = rng.choice(GRADES, (QUERIES, ITEMS), p=SHARES)
    noise = rng.normal(size=(QUERIES, ITEMS)) * OLD_NOISE
    own = rng.normal(size=(QUERIES, ITEMS)) * system.noise
    old = _ranked(grades + noise)
    reach = np.argsort(np.argsort(-grades - noise, axis=1), axis=1) < system.depth
    new = _ranked(np.where(reach, grades + own, -np.inf), system.depth)
    complete = {
        query: {f"d{item}": int(grade) for item, grade in enumerate(row)}
        for query, row in zip(old, grades, strict=True)
    }
    partial = {
        query: {item: complete[query][item] for item in ranking[:JUDGED]}
        for query, ranking in old.items()
    }
    return Problem(complete, partial, old, new)


def _ranked(scores: NDArray, depth: int = ITEMS) -> Rankings:
    order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    return {f"q{query}": [f"d{item}" for item in row] for query, row in enumerate(order)}


def gate(truth: Judgements, case: Problem, holes: str) -> GateResult:
    """What a gate says, whether it passes or not; queries without a relevant item count 0."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankGateWarning)
            return assert_not_worse(
                truth,
                case.new,
                case.old,
                MEASURE,
                max_drop=MAX_DROP,
                zero_division=0.0,
                assume="partial",
                unjudged=holes,
                allow={"cannot_tell"},
            )
    except RankGateFailure as failure:
        result = failure.result
        if not isinstance(result, GateResult):
            raise
        return result


def answer(result: GateResult) -> str:
    """Red, green, or cannot tell."""
    if result.verdict == "cannot tell":
        return "cannot tell"
    return "green" if result.passed else "red"


@dataclass
class Tally:
    """What one policy said of many gates."""

    answers: Counter[str]
    wrong: Counter[str]
    readings: list[float]


def simulate(system: System, n_gates: int, seed: int) -> tuple[dict[str, Tally], dict[str, float]]:
    """The answers of each policy, and what the data are like."""
    rng = np.random.default_rng(seed)
    tallies = {policy: Tally(Counter(), Counter(), []) for policy in POLICIES}
    changes, unjudged = [], []
    for _ in range(n_gates):
        case = problem(system, rng)
        right = gate(case.complete, case, "irrelevant")
        changes.append(right.metrics[MEASURE].change or 0.0)
        options: dict[str, Any] = {"zero_division": 0.0, "assume": "partial"}
        ev = evaluate(case.partial, case.new, f"judged@{JUDGED}", **options)
        unjudged.append(1 - ev[f"judged@{JUDGED}"])
        for policy, tally in tallies.items():
            result = gate(case.partial, case, policy)
            said = answer(result)
            tally.answers[said] += 1
            tally.readings.append(result.metrics[MEASURE].change or 0.0)
            if said not in ("cannot tell", answer(right)):
                tally.wrong[said] += 1
    return tallies, {"change": float(np.mean(changes)), "unjudged": float(np.mean(unjudged))}


def table(n_gates: int, seed: int) -> str:
    """Shares of the answers of each policy, in percent."""
    lines = [
        "| new system | true change | top 10 unjudged | policy | reads | red | green | cannot tell "
        "| wrong red | wrong green |",
        "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    for number, system in enumerate(SYSTEMS):
        tallies, data = simulate(system, n_gates, seed + number)
        for policy, tally in tallies.items():
            said, wrong = tally.answers, tally.wrong
            shares = [said["red"], said["green"], said["cannot tell"], wrong["red"], wrong["green"]]
            cells = [
                system.name,
                f"{data['change']:+.3f}",
                f"{data['unjudged']:.0%}",
                f"`{policy}`",
                f"{np.mean(tally.readings):+.3f}",
                *(f"{share / n_gates:.0%}" for share in shares),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gates", type=int, default=100, help="simulated gates of each system")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    print(table(options.gates, options.seed))


if __name__ == "__main__":
    main()
