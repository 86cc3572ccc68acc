"""A made-up shop search, whose new engine ranks worse for queries with a brand.

The start page, its live report and the README show this example.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

from sklearn_rank import compare

BRANDS, WRONG = ("aurelo", "veltra", "nordkap"), {"kettle": "ketle", "jacket": "jaket"}
THINGS = ("kettle", "desk lamp", "rain jacket", "running shoes", "usb hub", "coffee mug")
KINDS = ("brand", "misspelled", "question", "plain")
COLOURS = ("blue", "black", "green", "white", "red", "grey")


class Shop(NamedTuple):
    """Judgements, two runs, and the texts of queries and items."""

    qrels: dict[str, dict[str, int]]
    old: dict[str, list[str]]
    new: dict[str, list[str]]
    kinds: dict[str, str]
    texts: dict[str, str]
    titles: dict[str, str]


def query_text(kind: str, thing: str, number: int) -> str:
    if kind == "brand":
        return f"{BRANDS[number % 3]} {thing}"
    if kind == "misspelled":
        return " ".join(WRONG.get(word, word) for word in f"{thing} {COLOURS[number % 6]}".split())
    return f"which {thing} lasts" if kind == "question" else f"{COLOURS[number % 6]} {thing}"


def shop(queries: int = 300) -> Shop:
    """The example, the same in every call."""
    rng = random.Random(7)
    made = Shop({}, {}, {}, {}, {}, {})
    for number in range(queries):
        query, kind, thing = f"q{number:03d}", KINDS[rng.randrange(4)], THINGS[rng.randrange(6)]
        items = [f"{number:03d}-{place:02d}" for place in range(40)]
        for item in items:
            other = thing if rng.random() < 0.7 else rng.choice(THINGS)
            made.titles[item] = f"{rng.choice(BRANDS).title()} {other}, {rng.choice(COLOURS)}"
        grades = {item: rng.choice((0, 0, 1, 2, 3)) for item in items[:16]} | {items[0]: 3}
        made.qrels[query], made.kinds[query] = grades, kind
        made.texts[query] = query_text(kind, thing, number)
        for run, found, noise in (
            (made.old, items[:16], 2.0),
            (made.new, items[:16], 3.2 if kind == "brand" else 0.9),
        ):
            key = {item: grades.get(item, 0.3) + rng.gauss(0, noise) for item in found}
            run[query] = sorted(found, key=key.__getitem__, reverse=True)
    return made


def write_report(path: Path) -> Any:
    """Write the report of the two engines; return their comparison."""
    made = shop()
    runs = {"bm25": made.old, "hybrid": made.new}
    compared = compare(made.qrels, runs, ["ndcg@10", "map"])
    texts = {"query_text": made.texts, "item_text": made.titles}
    limits = {"max_drop": {"ndcg@10": 0.02}, "max_slice_drop": 0.05}  # of the README
    compared.report(path, slices=made.kinds, about=["products.qrels"], **texts, **limits)
    return compared
