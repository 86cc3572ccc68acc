"""Made-up queries for reports: two or three systems, graded items, a text for each query."""

from __future__ import annotations

import random
from functools import partial

from sklearn_rank.report.content import Item, Queries, Report, Section, as_data
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
    explained = "ndcg@10" if len(systems) > 1 else ""
    return Queries(
        systems, ("ndcg@10", "lag"), (True, False), names, values, texts, lengths, explained, items
    )


def _items(n_systems: int, number: int) -> list[Item]:
    rng = random.Random(number)
    ranks = (None, *range(1, 30))
    return [
        Item(
            f"doc-{rng.randrange(10**6)}",
            rng.choice([1, 2]),
            [rng.choice(ranks) for _ in range(n_systems)],
            [rng.uniform(-0.3, 0.3) for _ in range(n_systems - 1)],
        )
        for _ in range(rng.choice([1, 2, 5, 8]))
    ]


def report_of(n: int, **options: object) -> Report:
    """One section with a table and the queries."""
    section = Section(
        tables=(("Systems", TABLE), ("Again", TABLE)),
        changes=TABLE,
        queries=as_data(queries_of(n, **options)),  # type: ignore[arg-type]
    )
    return Report("bm25 against others", ("Made up.",), sections=(section,))
