"""Tied items: closed forms against every order of them, and the other ways of breaking ties."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from sklearn_rank import Evaluation, Measure, evaluate, measure
from sklearn_rank.measures import METRICS, Metric
from tests.oracles.exact import EXACT, Ranking, harmonic_mean, ndcg, number, orders
from tests.strategies import TiedQuery, all_binary, sampled, tied_mapping

CUTOFFS = (1, 2, 3, 5, 7, None)
LEVELS = (0.25, 1.0, 2.0, 2.5, 4.0)
TOLERANCE = {"rtol": 1e-12, "atol": 1e-12, "equal_nan": True}


# Falls from 1 to 2 and from 2.5 to 4: the ideal order is that of the gains, not of the grades.
GAIN_TABLE = {0.25: 3.0, 1.0: 1.0, 2.0: 0.5, 2.5: 7.0, 4.0: 2.0}


@dataclass(frozen=True)
class Family:
    """A metric with own parameters, at every cutoff."""

    metric: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = (f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.metric}({', '.join(shown)})".replace("()", "")

    @property
    def cutoffs(self) -> tuple[int | None, ...]:
        if not measure(self.metric).metric.takes_k:
            return (None,)
        return CUTOFFS[:-1] if self.parameters.get("denominator") == "k" else CUTOFFS

    def at(self, k: int | None) -> Measure:
        return measure(self.metric, k, **self.parameters)

    def exact(self, ranking: Ranking, k: int | None) -> float:
        return number(EXACT[self.metric](ranking, k, **self.parameters))


def variants(metric: str, name: str, values: tuple[Any, ...], **others: Any) -> list[Family]:
    return [Family(metric, {name: value, **others}) for value in values]


PAIRWISE = [
    {"unretrieved": "last"},
    {"unretrieved": "ignore"},
    {"n_negatives": 9},
    {"n_negatives": 9, "unretrieved": "ignore", "smoothing": 1},
    {"smoothing": 1},
    {"smoothing": 0.5, "unretrieved": "ignore"},
]
GAINS = ("exp2", "linear", "binary", GAIN_TABLE, "exp2_next")

BINARY = [
    *variants("map", "denominator", ("min", "relevant", "retrieved", "k")),
    *variants("mar", "normalize", (False, True)),
    Family("mrr"),
    *variants("precision", "denominator", ("k", "retrieved")),
    *variants("recall", "denominator", ("relevant", "min")),
    *variants("fbeta", "beta", (0.5, 1, 2, 0)),
    Family("hit_rate"),
    *variants("lag", "unretrieved", ("last", "ignore")),
    *(Family(metric, own) for metric in ("auc", "gauc") for own in PAIRWISE),
    *(Family("lauc", {"tail": tail, **own}) for tail in ("none", "linear") for own in PAIRWISE),
]
GRADED = [
    *(Family(metric, {"gain": gain}) for metric in ("dcg", "idcg", "ndcg") for gain in GAINS),
    *variants("ndcg", "discount", ("log2_rank", "rank"), gain="linear"),
    *variants("err", "max_grade", ("query", 4)),
    *variants("nerr", "max_grade", ("query", 4)),
]
MIN_REL = [
    *variants("map", "denominator", ("min", "retrieved"), min_rel=2),
    *(Family(metric, {"min_rel": 2.5}) for metric in ("mar", "mrr", "precision", "recall")),
    *(Family(metric, {"min_rel": 2.5}) for metric in ("fbeta", "hit_rate", "lag")),
    *(Family(metric, {"min_rel": 2.5}) for metric in ("auc", "gauc", "lauc")),
]


# Problems, their orders, and what the oracle makes of them --------------------------------------


@dataclass(frozen=True, repr=False)  # A failing test would spend minutes on its repr.
class Orders:
    """Tied queries with all strict rankings that each may become."""

    queries: list[TiedQuery]
    rankings: list[Ranking]
    """Distinct strict rankings of all queries."""
    flat: np.ndarray
    """Numbers of the rankings, query after query."""
    starts: np.ndarray

    @classmethod
    def of(cls, queries: list[TiedQuery]) -> "Orders":
        known: dict[Ranking, int] = {}
        flat: list[int] = []
        starts: list[int] = []
        for query in queries:
            starts.append(len(flat))
            each = orders(query.groups, query.missed)
            flat += [known.setdefault(one, len(known)) for one in each]
        return cls(queries, list(known), np.array(flat), np.array(starts))

    def values(self, exact: Callable[[Ranking], float]) -> np.ndarray:
        """Oracle's value of each order of each query."""
        return np.array([exact(ranking) for ranking in self.rankings])[self.flat]

    def mean(self, exact: Callable[[Ranking], float]) -> np.ndarray:
        counts = np.diff(np.append(self.starts, len(self.flat)))
        return np.add.reduceat(self.values(exact), self.starts) / counts

    def evaluate(self, measures: list[Measure], ties: str = "average") -> Evaluation:
        y_true, y_score = tied_mapping(self.queries)
        return evaluate(y_true, y_score, measures, ties=ties, zero_division=math.nan)


