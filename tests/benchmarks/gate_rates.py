"""How often the rule of gates is red for nothing, and what it finds: simulations.

``python -m tests.benchmarks.gate_rates [--only TABLE] [--runs N] [--seed 0]`` prints the Markdown
tables. A query has 30 candidates, one of them relevant, at rank r as often as 1/r. A
change touches each query with the probability "churn", and then draws the rank anew: both systems
are equally good.

- rates: red gates (printed rates) of equal systems, in percent.
- repeats: the same for retrained engines, whose runs move all queries alike.
- climbs: red gates of equal systems at the 40th commit, where the baseline rose with each gain.
- seen: red gates where there is a drop.
"""

from collections.abc import Iterator

import numpy as np

from sklearn_rank.gates.limits import HARD_DROP
from sklearn_rank.gates.rule import GAIN_ALPHA, Drop, Rule, false_alarm, judge_drops
from sklearn_rank.statistics.paired import PairedDifferences as Pairs
from sklearn_rank.typing import IntArray
from tests.benchmarks.harness import simulate

RANKS = np.arange(1, 31)
OF_RANKS = 1 / RANKS / (1 / RANKS).sum()
VALUES = {
    "hit_rate@10": (RANKS <= 10) * 1.0,
    "mrr": 1 / RANKS,
    "ndcg@10": np.where(RANKS <= 10, 1 / np.log2(RANKS + 1), 0.0),
}
"""Values of a query by the place of its relevant item."""
RULE = Rule(max_drop=0.02, hard_drop=HARD_DROP)
OF_SLICES = Rule(max_drop=0.05, alpha=0.05, only_losses=False)
CLUSTERS = (24, *[3] * 10, *[2] * 5)
"""Sizes of 16 clusters of 64 queries; how they change is alike within a cluster."""
SLICES = 5


