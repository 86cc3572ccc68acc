"""No measure's function is taken for another measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log2
from typing import Any

import pytest

from sklearn_rank import audit

Hits = list[bool]


def over(value: float, other: float) -> float:
    return value / other if other else 0.0


def gained(hits: Sequence[bool]) -> float:
    return sum(hit / log2(rank + 1) for rank, hit in enumerate(hits, 1))


def precisions(hits: Hits) -> float:
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)


def recalls(hits: Hits, relevant: int) -> float:
    return sum(sum(hits[:rank]) / relevant for rank, hit in enumerate(hits, 1) if hit)


def expected(hits: Sequence[bool]) -> float:
    value, stay = 0.0, 1.0
    for rank, hit in enumerate(hits, 1):
        value += stay * hit / 2 / rank
        stay *= 1 - hit / 2
    return value


# Of the hits within k, the number R of relevant items, k or the length of the list, min(R, k).
FUNCTIONS: dict[str, Callable[[Hits, int, int, int], float]] = {
    "map": lambda h, r, k, m: over(precisions(h), m),
    "mar": lambda h, r, k, m: over(recalls(h, r), m),
    "mrr": lambda h, r, k, m: next((1 / n for n, hit in enumerate(h, 1) if hit), 0.0),
    "precision": lambda h, r, k, m: over(sum(h), k),
    "recall": lambda h, r, k, m: over(sum(h), r),
    "fbeta": lambda h, r, k, m: over(2 * sum(h), k + r),
    "hit_rate": lambda h, r, k, m: float(any(h)),
    "all_hit_rate": lambda h, r, k, m: float(sum(h) == r),
    "set_map": lambda h, r, k, m: over(sum(h) ** 2, k * r),
    "rprec": lambda h, r, k, m: over(sum(h[:r]), r),
    "dcg": lambda h, r, k, m: gained(h),
    "ndcg": lambda h, r, k, m: over(gained(h), gained([True] * m)),
    "err": lambda h, r, k, m: expected(h),
    "nerr": lambda h, r, k, m: over(expected(h), expected([True] * m)),
    "rbp": lambda h, r, k, m: 0.2 * sum(0.8**n for n, hit in enumerate(h) if hit),
    "idcg": lambda h, r, k, m: gained([True] * m),
    "recall of possible": lambda h, r, k, m: over(sum(h), m),
    "precision of retrieved": lambda h, r, k, m: over(sum(h), len(h)),
    "precisions over relevant": lambda h, r, k, m: over(precisions(h), r),
    "precisions over found": lambda h, r, k, m: over(precisions(h), sum(h)),
    "ranks over relevant": lambda h, r, k, m: over(sum(x / n for n, x in enumerate(h, 1)), r),
    "Jaccard": lambda h, r, k, m: over(sum(h), r + len(h) - sum(h)),
    "hits": lambda h, r, k, m: float(sum(h)),
    "one": lambda h, r, k, m: 1.0,
}
MEASURES = (*list(FUNCTIONS)[:15], "bpref")
UNCUT = {"rprec", "bpref"}
SAME = {
    "recall of possible": "recall",
    "precision of retrieved": "precision",
    "precisions over relevant": "map",
}
"""What equals a measure that has no cutoff."""


def at_home(name: str, is_swapped: bool, is_cut: bool) -> Callable[..., float]:
    """The function as somebody would write it, which makes lists of what it gets."""

    def value(relevant: Any, retrieved: Any, k: int | None) -> float:
        truth, ranking = [*relevant], [*retrieved]
        items = ranking[:k]
        hits = [item in truth and item not in items[:n] for n, item in enumerate(items)]
        length = len(ranking) if k is None else k
        return FUNCTIONS[name](hits, len(truth), length, min(len(truth), k or len(truth)))

    functions: dict[tuple[bool, bool], Callable[..., float]] = {
        (False, False): lambda relevant, retrieved: value(relevant, retrieved, None),
        (False, True): lambda relevant, retrieved, k: value(relevant, retrieved, k),
        (True, False): lambda retrieved, relevant: value(relevant, retrieved, None),
        (True, True): lambda retrieved, relevant, k: value(relevant, retrieved, k),
    }
    return functions[is_swapped, is_cut]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_only_its_own_measure(name: str) -> None:
    """Every measure is tried; orders and cutoffs take turns."""
    for number, measure in enumerate(MEASURES, list(FUNCTIONS).index(name)):
        own = at_home(name, number % 2 == 0, number % 4 < 2)
        wanted = measure if number % 4 > 1 or measure in UNCUT else f"{measure}@10"
        if name in UNCUT and wanted in UNCUT:
            own = at_home(name, number % 2 == 0, is_cut=False)
        found = audit(own, wanted)
        assert found.agrees == (wanted in (name, f"{name}@10", SAME.get(name))), str(found)