@cache
def problems(kind: str) -> "Orders":
    if kind == "binary":
        # Every tie pattern with every relevance up to five items; all patterns of six.
        small = [query for n in range(1, 6) for query in all_binary(n)]
        return Orders.of([*small, *sampled(0, 6, 5, (1.0,))])
    return Orders.of([query for n in range(1, 7) for query in sampled(n, n, 2, LEVELS)])


@cache
def evaluation(kind: str) -> Evaluation:
    measures = [family.at(k) for family in KINDS[kind] for k in family.cutoffs]
    return problems(kind).evaluate(list(dict.fromkeys(measures)))


# Tests ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
@pytest.mark.parametrize("k", [None, 2])
def test_average_is_the_mean_of_the_metric_over_all_orders(metric: Metric, k: int | None) -> None:
    """Of metrics without a definition in exact fractions, too: untied, each is its own oracle."""
    if metric.combines or not metric.takes_ties or (k is not None and not metric.takes_k):
        return  # what takes no ties has no closed form of their expectation
    chosen, settled = measure(metric.name, k=k), {"zero_division": math.nan}
    # From the top, tied within; the first hit is tied, for metrics that read it alone.
    groups = ((0.0,), (0.0, 2.0, 1.0, 0.0), (0.0, 1.0))
    orders = [
        [*groups[0], *middle, *last]
        for middle in permutations(groups[1])
        for last in permutations(groups[2])
    ]
    untied = evaluate(
        np.array(orders), -np.arange(7.0) + np.zeros((len(orders), 1)), chosen, **settled
    )
    scores = [[-float(place) for place, group in enumerate(groups) for _ in group]]
    tied = evaluate(np.array([sum(groups, ())]), np.array(scores), chosen, **settled)
    mean = np.mean(untied.per_query[chosen])
    assert tied[chosen] == pytest.approx(mean, rel=1e-12, nan_ok=True)


KINDS = {"binary": BINARY + GRADED, "graded": GRADED + MIN_REL}


@pytest.mark.parametrize(
    ("kind", "family"),
    [(kind, own) for kind, families in KINDS.items() for own in families],
    ids=str,
)
def test_average_is_the_mean_over_all_orders(kind: str, family: Family) -> None:
    for k in family.cutoffs:
        expected = problems(kind).mean(lambda one, k=k: family.exact(one, k))
        found = evaluation(kind).per_query[family.at(k)]
        np.testing.assert_allclose(found, expected, err_msg=f"k={k}", **TOLERANCE)


@pytest.mark.parametrize("members", [("ndcg", "map"), ("mrr", "recall"), ("gauc", "nerr")])
def test_hmean_is_the_harmonic_mean_of_the_expected_members(members: tuple[str, str]) -> None:
    """Which is not the expected harmonic mean."""
    tied, betas = problems("graded"), (0.5, 1, 2)
    for k in (1, 3, None):
        expected = [
            tied.mean(lambda one, own=Family(name), k=k: own.exact(one, k)) for name in members
        ]
        combined = [measure(f"hmean({','.join(members)},beta={beta})", k) for beta in betas]
        found = tied.evaluate(combined).per_query
        for chosen, beta in zip(combined, betas, strict=True):
            wanted = [
                math.nan if math.isnan(x) or math.isnan(y) else number(harmonic_mean(x, y, beta))
                for x, y in zip(*expected, strict=True)
            ]
            np.testing.assert_allclose(found[chosen], wanted, **TOLERANCE)


BEST_FIRST = [
    *(("binary", Family(metric)) for metric in ("map", "mrr", "ndcg")),
    ("binary", Family("map", {"denominator": "relevant"})),
    *((kind, Family("ndcg", {"gain": "linear"})) for kind in ("binary", "graded")),
]


