"""Problems for the tests: enumerated, drawn at random from a seed, and Hypothesis strategies."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from tests.oracles.exact import Ranking

Grades = tuple[float, ...]


def examples(usual: int) -> settings:
    """So many examples in the usual run, and in proportion under another profile."""
    return settings(max_examples=max(1, usual * settings.default.max_examples // 25))


NASTY_IDS = (
    "",
    " ",
    "a",
    "a ",
    "A",
    "1",
    "01",
    "1.0",
    "-1",
    "-2",
    "nan",
    "None",
    "no query",
    "line\nbreak",
    "tab\tstop",
    "carriage\rreturn",
    "\u202eright to left",
    "\u00e9",
    "e\u0301",  # one letter, from one code point and from two
    "\U0001f600",
    "\ue000",
    "#comment",
    "%s{}",
    "x" * 300,
)
"""Ids that are all different and that careless code takes for each other, or chokes on."""


# Tie patterns -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TiedQuery:
    """Grades of one query's ranking, tie group by tie group, best group first."""

    groups: tuple[Grades, ...]
    missed: Grades = ()

    @property
    def in_order(self) -> Ranking:
        """The ranking in which tied items stand in the order given."""
        return Ranking(tuple(itertools.chain.from_iterable(self.groups)), self.missed)


def compositions(n: int) -> Iterator[tuple[int, ...]]:
    """Every way to cut n ranked items into tie groups."""
    for cuts in itertools.product((False, True), repeat=n - 1):
        borders = [0, *(place for place, cut in enumerate(cuts, start=1) if cut), n]
        yield tuple(b - a for a, b in itertools.pairwise(borders))


def grouped(grades: Sequence[float], sizes: Sequence[int]) -> tuple[Grades, ...]:
    """Grades in rank order, cut into tie groups."""
    left = iter(grades)
    return tuple(tuple(itertools.islice(left, size)) for size in sizes)


def all_binary(n: int, missed: Sequence[int] = (0, 1, 2)) -> list[TiedQuery]:
    """Every tie pattern with every binary relevance of n items, and items never retrieved."""
    return [
        TiedQuery(grouped(grades, sizes), (1,) * absent)
        for sizes in compositions(n)
        for grades in itertools.product((0, 1), repeat=n)
        for absent in missed
    ]


def sampled(seed: int, n: int, per_pattern: int, levels: Sequence[float]) -> list[TiedQuery]:
    """For every tie pattern of n items some random grades; level 0 is half of them."""
    rng = np.random.default_rng(seed)
    chances = [0.5] + [0.5 / len(levels)] * len(levels)

    def draw(size: int) -> Grades:
        return tuple(rng.choice([0.0, *levels], size, p=chances).tolist())

    return [
        TiedQuery(grouped(draw(n), sizes), tuple(filter(None, draw(2))))
        for sizes in compositions(n)
        for _ in range(per_pattern)
    ]


def tied_mapping(
    queries: Sequence[TiedQuery],
) -> tuple[dict[int, dict[str, float]], dict[int, dict[str, int]]]:
    """Ground truth and scored rankings of the mapping layout, in which items may be missed."""
    y_true: dict[int, dict[str, float]] = {}
    y_score: dict[int, dict[str, int]] = {}
    for number, query in enumerate(queries):
        judged = {f"missed {place}": grade for place, grade in enumerate(query.missed)}
        scores = {}
        for level, group in enumerate(query.groups):
            for grade in group:
                item = f"item {len(scores)}"
                scores[item] = -level
                judged[item] = grade
        y_true[number], y_score[number] = judged, scores
    return y_true, y_score


# Problems for Hypothesis ------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """Some queries with graded items and scores, in every layout that can express it."""

    y_true: Mapping[Any, Mapping[Any, float]]
    y_score: Mapping[Any, Mapping[Any, float]]

    @property
    def mapping(self) -> tuple[dict[Any, dict[Any, float]], dict[Any, dict[Any, float]]]:
        return (
            {query: dict(truth) for query, truth in self.y_true.items()},
            {query: dict(scores) for query, scores in self.y_score.items()},
        )

    @property
    def rows(self) -> tuple[list[float], list[float], list[Any]]:
        """Grades, scores and query ids; items that no ranking holds are lost."""
        rows = [
            (self.y_true[query].get(item, 0), score, query)
            for query, scores in self.y_score.items()
            for item, score in scores.items()
        ]
        grades, scores, groups = (list(column) for column in zip(*rows, strict=True))
        return grades, scores, groups

    @property
    def matrix(self) -> tuple[np.ndarray, np.ndarray]:
        """Grades and scores of rankings that are all equally long."""
        grades, scores, _ = self.rows
        n_queries = len(self.y_score)
        return np.reshape(grades, (n_queries, -1)), np.reshape(scores, (n_queries, -1))

    @property
    def lists(self) -> tuple[list[dict[Any, float]], list[list[Any]]]:
        """Ground truths and ranked lists; tied items stand in the order of input."""
        return (
            [dict(truth) for truth in self.y_true.values()],
            [
                sorted(self.y_score[query], key=self.y_score[query].__getitem__, reverse=True)
                for query in self.y_true
            ],
        )


def ids() -> st.SearchStrategy[str]:
    """Strings that could name a query or an item."""
    return st.sampled_from(NASTY_IDS) | st.text(max_size=4)


@st.composite
def problems(
    draw: st.DrawFn, *, missed: bool = True, equal_lengths: bool = False, defined: bool = False
) -> Problem:
    """Small problems with ties (scores are few small integers) and items never retrieved.

    ``defined`` gives each query a relevant and an irrelevant item in its ranking.
    """
    queries = draw(st.lists(ids(), min_size=1, max_size=4, unique=True))
    lengths = st.integers(2 if defined else 1, 7)
    common = draw(lengths)
    y_true: dict[str, dict[str, int]] = {}
    y_score: dict[str, dict[str, int]] = {}
    for query in queries:
        n_items = common if equal_lengths else draw(lengths)
        size = n_items + (draw(st.integers(0, 2)) if missed else 0)
        items = draw(st.lists(ids(), min_size=size, max_size=size, unique=True))
        grades = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
        if defined:
            grades[:2] = draw(st.permutations([0, draw(st.integers(1, 3))]))
        scores = draw(st.lists(st.integers(0, 4), min_size=n_items, max_size=n_items))
        y_true[query] = dict(zip(items, grades, strict=True))
        y_score[query] = dict(zip(items, scores, strict=False))
    return Problem(y_true, y_score)


@st.composite
def strict_rankings(draw: st.DrawFn, *, min_items: int = 1, max_missed: int = 2) -> Ranking:
    """Rankings without ties, in which nothing need be relevant."""
    grades = st.lists(st.integers(0, 3), min_size=min_items, max_size=8).map(tuple)
    return Ranking(draw(grades), draw(st.lists(st.integers(1, 3), max_size=max_missed).map(tuple)))


def as_lists(rankings: Sequence[Ranking]) -> tuple[list[dict[str, float]], list[list[str]]]:
    """Strict rankings in the lists layout."""
    y_true = [
        {f"item {place}": grade for place, grade in enumerate(one.grades)}
        | {f"missed {place}": grade for place, grade in enumerate(one.missed)}
        for one in rankings
    ]
    return y_true, [[f"item {place}" for place in range(len(one.grades))] for one in rankings]
