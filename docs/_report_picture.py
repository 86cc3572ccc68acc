"""Take the picture of the start page: a report of a made-up shop search, in headless Chromium.

Run it by hand: `python docs/_report_picture.py`. It needs Chromium and Pillow.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from pathlib import Path

from PIL import Image, ImageChops

from sklearn_rank import compare

STATIC = Path(__file__).parent / "_static"
BRANDS, WRONG = ("aurelo", "veltra", "nordkap"), {"kettle": "ketle", "jacket": "jaket"}
THINGS = ("kettle", "desk lamp", "rain jacket", "running shoes", "usb hub", "coffee mug")
KINDS = ("brand", "misspelled", "question", "plain")
COLOURS = ("blue", "black", "green", "white", "red", "grey")


def query_text(kind: str, thing: str, number: int) -> str:
    if kind == "brand":
        return f"{BRANDS[number % 3]} {thing}"
    if kind == "misspelled":
        return " ".join(WRONG.get(word, word) for word in f"{thing} {COLOURS[number % 6]}".split())
    return f"which {thing} lasts" if kind == "question" else f"{COLOURS[number % 6]} {thing}"


def report(path: Path, queries: int = 300) -> str:
    """Write the report; the name of a query that got clearly worse."""
    rng = random.Random(7)
    truth, texts, kinds, titles = {}, {}, {}, {}
    runs: dict[str, dict[str, list[str]]] = {"bm25": {}, "hybrid": {}}
    for number in range(queries):
        query, kind, thing = f"q{number:03d}", KINDS[rng.randrange(4)], THINGS[rng.randrange(6)]
        items = [f"{number:03d}-{place:02d}" for place in range(40)]
        for item in items:
            other = thing if rng.random() < 0.7 else rng.choice(THINGS)
            titles[item] = f"{rng.choice(BRANDS).title()} {other}, {rng.choice(COLOURS)}"
        grades = {item: rng.choice((0, 0, 1, 2, 3)) for item in items[:16]} | {items[0]: 3}
        truth[query], kinds[query], texts[query] = grades, kind, query_text(kind, thing, number)
        for name, noise in (("bm25", 2.0), ("hybrid", 3.2 if kind == "brand" else 0.9)):
            found = items[:16] if name == "bm25" else items[:22]
            key = {item: grades.get(item, 0.3) + rng.gauss(0, noise) for item in found}
            runs[name][query] = sorted(found, key=key.__getitem__, reverse=True)
    compared = compare(truth, runs, measures=["ndcg@10", "map", "mrr"], query_text=texts)
    compared.report(path, slices=kinds, item_text=titles, about=["products.qrels"])
    brand = [change for change in compared.most_changed(40) if kinds[change.query] == "brand"]
    return str(next(change.query for change in brand if change.difference < 0))


def photograph(address: str, height: int) -> Image.Image:
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.png"
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
        own = (f"--user-data-dir={folder}", f"--window-size=1100,{height}", f"--screenshot={raw}")
        subprocess.run(["chromium", *options, *own, address], check=True, capture_output=True)
        return Image.open(raw).convert("RGB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "report.html"
        query = report(path)
        top = photograph(path.as_uri(), 1400).crop((0, 0, 1100, 665))
        scrolled = photograph(f"{path.as_uri()}#{query}", 4200)  # to the query, which is opened
    first = ImageChops.invert(scrolled).getbbox()[1] + 12
    opened = scrolled.crop((0, first, 1100, first + 408))
    both = Image.new("RGB", (1100, 665 + opened.height))
    both.paste(top, (0, 0))
    both.paste(opened, (0, 665))
    both.quantize(64).save(STATIC / "report.png", optimize=True)
