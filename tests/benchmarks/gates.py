"""Baselines that climb by luck, and policies for unjudged items: simulations.

``python -m tests.benchmarks.gates [--only TABLE] [--runs N] [--seed 0]`` prints Markdown tables
(rates of the rule are those of ``tests.benchmarks.gate_rates``):

- climbs: red gates at later commits, by which gains raise the baseline.
- unjudged: what the policies for unjudged items say. Each gate has 100 queries with the top 10 of
  the old system judged; the same gate with every item judged says what is right.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from sklearn_rank import evaluate
from sklearn_rank.gates.decide import GAIN_ALPHA
from sklearn_rank.gates.gate import judge_beside
from sklearn_rank.gates.policy import DEFAULT_DROP, Settings, read_policy
from sklearn_rank.typing import FloatArray
from tests.benchmarks.harness import simulate

SETTINGS = Settings(cannot_tell="warn")

# Baselines that climb -----------------------------------------------------------------------------

COMMITS = (1, 20, 40)
QUERIES = 50
DEVIATION = 0.15
RULES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "fixed": lambda p: np.zeros(len(p), dtype=bool),
    "any gain": lambda p: p < 0.5,
    "p < .05": lambda p: p < 0.05,
    f"p < {GAIN_ALPHA:g}".replace("0.", "."): lambda p: p < GAIN_ALPHA,
}


def climbs(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Share of red gates at some commits, by which gains raise the baseline."""
    for name, rises in RULES.items():
        red = climb(rises, runs, np.random.default_rng(seed))
        yield name, *(f"{red[own - 1]:.0%}" for own in COMMITS)


def climb(
    rises: Callable[[FloatArray], FloatArray], runs: int, rng: np.random.Generator
) -> list[float]:
    """Share of red gates at each commit; all systems are equally good.

    The values of the queries are drawn anew at each commit, such that a change has ``DEVIATION``.
    """
    shape, shares = (runs, QUERIES), []
    baseline = rng.normal(0.0, DEVIATION / math.sqrt(2), shape)
    for _ in range(max(COMMITS)):
        now = rng.normal(0.0, DEVIATION / math.sqrt(2), shape)
        drops = baseline - now
        mean, error = drops.mean(axis=1), drops.std(axis=1, ddof=1) / math.sqrt(QUERIES)
        p_gain = stats.t.cdf(mean / error, QUERIES - 1)
        significant = 1 - p_gain <= SETTINGS.alpha
        red = (mean > SETTINGS.hard_drop) | ((mean > DEFAULT_DROP) & significant)
        shares.append(float(red.mean()))
        baseline = np.where(rises(p_gain)[:, None], now, baseline)
    return shares


# Unjudged items -----------------------------------------------------------------------------------

N_QUERIES, ITEMS, JUDGED = 100, 60, 10
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


def problem(noise: float, depth: int, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    """All judgements, those of the old system's top, its rankings, and those of the new one."""
    grades = rng.choice(4, (N_QUERIES, ITEMS), p=SHARES)
    known = grades + rng.normal(size=(N_QUERIES, ITEMS)) * OLD_NOISE
    own = grades + rng.normal(size=(N_QUERIES, ITEMS)) * noise
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
    options: dict[str, Any] = {"unjudged": policy, "zero_division": 0.0}
    own = read_policy({"max_drop": {MEASURE: DEFAULT_DROP}, **options}, SETTINGS)
    result = judge_beside(truth, new, old, own, own)
    said = "green" if result.passed else "red"
    change = result.metrics[MEASURE].change or 0.0
    return "cannot tell" if result.state == "cannot tell" else said, change


def unjudged(n_gates: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Shares of the answers of each policy, in percent."""
    for number, (system, (noise, depth)) in enumerate(SYSTEMS.items()):
        rng = np.random.default_rng(seed + number)
        changes, holes = [], []
        said, reads = Counter[tuple[str, str]](), Counter[str]()
        for _ in range(n_gates):
            complete, partial, old, new = problem(noise, depth, rng)
            right, change = answer(complete, new, old, "irrelevant")
            changes.append(change)
            judged = f"judged@{JUDGED}"
            holes.append(1 - evaluate(partial, new, judged)[judged])
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
            data = (f"{np.mean(changes):+.3f}", f"{np.mean(holes):.0%}", f"`{policy}`")
            yield (system, *data, f"{total / n_gates:+.3f}", *shares)


UNJUDGED = "new system|true change|top 10 unjudged|policy|reads|red|green|cannot tell"
TABLES = {
    "climbs": (climbs, ("the baseline rises", *(f"red at commit {n}" for n in COMMITS)), 2000),
    "unjudged": (unjudged, (*UNJUDGED.split("|"), "wrong red", "wrong green"), 100),
}

if __name__ == "__main__":
    simulate(__doc__, TABLES)
