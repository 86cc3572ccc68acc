"""Made-up pages: one to four systems, graded items, a text for each query."""

import json
import random
import re
from typing import Any

from sklearn_rank.tables.table import Column, Table, number_cell, text_cell
from sklearn_rank.view.page import GridCell, Report, Row, Section, Verdict
from sklearn_rank.view.queries import script_json
from tests.tables.hostile import HOSTILE

WORDS = ["how", "to", "learn", "ranking", "of", "documents", "with", "trees", "and", "networks"]
SYSTEMS = ("bm25", "dense", "dense + reranker")
TABLE = Table((Column("query"), Column("new", "number")), ((text_cell("q"), number_cell(0.25)),))


def data_with(
    names: list[str], values: Any, lines: list[Any], systems: Any = SYSTEMS, **other: Any
) -> dict[str, Any]:
    """The data of a page's script; ``values`` by measure, system and query."""
    return {
        "systems": list(systems),
        "measures": ["nDCG@10", "LAG"],
        "greater": [True, False],
        "given": [False, False],
        "queries": names,
        "raw": {},
        "texts": [],
        "slices": [],
        "labels": [],
        "values": values,
        "lengths": [[100] * len(names)] * len(systems),
        "show": {"measure": 0, "slice": "", "which": "all"},
        "toJudge": [],
        "leftOut": 0,
        "isRepeated": False,
        "lines": [script_json(line) for line in lines],
        **other,
    }


def many(n: int, systems: tuple[str, ...] = SYSTEMS, seed: int = 0) -> dict[str, Any]:
    """As many queries, of which the first have hostile names; some values are undefined."""
    rng = random.Random(seed)
    hostile = [text.encode(errors="replace").decode() for text in HOSTILE.values()]
    names = [*hostile, *(f"query-{number:05}" for number in range(n))][:n]
    values = [
        [[None if rng.random() < 0.01 else rng.random() for _ in names] for _ in systems]
        for _ in range(2)
    ]
    return data_with(
        names,
        values,
        [_items(len(systems), number) for number in range(n)],
        systems,
        texts=[" ".join(rng.choices(WORDS, k=6)) for _ in names],
        slices=["brand", "head", "rare"],
        labels=[[0] if number % 2 else [1, 2] for number in range(n)],
    )


def _items(n_systems: int, number: int) -> list[Any]:
    """Ten items that every system returns in an order of its own, and one that none does."""
    rng = random.Random(number)
    grades = [None, 0, 1, 2, 2, None, 0, 1, 1, None, 2]
    ranks = [[*rng.sample(range(1, 11), 10), None] for _ in range(n_systems)]
    items = [
        [
            f"doc-{number}-{place}",
            f"Title {place} of {number}" if place % 2 else {"title": "T", "url": "https://x.y/"},
            grade,
            [of_system[place] for of_system in ranks],
            [[rng.uniform(-0.3, 0.3) if grade else None] * (n_systems - 1) for _ in range(2)],
        ]
        for place, grade in enumerate(grades)
    ]
    return [[None] * n_systems, items]


def section_of(data: dict[str, Any], *rows: Row, **options: Any) -> Section:
    names = (tuple(data["systems"]), tuple(data["measures"]), tuple(data["greater"]))
    return Section(*names, rows, queries=data, **options)


def report_of(n: int, *, sections: int = 1, **options: Any) -> Report:
    """Sections with everything that a page may have."""
    data = many(n, **options)
    new = len(data["systems"]) - 1
    loss = GridCell(0.6, 0.7, -0.1, (-0.2, -0.05), 0.01, "worse", (3, 30, 53), note="allowed 0.02")
    rows = (
        Row("all", 300, (GridCell(0.6, 0.5, 0.1, (-0.1, 0.3), 0.2, "", (9, 8, 7)), None), new=new),
        Row("brand", 86, (loss, loss._replace(bins=(0, 3, 1))), "brand", new=new),
    )
    titles = {"title": "A gate", "badge": "FAIL", "direction": "worse"} if sections > 1 else {}
    section = section_of(data, *rows, notes=("Made up.",), changes=TABLE, **titles)
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
