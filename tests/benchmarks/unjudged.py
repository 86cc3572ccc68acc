"""Gates with unjudged items: a simulation of the three policies.

``python -m tests.benchmarks.unjudged [--gates 100] [--seed 0]`` prints a Markdown table. Each gate
has 100 queries with the top 10 of the old system judged; a new system is better, as good or worse.
The same gate with every item judged says what is right, and each policy is held against it.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from pytest_rankmetrics import RankGateFailure, RankGateWarning, assert_not_worse
from sklearn_rank import evaluate
from tests.benchmarks.harness import markdown, numbers_of

QUERIES, ITEMS, JUDGED = 100, 60, 10
"""Queries, candidates of each, and ranks of the old system that somebody judged."""
SHARES = (0.80, 0.10, 0.06, 0.04)
"""Shares of the grades 0 to 3."""
MEASURE = "ndcg@10"
OLD_NOISE = 1.6
SYSTEMS = {
    "another retriever, better": (1.15, ITEMS),
    "another retriever, as good": (OLD_NOISE, ITEMS),
    "another retriever, worse": (2.2, ITEMS),
    "a reranker of 11, better": (1.0, JUDGED + 1),
    "a reranker of 11, as good": (3.5, JUDGED + 1),
    "a reranker of 11, worse": (30.0, JUDGED + 1),
}
"""Noise that a new system adds to the grades, and so many of the old one's items it ranks anew."""
OPTIONS: dict[str, Any] = {"zero_division": 0.0, "assume": "partial"}


def problem(noise: float, depth: int, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    """All judgements, those of the old system's top, its rankings, and those of the new one."""
    grades = rng.choice(4, (QUERIES, ITEMS), p=SHARES)
    known = grades + rng.normal(size=(QUERIES, ITEMS)) * OLD_NOISE
    own = grades + rng.normal(size=(QUERIES, ITEMS)) * noise
    reach = np.argsort(np.argsort(-known, axis=1), axis=1) < depth

    def ranked(scores: Any, depth: int) -> dict[str, list[str]]:
        order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
        return {f"q{query}": [f"d{item}" for item in row] for query, row in enumerate(order)}

    old, new = ranked(known, ITEMS), ranked(np.where(reach, own, -np.inf), depth)
    complete = {
        query: {f"d{item}": int(grade) for item, grade in enumerate(row)}
        for query, row in zip(old, grades, strict=True)
    }
    partial = {
        query: {item: complete[query][item] for item in ranking[:JUDGED]}
        for query, ranking in old.items()
    }
    return complete, partial, old, new


def answer(truth: Any, new: Any, old: Any, policy: Any) -> tuple[str, float]:
    """What a gate says, and the change that it reads."""
    options: dict[str, Any] = {"max_drop": 0.005, "allow": {"cannot_tell"}, "unjudged": policy}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankGateWarning)
            result: Any = assert_not_worse(truth, new, old, MEASURE, **options, **OPTIONS)
    except RankGateFailure as failure:
        result = failure.result
    said = "green" if result.passed else "red"
    change = result.metrics[MEASURE].change or 0.0
    return "cannot tell" if result.verdict == "cannot tell" else said, change


def rows(n_gates: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Shares of the answers of each policy, in percent."""
    for number, (system, (noise, depth)) in enumerate(SYSTEMS.items()):
        rng = np.random.default_rng(seed + number)
        changes, unjudged = [], []
        said, reads = Counter[tuple[str, str]](), Counter[str]()
        for _ in range(n_gates):
            complete, partial, old, new = problem(noise, depth, rng)
            right, change = answer(complete, new, old, "irrelevant")
            changes.append(change)
            judged = f"judged@{JUDGED}"
            unjudged.append(1 - evaluate(partial, new, judged, **OPTIONS)[judged])
            for policy in ("irrelevant", "condense", "bounds"):
                found, change = answer(partial, new, old, policy)
                reads[policy] += change  # type: ignore[assignment]
                said[policy, found] += 1
                said[policy, f"wrong {found}"] += found not in ("cannot tell", right)
        for policy, total in reads.items():
            shares = (
                f"{said[policy, what] / n_gates:.0%}"
                for what in ("red", "green", "cannot tell", "wrong red", "wrong green")
            )
            data = (f"{np.mean(changes):+.3f}", f"{np.mean(unjudged):.0%}", f"`{policy}`")
            yield (system, *data, f"{total / n_gates:+.3f}", *shares)


if __name__ == "__main__":
    given = numbers_of(__doc__, gates=100, seed=0)
    titles = ("new system", "true change", "top 10 unjudged", "policy", "reads", "red", "green")
    titles += ("cannot tell", "wrong red", "wrong green")
    print(markdown(titles, rows(given.gates, given.seed)))
