"""Made-up queries for reports: two or three systems, graded items, a text for each query."""

import json
import random
import re
from functools import partial
from typing import Any

from sklearn_rank.report.content import (
    Cell,
    Item,
    Items,
    Queries,
    Report,
    Row,
    Section,
    Verdict,
    as_data,
)
from sklearn_rank.tables.table import Column, Table, number_cell, text_cell
from tests.tables.hostile import HOSTILE

WORDS = ["how", "to", "learn", "ranking", "of", "documents", "with", "trees", "and", "networks"]
SYSTEMS = ("bm25", "dense", "dense + reranker")
TABLE = Table(
    (Column("system"), Column("ndcg@10", "number")),
    (
        (text_cell("bm25"), number_cell(0.25)),
        (text_cell("dense"), number_cell(0.5, best=True, marks=("a",))),
        (text_cell("empty"), number_cell(None)),
    ),
    notes=("a: significantly better than bm25",),
)


def queries_of(n: int, *, systems: tuple[str, ...] = SYSTEMS, seed: int = 0) -> Queries:
    """As many queries, of which the first have hostile names; some values are undefined."""
    rng = random.Random(seed)
    names = [*HOSTILE.values(), *(f"query-{number:05}" for number in range(n))][:n]
    values = [
        [[None if rng.random() < 0.01 else rng.random() for _ in names] for _ in systems]
        for _ in range(2)
    ]
    texts = [" ".join(rng.choices(WORDS, k=6)) for _ in names]
    lengths = [[100] * n for _ in systems]
    items = partial(_items, len(systems))
    return Queries(
        systems,
        ("nDCG@10", "LAG"),
        (True, False),
        names,
        values,
        texts,
        labels=[["brand"] if number % 2 else ["head", "rare"] for number in range(n)],
        lengths=lengths,
        items=items,
    )


def _items(n_systems: int, number: int) -> Items:
    """Ten items that every system returns in an order of its own, and one that none does."""
    rng = random.Random(number)
    grades = [None, 0, 1, 2, 2, None, 0, 1, 1, None, 2]
    ranks = [[*rng.sample(range(1, 11), 10), None] for _ in range(n_systems)]
    items = [
        Item(
            f"doc-{number}-{place}",
            grade,
            [own[place] for own in ranks],
            [[rng.uniform(-0.3, 0.3) if grade else None] * (n_systems - 1) for _ in range(2)],
            f"Title {place} of {number}" if place % 2 else {"title": "T", "url": "https://x.y/"},
        )
        for place, grade in enumerate(grades)
    ]
    return Items(items, [None] * n_systems)


def section_of(queries: Queries, *rows: Row, **options: Any) -> Section:
    own = (queries.systems, queries.measures, queries.greater, rows)
    return Section(*own, queries=as_data(queries), **options)


def report_of(n: int, *, sections: int = 1, **options: Any) -> Report:
    """Sections with everything that a page may have."""
    queries = queries_of(n, **options)
    new = len(queries.systems) - 1
    loss = Cell(0.6, 0.7, -0.1, (-0.2, -0.05), 0.01, "worse", (3, 30, 53), note="allowed 0.02")
    rows = (
        Row("all", 300, (Cell(0.6, 0.5, 0.1, (-0.1, 0.3), 0.2, "", (9, 8, 7)), None), new=new),
        Row("brand", 86, (loss, loss._replace(bins=(0, 3, 1))), "brand", new=new),
    )
    section = section_of(queries, *rows, notes=("Made up.",), changes=TABLE)
    verdict = Verdict("nDCG@10 fell for brand queries", "worse", ("By 0.1.",))
    return Report("bm25 against others", verdict, (section,) * sections, ("300 queries",))


def data_of(text: str) -> list[dict[str, Any]]:
    """What the script of a page reads, section by section, with the items of every query."""
    pattern = r'<script type="{}" class="{}">(.*?)</script>'
    parts = (
        re.findall(pattern.format(*kind), text, re.DOTALL)
        for kind in (("application/json", "data"), ("text/plain", "lines"))
    )
    found = []
    for data, lines in zip(*parts, strict=True):
        items = [json.loads(line) if line else None for line in lines[1:-1].split("\n")]
        found.append({**json.loads(data), "lines": items})
    return found
