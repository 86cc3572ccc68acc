"""How often gates are red for nothing and how often they see a true drop: simulations.

``python -m tests.benchmarks.gates [--only TABLE] [--runs N] [--seed 0]`` prints Markdown tables:

- errors: red gates by what changes, decided by the predicate and the defaults of the plugin.
- rates: red gates over equally good systems, beside the rate that the gates print.
- climbs: red gates at later commits, by which gains raise the baseline.
- unjudged: what the policies for unjudged items say. Each gate has 100 queries with the top 10 of
  the old system judged; the same gate with every item judged says what is right.
"""

import math
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from pytest_rankmetrics import RankGateFailure, RankGateWarning, assert_not_worse
from pytest_rankmetrics.assessment.assess import assess
from pytest_rankmetrics.measuring.evaluation import beside
from pytest_rankmetrics.measuring.strict import measure_strictly
from pytest_rankmetrics.policy.policy import read_policy
from pytest_rankmetrics.policy.settings import Settings
from pytest_rankmetrics.policy.verdicts import GAIN_ALPHA, Rule, Verdict, assess_change
from sklearn_rank import evaluate
from sklearn_rank.statistics import correct_p_values
from sklearn_rank.typing import FloatArray
from tests.benchmarks.harness import simulate

SETTINGS = Settings()

# Errors of the rule -------------------------------------------------------------------------------

SLICES = 5
NOISES = {
    "every query changes, sd 0.15": (1.0, 0.15),
    "30 % of the queries change, sd 0.10": (0.3, 0.10),
}
"""Share of the queries that change at all, and standard deviation of their change."""
DROPS = ((25, 0.0), (50, 0.0), (250, 0.0), (1000, 0.0), (250, 0.04))
"""Queries, and true drop."""
OVERALL = Rule(0.005, SETTINGS.hard_drop, SETTINGS.min_queries, SETTINGS.alpha, SETTINGS.confirm)
OF_SLICES = Rule(0.02, math.inf, 0, SETTINGS.slice_alpha, SETTINGS.confirm)


def errors(n_gates: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Shares of gates that fail by their overall rule, and with slices on top."""
    rng = np.random.default_rng(seed)
    for noise, (share, deviation) in NOISES.items():
        for n_queries, drop in DROPS:
            shape, size = (n_gates, n_queries), n_queries // SLICES
            changes = rng.normal(-drop / share, deviation, shape)
            changes = np.where(rng.random(shape) < share, changes, 0.0)
            means, p_values = _tested(changes)
            parts = [_tested(changes[:, i * size : (i + 1) * size]) for i in range(SLICES)]
            red = [
                _is_red(-mean, n_queries, p, OVERALL)
                for mean, p in zip(means, p_values, strict=True)
            ]
            either = list(red)
            for gate in range(n_gates if size >= SETTINGS.min_slice_size else 0):
                corrected = correct_p_values([p[gate] for _, p in parts], "holm")
                either[gate] |= any(
                    _is_red(-mean[gate], size, p, OF_SLICES)
                    for (mean, _), p in zip(parts, corrected, strict=True)
                )
            shares = (f"{sum(failed) / n_gates:.1%}" for failed in (red, either))
            yield (noise, str(n_queries), f"{drop:g}", *shares)


def _tested(changes: NDArray) -> tuple[list[float], list[float]]:
    """Means and one-sided p-values of each row, as ``Differences`` computes them."""
    with np.errstate(invalid="ignore", divide="ignore"):
        error = changes.std(axis=1, ddof=1) / math.sqrt(changes.shape[1])
        p_values = stats.t.cdf(changes.mean(axis=1) / error, changes.shape[1] - 1)
    floor = 0.5 ** np.count_nonzero(changes, axis=1)
    return changes.mean(axis=1).tolist(), np.fmax(p_values, floor).tolist()


def _is_red(drop: float, n_queries: int, p_value: float, rule: Rule) -> bool:
    return assess_change(drop, n_queries, p_value, rule).verdict is Verdict.FAIL


# Printed and simulated rates of one gate ----------------------------------------------------------

MEASURES = ("hit_rate@1", "mrr", "ndcg@10")
SIZES = (25, 50, 200)
DOCUMENTS = [f"d{number}" for number in range(10)]
TRUTH = {"hit_rate@1": {"d0"}, "mrr": {"d0"}, "ndcg@10": {"d0", "d1", "d2", "d3"}}


def false_alarms(runs: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Share of red gates beside the rate that the gates print, in percent."""
    rng = np.random.default_rng(seed)
    for measure in MEASURES:
        for n in SIZES:
            red, printed = rates(measure, n, runs, rng)
            yield measure, str(n), f"{red:.1%}", f"{printed:.1%}"


def rates(measure: str, n: int, runs: int, rng: np.random.Generator) -> tuple[float, float]:
    """Share of red gates over equally good systems, and mean of the printed rates."""
    truth = dict.fromkeys(map(str, range(n)), TRUTH[measure])
    # As assert_not_worse does it, which a test that calls this would have to expect to fail.
    policy = read_policy(SETTINGS, {"metrics": measure, "max_drop": 0.005})
    red, printed = 0, []
    for _ in range(runs):
        new, old = (measure_strictly(truth, _system(n, rng), policy.measures, {}) for _ in range(2))
        assessment = assess(policy, new, beside(new, old))
        red += assessment.verdict is Verdict.FAIL
        printed.append(assessment.false_alarm or 0.0)
    return red / runs, float(np.mean(printed))


def _system(n: int, rng: np.random.Generator) -> dict[str, list[str]]:
    """Rankings of which about every other one has ``d0`` first."""
    keys = rng.random((n, len(DOCUMENTS))) / np.linspace(8.0, 1.0, len(DOCUMENTS))
    return {
        str(query): [DOCUMENTS[item] for item in row] for query, row in enumerate(keys.argsort(1))
    }


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
        red = (mean > SETTINGS.hard_drop) | ((mean > 0.005) & significant)
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
OPTIONS: dict[str, Any] = {"zero_division": 0.0, "assume": "partial"}


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
            holes.append(1 - evaluate(partial, new, judged, **OPTIONS)[judged])
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


ERRORS = "change per query|queries|true drop|red|red with five slices"
UNJUDGED = "new system|true change|top 10 unjudged|policy|reads|red|green|cannot tell"
TABLES = {
    "errors": (errors, ERRORS.split("|"), 4000),
    "rates": (false_alarms, ("measure", "queries", "red", "printed"), 2000),
    "climbs": (climbs, ("the baseline rises", *(f"red at commit {n}" for n in COMMITS)), 2000),
    "unjudged": (unjudged, (*UNJUDGED.split("|"), "wrong red", "wrong green"), 100),
}

if __name__ == "__main__":
    simulate(__doc__, TABLES)
