"""The demonstration that `sklearn-rank demo` runs: choose, compare, report and protect a ranker.

Search over Python's own help pages: `help("while")` prints a page and, under it, related topics.
The page is the query, and the pages behind the topics are relevant.
"""

from __future__ import annotations

import pydoc
import textwrap
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, train_test_split

from sklearn_rank.comparison.compare import compare
from sklearn_rank.report.systems import write_report
from sklearn_rank.scorers import map_scorer
from sklearn_rank.support.runtime import waiting
from sklearn_rank.support.text import safe_text

PAGES_GRID: dict[str, list[Any]] = {
    "query_words": [0, 50, None],
    "stop_words": [None, "english"],
    "bigrams": [False, True],
}


def read_help_pages() -> tuple[dict[str, str], dict[str, set[str]]]:
    """Texts of the pages, and for each page with related topics the pages behind them."""

    def entry(name: str) -> tuple[str, str]:
        """Page and related topics of a help topic; pydoc stores a plain name for "see there"."""
        found: Any = name
        while isinstance(found, str):
            found = pydoc.Helper.topics.get(found) or pydoc.Helper.keywords.get(found) or ("", "")
        return str(found[0]), str(found[1])

    texts: dict[str, str] = dict(topics)
    related: dict[str, set[str]] = {}
    for name in [*pydoc.Helper.topics, *pydoc.Helper.keywords]:
        page, others = entry(name)
        targets = {entry(other)[0] for other in others.split()} & texts.keys() - {page}
        if page in texts and targets:
            related.setdefault(page, set()).update(targets)
    return texts, related


class PageRetriever(BaseEstimator):  # type: ignore[misc]
    """Ranks all other pages by the similarity of their texts to the query page.

    It searches for the page's name and the first ``query_words`` of its text; None takes all.
    """

    def __init__(
        self,
        texts: dict[str, str],
        query_words: int | None = 0,
        stop_words: str | None = None,
        bigrams: bool = False,
    ) -> None:
        self.texts = texts
        self.query_words = query_words
        self.stop_words = stop_words
        self.bigrams = bigrams

    def fit(self, X: Any = None, y: Any = None) -> PageRetriever:  # noqa: ARG002
        """Index the collection; queries and judgements teach this retriever nothing."""
        self.pages_ = sorted(self.texts)
        words = (1, 2 if self.bigrams else 1)
        self.vectorizer_ = TfidfVectorizer(stop_words=self.stop_words, ngram_range=words)
        self.index_ = self.vectorizer_.fit_transform([self.texts[page] for page in self.pages_])
        return self

    def predict(self, X: Sequence[str]) -> list[list[str]]:
        """For each page of ``X`` all other pages, the most similar first."""
        queries = [
            " ".join([page.replace("-", " "), *self.texts[page].split()[: self.query_words]])
            for page in X
        ]
        similar = (self.vectorizer_.transform(queries) @ self.index_.T).toarray()
        orders = np.argsort(-similar, axis=1, kind="stable").tolist()
        return [
            [self.pages_[place] for place in order if self.pages_[place] != page]
            for page, order in zip(X, orders, strict=True)
        ]


def run_demo(path: str, *, is_opened: bool) -> None:
    """Choose a ranker, compare it with the old one, write the report, and break the ranker."""
    from pytest_rankmetrics import RankGateFailure, assert_not_worse

    texts, related = read_help_pages()
    train, test = train_test_split(sorted(related), test_size=0.4, random_state=0)
    print(
        f"Search over Python's help pages: {len(related)} queries, {len(texts)} pages, "
        f"{len(test)} queries held out\n"
    )
    old = PageRetriever(texts).fit()
    search = GridSearchCV(old, PAGES_GRID, scoring=map_scorer, cv=5)
    with waiting("searching for the best retriever"):
        search.fit(train, [related[page] for page in train])
    means = search.cv_results_["mean_test_score"]
    chosen = ", ".join(f"{name}={value!r}" for name, value in search.best_params_.items())
    print("1. Choose: GridSearchCV(retriever, grid, scoring=map_scorer, cv=5)")
    print(f"   {len(means)} candidates, mean MAP {means.min():.3f} to {means.max():.3f}")
    print(f"   best: {chosen}\n")

    truth = {page: related[page] for page in test}
    runs = {
        name: dict(zip(test, ranker.predict(test), strict=True))
        for name, ranker in (("old", old), ("new", search.best_estimator_))
    }
    measures = ("map", "mrr", "ndcg@10")
    compared = compare(truth, runs, measures=measures)
    pages = {page: {"title": page, "text": text.strip()} for page, text in texts.items()}
    verdict = write_report(compared, path, item_text=pages)
    print('2. Compare: compare(truth, {"old": old, "new": new}).report("demo.html")')
    print(f"   {verdict.sentence}")
    for name in measures:
        row = compared[name]
        ends = f"95% CI {row.low:+.3f} to {row.high:+.3f}"
        values = f"{name:<8} {row.old:.3f} -> {row.new:.3f}"
        print(f"   {values}  {ends}; {row.losses} worse, {row.wins} better")
    print(f"   written: {safe_text(path, limit=None)}\n")

    broken = clone(search.best_estimator_).set_params(query_words=0, bigrams=False).fit()
    red = dict(zip(test, broken.predict(test), strict=True))
    print('3. Protect: assert_not_worse(truth, ranking, old, "map", max_drop=0.01)')
    assert_not_worse(truth, runs["new"], runs["old"], "map", max_drop=0.01)
    print("   the chosen retriever: passed")
    try:
        assert_not_worse(truth, red, runs["new"], "map", max_drop=0.01)
    except RankGateFailure as failure:
        said = textwrap.fill(failure.headline, 76, initial_indent="   ", subsequent_indent="   ")
        print(f"   broken (it searches for the page's name alone): FAILED\n{said}")
    print("\nGuide: https://sklearn-rank.github.io/sklearn-rank/stable/")
    if is_opened:
        webbrowser.open(Path(path).resolve().as_uri())
