"""Every metric once more: slow, literal, and for one strictly ordered ranking.

Each function takes the grades of a ranking from rank 1 on (0: irrelevant), the grades of the
relevant items that the ranking lacks, and the cutoff. It counts ranks in loops, uses no formula
that was solved beforehand, and shares nothing with the package. Values are exact fractions wherever
the definition is rational, floats where a logarithm enters, and None where it is undefined.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

Value = Fraction | float | None


class Ranking(NamedTuple):
    """One query's strictly ordered ranking."""

    grades: tuple[float, ...]
    """In rank order; 0 for an irrelevant item."""
    missed: tuple[float, ...] = ()
    """Grades above 0 of the relevant items that were not retrieved."""


# What a rank holds ------------------------------------------------------------------------------


def _relevance(ranking: Ranking, min_rel: float | None) -> tuple[list[bool], int]:
    """Whether each rank holds a relevant item, and how many relevant items were missed."""

    def relevant(grade: float) -> bool:
        return grade > 0 if min_rel is None else grade >= min_rel

    return [relevant(grade) for grade in ranking.grades], sum(map(relevant, ranking.missed))


def _last_rank(ranking: Ranking, k: int | None) -> int:
    """The last rank that is read."""
    return len(ranking.grades) if k is None else min(k, len(ranking.grades))


def _divided(numerator: Any, denominator: Any) -> Fraction:
    """A quotient in which nothing found among nothing is 0."""
    return Fraction(numerator) / Fraction(denominator) if denominator else Fraction(0)


def _ranks_of_hits(relevant: Sequence[bool], last: int) -> list[int]:
    return [rank for rank in range(1, last + 1) if relevant[rank - 1]]


def _hits(relevant: Sequence[bool], rank: int) -> int:
    return sum(relevant[:rank])


# Binary -----------------------------------------------------------------------------------------


def average_precision(
    ranking: Ranking, k: int | None, denominator: str = "min", min_rel: float | None = None
) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    n_relevant = sum(relevant) + missed
    if not n_relevant:
        return None
    found = _ranks_of_hits(relevant, _last_rank(ranking, k))
    total = sum((Fraction(_hits(relevant, rank), rank) for rank in found), Fraction(0))
    divisors = {
        "relevant": n_relevant,
        "min": n_relevant if k is None else min(n_relevant, k),
        "retrieved": len(found),
        "k": k,
    }
    return _divided(total, divisors[denominator])


def average_recall(
    ranking: Ranking, k: int | None, normalize: bool = False, min_rel: float | None = None
) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    n_relevant = sum(relevant) + missed
    if not n_relevant:
        return None
    found = _ranks_of_hits(relevant, _last_rank(ranking, k))
    total = sum((Fraction(_hits(relevant, rank), n_relevant) for rank in found), Fraction(0))
    most = n_relevant if k is None else min(n_relevant, k)
    value = total / most
    if normalize:
        perfect = Ranking((1,) * n_relevant)
        best = average_recall(perfect, k)
        assert isinstance(best, Fraction)
        return value / best
    return value


def reciprocal_rank(ranking: Ranking, k: int | None, min_rel: float | None = None) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    if not sum(relevant) + missed:
        return None
    found = _ranks_of_hits(relevant, _last_rank(ranking, k))
    return Fraction(1, found[0]) if found else Fraction(0)


def precision(
    ranking: Ranking, k: int | None, denominator: str = "k", min_rel: float | None = None
) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    if not sum(relevant) + missed:
        return None
    last = _last_rank(ranking, k)
    return _divided(_hits(relevant, last), last if k is None or denominator == "retrieved" else k)


def recall(
    ranking: Ranking, k: int | None, denominator: str = "relevant", min_rel: float | None = None
) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    n_relevant = sum(relevant) + missed
    if not n_relevant:
        return None
    most = min(n_relevant, k) if denominator == "min" and k is not None else n_relevant
    return Fraction(_hits(relevant, _last_rank(ranking, k)), most)


