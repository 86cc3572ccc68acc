"""Made-up queries for reports: two or three systems, graded items, a text for each query."""

import json
import random
import re
from functools import partial
from typing import Any

from sklearn_rank.report.content import Card, Item, Notice, Queries, Report, Section, Slice, as_data
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


def _items(n_systems: int, number: int) -> list[Item]:
    """Ten items that every system returns in an order of its own, and one that none does."""
    rng = random.Random(number)
    grades = [None, 0, 1, 2, 2, None, 0, 1, 1, None, 2]
    ranks = [[*rng.sample(range(1, 11), 10), None] for _ in range(n_systems)]
    return [
        Item(
            f"doc-{number}-{place}",
            grade,
            [own[place] for own in ranks],
            [[rng.uniform(-0.3, 0.3) if grade else None] * (n_systems - 1) for _ in range(2)],
            f"Title {place} of {number}" if place % 2 else "",
        )
        for place, grade in enumerate(grades)
    ]


def report_of(n: int, **options: object) -> Report:
    """One section with everything that a page may have."""
    section = Section(
        lead=("One sentence.",),
        cards=(("", (Card("nDCG@10", "0.554", "+0.089 from 0.465", "better", (188, 13, 99)),)),),
        notices=(Notice("Look here first:", "2 items", "again"),),
        slices=(
            Slice("brand", "dense", 86, 0.7, 0.6, -0.1, (-0.2, -0.05), "worse", "worse", 53),
            Slice("head", "dense", 23, 0.2, 0.4, 0.2, (0.1, 0.3), "better", "better", 0),
        ),
        tables=(("Systems", TABLE), ("Again", TABLE)),
        changes=TABLE,
        queries=as_data(queries_of(n, **options)),  # type: ignore[arg-type]
    )
    return Report(
        "bm25 against others",
        "Better overall",
        about=("300 queries", "22 Nov 2026"),
        lead=("Made up.",),
        sections=(section,),
    )


def data_of(text: str) -> list[dict[str, Any]]:
    """What the script of a page reads, section by section."""
    found = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    return [json.loads(part) for part in found]
