"""The demonstration that `sklearn-rank demo` runs: tune, compare and guard a ranker.

Search over Python's help pages: `help("while")` prints a page and, under it, related topics.
The page is the query, and the pages of these topics are relevant. The printed lines are those that
run; the README begins with the first ones.
"""

from __future__ import annotations

import pydoc
import textwrap
import webbrowser
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np
import sklearn
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, GroupKFold, train_test_split

from sklearn_rank.comparison.compare import compare
from sklearn_rank.scorers import map_scorer
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import safe_text

TUNE = """\
sklearn.set_config(enable_metadata_routing=True)
model, grid = GradientBoostingRegressor(), {"n_estimators": [20, 50, 100]}
search = GridSearchCV(model, grid, scoring=map_scorer, cv=GroupKFold())
search.fit(X, y, groups=qid)
print(search.best_params_, round(search.best_score_, 3))
"""
COMPARE = """\
compared = compare(truth, {"old": old, "new": new}, ["map", "ndcg@10"])
compared.report(path, item_text=pages)
"""
GUARD = 'assert_not_worse(truth, new, old, "map", max_drop=0.01)\n'


def read_help_pages() -> tuple[dict[str, str], dict[str, set[str]]]:
    """Texts of the pages, and the related pages of each page that has some."""

    def entry(name: str) -> tuple[str, str]:
        """Page and related topics of a help topic; pydoc stores a plain name for "see there"."""
        page: Any = name
        while isinstance(page, str):
            page = pydoc.Helper.topics.get(page) or pydoc.Helper.keywords.get(page) or ("", "")
        return str(page[0]), str(page[1])

    texts: dict[str, str] = dict(topics)
    related: dict[str, set[str]] = {}
    for name in [*pydoc.Helper.topics, *pydoc.Helper.keywords]:
        page, others = entry(name)
        targets = {entry(other)[0] for other in others.split()} & texts.keys() - {page}
        if page in texts and targets:
            related.setdefault(page, set()).update(targets)
    return texts, related


class Pairs:
    """Features of a query and another page: similarities of their names and texts."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.pages = sorted(texts)
        names = [page.replace("-", " ") for page in self.pages]
        bodies = [texts[page] for page in self.pages]
        vectorizer = TfidfVectorizer(sublinear_tf=True).fit([*names, *bodies])
        self._parts = [vectorizer.transform(part) for part in (names, bodies)]

    def features(self, query: str) -> tuple[list[str], Any]:
        """All other pages, with one row of features each."""
        row = self.pages.index(query)
        similar = [(of[row] @ to.T).toarray()[0] for of in self._parts for to in self._parts]
        others = [number for number in range(len(self.pages)) if number != row]
        return [self.pages[number] for number in others], np.transpose(similar)[others]

    def ranked(self, queries: list[str], score: Any) -> dict[str, dict[str, float]]:
        """Scores of all other pages for each query, computed from their features."""
        features_of = {query: self.features(query) for query in queries}
        return {
            query: dict(zip(pages, score(rows).tolist(), strict=True))
            for query, (pages, rows) in features_of.items()
        }


def run_demo(path: str, *, is_opened: bool) -> None:
    """Tune a ranker, compare it with the old one, write the report, and break the ranker."""
    from pytest_rankmetrics import RankGateFailure, assert_not_worse

    texts, related = read_help_pages()
    train, test = train_test_split(sorted(related), test_size=0.4, random_state=0)
    pairs = Pairs(texts)
    pages, rows = zip(*map(pairs.features, train), strict=True)
    judged = [[page in related[query] for page in pages[at]] for at, query in enumerate(train)]
    print(
        f"Search over Python's help pages: {len(train)} queries to train on, {len(test)} held out, "
        f"{len(texts)} pages\n"
    )
    names: dict[str, Any] = {
        "sklearn": sklearn,
        "GradientBoostingRegressor": GradientBoostingRegressor,
        "GridSearchCV": GridSearchCV,
        "GroupKFold": GroupKFold,
        "map_scorer": map_scorer,
        "compare": compare,
        "assert_not_worse": assert_not_worse,
        "X": np.concatenate(rows),
        "y": np.concatenate(judged).astype(int),
        "qid": np.repeat(train, [len(one) for one in pages]),
        "truth": {page: related[page] for page in test},
        "pages": {page: {"title": page, "text": text.strip()} for page, text in texts.items()},
        "path": path,
    }
    print("1. Tune: X holds the similarities of names and texts, qid the query of each row\n")
    with waiting("searching for the best ranker"):
        _run(TUNE, names)

    print("\n2. Compare with the similarity of names, on held-out queries\n")
    names["old"] = pairs.ranked(test, lambda features: features[:, 0])
    names["new"] = pairs.ranked(test, names["search"].predict)
    _run(COMPARE, names)
    for row in (names["compared"][name] for name in ("map", "ndcg@10")):
        ends = f"95% CI {row.low:+.3f} to {row.high:+.3f}"
        print(f"{row.measure!s:<8} {row.baseline_value:.3f} -> {row.new:.3f}, {ends}")
    print(f"written: {safe_text(path, limit=None)}")

    print("\n3. Guard it in a test: the new ranker passes, one that lost a feature fails\n")
    _run(GUARD, names)
    names["old"] = names["new"]
    without_last = [1, 1, 1, 0]
    names["new"] = pairs.ranked(test, lambda rows: names["search"].predict(rows * without_last))
    try:
        exec(GUARD, names)
    except RankGateFailure as failure:
        print(textwrap.fill(f"FAILED: {failure.headline}", 79))
    print("\nGuide: https://sklearn-rank.github.io/sklearn-rank/stable/")
    if is_opened:
        webbrowser.open(Path(path).resolve().as_uri())


def _run(code: str, names: dict[str, Any]) -> None:
    """Print lines, and run them."""
    print(textwrap.indent(code, "    "))
    exec(code, names)