def f_measure(
    ranking: Ranking, k: int | None, beta: float = 1.0, min_rel: float | None = None
) -> Value:
    p, r = precision(ranking, k, min_rel=min_rel), recall(ranking, k, min_rel=min_rel)
    return harmonic_mean(p, r, beta)


def hit_rate(ranking: Ranking, k: int | None, min_rel: float | None = None) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    if not sum(relevant) + missed:
        return None
    return Fraction(any(relevant[: _last_rank(ranking, k)]))


def harmonic_mean(first: Value, second: Value, beta: float = 1.0) -> Value:
    """(1 + b^2) x y / (b^2 x + y) of two values of one query."""
    if first is None or second is None:
        return None
    x, y, weight = Fraction(first), Fraction(second), Fraction(beta) ** 2
    return _divided((1 + weight) * x * y, weight * x + y)


# Graded -----------------------------------------------------------------------------------------


def _gain(grade: float, gain: Any) -> float:
    if grade <= 0:
        return 0.0
    if gain == "exp2":
        return 2.0**grade - 1.0
    if gain == "linear":
        return float(grade)
    if gain == "binary":
        return 1.0
    return float(gain[grade] if isinstance(gain, Mapping) else gain(grade))


def _discount(rank: int, discount: Any) -> float:
    return math.log2(rank + 1) if discount == "log2" else float(discount(rank))


def _is_judged(ranking: Ranking) -> bool:
    return any(grade > 0 for grade in (*ranking.grades, *ranking.missed))


def _discounted(gains: Sequence[float], last: int, discount: Any) -> float:
    return math.fsum(
        gain / _discount(rank, discount) for rank, gain in enumerate(gains[:last], start=1)
    )


def dcg(ranking: Ranking, k: int | None, gain: Any = "exp2", discount: Any = "log2") -> Value:
    if not _is_judged(ranking):
        return None
    gains = [_gain(grade, gain) for grade in ranking.grades]
    return _discounted(gains, _last_rank(ranking, k), discount)


def ideal_dcg(ranking: Ranking, k: int | None, gain: Any = "exp2", discount: Any = "log2") -> Value:
    if not _is_judged(ranking):
        return None
    gains = sorted((_gain(g, gain) for g in (*ranking.grades, *ranking.missed)), reverse=True)
    return _discounted(gains, len(gains) if k is None else k, discount)


def ndcg(ranking: Ranking, k: int | None, gain: Any = "exp2", discount: Any = "log2") -> Value:
    found, best = dcg(ranking, k, gain, discount), ideal_dcg(ranking, k, gain, discount)
    return found / best if best else None


def _satisfied(grade: float, top: float) -> Fraction:
    """(2^grade - 1) / 2^top; exact for whole grades."""
    if grade <= 0:
        return Fraction(0)
    if float(grade).is_integer() and float(top).is_integer():
        return Fraction(2 ** int(grade) - 1, 2 ** int(top))
    return Fraction((2.0**grade - 1.0) / 2.0**top)


def _expected_stop(grades: Sequence[float], last: int, top: float) -> Fraction:
    value, reading = Fraction(0), Fraction(1)
    for rank, grade in enumerate(grades[:last], start=1):
        stops = _satisfied(grade, top)
        value += reading * stops / rank
        reading *= 1 - stops
    return value


def _top(ranking: Ranking, max_grade: Any) -> float:
    return max((*ranking.grades, *ranking.missed)) if max_grade == "query" else max_grade


def err(ranking: Ranking, k: int | None, max_grade: Any = "query") -> Value:
    if not _is_judged(ranking):
        return None
    return _expected_stop(ranking.grades, _last_rank(ranking, k), _top(ranking, max_grade))


def nerr(ranking: Ranking, k: int | None, max_grade: Any = "query") -> Value:
    if not _is_judged(ranking):
        return None
    best = tuple(sorted((*ranking.grades, *ranking.missed), reverse=True))
    ideal = _expected_stop(best, len(best) if k is None else k, _top(ranking, max_grade))
    found = err(ranking, k, max_grade)
    assert isinstance(found, Fraction)
    return found / ideal


