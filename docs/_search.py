"""Check that the search of a built site finds the right page first: `python docs/_search.py SITE`.

It needs Chromium, which runs the search as a reader's browser does.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

EXPECTED = {
    "recall at k": "metric/recall.html",
    "precision at k": "metric/precision.html",
    "hit rate": "metric/hit_rate.html",
    "mean average precision": "metric/map.html",
    "mean reciprocal rank": "metric/mrr.html",
    "normalized discounted cumulative gain": "metric/ndcg.html",
    "significance": "comparing.html",
    "install": "install.html",
    "retrieval augmented generation": "tutorial_rag.html",
    "offline evaluation": "tutorial_search.html",
    "langchain": "search_tools.html",
}
FIRST = re.compile(r'<ul[^>]* class="search">.*?<a href="([^"?]+)', re.DOTALL)


def first_result(site: Path, words: str) -> str:
    """Page of the first result, relative to the site."""
    address = f"{(site / 'search.html').resolve().as_uri()}?q={quote(words)}"
    with tempfile.TemporaryDirectory() as folder:
        options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}")
        command = ["chromium", *options, "--virtual-time-budget=20000", "--dump-dom", address]
        page = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = FIRST.search(page)
    return html.unescape(found[1]).partition("#")[0] if found else "nothing"


if __name__ == "__main__":
    wrong = []
    for words, expected in EXPECTED.items():
        found = first_result(Path(sys.argv[1]), words)
        wrong += [words] * (found != expected)
        print(f"{words:40} {found}" + ("" if found == expected else f" instead of {expected}"))
    sys.exit(bool(wrong))
