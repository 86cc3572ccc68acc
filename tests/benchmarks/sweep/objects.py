"""Lists and mappings: types of items, truths and scores, and short rankings."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank import RelevanceInput, evaluate
from tests.benchmarks.sweep.case import FOUR_MEASURES, Call, Case, Layout, call

N_ITEMS, N_RANKED, N_RELEVANT = 5_000, 50, 5

Truths = list[set[Any]]
Rankings = list[list[Any]]


def _lists(n: int, length: int = N_RANKED) -> tuple[Truths, Rankings]:
    """Ranked numbers of items, some of which are relevant."""
    rng = random.Random(0)
    rankings = [rng.sample(range(N_ITEMS), length) for _ in range(max(n // length, 1))]
    some = min(N_RELEVANT, length)
    return [{*rng.sample(ranking, some)} for ranking in rankings], rankings


def _named(n: int, name: Callable[[int], Any], length: int = N_RANKED) -> tuple[Truths, Rankings]:
    """The same with an object for each number, shared by all lists as items of a catalogue are."""
    names = [name(number) for number in range(N_ITEMS)]
    truths, rankings = _lists(n, length)
    return (
        [{names[number] for number in truth} for truth in truths],
        [[names[number] for number in ranking] for ranking in rankings],
    )


def _text(number: int) -> str:
    return f"item {number}"


def _evaluated(y_true: Any, y_score: Any, n_items: int, **options: Any) -> Call:
    options = {"measures": FOUR_MEASURES, "zero_division": np.nan} | options
    return call(evaluate, n_items, y_true, y_score, **options)


def _of_items(name: Callable[[int], Any], n: int, length: int = N_RANKED, **options: Any) -> Call:
    truths, rankings = _named(n, name, length)
    return _evaluated(truths, rankings, length * len(rankings), **options)


ITEMS: Mapping[str, Callable[[int], Any]] = {
    "integers": int,
    "NumPy integers": np.int64,
    "NumPy text": lambda number: np.str_(_text(number)),
    "tuples": lambda number: ("item", number),
    "bytes": lambda number: _text(number).encode(),
}


def _truths(convert: Callable[[set[Any]], Any], n: int) -> Call:
    truths, rankings = _named(n, _text)
    return _evaluated([convert(truth) for truth in truths], rankings, N_RANKED * len(rankings))


def _rankings(convert: Callable[[list[Any]], Any], n: int) -> Call:
    truths, rankings = _named(n, int)
    return _evaluated(truths, [convert(ranking) for ranking in rankings], N_RANKED * len(rankings))


def _shared_truth(n: int) -> Call:
    truths, rankings = _lists(n)
    pairs = [[f"{query}>{item}" for item in ranking] for query, ranking in enumerate(rankings)]
    links = {f"{query}>{item}" for query, truth in enumerate(truths) for item in truth}
    return _evaluated(links, pairs, N_RANKED * len(pairs))


def _with_relevance(n: int) -> Call:
    truths, rankings = _named(n, _text)
    scores = [[1.0 / place for place in range(1, N_RANKED + 1)] for _ in rankings]
    n_items = N_RANKED * len(rankings)
    return _evaluated(truths, rankings, n_items, relevance=RelevanceInput(scores))


def _list_cases() -> Iterator[Case]:
    for name, item in ITEMS.items():
        yield Case("lists", f"items: {name}", partial(_of_items, item))
    provided = partial(_of_items, lambda number: ("item", number), string_provider=str)
    yield Case("lists", "items: tuples with a string provider", provided)
    yield Case("lists", "truths: lists", partial(_truths, list))
    grades = partial(_truths, lambda truth: dict.fromkeys(truth, 2))
    yield Case("lists", "truths: {item: grade}", grades)
    yield Case("lists", "truths: one for all", _shared_truth)
    yield Case("lists", "rankings: tuples", partial(_rankings, tuple))
    yield Case("lists", "rankings: arrays", partial(_rankings, np.array))
    yield Case("lists", "relevance", _with_relevance)
    yield Case("lists", "ids kept", partial(_of_items, _text, keep_items=True))
    for length in (1, 2, 10, 1_000):
        make = partial(_of_items, _text, length=length)
        yield Case("lists", f"shape: {length:,} items a ranking", make)


LISTS = Layout("lists", partial(_of_items, _text), tuple(_list_cases()), share=0.5)


def mapping_of(
    n: int, score: Callable[[float], Any] = float, length: int = N_RANKED
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Qrels of {item: grade} and a run of {item: score}."""
    truths, rankings = _named(n, _text, length)
    qrels = {f"q{query}": dict.fromkeys(truth, 1) for query, truth in enumerate(truths)}
    run = {
        f"q{query}": {item: score(1.0 / place) for place, item in enumerate(ranking, 1)}
        for query, ranking in enumerate(rankings)
    }
    return qrels, run


def _scored(score: Callable[[float], Any], n: int, length: int = N_RANKED) -> Call:
    qrels, run = mapping_of(n, score, length)
    return _evaluated(qrels, run, length * len(run))


SCORES: Mapping[str, Callable[[float], Any]] = {
    "NumPy float32": np.float32,
    "NumPy float64": np.float64,
    "integers": lambda score: int(score * 1e6),
    "few distinct": lambda score: round(score, 1),
}


def _ranked(n: int) -> Call:
    qrels, run = mapping_of(n)
    return _evaluated(qrels, {query: list(items) for query, items in run.items()}, n)


def _keyed(key: Callable[[str], Any], n: int) -> Call:
    sides = [{key(query): items for query, items in side.items()} for side in mapping_of(n)]
    return _evaluated(sides[0], sides[1], n)


def _by_id(n: int) -> Call:
    qrels, run = mapping_of(n, lambda score: round(score, 1))
    return _evaluated(qrels, run, n, ties="docid")


def _mapping_cases() -> Iterator[Case]:
    for name, score in SCORES.items():
        yield Case("mapping", f"scores: {name}", partial(_scored, score))
    yield Case("mapping", "ranked lists", _ranked)
    yield Case("mapping", "queries: integers", partial(_keyed, lambda query: int(query[1:])))
    yield Case("mapping", "queries: tuples", partial(_keyed, lambda query: (query, 1)))
    yield Case("mapping", "ties by id", _by_id)
    for length in (2, 10, 1_000):
        make = partial(_scored, float, length=length)
        yield Case("mapping", f"shape: {length:,} items a ranking", make)


MAPPING = Layout("mapping", partial(_scored, float), tuple(_mapping_cases()), share=0.5)