# Pairs ------------------------------------------------------------------------------------------


def lag(
    ranking: Ranking, k: int | None = None, unretrieved: str = "last", min_rel: float | None = None
) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    if not relevant:
        return None
    lags = [relevant[:place].count(False) for place, hit in enumerate(relevant) if hit]
    if unretrieved == "last":
        lags += [relevant.count(False)] * missed
    return Fraction(sum(lags), len(lags)) if lags else None


def _irrelevant_below(
    relevant: Sequence[bool], missed: int, unretrieved: str, n_irrelevant: int
) -> list[int]:
    """For each relevant item the irrelevant ones below it, in rank order, missed items last."""
    below = [
        n_irrelevant - relevant[:place].count(False) for place, hit in enumerate(relevant) if hit
    ]
    return below + [0] * missed if unretrieved == "last" else below


def auc(
    ranking: Ranking,
    k: int | None = None,
    unretrieved: str = "last",
    n_negatives: int | None = None,
    smoothing: float = 0,
    min_rel: float | None = None,
) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    n_irrelevant = relevant.count(False) if n_negatives is None else n_negatives
    below = _irrelevant_below(relevant, missed, unretrieved, n_irrelevant)
    extra = Fraction(smoothing)
    if not below or not n_irrelevant + extra:
        return None
    shares = [(item + extra) / (n_irrelevant + extra) for item in below]
    return sum(shares, Fraction(0)) / len(shares)


def limited_auc(
    ranking: Ranking,
    k: int | None,
    tail: str = "none",
    unretrieved: str = "last",
    n_negatives: int | None = None,
    smoothing: float = 0,
    min_rel: float | None = None,
) -> Value:
    relevant, missed = _relevance(ranking, min_rel)
    n_irrelevant = relevant.count(False) if n_negatives is None else n_negatives
    below = _irrelevant_below(relevant, missed, unretrieved, n_irrelevant)
    extra, n_relevant = Fraction(smoothing), len(below)
    if not n_relevant or not n_irrelevant + extra:
        return None
    last = _last_rank(ranking, k)
    found = _hits(relevant, last)
    shares = [(item + extra) / (n_irrelevant + extra) for item in below[:found]]
    if tail == "none":
        most = n_relevant if k is None else min(n_relevant, k)
        return sum(shares, Fraction(0)) / most
    # On the straight line to (1, 1) a relevant item has half of the unread irrelevant ones below.
    unread = Fraction(n_irrelevant - relevant[:last].count(False))
    on_line = (unread / 2 + extra) / (n_irrelevant + extra)
    return (sum(shares, Fraction(0)) + (n_relevant - found) * on_line) / n_relevant


EXACT: Mapping[str, Callable[..., Value]] = {
    "map": average_precision,
    "mar": average_recall,
    "mrr": reciprocal_rank,
    "precision": precision,
    "recall": recall,
    "fbeta": f_measure,
    "hit_rate": hit_rate,
    "dcg": dcg,
    "idcg": ideal_dcg,
    "ndcg": ndcg,
    "err": err,
    "nerr": nerr,
    "lag": lag,
    "auc": auc,
    "gauc": auc,
    "lauc": limited_auc,
}
"""The literal definition of each metric but ``hmean``, which is made of two of them."""


# Orders of tied items ---------------------------------------------------------------------------


def orders(groups: Sequence[Sequence[float]], missed: Sequence[float] = ()) -> Iterator[Ranking]:
    """Each distinct ranking that the orders of tied items make, once.

    All come from equally many permutations, so that their plain mean is the expectation.
    """
    arrangements = [sorted(set(itertools.permutations(group))) for group in groups]
    for chosen in itertools.product(*arrangements):
        yield Ranking(tuple(itertools.chain.from_iterable(chosen)), tuple(missed))


def number(value: Value) -> float:
    """A float; NaN where undefined."""
    return math.nan if value is None else float(value)
