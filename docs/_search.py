"""Check that the search of a built site finds the right page: `python docs/_search.py SITE`.

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
    "precision@10": "metric/precision.html",
    "hit rate": "metric/hit_rate.html",
    "mean average precision": "metric/map.html",
    "mean reciprocal rank": "metric/mrr.html",
    "normalized discounted cumulative gain": "metric/ndcg.html",
    "expected reciprocal rank": "metric/err.html",
    "lag": "metric/lag.html",
    "significance": "comparing.html",
    "p-value": "comparing.html",
    "compare two systems": "comparing.html",
    "html report": "comparing.html",
    "repeated runs": "comparing.html",
    "how many queries": "calculators.html",
    "minimum detectable effect": "calculators.html",
    "confidence interval": "evaluation.html",
    "install": "install.html",
    "retrieval augmented generation": "tutorial_rag.html",
    "offline evaluation": "tutorial_search.html",
    "recommender system": "tutorial_recommender.html",
    "traceability": "tutorial_traceability.html",
    "golden file": "tutorial_home_made.html",
    "langchain": "search_tools.html",
    "elasticsearch": "search_tools.html",
    "unjudged": "unjudged.html",
    "pytest baseline": "gates.html",
    "quality gate": "gates.html",
    "github action": "gates.html",
    "red gate": "gates_reference.html",
    "ndcg wrong": "cli.html",
    "roc": "pictures.html",
    "ties": "inputs.html",
    "string_provider": "inputs.html",
    "gridsearchcv": "scorers.html",
    "query ids": "scorers.html",
    "early stopping": "early_stopping.html",
    "trec_eval": "coming_from.html",
    "which metric": "which_metric.html",
    "spark": "spark.html",
}
LIST = re.compile(r'<ul[^>]* class="search">(.*?)</ul>', re.DOTALL)
PLACES = 3


def first_results(site: Path, words: str) -> list[str]:
    """Pages of the first results, relative to the site."""
    address = f"{(site / 'search.html').resolve().as_uri()}?q={quote(words)}"
    with tempfile.TemporaryDirectory() as folder:
        options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}")
        command = ["chromium", *options, "--virtual-time-budget=20000", "--dump-dom", address]
        page = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = LIST.search(page)
    links = re.findall(r'<a href="([^"?]+)', found[1]) if found else []
    pages = dict.fromkeys(html.unescape(link).partition("#")[0] for link in links)
    return [*pages][:PLACES]


if __name__ == "__main__":
    wrong = []
    for words, expected in EXPECTED.items():
        found = first_results(Path(sys.argv[1]), words)
        wrong += [words] * (expected not in found)
        print(f"{words:40} {', '.join(found)}" + ("" if expected in found else f": no {expected}"))
    sys.exit(bool(wrong))
