"""Every metric once more: slow, literal, and for one strictly ordered ranking.

Each function takes the grades of a ranking from rank 1 on (0: irrelevant), the grades of the
relevant items that the ranking lacks, and the cutoff. It counts ranks in loops, uses no formula
that was solved beforehand, and shares nothing with the package. Values are exact fractions wherever
the definition is rational, floats where a logarithm enters, and None where it is undefined.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from typing import Any, NamedTuple

Value = Fraction | float | None


class Ranking(NamedTuple):
    """One query's strictly ordered ranking."""

    grades: tuple[float, ...]
    """In rank order; 0 for an irrelevant item."""
    missed: tuple[float, ...] = ()
    """Grades above 0 of the relevant items that were not retrieved."""


# Binary -----------------------------------------------------------------------------------------


def _relevance(ranking: Ranking, min_rel: float | None) -> tuple[list[bool], int]:
    """Whether each rank holds a relevant item, and how many relevant items were missed."""

    def relevant(grade: float) -> bool:
        return grade > 0 if min_rel is None else grade >= min_rel

    return [relevant(grade) for grade in ranking.grades], sum(map(relevant, ranking.missed))


def _divided(numerator: Any, denominator: Any) -> Fraction:
    """A quotient in which nothing found among nothing is 0."""
    return Fraction(numerator) / Fraction(denominator) if denominator else Fraction(0)


def _mean(shares: Sequence[Fraction], count: int | None = None) -> Fraction:
    return sum(shares, Fraction(0)) / (len(shares) if count is None else count)


def of_relevance(function: Callable[..., Value]) -> Callable[..., Value]:
    """Of ranks that are read (relevant or not), the number of relevant items, and k; each query
    has a relevant item."""

    @wraps(function)
    def value(ranking: Ranking, k: int | None, min_rel: float | None = None, **own: Any) -> Value:
        relevant, missed = _relevance(ranking, min_rel)
        n_relevant = sum(relevant) + missed
        return function(relevant[:k], n_relevant, k, **own) if n_relevant else None

    return value


def _ranks_of_hits(read: Sequence[bool]) -> list[int]:
    return [rank for rank, hit in enumerate(read, start=1) if hit]


@of_relevance
def average_precision(
    read: list[bool], n_relevant: int, k: int | None, denominator: str = "min"
) -> Value:
    found = _ranks_of_hits(read)
    total = sum((Fraction(sum(read[:rank]), rank) for rank in found), Fraction(0))
    divisors = {
        "relevant": n_relevant,
        "min": n_relevant if k is None else min(n_relevant, k),
        "retrieved": len(found),
        "k": k,
    }
    return _divided(total, divisors[denominator])


@of_relevance
def average_recall(
    read: list[bool], n_relevant: int, k: int | None, normalize: bool = False
) -> Value:
    found = _ranks_of_hits(read)
    most = n_relevant if k is None else min(n_relevant, k)
    of_perfect = Fraction(most + 1, 2 * n_relevant) if normalize else 1
    return _mean([Fraction(sum(read[:rank]), n_relevant) for rank in found], most) / of_perfect


@of_relevance
def reciprocal_rank(read: list[bool], n_relevant: int, k: int | None) -> Value:
    return Fraction(1, read.index(True) + 1) if any(read) else Fraction(0)


@of_relevance
def precision(read: list[bool], n_relevant: int, k: int | None, denominator: str = "k") -> Value:
    return _divided(sum(read), len(read) if k is None or denominator == "retrieved" else k)


@of_relevance
def recall(
    read: list[bool], n_relevant: int, k: int | None, denominator: str = "relevant"
) -> Value:
    most = min(n_relevant, k) if denominator == "min" and k is not None else n_relevant
    return Fraction(sum(read), most)


def f_measure(ranking: Ranking, k: int | None, beta: float = 1.0, **own: Any) -> Value:
    return harmonic_mean(precision(ranking, k, **own), recall(ranking, k, **own), beta)


@of_relevance
def hit_rate(read: list[bool], n_relevant: int, k: int | None) -> Value:
    return Fraction(any(read))


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
    if not isinstance(gain, str):
        return float(gain[grade])
    next_power = 2.0 ** (grade + 1) - 1.0
    named = {"exp2": 2.0**grade - 1.0, "linear": float(grade), "exp2_next": next_power}
    return named.get(gain, 1.0)