def changed(
    rng: np.random.Generator, n: int, churn: float, owners: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """Places of the relevant items of two equally good systems."""
    old, new = rng.choice(len(RANKS), (2, n), p=OF_RANKS)
    if owners is not None:
        # Four of five queries of a cluster go the way of the cluster.
        falls = (rng.random(owners.max() + 1) < 0.5)[owners] ^ (rng.random(n) < 0.2)
        low, high = np.minimum(old, new), np.maximum(old, new)
        old, new = np.where(falls, low, high), np.where(falls, high, low)
    return old, np.where(rng.random(n) < churn, new, old)


def paired(old: IntArray, new: IntArray, name: str, owners: IntArray | None = None) -> Pairs:
    """One measure of both systems."""
    values = VALUES[name]
    return Pairs.of(values[new], values[old], clusters=owners)


def is_red(found: dict[str, Drop]) -> bool:
    return any(drop.clauses for drop in found.values())


# False alarms ------------------------------------------------------------------------------------

WAYS = (*VALUES, "README", "all three", "with 5 slices", "16 clusters")
SIZES = (12, 25, 60, 120, 300)
CHURNS = (0.02, 0.05, 0.1, 0.3, 0.5)
PRINTED = 4
"""One gate of so many prints its rate."""


def rates(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Red gates, and the mean of the rates that they print."""
    rng = np.random.default_rng(seed)
    for n in SIZES:
        for churn in CHURNS:
            red, printed = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0.0)
            for run in range(runs):
                for way, families in gates(rng, n, churn).items():
                    found = [judge_drops(*family) for family in families]
                    red[way] += any(map(is_red, found))
                    printed[way] += 0 if run % PRINTED else false_alarm(*families)
            asked = len(range(0, runs, PRINTED))
            cells = (f"{100 * red[w] / runs:.1f} ({100 * printed[w] / asked:.1f})" for w in WAYS)
            yield str(n), f"{churn:g}", *cells


def gates(rng: np.random.Generator, n: int, churn: float) -> dict[str, list]:
    """The families of pairs and rules of the ways to look at one change."""
    old, new = changed(rng, n, churn)
    pairs = {name: paired(old, new, name) for name in VALUES}
    families = {name: [({name: own}, {name: RULE})] for name, own in pairs.items()}
    two = {name: pairs[name] for name in ("mrr", "ndcg@10")}  # MAP is the reciprocal rank here
    families["README"] = [(two, dict.fromkeys(two, RULE))]
    families["all three"] = [(pairs, dict.fromkeys(pairs, RULE))]
    one = families["ndcg@10"]
    slices = {str(i): pairs["ndcg@10"].take(range(i, n, SLICES)) for i in range(SLICES)}
    large = {label: own for label, own in slices.items() if len(own.drops) >= 10}
    families["with 5 slices"] = [*one, (large, dict.fromkeys(large, OF_SLICES))]
    sizes = np.maximum(1, np.round(np.array(CLUSTERS) * n / 64).astype(int))
    owners = np.repeat(np.arange(16), sizes)
    pair = paired(*changed(rng, len(owners), churn, owners), "ndcg@10", owners)
    families["16 clusters"] = [({"ndcg@10": pair}, {"ndcg@10": RULE})]
    return families


# Retrained engines -------------------------------------------------------------------------------

RUNS = (1, 3, 5)
MOVES = (0.0, 0.01, 0.015)
"""Standard deviations of what a run adds to all queries, beside .15 of each query."""


def repeats(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Red gates of one engine against itself, and the mean of the rates that they print."""
    rng = np.random.default_rng(seed)
    for n in (100, 300, 1000):
        for move in MOVES:
            row = []
            for repeated in RUNS:
                red, printed = 0, []
                for run in range(runs):
                    pair = retrained(rng, n, move, repeated)
                    red += is_red(judge_drops({"": pair}, {"": RULE}))
                    if run % PRINTED == 0:
                        printed.append(false_alarm(({"": pair}, {"": RULE})))
                row.append(f"{100 * red / runs:.1f} ({100 * np.mean(printed):.1f})")
            yield str(n), f"{move:g}", *row


def retrained(rng: np.random.Generator, n: int, move: float, repeated: int) -> Pairs:
    """Two systems of so many runs each."""
    shape, usual = (2, repeated, n), rng.uniform(0.2, 0.8, n)
    sides = usual + rng.normal(0, move, (2, repeated, 1)) + rng.normal(0, 0.15, shape)
    more = {}
    if repeated > 1:
        variances = sides.mean(axis=2).var(axis=1, ddof=1)
        more = {"spreads": [*sides.std(axis=1, ddof=1)], "run_variances": [*variances]}
    return Pairs.of(*sides.mean(axis=1), runs=(repeated, repeated), **more)


# Baselines that rise -----------------------------------------------------------------------------

COMMITS = 40


def climbs(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Red gates at the last commit."""
    rng = np.random.default_rng(seed)
    for name in VALUES:
        for churn in CHURNS[1:4]:
            row = []
            for n in SIZES[1:4]:
                red = 0
                for _ in range(runs):
                    recorded = system = rng.choice(len(RANKS), n, p=OF_RANKS)
                    for _ in range(COMMITS):
                        drawn = rng.choice(len(RANKS), n, p=OF_RANKS)
                        system = np.where(rng.random(n) < churn, drawn, system)
                        pair = paired(recorded, system, name)
                        if pair.drop < 0 and pair.is_significant(GAIN_ALPHA):
                            recorded = system
                    red += is_red(judge_drops({"": pair}, {"": RULE}))
                row.append(f"{100 * red / runs:.0f} %")
            yield name, f"{churn:g}", *row


# Drops that are there ----------------------------------------------------------------------------


def worse(rng: np.random.Generator, n: int, churn: float, lost: float) -> tuple[IntArray, IntArray]:
    """Equal systems, one of which loses the relevant items of some queries besides."""
    old, new = changed(rng, n, churn)
    return old, np.where(rng.random(n) < lost, len(RANKS) - 1, new)


def seen(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Red gates where a share of the queries loses its relevant item."""
    rng = np.random.default_rng(seed)
    for lost in (0.02, 0.05, 0.1):
        for churn in (0.0, 0.1, 0.3):
            row = []
            for n in SIZES:
                red = 0
                for _ in range(runs):
                    pair = paired(*worse(rng, n, churn, lost), "ndcg@10")
                    red += is_red(judge_drops({"": pair}, {"": RULE}))
                row.append(f"{red / runs:.0%}")
            drop = lost * float(VALUES["ndcg@10"] @ OF_RANKS)
            yield f"{lost:g}", f"{drop:.3f}", f"{churn:g}", *row


TABLES = {
    "rates": (rates, ("queries", "churn", *WAYS), 800),
    "repeats": (repeats, ("queries", "moves", *(f"{n} runs" for n in RUNS)), 400),
    "climbs": (climbs, ("measure", "churn", *map(str, SIZES[1:4])), 200),
    "seen": (seen, ("lost", "drop", "churn", *map(str, SIZES)), 500),
}

if __name__ == "__main__":
    simulate(__doc__, TABLES)