@pytest.mark.parametrize(("kind", "family"), BEST_FIRST, ids=str)
@pytest.mark.parametrize(
    ("ties", "extreme"), [("optimistic", np.maximum), ("pessimistic", np.minimum)]
)
def test_optimistic_is_the_best_and_pessimistic_the_worst_order(
    kind: str, family: Family, ties: str, extreme: np.ufunc
) -> None:
    tied = problems(kind)
    found = tied.evaluate([family.at(k) for k in CUTOFFS], ties).per_query
    for k in CUTOFFS:
        values = tied.values(lambda one, k=k: family.exact(one, k))
        expected = extreme.reduceat(values, tied.starts)
        np.testing.assert_allclose(found[family.at(k)], expected, **TOLERANCE)


def exact_in_order(family: Family, queries: list[TiedQuery], k: int | None) -> list[float]:
    """Oracle's values where tied items stand in the order given."""
    rankings = [query.in_order for query in queries]
    values = {ranking: family.exact(ranking, k) for ranking in dict.fromkeys(rankings)}
    return [values[ranking] for ranking in rankings]


@pytest.mark.parametrize(("kind", "family"), BEST_FIRST, ids=str)
def test_stable_keeps_the_order_of_input(kind: str, family: Family) -> None:
    tied = problems(kind)
    found = tied.evaluate([family.at(k) for k in CUTOFFS], "stable").per_query
    for k in CUTOFFS:
        expected = exact_in_order(family, tied.queries, k)
        np.testing.assert_allclose(found[family.at(k)], expected, **TOLERANCE)


# Far beyond what can be enumerated --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Nothing relevant among 10: C(990, 3) / C(1000, 3) of the choices of three places.
        ("hit_rate@10", 1 - math.comb(990, 3) / math.comb(1000, 3)),
        # The first of three relevant stands at rank t in C(1000 - t, 2) of the choices.
        (
            "mrr",
            math.fsum(math.comb(1000 - t, 2) / t for t in range(1, 999)) / math.comb(1000, 3),
        ),
        # P@t where t is relevant: 1 + (t - 1) 2/999 relevant items up to there.
        (
            "map",
            math.fsum((1 + (t - 1) * 2 / 999) / t for t in range(1, 1001)) / 1000,
        ),
        (
            "ndcg@10",
            3 / 1000 * math.fsum(1 / math.log2(t + 1) for t in range(1, 11))
            / math.fsum(1 / math.log2(t + 1) for t in range(1, 4)),
        ),
    ],
)  # fmt: skip
def test_a_constant_scorer_over_a_thousand_items(name: str, expected: float) -> None:
    grades = np.zeros((1, 1000))
    grades[0, :3] = 1
    assert evaluate(grades, np.ones((1, 1000)), name)[name] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float32, np.float64])
def test_stable_keeps_the_order_of_long_ties(dtype: type) -> None:
    """Sorting algorithms that are not stable still are so for a handful of items."""
    rng = np.random.default_rng(1)
    grades, scores = rng.integers(0, 3, (5, 700)), rng.integers(0, 4, (5, 700)).astype(dtype)
    expected = []
    for row, values in zip(grades.tolist(), scores.tolist(), strict=True):
        order = sorted(range(700), key=values.__getitem__, reverse=True)
        expected.append(number(ndcg(Ranking(tuple(row[place] for place in order)), None)))
    found = evaluate(grades, scores, "ndcg", ties="stable")
    np.testing.assert_allclose(found.per_query["ndcg"], expected, rtol=1e-12)


def test_all_hit_of_many_divided_ties_by_arithmetic() -> None:
    sizes, relevant, cut = [7, 1, 9, 12, 30], [2, 1, 5, 1, 6], 6
    grades = np.concatenate([np.arange(m) < r for m, r in zip(sizes, relevant, strict=True)])
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = evaluate(grades, np.zeros(len(grades)), f"all_hit@{cut}", groups=groups)
    expected = [
        1.0 if m <= cut else math.comb(m - r, cut - r) / math.comb(m, cut) if r <= cut else 0.0
        for m, r in zip(sizes, relevant, strict=True)
    ]
    assert values.per_query[f"all_hit@{cut}"].tolist() == pytest.approx(expected, rel=1e-14)