def _discounted(gains: Sequence[float], k: int | None, discount: Any) -> float:
    def of_rank(rank: int) -> float:
        if discount == "rank":
            return float(rank)
        return math.log2(rank + 1 if discount == "log2" else max(rank, 2))

    return math.fsum(gain / of_rank(rank) for rank, gain in enumerate(gains[:k], start=1))


def _best_first(ranking: Ranking) -> tuple[float, ...]:
    """Grades in the ideal order; none without a relevant item."""
    grades = sorted((*ranking.grades, *ranking.missed), reverse=True)
    return tuple(grades) if grades and grades[0] > 0 else ()


def dcg(ranking: Ranking, k: int | None, gain: Any = "exp2", discount: Any = "log2") -> Value:
    if not _best_first(ranking):
        return None
    return _discounted([_gain(grade, gain) for grade in ranking.grades], k, discount)


def ideal_dcg(ranking: Ranking, k: int | None, gain: Any = "exp2", discount: Any = "log2") -> Value:
    gains = sorted((_gain(grade, gain) for grade in _best_first(ranking)), reverse=True)
    return _discounted(gains, k, discount) if gains else None


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


def err(ranking: Ranking, k: int | None, max_grade: Any = "query") -> Value:
    best = _best_first(ranking)
    if not best:
        return None
    value, reading = Fraction(0), Fraction(1)
    for rank, grade in enumerate(ranking.grades[:k], start=1):
        stops = _satisfied(grade, best[0] if max_grade == "query" else max_grade)
        value += reading * stops / rank
        reading *= 1 - stops
    return value


def nerr(ranking: Ranking, k: int | None, max_grade: Any = "query") -> Value:
    found, ideal = err(ranking, k, max_grade), err(Ranking(_best_first(ranking)), k, max_grade)
    return None if found is None or ideal is None else found / ideal


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


class Pairs(NamedTuple):
    """The pairs of a relevant and an irrelevant item."""

    shares: list[Fraction]
    """Of irrelevant items below each relevant one, in rank order, missed ones last."""
    unread: int
    """Irrelevant items below the cutoff."""
    n_irrelevant: int


def _pairs(
    ranking: Ranking,
    k: int | None,
    unretrieved: str = "last",
    n_negatives: int | None = None,
    smoothing: float = 0,
    min_rel: float | None = None,
) -> Pairs | None:
    relevant, missed = _relevance(ranking, min_rel)
    n = relevant.count(False) if n_negatives is None else n_negatives
    below = [n - relevant[:place].count(False) for place, hit in enumerate(relevant) if hit]
    below += [0] * missed if unretrieved == "last" else []
    extra = Fraction(smoothing)
    if not below or not n + extra:
        return None
    shares = [(item + extra) / (n + extra) for item in below]
    return Pairs(shares, n - relevant[:k].count(False), n)


def auc(ranking: Ranking, k: int | None = None, **own: Any) -> Value:
    pairs = _pairs(ranking, k, **own)
    return None if pairs is None else _mean(pairs.shares)


def limited_auc(ranking: Ranking, k: int | None, tail: str = "none", **own: Any) -> Value:
    pairs = _pairs(ranking, k, **own)
    if pairs is None:
        return None
    n_relevant = len(pairs.shares)
    found = sum(_relevance(ranking, own.get("min_rel"))[0][:k])
    read = pairs.shares[:found]
    if tail == "none":
        return _mean(read, n_relevant if k is None else min(n_relevant, k))
    # On the straight line to (1, 1) a relevant item has half of the unread irrelevant ones below.
    extra = Fraction(own.get("smoothing", 0))
    on_line = (Fraction(pairs.unread) / 2 + extra) / (pairs.n_irrelevant + extra)
    return _mean([*read, *[on_line] * (n_relevant - found)])


EXACT: Mapping[str, Callable[..., Value]] = {
    "map": average_precision, "mar": average_recall, "mrr": reciprocal_rank,
    "precision": precision, "recall": recall, "fbeta": f_measure, "hit_rate": hit_rate,
    "dcg": dcg, "idcg": ideal_dcg, "ndcg": ndcg, "err": err, "nerr": nerr,
    "lag": lag, "auc": auc, "gauc": auc, "lauc": limited_auc,
}  # fmt: skip
"""Literal definitions; ``hmean`` is made of two of them, and others have examples alone."""


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
