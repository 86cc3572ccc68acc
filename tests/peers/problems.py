"""Given problems: judgements and scores of a few queries, random and nasty, told by their tags.

A problem is plain JSON. ``complete`` problems judge every item that is ranked and rank every item
that is judged, which is all that programs for arrays can read; ``lists`` have relevant items that
were not retrieved and items that nobody judged.
"""

import hashlib
import json
import random
from typing import Any

KINDS = (
    "complete binary",
    "complete graded",
    "complete binary ties",
    "complete graded ties",
    "complete binary flat ties",
    "complete binary empty",
    "complete graded empty",
    "complete binary full",
    "complete binary negative",
    "complete graded negative",
    "complete binary single",
    "complete graded long",
    "lists binary",
    "lists graded",
    "lists binary ties",
    "lists graded ties",
    "lists binary ties numbers",
    "lists binary empty",
    "lists binary full",
    "lists binary unfound",
    "lists binary missing",
    "lists binary blank",
    "lists graded close",
    "lists graded negative",
    "lists graded unjudged",
    "lists graded long",
)
"""What problems are like: ``flat`` one score for all, ``empty`` a query without a relevant item,
``full`` one with nothing else, ``single`` queries of one item, ``numbers`` ids that sort as text
otherwise than as numbers, ``unfound`` no relevant item retrieved, ``missing`` a query without a
ranking, ``blank`` one with an empty ranking, ``close`` scores that are equal as float32,
``negative`` scores below 0, ``unjudged`` grades below 0."""

SEEDS = 2
CUTOFFS = (None, 2, 5)


def problems() -> list[dict[str, Any]]:
    """All problems; the same on every machine and Python."""
    return [
        _problem(f"{kind} {seed}", kind.split(), random.Random(f"{kind} {seed}"))
        for kind in KINDS
        for seed in range(SEEDS)
    ]


def digest() -> str:
    """Short name of the whole set, by which a record tells that it answers other problems."""
    text = json.dumps(problems(), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _problem(name: str, tags: list[str], rng: random.Random) -> dict[str, Any]:
    numbers = list(range(3)) if "single" in tags or "long" in tags else list(range(4))
    queries = [_query(f"q{number}", number, tags, rng) for number in numbers]
    return {"name": name, "tags": tags[:-1] if tags[-1].isdigit() else tags, "queries": queries}


def _query(name: str, number: int, tags: list[str], rng: random.Random) -> dict[str, Any]:
    first = number == 0
    items = _items(tags, rng)
    grades = {item: _grade(tags, rng) for item in items}
    relevant = [item for item, grade in grades.items() if grade > 0]
    if not relevant:
        grades[rng.choice(items)] = 1
    elif len(relevant) == len(items) > 1:
        grades[rng.choice(items)] = 0
    if first and "empty" in tags:
        grades = dict.fromkeys(items, 0)
    if first and "full" in tags:
        grades = dict.fromkeys(items, 1)
    ranked = list(items)
    if "lists" in tags:
        ranked, grades = _ranked(first, tags, grades, rng)
    rng.shuffle(ranked)
    scores = _scores(ranked, tags, rng)
    pairs = [[item, score] for item, score in zip(ranked, scores, strict=True)]
    run = None if first and "missing" in tags else pairs
    return {"query": name, "judged": grades, "run": run}


def _items(tags: list[str], rng: random.Random) -> list[str]:
    size = 1 if "single" in tags else rng.randint(14, 18) if "long" in tags else rng.randint(4, 8)
    if "numbers" in tags:
        return [str(number) for number in rng.sample(range(7, 13), min(size, 6))]
    return rng.sample([f"d{number:02d}" for number in range(20)], size)


def _grade(tags: list[str], rng: random.Random) -> int:
    if "unjudged" in tags and rng.random() < 0.2:
        return -1
    if "graded" in tags:
        return rng.choice((0, 0, 0, 1, 2, 3))
    return int(rng.random() < 0.4)


def _ranked(
    first: bool, tags: list[str], grades: dict[str, int], rng: random.Random
) -> tuple[list[str], dict[str, int]]:
    """Some of the judged items and some that nobody judged; and the judgements that are known."""
    if first and "blank" in tags:
        return [], grades
    relevant = [item for item, grade in grades.items() if grade > 0]
    others = [item for item in grades if item not in relevant]
    hidden = set(rng.sample(relevant, len(relevant) // 2))
    if first and "unfound" in tags:
        hidden = set(relevant)
    known = {item: grade for item, grade in grades.items() if grade or rng.random() < 0.5}
    extra = ["13", "5"] if "numbers" in tags else ["x1", "x2"]
    ranked = [item for item in (*relevant, *others) if item not in hidden]
    if not (first and "full" in tags):
        ranked += extra
    return ranked, known or {others[0]: 0}


def _scores(items: list[str], tags: list[str], rng: random.Random) -> list[float]:
    if "flat" in tags:
        return [0.5] * len(items)
    if "ties" in tags:
        return [rng.choice((0.25, 0.5, 0.75)) for _ in items]
    # Sixteenths are exact in float32, too.
    scores = [number / 16 for number in rng.sample(range(1, 60), len(items))]
    if "negative" in tags:
        return [score - 2.0 for score in scores]
    if "close" in tags:
        return [1.0 + number * 1e-12 for number in rng.sample(range(1, 60), len(items))]
    return scores
